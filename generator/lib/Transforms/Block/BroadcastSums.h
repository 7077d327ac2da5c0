// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of the broadcast operand's rows, times ByteRoles::offset, which results
// have too much. Where they are made: TilePlan::sums.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_BROADCASTSUMS_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_BROADCASTSUMS_H

#include "RegisterBlock.h"

namespace tilewright {

class BroadcastSums : RegisterBlock {
public:
  explicit BroadcastSums(const RegisterBlock &block) : RegisterBlock(block) {}

  /// Zeros [K step][row][group] on the stack, which stages of the block's
  /// operand add to.
  Value zeros();
  /// The sums of all K steps of the block's rows: an i32 each, to `sums`.
  void pass(Value sums);
  /// A buffer of those of the block's rows, an i32 each: of `carried`, the
  /// corrections of the K loop, if there are any, or position.sums. Null if
  /// there are none.
  Value ofRows(llvm::ArrayRef<Value> carried);

private:
  void store(llvm::ArrayRef<Value> vectors, Value buffer);
  Values addSteps(Values vectors, int &steps) const;
  void sumUp(const Values &vectors, Value buffer, Value sums);
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_BROADCASTSUMS_H
