// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StagedLoop.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PIPELINESTAGES
#include "tilewright/Dialect/Passes.h.inc"

namespace {

using tw::Stage;

/// Whether iteration `number` exists: known, or a condition.
struct Exists {
  std::optional<bool> known;
  Value condition;
};

/// Writes the rotated loop before the original one.
class Rotation {
public:
  Rotation(OpBuilder &b, const StagedLoop &staged)
      : b(b), staged(staged), loop(staged.loop), loc(loop.getLoc()),
        ivType(loop.getInductionVar().getType()), runAhead(staged.depth - 1) {}

  /// The values that stand for the loop's results.
  SmallVector<Value> run();

private:
  /// What the pipeline carries from one iteration to the next.
  struct State {
    SmallVector<Value> accumulators;
    /// With 3 stages: what READ has read and WRITE has not yet written.
    SmallVector<Value> handedOver;
    /// Which buffer COMPUTE uses. Null with a single buffer.
    Value slot;

    SmallVector<Value> flat() const {
      SmallVector<Value> values(accumulators);
      values.append(handedOver);
      if (slot)
        values.push_back(slot);
      return values;
    }
  };
  State unflatten(ValueRange values);

  // Arithmetic on the induction variable's type and on buffer numbers.
  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value iterationsLater(Value iv, unsigned count);
  Value slotLater(Value slot, unsigned count);
  Exists iterationExists(unsigned number);
  Value lastIteration(unsigned before);

  /// Runs `then` if the iteration exists; otherwise its values are `otherwise`.
  SmallVector<Value> guarded(Exists exists, ArrayRef<Value> otherwise,
                             llvm::function_ref<SmallVector<Value>()> then);

  // Stages of one iteration.
  SmallVector<Value> read(Value iv, Value slot);
  void write(Value iv, Value slot, ArrayRef<Value> values);
  SmallVector<Value> compute(Value iv, Value slot, ArrayRef<Value> carried);
  IRMapping clone(Stage stage, Value iv, Value slot,
                  ArrayRef<Value> carried = {},
                  ArrayRef<Value> handedOver = {});

  void barrier();
  void await(unsigned iterationsInFlight);
  void boundary(Stage after, std::optional<tw::Skew> skew = std::nullopt);
  std::optional<tw::Skew> skewStep() const {
    return staged.skew ? std::optional(tw::Skew::Step) : std::nullopt;
  }

  SmallVector<Value> pipeline();
  State prologue(Exists second);
  State steadyState(State state);
  State secondToLast(State state);
  SmallVector<Value> last(State state);

  OpBuilder &b;
  const StagedLoop &staged;
  scf::ForOp loop;
  Location loc;
  Type ivType;
  unsigned runAhead;
};

Rotation::State Rotation::unflatten(ValueRange values) {
  State state;
  if (staged.buffers > 1) {
    state.slot = values.back();
    values = values.drop_back();
  }
  unsigned accumulators = loop.getNumRegionIterArgs();
  llvm::append_range(state.accumulators, values.take_front(accumulators));
  llvm::append_range(state.handedOver, values.drop_front(accumulators));
  return state;
}

Value Rotation::iterationsLater(Value iv, unsigned count) {
  Value distance = loop.getStep();
  if (count != 1)
    distance = arith::MulIOp::create(b, loc, distance, constant(ivType, count));
  // Within the range of the loop that was: neither wrap happens.
  auto flags = arith::IntegerOverflowFlagsAttr::get(
      b.getContext(), arith::IntegerOverflowFlags::nsw);
  return arith::AddIOp::create(b, loc, iv, distance, flags);
}

Value Rotation::slotLater(Value slot, unsigned count) {
  if (!slot)
    return slot;
  count %= staged.buffers;
  if (count == 0)
    return slot;
  Type type = b.getIndexType();
  Value later = arith::AddIOp::create(b, loc, slot, constant(type, count));
  Value buffers = constant(type, staged.buffers);
  Value wraps =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, later, buffers);
  Value wrapped = arith::SubIOp::create(b, loc, later, buffers);
  return arith::SelectOp::create(b, loc, wraps, wrapped, later);
}

Exists Rotation::iterationExists(unsigned number) {
  if (std::optional<APInt> count = loop.getStaticTripCount())
    return {count->getSExtValue() > number, nullptr};
  Value iv = loop.getLowerBound();
  if (number > 0)
    iv = iterationsLater(iv, number);
  return {std::nullopt, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                              iv, loop.getUpperBound())};
}

