// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile key: what a tile function's name says, as data. C++17, no LLVM.
//
// The name is the specification: it is the symbol, the dedupe and cache key,
// the benchmark's name and the line in a report. The one parser and printer are
// in C (tile_name.h); these are their views, which say what is wrong in words.
// printTileKey(*parseTileKey(name).key) == name for every valid name.

#ifndef TILEWRIGHT_KEY_H_
#define TILEWRIGHT_KEY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/tile_name.h"

namespace tilewright {

inline constexpr int kMaxM0 = TW_MAX_M0;
inline constexpr int kMaxN0 = TW_MAX_N0;
inline constexpr int kMaxK0 = TW_MAX_K0;
inline constexpr int kMaxK0Gpu = TW_MAX_K0_GPU;
inline constexpr int kVnniStepBytes = TW_VNNI_STEP_BYTES;
inline constexpr int kScaleBlock = TW_SCALE_BLOCK;
inline constexpr int kMaxScale = TW_MAX_SCALE;
inline constexpr int kMaxVectorBits = TW_MAX_VECTOR_BITS;
inline constexpr int kLeastVectorBits = TW_LEAST_VECTOR_BITS;
// Bytes along K of a group of the variant `vnni`.
inline constexpr int kVnniGroupBytes = 4;

// The prefix of Tilewright's own names: "tw_mmt4d_tile_...".
inline constexpr std::string_view kDefaultPrefix = "tw";

// Rounding of narrow float outputs.
enum class Rounding : uint8_t {
  kOnce,     // no variant: round once, after all K steps
  kPerStep,  // "steprnd": round after each K step; f16 and bf16 outputs only
};

struct ElementTypeInfo {
  tw_element_type_t type;
  std::string_view name;
  int bits;
  tw_element_kind_t kind;
};

// What a float is made of, from the top: a sign, exponent, mantissa.
struct FloatFormat {
  tw_element_type_t type;
  int exponentBits, mantissaBits, bias;
  tw_float_specials_t specials;
  bool isMx;  // may have block scales
};

struct TypeTripleInfo {
  tw_type_triple_t value;
  tw_element_type_t lhs, rhs, out;
  std::string_view name;  // "s8s8s32"
  // The accumulator: s32, f64 or f32.
  tw_element_type_t accumulator;
};

struct CpuFeatureInfo {
  std::string_view arch;  // "X86_64"
  int word, bit;
  std::string_view llvmName;
};

// A row of architectures.def.
struct ArchitectureInfo {
  enum class Kind { CPU, GPU, ANY };
  std::string_view enumName;  // "X86_64"
  std::string_view name;      // "x86_64"
  Kind kind;
  std::string_view llvmArch;  // "x86_64"; empty of ANY
  std::string_view triple;
};

// A row of scalings.def; of TW_SCALING_NONE, its name and nothing else.
struct ScalingInfo {
  tw_scaling_t scaling;
  std::string_view name;   // "sve"
  std::string_view title;  // "SVE"
  std::string_view arch;   // ArchitectureInfo::enumName
  std::string_view llvmFeature;
  std::string_view prefix;  // "vl"
  int usualBits;
  bool isStreaming;
};

struct IsaInfo {
  tw_isa_t isa;
  std::string_view arch;  // ArchitectureInfo::enumName
  std::string_view name;  // "x86_64_avx2_fma"
  // Of the vectors that fixed sizes are computed with; the least that a
  // scalable one can have.
  int vectorBits;
  int vectorRegisters;
  tw_scaling_t scaling;
  std::vector<const CpuFeatureInfo*> features;
  const ArchitectureInfo* architecture;  // never null

