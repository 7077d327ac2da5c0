// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums that are rounded after each K step (`steprnd`), one after another while
// others are multiplied.

#ifndef TILEWRIGHT_EMIT_STEPROUNDING_H
#define TILEWRIGHT_EMIT_STEPROUNDING_H

#include "tilewright/Emit/Emitter.h"
#include "tilewright/Planning/TilePlan.h"
#include <functional>

namespace tilewright {

/// One K step of the sums of a register block. TilePlan::roundBehind says when
/// each is narrowed to the out type, TilePlan::narrowSums how many of them stay
/// so until shortly before they are multiplied again.
class StepRounding {
public:
  using Convert = std::function<mlir::Value(mlir::Value)>;

  /// `order` has the indices of `sums` in the order of their multiplies.
  StepRounding(const TilePlan &plan, llvm::MutableArrayRef<mlir::Value> sums,
               llvm::ArrayRef<int> order, Convert narrow, Convert widen)
      : behind(plan.roundBehind), sums(sums), order(order),
        narrow(std::move(narrow)), widen(std::move(widen)),
        wide(size() - static_cast<int>(narrowOnes(plan, order).size())),
        ended(size()), widened(wide) {}

  /// Those of `order` that are narrow between K steps: all, if a rest of the
  /// tile has no more.
  static llvm::ArrayRef<int> narrowOnes(const TilePlan &plan,
                                        llvm::ArrayRef<int> order) {
    return order.take_back(
        std::min(order.size(), static_cast<size_t>(plan.narrowSums)));
  }

  /// The sum's first multiply of the step comes next; its last one has come.
  /// The sums may come in another order, and then wait longer.
  void begins(int sum);
  void hasEnded(int sum);
  /// The step's last multiply has come.
  void finish();

private:
  int size() const { return static_cast<int>(order.size()); }
  void narrowUpTo(int count);
  void widenUpTo(int count);

  const int behind;
  llvm::MutableArrayRef<mlir::Value> sums;
  const llvm::SmallVector<int> order;
  Convert narrow, widen;
  const int wide; ///< sums that are so between K steps
  llvm::SmallVector<bool> ended;
  /// How many have got so far, in this order; of `widened`, the next step's
  /// come behind all of this one's.
  int count = 0, narrowed = 0, widened;
};

} // namespace tilewright

#endif // TILEWRIGHT_EMIT_STEPROUNDING_H
