// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-vectorize-loops: linalg operations on buffers -> loops over vectors,
// which operations that follow each other share where they can.

#include "../Dispatch/Tasks.h"
#include "LoopBuilder.h"
#include "LoopGroup.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_VECTORIZELOOPS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Neighbouring loops that all operands go through alike become one, so that
/// vectors do not end with short rows.
linalg::GenericOp collapseLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op.hasIndexSemantics() || op.getNumLoops() < 2)
    return op;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return op;
  auto mayJoin = [&](ArrayRef<int64_t> dims) {
    if (!linalg::areDimSequencesPreserved(maps, {ReassociationIndices(dims)}))
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!op.isScalar(&operand) && (!type || !type.getLayout().isIdentity()))
        return false;
    }
    return true;
  };
  SmallVector<ReassociationIndices> groups{{0}};
  for (int64_t dim = 1; dim < int64_t(kinds.size()); ++dim) {
    ReassociationIndices longer = groups.back();
    longer.push_back(dim);
    if (kinds[dim] == kinds[dim - 1] && mayJoin(longer))
      groups.back() = longer;
    else
      groups.push_back({dim});
  }
  if (groups.size() == kinds.size())
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.eraseOp(op);
  return cast<linalg::GenericOp>(collapsed->collapsedOp);
}

/// A buffer of the group alone becomes one of what an iteration of the shared
/// loops has: every iteration finds it at the same place, by strides of 0.
void shrinkBuffer(memref::AllocOp alloc, const LoopGroup &group) {
  memref::DeallocOp dealloc;
  for (Operation *user : alloc->getUsers()) {
    bool isMember = llvm::any_of(group.getMembers(), [&](auto &member) {
      return member.op.getOperation() == user;
    });
    if (auto free = dyn_cast<memref::DeallocOp>(user); free && !dealloc)
      dealloc = free;
    else if (!isMember)
      return;
  }
  std::optional<SmallVector<unsigned>> shared = group.sharedDimsOf(alloc);
  MemRefType type = alloc.getType();
  if (!shared || !type.getLayout().isIdentity())
    return;
  // Upstream folds gathers of neighbours to loads, which want the last stride
  // to be 1.
  unsigned rank = type.getRank();
  if (shared->size() < rank && llvm::is_contained(*shared, rank - 1))
    return;
  ImplicitLocOpBuilder b(alloc.getLoc(), alloc);
  SmallVector<OpFoldResult> sizes =
      memref::getMixedSizes(b, alloc.getLoc(), alloc);
  // The sizes are those of the allocation itself, not of what comes of it.
  auto dynamic = alloc.getDynamicSizes().begin();
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(dim))
      size = *dynamic++;
  SmallVector<int64_t> keptShape;
  SmallVector<Value> keptSizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (llvm::is_contained(*shared, dim))
      continue;
    keptShape.push_back(type.getDimSize(dim));
    if (type.isDynamicDim(dim))
      keptSizes.push_back(cast<Value>(sizes[dim]));
  }
  Value small = memref::AllocOp::create(
      b, MemRefType::get(keptShape, type.getElementType()), keptSizes,
      alloc.getAlignmentAttr());
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(0));
  OpFoldResult stride = b.getIndexAttr(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    // Of size 1 any stride is right, and a last one of 1 is what vectors want.
    if (llvm::is_contained(*shared, dim) && type.getDimSize(dim) != 1)
      continue;
    strides[dim] = stride;
    std::optional<int64_t> known = getConstantIntValue(stride);
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    if (known && size)
      stride = b.getIndexAttr(*known * *size);
    else
      stride = arith::MulIOp::create(
                   b, getValueOrCreateConstantIndexOp(b, b.getLoc(), stride),
                   getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[dim]))
                   .getResult();
  }
  Value view = memref::ReinterpretCastOp::create(b, small, b.getIndexAttr(0),
                                                 sizes, strides);
  if (dealloc)
    dealloc.getMemrefMutable().set(small);
  alloc.getResult().replaceAllUsesWith(view);
  alloc.erase();
}

class Vectorizer {
public:
  Vectorizer(MLIRContext *context, const VectorTarget &target)
      : rewriter(context), target(target) {}

