// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_CONTRACTIONFIELDS_H
#define TILEWRIGHT_LIB_COMPILE_CONTRACTIONFIELDS_H

#include "TileCalls.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/contraction.h"

namespace tilewright {

static_assert(sizeof(void *) == 8 && sizeof(tw_contraction_t) % 8 == 0,
              "models are for 64-bit targets, as this is");

/// A tw_contraction_t on the stack, and what is stored into it, at offsets.
class ContractionFields {
protected:
  explicit ContractionFields(mlir::Operation *op) : b(op->getLoc(), op) {}

  void allocate(mlir::Operation *user) {
    memory = stackWords(b, user, sizeof(tw_contraction_t) / 8);
  }

  void word(size_t offset, mlir::Value index) {
    storeAt(offset, mlir::arith::IndexCastOp::create(b, b.getI64Type(), index));
  }
  void storeSize(size_t offset, mlir::Value size) {
    storeAt(offset, mlir::arith::IndexCastOp::create(b, b.getI32Type(), size));
  }
  void number(size_t offset, int32_t value) {
    storeAt(offset, mlir::LLVM::ConstantOp::create(b, b.getI32Type(), value));
  }
  void nothing(size_t offset) {
    storeAt(offset, mlir::LLVM::ZeroOp::create(b, memory.getType()));
  }
  void storeAt(size_t offset, mlir::Value value) {
    mlir::LLVM::StoreOp::create(b, value, place(memory, offset));
  }
  mlir::Value place(mlir::Value start, size_t offset) {
    return mlir::LLVM::GEPOp::create(
        b, start.getType(), b.getI8Type(), start,
        mlir::ArrayRef<mlir::LLVM::GEPArg>{int32_t(offset)});
  }
  mlir::Value advanced(mlir::Value start, mlir::Value bytes) {
    return mlir::LLVM::GEPOp::create(
        b, start.getType(), b.getI8Type(), start,
        mlir::ValueRange{
            mlir::arith::IndexCastOp::create(b, b.getI64Type(), bytes)});
  }

  /// The lists of the panels that the model keeps.
  mlir::Value keptPanels(mlir::Operation *user) {
    return zeroedWords(b, user, "tw.kept_panels", sizeof(tw_kept_t) / 8);
  }
  mlir::LLVM::LLVMFuncOp declareKeep(mlir::Operation *user) {
    return declareFunction(user, kKeepFunction, {memory.getType()},
                           memory.getType());
  }

  mlir::ImplicitLocOpBuilder b;
  mlir::Value memory; ///< a tw_contraction_t
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_CONTRACTIONFIELDS_H
