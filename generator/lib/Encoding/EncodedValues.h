// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes of encodings share.

#ifndef TILEWRIGHT_LIB_ENCODING_ENCODEDVALUES_H
#define TILEWRIGHT_LIB_ENCODING_ENCODEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Encoding/Device.h"
#include "tilewright/Encoding/EncodedContraction.h"

namespace tilewright {

/// tw-specialize-encodings, with its options; without `tiles` as if no device
/// did data tiling.
mlir::LogicalResult specializeEncodings(mlir::func::FuncOp func,
                                        llvm::StringRef prefix,
                                        bool hostPacksBlocks,
                                        bool tiles = true);

/// The type, with its layout, of what was a value; null if it had none.
using EncodedTypeFn = llvm::function_ref<mlir::RankedTensorType(mlir::Value)>;

/// Which loops go over the tiles of lhs, rhs and out of a contraction with a
/// tile function: as tw.mmt4d takes them. Its operands are tiled along one loop
/// of m, one of n and one of k; with scales lhs and rhs are along a second one,
/// through a block. An error if they are not.
mlir::FailureOr<llvm::SmallVector<mlir::AffineMap>>
outerMaps(mlir::linalg::GenericOp op, EncodedTypeFn typeAt);

/// The sizes without packing of what is written to; empty where nobody knows.
using SizesFn =
    llvm::function_ref<llvm::ArrayRef<mlir::OpFoldResult>(mlir::Value)>;

/// `op` on packed tensors, if it computes each element of its results of one of
/// every operand, or sums elements up, and each of its loops goes along equal
/// tiles of all operands that have a layout. What has none is packed in these
/// tiles. What fills up the last tiles is not summed up, and is zero where
/// kZerosAttr wants it. Null for any other; an error if the sizes that has to
/// be known for are not.
mlir::FailureOr<mlir::linalg::GenericOp>
packElements(mlir::linalg::GenericOp op, EncodedTypeFn typeAt, SizesFn sizesAt);

/// On an operation that computes an operand of a contraction: of each result,
/// along which dimensions it has to be zero where its last tiles reach beyond
/// it, since it is summed up there.
inline constexpr llvm::StringLiteral kZerosAttr = "tw.zeros";

/// Loops over tiles and within them, and where a tensor ends along both.
struct TileEdge {
  unsigned outer, inner;
  int64_t tile;
  mlir::OpFoldResult end;
};
/// In the body of an operation, whether an element lies before all edges.
mlir::Value isWithin(mlir::ImplicitLocOpBuilder &b,
                     llvm::ArrayRef<TileEdge> edges);

/// How a `tensor.collapse_shape` from `expanded` to `collapsed`, or an
/// `expand_shape` back, groups the dimensions of their packed forms; none if it
/// moves elements of those.
std::optional<llvm::SmallVector<mlir::ReassociationIndices>>
packReshape(mlir::RankedTensorType expanded, mlir::RankedTensorType collapsed,
            llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// Whether `op`, of a tensor of this layout, takes whole tiles out of it, the
/// last of which may be filled up.
bool isSliceOfTiles(tw::LayoutAttr layout, mlir::tensor::ExtractSliceOp op);
/// The dimensions of its source that its result has.
llvm::SmallVector<int64_t> keptDims(mlir::tensor::ExtractSliceOp op);
/// `op`, which takes whole tiles, of the packed source.
mlir::Value packSlice(mlir::tensor::ExtractSliceOp op, tw::LayoutAttr layout,
                      mlir::RankedTensorType packed);

/// What is put around; null if it is not one value.
mlir::Value paddingOf(mlir::OpBuilder &b, mlir::tensor::PadOp op);
/// Whether `op`, of a tensor of this layout, puts one value around whole tiles,
/// or behind what is in the last one.
bool isPaddingOfTiles(tw::LayoutAttr layout, mlir::tensor::PadOp op);
/// `op`, which does so, of the packed source.
mlir::Value packPadding(mlir::tensor::PadOp op, tw::LayoutAttr layout,
                        mlir::RankedTensorType from,
                        mlir::RankedTensorType packed);

/// `source` in `dest`, a tensor that lies as `layout` says; what fills up the
/// last tiles is 0. For `of`, on its device.
mlir::Value packInto(mlir::ImplicitLocOpBuilder &b, mlir::Value source,
                     mlir::Value dest, tw::LayoutAttr layout,
                     mlir::Operation *of);
/// And back.
mlir::Value unpackInto(mlir::ImplicitLocOpBuilder &b, mlir::Value source,
                       mlir::Value dest, tw::LayoutAttr layout,
                       mlir::Operation *of);

/// Whether elements of a tensor of this shape lie in the layout, which is not
/// the identity, as they do in rows, with nothing in between.
bool movesNothing(tw::LayoutAttr layout, llvm::ArrayRef<int64_t> shape);

/// The sizes of its tiles; those of scalable ones are computed.
llvm::SmallVector<mlir::OpFoldResult>
tileSizes(mlir::OpBuilder &b, mlir::Location loc, tw::LayoutAttr layout);

/// The sizes of the packed form, of its elements, of a tensor of these sizes
/// and of `type`, which has a layout.
llvm::SmallVector<mlir::OpFoldResult>
packedSizes(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type,
            llvm::SmallVector<mlir::OpFoldResult> sizes);

/// The bytes that `op` asks for, of a tensor with a layout of `device`.
mlir::Value encodingSize(mlir::ImplicitLocOpBuilder &b, tw::EncodingSizeOp op,
                         const Device &device);

/// tw-materialize-encodings.
mlir::LogicalResult materializeEncodings(mlir::func::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_ENCODEDVALUES_H
