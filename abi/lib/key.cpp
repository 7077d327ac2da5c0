// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/key.h"

#include <numeric>
#include <tuple>

#include "name_parts.h"

namespace tilewright {
namespace {

constexpr std::string_view kOperation = "_mmt4d_tile_";
constexpr std::string_view kStepRounding = "steprnd";
constexpr std::string_view kBlockScaled = "mx";
constexpr std::string_view kVnni = "vnni";

int64_t bitsOf(tw_element_type_t type) { return info(type).bits; }

std::string checkRows(std::string_view what, int size, bool scalable, int max,
                      const IsaInfo& isa) {
  if (!scalable) return checkSize(what, size, max);
  const std::string printed = quote(printSize(size, true));
  if (isa.scaling == TW_SCALING_NONE)
    return std::string(what) + " is " + printed + ", but the vectors of " +
           std::string(isa.name) +
           " have a fixed length; expected a decimal number";
  if (size >= 1 && size <= kMaxScale) return {};
  return std::string(what) + " is " + printed + ", but must be in 1vl.." +
         printSize(kMaxScale, true);
}

std::string checkPanel(std::string_view side, std::string_view rowsName,
                       int rows, int k0, tw_element_type_t type) {
  int64_t bits = int64_t{rows} * k0 * bitsOf(type);
  if (bits % 8 == 0) return {};
  int64_t step = std::lcm(int64_t{8}, bitsOf(type)) / bitsOf(type);
  return "one K step of the " + std::string(side) + " panel, " +
         std::string(rowsName) + "*K0 = " + std::to_string(int64_t{rows} * k0) +
         " elements of " + std::string(info(type).name) +
         ", does not fill whole bytes; " + std::string(rowsName) +
         "*K0 must be a multiple of " + std::to_string(step);
}

// Whether elements of `type` may have block scales: the MX formats.
bool isMxType(tw_element_type_t type) {
  switch (type) {
    case TW_ELEMENT_F8E4M3FN:
    case TW_ELEMENT_F8E5M2:
    case TW_ELEMENT_F6E2M3FN:
    case TW_ELEMENT_F6E3M2FN:
    case TW_ELEMENT_F4E2M1FN:
      return true;
    default:
      return false;
  }
}

std::string checkBlockScales(const TileKey& key, const TypeTripleInfo& types,
                             const IsaInfo& isa) {
  if (!isa.isAmdgpu())
    return "variant 'mx' is for amdgpu, not " + std::string(isa.name);
  for (tw_element_type_t type : {types.lhs, types.rhs})
    if (!isMxType(type))
      return "variant 'mx' needs operands of f8e4m3fn, f8e5m2, f6e2m3fn, "
             "f6e3m2fn or f4e2m1fn, not " +
             std::string(info(type).name);
  if (key.k0 % kScaleBlock != 0)
    return "K0 is " + std::to_string(key.k0) +
           ", but variant 'mx' has a scale for every 32 elements: K0 must be a "
           "multiple of 32";
  return {};
}

bool isByte(tw_element_type_t type) {
  return type == TW_ELEMENT_S8 || type == TW_ELEMENT_U8;
}

// The instructions that take rhs panels so are AMX's, with registers of rows of
// 64 bytes.
std::string checkVnni(const TileKey& key, const TypeTripleInfo& types,
                      const IsaInfo& isa) {
  const bool bytes = isByte(types.lhs) && isByte(types.rhs);
  if (!bytes && (types.lhs != TW_ELEMENT_BF16 || types.rhs != TW_ELEMENT_BF16))
    return "variant 'vnni' needs operands of s8 or u8, or both of bf16, not " +
           std::string(types.name);
  if (key.rounding == Rounding::kPerStep)
    return "variants 'vnni' and 'steprnd' exclude each other";
  const std::string_view feature = bytes ? "amx-int8" : "amx-bf16";
  if (!isa.has(feature))
    return "variant 'vnni' of " + std::string(types.name) + " needs " +
           std::string(feature) + ", which " + std::string(isa.name) +
           " does not have";
  const int k0 = kVnniStepBytes / static_cast<int>(bitsOf(types.rhs) / 8);
  if (key.k0 != k0)
    return "K0 is " + std::to_string(key.k0) +
           ", but variant 'vnni' has 64 bytes in each row of a K step: K0 must "
           "be " +
           std::to_string(k0);
  return {};
}

// Takes "<variant>_" off the front of `text`, if it is there.
bool takeVariant(std::string_view& text, std::string_view variant) {
  if (text.substr(0, variant.size()) != variant ||
      text.substr(variant.size(), 1) != "_")
    return false;
  text.remove_prefix(variant.size() + 1);
  return true;
}

ParsedTileKey failure(std::string_view name, const std::string& why) {
  ParsedTileKey failed;
  failed.error = quote(name) + " is not a tile name: " + why;
  return failed;
}

ParsedTileKey unknownWord(std::string_view name, std::string_view what,
                          ParsedTileKey::Unknown table, std::string_view word,
                          const std::string& accepted) {
  ParsedTileKey failed =
      failure(name, "unknown " + std::string(what) + " " + quote(word));
  failed.unknown = table;
  failed.word = word;
  failed.problem = failed.error;
  failed.accepted = accepted;
  failed.error += "; expected " + accepted;
  return failed;
}

}  // namespace

bool TileKey::operator<(const TileKey& o) const {
  return std::tie(types, m0, n0, k0, rounding, isa, m0Scalable, n0Scalable,
                  blockScaled, vnni) <
         std::tie(o.types, o.m0, o.n0, o.k0, o.rounding, o.isa, o.m0Scalable,
                  o.n0Scalable, o.blockScaled, o.vnni);
}

TileKey TileKey::atVectorBits(int vectorBits) const {
  const int lanes = vectorBits / info(info(types).accumulator).bits;
  TileKey key = *this;
  if (m0Scalable) key.m0 *= lanes;
  if (n0Scalable) key.n0 *= lanes;
  key.m0Scalable = key.n0Scalable = false;
  return key;
}

int64_t TileKey::lhsStepBytes() const {
  return int64_t{m0} * k0 * bitsOf(info(types).lhs) / 8;
}

int64_t TileKey::rhsStepBytes() const {
  return int64_t{n0} * k0 * bitsOf(info(types).rhs) / 8;
}

int64_t TileKey::outTileBytes() const {
  return int64_t{m0} * n0 * bitsOf(info(types).out) / 8;
}

int64_t TileKey::lhsScaleStepBytes() const {
  return blockScaled ? int64_t{m0} * k0 / kScaleBlock : 0;
}

int64_t TileKey::rhsScaleStepBytes() const {
  return blockScaled ? int64_t{n0} * k0 / kScaleBlock : 0;
}

std::string validateTileKey(const TileKey& key) {
  const TypeTripleInfo& types = info(key.types);
  const IsaInfo& isa = info(key.isa);
  std::string why = checkRows("M0", key.m0, key.m0Scalable, kMaxM0, isa);
  if (why.empty()) why = checkRows("N0", key.n0, key.n0Scalable, kMaxN0, isa);
  if (why.empty())
    why = checkSize("K0", key.k0, isa.isAmdgpu() ? kMaxK0Amdgpu : kMaxK0);
  // Any number of vectors fills whole bytes if one of the least length does,
  // for lengths are multiples of it.
  const TileKey least = key.atVectorBits(isa.vectorBits);
  if (why.empty()) why = checkPanel("lhs", "M0", least.m0, key.k0, types.lhs);
  if (why.empty()) why = checkPanel("rhs", "N0", least.n0, key.k0, types.rhs);
  if (why.empty() && key.rounding == Rounding::kPerStep &&
      types.out == types.accumulator)
    why =
        "variant 'steprnd' needs an output narrower than the accumulator "
        "(f16 or bf16), not " +
        std::string(info(types.out).name);
  if (why.empty() && key.blockScaled) why = checkBlockScales(key, types, isa);
  if (why.empty() && key.vnni) why = checkVnni(key, types, isa);
  return why;
}

std::string printTileKey(const TileKey& key, std::string_view prefix) {
  std::string name(prefix);
  name += kOperation;
  name += info(key.types).name;
  name += '_' + printSize(key.m0, key.m0Scalable) + 'x' +
          printSize(key.n0, key.n0Scalable) + 'x' + std::to_string(key.k0) +
          '_';
  if (key.rounding == Rounding::kPerStep) {
    name += kStepRounding;
    name += '_';
  }
  if (key.blockScaled) {
    name += kBlockScaled;
    name += '_';
  }
  if (key.vnni) {
    name += kVnni;
    name += '_';
  }
  name += info(key.isa).name;
  return name;
}

bool looksLikeTileName(std::string_view name, std::string_view prefix) {
  return name.substr(0, prefix.size()) == prefix &&
         name.substr(prefix.size(), kOperation.size()) == kOperation;
}

ParsedTileKey parseTileKey(std::string_view name, std::string_view prefix) {
  if (!looksLikeTileName(name, prefix))
    return failure(name, "it does not start with '" + std::string(prefix) +
                             std::string(kOperation) + "'");
  std::string_view rest = name.substr(prefix.size() + kOperation.size());

  size_t typesEnd = rest.find('_');
  std::string_view typesName = rest.substr(0, typesEnd);
  const TypeTripleInfo* types = findTypeTriple(typesName);
  if (!types)
    return unknownWord(name, "element types", ParsedTileKey::Unknown::kTypes,
                       typesName, "one of " + listNames(typeTriples()));
  if (typesEnd == std::string_view::npos)
    return failure(name, "the sizes '_<M0>x<N0>x<K0>' are missing");
  rest.remove_prefix(typesEnd + 1);

  TileKey key{types->value, 0, 0, 0, Rounding::kOnce, TW_ISA_GENERIC};
  struct Size {
    std::string_view what;
    int TileKey::* field;
    bool TileKey::* scalable;  // null: may not be scalable
    char stop;
  };
  constexpr Size sizes[] = {{"M0", &TileKey::m0, &TileKey::m0Scalable, 'x'},
                            {"N0", &TileKey::n0, &TileKey::n0Scalable, 'x'},
                            {"K0", &TileKey::k0, nullptr, '_'}};
  for (const Size& size : sizes) {
    std::string why;
    bool scalable = false;
    std::optional<int> value = takeNumber(rest, size.stop, scalable, why);
    if (value && scalable && !size.scalable)
      why = quote(printSize(*value, true)) +
            " is a scalable size, which only M0 and N0 may be; expected a "
            "decimal number";
    if (!value || !why.empty())
      return failure(name, "in " + std::string(size.what) + ": " + why);
    key.*size.field = *value;
    if (size.scalable) key.*size.scalable = scalable;
  }

  if (takeVariant(rest, kStepRounding))
    key.rounding = Rounding::kPerStep;
  else if (takeVariant(rest, kBlockScaled))
    key.blockScaled = true;
  else if (takeVariant(rest, kVnni))
    key.vnni = true;
  const IsaInfo* isa = findIsa(rest);
  if (!isa)
    return unknownWord(
        name, "variant or instruction set", ParsedTileKey::Unknown::kIsa, rest,
        "[steprnd_], [mx_] or [vnni_] and one of " + listNames(isas()));
  key.isa = isa->isa;

  std::string why = validateTileKey(key);
  if (!why.empty()) return failure(name, why);
  ParsedTileKey parsed;
  parsed.key = key;
  return parsed;
}

}  // namespace tilewright
