// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Emit/TileParams.h"
#include "tilewright/tile.h"

using namespace mlir;

namespace tilewright {

TileParams readTileParams(Emitter &e, Value pointer,
                          llvm::function_ref<Value()> columns,
                          int64_t outBytes) {
  auto flagIs = [&](Value flags, int64_t flag) {
    return e.icmp(arith::CmpIPredicate::ne, e.band(flags, flag), 0);
  };
  TileParams params;
  params.k = e.load(e.integer(64),
                    e.offset(pointer, offsetof(tw_mmt4d_params_t, K)), 8);
  Value flags = e.load(
      e.integer(32), e.offset(pointer, offsetof(tw_mmt4d_params_t, flags)), 4);
  params.accumulate = flagIs(flags, TW_MMT4D_FLAG_ACCUMULATE);
  params.rhsFar = flagIs(flags, TW_MMT4D_FLAG_RHS_FAR);
  Value stride = e.ifElse(
      flagIs(flags, TW_MMT4D_FLAG_OUT_ROW_STRIDE),
      [&]() -> Emitter::Values {
        return {e.load(
            e.integer(64),
            e.offset(pointer, offsetof(tw_mmt4d_params_t, out_row_stride)), 8)};
      },
      [&]() -> Emitter::Values { return {columns()}; })[0];
  params.outRowBytes = e.mul(stride, e.i64(outBytes));
  return params;
}

void unlessIdle(Emitter &e, const TileParams &params,
                llvm::function_ref<void()> body) {
  Value some = e.icmp(arith::CmpIPredicate::sgt, params.k, 0);
  Value overwrite = arith::XOrIOp::create(e.b, e.loc, params.accumulate,
                                          e.constant(e.b.getI1Type(), 1));
  e.ifThen(e.bor(some, overwrite), body);
}

} // namespace tilewright
