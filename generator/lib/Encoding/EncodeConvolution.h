// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_ENCODING_ENCODECONVOLUTION_H
#define TILEWRIGHT_LIB_ENCODING_ENCODECONVOLUTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// Each convolution with filters is computed on encoded tensors, or made a
/// contraction if its windows have one element. A remark says which cannot be.
void encodeConvolutions(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_ENCODECONVOLUTION_H
