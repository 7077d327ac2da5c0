// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random functions on tensors as programs in MLIR, of a few operations each,
// and what they compute. Each operation is evaluated as it is made, on
// row-major arrays, by rules that share nothing with the compiler.

#ifndef TESTS_COMPILE_MODULE_PROGRAM_H_
#define TESTS_COMPILE_MODULE_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/common/seed.h"
#include "tests/compile/checked_call.h"
#include "tests/compile/contraction_program.h"

namespace tilewright::testing {

// How often a program is called, with other sizes.
inline constexpr size_t kModuleCalls = 3;

// A size: the same in all calls where its type says it.
struct ModuleDim {
  bool isDynamic = false;
  int64_t sizes[kModuleCalls] = {};  // by call

  bool operator==(const ModuleDim& o) const;
  // Whether they have the same size in each call.
  bool hasSizesOf(const ModuleDim& o) const;
  int64_t least() const;
  int64_t most() const;
  bool isAlways(int64_t size) const;
};

using ModuleShape = std::vector<ModuleDim>;

// A tensor of a program, with its elements in each call: floats are whole
// numbers.
struct ModuleTensor {
  std::string name;  // "%3"
  const Element* type = nullptr;
  ModuleShape shape;
  std::vector<int64_t> data[kModuleCalls];
  // No element of a float is larger, so that all arithmetic is exact.
  int64_t bound = 0;

  size_t rank() const { return shape.size(); }
  bool isFloat() const { return type->kind == Element::kFloat; }
  // Truth values, floats of 8 bits, and what has 4, 16 or 64: operations move
  // them as they are.
  bool isOnlyMoved() const {
    return type->bits != 32 &&
           (type->bits != 8 || type->kind != Element::kSigned);
  }
  std::vector<int64_t> sizes(size_t call) const;
  int64_t mostElements() const;
  std::string typeText() const;
};

using Indices = std::vector<int64_t>;

int64_t elementCount(const Indices& sizes);
// Where the element is in a row-major array.
size_t offsetOf(const ModuleShape& shape, size_t call, const Indices& at);
void forEachIndex(const Indices& sizes,
                  const std::function<void(const Indices& at)>& visit);
// The value as an element holds it.
int64_t wrapElement(const Element& type, int64_t value);

// Of integers of 64 bits, modulo 2^64.
int64_t sumOf(int64_t x, int64_t y);
int64_t productOf(int64_t x, int64_t y);

// "a, b, c"
std::string list(const std::vector<std::string>& items);

class ModuleProgram {
 public:
  explicit ModuleProgram(std::string name) : name(std::move(name)) {}

  // The function.
  std::string text() const;
  // Empty if all calls of the compiled function give what they have to.
  std::string check(const JitModel& model) const;
  // "pad conv_2d gather"
  std::string describe() const;

  std::string name, body;
  std::vector<std::string> operations;
  std::vector<size_t> arguments, results;  // of values
  std::vector<ModuleTensor> values;
  int64_t scalar[kModuleCalls] = {};  // the index argument %n
};

// Of all operations, or of contractions and what stands between them.
enum class ModuleMix { kAll, kTiling };

ModuleProgram randomModule(const std::string& name, uint64_t seed,
                           ModuleMix mix);

// Adds operations to a program. Each returns whether it found operands that
// suit it.
class ModuleMaker {
 public:
  ModuleMaker(const std::string& name, uint64_t seed, ModuleMix mix)
      : random_(seed),
        mix_(mix),
        has_tiles_(mix == ModuleMix::kTiling && random_.chance(0.5)),
        program_(name) {}
  ModuleProgram make();

 private:
  struct Slice;
  struct Layout;

  // module_program.cpp
  size_t addArgument(const Element& type, const ModuleShape& shape,
                     int64_t range);
  ModuleShape randomShape();
  void chooseResults();

  // module_operations.cpp: of one element for each
  bool binary();
  bool withIndex();
  bool generate();
  bool splat();
  bool fromElements();
  bool castToDynamic();
  bool reduce();
  bool broadcast();
  bool transpose();
  bool compare();
  bool anyTrue();
  bool contraction();
  bool contractionOf(const ModuleTensor& x, const ModuleTensor& y);
  bool convolution();
  bool pooling();

