// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-call-tile-functions: packed contractions on buffers -> loops that call
// tile functions by name.

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
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

/// A packed operand: where it starts, and the distance in bytes between its
/// neighbours along each of its outer dimensions.
struct Operand {
  Value pointer;
  SmallVector<Value> byteStrides;
};

class TileCaller {
public:
  TileCaller(linalg::LinalgOp op, const TileKey &key, StringRef symbol)
      : op(op), key(key), symbol(symbol), b(op.getLoc(), op) {}

  LogicalResult build() {
    for (Value buffer : op->getOperands()) {
      auto type = cast<MemRefType>(buffer.getType());
      if (!type.getLayout().isIdentity())
        return op.emitOpError() << "has the packed operand of type " << type
                                << ", which is not contiguous";
    }
    op.getReductionDims(reductions);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned loops = op.getNumLoops();
    // By the form that packing gives: parallel outer loops, k; m0, n0, k0.
    if (reductions.size() != 2 || loops < 6)
      return op.emitOpError("is not a packed matrix multiplication");
    unsigned m = outerLoop(maps[0]), n = outerLoop(maps[1]);
    SmallVector<unsigned> batch;
    for (unsigned loop = 0; loop < loops; ++loop)
      if (loop != m && loop != n && loop != reductions[0] &&
          isOuter(maps[2], loop))
        batch.push_back(loop);

    Value params = buildParams();
    Operand lhs = operand(0), rhs = operand(1), out = operand(2);

    SmallVector<Value> ivs(loops);
    for (unsigned loop : batch)
      enterLoop(ivs, loop, constant(0), extent(loop), constant(1));
    // Blocks of rhs panels; within one, each lhs panel meets all of the block.
    Value block = rhsBlock();
    auto blocks = scf::ForOp::create(b, constant(0), extent(n), block);
    b.setInsertionPointToStart(blocks.getBody());
    Value first = blocks.getInductionVar();
    Value last = arith::MinSIOp::create(
        b, arith::AddIOp::create(b, first, block), extent(n));
    enterLoop(ivs, m, constant(0), extent(m), constant(1));
    enterLoop(ivs, n, first, last, constant(1));
    Value outTile = address(out, maps[2], ivs);
    Value lhsPanel = address(lhs, maps[0], ivs);
    Value rhsPanel = address(rhs, maps[1], ivs);
    LLVM::CallOp::create(b, declareTile(),
                         ValueRange{outTile, lhsPanel, rhsPanel, params});
    op->erase();
    return success();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  /// The loop over the panels of an operand [.., M or N, K, M0 or N0, K0].
  static unsigned outerLoop(AffineMap map) {
    return map.getDimPosition(map.getNumResults() - 4);
  }

  static bool isOuter(AffineMap outMap, unsigned loop) {
    std::optional<unsigned> position =
        outMap.getResultPosition(getAffineDimExpr(loop, outMap.getContext()));
    return position && *position + 2 < outMap.getNumResults();
  }

  void enterLoop(SmallVector<Value> &ivs, unsigned loop, Value lower,
                 Value upper, Value step) {
    auto forOp = scf::ForOp::create(b, lower, upper, step);
    ivs[loop] = forOp.getInductionVar();
    b.setInsertionPointToStart(forOp.getBody());
  }

  /// The number of iterations of a loop, from the first operand indexed by it.
  Value extent(unsigned loop) {
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
        if (map.getDimPosition(dim) == loop)
          return memref::DimOp::create(b, operand.get(), dim);
    }
    llvm_unreachable("each loop of a structured operation indexes an operand");
  }

  int64_t elementBytes(unsigned index) {
    auto type = cast<MemRefType>(op->getOperand(index).getType());
    return type.getElementTypeBitWidth() / 8;
  }

