// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a matrix instruction computes. Products and sums of floats are taken in
// double precision and rounded once: no hardware's rounding.

#include "MatrixInstructions.h"
#include "Numbers.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace llvm;

namespace tilewright::emulator {

namespace {

constexpr unsigned kMaxElements = 4096;

/// An operand's elements as [block][row][k], and of B as [block][k][row].
template <typename T> using Elements = std::array<T, kMaxElements>;

std::array<float, 256> decodeTable(const SmallFloat &format) {
  std::array<float, 256> table;
  for (unsigned bits = 0; bits < 256; ++bits)
    table[bits] = format.decode(bits & ((1u << format.bits()) - 1));
  return table;
}

const std::array<float, 256> &decoded(Element element, bool fnuz) {
  static const auto fp8 = decodeTable(kFp8Ocp), bf8 = decodeTable(kBf8Ocp),
                    fp8Fnuz = decodeTable(kFp8Fnuz),
                    bf8Fnuz = decodeTable(kBf8Fnuz), fp6 = decodeTable(kFp6),
                    bf6 = decodeTable(kBf6), fp4 = decodeTable(kFp4);
  switch (element) {
  case Element::FP8:
    return fnuz ? fp8Fnuz : fp8;
  case Element::BF8:
    return fnuz ? bf8Fnuz : bf8;
  case Element::FP6:
    return fp6;
  case Element::BF6:
    return bf6;
  default:
    return fp4;
  }
}

template <typename T> T read(const char *bytes, unsigned i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return value;
}

uint32_t readBits(const char *bytes, unsigned first, unsigned count) {
  uint32_t word = uint8_t(bytes[first / 8]);
  if (first % 8 + count > 8)
    word |= uint32_t(uint8_t(bytes[first / 8 + 1])) << 8;
  return word >> first % 8 & ((1u << count) - 1);
}

/// Half to float by the exponent's offset alone: exact, and without a call.
float fastHalf(uint16_t bits) {
  float magnitude = bitsTo<float>(uint32_t(bits & 0x7fff) << 13) * 0x1p112f;
  if ((bits & 0x7c00) == 0x7c00)
    magnitude = bits & 0x3ff ? NAN : INFINITY;
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// Calls put(element, value) for the elements of one lane.
template <typename Put>
void decodeFloats(const char *bytes, Element type, bool fnuz, unsigned count,
                  Put put) {
  switch (type) {
  case Element::F64:
    for (unsigned e = 0; e < count; ++e)
      put(e, read<double>(bytes, e));
    return;
  case Element::F32:
    for (unsigned e = 0; e < count; ++e)
      put(e, read<float>(bytes, e));
    return;
  case Element::XF32:
    for (unsigned e = 0; e < count; ++e)
      put(e, bitsTo<float>(read<uint32_t>(bytes, e) & ~0x1fffu));
    return;
  case Element::F16:
    for (unsigned e = 0; e < count; ++e)
      put(e, fastHalf(read<uint16_t>(bytes, e)));
    return;
  case Element::BF16:
    for (unsigned e = 0; e < count; ++e)
      put(e, bf16ToFloat(read<uint16_t>(bytes, e)));
    return;
  default: {
    const auto &table = decoded(type, fnuz);
    unsigned bits = bitsOf(type);
    for (unsigned e = 0; e < count; ++e)
      put(e, table[readBits(bytes, e * bits, bits)]);
  }
  }
}

template <typename Put>
void decodeIntegers(const char *bytes, Element type, bool isSigned,
                    unsigned count, Put put) {
  unsigned bits = bitsOf(type);
  for (unsigned e = 0; e < count; ++e) {
    int32_t value = int32_t(readBits(bytes, e * bits, bits));
    if (isSigned && value >> (bits - 1))
      value -= 1 << bits;
    put(e, value);
  }
}

/// Where the operands of each form are, and what its modifiers say.
struct Operands {
  unsigned a = 0, b = 1, c = 2;
  bool signedA = true, signedB = true, clamp = false;
  bool negateA = false, negateB = false, negateC = false, absoluteC = false;
  unsigned broadcastBits = 0, broadcastBlock = 0; ///< cbsz, abid
  unsigned half = 0;
  bool scaled = false;
};

bool readOperands(Wave &wave, const Site &site, Operands &operands) {
  const MatrixInstruction &instruction = *site.operation.matrix;
  const Lane &lane = wave.lanes[0];
  auto flag = [&](unsigned i) { return lane.argument<uint8_t>(site, i) & 1; };
  auto word = [&](unsigned i) { return lane.argument<uint32_t>(site, i); };
  auto refuse = [&](Twine what) {
    wave.machine->failWave(wave, FaultKind::InvalidOperand, site, what);
    return false;
  };
  switch (instruction.form) {
  case Form::Wmma:
    return true;
  case Form::WmmaHalf:
    operands.half = flag(3);
    return true;
  case Form::WmmaInt:
  case Form::WmmaReuse:
    operands.signedA = flag(0);
    operands.signedB = flag(2);
    operands.a = 1;
    operands.b = 3;
    operands.c = 4;
    operands.clamp = flag(instruction.form == Form::WmmaInt ? 5 : 7);
    return true;
  case Form::WmmaMods:
    operands.negateA = flag(0);
    operands.negateB = flag(2);
    operands.a = 1;
    operands.b = 3;
    operands.c = 5;
    operands.negateC = lane.argument<uint16_t>(site, 4) & 1;
    operands.absoluteC = lane.argument<uint16_t>(site, 4) & 2;
    return true;
  case Form::WmmaCmod:
    operands.c = 3;
    operands.negateC = lane.argument<uint16_t>(site, 2) & 1;
    operands.absoluteC = lane.argument<uint16_t>(site, 2) & 2;
    return true;
  case Form::Mfma:
    if (instruction.d == Element::F64 && wave.machine->target.gfx != Gfx90a) {
      operands.negateA = word(5) & 1;
      operands.negateB = word(5) & 2;
      operands.negateC = word(5) & 4;
    } else if (word(5)) {
      return refuse("blgp is not emulated: it must be 0");
    }
    operands.broadcastBits = word(3);
    operands.broadcastBlock = word(4);
    if (1u << operands.broadcastBits > instruction.blocks ||
        operands.broadcastBlock >= 1u << operands.broadcastBits)
      return refuse(formatv("cbsz {0} and abid {1} with {2} blocks", word(3),
                            word(4), instruction.blocks));
    return true;
  case Form::WmmaCoded:
  case Form::WmmaScale:
    operands.a = 1;
    operands.b = 3;
    operands.c = 5;
    operands.negateC = lane.argument<uint16_t>(site, 4) & 1;
    operands.absoluteC = lane.argument<uint16_t>(site, 4) & 2;
    operands.scaled = instruction.form == Form::WmmaScale;
    if (operands.scaled && (word(7) || word(10)))
      return refuse("only E8M0 scales, format 0, are emulated");
    return true;
  case Form::MfmaScale:
    operands.scaled = !site.operation.variant;
    return true;
  }
  llvm_unreachable("no such form");
}

float scaleAt(Wave &wave, const Site &site, unsigned row, unsigned rows,
              unsigned k, unsigned argument) {
  if (site.operation.matrix->form == Form::WmmaScale) {
    // Bytes of the row's lane, in the half of the wave that an operand names.
    const Lane &first = wave.lanes[0];
    unsigned half = first.argument<uint32_t>(site, argument - 2) & 1;
    const Lane &lane = wave.lanes[half * rows + row];
    unsigned block = site.operation.matrix->k / site.arguments[argument].bytes;
    return decodeE8M0(uint8_t(lane.argumentBytes(site, argument)[k / block]));
  }
  const Lane &lane = wave.lanes[k / 32 * rows + row];
  unsigned select = lane.argument<uint32_t>(site, argument - 1);
  return decodeE8M0(
      uint8_t(lane.argument<uint32_t>(site, argument) >> 8 * (select & 3)));
}

/// Puts what lanes hold where it belongs.
template <typename T, typename Decode>
void gather(Wave &wave, const Site &site, unsigned argument,
            const std::vector<uint16_t> &places, unsigned count,
            Elements<T> &elements, Decode decode) {
  const uint16_t *place = places.data();
  for (const Lane &lane : wave.lanes) {
    decode(lane.argumentBytes(site, argument),
           [&](unsigned e, T value) { elements[place[e]] = value; });
    place += count;
  }
}

#if defined(__x86_64__) && defined(__ELF__)
#define TW_EMULATOR_CLONES                                                     \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define TW_EMULATOR_CLONES
#endif

/// out[row][column] += a[row][k] b[k][column].
#define TW_EMULATOR_MULTIPLY(name, type)                                       \
  TW_EMULATOR_CLONES void name(unsigned m, unsigned n, unsigned depth,         \
                               const type *a, const type *b, type *out) {      \
    for (unsigned row = 0; row < m; ++row)                                     \
      for (unsigned k = 0; k < depth; ++k) {                                   \
        type left = a[row * depth + k];                                        \
        for (unsigned column = 0; column < n; ++column)                        \
          out[row * n + column] += left * b[k * n + column];                   \
      }                                                                        \
  }

TW_EMULATOR_MULTIPLY(multiplyBlock, double)
TW_EMULATOR_MULTIPLY(multiplyBlock, int32_t)

/// sums[block][row][column] = A x B.
template <typename T>
void multiply(const MatrixInstruction &instruction, const Operands &operands,
              const Elements<T> &a, const Elements<T> &b, Elements<T> &sums) {
  unsigned m = instruction.m, n = instruction.n, depth = instruction.k;
  unsigned size = 1u << operands.broadcastBits;
  std::fill_n(sums.begin(), instruction.blocks * m * n, T(0));
  for (unsigned block = 0; block < instruction.blocks; ++block) {
    unsigned from =
        size == 1 ? block : block / size * size + operands.broadcastBlock;
    multiplyBlock(m, n, depth, &a[from * m * depth], &b[block * depth * n],
                  &sums[block * m * n]);
  }
}

double readFloat(const char *bytes, Element type, unsigned i) {
  switch (type) {
  case Element::F64:
    return read<double>(bytes, i);
  case Element::F32:
    return read<float>(bytes, i);
  case Element::F16:
    return halfToFloat(read<uint16_t>(bytes, i));
  default:
    return bf16ToFloat(read<uint16_t>(bytes, i));
  }
}

void writeFloat(char *bytes, Element type, unsigned i, double value) {
  switch (type) {
  case Element::F64:
    std::memcpy(bytes + 8 * i, &value, 8);
    return;
  case Element::F32: {
    float narrow = float(value);
    std::memcpy(bytes + 4 * i, &narrow, 4);
    return;
  }
  default: {
    uint16_t narrow =
        type == Element::F16 ? doubleToHalf(value) : doubleToBf16(value);
    std::memcpy(bytes + 2 * i, &narrow, 2);
  }
  }
}

void runFloat(Wave &wave, const Site &site, const Operands &operands) {
  const MatrixInstruction &instruction = *site.operation.matrix;
  static thread_local Elements<double> a, b, sums;
  bool fnuz = wave.machine->target.fnuz;
  const MatrixPlaces &places = *site.operation.places;
  gather(wave, site, operands.a, places.a, places.elementsA, a,
         [&](const char *bytes, auto put) {
           decodeFloats(bytes, places.typeA, fnuz, places.elementsA, put);
         });
  gather(wave, site, operands.b, places.b, places.elementsB, b,
         [&](const char *bytes, auto put) {
           decodeFloats(bytes, places.typeB, fnuz, places.elementsB, put);
         });
  unsigned scaleA = instruction.form == Form::MfmaScale ? 6 : 8;
  unsigned scaleB = instruction.form == Form::MfmaScale ? 8 : 11;
  if (operands.scaled)
    for (unsigned k = 0; k < instruction.k; ++k)
      for (unsigned row = 0; row < instruction.m; ++row) {
        a[row * instruction.k + k] *=
            scaleAt(wave, site, row, instruction.m, k, scaleA);
        b[k * instruction.n + row] *=
            scaleAt(wave, site, row, instruction.n, k, scaleB);
      }
  multiply(instruction, operands, a, b, sums);

  double sign = operands.negateA != operands.negateB ? -1 : 1;
  bool half = instruction.form == Form::WmmaHalf;
  for (const Lane &lane : wave.lanes) {
    const uint16_t *place = &places.d[lane.index * places.elementsD];
    const char *in = lane.argumentBytes(site, operands.c);
    char *out = lane.resultBytes(site);
    // The half of each register that is not D's stays what C's is.
    if (half)
      std::memcpy(out, in, site.result.bytes);
    for (unsigned e = 0; e < places.elementsD; ++e) {
      unsigned at = half ? 2 * e + operands.half : e;
      double c = readFloat(in, instruction.c, at);
      if (operands.absoluteC)
        c = std::fabs(c);
      if (operands.negateC)
        c = -c;
      double sum = sums[place[e]];
      writeFloat(out, instruction.d, at, c + sign * sum);
    }
  }
}

void runInteger(Wave &wave, const Site &site, const Operands &operands) {
  const MatrixInstruction &instruction = *site.operation.matrix;
  static thread_local Elements<int32_t> a, b, sums;
  const MatrixPlaces &places = *site.operation.places;
  gather(wave, site, operands.a, places.a, places.elementsA, a,
         [&](const char *bytes, auto put) {
           decodeIntegers(bytes, places.typeA, operands.signedA,
                          places.elementsA, put);
         });
  gather(wave, site, operands.b, places.b, places.elementsB, b,
         [&](const char *bytes, auto put) {
           decodeIntegers(bytes, places.typeB, operands.signedB,
                          places.elementsB, put);
         });
  multiply(instruction, operands, a, b, sums);
  for (const Lane &lane : wave.lanes) {
    const uint16_t *place = &places.d[lane.index * places.elementsD];
    const char *in = lane.argumentBytes(site, operands.c);
    char *out = lane.resultBytes(site);
    for (unsigned e = 0; e < places.elementsD; ++e) {
      int64_t sum = int64_t(read<int32_t>(in, e)) + sums[place[e]];
      if (operands.clamp)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      int32_t narrow = int32_t(sum);
      std::memcpy(out + 4 * e, &narrow, 4);
    }
  }
}

} // namespace

void runMatrixInstruction(Wave &wave, const Site &site) {
  Operands operands;
  if (!readOperands(wave, site, operands))
    return;
  if (isFloat(site.operation.matrix->d))
    runFloat(wave, site, operands);
  else
    runInteger(wave, site, operands);
}

} // namespace tilewright::emulator
