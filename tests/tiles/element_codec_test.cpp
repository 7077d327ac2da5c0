// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tests' own decoder and encoder against LLVM's APFloat: all encodings of
// every narrow format, samples of the wide ones.

#include "tests/tiles/element_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "llvm/ADT/APFloat.h"
#include "tests/common/seed.h"
#include "tilewright/key.h"

namespace tilewright::testing {
namespace {

const llvm::fltSemantics& semanticsOf(tw_element_type_t type) {
  switch (type) {
    case TW_ELEMENT_F64:
      return llvm::APFloat::IEEEdouble();
    case TW_ELEMENT_F32:
      return llvm::APFloat::IEEEsingle();
    case TW_ELEMENT_F16:
      return llvm::APFloat::IEEEhalf();
    case TW_ELEMENT_BF16:
      return llvm::APFloat::BFloat();
    case TW_ELEMENT_F8E4M3FN:
      return llvm::APFloat::Float8E4M3FN();
    case TW_ELEMENT_F8E5M2:
      return llvm::APFloat::Float8E5M2();
    case TW_ELEMENT_F8E4M3FNUZ:
      return llvm::APFloat::Float8E4M3FNUZ();
    case TW_ELEMENT_F8E5M2FNUZ:
      return llvm::APFloat::Float8E5M2FNUZ();
    case TW_ELEMENT_F6E2M3FN:
      return llvm::APFloat::Float6E2M3FN();
    case TW_ELEMENT_F6E3M2FN:
      return llvm::APFloat::Float6E3M2FN();
    case TW_ELEMENT_F4E2M1FN:
      return llvm::APFloat::Float4E2M1FN();
    default:
      break;
  }
  ADD_FAILURE() << "no semantics for " << info(type).name;
  return llvm::APFloat::Bogus();
}

llvm::APFloat apFloat(tw_element_type_t type, uint64_t bits) {
  return llvm::APFloat(semanticsOf(type), llvm::APInt(info(type).bits, bits));
}

void expectDecodes(tw_element_type_t type, uint64_t bits) {
  llvm::APFloat expected = apFloat(type, bits);
  const double value = decodeElement(type, bits);
  if (expected.isNaN()) {
    EXPECT_TRUE(std::isnan(value)) << info(type).name << " " << bits;
    return;
  }
  bool lossy = false;
  expected.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &lossy);
  EXPECT_FALSE(lossy);
  EXPECT_EQ(value, expected.convertToDouble())
      << info(type).name << " " << bits;
  EXPECT_EQ(std::signbit(value), expected.isNegative())
      << info(type).name << " " << bits;
}

TEST(ElementCodecTest, DecodesEveryEncoding) {
  int formats = 0;
  for (const ElementTypeInfo& element : elementTypes()) {
    if (element.kind != TW_ELEMENT_KIND_FLOAT || element.bits > 16) continue;
    ++formats;
    for (uint64_t bits = 0; bits < (uint64_t{1} << element.bits); ++bits)
      expectDecodes(element.type, bits);
  }
  EXPECT_EQ(formats, 9);
}

TEST(ElementCodecTest, DecodesWideFormats) {
  const uint64_t seed = seedOf("ElementCodecTest.DecodesWideFormats");
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  for (int i = 0; i < 20000; ++i) {
    expectDecodes(TW_ELEMENT_F32, random.next() >> 32);
    expectDecodes(TW_ELEMENT_F64, random.next());
    // Denormals.
    expectDecodes(TW_ELEMENT_F32, random.next() >> 41);
    expectDecodes(TW_ELEMENT_F64, random.next() >> 12);
  }
}

void expectEncodes(tw_element_type_t type, double value) {
  llvm::APFloat expected(value);
  bool lossy = false;
  expected.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven,
                   &lossy);
  const uint64_t bits = encodeFloat(type, value);
  if (expected.isNaN()) {
    EXPECT_TRUE(apFloat(type, bits).isNaN()) << info(type).name << " " << value;
    return;
  }
  EXPECT_EQ(bits, expected.bitcastToAPInt().getZExtValue())
      << info(type).name << " " << value;
}

