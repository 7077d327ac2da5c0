// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/amdgpu/emulated_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/tiles/element_codec.h"
#include "tests/tiles/reference.h"

namespace tilewright::testing {
namespace {

constexpr uint8_t kPoison = 0xFE;

int64_t bytesOf(tw_element_type_t type) {
  return std::max(1, info(type).bits / 8);
}

// One after the other, `gap` bytes apart.
class Panels {
 public:
  Panels(int64_t count, int64_t bytes, int64_t gap)
      : stride_(bytes + gap),
        bytes_(count * stride_ - (count ? gap : 0), kPoison) {}
  void set(int64_t i, const std::vector<uint8_t>& panel) {
    std::copy(panel.begin(), panel.end(), bytes_.begin() + i * stride_);
  }
  int64_t strideBytes() const { return stride_; }
  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  int64_t stride_;
  std::vector<uint8_t> bytes_;
};

class Registered {
 public:
  explicit Registered(emulator::Emulator& emulator) : emulator_(emulator) {}
  ~Registered() { emulator_.removeAllBuffers(); }
  void add(std::vector<uint8_t>& bytes, emulator::Access access,
           const char* name) {
    if (bytes.empty() || !why_.empty()) return;
    if (llvm::Error error =
            emulator_.addBuffer(bytes.data(), bytes.size(), access, name))
      why_ = llvm::toString(std::move(error));
  }
  const std::string& why() const { return why_; }

