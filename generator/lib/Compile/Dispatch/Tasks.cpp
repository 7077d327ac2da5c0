// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tasks.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

namespace tilewright {

int64_t leastTaskOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto least = module->getAttrOfType<IntegerAttr>(kLeastTaskAttr);
  return least ? least.getInt() : 1;
}

int64_t taskLanesOf(Operation *op) {
  // With what is usually worth a task, pages of f32.
  constexpr int64_t kMost = 1024, kWorkOfLane = 32;
  int64_t lanes = std::clamp<int64_t>(leastTaskOf(op) / kWorkOfLane, 1, kMost);
  return int64_t(llvm::PowerOf2Ceil(uint64_t(lanes)));
}

void markParallel(scf::ForOp loop) {
  loop->setAttr(kParallelAttr, UnitAttr::get(loop.getContext()));
}

void addWork(ImplicitLocOpBuilder &b, double amount, ValueRange sizes) {
  // Fractions of what sizes multiply.
  constexpr int64_t kUnit = 64;
  auto scaled = std::max<int64_t>(int64_t(amount * kUnit), 1);
  Value work = arith::ConstantIndexOp::create(b, scaled);
  for (Value size : sizes)
    work = arith::MulIOp::create(b, work, size);
  work =
      arith::DivUIOp::create(b, work, arith::ConstantIndexOp::create(b, kUnit));
  tw::WorkOp::create(b, work);
}

double workOfElement(linalg::LinalgOp op) {
  // Polynomials, and what comes from L2 or beyond.
  constexpr double kWorkOfFunction = 20, kWorkOfAccess = 2;
  double work = 0;
  op.getBlock()->walk([&](Operation *inner) {
    work += isa<math::MathDialect>(inner->getDialect()) ? kWorkOfFunction : 1;
  });
  for (OpOperand &operand : op->getOpOperands())
    work += op.isScalar(&operand) ? 0 : kWorkOfAccess;
  return work;
}

Value parallelForOf(Operation *op) {
  auto func = op->getParentOfType<func::FuncOp>();
  for (BlockArgument argument : func.getArguments())
    if (func.getArgAttr(argument.getArgNumber(), kParallelForAttr))
      return argument;
  return nullptr;
}

} // namespace tilewright
