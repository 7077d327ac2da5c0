// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact small cases.

#include "bench/support/elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilewright::bench {
namespace {

// Exponent and mantissa widths and the bias (element_types.def).
struct FloatFormat {
  int exponentBits, mantissaBits, bias;
};

FloatFormat formatOf(tw_element_type_t type) {
  switch (type) {
    case TW_ELEMENT_F64:
      return {11, 52, 1023};
    case TW_ELEMENT_F32:
      return {8, 23, 127};
    case TW_ELEMENT_F16:
      return {5, 10, 15};
    case TW_ELEMENT_BF16:
      return {8, 7, 127};
    case TW_ELEMENT_F8E4M3FN:
      return {4, 3, 7};
    case TW_ELEMENT_F8E5M2:
      return {5, 2, 15};
    case TW_ELEMENT_F8E4M3FNUZ:
      return {4, 3, 8};
    case TW_ELEMENT_F8E5M2FNUZ:
      return {5, 2, 16};
    case TW_ELEMENT_F6E2M3FN:
      return {2, 3, 1};
    case TW_ELEMENT_F6E3M2FN:
      return {3, 2, 3};
    default:
      return {2, 1, 1};  // f4e2m1fn
  }
}

uint64_t encodeOne(const ElementTypeInfo& type, int64_t value) {
  if (type.kind != TW_ELEMENT_KIND_FLOAT)
    return uint64_t(value) & ((uint64_t(1) << type.bits) - 1);
  if (value == 0) return 0;
  FloatFormat format = formatOf(type.type);
  uint64_t exponent = format.bias + (std::abs(value) == 2 ? 1 : 0);
  uint64_t sign = value < 0;
  return sign << (format.exponentBits + format.mantissaBits) |
         exponent << format.mantissaBits;
}

double decodeSmallFloat(uint32_t bits, FloatFormat format) {
  uint32_t mantissaMask = (1u << format.mantissaBits) - 1;
  uint32_t exponentMask = (1u << format.exponentBits) - 1;
  int exponent = int(bits >> format.mantissaBits & exponentMask);
  double mantissa =
      (bits & mantissaMask) / double(mantissaMask + 1) + (exponent != 0);
  double value = std::ldexp(mantissa, std::max(exponent, 1) - format.bias);
  if (exponent == int(exponentMask)) value = std::nan("");
  return bits >> (format.mantissaBits + format.exponentBits) ? -value : value;
}

std::string checkOnce(const TileKey& key, tw_mmt4d_tile_fn_t fn, int64_t k,
                      bool accumulate) {
  const TypeTripleInfo& types = info(key.types);
  Random random(uint64_t(k) * 2 + accumulate);
  int64_t lhsCount = k * key.m0 * key.k0, rhsCount = k * key.n0 * key.k0;
  std::vector<int64_t> lhs = randomValues(types.lhs, lhsCount, random);
  std::vector<int64_t> rhs = randomValues(types.rhs, rhsCount, random);
  std::vector<int64_t> before =
      randomValues(types.out, int64_t(key.m0) * key.n0, random);
  std::vector<uint8_t> lhsBytes(k * key.lhsStepBytes());
  std::vector<uint8_t> rhsBytes(k * key.rhsStepBytes());
  std::vector<uint8_t> outBytes(key.outTileBytes());
  encode(types.lhs, lhs, lhsBytes.data());
  encode(types.rhs, rhs, rhsBytes.data());
  encode(types.out, before, outBytes.data());

  tw_mmt4d_params_t params = {};
  params.K = k;
  params.M0 = key.m0;
  params.N0 = key.n0;
  params.K0 = key.k0;
  params.flags = key.types | (accumulate ? TW_MMT4D_FLAG_ACCUMULATE : 0);
  fn(outBytes.data(), lhsBytes.data(), rhsBytes.data(), &params);

  for (int64_t m = 0; m < key.m0; ++m)
    for (int64_t n = 0; n < key.n0; ++n) {
      uint64_t sum = accumulate ? before[m * key.n0 + n] : 0;
      for (int64_t step = 0; step < k; ++step)
        for (int64_t k0 = 0; k0 < key.k0; ++k0)
          sum += uint64_t(lhs[(step * key.m0 + m) * key.k0 + k0]) *
                 uint64_t(rhs[(step * key.n0 + n) * key.k0 + k0]);
      double expected = types.out == TW_ELEMENT_S32 ? double(int32_t(sum))
                                                    : double(int64_t(sum));
      double got = decode(types.out, outBytes.data(), m * key.n0 + n);
      if (got != expected)
        return "wrong result: out[" + std::to_string(m) + "][" +
               std::to_string(n) + "] is " + std::to_string(got) +
               " instead of " + std::to_string(expected) +
               " with K = " + std::to_string(k) +
               (accumulate ? ", accumulating" : "");
    }
  return "";
}

}  // namespace

