// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AddRunner.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Bytes of tw_runner_slot_t.
constexpr unsigned kSlotBytes = 8;

class RunnerBuilder {
public:
  RunnerBuilder(Module &code, StringRef instance)
      : code(code), context(code.getContext()), instance(instance), b(context),
        pointer(PointerType::getUnqual(context)), word(b.getInt64Ty()),
        status(b.getInt32Ty()) {}

  Error addFunction(const EntryPoint &entry) {
    Function *plain = code.getFunction(entry.name);
    Function *check = code.getFunction(entry.name + kCheckSuffix.str());
    Function *sizes = code.getFunction(entry.name + kResultSizesSuffix.str());
    SmallVector<unsigned> words;
    for (Argument &parameter : drop_begin(plain->args(), first()))
      if (parameter.getType()->isIntegerTy(64))
        words.push_back(parameter.getArgNo() - first());
    // What the entry point's check takes are its parameters of 64 bits.
    if (!check || check->arg_size() != words.size() ||
        (sizes && sizes->arg_size() != words.size()))
      return createStringError("internal error: the sizes of '" + entry.name +
                               "' are not what its runner expects");
    Constant *message = null();
    if (!entry.messages.empty())
      message = code.getFunction(entry.name + kMessageSuffix.str());
    functions.push_back(ConstantStruct::getAnon(
        {text(entry.name), number(entry.arguments.size()),
         values(entry.arguments), number(entry.results.size()),
         values(entry.results), checkOnSlots(entry.name, check, words),
         sizesOnSlots(entry.name, sizes, words), callOnSlots(entry.name, plain),
         message}));
    return Error::success();
  }

  void addModel(int64_t threads, bool needsAmx) {
    SmallVector<Constant *> fields = {number(functions.size()),
                                      array(functions),
                                      ofInstance(kOpenSuffix),
                                      createInstance(),
                                      ofInstance(kDestroySuffix),
                                      ofInstance(kCloseSuffix),
                                      number(threads),
                                      number(needsAmx)};
    Constant *model = ConstantStruct::getAnon(fields);
    new GlobalVariable(code, model->getType(), /*isConstant=*/true,
                       GlobalValue::ExternalLinkage, model, "tw_runner_model");
  }

private:
  /// Of the parameters that lie in slots.
  unsigned first() const { return instance.empty() ? 0 : 1; }

  /// A function of the model's instances; null without it.
  Constant *ofInstance(StringRef suffix) {
    Function *function = code.getFunction((instance + suffix).str());
    return instance.empty() || !function ? null() : function;
  }

  /// With parameters or without, which such a model does not take.
  Constant *createInstance() {
    Constant *create = ofInstance(kCreateSuffix);
    auto *function = dyn_cast<Function>(create);
    if (!function || function->arg_size() == 2)
      return create;
    Function *both =
        start(instance + kCreateSuffix + ".slots", status, {pointer, pointer});
    b.CreateRet(b.CreateCall(function, {both->getArg(1)}));
    return both;
  }

  Constant *null() { return ConstantPointerNull::get(pointer); }
  Constant *number(int64_t value) {
    return ConstantInt::getSigned(word, value);
  }

  Constant *text(StringRef text) {
    return b.CreateGlobalString(text, "tw_runner.text", /*AddressSpace=*/0,
                                &code);
  }

  Constant *array(ArrayRef<Constant *> elements) {
    if (elements.empty())
      return null();
    auto *type = ArrayType::get(elements[0]->getType(), elements.size());
    return new GlobalVariable(code, type, /*isConstant=*/true,
                              GlobalValue::InternalLinkage,
                              ConstantArray::get(type, elements), "tw_runner");
  }

  /// An array of tw_runner_value_t.
  Constant *values(const std::vector<EntryValue> &values) {
    SmallVector<Constant *> elements;
    for (const EntryValue &value : values) {
      SmallVector<Constant *> sizes;
      for (int64_t size : value.sizes)
        sizes.push_back(number(size));
      elements.push_back(ConstantStruct::getAnon(
          {text(value.name), text(value.element), text(value.shape),
           number(value.isScalar ? -1 : int64_t(value.sizes.size())),
           array(sizes)}));
    }
    return array(elements);
  }

