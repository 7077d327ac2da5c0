// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registered device memory.

#include "Memory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright::emulator {

Error DeviceMemory::add(const void *data, size_t bytes, bool writable,
                        std::string name) {
  auto begin = reinterpret_cast<uintptr_t>(data);
  auto at = partition_point(sorted, [&](const Region *region) {
    return region->begin < begin || (region->begin == begin && bytes);
  });
  auto overlaps = [&](const Region *region) {
    return region->begin < begin + bytes && begin < region->end;
  };
  for (auto it = sorted.begin(); it != sorted.end(); ++it)
    if (overlaps(*it))
      return createStringError(
          formatv("emulator: buffer '{0}' of {1} bytes overlaps '{2}' of {3}",
                  name, bytes, (*it)->name, (*it)->end - (*it)->begin));
  if (unused.empty()) {
    pool.push_back(std::make_unique<Region>());
    unused.push_back(pool.back().get());
  }
  Region *region = unused.back();
  unused.pop_back();
  *region = {begin, begin + bytes, writable, std::move(name)};
  sorted.insert(at, region);
  return Error::success();
}

Error DeviceMemory::remove(const void *data) {
  auto begin = reinterpret_cast<uintptr_t>(data);
  auto at = find_if(
      sorted, [&](const Region *region) { return region->begin == begin; });
  if (at == sorted.end())
    return createStringError(
        formatv("emulator: no buffer begins at {0:x}", begin));
  **at = Region();
  unused.push_back(*at);
  sorted.erase(at);
  return Error::success();
}

void DeviceMemory::clear() {
  for (Region *region : sorted) {
    *region = Region();
    unused.push_back(region);
  }
  sorted.clear();
}

const Region *DeviceMemory::find(uintptr_t address, uint64_t bytes) const {
  auto after = partition_point(
      sorted, [&](const Region *region) { return region->begin <= address; });
  while (after != sorted.begin()) {
    const Region *region = *--after;
    if (region->contains(address, bytes))
      return region;
    if (region->begin != region->end)
      break;
  }
  return nullptr;
}

std::string DeviceMemory::describe(uintptr_t address, uint64_t bytes) const {
  // The nearest region, by the distance between its bytes and the access's.
  const Region *nearest = nullptr;
  uint64_t best = 4096;
  for (const Region *region : sorted) {
    uint64_t distance = address >= region->end ? address - region->end
                        : address + bytes <= region->begin
                            ? region->begin - (address + bytes)
                            : 0;
    if (distance < best) {
      nearest = region;
      best = distance;
    }
  }
  if (!nearest)
    return address < 4096 ? "a null pointer" : "far from every buffer";
  uint64_t size = nearest->end - nearest->begin;
  if (address < nearest->begin)
    return formatv("begins {0} bytes before '{1}', which has {2}",
                   nearest->begin - address, nearest->name, size);
  return formatv("at byte {0} of '{1}', which has {2}; ends {3} past it",
                 address - nearest->begin, nearest->name, size,
                 address + bytes - nearest->end);
}

} // namespace tilewright::emulator
