// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue of a multiplication: an elementwise operation on its result that
// can be done block by block, as the multiplication ends them.

#ifndef TILEWRIGHT_LIB_COMPILE_DISPATCH_EPILOGUE_H
#define TILEWRIGHT_LIB_COMPILE_DISPATCH_EPILOGUE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

/// How the loops of the elementwise operation go through the product: of each
/// dimension of the product, the loop that indexes it.
using ProductLoops = llvm::SmallVector<unsigned>;

/// Those of `op`, if each of its iterations reads one element of `product`, of
/// as many dimensions, and of other operands what its loops index; none if it
/// reduces, asks for indices or reads anything else. On tensors or buffers.
std::optional<ProductLoops> productLoopsOf(mlir::linalg::LinalgOp op,
                                           mlir::Value product);

/// Whether the first result of `op` is a product: of a `tw.matmul`, a
/// `tw.unset_encoding`, or loops that a tile would compute on another device.
/// What is done together does not depend on the device.
bool isMultiplication(mlir::Operation *op);

/// The multiplication that `op`, on tensors, can be the epilogue of: the only
/// user of its product, and not better left to operations that share its rows.
mlir::Operation *multiplicationFor(mlir::linalg::GenericOp op);

/// Elementwise operations behind a multiplication whose rows were taken apart
/// (`tensor.expand_shape`) become ones on its product as it is. On encoded
/// tensors as on others.
void collapseEpilogues(mlir::func::FuncOp func);

/// Has the epilogue `op` of a multiplication write over its `product`, where
/// their types allow that.
void writeOverProduct(mlir::linalg::GenericOp op, mlir::Value product);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DISPATCH_EPILOGUE_H
