// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.pack and tw.unpack on buffers -> calls of a pack function.

#include "Dispatch/Tasks.h"
#include "TileCalls.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/pack_tile.h"
#include <cstddef>

using namespace mlir;

namespace tilewright {
namespace {

static_assert(sizeof(tw_pack_tile_params_t) % 8 == 0 && sizeof(tw_index_t) == 8,
              "models are for 64-bit targets, as this is");

/// Where work is divided, a call packs about as much: calls cost nothing
/// beside it, and tasks are still much longer.
constexpr int64_t kBytesOfCall = 16 * 1024;

/// Of tw.work: what a vector of 64 bytes takes to load, to shuffle and to
/// store.
constexpr double kWorkOfByte = 4.0 / 64;

/// What a call is made of, in elements but for the counts of tiles.
struct Call {
  Value matrix, packed; ///< offsets
  Value rows, cols, outerRows, outerCols;
};

template <typename Op> class PackCaller {
public:
  explicit PackCaller(Op op)
      : op(op), form(op.getForm()), layout(op.getLayout()), key(op.getKey()),
        b(op.getLoc(), op) {}

  LogicalResult build() {
    for (Value buffer : {op.getMatrix(), op.getPacked()}) {
      auto type = dyn_cast<MemRefType>(buffer.getType());
      if (!type || !type.getLayout().isIdentity())
        return op.emitOpError() << "has the operand type " << buffer.getType()
                                << ", which is not a contiguous buffer";
    }
    matrix = pointerToBytes(b, op.getMatrix());
    packed = pointerToBytes(b, op.getPacked());
    memory = stackWords(b, op, sizeof(tw_pack_tile_params_t) / 8);
    Value stride = lineStride();
    storeIndex(offsetof(tw_pack_tile_params_t, matrix_stride), stride);
    storeAt(offsetof(tw_pack_tile_params_t, padding), paddingBits());
    storeAt(offsetof(tw_pack_tile_params_t, flags), word(0));
    bool isByRow = layout.lines == MatrixLines::kRows;
    rowStride = isByRow ? stride : constant(1);
    emit();
    op->erase();
    return success();
  }

private:
  int64_t rank() const { return int64_t(form.outerDims.size()); }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
  Value multiply(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(x, y);
  }
  Value word(int64_t value) {
    return LLVM::ConstantOp::create(b, b.getI64Type(), value);
  }

  Value sizeOf(Value buffer, int64_t dim) {
    return b.createOrFold<memref::DimOp>(buffer, dim);
  }
  /// Of dimensions [begin, end), 1 of none.
  Value product(Value buffer, int64_t begin, int64_t end) {
    Value result = constant(1);
    for (int64_t dim = begin; dim < end; ++dim)
      result = multiply(result, sizeOf(buffer, dim));
    return result;
  }
  Value strideOf(Value buffer, int64_t dim) {
    return product(buffer, dim + 1,
                   cast<MemRefType>(buffer.getType()).getRank());
  }
  Value sizeOf(DimRange dims) {
    return product(op.getMatrix(), dims.begin, dims.end);
  }

  /// From one line to the next. A single one has no next.
  Value lineStride() {
    DimRange across =
        layout.lines == MatrixLines::kRows ? layout.rows : layout.cols;
    return across.size() ? strideOf(op.getMatrix(), across.last())
                         : sizeOf(layout.cols);
  }

  /// The element that is packed beyond the matrix, in the low bits.
  Value paddingBits() {
    Value padding;
    if constexpr (std::is_same_v<Op, tw::PackOp>)
      padding = op.getPadding();
    if (!padding)
      return word(0);
    Type type = padding.getType();
    if (type.isIndex())
      return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), padding);
    auto bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    if (isa<FloatType>(type))
      padding = b.createOrFold<arith::BitcastOp>(bits, padding);
    return bits.getWidth() == 64
               ? padding
               : b.createOrFold<arith::ExtUIOp>(b.getI64Type(), padding);
  }

  /// The builder goes on inside.
  Value enterLoop(Value extent, Value step) {
    auto loop = scf::ForOp::create(b, constant(0), extent, step);
    if (divides())
      markParallel(loop);
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }
  bool divides() { return threadsOf(op) > 1; }