  Operand operand(unsigned index) {
    Value buffer = op->getOperand(index);
    int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
    Operand result;
    result.byteStrides.resize(rank);
    Value stride = constant(elementBytes(index));
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      result.byteStrides[dim] = stride;
      stride = arith::MulIOp::create(
          b, stride, memref::DimOp::create(b, buffer, dim).getResult());
    }
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    Value word = arith::IndexCastOp::create(b, b.getI64Type(), address);
    result.pointer = LLVM::IntToPtrOp::create(b, pointerType(), word);
    return result;
  }

  /// Where the panel or tile for the current iteration starts: the inner
  /// dimensions, and the panels' K, are left at 0.
  Value address(const Operand &operand, AffineMap map, ArrayRef<Value> ivs) {
    Value offset = constant(0);
    for (auto [dim, stride] : llvm::enumerate(operand.byteStrides))
      if (Value iv = ivs[map.getDimPosition(dim)])
        offset = arith::AddIOp::create(
            b, offset, arith::MulIOp::create(b, iv, stride).getResult());
    Value word = arith::IndexCastOp::create(b, b.getI64Type(), offset);
    return LLVM::GEPOp::create(b, pointerType(), b.getI8Type(), operand.pointer,
                               ValueRange{word});
  }

  /// How many rhs panels [K][N0][K0] a block has: at least one.
  Value rhsBlock() {
    int64_t stepBytes = key.n0 * key.k0 * elementBytes(1);
    Value k = extent(reductions[0]);
    Value budget = constant(std::max<int64_t>(kRhsBlockBytes / stepBytes, 1));
    Value steps = arith::MaxSIOp::create(b, k, constant(1));
    Value panels = arith::DivSIOp::create(b, budget, steps);
    return arith::MaxSIOp::create(b, panels, constant(1));
  }

  /// tw_mmt4d_params_t on the stack of the function, filled before the loops.
  Value buildParams() {
    OpBuilder::InsertionGuard guard(b);
    auto func = op->getParentOfType<func::FuncOp>();
    b.setInsertionPointToStart(&func.getBody().front());
    auto words = LLVM::LLVMArrayType::get(b.getI64Type(), params::kWords);
    Value one = LLVM::ConstantOp::create(b, b.getI64Type(), 1);
    Value memory = LLVM::AllocaOp::create(b, pointerType(), words, one,
                                          /*alignment=*/16);
    b.setInsertionPoint(op);
    Value steps =
        arith::IndexCastOp::create(b, b.getI64Type(), extent(reductions[0]));
    uint64_t flags = uint64_t(key.types);
    if (!op->hasAttr(kOverwriteAttr))
      flags |= TW_MMT4D_FLAG_ACCUMULATE;
    storeWord(memory, params::kKWord, steps);
    storeWord(memory, params::kKWord + 1, word(key.m0 | int64_t(key.n0) << 32));
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

  LLVM::LLVMFuncOp declareTile() {
    auto module = op->getParentOfType<ModuleOp>();
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
      return known;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    Type pointer = pointerType();
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    {pointer, pointer, pointer, pointer});
    return LLVM::LLVMFuncOp::create(b, symbol, type);
  }

  Type pointerType() { return LLVM::LLVMPointerType::get(b.getContext()); }

  linalg::LinalgOp op;
  TileKey key;
  StringRef symbol;
  ImplicitLocOpBuilder b;
  SmallVector<unsigned> reductions; ///< k, then k0
};

struct CallTileFunctionsPass
    : impl::CallTileFunctionsBase<CallTileFunctionsPass> {
  using CallTileFunctionsBase::CallTileFunctionsBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> packed;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op->hasAttr(kTileAttr))
        packed.push_back(op);
    });
    for (linalg::LinalgOp op : packed) {
      StringRef name = op->getAttrOfType<StringAttr>(kTileAttr).getValue();
      ParsedTileKey parsed = parseTileKey(name.str(), prefix);
      if (!parsed.key) {
        op->emitOpError() << "names the tile '" << name
                          << "': " << parsed.error;
        return signalPassFailure();
      }
      if (failed(TileCaller(op, *parsed.key, name).build()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace tilewright
