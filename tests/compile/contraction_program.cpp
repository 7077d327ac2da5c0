// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/contraction_program.h"

#include <algorithm>
#include <set>

#include "tilewright/key.h"

namespace tilewright::testing {
namespace {

constexpr Element kF64{"f64", "f64", 64, Element::kFloat, TW_ELEMENT_F64};
constexpr Element kF32{"f32", "f32", 32, Element::kFloat, TW_ELEMENT_F32};
constexpr Element kF16{"f16", "f16", 16, Element::kFloat, TW_ELEMENT_F16};
constexpr Element kBF16{"bf16", "bf16", 16, Element::kFloat, TW_ELEMENT_BF16};
constexpr Element kS64{"s64", "i64", 64, Element::kSigned, {}};
constexpr Element kS32{"s32", "i32", 32, Element::kSigned, {}};
constexpr Element kS16{"s16", "i16", 16, Element::kSigned, {}};
constexpr Element kS8{"s8", "i8", 8, Element::kSigned, {}};
constexpr Element kU16{"u16", "i16", 16, Element::kUnsigned, {}};
constexpr Element kU8{"u8", "i8", 8, Element::kUnsigned, {}};
constexpr Element kS4{"s4", "i4", 4, Element::kSigned, {}};
constexpr Element kU4{"u4", "i4", 4, Element::kUnsigned, {}};

// How often of 100, and the types. The ranges keep every partial sum of 2^16
// products exact in the type of the result, or in f32, in which narrow results
// of tiles are summed.
const struct {
  int weight;
  ContractionTypes types;
} kTypes[] = {
    {26, {&kF32, &kF32, &kF32, 8}},
    {22, {&kS8, &kS8, &kS32, 0}},
    {5, {&kU8, &kS8, &kS32, 0}},
    {3, {&kS8, &kU8, &kS32, 0}},
    {3, {&kU8, &kU8, &kS32, 0}},
    {6, {&kF64, &kF64, &kF64, 100}},
    {6, {&kBF16, &kBF16, &kF32, 8}},
    {4, {&kF16, &kF16, &kF32, 8}},
    {2, {&kF16, &kF16, &kF16, 1}},
    {2, {&kBF16, &kBF16, &kBF16, 1}},
    {2, {&kF32, &kF16, &kF32, 8}},
    {2, {&kF32, &kBF16, &kF32, 8}},
    {4, {&kS16, &kS16, &kS32, 0}},
    {2, {&kS16, &kS8, &kS32, 0}},
    {1, {&kS8, &kS16, &kS32, 0}},
    {1, {&kU8, &kS16, &kS32, 0}},
    {1, {&kS16, &kU8, &kS32, 0}},
    {3, {&kS32, &kS32, &kS32, 0}},
    {3, {&kS8, &kS4, &kS32, 0}},
    {1, {&kU8, &kS4, &kS32, 0}},
    {1, {&kS16, &kU4, &kS32, 0}},
    {1, {&kU4, &kU4, &kS32, 0}},
    // Of no tile.
    {1, {&kS64, &kS64, &kS64, 0}},
    {1, {&kS8, &kS8, &kS16, 0}},
    {1, {&kU16, &kU16, &kS32, 0}},
    {1, {&kF32, &kF32, &kF64, 8}},
    {1, {&kBF16, &kF16, &kF32, 8}},
};

// Operations of one form: batch dimensions are a and b, m's m and o, n's n and
// p, k's k and l.
const struct NamedForm {
  const char *name, *lhs, *rhs, *out;
  bool hasMaps;  // operands may be transposed, and casts unsigned
} kNamed[] = {
    {"linalg.matmul", "mk", "kn", "mn", true},
    {"linalg.batch_matmul", "amk", "akn", "amn", true},
    {"linalg.matvec", "mk", "k", "m", false},
    {"linalg.vecmat", "k", "kn", "n", false},
    {"linalg.batch_matvec", "amk", "ak", "am", false},
    {"linalg.batch_vecmat", "ak", "akn", "an", false},
    {"linalg.dot", "k", "k", "", false},
    {"linalg.batch_reduce_matmul", "lmk", "lkn", "mn", false},
    {"linalg.mmt4d", "mkol", "nkpl", "mnop", false},
    {"linalg.batch_mmt4d", "amkol", "ankpl", "amnop", false},
};

// 1, primes, tile sizes and their neighbours.
const int64_t kSizes[] = {1,  1,  2,  2,  3,  3,  4,  5,   7,   8,  9,
                          11, 13, 15, 16, 17, 19, 23, 31,  32,  33, 37,
                          47, 48, 61, 64, 65, 67, 97, 127, 128, 129};

class Maker {
 public:
  Maker(const std::string& name, uint64_t seed, const ProgramLimits& limits)
      : random_(seed), limits_(limits) {
    program_.name = name;
  }

