// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between number formats, several numbers at a time.

#include "Numbers.h"
#include "Operations.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tilewright::emulator {

namespace {

enum class Small : uint8_t { Fp8, Bf8, Fp6, Bf6, Fp4 };
enum class Wide : uint8_t { F32, F16, Bf16 };

const SmallFloat &formatOf(Small format, bool fnuz) {
  switch (format) {
  case Small::Fp8:
    return fnuz ? kFp8Fnuz : kFp8Ocp;
  case Small::Bf8:
    return fnuz ? kBf8Fnuz : kBf8Ocp;
  case Small::Fp6:
    return kFp6;
  case Small::Bf6:
    return kBf6;
  case Small::Fp4:
    return kFp4;
  }
  llvm_unreachable("no such format");
}

double readWide(const char *bytes, Wide wide, unsigned i) {
  if (wide == Wide::F32) {
    float value;
    std::memcpy(&value, bytes + 4 * i, 4);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, bytes + 2 * i, 2);
  return wide == Wide::F16 ? halfToFloat(bits) : bf16ToFloat(bits);
}

void writeWide(char *bytes, Wide wide, unsigned i, double value) {
  if (wide == Wide::F32) {
    float narrow = float(value);
    std::memcpy(bytes + 4 * i, &narrow, 4);
    return;
  }
  uint16_t bits = wide == Wide::F16 ? doubleToHalf(value) : doubleToBf16(value);
  std::memcpy(bytes + 2 * i, &bits, 2);
}

/// The number's exponent alone.
double powerOf(float scale) {
  unsigned exponent = bitsTo<uint32_t>(scale) >> 23 & 255;
  return exponent == 255 ? NAN : std::ldexp(1.0, int(exponent) - 127);
}

/// Where the selector, the scale and the old result are among the operands; -1:
/// there is none.
struct Unpack {
  const char *name;
  Small from;
  Wide to;
  uint8_t count;
  int8_t scale, select;
};

constexpr Unpack kUnpack[] = {
    {"cvt.f32.fp8", Small::Fp8, Wide::F32, 1, -1, 1},
    {"cvt.f32.bf8", Small::Bf8, Wide::F32, 1, -1, 1},
    {"cvt.pk.f32.fp8", Small::Fp8, Wide::F32, 2, -1, 1},
    {"cvt.pk.f32.bf8", Small::Bf8, Wide::F32, 2, -1, 1},
    {"cvt.scalef32.f32.fp8", Small::Fp8, Wide::F32, 1, 1, 2},
    {"cvt.scalef32.f32.bf8", Small::Bf8, Wide::F32, 1, 1, 2},
    {"cvt.scalef32.pk.f32.fp8", Small::Fp8, Wide::F32, 2, 1, 2},
    {"cvt.scalef32.pk.f32.bf8", Small::Bf8, Wide::F32, 2, 1, 2},
    {"cvt.scalef32.pk.f16.fp8", Small::Fp8, Wide::F16, 2, 1, 2},
    {"cvt.scalef32.pk.f16.bf8", Small::Bf8, Wide::F16, 2, 1, 2},
    {"cvt.scalef32.pk.bf16.fp8", Small::Fp8, Wide::Bf16, 2, 1, 2},
    {"cvt.scalef32.pk.bf16.bf8", Small::Bf8, Wide::Bf16, 2, 1, 2},
    {"cvt.scalef32.pk.f32.fp4", Small::Fp4, Wide::F32, 2, 1, 2},
    {"cvt.scalef32.pk.f16.fp4", Small::Fp4, Wide::F16, 2, 1, 2},
    {"cvt.scalef32.pk.bf16.fp4", Small::Fp4, Wide::Bf16, 2, 1, 2},
    {"cvt.scalef32.pk32.f32.fp6", Small::Fp6, Wide::F32, 32, 1, -1},
    {"cvt.scalef32.pk32.f32.bf6", Small::Bf6, Wide::F32, 32, 1, -1},
    {"cvt.scalef32.pk32.f16.fp6", Small::Fp6, Wide::F16, 32, 1, -1},
    {"cvt.scalef32.pk32.f16.bf6", Small::Bf6, Wide::F16, 32, 1, -1},
    {"cvt.scalef32.pk32.bf16.fp6", Small::Fp6, Wide::Bf16, 32, 1, -1},
    {"cvt.scalef32.pk32.bf16.bf6", Small::Bf6, Wide::Bf16, 32, 1, -1},
};

unsigned selectorOf(const Lane &lane, const Site &site, int operand) {
  if (operand < 0)
    return 0;
  // i1 (a half) or i32 (a byte).
  return site.arguments[operand].bytes == 1
             ? lane.argument<uint8_t>(site, operand) & 1
             : lane.argument<uint32_t>(site, operand);
}

void unpack(Lane &lane, const Site &site) {
  const Unpack &row = kUnpack[site.operation.variant];
  const SmallFloat &format = formatOf(row.from, lane.machine->target.fnuz);
  double scale =
      row.scale < 0 ? 1 : powerOf(lane.argument<float>(site, row.scale));
  unsigned bits = format.bits();
  unsigned first =
      selectorOf(lane, site, row.select) * std::max(8u, bits * row.count);
  const char *bytes = lane.argumentBytes(site, 0);
  for (unsigned i = 0; i < row.count; ++i) {
    unsigned at = first + i * bits;
    uint32_t word = uint8_t(bytes[at / 8]);
    if (at % 8 + bits > 8)
      word |= uint32_t(uint8_t(bytes[at / 8 + 1])) << 8;
    word = word >> at % 8 & ((1u << bits) - 1);
    writeWide(lane.resultBytes(site), row.to, i, scale * format.decode(word));
  }
}

struct Pack {
  const char *name;
  Wide from;
  Small to;
  uint8_t count;    ///< of numbers in all
  int8_t source;    ///< the first operand that holds numbers
  uint8_t operands; ///< that hold numbers
  int8_t scale, select, old;
};

constexpr Pack kPack[] = {
    {"cvt.pk.fp8.f32", Wide::F32, Small::Fp8, 2, 0, 2, -1, 3, 2},
    {"cvt.pk.bf8.f32", Wide::F32, Small::Bf8, 2, 0, 2, -1, 3, 2},
    {"cvt.scalef32.pk.fp8.f32", Wide::F32, Small::Fp8, 2, 1, 2, 3, 4, 0},
    {"cvt.scalef32.pk.bf8.f32", Wide::F32, Small::Bf8, 2, 1, 2, 3, 4, 0},
    {"cvt.scalef32.pk.fp8.f16", Wide::F16, Small::Fp8, 2, 1, 1, 2, 3, 0},
    {"cvt.scalef32.pk.bf8.f16", Wide::F16, Small::Bf8, 2, 1, 1, 2, 3, 0},
    {"cvt.scalef32.pk.fp8.bf16", Wide::Bf16, Small::Fp8, 2, 1, 1, 2, 3, 0},
    {"cvt.scalef32.pk.bf8.bf16", Wide::Bf16, Small::Bf8, 2, 1, 1, 2, 3, 0},
    {"cvt.scalef32.pk.fp4.f32", Wide::F32, Small::Fp4, 2, 1, 2, 3, 4, 0},
    {"cvt.scalef32.pk.fp4.f16", Wide::F16, Small::Fp4, 2, 1, 1, 2, 3, 0},
    {"cvt.scalef32.pk.fp4.bf16", Wide::Bf16, Small::Fp4, 2, 1, 1, 2, 3, 0},
    {"cvt.scalef32.pk32.fp6.f16", Wide::F16, Small::Fp6, 32, 0, 1, 1, -1, -1},
    {"cvt.scalef32.pk32.bf6.f16", Wide::F16, Small::Bf6, 32, 0, 1, 1, -1, -1},
    {"cvt.scalef32.pk32.fp6.bf16", Wide::Bf16, Small::Fp6, 32, 0, 1, 1, -1, -1},
    {"cvt.scalef32.pk32.bf6.bf16", Wide::Bf16, Small::Bf6, 32, 0, 1, 1, -1, -1},
    {"cvt.scalef32.2xpk16.fp6.f32", Wide::F32, Small::Fp6, 32, 0, 2, 2, -1, -1},
    {"cvt.scalef32.2xpk16.bf6.f32", Wide::F32, Small::Bf6, 32, 0, 2, 2, -1, -1},
};

void pack(Lane &lane, const Site &site) {
  const Pack &row = kPack[site.operation.variant];
  const SmallFloat &format = formatOf(row.to, lane.machine->target.fnuz);
  double scale =
      row.scale < 0 ? 1 : powerOf(lane.argument<float>(site, row.scale));
  unsigned bits = format.bits(), perOperand = row.count / row.operands;
  unsigned first =
      selectorOf(lane, site, row.select) * std::max(8u, bits * row.count);
  char *result = lane.resultBytes(site);
  if (row.old < 0)
    std::memset(result, 0, site.result.bytes);
  else
    std::memcpy(result, lane.argumentBytes(site, row.old), site.result.bytes);
  for (unsigned i = 0; i < row.count; ++i) {
    double value =
        readWide(lane.argumentBytes(site, row.source + i / perOperand),
                 row.from, i % perOperand);
    uint32_t code =
        format.encode(float(value / scale), /*saturate=*/row.scale >= 0);
    for (unsigned bit = 0; bit < bits; ++bit) {
      unsigned at = first + i * bits + bit;
      char mask = char(1 << at % 8);
      result[at / 8] =
          code >> bit & 1 ? result[at / 8] | mask : result[at / 8] & ~mask;
    }
  }
}

/// value, seed, old, byte: rounds up as often as the seed says.
void stochastic(Lane &lane, const Site &site) {
  const SmallFloat &format =
      formatOf(Small(site.operation.variant), lane.machine->target.fnuz);
  float value = lane.argument<float>(site, 0);
  double share = double(lane.argument<uint32_t>(site, 1)) * 0x1p-32;
  uint32_t old = lane.argument<uint32_t>(site, 2);
  unsigned shift = 8 * (lane.argument<uint32_t>(site, 3) & 3);
  float rounded = value;
  if (std::isfinite(value) && value != 0) {
    int exponent =
        std::max(std::ilogb(value), 1 - format.bias) - format.mantissaBits;
    double steps = std::ldexp(std::fabs(double(value)), -exponent);
    rounded = float(std::copysign(
        std::ldexp(std::floor(steps + share), exponent), double(value)));
  }
  uint32_t code = format.encode(rounded, /*saturate=*/false);
  lane.setResult(site, (old & ~(255u << shift)) | code << shift);
}

/// Two floats to two halves, towards zero.
void packTowardsZero(Lane &lane, const Site &site) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    float value = lane.argument<float>(site, i);
    uint16_t bits = floatToHalf(value);
    if (std::fabs(halfToFloat(bits)) > std::fabs(value) && !std::isinf(value))
      --bits;
    result |= uint32_t(bits) << 16 * i;
  }
  lane.setResult(site, result);
}

