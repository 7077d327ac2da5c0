// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The right kernel is right in every schedule; each mutation of it
// (lds_product.cpp) is caught in at least one of three, and the report says
// what and where.

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tilewright/Emulator/Emulator.h"

namespace {

using tilewright::emulator::Access;
using tilewright::emulator::EmulationError;
using tilewright::emulator::Emulator;
using tilewright::emulator::FaultKind;
using tilewright::emulator::LaunchOptions;

constexpr int kDepth = 48, kSize = 32;

struct Outcome {
  bool ran = false, right = false;
  std::optional<FaultKind> fault;
  unsigned wave = 0;
  std::vector<unsigned> lanes;
  std::string text;
};

std::string FileOf(int mutation) {
  return llvm::formatv("{0}/lds_product_{1}.bc", TW_TEST_KERNELS, mutation);
}

Outcome RunProduct(int mutation, unsigned seed) {
  Outcome outcome;
  auto file = llvm::MemoryBuffer::getFile(FileOf(mutation));
  if (!file) {
    ADD_FAILURE() << FileOf(mutation) << ": " << file.getError().message();
    return outcome;
  }
  auto emulator = Emulator::create((*file)->getMemBufferRef());
  if (!emulator) {
    ADD_FAILURE() << llvm::toString(emulator.takeError());
    return outcome;
  }
  std::vector<_Float16> a(kSize * kDepth), b(kSize * kDepth);
  std::vector<float> c(kSize * kSize, -1);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = _Float16(int(i * 7 % 13) - 6);
    b[i] = _Float16(int(i * 5 % 17) - 8);
  }
  EXPECT_FALSE(bool((*emulator)->addBuffer(a.data(), a.size() * 2, "a")));
  EXPECT_FALSE(bool((*emulator)->addBuffer(b.data(), b.size() * 2, "b")));
  EXPECT_FALSE(bool(
      (*emulator)->addBuffer(c.data(), c.size() * 4, Access::ReadWrite, "c")));
  struct {
    const void *a, *b;
    void* c;
    int depth;
  } arguments{a.data(), b.data(), c.data(), kDepth};
  LaunchOptions options;
  options.scheduleSeed = seed;
  llvm::Error failure = (*emulator)->launch(
      "product", {1, 1, 1}, {256, 1, 1},
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(&arguments),
                     sizeof(arguments)),
      options);
  outcome.ran = !failure;
  llvm::handleAllErrors(
      std::move(failure),
      [&](const EmulationError& error) {
        outcome.fault = error.kind;
        outcome.wave = error.wave;
        outcome.lanes = error.lanes;
        outcome.text = error.message();
      },
      [&](const llvm::ErrorInfoBase& error) {
        ADD_FAILURE() << error.message();
      });
  outcome.right = outcome.ran;
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      float sum = 0;
      for (int k = 0; k < kDepth; ++k)
        sum += float(a[i * kDepth + k]) * float(b[j * kDepth + k]);
      outcome.right &= sum == c[i * kSize + j];
    }
  return outcome;
}

TEST(Mutation, NoneIsRightInEverySchedule) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Outcome outcome = RunProduct(0, seed);
    EXPECT_TRUE(outcome.right) << "schedule " << seed << ": " << outcome.text;
  }
}

struct Mutation {
  int number;
  const char* name;
  std::optional<FaultKind> fault;  // none: the result is wrong
  const char* says;
};

class MutationTest : public testing::TestWithParam<Mutation> {};

TEST_P(MutationTest, IsCaught) {
  const Mutation& mutation = GetParam();
  unsigned caught = 0;
  for (unsigned seed = 0; seed < 3; ++seed) {
    Outcome outcome = RunProduct(mutation.number, seed);
    if (outcome.right) continue;
    ++caught;
    EXPECT_EQ(outcome.fault, mutation.fault) << outcome.text;
    EXPECT_NE(outcome.text.find(mutation.says), std::string::npos)
        << outcome.text;
  }
  EXPECT_EQ(caught, 3u) << "in all three schedules";
}

INSTANTIATE_TEST_SUITE_P(
    Each, MutationTest,
    testing::Values(
        Mutation{1, "NoBarrierBeforeCompute", FaultKind::LdsUnwritten,
                 "nobody wrote"},
        Mutation{2, "NoBarrierAfterCompute", FaultKind::LdsRace,
                 "no barrier lies between"},
        Mutation{3, "SwappedOperands", std::nullopt, ""},
        Mutation{4, "WrongLaneGroup", std::nullopt, ""},
        Mutation{5, "DivergentMatrixInstruction", FaultKind::Divergence,
                 "only 63 of the wave's 64 lanes"},
        Mutation{6, "DivergentBarrier", FaultKind::LdsUnwritten,
                 "lanes 0-47 wait at"},
        Mutation{7, "LoadPastEnd", FaultKind::GlobalOutOfBounds,
                 "of 'a', which has 3072"},
        Mutation{8, "StorePastEnd", FaultKind::GlobalOutOfBounds,
                 "at byte 4096 of 'c', which has 4096; ends 4 past it"},
        Mutation{9, "LdsPastEnd", FaultKind::LdsOutOfBounds, "which has 1024"},
        Mutation{10, "UnwrittenLds", FaultKind::LdsUnwritten, "nobody wrote"},
        Mutation{11, "ReturnBeforeBarrier", FaultKind::Deadlock,
                 "waves 3 have finished"},
        Mutation{12, "Misaligned", FaultKind::Misaligned,
                 "which is not a multiple of 8"},
        Mutation{13, "RaceOnPurpose", FaultKind::LdsRace,
                 "no barrier lies between"}),
    [](const testing::TestParamInfo<Mutation>& info) {
      return std::string(info.param.name);
    });

TEST(Mutation, ReportNamesLanesAndPlace) {
  Outcome outcome = RunProduct(8, 0);
  EXPECT_EQ(outcome.wave, 3u);
  EXPECT_EQ(outcome.lanes, std::vector<unsigned>{63});
  EXPECT_NE(outcome.text.find("wave 3, lane 63"), std::string::npos)
      << outcome.text;
  EXPECT_NE(outcome.text.find("lds_product.cpp:"), std::string::npos)
      << outcome.text;
  EXPECT_NE(outcome.text.find("store float"), std::string::npos)
      << outcome.text;
}

}  // namespace
