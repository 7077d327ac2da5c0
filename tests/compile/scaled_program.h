// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random contractions whose operands have block scales (OCP microscaling), as
// programs in MLIR, and what they compute, by loops that know no tiles.

#ifndef TESTS_COMPILE_SCALED_PROGRAM_H_
#define TESTS_COMPILE_SCALED_PROGRAM_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/common/seed.h"
#include "tilewright/types.h"

namespace tilewright::testing {

// A tensor: an index is a letter, as in einsum.
struct ScaledOperand {
  std::string indices;
  tw_element_type_t type = TW_ELEMENT_F32;  // of all but scales
  bool isScales = false;
  std::vector<bool> isDynamic;  // of each index, in the type
  bool isConstant = false;      // in the program, not an argument
  std::vector<uint8_t> bytes;   // its elements

  std::string mlirType() const;
  std::string tensorType(const std::map<char, int64_t>& sizes) const;
  int64_t elements(const std::map<char, int64_t>& sizes) const;
};

// One function, `f`. Values are few small multiples of powers of two, so that
// each sum is exact in f32, in any order.
struct ScaledProgram {
  // In the order of the operation's loops; 'z' goes through a block.
  std::string letters;
  std::map<char, int64_t> sizes;
  ScaledOperand lhs, rhs, lhsScales, rhsScales;
  ScaledOperand out;  // and the argument to accumulate onto
  bool accumulates = false;
  bool swapsFactors = false;  // rhs * lhs, product + sum

  // "mkz,nkz->mn" and the like.
  std::string describe() const;
  std::string text() const;
  // The operands, in the order of the operation's.
  std::vector<const ScaledOperand*> inputs() const {
    return {&lhs, &rhs, &lhsScales, &rhsScales};
  }
  std::vector<float> expected() const;
};

// `block` elements have a scale.
ScaledProgram randomScaledContraction(uint64_t seed, int64_t block);

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_SCALED_PROGRAM_H_
