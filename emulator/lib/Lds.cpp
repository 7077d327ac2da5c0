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
  constexpr uint32_t kLastClock = (1u << (32 - kClockShift)) - (1u << 20);
  if (write.size() < end || clock > kLastClock) {
    write.assign(std::max<size_t>(end, write.size()), 0);
    read.assign(write.size(), 0);
    otherRead.assign(write.size(), 0);
    clock = 1;
  }
  workgroupStart = clock;
  for (unsigned w = 0; w < waves; ++w) {
    now[w] = ++clock;
    std::fill_n(known[w], waves, workgroupStart);
    pending[w] = completed[w] = workgroupStart;
    updateFloor(w);
  }
}

void Lds::updateFloor(unsigned wave) {
  uint32_t least = ~0u;
  for (unsigned other = 0; other < waves; ++other)
    if (other != wave)
      least = std::min(least, known[wave][other]);
  // One wave alone races with nobody.
  floor[wave] = waves == 1 ? ~0u : (least + 1) << kClockShift;
}

const LdsObject *Lds::find(uint32_t offset, uint64_t bytes) const {
  for (const LdsObject &object : objects)
    if (offset >= object.offset && offset - object.offset <= object.bytes &&
        bytes <= object.bytes - (offset - object.offset))
      return &object;
  return nullptr;
}

Lds::Finding Lds::access(uint32_t offset, uint64_t bytes, unsigned wave,
                         MemoryAction action) {
  if (!find(offset, bytes))
    return {Verdict::OutOfBounds, offset, 0, false};
  bool reads = action != MemoryAction::Store;
  bool writes = action != MemoryAction::Load;
  bool atomic = action == MemoryAction::Atomic;
  Stamp *written = write.data() + offset, *first = read.data() + offset,
        *second = otherRead.data() + offset;
  Stamp start = (workgroupStart + 1) << kClockShift, ordered = floor[wave];
  Stamp stamp = now[wave] << kClockShift | (atomic ? kAtomic : 0) | wave;

  if (reads)
    for (uint64_t i = 0; i < bytes; ++i)
      if (LLVM_UNLIKELY(written[i] < start))
        return {Verdict::Unwritten, uint32_t(offset + i), 0, false};
  for (uint64_t i = 0; i < bytes; ++i)
    if (LLVM_UNLIKELY(written[i] >= ordered) &&
        !happenedBefore(written[i], wave) &&
        !(atomic && (written[i] & kAtomic)))
      return {Verdict::Race, uint32_t(offset + i), waveOf(written[i]), true};
  if (!writes) {
    for (uint64_t i = 0; i < bytes; ++i) {
      second[i] = waveOf(first[i]) == wave ? second[i] : first[i];
      first[i] = stamp;
    }
    return {};
  }
  for (uint64_t i = 0; i < bytes; ++i)
    for (Stamp other : {first[i], second[i]})
      if (LLVM_UNLIKELY(other >= ordered) && !happenedBefore(other, wave))
        return {Verdict::Race, uint32_t(offset + i), waveOf(other), false};
  std::fill_n(written, bytes, stamp);
  return {};
}

void Lds::signal(unsigned wave) {
  known[wave][wave] = now[wave];
  for (unsigned w = 0; w < waves; ++w)
    pending[w] = std::max(pending[w], known[wave][w]);
  now[wave] = ++clock;
}

void Lds::completeBarrier() { std::copy_n(pending, waves, completed); }

void Lds::wait(unsigned wave) {
  for (unsigned w = 0; w < waves; ++w)
    known[wave][w] = std::max(known[wave][w], completed[w]);
  updateFloor(wave);
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