 private:
  emulator::Emulator& emulator_;
  std::string why_;
};

// Where tiles of out are, in elements.
struct OutLayout {
  int64_t tileM, tileN, row, elements;
};

OutLayout outLayout(const TileKey& key, const KernelCase& c) {
  if (c.rowPadding < 0) {
    const int64_t tile = int64_t{key.m0} * key.n0;
    return {c.N * tile, tile, key.n0, c.M * c.N * tile};
  }
  const int64_t row = c.N * key.n0 + c.rowPadding;
  return {key.m0 * row, key.n0, row, c.M * key.m0 * row};
}

// Block scales, all alike in one tile's panel, so that they scale its sums by
// a power of two.
struct Scales {
  std::vector<uint8_t> byTile, bytes;
};

Scales makeScales(int64_t tiles, int64_t bytesOfTile, Random& random) {
  Scales scales;
  for (int64_t i = 0; i < tiles; ++i) {
    scales.byTile.push_back(static_cast<uint8_t>(random.between(125, 129)));
    scales.bytes.insert(scales.bytes.end(), bytesOfTile, scales.byTile.back());
  }
  return scales;
}

// What one tile of `out` must be; empty if it is.
std::string compareTile(const TileKey& key, const uint8_t* out,
                        const OutLayout& layout,
                        const std::vector<Accepted>& accepted) {
  const tw_element_type_t type = info(key.types).out;
  for (int64_t m = 0; m < key.m0; ++m)
    for (int64_t n = 0; n < key.n0; ++n) {
      const double value = decodeElement(
          type, loadElement(out, m * layout.row + n, info(type).bits));
      const Accepted& a = accepted[m * key.n0 + n];
      if (a.contains(value)) continue;
      char text[160];
      std::snprintf(text, sizeof text,
                    "[%d][%d] = %.17g, accepted [%.17g, %.17g]%s",
                    static_cast<int>(m), static_cast<int>(n), value, a.low,
                    a.high, a.nan ? " (NaN)" : "");
      return text;
    }
  return {};
}

}  // namespace

std::string describe(const KernelCase& c) {
  return "M=" + std::to_string(c.M) + " N=" + std::to_string(c.N) +
         " K=" + std::to_string(c.K) + " " + dataKindName(c.data) +
         (c.accumulate ? " accumulate" : "") +
         (c.rowPadding >= 0 ? " rows+" + std::to_string(c.rowPadding)
                            : std::string()) +
         " schedule " + std::to_string(c.schedule);
}

std::vector<KernelCase> kernelCasesFor(const TileKey& key,
                                       const tw_mmt4d_launch_t& launch,
                                       int64_t depth, uint64_t seed) {
  Random random(seed);
  std::vector<DataKind> kinds = dataKindsFor(key);
  // Exact only for panels that were made for each other.
  kinds.erase(std::remove(kinds.begin(), kinds.end(), DataKind::kDenormal),
              kinds.end());
  std::vector<KernelCase> cases;
  size_t turn = random.below(kinds.size());
  const int64_t tilesM = launch.tiles_m, tilesN = launch.tiles_n;
  for (int64_t K : {int64_t{1}, int64_t{2}, int64_t{3}, depth, int64_t{0}}) {
    KernelCase c;
    const size_t i = cases.size();
    // Less than a workgroup, and one and a little.
    c.M = i % 2 ? tilesM + 1 : std::max<int64_t>(1, tilesM - 1);
    c.N = i % 2 ? std::max<int64_t>(1, tilesN - 1) : tilesN + 1;
    c.K = K;
    c.data = kinds[turn++ % kinds.size()];
    // What is there already is not scaled, but the reference's sums are.
    c.accumulate = random.chance(0.5) && !key.blockScaled;
    if (K == 0 && c.accumulate) c.data = DataKind::kAnyBits;
    c.rowPadding = random.chance(0.5) ? random.between(0, 9) : -1;
    c.schedule = static_cast<unsigned>(i % 3);
    c.seed = random.next();
    cases.push_back(c);
  }
  // Both values of what was left to chance, and full workgroups.
  KernelCase full = cases[2];
  full.M = tilesM;
  full.N = tilesN;
  full.accumulate = !cases[2].accumulate && !key.blockScaled;
  full.rowPadding = cases[2].rowPadding < 0 ? 3 : -1;
  full.schedule = 1;
  cases.push_back(full);
  return cases;
}

std::string checkKernel(emulator::Emulator& emulator, const std::string& kernel,
                        const TileKey& key, const tw_mmt4d_launch_t& launch,
                        const KernelCase& c) {
  const TypeTripleInfo& types = info(key.types);
  Random random(c.seed);
  const int64_t outBytes = bytesOf(types.out);
  // Whole elements, of 6 bits as well.
  const int64_t lhsGap = 3 * bytesOf(types.lhs),
                rhsGap = 6 * bytesOf(types.rhs);
  Panels lhs(c.M, c.K * key.lhsStepBytes(), lhsGap);
  Panels rhs(c.N, c.K * key.rhsStepBytes(), rhsGap);
  std::vector<Operands> byM, byN;
  for (int64_t m = 0; m < c.M; ++m) {
    byM.push_back(makeOperands(key, c.K, c.data, c.accumulate, random));
    lhs.set(m, byM.back().lhs);
  }
  for (int64_t n = 0; n < c.N; ++n) {
    byN.push_back(makeOperands(key, c.K, c.data, c.accumulate, random));
    rhs.set(n, byN.back().rhs);
  }
  const OutLayout layout = outLayout(key, c);
  std::vector<uint8_t> out(layout.elements * outBytes, kPoison);
  std::vector<bool> owned(layout.elements, false);
  for (int64_t m = 0; m < c.M; ++m)
    for (int64_t n = 0; n < c.N; ++n)
      for (int64_t row = 0; row < key.m0; ++row) {
        const int64_t at =
            m * layout.tileM + n * layout.tileN + row * layout.row;
        std::copy_n(byM[m].out.begin() + row * key.n0 * outBytes,
                    key.n0 * outBytes, out.begin() + at * outBytes);
        std::fill_n(owned.begin() + at, key.n0, true);
      }
  const std::vector<uint8_t> before = out;

  tw_mmt4d_params_t params;
  std::memset(&params, kPoison, sizeof params);
  const int lhsBits = info(types.lhs).bits, rhsBits = info(types.rhs).bits;
  // Offsets are elements from a pointer that is somewhere else, and may be of
  // nothing: addresses, not pointers that C++ has arithmetic for.
  auto elsewhere = [](const void* data, int64_t bytes) {
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(data) + bytes);
  };
  params.lhs_buffer = elsewhere(lhs.bytes().data(), -64 * lhsBits / 8);
  params.lhs_offset = 64;
  params.lhs_stride0 = lhs.strideBytes() * 8 / lhsBits;
  params.rhs_buffer = elsewhere(rhs.bytes().data(), 32 * rhsBits / 8);
  params.rhs_offset = -32;
  params.rhs_stride0 = rhs.strideBytes() * 8 / rhsBits;
  params.out_buffer = elsewhere(out.data(), -16 * outBytes);
  params.out_offset = 16;
  params.out_stride0 = c.N * key.m0 * key.n0;
  params.M = c.M;
  params.N = c.N;
  params.K = c.K;
  params.M0 = key.m0;
  params.N0 = key.n0;
  params.K0 = key.k0;
  params.flags = static_cast<uint32_t>(key.types);
  if (c.accumulate) params.flags |= TW_MMT4D_FLAG_ACCUMULATE;
  if (c.rowPadding >= 0) {
    params.flags |= TW_MMT4D_FLAG_OUT_ROW_STRIDE;
    params.out_row_stride = layout.row;
  }