/// The induction variable of the iteration `before` the last.
Value Rotation::lastIteration(unsigned before) {
  Value span =
      arith::SubIOp::create(b, loc, loop.getUpperBound(), loop.getLowerBound());
  Value count = arith::CeilDivSIOp::create(b, loc, span, loop.getStep());
  Value number =
      arith::SubIOp::create(b, loc, count, constant(ivType, 1 + before));
  Value distance = arith::MulIOp::create(b, loc, number, loop.getStep());
  return arith::AddIOp::create(b, loc, loop.getLowerBound(), distance);
}

SmallVector<Value>
Rotation::guarded(Exists exists, ArrayRef<Value> otherwise,
                  llvm::function_ref<SmallVector<Value>()> then) {
  if (exists.known)
    return *exists.known ? then() : SmallVector<Value>(otherwise);
  auto branch = scf::IfOp::create(b, loc, TypeRange(ValueRange(otherwise)),
                                  exists.condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Block *block, llvm::function_ref<SmallVector<Value>()> make) {
    if (!block->empty())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, loc, make());
  };
  fill(branch.thenBlock(), then);
  fill(branch.elseBlock(), [&] { return SmallVector<Value>(otherwise); });
  if (otherwise.empty())
    branch.getElseRegion().getBlocks().clear();
  return SmallVector<Value>(branch.getResults());
}

IRMapping Rotation::clone(Stage stage, Value iv, Value slot,
                          ArrayRef<Value> carried, ArrayRef<Value> handedOver) {
  IRMapping map;
  map.map(loop.getInductionVar(), iv);
  if (!carried.empty())
    map.map(loop.getRegionIterArgs(), carried);
  for (auto [original, value] : llvm::zip(staged.handedOver, handedOver))
    map.map(original, value);
  for (Operation *op : staged.operations(stage)) {
    if (isa<tw::BufferSlotOp>(op)) {
      map.map(op->getResult(0), slot ? slot : constant(b.getIndexType(), 0));
      continue;
    }
    b.clone(*op, map)->removeDiscardableAttr(tw::kStage);
  }
  return map;
}

SmallVector<Value> Rotation::read(Value iv, Value slot) {
  IRMapping map = clone(Stage::Read, iv, slot);
  return llvm::map_to_vector(staged.handedOver,
                             [&](Value value) { return map.lookup(value); });
}

void Rotation::write(Value iv, Value slot, ArrayRef<Value> values) {
  clone(Stage::Write, iv, slot, {}, values);
}

SmallVector<Value> Rotation::compute(Value iv, Value slot,
                                     ArrayRef<Value> carried) {
  IRMapping map = clone(Stage::Compute, iv, slot, carried);
  return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
    return map.lookupOrDefault(value);
  });
}

void Rotation::barrier() {
  auto op = gpu::BarrierOp::create(b, loc);
  op->setDiscardableAttr(tw::kWorkgroupMemory, b.getUnitAttr());
}

void Rotation::await(unsigned iterationsInFlight) {
  tw::AwaitReadsOp::create(b, loc, iterationsInFlight * staged.directReads);
}

void Rotation::boundary(Stage after, std::optional<tw::Skew> skew) {
  DictionaryAttr controls;
  if (auto all = loop->getAttrOfType<DictionaryAttr>(tw::kBoundaries)) {
    controls = all.getAs<DictionaryAttr>(tw::stringifyStage(after));
    if (!controls && !skew)
      return;
  }
  NamedAttrList attributes(controls);
  attributes.set("after", tw::StageAttr::get(b.getContext(), after));
  if (skew)
    attributes.set("skew", tw::SkewAttr::get(b.getContext(), *skew));
  tw::StageBoundaryOp::create(b, loc, TypeRange(), ValueRange(),
                              attributes.getAttrs());
}

/// Fills the pipeline: iteration 0 is in workgroup memory, or, read directly,
/// on its way; with 3 stages iteration 1 is in registers, or on its way.
Rotation::State Rotation::prologue(Exists second) {
  State state;
  state.accumulators.assign(loop.getInitArgs().begin(),
                            loop.getInitArgs().end());
  if (staged.buffers > 1)
    state.slot = constant(b.getIndexType(), 0);
  // The surrounding loop's last iteration may still be computing.
  if (loop->getParentOfType<LoopLikeOpInterface>())
    barrier();
  Value first = loop.getLowerBound();
  SmallVector<Value> values = read(first, state.slot);
  if (staged.depth == 3) {
    SmallVector<Value> none =
        llvm::map_to_vector(staged.handedOver, [&](Value value) -> Value {
          return ub::PoisonOp::create(b, loc, value.getType());
        });
    state.handedOver = guarded(second, none, [&] {
      return read(iterationsLater(first, 1), slotLater(state.slot, 1));
    });
  }
  if (!staged.direct) {
    write(first, state.slot, values);
    barrier();
  }
  if (staged.skew)
    boundary(Stage::Write, tw::Skew::Enter);
  return state;
}

