// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lanes.h"

#include "../CTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Whether elements that follow each other along `dim` do so in memory, as far
/// as is known: also before dimensions of size 1.
bool hasUnitStride(MemRefType type, size_t dim) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[dim] == 1 && strides.back() == 1;
}

bool isSupportedOp(Operation &op, bool inBranch) {
  if (isa<linalg::YieldOp, linalg::IndexOp, arith::ConstantOp, scf::YieldOp,
          memref::LoadOp, tensor::ExtractOp>(op))
    return true;
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return dim.getConstantIndex().has_value();
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return dim.getConstantIndex().has_value();
  auto isElement = [](Type type) {
    return VectorType::isValidElementType(type);
  };
  return OpTrait::hasElementwiseMappableTraits(&op) &&
         isMemoryEffectFree(&op) &&
         llvm::all_of(op.getOperandTypes(), isElement) &&
         llvm::all_of(op.getResultTypes(), isElement) &&
         (!inBranch || LaneBuilder::mayCompute(op));
}

/// What of `op` has to stay scalar: itself, or an operation in a branch.
Operation *findUnsupportedIn(Operation &op, bool inBranch) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch->getNumResults() == 0)
    return !branch && isSupportedOp(op, inBranch) ? nullptr : &op;
  for (Region &region : branch->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        if (Operation *found = findUnsupportedIn(inner, /*inBranch=*/true))
          return found;
  return nullptr;
}

bool isSupportedExpr(AffineExpr expr) {
  if (isa<AffineConstantExpr, AffineDimExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || !isSupportedExpr(binary.getLHS()))
    return false;
  if (binary.getKind() == AffineExprKind::Mul)
    return isa<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Add &&
         isSupportedExpr(binary.getRHS());
}

} // namespace

Value asBytes(ImplicitLocOpBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!isPartOfByte(type))
    return buffer;
  auto bytes = MemRefType::get(type.getShape(), b.getI8Type(), type.getLayout(),
                               type.getMemorySpace());
  return UnrealizedConversionCastOp::create(b, TypeRange(bytes),
                                            ValueRange(buffer))
      .getResult(0);
}

bool LaneBuilder::mayCompute(Operation &op) {
  // Upstream says of these that they are total, but they become divisions,
  // which trap.
  if (isa<arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp>(op)) {
    APInt divisor;
    return matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) &&
           !divisor.isZero() && !divisor.isAllOnes();
  }
  return isSpeculatable(&op);
}

Operation *LaneBuilder::findUnsupported(Block &body) {
  for (Operation &op : body)
    if (Operation *found = findUnsupportedIn(op, /*inBranch=*/false))
      return found;
  return nullptr;
}

bool LaneBuilder::isSupported(AffineMap map) {
  return map.getNumSymbols() == 0 &&
         llvm::all_of(map.getResults(), isSupportedExpr);
}

Lanes LaneBuilder::get(Value value) {
  auto known = values.find(value);
  return known == values.end() ? Lanes{value} : known->second;
}

Lanes LaneBuilder::wrap(Value built) {
  if (width == 1)
    return {built};
  return {{}, 0, built};
}

Value LaneBuilder::materialize(const Lanes &lanes) {
  if (width == 1)
    return lanes.scalar;
  if (lanes.vector)
    return lanes.vector;
  VectorType type = vectorOf(lanes.scalar.getType());
  Value all = vector::BroadcastOp::create(b, type, lanes.scalar);
  if (lanes.stride == 0)
    return all;
  SmallVector<int64_t> steps;
  for (int64_t lane = 0; lane < width; ++lane)
    steps.push_back(lane * lanes.stride);
  TypedAttr attr =
      type.getElementType().isIndex()
          ? DenseIntElementsAttr::get(type, steps)
          : DenseIntElementsAttr::get(
                type, llvm::map_to_vector(steps, [&](int64_t step) {
                  return APInt(type.getElementTypeBitWidth(), step, true);
                }));
  return arith::AddIOp::create(b, all, arith::ConstantOp::create(b, attr));
}

Value LaneBuilder::inMask(Value value, Value otherwise) {
  return mask ? arith::SelectOp::create(b, mask, value, otherwise).getResult()
              : value;
}

