// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RequiredSizes.h"

#include "SizeText.h"

using namespace mlir;

namespace tilewright {
namespace {

bool uses(AffineExpr expr, AffineExpr symbol) {
  return expr
      .walk([&](AffineExpr part) {
        return part == symbol ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

bool isInElementBody(Operation *op) {
  return op->getParentOfType<linalg::LinalgOp>() ||
         op->getParentOfType<tensor::GenerateOp>() ||
         op->getParentOfType<tensor::PadOp>();
}

void RequiredSizes::enter(Operation *op) {
  conditional = isa_and_nonnull<func::FuncOp>(op->getParentOp()) ? nullptr : op;
}

SizeRequirements &RequiredSizes::here() {
  return conditional ? sizes.before[conditional] : sizes.atEntry;
}

AffineExpr RequiredSizes::known(AffineExpr size) const {
  // Each step puts in what its symbol was found to be, in terms of others.
  for (size_t step = 0; step < equivalent.size(); ++step) {
    AffineExpr next = expressions.simplify(size.replace(equivalent));
    if (next == size)
      break;
    size = next;
  }
  return size;
}

std::string RequiredSizes::text(AffineExpr size) const {
  return sizeText(known(size),
                  symbolTexts(expressions.symbols(), expressions.computed(),
                              [](SizeSymbol symbol) {
                                std::string name =
                                    "arg" + std::to_string(symbol.argument);
                                if (symbol.dim == SizeSymbol::kScalar)
                                  return name;
                                return name + "_d" + std::to_string(symbol.dim);
                              }));
}

LogicalResult RequiredSizes::equal(AffineExpr x, AffineExpr y) {
  if (x == y)
    return success();
  if (!sizes.atEntry.equal.contains({x, y}) &&
      !sizes.atEntry.equal.contains({y, x}))
    here().equal.insert({x, y});
  AffineExpr a = known(x), b = known(y);
  if (a == b || conditional)
    return success();
  if (isa<AffineConstantExpr>(a) && isa<AffineConstantExpr>(b))
    return failure();
  if (!isa<AffineSymbolExpr>(a))
    std::swap(a, b);
  // Not in terms of itself, as n = 2 * n.
  if (isa<AffineSymbolExpr>(a) && !uses(b, a))
    equivalent[a] = b;
  return success();
}

LogicalResult RequiredSizes::notNegative(AffineExpr expr) {
  expr = expressions.simplify(expr);
  if (expressions.isNeverNegative(expr, /*trustsSizes=*/false))
    return success();
  if (!sizes.atEntry.notNegative.contains(expr))
    here().notNegative.insert(expr);
  auto constant = dyn_cast<AffineConstantExpr>(known(expr));
  return failure(!conditional && constant && constant.getValue() < 0);
}

} // namespace tilewright
