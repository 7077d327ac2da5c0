// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short hand for the LLVM IR of a wave's tile function.

#ifndef TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVEBUILDER_H
#define TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVEBUILDER_H

#include "tilewright/key.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace tilewright {

using Value = llvm::Value;
using Values = llvm::SmallVector<llvm::Value *>;

/// Bits that were loaded for a run of elements, or put together for one: units
/// of `unitBits` each, in the order of memory, low bits first. Or, where
/// `unitBits` is 0, one 32-bit value per element.
struct RawElements {
  Values units;
  int unitBits = 32;
};

class WaveBuilder : public llvm::IRBuilder<> {
public:
  explicit WaveBuilder(llvm::Function *function)
      : IRBuilder(
            llvm::BasicBlock::Create(function->getContext(), "", function)),
        function(function) {}

  llvm::Function *function;

  Value *word(int64_t value) { return getInt32(value); }
  llvm::IntegerType *unit(int bits) { return getIntNTy(bits); }

  /// The 32 bits from bit `at` on of the units, each `unitBits` wide.
  Value *wordOf(const RawElements &raw, int bits, int index);
  /// All of them as words; their bits fill whole words.
  Values wordsOf(const RawElements &raw, int bits, int elements);
  /// Element `index`, zero-extended to 32 bits.
  Value *element(const RawElements &raw, int bits, int index);

  /// carries = body(index, carries) for index in [0, count); `count` and the
  /// index are of one integer type.
  Values loop(Value *count, Values carries,
              llvm::function_ref<Values(Value *, Values)> body);
  /// The values of `then` where `condition` holds, else `otherwise`.
  Values ifThen(Value *condition, Values otherwise,
                llvm::function_ref<Values()> then);
};

/// Elements of `from` in memory -> 32-bit registers of `to`, exactly.
Values convertElements(WaveBuilder &b, const RawElements &raw,
                       tw_element_type_t from, tw_element_type_t to,
                       bool biased, int count);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVEBUILDER_H
