// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Target/Amdgpu/EmitMatrix.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

namespace tilewright {

/// For both scales, LLVM's way to ask for the instruction without scales.
static constexpr int64_t kNoScales = 0;

llvm::Type *registerType(llvm::LLVMContext &context,
                         const MatrixRegisters &registers) {
  using llvm::Type;
  Type *element = llvm::StringSwitch<Type *>(registers.element)
                      .Case("f16", Type::getHalfTy(context))
                      .Case("bf16", Type::getBFloatTy(context))
                      .Case("f32", Type::getFloatTy(context))
                      .Case("f64", Type::getDoubleTy(context))
                      .Case("i16", Type::getInt16Ty(context))
                      .Case("i32", Type::getInt32Ty(context))
                      .Case("i64", Type::getInt64Ty(context));
  return registers.elements == 1
             ? element
             : llvm::FixedVectorType::get(element, registers.elements);
}

mlir::Type registerType(mlir::MLIRContext *context,
                        const MatrixRegisters &registers) {
  mlir::Builder b(context);
  mlir::Type element = llvm::StringSwitch<mlir::Type>(registers.element)
                           .Case("f16", b.getF16Type())
                           .Case("bf16", b.getBF16Type())
                           .Case("f32", b.getF32Type())
                           .Case("f64", b.getF64Type())
                           .Case("i16", b.getI16Type())
                           .Case("i32", b.getI32Type())
                           .Case("i64", b.getI64Type());
  return registers.elements == 1
             ? element
             : mlir::VectorType::get({registers.elements}, element);
}

/// The operands of one multiplication in the order of the intrinsic's
/// arguments. `as` casts a value to registers; `constant` makes an integer of
/// some width.
template <typename Value, typename As, typename Constant>
static llvm::SmallVector<Value>
orderedArguments(const MatrixInstruction &instruction, MatrixTypes types,
                 Value lhs, Value rhs, Value c, Value scalesA, Value scalesB,
                 As as, Constant constant) {
  auto scales = [&](Value value) {
    return value ? value : constant(32, kNoScales);
  };
  llvm::SmallVector<Value> arguments;
  for (const MatrixArgument &argument :
       matrixArguments(instruction, types.lhs, types.rhs))
    switch (argument.kind) {
    case MatrixArgument::A:
      arguments.push_back(as(lhs, operandRegisters(instruction, types.lhs)));
      break;
    case MatrixArgument::B:
      arguments.push_back(as(rhs, operandRegisters(instruction, types.rhs)));
      break;
    case MatrixArgument::C:
      arguments.push_back(as(c, resultRegisters(instruction)));
      break;
    case MatrixArgument::ScalesA:
      arguments.push_back(scales(scalesA));
      break;
    case MatrixArgument::ScalesB:
      arguments.push_back(scales(scalesB));
      break;
    case MatrixArgument::Immediate:
      arguments.push_back(constant(argument.bits, argument.value));
      break;
    }
  return arguments;
}

llvm::Value *emitMatrixMultiply(llvm::IRBuilderBase &b,
                                const MatrixInstruction &instruction,
                                MatrixTypes types, llvm::Value *lhs,
                                llvm::Value *rhs, llvm::Value *c,
                                llvm::Value *scalesA, llvm::Value *scalesB) {
  auto as = [&](llvm::Value *value, const MatrixRegisters &registers) {
    return b.CreateBitCast(value, registerType(b.getContext(), registers));
  };
  auto constant = [&](int bits, int64_t value) -> llvm::Value * {
    return llvm::ConstantInt::get(b.getIntNTy(bits), value);
  };
  llvm::SmallVector<llvm::Value *> arguments = orderedArguments(
      instruction, types, lhs, rhs, c, scalesA, scalesB, as, constant);
  llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(
      ("llvm.amdgcn." + instruction.intrinsic).str());
  return b.CreateIntrinsic(
      registerType(b.getContext(), resultRegisters(instruction)), id,
      arguments);
}

mlir::Value emitMatrixMultiply(mlir::OpBuilder &b, mlir::Location loc,
                               const MatrixInstruction &instruction,
                               MatrixTypes types, mlir::Value lhs,
                               mlir::Value rhs, mlir::Value c,
                               mlir::Value scalesA, mlir::Value scalesB) {
  namespace LLVM = mlir::LLVM;
  auto as = [&](mlir::Value value, const MatrixRegisters &registers) {
    mlir::Type type = registerType(b.getContext(), registers);
    return value.getType() == type
               ? value
               : mlir::Value(LLVM::BitcastOp::create(b, loc, type, value));
  };
  auto constant = [&](int bits, int64_t value) -> mlir::Value {
    return LLVM::ConstantOp::create(
        b, loc, b.getIntegerAttr(b.getIntegerType(bits), value));
  };
  llvm::SmallVector<mlir::Value> arguments = orderedArguments(
      instruction, types, lhs, rhs, c, scalesA, scalesB, as, constant);
  return LLVM::CallIntrinsicOp::create(
             b, loc, registerType(b.getContext(), resultRegisters(instruction)),
             b.getStringAttr("llvm.amdgcn." + instruction.intrinsic), arguments)
      .getResult(0);
}

} // namespace tilewright
