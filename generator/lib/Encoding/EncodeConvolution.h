// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_ENCODING_ENCODECONVOLUTION_H
#define TILEWRIGHT_LIB_ENCODING_ENCODECONVOLUTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// Why a convolution stays loops, for people; empty if it does not.
using WhyLoopsFn = llvm::function_ref<std::string(mlir::Operation *op)>;

/// Each convolution with filters is computed on encoded tensors, or made a
/// contraction if its windows have one element. A remark says which cannot be,
/// or stays loops because `whyLoops` says so.
void encodeConvolutions(mlir::func::FuncOp func, WhyLoopsFn whyLoops);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_ENCODECONVOLUTION_H
