// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What went wrong, in words.

#include "Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright::emulator {

char EmulationError::ID = 0;

StringRef faultKindName(FaultKind kind) {
  switch (kind) {
  case FaultKind::GlobalOutOfBounds:
    return "global-out-of-bounds";
  case FaultKind::ReadOnlyStore:
    return "read-only-store";
  case FaultKind::LdsOutOfBounds:
    return "lds-out-of-bounds";
  case FaultKind::LdsUnwritten:
    return "lds-unwritten";
  case FaultKind::LdsRace:
    return "lds-race";
  case FaultKind::Misaligned:
    return "misaligned";
  case FaultKind::Divergence:
    return "divergence";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::InvalidOperand:
    return "invalid-operand";
  case FaultKind::Trap:
    return "trap";
  }
  llvm_unreachable("no such kind");
}

/// "0-15, 32".
static std::string rangesOf(ArrayRef<unsigned> numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    text += formatv("{0}{1}", i ? ", " : "", numbers[i]);
    if (last > i)
      text += formatv("-{0}", numbers[last]);
    i = last + 1;
  }
  return text;
}

void EmulationError::log(raw_ostream &os) const {
  os << formatv("{0}: {1}\n  in {2}, workgroup ({3}, {4}, {5}), wave {6}",
                faultKindName(kind), what, function, workgroup[0], workgroup[1],
                workgroup[2], wave);
  if (!lanes.empty())
    os << (lanes.size() == 1 ? ", lane " : ", lanes ") << rangesOf(lanes);
  if (lanes.size() > 1 && kind != FaultKind::Divergence &&
      kind != FaultKind::Deadlock)
    os << " (above: lane " << lanes.front() << ")";
  if (!location.empty())
    os << "\n  at " << location;
  if (!instruction.empty())
    os << "\n  " << instruction;
  for (const std::string &note : notes)
    os << "\n  " << note;
}

std::error_code EmulationError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

static std::string locationOf(const Site &site) {
  if (!site.instruction)
    return "";
  std::string place;
  if (const DILocation *at = site.instruction->getDebugLoc())
    place = formatv("{0}:{1}:{2}, ", at->getFilename(), at->getLine(),
                    at->getColumn());
  return formatv("{0}function {1}", place,
                 site.instruction->getFunction()->getName());
}

static std::string instructionOf(const Site &site) {
  std::string text;
  if (site.instruction) {
    raw_string_ostream os(text);
    site.instruction->print(os);
  }
  return StringRef(text).trim().str();
}

void Machine::failWave(Wave &wave, FaultKind kind, const Site &site,
                       Twine what) {
  if (error)
    return;
  error = std::make_unique<EmulationError>();
  error->kind = kind;
  error->function = program->name;
  error->what = what.str();
  error->location = locationOf(site);
  error->instruction = instructionOf(site);
  error->workgroup[0] = workgroup.x;
  error->workgroup[1] = workgroup.y;
  error->workgroup[2] = workgroup.z;
  error->wave = wave.index;
  for (const Lane &lane : wave.lanes)
    if (wave.isActive(lane.index))
      error->lanes.push_back(lane.index);
}

void Machine::failLane(Lane &lane, const Fault &fault) {
  lane.fault = fault;
  lane.state = LaneState::Faulted;
}

namespace {

struct Place {
  const Site *site;
  std::vector<unsigned> lanes;

  std::string text(const char *verb) const {
    return formatv("lanes {0} {1} {2}: {3}", rangesOf(lanes), verb,
                   locationOf(*site), instructionOf(*site));
  }
};

} // namespace

/// Where the lanes are that wait for others, the most of them first.
static SmallVector<Place> placesOf(const Wave &wave) {
  SmallVector<Place> places;
  for (const Lane &lane : wave.lanes) {
    if (lane.state != LaneState::Parked)
      continue;
    auto at = find_if(
        places, [&](const Place &place) { return place.site == lane.site; });
    if (at == places.end())
      at = places.insert(places.end(), {lane.site, {}});
    at->lanes.push_back(lane.index);
  }
  llvm::sort(places, [](const Place &a, const Place &b) {
    return std::make_pair(b.lanes.size(), a.site->order) <
           std::make_pair(a.lanes.size(), b.site->order);
  });
  return places;
}

static StringRef verbOf(MemoryAction action) {
  switch (action) {
  case MemoryAction::Load:
    return "load";
  case MemoryAction::Store:
    return "store";
  case MemoryAction::Atomic:
    return "atomic";
  }
  llvm_unreachable("no such action");
}