  ContractionProgram make() {
    chooseTypes();
    bool isMixed = program_.types.lhs->kind != program_.types.rhs->kind;
    double kind = random_.unit();
    if (limits_.windows && random_.chance(0.3))
      chooseWindows();
    else if (kind < 0.25 && !isMixed)
      chooseNamed();
    else
      chooseForm(kind < 0.45 && !isMixed);
    chooseZeroPoints();
    chooseTypesOfTensors();
    chooseSizes();
    chooseMovements();
    chooseSurroundings();
    program_.dataSeed = random_.next();
    return program_;
  }

 private:
  template <typename T>
  void shuffle(T& text) {
    for (size_t i = text.size(); i > 1; --i)
      std::swap(text[i - 1], text[random_.below(i)]);
  }

  void chooseTypes() {
    int total = 0;
    for (const auto& row : kTypes) total += row.weight;
    auto left = static_cast<int>(random_.below(static_cast<uint64_t>(total)));
    for (const auto& row : kTypes) {
      program_.types = row.types;
      if ((left -= row.weight) < 0) break;
    }
    program_.swapsFactors = random_.chance(0.2);
  }

  // Whether both factors are unsigned, which an operation without a body has to
  // be told.
  bool isUnsigned() const {
    return program_.types.lhs->kind == Element::kUnsigned;
  }

  void chooseNamed() {
    const NamedForm* form = nullptr;
    do {
      form = &kNamed[random_.below(std::size(kNamed))];
    } while (isUnsigned() && !form->hasMaps);
    program_.operation = form->name;
    program_.lhs.indices = form->lhs;
    program_.rhs.indices = form->rhs;
    program_.out.indices = form->out;
    program_.unsignedCast = isUnsigned();
    if (form->hasMaps) {
      for (ContractionOperand* operand : {&program_.lhs, &program_.rhs})
        if (random_.chance(0.4))
          std::swap(operand->indices.end()[-1], operand->indices.end()[-2]);
    }
    std::set<char> seen;
    for (char letter : std::string(form->out) + form->lhs + form->rhs)
      if (seen.insert(letter).second) program_.letters += letter;
  }

  // linalg.generic, or linalg.contract, over dimensions in any order.
  void chooseForm(bool isContract) {
    program_.operation = isContract ? "linalg.contract" : "linalg.generic";
    program_.unsignedCast = isContract && isUnsigned();
    auto take = [&](const char* letters, double none, double one) {
      double kind = random_.unit();
      return std::string(letters, kind < none ? 0 : kind < none + one ? 1 : 2);
    };
    std::string batch = take("ab", 0.45, 0.35), m = take("mo", 0.25, 0.5),
                n = take("np", 0.25, 0.5),
                k = take("kl", isContract ? 0 : 0.03, 0.75);
    program_.letters = batch + m + n + k;
    program_.lhs.indices = batch + m + k;
    program_.rhs.indices = batch + n + k;
    program_.out.indices = batch + m + n;
    // An index space has a dimension.
    if (program_.letters.empty())
      program_.letters = program_.lhs.indices = program_.rhs.indices = "k";
    for (std::string* order : {&program_.letters, &program_.lhs.indices,
                               &program_.rhs.indices, &program_.out.indices})
      shuffle(*order);
  }

  // A linalg.generic over one or two windows of lhs or of rhs, with strides and
  // dilations.
  void chooseWindows() {
    chooseForm(/*isContract=*/false);
    bool isLhs = random_.chance(0.7);
    ContractionOperand &windowed = isLhs ? program_.lhs : program_.rhs,
                       &weights = isLhs ? program_.rhs : program_.lhs;
    // Filters: without them there would be nothing to multiply with.
    char filter = isLhs ? 'n' : 'm';
    auto add = [](std::string& letters, char letter) {
      if (letters.find(letter) == std::string::npos) letters += letter;
    };
    for (std::string* letters :
         {&program_.letters, &weights.indices, &program_.out.indices})
      add(*letters, filter);
    // An index space of nothing else had one dimension of k.
    for (int i = 0, count = random_.chance(0.6) ? 2 : 1; i < count; ++i) {
      WindowIndex window = {"xy"[i], "uv"[i], random_.between(1, 3),
                            random_.between(1, 3)};
      add(program_.letters, window.place);
      add(program_.letters, window.tap);
      add(program_.out.indices, window.place);
      add(weights.indices, window.tap);
      add(windowed.indices, "XY"[i]);
      program_.windows["XY"[i]] = window;
    }
    // As named operations have them, or in any order.
    if (random_.chance(0.5)) return;
    for (std::string* order : {&program_.letters, &program_.lhs.indices,
                               &program_.rhs.indices, &program_.out.indices})
      shuffle(*order);
  }

