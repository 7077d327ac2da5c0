// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/amdgpu/emulated_tile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "tests/tiles/element_codec.h"
#include "tests/tiles/reference.h"
#include "tilewright/tile.h"

namespace tilewright::testing {
namespace {

using llvm::Error;

constexpr uint8_t kPoison = 0xFE;

int64_t bytesOf(tw_element_type_t type) {
  return std::max(1, info(type).bits / 8);
}

// Bytes at a chosen distance from a multiple of 64.
class Placed {
 public:
  Placed(const std::vector<uint8_t>& bytes, size_t offset)
      : storage_(bytes.size() + offset + 64), size_(bytes.size()) {
    const size_t address = reinterpret_cast<size_t>(storage_.data());
    data_ = storage_.data() + (64 - address % 64) % 64 + offset;
    std::copy(bytes.begin(), bytes.end(), data_);
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  uint8_t* data() { return data_; }
  size_t size() const { return size_; }

 private:
  std::vector<uint8_t> storage_;
  uint8_t* data_;
  size_t size_;
};

// Scales near 1, so that sums stay in range; a few far off, a few NaNs.
std::vector<uint8_t> makeScales(int64_t bytes, DataKind data, Random& random) {
  std::vector<uint8_t> scales(bytes);
  for (uint8_t& scale : scales) {
    scale = data == DataKind::kOneHot
                ? 127
                : static_cast<uint8_t>(random.between(124, 130));
    if (data == DataKind::kReal && random.chance(0.05))
      scale = static_cast<uint8_t>(random.between(60, 190));
    if (data == DataKind::kSpecial && random.chance(0.01)) scale = 255;
  }
  return scales;
}

double scaleValue(uint8_t scale) {
  return scale == 255 ? std::nan("") : std::ldexp(1.0, scale - 127);
}

struct Panels {
  Operands operands;
  std::vector<uint8_t> lhsScales, rhsScales;
};

// The variant mx: what tile.h says, in double.
std::vector<Accepted> scaledReference(const TileKey& key, int64_t K,
                                      const Panels& panels, bool accumulate) {
  const TypeTripleInfo& types = info(key.types);
  const int64_t blocks = key.k0 / kScaleBlock;
  // Scaled values: [rows][K][K0].
  auto decode = [&](const std::vector<uint8_t>& panel,
                    const std::vector<uint8_t>& scales, tw_element_type_t type,
                    int rows) {
    const int bits = info(type).bits;
    std::vector<double> codes(size_t{1} << bits), values;
    for (size_t code = 0; code < codes.size(); ++code)
      codes[code] = decodeElement(type, code);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < K; ++k)
        for (int64_t k0 = 0; k0 < key.k0; ++k0) {
          const uint8_t* step = panel.data() + k * rows * key.k0 * bits / 8;
          const uint8_t scale =
              scales[(k * rows + row) * blocks + k0 / kScaleBlock];
          values.push_back(codes[loadElement(step, row * key.k0 + k0, bits)] *
                           scaleValue(scale));
        }
    return values;
  };
  const std::vector<double> lhs =
      decode(panels.operands.lhs, panels.lhsScales, types.lhs, key.m0);
  const std::vector<double> rhs =
      decode(panels.operands.rhs, panels.rhsScales, types.rhs, key.n0);
  const int64_t depth = K * key.k0;
  std::vector<Accepted> result;
  for (int64_t m = 0; m < key.m0; ++m)
    for (int64_t n = 0; n < key.n0; ++n) {
      double sum = 0, magnitude = 0;
      if (accumulate) {
        sum = decodeElement(
            types.out, loadElement(panels.operands.out.data(), m * key.n0 + n,
                                   info(types.out).bits));
        magnitude = std::fabs(sum);
      }
      for (int64_t k = 0; k < depth; ++k) {
        const double product = lhs[m * depth + k] * rhs[n * depth + k];
        sum += product;
        magnitude += std::fabs(product);
      }
      const double bound =
          2.0 * static_cast<double>(K * key.k0 + 1) * 0x1p-23 * magnitude;
      Accepted accepted;
      accepted.nan = std::isnan(sum);
      accepted.low = roundTo(types.out, sum - bound);
      accepted.high = roundTo(types.out, sum + bound);
      if (std::isinf(sum)) accepted.low = accepted.high = sum;
      result.push_back(accepted);
    }
  return result;
}

// Empty if the out tile has accepted values.
std::string compare(const TileKey& key, const std::vector<uint8_t>& out,
                    const std::vector<Accepted>& accepted) {
  const tw_element_type_t type = info(key.types).out;
  int64_t wrong = 0;
  std::string first;
  for (int64_t i = 0; i < int64_t{key.m0} * key.n0; ++i) {
    const double value =
        decodeElement(type, loadElement(out.data(), i, info(type).bits));
    const Accepted& a = accepted[i];
    if (a.contains(value)) continue;
    if (wrong++ != 0) continue;
    char text[160];
    std::snprintf(text, sizeof text,
                  "out[%d][%d] = %.17g, accepted [%.17g, %.17g]%s",
                  static_cast<int>(i / key.n0), static_cast<int>(i % key.n0),
                  value, a.low, a.high, a.nan ? " (NaN)" : "");
    first = text;
  }
  if (wrong == 0) return {};
  return std::to_string(wrong) + " of " +
         std::to_string(int64_t{key.m0} * key.n0) +
         " elements are wrong, the first: " + first;
}

// The emulator's buffers, for as long as a call takes.
class Registered {
 public:
  explicit Registered(emulator::Emulator& emulator) : emulator_(emulator) {}
  ~Registered() { emulator_.removeAllBuffers(); }
  void add(Placed& buffer, emulator::Access access, const char* name) {
    if (buffer.size() == 0 || !why_.empty()) return;
    if (Error error =
            emulator_.addBuffer(buffer.data(), buffer.size(), access, name))
      why_ = llvm::toString(std::move(error));
  }
  const std::string& why() const { return why_; }

