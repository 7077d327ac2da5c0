// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic that one lane does for itself: dot products, byte permutes, bit
// fields and the rest of what compilers and kernels ask for by intrinsic.

#include "Numbers.h"
#include "Operations.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace tilewright::emulator {

namespace {

/// A float operand of 2 (half), 4 or 8 bytes.
double floatAt(const Lane &lane, const Site &site, unsigned i) {
  switch (site.arguments[i].bytes) {
  case 2:
    return halfToFloat(lane.argument<uint16_t>(site, i));
  case 4:
    return lane.argument<float>(site, i);
  default:
    return lane.argument<double>(site, i);
  }
}

void setFloat(const Lane &lane, const Site &site, double value) {
  switch (site.result.bytes) {
  case 2:
    return lane.setResult(site, doubleToHalf(value));
  case 4:
    return lane.setResult(site, float(value));
  default:
    return lane.setResult(site, value);
  }
}

int64_t field(uint32_t word, unsigned i, unsigned bits, bool isSigned) {
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  int64_t value = word >> i * bits & mask;
  return isSigned && value >> (bits - 1) ? value - (int64_t(1) << bits) : value;
}

void setClamped(const Lane &lane, const Site &site, int64_t sum, bool clamp,
                bool isSigned) {
  if (clamp)
    sum = isSigned ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)
                   : std::clamp<int64_t>(sum, 0, UINT32_MAX);
  lane.setResult(site, uint32_t(sum));
}

/// variant: bits of an element, negative if signed. Operands: a, b, c, clamp.
void dot(Lane &lane, const Site &site) {
  unsigned bits = std::abs(site.operation.variant);
  bool isSigned = site.operation.variant < 0;
  uint32_t a = lane.argument<uint32_t>(site, 0);
  uint32_t b = lane.argument<uint32_t>(site, 1);
  uint32_t c = lane.argument<uint32_t>(site, 2);
  int64_t sum = isSigned ? int64_t(int32_t(c)) : int64_t(c);
  for (unsigned i = 0; i < 32 / bits; ++i)
    sum += field(a, i, bits, isSigned) * field(b, i, bits, isSigned);
  setClamped(lane, site, sum, lane.argument<uint8_t>(site, 3) & 1, isSigned);
}

/// Operands: sign a, a, sign b, b, c, clamp.
void mixedDot(Lane &lane, const Site &site) {
  unsigned bits = site.operation.variant;
  bool signA = lane.argument<uint8_t>(site, 0) & 1;
  bool signB = lane.argument<uint8_t>(site, 2) & 1;
  int64_t sum = lane.argument<int32_t>(site, 4);
  for (unsigned i = 0; i < 32 / bits; ++i)
    sum += field(lane.argument<uint32_t>(site, 1), i, bits, signA) *
           field(lane.argument<uint32_t>(site, 3), i, bits, signB);
  setClamped(lane, site, sum, lane.argument<uint8_t>(site, 5) & 1, true);
}

enum DotFormat { kHalf, kBfloat };

/// Two products of half or bfloat, and c: of the result's type.
void floatDot(Lane &lane, const Site &site) {
  bool half = site.operation.variant == kHalf;
  auto decode = [&](uint16_t bits) {
    return double(half ? halfToFloat(bits) : bf16ToFloat(bits));
  };
  uint32_t a = lane.argument<uint32_t>(site, 0);
  uint32_t b = lane.argument<uint32_t>(site, 1);
  double products = decode(uint16_t(a)) * decode(uint16_t(b)) +
                    decode(uint16_t(a >> 16)) * decode(uint16_t(b >> 16));
  if (site.result.bytes == 2) {
    double sum = products + decode(lane.argument<uint16_t>(site, 2));
    lane.setResult(site, half ? doubleToHalf(sum) : doubleToBf16(sum));
    return;
  }
  double sum = products + lane.argument<float>(site, 2);
  if (lane.argument<uint8_t>(site, 3) & 1)
    sum = std::clamp(sum, 0.0, 1.0);
  lane.setResult(site, float(sum));
}

/// variant: bit 0 if a is bf8, bit 1 if b is.
void smallFloatDot(Lane &lane, const Site &site) {
  const SmallFloat &formatA = site.operation.variant & 1 ? kBf8Ocp : kFp8Ocp;
  const SmallFloat &formatB = site.operation.variant & 2 ? kBf8Ocp : kFp8Ocp;
  uint32_t a = lane.argument<uint32_t>(site, 0);
  uint32_t b = lane.argument<uint32_t>(site, 1);
  double sum = lane.argument<float>(site, 2);
  for (unsigned i = 0; i < 4; ++i)
    sum += double(formatA.decode(a >> 8 * i & 255)) *
           formatB.decode(b >> 8 * i & 255);
  lane.setResult(site, float(sum));
}

