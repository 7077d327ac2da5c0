// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intel SDM volume 2: LDTILECFG, TILELOADD, TILESTORED, TDPBSSD and its
// siblings, TDPBF16PS.

#include "tests/tiles/amx_model.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kTiles = 8, kMostRows = 16, kMostRowBytes = 64;

struct Tile {
  int rows = 0, rowBytes = 0;
  uint8_t bytes[kMostRows][kMostRowBytes] = {};
};

struct Registers {
  tw_model_counts_t counts = {};
  Tile tiles[kTiles];
};

thread_local Registers registers;

// What the CPU answers with a fault.
[[noreturn]] void fault(const char* why) {
  std::fprintf(stderr, "AMX: %s\n", why);
  std::abort();
}

Tile& tileOf(int number) {
  if (!registers.counts.configured)
    fault("a tile register without configuration");
  if (number < 0 || number >= kTiles) fault("no such tile register");
  Tile& tile = registers.tiles[number];
  if (tile.rows == 0) fault("a tile register that is not configured");
  return tile;
}

template <typename T>
T element(const Tile& tile, int row, int i) {
  T value;
  std::memcpy(&value, &tile.bytes[row][i * sizeof(T)], sizeof(T));
  return value;
}

// Lanes of 32 bits of row `row`.
template <typename T>
void setElement(Tile& tile, int row, int i, T value) {
  std::memcpy(&tile.bytes[row][i * sizeof(T)], &value, sizeof(T));
}

template <typename X, typename Y>
void multiplyBytes(Tile& acc, const Tile& x, const Tile& y) {
  for (int m = 0; m < acc.rows; ++m)
    for (int n = 0; n < acc.rowBytes / 4; ++n) {
      uint32_t sum = element<uint32_t>(acc, m, n);
      for (int k = 0; k < x.rowBytes; ++k)
        sum +=
            static_cast<uint32_t>(int32_t{element<X>(x, m, k)} *
                                  int32_t{element<Y>(y, k / 4, 4 * n + k % 4)});
      setElement(acc, m, n, sum);
    }
}

float flushed(float value) { return std::fabs(value) < 0x1p-126f ? 0 : value; }

float bf16(const Tile& tile, int row, int i) {
  const uint32_t bits = uint32_t{element<uint16_t>(tile, row, i)} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return flushed(value);
}

// Even and odd products of a step in two chains, which are added to each other
// and then to the accumulator.
void multiplyBf16(Tile& acc, const Tile& x, const Tile& y) {
  for (int m = 0; m < acc.rows; ++m)
    for (int n = 0; n < acc.rowBytes / 4; ++n) {
      float sums[2] = {0, 0};
      for (int k = 0; k < x.rowBytes / 2; ++k)
        sums[k % 2] = flushed(std::fma(
            bf16(x, m, k), bf16(y, k / 2, 2 * n + k % 2), sums[k % 2]));
      const float sum = flushed(sums[0] + sums[1]);
      setElement(acc, m, n, flushed(flushed(element<float>(acc, m, n)) + sum));
    }
}

}  // namespace

void tw_model_loadconfig(const void* config) {
  uint8_t bytes[64];
  std::memcpy(bytes, config, sizeof bytes);
  if (bytes[0] != 1) fault("a palette other than 1");
  for (int i = 1; i < 16; ++i)
    if (bytes[i] != 0) fault("a configuration with reserved bytes");
  for (int t = 0; t < 16; ++t) {
    uint16_t rowBytes;
    std::memcpy(&rowBytes, bytes + 16 + 2 * t, sizeof rowBytes);
    const int rows = bytes[48 + t];
    if (rows > kMostRows || rowBytes > kMostRowBytes ||
        (rows == 0) != (rowBytes == 0) || (t >= kTiles && rows != 0))
      fault("a configuration of a tile that there is not");
    if (t >= kTiles) continue;
    registers.tiles[t] = Tile{};
    registers.tiles[t].rows = rows;
    registers.tiles[t].rowBytes = rowBytes;
  }
  registers.counts.configured = 1;
  ++registers.counts.loadconfigs;
}

void tw_model_release() {
  for (Tile& tile : registers.tiles) tile = Tile{};
  registers.counts.configured = 0;
  ++registers.counts.releases;
}

void tw_model_zero(int tile) {
  std::memset(tileOf(tile).bytes, 0, sizeof Tile::bytes);
}

void tw_model_load(int tile, const void* from, ptrdiff_t stride) {
  Tile& to = tileOf(tile);
  for (int r = 0; r < to.rows; ++r)
    std::memcpy(to.bytes[r], static_cast<const char*>(from) + r * stride,
                to.rowBytes);
}

void tw_model_store(int tile, void* to, ptrdiff_t stride) {
  const Tile& from = tileOf(tile);
  for (int r = 0; r < from.rows; ++r)
    std::memcpy(static_cast<char*>(to) + r * stride, from.bytes[r],
                from.rowBytes);
}

void tw_model_multiply(tw_model_types_t types, int acc, int lhs, int rhs) {
  Tile& sums = tileOf(acc);
  const Tile &x = tileOf(lhs), &y = tileOf(rhs);
  if (acc == lhs || acc == rhs || lhs == rhs) fault("one tile register twice");
  if (x.rows != sums.rows || y.rowBytes != sums.rowBytes ||
      x.rowBytes / 4 != y.rows)
    fault("a multiply of tiles that do not fit");
  ++registers.counts.multiplies;
  switch (types) {
    case TW_MODEL_S8S8:
      return multiplyBytes<int8_t, int8_t>(sums, x, y);
    case TW_MODEL_S8U8:
      return multiplyBytes<int8_t, uint8_t>(sums, x, y);
    case TW_MODEL_U8S8:
      return multiplyBytes<uint8_t, int8_t>(sums, x, y);
    case TW_MODEL_U8U8:
      return multiplyBytes<uint8_t, uint8_t>(sums, x, y);
    case TW_MODEL_BF16:
      return multiplyBf16(sums, x, y);
  }
}

tw_model_counts_t tw_model_counts() { return registers.counts; }
