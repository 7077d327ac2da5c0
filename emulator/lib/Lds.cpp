// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS and its happens-before check.

#include "Lds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <sys/mman.h>

using namespace llvm;

namespace tilewright::emulator {

Error Lds::allocate() {
  // Aligned as generously as LDS is, whose first address is 0.
  constexpr uintptr_t alignment = kArenaBytes;
#ifndef MAP_FIXED_NOREPLACE
  constexpr int kNoReplace = 0x100000;
#else
  constexpr int kNoReplace = MAP_FIXED_NOREPLACE;
#endif
  for (uintptr_t at = 64 * alignment; at < (uintptr_t(1) << 31);
       at += alignment) {
    void *memory =
        mmap(reinterpret_cast<void *>(at), kArenaBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | kNoReplace, -1, 0);
    if (memory == reinterpret_cast<void *>(at)) {
      arena = static_cast<char *>(memory);
      break;
    }
    if (memory != MAP_FAILED)
      munmap(memory, kArenaBytes);
  }
  if (!arena)
    return createStringError("emulator: no memory for LDS below 2 GiB");
  return Error::success();
}

Lds::~Lds() {
  if (arena)
    munmap(arena, kArenaBytes);
}

void Lds::startWorkgroup(ArrayRef<LdsObject> objects, unsigned waves) {
  this->objects = objects;
  this->waves = waves;
  uint32_t end = 0;
  for (const LdsObject &object : objects) {
    std::fill_n(arena + object.offset, object.bytes, char(0xff));
    end = std::max(end, object.offset + object.bytes);
  }
  constexpr uint32_t kLastClock = 3u << 30;
  if (write.size() < end || clock > kLastClock) {
    write.assign(std::max<size_t>(end, write.size()), 0);
    for (std::vector<uint32_t> &wave : read)
      wave.clear();
    clock = 1;
  }
  workgroupStart = clock;
  pending.fill(workgroupStart);
  completed = arriving = arrived = pending;
  for (unsigned w = 0; w < waves; ++w) {
    read[w].resize(write.size(), 0);
    now[w] = ++clock;
    issued[w] = ordered[w] = workgroupStart;
    known[w] = released[w] = offered[w] = met[w] = pending;
    updateFloor(w);
  }
}

void Lds::updateFloor(unsigned wave) {
  // One wave alone races with nobody, unless with its own loads.
  Stamp least = ~Stamp(0);
  auto lower = [&](uint32_t clock) {
    least = std::min(least, stampOf(clock + 1, 0));
  };
  for (unsigned other = 0; other < waves; ++other) {
    if (other != wave)
      lower(known[wave][other]);
    if (known[wave][kMaxWaves + other] < issued[other])
      lower(known[wave][kMaxWaves + other]);
  }
  floor[wave] = least;
}

const LdsObject *Lds::find(uint32_t offset, uint64_t bytes) const {
  for (const LdsObject &object : objects)
    if (offset >= object.offset && offset - object.offset <= object.bytes &&
        bytes <= object.bytes - (offset - object.offset))
      return &object;
  return nullptr;
}

Lds::Finding Lds::race(uint32_t byte, unsigned wave, unsigned agent,
                       uint32_t clock, bool writes) const {
  Finding finding{Verdict::Race,      byte, agent % kMaxWaves, writes,
                  agent >= kMaxWaves, clock};
  if (clock <= offered[wave][agent])
    finding.gap = Gap::NoAcquire;
  else if (clock <= met[wave][agent])
    finding.gap = Gap::NoRelease;
  return finding;
}

Lds::Finding Lds::checkReads(uint32_t offset, uint64_t bytes,
                             unsigned wave) const {
  for (unsigned other = 0; other < waves; ++other) {
    if (other == wave)
      continue;
    const uint32_t *clocks = read[other].data() + offset;
    uint32_t bound = known[wave][other];
    for (uint64_t i = 0; i < bytes; ++i)
      if (LLVM_UNLIKELY(clocks[i] > bound))
        return race(uint32_t(offset + i), wave, other, clocks[i], false);
  }
  return {};
}

Lds::Finding Lds::access(uint32_t offset, uint64_t bytes, unsigned wave,
                         MemoryAction action) {
  if (!find(offset, bytes))
    return {Verdict::OutOfBounds, offset};
  bool reads = action != MemoryAction::Store;
  bool atomic = action == MemoryAction::Atomic;
  Stamp *written = write.data() + offset;
  Stamp start = stampOf(workgroupStart + 1, 0), before = floor[wave];

  if (reads)
    for (uint64_t i = 0; i < bytes; ++i)
      if (LLVM_UNLIKELY(written[i] < start))
        return {Verdict::Unwritten, uint32_t(offset + i)};
  for (uint64_t i = 0; i < bytes; ++i)
    if (LLVM_UNLIKELY(written[i] >= before) &&
        !happenedBefore(written[i], wave) &&
        !(atomic && (written[i] & kAtomic)))
      return race(uint32_t(offset + i), wave, agentOf(written[i]),
                  clockOf(written[i]), true);
  if (action == MemoryAction::Load) {
    std::fill_n(read[wave].data() + offset, bytes, now[wave]);
    return {};
  }
  if (Finding finding = checkReads(offset, bytes, wave);
      finding.verdict != Verdict::Fine)
    return finding;
  std::fill_n(written, bytes,
              stampOf(now[wave], wave) | (atomic ? kAtomic : 0));
  return {};
}

uint32_t Lds::issueLoad(unsigned wave) {
  issued[wave] = ++clock;
  for (unsigned w = 0; w < waves; ++w)
    floor[w] = std::min(floor[w], stampOf(known[w][kMaxWaves + wave] + 1, 0));
  return issued[wave];
}

Lds::Finding Lds::load(uint32_t offset, uint64_t bytes, unsigned wave) {
  if (!find(offset, bytes))
    return {Verdict::OutOfBounds, offset};
  // The wave's own loads arrive in the order in which they were issued.
  unsigned agent = kMaxWaves + wave;
  Stamp *written = write.data() + offset;
  for (uint64_t i = 0; i < bytes; ++i)
    if (agentOf(written[i]) != agent && !happenedBefore(written[i], wave))
      return race(uint32_t(offset + i), wave, agentOf(written[i]),
                  clockOf(written[i]), true);
  if (Finding finding = checkReads(offset, bytes, wave);
      finding.verdict != Verdict::Fine)
    return finding;
  std::fill_n(written, bytes, stampOf(issued[wave], agent));
  return {};
}

void Lds::arrive(unsigned wave, uint32_t clock) {
  known[wave][kMaxWaves + wave] = released[wave][kMaxWaves + wave] = clock;
  updateFloor(wave);
}

void Lds::order(unsigned wave) {
  ordered[wave] = now[wave];
  now[wave] = ++clock;
}

void Lds::complete(unsigned wave) { released[wave][wave] = ordered[wave]; }

static void join(std::array<uint32_t, 2 * Lds::kMaxWaves> &into,
                 const std::array<uint32_t, 2 * Lds::kMaxWaves> &from) {
  for (auto [a, b] : zip_equal(into, from))
    a = std::max(a, b);
}

void Lds::acquire(unsigned wave) {
  join(known[wave], offered[wave]);
  updateFloor(wave);
}

void Lds::signal(unsigned wave) {
  join(pending, released[wave]);
  arriving[wave] = now[wave];
  arriving[kMaxWaves + wave] = issued[wave];
  now[wave] = ++clock;
}

void Lds::completeBarrier() {
  completed = pending;
  arrived = arriving;
}

void Lds::wait(unsigned wave) {
  join(offered[wave], completed);
  join(met[wave], arrived);
}

std::string Lds::describe(uint32_t offset, uint64_t bytes) const {
  if (objects.empty())
    return "the kernel has no LDS";
  const LdsObject *nearest = nullptr;
  for (const LdsObject &object : objects)
    if (!nearest || offset >= object.offset)
      nearest = &object;
  if (offset < nearest->offset)
    return formatv("{0} bytes before '{1}', which has {2}",
                   nearest->offset - offset, nearest->name, nearest->bytes);
  return formatv("bytes {0} to {1} of '{2}', which has {3}",
                 offset - nearest->offset, offset - nearest->offset + bytes - 1,
                 nearest->name, nearest->bytes);
}

} // namespace tilewright::emulator