  void emit() {
    // All that does not depend on loops, before them: tasks ask for it.
    int64_t tileElements = layout.r0 * layout.c0;
    Call call{constant(0),
              constant(0),
              sizeOf(layout.rows),
              sizeOf(layout.cols),
              tiles(layout.rowsInCall, layout.loops, layout.rows),
              tiles(layout.colsInCall,
                    layout.loops + (layout.rowsInCall ? layout.rows.size() : 0),
                    layout.cols)};
    SmallVector<Value> extents, strides, steps;
    for (int64_t outer = 0; outer < layout.loops; ++outer) {
      extents.push_back(sizeOf(op.getPacked(), outer));
      strides.push_back(strideOf(op.getPacked(), outer));
      int64_t dim = form.outerDims[outer];
      steps.push_back(
          multiply(strideOf(op.getMatrix(), dim), constant(tileOf(dim))));
    }
    Value rowOfTiles = multiply(call.outerCols, constant(tileElements));
    Value together = call.outerRows;
    bool byParts = divides() && layout.rowsInCall;
    if (byParts)
      together = rowsOfCall(rowOfTiles);

    for (int64_t outer = 0; outer < layout.loops; ++outer) {
      Value number = enterLoop(extents[outer], constant(1));
      call.packed = add(call.packed, multiply(number, strides[outer]));
      call.matrix = add(call.matrix, multiply(number, steps[outer]));
      int64_t dim = form.outerDims[outer];
      if (layout.rows.contains(dim))
        call.rows = left(call.rows, number, layout.r0);
      else if (layout.cols.contains(dim))
        call.cols = left(call.cols, number, layout.c0);
    }
    if (byParts) {
      Value first = enterLoop(call.outerRows, together);
      call.packed = add(call.packed, multiply(first, rowOfTiles));
      call.matrix =
          add(call.matrix,
              multiply(multiply(first, constant(layout.r0)), rowStride));
      call.rows = left(call.rows, first, layout.r0);
      call.outerRows = arith::MinSIOp::create(
          b, arith::SubIOp::create(b, call.outerRows, first).getResult(),
          together);
    }
    if (divides() && (layout.loops || byParts))
      addWork(b, double(tileElements) * elementBytes() * kWorkOfByte,
              {call.outerCols, together});
    emit(call);
  }

  /// How many tiles a call has along `dims`, whose first outer dimension is
  /// `outer`.
  Value tiles(bool inCall, int64_t outer, DimRange dims) {
    return inCall ? product(op.getPacked(), outer, outer + dims.size())
                  : constant(1);
  }

  int64_t tileOf(int64_t dim) {
    auto found = llvm::find(form.innerDims, dim);
    return found == form.innerDims.end()
               ? 1
               : form.tiles[found - form.innerDims.begin()];
  }

  /// How many rows of tiles, of so many elements each, are about
  /// kBytesOfCall.
  Value rowsOfCall(Value elements) {
    Value some = arith::MaxSIOp::create(b, elements, constant(1));
    Value rows = arith::DivUIOp::create(
        b, constant(kBytesOfCall / elementBytes()), some);
    return arith::MaxSIOp::create(b, rows, constant(1));
  }

  /// Of `size` elements, behind `number` tiles.
  Value left(Value size, Value number, int64_t tile) {
    return arith::SubIOp::create(b, size, multiply(number, constant(tile)));
  }

  /// Some of the matrix's, at most what the tiles have; they may all lie
  /// behind it.
  Value inTiles(Value size, Value tiles, int64_t tile) {
    Value most = multiply(tiles, constant(tile));
    Value some = arith::MinSIOp::create(b, size, most);
    return arith::MaxSIOp::create(b, some, constant(0));
  }

  void emit(const Call &call) {
    storeIndex(offsetof(tw_pack_tile_params_t, rows),
               inTiles(call.rows, call.outerRows, layout.r0));
    storeIndex(offsetof(tw_pack_tile_params_t, cols),
               inTiles(call.cols, call.outerCols, layout.c0));
    storeIndex(offsetof(tw_pack_tile_params_t, outer_rows), call.outerRows);
    storeIndex(offsetof(tw_pack_tile_params_t, outer_cols), call.outerCols);
    Value places[] = {address(packed, call.packed),
                      address(matrix, call.matrix)};
    if (key.unpack)
      std::swap(places[0], places[1]);
    Type pointer = memory.getType();
    LLVM::CallOp::create(
        b, declareFunction(op, op.getFunction(), {pointer, pointer, pointer}),
        ValueRange{places[0], places[1], memory});
  }

  int64_t elementBytes() const { return key.bits / 8; }

  Value address(Value start, Value elements) {
    Value bytes = multiply(elements, constant(elementBytes()));
    return LLVM::GEPOp::create(
        b, start.getType(), b.getI8Type(), start,
        ValueRange{arith::IndexCastOp::create(b, b.getI64Type(), bytes)});
  }

  void storeIndex(size_t offset, Value index) {
    storeAt(offset, b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index));
  }
  void storeAt(size_t offset, Value value) {
    Value place =
        LLVM::GEPOp::create(b, memory.getType(), b.getI8Type(), memory,
                            ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    LLVM::StoreOp::create(b, value, place);
  }

  Op op;
  PackedForm form;
  PackLayout layout;
  PackKey key;
  ImplicitLocOpBuilder b;
  Value matrix, packed; ///< where they begin
  Value memory;         ///< a tw_pack_tile_params_t
  Value rowStride;      ///< of the matrix
};

} // namespace

LogicalResult callPack(tw::PackOp op) { return PackCaller(op).build(); }
LogicalResult callPack(tw::UnPackOp op) { return PackCaller(op).build(); }

} // namespace tilewright
