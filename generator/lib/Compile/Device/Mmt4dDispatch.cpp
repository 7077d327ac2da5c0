// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_mmt4d_params_t by value, as words, for each launch of a workgroup kernel.

#include "Mmt4dDispatch.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Compile/DeviceKernels.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/key.h"
#include "tilewright/tile.h"
#include <numeric>

using namespace mlir;

namespace tilewright {
namespace {

/// tw_mmt4d_params_t in words of 64 bits.
constexpr size_t kParamsWords = sizeof(tw_mmt4d_params_t) / 8;
static_assert(sizeof(tw_mmt4d_params_t) == 144, "as tile.h says");

class Mmt4dLaunch {
public:
  Mmt4dLaunch(linalg::LinalgOp op, const TileKey &key, HostProgram &program)
      : op(op), key(key), program(program), b(op.getLoc(), op) {}

  LogicalResult build(StringRef kernel, const tw_mmt4d_launch_t &shape) {
    op.getReductionDims(reductions);
    maps = op.getIndexingMapsArray();
    // By the form that packing gives: batch, m, n, k; m0, n0, k0.
    if (reductions.size() != 2 || op.getNumLoops() < 6)
      return op.emitOpError("is not a packed matrix multiplication");
    Value m = outer(2, 4), n = outer(2, 3), k = outer(0, 3);
    Value lhsStride = multiply(k, key.m0 * key.k0);
    Value rhsStride = multiply(k, key.n0 * key.k0);
    Value outStride = multiply(n, key.m0 * key.n0);

    enterBatches();
    Value lhs = batchAddress(0, multiply(m, lhsStride));
    Value rhs = batchAddress(1, multiply(n, rhsStride));
    Value out = batchAddress(2, multiply(m, outStride));
    Value zero = constantWord(0);
    uint64_t flags = uint64_t(key.types);
    if (!op->hasAttr(kOverwriteAttr))
      flags |= TW_MMT4D_FLAG_ACCUMULATE;
    SmallVector<Value> words{
        lhs,
        zero,
        word(lhsStride),
        rhs,
        zero,
        word(rhsStride),
        out,
        zero,
        word(outStride),
        word(m),
        word(n),
        word(k),
        constantWord(key.m0 | int64_t(key.n0) << 32),
        constantWord(key.k0 | int64_t(flags << 32)),
    };
    words.resize(kParamsWords, zero);
    program.launch(b, kernel, tiles(n, shape.tiles_n), tiles(m, shape.tiles_m),
                   LaunchShape{shape.block_size, shape.dynamic_lds}, words);
    return success();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value constantWord(int64_t value) {
    return LLVM::ConstantOp::create(b, b.getI64Type(), value);
  }
  Value word(Value value) { return program.word(b, value); }
  Value multiply(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value multiply(Value x, int64_t y) { return multiply(x, constant(y)); }
  Value tiles(Value count, int64_t each) {
    return arith::CeilDivUIOp::create(b, count, constant(each));
  }

  int64_t rank(unsigned operand) {
    return cast<MemRefType>(op->getOperand(operand).getType()).getRank();
  }

  /// The size of dimension `fromEnd` of an operand, counted from its end.
  Value outer(unsigned operand, int64_t fromEnd) {
    return memref::DimOp::create(b, op->getOperand(operand),
                                 rank(operand) - fromEnd);
  }

  /// One loop per batch dimension of the result.
  void enterBatches() {
    ivs.resize(op.getNumLoops());
    for (int64_t dim = 0; dim < rank(2) - 4; ++dim) {
      Value extent = memref::DimOp::create(b, op->getOperand(2), dim);
      auto loop = scf::ForOp::create(b, constant(0), extent, constant(1));
      ivs[maps[2].getDimPosition(dim)] = loop.getInductionVar();
      b.setInsertionPointToStart(loop.getBody());
    }
  }

  /// Where the operand's matrix of this batch starts; `matrix` is its elements.
  Value batchAddress(unsigned operand, Value matrix) {
    Value buffer = op->getOperand(operand);
    Value address = program.address(b, buffer);
    Value stride = multiply(
        matrix,
        cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8);
    for (int64_t dim = rank(operand) - 5; dim >= 0; --dim) {
      Value bytes = multiply(ivs[maps[operand].getDimPosition(dim)], stride);
      address = arith::AddIOp::create(b, address, word(bytes));
      stride =
          multiply(stride, memref::DimOp::create(b, buffer, dim).getResult());
    }
    return address;
  }

  linalg::LinalgOp op;
  TileKey key;
  HostProgram &program;
  ImplicitLocOpBuilder b;
  SmallVector<unsigned> reductions;
  SmallVector<AffineMap> maps;
  SmallVector<Value> ivs; ///< of the batch loops
};

} // namespace

LogicalResult launchMmt4d(linalg::LinalgOp op, StringRef prefix,
                          HostProgram &program) {
  StringRef name = op->getAttrOfType<StringAttr>(kTileAttr).getValue();
  ParsedTileKey parsed = parseTileKey(name.str(), prefix.str());
  if (!parsed.key)
    return op.emitOpError()
           << "names the tile '" << name << "': " << parsed.error;
  llvm::Expected<DeviceKernelLaunch> launch =
      deviceKernelLaunch(*parsed.key, prefix);
  if (!launch)
    return op.emitOpError() << llvm::toString(launch.takeError());
  return Mmt4dLaunch(op, *parsed.key, program)
      .build(launch->name, launch->shape);
}

} // namespace tilewright
