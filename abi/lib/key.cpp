// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/key.h"

#include <tuple>

#include "name_parts.h"

namespace tilewright {
namespace {

constexpr std::string_view kOperation = "_mmt4d_tile_";

int64_t bitsOf(tw_element_type_t type) { return info(type).bits; }

std::string nameOf(tw_element_type_t type) {
  return std::string(info(type).name);
}

std::string quotedVariant(int variant) {
  return quote(tileVariants()[variant].name);
}

std::string_view partName(tw_name_part_t part) {
  return part == TW_NAME_PART_M0 ? "M0" : part == TW_NAME_PART_N0 ? "N0" : "K0";
}

// The size that `fault` is about.
int sizeOf(const TileKey& key, const tw_name_fault_t& fault) {
  return fault.part == TW_NAME_PART_M0   ? key.m0
         : fault.part == TW_NAME_PART_N0 ? key.n0
                                         : key.k0;
}

std::string describePanel(const TileKey& key, const tw_name_fault_t& fault) {
  const bool isLhs = fault.part == TW_NAME_PART_M0;
  const TypeTripleInfo& types = info(key.types);
  const TileKey least = key.atVectorBits(info(key.isa).vectorBits);
  const std::string product = std::string(partName(fault.part)) + "*K0";
  return std::string("one K step of the ") + (isLhs ? "lhs" : "rhs") +
         " panel, " + product + " = " +
         std::to_string(int64_t{isLhs ? least.m0 : least.n0} * key.k0) +
         " elements of " + nameOf(isLhs ? types.lhs : types.rhs) +
         ", does not fill whole bytes; " + product + " must be a multiple of " +
         std::to_string(fault.value);
}

// "f8e4m3fn, f8e5m2, ... or f4e2m1fn".
std::string listMxTypes() {
  std::string names, last;
  for (const FloatFormat& format : floatFormats()) {
    if (!format.isMx) continue;
    if (!last.empty()) names += (names.empty() ? "" : ", ") + last;
    last = info(format.type).name;
  }
  return names + " or " + last;
}

std::string describeTypes(const TileKey& key, const tw_name_fault_t& fault) {
  const std::string variant = "variant " + quotedVariant(fault.variant);
  const std::string type = fault.variant == TW_VARIANT_AT_VNNI
                               ? std::string(info(key.types).name)
                               : nameOf(tw_element_type_t(fault.value));
  switch (fault.variant) {
    case TW_VARIANT_AT_STEP_ROUNDING:
      return variant +
             " needs an output narrower than the accumulator (f16 or bf16), "
             "not " +
             type;
    case TW_VARIANT_AT_BLOCK_SCALED:
      return variant + " needs operands of " + listMxTypes() + ", not " + type;
    default:
      return variant + " needs operands of s8 or u8, or both of bf16, not " +
             type;
  }
}

std::string describeIsa(const TileKey& key, const tw_name_fault_t& fault) {
  const std::string variant = "variant " + quotedVariant(fault.variant);
  const std::string isa(info(key.isa).name);
  if (fault.variant == TW_VARIANT_AT_BLOCK_SCALED)
    return variant + " is for amdgpu, not " + isa;
  const TypeTripleInfo& types = info(key.types);
  return variant + " of " + std::string(types.name) + " needs " +
         (types.lhs == TW_ELEMENT_BF16 ? "amx-bf16" : "amx-int8") + ", which " +
         isa + " does not have";
}

std::string describeK0(const TileKey& key, const tw_name_fault_t& fault) {
  const bool isMx = fault.variant == TW_VARIANT_AT_BLOCK_SCALED;
  return "K0 is " + std::to_string(key.k0) + ", but variant " +
         quotedVariant(fault.variant) +
         (isMx ? " has a scale for every 32 elements: K0 must be a multiple of "
               : " has 64 bytes in each row of a K step: K0 must be ") +
         std::to_string(fault.value);
}

// What is wrong with a key.
std::string describe(const TileKey& key, const tw_name_fault_t& fault) {
  const std::string part(partName(fault.part));
  const int size = sizeOf(key, fault);
  switch (fault.kind) {
    case TW_NAME_FAULT_SIZE:
      return describeSize(part, size, fault.value);
    case TW_NAME_FAULT_SCALE:
      return part + " is " + quote(printSize(size, true)) +
             ", but must be in 1vl.." + printSize(fault.value, true);
    case TW_NAME_FAULT_FIXED_VECTORS:
      return part + " is " + quote(printSize(size, true)) +
             ", but the vectors of " + std::string(info(key.isa).name) +
             " have a fixed length; expected a decimal number";
    case TW_NAME_FAULT_PART_OF_A_BYTE:
      return describePanel(key, fault);
    case TW_NAME_FAULT_EXCLUDED:
      return "variants " + quotedVariant(fault.variant) + " and " +
             quotedVariant(fault.value) + " exclude each other";
    case TW_NAME_FAULT_VARIANT_TYPES:
      return describeTypes(key, fault);
    case TW_NAME_FAULT_VARIANT_ISA:
      return describeIsa(key, fault);
    case TW_NAME_FAULT_VARIANT_K0:
      return describeK0(key, fault);
    case TW_NAME_FAULT_UNKNOWN_TYPES:
      return "its element types are no row of type_triples.def";
    default:
      return "its instruction set is no row of isas.def";
  }
}

// "[steprnd_], [mx_] or [vnni_]".
std::string listVariants() {
  std::string result;
  const std::vector<VariantInfo>& table = tileVariants();
  for (size_t i = 0; i < table.size(); ++i)
    result += (i == 0                  ? "["
               : i + 1 == table.size() ? " or ["
                                       : ", [") +
              std::string(table[i].name) + "_]";
  return result;
}

auto asTuple(const TileKey& k) {
  return std::tie(k.types, k.m0, k.n0, k.k0, k.rounding, k.isa, k.m0Scalable,
                  k.n0Scalable, k.blockScaled, k.vnni);
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

bool TileKey::operator==(const TileKey& o) const {
  return asTuple(*this) == asTuple(o);
}

bool TileKey::operator<(const TileKey& o) const {
  return asTuple(*this) < asTuple(o);
}

tw_tile_key_t keyInC(const TileKey& key) {
  tw_tile_key_t result{};
  result.m0 = key.m0;
  result.n0 = key.n0;
  result.k0 = key.k0;
  result.types = static_cast<uint8_t>(key.types);
  result.m0_scalable = key.m0Scalable;
  result.n0_scalable = key.n0Scalable;
  result.step_rounding = key.rounding == Rounding::kPerStep;
  result.block_scaled = key.blockScaled;
  result.vnni = key.vnni;
  result.isa = key.isa;
  return result;
}

TileKey keyOfC(const tw_tile_key_t& key) {
  TileKey result{static_cast<tw_type_triple_t>(key.types),
                 key.m0,
                 key.n0,
                 key.k0,
                 key.step_rounding ? Rounding::kPerStep : Rounding::kOnce,
                 key.isa};
  result.m0Scalable = key.m0_scalable;
  result.n0Scalable = key.n0_scalable;
  result.blockScaled = key.block_scaled;
  result.vnni = key.vnni;
  return result;
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
  const tw_tile_key_t inC = keyInC(key);
  tw_name_fault_t fault;
  return tw_check_tile_key(&inC, &fault) ? "" : describe(key, fault);
}

std::string printTileKey(const TileKey& key, std::string_view prefix) {
  const tw_tile_key_t inC = keyInC(key);
  std::string name(prefix.size() + TW_MOST_OF_A_NAME, 0);
  name.resize(
      tw_print_tile_key(&inC, wordOf(prefix), name.data(), name.size()));
  return name;
}

std::string tileNameGrammar(std::string_view prefix) {
  std::string grammar(prefix);
  grammar += kOperation;
  grammar += "<types>_<M0>x<N0>x<K0>_";
  for (const VariantInfo& variant : tileVariants())
    grammar += "[" + std::string(variant.name) + "_]";
  return grammar + "<arch>_<isa>";
}

bool looksLikeTileName(std::string_view name, std::string_view prefix) {
  return name.substr(0, prefix.size()) == prefix &&
         name.substr(prefix.size(), kOperation.size()) == kOperation;
}

ParsedTileKey parseTileKey(std::string_view name, std::string_view prefix) {
  tw_tile_key_t key;
  tw_name_fault_t fault;
  if (tw_parse_tile_key(wordOf(name), wordOf(prefix), &key, &fault)) {
    ParsedTileKey parsed;
    parsed.key = keyOfC(key);
    return parsed;
  }
  const std::string_view word = name.substr(fault.offset, fault.length);
  switch (fault.kind) {
    case TW_NAME_FAULT_OTHER_PREFIX:
      return failure(name, "it does not start with '" + std::string(prefix) +
                               std::string(kOperation) + "'");
    case TW_NAME_FAULT_UNKNOWN_TYPES:
      return unknownWord(name, "element types", ParsedTileKey::Unknown::kTypes,
                         word, "one of " + listNames(typeTriples()));
    case TW_NAME_FAULT_NO_SIZES:
      return failure(name, "the sizes '_<M0>x<N0>x<K0>' are missing");
    case TW_NAME_FAULT_NO_NUMBER:
    case TW_NAME_FAULT_LEADING_ZERO:
    case TW_NAME_FAULT_NO_STOP:
      return failure(name, "in " + std::string(partName(fault.part)) + ": " +
                               describeSizeFault(
                                   fault.kind, word,
                                   fault.part == TW_NAME_PART_K0 ? '_' : 'x'));
    case TW_NAME_FAULT_SCALABLE_K0:
      return failure(name, "in K0: " + quote(word) +
                               " is a scalable size, which only M0 and N0 may "
                               "be; expected a decimal number");
    case TW_NAME_FAULT_UNKNOWN_ISA:
      return unknownWord(name, "variant or instruction set",
                         ParsedTileKey::Unknown::kIsa, word,
                         listVariants() + " and one of " + listNames(isas()));
    default:
      return failure(name, describe(keyOfC(key), fault));
  }
}

}  // namespace tilewright
