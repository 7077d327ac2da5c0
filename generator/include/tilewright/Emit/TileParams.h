// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tile function is told by its caller.

#ifndef TILEWRIGHT_EMIT_TILEPARAMS_H
#define TILEWRIGHT_EMIT_TILEPARAMS_H

#include "tilewright/Emit/Emitter.h"

namespace tilewright {

/// The values of tw_mmt4d_params_t that a tile function reads.
struct TileParams {
  mlir::Value k;           ///< i64, at least 0
  mlir::Value accumulate;  ///< i1
  mlir::Value rhsFar;      ///< i1: TW_MMT4D_FLAG_RHS_FAR
  mlir::Value outRowBytes; ///< i64: distance between rows of the out tile
};

/// Reads them. `columns`: the row stride without OUT_ROW_STRIDE; `outBytes`: of
/// an out element.
TileParams readTileParams(Emitter &e, mlir::Value pointer,
                          llvm::function_ref<mlir::Value()> columns,
                          int64_t outBytes);

/// Does `body` unless there is nothing to do: K = 0 under ACCUMULATE.
void unlessIdle(Emitter &e, const TileParams &params,
                llvm::function_ref<void()> body);

} // namespace tilewright

#endif // TILEWRIGHT_EMIT_TILEPARAMS_H
