// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-call-tile-functions: multiplications and packs on buffers -> calls of
// functions by name; those of packed operands in loops of their own.

#include "Dispatch/Tasks.h"
#include "Mmt4dSizes.h"
#include "TileCalls.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Emit/Emission.h"
#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Transforms/TileFunctions.h"
#include "tilewright/tile.h"
#include <algorithm>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_CALLTILEFUNCTIONS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// How much of the rhs a block of panels may take: half of the smallest
/// second-level cache of the CPUs with the ISAs of the table (512 KiB on Zen 4
/// is shared with the lhs panel, the out tiles and the caller's data).
constexpr int64_t kRhsBlockBytes = 256 * 1024;

class TileCaller {
public:
  explicit TileCaller(tw::Mmt4dOp op)
      : op(op), key(op.getKey()), b(op.getLoc(), op) {}

  LogicalResult build() {
    if (!op.getScales().empty())
      return op.emitOpError("has block scales, which tiles of CPUs do not "
                            "take; expected it on a GPU");
    FailureOr<Mmt4dSizes> sizes = mmt4dSizes(b, op);
    if (failed(sizes))
      return failure();
    auto [batch, m, n, k] = *sizes;
    tile = tileSizes(b, key);
    Value params = buildParams(k);
    Value lhsPanel =
        bytes(op.getLhs(), multiply(k, multiply(tile.m0, tile.k0)));
    Value rhsPanel =
        bytes(op.getRhs(), multiply(k, multiply(tile.n0, tile.k0)));
    Value outTile = bytes(op.getOut(), multiply(tile.m0, tile.n0));
    Value lhs = pointerToBytes(b, op.getLhs()),
          rhs = pointerToBytes(b, op.getRhs()),
          out = pointerToBytes(b, op.getOut());

    Value firstRow = constant(0), firstColumn = constant(0);
    if (op.getDims().batch) {
      Value matrix = enterLoop(constant(0), batch, constant(1));
      firstRow = multiply(matrix, m);
      firstColumn = multiply(matrix, n);
    }
    // Blocks of rhs panels; within one, each lhs panel meets all of the block.
    Value block = rhsBlock(k);
    Value first = enterLoop(constant(0), n, block);
    Value last = arith::MinSIOp::create(b, add(first, block), n);
    Value row = add(firstRow, enterLoop(constant(0), m, constant(1)));
    if (threadsOf(op) > 1)
      divide(arith::MinSIOp::create(b, block, n), k);
    Value column = enterLoop(first, last, constant(1));
    Value place = add(multiply(row, n), column);
    LLVM::CallOp::create(
        b, declareTile(op, op.getTile()),
        ValueRange{address(out, place, outTile), address(lhs, row, lhsPanel),
                   address(rhs, add(firstColumn, column), rhsPanel), params});
    op->erase();
    return success();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value multiply(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(x, y);
  }

  /// The builder goes on inside.
  Value enterLoop(Value lower, Value upper, Value step) {
    auto loop = scf::ForOp::create(b, lower, upper, step);
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  /// Lets the loops around here run in tasks; an iteration of the innermost
  /// calls tiles of `k` steps for `columns`.
  void divide(Value columns, Value k) {
    for (auto loop = dyn_cast<scf::ForOp>(b.getBlock()->getParentOp()); loop;
         loop = dyn_cast<scf::ForOp>(loop->getParentOp()))
      markParallel(loop);
    TileKey least = key.atVectorBits(kLeastVectorBits);
    addWork(b, double(least.m0) * least.n0 * least.k0 / kMultipliesOfWork,
            {columns, k});
  }

  int64_t elementBytes(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
  }

  Value bytes(Value buffer, Value elements) {
    return multiply(elements, constant(elementBytes(buffer)));
  }

  Value address(Value start, Value number, Value bytes) {
    Value offset =
        arith::IndexCastOp::create(b, b.getI64Type(), multiply(number, bytes));
    return LLVM::GEPOp::create(b, pointerType(), b.getI8Type(), start,
                               ValueRange{offset});
  }

  /// How many rhs panels [K][N0][K0] a block has: at least one.
  Value rhsBlock(Value k) {
    Value step = bytes(op.getRhs(), multiply(tile.n0, tile.k0));
    Value budget = b.createOrFold<arith::MaxSIOp>(
        b.createOrFold<arith::DivSIOp>(constant(kRhsBlockBytes), step),
        constant(1));
    Value steps = arith::MaxSIOp::create(b, k, constant(1));
    Value panels = arith::DivSIOp::create(b, budget, steps);
    return arith::MaxSIOp::create(b, panels, constant(1));
  }

  /// tw_mmt4d_params_t on the stack of the function, filled before the loops.
  Value buildParams(Value k) {
    Value memory = stackWords(b, op, params::kWords);
    Value steps = arith::IndexCastOp::create(b, b.getI64Type(), k);
    uint64_t flags = uint64_t(key.types);
    if (!op.getOverwrite())
      flags |= TW_MMT4D_FLAG_ACCUMULATE;
    if (key.vnni)
      flags |= TW_MMT4D_FLAG_RHS_VNNI;
    storeWord(memory, params::kKWord, steps);
    auto bits = [&](Value size) {
      return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), size);
    };
    Value half = arith::ConstantIntOp::create(b, 32, 64);
    Value upper = b.createOrFold<arith::ShLIOp>(bits(tile.n0), half);
    storeWord(memory, params::kKWord + 1,
              b.createOrFold<arith::OrIOp>(bits(tile.m0), upper));
    storeWord(memory, params::kFlagsWord,
              word(key.k0 | int64_t(flags << params::kFlagsShift)));
    return memory;
  }

