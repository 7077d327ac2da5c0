// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running lanes: what compiled code calls, on a lane's stack.

#include "Machine.h"
#include "Sanitizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright::emulator {

void Machine::laneBody(void *pointer) {
  Lane &lane = *static_cast<Lane *>(pointer);
  Machine &machine = *lane.machine;
  sanitizer::endSwitch(nullptr, &machine.schedulerStack,
                       &machine.schedulerStackBytes);
  machine.program->entry(machine.argument);
  lane.state = LaneState::Done;
  machine.leave();
}

void Machine::enterLane(Lane &lane) {
  void *state = nullptr;
  current = &lane;
  sanitizer::beginSwitch(&state, stacks.bottom(lane.thread), stacks.bytes());
  tw_emulator_switch(&scheduler, lane.stackPointer);
  sanitizer::endSwitch(state, nullptr, nullptr);
}

void Machine::leaveLane(Lane &lane) {
  bool comesBack = lane.state == LaneState::Parked;
  sanitizer::beginSwitch(comesBack ? &lane.sanitizerState : nullptr,
                         schedulerStack, schedulerStackBytes);
  tw_emulator_switch(&lane.stackPointer, scheduler);
  sanitizer::endSwitch(lane.sanitizerState, &schedulerStack,
                       &schedulerStackBytes);
}

void Machine::leave() {
  leaveLane(*current);
  llvm_unreachable("a lane that is done was run");
}

void Machine::park(const Site &site, char *block) {
  Lane &lane = *current;
  lane.site = &site;
  lane.block = block;
  lane.state = LaneState::Parked;
  leaveLane(lane);
}

void Machine::fail(const Fault &fault) {
  current->fault = fault;
  current->state = LaneState::Faulted;
  leave();
}

void Machine::fail(FaultKind kind, const Site &site, const char *text) {
  Fault fault;
  fault.kind = kind;
  fault.site = &site;
  fault.text = text;
  fail(fault);
}

void Machine::operate(const Site &site, char *block) {
  if (site.operation.kind != OperationKind::PerLane)
    return park(site, block);
  current->block = block;
  site.operation.perLane(*current, site);
}

/// Whether `!noalias` tells an access apart from one with these scopes.
static bool toldApart(const MDNode *scopes, const MDNode *noalias) {
  if (!scopes || !noalias)
    return false;
  auto domain = [](const MDOperand &scope) {
    return AliasScopeNode(cast<MDNode>(scope)).getDomain();
  };
  return any_of(scopes->operands(), [&](const MDOperand &one) {
    return all_of(scopes->operands(), [&](const MDOperand &other) {
      return domain(other) != domain(one) ||
             is_contained(noalias->operands(), other);
    });
  });
}

/// Before a wave's own access to what one of its loads straight to LDS brings,
/// LLVM waits, unless it is told that they are apart, or from gfx1250 on.
bool Machine::waitsByItself(const Site &site, unsigned wave,
                            const Lds::Finding &finding) {
  if (finding.verdict != Lds::Verdict::Race || !finding.otherLoads ||
      finding.otherWave != wave || target.gfx == Gfx1250)
    return false;
  std::deque<LdsLoad> &loads = waves[wave].loads;
  auto load = find_if(loads, [&](const LdsLoad &load) {
    return load.clock == finding.otherClock;
  });
  const AAMDNodes of = site.instruction->getAAMetadata(),
                  brings = load->site->instruction->getAAMetadata();
  if (toldApart(brings.Scope, of.NoAlias) ||
      toldApart(of.Scope, brings.NoAlias))
    return false;
  deliver(waves[wave], loads.end() - load - 1);
  return true;
}

