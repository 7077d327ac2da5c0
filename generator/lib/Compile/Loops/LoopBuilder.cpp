// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopBuilder.h"

#include "../Dispatch/Tasks.h"
#include "Combiners.h"
#include "Lanes.h"
#include "LoopBounds.h"
#include "TransposedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright {
namespace {

using Values = SmallVector<Value>;

/// Elements that are computed together: `copies` vectors from index `at` of the
/// loop over the lanes, and as many for each copy to the sides.
struct Chunk {
  Value at;
  int64_t width, copies;
  Value mask;
};

class LoopBuilder {
public:
  LoopBuilder(ImplicitLocOpBuilder &b, linalg::GenericOp op,
              const LoopPlan &plan,
              const llvm::DenseMap<unsigned, Value> &outer, ValueRange starts)
      : b(b), op(op), plan(plan), starts(starts), ivs(op.getNumLoops()) {
    for (auto [dim, iv] : outer)
      ivs[dim] = iv;
    // Around loops that are shared there are no other places.
    if (plan.side && !ivs[*plan.side])
      laneCopies = 1;
    isPaired = plan.paired && !ivs[*plan.paired];
  }

  void build() {
    OpBuilder::InsertionGuard guard(b);
    enter();
    buildInside();
  }

  /// A reduction's, with that of what it takes up.
  void buildWith(LoopBuilder &its, llvm::function_ref<void()> between) {
    its.enter();
    enter();
    buildHorizontal(&its, between);
  }

private:
  /// The loops around those over the lanes.
  void enter() {
    auto linalgOp = cast<linalg::LinalgOp>(op.getOperation());
    for (Range &range : linalgOp.createLoopRanges(b, op.getLoc()))
      sizes.push_back(
          getValueOrCreateConstantIndexOp(b, op.getLoc(), range.size));
    laneEnd = sizes[plan.lane];
    if (plan.across && !ivs[*plan.across] && !ivs[plan.lane])
      tile.emplace(b, op, plan, sizes);
    bool divides = threadsOf(op) > 1;
    // Loops that several operations share are their builder's.
    bool isAlone = llvm::all_of(ivs, [](Value iv) { return !iv; });
    if (divides && !isAlone)
      estimate();
    for (unsigned dim : plan.parallel) {
      if (dim == plan.side)
        continue;
      enterLoop(dim, tile && dim == plan.across       ? tile->rows()
                     : isPaired && dim == plan.paired ? 2
                                                      : 1);
      if (divides && isAlone)
        markParallel(cast<scf::ForOp>(b.getBlock()->getParentOp()));
    }
    if (divides && isAlone && plan.kind != LoopPlan::Kind::Scalar) {
      if (plan.kind != LoopPlan::Kind::Horizontal)
        enterTaskLanes();
      estimate();
    }
  }

  void buildInside() {
    switch (plan.kind) {
    case LoopPlan::Kind::Memory:
      for (unsigned dim : plan.reductions)
        enterLoop(dim);
      [[fallthrough]];
    case LoopPlan::Kind::Elementwise:
      forTiles([&] {
        forLanes([&](const Chunk &chunk) {
          store(chunk, compute(chunk, load(chunk)));
        });
      });
      break;
    case LoopPlan::Kind::Registers:
      forPairs([&] {
        forSides([&] {
          forLanes([&](const Chunk &chunk) {
            Values before = load(chunk, /*always=*/true);
            store(chunk, reduce(plan.reductions, before, [&](ValueRange sums) {
                    return compute(chunk, sums);
                  }));
          });
        });
      });
      break;
    case LoopPlan::Kind::Horizontal:
      buildHorizontal();
      break;
    case LoopPlan::Kind::Scalar: {
      Chunk one{ivs[plan.lane], 1, 1, {}};
      store(one, compute(one, load(one)));
      break;
    }
    }
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  void enterLoop(unsigned dim, int64_t step = 1) {
    if (ivs[dim])
      return;
    auto loop = scf::ForOp::create(b, constant(0), sizes[dim], constant(step));
    b.setInsertionPointToStart(loop.getBody());
    ivs[dim] = loop.getInductionVar();
  }

  /// Iterations of the loop over the lanes that are not divided.
  int64_t taskLanes() {
    return std::max(
        {taskLanesOf(op), plan.width * plan.copies, tile ? tile->lanes() : 1});
  }

  /// A loop over pieces of the loop over the lanes, which tasks may divide.
  void enterTaskLanes() {
    Value step = constant(taskLanes());
    auto loop = scf::ForOp::create(b, constant(0), laneEnd, step);
    markParallel(loop);
    b.setInsertionPointToStart(loop.getBody());
    laneBegin = loop.getInductionVar();
    laneEnd = endOf(b, laneBegin, taskLanes(), laneEnd);
  }

  /// What is done here: tw.work.
  void estimate() {
    double work = workOfElement(op);
    Values extents;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!ivs[dim] && !(laneBegin && dim == plan.lane))
        extents.push_back(size);
    if (laneBegin)
      work *= double(taskLanes());
    if (tile)
      work *= double(tile->rows());
    addWork(b, work / double(plan.width), extents);
  }