void median(Lane &lane, const Site &site) {
  double a = floatAt(lane, site, 0), b = floatAt(lane, site, 1),
         c = floatAt(lane, site, 2);
  // With a NaN: the smallest of the others.
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    return setFloat(lane, site, std::fmin(std::fmin(a, b), c));
  setFloat(lane, site, std::max(std::min(a, b), std::min(std::max(a, b), c)));
}

/// Each byte of the selector picks one of the eight of {a, b}, b's being 0 to
/// 3, or a sign (8 to 11), 0 (12) or 255.
void bytePermute(Lane &lane, const Site &site) {
  uint64_t bytes = uint64_t(lane.argument<uint32_t>(site, 0)) << 32 |
                   lane.argument<uint32_t>(site, 1);
  uint32_t select = lane.argument<uint32_t>(site, 2), result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned which = select >> 8 * i & 255;
    uint32_t byte = 255;
    if (which < 8)
      byte = bytes >> 8 * which & 255;
    else if (which < 12)
      byte = bytes >> (16 * (which - 8) + 15) & 1 ? 255 : 0;
    else if (which == 12)
      byte = 0;
    result |= byte << 8 * i;
  }
  lane.setResult(site, result);
}

void alignByte(Lane &lane, const Site &site) {
  uint64_t bytes = uint64_t(lane.argument<uint32_t>(site, 0)) << 32 |
                   lane.argument<uint32_t>(site, 1);
  lane.setResult(site,
                 uint32_t(bytes >> 8 * (lane.argument<uint32_t>(site, 2) & 3)));
}

void bitField(Lane &lane, const Site &site) {
  uint32_t word = lane.argument<uint32_t>(site, 0);
  unsigned offset = lane.argument<uint32_t>(site, 1) & 31;
  unsigned width = lane.argument<uint32_t>(site, 2) & 31;
  if (width == 0)
    return lane.setResult(site, 0u);
  uint32_t value = word >> offset & ((1u << width) - 1);
  if (site.operation.variant && value >> (width - 1) & 1)
    value |= ~0u << width;
  lane.setResult(site, value);
}

enum SadKind { kSadU8, kMsadU8, kSadHiU8, kSadU16 };

void absoluteDifferences(Lane &lane, const Site &site) {
  uint32_t a = lane.argument<uint32_t>(site, 0);
  uint32_t b = lane.argument<uint32_t>(site, 1), sum = 0;
  int kind = site.operation.variant;
  unsigned bits = kind == kSadU16 ? 16 : 8;
  for (unsigned i = 0; i < 32 / bits; ++i) {
    int64_t x = field(a, i, bits, false), y = field(b, i, bits, false);
    if (kind != kMsadU8 || y != 0)
      sum += uint32_t(std::abs(x - y));
  }
  if (kind == kSadHiU8)
    sum <<= 16;
  lane.setResult(site, sum + lane.argument<uint32_t>(site, 2));
}

/// variant: bit 0 if signed, bit 1 for the high half of the product.
void multiply24(Lane &lane, const Site &site) {
  auto narrow = [&](uint32_t word) {
    return site.operation.variant & 1 ? int64_t(int32_t(word << 8) >> 8)
                                      : int64_t(word & 0xffffff);
  };
  int64_t product = narrow(lane.argument<uint32_t>(site, 0)) *
                    narrow(lane.argument<uint32_t>(site, 1));
  lane.setResult(
      site, uint32_t(site.operation.variant & 2 ? product >> 32 : product));
}

enum UnaryKind {
  kReciprocal,
  kReciprocalRoot,
  kRoot,
  kExp2,
  kLog2,
  kSin,
  kCos,
  kFract,
  kMantissa,
  kTanh
};

void unary(Lane &lane, const Site &site) {
  constexpr double kTurn = 6.283185307179586476925;
  double x = floatAt(lane, site, 0), result = 0;
  int exponent;
  switch (site.operation.variant) {
  case kReciprocal:
    result = 1 / x;
    break;
  case kReciprocalRoot:
    result = 1 / std::sqrt(x);
    break;
  case kRoot:
    result = std::sqrt(x);
    break;
  case kExp2:
    result = std::exp2(x);
    break;
  case kLog2:
    result = std::log2(x);
    break;
  case kSin: // operands are turns
    result = std::sin(kTurn * x);
    break;
  case kCos:
    result = std::cos(kTurn * x);
    break;
  case kFract:
    result = x - std::floor(x);
    break;
  case kMantissa:
    result = std::frexp(x, &exponent);
    break;
  case kTanh:
    result = std::tanh(x);
    break;
  }
  setFloat(lane, site, result);
}

void exponentOf(Lane &lane, const Site &site) {
  int exponent = 0;
  double x = floatAt(lane, site, 0);
  if (std::isfinite(x))
    (void)std::frexp(x, &exponent);
  if (site.result.bytes == 2)
    lane.setResult(site, int16_t(exponent));
  else
    lane.setResult(site, int32_t(exponent));
}

