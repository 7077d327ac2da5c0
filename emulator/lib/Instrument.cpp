// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the emulator in the copy of a function.

#include "Instrument.h"
#include "Operations.h"
#include "TypeRemapper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright::emulator {

static std::string textOf(const Instruction &instruction) {
  std::string text;
  raw_string_ostream os(text);
  instruction.print(os);
  return formatv("{0}, in function {1}", StringRef(text).trim(),
                 instruction.getFunction()->getName());
}

static Error unsupported(const Instruction &instruction, Twine why) {
  return createStringError("emulator: " + why + ": " + textOf(instruction));
}

Instrumenter::Instrumenter(Machine &machine, Module &copy,
                           ValueToValueMapTy &map, std::deque<Site> &sites,
                           bool usesLds)
    : machine(machine), module(copy), map(map), sites(sites), usesLds(usesLds) {
  LLVMContext &context = copy.getContext();
  Type *none = Type::getVoidTy(context), *i64 = Type::getInt64Ty(context),
       *pointer = PointerType::get(context, 0);
  accessHook = copy.getOrInsertFunction("tw_emulator_access", none, pointer,
                                        pointer, i64);
  operateHook =
      copy.getOrInsertFunction("tw_emulator_operate", none, pointer, pointer);
  synchronizeHook =
      copy.getOrInsertFunction("tw_emulator_synchronize", none, pointer);
  trapHook = copy.getOrInsertFunction("tw_emulator_trap", none, pointer);
  for (FunctionCallee hook :
       {accessHook, operateHook, synchronizeHook, trapHook}) {
    auto *function = cast<Function>(hook.getCallee());
    function->addFnAttr(Attribute::NoUnwind);
    function->addFnAttr(Attribute::Convergent);
  }
}

Site &Instrumenter::newSite(const Instruction &from) {
  Site &site = sites.emplace_back();
  site.machine = &machine;
  site.instruction = &from;
  site.order = sites.size();
  return site;
}

Value *Instrumenter::siteConstant(const Site &site) {
  LLVMContext &context = module.getContext();
  return ConstantExpr::getIntToPtr(
      ConstantInt::get(Type::getInt64Ty(context),
                       reinterpret_cast<uintptr_t>(&site)),
      PointerType::get(context, 0));
}

Error Instrumenter::run(Function &source, Function &copy) {
  // Attributes say what is true of the GPU's program: that it does not
  // synchronise, which memory it touches. None of it holds with the hooks.
  copy.setAttributes({});
  copy.setCallingConv(CallingConv::C);
  copy.addFnAttr(Attribute::NoUnwind);
  LLVMContext &context = copy.getContext();
  // Operands and results of all operations of the function, one at a time.
  blockBytes = 16;
  BasicBlock &entry = copy.getEntryBlock();
  block = new AllocaInst(Type::getInt8Ty(context), 0,
                         ConstantInt::get(Type::getInt64Ty(context), 16),
                         Align(64), "block", entry.begin());
  for (BasicBlock &from : source) {
    phase = LdsPhase::Unknown;
    for (Instruction &instruction : from) {
      auto *to = dyn_cast_or_null<Instruction>(map.lookup(&instruction));
      if (!to)
        continue;
      if (Error failure = visit(instruction, *to))
        return failure;
    }
  }
  block->setOperand(0, ConstantInt::get(Type::getInt64Ty(context), blockBytes));
  if (Error failure = checkPrivateMemory(source))
    return failure;
  for (Instruction &instruction : make_early_inc_range(instructions(copy))) {
    instruction.dropUnknownNonDebugMetadata();
    instruction.setDebugLoc(DebugLoc());
    instruction.dropDbgRecords();
    // Casts between what has become one type.
    if (auto *cast = dyn_cast<CastInst>(&instruction))
      if (cast->getType() == cast->getOperand(0)->getType()) {
        cast->replaceAllUsesWith(cast->getOperand(0));
        cast->eraseFromParent();
      }
  }
  return Error::success();
}

