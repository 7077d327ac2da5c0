// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TransposedTile.h"

#include "../CTypes.h"
#include "../CacheLine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Units in which all targets interleave vectors.
constexpr int64_t kUnitBits = 128;

int64_t bitsOf(OpOperand &operand) {
  Type element = getElementTypeOrSelf(operand.get().getType());
  return element.isIndex()       ? 64
         : isPartOfByte(element) ? 8
                                 : element.getIntOrFloatBitWidth();
}

} // namespace

TransposedTile::TransposedTile(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                               const LoopPlan &plan, ValueRange sizes)
    : b(b), op(cast<linalg::LinalgOp>(op.getOperation())), plan(plan),
      laneSize(sizes[plan.lane]), rowSize(sizes[*plan.across]) {
  int64_t narrowest = 64;
  for (OpOperand *input : this->op.getDpsInputOperands())
    if (isTiled(*input))
      narrowest = std::min(narrowest, bitsOf(*input));
  // Whole cache lines of the rows that a tile reads, which may be gone when the
  // next tile comes: rows of a power of two share few sets.
  rowCount = kCacheLine * 8 / narrowest;
  laneCount =
      std::max(plan.width * plan.copies, plan.vectorBytes * 8 / narrowest);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      &op->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
  for (OpOperand *input : this->op.getDpsInputOperands()) {
    if (!isTiled(*input))
      continue;
    auto type = MemRefType::get({rowCount, laneCount},
                                getElementTypeOrSelf(input->get().getType()));
    Value elements =
        memref::AllocaOp::create(b, type, b.getI64IntegerAttr(kCacheLine));
    buffers.push_back({input, elements, bitsOf(*input)});
  }
}

Value TransposedTile::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value TransposedTile::least(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(x, y);
}

Value TransposedTile::plus(Value x, int64_t y) {
  return y ? b.createOrFold<arith::AddIOp>(x, constant(y)) : x;
}

Value TransposedTile::minus(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(x, y);
}

Value TransposedTile::beginning(Value from, Value size, int64_t count) {
  return least(from, minus(size, constant(count)));
}

void TransposedTile::fill(ValueRange outer, Value lane, Value laneEnd,
                          Value row, Value rowEnd) {
  ivs.assign(outer.begin(), outer.end());
  laneStart = lane, rowStart = row;
  this->laneEnd = laneEnd, this->rowEnd = rowEnd;
  // Blocks at the ends of the loops begin earlier, and so do their tiles.
  auto origin = [&](Value from, Value size, int64_t count) {
    return b.createOrFold<arith::MaxSIOp>(beginning(from, size, count),
                                          constant(0));
  };
  laneOrigin = origin(lane, laneSize, laneCount);
  rowOrigin = origin(row, rowSize, rowCount);
  prefetchResults();
  for (const Buffer &buffer : buffers)
    fillBuffer(buffer);
}

/// Stores wait for their cache lines one after the other; these are fetched
/// while the inputs are read.
void TransposedTile::prefetchResults() {
  auto loop = scf::ForOp::create(b, rowStart, rowEnd, constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value line = constant(kCacheLine * 8 / bitsOf(init));
    auto lines = scf::ForOp::create(b, laneStart, laneEnd, line);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(lines.getBody());
    prefetch(init, lines.getInductionVar(), loop.getInductionVar(),
             /*isWrite=*/true);
  }
}

/// By vectors as wide as the target's, of a unit where there are too few lanes
/// for these; by elements where rows are shorter than a unit.
void TransposedTile::fillBuffer(const Buffer &buffer) {
  int64_t unit = kUnitBits / buffer.bits, whole = wholeOf(buffer);
  auto isAtLeast = [&](Value size, int64_t count) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, size,
                                         constant(count));
  };
  auto choose = [&](Value condition, llvm::function_ref<void()> then,
                    llvm::function_ref<void()> otherwise) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    then();
    b.setInsertionPointToStart(branch.elseBlock());
    otherwise();
  };
  choose(
      isAtLeast(rowSize, unit),
      [&] {
        choose(
            isAtLeast(laneSize, whole),
            [&] { fillByVectors(buffer, whole, /*hasLanes=*/true); },
            [&] { fillByVectors(buffer, unit, /*hasLanes=*/false); });
      },
      [&] { fillByElements(buffer); });
}

void TransposedTile::fillByVectors(const Buffer &buffer, int64_t width,
                                   bool hasLanes) {
  int64_t unit = kUnitBits / buffer.bits;
  auto loop = scf::ForOp::create(b, laneStart, laneEnd, constant(width));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values lanes = lanesFrom(loop.getInductionVar(), width, hasLanes);
  // Of the next tile: rows that lie far apart are not foreseen by the CPU.
  for (Value lane : lanesFrom(plus(lanes[0], laneCount), width, hasLanes))
    prefetch(*buffer.input, lane, rowStart, /*isWrite=*/false);
  for (int64_t part = 0; part < rowCount; part += unit)
    transposeBlock(buffer, lanes,
                   beginning(plus(rowStart, part), rowSize, unit));
}