std::optional<Fault> Machine::check(const Site &site, unsigned wave,
                                    uintptr_t address, uint64_t bytes,
                                    MemoryAction action, Space space) {
  Fault fault;
  fault.site = &site;
  fault.address = address;
  fault.bytes = bytes;
  fault.action = action;
  if (space == Space::Flat) {
    if (onStack(*current, address))
      return std::nullopt;
    space = lds.inArena(address) ? Space::Lds : Space::Global;
  }
  if (space == Space::Lds) {
    uint64_t offset = address - reinterpret_cast<uintptr_t>(lds.base());
    do
      fault.lds = lds.access(uint32_t(offset), bytes, wave, action);
    while (waitsByItself(site, wave, fault.lds));
    switch (fault.lds.verdict) {
    case Lds::Verdict::Fine:
      return std::nullopt;
    case Lds::Verdict::OutOfBounds:
      fault.kind = FaultKind::LdsOutOfBounds;
      break;
    case Lds::Verdict::Unwritten:
      fault.kind = FaultKind::LdsUnwritten;
      break;
    case Lds::Verdict::Race:
      fault.kind = FaultKind::LdsRace;
      break;
    }
    return fault;
  }
  const Region *region = memory.find(address, bytes);
  if (!region)
    region = programMemory.find(address, bytes);
  if (!region) {
    fault.kind = FaultKind::GlobalOutOfBounds;
    return fault;
  }
  if (action != MemoryAction::Load && !region->writable) {
    fault.kind = FaultKind::ReadOnlyStore;
    return fault;
  }
  site.lastRegion = region;
  return std::nullopt;
}

void Machine::access(const Site &site, uintptr_t address, uint64_t bytes) {
  if (bytes == 0)
    return;
  if (LLVM_UNLIKELY(address & (site.alignment - 1))) {
    Fault fault;
    fault.kind = FaultKind::Misaligned;
    fault.site = &site;
    fault.address = address;
    fault.bytes = bytes;
    fault.action = site.action;
    fail(fault);
  }
  const Region *last = site.lastRegion;
  if (last && last->contains(address, bytes) &&
      (site.action == MemoryAction::Load || last->writable))
    return;
  if (auto fault = check(site, current->wave->index, address, bytes,
                         site.action, site.space))
    fail(*fault);
}

void Machine::require(const Site &site, uintptr_t address, uint64_t bytes,
                      MemoryAction action, Space space) {
  if (auto fault =
          check(site, current->wave->index, address, bytes, action, space))
    fail(*fault);
}

bool Machine::checkAccess(Lane &lane, const Site &site, uintptr_t address,
                          uint64_t bytes, MemoryAction action, Space space) {
  auto fault = check(site, lane.wave->index, address, bytes, action, space);
  if (!fault)
    return true;
  failLane(lane, *fault);
  return false;
}

bool Machine::addPiece(Lane &lane, const Site &site, LdsLoad &load,
                       uintptr_t to, uint32_t bytes, uintptr_t from,
                       uint64_t valid) {
  if (valid &&
      !checkAccess(lane, site, from, valid, MemoryAction::Load, Space::Global))
    return false;
  Fault fault;
  fault.site = &site;
  fault.address = to;
  fault.bytes = bytes;
  fault.action = MemoryAction::Store;
  fault.lds = lds.load(uint32_t(to - reinterpret_cast<uintptr_t>(lds.base())),
                       bytes, lane.wave->index);
  if (fault.lds.verdict != Lds::Verdict::Fine) {
    fault.kind = fault.lds.verdict == Lds::Verdict::Race
                     ? FaultKind::LdsRace
                     : FaultKind::LdsOutOfBounds;
    failLane(lane, fault);
    return false;
  }
  LdsLoad::Piece &piece = load.pieces.emplace_back();
  piece.to = to;
  piece.bytes = bytes;
  std::memset(piece.data, 0, sizeof(piece.data));
  std::memcpy(piece.data, reinterpret_cast<const void *>(from), valid);
  return true;
}

void Machine::deliver(Wave &wave, size_t left) {
  while (wave.loads.size() > left) {
    const LdsLoad &load = wave.loads.front();
    for (const LdsLoad::Piece &piece : load.pieces)
      std::memcpy(reinterpret_cast<void *>(piece.to), piece.data, piece.bytes);
    lds.arrive(wave.index, load.clock);
    wave.loads.pop_front();
  }
}

void tw_emulator_access(const Site *site, const void *address, uint64_t bytes) {
  site->machine->access(*site, reinterpret_cast<uintptr_t>(address), bytes);
}

void tw_emulator_operate(const Site *site, char *block) {
  site->machine->operate(*site, block);
}

void tw_emulator_synchronize(const Site *site) {
  site->machine->synchronize(*site);
}

void tw_emulator_trap(const Site *site) {
  site->machine->fail(FaultKind::Trap, *site, "the program stops here");
}

} // namespace tilewright::emulator