/// variant: 1 if signed. Two integers to two of 16 bits, saturated.
void packIntegers(Lane &lane, const Site &site) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    uint16_t half =
        site.operation.variant
            ? uint16_t(
                  std::clamp(lane.argument<int32_t>(site, i), -32768, 32767))
            : uint16_t(std::min(lane.argument<uint32_t>(site, i), 65535u));
    result |= uint32_t(half) << 16 * i;
  }
  lane.setResult(site, result);
}

/// value, byte, old: a float to an unsigned byte, saturated.
void packByte(Lane &lane, const Site &site) {
  float value = std::nearbyint(lane.argument<float>(site, 0));
  unsigned shift = 8 * (lane.argument<uint32_t>(site, 1) & 3);
  uint32_t byte =
      std::isnan(value) ? 0 : uint32_t(std::clamp(value, 0.0f, 255.0f));
  lane.setResult(site, (lane.argument<uint32_t>(site, 2) & ~(255u << shift)) |
                           byte << shift);
}

std::vector<OperationRow> makeRows() {
  std::vector<OperationRow> rows = {
      perLane("cvt.sr.fp8.f32", stochastic, int(Small::Fp8)),
      perLane("cvt.sr.bf8.f32", stochastic, int(Small::Bf8)),
      perLane("cvt.pkrtz", packTowardsZero),
      perLane("cvt.pk.i16", packIntegers, 1),
      perLane("cvt.pk.u16", packIntegers, 0),
      perLane("cvt.pk.u8.f32", packByte),
  };
  for (size_t i = 0; i < std::size(kUnpack); ++i)
    rows.push_back(perLane(kUnpack[i].name, unpack, int(i)));
  for (size_t i = 0; i < std::size(kPack); ++i)
    rows.push_back(perLane(kPack[i].name, pack, int(i)));
  return rows;
}

} // namespace

ArrayRef<OperationRow> conversionOperations() {
  static const std::vector<OperationRow> rows = makeRows();
  return rows;
}

} // namespace tilewright::emulator
