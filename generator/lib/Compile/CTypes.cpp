// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {

bool isNarrowFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}

bool isScale(Type type) { return isa<Float8E8M0FNUType>(type); }

bool isScaled(Type type) {
  return isa<Float6E2M3FNType, Float6E3M2FNType, Float4E2M1FNType>(type);
}

bool hasCElement(Type type) {
  if (type.isF64() || type.isF32() || type.isF16() || type.isBF16())
    return true;
  return isNarrowFloat(type) || isScale(type) || type.isInteger(8) ||
         type.isInteger(16) || type.isInteger(32) || type.isInteger(64);
}

bool isPartOfByte(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger(1) || element.isInteger(2) || element.isInteger(4) ||
         isScaled(element);
}

namespace {

Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

Type bitsOf(Type element) {
  return IntegerType::get(element.getContext(),
                          element.getIntOrFloatBitWidth());
}

} // namespace

Value partOfByte(OpBuilder &b, Location loc, Value bytes, Type element) {
  Type type = bytes.getType();
  Value bits = arith::TruncIOp::create(
      b, loc, withElement(type, bitsOf(element)), bytes);
  if (element.isInteger())
    return bits;
  return arith::BitcastOp::create(b, loc, withElement(type, element), bits);
}

Value byteOfPart(OpBuilder &b, Location loc, Value elements) {
  Type type = elements.getType(), element = getElementTypeOrSelf(type);
  if (!element.isInteger())
    elements = arith::BitcastOp::create(
        b, loc, withElement(type, bitsOf(element)), elements);
  return arith::ExtUIOp::create(b, loc, withElement(type, b.getI8Type()),
                                elements);
}

std::string cTypeName(Type type) {
  if (type.isF64())
    return "double";
  if (type.isF32())
    return "float";
  if (type.isIndex())
    return "int64_t";
  // Other floats travel as their bits.
  return (isa<FloatType>(type) ? "uint" : "int") +
         std::to_string(type.getIntOrFloatBitWidth()) + "_t";
}

Type elementInModel(Type element, Attribute attribute) {
  auto type = dyn_cast_or_null<TypeAttr>(attribute);
  return type ? type.getValue() : element;
}

std::string cElementName(Type type, Attribute attribute) {
  // Bits of floats have no sign.
  return isScaled(elementInModel(type, attribute)) ? "uint8_t"
                                                   : cTypeName(type);
}

static std::string noteOf(Type element) {
  if (element.isInteger(1))
    return " of truth values, 0 or 1";
  if (isPartOfByte(element) && element.isInteger()) {
    int64_t end = int64_t(1) << (element.getIntOrFloatBitWidth() - 1);
    return " of i" + std::to_string(element.getIntOrFloatBitWidth()) +
           ", a byte each, " + std::to_string(-end) + " to " +
           std::to_string(end - 1);
  }
  if (!isa<FloatType>(element) || element.isF32() || element.isF64())
    return "";
  std::string note;
  llvm::raw_string_ostream(note)
      << " of " << element << " bits"
      << (isPartOfByte(element) ? ", the lowest of a byte each" : "");
  return note;
}

std::string elementNote(RankedTensorType tensor, Attribute attribute) {
  return (tensor.getRank() == 0 ? "one element" : "") +
         noteOf(elementInModel(tensor.getElementType(), attribute));
}

} // namespace tilewright
