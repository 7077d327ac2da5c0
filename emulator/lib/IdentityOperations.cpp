// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who a lane is, and where its kernel's arguments are.

#include "Operations.h"
#include "llvm/ADT/bit.h"
#include <array>

using namespace llvm;

namespace tilewright::emulator {

namespace {

unsigned component(const Dim3 &dim, int axis) {
  return axis == 0 ? dim.x : axis == 1 ? dim.y : dim.z;
}

void workitemId(Lane &lane, const Site &site) {
  const Dim3 &block = lane.machine->block;
  unsigned at[3] = {lane.thread % block.x, lane.thread / block.x % block.y,
                    lane.thread / block.x / block.y};
  lane.setResult(site, uint32_t(at[site.operation.variant]));
}

void workgroupId(Lane &lane, const Site &site) {
  lane.setResult(site, uint32_t(component(lane.machine->workgroup,
                                          site.operation.variant)));
}

void waveId(Lane &lane, const Site &site) {
  lane.setResult(site, uint32_t(lane.wave->index));
}

void wavefrontSize(Lane &lane, const Site &site) {
  lane.setResult(site, uint32_t(lane.machine->waveSize));
}

void groupStaticSize(Lane &lane, const Site &site) {
  lane.setResult(site, uint32_t(lane.machine->ldsBytes));
}

/// Bits of the mask below the lane, in its half of 64; plus a number.
void mbcnt(Lane &lane, const Site &site) {
  int below = int(lane.index) - site.operation.variant;
  uint32_t mask = below <= 0 ? 0 : below >= 32 ? ~0u : (1u << below) - 1;
  lane.setResult(site,
                 uint32_t(popcount(lane.argument<uint32_t>(site, 0) & mask)) +
                     lane.argument<uint32_t>(site, 1));
}

void kernargSegment(Lane &lane, const Site &site) {
  if (!lane.machine->kernargs)
    lane.machine->fail(FaultKind::InvalidOperand, site,
                       "a function called on a wave has no kernel arguments");
  lane.setResult(site, site.operation.variant ? lane.machine->hiddenKernargs
                                              : lane.machine->kernargs);
}

void isShared(Lane &lane, const Site &site) {
  auto address = lane.argument<uintptr_t>(site, 0);
  lane.setResult(site, uint8_t(lane.machine->lds.inArena(address)));
}

void isPrivate(Lane &lane, const Site &site) {
  auto address = lane.argument<uintptr_t>(site, 0);
  lane.setResult(site, uint8_t(lane.machine->onStack(lane, address)));
}

/// Clocks only move on.
void clock(Lane &lane, const Site &site) {
  lane.setResult(site, lane.machine->nextTick());
}

constexpr OperationRow kOperations[] = {
    perLane("workitem.id.x", workitemId, 0),
    perLane("workitem.id.y", workitemId, 1),
    perLane("workitem.id.z", workitemId, 2),
    perLane("workgroup.id.x", workgroupId, 0),
    perLane("workgroup.id.y", workgroupId, 1),
    perLane("workgroup.id.z", workgroupId, 2),
    perLane("wave.id", waveId),
    perLane("wavefrontsize", wavefrontSize),
    perLane("groupstaticsize", groupStaticSize),
    perLane("mbcnt.lo", mbcnt, 0),
    perLane("mbcnt.hi", mbcnt, 32),
    perLane("kernarg.segment.ptr", kernargSegment, 0),
    perLane("implicitarg.ptr", kernargSegment, 1),
    perLane("is.shared", isShared),
    perLane("is.private", isPrivate),
    perLane("s.memtime", clock),
    perLane("s.memrealtime", clock),
};

} // namespace

ArrayRef<OperationRow> identityOperations() { return kOperations; }

} // namespace tilewright::emulator
