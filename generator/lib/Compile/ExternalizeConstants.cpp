// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-externalize-constants: large constants become symbols; their bytes take
// another way to the output.

#include "ConstantElements.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_EXTERNALIZECONSTANTS
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct ExternalizeConstantsPass
    : impl::ExternalizeConstantsBase<ExternalizeConstantsPass> {
  void runOnOperation() override {
    SmallVector<NamedAttribute> values;
    for (auto global : getOperation().getOps<memref::GlobalOp>()) {
      ElementsAttr value = largeValue(global);
      if (!value)
        continue;
      values.emplace_back(global.getSymNameAttr(), value);
      global.removeInitialValueAttr();
      // A private one would have to be defined here.
      SymbolTable::setSymbolVisibility(global, SymbolTable::Visibility::Public);
    }
    if (!values.empty())
      getOperation()->setAttr(kExternalConstantsAttr,
                              DictionaryAttr::get(&getContext(), values));
  }

  /// The value of a constant whose bytes stay bytes, else null.
  static ElementsAttr largeValue(memref::GlobalOp global) {
    if (!global.getConstant())
      return nullptr;
    auto value = dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr());
    std::optional<ConstantElements> elements;
    if (value)
      elements = ConstantElements::of(value);
    if (!elements ||
        value.getNumElements() * elements->elementBytes < kLargeConstantBytes)
      return nullptr;
    return value;
  }
};

} // namespace
} // namespace tilewright
