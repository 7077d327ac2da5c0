// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one work-item may do after another thing without a barrier between.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_ITEMLOOPS_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_ITEMLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

/// Operations, on tensors or on buffers, that go through the same items in
/// their parallel loops: what one of them reads of another's result, the item
/// has written itself. So a work-item does all of them, one after the other.
class ItemLoops {
public:
  bool empty() const { return dims.empty(); }

  /// Whether `op` may be one more of them; it is not if it has nothing to do
  /// with those before. On failure nothing is changed.
  bool add(mlir::linalg::LinalgOp op);

  /// For each loop of `op`, which was added, the dimension of the items that it
  /// goes over, if it is parallel. That of the first operation's n-th parallel
  /// loop is n.
  llvm::ArrayRef<std::optional<unsigned>> dimsOf(mlir::linalg::LinalgOp op) {
    return dims.find(op)->second;
  }

private:
  /// An operand, result or what a body reads at indices of its own, without a
  /// map.
  struct Access {
    mlir::linalg::LinalgOp op;
    mlir::Value value;
    mlir::AffineMap map;
    bool writes;

    /// Whether each item has one element of its own.
    bool isOfItems() const;
    bool conflicts(const Access &other) const {
      return value == other.value && (writes || other.writes);
    }
  };
  static llvm::SmallVector<Access> accessesOf(mlir::linalg::LinalgOp op);

  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::optional<unsigned>>>
      dims;
  llvm::SmallVector<Access> accesses;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_ITEMLOOPS_H
