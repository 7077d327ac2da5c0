// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AddInstance.h"

#include "tilewright/Compile/EntryNames.h"
#include "tilewright/status.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace tilewright {
namespace {

class InstanceBuilder {
public:
  InstanceBuilder(Module &code, const CompiledModel &model)
      : code(code), model(model), context(code.getContext()),
        name(model.instance), b(context),
        pointer(PointerType::getUnqual(context)), word(b.getInt64Ty()),
        status(b.getInt32Ty()) {}

  /// tw_model_t of tilewright/instance.h.
  void describe() {
    Constant *text =
        b.CreateGlobalString(name, name + ".name", /*AddressSpace=*/0, &code);
    auto *identity = ConstantDataArray::get(
        context, ArrayRef<uint8_t>(model.parametersIdentity));
    std::vector<uint64_t> bytes;
    for (const ModelState &state : model.states)
      bytes.push_back(state.bytes);
    Constant *fields[] = {text,
                          identity,
                          b.getInt32(model.parametersInFile),
                          b.getInt32(bytes.size()),
                          addConstant(ConstantDataArray::get(context, bytes),
                                      name + ".state_bytes"),
                          b.getInt64(model.keptBytes)};
    descriptor = addConstant(ConstantStruct::getAnon(fields), name + ".model");
  }

  /// `name` + `suffix`, which calls `callee` of the library with the same
  /// arguments, the model before them if it `wantsModel`.
  void forward(StringRef suffix, StringRef callee, Type *result,
               ArrayRef<Type *> types, bool wantsModel) {
    Function *function = start(result, types, (name + suffix).str());
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
    if (model.parametersInFile) {
      forward(kOpenSuffix, "tw_parameters_open", status,
              {pointer, pointer, pointer, word}, /*wantsModel=*/true);
      forward(kCloseSuffix, "tw_parameters_close", none, {pointer},
              /*wantsModel=*/false);
    }
    addCreate();
    if (model.keptOnDevices.empty())
      forward(kDestroySuffix, "tw_instance_destroy", none, {pointer},
              /*wantsModel=*/false);
    else
      addDestroy();
  }

  /// The entry point as a function of an instance and its arguments.
  Function *rebuild(EntryPoint &entry, const std::string &newName) {
    Function *compute = computing(entry);
    llvm::SmallDenseMap<unsigned, StateArgument> states;
    for (const StateArgument &state : entry.states)
      states[state.argument] = state;
    SmallVector<Type *> types = {pointer};
    std::vector<std::string> declarations = {name + "_instance *instance"};
    for (auto [index, declaration] : enumerate(entry.parameters))
      if (!states.contains(index)) {
        types.push_back(compute->getArg(index)->getType());
        declarations.push_back(declaration);
      }
    Function *function = start(status, types, newName);
    Value *instance = function->getArg(0);
    SmallVector<Value *> arguments;
    unsigned own = 1;
    for (size_t index = 0; index < entry.parameters.size(); ++index) {
      auto state = states.find(index);
      arguments.push_back(
          state == states.end()
              ? function->getArg(own++)
              : call(state->second.isWritten ? "tw_instance_next_state"
                                             : "tw_instance_state",
                     pointer, {instance, b.getInt32(state->second.state)}));
    }
    if (entry.arena)
      addArena(entry, function, instance, arguments);
    if (compute->arg_size() > arguments.size() + entry.readsKept)
      arguments.push_back(call("tw_instance_parameters", pointer, {instance}));
    if (entry.readsKept)
      arguments.push_back(call("tw_instance_kept", pointer, {instance}));
    Value *result = b.CreateCall(compute, arguments);
    advance(entry, function, instance, result);
    b.CreateRet(result);
    entry.name = newName;
    entry.parameters = std::move(declarations);
    return function;
  }

private:
  /// What `entry` calls, which nobody else does then.
  Function *computing(const EntryPoint &entry) {
    Function *plain = code.getFunction(entry.name);
    if (!entry.arena) {
      plain->setLinkage(GlobalValue::InternalLinkage);
      plain->setName(entry.name + ".plain");
      return plain;
    }
    plain->eraseFromParent();
    for (StringRef suffix : {kWorkspaceBytesSuffix, kWithWorkspaceSuffix})
      code.getFunction((entry.name + suffix).str())
          ->setLinkage(GlobalValue::InternalLinkage);
    return code.getFunction((entry.name + kWithWorkspaceSuffix).str());
  }

