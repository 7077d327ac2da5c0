// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One matrix multiplication on registers: the intrinsic's call, in LLVM IR or
// in MLIR's LLVM dialect.

#ifndef TILEWRIGHT_TARGET_AMDGPU_EMITMATRIX_H
#define TILEWRIGHT_TARGET_AMDGPU_EMITMATRIX_H

#include "mlir/IR/Builders.h"
#include "tilewright/Target/Amdgpu/MatrixInstructions.h"
#include "llvm/IR/IRBuilder.h"

namespace tilewright {

/// The types of the instruction's registers (operandRegisters,
/// resultRegisters).
llvm::Type *registerType(llvm::LLVMContext &context,
                         const MatrixRegisters &registers);
mlir::Type registerType(mlir::MLIRContext *context,
                        const MatrixRegisters &registers);

/// D = A * B + C, of operands of these types, which the instruction accepts.
/// `lhs`, `rhs` and `c` may have any type of the registers' size. The scales
/// (i32, of which byte 0 counts) are for scaled instructions; null stands
/// for 1.
struct MatrixTypes {
  tw_element_type_t lhs, rhs;
};
llvm::Value *emitMatrixMultiply(llvm::IRBuilderBase &b,
                                const MatrixInstruction &instruction,
                                MatrixTypes types, llvm::Value *lhs,
                                llvm::Value *rhs, llvm::Value *c,
                                llvm::Value *scalesA = nullptr,
                                llvm::Value *scalesB = nullptr);
mlir::Value emitMatrixMultiply(mlir::OpBuilder &b, mlir::Location loc,
                               const MatrixInstruction &instruction,
                               MatrixTypes types, mlir::Value lhs,
                               mlir::Value rhs, mlir::Value c,
                               mlir::Value scalesA = nullptr,
                               mlir::Value scalesB = nullptr);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_EMITMATRIX_H
