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

constexpr int64_t kWidestElement = 8;

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
    auto value = dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr());
    if (!global.getConstant() || !value ||
        value.getNumElements() < kLargeConstantBytes / kWidestElement)
      return nullptr;
    if (value.getElementType().isInteger(1))
      value = booleansAsBytes(value);
    std::optional<ConstantElements> elements;
    if (value)
      elements = ConstantElements::of(value);
    if (!elements ||
        value.getNumElements() * elements->elementBytes < kLargeConstantBytes)
      return nullptr;
    return value;
  }

  /// Code reads each boolean as a byte, 0 or 1, where MLIR may keep a bit. Null
  /// if the value is none that MLIR knows the booleans of.
  static ElementsAttr booleansAsBytes(ElementsAttr value) {
    auto dense = dyn_cast<DenseElementsAttr>(value);
    if (!dense)
      return nullptr;
    auto type = RankedTensorType::get(value.getShapedType().getShape(),
                                      IntegerType::get(value.getContext(), 8));
    if (dense.isSplat()) {
      char byte = dense.getSplatValue<bool>();
      return DenseElementsAttr::getFromRawBuffer(type, byte);
    }
    return makeConstant(type, 1, [&](MutableArrayRef<char> bytes) {
      llvm::copy(dense.getValues<bool>(), bytes.begin());
    });
  }
};

} // namespace
} // namespace tilewright
