// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Planning/ScalablePlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright {
namespace {

/// Containers per row that one load takes apart (ld1 to ld4).
constexpr int kMostChunks = 4;

// Latencies: Neoverse V1, V2 and N2 agree but for bfmmla.
constexpr ScalableIdiomInfo kIdioms[] = {
    {ScalableIdiom::SmeOuter, "sme-mopa", 4},
    {ScalableIdiom::SveMatrix, "sve-mmla", 4},
    {ScalableIdiom::SveDot, "sve-dot", 4},
    {ScalableIdiom::SveWiden, "sve-mlal", 4},
    {ScalableIdiom::SveFmaHalf, "sve-fmlah", 4},
    {ScalableIdiom::SveFma, "sve-fmla", 4},
    {ScalableIdiom::SveMla, "sve-mla", 4},
};

bool isFloat(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_FLOAT;
}
bool isSigned(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_SIGNED;
}
bool isByte(tw_element_type_t type) {
  return !isFloat(type) && info(type).bits == 8;
}
bool both(const TypeTripleInfo &types, tw_element_type_t type) {
  return types.lhs == type && types.rhs == type;
}

/// An integer of 8 or 16 bits whose values fit s16, one of them s16.
bool areWords(const TypeTripleInfo &types) {
  auto fits = [](tw_element_type_t type) {
    return isByte(type) || type == TW_ELEMENT_S16;
  };
  return fits(types.lhs) && fits(types.rhs) &&
         (types.lhs == TW_ELEMENT_S16 || types.rhs == TW_ELEMENT_S16);
}

/// Rows of K0 elements are whole containers, as few as one load takes apart.
bool fills(int k0, int bits, int containerBits) {
  return k0 * bits % containerBits == 0 &&
         k0 * bits / containerBits <= kMostChunks;
}

/// Rows of 8 bytes by rows of 8 nibbles, which are 4 bytes.
bool areBytesByNibbles(const TypeTripleInfo &types, int k0) {
  return isByte(types.lhs) && info(types.rhs).bits == 4 &&
         !isFloat(types.rhs) && k0 == 8;
}

bool fitsSme(const TypeTripleInfo &types, const IsaInfo &isa, int k0) {
  bool half = both(types, TW_ELEMENT_F16) || both(types, TW_ELEMENT_BF16);
  bool words = both(types, TW_ELEMENT_S16) && isa.has("sme2");
  bool bytes = isByte(types.lhs) && isByte(types.rhs);
  if (both(types, TW_ELEMENT_F32))
    return fills(k0, 32, 32);
  if (half || words)
    return k0 == 1 || fills(k0, 16, 32);
  return bytes && (k0 <= 2 || fills(k0, 8, 32));
}

bool fitsSve(ScalableIdiom idiom, const TypeTripleInfo &types,
             const IsaInfo &isa, int k0) {
  bool bytes = isByte(types.lhs) && isByte(types.rhs);
  bool sameSign = isSigned(types.lhs) == isSigned(types.rhs);
  switch (idiom) {
  case ScalableIdiom::SveMatrix:
    return (bytes && isa.has("i8mm") && k0 == 8) ||
           (both(types, TW_ELEMENT_BF16) && isa.has("bf16") && k0 == 4);
  case ScalableIdiom::SveDot:
    if (both(types, TW_ELEMENT_BF16))
      return isa.has("bf16") && fills(k0, 16, 32);
    // The values of u4 are the same read as signed bytes.
    if (areBytesByNibbles(types, k0))
      return sameSign || types.rhs == TW_ELEMENT_U4 || isa.has("i8mm");
    if (areWords(types))
      return both(types, TW_ELEMENT_S16) ? k0 == 2 || fills(k0, 16, 64)
                                         : k0 == 4;
    return bytes && (sameSign || isa.has("i8mm")) &&
           (k0 <= 2 || fills(k0, 8, 32));
  case ScalableIdiom::SveWiden:
    if (both(types, TW_ELEMENT_BF16)
            ? isa.has("bf16")
            : isa.has("sve2") &&
                  (both(types, TW_ELEMENT_F16) || both(types, TW_ELEMENT_S16)))
      return k0 == 1 || fills(k0, 16, 32);
    return isa.has("sve2") && areWords(types) && k0 <= 2;
  case ScalableIdiom::SveFma:
    if (both(types, TW_ELEMENT_F64))
      return fills(k0, 64, 64);
    if (both(types, TW_ELEMENT_F32))
      return fills(k0, 32, 32);
    return isFloat(types.lhs) && isFloat(types.rhs) && k0 == 1 &&
           info(types.lhs).bits >= 16 && info(types.rhs).bits >= 16;
  case ScalableIdiom::SveFmaHalf:
    return both(types, TW_ELEMENT_F16) && k0 == 1;
  case ScalableIdiom::SveMla:
    if (both(types, TW_ELEMENT_S32))
      return fills(k0, 32, 32);
    return !isFloat(types.lhs) && k0 == 1 && info(types.lhs).bits >= 8 &&
           info(types.rhs).bits >= 8;
  default:
    llvm_unreachable("not an SVE idiom");
  }
}

} // namespace

llvm::ArrayRef<ScalableIdiomInfo> scalableIdioms() { return kIdioms; }

