// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a pipelined kernel: accumulators to out.

#include "PipelinedKernel.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace tilewright {
namespace {

/// Which results of a lane lie side by side in a row of out: `length` of them,
/// from a multiple of `length` on. The instruction's rows are out's columns.
int runLength(const MatrixInstruction &instruction, const TileKey &key,
              int outBytes) {
  int run = 1;
  while (run < instruction.results() &&
         resultPlace(instruction, 0, run).row ==
             resultPlace(instruction, 0, 0).row + run)
    ++run;
  run = std::gcd(run, key.n0);
  return std::gcd(run, std::max(1, 16 / outBytes));
}

class ResultStore {
public:
  ResultStore(KernelBuilder &k, const TileKey &key, const KernelPlan &plan,
              const PipelineShape &shape, const ResultPlace &place)
      : k(k), key(key), instruction(*plan.instruction), shape(shape),
        place(place), outType(info(key.types).out),
        outBytes(info(outType).bits / 8),
        run(runLength(instruction, key, outBytes)) {}

  void storeAll(ValueRange accumulators);

private:
  Type elementType(tw_element_type_t type);
  Value convert(Value results);
  Value addTo(Value results, Value old);
  void prepare();
  Value columnOffset(int block, int first);
  Value rowOffset(int block);
  void store(ValueRange accumulators, bool accumulate);
  Type registerTypeOf(int count);

