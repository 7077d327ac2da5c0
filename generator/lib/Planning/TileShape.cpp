// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Planning/TileShape.h"
#include "tilewright/Planning/Target.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

namespace tilewright {

/// Vectors of sums that are in flight where nothing else is, and the most K
/// steps that are taken for them.
constexpr int kSumChains = 4, kMostSummed = 16;

static OperandShape operandShape(tw_element_type_t type, int rows,
                                 bool scalable, int k0, bool staged) {
  OperandShape shape;
  shape.type = type;
  shape.bits = info(type).bits;
  shape.rows = rows;
  shape.scalable = scalable;
  shape.stepBytes = int64_t{rows} * k0 * shape.bits / 8;
  shape.staged = staged;
  shape.rowPeriod = 8 / std::gcd(8, k0 * shape.bits);
  return shape;
}

static Blocking blocking(int rows, int size) {
  if (size >= rows)
    return {rows, 1, false};
  return {size, static_cast<int>(llvm::divideCeil(rows, size)),
          rows % size != 0};
}

int transposedWidth(int left, int lanes) {
  return std::min<int>(lanes, llvm::bit_floor(static_cast<unsigned>(left)));
}

/// TileShape::transposedVectors of a block of `columns` out columns, if none
/// overlaps another one.
static int transposedVectors(const TilePlan &plan, int rows, int columns,
                             const IsaInfo &isa) {
  // Beyond, a loop over them in memory is less code.
  constexpr int kMost = 32;
  if (!plan.broadcastRhs || plan.kLanes > 1 || machineOf(isa).takesScalars)
    return 0;
  int vectors = 0;
  for (int left = columns; left > 0; left -= transposedWidth(left, plan.lanes))
    vectors += rows;
  return vectors <= kMost ? vectors : 0;
}

IdiomShape::IdiomShape(const TileKey &key, IdiomKind kind)
    : idiom(tilewright::idiom(kind)), isa(info(key.isa)),
      machine(machineOf(isa)), types(info(key.types)),
      compute(computeType(idiom, key)), accumulator(accumulatorOf(idiom, key)),
      sum(sumOf(idiom, key)),
      roles{byteRoles(idiom, isa, types.rhs, types.lhs),
            byteRoles(idiom, isa, types.lhs, types.rhs)},
      unsignedWords(sumsUnsignedWords(types)) {
  TileKey least = key.atVectorBits(isa.vectorBits);
  m0 = least.m0;
  n0 = least.n0;
  convertsSums = key.rounding == Rounding::kPerStep &&
                 accumulator != types.out &&
                 (types.out != TW_ELEMENT_BF16 ||
                  machine.convertsToBF16(idiom.flushesDenormals));
}

/// Whether scalars of that type are decoded by an instruction or two.
static bool decodesScalar(const OperandShape &operand, const Machine &machine) {
  if (info(operand.type).kind != TW_ELEMENT_KIND_FLOAT)
    return operand.bits >= 8;
  return operand.type == TW_ELEMENT_BF16 ||
         (operand.type == TW_ELEMENT_F16 && machine.convertsHalf);
}

TileShape::TileShape(const TileKey &key, const TilePlan &plan,
                     const IdiomShape &shared)
    : compute(shared.compute), accumulator(shared.accumulator), sum(shared.sum),
      convertsSums(shared.convertsSums), unsignedWords(shared.unsignedWords) {
  const Idiom &idiom = shared.idiom;
  const TypeTripleInfo &types = shared.types;
  const IsaInfo &isa = shared.isa;
  accumulatorBytes = info(accumulator).bits / 8;
  sumBytes = info(sum).bits / 8;
  group = idiom.group;
  nibbles = plan.staging == Staging::Nibbles;
  laneSize = nibbles ? kNibbles : group;
  parts = nibbles ? kNibbles / group : idiom.parts;
  groups = static_cast<int>(llvm::divideCeil(key.k0, laneSize));
  chunks = static_cast<int>(llvm::divideCeil(groups, plan.kLanes));
  chunkSize = plan.kLanes * laneSize;
  turns = nibbles ? chunks * parts : chunks;
  vectorRows = std::max(1, plan.lanes / plan.kLanes / idiom.rows);
  byLanes = plan.by == BroadcastBy::Lane;
  separates = byLanes && chunks > 1;
  padded = vectorRows > 1 &&
           (separates ? key.k0 % chunkSize != 0 : chunkSize != key.k0);
  rowPitch = padded ? chunks * chunkSize : key.k0;
  auto lhs = [&](bool staged) {
    return operandShape(types.lhs, shared.m0, key.m0Scalable, key.k0, staged);
  };
  auto rhs = [&](bool staged) {
    return operandShape(types.rhs, shared.n0, key.n0Scalable, key.k0, staged);
  };
  bool stagesB = plan.stagesBroadcast(), stagesV = plan.stagesVector();
  broadcast = plan.broadcastRhs ? rhs(stagesB) : lhs(stagesB);
  vector = plan.broadcastRhs ? lhs(stagesV) : rhs(stagesV);
  broadcast.inParts = idiom.parts > 1 && stagesB && !padded;
  auto inPlace = [](const OperandShape &operand) {
    return operand.bits == 4 && !operand.staged;
  };
  canSplit = separates && !padded && chunks % 2 == 0 && sum == TW_ELEMENT_S32 &&
             compute != ComputeType::S32 &&
             (inPlace(vector) || inPlace(broadcast));
  splits = plan.split;
  roles = shared.roles[plan.broadcastRhs];
  auto isScaled = [&](const OperandShape &operand, int offset) {
    return splits && compute == ComputeType::I8 && sum == accumulator &&
           inPlace(operand) && operand.type == TW_ELEMENT_S4 && offset == 0;
  };
  scaleBits =
      kScaleBits * (isScaled(vector, roles.offset) + isScaled(broadcast, 0));
  scaledSteps = tilewright::scaledSteps(key.k0, plan.unroll);
  wordSteps = 0;
  if (idiom.sumsInWords)
    wordSteps = static_cast<int>(llvm::alignDown(
        productsInWords(types) / key.k0, static_cast<uint64_t>(plan.unroll)));
  broadcastBlocks = blocking(broadcast.rows, plan.blockRows);
  vectorBlocks = blocking(vector.rows, plan.blockVectors * vectorRows);
  vectors = static_cast<int>(llvm::divideCeil(vectorBlocks.size, vectorRows));
  // Even and odd lanes of one register.
  if (idiom.halves == Halves::EvenOdd)
    vectors = static_cast<int>(llvm::alignTo(vectors, 2));
  rowGroups =
      static_cast<int>(llvm::divideCeil(broadcastBlocks.size, idiom.rows));
  bool overlaps = broadcastBlocks.overlaps || vectorBlocks.overlaps ||
                  broadcast.scalable || vector.scalable;
  transposedVectors =
      overlaps ? 0
               : tilewright::transposedVectors(plan, vectorBlocks.size,
                                               broadcastBlocks.size, isa);
  regular = !padded && !broadcastBlocks.overlaps && !vectorBlocks.overlaps &&
            (chunks == 1 || separates) && vectorBlocks.size % plan.lanes == 0;
  correctionSteps = stepsOfCorrections(plan, isa);
  correctionVectors =
      roles.offset == 0 ? 0
                        : static_cast<int>(llvm::divideCeil(
                              correctionSteps * broadcastBlocks.size * rowPitch,
                              plan.lanes * group));
  int groupBytes = chunkSize * bytesOf(compute);
  mayShuffle = !shared.machine.takesScalars && broadcast.rows == 1 &&
               !broadcast.staged && chunks == 1 && idiom.parts == 1 &&
               plan.kLanes == 1 && (groupBytes == 4 || groupBytes == 8) &&
               plan.lanes * accumulatorBytes >= 32;
  canShuffle = mayShuffle && plan.unroll % (16 / groupBytes) == 0;
  bool floats = compute == ComputeType::F32 && chunkSize == 1 &&
                (broadcast.staged || broadcast.bits == 32);
  bool pairs = compute == ComputeType::BF16 && groupBytes == 4 &&
               key.k0 % chunkSize == 0 && !padded && plan.kLanes == 1;
  canLoadAlone = shared.machine.repeatsIntegers &&
                 plan.lanes * accumulatorBytes == 64 &&
                 (floats || pairs || (broadcast.inParts && plan.kLanes == 1));
  canPair = shared.machine.repeatsPairs && !byLanes && idiom.rows == 1 &&
            rowGroups > 1 && plan.lanes > 1 && plan.kLanes == 1 &&
            chunks == 1 && parts == 1 && !padded && sum == accumulator &&
            key.rounding != Rounding::kPerStep && 2 * groupBytes <= 16 &&
            llvm::isPowerOf2_32(groupBytes) &&
            !isDecoded(broadcast, compute, 0);
  canPairLoads = canPair && shared.machine.repeatsLanes && regular &&
                 rowGroups % 2 == 0 && groupBytes == 4 &&
                 plan.lanes * accumulatorBytes == 64 && !vector.staged &&
                 !isDecoded(vector, compute, roles.offset);
  hasScalars = shared.machine.takesScalars && !byLanes && chunkSize == 1 &&
               !isComputedAs(broadcast.type, compute) &&
               decodesScalar(broadcast, shared.machine);
  spreadSteps =
      plan.by == BroadcastBy::Shuffle && canShuffle ? 16 / groupBytes : 1;
  roundsPerStep = key.rounding == Rounding::kPerStep;
  vectorWidth =
      int64_t{vectorRows} * chunkSize * (idiom.halves == Halves::None ? 1 : 2);
  // Beside these a broadcast and a mask. Of 256 bits two masks take less than a
  // shift and a mask: 3x2 to 6x2 0.96 to 0.91 of the time, 8x1 and 6x1 1.00
  // (Zen 3). Fewer multiplies are bound by loads.
  constexpr int kFewestRows = 3;
  masksParts = broadcast.inParts && regular && !vector.staged &&
               !plan.sharesRuns && plan.lanes * accumulatorBytes == 32 &&
               vectors == 2 && rowGroups >= kFewestRows;
  loadsEachPart =
      parts > 1 && (masksParts ||
                    accumulators(plan) + 2 * vectors + 2 >
                        vectorsInRegisters(isa, plan.lanes * accumulatorBytes));
}

int TileShape::stepsOfCorrections(const TilePlan &plan,
                                  const IsaInfo &isa) const {
  if (broadcastBlocks.count > 1 || broadcast.scalable)
    return 1;
  if (plan.sums == SumsIn::Steps)
    return plan.unroll;
  bool staged = plan.sums == SumsIn::Stage;
  // So many at a time are code that irregular tiles are not worth.
  if (!regular || (staged && broadcast.bits < 8))
    return 1;
  int most = staged ? plan.stageSteps : kMostSummed;
  int elements = broadcastBlocks.size * rowPitch;
  int width =
      staged ? isa.vectorBits / 8 / bytesOf(compute) : plan.lanes * group;
  if (staged && nibbles)
    width = std::max(width, chunkSize);
  int steps = std::min(width / std::gcd(width, elements), most);
  // Sums in fewer vectors wait for themselves.
  while (2 * steps <= most && 2 * steps * elements <= kSumChains * width)
    steps *= 2;
  return steps;
}

bool namesLanes(const TilePlan &plan, const TileKey &key) {
  return machineOf(info(key.isa)).namesLanes && plan.kLanes == 1 &&
         (plan.lanes > 1 || key.k0 <= idiom(plan.idiom).group);
}

bool isDecoded(const OperandShape &operand, ComputeType compute, int offset) {
  return !operand.staged &&
         !(isComputedAs(operand.type, compute) && offset == 0);
}

bool isCheaplyDecoded(tw_element_type_t type) {
  const ElementTypeInfo &element = info(type);
  return element.bits >= 16 ||
         (element.bits == 8 && element.kind != TW_ELEMENT_KIND_FLOAT);
}

bool TileShape::canDecodeAhead(const TilePlan &plan, const IsaInfo &isa) const {
  if (plan.decodeAhead == plan.unroll)
    return canDecodeIterations(plan, isa);
  return plan.decodeAhead == 1 &&
         (canDecodeSteps(plan, isa) || canDecodeVectors(plan, isa));
}

/// The next vectors of a single row whose products are added apart: that is all
/// there is to multiply, and conversions in their turn keep it waiting.
bool TileShape::canDecodeVectors(const TilePlan &plan,
                                 const IsaInfo &isa) const {
  return !byLanes && broadcast.rows == 1 && vectorBlocks.count == 1 &&
         regular && chunks == 1 && parts == 1 && !vector.staged &&
         !vector.scalable && !roundsPerStep && sum == accumulator &&
         spreadSteps == 1 && idiom(plan.idiom).addsApart &&
         plan.lanes * accumulatorBytes == 64 && plan.unroll > 1 &&
         isDecoded(vector, compute, roles.offset) &&
         accumulators(plan) + kVectorsAhead + 3 <= isa.vectorRegisters;
}

bool TileShape::iteratesLong(const TilePlan &plan, const IsaInfo &isa) const {
  int turn = static_cast<int>(llvm::divideCeil(plan.sets, turns));
  return machineOf(isa).fetchesByStride && plan.staging == Staging::None &&
         rowGroups * vectors * plan.unroll >=
             (isa.vectorRegisters < 32 ? kFewMultiplies : kManyMultiplies) &&
         turn > 1 && plan.unroll > turn && plan.unroll % turn == 0;
}

bool TileShape::pairsSteps(const TilePlan &plan) const {
  return byLanes && idiom(plan.idiom).rows == 2 && broadcast.rows == 1 &&
         !broadcast.staged && !broadcast.scalable && separateChunks() == 1 &&
         plan.sets % (2 * turns) == 0;
}

bool TileShape::takesHalves(const TilePlan &plan) const {
  return byLanes && idiom(plan.idiom).halves == Halves::LowHigh &&
         separateChunks() == 1 && !splits &&
         vectorBlocks.size * rowPitch % vectorWidth != 0;
}

bool TileShape::canPassVectors() const {
  return !byLanes && broadcastBlocks.count > 1 && parts == 1 &&
         rowPitch == chunkSize && isDecoded(vector, compute, roles.offset);
}

bool TileShape::canStageBeside(const TilePlan &plan, const IsaInfo &isa) const {
  int width = isa.vectorBits / 8 / bytesOf(compute);
  // The steps of some of the rows do not follow one another.
  int together = broadcastBlocks.count == 1 ? plan.unroll : 1;
  return isCheaplyDecoded(broadcast.type) && !nibbles && parts == 1 &&
         sum == accumulator && !decodesIterations(plan) &&
         !broadcastBlocks.overlaps && !broadcast.scalable &&
         together * broadcastBlocks.size * rowPitch % width == 0 &&
         plan.stageSteps % plan.unroll == 0;
}

/// Both operands of the K step after the one that is multiplied, where
/// registers are free: conversions that wait behind its multiplies keep the
/// next ones waiting.
bool TileShape::canDecodeSteps(const TilePlan &plan, const IsaInfo &isa) const {
  auto follows = [](const OperandShape &operand, const Blocking &blocks) {
    return blocks.count == 1 && !operand.scalable;
  };
  int64_t elements = int64_t{vectorBlocks.size} * rowPitch;
  if (!byLanes || chunks > 1 || idiom(plan.idiom).rows > 1 ||
      !follows(broadcast, broadcastBlocks) || !follows(vector, vectorBlocks) ||
      elements % vectorWidth != 0 || !isDecoded(broadcast, compute, 0) ||
      !isDecoded(vector, compute, roles.offset))
    return false;
  int64_t registers = llvm::divideCeil(int64_t{broadcastBlocks.size} * rowPitch,
                                       16 / bytesOf(compute)) +
                      llvm::divideCeil(elements, vectorWidth);
  return accumulators(plan) + 2 * registers + 2 <= isa.vectorRegisters;
}

/// Floats of 16 bits that become f32, as whole registers of both operands.
bool TileShape::mayDecodeIterations(const TilePlan &plan) const {
  auto converts = [](const OperandShape &operand, const Blocking &blocks) {
    return operand.bits == 16 && !operand.staged && !operand.scalable &&
           blocks.count == 1;
  };
  return byLanes && compute == ComputeType::F32 && chunks <= 1 &&
         plan.lanes == 4 && (broadcastBlocks.size != 1 || roundsPerStep) &&
         vectorBlocks.size % plan.lanes == 0 &&
         converts(broadcast, broadcastBlocks) && converts(vector, vectorBlocks);
}

bool TileShape::canDecodeIterations(const TilePlan &plan,
                                    const IsaInfo &isa) const {
  int elements = plan.unroll * broadcastBlocks.size;
  if (!mayDecodeIterations(plan) || (elements > 4 && elements % 4 != 0))
    return false;
  auto divide = [](int a, int b) {
    return static_cast<int>(llvm::divideCeil(a, b));
  };
  int before = divide(elements, 8) + divide(plan.unroll * vectors, 2);
  int after = divide(elements, 4) + plan.unroll * vectors;
  // What rounding needs: constants and the value before.
  int rounding = roundsPerStep ? 5 : 0;
  return accumulators(plan) + before + after + rounding <= isa.vectorRegisters;
}

/// Accumulators of matrix multiplies that are enough not to wait for these and
/// for rounding; fewer are added to the sums of the step before.
static constexpr int kHideMatrixLatency = 8;

bool TileShape::makesPartsFirst(const TilePlan &plan) const {
  // Of 16 registers none is left for it.
  if (parts != 2 || loadsEachPart || plan.lanes != 16)
    return false;
  constexpr int kFew = 4; // more accumulators of nibbles wait for none
  return !nibbles || (rowGroups > 1 && rowGroups * vectors <= kFew);
}

bool TileShape::partsInOrder(const TilePlan &plan) const {
  constexpr int kMany = 8; // fewer accumulators wait for what is made late
  return nibbles && plan.lanes == 16 && vectors > 1 &&
         rowGroups * vectors >= kMany;
}

static bool hasFewDots(const TileShape &shape, const TilePlan &plan) {
  return plan.idiom == IdiomKind::DotBF16 &&
         shape.accumulators(plan) <= TileShape::kFewDots;
}

bool TileShape::roundsEachSum(const TilePlan &plan) const {
  return roundsPerStep && plan.kLanes == 1 && turns == 1 &&
         hasFewDots(*this, plan);
}

bool TileShape::sumsInStep(const TilePlan &plan) const {
  return roundsPerStep && plan.kLanes == 1 && !hasFewDots(*this, plan) &&
         (idiom(plan.idiom).rows == 1 ||
          accumulators(plan) >= kHideMatrixLatency);
}

bool TileShape::separable() const {
  if (!separates)
    return true;
  int count = separateChunks();
  if (vectorRows == 2)
    return count <= 8;
  return count == 1 || count == 2 || count == 4;
}

int TileShape::chunkValid(int chunk) const {
  return std::min(chunkSize, rowPitch - chunk * chunkSize);
}

} // namespace tilewright
