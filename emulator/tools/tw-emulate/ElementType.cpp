// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of kernel arguments.

#include "ElementType.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include <cstring>

using namespace llvm;

namespace tilewright::emulator {

static constexpr ElementType kTypes[] = {
    {ElementType::Signed, "i8", 1},    {ElementType::Signed, "i16", 2},
    {ElementType::Signed, "i32", 4},   {ElementType::Signed, "i64", 8},
    {ElementType::Unsigned, "u8", 1},  {ElementType::Unsigned, "u16", 2},
    {ElementType::Unsigned, "u32", 4}, {ElementType::Unsigned, "u64", 8},
    {ElementType::Half, "f16", 2},     {ElementType::Bfloat, "bf16", 2},
    {ElementType::Float, "f32", 4},    {ElementType::Float, "f64", 8},
};

const ElementType *findElementType(StringRef name) {
  for (const ElementType &type : kTypes)
    if (name == type.name)
      return &type;
  return nullptr;
}

std::string elementTypeNames() {
  std::string names;
  for (const ElementType &type : kTypes)
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

static const fltSemantics &semanticsOf(const ElementType &type) {
  if (type.kind == ElementType::Half)
    return APFloat::IEEEhalf();
  if (type.kind == ElementType::Bfloat)
    return APFloat::BFloat();
  return type.bytes == 4 ? APFloat::IEEEsingle() : APFloat::IEEEdouble();
}

static bool isInteger(const ElementType &type) {
  return type.kind == ElementType::Signed || type.kind == ElementType::Unsigned;
}

static uint64_t bitsAt(const ElementType &type, const uint8_t *bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, type.bytes);
  return bits;
}

Expected<uint64_t> parseElement(const ElementType &type, StringRef text) {
  auto refuse = [&] {
    return createStringError("'" + text + "' is no number of type " +
                             type.name);
  };
  if (!isInteger(type)) {
    APFloat value(semanticsOf(type));
    auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!status) {
      consumeError(status.takeError());
      return refuse();
    }
    return value.bitcastToAPInt().getZExtValue();
  }
  unsigned bits = 8 * type.bytes;
  if (type.kind == ElementType::Signed) {
    int64_t value;
    if (text.getAsInteger(0, value) || !isIntN(bits, value))
      return refuse();
    return uint64_t(value);
  }
  uint64_t value;
  if (text.getAsInteger(0, value) || !isUIntN(bits, value))
    return refuse();
  return value;
}

uint64_t encodeElement(const ElementType &type, double value) {
  if (isInteger(type))
    return uint64_t(int64_t(value));
  APFloat number(value);
  bool inexact;
  number.convert(semanticsOf(type), APFloat::rmNearestTiesToEven, &inexact);
  return number.bitcastToAPInt().getZExtValue();
}

double decodeElement(const ElementType &type, const uint8_t *bytes) {
  uint64_t bits = bitsAt(type, bytes);
  if (type.kind == ElementType::Signed)
    return double(SignExtend64(bits, 8 * type.bytes));
  if (type.kind == ElementType::Unsigned)
    return double(bits);
  APFloat number(semanticsOf(type), APInt(8 * type.bytes, bits));
  bool inexact;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return number.convertToDouble();
}

std::string printElement(const ElementType &type, const uint8_t *bytes) {
  uint64_t bits = bitsAt(type, bytes);
  if (type.kind == ElementType::Signed)
    return std::to_string(SignExtend64(bits, 8 * type.bytes));
  if (type.kind == ElementType::Unsigned)
    return std::to_string(bits);
  SmallString<32> text;
  APFloat(semanticsOf(type), APInt(8 * type.bytes, bits)).toString(text);
  return std::string(text);
}

} // namespace tilewright::emulator
