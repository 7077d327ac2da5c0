// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registered device memory: which bytes exist, and who they belong to.

#ifndef TILEWRIGHT_EMULATOR_LIB_MEMORY_H
#define TILEWRIGHT_EMULATOR_LIB_MEMORY_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::emulator {

struct Region {
  uintptr_t begin = 0, end = 0;
  bool writable = false;
  std::string name;

  bool contains(uintptr_t address, uint64_t bytes) const {
    return address >= begin && address <= end && bytes <= end - address;
  }
};

/// Regions never move in memory and are never freed, only emptied and used
/// again: sites remember the one they last hit.
class DeviceMemory {
public:
  llvm::Error add(const void *data, size_t bytes, bool writable,
                  std::string name);
  llvm::Error remove(const void *data);
  void clear();

  /// The region that holds all of the bytes, or null.
  const Region *find(uintptr_t address, uint64_t bytes) const;
  /// "4 bytes past the end of 'lhs' (1020 bytes)", for an access in none.
  std::string describe(uintptr_t address, uint64_t bytes) const;

private:
  std::vector<std::unique_ptr<Region>> pool;
  std::vector<Region *> sorted, unused;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_MEMORY_H
