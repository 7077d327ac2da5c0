// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer resources, loads that go straight to LDS, and what a wave sees of its
// own LDS accesses.

#include <cstdio>
#include <string>

#include "gtest/gtest.h"
#include "tests/emulator/wave_program.h"

namespace {

using tilewright::emulator::FaultKind;

const std::vector<uint32_t> kIn = Each(64, [](uint32_t i) { return 100 + i; });

const char kBuffer[] =
    "declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr "
    "addrspace(1), i16, i64, i32)\n"
    "declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, "
    "i32, i32 immarg)\n"
    "declare <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr "
    "addrspace(8), i32, i32, i32 immarg)\n"
    "declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), "
    "i32, i32, i32 immarg)\n"
    "declare void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8), ptr "
    "addrspace(3), i32 immarg, "
    "i32, i32, i32 immarg, i32 immarg)\n";

std::string Resource(const char* pointer, unsigned bytes) {
  return std::string(
             "%r = call ptr addrspace(8) "
             "@llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %") +
         pointer + ", i16 0, i64 " + std::to_string(bytes) +
         ", i32 159744)\n%o = shl i32 %lane, 2\n";
}

TEST(Buffer, LoadsBeyondTheRecordsGiveZero) {
  WaveResult result =
      RunWave("gfx942", kBuffer,
              Resource("in", 160) +
                  "%y = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr "
                  "addrspace(8) %r, i32 %o, i32 0, i32 0)",
              kIn);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.out,
            Each(64, [](uint32_t i) { return i < 40 ? 100 + i : 0; }));
}

TEST(Buffer, NegativeOffsetsAreBeyondTheRecordsToo) {
  WaveResult result =
      RunWave("gfx942", kBuffer,
              Resource("in", 256) +
                  "%n = sub i32 %o, 8\n"
                  "%y = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr "
                  "addrspace(8) %r, i32 %n, i32 0, i32 0)",
              kIn);
  EXPECT_EQ(result.out,
            Each(64, [](uint32_t i) { return i < 2 ? 0 : 100 + i - 2; }));
}

TEST(Buffer, WideLoadsAreCutByTheDword) {
  WaveResult result = RunWave(
      "gfx942", kBuffer,
      Resource("in", 248) +
          "%v = call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr "
          "addrspace(8) %r, i32 %o, i32 0, "
          "i32 0)\n"
          "%s = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)\n%y = add "
          "i32 %s, 0",
      Each(64, [](uint32_t) { return 1; }));
  // Records for 62 dwords.
  EXPECT_EQ(result.out, Each(64, [](uint32_t i) {
              return i < 59 ? 4 : i < 62 ? 62 - i : 0;
            }));
}

// A dword of which a part lies beyond the records is beyond them.
TEST(Buffer, PartialDwordsAtTheEndAreBeyondIt) {
  for (unsigned extra : {0u, 1u, 2u, 3u}) {
    const std::string resource = Resource("in", 160 + extra);
    const auto expected =
        Each(64, [](uint32_t i) { return i < 40 ? 100 + i : 0; });
    WaveResult load =
        RunWave("gfx942", kBuffer,
                resource +
                    "%y = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr "
                    "addrspace(8) %r, i32 %o, i32 0, i32 0)",
                kIn);
    EXPECT_EQ(load.error, "");
    EXPECT_EQ(load.out, expected) << extra;
    WaveResult wide = RunWave(
        "gfx942", kBuffer,
        resource +
            "%v = call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr "
            "addrspace(8) %r, i32 %o, i32 0, i32 0)\n"
            "%y = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)",
        Each(64, [](uint32_t) { return 1; }));
    EXPECT_EQ(wide.out, Each(64,
                             [](uint32_t i) {
                               return i < 37 ? 4 : i < 40 ? 40 - i : 0;
                             }))
        << extra;
    WaveResult straight = RunWave(
        "gfx950",
        "@lds = internal addrspace(3) global [128 x i32] poison\n" +
            std::string(kBuffer),
        resource +
            "call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) "
            "%r, ptr addrspace(3) @lds, i32 4, i32 %o, i32 0, i32 0, i32 0)\n"
            "%b = getelementptr i32, ptr addrspace(3) @lds, i32 %lane\n"
            "%y = load i32, ptr addrspace(3) %b",
        kIn);
    EXPECT_EQ(straight.out, expected) << extra;
    WaveResult store = RunWave(
        "gfx942", kBuffer,
        Resource("out", 160 + extra) +
            "store i32 5, ptr addrspace(1) %to\n"
            "call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %x, ptr "
            "addrspace(8) %r, i32 %o, i32 0, i32 0)\n"
            "%y = load i32, ptr addrspace(1) %to",
        kIn);
    EXPECT_EQ(store.out,
              Each(64, [](uint32_t i) { return i < 40 ? 100 + i : 5; }))
        << extra;
  }
}

