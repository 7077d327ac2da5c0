// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that lie as an operand of a contraction does, and what may be
// computed of them so.

#ifndef TILEWRIGHT_LIB_ENCODING_ENCODEDELEMENTS_H
#define TILEWRIGHT_LIB_ENCODING_ENCODEDELEMENTS_H

#include "EncodedValues.h"

namespace tilewright {

inline constexpr int64_t kOwnDim = tw::EncodingAttr::kOwnDim;

/// Of each of a tensor's dimensions, which of the operand's it is, or kOwnDim.
using OperandDims = llvm::SmallVector<int64_t>;

/// The bytes of a tensor; a size that is not known counts for 128.
double bytesOf(mlir::Value tensor);

/// Whether it is packed when the model is compiled, or an instance made.
bool isPackedAhead(mlir::Value tensor);

/// How tensors lie that lie as one operand of a contraction does.
struct OperandTiles {
  /// `device` may be null, where nobody knows what is tiled.
  OperandTiles(tw::EncodingAttr encoding, const Device *device)
      : encoding(encoding),
        layout(device ? device->layoutOf(encoding) : nullptr) {}

  /// Whether they lie as without an encoding: windows of a convolution always.
  bool isIdentity() const;
  /// Whether `type`, of a tensor, says that it lies so.
  bool areOf(mlir::Type type) const;
  mlir::RankedTensorType typeOf(mlir::Value value,
                                llvm::ArrayRef<int64_t> dims) const;
  /// Elements of a swizzle, or of tiles of unknown sizes, are not computed
  /// with.
  bool mayCompute() const;
  /// Of a reshape between `expanded` and `collapsed`, the one's dimensions by
  /// those of the other, `known`; none if it takes tiles apart.
  std::optional<OperandDims>
  reshape(mlir::Value expanded, mlir::Value collapsed,
          llvm::ArrayRef<mlir::ReassociationIndices> groups,
          llvm::ArrayRef<int64_t> known, bool fromCollapsed) const;

  tw::EncodingAttr encoding; ///< of the operand itself
  tw::LayoutAttr layout;     ///< null where nobody knows
};

/// The groups of a `tensor.expand_shape` or `collapse_shape`, and its tensors;
/// null if `op` is neither.
struct Reshape {
  static std::optional<Reshape> of(mlir::Operation *op);

  mlir::Value expanded, collapsed;
  llvm::SmallVector<mlir::ReassociationIndices> groups;
  bool expands;
};

/// Whether each element of its results is of one element of every operand, or
/// sums those up along loops, and is so for what fills up the last tiles, too,
/// which is computed along: that must do nothing but give values. Elements that
/// panels have several of in a byte are not computed so.
bool computesElements(mlir::linalg::LinalgOp op);

/// Whether the result has the elements of the one input, at most cast.
bool isOfCasts(mlir::linalg::LinalgOp op);

/// `op`, its body moved, of these operands.
mlir::linalg::GenericOp withOperands(mlir::OpBuilder &b,
                                     mlir::linalg::LinalgOp op,
                                     mlir::ValueRange inputs,
                                     mlir::ValueRange inits);

/// A reshape, slice or padding of `source`, a tensor that lies otherwise.
mlir::Operation *withSource(mlir::OpBuilder &b, mlir::Operation *op,
                            mlir::Value source, mlir::RankedTensorType type);

/// A tensor of these sizes, of which `type` may know less.
mlir::Value emptyOf(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::RankedTensorType type,
                    llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// A tensor of the sizes of `value` for somebody to write to.
mlir::Value emptyAs(mlir::OpBuilder &b, mlir::Value value,
                    mlir::RankedTensorType type);

/// `value` as `type` says it lies: what nobody has written, or is filled with
/// one element, is made so, anything else set, on the device of `of`.
mlir::Value encodedAs(mlir::OpBuilder &b, mlir::Value value,
                      mlir::RankedTensorType type, mlir::Operation *of);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_ENCODEDELEMENTS_H
