// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_ENCODING_ELEMENTCLUSTER_H
#define TILEWRIGHT_LIB_ENCODING_ELEMENTCLUSTER_H

#include "EncodedValues.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

/// The bytes of a tensor; a size that is not known counts for 128.
double bytesOf(mlir::Value tensor);

/// Operations of one block and device on what lies as one operand of a
/// contraction does, on each other's results, and on what is set for them:
/// elementwise operations, sums, reshapes and slices. Operands that go along
/// all of an operation's loops have to be encoded; smaller ones stay.
class ElementCluster {
public:
  /// `encoding` is of the operand itself. `first` is one of the operations that
  /// unset it; `device` may be null, where nobody knows what is tiled.
  ElementCluster(tw::EncodingAttr encoding, mlir::Operation *first,
                 const Device *device)
      : encoding(encoding), first(first),
        layout(device ? device->layoutOf(encoding) : nullptr) {}

  /// Whether `op` may be one more of them, and is related to them.
  bool add(mlir::Operation *op);

  /// Bytes that are read or written less with it. A tensor that is set or unset
  /// is read and written; what is set from what was unset is laid out anew by
  /// one operation, which moves no more. Constants are packed when the model is
  /// compiled.
  double saves();

  void rewrite();

private:
  using Dims = llvm::SmallVector<int64_t>;

  bool areElements(mlir::linalg::LinalgOp op) const;
  bool addElements(mlir::linalg::LinalgOp op);
  bool addReshape(mlir::Operation *op, mlir::Value expanded,
                  mlir::Value collapsed,
                  llvm::ArrayRef<mlir::ReassociationIndices> groups);
  bool addSlice(mlir::tensor::ExtractSliceOp op);
  bool addResult(mlir::Operation *op, const Dims &dims);

  /// The operation that unsets the encoding.
  tw::UnsetEncodingOp unsetHere(mlir::Value value) const;
  /// Which of the operand's its dimensions are; none if it is not encoded.
  std::optional<Dims> dimsOf(mlir::Value value) const;
  /// Which of the operand's a loop of a member goes along.
  Dims loopsOf(mlir::linalg::LinalgOp op) const;
  bool isOfCluster(mlir::Operation *op) const { return dims.contains(op); }
  /// Whether somebody wants the result as it would lie without an encoding.
  bool isUnset(mlir::Value result) const;

  mlir::RankedTensorType typeOf(mlir::Value value, const Dims &dims) const;
  mlir::Value emptyLike(mlir::OpBuilder &b, mlir::Value value,
                        const Dims &dims);
  mlir::Value encoded(mlir::OpBuilder &b, mlir::Value value, const Dims &dims);
  mlir::Value encodedInit(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
                          const Dims &dims);
  mlir::Operation *rewrite(mlir::OpBuilder &b, mlir::Operation *op);
  mlir::Operation *rewriteElements(mlir::OpBuilder &b,
                                   mlir::linalg::LinalgOp op);

  tw::EncodingAttr encoding;
  mlir::Operation *first;
  tw::LayoutAttr layout;
  /// The members, and of their results, which of the operand's dimensions they
  /// have.
  llvm::MapVector<mlir::Operation *, Dims> dims;
  llvm::SetVector<tw::UnsetEncodingOp> unsets;
  llvm::DenseMap<mlir::Value, mlir::Value> encodedValues;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_ELEMENTCLUSTER_H
