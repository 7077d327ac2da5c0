// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fences and waits.

#include "LdsOrder.h"
#include "Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"

using namespace llvm;

namespace tilewright::emulator {

namespace {

/// The tags of a fence name the only address spaces that it orders.
bool coversLds(const FenceInst &fence) {
  bool tagged = false;
  for (const auto &[prefix, suffix] : MMRAMetadata(fence)) {
    if (prefix != "amdgpu-synchronize-as")
      continue;
    if (suffix == "local")
      return true;
    tagged = true;
  }
  return !tagged;
}

/// Loads straight to LDS: counted with all other vector loads where LLVM takes
/// care of them, by a counter that is the program's own from gfx1250 on.
bool loadsHaveTheirCounter(const Target &target) {
  return target.gfx == Gfx1250;
}

/// One counter's count; beyond what it counts to, a wait says nothing.
LdsOrder waitFor(StringRef counter, unsigned count, const Target &target) {
  LdsOrder order;
  if (counter == "lgkmcnt" || counter == "dscnt")
    order.completes = count == 0;
  else if (counter == (loadsHaveTheirCounter(target) ? "asynccnt"
                       : target.gfx < Gfx1201        ? "vmcnt"
                                                     : "loadcnt"))
    order.loads = count;
  return order;
}

LdsOrder both(const LdsOrder &a, const LdsOrder &b) {
  LdsOrder order = a;
  order.completes |= b.completes;
  if (b.loads)
    order.loads = b.loads;
  return order;
}

/// The fields of s_waitcnt's immediate.
LdsOrder waitcnt(uint32_t immediate, const Target &target) {
  auto bits = [&](unsigned first, unsigned count) {
    return immediate >> first & ((1u << count) - 1);
  };
  bool gfx9 = target.gfx <= Gfx950;
  unsigned loads = gfx9 ? bits(0, 4) | bits(14, 2) << 4 : bits(10, 6);
  unsigned lds = gfx9 ? bits(8, 4) : bits(4, 6);
  LdsOrder order = waitFor("lgkmcnt", lds, target);
  return loads == 63 ? order : both(order, waitFor("vmcnt", loads, target));
}

void orderLds(Wave &wave, const Site &site) {
  Machine &machine = *wave.machine;
  const LdsOrder &order = site.ldsOrder;
  if (order.loads)
    machine.deliver(wave, *order.loads);
  if (order.orders)
    machine.lds.order(wave.index);
  if (order.completes || order.releases)
    machine.lds.complete(wave.index);
  if (order.acquires)
    machine.lds.acquire(wave.index);
}

} // namespace

const Operation kOrderLds = {OperationKind::Order,
                             BarrierKind::None,
                             nullptr,
                             orderLds,
                             nullptr,
                             nullptr,
                             0};

LdsOrder orderOf(const FenceInst &fence, const Target &target) {
  SmallVector<StringRef> names;
  fence.getContext().getSyncScopeNames(names);
  StringRef scope = names[fence.getSyncScopeID()];
  LdsOrder order;
  if (!coversLds(fence) || scope.starts_with("singlethread"))
    return order;
  AtomicOrdering ordering = fence.getOrdering();
  order.acquires = isAcquireOrStronger(ordering);
  order.orders = isReleaseOrStronger(ordering);
  // One address space's own order needs no wait where the space is LDS.
  order.releases = order.orders && !scope.starts_with("wavefront") &&
                   !scope.ends_with("one-as");
  if (order.releases && !loadsHaveTheirCounter(target))
    order.loads = 0;
  return order;
}

Expected<std::optional<LdsOrder>> orderOf(const CallBase &call,
                                          const Target &target) {
  StringRef counter;
  switch (call.getIntrinsicID()) {
  case Intrinsic::amdgcn_s_waitcnt:
    if (target.gfx == Gfx1250)
      return createStringError("emulator: " + target.name +
                               " has no s_waitcnt");
    break;
  case Intrinsic::amdgcn_s_wait_loadcnt:
    counter = "loadcnt";
    break;
  case Intrinsic::amdgcn_s_wait_dscnt:
    counter = "dscnt";
    break;
  case Intrinsic::amdgcn_s_wait_asynccnt:
    counter = "asynccnt";
    break;
  default:
    return std::nullopt;
  }
  auto count =
      unsigned(cast<ConstantInt>(call.getArgOperand(0))->getZExtValue());
  return counter.empty() ? waitcnt(count, target)
                         : waitFor(counter, count, target);
}

std::optional<LdsOrder> orderOf(StringRef assembly, const Target &target) {
  auto [name, operands] = assembly.split(' ');
  unsigned count;
  if (name.consume_front("s_wait_")) {
    if (operands.trim().getAsInteger(0, count))
      return std::nullopt;
    return waitFor(name, count, target);
  }
  if (name != "s_waitcnt")
    return std::nullopt;
  if (!operands.trim().getAsInteger(0, count))
    return waitcnt(count, target);
  LdsOrder order;
  SmallVector<StringRef> parts;
  SplitString(operands, parts, " \t,&");
  for (StringRef part : parts) {
    auto [counter, number] = part.split('(');
    if (!number.consume_back(")") || number.getAsInteger(0, count))
      return std::nullopt;
    order = both(order, waitFor(counter, count, target));
  }
  return order;
}

} // namespace tilewright::emulator
