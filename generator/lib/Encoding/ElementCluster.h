// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_ENCODING_ELEMENTCLUSTER_H
#define TILEWRIGHT_LIB_ENCODING_ELEMENTCLUSTER_H

#include "EncodedElements.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

/// Operations of one block and device on what lies as one operand of a
/// contraction does, on each other's results, and on what is set for them:
/// elementwise operations, sums, reshapes, slices and paddings. Operands that
/// go along all of an operation's loops have to be encoded; smaller ones stay.
class ElementCluster {
public:
  /// `first` is one of the operations that unset the operand's encoding.
  ElementCluster(OperandTiles tiles, mlir::Operation *first)
      : tiles(tiles), first(first) {}

  /// Whether `op` may be one more of them, and is related to them.
  bool add(mlir::Operation *op);

  /// Bytes that are read or written less with it. A tensor that is set or unset
  /// is read and written; what is set from what was unset is laid out anew by
  /// one operation, which moves no more. Constants are packed when the model is
  /// compiled.
  double saves();

  void rewrite();

private:
  bool addElements(mlir::linalg::LinalgOp op);
  bool addReshape(mlir::Operation *op, const Reshape &reshape);
  bool addSlice(mlir::tensor::ExtractSliceOp op);
  bool addPadding(mlir::tensor::PadOp op);
  bool addResults(mlir::Operation *op, llvm::ArrayRef<OperandDims> results);

  /// The operation that unsets the encoding.
  tw::UnsetEncodingOp unsetHere(mlir::Value value) const;
  /// Which of the operand's its dimensions are; none if it is not encoded.
  std::optional<OperandDims> dimsOf(mlir::Value value) const;
  /// Of encoded tensors that are read, by which map, and their dimensions.
  llvm::SmallVector<std::pair<mlir::AffineMap, OperandDims>>
  readDims(mlir::linalg::LinalgOp op) const;
  /// Which of the operand's a loop of a member goes along.
  OperandDims loopsOf(mlir::linalg::LinalgOp op) const;
  bool isOfCluster(mlir::Operation *op) const { return members.contains(op); }
  /// Whether somebody wants the result as it would lie without an encoding.
  bool isUnset(mlir::Value result) const;
  double savesBehind(mlir::Value result) const;

  /// `value`, which is a result of a member or lies as one, with the encoding.
  mlir::RankedTensorType typeOf(mlir::Value value) const {
    return tiles.typeOf(value, *dimsOf(value));
  }
  mlir::Value encoded(mlir::OpBuilder &b, mlir::Value value,
                      llvm::ArrayRef<int64_t> dims);
  mlir::Value encodedInit(mlir::OpBuilder &b, mlir::OpOperand &init);
  mlir::Operation *rewrite(mlir::OpBuilder &b, mlir::Operation *op);
  mlir::Operation *rewriteElements(mlir::OpBuilder &b,
                                   mlir::linalg::LinalgOp op);

  OperandTiles tiles;
  mlir::Operation *first;
  /// And which of the operand's dimensions each of their results has.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<OperandDims, 1>> members;
  llvm::SetVector<tw::UnsetEncodingOp> unsets;
  llvm::DenseMap<mlir::Value, mlir::Value> encodedValues;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_ELEMENTCLUSTER_H
