// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What orders LDS: fences around barriers, and waits for loads that go straight
// to it. docs/emulator.md, "LDS: what is promised, and when".

#include "gtest/gtest.h"
#include "tests/emulator/wave_program.h"

namespace {

using tilewright::emulator::FaultKind;
using tilewright::emulator::LaunchOptions;

// Each of 128 threads has its word of LDS, and one of another wave.
const char kHead[] =
    "@lds = internal addrspace(3) global [256 x i32] poison, align 16\n"
    "declare i32 @llvm.amdgcn.workitem.id.x()\n"
    "declare i32 @llvm.amdgcn.readfirstlane(i32)\n"
    "declare void @llvm.amdgcn.s.barrier()\n"
    "declare void @llvm.amdgcn.s.waitcnt(i32 immarg)\n"
    "declare void @llvm.amdgcn.s.wait.dscnt(i16 immarg)\n"
    "declare void @llvm.amdgcn.s.wait.loadcnt(i16 immarg)\n"
    "declare void @llvm.amdgcn.s.wait.asynccnt(i16 immarg)\n"
    "declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr "
    "addrspace(3), i32 immarg, i32 immarg, i32 immarg)\n"
    "declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), "
    "ptr addrspace(3), i32 immarg, i32 immarg)\n"
    "!0 = !{!\"amdgpu-synchronize-as\", !\"local\"}\n"
    "!1 = !{!\"amdgpu-synchronize-as\", !\"global\"}\n"
    "!2 = !{!0, !1}\n"
    "!7 = !{!7}\n!8 = !{!8, !7}\n!9 = !{!8}\n"
    "define amdgpu_kernel void @entry(ptr addrspace(1) %in, ptr addrspace(1) "
    "%out) {\n"
    "  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
    "  %from = getelementptr i32, ptr addrspace(1) %in, i32 %i\n"
    "  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i\n"
    "  %x = load i32, ptr addrspace(1) %from\n"
    "  %mine = getelementptr i32, ptr addrspace(3) @lds, i32 %i\n"
    "  %r = sub i32 127, %i\n"
    "  %other = getelementptr i32, ptr addrspace(3) @lds, i32 %r\n"
    // The wave's first word, and its half of in.
    "  %f = call i32 @llvm.amdgcn.readfirstlane(i32 %i)\n"
    "  %wave = getelementptr i32, ptr addrspace(3) @lds, i32 %f\n"
    "  %next = getelementptr i32, ptr addrspace(3) %wave, i32 128\n";
const char kWrite[] = "  store i32 %x, ptr addrspace(3) %mine\n";
const char kBarrier[] = "  call void @llvm.amdgcn.s.barrier()\n";
const char kRead[] = "  %y = load i32, ptr addrspace(3) %other\n";
const char kEnd[] = "  store i32 %y, ptr addrspace(1) %to\n  ret void\n}\n";
const char kLoad[] =
    "  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr "
    "addrspace(3) %wave, i32 4, i32 0, i32 0), !alias.scope !9\n";
const char kLoadNext[] =
    "  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %from, ptr "
    "addrspace(3) %next, i32 4, i32 0, i32 0), !alias.scope !9\n";
const char kAsyncLoad[] =
    "  call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) "
    "%from, ptr addrspace(3) %mine, i32 0, i32 0)\n";
const char kRelease[] = "  fence syncscope(\"workgroup\") release\n";
const char kAcquire[] = "  fence syncscope(\"workgroup\") acquire\n";
const char kWaveRelease[] = "  fence syncscope(\"wavefront\") release\n";
const char kWaveAcquire[] = "  fence syncscope(\"wavefront\") acquire\n";

// On gfx9, with expcnt, and the other counter, at their most.
std::string Vmcnt(unsigned n) {
  return "  call void @llvm.amdgcn.s.waitcnt(i32 " +
         std::to_string((n & 15) | (n >> 4) << 14 | 7 << 4 | 15 << 8) + ")\n";
}
std::string Lgkmcnt(unsigned n) {
  return "  call void @llvm.amdgcn.s.waitcnt(i32 " +
         std::to_string(15 | 3 << 14 | 7 << 4 | n << 8) + ")\n";
}
std::string Wait(const char* counter, unsigned n) {
  return std::string("  call void @llvm.amdgcn.s.wait.") + counter + "(i16 " +
         std::to_string(n) + ")\n";
}

const std::vector<uint32_t> kIn = Each(128, [](uint32_t i) { return 7 * i; });
const std::vector<uint32_t> kReversed =
    Each(128, [](uint32_t i) { return 7 * (127 - i); });

// In every schedule: right, or the fault with these words.
void ExpectRight(const std::string& gfx, const std::string& body) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    LaunchOptions options;
    options.scheduleSeed = seed;
    const WaveResult result =
        RunKernel(gfx, kHead + body + kEnd, 128, kIn, 128, options);
    EXPECT_EQ(result.error, "") << gfx << " schedule " << seed << body;
    EXPECT_EQ(result.out, kReversed) << gfx << " schedule " << seed << body;
  }
}
void ExpectFault(const std::string& gfx, const std::string& body,
                 const std::string& says,
                 FaultKind fault = FaultKind::LdsRace) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    LaunchOptions options;
    options.scheduleSeed = seed;
    const WaveResult result =
        RunKernel(gfx, kHead + body + kEnd, 128, kIn, 128, options);
    EXPECT_EQ(result.fault, fault) << result.error << gfx << body;
    EXPECT_NE(result.error.find(says), std::string::npos)
        << result.error << gfx << body;
  }
}

