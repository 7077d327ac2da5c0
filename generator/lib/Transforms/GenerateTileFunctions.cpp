// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-generate-tile-functions: what the plan of a tile says, as code.

#include "Block/BlockResults.h"
#include "Block/BroadcastSums.h"
#include "Block/KLoop.h"
#include "Block/SharedRuns.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Transforms/Passes.h"
#include "tilewright/Transforms/TileFunctions.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_GENERATETILEFUNCTIONS
#include "tilewright/Transforms/Passes.h.inc"

namespace {

class TileBody {
public:
  TileBody(Emitter &e, const TileKey &key, const TilePlan &plan)
      : e(e), key(key), least(key.atVectorBits(e.isa.vectorBits)), plan(plan),
        shape(key, plan) {}

  void emit(Block &entry) {
    out = entry.getArgument(0);
    lhs = entry.getArgument(1);
    rhs = entry.getArgument(2);
    readVectorLength();
    params = readTileParams(
        e, entry.getArgument(3),
        [&] { return rowsOf(least.n0, key.n0Scalable); }, outBytes());
    unlessIdle(e, params, [&] { emitBlocks(); });
  }

private:
  void readVectorLength() {
    if (key.isScalable())
      lengthFactor =
          emissionOf(e.isa).vectorLengthFactor(e.b, e.loc, info(e.isa.scaling));
    auto stride = [&](const OperandShape &operand) {
      StepStride result{operand.stepBytes, nullptr};
      if (operand.scalable)
        result.runtime = e.mul(lengthFactor, e.i64(operand.stepBytes));
      return result;
    };
    broadcastStride = stride(shape.broadcast);
    vectorStride = stride(shape.vector);
  }

  /// The rows of an operand that has `least` of them at the least vector
  /// length.
  Value rowsOf(int least, bool scalable) {
    return scalable ? e.mul(lengthFactor, e.i64(least)) : e.i64(least);
  }

  int64_t outBytes() const { return info(info(key.types).out).bits / 8; }

  /// Bytes from row 0 to row `row` of `operand`.
  Value rowOffset(const OperandShape &operand, Value row) {
    int64_t bits = int64_t{key.k0} * operand.bits;
    if (bits % 8 == 0)
      return e.mul(row, e.i64(bits / 8));
    return e.shr(e.mul(row, e.i64(bits)), 3);
  }

  /// The two loops over register blocks.
  void emitBlocks() {
    if (plan.sums == SumsIn::Pass)
      emitSums();
    if (plan.sharesRuns)
      return emitRuns();
    forAllBlocks([&](BlockRow b, BlockRow v) { emitBlock(b, v); });
  }

  struct BlockRow {
    Value first;          ///< of the block
    Value own;            ///< counted from there: first that is new; null for 0
    Value row;            ///< first that is new, a multiple of the blocks' size
    bool isFirst = false; ///< the first block, apart from the others
  };
  using BlockBody = llvm::function_ref<void(BlockRow, BlockRow)>;

  /// With the first block of the broadcast operand apart from the others if
  /// that is asked for.
  void forAllBlocks(BlockBody body, bool firstApart = false) {
    auto forBroadcasts = [&](llvm::function_ref<void(BlockRow)> each) {
      forBlocks(shape.broadcastBlocks, shape.broadcast, each, firstApart);
    };
    auto forVectors = [&](llvm::function_ref<void(BlockRow)> each) {
      forBlocks(shape.vectorBlocks, shape.vector, each);
    };
    if (vectorOuter())
      forVectors(
          [&](BlockRow v) { forBroadcasts([&](BlockRow b) { body(b, v); }); });
    else
      forBroadcasts(
          [&](BlockRow b) { forVectors([&](BlockRow v) { body(b, v); }); });
  }

  /// The out tile's rows are those of the operand that is the lhs.
  bool vectorOuter() const { return plan.rowsInner != plan.broadcastRhs; }

  void forBlocks(const Blocking &blocks, const OperandShape &operand,
                 llvm::function_ref<void(BlockRow)> body,
                 bool firstApart = false) {
    if (blocks.count == 1 && !operand.scalable)
      return body({e.i64(0), nullptr, e.i64(0), firstApart});
    Value rows = rowsOf(operand.rows, operand.scalable);
    if (firstApart)
      body({e.i64(0), blocks.overlaps ? e.i64(0) : nullptr, e.i64(0), true});
    e.loop(e.i64(firstApart ? blocks.size : 0), rows, blocks.size, {},
           [&](Value row, Emitter::Values) -> Emitter::Values {
             if (!blocks.overlaps) {
               body({row, nullptr, row});
               return {};
             }
             Value last = operand.scalable ? e.sub(rows, e.i64(blocks.size))
                                           : e.i64(operand.rows - blocks.size);
             Value first = arith::MinSIOp::create(e.b, e.loc, row, last);
             body({first, e.sub(row, first), row});
             return {};
           });
  }

