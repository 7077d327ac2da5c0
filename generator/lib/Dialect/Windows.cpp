// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Dialect/Windows.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;

namespace tilewright {
namespace {

bool addTerms(AffineExpr index, WindowTerms &terms) {
  if (auto loop = dyn_cast<AffineDimExpr>(index)) {
    terms.push_back({loop.getPosition(), 1});
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), terms) && addTerms(binary.getRHS(), terms);
  // Constants are on the right.
  auto loop = dyn_cast<AffineDimExpr>(binary.getLHS());
  auto step = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Mul || !loop || !step ||
      step.getValue() < 1)
    return false;
  terms.push_back({loop.getPosition(), step.getValue()});
  return true;
}

} // namespace

std::optional<SmallVector<WindowTerms>> windowTermsOf(AffineMap map) {
  SmallVector<WindowTerms> result;
  llvm::BitVector seen(map.getNumDims());
  for (AffineExpr index : map.getResults()) {
    WindowTerms &terms = result.emplace_back();
    if (!addTerms(index, terms))
      return std::nullopt;
    for (WindowTerm term : terms) {
      if (seen.test(term.loop))
        return std::nullopt;
      seen.set(term.loop);
    }
    llvm::sort(terms,
               [](WindowTerm x, WindowTerm y) { return x.loop < y.loop; });
  }
  return result;
}

llvm::BitVector loopsInSums(ArrayRef<AffineMap> maps) {
  llvm::BitVector loops(maps.empty() ? 0 : maps.front().getNumDims());
  for (AffineMap map : maps)
    for (AffineExpr index : map.getResults())
      if (!isa<AffineDimExpr>(index))
        index.walk([&](AffineExpr part) {
          if (auto loop = dyn_cast<AffineDimExpr>(part))
            loops.set(loop.getPosition());
        });
  return loops;
}

} // namespace tilewright
