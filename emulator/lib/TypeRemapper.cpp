// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and constants without address spaces.

#include "TypeRemapper.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilewright::emulator {

Type *TypeRemapper::remapType(Type *type) {
  Type *&known = memo[type];
  if (known)
    return known;
  Type *mapped = remap(type);
  return memo[type] = mapped; // remap may have moved the entry
}

Type *TypeRemapper::remap(Type *type) {
  LLVMContext &context = type->getContext();
  if (auto *pointer = dyn_cast<PointerType>(type)) {
    if (pointer->getAddressSpace() == kBufferResource)
      return Type::getInt128Ty(context);
    return PointerType::get(context, 0);
  }
  if (auto *array = dyn_cast<ArrayType>(type))
    return ArrayType::get(remapType(array->getElementType()),
                          array->getNumElements());
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return FixedVectorType::get(remapType(vector->getElementType()),
                                vector->getNumElements());
  if (auto *function = dyn_cast<FunctionType>(type)) {
    SmallVector<Type *> parameters;
    for (Type *parameter : function->params())
      parameters.push_back(remapType(parameter));
    return FunctionType::get(remapType(function->getReturnType()), parameters,
                             function->isVarArg());
  }
  if (auto *structure = dyn_cast<StructType>(type)) {
    if (structure->isOpaque())
      return type;
    SmallVector<Type *> elements;
    bool changed = false;
    for (Type *element : structure->elements()) {
      elements.push_back(remapType(element));
      changed |= elements.back() != element;
    }
    return changed ? StructType::get(context, elements, structure->isPacked())
                   : type;
  }
  return type;
}

Value *ConstantRemapper::materialize(Value *value) {
  if (auto *variable = dyn_cast<GlobalVariable>(value)) {
    // Defined in the module of globals.
    return new GlobalVariable(
        destination, types.remapType(variable->getValueType()),
        variable->isConstant(), GlobalValue::ExternalLinkage, nullptr,
        variable->getName());
  }
  if (auto *function = dyn_cast<Function>(value)) {
    std::string name = function->getName().str();
    if (function->getName().starts_with("llvm.amdgcn."))
      name = kReplacedPrefix + name;
    auto *type =
        cast<FunctionType>(types.remapType(function->getFunctionType()));
    auto *copy =
        Function::Create(type, GlobalValue::ExternalLinkage, name, destination);
    // The names of overloaded intrinsics have the address spaces in them.
    if (copy->isIntrinsic())
      if (auto renamed = Intrinsic::remangleIntrinsicFunction(copy)) {
        copy->eraseFromParent();
        copy = *renamed;
      }
    return copy;
  }
  auto *constant = dyn_cast<Constant>(value);
  if (!constant)
    return nullptr;
  auto mapped = [&](Value *operand) {
    return cast<Constant>(MapValue(operand, map, RF_None, &types, this));
  };
  if (auto *expression = dyn_cast<ConstantExpr>(constant)) {
    Type *type = types.remapType(expression->getType());
    if (expression->getOpcode() == Instruction::AddrSpaceCast)
      return mapped(expression->getOperand(0));
    if (expression->isCast() &&
        types.remapType(expression->getOperand(0)->getType()) == type)
      return mapped(expression->getOperand(0));
    return nullptr;
  }
  if (isa<ConstantPointerNull>(constant))
    return Constant::getNullValue(types.remapType(constant->getType()));
  return nullptr;
}

} // namespace tilewright::emulator
