// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a workgroup does with the tiles of a product that it has just computed.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_TILEEPILOGUE_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_TILEEPILOGUE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <array>

namespace tilewright {

/// The contraction on encoded tensors whose workgroups may do `op` with the
/// tiles that they have computed: `op` is all that reads the product, and
/// unpacks it; or is elementwise, each iteration on one element of what is
/// unpacked, through `tensor.expand_shape` at most; or packs what such an
/// operation computes for it alone. Null for none.
mlir::linalg::GenericOp contractionFor(mlir::Operation *op);

/// Whether nothing but packs of a single row read `op`, which are reshapes.
bool isPackedAsRow(mlir::Operation *op);

/// Notes at `op`, an epilogue of `contractionFor(op)`, which of its loops go
/// through which dimension of the product.
void markTileEpilogue(mlir::Operation *op);

/// The loops of an epilogue, the last fastest; of an operation that packs, the
/// dimensions of what it packs until that is lowered.
struct TileEpilogueLoops {
  llvm::SmallVector<unsigned> batch, m, n;
  /// It goes on to the next multiple in M and N: that has to be in the tiles.
  std::array<int64_t, 2> filledUp = {1, 1};
};

void setTileEpilogueLoops(mlir::Operation *op, const TileEpilogueLoops &loops);

/// Those of `op`, which need not be on tensors any more; none for what is no
/// epilogue.
std::optional<TileEpilogueLoops> tileEpilogueLoops(mlir::Operation *op);

/// Whether what `op`, an epilogue on packed tensors or buffers, reads of
/// `product`, ... x M1 x N1 x M0 x N0, is in the tiles of the workgroup that
/// goes through its loops: rows are found by the loops of M alone, columns by
/// those of N, and matrices by those of the batch in order.
bool readsOwnTiles(mlir::Operation *op, mlir::Value product);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_TILEEPILOGUE_H