Value LaneBuilder::wholeMask() {
  if (mask)
    return mask;
  VectorType type = vectorOf(b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
}

Lanes LaneBuilder::add(const Lanes &x, const Lanes &y) {
  if (x.isLinear() && y.isLinear())
    return {b.createOrFold<arith::AddIOp>(x.scalar, y.scalar),
            x.stride + y.stride};
  return wrap(arith::AddIOp::create(b, materialize(x), materialize(y)));
}

Lanes LaneBuilder::multiply(const Lanes &x, int64_t factor) {
  if (factor == 1)
    return x;
  Lanes constant{arith::ConstantIndexOp::create(b, factor)};
  if (x.isLinear())
    return {b.createOrFold<arith::MulIOp>(x.scalar, constant.scalar),
            x.stride * factor};
  return wrap(arith::MulIOp::create(b, materialize(x), materialize(constant)));
}

Lanes LaneBuilder::evaluate(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loopIndices[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {arith::ConstantIndexOp::create(b, constant.getValue())};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Lanes lhs = evaluate(binary.getLHS());
  if (binary.getKind() == AffineExprKind::Mul)
    return multiply(lhs, cast<AffineConstantExpr>(binary.getRHS()).getValue());
  return add(lhs, evaluate(binary.getRHS()));
}

SmallVector<Lanes> LaneBuilder::apply(AffineMap map) {
  return llvm::map_to_vector(map.getResults(),
                             [&](AffineExpr expr) { return evaluate(expr); });
}

/// Where lanes are in a buffer: behind each other, or at `offsets` from
/// `base`.
struct LaneBuilder::Place {
  bool isUniform = true, isContiguous = true;
  SmallVector<Value> base;
  Value offsets;
};

LaneBuilder::Place LaneBuilder::place(Value buffer, ArrayRef<Lanes> at) {
  Place place;
  auto type = cast<MemRefType>(buffer.getType());
  bool isInOrder = false;
  for (auto [dim, index] : llvm::enumerate(at)) {
    place.isUniform &= index.isUniform();
    bool isStep = index.isLinear() && index.stride == 1 && !isInOrder &&
                  hasUnitStride(type, dim);
    place.isContiguous &= isStep || index.isUniform();
    isInOrder |= isStep;
    place.base.push_back(
        index.isLinear() ? index.scalar
                         : arith::ConstantIndexOp::create(b, 0).getResult());
  }
  place.isContiguous &= isInOrder;
  bool inOrder = place.isContiguous || (place.isUniform && !isDivergent);
  if (width == 1 || inOrder)
    return place;
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  memref::ExtractStridedMetadataOp metadata;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Lanes sum{zero};
  for (auto [dim, index] : llvm::enumerate(at)) {
    if (index.isUniform())
      continue;
    Lanes fromBase = index.isLinear() ? Lanes{zero, index.stride} : index;
    if (ShapedType::isStatic(strides[dim])) {
      sum = add(sum, multiply(fromBase, strides[dim]));
      continue;
    }
    if (!metadata)
      metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    Lanes stride{metadata.getStrides()[dim]};
    sum = add(sum, wrap(arith::MulIOp::create(b, materialize(fromBase),
                                              materialize(stride))));
  }
  place.offsets = materialize(sum);
  return place;
}

Lanes LaneBuilder::loadBits(Value buffer, ArrayRef<Lanes> at) {
  Type element = getElementTypeOrSelf(buffer.getType());
  Lanes bytes = load(asBytes(b, buffer), at);
  if (bytes.isLinear())
    return {partOfByte(b, b.getLoc(), bytes.scalar, element)};
  return wrap(partOfByte(b, b.getLoc(), bytes.vector, element));
}

Lanes LaneBuilder::load(Value buffer, ArrayRef<Lanes> at) {
  if (width > 1 && isPartOfByte(buffer.getType()))
    return loadBits(buffer, at);
  Place from = place(buffer, at);
  if (width == 1 || (from.isUniform && !isDivergent))
    return {memref::LoadOp::create(b, buffer, from.base)};
  VectorType type =
      vectorOf(cast<MemRefType>(buffer.getType()).getElementType());
  if (from.isContiguous && !mask)
    return wrap(vector::LoadOp::create(b, type, buffer, from.base));
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  if (from.isContiguous)
    return wrap(
        vector::MaskedLoadOp::create(b, type, buffer, from.base, mask, zeros));
  return wrap(vector::GatherOp::create(b, type, buffer, from.base, from.offsets,
                                       wholeMask(), zeros));
}

void LaneBuilder::store(Value buffer, ArrayRef<Lanes> at, const Lanes &value) {
  Place to = place(buffer, at);
  if (width == 1) {
    memref::StoreOp::create(b, value.scalar, buffer, to.base);
    return;
  }
  Value elements = materialize(value);
  if (isPartOfByte(elements.getType())) {
    elements = byteOfPart(b, b.getLoc(), elements);
    buffer = asBytes(b, buffer);
  }
  if (!to.isContiguous)
    vector::ScatterOp::create(b, /*result=*/Type(), buffer, to.base, to.offsets,
                              wholeMask(), elements);
  else if (mask)
    vector::MaskedStoreOp::create(b, buffer, to.base, mask, elements);
  else
    vector::StoreOp::create(b, elements, buffer, to.base);
}

SmallVector<Lanes> LaneBuilder::build(Block &body) {
  for (Operation &op : body.without_terminator())
    build(op);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return get(value); });
}