 private:
  emulator::Emulator& emulator_;
  std::string why_;
};

}  // namespace

std::string describe(const WaveCase& c) {
  return "K=" + std::to_string(c.K) + " " + dataKindName(c.data) +
         (c.accumulate ? " accumulate" : "") +
         (c.rowPadding >= 0 ? " stride=N0+" + std::to_string(c.rowPadding)
                            : std::string()) +
         " misaligned by " + std::to_string(c.misalignment) + " schedule " +
         std::to_string(c.schedule);
}

std::vector<WaveCase> waveCasesFor(const TileKey& key, uint64_t seed,
                                   int64_t budget) {
  Random random(seed);
  const std::vector<DataKind> kinds = dataKindsFor(key);
  std::vector<WaveCase> cases;
  const int64_t volume = int64_t{key.m0} * key.n0 * key.k0;
  const int64_t odd = random.chance(0.5) ? 3 : 7;
  size_t turn = random.below(kinds.size());
  int64_t spent = 0;
  bool keepsOut = true;
  for (int64_t K :
       {int64_t{1}, odd, int64_t{0}, int64_t{0}, int64_t{2}, int64_t{64}}) {
    // Small tiles always have the long K.
    if (K > 7) K = std::min<int64_t>(K, std::max<int64_t>(9, budget / volume));
    if (!cases.empty() && K != 0 && spent + K * volume > 2 * budget) continue;
    WaveCase c;
    c.K = K;
    c.data = kinds[turn++ % kinds.size()];
    c.accumulate = random.chance(0.5);
    if (K == 0) {
      c.accumulate = keepsOut;
      if (keepsOut) c.data = DataKind::kAnyBits;
      keepsOut = false;
    }
    c.rowPadding = random.chance(0.5) ? random.between(0, 9) : -1;
    c.misalignment =
        random.chance(0.5) ? static_cast<int>(random.between(1, 5)) : 0;
    c.schedule = static_cast<unsigned>(cases.size() % 3);
    c.seed = random.next();
    cases.push_back(c);
    spent += K * volume;
  }
  return cases;
}

std::string checkWaveTile(emulator::Emulator& emulator,
                          const std::string& function, const TileKey& key,
                          const WaveCase& c) {
  const TypeTripleInfo& types = info(key.types);
  Random random(c.seed);
  Panels panels;
  panels.operands = makeOperands(key, c.K, c.data, c.accumulate, random);
  panels.lhsScales = makeScales(c.K * key.lhsScaleStepBytes(), c.data, random);
  panels.rhsScales = makeScales(c.K * key.rhsScaleStepBytes(), c.data, random);

  const int64_t outBytes = bytesOf(types.out), rowBytes = key.n0 * outBytes;
  const int64_t stride = key.n0 + std::max<int64_t>(c.rowPadding, 0);
  std::vector<uint8_t> outBefore(((key.m0 - 1) * stride + key.n0) * outBytes,
                                 kPoison);
  for (int64_t m = 0; m < key.m0; ++m)
    std::copy_n(panels.operands.out.begin() + m * rowBytes, rowBytes,
                outBefore.begin() + m * stride * outBytes);

  Placed lhs(panels.operands.lhs, c.misalignment * bytesOf(types.lhs));
  Placed rhs(panels.operands.rhs, c.misalignment * bytesOf(types.rhs));
  Placed out(outBefore, c.misalignment * outBytes);
  Placed lhsScales(panels.lhsScales, c.misalignment);
  Placed rhsScales(panels.rhsScales, c.misalignment);
  tw_mmt4d_params_t params;
  std::memset(&params, kPoison, sizeof params);
  params.K = c.K;
  params.flags = static_cast<uint32_t>(key.types);
  if (c.accumulate) params.flags |= TW_MMT4D_FLAG_ACCUMULATE;
  size_t paramsSize = offsetof(tw_mmt4d_params_t, out_row_stride);
  if (c.rowPadding >= 0) {
    params.flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE;
    params.out_row_stride = stride;
    paramsSize = offsetof(tw_mmt4d_params_t, lhs_scales);
  }
  if (key.blockScaled) {
    params.flags |= TW_MMT4D_FLAG_BLOCK_SCALES;
    params.lhs_scales = lhsScales.data();
    params.rhs_scales = rhsScales.data();
    paramsSize = sizeof params;
  }
  std::vector<uint8_t> paramBytes(paramsSize);
  std::memcpy(paramBytes.data(), &params, paramsSize);
  Placed placedParams(paramBytes, 0);

  Registered registered(emulator);
  using emulator::Access;
  registered.add(lhs, Access::ReadOnly, "lhs");
  registered.add(rhs, Access::ReadOnly, "rhs");
  registered.add(out, Access::ReadWrite, "out");
  registered.add(lhsScales, Access::ReadOnly, "lhs_scales");
  registered.add(rhsScales, Access::ReadOnly, "rhs_scales");
  registered.add(placedParams, Access::ReadOnly, "params");
  if (!registered.why().empty()) return registered.why();
  auto word = [](const void* p) { return reinterpret_cast<uint64_t>(p); };
  emulator::LaunchOptions options;
  options.scheduleSeed = c.schedule;
  if (Error error =
          emulator.callOnWave(function,
                              {word(out.data()), word(lhs.data()),
                               word(rhs.data()), word(placedParams.data())},
                              options))
    return llvm::toString(std::move(error));

  std::vector<uint8_t> result(key.m0 * rowBytes);
  for (int64_t m = 0; m < key.m0; ++m) {
    const uint8_t* row = out.data() + m * stride * outBytes;
    std::copy_n(row, rowBytes, result.begin() + m * rowBytes);
    if (m + 1 == key.m0) break;
    if (std::any_of(row + rowBytes, row + stride * outBytes,
                    [](uint8_t byte) { return byte != kPoison; }))
      return "it wrote between the rows of the out tile, past row " +
             std::to_string(m);
  }
  if (c.K == 0 && c.accumulate)
    return result == panels.operands.out
               ? std::string()
               : "K is 0 with ACCUMULATE, but it changed the out tile";
  // With a sign of zero that is specified.
  if (c.K == 0)
    return std::all_of(result.begin(), result.end(),
                       [](uint8_t byte) { return byte == 0; })
               ? std::string()
               : "K is 0, but it wrote something else than +0";
  if (key.blockScaled)
    return compare(key, result,
                   scaledReference(key, c.K, panels, c.accumulate));
  ReferenceOptions reference;
  reference.exactness =
      isExact(c.data) ? Exactness::kExact : Exactness::kBounded;
  auto accepted = [&] {
    return referenceTile(
        key, c.K, panels.operands.lhs.data(), panels.operands.rhs.data(),
        c.accumulate ? panels.operands.out.data() : nullptr, reference);
  };
  std::string why = compare(key, result, accepted());
  if (why.empty() || c.data != DataKind::kDenormal || !mayFlushDenormals(key))
    return why;
  reference.flushDenormals = true;
  return compare(key, result, accepted()).empty() ? std::string() : why;
}

}  // namespace tilewright::testing
