// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Staging: the rows of one operand of a register block, decoded into a stack
// buffer for some K steps.

#include "BlockKernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

/// Vectors of a run beyond which it becomes a loop.
constexpr int kUnrolledVectors = 8;

static int64_t runWidth(const Emitter &e, ComputeType type) {
  return e.isa.vectorBits / 8 / bytesOf(type);
}

Value BlockKernel::stackBuffer(int64_t bytes) {
  OpBuilder::InsertionGuard guard(e.b);
  auto function =
      e.b.getInsertionBlock()->getParentOp()->getParentOfType<func::FuncOp>();
  if (!function)
    function = cast<func::FuncOp>(e.b.getInsertionBlock()->getParentOp());
  e.b.setInsertionPointToStart(&function.getBody().front());
  return e.stackBuffer(bytes);
}

BlockKernel::Staged BlockKernel::makeStage(const OperandShape &operand,
                                           int blockRows) {
  int64_t width = runWidth(e, shape.compute);
  int64_t elements = int64_t{blockRows} * key.k0;
  if (blockRows != operand.rows) // each K step is a run of its own
    elements = llvm::alignTo(elements, width);
  Staged staged;
  staged.stepStride = elements * bytesOf(shape.compute);
  // Room for whole vectors read and written at the end.
  int64_t slack = int64_t{plan.lanes} * shape.group * key.k0 + width;
  staged.buffer = stackBuffer(plan.unroll * staged.stepStride +
                              slack * bytesOf(shape.compute));
  return staged;
}

void BlockKernel::stage(const OperandShape &operand, ElementFormat format,
                        int blockRows, Value source, const Staged &staged,
                        int steps) {
  int64_t elements = int64_t{blockRows} * key.k0;
  if (blockRows == operand.rows)
    return stageRun(format, source, staged.buffer, steps * elements);
  for (int t = 0; t < steps; ++t)
    stageRun(format, e.offset(source, t * operand.stepBytes),
             e.offset(staged.buffer, t * staged.stepStride), elements);
}

void BlockKernel::stageRun(ElementFormat format, Value source, Value buffer,
                           int64_t elements) {
  int64_t width = runWidth(e, shape.compute);
  int64_t from = width * format.bits() / 8;
  int64_t to = width * bytesOf(shape.compute);
  auto convert = [&](Value at, Value into, int64_t valid) {
    e.store(decode(e, format, loadRaw(e, format, at, width, valid)), into,
            bytesOf(shape.compute));
  };
  int64_t whole = elements / width, rest = elements % width;
  if (whole <= kUnrolledVectors) {
    for (int64_t i = 0; i < whole; ++i)
      convert(e.offset(source, i * from), e.offset(buffer, i * to), width);
  } else {
    e.loop(e.i64(0), e.i64(whole), 1, {source, buffer},
           [&](Value, Values pointers) -> Values {
             convert(pointers[0], pointers[1], width);
             return {e.offset(pointers[0], from), e.offset(pointers[1], to)};
           });
  }
  if (rest)
    convert(e.offset(source, whole * from), e.offset(buffer, whole * to), rest);
}

} // namespace tilewright
