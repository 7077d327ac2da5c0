// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose stages are marked, taken apart and checked.

#ifndef TILEWRIGHT_LIB_DIALECT_STAGEDLOOP_H
#define TILEWRIGHT_LIB_DIALECT_STAGEDLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/TwDialect.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

struct StagedLoop {
  static constexpr unsigned kStageCount = 3;

  /// Diagnoses, at the offending operation, what cannot be pipelined.
  static mlir::FailureOr<StagedLoop> of(mlir::scf::ForOp loop);

  const llvm::SetVector<mlir::Operation *> &operations(tw::Stage stage) const {
    return stages[static_cast<unsigned>(stage)];
  }

  mlir::scf::ForOp loop;
  /// Iterations in flight: READ runs `depth - 1` ahead of COMPUTE.
  unsigned depth = 2;
  unsigned buffers = 1;
  bool skew = false;
  /// READ writes workgroup memory itself; there is no WRITE.
  bool direct = false;
  /// Operations that do so.
  unsigned directReads = 0;
  /// What WRITE takes from READ, in registers.
  llvm::SetVector<mlir::Value> handedOver;

private:
  mlir::LogicalResult readAttributes();
  mlir::LogicalResult checkEffects(mlir::Operation *op, tw::Stage stage);
  mlir::LogicalResult collect(tw::Stage stage);
  mlir::LogicalResult follow(tw::Stage stage, mlir::Operation *user,
                             mlir::Value value);
  mlir::LogicalResult checkBuffers();

  /// Of each stage: its marked operations, and the unmarked ones that they
  /// need. In the order of the body.
  llvm::SetVector<mlir::Operation *> stages[kStageCount];
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_STAGEDLOOP_H
