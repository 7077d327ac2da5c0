// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopGroup.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Rows that are shorter are better left to loops of their own, in which they
/// may be one.
constexpr int64_t kShortRow = 16;

/// What an operation reads or writes; a null map is at computed indices.
struct Access {
  Access(Value buffer, AffineMap map, bool isWrite)
      : buffer(buffer), root(rootOf(buffer)), map(map), isWrite(isWrite) {}

  Value buffer, root;
  AffineMap map;
  bool isWrite;
};

SmallVector<Access> accessesOf(linalg::LinalgOp op) {
  SmallVector<Access> accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isScalar(&operand))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isInit = op.isDpsInit(&operand);
    bool isTensor = isa<TensorType>(operand.get().getType());
    // A tensor is written by being another one.
    if (!isInit || !isTensor || op.payloadUsesValueFromOperand(&operand))
      accesses.push_back({operand.get(), map, isInit && !isTensor});
    if (isInit && isTensor)
      accesses.push_back({op.getTiedOpResult(&operand), map, true});
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (isa<ShapedType>(value.getType()))
      accesses.push_back({value, AffineMap(), false});
  return accesses;
}

/// Where the map has the loop alone; none if that is nowhere.
std::optional<unsigned> positionOf(AffineMap map, unsigned loop) {
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(loop, map.getContext()))
      return position;
  return std::nullopt;
}

bool isParallel(linalg::LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
}

/// What two operations, through all that both touch, say of a loop.
struct Relation {
  bool isPossible = true;
  std::optional<unsigned> loop; ///< of the other

  void meet(std::optional<unsigned> candidate) {
    if (!candidate || (loop && *loop != *candidate))
      isPossible = false;
    else
      loop = candidate;
  }
};

/// What `ours`, those of `op`, say of a loop of which `known` are.
Relation relate(ArrayRef<Access> known, unsigned loop, ArrayRef<Access> ours,
                linalg::LinalgOp op) {
  Relation relation;
  for (const Access &theirs : known)
    for (const Access &own : ours) {
      if (theirs.root != own.root)
        continue;
      bool isComparable = theirs.buffer == own.buffer && theirs.map && own.map;
      std::optional<unsigned> candidate;
      if (isComparable)
        if (std::optional<unsigned> position = positionOf(theirs.map, loop))
          if (auto dim = dyn_cast<AffineDimExpr>(own.map.getResult(*position));
              dim && isParallel(op, dim.getPosition()))
            candidate = dim.getPosition();
      // What both only read says at most that two loops are as long.
      if (theirs.isWrite || own.isWrite)
        relation.meet(candidate);
      else if (candidate && !relation.loop)
        relation.loop = candidate;
    }
  return relation;
}

} // namespace

Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

struct LoopGroup::Accesses {
  SmallVector<Access> list;
};

bool LoopGroup::add(linalg::LinalgOp op) {
  auto accesses = std::make_shared<const Accesses>(Accesses{accessesOf(op)});
  SmallVector<bool> keep;
  SmallVector<unsigned> shared;
  if (!members.empty()) {
    for (unsigned number = 0; number < members[0].shared.size(); ++number) {
      Relation all;
      for (const Member &member : members) {
        Relation relation = relate(member.accesses->list, member.shared[number],
                                   accesses->list, op);
        all.isPossible &= relation.isPossible;
        if (relation.loop)
          all.meet(relation.loop);
      }
      keep.push_back(all.isPossible && all.loop &&
                     !llvm::is_contained(shared, *all.loop));
      if (keep.back())
        shared.push_back(*all.loop);
    }
    if (shared.empty())
      return false;
  }
  std::optional<LoopPlan> plan = planLoops(op, target);
  if (!plan)
    plan = planElements(op, target);
  if (!plan)
    return false;
  if (members.empty()) {
    shared = plan->parallel;
    if (plan->kind != LoopPlan::Kind::Horizontal &&
        plan->kind != LoopPlan::Kind::Scalar)
      shared.push_back(plan->lane);
    members.push_back({op, *plan, shared, accesses});
    return !shared.empty();
  }
  std::vector<Member> before = members;
  dropLoops(keep);
  members.push_back({op, *plan, shared, accesses});
  if (keepLanesApart())
    return true;
  members = std::move(before);
  return false;
}

