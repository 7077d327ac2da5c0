// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_ENCODING_ENCODEDSOURCES_H
#define TILEWRIGHT_LIB_ENCODING_ENCODEDSOURCES_H

#include "EncodedElements.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

/// Operations of one block and device that compute what is set for one operand
/// of contractions, and nothing else: elementwise operations, reshapes and
/// paddings. Computed as the operand lies, of what is set instead: smaller
/// elements, a vector before it was broadcast, constants. Operations are added
/// from the last to the first.
class EncodedSources {
public:
  /// `first` is one of the operations that set the operand's encoding.
  EncodedSources(OperandTiles tiles, mlir::Operation *first)
      : tiles(tiles), first(first) {}

  void add(mlir::Operation *op);

  /// Keeps those whose operands are less to set than their results.
  void choose();

  /// Bytes that are read or written less with it, by the rule of
  /// ElementCluster. A transpose of what lies in tiles moves nothing.
  double saves() const;

  bool isEmpty() const { return members.empty(); }
  void rewrite();

private:
  struct Source {
    mlir::OpOperand *operand;
    OperandDims dims; ///< empty if it stays as it lies
  };
  struct Member {
    OperandDims dims; ///< of the result
    llvm::SmallVector<Source> sources;
  };

  /// What `op` reads, if its result has these dimensions of the operand.
  std::optional<llvm::SmallVector<Source>>
  sourcesOf(mlir::Operation *op, const OperandDims &dims) const;
  std::optional<llvm::SmallVector<Source>>
  sourcesOfElements(mlir::linalg::LinalgOp op, const OperandDims &dims) const;

  /// What sets the value, of these dimensions, for the operand.
  bool isSetFor(mlir::OpOperand &use, const OperandDims &dims) const;
  void want(mlir::Value value, const OperandDims &dims);
  /// Whether all that becomes of the value is set for the operand, or read by
  /// members.
  bool isOnlyWanted(mlir::Value value, const OperandDims &dims) const;
  /// To set it, or to lay out what stays small.
  double costOf(const Source &source) const;

  mlir::Value encoded(mlir::OpBuilder &b, const Source &source);
  mlir::Operation *rewrite(mlir::OpBuilder &b, mlir::Operation *op,
                           const Member &member);

  OperandTiles tiles;
  mlir::Operation *first;
  /// From the last to the first.
  llvm::MapVector<mlir::Operation *, Member> members;
  llvm::DenseMap<mlir::Value, OperandDims> wanted;
  llvm::SmallDenseSet<mlir::Value> wantedOtherwise; ///< in several ways
  llvm::DenseMap<mlir::Value, mlir::Value> encodedValues;
  llvm::SetVector<mlir::Operation *> unsets;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ENCODING_ENCODEDSOURCES_H