Error Instrumenter::checkAccess(Instruction &from, Instruction &to,
                                Value *fromPointer, Value *toPointer,
                                Value *bytes, MemoryAction action,
                                Align alignment) {
  Space space;
  switch (fromPointer->getType()->getPointerAddressSpace()) {
  case kGlobal:
  case kConstant:
    space = Space::Global;
    break;
  case kFlat:
    space = Space::Flat;
    break;
  case kLds:
    space = Space::Lds;
    break;
  case kPrivate:
    return Error::success();
  default:
    return unsupported(
        from, formatv("memory in address space {0}",
                      fromPointer->getType()->getPointerAddressSpace()));
  }
  Site &site = newSite(from);
  site.space = space;
  site.action = action;
  site.alignment = uint32_t(alignment.value());
  IRBuilder<> builder(&to);
  Value *constant = siteConstant(site);
  if (usesLds && space != Space::Global) {
    LdsPhase wanted =
        action == MemoryAction::Load ? LdsPhase::Loads : LdsPhase::Stores;
    if (phase != wanted && phase != LdsPhase::Together)
      builder.CreateCall(synchronizeHook, {constant});
    phase = wanted;
  }
  builder.CreateCall(accessHook, {constant, toPointer, bytes});
  return Error::success();
}

Error Instrumenter::checkValueAccess(Instruction &from, Instruction &to,
                                     Type *type, unsigned pointerOperand,
                                     MemoryAction action, Align alignment) {
  const DataLayout &device = from.getDataLayout();
  if (type->isPtrOrPtrVectorTy() &&
      device.getTypeStoreSize(type) !=
          module.getDataLayout().getTypeStoreSize(
              type->isVectorTy() ? to.getOperand(0)->getType() : type) &&
      type->getPointerAddressSpace() != kBufferResource)
    return unsupported(from, "32-bit pointers in memory");
  LLVMContext &context = module.getContext();
  return checkAccess(from, to, from.getOperand(pointerOperand),
                     to.getOperand(pointerOperand),
                     ConstantInt::get(Type::getInt64Ty(context),
                                      device.getTypeStoreSize(type)),
                     action, alignment);
}

Error Instrumenter::visit(Instruction &from, Instruction &to) {
  if (auto *load = dyn_cast<LoadInst>(&from)) {
    if (Error failure = checkValueAccess(from, to, load->getType(), 0,
                                         MemoryAction::Load, load->getAlign()))
      return failure;
    // The check is done: the host need not rely on it. Ordering among waves is
    // the scheduler's.
    if (!load->isAtomic())
      cast<LoadInst>(to).setAlignment(Align(1));
    return Error::success();
  }
  if (auto *store = dyn_cast<StoreInst>(&from)) {
    if (Error failure =
            checkValueAccess(from, to, store->getValueOperand()->getType(), 1,
                             MemoryAction::Store, store->getAlign()))
      return failure;
    if (!store->isAtomic())
      cast<StoreInst>(to).setAlignment(Align(1));
    return Error::success();
  }
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&from))
    return checkValueAccess(from, to, atomic->getValOperand()->getType(), 0,
                            MemoryAction::Atomic, atomic->getAlign());
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&from))
    return checkValueAccess(from, to, exchange->getCompareOperand()->getType(),
                            0, MemoryAction::Atomic, exchange->getAlign());
  if (auto *fence = dyn_cast<FenceInst>(&from)) {
    emitOrder(from, to, orderOf(*fence, machine.target));
    return Error::success();
  }
  if (isa<UnreachableInst>(from)) {
    emitTrap(from, to);
    return Error::success();
  }
  if (auto *call = dyn_cast<CallBase>(&from))
    return visitCall(*call, cast<CallBase>(to));
  return Error::success();
}