  Value word(int64_t value) {
    return LLVM::ConstantOp::create(b, b.getI64Type(), value);
  }

  void storeWord(Value memory, int64_t index, Value value) {
    Value place = LLVM::GEPOp::create(b, pointerType(), b.getI64Type(), memory,
                                      ArrayRef<LLVM::GEPArg>{int32_t(index)});
    LLVM::StoreOp::create(b, value, place);
  }

  Type pointerType() { return LLVM::LLVMPointerType::get(b.getContext()); }

  tw::Mmt4dOp op;
  TileKey key;
  TileSizes tile;
  ImplicitLocOpBuilder b;
};

void lowerVscale(tw::VscaleOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  const ScalingInfo &scaling =
      *llvm::find_if(llvm::drop_begin(scalings()), [&](const ScalingInfo &row) {
        return row.isStreaming == op.getStreaming();
      });
  Value scale = emissionOf(StringRef(scaling.arch))
                    .vectorLengthFactor(b, op.getLoc(), scaling);
  op.getResult().replaceAllUsesWith(
      arith::IndexCastOp::create(b, b.getIndexType(), scale));
  op.erase();
}

struct CallTileFunctionsPass
    : impl::CallTileFunctionsBase<CallTileFunctionsPass> {
  using CallTileFunctionsBase::CallTileFunctionsBase;

  void runOnOperation() override {
    llvm::Expected<tw_known_core_t> known = knownCore(core);
    if (!known) {
      getOperation().emitError(llvm::toString(known.takeError()));
      return signalPassFailure();
    }
    bool isCalled =
        succeeded(callAll<tw::Mmt4dOp>(
            [](tw::Mmt4dOp op) { return TileCaller(op).build(); })) &&
        succeeded(callAll<tw::MatmulOp>(
            [&](tw::MatmulOp op) { return callContraction(op, *known); })) &&
        succeeded(callAll<tw::KeepPackedOp>(callKeep)) &&
        succeeded(callAll<tw::PackOp>([](auto op) { return callPack(op); })) &&
        succeeded(callAll<tw::UnPackOp>([](auto op) { return callPack(op); }));
    if (!isCalled)
      signalPassFailure();
    getOperation().walk(lowerVscale);
  }

  template <typename Op>
  LogicalResult callAll(llvm::function_ref<LogicalResult(Op)> call) {
    SmallVector<Op> ops;
    getOperation().walk([&](Op op) { ops.push_back(op); });
    for (Op op : ops)
      if (failed(call(op)))
        return failure();
    return success();
  }
};

} // namespace
} // namespace tilewright