Rotation::State Rotation::steadyState(State state) {
  Value distance = loop.getStep();
  if (runAhead != 1)
    distance =
        arith::MulIOp::create(b, loc, distance, constant(ivType, runAhead));
  Value end = arith::SubIOp::create(b, loc, loop.getUpperBound(), distance);
  auto steady = scf::ForOp::create(b, loc, loop.getLowerBound(), end,
                                   loop.getStep(), state.flat());
  // Other attributes say something to whoever comes after this pass.
  for (NamedAttribute attribute : loop->getDiscardableAttrs())
    if (attribute.getNameDialect() != loop.getContext()->getLoadedDialect("tw"))
      steady->setDiscardableAttr(attribute.getName(), attribute.getValue());
  OpBuilder::InsertionGuard guard(b);
  if (state.flat().empty())
    steady.getBody()->back().erase();
  b.setInsertionPointToEnd(steady.getBody());
  Value iv = steady.getInductionVar();
  State in = unflatten(steady.getRegionIterArgs());
  State out;
  out.slot = slotLater(in.slot, 1);

  if (staged.direct)
    await(runAhead - 1);
  SmallVector<Value> values =
      read(iterationsLater(iv, runAhead), slotLater(in.slot, runAhead));
  boundary(Stage::Read, skewStep());
  out.accumulators = compute(iv, in.slot, in.accumulators);
  boundary(Stage::Compute, skewStep());
  if (!staged.direct) {
    if (staged.buffers == 1)
      barrier();
    write(iterationsLater(iv, 1), out.slot,
          staged.depth == 3 ? in.handedOver : values);
    barrier();
  }
  if (staged.depth == 3)
    out.handedOver = values;
  scf::YieldOp::create(b, loc, out.flat());
  return unflatten(steady.getResults());
}

/// With 3 stages, the iteration before the last: nothing is left to read.
Rotation::State Rotation::secondToLast(State state) {
  State out = state;
  if (staged.direct)
    await(1);
  if (staged.skew)
    boundary(Stage::Read, skewStep());
  out.accumulators = compute(lastIteration(1), state.slot, state.accumulators);
  out.slot = slotLater(state.slot, 1);
  boundary(Stage::Compute, skewStep());
  if (!staged.direct) {
    if (staged.buffers == 1)
      barrier();
    write(lastIteration(0), out.slot, state.handedOver);
    barrier();
  }
  return out;
}

SmallVector<Value> Rotation::last(State state) {
  if (staged.direct)
    await(0);
  if (staged.skew)
    boundary(Stage::Read, skewStep());
  SmallVector<Value> results =
      compute(lastIteration(0), state.slot, state.accumulators);
  if (staged.skew)
    boundary(Stage::Compute, tw::Skew::Leave);
  return results;
}

/// The whole, where there is at least one iteration.
SmallVector<Value> Rotation::pipeline() {
  Exists second = staged.depth == 3 ? iterationExists(1) : Exists{};
  State state = steadyState(prologue(second));
  if (staged.depth == 3) {
    // What the last WRITE wrote no longer travels in registers.
    State before{state.accumulators, {}, state.slot};
    state = unflatten(guarded(second, before.flat(), [&] {
      State after = secondToLast(state);
      after.handedOver.clear();
      return after.flat();
    }));
  }
  return last(state);
}

SmallVector<Value> Rotation::run() {
  SmallVector<Value> inits(loop.getInitArgs());
  return guarded(iterationExists(0), inits, [&] { return pipeline(); });
}

struct PipelineStagesPass : impl::PipelineStagesBase<PipelineStagesPass> {
  using PipelineStagesBase::PipelineStagesBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (loop->hasAttr(tw::kStages))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      FailureOr<StagedLoop> staged = StagedLoop::of(loop);
      if (failed(staged))
        return signalPassFailure();
      OpBuilder b(loop);
      SmallVector<Value> results = Rotation(b, *staged).run();
      loop->replaceAllUsesWith(results);
      loop->erase();
    }
  }
};

} // namespace
} // namespace tilewright
