// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AddInstance.h"

#include "tilewright/Compile/EntryNames.h"
#include "tilewright/status.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Of the functions that come with a model.
constexpr StringLiteral kOpen = "_open_parameters";
constexpr StringLiteral kClose = "_close_parameters";
constexpr StringLiteral kCreate = "_create";
constexpr StringLiteral kDestroy = "_destroy";

class InstanceBuilder {
public:
  InstanceBuilder(Module &code, StringRef name)
      : code(code), context(code.getContext()), name(name), b(context),
        pointer(PointerType::getUnqual(context)), word(b.getInt64Ty()),
        status(b.getInt32Ty()) {}

  /// tw_model_t of tilewright/instance.h.
  void describe(const CompiledModel &model) {
    Constant *text =
        b.CreateGlobalString(name, name + ".name", /*AddressSpace=*/0, &code);
    auto *identity = ConstantDataArray::get(
        context, ArrayRef<uint8_t>(model.parametersIdentity));
    auto *type = StructType::get(pointer, identity->getType());
    descriptor = new GlobalVariable(
        code, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
        ConstantStruct::get(type, {text, identity}), name + ".model");
  }

  /// `name` + `suffix`, which calls `callee` of the library with the same
  /// arguments, the model before them if it `wantsModel`.
  void forward(StringRef suffix, StringRef callee, Type *result,
               ArrayRef<Type *> types, bool wantsModel) {
    auto *function = Function::Create(
        FunctionType::get(result, types, /*isVarArg=*/false),
        GlobalValue::ExternalLinkage, (name + suffix).str(), code);
    b.SetInsertPoint(BasicBlock::Create(context, "", function));
    SmallVector<Value *> arguments;
    if (wantsModel)
      arguments.push_back(descriptor);
    for (Argument &argument : function->args())
      arguments.push_back(&argument);
    Value *value = call(callee, result, arguments);
    if (result->isVoidTy())
      b.CreateRetVoid();
    else
      b.CreateRet(value);
  }

  void addConstructors() {
    Type *none = b.getVoidTy();
    forward(kOpen, "tw_parameters_open", status,
            {pointer, pointer, pointer, word}, /*wantsModel=*/true);
    forward(kClose, "tw_parameters_close", none, {pointer},
            /*wantsModel=*/false);
    forward(kCreate, "tw_instance_create", status, {pointer, pointer},
            /*wantsModel=*/true);
    forward(kDestroy, "tw_instance_destroy", none, {pointer},
            /*wantsModel=*/false);
  }

  /// The entry point as a function of an instance and its arguments.
  void rebuild(EntryPoint &entry) {
    Function *plain = code.getFunction(entry.name);
    Function *bytes =
        code.getFunction(entry.name + kWorkspaceBytesSuffix.str());
    Function *compute =
        code.getFunction(entry.name + kWithWorkspaceSuffix.str());
    plain->eraseFromParent();
    bytes->setLinkage(GlobalValue::InternalLinkage);
    compute->setLinkage(GlobalValue::InternalLinkage);

    SmallVector<Type *> types = {pointer};
    for (size_t i = 0; i < entry.parameters.size(); ++i)
      types.push_back(compute->getArg(i)->getType());
    auto *function =
        Function::Create(FunctionType::get(status, types, /*isVarArg=*/false),
                         GlobalValue::ExternalLinkage, entry.name, code);
    Value *instance = function->getArg(0);
    SmallVector<Value *> arguments;
    for (Argument &argument : drop_begin(function->args()))
      arguments.push_back(&argument);

    auto *refused = BasicBlock::Create(context, "refused", function);
    auto *accepted = BasicBlock::Create(context, "accepted", function);
    auto *start = BasicBlock::Create(context, "", function, refused);
    b.SetInsertPoint(start);
    SmallVector<Value *> sizes;
    for (const std::string &size : entry.arena->parameters)
      sizes.push_back(
          arguments[find(entry.parameters, size) - entry.parameters.begin()]);
    Value *needed = b.CreateCall(bytes, sizes);
    b.CreateCondBr(b.CreateICmpSLT(needed, b.getInt64(0)), refused, accepted);
    b.SetInsertPoint(refused);
    b.CreateRet(b.CreateTrunc(b.CreateNeg(needed), status));

    b.SetInsertPoint(accepted);
    Value *arena = call("tw_instance_arena", pointer, {instance, needed});
    Value *missing = b.CreateAnd(b.CreateIsNull(arena),
                                 b.CreateICmpSGT(needed, b.getInt64(0)));
    auto *full = BasicBlock::Create(context, "full", function);
    auto *ready = BasicBlock::Create(context, "ready", function);
    b.CreateCondBr(missing, full, ready);
    b.SetInsertPoint(full);
    b.CreateRet(ConstantInt::get(status, TW_STATUS_OUT_OF_MEMORY));

    b.SetInsertPoint(ready);
    arguments.push_back(arena);
    arguments.push_back(needed);
    if (compute->arg_size() > arguments.size())
      arguments.push_back(call("tw_instance_parameters", pointer, {instance}));
    b.CreateRet(b.CreateCall(compute, arguments));
    entry.parameters.insert(entry.parameters.begin(),
                            (name + "_instance *instance").str());
  }

private:
  Value *call(StringRef callee, Type *result, ArrayRef<Value *> arguments) {
    SmallVector<Type *> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    return b.CreateCall(
        code.getOrInsertFunction(
            callee, FunctionType::get(result, types, /*isVarArg=*/false)),
        arguments);
  }

  Module &code;
  LLVMContext &context;
  StringRef name;
  IRBuilder<> b;
  PointerType *pointer;
  IntegerType *word, *status;
  GlobalVariable *descriptor = nullptr;
};

} // namespace

Error addInstance(Module &code, StringRef name, CompiledModel &model) {
  for (StringRef suffix : {kOpen, kClose, kCreate, kDestroy})
    if (code.getFunction((name + suffix).str()))
      return createStringError("the model has a function '" + name + suffix +
                               "', which the header needs for instances; give "
                               "it, or the output, another name");
  InstanceBuilder builder(code, name);
  builder.describe(model);
  builder.addConstructors();
  for (EntryPoint &entry : model.entries)
    builder.rebuild(entry);
  return Error::success();
}

} // namespace tilewright