std::string Machine::describeRace(const Wave &wave, const Fault &fault) const {
  const Lds::Finding &finding = fault.lds;
  bool own = finding.otherLoads && finding.otherWave == wave.index;
  std::string bytes = lds.describe(finding.byte, 1);
  if (finding.otherLoads &&
      any_of(waves[finding.otherWave].loads, [&](const LdsLoad &load) {
        return load.clock == finding.otherClock;
      }))
    return formatv("{0} load of wave {1} that brings {2} is on its way: no "
                   "wait for it lies between",
                   own ? "this" : "a", finding.otherWave, bytes);
  const char *gap = "no barrier lies between";
  if (finding.gap == Lds::Gap::NoRelease)
    gap = "the barrier between follows no release of it: a fence of the "
          "workgroup's scope, or a wait";
  else if (finding.gap == Lds::Gap::NoAcquire)
    gap = "no acquire fence follows the barrier between";
  return formatv("wave {0} {1} {2}, and {3}", finding.otherWave,
                 finding.otherLoads    ? "brought"
                 : finding.otherWrites ? "wrote"
                                       : "read",
                 bytes, gap);
}

void Machine::reportLaneFaults(Wave &wave) {
  const Lane *first = nullptr;
  wave.active = 0;
  for (const Lane &lane : wave.lanes) {
    if (lane.state != LaneState::Faulted)
      continue;
    if (!first)
      first = &lane;
    // Lanes that failed in the same way at the same place.
    if (lane.fault.site == first->fault.site &&
        lane.fault.kind == first->fault.kind)
      wave.active |= uint64_t(1) << lane.index;
  }
  const Fault &fault = first->fault;
  uint32_t offset =
      uint32_t(fault.address - reinterpret_cast<uintptr_t>(lds.base()));
  std::string access =
      formatv("{0} of {1} bytes", verbOf(fault.action), fault.bytes);
  std::string what;
  switch (fault.kind) {
  case FaultKind::GlobalOutOfBounds:
    what = formatv("{0} at {1:x}, {2}", access, fault.address,
                   memory.describe(fault.address, fault.bytes));
    break;
  case FaultKind::ReadOnlyStore: {
    const Region *region = memory.find(fault.address, fault.bytes);
    if (!region)
      region = programMemory.find(fault.address, fault.bytes);
    what = formatv("{0} at byte {1} of '{2}', which is read-only", access,
                   fault.address - region->begin, region->name);
    break;
  }
  case FaultKind::LdsOutOfBounds:
    what = formatv("{0} outside LDS: {1}", access,
                   lds.describe(offset, fault.bytes));
    break;
  case FaultKind::LdsUnwritten:
    what = formatv("{0} of LDS, {1}; nobody wrote {2} in this workgroup",
                   access, lds.describe(offset, fault.bytes),
                   lds.describe(fault.lds.byte, 1));
    break;
  case FaultKind::LdsRace:
    what =
        formatv("{0} of LDS, {1}; {2}", access,
                lds.describe(offset, fault.bytes), describeRace(wave, fault));
    break;
  case FaultKind::Misaligned:
    what = formatv("{0} at {1:x}, which is not a multiple of {2}", access,
                   fault.address, fault.site->alignment);
    break;
  default:
    what = fault.text ? fault.text : "failed";
  }
  failWave(wave, fault.kind, *fault.site, what);
  for (const Place &place : placesOf(wave))
    if (place.site->operation.kind >= OperationKind::Matrix)
      error->notes.push_back(place.text("wait at"));
}

void Machine::reportDivergence(Wave &wave) {
  SmallVector<Place> places = placesOf(wave);
  std::vector<unsigned> done;
  for (const Lane &lane : wave.lanes)
    if (lane.state == LaneState::Done)
      done.push_back(lane.index);
  const Place &main = places.front();
  wave.active = 0;
  for (unsigned lane : main.lanes)
    wave.active |= uint64_t(1) << lane;
  bool matrix = main.site->operation.kind == OperationKind::Matrix;
  failWave(wave, FaultKind::Divergence, *main.site,
           formatv("only {0} of the wave's {1} lanes come to this {2}",
                   main.lanes.size(), waveSize,
                   matrix ? "matrix instruction, whose EXEC must be all ones"
                          : "barrier"));
  for (const Place &place : drop_begin(places))
    error->notes.push_back(place.text("are at"));
  if (!done.empty())
    error->notes.push_back(formatv("lanes {0} have returned", rangesOf(done)));
  if (wave.lanes.size() < waveSize)
    error->notes.push_back(formatv("the last wave of this block has only {0} "
                                   "lanes",
                                   wave.lanes.size()));
}

void Machine::reportDeadlock() {
  Wave *stuck = nullptr;
  std::vector<unsigned> finished;
  for (Wave &wave : waves) {
    if (wave.finished)
      finished.push_back(wave.index);
    else if (!stuck)
      stuck = &wave;
  }
  failWave(*stuck, FaultKind::Deadlock, *stuck->waitingAt,
           "waits for a barrier that not all waves come to");
  if (!finished.empty())
    error->notes.push_back(
        formatv("waves {0} have finished", rangesOf(finished)));
  for (const Wave &wave : waves)
    if (!wave.finished && &wave != stuck)
      error->notes.push_back(formatv("wave {0} waits at {1}: {2}", wave.index,
                                     locationOf(*wave.waitingAt),
                                     instructionOf(*wave.waitingAt)));
}

} // namespace tilewright::emulator