void LoopGroup::dropLoops(ArrayRef<bool> keep) {
  for (Member &member : members) {
    SmallVector<unsigned> kept;
    for (auto [loop, isKept] : llvm::zip_equal(member.shared, keep))
      if (isKept)
        kept.push_back(loop);
    member.shared = kept;
  }
}

bool LoopGroup::keepLanesApart() {
  for (;;) {
    if (members[0].shared.empty())
      return false;
    SmallVector<bool> keep(members[0].shared.size(), true);
    for (const Member &member : members) {
      if (member.isScalar())
        continue;
      if (member.plan.kind == LoopPlan::Kind::Scalar)
        return false;
      int64_t extent = member.op.getStaticLoopRanges()[member.plan.lane];
      if (ShapedType::isStatic(extent) && extent < kShortRow)
        return false;
      for (auto [number, loop] : llvm::enumerate(member.shared))
        keep[number] = keep[number] && loop != member.plan.lane &&
                       loop != member.plan.across;
    }
    if (!llvm::is_contained(keep, false))
      return true;
    dropLoops(keep);
  }
}

bool LoopGroup::takesUp(const Member &reduction, const Member &producer) {
  const LoopPlan &from = producer.plan, &to = reduction.plan;
  if (producer.isScalar() || from.kind != LoopPlan::Kind::Elementwise ||
      from.side || from.across || reduction.isScalar() ||
      to.kind != LoopPlan::Kind::Horizontal || !to.reductions.empty() ||
      from.width != to.width || from.maskTail != to.maskTail)
    return false;
  // All other loops are shared: the producer's, by the reduction's.
  MLIRContext *context = reduction.op.getContext();
  unsigned loops = producer.op.getNumLoops();
  if (producer.shared.size() + 1 != loops ||
      reduction.op.getNumLoops() != loops)
    return false;
  SmallVector<AffineExpr> same(loops);
  for (auto [own, other] : llvm::zip_equal(producer.shared, reduction.shared))
    same[other] = getAffineDimExpr(own, context);
  same[to.lane] = getAffineDimExpr(from.lane, context);

  bool isTakenUp = false;
  for (const Access &stored : accessesOf(producer.op))
    for (const Access &access : accessesOf(reduction.op)) {
      if (!stored.isWrite || stored.root != access.root)
        continue;
      if (access.isWrite || access.buffer != stored.buffer || !access.map ||
          !stored.map.isPermutation() ||
          access.map.replaceDimsAndSymbols(same, {}, loops, 0) != stored.map)
        return false;
      isTakenUp = true;
    }
  return isTakenUp;
}

bool LoopGroup::isReadBy(const Member &writer, const Member &reader) {
  return llvm::any_of(accessesOf(writer.op), [&](const Access &written) {
    return written.isWrite &&
           llvm::any_of(accessesOf(reader.op), [&](const Access &access) {
             return !access.isWrite && written.root == access.root;
           });
  });
}

std::optional<SmallVector<unsigned>>
LoopGroup::sharedDimsOf(Value buffer) const {
  std::optional<SmallVector<unsigned>> dims;
  for (const Member &member : members)
    for (const Access &access : accessesOf(member.op)) {
      if (access.root != rootOf(buffer))
        continue;
      if (access.buffer != buffer || !access.map)
        return std::nullopt;
      SmallVector<unsigned> here;
      for (unsigned loop : member.shared) {
        std::optional<unsigned> position = positionOf(access.map, loop);
        if (!position)
          return std::nullopt;
        here.push_back(*position);
      }
      if (dims && *dims != here)
        return std::nullopt;
      dims = here;
    }
  return dims;
}

bool canShareLoops(linalg::LinalgOp producer, linalg::LinalgOp consumer) {
  // The widest vectors there are leave the fewest loops.
  LoopGroup group({/*bytes=*/64, /*masks=*/true});
  return group.add(producer) && group.add(consumer) && group.hasLanes();
}

} // namespace tilewright