const char kNoRelease[] = "follows no release of it";
const char kOnItsWay[] = "is on its way";

TEST(Fences, BarriersOrderWhatTheyRelease) {
  for (const char* gfx : {"gfx90a", "gfx942", "gfx1100", "gfx1201", "gfx1250"})
    for (const char* release :
         {"fence syncscope(\"workgroup\") release\n",
          "fence syncscope(\"workgroup\") acq_rel\n",
          "fence syncscope(\"agent\") release\n", "fence seq_cst\n",
          "fence syncscope(\"workgroup\") release, !mmra !0\n",
          "fence syncscope(\"workgroup\") release, !mmra !2\n"})
      ExpectRight(gfx,
                  std::string(kWrite) + release + kBarrier + kAcquire + kRead);
}

TEST(Fences, WeakerOnesReleaseNothing) {
  for (const char* release :
       {"", "fence syncscope(\"workgroup\") acquire\n",
        "fence syncscope(\"wavefront\") release\n",
        "fence syncscope(\"singlethread\") seq_cst\n",
        "fence syncscope(\"workgroup-one-as\") release\n",
        "fence syncscope(\"workgroup\") release, !mmra !1\n"})
    ExpectFault("gfx942",
                std::string(kWrite) + release + kBarrier + kAcquire + kRead,
                kNoRelease);
}

TEST(Fences, TheirPlaceCounts) {
  ExpectFault("gfx942",
              std::string(kRelease) + kWrite + kBarrier + kAcquire + kRead,
              kNoRelease);
  ExpectFault("gfx942",
              std::string(kWrite) + kBarrier + kRelease + kAcquire + kRead,
              kNoRelease);
  ExpectFault("gfx942", std::string(kWrite) + kRelease + kBarrier + kRead,
              "no acquire fence follows");
  ExpectFault("gfx942",
              std::string(kWrite) + kRelease + kAcquire + kBarrier + kRead,
              "no acquire fence follows");
  // What is read before the barrier moves no further than what is written.
  ExpectFault("gfx942",
              std::string(kWrite) + kRelease + kBarrier + kAcquire + kRead +
                  kBarrier + kAcquire + "store i32 0, ptr addrspace(3) %mine\n",
              kNoRelease);
  ExpectRight("gfx942", std::string(kWrite) + kRelease + kBarrier + kAcquire +
                            kRead + kRelease + kBarrier + kAcquire +
                            "store i32 0, ptr addrspace(3) %mine\n");
}