/// The bits of the mask say which classes are asked for.
void classOf(Lane &lane, const Site &site) {
  double x = floatAt(lane, site, 0);
  uint32_t mask = lane.argument<uint32_t>(site, 1);
  unsigned bytes = site.arguments[0].bytes;
  double least = bytes == 2   ? 0x1p-14
                 : bytes == 4 ? double(std::numeric_limits<float>::min())
                              : std::numeric_limits<double>::min();
  uint64_t bits = 0;
  std::memcpy(&bits, lane.argumentBytes(site, 0), bytes);
  unsigned mantissa = bytes == 2 ? 10 : bytes == 4 ? 23 : 52;
  bool negative = std::signbit(x);
  unsigned which;
  if (std::isnan(x))
    which = bits >> (mantissa - 1) & 1;
  else if (std::isinf(x))
    which = negative ? 2 : 9;
  else if (x == 0)
    which = negative ? 5 : 6;
  else if (std::fabs(x) < least)
    which = negative ? 4 : 7;
  else
    which = negative ? 3 : 8;
  lane.setResult(site, uint8_t(mask >> which & 1));
}

void fusedMultiplyAdd(Lane &lane, const Site &site) {
  double a = floatAt(lane, site, 0), b = floatAt(lane, site, 1);
  // Zero times anything is zero.
  double product = a == 0 || b == 0 ? 0 : a * b;
  setFloat(lane, site,
           site.arguments.size() == 3 ? product + floatAt(lane, site, 2)
                                      : product);
}

void firstDifferentBit(Lane &lane, const Site &site) {
  auto word = lane.argument<uint32_t>(site, 0);
  uint32_t value = int32_t(word) < 0 ? ~word : word;
  lane.setResult(site, value ? uint32_t(countl_zero(value)) : ~0u);
}

/// Any function of three bits, from its table.
void bitwiseOfThree(Lane &lane, const Site &site) {
  uint32_t operands[3] = {0, 0, 0}, result = 0;
  for (unsigned i = 0; i < 3; ++i)
    std::memcpy(&operands[i], lane.argumentBytes(site, i), site.result.bytes);
  uint32_t table = lane.argument<uint32_t>(site, 3);
  for (unsigned bit = 0; bit < 32; ++bit) {
    unsigned row = (operands[0] >> bit & 1) << 2 |
                   (operands[1] >> bit & 1) << 1 | (operands[2] >> bit & 1);
    result |= (table >> row & 1) << bit;
  }
  std::memcpy(lane.resultBytes(site), &result, site.result.bytes);
}

constexpr OperationRow kOperations[] = {
    perLane("sdot2", dot, -16),
    perLane("udot2", dot, 16),
    perLane("sdot4", dot, -8),
    perLane("udot4", dot, 8),
    perLane("sdot8", dot, -4),
    perLane("udot8", dot, 4),
    perLane("sudot4", mixedDot, 8),
    perLane("sudot8", mixedDot, 4),
    perLane("fdot2", floatDot, kHalf),
    perLane("fdot2.f16.f16", floatDot, kHalf),
    perLane("fdot2.bf16.bf16", floatDot, kBfloat),
    perLane("fdot2.f32.bf16", floatDot, kBfloat),
    perLane("fdot2c.f32.bf16", floatDot, kBfloat),
    perLane("dot4.f32.fp8.fp8", smallFloatDot, 0),
    perLane("dot4.f32.bf8.fp8", smallFloatDot, 1),
    perLane("dot4.f32.fp8.bf8", smallFloatDot, 2),
    perLane("dot4.f32.bf8.bf8", smallFloatDot, 3),
    perLane("fmed3", median),
    perLane("perm", bytePermute),
    perLane("alignbyte", alignByte),
    perLane("ubfe", bitField, 0),
    perLane("sbfe", bitField, 1),
    perLane("sad.u8", absoluteDifferences, kSadU8),
    perLane("msad.u8", absoluteDifferences, kMsadU8),
    perLane("sad.hi.u8", absoluteDifferences, kSadHiU8),
    perLane("sad.u16", absoluteDifferences, kSadU16),
    perLane("mul.u24", multiply24, 0),
    perLane("mul.i24", multiply24, 1),
    perLane("mulhi.u24", multiply24, 2),
    perLane("mulhi.i24", multiply24, 3),
    perLane("rcp", unary, kReciprocal),
    perLane("rsq", unary, kReciprocalRoot),
    perLane("sqrt", unary, kRoot),
    perLane("exp2", unary, kExp2),
    perLane("log", unary, kLog2),
    perLane("sin", unary, kSin),
    perLane("cos", unary, kCos),
    perLane("fract", unary, kFract),
    perLane("frexp.mant", unary, kMantissa),
    perLane("tanh", unary, kTanh),
    perLane("frexp.exp", exponentOf),
    perLane("class", classOf),
    perLane("fmul.legacy", fusedMultiplyAdd),
    perLane("fma.legacy", fusedMultiplyAdd),
    perLane("sffbh", firstDifferentBit),
    perLane("bitop3", bitwiseOfThree),
};

} // namespace

ArrayRef<OperationRow> arithmeticOperations() { return kOperations; }

} // namespace tilewright::emulator
