// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Transforms/LowerTileFunction.h"
#include "BlockKernel.h"
#include "tilewright/tile.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Register blocks `count` x `size` rows from row `first` on, of one operand.
struct BlockRun {
  int first, count, size;
};

llvm::SmallVector<BlockRun, 2> runs(const Blocking &blocking) {
  llvm::SmallVector<BlockRun, 2> result = {{0, blocking.count, blocking.size}};
  if (blocking.rest)
    result.push_back({blocking.count * blocking.size, 1, blocking.rest});
  return result;
}

class TileBody {
public:
  TileBody(Emitter &e, const TileKey &key, const TilePlan &plan)
      : e(e), key(key), plan(plan), shape(key, plan) {}

  void emit(Block &entry) {
    out = entry.getArgument(0);
    lhs = entry.getArgument(1);
    rhs = entry.getArgument(2);
    readParams(entry.getArgument(3));
    Value some = e.icmp(arith::CmpIPredicate::sgt, params.k, 0);
    Value overwrite = arith::XOrIOp::create(e.b, e.loc, params.accumulate,
                                            e.constant(e.b.getI1Type(), 1));
    e.ifThen(e.bor(some, overwrite), [&] { emitBlocks(); });
  }

private:
  void readParams(Value pointer) {
    auto flagIs = [&](Value flags, int64_t flag) {
      return e.icmp(arith::CmpIPredicate::ne, e.band(flags, flag), 0);
    };
    params.k = e.load(e.integer(64),
                      e.offset(pointer, offsetof(tw_mmt4d_params_t, K)), 8);
    Value flags =
        e.load(e.integer(32),
               e.offset(pointer, offsetof(tw_mmt4d_params_t, flags)), 4);
    params.accumulate = flagIs(flags, TW_MMT4D_FLAG_ACCUMULATE);
    Value stride = e.ifElse(
        flagIs(flags, TW_MMT4D_FLAG_OUT_ROW_STRIDE),
        [&]() -> Emitter::Values {
          return {e.load(
              e.integer(64),
              e.offset(pointer, offsetof(tw_mmt4d_params_t, out_row_stride)),
              8)};
        },
        [&]() -> Emitter::Values { return {e.i64(key.n0)}; })[0];
    params.outRowBytes = e.mul(stride, e.i64(outBytes()));
  }

  int64_t outBytes() const { return info(info(key.types).out).bits / 8; }

  /// Bytes from row 0 to row `row` of `operand`.
  Value rowOffset(const OperandShape &operand, Value row) {
    int64_t bits = int64_t{key.k0} * operand.bits;
    if (bits % 8 == 0)
      return e.mul(row, e.i64(bits / 8));
    return e.shr(e.mul(row, e.i64(bits)), 3);
  }

  void emitBlocks() {
    llvm::SmallVector<BlockRun, 2> outer = runs(shape.broadcastBlocks);
    llvm::SmallVector<BlockRun, 2> inner = runs(shape.vectorBlocks);
    // The out tile's rows are those of the operand that is the lhs.
    bool vectorOuter = plan.rowsInner != plan.broadcastRhs;
    if (vectorOuter)
      std::swap(outer, inner);
    for (const BlockRun &o : outer)
      forBlocks(o, [&](Value oRow) {
        for (const BlockRun &i : inner)
          forBlocks(i, [&](Value iRow) {
            if (vectorOuter)
              emitBlock(iRow, i.size, oRow, o.size);
            else
              emitBlock(oRow, o.size, iRow, i.size);
          });
      });
  }

  void forBlocks(const BlockRun &run, llvm::function_ref<void(Value)> body) {
    if (run.count == 1)
      return body(e.i64(run.first));
    e.loop(e.i64(run.first), e.i64(run.first + run.count * run.size), run.size,
           {}, [&](Value row, Emitter::Values) -> Emitter::Values {
             body(row);
             return {};
           });
  }

  void emitBlock(Value broadcastRow, int broadcastRows, Value vectorRow,
                 int vectorRows) {
    Value b = plan.broadcastRhs ? rhs : lhs, v = plan.broadcastRhs ? lhs : rhs;
    Value m = plan.broadcastRhs ? vectorRow : broadcastRow;
    Value n = plan.broadcastRhs ? broadcastRow : vectorRow;
    b = e.offset(b, rowOffset(shape.broadcast, broadcastRow));
    v = e.offset(v, rowOffset(shape.vector, vectorRow));
    Value at = e.offset(e.offset(out, e.mul(m, params.outRowBytes)),
                        e.mul(n, e.i64(outBytes())));
    BlockKernel(e, key, plan, shape, params, broadcastRows, vectorRows)
        .emit(b, v, at);
  }

  Emitter &e;
  const TileKey &key;
  const TilePlan &plan;
  TileShape shape;
  TileParams params;
  Value out, lhs, rhs;
};

} // namespace

llvm::Error lowerTileFunction(func::FuncOp function, const TileKey &key,
                              const TilePlan &plan) {
  std::string why = whyPlanUnfit(plan, key);
  if (!why.empty())
    return llvm::createStringError("%s: plan '%s' does not fit: %s",
                                   printTileKey(key).c_str(),
                                   printTilePlan(plan).c_str(), why.c_str());
  OpBuilder b(function.getContext());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  function.getBody().getBlocks().clear();
  function.setType(b.getFunctionType({pointer, pointer, pointer, pointer}, {}));
  Block *entry = function.addEntryBlock();
  for (unsigned i = 0; i < 4; ++i) {
    function.setArgAttrs(i, ArrayRef<NamedAttribute>());
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
  }
  b.setInsertionPointToStart(entry);
  Emitter e(b, function.getLoc(), info(key.isa));
  TileBody(e, key, plan).emit(*entry);
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, function.getLoc());
  return llvm::Error::success();
}

} // namespace tilewright