  KernelBuilder &k;
  const TileKey &key;
  const MatrixInstruction &instruction;
  const PipelineShape &shape;
  const ResultPlace &place;
  tw_element_type_t outType;
  int outBytes;
  int run;   ///< results that are stored at once
  Value out; ///< buffer
  Value tileStrideM, rowStride, tileStrideN; ///< bytes, i32
  Value tilesM, tilesN;                      ///< that are left; i32
};

Type ResultStore::elementType(tw_element_type_t type) {
  switch (type) {
  case TW_ELEMENT_F64:
    return k.b.getF64Type();
  case TW_ELEMENT_F32:
    return k.b.getF32Type();
  case TW_ELEMENT_F16:
    return k.b.getF16Type();
  case TW_ELEMENT_BF16:
    return k.b.getBF16Type();
  default:
    return k.b.getI32Type();
  }
}

/// What a buffer access of `count` elements of out moves.
Type ResultStore::registerTypeOf(int count) {
  int bytes = count * outBytes;
  return bytes < 4 ? Type(k.b.getIntegerType(bytes * 8)) : k.words(bytes / 4);
}

Value ResultStore::addTo(Value results, Value old) {
  Type element = elementType(outType);
  Type narrow = VectorType::get({run}, element);
  Value previous = run == 1 ? k.bitcast(element, old) : k.bitcast(narrow, old);
  if (previous.getType() != results.getType())
    previous = arith::ExtFOp::create(k.b, k.loc, results.getType(), previous);
  if (isa<FloatType>(getElementTypeOrSelf(results.getType())))
    return arith::AddFOp::create(k.b, k.loc, results, previous);
  return arith::AddIOp::create(k.b, k.loc, results, previous);
}

Value ResultStore::convert(Value results) {
  Type element = elementType(outType);
  if (getElementTypeOrSelf(results.getType()) != element) {
    Type type = run == 1 ? element : VectorType::get({run}, element);
    results = arith::TruncFOp::create(k.b, k.loc, type, results);
  }
  return k.bitcast(registerTypeOf(run), results);
}

/// One set of strides for both forms of out: [M][N][M0][N0], or plain rows.
void ResultStore::prepare() {
  Value params = place.params;
  Value flags = k.parameter(params, field::kFlags, k.i32());
  Value zero = k.c32(0);
  Value plain =
      k.compare(arith::CmpIPredicate::ne,
                k.both(flags, k.c32(TW_MMT4D_FLAG_OUT_ROW_STRIDE)), zero);
  Value base = k.parameter(params, field::kOut, k.pointer(1));
  Value offset = k.parameter(params, field::kOut + field::kOffset, k.i64());
  Value stride0 = k.parameter(params, field::kOut + field::kStride0, k.i64());
  Value outRowStride = k.parameter(params, field::kOutRowStride, k.i64());
  Value ofTilesM = k.select(plain, k.mul(outRowStride, key.m0), stride0);
  Value ofRows = k.select(plain, outRowStride, k.c64(key.n0));
  Value ofTilesN =
      k.select(plain, k.c64(key.n0), k.c64(int64_t(key.m0) * key.n0));
  Value first = k.add(offset, k.add(k.mul(place.firstTileM, ofTilesM),
                                    k.mul(place.firstTileN, ofTilesN)));
  out = k.buffer(k.advance(base, k.mul(first, outBytes)));
  tileStrideM = k.narrow(k.mul(ofTilesM, outBytes));
  rowStride = k.narrow(k.mul(ofRows, outBytes));
  tileStrideN = k.narrow(k.mul(ofTilesN, outBytes));
  auto left = [&](int countField, Value first) {
    return k.narrow(k.sub(k.parameter(params, countField, k.i64()), first));
  };
  tilesM = left(field::kM, place.firstTileM);
  tilesN = left(field::kN, place.firstTileN);
}

/// Byte offset of the row of the lane's results in row block `block`, or none
/// if it is beyond M.
Value ResultStore::rowOffset(int block) {
  Value inBlock = k.rem(place.lane, instruction.n);
  Value row =
      k.add(k.add(k.mul(place.waveM, shape.blocksM * instruction.n), inBlock),
            int64_t(block) * instruction.n);
  Value tile = k.div(row, key.m0);
  Value offset =
      k.add(k.mul(tile, tileStrideM), k.mul(k.rem(row, key.m0), rowStride));
  return k.select(k.less(tile, tilesM), offset, k.c32(kNoOffset));
}

/// The same for the column of result `first` in column block `block`.
Value ResultStore::columnOffset(int block, int first) {
  // resultPlace is linear in the group of lanes.
  int start = resultPlace(instruction, 0, first).row;
  int perGroup = resultPlace(instruction, instruction.n, first).row - start;
  Value group = k.div(place.lane, instruction.n);
  Value column = k.add(k.add(k.mul(place.waveN, shape.blocksN * instruction.m),
                             k.mul(group, perGroup)),
                       int64_t(block) * instruction.m + start);
  Value tile = k.div(column, key.n0);
  Value offset =
      k.add(k.mul(tile, tileStrideN), k.mul(k.rem(column, key.n0), outBytes));
  return k.select(k.less(tile, tilesN), offset, k.c32(kNoOffset));
}

void ResultStore::store(ValueRange accumulators, bool accumulate) {
  OpBuilder &b = k.b;
  Value zero = k.c32(0), none = k.c32(kNoOffset);
  Type accumulator = elementType(instruction.accumulator);
  auto exists = [&](Value offset) {
    return k.compare(arith::CmpIPredicate::sge, offset, zero);
  };
  for (int n = 0; n != shape.blocksN; ++n)
    for (int first = 0; first < instruction.results(); first += run) {
      Value columns = columnOffset(n, first);
      for (int m = 0; m != shape.blocksM; ++m) {
        Value rows = rowOffset(m);
        Value offset = k.select(k.both(exists(rows), exists(columns)),
                                k.add(rows, columns), none);
        Value sums = accumulators[m * shape.blocksN + n];
        Value results;
        if (run == 1) {
          results = isa<VectorType>(sums.getType())
                        ? Value(LLVM::ExtractElementOp::create(b, k.loc, sums,
                                                               k.c32(first)))
                        : sums;
        } else {
          auto mask = llvm::to_vector(llvm::seq<int32_t>(first, first + run));
          results = LLVM::ShuffleVectorOp::create(b, k.loc, sums, sums, mask);
        }
        results = k.bitcast(run == 1 ? accumulator
                                     : VectorType::get({run}, accumulator),
                            results);
        if (accumulate)
          results = addTo(results,
                          k.bufferLoad(registerTypeOf(run), out, offset, zero));
        ROCDL::RawPtrBufferStoreOp::create(b, k.loc, convert(results), out,
                                           offset, zero, k.c32(0), ArrayAttr(),
                                           ArrayAttr(), ArrayAttr());
      }
    }
}

void ResultStore::storeAll(ValueRange accumulators) {
  prepare();
  OpBuilder &b = k.b;
  Value flags = k.parameter(place.params, field::kFlags, k.i32());
  Value steps = k.parameter(place.params, field::kK, k.i64());
  Value adds =
      k.compare(arith::CmpIPredicate::ne,
                k.both(flags, k.c32(TW_MMT4D_FLAG_ACCUMULATE)), k.c32(0));
  auto branch = scf::IfOp::create(b, k.loc, adds, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  // Nothing added is nothing written: adding 0 would change -0.
  auto any = scf::IfOp::create(b, k.loc, k.less(k.c64(0), steps),
                               /*withElseRegion=*/false);
  b.setInsertionPointToStart(any.thenBlock());
  store(accumulators, /*accumulate=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  store(accumulators, /*accumulate=*/false);
}

} // namespace

void storeResults(KernelBuilder &k, const TileKey &key, const KernelPlan &plan,
                  const PipelineShape &shape, const ResultPlace &place,
                  ValueRange accumulators) {
  ResultStore(k, key, plan, shape, place).storeAll(accumulators);
}

} // namespace tilewright
