// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.matmul on buffers -> a call of tw_contract.

#include "CallEpilogue.h"
#include "ContractionFields.h"
#include "Dispatch/Tasks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Windows.h"
#include "tilewright/Registry/Registry.h"
#include <cstddef>

using namespace mlir;

namespace tilewright {
namespace {

class ContractionCaller : ContractionFields {
public:
  ContractionCaller(tw::MatmulOp op, const tw_known_core_t &core)
      : ContractionFields(op), op(op), key(op.getKey()), core(core),
        maps(op.getMaps()), windows(*windowTermsOf(maps.front())) {}

  LogicalResult build() {
    for (unsigned operand = 0; operand < 4; ++operand)
      if (!isContiguous(op->getOperand(operand)))
        return op.emitOpError()
               << "has the operand type " << op->getOperand(operand).getType()
               << ", which is not a contiguous buffer";
    allocate(op);
    Value places[3];
    for (unsigned operand = 0; operand < 3; ++operand)
      places[operand] = pointerToBytes(b, op->getOperand(operand));
    std::optional<EpilogueCall> epilogue;
    if (op.getEpilogue())
      epilogue.emplace(b, op);
    fill();
    storeEpilogue(epilogue);
    // One call for each matrix of the batch.
    bool divides = threadsOf(op) > 1;
    SmallVector<Value> matrix;
    if (divides && op.getFirstMLoop())
      matrix = {productOf(op.getFirstMLoop(), op.getNLoop()),
                extentOf(op.getNLoop()), columns()};
    for (unsigned loop = 0; loop < op.getFirstMLoop(); ++loop) {
      Value extent = extentOf(loop);
      Value number = enterLoop(extent);
      if (epilogue)
        epilogue->setIndex(b, loop, number);
      if (divides)
        markParallel(cast<scf::ForOp>(b.getBlock()->getParentOp()));
      for (unsigned operand = 0; operand < 3; ++operand)
        if (maps[operand].isFunctionOfDim(loop))
          places[operand] =
              advanced(places[operand],
                       multiply(number, multiply(strideOf(operand, loop),
                                                 elementBytes(operand))));
    }
    if (!matrix.empty())
      addWork(b, 1.0 / kMultipliesOfWork, matrix);
    storeAt(offsetof(tw_contraction_t, matmul.lhs), places[0]);
    storeAt(offsetof(tw_contraction_t, matmul.rhs), places[1]);
    storeAt(offsetof(tw_contraction_t, matmul.out), places[2]);
    LLVM::CallOp::create(
        b, declareFunction(op, kContractFunction, {memory.getType()}),
        ValueRange{memory});
    op.erase();
    return success();
  }

private:
  static bool isContiguous(Value buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    return type && type.getLayout().isIdentity();
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value multiply(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(x, y);
  }

  Value enterLoop(Value extent) {
    auto loop = scf::ForOp::create(b, constant(0), extent, constant(1));
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  Value sizeOf(unsigned operand, unsigned dim) {
    return b.createOrFold<memref::DimOp>(op->getOperand(operand), dim);
  }

  Value elementBytes(unsigned operand) {
    return constant(cast<MemRefType>(op->getOperand(operand).getType())
                        .getElementTypeBitWidth() /
                    8);
  }

  std::optional<unsigned> dimOf(unsigned operand, unsigned loop) {
    return maps[operand].getResultPosition(b.getAffineDimExpr(loop));
  }

  /// In elements: of a packed rhs, panels and steps are none.
  Value extentOf(unsigned loop) {
    if (loop == op.getKLoop() && op.getKSize())
      return constant(int64_t(*op.getKSize()));
    for (unsigned operand : {0, 2, 1})
      if (std::optional<unsigned> dim = dimOf(operand, loop))
        return sizeOf(operand, *dim);
    llvm_unreachable("verified: every loop has a kind");
  }

  /// From one iteration of the loop to the next, in elements.
  Value strideOf(unsigned operand, unsigned loop) {
    if (operand != 0)
      return strideOfDim(operand, *dimOf(operand, loop));
    for (auto [dim, terms] : llvm::enumerate(windows))
      for (WindowTerm term : terms)
        if (term.loop == loop)
          return multiply(strideOfDim(operand, dim), constant(term.step));
    llvm_unreachable("asked of loops that index the operand");
  }

  Value strideOfDim(unsigned operand, unsigned dim) {
    Value stride = constant(1);
    auto type = cast<MemRefType>(op->getOperand(operand).getType());
    for (unsigned inner = dim + 1; inner < type.getRank(); ++inner)
      stride = multiply(stride, sizeOf(operand, inner));
    return stride;
  }

  bool isInnermost(unsigned operand, unsigned loop) {
    return dimOf(operand, loop) == maps[operand].getNumResults() - 1;
  }

  /// All but where the matrices are.
  void fill() {
    unsigned m = op.getMLoop(), n = op.getNLoop(), k = op.getKLoop();
    uint32_t flags = uint32_t(key.types);
    if (!op.getOverwrite())
      flags |= TW_MMT4D_FLAG_ACCUMULATE;
    if (key.vnni)
      flags |= TW_MMT4D_FLAG_RHS_VNNI;
    // Where rows lie side by side, the matrix lies transposed, and its stride
    // is that of the columns.
    bool isGathered = op.isGathered(),
         lhsTransposed = !isGathered && isInnermost(0, m),
         rhsTransposed = isInnermost(1, k), outTransposed = isInnermost(2, m);
    if (lhsTransposed)
      flags |= TW_MATMUL_FLAG_LHS_TRANSPOSED;
    if (outTransposed)
      flags |= TW_MATMUL_FLAG_OUT_TRANSPOSED;
    if (op.getRhsPacked())
      flags |= TW_MATMUL_FLAG_RHS_PREPACKED;
    else if (rhsTransposed)
      flags |= TW_MATMUL_FLAG_RHS_TRANSPOSED;
    word(offsetof(tw_contraction_t, matmul.lhs_stride),
         isGathered ? constant(0) : strideOf(0, lhsTransposed ? k : m));
    word(offsetof(tw_contraction_t, matmul.rhs_stride),
         op.getRhsPacked() ? constant(0) : strideOf(1, rhsTransposed ? n : k));
    word(offsetof(tw_contraction_t, matmul.out_stride),
         strideOf(2, outTransposed ? n : m));
    word(offsetof(tw_contraction_t, matmul.M),
         productOf(op.getFirstMLoop(), op.getNLoop()));
    word(offsetof(tw_contraction_t, matmul.N), sizeOf(2, *dimOf(2, n)));
    word(offsetof(tw_contraction_t, matmul.K), columns());
    number(offsetof(tw_contraction_t, gather.row_loops),
           isGathered ? int32_t(op.getMLoops()) : 0);
    number(offsetof(tw_contraction_t, gather.column_loops),
           isGathered ? int32_t(op.getKLoops()) : 0);
    if (isGathered) {
      gather(offsetof(tw_contraction_t, gather.rows), op.getFirstMLoop(),
             op.getNLoop());
      gather(offsetof(tw_contraction_t, gather.columns), op.getFirstKLoop(),
             k + 1);
    }
    number(offsetof(tw_contraction_t, matmul.flags), flags);
    number(offsetof(tw_contraction_t, core.l1_kib), core.l1_kib);
    number(offsetof(tw_contraction_t, core.l2_kib), core.l2_kib);
    number(offsetof(tw_contraction_t, core.streams), core.streams);
    number(offsetof(tw_contraction_t, core.stream_rows), core.stream_rows);
    number(offsetof(tw_contraction_t, core.stream_tiles), core.stream_tiles);
    number(offsetof(tw_contraction_t, core.stream_caches), core.stream_caches);
    number(offsetof(tw_contraction_t, core.slow_l3), core.slow_l3);
    number(offsetof(tw_contraction_t, core.asks_pages), core.asks_pages);
    storeThreads();
    storeAt(offsetof(tw_contraction_t, matmul.workspace),
            pointerToBytes(b, op.getWorkspace()));
    number(offsetof(tw_contraction_t, tile_types), key.types);
    TileSizes sizes = tileSizes(b, key);
    storeSize(offsetof(tw_contraction_t, M0), sizes.m0);
    storeSize(offsetof(tw_contraction_t, N0), sizes.n0);
    number(offsetof(tw_contraction_t, K0), key.k0);
    function(offsetof(tw_contraction_t, tile), declareTile(op, op.getTile()));
    for (size_t i = 0; i < TW_CONTRACTION_FEW; ++i)
      storeFew(offsetof(tw_contraction_t, few) + i * sizeof(tw_few_rows_t), i);
    if (op.getRhsKept()) {
      function(offsetof(tw_contraction_t, keep), declareKeep(op));
      storeAt(offsetof(tw_contraction_t, kept), keptPanels(op));
    } else {
      nothing(offsetof(tw_contraction_t, keep));
    }
    if (op.getThin())
      function(
          offsetof(tw_contraction_t, thin),
          declareFunction(op, thinFunction(key.isa),
                          {memory.getType(), b.getI64Type(), b.getI64Type()}));
    else
      nothing(offsetof(tw_contraction_t, thin));
    functionIfAny(offsetof(tw_contraction_t, pack_lhs),
                  isGathered
                      ? nullptr
                      : declareLhsPack(op, lhsTransposed ? MatrixLines::kCols
                                                         : MatrixLines::kRows));
    // As packed, the rhs has n for its rows: [k][n] lies by columns.
    functionIfAny(offsetof(tw_contraction_t, pack_rhs),
                  op.getRhsPacked()
                      ? nullptr
                      : declareRhsPack(op, rhsTransposed ? MatrixLines::kRows
                                                         : MatrixLines::kCols));
  }

  /// The i-th tile of few rows, or that there is none.
  void storeFew(size_t offset, size_t i) {
    if (i >= op.getFewRows().size())
      return nothing(offset + offsetof(tw_few_rows_t, tile));
    int64_t rows = op.getFewRows()[i];
    function(offset + offsetof(tw_few_rows_t, tile),
             declareTile(op, op.getTileOfFew(rows)));
    word(offset + offsetof(tw_few_rows_t, M0), constant(rows));
  }

  void functionIfAny(size_t offset, LLVM::LLVMFuncOp callee) {
    if (callee)
      function(offset, callee);
    else
      nothing(offset);
  }

  void storeEpilogue(const std::optional<EpilogueCall> &epilogue) {
    constexpr size_t kRun = offsetof(tw_contraction_t, epilogue.run);
    if (!epilogue)
      return nothing(kRun);
    function(kRun, epilogue->getFunction());
    storeAt(offsetof(tw_contraction_t, epilogue.context),
            epilogue->getContext());
  }

  void function(size_t offset, LLVM::LLVMFuncOp callee) {
    storeAt(offset, LLVM::AddressOfOp::create(b, callee));
  }

  Value productOf(unsigned first, unsigned end) {
    Value product = constant(1);
    for (unsigned loop = first; loop < end; ++loop)
      product = multiply(product, extentOf(loop));
    return product;
  }

  /// K: of a gathered lhs, the last loop is filled up to whole steps.
  Value columns() {
    unsigned k = op.getKLoop();
    if (!op.isGathered())
      return extentOf(k);
    Value last = sizeOf(1, *dimOf(1, k));
    if (op.getRhsPacked())
      last = multiply(last, constant(key.k0));
    return multiply(productOf(op.getFirstKLoop(), k), last);
  }

  /// A tw_gather_loops_t of loops of the lhs.
  void gather(size_t offset, unsigned first, unsigned end) {
    for (unsigned loop = first; loop < end; ++loop) {
      size_t at = offset + (loop - first) * sizeof(tw_index_t);
      word(at + offsetof(tw_gather_loops_t, sizes), extentOf(loop));
      word(at + offsetof(tw_gather_loops_t, strides), strideOf(0, loop));
    }
  }

  /// One where the caller has no tw_parallel_for_t.
  void storeThreads() {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value none = LLVM::ZeroOp::create(b, pointer);
    Value parallelFor = threadsOf(op) > 1 ? parallelForOf(op) : Value();
    storeAt(offsetof(tw_contraction_t, parallel_for),
            parallelFor ? parallelFor : none);
    if (!parallelFor) {
      number(offsetof(tw_contraction_t, matmul.threads), 1);
      return;
    }
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, b.getI32Type(), value);
    };
    Value isNone =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, parallelFor, none);
    Value most = constant(threadsOf(op));
    storeAt(offsetof(tw_contraction_t, matmul.threads),
            LLVM::SelectOp::create(b, isNone, constant(1), most));
  }

  tw::MatmulOp op;
  TileKey key;
  const tw_known_core_t &core;
  SmallVector<AffineMap> maps;
  SmallVector<WindowTerms> windows; ///< of the lhs
};

} // namespace

LogicalResult callContraction(tw::MatmulOp op, const tw_known_core_t &core) {
  return ContractionCaller(op, core).build();
}

} // namespace tilewright