  void chooseZeroPoints() {
    const ContractionTypes& types = program_.types;
    if (program_.operation != "linalg.generic" ||
        types.out->kind == Element::kFloat ||
        types.lhs->bits >= types.out->bits || random_.chance(0.6))
      return;
    program_.zerosAreArguments = random_.chance(0.5);
    auto choose = [&](std::optional<int>& zero) {
      double kind = random_.unit();
      if (kind < 0.3) return;
      zero = kind < 0.5 ? 0 : static_cast<int>(random_.between(-200, 200));
    };
    choose(program_.lhsZero);
    choose(program_.rhsZero);
  }

  void chooseTypesOfTensors() {
    if (random_.chance(0.08))
      (random_.chance(0.7) ? program_.rhs : program_.lhs).isConstant = true;
    double kind = random_.unit();
    double dynamic = kind < 0.4 ? 0 : kind < 0.7 ? 1 : 0.5;
    // A type may know less than another.
    double forgets = dynamic == 0.5 ? 0.1 : 0;
    std::map<char, bool> isDynamic;
    for (char letter : program_.letters)
      isDynamic[letter] = random_.chance(dynamic);
    for (ContractionOperand* operand : operands()) {
      operand->isDynamic.clear();
      for (char letter : operand->indices)
        operand->isDynamic.push_back(
            !operand->isConstant &&
            (isDynamic[letter] || random_.chance(forgets)));
    }
    // What is not fixed elsewhere is not fixed by the tensor with windows.
    for (ContractionOperand* operand : operands())
      for (size_t i = 0; i < operand->indices.size(); ++i)
        if (auto window = program_.windows.find(operand->indices[i]);
            window != program_.windows.end()) {
          if (!isFixed(window->second.place) || !isFixed(window->second.tap))
            operand->isConstant = false;
          operand->isDynamic[i] =
              !operand->isConstant &&
              (!isFixed(window->second.place) || !isFixed(window->second.tap) ||
               random_.chance(forgets));
        }
  }

  // How many elements the windows reach over.
  void setWindowSizes(Extents& extents) {
    for (auto [letter, window] : program_.windows)
      extents[letter] = (extents[window.place] - 1) * window.stride +
                        (extents[window.tap] - 1) * window.dilation + 1;
  }

  bool isOfWindow(char letter) {
    return std::any_of(
        program_.windows.begin(), program_.windows.end(), [&](auto& each) {
          return letter == each.second.place || letter == each.second.tap;
        });
  }

  std::vector<ContractionOperand*> operands() {
    return {&program_.lhs, &program_.rhs, &program_.out};
  }

  bool isFixed(char letter) {
    for (ContractionOperand* operand : operands())
      for (size_t i = 0; i < operand->indices.size(); ++i)
        if (operand->indices[i] == letter && !operand->isDynamic[i])
          return true;
    return false;
  }

  void chooseSizes() {
    bool isStatic = true;
    for (int call = 0; call < (isStatic ? 1 : limits_.calls); ++call) {
      Extents extents;
      for (char letter : program_.letters) {
        bool keeps = call > 0 && isFixed(letter);
        isStatic &= isFixed(letter);
        extents[letter] = keeps ? program_.calls[0][letter]
                                : kSizes[random_.below(std::size(kSizes))];
        if (!keeps && (letter == 'u' || letter == 'v'))
          extents[letter] = random_.between(1, 5);
      }
      shrink(extents, call);
      // Nothing, often in a call and seldom in a type.
      for (char letter : program_.letters)
        if (!isOfWindow(letter) &&
            (call > 0 ? !isFixed(letter) && random_.chance(0.1)
                      : random_.chance(0.002)))
          extents[letter] = 0;
      setWindowSizes(extents);
      program_.calls.push_back(extents);
    }
    // Text of a constant grows with it.
    for (ContractionOperand* operand : operands()) {
      int64_t elements = elementsOf(*operand, program_.calls[0]);
      if (elements == 0 || elements > 2048) operand->isConstant = false;
    }
  }