  // module_movements.cpp: of elements to other places
  bool expand();
  bool collapse();
  bool extractSlice();
  bool insertSlice();
  bool pad();
  bool concat();
  bool gather();
  bool permute();
  std::optional<Slice> chooseSlice(const ModuleTensor& whole);

  // module_tiling.cpp
  std::string weightsText(
      const Element& type, const Indices& sizes,
      const std::function<int64_t(const Indices& at)>& element);
  bool weights();
  bool weightsFirst();
  ModuleTensor plusOne(const ModuleTensor& x);
  bool product();
  bool cast();
  bool pair();
  std::string repeatedText(const std::string& result, const std::string& type,
                           const std::string& from, const std::string& step,
                           bool is_loop);

  // module_packs.cpp
  bool packMaybeUnpack();
  bool unpack();

  // Text of the program.
  std::string fresh() { return "%" + std::to_string(next_name_++); }
  void line(const std::string& text) { program_.body += "  " + text + "\n"; }
  std::string indexConstant(int64_t value);
  std::string arithmetic(const std::string& op, const std::string& x,
                         const std::string& y);
  // An index that is the size.
  std::string dimText(const ModuleTensor& value, size_t dim);
  std::string scalarConstant(const Element& type, int64_t value);
  // A tensor.empty of a shape, whose `sizes` are used where they are dynamic.
  std::string emptyText(const Element& type, const ModuleShape& shape,
                        const std::vector<std::string>& sizes);
  std::string filledText(const Element& type, const ModuleShape& shape,
                         const std::vector<std::string>& sizes, int64_t value);

  // In the body of an operation: adds small whole numbers that follow from the
  // indices `at` to the element `to`, if there is one; the name of the sum.
  std::string patternText(const Element& type,
                          const std::vector<std::string>& at,
                          const std::string& to);
  static int64_t patternAt(const Indices& at);
  static constexpr int64_t kPatternBound = 2;
  // A filter of that pattern.
  std::string filterText(const Element& type, const Indices& sizes);

  // How many windows there are along a dimension, as text too.
  struct Windows {
    ModuleDim count;
    std::string text;
  };
  std::optional<Windows> windows(const ModuleTensor& value, size_t dim,
                                 int64_t size, int64_t stride,
                                 int64_t dilation);

  // One of the program's values that suits. The first argument is computed
  // with, so that there is one where all suit.
  const ModuleTensor* anyValue(
      const std::function<bool(const ModuleTensor&)>& suits,
      bool computes = true);
  const ModuleTensor* anyMoved(
      const std::function<bool(const ModuleTensor&)>& suits) {
    return anyValue(suits, /*computes=*/false);
  }
  // What `value` is as an element of the type.
  static int64_t constantOf(const ModuleTensor& like, int64_t value) {
    return like.type->kind == Element::kUnsigned ? value != 0 : value;
  }
  bool mayHave(const ModuleShape& shape) const;
  // Whether values up to `bound` are what `value`'s type has exactly.
  static bool isExact(const ModuleTensor& value, int64_t bound) {
    return !value.isFloat() || bound <= 1 << 22;
  }
  // The type that products of `value`'s are summed in.
  static const Element* sumType(const ModuleTensor& value);
  // Floats of integers, integers of floats, of 32 bits.
  static const Element* otherType(const ModuleTensor& value);
  // Adds what `element` computes for each call.
  bool add(
      const std::string& operation, const std::string& value,
      const Element& type, const ModuleShape& shape, int64_t bound,
      const std::function<int64_t(size_t call, const Indices& at)>& element);
  int64_t at(const ModuleTensor& value, size_t call, const Indices& at) const {
    return value.data[call][offsetOf(value.shape, call, at)];
  }
  ModuleDim staticDim(int64_t size) const;

  Random random_;
  ModuleMix mix_;
  bool has_tiles_;  // sizes are multiples of those of tiles, or nearly so
  ModuleProgram program_;
  int next_name_ = 0;
};

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_MODULE_PROGRAM_H_
