// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_ENCODING_CONVOLUTIONBUILDER_H
#define TILEWRIGHT_LIB_ENCODING_CONVOLUTIONBUILDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

/// Makes a tw.matmul of a convolution whose weights are packed: `types` are
/// those of its operands with their layouts.
class ConvolutionBuilder {
public:
  ConvolutionBuilder(mlir::linalg::GenericOp op, tw::TileAttr tile,
                     llvm::ArrayRef<mlir::RankedTensorType> types);

  void setInsertionPoint(mlir::Operation *where) { b.setInsertionPoint(where); }

  /// It writes `out`. An error if the weights do not lie as its panels do.
  mlir::FailureOr<tw::MatmulOp> build(mlir::Value out, bool overwrites);

private:
  mlir::linalg::GenericOp op;
  tw::TileAttr tile;
  llvm::ArrayRef<mlir::RankedTensorType> types;
  mlir::ImplicitLocOpBuilder b;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_CONVOLUTIONBUILDER_H