  /// What is carried around the loop comes out of it.
  Values carry(Value from, Value to, int64_t step, ValueRange carried,
               llvm::function_ref<Values(Value, ValueRange)> body) {
    auto loop = scf::ForOp::create(b, from, to, constant(step), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
    if (!carried.empty())
      scf::YieldOp::create(b, next);
    return loop.getResults();
  }

  Values reduce(ArrayRef<unsigned> dims, ValueRange carried,
                llvm::function_ref<Values(ValueRange)> body) {
    if (dims.empty())
      return body(carried);
    std::optional<int64_t> size = getConstantIntValue(sizes[dims[0]]);
    if (size && plan.unrolled.test(dims[0])) {
      Values values(carried);
      for (int64_t i = 0; i < *size; ++i) {
        ivs[dims[0]] = constant(i);
        values = reduce(dims.drop_front(), values, body);
      }
      return values;
    }
    return carry(constant(0), sizes[dims[0]], 1, carried,
                 [&](Value iv, ValueRange inside) {
                   ivs[dims[0]] = iv;
                   return reduce(dims.drop_front(), inside, body);
                 });
  }

  /// Two places of the paired loop, or the last one.
  void forPairs(llvm::function_ref<void()> body) {
    if (!isPaired)
      return body();
    std::optional<int64_t> known = getConstantIntValue(sizes[*plan.paired]);
    if (known && *known % 2 == 0) {
      pairCopies = 2;
      return body();
    }
    Value next = arith::AddIOp::create(b, ivs[*plan.paired], constant(1));
    Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, next,
                                          sizes[*plan.paired]);
    auto both = scf::IfOp::create(b, isThere, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(both.thenBlock());
    pairCopies = 2;
    body();
    b.setInsertionPointToStart(both.elseBlock());
    pairCopies = 1;
    body();
  }

  /// The places of the loop to the side, most of them several at a time.
  void forSides(llvm::function_ref<void()> body) {
    if (!plan.side || ivs[*plan.side])
      return body();
    Value size = sizes[*plan.side], whole = roundDown(b, size, plan.copies);
    auto enter = [&](Value from, Value to, int64_t copies) {
      if (isSame(from, to))
        return;
      carry(from, to, copies, {}, [&](Value iv, ValueRange) {
        ivs[*plan.side] = iv;
        sideCopies = copies;
        body();
        return Values();
      });
    };
    enter(constant(0), whole, plan.copies);
    enter(whole, size, 1);
    ivs[*plan.side] = Value();
  }

  /// The places of the loop across the lanes, tile by tile, if there is one.
  void forTiles(llvm::function_ref<void()> body) {
    if (!tile)
      return body();
    Value row = ivs[*plan.across], begin = laneBegin, end = laneEnd;
    Value rowEnd = endOf(b, row, tile->rows(), sizes[*plan.across]);
    carry(begin ? begin : constant(0), end, tile->lanes(), {},
          [&](Value lane, ValueRange) {
            laneBegin = lane;
            laneEnd = endOf(b, lane, tile->lanes(), end);
            tile->fill(ivs, lane, laneEnd, row, rowEnd);
            return carry(row, rowEnd, 1, {}, [&](Value iv, ValueRange) {
              ivs[*plan.across] = iv;
              body();
              return Values();
            });
          });
  }

  /// All chunks of the loop over the lanes, the widest first. What is carried
  /// has one value for each result and each copy of the widest chunk; smaller
  /// ones go on with the first copy.
  Values forLanes(ValueRange carried,
                  llvm::function_ref<Values(const Chunk &, ValueRange)> body) {
    Values values(carried);
    Value size = laneEnd, from = laneBegin ? laneBegin : constant(0);
    size_t results = op.getNumDpsInits();
    auto first = [&](ValueRange all, int64_t copies) {
      return all.take_front(all.empty() ? 0 : results * copies);
    };
    auto replace = [&](Values changed) { llvm::copy(changed, values.begin()); };
    for (int64_t copies = laneCopies; copies; copies = copies > 1 ? 1 : 0) {
      int64_t step = plan.width * copies;
      Value to = roundDown(b, size, step, laneBegin);
      if (!isSame(from, to))
        replace(carry(from, to, step, first(values, copies),
                      [&](Value iv, ValueRange inside) {
                        return body({iv, plan.width, copies, {}}, inside);
                      }));
      from = to;
    }
    if (isSame(from, size))
      return values;
    if (!plan.maskTail) {
      // Scalars have their own, behind those of the vectors.
      ValueRange scalars = ValueRange(values).drop_front(
          values.empty() ? 0 : results * laneCopies);
      Values changed =
          carry(from, size, 1, scalars, [&](Value iv, ValueRange inside) {
            return body({iv, 1, 1, {}}, inside);
          });
      llvm::copy(changed, values.end() - changed.size());
      return values;
    }
    Value rest = arith::SubIOp::create(b, size, from);
    Value isLeft =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, constant(0));
    ValueRange before = first(values, 1);
    auto tail = scf::IfOp::create(b, before.getTypes(), isLeft,
                                  /*withElseRegion=*/!before.empty());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(tail.thenBlock());
    Value mask = vector::CreateMaskOp::create(
        b, VectorType::get({plan.width}, b.getI1Type()), rest);
    Values changed = body({from, plan.width, 1, mask}, before);
    if (!before.empty()) {
      scf::YieldOp::create(b, changed);
      b.setInsertionPointToStart(tail.elseBlock());
      scf::YieldOp::create(b, before);
    }
    replace(tail.getResults());
    return values;
  }