  Function *start(const Twine &name, Type *result, ArrayRef<Type *> types) {
    auto *function =
        Function::Create(FunctionType::get(result, types, /*isVarArg=*/false),
                         GlobalValue::InternalLinkage, name, code);
    b.SetInsertPoint(BasicBlock::Create(context, "", function));
    return function;
  }

  Value *load(Value *slots, unsigned slot, Type *type) {
    return b.CreateLoad(
        type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slots,
                                           uint64_t(slot) * kSlotBytes));
  }

  SmallVector<Value *> loadWords(Value *slots, ArrayRef<unsigned> words) {
    SmallVector<Value *> loaded;
    for (unsigned slot : words)
      loaded.push_back(load(slots, slot, word));
    return loaded;
  }

  Function *checkOnSlots(StringRef name, Function *check,
                         ArrayRef<unsigned> words) {
    Function *function = start(name + ".check_slots", status, {pointer});
    b.CreateRet(b.CreateCall(check, loadWords(function->getArg(0), words)));
    return function;
  }

  Function *sizesOnSlots(StringRef name, Function *sizes,
                         ArrayRef<unsigned> words) {
    Function *function =
        start(name + ".size_slots", b.getVoidTy(), {pointer, pointer});
    if (sizes) {
      Value *made = b.CreateCall(sizes, loadWords(function->getArg(0), words));
      // Several results are a struct.
      if (made->getType() == word)
        b.CreateStore(made, function->getArg(1));
      else
        for (unsigned i = 0; i < made->getType()->getStructNumElements(); ++i)
          b.CreateStore(
              b.CreateExtractValue(made, i),
              b.CreateConstInBoundsGEP1_64(word, function->getArg(1), i));
    }
    b.CreateRetVoid();
    return function;
  }

  Function *callOnSlots(StringRef name, Function *plain) {
    Function *function =
        start(name + ".call_slots", status, {pointer, pointer});
    SmallVector<Value *> arguments;
    if (first())
      arguments.push_back(function->getArg(0));
    for (Argument &parameter : drop_begin(plain->args(), first()))
      arguments.push_back(load(function->getArg(1),
                               parameter.getArgNo() - first(),
                               parameter.getType()));
    b.CreateRet(b.CreateCall(plain, arguments));
    return function;
  }

  Module &code;
  LLVMContext &context;
  StringRef instance;
  IRBuilder<> b;
  PointerType *pointer;
  IntegerType *word, *status;
  SmallVector<Constant *> functions;
};

} // namespace

std::vector<StateArgument> stateArguments(mlir::Operation *entry) {
  std::vector<StateArgument> states;
  if (auto all = entry->getAttrOfType<mlir::ArrayAttr>(kStateArgumentsAttr))
    for (auto each : all.getAsRange<mlir::DenseI64ArrayAttr>())
      states.push_back({unsigned(each[0]), unsigned(each[1]), each[2] != 0});
  return states;
}

std::vector<EntryValue> entryValues(mlir::Operation *entry,
                                    StringRef attribute) {
  std::vector<EntryValue> values;
  auto list = entry->getAttrOfType<mlir::ArrayAttr>(attribute);
  if (!list)
    return values;
  for (auto described : list.getAsRange<mlir::DictionaryAttr>()) {
    EntryValue value;
    value.name = described.getAs<mlir::StringAttr>("name").str();
    value.shape = described.getAs<mlir::StringAttr>("shape").str();
    mlir::Type type = described.getAs<mlir::TypeAttr>("type").getValue();
    raw_string_ostream(value.element) << getElementTypeOrSelf(type);
    auto tensor = dyn_cast<mlir::RankedTensorType>(type);
    value.isScalar = !tensor;
    if (tensor)
      for (int64_t size : tensor.getShape())
        value.sizes.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
    values.push_back(std::move(value));
  }
  return values;
}

Error addRunner(Module &code, const CompiledModel &model) {
  RunnerBuilder builder(code, model.instance);
  for (const EntryPoint &entry : model.entries)
    if (Error error = builder.addFunction(entry))
      return error;
  for (const std::string &name : model.functionsForC)
    code.getFunction(name)->setLinkage(GlobalValue::InternalLinkage);
  // All tiles by AMX are, and no others.
  bool needsAmx =
      any_of(model.tiles, [](const TileKey &key) { return key.vnni; });
  builder.addModel(model.threads, needsAmx);
  return Error::success();
}

} // namespace tilewright
