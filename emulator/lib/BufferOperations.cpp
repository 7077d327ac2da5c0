// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer resources, and loads that go straight to LDS.
//
// A descriptor is the hardware's 128 bits: base (48), stride (14), records
// (32), flags (32). Accesses beyond the records are no faults: loads give 0 and
// stores do nothing, by the dword. What lies within must be registered memory,
// as for any other access.

#include "Operations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace llvm;

namespace tilewright::emulator {

namespace {

struct Descriptor {
  uint32_t words[4];

  uintptr_t base() const {
    return words[0] | uintptr_t(words[1] & 0xffff) << 32;
  }
  uint64_t records() const { return words[2]; }
};

void makeResource(Lane &lane, const Site &site) {
  auto base = lane.argument<uintptr_t>(site, 0);
  uint64_t records = 0;
  std::memcpy(&records, lane.argumentBytes(site, 2), site.arguments[2].bytes);
  if (records > UINT32_MAX)
    lane.machine->fail(FaultKind::InvalidOperand, site,
                       "a buffer resource of 4 GiB or more");
  Descriptor descriptor{{uint32_t(base),
                         uint32_t(base >> 32 & 0xffff) |
                             uint32_t(lane.argument<uint16_t>(site, 1)) << 16,
                         uint32_t(records), lane.argument<uint32_t>(site, 3)}};
  lane.setResult(site, descriptor);
}

/// Where an access is, and how many of its bytes are within the records.
struct Place {
  uintptr_t address;
  uint64_t valid;
};

Place placeOf(const Descriptor &descriptor, uint64_t offset,
              uint32_t scalarOffset, uint64_t bytes) {
  uint64_t records = descriptor.records();
  uint64_t valid = offset >= records ? 0 : std::min(bytes, records - offset);
  if (valid < bytes)
    valid = valid / 4 * 4;
  return {descriptor.base() + offset + scalarOffset, valid};
}

/// resource, offset, scalar offset, cache policy.
void bufferLoad(Lane &lane, const Site &site) {
  auto [address, valid] = placeOf(
      lane.argument<Descriptor>(site, 0), lane.argument<uint32_t>(site, 1),
      lane.argument<uint32_t>(site, 2), site.result.bytes);
  char *result = lane.resultBytes(site);
  if (valid) {
    lane.machine->require(site, address, valid, MemoryAction::Load,
                          Space::Global);
    std::memcpy(result, reinterpret_cast<const void *>(address), valid);
  }
  std::memset(result + valid, 0, site.result.bytes - valid);
}

/// value, resource, offset, scalar offset, cache policy.
void bufferStore(Lane &lane, const Site &site) {
  auto [address, valid] = placeOf(
      lane.argument<Descriptor>(site, 1), lane.argument<uint32_t>(site, 2),
      lane.argument<uint32_t>(site, 3), site.arguments[0].bytes);
  if (!valid)
    return;
  lane.machine->require(site, address, valid, MemoryAction::Store,
                        Space::Global);
  std::memcpy(reinterpret_cast<void *>(address), lane.argumentBytes(site, 0),
              valid);
}

/// As bufferLoad, for a scalar: resource, offset, cache policy.
void scalarBufferLoad(Lane &lane, const Site &site) {
  auto [address, valid] =
      placeOf(lane.argument<Descriptor>(site, 0),
              lane.argument<uint32_t>(site, 1), 0, site.result.bytes);
  char *result = lane.resultBytes(site);
  if (valid) {
    lane.machine->require(site, address, valid, MemoryAction::Load,
                          Space::Global);
    std::memcpy(result, reinterpret_cast<const void *>(address), valid);
  }
  std::memset(result + valid, 0, site.result.bytes - valid);
}

enum AtomicKind { kFadd, kAdd, kAnd, kOr, kXor, kUmin, kUmax, kSmin, kSmax };

/// value, resource, offset, scalar offset, cache policy; gives the old value.
void bufferAtomic(Lane &lane, const Site &site) {
  if (site.arguments[0].bytes != 4)
    lane.machine->fail(FaultKind::InvalidOperand, site,
                       "only 32-bit buffer atomics are emulated");
  auto [address, valid] = placeOf(lane.argument<Descriptor>(site, 1),
                                  lane.argument<uint32_t>(site, 2),
                                  lane.argument<uint32_t>(site, 3), 4);
  uint32_t old = 0, value = lane.argument<uint32_t>(site, 0), made = 0;
  if (!valid)
    return lane.setResult(site, old);
  lane.machine->require(site, address, 4, MemoryAction::Atomic, Space::Global);
  std::memcpy(&old, reinterpret_cast<const void *>(address), 4);
  switch (site.operation.variant) {
  case kFadd:
    made = bit_cast<uint32_t>(bit_cast<float>(old) + bit_cast<float>(value));
    break;
  case kAdd:
    made = old + value;
    break;
  case kAnd:
    made = old & value;
    break;
  case kOr:
    made = old | value;
    break;
  case kXor:
    made = old ^ value;
    break;
  case kUmin:
    made = std::min(old, value);
    break;
  case kUmax:
    made = std::max(old, value);
    break;
  case kSmin:
    made = uint32_t(std::min(int32_t(old), int32_t(value)));
    break;
  case kSmax:
    made = uint32_t(std::max(int32_t(old), int32_t(value)));
    break;
  }
  std::memcpy(reinterpret_cast<void *>(address), &made, 4);
  lane.setResult(site, old);
}

/// The common LDS address of the active lanes and the bytes of each.
bool ldsTarget(Wave &wave, const Site &site, uintptr_t &base, uint32_t &bytes) {
  Machine &machine = *wave.machine;
  const Lane &first = wave.lanes[countr_zero(wave.active)];
  base = first.argument<uintptr_t>(site, 1);
  bytes = first.argument<uint32_t>(site, 2);
  for (const Lane &lane : wave.lanes)
    if (wave.isActive(lane.index) &&
        lane.argument<uintptr_t>(site, 1) != base) {
      machine.failWave(wave, FaultKind::InvalidOperand, site,
                       "the LDS address is not the same for all lanes");
      return false;
    }
  if (machine.target.gfx > Gfx950) {
    machine.failWave(wave, FaultKind::InvalidOperand, site,
                     "only gfx9 has this load");
    return false;
  }
  if (bytes != 4 &&
      !(machine.target.gfx == Gfx950 && (bytes == 12 || bytes == 16))) {
    machine.failWave(wave, FaultKind::InvalidOperand, site,
                     "a load to LDS has 4 bytes for each lane; 12 and 16 on "
                     "gfx950");
    return false;
  }
  return true;
}

/// Issues a load straight to LDS: each active lane adds its piece.
void issueLoad(Wave &wave, const Site &site,
               function_ref<bool(Lane &, LdsLoad &)> addPiece) {
  LdsLoad load{&site, wave.machine->lds.issueLoad(wave.index), {}};
  for (Lane &lane : wave.lanes)
    if (wave.isActive(lane.index) && !addPiece(lane, load))
      return;
  wave.loads.push_back(std::move(load));
}

// From an address that is the wave's on, each lane's bytes go to LDS one behind
// the other, by lane.

/// resource, LDS, bytes, offset, scalar offset, constant offset, cache policy.
void bufferLoadLds(Wave &wave, const Site &site) {
  uintptr_t base;
  uint32_t bytes;
  if (!ldsTarget(wave, site, base, bytes))
    return;
  issueLoad(wave, site, [&](Lane &lane, LdsLoad &load) {
    uint32_t constant = lane.argument<uint32_t>(site, 5);
    auto [address, valid] =
        placeOf(lane.argument<Descriptor>(site, 0),
                uint64_t(lane.argument<uint32_t>(site, 3)) + constant,
                lane.argument<uint32_t>(site, 4), bytes);
    return wave.machine->addPiece(lane, site, load,
                                  base + constant + lane.index * bytes, bytes,
                                  address, valid);
  });
}

/// address, LDS, bytes, constant offset, cache policy.
void globalLoadLds(Wave &wave, const Site &site) {
  uintptr_t base;
  uint32_t bytes;
  if (!ldsTarget(wave, site, base, bytes))
    return;
  issueLoad(wave, site, [&](Lane &lane, LdsLoad &load) {
    intptr_t constant = lane.argument<int32_t>(site, 3);
    return wave.machine->addPiece(
        lane, site, load, base + constant + lane.index * bytes, bytes,
        lane.argument<uintptr_t>(site, 0) + constant, bytes);
  });
}

/// address, LDS, constant offset, cache policy; each lane has its own of both
/// addresses. variant: the bytes of a lane.
void asyncLoadLds(Wave &wave, const Site &site) {
  uint32_t bytes = site.operation.variant;
  if (wave.machine->target.gfx != Gfx1250)
    return wave.machine->failWave(wave, FaultKind::InvalidOperand, site,
                                  "only gfx1250 has this load");
  issueLoad(wave, site, [&](Lane &lane, LdsLoad &load) {
    intptr_t constant = lane.argument<int32_t>(site, 2);
    return wave.machine->addPiece(
        lane, site, load, lane.argument<uintptr_t>(site, 1) + constant, bytes,
        lane.argument<uintptr_t>(site, 0) + constant, bytes);
  });
}

constexpr OperationRow kOperations[] = {
    perLane("make.buffer.rsrc", makeResource),
    perLane("raw.ptr.buffer.load", bufferLoad),
    perLane("raw.buffer.load", bufferLoad),
    perLane("raw.ptr.buffer.store", bufferStore),
    perLane("raw.buffer.store", bufferStore),
    perLane("s.buffer.load", scalarBufferLoad),
    perLane("raw.ptr.buffer.atomic.fadd", bufferAtomic, kFadd),
    perLane("raw.ptr.buffer.atomic.add", bufferAtomic, kAdd),
    perLane("raw.ptr.buffer.atomic.and", bufferAtomic, kAnd),
    perLane("raw.ptr.buffer.atomic.or", bufferAtomic, kOr),
    perLane("raw.ptr.buffer.atomic.xor", bufferAtomic, kXor),
    perLane("raw.ptr.buffer.atomic.umin", bufferAtomic, kUmin),
    perLane("raw.ptr.buffer.atomic.umax", bufferAtomic, kUmax),
    perLane("raw.ptr.buffer.atomic.smin", bufferAtomic, kSmin),
    perLane("raw.ptr.buffer.atomic.smax", bufferAtomic, kSmax),
    crossLane("raw.ptr.buffer.load.lds", bufferLoadLds),
    crossLane("raw.buffer.load.lds", bufferLoadLds),
    crossLane("global.load.lds", globalLoadLds),
    crossLane("load.to.lds", globalLoadLds),
    crossLane("global.load.async.to.lds.b8", asyncLoadLds, 1),
    crossLane("global.load.async.to.lds.b32", asyncLoadLds, 4),
    crossLane("global.load.async.to.lds.b64", asyncLoadLds, 8),
    crossLane("global.load.async.to.lds.b128", asyncLoadLds, 16),
};

} // namespace

ArrayRef<OperationRow> bufferOperations() { return kOperations; }

} // namespace tilewright::emulator