TEST(Buffer, RecordsWithoutMemoryAreCaught) {
  WaveResult result =
      RunWave("gfx942", kBuffer,
              Resource("in", 260) +
                  "%n = add i32 %o, 4\n"
                  "%y = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr "
                  "addrspace(8) %r, i32 %n, i32 0, i32 0)",
              kIn);
  EXPECT_EQ(result.fault, FaultKind::GlobalOutOfBounds);
  EXPECT_EQ(result.lanes, std::vector<unsigned>{63});
  EXPECT_NE(result.error.find("at byte 256 of 'in', which has 256"),
            std::string::npos)
      << result.error;
}

TEST(Buffer, ScalarOffsetsAreNotPartOfTheCheck) {
  WaveResult result =
      RunWave("gfx942", kBuffer,
              Resource("in", 128) +
                  "%y = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr "
                  "addrspace(8) %r, i32 %o, i32 128, i32 0)",
              kIn);
  EXPECT_EQ(result.out,
            Each(64, [](uint32_t i) { return i < 32 ? 132 + i : 0; }));
}

TEST(Buffer, StoresBeyondTheRecordsDoNothing) {
  WaveResult result =
      RunWave("gfx942", kBuffer,
              Resource("out", 16) +
                  "store i32 5, ptr addrspace(1) %to\n"
                  "call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %x, ptr "
                  "addrspace(8) %r, i32 %o, i32 0, i32 0)\n"
                  "%y = load i32, ptr addrspace(1) %to",
              kIn);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.out,
            Each(64, [](uint32_t i) { return i < 4 ? 100 + i : 5; }));
}

TEST(Buffer, FatPointers) {
  WaveResult result =
      RunWave("gfx942", kBuffer,
              Resource("in", 256) +
                  "%f = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)\n"
                  "%p = getelementptr i32, ptr addrspace(7) %f, i32 %lane\n"
                  "%q = getelementptr i8, ptr addrspace(7) %p, i32 16\n"
                  "%y = load i32, ptr addrspace(7) %q",
              kIn);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.out,
            Each(64, [](uint32_t i) { return i < 60 ? 104 + i : 0; }));
}

const char kLds[] =
    "@lds = internal addrspace(3) global [128 x i32] poison, align 16\n";

// What lanes of a wave tell each other needs no barrier: they go in step.
TEST(Lds, LanesOfAWaveGoInStep) {
  for (unsigned seed : {0, 1, 2, 3}) {
    WaveResult result =
        RunWave("gfx942", kLds,
                "%n = sub i32 63, %lane\n"
                "%a = getelementptr i32, ptr addrspace(3) @lds, i32 %lane\n"
                "%b = getelementptr i32, ptr addrspace(3) @lds, i32 %n\n"
                "store i32 %x, ptr addrspace(3) %a\n"
                "%z = load i32, ptr addrspace(3) %b\n"
                "%w = add i32 %z, 1\n"
                "store i32 %w, ptr addrspace(3) %a\n"
                "%y = load i32, ptr addrspace(3) %b",
                kIn, seed);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.out, Each(64, [](uint32_t i) { return 101 + i; }))
        << "schedule " << seed;
  }
}

TEST(Lds, LoadsGoStraightToIt) {
  const char declare[] =
      "declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr "
      "addrspace(3), i32 immarg, i32 immarg, "
      "i32 immarg)\n";
  // Lane i brings in[63 - i]; the 16 bytes of offset count on both sides.
  WaveResult result =
      RunWave("gfx942", std::string(kLds) + declare,
              "%n = sub i32 59, %lane\n"
              "%g = getelementptr i32, ptr addrspace(1) %in, i32 %n\n"
              "call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %g, ptr "
              "addrspace(3) @lds, i32 4, i32 16, i32 0)\n"
              "%m = add i32 %lane, 4\n"
              "%b = getelementptr i32, ptr addrspace(3) @lds, i32 %m\n"
              "%y = load i32, ptr addrspace(3) %b",
              kIn);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.out, Each(64, [](uint32_t i) { return 163 - i; }));
}

TEST(Lds, BufferLoadsGoStraightToIt) {
  WaveResult result =
      RunWave("gfx950", std::string(kLds) + kBuffer,
              Resource("in", 160) +
                  "call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr "
                  "addrspace(8) %r, ptr addrspace(3) @lds, i32 4, i32 "
                  "%o, i32 0, i32 0, i32 0)\n"
                  "%b = getelementptr i32, ptr addrspace(3) @lds, i32 %lane\n"
                  "%y = load i32, ptr addrspace(3) %b",
              kIn);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.out,
            Each(64, [](uint32_t i) { return i < 40 ? 100 + i : 0; }));
}