/// `width` lanes from `lane` on, or earlier ones where the loop ends before;
/// the last of them several times if there are fewer.
TransposedTile::Values TransposedTile::lanesFrom(Value lane, int64_t width,
                                                 bool hasLanes) {
  if (hasLanes)
    lane = beginning(lane, laneSize, width);
  Value last = minus(laneSize, constant(1));
  Values lanes;
  for (int64_t i = 0; i < width; ++i)
    lanes.push_back(hasLanes ? plus(lane, i) : least(plus(lane, i), last));
  return lanes;
}

SmallVector<Lanes> TransposedTile::placeOf(LaneBuilder &lanes,
                                           OpOperand &operand,
                                           const Lanes &lane,
                                           const Lanes &row) {
  SmallVector<Lanes> at =
      llvm::map_to_vector(ivs, [](Value iv) { return Lanes{iv}; });
  at[plan.lane] = lane;
  at[*plan.across] = row;
  lanes.setIndices(at);
  return lanes.apply(op.getMatchingIndexingMap(&operand));
}

void TransposedTile::prefetch(OpOperand &operand, Value lane, Value row,
                              bool isWrite) {
  LaneBuilder lanes(b, 1);
  SmallVector<Value> place =
      llvm::map_to_vector(placeOf(lanes, operand, {lane}, {row}),
                          [](const Lanes &index) { return index.scalar; });
  memref::PrefetchOp::create(b, operand.get(), place, isWrite,
                             /*localityHint=*/3, /*isDataCache=*/true);
}

Value TransposedTile::loadRow(const Buffer &buffer, int64_t width, Value lane,
                              Value row) {
  LaneBuilder lanes(b, width);
  SmallVector<Lanes> place =
      placeOf(lanes, *buffer.input, {lane}, {row, width > 1 ? 1 : 0});
  return lanes.materialize(lanes.load(asBytes(b, buffer.input->get()), place));
}

/// Of these lanes and as many iterations across as a unit has elements. The
/// units of a vector are of lanes that lie so far apart; in each of its parts,
/// vectors are transposed as by ukernels/zip.h: one is interleaved with that
/// half of them behind it, so often that all have met.
void TransposedTile::transposeBlock(const Buffer &buffer, ValueRange lanes,
                                    Value row) {
  int64_t unit = kUnitBits / buffer.bits, width = int64_t(lanes.size());
  Values vectors;
  for (int64_t i = 0; i < unit; ++i) {
    Values parts;
    for (int64_t first = 0; first < width; first += unit)
      parts.push_back(loadRow(buffer, unit, lanes[first + i], row));
    vectors.push_back(concatenate(parts));
  }
  SmallVector<int64_t> low, high;
  for (int64_t first = 0; first < width; first += unit)
    for (int64_t i = 0; i < unit / 2; ++i)
      for (int64_t from : {first + i, width + first + i}) {
        low.push_back(from);
        high.push_back(from + unit / 2);
      }
  for (int64_t met = 1; met < unit; met *= 2) {
    Values next;
    for (int64_t i = 0; i < unit / 2; ++i)
      for (ArrayRef<int64_t> mask : {ArrayRef(low), ArrayRef(high)})
        next.push_back(vector::ShuffleOp::create(b, vectors[i],
                                                 vectors[i + unit / 2], mask));
    vectors = next;
  }
  Value column = minus(lanes[0], laneOrigin), first = minus(row, rowOrigin);
  for (auto [i, elements] : llvm::enumerate(vectors))
    vector::StoreOp::create(b, elements, asBytes(b, buffer.elements),
                            ValueRange{plus(first, int64_t(i)), column});
}

/// Vectors of one length, a power of two of them, behind each other.
Value TransposedTile::concatenate(Values parts) {
  for (; parts.size() > 1; parts.resize(parts.size() / 2)) {
    int64_t width = 2 * cast<VectorType>(parts[0].getType()).getDimSize(0);
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, width));
    for (size_t i = 0; i < parts.size(); i += 2)
      parts[i / 2] = vector::ShuffleOp::create(b, parts[i], parts[i + 1], all);
  }
  return parts[0];
}

void TransposedTile::fillByElements(const Buffer &buffer) {
  OpBuilder::InsertionGuard guard(b);
  auto enter = [&](Value from, Value to) -> Value {
    auto loop = scf::ForOp::create(b, from, to, constant(1));
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  };
  Value row = enter(rowStart, rowEnd), lane = enter(laneStart, laneEnd);
  memref::StoreOp::create(
      b, loadRow(buffer, 1, lane, row), asBytes(b, buffer.elements),
      ValueRange{minus(row, rowOrigin), minus(lane, laneOrigin)});
}

std::optional<Lanes> TransposedTile::load(LaneBuilder &lanes,
                                          OpOperand &input) {
  const auto *buffer = llvm::find_if(
      buffers, [&](const Buffer &known) { return known.input == &input; });
  if (buffer == buffers.end())
    return std::nullopt;
  SmallVector<AffineExpr> place{b.getAffineDimExpr(*plan.across),
                                b.getAffineDimExpr(plan.lane)};
  SmallVector<Lanes> at =
      lanes.apply(AffineMap::get(op.getNumLoops(), 0, place, b.getContext()));
  at[0].scalar = minus(at[0].scalar, rowOrigin);
  at[1].scalar = minus(at[1].scalar, laneOrigin);
  return lanes.load(buffer->elements, at);
}

} // namespace tilewright
