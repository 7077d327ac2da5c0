// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutations of redundant waits and fences: searches through the kernel's text
// for what they could order. Nothing here knows how the emulator decides.

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "tests/emulator/ir_mutations.h"

namespace {

using llvm::FenceInst;
using llvm::Instruction;
using Test = llvm::function_ref<bool(const Instruction&)>;

enum class Direction { kBackward, kForward };

// Whether something `wanted` is met from `from` on, on some path, before what
// ends the search.
bool meets(const Instruction& from, Direction direction, Test wanted,
           Test ends) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<const llvm::BasicBlock*> work;
  // Of one block: whether it was met; goes on to the block's neighbours.
  auto search = [&](const Instruction* i, const llvm::BasicBlock* block) {
    const bool forward = direction == Direction::kForward;
    for (; i; i = forward ? i->getNextNode() : i->getPrevNode()) {
      if (wanted(*i)) return true;
      if (ends(*i)) return false;
    }
    auto add = [&](const llvm::BasicBlock* next) {
      if (seen.insert(next).second) work.push_back(next);
    };
    if (forward)
      for (const llvm::BasicBlock* next : llvm::successors(block)) add(next);
    else
      for (const llvm::BasicBlock* next : llvm::predecessors(block)) add(next);
    return false;
  };
  const bool forward = direction == Direction::kForward;
  if (search(forward ? from.getNextNode() : from.getPrevNode(),
             from.getParent()))
    return true;
  while (!work.empty()) {
    const llvm::BasicBlock* block = work.pop_back_val();
    if (search(forward ? &block->front() : &block->back(), block)) return true;
  }
  return false;
}

bool never(const Instruction&) { return false; }

bool isScope(const FenceInst& fence, llvm::StringRef wanted) {
  llvm::SmallVector<llvm::StringRef> names;
  fence.getContext().getSyncScopeNames(names);
  return names[fence.getSyncScopeID()] == wanted;
}

bool isFence(const Instruction& i, bool release) {
  auto* fence = llvm::dyn_cast<FenceInst>(&i);
  return fence && (release ? llvm::isReleaseOrStronger(fence->getOrdering())
                           : llvm::isAcquireOrStronger(fence->getOrdering()));
}

// After this all of the wave's accesses so far are done.
bool completes(const Instruction& i) {
  if (isFence(i, /*release=*/true))
    return isScope(llvm::cast<FenceInst>(i), "workgroup");
  return isWait(i) && waitCountsOf(i).lds == 0;
}

bool accesses(const Instruction& i) {
  return ldsAccessOf(i) == LdsAccess::kLoad ||
         ldsAccessOf(i) == LdsAccess::kStore;
}
bool stores(const Instruction& i) {
  return ldsAccessOf(i) == LdsAccess::kStore;
}
bool writes(const Instruction& i) {
  return stores(i) || ldsAccessOf(i) == LdsAccess::kStraightLoad;
}
bool touches(const Instruction& i) {
  return ldsAccessOf(i) != LdsAccess::kNone;
}
bool loads(const Instruction& i) { return ldsAccessOf(i) == LdsAccess::kLoad; }
// A barrier, or the first half of one.
bool arrives(const Instruction& i) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  return call &&
         (call->getIntrinsicID() == llvm::Intrinsic::amdgcn_s_barrier ||
          call->getIntrinsicID() == llvm::Intrinsic::amdgcn_s_barrier_signal);
}
bool acquires(const Instruction& i) { return isFence(i, /*release=*/false); }

struct Place {
  const Instruction& site;
  llvm::StringRef mutation;
  bool wait, release, acquire;
  bool straight;  // the kernel loads straight to LDS
  bool removed;   // a whole barrier
};

bool nothingToWaitFor(const Place& p) {
  return (p.wait || p.release) &&
         !meets(p.site, Direction::kBackward, accesses, completes);
}

bool nothingWrittenLater(const Place& p) {
  return (p.wait || p.release) &&
         !meets(p.site, Direction::kBackward, stores, completes) &&
         !meets(p.site, Direction::kForward, writes, never);
}

bool nothingToAcquire(const Place& p) {
  return p.acquire && !p.wait && !p.release &&
         !meets(p.site, Direction::kForward, touches, acquires);
}

// Skewed halves meet more often than accesses ask for.

bool releasedAfterWrite(const Place& p) {
  return !p.straight &&
         (p.wait ||
          (p.release && isScope(llvm::cast<FenceInst>(p.site), "wavefront")));
}

bool firstOfTwoBarriers(const Place& p) {
  const Instruction* barrier = &p.site;
  if (p.mutation == "fence or wait below the barrier")
    while (!isBarrier(*barrier)) barrier = barrier->getNextNode();
  else if (!p.removed)
    return false;
  return !meets(*barrier, Direction::kBackward, arrives, never) &&
         !meets(*barrier, Direction::kForward, touches, arrives);
}

bool onlyKeepsTurns(const Place& p) {
  const Instruction* before = p.site.getPrevNode();
  return p.removed && before && isWait(*before) &&
         waitCountsOf(*before).loads == kAllLoads &&
         meets(p.site, Direction::kBackward, loads, arrives) &&
         (!p.straight || !meets(p.site, Direction::kForward, writes, never));
}

struct Rule {
  const char* reason;
  bool (*applies)(const Place&);
};
constexpr Rule kRules[] = {
    {"the wave has no access to LDS that is not done already",
     nothingToWaitFor},
    {"only reads are left to be done, and nothing writes to LDS any more",
     nothingWrittenLater},
    {"no access to LDS follows before the next acquire", nothingToAcquire},
    {"skewed, through registers: what a half is done with where it meets the "
     "other is released behind WRITE too, before the other comes to it",
     releasedAfterWrite},
    {"skewed: after the first barrier all waves come to another one before "
     "they access LDS",
     firstOfTwoBarriers},
    {"skewed, after COMPUTE: the barrier only keeps the halves in turn; the "
     "one behind WRITE orders them, or nothing is loaded to LDS any more",
     onlyKeepsTurns},
};

}  // namespace

std::string whyEquivalent(llvm::Module& module, const IrMutation& mutation) {
  const Instruction& site = siteOf(module, mutation);
  const llvm::StringRef name = mutation.name;
  const bool wait = isWait(site);
  // Waits for loads always have some on their way.
  if (wait && waitCountsOf(site).loads != kAllLoads && !name.contains("LDS"))
    return {};
  const bool straight = llvm::any_of(
      llvm::instructions(*site.getFunction()), [](const Instruction& i) {
        return ldsAccessOf(i) == LdsAccess::kStraightLoad;
      });
  auto* call = llvm::dyn_cast<llvm::CallInst>(&site);
  const bool removed =
      name == "barrier removed" &&
      call->getIntrinsicID() == llvm::Intrinsic::amdgcn_s_barrier;
  const Place place = {site,           name,     wait,   isFence(site, true),
                       acquires(site), straight, removed};
  for (const Rule& rule : kRules)
    if (rule.applies(place)) return rule.reason;
  return {};
}
