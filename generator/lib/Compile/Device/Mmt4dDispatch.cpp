// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_mmt4d_params_t by value, as words, for each launch of a workgroup kernel.

#include "Mmt4dDispatch.h"

#include "../Mmt4dSizes.h"
#include "tilewright/Compile/DeviceKernels.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/tile.h"
#include <cstddef>

using namespace mlir;

namespace tilewright {
namespace {

/// tw_mmt4d_params_t in words of 64 bits.
constexpr size_t kParamsWords = sizeof(tw_mmt4d_params_t) / 8;
static_assert(sizeof(tw_mmt4d_params_t) == 160, "as tile.h says");

class Mmt4dLaunch {
public:
  Mmt4dLaunch(tw::Mmt4dOp op, HostProgram &program)
      : op(op), key(op.getKey()), program(program), b(op.getLoc(), op) {}

  LogicalResult build(StringRef kernel, const tw_mmt4d_launch_t &shape,
                      bool hasEpilogue, ArrayRef<Value> arguments) {
    FailureOr<Mmt4dSizes> sizes = mmt4dSizes(b, op);
    if (failed(sizes))
      return failure();
    auto [batch, m, n, k] = *sizes;
    Value lhsStride = multiply(k, key.m0 * key.k0);
    Value rhsStride = multiply(k, key.n0 * key.k0);
    Value outStride = multiply(n, key.m0 * key.n0);

    Value matrix; // of the batch; null if there is but one
    if (op.getDims().batch) {
      auto loop = scf::ForOp::create(b, constant(0), batch, constant(1));
      matrix = loop.getInductionVar();
      b.setInsertionPointToStart(loop.getBody());
    }
    auto bytes = [&](Value x, Value y, int64_t each) {
      return multiply(multiply(x, y), each);
    };
    Value lhs = address(op.getLhs(), matrix, bytes(m, k, key.lhsStepBytes()));
    Value rhs = address(op.getRhs(), matrix, bytes(n, k, key.rhsStepBytes()));
    Value out = address(op.getOut(), matrix, bytes(m, n, key.outTileBytes()));
    Value zero = constantWord(0);
    uint64_t flags = uint64_t(key.types);
    if (!op.getOverwrite())
      flags |= TW_MMT4D_FLAG_ACCUMULATE;
    if (key.blockScaled)
      flags |= TW_MMT4D_FLAG_BLOCK_SCALES;
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
    if (key.blockScaled) {
      // Panels lie as those of lhs and rhs, with a byte for each block.
      Value lhsBytes = bytes(m, k, key.lhsScaleStepBytes());
      Value rhsBytes = bytes(n, k, key.rhsScaleStepBytes());
      words[offsetof(tw_mmt4d_params_t, lhs_scales) / 8] =
          address(op.getScales()[0], matrix, lhsBytes);
      words[offsetof(tw_mmt4d_params_t, rhs_scales) / 8] =
          address(op.getScales()[1], matrix, rhsBytes);
    }
    llvm::append_range(words, arguments);
    if (hasEpilogue)
      words.push_back(matrix ? word(matrix) : zero);
    unsigned space =
        cast<MemRefType>(op.getOut().getType()).getMemorySpaceAsInt();
    program.launch(b, space, kernel, tiles(n, shape.tiles_n),
                   tiles(m, shape.tiles_m),
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

  /// Where matrix `number` starts, of matrices of so many bytes each.
  Value address(Value buffer, Value number, Value bytes) {
    Value start = program.address(b, buffer);
    if (!number)
      return start;
    return arith::AddIOp::create(b, start, word(multiply(number, bytes)));
  }

  tw::Mmt4dOp op;
  TileKey key;
  HostProgram &program;
  ImplicitLocOpBuilder b;
};

} // namespace

LogicalResult launchMmt4d(tw::Mmt4dOp op, HostProgram &program,
                          StringRef kernel, ArrayRef<Value> arguments) {
  llvm::Expected<DeviceKernelLaunch> launch =
      deviceKernelLaunch(op.getKey(), op.getTile().getPrefix());
  if (!launch)
    return op.emitOpError() << llvm::toString(launch.takeError());
  return Mmt4dLaunch(op, program)
      .build(kernel.empty() ? launch->name : kernel, launch->shape,
             !kernel.empty(), arguments);
}

} // namespace tilewright
