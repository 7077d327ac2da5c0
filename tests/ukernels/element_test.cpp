// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rounds floats in vectors rounds each as what rounds one: at every upper
// half of an f32, around every point at which one of the formats may turn.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {
#include "ukernels/element.h"
}

namespace tilewright::testing {
namespace {

// Lower halves around the multiples of 2^11: an f16 ends at bit 13, a bf16 at
// bit 16, and half of a unit is one bit less.
std::vector<uint32_t> lowerHalves() {
  std::vector<uint32_t> halves;
  for (uint32_t at = 0; at <= 0x10000; at += 0x800)
    for (uint32_t low : {at - 1, at, at + 1})
      if (low <= 0xFFFF) halves.push_back(low);
  return halves;
}

void check(tw_element_type_t type, uint16_t (*one)(float)) {
  const std::vector<uint32_t> halves = lowerHalves();
  std::vector<float> values(halves.size());
  std::vector<uint16_t> bits(halves.size());
  for (uint32_t upper = 0; upper <= 0xFFFF; ++upper) {
    for (size_t i = 0; i < halves.size(); ++i) {
      const uint32_t f32 = upper << 16 | halves[i];
      std::memcpy(&values[i], &f32, sizeof f32);
    }
    tw_encode_f32(type, values.data(), static_cast<tw_index_t>(values.size()),
                  bits.data());
    for (size_t i = 0; i < halves.size(); ++i)
      ASSERT_EQ(bits[i], one(values[i]))
          << std::hex << "f32 bits " << (upper << 16 | halves[i]);
  }
}

TEST(ElementTest, EncodesF16AsOneByOne) {
  check(TW_ELEMENT_F16, tw_f32_to_f16);
}

TEST(ElementTest, EncodesBf16AsOneByOne) {
  check(TW_ELEMENT_BF16, tw_f32_to_bf16);
}

}  // namespace
}  // namespace tilewright::testing
