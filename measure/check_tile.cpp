// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small cases, and a plain reference.

#include "measure/check_tile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "measure/elements.h"

namespace tilewright::bench {
namespace {

// An odd K, so that remainders of unrolled loops run; fewer steps of big tiles.
int64_t checkedSteps(const TileKey& key) {
  return std::clamp<int64_t>(
      (int64_t(1) << 24) / (int64_t(key.m0) * key.n0 * key.k0), 1, 33);
}

tw_mmt4d_params_t paramsOf(const TileKey& key, int64_t k, bool accumulate) {
  tw_mmt4d_params_t params = {};
  params.K = k;
  params.M0 = key.m0;
  params.N0 = key.n0;
  params.K0 = key.k0;
  params.flags = key.types | (accumulate ? TW_MMT4D_FLAG_ACCUMULATE : 0);
  return params;
}

// The element of the rhs panel that is multiplied for (step, n, k0).
int64_t rhsAt(const TileKey& key, int64_t step, int64_t n, int64_t k0) {
  const int64_t group = key.vnni ? 32 / info(info(key.types).rhs).bits : key.k0;
  return step * key.n0 * key.k0 + (k0 / group * key.n0 + n) * group +
         k0 % group;
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

  const tw_mmt4d_params_t params = paramsOf(key, k, accumulate);
  fn(outBytes.data(), lhsBytes.data(), rhsBytes.data(), &params);

  for (int64_t m = 0; m < key.m0; ++m)
    for (int64_t n = 0; n < key.n0; ++n) {
      uint64_t sum = accumulate ? before[m * key.n0 + n] : 0;
      for (int64_t step = 0; step < k; ++step)
        for (int64_t k0 = 0; k0 < key.k0; ++k0)
          sum += uint64_t(lhs[(step * key.m0 + m) * key.k0 + k0]) *
                 uint64_t(rhs[rhsAt(key, step, n, k0)]);
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

// How far a result may be from the exact sum, relative to the sum of the
// magnitudes of its terms (docs/numerics.md), before and after it is rounded to
// the out type.
struct Bound {
  double accumulated, rounded;
};

Bound boundOf(const TileKey& key, int64_t k) {
  const TypeTripleInfo& types = info(key.types);
  const double eps = std::ldexp(1.0, -mantissaBits(types.accumulator));
  const double terms = 2.0 * (double(k) * key.k0 + 1) * eps;
  if (types.out == types.accumulator) return {terms, 0};
  const double rounding = std::ldexp(0.5, -mantissaBits(types.out));
  // Each step rounds a sum of no more than all magnitudes and their errors.
  if (key.rounding == Rounding::kPerStep)
    return {1.1 * double(k) * (2.0 * (key.k0 + 1) * eps + rounding), 0};
  return {terms, rounding};
}

std::string checkRealsOnce(const TileKey& key, tw_mmt4d_tile_fn_t fn, int64_t k,
                           bool accumulate) {
  const TypeTripleInfo& types = info(key.types);
  Random random(uint64_t(k) * 2 + accumulate + 1000);
  std::vector<uint8_t> lhsBytes(k * key.lhsStepBytes());
  std::vector<uint8_t> rhsBytes(k * key.rhsStepBytes());
  std::vector<uint8_t> outBytes(key.outTileBytes());
  const std::vector<double> lhs =
      randomReals(types.lhs, k * key.m0 * key.k0, random, lhsBytes.data());
  const std::vector<double> rhs =
      randomReals(types.rhs, k * key.n0 * key.k0, random, rhsBytes.data());
  const std::vector<double> before =
      randomReals(types.out, int64_t(key.m0) * key.n0, random, outBytes.data());
  const tw_mmt4d_params_t params = paramsOf(key, k, accumulate);
  fn(outBytes.data(), lhsBytes.data(), rhsBytes.data(), &params);

  const Bound bound = boundOf(key, k);
  for (int64_t m = 0; m < key.m0; ++m)
    for (int64_t n = 0; n < key.n0; ++n) {
      long double sum = accumulate ? before[m * key.n0 + n] : 0;
      double magnitudes = std::fabs(double(sum));
      for (int64_t step = 0; step < k; ++step)
        for (int64_t k0 = 0; k0 < key.k0; ++k0) {
          const long double product =
              static_cast<long double>(lhs[(step * key.m0 + m) * key.k0 + k0]) *
              rhs[rhsAt(key, step, n, k0)];
          sum += product;
          magnitudes += std::fabs(double(product));
        }
      const double slack = bound.accumulated * magnitudes;
      const double allowed =
          slack + bound.rounded * (std::fabs(double(sum)) + slack);
      const double got = decode(types.out, outBytes.data(), m * key.n0 + n);
      // A NaN is not within anything.
      if (std::fabs(double(got - sum)) <= allowed) continue;
      char text[200];
      std::snprintf(text, sizeof text,
                    "wrong result: out[%lld][%lld] is %.9g, but may be no "
                    "further than %.3g from %.9g with K = %lld%s",
                    static_cast<long long>(m), static_cast<long long>(n), got,
                    allowed, double(sum), static_cast<long long>(k),
                    accumulate ? ", accumulating" : "");
      return text;
    }
  return "";
}

}  // namespace

std::string checkTile(const TileKey& key, tw_mmt4d_tile_fn_t fn) {
  // Small where narrow outputs must hold every partial sum exactly (bf16:
  // integers up to 256).
  const int64_t k = info(info(key.types).out).bits == 16
                        ? std::max<int64_t>(1, 60 / key.k0)
                        : checkedSteps(key);
  for (bool accumulate : {false, true}) {
    std::string error = checkOnce(key, fn, k, accumulate);
    if (!error.empty()) return error;
  }
  return "";
}

std::string checkReals(const TileKey& key, tw_mmt4d_tile_fn_t fn) {
  if (info(key.types).accumulator == TW_ELEMENT_S32) return "";
  for (bool accumulate : {false, true}) {
    std::string error = checkRealsOnce(key, fn, checkedSteps(key), accumulate);
    if (!error.empty()) return error;
  }
  return "";
}

}  // namespace tilewright::bench