// A wait for the LDS counter, below a fence that keeps accesses above it.
TEST(Waits, ForTheWavesOwnAccesses) {
  const std::string rest = std::string(kBarrier) + kWaveAcquire + kRead;
  ExpectRight("gfx942", kWrite + (kWaveRelease + Lgkmcnt(0)) + rest);
  ExpectRight("gfx1201", kWrite + (kWaveRelease + Wait("dscnt", 0)) + rest);
  ExpectRight("gfx942",
              kWrite + (kWaveRelease + ("call void asm sideeffect \"s_waitcnt "
                                        "lgkmcnt(0)\", \"\"()\n" +
                                        rest)));
  ExpectFault("gfx942", kWrite + Lgkmcnt(0) + rest, kNoRelease);
  ExpectFault("gfx942", kWrite + (Lgkmcnt(0) + kWaveRelease) + rest,
              kNoRelease);
  ExpectFault("gfx942", kWrite + (kWaveRelease + Lgkmcnt(1)) + rest,
              kNoRelease);
  ExpectFault("gfx942", kWrite + (kWaveRelease + Vmcnt(0)) + rest, kNoRelease);
  ExpectFault("gfx1201", kWrite + (kWaveRelease + Wait("loadcnt", 0)) + rest,
              kNoRelease);
}

TEST(StraightLoads, ArriveAtTheWaitThatPromisesThem) {
  const std::string rest = std::string(kBarrier) + kWaveAcquire + kRead;
  for (const char* gfx : {"gfx90a", "gfx942", "gfx950"}) {
    ExpectRight(gfx, kLoad + Vmcnt(0) + rest);
    ExpectRight(gfx,
                std::string(kLoad) + kRelease + kBarrier + kAcquire + kRead);
    ExpectRight(gfx, std::string(kLoad) +
                         "call void asm sideeffect \"s_waitcnt vmcnt(0) & "
                         "lgkmcnt(3)\", \"\"()\n" +
                         rest);
    ExpectFault(gfx, kLoad + Vmcnt(1) + rest + Vmcnt(0), kOnItsWay);
    ExpectFault(gfx, kLoad + rest + Vmcnt(0), kOnItsWay);
  }
}

// By one: the last of several; and the counter's upper bits.
TEST(StraightLoads, ArriveInOrder) {
  const std::string rest = std::string(kBarrier) + kWaveAcquire + kRead;
  ExpectRight("gfx942",
              std::string(kLoad) + kLoadNext + Vmcnt(1) + rest + Vmcnt(0));
  ExpectFault("gfx942", std::string(kLoadNext) + kLoad + Vmcnt(1) + rest,
              kOnItsWay);
  std::string many = kLoad;
  for (int i = 0; i < 20; ++i) many += kLoadNext;
  ExpectRight("gfx942", many + Vmcnt(20) + rest + Vmcnt(0));
  ExpectFault("gfx942", many + Vmcnt(21) + rest, kOnItsWay);
}

TEST(StraightLoads, BringOldBytesUntilThen) {
  // The wave's own read, told apart from the load: what was there before.
  const std::string read =
      "  %y = load i32, ptr addrspace(3) %mine, !noalias !9\n";
  ExpectFault("gfx942", kLoad + read + Vmcnt(0), kOnItsWay);
  // A store would come before or after.
  ExpectFault("gfx942",
              std::string(kLoad) +
                  "  store i32 1, ptr addrspace(3) %mine, !noalias !9\n" +
                  "  %y = add i32 %x, 0\n" + Vmcnt(0),
              kOnItsWay);
}

