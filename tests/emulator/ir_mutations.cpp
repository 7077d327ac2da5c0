// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/emulator/ir_mutations.h"

#include <algorithm>
#include <optional>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"

namespace {

using llvm::CallInst;
using llvm::cast;
using llvm::dyn_cast;
using llvm::FenceInst;
using llvm::Instruction;
using llvm::isa;
using llvm::Module;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

using Sites = std::vector<Instruction*>;

template <typename Predicate>
Sites select(Module& module, Predicate predicate) {
  Sites found;
  for (llvm::Function& function : module)
    for (Instruction& i : llvm::instructions(function))
      if (predicate(i)) found.push_back(&i);
  return found;
}

Intrinsic::ID idOf(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  return call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
}

void erase(Instruction& i) { i.eraseFromParent(); }

// Waits: s_waitcnt's fields, on gfx9 and from gfx11 on.

using Counts = WaitCounts;

bool isGfx9(const Instruction& i) {
  return i.getFunction()
      ->getFnAttribute("target-cpu")
      .getValueAsString()
      .starts_with("gfx9");
}

unsigned allLds(const Instruction& i) { return isGfx9(i) ? 15 : 63; }

void setCounts(Instruction& i, Counts counts) {
  unsigned bits = counts.lds;
  if (idOf(i) == Intrinsic::amdgcn_s_waitcnt)
    bits = isGfx9(i) ? (counts.loads & 15) | counts.loads >> 4 << 14 | 7 << 4 |
                           counts.lds << 8
                     : counts.loads << 10 | counts.lds << 4 | 7;
  i.setOperand(0, llvm::ConstantInt::get(i.getOperand(0)->getType(), bits));
}

Sites waits(Module& module) { return select(module, isWait); }
Sites waitsForLoads(Module& module) {
  Sites found = waits(module);
  llvm::erase_if(found, [](Instruction* i) {
    return waitCountsOf(*i).loads == kAllLoads;
  });
  return found;
}
Sites waitsForLds(Module& module) {
  Sites found = waits(module);
  llvm::erase_if(
      found, [](Instruction* i) { return waitCountsOf(*i).lds == allLds(*i); });
  return found;
}

void loosenLoads(Instruction& i, unsigned by) {
  Counts counts = waitCountsOf(i);
  counts.loads = std::min(counts.loads + by, kAllLoads);
  setCounts(i, counts);
}
void loosenLdsByOne(Instruction& i) {
  Counts counts = waitCountsOf(i);
  ++counts.lds;
  setCounts(i, counts);
}
void dropLds(Instruction& i) {
  Counts counts = waitCountsOf(i);
  counts.lds = allLds(i);
  setCounts(i, counts);
}

// Fences and barriers.

Sites fences(Module& module) {
  return select(module, [](const Instruction& i) { return isa<FenceInst>(i); });
}
Sites taggedFences(Module& module) {
  return select(module, [](const Instruction& i) {
    return isa<FenceInst>(i) && i.getMetadata(llvm::LLVMContext::MD_mmra);
  });
}

void narrowScope(Instruction& i) {
  llvm::LLVMContext& context = i.getContext();
  const auto wave = context.getOrInsertSyncScopeID("wavefront");
  auto& fence = cast<FenceInst>(i);
  fence.setSyncScopeID(fence.getSyncScopeID() == wave
                           ? llvm::SyncScope::ID(llvm::SyncScope::SingleThread)
                           : wave);
}

// Release becomes acquire, and acquire release; acq_rel loses one.
void turnOrdering(Instruction& i) {
  auto& fence = cast<FenceInst>(i);
  fence.setOrdering(llvm::isReleaseOrStronger(fence.getOrdering())
                        ? llvm::AtomicOrdering::Acquire
                        : llvm::AtomicOrdering::Release);
}

void tagGlobal(Instruction& i) {
  i.setMetadata(llvm::LLVMContext::MD_mmra,
                llvm::MMRAMetadata::getTagMD(
                    i.getContext(), "amdgpu-synchronize-as", "global"));
}

Sites barriers(Module& module) { return select(module, isBarrier); }

// The barrier that a fence or a wait stands at, if any.
Instruction* barrierBelow(Instruction& i) {
  Instruction* at = i.getNextNode();
  while (at &&
         (isa<FenceInst>(at) || idOf(*at) == Intrinsic::amdgcn_s_waitcnt ||
          idOf(*at) == Intrinsic::amdgcn_s_wait_dscnt))
    at = at->getNextNode();
  return at && isBarrier(*at) ? at : nullptr;
}
Instruction* barrierAbove(Instruction& i) {
  Instruction* at = i.getPrevNode();
  return at && isBarrier(*at) ? at : nullptr;
}

Sites beforeBarriers(Module& module) {
  Sites found = fences(module);
  llvm::append_range(found, waits(module));
  llvm::erase_if(found, [](Instruction* i) { return !barrierBelow(*i); });
  return found;
}
Sites afterBarriers(Module& module) {
  Sites found = fences(module);
  llvm::erase_if(found, [](Instruction* i) { return !barrierAbove(*i); });
  return found;
}
void moveBelow(Instruction& i) { i.moveAfter(barrierBelow(i)); }
void moveAbove(Instruction& i) { i.moveBefore(barrierAbove(i)->getIterator()); }

// Indices. An operand that is an address of LDS, or an offset into a buffer.

struct Address {
  unsigned operand;
  uint64_t bytes;  // of one access
};

std::optional<Address> ldsAddress(const Instruction& i) {
  constexpr unsigned kLds = 3;
  const llvm::DataLayout& layout = i.getDataLayout();
  if (auto* load = dyn_cast<llvm::LoadInst>(&i))
    if (load->getPointerAddressSpace() == kLds)
      return Address{0, layout.getTypeStoreSize(load->getType())};
  if (auto* store = dyn_cast<llvm::StoreInst>(&i))
    if (store->getPointerAddressSpace() == kLds)
      return Address{
          1, layout.getTypeStoreSize(store->getValueOperand()->getType())};
  if (idOf(i) == Intrinsic::amdgcn_raw_ptr_buffer_load_lds)
    return Address{1, cast<llvm::ConstantInt>(i.getOperand(2))->getZExtValue()};
  return std::nullopt;
}

std::optional<Address> bufferOffset(const Instruction& i) {
  if (idOf(i) == Intrinsic::amdgcn_raw_ptr_buffer_load)
    return Address{1, i.getDataLayout().getTypeStoreSize(i.getType())};
  if (idOf(i) == Intrinsic::amdgcn_raw_ptr_buffer_load_lds)
    return Address{3, cast<llvm::ConstantInt>(i.getOperand(2))->getZExtValue()};
  return std::nullopt;
}

Sites ldsAccesses(Module& module) {
  return select(module,
                [](const Instruction& i) { return ldsAddress(i).has_value(); });
}
Sites bufferLoads(Module& module) {
  return select(
      module, [](const Instruction& i) { return bufferOffset(i).has_value(); });
}

void moveAddress(Instruction& i, Address address, int64_t by) {
  llvm::IRBuilder<> b(&i);
  llvm::Use& use = i.getOperandUse(address.operand);
  const int64_t bytes = by * static_cast<int64_t>(address.bytes);
  use.set(use->getType()->isPointerTy()
              ? b.CreateConstGEP1_32(b.getInt8Ty(), use, bytes)
              : b.CreateAdd(
                    use, llvm::ConstantInt::getSigned(use->getType(), bytes)));
}

// What addresses of LDS are computed from, in this function.
llvm::SetVector<Instruction*> behindLds(Module& module) {
  llvm::SetVector<Instruction*> behind;
  for (Instruction* access : ldsAccesses(module))
    if (auto* address = dyn_cast<Instruction>(
            access->getOperand(ldsAddress(*access)->operand)))
      behind.insert(address);
  for (size_t i = 0; i < behind.size(); ++i)
    for (Value* operand : behind[i]->operands())
      if (auto* from = dyn_cast<Instruction>(operand))
        if (!isa<CallInst, llvm::LoadInst, llvm::CmpInst>(from))
          behind.insert(from);
  return behind;
}

template <typename Predicate>
Sites selectBehindLds(Module& module, Predicate predicate) {
  const auto behind = behindLds(module);
  return select(module, [&](Instruction& i) {
    return behind.count(&i) && i.getType()->isIntegerTy() && predicate(i);
  });
}

// Numbers of slots, rows, waves, lanes: what is scaled to bytes.
Sites scaledIndices(Module& module) {
  return selectBehindLds(module, [](const Instruction& i) {
    return (i.getOpcode() == Instruction::Mul ||
            i.getOpcode() == Instruction::Shl) &&
           isa<llvm::ConstantInt>(i.getOperand(1));
  });
}
void addOneBeforeScaling(Instruction& i) {
  Value* index = i.getOperand(0);
  i.dropPoisonGeneratingFlags();
  i.setOperand(0, llvm::IRBuilder<>(&i).CreateAdd(
                      index, llvm::ConstantInt::get(index->getType(), 1)));
}

// Which buffer comes next.
Sites wraps(Module& module) {
  return selectBehindLds(
      module, [](const Instruction& i) { return isa<llvm::SelectInst>(i); });
}
void take(Instruction& i, unsigned operand) {
  i.replaceAllUsesWith(i.getOperand(operand));
  i.eraseFromParent();
}

Sites uniformReads(Module& module) {
  return select(module, [](const Instruction& i) {
    return idOf(i) == Intrinsic::amdgcn_readfirstlane;
  });
}
// Of lane number 0, 1, 2...: each lane reads itself.
void readDivergently(Instruction& i) {
  llvm::IRBuilder<> b(&i);
  Value* lane = b.CreateIntrinsic(Intrinsic::amdgcn_mbcnt_lo,
                                  {b.getInt32(~0u), b.getInt32(0)});
  i.replaceAllUsesWith(b.CreateIntrinsic(
      i.getType(), Intrinsic::amdgcn_readlane, {i.getOperand(0), lane}));
  i.eraseFromParent();
}

struct Operator {
  const char* name;
  MutationKind kind;
  Sites (*sites)(Module&);
  void (*mutate)(Instruction&);
};

constexpr Operator kOperators[] = {
    {"wait for loads, by one looser", MutationKind::kWait, waitsForLoads,
     [](Instruction& i) { loosenLoads(i, 1); }},
    {"wait for loads, by two looser", MutationKind::kWait, waitsForLoads,
     [](Instruction& i) { loosenLoads(i, 2); }},
    {"wait for loads dropped", MutationKind::kWait, waitsForLoads,
     [](Instruction& i) { loosenLoads(i, kAllLoads); }},
    {"wait for LDS, by one looser", MutationKind::kWait, waitsForLds,
     loosenLdsByOne},
    {"wait for LDS dropped", MutationKind::kWait, waitsForLds, dropLds},
    {"wait removed", MutationKind::kWait, waits, erase},
    {"fence removed", MutationKind::kFence, fences, erase},
    {"fence of a narrower scope", MutationKind::kFence, fences, narrowScope},
    {"fence of the other ordering", MutationKind::kFence, fences, turnOrdering},
    {"fence of the other memory", MutationKind::kFence, taggedFences,
     tagGlobal},
    {"fence or wait below the barrier", MutationKind::kFence, beforeBarriers,
     moveBelow},
    {"fence above the barrier", MutationKind::kFence, afterBarriers, moveAbove},
    {"barrier removed", MutationKind::kBarrier, barriers, erase},
    {"LDS address one up", MutationKind::kIndex, ldsAccesses,
     [](Instruction& i) { moveAddress(i, *ldsAddress(i), 1); }},
    {"LDS address one down", MutationKind::kIndex, ldsAccesses,
     [](Instruction& i) { moveAddress(i, *ldsAddress(i), -1); }},
    {"LDS index by one", MutationKind::kIndex, scaledIndices,
     addOneBeforeScaling},
    {"buffer does not wrap", MutationKind::kIndex, wraps,
     [](Instruction& i) { take(i, 2); }},
    {"buffer always wraps", MutationKind::kIndex, wraps,
     [](Instruction& i) { take(i, 1); }},
    {"offset of a load one up", MutationKind::kIndex, bufferLoads,
     [](Instruction& i) { moveAddress(i, *bufferOffset(i), 1); }},
    {"readfirstlane of each lane", MutationKind::kLane, uniformReads,
     readDivergently},
};

}  // namespace

