// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/check_tile.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "tests/common/guarded_buffer.h"
#include "tests/tiles/checked_call.h"
#include "tests/tiles/element_codec.h"
#include "tests/tiles/long_sums.h"
#include "tests/tiles/reference.h"
#include "tests/tiles/vector_length.h"

namespace tilewright::testing {
namespace {

// What a tile may not read holds this: large or NaN as a float, negative as a
// size, a wild pointer.
constexpr uint8_t kPoison = 0xFE;

int64_t bytesOf(tw_element_type_t type) {
  return std::max(1, info(type).bits / 8);
}

GuardedBuffer makeBuffer(size_t size, BufferPlacement placement,
                         size_t elementBytes) {
  switch (placement) {
    case BufferPlacement::kTrailing:
      return GuardedBuffer(size, 0, Placement::kTrailing);
    case BufferPlacement::kLeading:
      return GuardedBuffer(size, 0, Placement::kLeading);
    case BufferPlacement::kMisaligned:
      return GuardedBuffer(size, 64 + elementBytes, Placement::kLeading);
  }
  return GuardedBuffer(size);
}

GuardedBuffer copyOf(const std::vector<uint8_t>& bytes,
                     BufferPlacement placement, size_t elementBytes) {
  GuardedBuffer buffer = makeBuffer(bytes.size(), placement, elementBytes);
  if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return buffer;
}

// The parameters of one call, with poison in all that a tile may not read. The
// buffer ends behind what flags announce. The poison at `next`
// may be asked for, but not read.
GuardedBuffer makeParams(const TileKey& key, const TileCase& c,
                         bool shapeInParams) {
  tw_mmt4d_params_t params;
  std::memset(&params, kPoison, sizeof params);
  params.K = c.K;
  params.flags = static_cast<uint32_t>(key.types);
  if (c.accumulate) params.flags |= TW_MMT4D_FLAG_ACCUMULATE;
  size_t size = offsetof(tw_mmt4d_params_t, out_row_stride);
  if (c.rowPadding >= 0) {
    params.flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE;
    params.out_row_stride = key.n0 + c.rowPadding;
    size = offsetof(tw_mmt4d_params_t, next);
  }
  if (shapeInParams) {
    params.M0 = key.m0;
    params.N0 = key.n0;
    params.K0 = key.k0;
    if (key.rounding == Rounding::kOnce)
      params.flags |= TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
    if (key.vnni) params.flags |= TW_MMT4D_FLAG_RHS_VNNI;
  } else {
    // Only the entry points read these two.
    Random random(c.seed ^ 0xF1A65);
    if (random.chance(0.5))
      params.flags |= TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
    if (random.chance(0.5))
      params.flags |= TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
    if (random.chance(0.5)) params.flags |= TW_MMT4D_FLAG_RHS_FAR;
    if (random.chance(0.5)) {
      params.flags |= TW_MMT4D_FLAG_NEXT;
      params.next_step = random.between(0, 300);
      size = sizeof params;
    }
  }
  GuardedBuffer buffer(size, 0, Placement::kTrailing);
  std::memcpy(buffer.data(), &params, size);
  return buffer;
}

// One key and case: the operands, the accepted answers, and the comparison.
class CaseRunner {
 public:
  CaseRunner(const TileKey& key, const TileCase& c, bool shapeInParams)
      : key_(key), case_(c), types_(info(key.types)) {
    Random random(c.seed);
    operands_ = makeOperands(key, c.K, c.data, c.accumulate, random);
    stride_ = key.n0 + std::max<int64_t>(c.rowPadding, 0);
    shapeInParams_ = shapeInParams;
  }

  // Whether tiles may differ in what they make of denormals.
  bool mayFlush() const {
    return case_.data == DataKind::kDenormal && mayFlushDenormals(key_);
  }

