// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copying a function and what it calls into a module of the host.

#include "Retarget.h"
#include "Instrument.h"
#include "TypeRemapper.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright::emulator {

namespace {

/// What a function refers to, itself and through what it calls.
struct Closure {
  SetVector<Function *> functions;
  SetVector<GlobalVariable *> lds;

  void add(Function &function) {
    if (function.isDeclaration() || !functions.insert(&function))
      return;
    for (Instruction &instruction : instructions(function))
      for (Value *operand : instruction.operands())
        addOperand(operand);
  }

private:
  SmallPtrSet<Value *, 16> seen;

  void addOperand(Value *value) {
    if (!isa<Constant>(value) || !seen.insert(value).second)
      return;
    if (auto *function = dyn_cast<Function>(value))
      return add(*function);
    if (auto *variable = dyn_cast<GlobalVariable>(value)) {
      if (variable->getAddressSpace() == kLds)
        lds.insert(variable);
      return;
    }
    for (Value *operand : cast<Constant>(value)->operands())
      addOperand(operand);
  }
};

/// Gives each LDS object its place, and the map a constant for it.
Error placeLds(const Closure &closure, Machine &machine, Program &program,
               ValueToValueMapTy &map) {
  uint64_t end = 0;
  std::vector<GlobalVariable *> dynamic;
  for (GlobalVariable *variable : closure.lds) {
    const DataLayout &layout = variable->getDataLayout();
    uint64_t bytes = layout.getTypeAllocSize(variable->getValueType());
    if (bytes == 0 ||
        (variable->isDeclaration() && !variable->hasInitializer())) {
      dynamic.push_back(variable);
      continue;
    }
    // Where the first object really is, at 0, is aligned to everything.
    uint64_t offset = alignTo(
        end,
        std::max<uint64_t>(1024, variable->getAlign().valueOrOne().value()));
    program.lds.push_back(
        {demangle(variable->getName()), uint32_t(offset), uint32_t(bytes)});
    end = offset + bytes + Lds::kGap;
  }
  program.dynamicOffset = uint32_t(alignTo(end, 1024));
  if (!dynamic.empty())
    program.dynamicLds = demangle(dynamic.front()->getName());
  if (program.dynamicOffset + machine.target.ldsBytes > Lds::kArenaBytes)
    return createStringError(
        formatv("emulator: {0}: {1} bytes of LDS, more than a workgroup has",
                program.name, end));
  Type *i64 = Type::getInt64Ty(closure.functions.front()->getContext());
  Type *pointer = PointerType::get(i64->getContext(), 0);
  auto place = [&](GlobalVariable *variable, uint32_t offset) {
    auto address = reinterpret_cast<uintptr_t>(machine.lds.base()) + offset;
    map[variable] =
        ConstantExpr::getIntToPtr(ConstantInt::get(i64, address), pointer);
  };
  size_t next = 0;
  for (GlobalVariable *variable : closure.lds) {
    if (is_contained(dynamic, variable))
      place(variable, program.dynamicOffset);
    else
      place(variable, program.lds[next++].offset);
  }
  return Error::success();
}

/// entry(argument): loads the parameters and calls the function.
void addEntry(const Function &source, Function &copy, EntryKind kind,
              ArrayRef<uint64_t> offsets, StringRef name) {
  LLVMContext &context = copy.getContext();
  Type *pointer = PointerType::get(context, 0);
  auto *entry = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {pointer}, false),
      GlobalValue::ExternalLinkage, name + kEntrySuffix, copy.getParent());
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  SmallVector<Value *> values;
  for (auto [i, parameter] : enumerate(source.args())) {
    uint64_t offset = kind == EntryKind::Words ? 8 * i : offsets[i];
    Value *at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                                   entry->getArg(0), offset);
    Type *type = copy.getArg(i)->getType();
    if (kind == EntryKind::Kernarg && parameter.hasByRefAttr()) {
      values.push_back(at);
      continue;
    }
    Value *value;
    if (type->isIntegerTy() && type->getIntegerBitWidth() % 8) {
      Type *bytes = builder.getIntNTy(alignTo(type->getIntegerBitWidth(), 8));
      value = builder.CreateTrunc(
          builder.CreateAlignedLoad(bytes, at, Align(1)), type);
    } else {
      value = builder.CreateAlignedLoad(type, at, Align(1));
    }
    values.push_back(value);
  }
  builder.CreateCall(&copy, values);
  builder.CreateRetVoid();
}

} // namespace

