// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vector length that scalable sizes count, where the tile runs.

#ifndef TILEWRIGHT_TARGETS_VECTORLENGTH_H
#define TILEWRIGHT_TARGETS_VECTORLENGTH_H

#include "mlir/IR/Builders.h"
#include "tilewright/key.h"

namespace tilewright {

/// i64: how many times the ISA's least vector length (IsaInfo::vectorBits) the
/// length is that `isa`'s scalable sizes count: SVE's, or the streaming one of
/// SME, read outside of streaming mode. `isa` must have scalable vectors.
mlir::Value vectorLengthFactor(mlir::OpBuilder &b, mlir::Location loc,
                               const IsaInfo &isa);

} // namespace tilewright

#endif // TILEWRIGHT_TARGETS_VECTORLENGTH_H