  void chooseMovements() {
    auto choose = [&](const ContractionOperand& operand,
                      std::optional<ContractionOperand>& source) {
      for (char letter : operand.indices)
        if (program_.windows.count(letter)) return;
      if (random_.chance(0.75)) return;
      ContractionOperand moved;
      moved.isConstant = operand.isConstant;
      for (size_t i = 0; i < operand.indices.size(); ++i)
        // The size of what is broadcast is known from the result's type.
        if (operand.isDynamic[i] || random_.chance(0.7))
          moved.indices += operand.indices[i];
      shuffle(moved.indices);
      for (char letter : moved.indices)
        moved.isDynamic.push_back(
            operand.isDynamic[operand.indices.find(letter)]);
      source = moved;
    };
    choose(program_.lhs, program_.lhsSource);
    choose(program_.rhs, program_.rhsSource);
    if (random_.chance(0.2)) {
      program_.transposedOut = program_.out.indices;
      shuffle(program_.transposedOut);
    }
  }

  void shrink(Extents& extents, int call) {
    int bits = 3;
    while ((int64_t{2} << bits) <= limits_.points) ++bits;
    int64_t budget = int64_t{1} << random_.between(3, bits);
    auto points = [&] {
      int64_t product = 1;
      for (auto [letter, size] : extents) product *= std::max(size, int64_t{1});
      return product;
    };
    while (points() > budget) {
      std::vector<char> free;
      for (auto [letter, size] : extents)
        if (size > 1 && (call == 0 || !isFixed(letter))) free.push_back(letter);
      if (free.empty()) return;
      int64_t& size = extents[free[random_.below(free.size())]];
      int64_t smaller = kSizes[random_.below(std::size(kSizes))];
      size = smaller < size ? smaller : size / 2;
    }
  }

  void chooseSurroundings() {
    double kind = random_.unit();
    bool isStatic = true;
    for (bool dynamic : program_.out.isDynamic) isStatic &= !dynamic;
    program_.init = kind < 0.6    ? Init::kZeroFill
                    : kind < 0.85 ? Init::kArgument
                    : kind < 0.95 ? Init::kFill
                    : isStatic    ? Init::kZeroConstant
                                  : Init::kZeroFill;
    // Sizes of the result would have to be computed.
    if (!program_.windows.empty() && !isStatic) program_.init = Init::kArgument;
    program_.fill = static_cast<int>(random_.between(-3, 5));
    program_.negatesLhs = !program_.lhs.isConstant && random_.chance(0.05);
    program_.doublesOut = random_.chance(0.2);
    // The sum of a narrow float and another would be rounded twice.
    const Element& out = *program_.types.out;
    if ((out.kind != Element::kFloat || out.bits >= 32) && random_.chance(0.25))
      chooseAddend();
  }

  void chooseAddend() {
    ContractionOperand addend;
    for (char letter : program_.out.indices)
      if (random_.chance(0.6)) addend.indices += letter;
    for (int i = 0; i < 3; ++i)
      if (random_.chance(0.2)) addend.indices += '1';
    shuffle(addend.indices);
    for (char letter : addend.indices)
      addend.isDynamic.push_back(
          letter != '1' &&
          program_.out.isDynamic[program_.out.indices.find(letter)]);
    for (Extents& extents : program_.calls) extents['1'] = 1;
    program_.addend = addend;
    program_.addsFirst =
        program_.init == Init::kZeroFill && random_.chance(0.4);
  }

  ContractionProgram program_;
  Random random_;
  ProgramLimits limits_;
};

}  // namespace

bool ContractionTypes::isTriple() const {
  return findTypeTriple(name()) != nullptr;
}

bool ContractionProgram::isEmpty() const {
  for (const ContractionOperand* operand : {&lhs, &rhs, &out})
    for (size_t i = 0; i < operand->indices.size(); ++i)
      if (!operand->isDynamic[i] && calls[0].at(operand->indices[i]) == 0)
        return true;
  return false;
}

ContractionOperand ContractionProgram::result() const {
  if (transposedOut.empty()) return out;
  ContractionOperand moved = out;
  moved.indices = transposedOut;
  for (size_t i = 0; i < transposedOut.size(); ++i)
    moved.isDynamic[i] = out.isDynamic[out.indices.find(transposedOut[i])];
  return moved;
}

ContractionProgram randomContraction(const std::string& name, uint64_t seed,
                                     const ProgramLimits& limits) {
  return Maker(name, seed, limits).make();
}

}  // namespace tilewright::testing