// LLVM waits before an access of the same wave that may be to the same bytes.
TEST(StraightLoads, LlvmWaitsWithinAWave) {
  const std::string own =
      "  %l = sub i32 %i, %f\n  %m = sub i32 63, %l\n"
      "  %at = getelementptr i32, ptr addrspace(3) %wave, i32 %m\n"
      "  %z = load i32, ptr addrspace(3) %at\n";
  ExpectRight("gfx942", kLoad + own +
                            "  store i32 %z, ptr addrspace(3) %mine\n" +
                            "  %q = load i32, ptr addrspace(3) %at\n" +
                            "  %n = sub i32 127, %i\n"
                            "  %y = mul i32 %n, 7\n");
}

TEST(StraightLoads, AWaveDoesNotEndBeforeThey) {
  ExpectFault("gfx942", std::string(kLoad) + "  %y = add i32 %x, 0\n",
              "the wave ends");
}

TEST(StraightLoads, OthersMustBeDoneWithTheBytes) {
  const std::string before =
      std::string(kWrite) + kRelease + kBarrier + kAcquire + kRead;
  const std::string after = kLoad + Vmcnt(0);
  ExpectFault("gfx942", before + after, "");  // which is first, is not said
  ExpectFault("gfx942", before + kBarrier + kWaveAcquire + after, kNoRelease);
  ExpectRight("gfx942", before + kWaveRelease + Lgkmcnt(0) + kBarrier +
                            kWaveAcquire + after);
}

// By the program's own counter, which no fence waits for.
TEST(StraightLoads, AsynchronousOnesOfGfx1250) {
  const std::string rest = std::string(kBarrier) + kAcquire + kRead;
  ExpectRight("gfx1250", kAsyncLoad + Wait("asynccnt", 0) + rest);
  ExpectFault("gfx1250", kAsyncLoad + Wait("asynccnt", 1) + rest, kOnItsWay);
  ExpectFault("gfx1250", kAsyncLoad + Wait("loadcnt", 0) + rest, kOnItsWay);
  ExpectFault("gfx1250", std::string(kAsyncLoad) + kRelease + rest, kOnItsWay);
  ExpectFault(
      "gfx1250",
      std::string(kAsyncLoad) + "  %y = load i32, ptr addrspace(3) %mine\n",
      kOnItsWay);
  ExpectFault("gfx1201", kAsyncLoad + Wait("asynccnt", 0) + rest,
              "only gfx1250 has this load", FaultKind::InvalidOperand);
  ExpectFault("gfx1201", std::string(kLoad) + kRelease + rest,
              "only gfx9 has this load", FaultKind::InvalidOperand);
}

// Both readers count, whichever of them came last; one of them alone released
// what it did.
TEST(Races, EveryReaderCounts) {
  for (unsigned writer : {0u, 1u, 2u, 3u})
    for (unsigned late : {0u, 1u, 2u, 3u}) {
      if (late == writer) continue;
      // All four waves read; all but one release it; one writes.
      const std::string body =
          "  %w = udiv i32 %i, 32\n"
          "  %first = icmp eq i32 %i, 0\n"
          "  br i1 %first, label %init, label %go\n"
          "init:\n  store i32 5, ptr addrspace(3) @lds\n  br label %go\n"
          "go:\n" +
          (std::string(kRelease) + kBarrier) + kAcquire +
          "  %v = load i32, ptr addrspace(3) @lds\n"
          "  %late = icmp eq i32 %w, " +
          std::to_string(late) +
          "\n  br i1 %late, label %meet, label %give\n"
          "give:\n" +
          kRelease +
          "  br label %meet\n"
          "meet:\n" +
          kBarrier + kAcquire + "  %writes = icmp eq i32 %w, " +
          std::to_string(writer) +
          "\n  br i1 %writes, label %write, label %last\n"
          "write:\n  store i32 6, ptr addrspace(3) @lds\n  br label %last\n"
          "last:\n  %y = add i32 %v, 0\n";
      ExpectFault("gfx1100", body,
                  "wave " + std::to_string(late) + " read bytes 0 to 0");
    }
}

}  // namespace
