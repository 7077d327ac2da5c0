// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions of encoded tensors, and how what they take is packed.

#ifndef TILEWRIGHT_ENCODING_ENCODEDCONTRACTION_H
#define TILEWRIGHT_ENCODING_ENCODEDCONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

/// Its layout; null if `type` has none.
tw::LayoutAttr layoutOf(mlir::Type type);
/// Its encoding; null if `type` has none.
tw::EncodingAttr encodingOf(mlir::Type type);

/// Whether `op` is a contraction of encoded operands, in the order of
/// EncodingAttr::getOperands; an error if it has such operands but computes
/// something else than they say.
mlir::FailureOr<bool> isEncodedContraction(mlir::linalg::GenericOp op);

/// Whether the operands of a contraction are encoded for it, or zeros, and its
/// result is not encoded for others: nobody but it depends on their types.
bool isEncodedHere(mlir::linalg::GenericOp op);

using ChangeEncodingFn = llvm::function_ref<tw::EncodingAttr(tw::EncodingAttr)>;
/// Such a contraction, and the encoded values that it alone uses, or copies of
/// them, get other encodings, still of one contraction.
void changeEncodings(mlir::linalg::GenericOp op, ChangeEncodingFn change);
/// N0 and K0 of such a contraction do not depend on its rows any more: all say
/// `any_m`.
void makeAnyM(mlir::linalg::GenericOp op);

/// The sizes of the packed form of a tensor of these sizes.
llvm::SmallVector<mlir::OpFoldResult>
packedSizes(mlir::OpBuilder &b, mlir::Location loc, tw::LayoutAttr layout,
            llvm::SmallVector<mlir::OpFoldResult> sizes);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_ENCODEDCONTRACTION_H
