// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallerSizes.h"

#include "../SizeText.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {
namespace {

/// A longer text says nothing to anybody.
constexpr size_t kLongestText = 200;

} // namespace

CallerSizes::CallerSizes(func::FuncOp func)
    : expressions(func.getContext(), /*computes=*/true) {
  auto module = func->getParentOfType<ModuleOp>();
  StringRef symbol = func.getName();
  forFewRows =
      symbol.consume_back(kBodySuffix) && symbol.consume_back(kFewRowsSuffix);
  name = symbol.str();
  auto found = module.lookupSymbol<func::FuncOp>(symbol);
  if (auto declarations = found
                              ? found->getAttrOfType<ArrayAttr>(kCArgumentsAttr)
                              : ArrayAttr())
    for (auto declaration : declarations.getAsRange<StringAttr>())
      arguments.push_back(declaration.getValue().rsplit(' ').second.str());
}

std::string CallerSizes::text(std::optional<AffineExpr> size,
                              std::string &whyUnknown) {
  if (!size) {
    whyUnknown = "a size comes out of elements, or of a loop";
    return "";
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(*size))
    return std::to_string(constant.getValue());
  bool areNamed = true;
  SmallVector<std::string> names = symbolTexts(
      expressions.symbols(), expressions.computed(), [&](SizeSymbol symbol) {
        bool isNamed = symbol.argument < arguments.size();
        areNamed &= isNamed;
        return isNamed ? arguments[symbol.argument] : "";
      });
  std::string formula = sizeText(*size, names);
  if (areNamed && formula.size() <= kLongestText)
    return formula;
  whyUnknown = areNamed ? "its expression has more than " +
                              std::to_string(kLongestText) + " characters"
                        : "a size is none that the caller passes";
  return "";
}

int64_t bytesOfElement(Type element) {
  return element.isIndex()
             ? 8
             : int64_t(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

std::optional<AffineExpr> bytesOfAll(Value tensor, SizeExpressions &sizes) {
  return sizes.bytesOf(tensor,
                       bytesOfElement(getElementTypeOrSelf(tensor.getType())));
}

std::string placeOf(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  return place ? (place.getFilename().getValue() + ":" +
                  Twine(place.getLine()) + ":" + Twine(place.getColumn()))
                     .str()
               : "";
}

} // namespace tilewright