  /// Of `firstBroadcast`, its first row of the broadcast operand.
  BlockPosition positionOf(Value firstBroadcast, Value firstVector) {
    Value m = plan.broadcastRhs ? firstVector : firstBroadcast;
    Value n = plan.broadcastRhs ? firstBroadcast : firstVector;
    BlockPosition position;
    position.broadcast = e.offset(plan.broadcastRhs ? rhs : lhs,
                                  rowOffset(shape.broadcast, firstBroadcast));
    position.vector = e.offset(plan.broadcastRhs ? lhs : rhs,
                               rowOffset(shape.vector, firstVector));
    position.out = e.offset(e.offset(out, e.mul(m, params.outRowBytes)),
                            e.mul(n, e.i64(outBytes())));
    position.broadcastStride = broadcastStride;
    position.vectorStride = vectorStride;
    return position;
  }

  /// SumsIn::Pass: all rows' sums.
  void emitSums() {
    forBlocks(shape.broadcastBlocks, shape.broadcast, [&](BlockRow b) {
      BlockPosition position = positionOf(b.first, e.i64(0));
      RegisterBlock block(e, key, plan, shape, params, position);
      if (!sums)
        sums = block.stackBuffer(4 * shape.broadcast.rows);
      BroadcastSums(block).pass(sumsOf(b));
    });
  }

  Value sumsOf(BlockRow b) { return e.offset(sums, e.mul(b.first, e.i64(4))); }

  BlockPosition positionOf(BlockRow b, BlockRow v) {
    BlockPosition position = positionOf(b.first, v.first);
    position.ownBroadcastRow = b.own;
    position.ownVectorRow = v.own;
    return position;
  }

  /// TilePlan::sharesRuns.
  void emitRuns() {
    BlockPosition first = positionOf(e.i64(0), e.i64(0));
    RegisterBlock tile(e, key, plan, shape, params, first);
    SharedRuns runs(tile);
    auto forAll = [&](llvm::function_ref<void(RunBlock)> body,
                      bool firstApart = false) {
      forAllBlocks(
          [&](BlockRow b, BlockRow v) {
            BlockPosition position = positionOf(b, v);
            if (plan.sums == SumsIn::Pass)
              position.sums = sumsOf(b);
            RegisterBlock block(e, key, plan, shape, params, position);
            body({block, b.first, v.first, b.row, v.row, b.isFirst});
          },
          firstApart);
    };
    forAll([&](RunBlock block) { runs.begin(block); });
    runs.forEach([&] {
      forAll([&](RunBlock block) { runs.run(block); },
             shape.passesVectors(plan));
    });
    forAll([&](RunBlock block) { runs.end(block); });
  }

  void emitBlock(BlockRow b, BlockRow v) {
    BlockPosition position = positionOf(b, v);
    RegisterBlock block(e, key, plan, shape, params, position);
    if (plan.sums == SumsIn::Stage)
      position.sums = BroadcastSums(block).zeros();
    else if (plan.sums == SumsIn::Pass)
      position.sums = sumsOf(b);
    std::unique_ptr<BlockSteps> steps = BlockSteps::of(block);
    BlockResults results(block);
    results.store(KLoop(block, *steps).run(results.initial()));
  }

  Emitter &e;
  const TileKey &key;
  TileKey least; ///< the key at the least vector length
  const TilePlan &plan;
  TileShape shape;
  TileParams params;
  Value lengthFactor; ///< i64: vector length / least one; null if not scalable
  StepStride broadcastStride, vectorStride;
  Value out, lhs, rhs;
  Value sums; ///< i32 of each row of the broadcast operand; of SumsIn::Pass
};

/// Gives `function` the type (!llvm.ptr noalias x 4) -> () and, as its body,
/// the code of `plan`, which fits `key`: arith, vector, scf and llvm
/// operations.
void generate(func::FuncOp function, const TileKey &key, const TilePlan &plan) {
  OpBuilder b(function.getContext());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  function.setPublic();
  function.setType(b.getFunctionType({pointer, pointer, pointer, pointer}, {}));
  Block *entry = function.addEntryBlock();
  for (unsigned i = 0; i < 4; ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
  }
  if (plan.scalable == ScalableIdiom::None && TileShape(key, plan).regular)
    function->setAttr(kRegularTile, b.getUnitAttr());
  if (plan.schedule != Schedule::Planned)
    function->setAttr(kSchedule,
                      b.getI32IntegerAttr(static_cast<int>(plan.schedule)));
  b.setInsertionPointToStart(entry);
  Emitter e(b, function.getLoc(), info(key.isa));
  if (plan.scalable == ScalableIdiom::None) {
    TileBody(e, key, plan).emit(*entry);
  } else {
    const Emission &emission = emissionOf(e.isa);
    if (emission.isStreaming(plan))
      function->setAttr(kStreamingTile, b.getUnitAttr());
    emission.emitScalableTile(e, key, plan, *entry);
  }
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, function.getLoc());
}

struct GenerateTileFunctionsPass
    : impl::GenerateTileFunctionsBase<GenerateTileFunctionsPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      auto tile = function->getAttrOfType<tw::TileAttr>(tw::kTile);
      if (!tile || tile.getPlan().empty() || !function.isDeclaration())
        continue;
      llvm::Expected<TilePlan> plan =
          readTilePlan(tile.getKey(), tile.getPlan());
      if (!plan) {
        function.emitError(llvm::toString(plan.takeError()));
        return signalPassFailure();
      }
      generate(function, tile.getKey(), *plan);
    }
  }
};

} // namespace

} // namespace tilewright