TEST(Lds, TheAddressOfAStraightLoadIsTheWaves) {
  WaveResult result =
      RunWave("gfx950", std::string(kLds) + kBuffer,
              Resource("in", 160) +
                  "%b = getelementptr i32, ptr addrspace(3) @lds, i32 %lane\n"
                  "call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr "
                  "addrspace(8) %r, ptr addrspace(3) %b, i32 4, i32 %o, "
                  "i32 0, i32 0, i32 0)\n"
                  "%y = load i32, ptr addrspace(3) %b",
              kIn);
  EXPECT_EQ(result.fault, FaultKind::InvalidOperand);
  EXPECT_NE(result.error.find("not the same for all lanes"), std::string::npos)
      << result.error;
}

TEST(Lds, OneByteOutOfBounds) {
  for (bool load : {true, false}) {
    std::string access =
        load ? "%b = load i16, ptr addrspace(3) %p, align 1\n%y = zext i16 %b "
               "to i32"
             : "store i16 1, ptr addrspace(3) %p, align 1\n%y = add i32 %x, 0";
    WaveResult result =
        RunWave("gfx942", kLds,
                "call void @llvm.memset.p3.i64(ptr addrspace(3) @lds, i8 0, "
                "i64 512, i1 false)\n"
                "%i = add i32 %lane, 448\n"
                "%p = getelementptr i8, ptr addrspace(3) @lds, i32 %i\n" +
                    access,
                kIn);
    EXPECT_EQ(result.fault, FaultKind::LdsOutOfBounds);
    EXPECT_EQ(result.lanes, std::vector<unsigned>{63});
    EXPECT_NE(result.error.find("bytes 511 to 512 of 'lds', which has 512"),
              std::string::npos)
        << result.error;
  }
}

TEST(Global, OneByteOutOfBounds) {
  for (bool load : {true, false}) {
    std::string access =
        load ? "%b = load i16, ptr addrspace(1) %p, align 1\n%y = zext i16 %b "
               "to i32"
             : "store i16 1, ptr addrspace(1) %p, align 1\n%y = add i32 %x, 0";
    WaveResult result =
        RunWave("gfx942", "",
                std::string("%i = add i32 %lane, 192\n"
                            "%p = getelementptr i8, ptr addrspace(1) %") +
                    (load ? "in" : "out") + ", i32 %i\n" + access,
                kIn);
    EXPECT_EQ(result.fault, FaultKind::GlobalOutOfBounds);
    EXPECT_EQ(result.lanes, std::vector<unsigned>{63});
    EXPECT_NE(result.error.find("which has 256; ends 1 past it"),
              std::string::npos)
        << result.error;
  }
}

// Half of a lane's stack, with what the emulator keeps there itself, is the
// most.
TEST(Private, MoreThanAStackHoldsIsRefused) {
  auto run = [](unsigned long long bytes) {
    return RunWave("gfx942", "",
                   "%big = alloca [" + std::to_string(bytes) +
                       " x i8], addrspace(5)\n%y = add i32 %x, 0",
                   kIn)
        .error;
  };
  const unsigned long long big = 262144;
  const std::string refused = run(big);
  unsigned long long needed = 0, stack = 0;
  const size_t number =
      refused.rfind(": ", refused.find(" bytes of private")) + 2;
  ASSERT_EQ(std::sscanf(refused.c_str() + number,
                        "%llu bytes of private memory in each lane, more than "
                        "half of its stack of %llu:",
                        &needed, &stack),
            2)
      << refused;
  const unsigned long long most = stack / 2 - (needed - big);
  EXPECT_EQ(run(most), "");
  EXPECT_NE(run(most + 1), "");
}

TEST(Global, FlatPointersFindTheirMemory) {
  WaveResult result =
      RunWave("gfx942", kLds,
              "%stack = alloca i32, addrspace(5)\n"
              "%s = addrspacecast ptr addrspace(5) %stack to ptr\n"
              "%a = getelementptr i32, ptr addrspace(3) @lds, i32 %lane\n"
              "%l = addrspacecast ptr addrspace(3) %a to ptr\n"
              "%g = addrspacecast ptr addrspace(1) %from to ptr\n"
              "store i32 %x, ptr %s\n"
              "%u = load i32, ptr %s\n"
              "store i32 %u, ptr %l\n"
              "%v = load i32, ptr %l\n"
              "%w = load i32, ptr %g\n"
              "%y = add i32 %v, %w",
              kIn);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.out, Each(64, [](uint32_t i) { return 200 + 2 * i; }));
}

}  // namespace
