// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Planning/Idiom.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

namespace tilewright {
namespace {

// Latencies: Zen 4 and Golden Cove agree within a cycle, and so do Neoverse N1,
// N2, V1 and V2.
constexpr Idiom kIdioms[] = {
    {IdiomKind::DotBytesSigned, "dpbssd", {"avxvnniint8", ""}, 4, 1, 4, 4},
    {IdiomKind::DotBytes, "dpbusd", {"avx512vnni", "avxvnni"}, 4, 1, 4, 4},
    {IdiomKind::DotWords, "dpwssd", {"avx512vnni", "avxvnni"}, 2, 1, 4, 4},
    {IdiomKind::MaddWords, "maddwd", {"avx2", ""}, 2, 2, 2, 4},
    {IdiomKind::DotBF16, "dpbf16", {"avx512bf16", ""}, 2, 1, 6, 4},
    {IdiomKind::FmaBF16,
     "fmabf16",
     {"fma", ""},
     2,
     1,
     8,
     1,
     1,
     Halves::None,
     2},
    {IdiomKind::MatrixBytes, "smmla", {"i8mm", ""}, 8, 1, 3, 4, 2},
    {IdiomKind::DotBytesLane, "sdot", {"dotprod", ""}, 4, 1, 3, 4},
    {IdiomKind::MatrixBF16, "bfmmla", {"bf16", ""}, 4, 1, 5, 4, 2},
    {IdiomKind::DotBF16Lane, "bfdot", {"bf16", ""}, 2, 1, 4, 4},
    {IdiomKind::WidenBF16,
     "bfmlal",
     {"bf16", ""},
     1,
     1,
     4,
     4,
     1,
     Halves::EvenOdd},
    {IdiomKind::PairBytes,
     "sadalp",
     {"neon", ""},
     2,
     2,
     4,
     4,
     1,
     Halves::LowHigh},
    {IdiomKind::WidenWords,
     "smlal",
     {"neon", ""},
     1,
     1,
     4,
     4,
     1,
     Halves::LowHigh},
    {IdiomKind::FmaHalf, "fmah", {"fullfp16", ""}, 1, 1, 4, 8},
    {IdiomKind::WidenHalf,
     "fmlal",
     {"fp16fml", ""},
     1,
     1,
     4,
     4,
     1,
     Halves::LowHigh},
    {IdiomKind::Fma, "fma", {"fma", "neon"}, 1, 1, 4, 1},
    {IdiomKind::MultiplyAddS32, "mla", {"neon", ""}, 1, 1, 4, 1},
    {IdiomKind::Generic, "generic", {"", ""}, 1, 2, 4, 1},
};

bool isByteInteger(tw_element_type_t type) {
  const ElementTypeInfo &element = info(type);
  return element.kind != TW_ELEMENT_KIND_FLOAT && element.bits <= 8;
}

/// As they are, or since the values of u4 are the same read as signed bytes.
bool areOfOneSign(tw_element_type_t x, tw_element_type_t y) {
  return info(x).kind == info(y).kind || x == TW_ELEMENT_U4 ||
         y == TW_ELEMENT_U4;
}

bool isWordInteger(tw_element_type_t type) {
  const ElementTypeInfo &element = info(type);
  return element.kind != TW_ELEMENT_KIND_FLOAT && element.bits <= 16;
}

bool takesTypes(IdiomKind kind, const TypeTripleInfo &types) {
  auto both = [&](tw_element_type_t type) {
    return types.lhs == type && types.rhs == type;
  };
  switch (kind) {
  case IdiomKind::MatrixBytes:
  case IdiomKind::DotBytesLane:
  case IdiomKind::DotBytesSigned:
  case IdiomKind::DotBytes:
    return isByteInteger(types.lhs) && isByteInteger(types.rhs);
  case IdiomKind::PairBytes:
    return isByteInteger(types.lhs) && isByteInteger(types.rhs) &&
           areOfOneSign(types.lhs, types.rhs);
  case IdiomKind::DotWords:
  case IdiomKind::MaddWords:
  case IdiomKind::WidenWords:
    return isWordInteger(types.lhs) && isWordInteger(types.rhs);
  case IdiomKind::DotBF16:
  case IdiomKind::FmaBF16:
  case IdiomKind::MatrixBF16:
  case IdiomKind::DotBF16Lane:
  case IdiomKind::WidenBF16:
    return both(TW_ELEMENT_BF16);
  case IdiomKind::WidenHalf:
    return both(TW_ELEMENT_F16);
  case IdiomKind::FmaHalf:
    return both(TW_ELEMENT_F16) && types.out == TW_ELEMENT_F16;
  case IdiomKind::Fma:
    return info(types.accumulator).kind == TW_ELEMENT_KIND_FLOAT;
  case IdiomKind::MultiplyAddS32:
    return types.accumulator == TW_ELEMENT_S32;
  case IdiomKind::Generic:
    return true;
  }
  llvm_unreachable("covered switch");
}

} // namespace

int bytesOf(ComputeType type) {
  switch (type) {
  case ComputeType::F64:
    return 8;
  case ComputeType::F32:
  case ComputeType::S32:
    return 4;
  case ComputeType::F16:
  case ComputeType::BF16:
  case ComputeType::S16:
    return 2;
  case ComputeType::I8:
    return 1;
  }
  llvm_unreachable("covered switch");
}

bool isComputedAs(tw_element_type_t type, ComputeType compute) {
  switch (compute) {
  case ComputeType::F64:
    return type == TW_ELEMENT_F64;
  case ComputeType::F32:
    return type == TW_ELEMENT_F32;
  case ComputeType::S32:
    return type == TW_ELEMENT_S32;
  case ComputeType::F16:
    return type == TW_ELEMENT_F16;
  case ComputeType::BF16:
    return type == TW_ELEMENT_BF16;
  case ComputeType::S16:
    return type == TW_ELEMENT_S16;
  case ComputeType::I8:
    return info(type).bits == 8;
  }
  llvm_unreachable("covered switch");
}

llvm::ArrayRef<Idiom> idioms() { return kIdioms; }

const Idiom &idiom(IdiomKind kind) {
  return *llvm::find_if(kIdioms,
                        [&](const Idiom &i) { return i.kind == kind; });
}

const Idiom *findIdiom(llvm::StringRef name) {
  const Idiom *it =
      llvm::find_if(kIdioms, [&](const Idiom &i) { return i.name == name; });
  return it == std::end(kIdioms) ? nullptr : it;
}

std::string whyIdiomUnfit(const Idiom &idiom, const TileKey &key) {
  const TypeTripleInfo &types = info(key.types);
  if (!takesTypes(idiom.kind, types))
    return (llvm::Twine("idiom '") + idiom.name + "' does not take ").str() +
           std::string(types.name);
  const IsaInfo &isa = info(key.isa);
  if (idiom.kind == IdiomKind::FmaBF16 && key.k0 % idiom.group != 0)
    return (llvm::Twine("idiom '") + idiom.name +
            "' takes pairs of k0: K0=" + llvm::Twine(key.k0) + " must be even")
        .str();
  bool any = idiom.features[0].empty();
  for (llvm::StringRef feature : idiom.features)
    any |= !feature.empty() && isa.has(std::string_view(feature));
  if (!any)
    return (llvm::Twine("idiom '") + idiom.name + "' needs " +
            idiom.features[0] + (idiom.features[1].empty() ? "" : " or ") +
            idiom.features[1] + ", which " + llvm::StringRef(isa.name) +
            " does not have")
        .str();
  if (idiom.kind == IdiomKind::FmaHalf &&
      (key.rounding != Rounding::kPerStep || key.k0 != 1))
    return (llvm::Twine("idiom '") + idiom.name +
            "' rounds each product's sum to f16: for steprnd with K0=1 only")
        .str();
  return {};
}

ComputeType computeType(const Idiom &idiom, const TileKey &key) {
  switch (idiom.kind) {
  case IdiomKind::DotBytesSigned:
  case IdiomKind::DotBytes:
  case IdiomKind::MatrixBytes:
  case IdiomKind::DotBytesLane:
  case IdiomKind::PairBytes:
    return ComputeType::I8;
  case IdiomKind::DotWords:
  case IdiomKind::MaddWords:
  case IdiomKind::WidenWords:
    return ComputeType::S16;
  case IdiomKind::DotBF16:
  case IdiomKind::FmaBF16:
  case IdiomKind::MatrixBF16:
  case IdiomKind::DotBF16Lane:
  case IdiomKind::WidenBF16:
    return ComputeType::BF16;
  case IdiomKind::WidenHalf:
  case IdiomKind::FmaHalf:
    return ComputeType::F16;
  case IdiomKind::Fma:
  case IdiomKind::MultiplyAddS32:
  case IdiomKind::Generic:
    break;
  }
  switch (info(key.types).accumulator) {
  case TW_ELEMENT_F64:
    return ComputeType::F64;
  case TW_ELEMENT_F32:
    return ComputeType::F32;
  default:
    return ComputeType::S32;
  }
}

tw_element_type_t accumulatorOf(const Idiom &idiom, const TileKey &key) {
  return idiom.kind == IdiomKind::FmaHalf ? TW_ELEMENT_F16
                                          : info(key.types).accumulator;
}

/// vpdpbusd: one operand unsigned, the other signed.
static ByteRoles rolesOfMixed(tw_element_type_t vectorType,
                              tw_element_type_t broadcastType) {
  if (info(vectorType).kind == TW_ELEMENT_KIND_UNSIGNED) {
    // Both unsigned. The values of u4 are the same read as signed bytes.
    if (broadcastType == TW_ELEMENT_U4)
      return {true, false, 0};
    if (vectorType == TW_ELEMENT_U4)
      return {false, true, 0};
    return {false, true, -128};
  }
  return {true, false, vectorType == TW_ELEMENT_S4 ? 8 : 128};
}

/// sdot and udot: both operands signed or both unsigned.
static ByteRoles rolesOfEqual(tw_element_type_t vectorType,
                              tw_element_type_t broadcastType) {
  if (vectorType == TW_ELEMENT_U4 || broadcastType == TW_ELEMENT_U4)
    return {false, false, 0};
  if (info(broadcastType).kind == TW_ELEMENT_KIND_UNSIGNED)
    return {true, true, vectorType == TW_ELEMENT_S4 ? 8 : 128};
  return {false, false, -128};
}

ByteRoles byteRoles(const Idiom &idiom, const IsaInfo &isa,
                    tw_element_type_t vectorType,
                    tw_element_type_t broadcastType) {
  bool vectorUnsigned = info(vectorType).kind == TW_ELEMENT_KIND_UNSIGNED;
  bool broadcastUnsigned = info(broadcastType).kind == TW_ELEMENT_KIND_UNSIGNED;
  bool mixed = vectorUnsigned != broadcastUnsigned;
  if (idiom.kind == IdiomKind::PairBytes && mixed)
    return {false, false, 0};
  if (idiom.kind == IdiomKind::DotBytes && !mixed)
    return rolesOfMixed(vectorType, broadcastType);
  if (idiom.kind == IdiomKind::DotBytesLane && mixed && !isa.has("i8mm"))
    return rolesOfEqual(vectorType, broadcastType);
  return {vectorUnsigned, broadcastUnsigned, 0};
}

} // namespace tilewright