/// A lane's stack holds its private memory, and frames of the host's beside it.
Error Instrumenter::checkPrivateMemory(const Function &source) {
  const DataLayout &layout = source.getDataLayout();
  uint64_t bytes = blockBytes;
  for (const Instruction &instruction : instructions(source))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction)) {
      auto size = variable->getAllocationSize(layout);
      if (!size)
        return unsupported(instruction, "private memory of no fixed size");
      bytes += size->getFixedValue();
    }
  if (bytes > machine.stackBytes() / 2)
    return createStringError(
        formatv("emulator: {0}: {1} bytes of private memory in each lane, more "
                "than half of its stack of {2}: raise "
                "EmulatorOptions::stackBytes",
                source.getName(), bytes, machine.stackBytes()));
  return Error::success();
}

void Instrumenter::emitTrap(Instruction &from, Instruction &before) {
  IRBuilder<>(&before).CreateCall(trapHook, {siteConstant(newSite(from))});
}

Error Instrumenter::visitCall(CallBase &from, CallBase &to) {
  to.setCallingConv(CallingConv::C);
  to.setAttributes({});
  if (from.isInlineAsm())
    return visitInlineAsm(from, to);
  Function *callee = from.getCalledFunction();
  if (!callee)
    return unsupported(from, "an indirect call");
  if (callee->getName().starts_with("llvm.amdgcn.")) {
    auto order = orderOf(from, machine.target);
    if (!order)
      return order.takeError();
    if (*order) {
      emitOrder(from, to, **order);
      return Error::success();
    }
    auto operation = findOperation(from, machine.target);
    if (!operation)
      return joinErrors(operation.takeError(),
                        createStringError("  " + textOf(from)));
    emitOperation(from, to, *operation);
    return Error::success();
  }
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&from))
    return visitIntrinsic(*intrinsic, to);
  if (callee->isDeclaration())
    return unsupported(from, "a call of " + callee->getName() +
                                 ", which is not defined");
  phase = LdsPhase::Unknown;
  return Error::success();
}

Error Instrumenter::visitIntrinsic(IntrinsicInst &from, CallBase &to) {
  auto *copy = cast<Function>(to.getCalledOperand());
  to.setAttributes(copy->getAttributes());
  switch (from.getIntrinsicID()) {
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
    emitTrap(from, to);
    to.eraseFromParent();
    return Error::success();
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline:
  case Intrinsic::memmove: {
    auto &transfer = cast<MemTransferInst>(from);
    if (Error failure =
            checkAccess(from, to, transfer.getRawSource(), to.getArgOperand(1),
                        to.getArgOperand(2), MemoryAction::Load,
                        transfer.getSourceAlign().valueOrOne()))
      return failure;
    [[fallthrough]];
  }
  case Intrinsic::memset:
  case Intrinsic::memset_inline: {
    auto &intrinsic = cast<MemIntrinsic>(from);
    return checkAccess(from, to, intrinsic.getRawDest(), to.getArgOperand(0),
                       to.getArgOperand(2), MemoryAction::Store,
                       intrinsic.getDestAlign().valueOrOne());
  }
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::prefetch:
  case Intrinsic::experimental_noalias_scope_decl:
    if (!to.use_empty())
      to.replaceAllUsesWith(PoisonValue::get(to.getType()));
    to.eraseFromParent();
    return Error::success();
  default:
    break;
  }
  bool pointers = any_of(from.args(), [](const Use &operand) {
    return operand->getType()->isPtrOrPtrVectorTy();
  });
  if (pointers && from.mayReadOrWriteMemory())
    return unsupported(from, "an intrinsic that is not emulated");
  return Error::success();
}

