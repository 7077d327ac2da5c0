// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A packed tensor, laid out anew.

#ifndef TILEWRIGHT_ENCODING_MOVEPANELS_H
#define TILEWRIGHT_ENCODING_MOVEPANELS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// From one layout to another, neither of which is the identity.
struct PanelMove {
  mlir::Value source, dest; ///< packed; nobody reads what was in dest
  /// Of the tensor, each with its layout.
  mlir::RankedTensorType from, to;
  /// Those of the tensor, which its packed forms do not say.
  llvm::ArrayRef<mlir::OpFoldResult> sizes;
  /// It is done where this is, and for it.
  mlir::Operation *of;
};

/// By one loop nest, a `linalg.generic` that is called a relayout: each element
/// goes from its place in the source's panels to the one in the others, which
/// end in zeros. Returns what is packed.
mlir::Value movePanels(mlir::ImplicitLocOpBuilder &b, const PanelMove &move);

/// By a `linalg.unpack` and a `linalg.pack`.
mlir::Value moveThroughRows(mlir::ImplicitLocOpBuilder &b,
                            const PanelMove &move);

/// Whether all elements lie in one of the two forms as they do in rows, and
/// nothing is filled up there: then the other one is packed or unpacked, and
/// that is all.
bool liesInRows(const PanelMove &move);

/// On an operation that movePanels makes: how many of the last dimensions of
/// what it reads, and of what it writes, are those of tiles, an array of two.
inline constexpr llvm::StringLiteral kTileDimsAttr = "tw.tile_dims";

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_MOVEPANELS_H