TEST(ElementCodecTest, EncodesToNearestEven) {
  const uint64_t seed = seedOf("ElementCodecTest.EncodesToNearestEven");
  SCOPED_TRACE(seedText(seed));
  Random random(seed);
  for (tw_element_type_t type :
       {TW_ELEMENT_F64, TW_ELEMENT_F32, TW_ELEMENT_F16, TW_ELEMENT_BF16}) {
    for (double value : {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan("")})
      expectEncodes(type, value);
    for (int i = 0; i < 20000; ++i) {
      // Any double, and doubles in the type's range.
      uint64_t bits = random.next();
      double value;
      std::memcpy(&value, &bits, sizeof value);
      expectEncodes(type, value);
      const int exponent = static_cast<int>(
          std::ilogb(smallestDenormal(type)) +
          random.between(-2, std::ilogb(largestFinite(type)) -
                                 std::ilogb(smallestDenormal(type)) + 2));
      value = std::ldexp(1 + random.unit(), exponent);
      expectEncodes(type, random.chance(0.5) ? value : -value);
    }
  }
}

// Every tie between neighbours of the 16-bit formats, and both sides of it.
TEST(ElementCodecTest, EncodesTies) {
  for (tw_element_type_t type : {TW_ELEMENT_F16, TW_ELEMENT_BF16}) {
    for (uint64_t bits = 0; bits < 0x8000; ++bits) {
      const double low = decodeElement(type, bits);
      const double high = decodeElement(type, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double tie = (low + high) / 2;
      for (double value :
           {low, tie, std::nextafter(tie, low), std::nextafter(tie, high)}) {
        expectEncodes(type, value);
        expectEncodes(type, -value);
      }
    }
    // The tie between the largest finite value and what would follow it.
    const double largest = largestFinite(type);
    const double step =
        std::ldexp(1.0, std::ilogb(largest) - mantissaBits(type));
    for (double value :
         {largest + step / 2, std::nextafter(largest + step / 2, 0.0)})
      expectEncodes(type, value);
  }
}

TEST(ElementCodecTest, KnowsTheLimits) {
  for (const ElementTypeInfo& element : elementTypes()) {
    if (element.kind != TW_ELEMENT_KIND_FLOAT) continue;
    const llvm::fltSemantics& semantics = semanticsOf(element.type);
    auto asDouble = [](llvm::APFloat value) {
      bool lossy = false;
      value.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &lossy);
      return value.convertToDouble();
    };
    EXPECT_EQ(largestFinite(element.type),
              asDouble(llvm::APFloat::getLargest(semantics)))
        << element.name;
    EXPECT_EQ(smallestDenormal(element.type),
              asDouble(llvm::APFloat::getSmallest(semantics)))
        << element.name;
    EXPECT_EQ(hasInfinity(element.type),
              llvm::APFloat::semanticsHasInf(semantics))
        << element.name;
    EXPECT_EQ(hasNaN(element.type), llvm::APFloat::semanticsHasNaN(semantics))
        << element.name;
  }
}

TEST(ElementCodecTest, DecodesIntegers) {
  EXPECT_EQ(decodeElement(TW_ELEMENT_S8, 0x80), -128);
  EXPECT_EQ(decodeElement(TW_ELEMENT_U8, 0xFF), 255);
  EXPECT_EQ(decodeElement(TW_ELEMENT_S4, 0x8), -8);
  EXPECT_EQ(decodeElement(TW_ELEMENT_S4, 0xF7), 7);
  EXPECT_EQ(decodeElement(TW_ELEMENT_U4, 0xF), 15);
  EXPECT_EQ(decodeElement(TW_ELEMENT_S16, 0x8000), -32768);
  EXPECT_EQ(decodeElement(TW_ELEMENT_S32, 0x80000000), -2147483648.0);
}

TEST(ElementCodecTest, PacksDensely) {
  // Four 6-bit elements fill three bytes, from bit 0 upwards.
  uint8_t six[3] = {};
  for (int i = 0; i < 4; ++i) storeElement(six, i, 6, i == 1 ? 0x3F : 0x01);
  EXPECT_EQ(six[0], 0xC1);
  EXPECT_EQ(six[1], 0x1F);
  EXPECT_EQ(six[2], 0x04);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(loadElement(six, i, 6), i == 1 ? 0x3Fu : 0x01u);
  uint8_t four[1] = {};
  storeElement(four, 0, 4, 0xA);
  storeElement(four, 1, 4, 0x5);
  EXPECT_EQ(four[0], 0x5A);
}

}  // namespace
}  // namespace tilewright::testing