  Scales lhsScales, rhsScales;
  if (key.blockScaled) {
    lhsScales = makeScales(c.M, c.K * key.lhsScaleStepBytes(), random);
    rhsScales = makeScales(c.N, c.K * key.rhsScaleStepBytes(), random);
    params.flags |= TW_MMT4D_FLAG_BLOCK_SCALES;
    params.lhs_scales = lhsScales.bytes.data();
    params.rhs_scales = rhsScales.bytes.data();
  }

  Registered registered(emulator);
  registered.add(lhsScales.bytes, emulator::Access::ReadOnly, "lhs_scales");
  registered.add(rhsScales.bytes, emulator::Access::ReadOnly, "rhs_scales");
  registered.add(lhs.bytes(), emulator::Access::ReadOnly, "lhs");
  registered.add(rhs.bytes(), emulator::Access::ReadOnly, "rhs");
  registered.add(out, emulator::Access::ReadWrite, "out");
  if (!registered.why().empty()) return registered.why();
  auto groups = [](int64_t tiles, uint32_t each) {
    return static_cast<uint32_t>((tiles + each - 1) / each);
  };
  emulator::LaunchOptions options;
  options.scheduleSeed = c.schedule;
  options.dynamicLds = launch.dynamic_lds;
  std::vector<uint8_t> kernargs(sizeof params);
  std::memcpy(kernargs.data(), &params, sizeof params);
  if (llvm::Error error = emulator.launch(
          kernel, {groups(c.N, launch.tiles_n), groups(c.M, launch.tiles_m), 1},
          {launch.block_size, 1, 1}, kernargs, options))
    return llvm::toString(std::move(error));

  for (int64_t i = 0; i < layout.elements; ++i)
    if (!owned[i] && !std::equal(out.begin() + i * outBytes,
                                 out.begin() + (i + 1) * outBytes,
                                 before.begin() + i * outBytes))
      return "it wrote between the rows of out, at element " +
             std::to_string(i);
  if (c.K == 0 && c.accumulate)
    return out == before ? std::string()
                         : "K is 0 with ACCUMULATE, but it changed out";
  ReferenceOptions reference;
  reference.exactness =
      isExact(c.data) ? Exactness::kExact : Exactness::kBounded;
  for (int64_t m = 0; m < c.M; ++m)
    for (int64_t n = 0; n < c.N; ++n) {
      const uint8_t* tile =
          out.data() + (m * layout.tileM + n * layout.tileN) * outBytes;
      TileKey unscaled = key;
      unscaled.blockScaled = false;
      std::vector<Accepted> accepted =
          referenceTile(unscaled, c.K, byM[m].lhs.data(), byN[n].rhs.data(),
                        c.accumulate ? byM[m].out.data() : nullptr, reference);
      if (key.blockScaled) {
        const double scale = std::ldexp(
            1.0, lhsScales.byTile[m] + rhsScales.byTile[n] - 2 * 127);
        for (Accepted& a : accepted) {
          a.low *= scale;
          a.high *= scale;
        }
      }
      std::string why = compareTile(key, tile, layout, accepted);
      if (!why.empty())
        return "tile " + std::to_string(m) + "," + std::to_string(n) + " " +
               why;
    }
  return {};
}

}  // namespace tilewright::testing
