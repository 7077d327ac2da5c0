// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers between waves: whole and split, met at different places, missed.
// lds_order_test.cpp has what they order.

#include "gtest/gtest.h"
#include "tests/emulator/wave_program.h"

namespace {

using tilewright::emulator::FaultKind;
using tilewright::emulator::LaunchOptions;

LaunchOptions Seed(unsigned seed) {
  LaunchOptions options;
  options.scheduleSeed = seed;
  return options;
}

const char kHead[] =
    "@lds = internal addrspace(3) global [256 x i32] poison, align 16\n"
    "declare i32 @llvm.amdgcn.workitem.id.x()\n"
    "declare void @llvm.amdgcn.s.barrier()\n"
    "declare void @llvm.amdgcn.s.barrier.signal(i32 immarg)\n"
    "declare void @llvm.amdgcn.s.barrier.wait(i16 immarg)\n"
    "define amdgpu_kernel void @entry(ptr addrspace(1) %in, ptr addrspace(1) "
    "%out) {\n"
    "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
    "  %from = getelementptr i32, ptr addrspace(1) %in, i32 %i\n"
    "  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i\n"
    "  %x = load i32, ptr addrspace(1) %from\n"
    "  %mine = getelementptr i32, ptr addrspace(3) @lds, i32 %i\n"
    "  %r = sub i32 127, %i\n"
    "  %other = getelementptr i32, ptr addrspace(3) @lds, i32 %r\n";
const char kWrite[] = "  store i32 %x, ptr addrspace(3) %mine\n";
const char kRead[] =
    "  %y = load i32, ptr addrspace(3) %other\n"
    "  store i32 %y, ptr addrspace(1) %to\n  ret void\n}\n";

const char kRelease[] = "  fence syncscope(\"workgroup\") release\n";
const char kAcquire[] = "  fence syncscope(\"workgroup\") acquire\n";

const std::string kMeet =
    std::string(kRelease) + "call void @llvm.amdgcn.s.barrier()\n" + kAcquire;

const std::vector<uint32_t> kIn = Each(128, [](uint32_t i) { return i; });
const std::vector<uint32_t> kReversed =
    Each(128, [](uint32_t i) { return 127 - i; });

TEST(Barrier, OrdersWaves) {
  for (unsigned seed : {0, 1, 2, 3, 4}) {
    WaveResult result =
        RunKernel("gfx942",
                  std::string(kHead) + kWrite + kRelease +
                      "call void @llvm.amdgcn.s.barrier()\n" + kAcquire + kRead,
                  128, kIn, 128, Seed(seed));
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.out, kReversed);
    EXPECT_EQ(result.statistics.barriers, 1u);
  }
}

TEST(Barrier, SplitOnesOrderWaves) {
  const char signal[] = "call void @llvm.amdgcn.s.barrier.signal(i32 -1)\n";
  const char wait[] = "call void @llvm.amdgcn.s.barrier.wait(i16 -1)\n";
  for (unsigned seed : {0, 1, 2}) {
    WaveResult right = RunKernel("gfx1201",
                                 std::string(kHead) + kWrite + kRelease +
                                     signal + wait + kAcquire + kRead,
                                 128, kIn, 128, Seed(seed));
    EXPECT_EQ(right.error, "");
    EXPECT_EQ(right.out, kReversed);
    // What is written behind the signal is not ordered by it.
    WaveResult late = RunKernel("gfx1201",
                                std::string(kHead) + signal + kWrite +
                                    kRelease + wait + kAcquire + kRead,
                                128, kIn, 128, Seed(seed));
    EXPECT_TRUE(late.fault == FaultKind::LdsRace ||
                late.fault == FaultKind::LdsUnwritten)
        << late.error;
    WaveResult alone =
        RunKernel("gfx1201", std::string(kHead) + kWrite + wait + kRead, 128,
                  kIn, 128, Seed(seed));
    EXPECT_EQ(alone.fault, FaultKind::Deadlock);
    WaveResult twice = RunKernel(
        "gfx1201", std::string(kHead) + kWrite + signal + signal + wait + kRead,
        128, kIn, 128, Seed(seed));
    EXPECT_EQ(twice.fault, FaultKind::Divergence);
  }
}

// Wave skew: waves 2 and 3 wait once more at the begin, waves 0 and 1 at the
// end.
TEST(Barrier, WavesMayMeetAtDifferentPlaces) {
  for (unsigned seed : {0, 1, 2, 3}) {
    WaveResult result = RunKernel(
        "gfx1100",
        std::string(kHead) +
            "  %late = icmp uge i32 %i, 64\n"
            "  br i1 %late, label %skew, label %body\n"
            "skew:\n  call void @llvm.amdgcn.s.barrier()\n  br label %body\n"
            "body:\n" +
            kWrite + kRelease +
            "  call void @llvm.amdgcn.s.barrier()\n"
            "  br i1 %late, label %last, label %even\n"
            "even:\n  call void @llvm.amdgcn.s.barrier()\n  br label %last\n"
            "last:\n" +
            kAcquire + kRead,
        128, kIn, 128, Seed(seed));
    EXPECT_EQ(result.error, "") << "schedule " << seed;
    EXPECT_EQ(result.out, kReversed);
    EXPECT_EQ(result.statistics.barriers, 2u);
  }
}

TEST(Barrier, MissedByAWave) {
  WaveResult result = RunKernel(
      "gfx942",
      std::string(kHead) + kWrite +
          "  %c = icmp ult i32 %i, 64\n  br i1 %c, label %meet, label %last\n"
          "meet:\n  call void @llvm.amdgcn.s.barrier()\n  br label %last\n"
          "last:\n  store i32 1, ptr addrspace(1) %to\n  ret void\n}\n",
      128, kIn, 128);
  EXPECT_EQ(result.fault, FaultKind::Deadlock);
  EXPECT_NE(result.error.find("waves 1 have finished"), std::string::npos)
      << result.error;
}

TEST(Barrier, AWaveThatSpinsForEver) {
  LaunchOptions options;
  options.progressLimit = 1000;
  WaveResult result =
      RunKernel("gfx942",
                std::string(kHead) + kWrite +
                    "  br label %loop\n"
                    "loop:\n"
                    "  %v = load volatile i32, ptr addrspace(3) %mine\n"
                    "  %c = icmp eq i32 %v, -1\n"
                    "  br i1 %c, label %last, label %loop\n"
                    "last:\n  ret void\n}\n",
                64, kIn, 128, options);
  EXPECT_EQ(result.fault, FaultKind::Deadlock);
  EXPECT_NE(result.error.find("1000 steps"), std::string::npos) << result.error;
}

TEST(Barrier, AtomicsDoNotRace) {
  for (unsigned seed : {0, 1, 2}) {
    WaveResult result = RunKernel(
        "gfx942",
        std::string(kHead) +
            "  %first = icmp eq i32 %i, 0\n  br i1 %first, label %init, label "
            "%go\n"
            "init:\n  store i32 5, ptr addrspace(3) @lds\n  br label %go\n"
            "go:\n" +
            kMeet +
            "  %o = atomicrmw add ptr addrspace(3) @lds, i32 1 "
            "syncscope(\"workgroup\") monotonic\n" +
            kMeet +
            "  %y = load i32, ptr addrspace(3) @lds\n"
            "  store i32 %y, ptr addrspace(1) %to\n  ret void\n}\n",
        128, kIn, 128, Seed(seed));
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.out, Each(128, [](uint32_t) { return 133; }));
  }
}

}  // namespace
