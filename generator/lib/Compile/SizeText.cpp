// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SizeText.h"

using namespace mlir;

namespace tilewright {
namespace {

constexpr int kSum = 0, kProduct = 1, kAtom = 2;

/// `text` in parentheses where it binds less than its place wants.
std::string inPlace(std::string text, int binding, int wanted) {
  return binding < wanted ? "(" + text + ")" : text;
}

std::string textOf(AffineExpr size, llvm::ArrayRef<std::string> names,
                   int wanted) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return inPlace(std::to_string(constant.getValue()),
                   constant.getValue() < 0 ? kSum : kAtom, wanted);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(size))
    return names[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(size);
  AffineExpr x = binary.getLHS(), y = binary.getRHS();
  auto constant = dyn_cast<AffineConstantExpr>(y);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    if (constant && constant.getValue() < 0)
      return inPlace(textOf(x, names, kSum) + " - " +
                         std::to_string(-constant.getValue()),
                     kSum, wanted);
    return inPlace(textOf(x, names, kSum) + " + " + textOf(y, names, kProduct),
                   kSum, wanted);
  case AffineExprKind::Mul:
    return inPlace(textOf(x, names, kProduct) + " * " + textOf(y, names, kAtom),
                   kProduct, wanted);
  case AffineExprKind::FloorDiv:
    return inPlace(textOf(x, names, kProduct) + " / " + textOf(y, names, kAtom),
                   kProduct, wanted);
  case AffineExprKind::CeilDiv:
    return inPlace("(" + textOf(x, names, kSum) + " + " +
                       textOf(y - 1, names, kProduct) + ") / " +
                       textOf(y, names, kAtom),
                   kProduct, wanted);
  default:
    return inPlace(textOf(x, names, kProduct) + " % " + textOf(y, names, kAtom),
                   kProduct, wanted);
  }
}

} // namespace

std::string sizeText(AffineExpr size, llvm::ArrayRef<std::string> names) {
  return textOf(size, names, kSum);
}

} // namespace tilewright