WaitCounts waitCountsOf(const Instruction& i) {
  const auto bits = static_cast<unsigned>(
      cast<llvm::ConstantInt>(i.getOperand(0))->getZExtValue());
  if (idOf(i) != Intrinsic::amdgcn_s_waitcnt) return {kAllLoads, bits};
  if (isGfx9(i)) return {(bits & 15) | (bits >> 14 & 3) << 4, bits >> 8 & 15};
  return {bits >> 10 & 63, bits >> 4 & 63};
}

bool isWait(const Instruction& i) {
  return idOf(i) == Intrinsic::amdgcn_s_waitcnt ||
         idOf(i) == Intrinsic::amdgcn_s_wait_dscnt;
}

bool isBarrier(const Instruction& i) {
  return idOf(i) == Intrinsic::amdgcn_s_barrier ||
         idOf(i) == Intrinsic::amdgcn_s_barrier_signal ||
         idOf(i) == Intrinsic::amdgcn_s_barrier_wait;
}
LdsAccess ldsAccessOf(const Instruction& i) {
  if (!ldsAddress(i)) return LdsAccess::kNone;
  return isa<llvm::LoadInst>(i)    ? LdsAccess::kLoad
         : isa<llvm::StoreInst>(i) ? LdsAccess::kStore
                                   : LdsAccess::kStraightLoad;
}

std::vector<IrMutation> mutationsOf(Module& module) {
  std::vector<IrMutation> mutations;
  for (const Operator& op : kOperators) {
    const size_t count = op.sites(module).size();
    for (unsigned i = 0; i < count; ++i)
      mutations.push_back({op.name, op.kind, i});
  }
  return mutations;
}

static const Operator& operatorOf(const IrMutation& mutation) {
  return *llvm::find_if(kOperators, [&](const Operator& o) {
    return llvm::StringRef(o.name) == mutation.name;
  });
}

Instruction& siteOf(Module& module, const IrMutation& mutation) {
  return *operatorOf(mutation).sites(module)[mutation.site];
}

void applyMutation(Module& module, const IrMutation& mutation) {
  operatorOf(mutation).mutate(siteOf(module, mutation));
}