std::vector<int64_t> randomValues(tw_element_type_t type, int64_t count,
                                  Random& random) {
  const ElementTypeInfo& element = info(type);
  std::vector<int64_t> values(count);
  for (int64_t& value : values) {
    uint64_t bits = random() >> 32;
    if (element.kind == TW_ELEMENT_KIND_FLOAT)
      value = int64_t(bits % 5) - 2;
    else
      value = int64_t(bits & ((uint64_t(1) << element.bits) - 1));
    if (element.kind == TW_ELEMENT_KIND_SIGNED &&
        value >> (element.bits - 1) & 1)
      value -= int64_t(1) << element.bits;
  }
  return values;
}

void encode(tw_element_type_t type, const std::vector<int64_t>& values,
            uint8_t* bytes) {
  const ElementTypeInfo& element = info(type);
  int64_t size = (int64_t(values.size()) * element.bits + 7) / 8;
  std::memset(bytes, 0, size);
  for (int64_t i = 0; i < int64_t(values.size()); ++i) {
    uint64_t bits = encodeOne(element, values[i]);
    if (element.bits >= 8) {
      std::memcpy(bytes + i * (element.bits / 8), &bits, element.bits / 8);
      continue;
    }
    for (int bit = 0; bit < element.bits; ++bit)
      bytes[(i * element.bits + bit) / 8] |=
          uint8_t((bits >> bit & 1) << ((i * element.bits + bit) % 8));
  }
}

double decode(tw_element_type_t type, const uint8_t* bytes, int64_t index) {
  const uint8_t* at = bytes + index * (info(type).bits / 8);
  switch (type) {
    case TW_ELEMENT_S32: {
      int32_t value;
      std::memcpy(&value, at, sizeof(value));
      return value;
    }
    case TW_ELEMENT_F64: {
      double value;
      std::memcpy(&value, at, sizeof(value));
      return value;
    }
    case TW_ELEMENT_F32: {
      float value;
      std::memcpy(&value, at, sizeof(value));
      return value;
    }
    default: {
      uint16_t value;
      std::memcpy(&value, at, sizeof(value));
      return decodeSmallFloat(value, formatOf(type));
    }
  }
}

std::string checkTile(const TileKey& key, tw_mmt4d_tile_fn_t fn) {
  // An odd K, so that remainders of unrolled loops run; small where narrow
  // outputs must hold every partial sum exactly (bf16: integers up to 256).
  int64_t k = 33;
  if (info(info(key.types).out).bits == 16)
    k = std::max<int64_t>(1, 60 / key.k0);
  else
    k = std::clamp<int64_t>(
        (int64_t(1) << 24) / (int64_t(key.m0) * key.n0 * key.k0), 1, k);
  for (bool accumulate : {false, true}) {
    std::string error = checkOnce(key, fn, k, accumulate);
    if (!error.empty()) return error;
  }
  return "";
}

}  // namespace tilewright::bench