  bool has(std::string_view llvmFeature) const;
  // "+avx2,+fma,...": LLVM's target-features string. Empty for generic.
  std::string llvmFeatures() const;
  // Device code, run by waves (tile.h).
  bool isGpu() const {
    return architecture->kind == ArchitectureInfo::Kind::GPU;
  }
  // Whether what can run this ISA's code can run code of `other`: the same
  // architecture or none, and every feature of `other` is one of this ISA's.
  // A GPU runs its own code only.
  bool implies(const IsaInfo& other) const;
};

struct VariantInfo {
  std::string_view name;  // "steprnd"
  unsigned bit;           // of tw_variants_of
  unsigned excludes;      // bits of those above it that it cannot be with
  std::string_view doc;
};

// The tables, in the order of the .def files. Never empty; references live as
// long as the program.
const std::vector<VariantInfo>& tileVariants();
const std::vector<ElementTypeInfo>& elementTypes();
const std::vector<FloatFormat>& floatFormats();
const std::vector<TypeTripleInfo>& typeTriples();
const std::vector<IsaInfo>& isas();
// By tw_scaling_t: TW_SCALING_NONE first.
const std::vector<ScalingInfo>& scalings();
const std::vector<ArchitectureInfo>& architectures();

const ElementTypeInfo& info(tw_element_type_t type);
const TypeTripleInfo& info(tw_type_triple_t types);
// Of a float.
const FloatFormat& floatFormat(tw_element_type_t type);
const IsaInfo& info(tw_isa_t isa);
const ScalingInfo& info(tw_scaling_t scaling);

// Null if there is none.
const TypeTripleInfo* findTypeTriple(std::string_view name);
const IsaInfo* findIsa(std::string_view name);

struct TileKey {
  tw_type_triple_t types;
  int m0, n0, k0;
  Rounding rounding = Rounding::kOnce;
  tw_isa_t isa;
  // Scalable sizes, printed "<n>vl": m0, n0 then count vectors of accumulator
  // elements, whose length (tw_scaling_t) is known only where the tile runs.
  bool m0Scalable = false, n0Scalable = false;
  // Both operands have block scales: the variant `mx`.
  bool blockScaled = false;
  // A step of the rhs panel is [K0 * size / 4][N0][4 / size] for elements of
  // `size` bytes: the variant `vnni`.
  bool vnni = false;

  bool operator==(const TileKey& o) const;
  bool operator!=(const TileKey& o) const { return !(*this == o); }
  bool operator<(const TileKey& o) const;

  bool isScalable() const { return m0Scalable || n0Scalable; }
  // The sizes where vectors have `vectorBits` bits: a key without scalable
  // sizes. (Its name is another function's.)
  TileKey atVectorBits(int vectorBits) const;

  // Bytes of one K step of the lhs panel, of the rhs panel, of a contiguous out
  // tile. The key must have no scalable size.
  int64_t lhsStepBytes() const;
  int64_t rhsStepBytes() const;
  int64_t outTileBytes() const;
  // Bytes of one K step of the scale panels; 0 without block scales.
  int64_t lhsScaleStepBytes() const;
  int64_t rhsScaleStepBytes() const;
};

// The key in C, and back.
tw_tile_key_t keyInC(const TileKey& key);
TileKey keyOfC(const tw_tile_key_t& key);

// The line of documents that says what names look like, of the table of
// variants: "<prefix>_mmt4d_tile_<types>_<M0>x<N0>x<K0>_[steprnd_]...".
std::string tileNameGrammar(std::string_view prefix = kDefaultPrefix);

// Why `key` is not valid, and what would be accepted; empty if it is valid.
std::string validateTileKey(const TileKey& key);

// The canonical name. `key` must be valid.
std::string printTileKey(const TileKey& key,
                         std::string_view prefix = kDefaultPrefix);

struct ParsedTileKey {
  std::optional<TileKey> key;
  // When !key: which part is wrong, why, and what would be accepted.
  std::string error;
  // When that part is a word which names no row of a table: the word, which
  // table, and `error` as "<problem>; expected <accepted>", for who wants to
  // add what was probably meant.
  enum class Unknown { kNone, kTypes, kIsa };
  Unknown unknown = Unknown::kNone;
  std::string word, problem, accepted;
};

// Parses "<prefix>_mmt4d_tile_...". Accepts exactly what printTileKey prints.
ParsedTileKey parseTileKey(std::string_view name,
                           std::string_view prefix = kDefaultPrefix);

// Whether `name` claims to be a tile name: it starts with
// "<prefix>_mmt4d_tile_". Such a name that does not parse is an error; any
// other symbol is none of our business.
bool looksLikeTileName(std::string_view name,
                       std::string_view prefix = kDefaultPrefix);

}  // namespace tilewright

#endif  // TILEWRIGHT_KEY_H_
