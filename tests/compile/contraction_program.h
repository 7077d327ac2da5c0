// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random contractions as programs in MLIR: an einsum of any order of dimensions
// and any element types, as one of the operations that can say it. One operand
// may be looked at through windows: then it is a convolution.

#ifndef TESTS_COMPILE_CONTRACTION_PROGRAM_H_
#define TESTS_COMPILE_CONTRACTION_PROGRAM_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/common/seed.h"
#include "tilewright/types.h"

namespace tilewright::testing {

// Elements as MLIR and C have them. Random values of floats are the integers
// of [-range, range], few enough that sums of products are exact; those of
// integers are all.
struct Element {
  const char* name;  // as in tile names
  const char* mlir;
  int bits;
  enum { kFloat, kSigned, kUnsigned } kind;
  tw_element_type_t type;  // of a float

  // In memory: of less than a byte each has one.
  size_t bytes() const { return bits < 8 ? 1 : static_cast<size_t>(bits) / 8; }
};

// The types of one contraction.
struct ContractionTypes {
  const Element *lhs, *rhs, *out;
  int range;  // of floats
  std::string name() const {
    return std::string(lhs->name) + rhs->name + out->name;
  }
  // Whether tile functions have them.
  bool isTriple() const;
};

// A dimension that is indexed by the sum of two letters times constants: where
// a window is, and where in it.
struct WindowIndex {
  char place, tap;
  int64_t stride, dilation;
};

// One tensor: an index is a letter, as in einsum, or a capital one, of a
// window.
struct ContractionOperand {
  std::string indices;
  std::vector<bool> isDynamic;  // of each index, in the type
  bool isConstant = false;      // in the program, not an argument
};

// Sizes by letter.
using Extents = std::map<char, int64_t>;

enum class Init { kZeroFill, kFill, kZeroConstant, kArgument };

struct ContractionProgram {
  std::string name;       // of the function
  std::string operation;  // "linalg.generic"
  std::string letters;    // in the order of the operation's loops
  ContractionTypes types;
  // The operands; out is the result, and the argument to accumulate onto.
  ContractionOperand lhs, rhs, out;
  // What is transposed and broadcast to be an operand, if it is not itself what
  // is passed: some of its letters in some order. The result's order in the
  // end.
  std::optional<ContractionOperand> lhsSource, rhsSource;
  std::string transposedOut;
  std::map<char, WindowIndex> windows;
  Init init = Init::kZeroFill;
  int fill = 0;               // value of kFill
  bool unsignedCast = false;  // of a named operation of integers
  bool swapsFactors = false;  // rhs * lhs, product + sum
  // What is taken off each element of an operand in the body; where one is an
  // argument both are, the last ones.
  std::optional<int> lhsZero, rhsZero;
  bool zerosAreArguments = false;
  bool negatesLhs = false;  // elementwise, before
  bool doublesOut = false;  // elementwise, after
  // What is added to the result, elementwise, after: indexed by some of its
  // letters, and by 0 in dimensions of size 1, which are '1'. None if there is
  // no such argument.
  std::optional<ContractionOperand> addend;
  bool addsFirst = false;  // it is broadcast, and the init
  uint64_t dataSeed = 0;
  // One call each; sizes that are static in all types do not change. They have
  // capitals, too.
  std::vector<Extents> calls;

  const ContractionOperand& passedLhs() const {
    return lhsSource ? *lhsSource : lhs;
  }
  const ContractionOperand& passedRhs() const {
    return rhsSource ? *rhsSource : rhs;
  }
  // What is returned.
  ContractionOperand result() const;
  // "bmk,bkn->bmn" of f32f32f32 as linalg.generic ...
  std::string describe() const;
  // The function.
  std::string text() const;

  bool isReduced(char letter) const {
    return out.indices.find(letter) == std::string::npos;
  }
  // Whether a size of its types is 0, so that there is nothing to multiply.
  bool isEmpty() const;
  // Whether it is a convolution of groups, of which those of few filters stay
  // loops.
  bool hasGroups() const {
    return !windows.empty() && letters.find_first_of("ab") != std::string::npos;
  }
};

struct ProgramLimits {
  int64_t points = 1 << 16;  // of the index space, at most
  int calls = 2;
  bool windows = true;  // convolutions too
};

// The values of an operand in a call: floats as integers, integers of less
// than 64 bits extended.
std::vector<int64_t> operandValues(const ContractionProgram& program,
                                   const ContractionOperand& operand,
                                   size_t call);

// Their bytes, as a tensor has them.
std::vector<uint8_t> encodeValues(const Element& element,
                                  const std::vector<int64_t>& values);

// The operand's number of elements.
int64_t elementsOf(const ContractionOperand& operand, const Extents& extents);

ContractionProgram randomContraction(const std::string& name, uint64_t seed,
                                     const ProgramLimits& limits);

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_CONTRACTION_PROGRAM_H_
