// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations between the lanes of a wave. EXEC may be partial: the lanes that
// are parked at the site take part.

#include "Operations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>

using namespace llvm;

namespace tilewright::emulator {

namespace {

auto activeLanes(Wave &wave) {
  return make_filter_range(
      wave.lanes, [&](const Lane &lane) { return wave.isActive(lane.index); });
}

Lane &firstActive(Wave &wave) { return wave.lanes[countr_zero(wave.active)]; }

/// The lane that one reads from; the wave fails if it does not take part.
const Lane *source(Wave &wave, const Site &site, unsigned lane) {
  lane %= wave.machine->waveSize;
  if (wave.isActive(lane))
    return &wave.lanes[lane];
  wave.machine->failWave(wave, FaultKind::InvalidOperand, site,
                         formatv("reads from lane {0}, which does not take "
                                 "part",
                                 lane));
  return nullptr;
}

void copyResult(Lane &lane, const Site &site, const Lane &from,
                unsigned argument) {
  std::memcpy(lane.resultBytes(site), from.argumentBytes(site, argument),
              site.result.bytes);
}

void nothing(Wave &, const Site &) {}

void readFirstLane(Wave &wave, const Site &site) {
  const Lane &first = firstActive(wave);
  for (Lane &lane : activeLanes(wave))
    copyResult(lane, site, first, 0);
}

/// An operand that the hardware takes from a scalar register; the wave fails if
/// the lanes that take part do not agree.
bool isUniform(Wave &wave, const Site &site, unsigned argument) {
  const Lane &first = firstActive(wave);
  for (const Lane &lane : activeLanes(wave))
    if (std::memcmp(lane.argumentBytes(site, argument),
                    first.argumentBytes(site, argument),
                    site.arguments[argument].bytes) != 0) {
      wave.machine->failWave(
          wave, FaultKind::InvalidOperand, site,
          formatv("operand {0} must be the same in all lanes, and differs in "
                  "lanes {1} and {2}",
                  argument, first.index, lane.index));
      return false;
    }
  return true;
}

void readLane(Wave &wave, const Site &site) {
  if (!isUniform(wave, site, 1))
    return;
  unsigned index = firstActive(wave).argument<uint32_t>(site, 1);
  const Lane *from = source(wave, site, index);
  if (!from)
    return;
  for (Lane &lane : activeLanes(wave))
    copyResult(lane, site, *from, 0);
}

void writeLane(Wave &wave, const Site &site) {
  if (!isUniform(wave, site, 0) || !isUniform(wave, site, 1))
    return;
  const Lane &first = firstActive(wave);
  unsigned index = first.argument<uint32_t>(site, 1) % wave.machine->waveSize;
  for (Lane &lane : activeLanes(wave)) {
    if (lane.index == index)
      copyResult(lane, site, first, 0);
    else
      copyResult(lane, site, lane, 2);
  }
}

/// Each lane reads; lanes that do not take part give 0.
void bpermute(Wave &wave, const Site &site) {
  for (Lane &lane : activeLanes(wave)) {
    unsigned from =
        lane.argument<uint32_t>(site, 0) / 4 % wave.machine->waveSize;
    lane.setResult(site, wave.isActive(from)
                             ? wave.lanes[from].argument<uint32_t>(site, 1)
                             : 0u);
  }
}

/// Each lane sends; the highest sender wins, and 0 where there is none.
void permute(Wave &wave, const Site &site) {
  for (Lane &lane : activeLanes(wave))
    lane.setResult(site, 0u);
  for (Lane &lane : activeLanes(wave)) {
    unsigned to = lane.argument<uint32_t>(site, 0) / 4 % wave.machine->waveSize;
    if (wave.isActive(to))
      wave.lanes[to].setResult(site, lane.argument<uint32_t>(site, 1));
  }
}

void swizzle(Wave &wave, const Site &site) {
  uint32_t offset = firstActive(wave).argument<uint32_t>(site, 1) & 0xffff;
  if (offset >= 0xe000)
    return wave.machine->failWave(wave, FaultKind::InvalidOperand, site,
                                  "ds_swizzle's FFT mode is not emulated");
  for (Lane &lane : activeLanes(wave)) {
    unsigned in = lane.index % 32, from;
    if (offset >= 0xc000) { // rotate within groups that the mask leaves
      unsigned amount = offset >> 5 & 31, mask = offset & 31;
      unsigned turned = offset >> 10 & 1 ? in - amount : in + amount;
      from = (in & mask) | (turned & ~mask & 31);
    } else if (offset & 0x8000) { // four lanes among themselves
      from = (in & ~3u) | (offset >> in % 4 * 2 & 3);
    } else {
      from = ((in & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
    }
    from += lane.index / 32 * 32;
    lane.setResult(site, wave.isActive(from)
                             ? wave.lanes[from].argument<uint32_t>(site, 0)
                             : 0u);
  }
}

/// Which lane a lane reads from by DPP; none beyond a row's or the wave's end.
std::optional<unsigned> dppSource(unsigned control, unsigned lane,
                                  unsigned lanes) {
  unsigned in = lane % 16, row = lane - in, amount = control & 15;
  auto inRow = [&](int at) -> std::optional<unsigned> {
    if (at < 0 || at > 15)
      return std::nullopt;
    return row + at;
  };
  if (control < 0x100)
    return (lane & ~3u) + (control >> lane % 4 * 2 & 3);
  switch (control & ~15u) {
  case 0x100:
    return inRow(int(in + amount));
  case 0x110:
    return inRow(int(in) - int(amount));
  case 0x120:
    return row + (in - amount) % 16;
  case 0x150:
    return row + amount;
  case 0x160:
    return lane ^ amount;
  default:
    break;
  }
  switch (control) {
  case 0x130: // wave_shl
    return lane + 1 < lanes ? std::optional<unsigned>(lane + 1) : std::nullopt;
  case 0x134: // wave_rol
    return (lane + 1) % lanes;
  case 0x138: // wave_shr
    return lane > 0 ? std::optional<unsigned>(lane - 1) : std::nullopt;
  case 0x13c: // wave_ror
    return (lane + lanes - 1) % lanes;
  case 0x140: // row_mirror
    return row + 15 - in;
  case 0x141: // row_half_mirror
    return (lane & ~7u) + 7 - lane % 8;
  case 0x142: // row_bcast15
    return lane >= 16 ? std::optional<unsigned>(row - 1) : std::nullopt;
  case 0x143: // row_bcast31
    return lane >= 32 ? std::optional<unsigned>(31) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// variant: the operand that is read; the old value, if any, is before it.
void dpp(Wave &wave, const Site &site) {
  unsigned value = site.operation.variant;
  const Lane &first = firstActive(wave);
  auto constant = [&](unsigned i) {
    return first.argument<uint32_t>(site, value + i);
  };
  unsigned control = constant(1), rows = constant(2), banks = constant(3);
  bool zeros = first.argument<uint8_t>(site, value + 4) & 1;
  for (Lane &lane : activeLanes(wave)) {
    bool enabled =
        rows >> lane.index / 16 % 4 & 1 && banks >> lane.index % 16 / 4 & 1;
    auto from = dppSource(control, lane.index, wave.machine->waveSize);
    bool valid = from && wave.isActive(*from);
    if (enabled && valid)
      copyResult(lane, site, wave.lanes[*from], value);
    else if (value && !(enabled && zeros))
      copyResult(lane, site, lane, value - 1);
    else
      std::memset(lane.resultBytes(site), 0, site.result.bytes);
  }
}

void dpp8(Wave &wave, const Site &site) {
  uint32_t select = firstActive(wave).argument<uint32_t>(site, 1);
  for (Lane &lane : activeLanes(wave)) {
    unsigned from = (lane.index & ~7u) + (select >> lane.index % 8 * 3 & 7);
    if (wave.isActive(from))
      copyResult(lane, site, wave.lanes[from], 0);
    else
      std::memset(lane.resultBytes(site), 0, site.result.bytes);
  }
}

enum PermlaneVariant { kSameRow = 0, kOtherRow = 1, kVariable = 2 };

/// old, value, select..., fetch inactive, bound control.
void permlane16(Wave &wave, const Site &site) {
  bool variable = site.operation.variant & kVariable;
  if (!variable && (!isUniform(wave, site, 2) || !isUniform(wave, site, 3)))
    return;
  unsigned flip = site.operation.variant & kOtherRow ? 16 : 0;
  bool zeros = firstActive(wave).argument<uint8_t>(site, variable ? 4 : 5) & 1;
  for (Lane &lane : activeLanes(wave)) {
    unsigned in = lane.index % 16, select;
    if (variable)
      select = lane.argument<uint32_t>(site, 2) & 15;
    else
      select = lane.argument<uint32_t>(site, 2 + in / 8) >> in % 8 * 4 & 15;
    unsigned from = ((lane.index - in) ^ flip) + select;
    if (wave.isActive(from))
      copyResult(lane, site, wave.lanes[from], 1);
    else if (zeros)
      std::memset(lane.resultBytes(site), 0, site.result.bytes);
    else
      copyResult(lane, site, lane, 0);
  }
}

void permlane64(Wave &wave, const Site &site) {
  for (Lane &lane : activeLanes(wave)) {
    unsigned from = wave.machine->waveSize == 64 ? lane.index ^ 32 : lane.index;
    const Lane *other = source(wave, site, from);
    if (!other)
      return;
    copyResult(lane, site, *other, 0);
  }
}

/// Odd groups of `variant` lanes of the first operand change places with the
/// even groups before them of the second.
void permlaneSwap(Wave &wave, const Site &site) {
  unsigned group = site.operation.variant;
  for (Lane &lane : activeLanes(wave)) {
    bool odd = lane.index / group % 2;
    const Lane *other = source(wave, site, lane.index ^ group);
    if (!other)
      return;
    uint32_t first = lane.argument<uint32_t>(site, 0);
    uint32_t second = lane.argument<uint32_t>(site, 1);
    if (odd)
      first = other->argument<uint32_t>(site, 1);
    else
      second = other->argument<uint32_t>(site, 0);
    uint32_t result[2] = {first, second};
    std::memcpy(lane.resultBytes(site), result, sizeof(result));
  }
}

void setMask(Wave &wave, const Site &site, uint64_t mask) {
  for (Lane &lane : activeLanes(wave))
    std::memcpy(lane.resultBytes(site), &mask, site.result.bytes);
}

void ballot(Wave &wave, const Site &site) {
  uint64_t mask = 0;
  for (Lane &lane : activeLanes(wave))
    if (lane.argument<uint8_t>(site, 0) & 1)
      mask |= uint64_t(1) << lane.index;
  setMask(wave, site, mask);
}

void inverseBallot(Wave &wave, const Site &site) {
  if (!isUniform(wave, site, 0))
    return;
  uint64_t mask = 0;
  const Lane &first = firstActive(wave);
  std::memcpy(&mask, first.argumentBytes(site, 0),
              std::min<size_t>(8, site.arguments[0].bytes));
  for (Lane &lane : activeLanes(wave))
    lane.setResult(site, uint8_t(mask >> lane.index & 1));
}

enum Reduction { kAdd, kAnd, kOr, kXor, kUmin, kUmax, kMin, kMax };

template <typename Unsigned, typename Signed>
Unsigned combine(int reduction, Unsigned a, Unsigned b) {
  switch (reduction) {
  case kAdd:
    return a + b;
  case kAnd:
    return a & b;
  case kOr:
    return a | b;
  case kXor:
    return a ^ b;
  case kUmin:
    return std::min(a, b);
  case kUmax:
    return std::max(a, b);
  case kMin:
    return Unsigned(std::min(Signed(a), Signed(b)));
  default:
    return Unsigned(std::max(Signed(a), Signed(b)));
  }
}

template <typename Unsigned, typename Signed>
void reduceAs(Wave &wave, const Site &site) {
  std::optional<Unsigned> total;
  for (Lane &lane : activeLanes(wave)) {
    auto value = lane.argument<Unsigned>(site, 0);
    total =
        total ? combine<Unsigned, Signed>(site.operation.variant, *total, value)
              : value;
  }
  for (Lane &lane : activeLanes(wave))
    lane.setResult(site, *total);
}

void reduce(Wave &wave, const Site &site) {
  if (site.result.bytes == 8)
    reduceAs<uint64_t, int64_t>(wave, site);
  else
    reduceAs<uint32_t, int32_t>(wave, site);
}

constexpr OperationRow kOperations[] = {
    crossLane("wave.barrier", nothing),
    crossLane("readfirstlane", readFirstLane),
    crossLane("readlane", readLane),
    crossLane("writelane", writeLane),
    crossLane("ds.bpermute", bpermute),
    crossLane("ds.bpermute.fi.b32", bpermute),
    crossLane("ds.permute", permute),
    crossLane("ds.swizzle", swizzle),
    crossLane("update.dpp", dpp, 1),
    crossLane("mov.dpp", dpp, 0),
    crossLane("mov.dpp8", dpp8),
    crossLane("permlane16", permlane16, kSameRow),
    crossLane("permlanex16", permlane16, kOtherRow),
    crossLane("permlane16.var", permlane16, kVariable),
    crossLane("permlanex16.var", permlane16, kVariable | kOtherRow),
    crossLane("permlane64", permlane64),
    crossLane("permlane16.swap", permlaneSwap, 16),
    crossLane("permlane32.swap", permlaneSwap, 32),
    crossLane("ballot", ballot),
    crossLane("inverse.ballot", inverseBallot),
    crossLane("wave.reduce.add", reduce, kAdd),
    crossLane("wave.reduce.and", reduce, kAnd),
    crossLane("wave.reduce.or", reduce, kOr),
    crossLane("wave.reduce.xor", reduce, kXor),
    crossLane("wave.reduce.umin", reduce, kUmin),
    crossLane("wave.reduce.umax", reduce, kUmax),
    crossLane("wave.reduce.min", reduce, kMin),
    crossLane("wave.reduce.max", reduce, kMax),
};

} // namespace

ArrayRef<OperationRow> crossLaneOperations() { return kOperations; }

} // namespace tilewright::emulator