const ScalableIdiomInfo &info(ScalableIdiom idiom) {
  return *llvm::find_if(
      kIdioms, [&](const ScalableIdiomInfo &i) { return i.idiom == idiom; });
}

const ScalableIdiomInfo *findScalableIdiom(llvm::StringRef name) {
  const auto *it = llvm::find_if(
      kIdioms, [&](const ScalableIdiomInfo &i) { return i.name == name; });
  return it == std::end(kIdioms) ? nullptr : it;
}

std::string whyIdiomUnfit(ScalableIdiom idiom, const TileKey &key) {
  const TypeTripleInfo &types = info(key.types);
  const IsaInfo &isa = info(key.isa);
  const char *name = info(idiom).name.data();
  bool sme = idiom == ScalableIdiom::SmeOuter;
  if (isa.scaling != (sme ? TW_SCALING_SME : TW_SCALING_SVE))
    return llvm::formatv("idiom '{0}' needs an ISA with {1}", name,
                         sme ? "SME" : "SVE");
  int lanes = isa.vectorBits / info(types.accumulator).bits;
  if (!key.n0Scalable || (sme && !key.m0Scalable && key.m0 > lanes))
    return llvm::formatv("idiom '{0}' needs a scalable N0{1}", name,
                         sme ? ", and an M0 that is scalable or at most 4"
                             : "");
  bool perStep = key.rounding == Rounding::kPerStep;
  bool half = idiom == ScalableIdiom::SveFmaHalf;
  if (perStep ? sme : half)
    return llvm::formatv("idiom '{0}' {1} each K step", name,
                         half ? "rounds" : "does not round");
  if (half && key.n0 % 2 != 0)
    return llvm::formatv("idiom '{0}' needs an N0 of whole vectors of f16, an "
                         "even number of vl",
                         name);
  if (sme && areBytesByNibbles(types, key.k0) && key.m0Scalable)
    return {};
  bool fits =
      sme ? fitsSme(types, isa, key.k0) : fitsSve(idiom, types, isa, key.k0);
  if (!fits)
    return llvm::formatv("idiom '{0}' on {1} does not take {2} with K0 = {3}",
                         name, isa.name, types.name, key.k0);
  return {};
}

bool flushesDenormals(ScalableIdiom idiom, const TileKey &key) {
  return both(info(key.types), TW_ELEMENT_BF16) &&
         (idiom == ScalableIdiom::SmeOuter ||
          idiom == ScalableIdiom::SveMatrix || idiom == ScalableIdiom::SveDot);
}

ScalableShape::ScalableShape(ScalableIdiom idiom, const TileKey &key) {
  const TypeTripleInfo &types = info(key.types);
  TileKey least = key.atVectorBits(info(key.isa).vectorBits);
  sme = idiom == ScalableIdiom::SmeOuter;
  bool matrix = idiom == ScalableIdiom::SveMatrix;
  bool widens = idiom == ScalableIdiom::SveWiden;
  bool multiplies =
      idiom == ScalableIdiom::SveFma || idiom == ScalableIdiom::SveMla;
  bool fmaHalf = idiom == ScalableIdiom::SveFmaHalf;
  bool wordDot = idiom == ScalableIdiom::SveDot && areWords(types);
  accumulatorBits = info(types.accumulator).bits;
  lanes = info(key.isa).vectorBits / accumulatorBits;
  halvesAreRows = widens && key.k0 == 1 && key.n0 % 2 == 0;
  halves = widens && (key.k0 > 1 || halvesAreRows) ? 2 : 1;
  containerBits = matrix || wordDot          ? 64
                  : halvesAreRows || fmaHalf ? 16
                                             : accumulatorBits;
  sumBits = wordDot ? 64 : fmaHalf ? 16 : accumulatorBits;
  rowsTogether = matrix ? 2 : 1;
  bool rounds = key.rounding == Rounding::kPerStep && sumBits == 32;
  bool inBits = types.out == TW_ELEMENT_BF16 && !info(key.isa).has("bf16");
  roundingRegisters = !rounds ? 0 : inBits ? 5 : 1;
  // By value where an element becomes one that the multiply takes.
  auto operand = [&](tw_element_type_t type, int size, bool scalable) {
    Operand o;
    o.type = type;
    o.rows = scalable;
    o.size = size;
    int rowBits = key.k0 * info(type).bits;
    o.rowBytes = rowBits / 8;
    bool whole = rowBits % containerBits == 0;
    o.byValue =
        !whole && (multiplies || ((widens || wordDot) && info(type).bits < 16));
    o.unitBits = whole ? containerBits : o.byValue ? info(type).bits : rowBits;
    o.extendedBits = whole       ? containerBits
                     : o.byValue ? containerBits / key.k0
                                 : containerBits;
    return o;
  };
  nibbles = (sme || idiom == ScalableIdiom::SveDot) &&
            areBytesByNibbles(types, key.k0);
  lhs = operand(types.lhs, least.m0, key.m0Scalable);
  rhs = operand(types.rhs, least.n0, key.n0Scalable);
  auto chunksOf = [&](const Operand &o) {
    return std::max(1, o.rowBytes * 8 / containerBits);
  };
  chunks = std::max(chunksOf(lhs), chunksOf(rhs));
  byLane = !sme && idiom != ScalableIdiom::SveMla &&
           !(idiom == ScalableIdiom::SveDot && lhs.extends() && !lhs.byValue);
}

} // namespace tilewright
