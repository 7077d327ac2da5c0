// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's patterns drop the attributes of what they make anew; which device
// it is for has to stay.

#ifndef TILEWRIGHT_LIB_COMPILE_KEEPPLACE_H
#define TILEWRIGHT_LIB_COMPILE_KEEPPLACE_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "tilewright/Encoding/Place.h"

namespace tilewright {

/// What a pattern makes in place of an operation runs where that did.
class KeepPlace : public mlir::RewriterBase::Listener {
public:
  void notifyPatternBegin(const mlir::Pattern &, mlir::Operation *) override {
    made.clear();
  }

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override {
    if (!previous.isSet() && mlir::isa<mlir::DestinationStyleOpInterface>(op))
      made.push_back(op);
  }

  void notifyOperationReplaced(mlir::Operation *op, mlir::ValueRange) override {
    placeMade(op);
  }

  /// Some replace uses one by one.
  void notifyOperationErased(mlir::Operation *op) override {
    llvm::erase(made, op);
    placeMade(op);
  }

private:
  void placeMade(mlir::Operation *instead) {
    for (mlir::Operation *op : made)
      if (!op->hasAttr(kDeviceAttr))
        placeLike(op, instead);
  }

  llvm::SmallVector<mlir::Operation *> made; ///< by this pattern
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_KEEPPLACE_H