  void run(func::FuncOp func) {
    func.walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() &&
          !isa<linalg::GenericOp>(op.getOperation())) {
        rewriter.setInsertionPoint(op);
        (void)linalg::generalizeNamedOp(rewriter, op);
      }
    });
    SmallVector<SmallVector<linalg::GenericOp>> runs;
    func.walk([&](Block *block) {
      // Bodies of operations are no places of their own.
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        collectRuns(*block, runs);
    });
    for (ArrayRef<linalg::GenericOp> run : runs)
      vectorize(run);
  }

private:
  /// Operations with nothing between them that reads or writes memory.
  static void collectRuns(Block &block,
                          SmallVector<SmallVector<linalg::GenericOp>> &runs) {
    SmallVector<linalg::GenericOp> run;
    auto end = [&] {
      if (!run.empty())
        runs.push_back(std::exchange(run, {}));
    };
    for (Operation &op : block) {
      auto generic = dyn_cast<linalg::GenericOp>(op);
      if (generic && generic.hasPureBufferSemantics())
        run.push_back(generic);
      else if (!isPure(&op) && !isa<memref::AllocOp>(op))
        end();
    }
    end();
  }

  static bool touches(linalg::GenericOp op, Value root) {
    bool found = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        found |= isa<MemRefType>(operand.getType()) && rootOf(operand) == root;
    });
    return found;
  }

  /// What only writes `fill`'s buffer before `op`, which goes on from it, is
  /// best done just before.
  static bool isFillFor(linalg::GenericOp fill, linalg::GenericOp op) {
    return fill.getNumDpsInits() == 1 && fill.getNumReductionLoops() == 0 &&
           llvm::all_of(
               fill.getDpsInputs(),
               [](Value input) { return !isa<MemRefType>(input.getType()); }) &&
           touches(op, rootOf(fill.getDpsInits()[0]));
  }

  void vectorize(ArrayRef<linalg::GenericOp> run) {
    while (!run.empty()) {
      // As many as share loops with the first; a fill comes with what it is
      // for, through which it is related to the others.
      LoopGroup group(target);
      size_t count = 0, units = 0;
      while (count < run.size()) {
        size_t unit = count;
        while (unit + 1 < run.size() && isFillFor(run[unit], run[unit + 1]))
          ++unit;
        LoopGroup larger = group;
        bool isAdded = true;
        for (size_t i = unit + 1; isAdded && i-- > count;)
          isAdded = larger.add(run[i]);
        if (!isAdded)
          break;
        group = larger;
        count = unit + 1;
        ++units;
      }
      if (units == 1 && vectorizeFilled(run.take_front(count)))
        ;
      else if (count > 1 && group.hasLanes())
        fuse(group, run.take_front(count));
      else
        for (linalg::GenericOp op :
             run.take_front(count = std::max<size_t>(count, 1)))
          vectorizeAlone(op);
      run = run.drop_front(count);
    }
  }

  /// The scalar that `fill` writes all over `buffer`; null if that is not all
  /// that it does.
  static Value filled(linalg::GenericOp fill, Value buffer) {
    OpOperand *init = fill.getDpsInitOperand(0);
    Value yielded = fill.getBody()->getTerminator()->getOperand(0);
    if (init->get() != buffer ||
        !fill.getMatchingIndexingMap(init).isPermutation())
      return {};
    if (auto argument = dyn_cast<BlockArgument>(yielded);
        argument && argument.getOwner() == fill.getBody())
      return argument.getArgNumber() < fill.getNumDpsInputs()
                 ? fill.getDpsInputs()[argument.getArgNumber()]
                 : Value();
    return fill->isAncestor(yielded.getParentBlock()->getParentOp()) ? Value()
                                                                     : yielded;
  }

  /// An operation that goes on from nothing but what was filled in: it begins
  /// with that in registers.
  bool vectorizeFilled(ArrayRef<linalg::GenericOp> unit) {
    linalg::GenericOp op = unit.back();
    SmallVector<Value> starts;
    for (Value init : op.getDpsInits())
      for (linalg::GenericOp fill : unit.drop_back())
        if (Value start = filled(fill, init))
          starts.push_back(start);
    if (starts.empty() || starts.size() != unit.size() - 1 ||
        starts.size() != size_t(op.getNumDpsInits()))
      return false;
    if (!beginsInRegisters(planLoops(op, target)))
      return false;
    op = collapseLoops(rewriter, op);
    // With fewer loops another plan may be better.
    bool begins = beginsInRegisters(planLoops(op, target));
    for (linalg::GenericOp fill : unit.drop_back())
      if (begins)
        rewriter.eraseOp(fill);
      else
        vectorizeAlone(fill);
    vectorizeAlone(op, begins ? starts : SmallVector<Value>());
    return true;
  }

  static bool beginsInRegisters(const std::optional<LoopPlan> &plan) {
    return plan && (plan->kind == LoopPlan::Kind::Registers ||
                    plan->kind == LoopPlan::Kind::Horizontal);
  }

  void vectorizeAlone(linalg::GenericOp op, ValueRange starts = {}) {
    op = collapseLoops(rewriter, op);
    std::optional<LoopPlan> plan = planLoops(op, target);
    if (!plan)
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    buildLoops(b, op, *plan, /*outer=*/llvm::DenseMap<unsigned, Value>(),
               starts);
    op.erase();
  }

  /// A member of a group inside of the shared loops.
  struct SharedMember {
    SharedMember(const LoopGroup::Member &member, ValueRange ivs)
        : member(member), plan(member.plan) {
      for (auto [loop, iv] : llvm::zip_equal(member.shared, ivs))
        outer[loop] = iv;
      if (member.isScalar())
        plan.kind = LoopPlan::Kind::Scalar;
    }

    PlannedLoops loops() const {
      return {cast<linalg::GenericOp>(member.op.getOperation()), plan, outer};
    }
    void build(ImplicitLocOpBuilder &b) const {
      buildLoops(b, loops().op, plan, outer);
    }

    const LoopGroup::Member &member;
    LoopPlan plan;
    llvm::DenseMap<unsigned, Value> outer;
  };

  /// The reduction right behind `members[0]` that takes up what that stores,
  /// but for what fills its results; else 0.
  static size_t reductionOf(ArrayRef<SharedMember> members) {
    for (size_t at = 1; at < members.size(); ++at) {
      if (LoopGroup::takesUp(members[at].member, members[0].member))
        return llvm::any_of(members.slice(1, at - 1),
                            [&](const SharedMember &between) {
                              return LoopGroup::isReadBy(between.member,
                                                         members[at].member);
                            })
                   ? 0
                   : at;
      if (!members[at].member.isScalar())
        break;
    }
    return 0;
  }

  static void buildShared(ImplicitLocOpBuilder &b,
                          ArrayRef<SharedMember> members) {
    while (!members.empty()) {
      size_t last = reductionOf(members);
      auto between = [&] {
        for (const SharedMember &member : members.slice(1, last - 1))
          member.build(b);
      };
      if (last)
        buildReductionOf(b, members[0].loops(), members[last].loops(), between);
      else
        members[0].build(b);
      members = members.drop_front(last + 1);
    }
  }

  void fuse(const LoopGroup &group, ArrayRef<linalg::GenericOp> ops) {
    llvm::SetVector<Value> buffers;
    for (linalg::GenericOp op : ops)
      buffers.insert_range(op.getDpsInits());
    for (Value buffer : buffers)
      if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
        shrinkBuffer(alloc, group);

    linalg::GenericOp last = ops.back();
    ImplicitLocOpBuilder b(last.getLoc(), last);
    const LoopGroup::Member &first = group.getMembers().front();
    SmallVector<Range> ranges = cast<linalg::LinalgOp>(first.op.getOperation())
                                    .createLoopRanges(b, b.getLoc());
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    SmallVector<Value> ivs;
    for (unsigned loop : first.shared) {
      Value size =
          getValueOrCreateConstantIndexOp(b, b.getLoc(), ranges[loop].size);
      auto built = scf::ForOp::create(b, zero, size, one);
      if (threadsOf(last) > 1)
        markParallel(built);
      b.setInsertionPointToStart(built.getBody());
      ivs.push_back(built.getInductionVar());
    }
    std::vector<SharedMember> members;
    for (linalg::GenericOp op : ops)
      members.emplace_back(*llvm::find_if(group.getMembers(),
                                          [&](const LoopGroup::Member &member) {
                                            return member.op == op;
                                          }),
                           ivs);
    buildShared(b, members);
    for (linalg::GenericOp op : ops)
      op.erase();
  }

  IRRewriter rewriter;
  VectorTarget target;
};

struct VectorizeLoopsPass : impl::VectorizeLoopsBase<VectorizeLoopsPass> {
  using VectorizeLoopsBase::VectorizeLoopsBase;

  void runOnOperation() override {
    Vectorizer(&getContext(), {vectorBytes, masks}).run(getOperation());
  }
};

} // namespace
} // namespace tilewright