  // Empty if `tile` did right; fills `result` with its contiguous out tile.
  std::string run(const TileUnderTest& tile, std::vector<uint8_t>& result) {
    const int64_t outBytes = bytesOf(types_.out);
    GuardedBuffer lhs =
        copyOf(operands_.lhs, case_.placement, bytesOf(types_.lhs));
    GuardedBuffer rhs =
        copyOf(operands_.rhs, case_.placement, bytesOf(types_.rhs));
    const size_t outSize = ((key_.m0 - 1) * stride_ + key_.n0) * outBytes;
    GuardedBuffer out = makeBuffer(outSize, case_.placement, outBytes);
    GuardedBuffer params = makeParams(key_, case_, shapeInParams_);
    const std::vector<uint8_t> paramsBefore(
        params.as<uint8_t>(), params.as<uint8_t>() + params.size());
    std::memset(out.data(), kPoison, outSize);
    const size_t rowBytes = key_.n0 * outBytes;
    for (int64_t m = 0; m < key_.m0; ++m)
      std::memcpy(out.as<uint8_t>() + m * stride_ * outBytes,
                  operands_.out.data() + m * rowBytes, rowBytes);

    std::string broken =
        callTile(tile.fn, out.data(), lhs.data(), rhs.data(),
                 params.as<tw_mmt4d_params_t>(),
                 {{"the lhs panel", lhs.data(), lhs.size()},
                  {"the rhs panel", rhs.data(), rhs.size()},
                  {"the out tile", out.data(), out.size()},
                  {"the parameters", params.data(), params.size()}});
    if (!broken.empty()) return broken;
    if (!lhs.slackIntact() || !rhs.slackIntact() || !out.slackIntact() ||
        !params.slackIntact())
      return "it wrote outside the buffers";
    // Panels of no K steps have no address to compare.
    if (lhs.size() != 0 &&
        std::memcmp(lhs.data(), operands_.lhs.data(), lhs.size()) != 0)
      return "it changed the lhs panel";
    if (rhs.size() != 0 &&
        std::memcmp(rhs.data(), operands_.rhs.data(), rhs.size()) != 0)
      return "it changed the rhs panel";
    if (std::memcmp(params.data(), paramsBefore.data(), params.size()) != 0)
      return "it changed the parameters";
    result.resize(key_.m0 * rowBytes);
    for (int64_t m = 0; m < key_.m0; ++m) {
      const uint8_t* row = out.as<uint8_t>() + m * stride_ * outBytes;
      std::memcpy(result.data() + m * rowBytes, row, rowBytes);
      if (m + 1 == key_.m0) break;
      for (int64_t b = rowBytes; b < stride_ * outBytes; ++b)
        if (row[b] != kPoison)
          return "it wrote between the rows of the out tile, " +
                 std::to_string(b - rowBytes) + " bytes past row " +
                 std::to_string(m);
    }
    if (!mayFlush() || tile.denormals == Denormals::kKept)
      return compare(result, accepted(false));
    std::string why = compare(result, accepted(true));
    if (why.empty() || tile.denormals == Denormals::kFlushed) return why;
    return compare(result, accepted(false)).empty() ? "" : why;
  }

  // Whether all tiles must give the same answer.
  bool exact() const { return isExact(case_.data) && !mayFlush(); }

  // Where `a` and `b` differ in value; empty if nowhere.
  std::string difference(const std::vector<uint8_t>& a,
                         const std::vector<uint8_t>& b) const {
    if (a == b) return {};
    for (int64_t i = 0; i < int64_t{key_.m0} * key_.n0; ++i) {
      const double x = element(a, i), y = element(b, i);
      if (x == y || (x != x && y != y)) continue;
      return at(i) + number(x) + " against " + number(y);
    }
    return {};
  }

 private:
  double element(const std::vector<uint8_t>& tile, int64_t i) const {
    return decodeElement(types_.out,
                         loadElement(tile.data(), i, info(types_.out).bits));
  }
  std::string at(int64_t i) const {
    return "out[" + std::to_string(i / key_.n0) + "][" +
           std::to_string(i % key_.n0) + "] = ";
  }
  static bool isZero(const std::vector<uint8_t>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(),
                       [](uint8_t byte) { return byte == 0; });
  }
  static std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }

