// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright {
namespace {

/// More would only be more arguments.
constexpr size_t kMostLoops = 3;

bool isArithmetic(Operation &op) {
  return isPure(&op) && op.getNumRegions() == 0;
}

bool isOnStack(Operation *op) {
  return isa_and_nonnull<memref::AllocaOp, LLVM::AllocaOp>(op);
}

/// A store to the function's own memory.
bool preparesStack(Operation &op) {
  auto store = dyn_cast<LLVM::StoreOp>(op);
  if (!store)
    return false;
  Operation *place = store.getAddr().getDefiningOp();
  while (auto element = dyn_cast_or_null<LLVM::GEPOp>(place))
    place = element.getBase().getDefiningOp();
  return isOnStack(place);
}

/// The operations of the function's block that use `memory`, by views too, but
/// for those that prepare it.
llvm::SmallSetVector<Operation *, 4> usersOf(Operation *memory, Block &block) {
  llvm::SmallSetVector<Operation *, 4> users;
  SmallVector<Value> values(memory->getResults());
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (user->getBlock() == &block && preparesStack(*user))
        continue;
      if (user->getBlock() == &block && isArithmetic(*user))
        values.append(user->result_begin(), user->result_end());
      else
        users.insert(block.findAncestorOpInBlock(*user));
    }
  return users;
}

bool isOutside(Value value, scf::ForOp loop) {
  return !loop->isAncestor(value.getParentBlock()->getParentOp());
}

LoopNest nestOf(scf::ForOp outer) {
  LoopNest nest;
  nest.loops.push_back(outer);
  while (nest.loops.size() < kMostLoops) {
    scf::ForOp next;
    for (Operation &op : nest.loops.back().getBody()->without_terminator()) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (loop && !next && loop->hasAttr(kParallelAttr) &&
          llvm::all_of(loop->getOperands(),
                       [&](Value bound) { return isOutside(bound, outer); }))
        next = loop;
      else if (!isArithmetic(op))
        return nest;
    }
    if (!next)
      return nest;
    nest.loops.push_back(next);
  }
  return nest;
}

void readWork(LoopNest &nest) {
  for (auto work : nest.loops.back().getBody()->getOps<tw::WorkOp>()) {
    if (!isOutside(work.getAmount(), nest.loops.front())) {
      nest.work.clear();
      return;
    }
    nest.work.push_back(work.getAmount());
  }
}

/// Iterations [begin, end) of `loop`.
void restrict(ImplicitLocOpBuilder &b, scf::ForOp loop, Value begin,
              Value end) {
  b.setInsertionPoint(loop);
  auto bound = [&](Value iteration) -> Value {
    Value distance =
        arith::MulIOp::create(b, iteration, loop.getStep()).getResult();
    Value place = arith::AddIOp::create(b, loop.getLowerBound(), distance);
    return arith::MinSIOp::create(b, place, loop.getUpperBound());
  };
  Value lower = bound(begin), upper = bound(end);
  loop.setLowerBound(lower);
  loop.setUpperBound(upper);
}

} // namespace

std::optional<SmallVector<LoopNest>> loopNestsOf(func::FuncOp func) {
  SmallVector<LoopNest> nests;
  Block &block = func.getBody().front();
  for (Operation &op : block.without_terminator()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && loop->hasAttr(kParallelAttr) && loop.getInitArgs().empty())
      nests.push_back(nestOf(loop));
    else if (!isArithmetic(op) && !isOnStack(&op) && !preparesStack(op) &&
             !isa<tw::WorkOp>(op))
      return std::nullopt;
    // What one nest leaves there for another is not found by its tasks.
    if (isOnStack(&op) && usersOf(&op, block).size() > 1)
      return std::nullopt;
  }
  for (LoopNest &nest : nests)
    readWork(nest);
  return nests;
}

func::FuncOp makePart(func::FuncOp func, size_t number) {
  OpBuilder after(func);
  after.setInsertionPointAfter(func);
  auto part = cast<func::FuncOp>(after.clone(*func));
  part.setName((func.getName() + ".part" +
                (number ? std::to_string(number) : std::string()))
                   .str());
  part->removeAttr(kDispatchAttr);
  part->removeAttr(kDispatchTypeAttr);
  // The nests of a copy are the same, before any is erased.
  SmallVector<LoopNest> nests = *loopNestsOf(part);
  LoopNest nest = nests[number];
  Block &entry = part.getBody().front();
  auto addWord = [&]() -> Value {
    auto word = IntegerType::get(part.getContext(), 64);
    if (failed(part.insertArgument(part.getNumArguments(), word, {},
                                   part.getLoc())))
      llvm_unreachable("any function takes more arguments");
    return entry.getArguments().back();
  };
  ImplicitLocOpBuilder b(part.getLoc(), part.getContext());
  b.setInsertionPointToStart(&entry);
  auto index = [&](Value word) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), word);
  };
  Value rest = index(addWord());
  SmallVector<std::pair<Value, Value>> ranges;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    Value parts = index(addWord()), size = index(addWord());
    // The first loop's parts follow each other.
    Value here = arith::RemUIOp::create(b, rest, parts);
    rest = arith::DivUIOp::create(b, rest, parts);
    Value begin = arith::MulIOp::create(b, here, size);
    ranges.push_back({begin, arith::AddIOp::create(b, begin, size)});
  }
  for (auto [loop, range] : llvm::zip_equal(nest.loops, ranges))
    restrict(b, loop, range.first, range.second);
  for (auto [i, other] : llvm::enumerate(nests))
    if (i != number)
      other.loops.front().erase();
  eraseUnused(part);
  return part;
}

void eraseUnused(func::FuncOp func) {
  Block &block = func.getBody().front();
  auto hasLoops = !block.getOps<scf::ForOp>().empty();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.use_empty() && (isArithmetic(op) || isOnStack(&op)) &&
        op.getNumResults())
      op.erase();
    else if ((!hasLoops && preparesStack(op)) || isa<tw::WorkOp>(op))
      op.erase();
  }
}

} // namespace tilewright