  void forLanes(llvm::function_ref<void(const Chunk &)> body) {
    forLanes({}, [&](const Chunk &chunk, ValueRange) {
      body(chunk);
      return Values();
    });
  }

  /// Builders of the copies of a chunk.
  template <typename Body> void forCopies(const Chunk &chunk, Body body) {
    int64_t ofPlace = chunk.copies * sideCopies;
    for (int64_t copy = 0; copy < ofPlace * pairCopies; ++copy) {
      LaneBuilder lanes(b, chunk.width, chunk.mask);
      SmallVector<Lanes> at;
      for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
        at.push_back({ivs[dim]});
      auto moved = [&](Value from, int64_t by) -> Value {
        return by ? arith::AddIOp::create(b, from, constant(by)) : from;
      };
      if (sideCopies > 1)
        at[*plan.side] = {
            moved(ivs[*plan.side], copy / chunk.copies % sideCopies)};
      if (pairCopies > 1)
        at[*plan.paired] = {moved(ivs[*plan.paired], copy / ofPlace)};
      Value start = moved(chunk.at, copy % chunk.copies * chunk.width);
      at[plan.lane] = {start, chunk.width == 1 ? 0 : 1};
      lanes.setIndices(at);
      body(lanes, copy);
    }
  }

  static Lanes lanesOf(const Chunk &chunk, Value value) {
    return chunk.width == 1 ? Lanes{value} : Lanes{{}, 0, value};
  }

  Lanes load(LaneBuilder &lanes, OpOperand &operand) {
    if (op.isScalar(&operand))
      return {operand.get()};
    if (tile)
      if (std::optional<Lanes> loaded = tile->load(lanes, operand))
        return *loaded;
    return lanes.load(operand.get(),
                      lanes.apply(op.getMatchingIndexingMap(&operand)));
  }

