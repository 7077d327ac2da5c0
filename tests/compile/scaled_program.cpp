// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/scaled_program.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "tests/tiles/element_codec.h"
#include "tilewright/key.h"

namespace tilewright::testing {
namespace {

// Iterations of all loops, at most.
constexpr int64_t kPoints = 1 << 15;

constexpr std::pair<tw_element_type_t, const char*> kFormats[] = {
    {TW_ELEMENT_F8E4M3FN, "f8E4M3FN"}, {TW_ELEMENT_F8E5M2, "f8E5M2"},
    {TW_ELEMENT_F6E2M3FN, "f6E2M3FN"}, {TW_ELEMENT_F6E3M2FN, "f6E3M2FN"},
    {TW_ELEMENT_F4E2M1FN, "f4E2M1FN"},
};

std::string mapOf(const std::string& letters, const std::string& indices) {
  auto list = [](const std::string& of) {
    std::string text;
    for (char letter : of)
      text += (text.empty() ? "" : ", ") + std::string(1, letter);
    return text;
  };
  return "affine_map<(" + list(letters) + ") -> (" + list(indices) + ")>";
}

std::string hexOf(const std::vector<uint8_t>& bytes) {
  const char* digits = "0123456789ABCDEF";
  std::string text = "\"0x";
  for (uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text + '"';
}

std::string without(std::string indices, char letter) {
  indices.erase(indices.find(letter), 1);
  return indices;
}

// Halves of up to 4.
std::vector<uint8_t> smallValues(tw_element_type_t type) {
  std::vector<uint8_t> bits;
  for (uint64_t candidate : finiteEncodings(type)) {
    double value = decodeElement(type, candidate);
    if (std::abs(value) <= 4 && value * 2 == std::floor(value * 2))
      bits.push_back(static_cast<uint8_t>(candidate));
  }
  return bits;
}

class Generator {
 public:
  Generator(uint64_t seed, int64_t block) : random_(seed) {
    program_.sizes['z'] = block;
  }

  ScaledProgram generate() {
    std::string batch = take("ab", random_.chance(0.3) ? 1 : 0, 3);
    std::string m = take("lmo", countOfKind(), 40);
    std::string n = take("npr", countOfKind(), 40);
    // Without a loop of blocks there is one block.
    std::string k = take("kq", random_.between(0, 2), 5) + "z";
    shrink();
    program_.letters = shuffled(batch + m + n + k);
    program_.lhs.indices = shuffled(batch + m + k);
    program_.rhs.indices = shuffled(batch + n + k);
    program_.out.indices = shuffled(batch + m + n);
    // Scales are in an order of their own.
    program_.lhsScales.indices = shuffled(without(program_.lhs.indices, 'z'));
    program_.rhsScales.indices = shuffled(without(program_.rhs.indices, 'z'));
    program_.lhs.type = formatOf();
    program_.rhs.type = formatOf();
    program_.lhsScales.isScales = program_.rhsScales.isScales = true;
    program_.rhs.isConstant = random_.chance(0.4);
    program_.rhsScales.isConstant =
        program_.rhs.isConstant || random_.chance(0.2);
    program_.lhsScales.isConstant = random_.chance(0.1);
    program_.accumulates = random_.chance(0.3);
    program_.swapsFactors = random_.chance(0.3);
    for (ScaledOperand* operand :
         {&program_.lhs, &program_.rhs, &program_.lhsScales,
          &program_.rhsScales, &program_.out})
      fill(*operand);
    return program_;
  }

 private:
  int64_t countOfKind() {
    uint64_t choice = random_.below(10);
    return choice == 0 ? 0 : choice < 8 ? 1 : 2;
  }

  std::string take(const std::string& letters, int64_t count, int64_t most) {
    for (char letter : letters.substr(0, count))
      program_.sizes[letter] =
          random_.chance(0.15) ? 1 : random_.between(1, most);
    return letters.substr(0, count);
  }

  void shrink() {
    for (;;) {
      int64_t points = 1;
      char largest = 0;
      for (auto [letter, size] : program_.sizes) {
        points *= size;
        if (letter != 'z' && (!largest || size > program_.sizes[largest]))
          largest = letter;
      }
      if (points <= kPoints || !largest) return;
      program_.sizes[largest] = (program_.sizes[largest] + 1) / 2;
    }
  }

  std::string shuffled(std::string letters) {
    // As often as not in the order that front ends write.
    if (random_.chance(0.5)) return letters;
    for (size_t i = letters.size(); i > 1; --i)
      std::swap(letters[i - 1], letters[random_.below(i)]);
    return letters;
  }

  tw_element_type_t formatOf() {
    return kFormats[random_.below(std::size(kFormats))].first;
  }

  void fill(ScaledOperand& operand) {
    for (char letter : operand.indices)
      operand.isDynamic.push_back(!operand.isConstant && letter != 'z' &&
                                  random_.chance(0.4));
    int64_t count = operand.elements(program_.sizes);
    if (&operand == &program_.out) {
      std::vector<float> values(count);
      for (float& value : values)
        value = static_cast<float>(random_.between(-8, 8));
      operand.bytes.resize(count * sizeof(float));
      std::memcpy(operand.bytes.data(), values.data(), operand.bytes.size());
      return;
    }
    std::vector<uint8_t> values;
    if (operand.isScales)
      values = {125, 126, 127, 128, 129};
    else
      values = smallValues(operand.type);
    for (int64_t i = 0; i < count; ++i)
      operand.bytes.push_back(values[random_.below(values.size())]);
    // Constants of one value become scalars of a body, which is no product of
    // two operands any more.
    if (std::equal(operand.bytes.begin() + 1, operand.bytes.end(),
                   operand.bytes.begin()))
      operand.isConstant = false;
    // Of less than a byte the lowest bits count, whatever the others are.
    int bits = operand.isScales ? 8 : info(operand.type).bits;
    if (bits < 8 && random_.chance(0.3))
      for (uint8_t& byte : operand.bytes)
        byte = static_cast<uint8_t>(byte | random_.below(256) << bits);
  }

  Random random_;
  ScaledProgram program_;
};

// Goes through all iterations, and says where in an operand each is.
class Places {
 public:
  Places(const ScaledProgram& program) : sizes_(program.sizes) {
    for (auto [letter, size] : sizes_) at_[letter] = 0;
  }

  int64_t of(const ScaledOperand& operand) const {
    int64_t place = 0;
    for (char letter : operand.indices)
      place = place * sizes_.at(letter) + at_.at(letter);
    return place;
  }

  bool next() {
    for (auto& [letter, index] : at_) {
      if (++index < sizes_.at(letter)) return true;
      index = 0;
    }
    return false;
  }

 private:
  const std::map<char, int64_t>& sizes_;
  std::map<char, int64_t> at_;
};

double scaleOf(uint8_t bits) {
  return bits == 255 ? std::nan("") : std::ldexp(1.0, bits - 127);
}

}  // namespace

std::string ScaledOperand::mlirType() const {
  if (isScales) return "f8E8M0FNU";
  for (auto [format, name] : kFormats)
    if (type == format) return name;
  return "f32";
}

std::string ScaledOperand::tensorType(
    const std::map<char, int64_t>& sizes) const {
  std::string text = "tensor<";
  for (size_t i = 0; i < indices.size(); ++i)
    text += (isDynamic[i] ? "?" : std::to_string(sizes.at(indices[i]))) + "x";
  return text + mlirType() + ">";
}

int64_t ScaledOperand::elements(const std::map<char, int64_t>& sizes) const {
  int64_t count = 1;
  for (char letter : indices) count *= sizes.at(letter);
  return count;
}

std::string ScaledProgram::describe() const {
  std::string text = letters + ": " + lhs.indices + "*" + lhsScales.indices +
                     "," + rhs.indices + "*" + rhsScales.indices + "->" +
                     out.indices + " of " + lhs.mlirType() + " and " +
                     rhs.mlirType() + ",";
  for (auto [letter, size] : sizes)
    text += " " + std::string(1, letter) + "=" + std::to_string(size);
  return text;
}

std::string ScaledProgram::text() const {
  const char* names[] = {"%lhs", "%rhs", "%lhs_scales", "%rhs_scales"};
  std::string arguments, constants, values, types, maps;
  for (size_t i = 0; i < 4; ++i) {
    const ScaledOperand& operand = *inputs()[i];
    std::string type = operand.tensorType(sizes);
    values += (i ? ", " : "") + std::string(names[i]);
    types += (i ? ", " : "") + type;
    maps += mapOf(letters, operand.indices) + ", ";
    if (operand.isConstant)
      constants += "  " + std::string(names[i]) + " = arith.constant dense<" +
                   hexOf(operand.bytes) + "> : " + type + "\n";
    else
      arguments +=
          (arguments.empty() ? "" : ", ") + std::string(names[i]) + ": " + type;
  }
  std::string outType = out.tensorType(sizes);
  std::string body = constants;
  if (accumulates) {
    arguments +=
        (arguments.empty() ? "" : ", ") + std::string("%init: ") + outType;
  } else {
    std::string dims;
    for (size_t i = 0; i < out.indices.size(); ++i) {
      if (!out.isDynamic[i]) continue;
      const ScaledOperand* of = &lhs;
      size_t dim = of->indices.find(out.indices[i]);
      if (dim == std::string::npos) {
        of = &rhs;
        dim = of->indices.find(out.indices[i]);
      }
      std::string number = std::to_string(i);
      body += "  %c" + number + " = arith.constant " + std::to_string(dim) +
              " : index\n  %d" + number + " = tensor.dim " +
              (of == &lhs ? "%lhs" : "%rhs") + ", %c" + number + " : " +
              of->tensorType(sizes) + "\n";
      dims += (dims.empty() ? "%d" : ", %d") + number;
    }
    body += "  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty(" + dims +
            ") : " + outType +
            "\n  %init = linalg.fill ins(%zero : f32) outs(%e : " + outType +
            ") -> " + outType + "\n";
  }
  std::string iterators;
  for (char letter : letters)
    iterators += (iterators.empty() ? "" : ", ") +
                 std::string(out.indices.find(letter) == std::string::npos
                                 ? "\"reduction\""
                                 : "\"parallel\"");
  std::string product = swapsFactors ? "%v, %u" : "%u, %v";
  std::string sum = swapsFactors ? "%w, %o" : "%o, %w";
  return "func.func @f(" + arguments + ") -> " + outType + " {\n" + body +
         "  %r = linalg.generic {indexing_maps = [" + maps +
         mapOf(letters, out.indices) + "], iterator_types = [" + iterators +
         "]}\n      ins(" + values + " : " + types +
         ") outs(%init : " + outType + ") {\n  ^bb0(%x: " + lhs.mlirType() +
         ", %y: " + rhs.mlirType() +
         ", %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):\n" +
         "    %u = arith.scaling_extf %x, %p : " + lhs.mlirType() +
         ", f8E8M0FNU to f32\n    %v = arith.scaling_extf %y, %q : " +
         rhs.mlirType() + ", f8E8M0FNU to f32\n    %w = arith.mulf " + product +
         " : f32\n    %s = arith.addf " + sum +
         " : f32\n    linalg.yield %s : f32\n  } -> " + outType +
         "\n  return %r : " + outType + "\n}\n";
}

std::vector<float> ScaledProgram::expected() const {
  std::vector<double> sums(out.elements(sizes));
  if (accumulates)
    for (size_t i = 0; i < sums.size(); ++i) {
      float value;
      std::memcpy(&value, out.bytes.data() + i * sizeof value, sizeof value);
      sums[i] = value;
    }
  Places places(*this);
  do {
    double x = decodeElement(lhs.type, lhs.bytes[places.of(lhs)]) *
               scaleOf(lhsScales.bytes[places.of(lhsScales)]);
    double y = decodeElement(rhs.type, rhs.bytes[places.of(rhs)]) *
               scaleOf(rhsScales.bytes[places.of(rhsScales)]);
    sums[places.of(out)] += x * y;
  } while (places.next());
  return {sums.begin(), sums.end()};
}

ScaledProgram randomScaledContraction(uint64_t seed, int64_t block) {
  return Generator(seed, block).generate();
}

}  // namespace tilewright::testing