  std::string compare(const std::vector<uint8_t>& result,
                      const std::vector<Accepted>& accepted) const {
    if (case_.K == 0 && case_.accumulate)
      return result == operands_.out
                 ? std::string()
                 : "K is 0 with ACCUMULATE, but it changed the out tile";
    int64_t wrong = 0;
    std::string first;
    for (int64_t i = 0; i < int64_t{key_.m0} * key_.n0; ++i) {
      const double value = element(result, i);
      if (accepted[i].contains(value)) continue;
      if (wrong++ != 0) continue;
      const Accepted& a = accepted[i];
      first = at(i) + number(value) + ", accepted ";
      first += a.nan ? "NaN"
               : a.low == a.high
                   ? number(a.low)
                   : "[" + number(a.low) + ", " + number(a.high) + "]";
    }
    if (wrong == 0)
      return case_.K == 0 && !isZero(result)
                 ? "K is 0, but it wrote something else than +0"
                 : "";
    return std::to_string(wrong) + " of " +
           std::to_string(int64_t{key_.m0} * key_.n0) +
           " elements are wrong, the first: " + first;
  }

  // The accepted answers, computed when first asked for.
  const std::vector<Accepted>& accepted(bool flush) {
    std::vector<Accepted>& answers = accepted_[flush];
    if (answers.empty()) {
      ReferenceOptions options;
      options.exactness =
          isExact(case_.data) ? Exactness::kExact : Exactness::kBounded;
      options.flushDenormals = flush;
      answers = referenceTile(
          key_, case_.K, operands_.lhs.data(), operands_.rhs.data(),
          case_.accumulate ? operands_.out.data() : nullptr, options);
    }
    return answers;
  }

  TileKey key_;
  TileCase case_;
  const TypeTripleInfo& types_;
  Operands operands_;
  std::vector<Accepted> accepted_[2];  // denormals kept; flushed
  int64_t stride_;
  bool shapeInParams_;
};

}  // namespace

std::string CheckReport::text() const {
  if (cases == 0) return "no case ran";
  std::string text = std::to_string(cases) + " cases";
  for (const std::string& failure : failures) text += "\n  " + failure;
  return text;
}

CheckReport checkTiles(const TileKey& key,
                       const std::vector<TileUnderTest>& tiles,
                       const CheckOptions& options) {
  CheckReport report;
  std::string name = printTileKey(key);
  const std::optional<TileKey> concrete = concreteKey(key);
  if (!concrete) {
    report.failures.push_back(name + ": this CPU has no such vectors");
    return report;
  }
  if (key.isScalable())
    name += " at " + std::to_string(vectorBitsHere(info(key.isa).scaling)) +
            " bits";
  for (const TileCase& c : casesFor(*concrete, options)) {
    CaseRunner runner(*concrete, c, options.shapeInParams);
    std::vector<uint8_t> first;
    for (const TileUnderTest& tile : tiles) {
      ++report.cases;
      std::vector<uint8_t> result;
      std::string why = runner.run(tile, result);
      if (why.empty() && &tile == &tiles.front()) first = result;
      if (why.empty() && runner.exact() && !first.empty()) {
        why = runner.difference(result, first);
        if (!why.empty()) why += " (" + tiles.front().label + ")";
      }
      if (why.empty()) continue;
      report.failures.push_back(name + " (" + tile.label + ") " + describe(c) +
                                ": " + why + " [" + seedText(options.seed) +
                                "]");
      if (report.failures.size() >= CheckReport::kMaxFailures) return report;
    }
  }
  if (options.shapeInParams || !hasLongSums(*concrete) ||
      int64_t{concrete->m0} * concrete->n0 > options.longSumArea)
    return report;
  for (const TileUnderTest& tile : tiles) {
    ++report.cases;
    const std::string why = checkLongSum(*concrete, tile.fn, options.seed);
    if (!why.empty())
      report.failures.push_back(name + " (" + tile.label + "): " + why + " [" +
                                seedText(options.seed) + "]");
  }
  return report;
}

}  // namespace tilewright::testing