Expected<SmallVector<uint64_t>> kernargOffsets(const Function &kernel) {
  const DataLayout &layout = kernel.getDataLayout();
  SmallVector<uint64_t> offsets;
  uint64_t end = 0;
  for (const Argument &parameter : kernel.args()) {
    if (parameter.hasAttribute("amdgpu-hidden-argument"))
      return createStringError(
          formatv("emulator: {0}: parameter {1} is a preloaded hidden "
                  "argument, which only the back end adds",
                  kernel.getName(), parameter.getArgNo()));
    bool byRef = parameter.hasByRefAttr();
    if (!byRef && parameter.getType()->isPointerTy() &&
        layout.getPointerTypeSize(parameter.getType()) != 8)
      return createStringError(
          formatv("emulator: {0}: parameter {1} is a 32-bit pointer (to LDS or "
                  "private memory), which a host cannot give",
                  kernel.getName(), parameter.getArgNo()));
    Type *type = byRef ? parameter.getParamByRefType() : parameter.getType();
    Align alignment = layout.getABITypeAlign(type);
    if (byRef)
      alignment = parameter.getParamAlign().value_or(alignment);
    offsets.push_back(alignTo(end, alignment));
    end = offsets.back() + layout.getTypeAllocSize(type);
  }
  offsets.push_back(end);
  return offsets;
}

static Error checkWords(const Function &function) {
  for (const Argument &parameter : function.args()) {
    Type *type = parameter.getType();
    if (type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() ||
        type->isHalfTy() ||
        (type->isIntegerTy() && type->getIntegerBitWidth() <= 64))
      continue;
    return createStringError(
        formatv("emulator: {0}: parameter {1} does not fit in one 64-bit word",
                function.getName(), parameter.getArgNo()));
  }
  return Error::success();
}

Expected<std::unique_ptr<Module>> retarget(Function &root, EntryKind kind,
                                           const DataLayout &host,
                                           const Triple &hostTriple,
                                           Machine &machine, Program &program,
                                           std::deque<Site> &sites) {
  SmallVector<uint64_t> offsets;
  if (kind == EntryKind::Kernarg) {
    auto found = kernargOffsets(root);
    if (!found)
      return found.takeError();
    offsets = std::move(*found);
    program.kernargBytes = offsets.back();
  } else if (Error failure = checkWords(root)) {
    return failure;
  }

  Closure closure;
  closure.add(root);
  auto copy = std::make_unique<Module>(program.name, root.getContext());
  copy->setTargetTriple(hostTriple);
  copy->setDataLayout(host);
  ValueToValueMapTy map;
  TypeRemapper types;
  ConstantRemapper constants(*copy, map, types);
  if (Error failure = placeLds(closure, machine, program, map))
    return failure;
  for (Function *function : closure.functions) {
    auto *type =
        cast<FunctionType>(types.remapType(function->getFunctionType()));
    map[function] = Function::Create(type, GlobalValue::InternalLinkage,
                                     function->getName(), *copy);
  }

  Instrumenter instrumenter(machine, *copy, map, sites,
                            !program.lds.empty() ||
                                !program.dynamicLds.empty());
  for (Function *function : closure.functions) {
    auto *target = cast<Function>(map[function]);
    for (auto [from, to] : zip_equal(function->args(), target->args()))
      map[&from] = &to;
    SmallVector<ReturnInst *> returns;
    CloneFunctionBodyInto(*target, *function, map, RF_NoModuleLevelChanges,
                          returns, "", nullptr, &types, &constants);
    if (Error failure = instrumenter.run(*function, *target))
      return failure;
  }
  addEntry(root, *cast<Function>(map[&root]), kind, offsets, program.name);

  for (Function &function : make_early_inc_range(*copy)) {
    if (!function.isDeclaration() || !function.use_empty())
      continue;
    function.eraseFromParent();
  }
  std::string text;
  raw_string_ostream os(text);
  if (verifyModule(*copy, &os))
    return createStringError("emulator: " + program.name +
                             ": the host's IR is not valid: " + text);
  return copy;
}

Expected<std::unique_ptr<Module>> retargetGlobals(Module &source,
                                                  const DataLayout &host,
                                                  const Triple &hostTriple) {
  auto copy = std::make_unique<Module>("globals", source.getContext());
  copy->setTargetTriple(hostTriple);
  copy->setDataLayout(host);
  ValueToValueMapTy map;
  TypeRemapper types;
  ConstantRemapper constants(*copy, map, types);
  SmallVector<GlobalVariable *> defined;
  for (GlobalVariable &variable : source.globals()) {
    if (variable.getAddressSpace() == kLds || !variable.hasInitializer())
      continue;
    auto *made = cast<GlobalVariable>(
        MapValue(&variable, map, RF_None, &types, &constants));
    made->setAlignment(variable.getAlign());
    defined.push_back(&variable);
  }
  // Functions have no device address that a table could hold.
  for (Function &function : source)
    map[&function] =
        ConstantPointerNull::get(PointerType::get(source.getContext(), 0));
  for (GlobalVariable *variable : defined)
    cast<GlobalVariable>(map[variable])
        ->setInitializer(MapValue(variable->getInitializer(), map, RF_None,
                                  &types, &constants));
  return copy;
}

} // namespace tilewright::emulator
