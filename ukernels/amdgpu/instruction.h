// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions as C++ types, all of one form, which tile.h multiplies
// with. `A` is the element type of the instruction's first operand and `B` of
// its second; a tile passes its rhs first (layouts.h).

#ifndef UKERNELS_AMDGPU_INSTRUCTION_H_
#define UKERNELS_AMDGPU_INSTRUCTION_H_

#include "ukernels/amdgpu/elements.h"
#include "ukernels/amdgpu/layouts.h"

namespace tilewright::amdgpu {

// The one instruction for operand types A and B with M x M results per block
// that sums K products. A row whose family has none for its types does not
// compile.
template <typename A, typename B, int M, int K>
struct Instruction;

// What all have: `Layout` (layouts.h), K, and how a lane's elements of one
// operand row lie along k. They are kRunsOfK runs of kRunOfK neighbours; run s
// of group g is the matrix's s*kGroups + g'th such run.
//
// The order of products in a sum is free as long as both operands have the
// same, so a tile with K0 = C*K gives instruction c of a step the elements
// that make each lane's loads longest: of every kUnitOfK of the matrix's k,
// the panel has those of all C instructions together.
template <typename L, typename Sum, int kK_, int kRunOfK_, int kUnitOfK_>
struct InstructionBase {
  using Layout = L;
  using Result = Vector<Sum, L::kRuns * L::kRun>;
  static constexpr int kK = kK_;
  static constexpr int kRunOfK = kRunOfK_;
  static constexpr int kUnitOfK = kUnitOfK_;
  static constexpr int kRunsOfK = kK / L::kGroups / kRunOfK;
  static_assert(kRunsOfK * kRunOfK * L::kGroups == kK);
  static_assert(kRunsOfK == 1 || L::kGroups * kRunOfK % kUnitOfK == 0);
  // Whether products are multiplied with powers of two, one per kScaleBlock.
  static constexpr bool kScaled = false;
};

// Elements of one operand that share a block scale.
inline constexpr int kScaleBlock = 32;

// An instruction whose lanes hold all of their k in one run.
#define TW_INSTRUCTION(A, B, M, K, Layout, Sum, call) \
  TW_INSTRUCTION_IN_RUNS(A, B, M, K, K / Layout::kGroups, Layout, Sum, call)

// An instruction whose lanes hold runs of `run` elements.
#define TW_INSTRUCTION_IN_RUNS(A, B, M, K, run, L, Sum, call)             \
  template <>                                                             \
  struct Instruction<A, B, M, K> : InstructionBase<L, Sum, K, run, run> { \
    template <typename Words>                                             \
    TW_INLINE Result multiply(Words a, Words b, Result c) {               \
      return call;                                                        \
    }                                                                     \
  };

}  // namespace tilewright::amdgpu

#endif  // UKERNELS_AMDGPU_INSTRUCTION_H_