  /// Adds the instance's arena, large enough for the call, to `arguments`;
  /// returns early where there is none.
  void addArena(const EntryPoint &entry, Function *function, Value *instance,
                SmallVectorImpl<Value *> &arguments) {
    SmallVector<Value *> sizes;
    for (const std::string &size : entry.arena->parameters)
      sizes.push_back(
          arguments[find(entry.parameters, size) - entry.parameters.begin()]);
    Value *needed = b.CreateCall(
        code.getFunction((entry.name + kWorkspaceBytesSuffix).str()), sizes);
    Value *refused = b.CreateICmpSLT(needed, b.getInt64(0));
    returnIf(refused, function, b.CreateTrunc(b.CreateNeg(needed), status));
    Value *arena = call("tw_instance_arena", pointer, {instance, needed});
    Value *missing = b.CreateAnd(b.CreateIsNull(arena),
                                 b.CreateICmpSGT(needed, b.getInt64(0)));
    returnIf(missing, function,
             ConstantInt::get(status, TW_STATUS_OUT_OF_MEMORY));
    arguments.push_back(arena);
    arguments.push_back(needed);
  }

  /// What a call that succeeds leaves is what the next one finds.
  void advance(const EntryPoint &entry, Function *function, Value *instance,
               Value *result) {
    if (none_of(entry.states,
                [](const StateArgument &state) { return state.isWritten; }))
      return;
    returnIf(b.CreateICmpNE(result, b.getInt32(TW_STATUS_OK)), function,
             result);
    for (const StateArgument &state : entry.states)
      if (state.isWritten)
        call("tw_instance_advance", b.getVoidTy(),
             {instance, b.getInt32(state.state)});
  }

  /// Where in what an instance keeps the addresses of devices' memory are.
  SmallVector<Value *> addressesOnDevices(Value *instance) {
    if (model.keptOnDevices.empty())
      return {};
    Value *kept = call("tw_instance_kept", pointer, {instance});
    return map_to_vector(model.keptOnDevices, [&](const KeptOnDevice &its) {
      return b.CreateGEP(b.getInt8Ty(), kept, b.getInt64(its.address));
    });
  }

  /// With what it keeps on devices.
  void destroy(Value *instance) {
    Type *none = b.getVoidTy();
    for (Value *address : addressesOnDevices(instance))
      call("tw_hip_discard", none, {b.CreateLoad(pointer, address)});
    call("tw_instance_destroy", none, {instance});
  }

  void addDestroy() {
    Function *function =
        start(b.getVoidTy(), {pointer}, (name + kDestroySuffix).str());
    Value *instance = function->getArg(0);
    auto *early = BasicBlock::Create(context, "early", function);
    auto *on = BasicBlock::Create(context, "on", function);
    b.CreateCondBr(b.CreateIsNull(instance), early, on);
    b.SetInsertPoint(early);
    b.CreateRetVoid();
    b.SetInsertPoint(on);
    destroy(instance);
    b.CreateRetVoid();
  }