Error Instrumenter::visitInlineAsm(CallBase &from, CallBase &to) {
  auto *assembly = cast<InlineAsm>(from.getCalledOperand());
  StringRef text = StringRef(assembly->getAsmString()).trim();
  bool hint = text.empty() || text.starts_with(";");
  for (StringRef name :
       {"s_nop", "s_waitcnt", "s_wait_", "s_setprio", "s_sleep"})
    hint |= text.starts_with(name) && !text.contains('\n');
  if (auto order = orderOf(text, machine.target)) {
    emitOrder(from, to, *order);
    return Error::success();
  }
  if (!hint || text.starts_with("s_waitcnt "))
    return unsupported(from, "inline assembly");
  // An empty text gives back what it is given: outputs are tied to inputs.
  if (!from.getType()->isVoidTy()) {
    IRBuilder<> builder(&to);
    SmallVector<Value *> outputs;
    unsigned input = 0;
    for (const auto &constraint : assembly->ParseConstraints())
      if (constraint.Type == InlineAsm::isOutput && !constraint.isIndirect)
        outputs.push_back(nullptr);
    for (const auto &constraint : assembly->ParseConstraints()) {
      if (constraint.Type != InlineAsm::isInput)
        continue;
      unsigned tied;
      if (constraint.Codes.size() == 1 &&
          !StringRef(constraint.Codes[0]).getAsInteger(10, tied) &&
          tied < outputs.size())
        outputs[tied] = to.getArgOperand(input);
      ++input;
    }
    for (Value *output : outputs)
      if (!output)
        return unsupported(from, "inline assembly");
    Value *result = outputs[0];
    if (isa<StructType>(to.getType())) {
      result = PoisonValue::get(to.getType());
      for (auto [i, output] : enumerate(outputs))
        result = builder.CreateInsertValue(result, output, i);
    }
    to.replaceAllUsesWith(result);
  }
  to.eraseFromParent();
  return Error::success();
}

/// All lanes run on one thread of the host: only the checks of LDS ask for it.
void Instrumenter::emitOrder(Instruction &from, Instruction &to,
                             const LdsOrder &order) {
  if (usesLds && order.any()) {
    phase = LdsPhase::Together;
    Site &site = newSite(from);
    site.operation = kOrderLds;
    site.ldsOrder = order;
    Constant *none =
        ConstantPointerNull::get(PointerType::get(module.getContext(), 0));
    IRBuilder<>(&to).CreateCall(operateHook, {siteConstant(site), none});
  }
  to.eraseFromParent();
}

void Instrumenter::emitOperation(CallBase &from, CallBase &to,
                                 const Operation &operation) {
  if (operation.kind == OperationKind::NoEffect) {
    if (!to.use_empty())
      to.replaceAllUsesWith(Constant::getNullValue(to.getType()));
    to.eraseFromParent();
    return;
  }
  if (operation.kind != OperationKind::PerLane)
    phase = LdsPhase::Together;
  const DataLayout &layout = module.getDataLayout();
  Site &site = newSite(from);
  site.operation = operation;
  IRBuilder<> builder(&to);
  uint64_t end = 0;
  auto place = [&](Type *type) {
    uint64_t offset = alignTo(end, 16);
    uint64_t bytes = layout.getTypeStoreSize(type);
    end = offset + layout.getTypeAllocSize(type);
    return Slot{uint32_t(offset), uint32_t(bytes)};
  };
  auto address = [&](Slot slot) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), block,
                                              slot.offset);
  };
  for (Value *operand : to.args()) {
    if (operand->getType()->isMetadataTy()) {
      site.arguments.push_back({});
      continue;
    }
    Slot slot = place(operand->getType());
    site.arguments.push_back(slot);
    builder.CreateAlignedStore(operand, address(slot), Align(16));
  }
  if (!to.getType()->isVoidTy())
    site.result = place(to.getType());
  builder.CreateCall(operateHook, {siteConstant(site), block});
  if (!to.getType()->isVoidTy())
    to.replaceAllUsesWith(builder.CreateAlignedLoad(
        to.getType(), address(site.result), Align(16)));
  to.eraseFromParent();
  blockBytes = std::max(blockBytes, end);
}

} // namespace tilewright::emulator
