// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library remembers of the CPU before AMX is permitted and after. The
// CPU and its system are this program's: the functions below stand in place of
// the library's, which is linked behind them.

#include <gtest/gtest.h>

#include <string>

#include "tilewright/tilewright.h"
#include "ukernels/cpu.h"

namespace {

struct System {
  bool permitsAmx = false, isPermitted = false;
  int detections = 0;
} theSystem;

constexpr uint64_t kAmx = TW_CPU_MASK(X86_64, AMXTILE, 0) |
                          TW_CPU_MASK(X86_64, AMXINT8, 0) |
                          TW_CPU_MASK(X86_64, AMXBF16, 0);
constexpr uint64_t kOther = TW_CPU_MASK(X86_64, AVX512F, 0);

}  // namespace

void tw_cpu_detect_x86_64(uint64_t* cpu_data) {
  ++theSystem.detections;
  cpu_data[0] = kOther | (theSystem.isPermitted ? kAmx : 0);
}

tw_status_t tw_cpu_permit_amx_x86_64(const char** why_not, long* error) {
  *why_not = theSystem.permitsAmx ? nullptr : "of the test";
  *error = theSystem.permitsAmx ? 0 : 7;
  theSystem.isPermitted |= theSystem.permitsAmx;
  return theSystem.permitsAmx ? TW_STATUS_OK : TW_STATUS_UNSUPPORTED;
}

namespace {

uint64_t remembered() {
  uint64_t words[TW_CPU_DATA_WORDS];
  tw_cpu_data_of_this_cpu(words);
  return words[0];
}

uint64_t detected() {
  uint64_t words[TW_CPU_DATA_WORDS];
  tw_cpu_detect(words);
  return words[0];
}

// One process has one history: tests of their own would depend on their order.
TEST(CpuPermitTest, WhatIsRememberedGrowsWithThePermission) {
  EXPECT_EQ(remembered(), kOther);
  EXPECT_EQ(remembered(), kOther);
  EXPECT_EQ(theSystem.detections, 1) << "it was not remembered";

  char text[TW_EXPLANATION_SIZE];
  EXPECT_EQ(tw_cpu_permit_amx(text, sizeof text), TW_STATUS_UNSUPPORTED);
  EXPECT_STREQ(text, "This process may not use AMX: of the test (error 7).");
  EXPECT_EQ(remembered(), kOther);

  // Somebody else has asked, and nobody has said so here.
  theSystem.isPermitted = true;
  EXPECT_EQ(detected(), kOther | kAmx);
  EXPECT_EQ(remembered(), kOther);

  theSystem.permitsAmx = true;
  EXPECT_EQ(tw_cpu_permit_amx(text, sizeof text), TW_STATUS_OK);
  EXPECT_STREQ(text, "This process may use AMX.");
  EXPECT_EQ(remembered(), kOther | kAmx);
  EXPECT_EQ(tw_cpu_permit_amx(nullptr, 0), TW_STATUS_OK);
  EXPECT_EQ(remembered(), kOther | kAmx);
}

}  // namespace
