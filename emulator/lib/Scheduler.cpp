// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running waves: whose turn it is, and what lanes do together.

#include "Machine.h"
#include "Sanitizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::emulator {

Error Machine::run(const Program &program, Dim3 grid, Dim3 block,
                   void *argument, const LaunchOptions &options) {
  this->program = &program;
  this->argument = argument;
  this->options = options;
  this->grid = grid;
  this->block = block;
  waveSize = program.waveSize;
  statistics = {};
  random.seed(options.scheduleSeed);

  uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (threads == 0 || threads > 1024)
    return createStringError(
        formatv("emulator: {0}: a block of {1}x{2}x{3} threads; a workgroup "
                "has 1 to 1024",
                program.name, block.x, block.y, block.z));
  std::vector<LdsObject> objects(program.lds);
  ldsBytes = 0;
  for (const LdsObject &object : objects)
    ldsBytes += object.bytes;
  if (options.dynamicLds) {
    objects.push_back(
        {program.dynamicLds.empty() ? "dynamic LDS" : program.dynamicLds,
         program.dynamicOffset, options.dynamicLds});
    ldsBytes += options.dynamicLds;
  }
  if (ldsBytes > target.ldsBytes)
    return createStringError(
        formatv("emulator: {0}: {1} bytes of LDS; {2} has {3} for a workgroup",
                program.name, ldsBytes, target.name, target.ldsBytes));
  if (Error failure = stacks.reserve(threads))
    return failure;

  lanes.resize(threads);
  waves.resize(divideCeil(threads, waveSize));
  for (auto [w, wave] : enumerate(waves)) {
    wave.machine = this;
    wave.index = w;
    size_t first = w * waveSize;
    wave.lanes = MutableArrayRef(lanes).slice(
        first, std::min<size_t>(waveSize, threads - first));
    for (auto [l, lane] : enumerate(wave.lanes)) {
      lane.machine = this;
      lane.wave = &wave;
      lane.index = l;
      lane.thread = first + l;
    }
  }
  error = nullptr;
  for (workgroup.z = 0; workgroup.z < grid.z; ++workgroup.z)
    for (workgroup.y = 0; workgroup.y < grid.y; ++workgroup.y)
      for (workgroup.x = 0; workgroup.x < grid.x; ++workgroup.x) {
        lds.startWorkgroup(objects, waves.size());
        runWorkgroup();
        ++statistics.workgroups;
        if (error)
          return Error(std::move(error));
      }
  return Error::success();
}

void Machine::runWorkgroup() {
  arrived = 0;
  phase = 0;
  for (Lane &lane : lanes) {
    lane.state = LaneState::Ready;
    sanitizer::forgetStack(stacks.bottom(lane.thread), stacks.bytes());
    lane.stackPointer = prepareFiber(stacks.top(lane.thread), laneBody, &lane);
  }
  SmallVector<Wave *> order;
  for (Wave &wave : waves) {
    wave.finished = wave.signalled = wave.waiting = false;
    wave.steps = 0;
    wave.loads.clear();
    order.push_back(&wave);
  }
  bool randomly = options.scheduleSeed >= 2;
  for (;;) {
    if (randomly)
      llvm::shuffle(order.begin(), order.end(), random);
    bool progress = false;
    for (Wave *wave : order) {
      if (!canRun(*wave))
        continue;
      progress = true;
      runWave(*wave);
      if (failed())
        return;
    }
    if (all_of(waves, [](const Wave &wave) { return wave.finished; }))
      return;
    if (!progress)
      return reportDeadlock();
  }
}

bool Machine::canRun(const Wave &wave) const {
  return !wave.finished && (!wave.waiting || phase > wave.barrierPhase);
}

void Machine::runWave(Wave &wave) {
  if (wave.waiting) {
    wave.waiting = false;
    wave.steps = 0;
    lds.wait(wave.index);
    releaseActive(wave);
  }
  do {
    yieldWave = false;
    stepWave(wave);
  } while (!failed() && !wave.finished && !wave.waiting && !yieldWave);
}