void LaneBuilder::build(Operation &op) {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return set(index, loopIndices[index.getDim()]);
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    SmallVector<Lanes> at = llvm::map_to_vector(
        load.getIndices(), [&](Value index) { return get(index); });
    return set(load, this->load(load.getMemRef(), at));
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return buildIf(branch);
  if (!buildLinear(op))
    buildElementwise(op);
}

/// Arithmetic on indices by which lanes stay in line.
bool LaneBuilder::buildLinear(Operation &op) {
  if (op.getNumResults() != 1 || width == 1)
    return false;
  Type type = op.getResult(0).getType();
  if (!type.isIndex() && !type.isInteger(64))
    return false;
  if (!isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp>(op))
    return false;
  bool isWide = true, isLinear = true;
  int64_t stride = 0;
  for (auto [number, operand] : llvm::enumerate(op.getOperands())) {
    Lanes lanes = get(operand);
    isWide &= operand.getType().isIndex() || operand.getType().isInteger(64);
    isLinear &= lanes.isLinear();
    stride += number && isa<arith::SubIOp>(op) ? -lanes.stride : lanes.stride;
  }
  if (!isWide || !isLinear)
    return false;
  IRMapping mapping;
  for (Value operand : op.getOperands())
    mapping.map(operand, get(operand).scalar);
  // That a sum does not overflow is said of all lanes, not of the first alone.
  set(op.getResult(0), {b.clone(op, mapping)->getResult(0), stride});
  return true;
}

void LaneBuilder::buildElementwise(Operation &op) {
  bool isUniform =
      width == 1 || llvm::all_of(op.getOperands(), [&](Value operand) {
        return get(operand).isUniform();
      });
  Operation *built = op.cloneWithoutRegions();
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    Lanes lanes = get(operand);
    operands.push_back(isUniform ? lanes.scalar : materialize(lanes));
  }
  built->setOperands(operands);
  b.insert(built);
  for (auto [before, result] :
       llvm::zip_equal(op.getResults(), built->getResults())) {
    if (isUniform) {
      set(before, {result});
      continue;
    }
    result.setType(vectorOf(result.getType()));
    set(before, wrap(result));
  }
}

void LaneBuilder::buildIf(scf::IfOp op) {
  Lanes condition = get(op.getCondition());
  auto yields = [&](Region &region) {
    return llvm::map_to_vector(build(region.front()), [&](const Lanes &value) {
      return materialize(value);
    });
  };
  if (condition.isUniform()) {
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(width == 1 ? type : Type(vectorOf(type)));
    auto built = scf::IfOp::create(b, types, condition.scalar,
                                   /*withElseRegion=*/true);
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), built->getRegions())) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&to.front());
      scf::YieldOp::create(b, yields(from));
    }
    for (auto [before, result] :
         llvm::zip_equal(op.getResults(), built.getResults()))
      set(before, wrap(result));
    return;
  }
  // Both branches, each for its lanes.
  llvm::SaveAndRestore saveMask(mask);
  llvm::SaveAndRestore saveDivergent(isDivergent, true);
  Value outer = mask, taken = condition.vector;
  auto inLanes = [&](Value lanes, Region &region) {
    mask = outer ? arith::AndIOp::create(b, outer, lanes).getResult() : lanes;
    return yields(region);
  };
  SmallVector<Value> ifTrue = inLanes(taken, op.getThenRegion());
  Value all = arith::ConstantOp::create(
      b, DenseElementsAttr::get(vectorOf(b.getI1Type()), true));
  SmallVector<Value> ifFalse =
      inLanes(arith::XOrIOp::create(b, taken, all), op.getElseRegion());
  for (auto [before, x, y] : llvm::zip_equal(op.getResults(), ifTrue, ifFalse))
    set(before, wrap(arith::SelectOp::create(b, taken, x, y)));
}

} // namespace tilewright
