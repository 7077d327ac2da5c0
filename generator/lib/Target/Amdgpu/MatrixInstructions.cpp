// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Target/Amdgpu/MatrixInstructions.h"

#include "tilewright/Target/Amdgpu/AmdgpuTarget.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <map>
#include <vector>

using namespace llvm;

namespace tilewright {
namespace {

// The targets of a row, as bits.
constexpr uint64_t bitOf(tw_isa_t isa) { return uint64_t{1} << isa; }
enum TargetBit : uint64_t {
#define TW_AMDGPU_TARGET(TARGET, ...) TARGET = bitOf(TW_ISA_AMDGPU_##TARGET),
#include "tilewright/Target/Amdgpu/amdgpu_targets.def"
};
static_assert(TW_ISA_COUNT <= 64, "each ISA has a bit");

#define TW_ELEMENT_TYPE(name, ENUM, bits, kind)                                \
  constexpr tw_element_type_t kOnly##ENUM[] = {TW_ELEMENT_##ENUM};
#include "tilewright/element_types.def"
constexpr tw_element_type_t kOnlyIU8[] = {TW_ELEMENT_S8, TW_ELEMENT_U8};
constexpr tw_element_type_t kOnlyIU4[] = {TW_ELEMENT_S4, TW_ELEMENT_U4};
constexpr tw_element_type_t kOnlyF8F6F4[] = {
    TW_ELEMENT_F8E4M3FN, TW_ELEMENT_F8E5M2, TW_ELEMENT_F6E2M3FN,
    TW_ELEMENT_F6E3M2FN, TW_ELEMENT_F4E2M1FN};
constexpr tw_element_type_t kOnlyF6F4[] = {
    TW_ELEMENT_F6E2M3FN, TW_ELEMENT_F6E3M2FN, TW_ELEMENT_F4E2M1FN};

struct Row {
  uint64_t targets;
  MatrixInstruction instruction;
};

const Row kRows[] = {
#define TW_MATRIX_INSTRUCTION(targets, intrinsic, mnemonic, M, N, K, blocks,   \
                              lhs, rhs, acc, registers, cycles, layout, call)  \
  {targets,                                                                    \
   {#intrinsic, #mnemonic, M, N, K, blocks, kOnly##lhs, kOnly##rhs,            \
    TW_ELEMENT_##acc, #registers, cycles, MatrixLayout::layout,                \
    MatrixCall::call}},
#include "tilewright/matrix_instructions.def"
};

bool isCdna(MatrixLayout layout) {
  return layout == MatrixLayout::CDNA || layout == MatrixLayout::CDNA_F64 ||
         layout == MatrixLayout::CDNA_F64_BLOCKS;
}

/// Elements that follow one another along k before another group of lanes has
/// its turn.
int consecutive(const MatrixInstruction &instruction, int bits) {
  int elements = instruction.lhsElements();
  if (instruction.layout == MatrixLayout::GFX1250)
    return std::min(elements, bits >= 8 ? 128 / bits : 32);
  if (instruction.layout == MatrixLayout::RDNA4 && bits == 16)
    return 4;
  // 8-bit operands of more than 16 elements per lane.
  if (isCdna(instruction.layout) && bits == 8)
    return std::min(elements, 16);
  return elements;
}

/// The number that the OCP formats have in the f8f6f4 instructions.
int formatNumber(tw_element_type_t type) {
  switch (type) {
  case TW_ELEMENT_F8E5M2:
    return 1;
  case TW_ELEMENT_F6E2M3FN:
    return 2;
  case TW_ELEMENT_F6E3M2FN:
    return 3;
  case TW_ELEMENT_F4E2M1FN:
    return 4;
  default:
    return 0;
  }
}

} // namespace

int MatrixInstruction::lanes() const { return isCdna(layout) ? 64 : 32; }

int MatrixInstruction::kGroups() const {
  if (layout == MatrixLayout::RDNA3)
    return 1;
  return lanes() / (m * blocks);
}

int MatrixInstruction::lhsElements() const { return k / kGroups(); }
int MatrixInstruction::rhsElements() const { return k / kGroups(); }
int MatrixInstruction::results() const { return m * n * blocks / lanes(); }

bool MatrixInstruction::isScaled() const {
  return call == MatrixCall::MFMA_SCALE || call == MatrixCall::WMMA_SCALE;
}

bool MatrixInstruction::accepts(tw_element_type_t lhs,
                                tw_element_type_t rhs) const {
  return is_contained(lhsTypes, lhs) && is_contained(rhsTypes, rhs);
}

ArrayRef<MatrixInstruction> matrixInstructions(tw_isa_t isa) {
  using Table = std::map<tw_isa_t, std::vector<MatrixInstruction>>;
  static const Table table = [] {
    Table result;
    for (const AmdgpuTarget &target : amdgpuTargets())
      for (const Row &row : kRows)
        if (row.targets & bitOf(target.isa))
          result[target.isa].push_back(row.instruction);
    return result;
  }();
  auto it = table.find(isa);
  if (it == table.end())
    return {};
  return it->second;
}

const MatrixInstruction *findMatrixInstruction(tw_isa_t isa,
                                               StringRef intrinsic,
                                               tw_element_type_t lhs,
                                               tw_element_type_t rhs) {
  const MatrixInstruction *found = nullptr;
  for (const MatrixInstruction &candidate : matrixInstructions(isa))
    if (candidate.intrinsic == intrinsic && candidate.accepts(lhs, rhs) &&
        (!found || candidate.cycles < found->cycles))
      found = &candidate;
  return found;
}

