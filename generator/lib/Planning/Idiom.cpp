// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Planning/Idiom.h"
#include "tilewright/Planning/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

namespace tilewright {
namespace {

/// As they are, or since the values of u4 are the same read as signed bytes.
bool areOfOneSign(tw_element_type_t x, tw_element_type_t y) {
  return info(x).kind == info(y).kind || x == TW_ELEMENT_U4 ||
         y == TW_ELEMENT_U4;
}

bool takesTypes(const Idiom &idiom, const TypeTripleInfo &types) {
  tw_operands_t operands = operandsOf(types);
  if (idiom.roundsToHalf)
    return operands == TW_OPERANDS_F16 && types.out == TW_ELEMENT_F16;
  return idiom.operands & operands &&
         (idiom.signs != Signs::OnlySame ||
          areOfOneSign(types.lhs, types.rhs)) &&
         (idiom.signs != Signs::OnlyMixed ||
          !areOfOneSign(types.lhs, types.rhs));
}

/// "x86_64_avx_vnni or x86_64_avx512_vnni": the levels that have one of an
/// idiom's instructions, unless they extend another one of these; empty if
/// `isa` is one.
std::string whyNoInstruction(const Idiom &idiom, const IsaInfo &isa) {
  std::vector<const IsaInfo *> levels;
  for (tw_instruction_t instruction : idiom.instructions)
    if (instruction != TW_INSTRUCTION_NONE)
      levels.push_back(&info(kInstructions[instruction].isa));
  if (levels.empty() || llvm::any_of(levels, [&](const IsaInfo *level) {
        return isa.implies(*level);
      }))
    return {};
  std::string names;
  for (const IsaInfo *level : levels) {
    bool extends = llvm::any_of(levels, [&](const IsaInfo *other) {
      return other != level && level->implies(*other);
    });
    if (!extends && !llvm::StringRef(names).contains(level->name))
      names += (names.empty() ? "" : " or ") + std::string(level->name);
  }
  return names;
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

/// Of each kind, the first of `targets` that has it; null if none does.
static std::vector<const Idiom *>
firstOfKinds(llvm::ArrayRef<const Target *> targets) {
  std::vector<const Idiom *> all(size_t(IdiomKind::Generic) + 1);
  for (const Target *target : targets)
    for (const Idiom &i : target->idioms())
      if (!all[size_t(i.kind)])
        all[size_t(i.kind)] = &i;
  return all;
}

const Idiom &idiom(IdiomKind kind) {
  static const std::vector<const Idiom *> byKind = firstOfKinds(targets());
  return *byKind[size_t(kind)];
}

/// As the ISA's target has it, or null.
static const Idiom *findIdiom(IdiomKind kind, const IsaInfo &isa) {
  static const std::vector<std::vector<const Idiom *>> byIsa = [] {
    std::vector<std::vector<const Idiom *>> all(TW_ISA_COUNT, firstOfKinds({}));
    for (const IsaInfo &i : isas())
      if (const Target *target = findTarget(llvm::StringRef(i.arch)))
        all[i.isa] = firstOfKinds(target);
    return all;
  }();
  return byIsa[isa.isa][size_t(kind)];
}

const Idiom &idiom(IdiomKind kind, const IsaInfo &isa) {
  return *findIdiom(kind, isa);
}

const Idiom *findIdiom(llvm::StringRef name, const IsaInfo &isa) {
  llvm::ArrayRef<Idiom> idioms = targetOf(isa).idioms();
  const Idiom *it =
      llvm::find_if(idioms, [&](const Idiom &i) { return i.name == name; });
  return it == idioms.end() ? nullptr : it;
}

std::string whyIdiomUnfit(IdiomKind kind, const TileKey &key) {
  const TypeTripleInfo &types = info(key.types);
  const IsaInfo &isa = info(key.isa);
  const Idiom *own = findIdiom(kind, isa);
  std::string name = ("idiom '" + idiom(kind).name + "'").str();
  if (!own)
    return name + " is not one of " + std::string(isa.name);
  if (!takesTypes(*own, types))
    return name + " does not take " + std::string(types.name);
  if (own->wholeGroups && key.k0 % own->group != 0)
    return name + " takes pairs of k0: K0=" + std::to_string(key.k0) +
           " must be even";
  if (std::string levels = whyNoInstruction(*own, isa); !levels.empty())
    return name + " needs " + levels + ", which " + std::string(isa.name) +
           " does not imply";
  if (own->sumsInWords && key.k0 > productsInWords(types))
    return name + " adds up in 16 bits, which hold the sum of " +
           std::to_string(productsInWords(types)) + " products of " +
           std::string(types.name) + ": K0=" + std::to_string(key.k0) +
           " is more";
  if (own->roundsToHalf && (key.rounding != Rounding::kPerStep || key.k0 != 1))
    return name +
           " rounds each product's sum to f16: for steprnd with K0=1 only";
  return {};
}

ComputeType computeType(const Idiom &idiom, const TileKey &key) {
  switch (idiom.operands) {
  case TW_OPERANDS_S4:
    return idiom.halves == Halves::None ? ComputeType::S16 : ComputeType::I8;
  case TW_OPERANDS_BYTES:
    return ComputeType::I8;
  case TW_OPERANDS_WORDS:
    return ComputeType::S16;
  case TW_OPERANDS_BF16:
    return ComputeType::BF16;
  case TW_OPERANDS_F16:
  case TW_OPERANDS_F16_STEPS:
    return ComputeType::F16;
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
  return idiom.sumsInWords ? TW_ELEMENT_S16 : sumOf(idiom, key);
}

tw_element_type_t sumOf(const Idiom &idiom, const TileKey &key) {
  return idiom.roundsToHalf ? TW_ELEMENT_F16 : info(key.types).accumulator;
}

bool sumsUnsignedWords(const TypeTripleInfo &types) {
  return info(types.lhs).kind == TW_ELEMENT_KIND_UNSIGNED &&
         info(types.rhs).kind == TW_ELEMENT_KIND_UNSIGNED;
}

int scaledSteps(int k0, int unroll) {
  // |elements| are at most 2^7 (2^8 of u8), so that sums stay below 2^31.
  return static_cast<int>(
      llvm::alignDown((1 << 15) / k0, static_cast<uint64_t>(unroll)));
}

int productsInWords(const TypeTripleInfo &types) {
  auto magnitude = [](tw_element_type_t type) {
    const ElementTypeInfo &element = info(type);
    return element.kind == TW_ELEMENT_KIND_SIGNED
               ? int64_t{1} << (element.bits - 1)
               : (int64_t{1} << element.bits) - 1;
  };
  int64_t most = sumsUnsignedWords(types) ? 0xffff : 0x7fff;
  return static_cast<int>(most / (magnitude(types.lhs) * magnitude(types.rhs)));
}

/// Signs::OneOfEach of two of one sign.
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

/// Signs::Same of one of each.
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
  bool any = idiom.anySigns != TW_INSTRUCTION_NONE &&
             isa.implies(info(kInstructions[idiom.anySigns].isa));
  switch (any ? Signs::Any : idiom.signs) {
  case Signs::OneOfEach:
    if (!mixed)
      return rolesOfMixed(vectorType, broadcastType);
    break;
  case Signs::Same:
    if (mixed)
      return rolesOfEqual(vectorType, broadcastType);
    break;
  case Signs::OnlySame:
    if (mixed)
      return {false, false, 0};
    break;
  case Signs::OnlyMixed:
  case Signs::Any:
    break;
  }
  return {vectorUnsigned, broadcastUnsigned, 0};
}

} // namespace tilewright