  /// Makes an instance, with the first values of its states and what it keeps.
  void addCreate() {
    SmallVector<Type *> types(model.parametersInFile ? 2 : 1, pointer);
    Function *function = start(status, types, (name + kCreateSuffix).str());
    Value *result = function->getArg(types.size() - 1);
    Value *parameters = model.parametersInFile
                            ? static_cast<Value *>(function->getArg(0))
                            : ConstantPointerNull::get(pointer);
    Value *created =
        call("tw_instance_create", status, {descriptor, parameters, result});
    returnIf(b.CreateICmpNE(created, b.getInt32(TW_STATUS_OK)), function,
             created);
    Value *instance = b.CreateLoad(pointer, result);
    // There is nothing to give back, wherever it fails.
    for (Value *address : addressesOnDevices(instance))
      b.CreateStore(ConstantPointerNull::get(pointer), address);
    for (StringRef fills : {kResetSuffix, kRunOnceSuffix})
      if (Function *filler = code.getFunction((name + fills).str()))
        destroyUnless(b.CreateCall(filler, {instance}), instance, result,
                      function);
    b.CreateRet(b.getInt32(TW_STATUS_OK));
  }

  /// Returns `filled`, without an instance, unless it is TW_STATUS_OK.
  void destroyUnless(Value *filled, Value *instance, Value *result,
                     Function *function) {
    auto *failed = BasicBlock::Create(context, "failed", function);
    auto *on = BasicBlock::Create(context, "on", function);
    b.CreateCondBr(b.CreateICmpNE(filled, b.getInt32(TW_STATUS_OK)), failed,
                   on);
    b.SetInsertPoint(failed);
    destroy(instance);
    b.CreateStore(ConstantPointerNull::get(pointer), result);
    b.CreateRet(filled);
    b.SetInsertPoint(on);
  }

  Function *start(Type *result, ArrayRef<Type *> types,
                  const std::string &called) {
    auto *function =
        Function::Create(FunctionType::get(result, types, /*isVarArg=*/false),
                         GlobalValue::ExternalLinkage, called, code);
    b.SetInsertPoint(BasicBlock::Create(context, "", function));
    return function;
  }

  void returnIf(Value *condition, Function *function, Value *value) {
    auto *early = BasicBlock::Create(context, "early", function);
    auto *on = BasicBlock::Create(context, "on", function);
    b.CreateCondBr(condition, early, on);
    b.SetInsertPoint(early);
    b.CreateRet(value);
    b.SetInsertPoint(on);
  }

  GlobalVariable *addConstant(Constant *value, const Twine &called) {
    return new GlobalVariable(code, value->getType(), /*isConstant=*/true,
                              GlobalValue::InternalLinkage, value, called);
  }

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
  const CompiledModel &model;
  LLVMContext &context;
  std::string name;
  IRBuilder<> b;
  PointerType *pointer;
  IntegerType *word, *status;
  GlobalVariable *descriptor = nullptr;
};

} // namespace

Error addInstance(Module &code, CompiledModel &model) {
  for (StringRef suffix :
       {kOpenSuffix, kCloseSuffix, kCreateSuffix, kDestroySuffix, kResetSuffix})
    if (code.getFunction((model.instance + suffix).str()))
      return createStringError("the model has a function '" + model.instance +
                               suffix +
                               "', which the header needs for instances; give "
                               "it, or the output, another name");
  InstanceBuilder builder(code, model);
  builder.describe();
  auto rebuildAs = [&](StringRef name, StringRef suffix) -> Function * {
    auto entry = find_if(model.entries, [&](const EntryPoint &each) {
      return each.name == name;
    });
    if (entry == model.entries.end())
      return nullptr;
    Function *rebuilt =
        builder.rebuild(*entry, (model.instance + suffix).str());
    model.entries.erase(entry);
    // Of no function that the header declares; every such model has one.
    if (Function *message = code.getFunction((name + kMessageSuffix).str()))
      message->eraseFromParent();
    return rebuilt;
  };
  rebuildAs(kInitialState, kResetSuffix);
  // Nobody but the constructor calls that.
  if (Function *once = rebuildAs(kRunOnce, kRunOnceSuffix))
    once->setLinkage(GlobalValue::InternalLinkage);
  builder.addConstructors();
  for (EntryPoint &entry : model.entries)
    builder.rebuild(entry, entry.name);
  return Error::success();
}

} // namespace tilewright