MatrixPlace lhsPlace(const MatrixInstruction &i, int bits, int lane,
                     int element) {
  if (i.layout == MatrixLayout::CDNA_F64_BLOCKS)
    return {lane % i.m, lane / (i.m * i.blocks), lane / i.m % i.blocks};
  int block = i.blocks > 1 ? lane / i.m : 0;
  int group = i.kGroups() > 1 ? lane / i.m : 0;
  int run = consecutive(i, bits);
  int k = element / run * run * i.kGroups() + group * run + element % run;
  return {lane % i.m, k, block};
}

MatrixPlace resultPlace(const MatrixInstruction &i, int lane, int element) {
  switch (i.layout) {
  case MatrixLayout::CDNA: {
    if (i.m == 4)
      return {element, lane % 4, lane / 4};
    int perBlock = i.results() / i.blocks;
    int r = element % perBlock;
    int quads = 64 / i.n; // groups of lanes, which hold 4 rows each in turn
    return {4 * quads * (r / 4) + 4 * (lane / i.n) + r % 4, lane % i.n,
            element / perBlock};
  }
  case MatrixLayout::CDNA_F64:
    return {4 * element + lane / 16, lane % 16, 0};
  case MatrixLayout::CDNA_F64_BLOCKS:
    return {lane / 16, lane % 4, lane / 4 % 4};
  case MatrixLayout::RDNA3:
    return {2 * element + lane / 16, lane % 16, 0};
  case MatrixLayout::RDNA4:
  case MatrixLayout::GFX1250:
    return {8 * (lane / 16) + element, lane % 16, 0};
  }
  llvm_unreachable("all layouts are covered");
}

std::pair<int, int> lhsHolder(const MatrixInstruction &instruction, int bits,
                              MatrixPlace place) {
  for (int lane = 0; lane < instruction.lanes(); ++lane)
    for (int e = 0; e < instruction.lhsElements(); ++e)
      if (lhsPlace(instruction, bits, lane, e) == place)
        return {lane, e};
  return {-1, -1};
}

std::pair<int, int> resultHolder(const MatrixInstruction &instruction,
                                 MatrixPlace place) {
  for (int lane = 0; lane < instruction.lanes(); ++lane)
    for (int e = 0; e < instruction.results(); ++e)
      if (resultPlace(instruction, lane, e) == place)
        return {lane, e};
  return {-1, -1};
}

SmallVector<MatrixArgument>
matrixArguments(const MatrixInstruction &instruction, tw_element_type_t lhs,
                tw_element_type_t rhs) {
  using Argument = MatrixArgument;
  const Argument a{Argument::A}, b{Argument::B}, c{Argument::C};
  const Argument scalesA{Argument::ScalesA}, scalesB{Argument::ScalesB};
  auto immediate = [](int bits, int64_t value = 0) {
    return Argument{Argument::Immediate, bits, value};
  };
  auto sign = [&](tw_element_type_t type) {
    return immediate(1, info(type).kind == TW_ELEMENT_KIND_SIGNED);
  };
  auto format = [&](tw_element_type_t type) {
    return immediate(32, formatNumber(type));
  };
  const Argument bit = immediate(1), half = immediate(16), word = immediate(32);
  switch (instruction.call) {
  case MatrixCall::MFMA:
    return {a, b, c, word, word, word};
  case MatrixCall::MFMA_SCALE:
    return {a, b, c, format(lhs), format(rhs), word, scalesA, word, scalesB};
  case MatrixCall::WMMA:
    return {a, b, c};
  case MatrixCall::WMMA_INT:
    return {sign(lhs), a, sign(rhs), b, c, bit};
  case MatrixCall::WMMA_MODS:
    return {bit, a, bit, b, half, c, bit, bit};
  case MatrixCall::WMMA_INT_REUSE:
    return {sign(lhs), a, sign(rhs), b, c, bit, bit, bit};
  case MatrixCall::WMMA_MODC:
    return {a, b, half, c, bit, bit};
  case MatrixCall::WMMA_FORMAT:
    return {format(lhs), a, format(rhs), b, half, c};
  case MatrixCall::WMMA_SCALE:
    return {format(lhs), a,       format(rhs), b,    half,    c,   word,
            word,        scalesA, word,        word, scalesB, bit, bit};
  }
  llvm_unreachable("all calls are covered");
}

MatrixRegisters operandRegisters(const MatrixInstruction &instruction,
                                 tw_element_type_t type) {
  if (instruction.lhsTypes.size() > 2) { // the floats that a format tells apart
    int bits = info(type).bits * instruction.lhsElements();
    return {"i32", bits / 32};
  }
  StringRef text = instruction.registers;
  int elements = 1;
  if (text.consume_front("v"))
    text.consumeInteger(10, elements);
  return {text, elements};
}

MatrixRegisters resultRegisters(const MatrixInstruction &instruction) {
  StringRef element = instruction.accumulator == TW_ELEMENT_F64   ? "f64"
                      : instruction.accumulator == TW_ELEMENT_S32 ? "i32"
                                                                  : "f32";
  return {element, instruction.results()};
}

} // namespace tilewright