/// Runs each ready lane until it parks or is done. False if one failed.
bool Machine::runLanes(Wave &wave) {
  unsigned count = wave.lanes.size();
  unsigned start = 0, stride = 1;
  if (options.scheduleSeed == 1) {
    start = count - 1;
    stride = count - 1;
  } else if (options.scheduleSeed >= 2 && isPowerOf2_32(count)) {
    uint64_t bits = random();
    start = bits % count;
    stride = bits >> 32 | 1;
  }
  bool good = true;
  for (unsigned i = 0, at = start; i < count; ++i, at = (at + stride) % count) {
    Lane &lane = wave.lanes[at];
    if (lane.state != LaneState::Ready)
      continue;
    enterLane(lane);
    good &= lane.state != LaneState::Faulted;
  }
  return good;
}

void Machine::stepWave(Wave &wave) {
  if (!runLanes(wave))
    return reportLaneFaults(wave);

  // Lanes that went different ways run like under EXEC masks: the place that
  // comes first in the program goes first, until they are together again. What
  // needs the whole wave waits for that.
  const Site *first = nullptr, *whole = nullptr;
  bool together = true, done = false;
  for (const Lane &lane : wave.lanes) {
    if (lane.state == LaneState::Done) {
      done = true;
      continue;
    }
    const Site *site = lane.site;
    if (site->operation.kind >= OperationKind::Matrix) {
      together &= !whole || whole == site;
      whole = site;
    } else if (!first || site->order < first->order) {
      first = site;
    }
  }
  if (!first && !whole) {
    wave.finished = true;
    wave.active = 0;
    if (!wave.loads.empty())
      failWave(wave, FaultKind::LdsRace, *wave.loads.front().site,
               "the wave ends, and this load straight to LDS is on its way");
    return;
  }
  if (!first && (!together || done))
    return reportDivergence(wave);

  const Site *site = first ? first : whole;
  wave.active = 0;
  for (const Lane &lane : wave.lanes)
    if (lane.state == LaneState::Parked && lane.site == site)
      wave.active |= uint64_t(1) << lane.index;
  if (++wave.steps > options.progressLimit)
    return failWave(wave, FaultKind::Deadlock, *site,
                    formatv("the wave comes here again and again: {0} "
                            "steps without a barrier or its end",
                            options.progressLimit));
  switch (site->operation.kind) {
  case OperationKind::NoEffect:
  case OperationKind::PerLane:
    return releaseActive(wave);
  case OperationKind::Barrier:
    return barrier(wave, *site);
  case OperationKind::Order:
    site->operation.wave(wave, *site);
    return releaseActive(wave);
  case OperationKind::Matrix:
    if (wave.lanes.size() != waveSize)
      return reportDivergence(wave);
    ++statistics.matrixInstructions;
    break;
  case OperationKind::CrossLane:
    ++statistics.crossLaneOperations;
    break;
  }
  site->operation.wave(wave, *site);
  if (any_of(wave.lanes,
             [](const Lane &lane) { return lane.state == LaneState::Faulted; }))
    return reportLaneFaults(wave);
  releaseActive(wave);
  yieldWave = options.scheduleSeed == 0 ||
              (options.scheduleSeed >= 2 && random() % 8 == 0);
}

void Machine::releaseActive(Wave &wave) {
  for (Lane &lane : wave.lanes)
    if (wave.isActive(lane.index))
      lane.state = LaneState::Ready;
}

void Machine::barrier(Wave &wave, const Site &site) {
  BarrierKind kind = site.operation.barrier;
  if (kind != BarrierKind::Wait) {
    if (wave.signalled)
      return failWave(wave, FaultKind::Divergence, site,
                      "signals the barrier again before it waits for it");
    wave.barrierPhase = phase;
    wave.signalled = true;
    lds.signal(wave.index);
    if (++arrived == waves.size()) {
      lds.completeBarrier();
      arrived = 0;
      ++phase;
      ++statistics.barriers;
    }
  }
  if (kind == BarrierKind::Signal)
    return releaseActive(wave);
  if (!wave.signalled)
    return failWave(wave, FaultKind::Deadlock, site,
                    "waits for a barrier that it has not signalled");
  wave.signalled = false;
  wave.waiting = true;
  wave.waitingAt = &site;
}

} // namespace tilewright::emulator
