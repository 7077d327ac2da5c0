// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What packing becomes where panels lie in groups along K.

#ifndef TILEWRIGHT_ENCODING_PACKCHAIN_H
#define TILEWRIGHT_ENCODING_PACKCHAIN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright {

/// A pack and, behind it, what a layout in groups (tw::LayoutAttr::inGroups)
/// materialises to beside: a reshape that takes the groups apart and a
/// transpose that brings them to the rows.
struct PackChain {
  /// Of all operations but the last, the next one is the only reader.
  static PackChain startingAt(mlir::linalg::PackOp pack);
  /// The chain that ends in `packed`; nothing if that is something else.
  static std::optional<PackChain> endingIn(mlir::Value packed);

  mlir::RankedTensorType getType() const;
  /// Replaces what the chain makes, and erases it.
  void replaceBy(mlir::Value value);

  mlir::linalg::PackOp pack;
  /// In their order; none of panels of whole rows.
  llvm::SmallVector<mlir::Operation *, 3> behind;
  /// Elements of a group; 0 of panels of whole rows.
  int64_t group = 0;

private:
  mlir::Value getResult() const;
};

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_PACKCHAIN_H