  /// The results before, where they are read: for each copy.
  Values load(const Chunk &chunk, bool always = false) {
    Values loaded;
    forCopies(chunk, [&](LaneBuilder &lanes, int64_t) {
      for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable()))
        loaded.push_back(always || op.payloadUsesValueFromOperand(&init)
                             ? lanes.materialize(starts.empty()
                                                     ? load(lanes, init)
                                                     : Lanes{starts[number]})
                             : Value());
    });
    return loaded;
  }

  void store(const Chunk &chunk, ValueRange values) {
    size_t results = op.getNumDpsInits();
    forCopies(chunk, [&](LaneBuilder &lanes, int64_t copy) {
      for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable())) {
        Value value = values[copy * results + number];
        lanes.store(init.get(), lanes.apply(op.getMatchingIndexingMap(&init)),
                    lanesOf(chunk, value));
      }
    });
  }

  /// The body for each copy, with `before` as the results before.
  Values compute(const Chunk &chunk, ValueRange before) {
    Values computed;
    size_t results = op.getNumDpsInits();
    forCopies(chunk, [&](LaneBuilder &lanes, int64_t copy) {
      for (OpOperand *input : op.getDpsInputOperands())
        if (op.payloadUsesValueFromOperand(input)) {
          auto taken = stored.find(input->get());
          lanes.set(op.getMatchingBlockArgument(input),
                    taken == stored.end()
                        ? load(lanes, *input)
                        : lanesOf(chunk, taken->second[copy]));
        }
      for (unsigned i = 0; i < results; ++i) {
        Value value = before[copy * results + i];
        if (value)
          lanes.set(op.getRegionOutputArgs()[i], lanesOf(chunk, value));
      }
      for (const Lanes &yielded : lanes.build(*op.getBody()))
        computed.push_back(lanes.materialize(yielded));
    });
    return computed;
  }

  void buildHorizontal(LoopBuilder *producer = nullptr,
                       llvm::function_ref<void()> between = nullptr) {
    size_t results = op.getNumDpsInits();
    Values start;
    for (int64_t copy = 0; copy < plan.copies; ++copy)
      for (unsigned i = 0; i < results; ++i) {
        TypedAttr element = neutralOf(op, i);
        auto type = VectorType::get({plan.width}, element.getType());
        start.push_back(arith::ConstantOp::create(
            b, DenseElementsAttr::get(type, Attribute(element))));
      }
    if (!plan.maskTail)
      for (unsigned i = 0; i < results; ++i)
        start.push_back(arith::ConstantOp::create(b, neutralOf(op, i)));
    Values sums = reduce(plan.reductions, start, [&](ValueRange carried) {
      return forLanes(carried, [&](const Chunk &chunk, ValueRange before) {
        if (producer)
          takeUp(*producer, chunk);
        Values after = compute(chunk, before);
        if (chunk.mask)
          for (auto [value, old] : llvm::zip_equal(after, before))
            value = arith::SelectOp::create(b, chunk.mask, value, old);
        return after;
      });
    });
    if (between)
      between();
    for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      Value sum = sums[number];
      for (int64_t copy = 1; copy < plan.copies; ++copy)
        sum = combine(b, op, number, sum, sums[copy * results + number]);
      sum = combineLanes(b, op, number, sum);
      if (!plan.maskTail)
        sum = combine(b, op, number, sum, sums[plan.copies * results + number]);
      LaneBuilder scalar(b, 1);
      scalar.setIndices(
          llvm::map_to_vector(ivs, [](Value iv) { return Lanes{iv}; }));
      SmallVector<Lanes> at = scalar.apply(op.getMatchingIndexingMap(&init));
      Value old =
          starts.empty() ? scalar.load(init.get(), at).scalar : starts[number];
      scalar.store(init.get(), at, {combine(b, op, number, old, sum)});
    }
  }

  /// Computes and stores the producer's part of a chunk, for compute() to use.
  void takeUp(LoopBuilder &producer, const Chunk &chunk) {
    Values values = producer.compute(chunk, producer.load(chunk));
    producer.store(chunk, values);
    size_t results = producer.op.getNumDpsInits();
    stored.clear();
    for (auto [number, init] : llvm::enumerate(producer.op.getDpsInits()))
      for (size_t at = number; at < values.size(); at += results)
        stored[init].push_back(values[at]);
  }

  ImplicitLocOpBuilder &b;
  linalg::GenericOp op;
  const LoopPlan &plan;
  ValueRange starts; ///< of the results, if they are not read
  Values ivs, sizes;
  /// Of the vectors side by side, along each of the loops.
  int64_t laneCopies = plan.copies, sideCopies = 1, pairCopies = 1;
  bool isPaired;   ///< this enters the paired loop
  Value laneEnd;   ///< of the loop over the lanes
  Value laneBegin; ///< the same, where it goes over a piece; else null
  std::optional<TransposedTile> tile;
  /// What the producer stored of the chunk, each copy of it.
  llvm::DenseMap<Value, Values> stored;
};

} // namespace

void buildLoops(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                const LoopPlan &plan,
                const llvm::DenseMap<unsigned, Value> &outer,
                ValueRange starts) {
  LoopBuilder(b, op, plan, outer, starts).build();
}

void buildReductionOf(ImplicitLocOpBuilder &b, const PlannedLoops &producer,
                      const PlannedLoops &reduction,
                      llvm::function_ref<void()> between) {
  LoopBuilder its(b, producer.op, producer.plan, producer.outer, {});
  LoopBuilder(b, reduction.op, reduction.plan, reduction.outer, {})
      .buildWith(its, between);
}

} // namespace tilewright
