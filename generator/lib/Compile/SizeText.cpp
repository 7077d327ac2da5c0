// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SizeText.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

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

/// Whether the first character is a parenthesis that the last one closes.
bool isEnclosed(StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0)
      return i > 0 && i + 1 == text.size();
  }
  return false;
}

/// What stands between two operands.
StringRef comparison(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::eq:
    return "==";
  case Predicate::ne:
    return "!=";
  case Predicate::slt:
  case Predicate::ult:
    return "<";
  case Predicate::sle:
  case Predicate::ule:
    return "<=";
  case Predicate::sgt:
  case Predicate::ugt:
    return ">";
  default:
    return ">=";
  }
}

std::string computedText(const ComputedSize &size,
                         llvm::ArrayRef<std::string> names) {
  auto text = [&](AffineExpr operand, int wanted) {
    return textOf(operand, names, wanted);
  };
  auto infix = [&](StringRef sign) {
    return "(" + text(size.operands[0], kProduct) + " " + sign.str() + " " +
           text(size.operands[1], kAtom) + ")";
  };
  auto call = [&](StringRef function, llvm::ArrayRef<AffineExpr> operands) {
    std::string list;
    for (AffineExpr operand : operands)
      list += (list.empty() ? "" : ", ") + text(operand, kSum);
    return function.str() + "(" + list + ")";
  };
  if (auto compare = dyn_cast<arith::CmpIOp>(size.op))
    return infix(comparison(compare.getPredicate()));
  if (isa<arith::SelectOp>(size.op))
    return "(" + text(size.operands[0], kAtom) + " ? " +
           text(size.operands[1], kSum) + " : " + text(size.operands[2], kSum) +
           ")";
  if (isa<affine::AffineMinOp, affine::AffineMaxOp>(size.op)) {
    AffineMap map = cast<AffineMapAttr>(size.op->getAttr("map")).getAffineMap();
    llvm::ArrayRef<AffineExpr> operands = size.operands;
    SmallVector<AffineExpr> values;
    for (AffineExpr result : map.getResults())
      values.push_back(
          result.replaceDimsAndSymbols(operands.take_front(map.getNumDims()),
                                       operands.drop_front(map.getNumDims())));
    return call(isa<affine::AffineMinOp>(size.op) ? "min" : "max", values);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(size.op)) {
    std::string value;
    llvm::raw_string_ostream os(value);
    constant.getValue().print(os, /*elideType=*/true);
    return value;
  }
  StringRef name = size.op->getName().stripDialect();
  StringRef sign = llvm::StringSwitch<StringRef>(name)
                       .Cases({"addi", "addf"}, "+")
                       .Cases({"subi", "subf"}, "-")
                       .Cases({"muli", "mulf"}, "*")
                       .Cases({"divsi", "divui", "floordivsi", "divf"}, "/")
                       .Cases({"remsi", "remui"}, "%")
                       .Case("andi", "&")
                       .Case("ori", "|")
                       .Case("xori", "^")
                       .Default("");
  if (!sign.empty())
    return infix(sign);
  // Casts between integers keep what a size can be.
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(size.op))
    return text(size.operands[0], kAtom);
  StringRef function =
      llvm::StringSwitch<StringRef>(name)
          .Cases({"maxsi", "maxui", "maximumf"}, "max")
          .Cases({"minsi", "minui", "minimumf"}, "min")
          .Cases({"ceildivsi", "ceildivui"}, "ceil_of_quotient")
          .Cases({"fptosi", "fptoui"}, "(int64_t)")
          .Cases({"sitofp", "uitofp"}, "(float)")
          .Default(name);
  return call(function, size.operands);
}

} // namespace

llvm::SmallVector<std::string>
symbolTexts(llvm::ArrayRef<SizeSymbol> symbols,
            llvm::ArrayRef<ComputedSize> computed,
            llvm::function_ref<std::string(SizeSymbol)> nameOf) {
  SmallVector<std::string> texts;
  for (SizeSymbol symbol : symbols)
    texts.push_back(symbol.isComputed()
                        ? computedText(computed[symbol.dim], texts)
                        : nameOf(symbol));
  return texts;
}

std::string sizeText(AffineExpr size, llvm::ArrayRef<std::string> names) {
  std::string text = textOf(size, names, kSum);
  // What is computed has parentheses of its own, for where it is a part.
  if (isa<AffineSymbolExpr>(size) && isEnclosed(text))
    return text.substr(1, text.size() - 2);
  return text;
}

} // namespace tilewright
