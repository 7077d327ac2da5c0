// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations between lanes: who reads from whom.

#include "gtest/gtest.h"
#include "tests/emulator/wave_program.h"

namespace {

using tilewright::emulator::FaultKind;

const std::vector<uint32_t> kLanes64 =
    Each(64, [](uint32_t i) { return 100 + i; });
const std::vector<uint32_t> kLanes32 =
    Each(32, [](uint32_t i) { return 100 + i; });

// Lane i's result is the number of the lane in the table.
void ExpectSources(const WaveResult& result,
                   const std::function<uint32_t(uint32_t)>& source) {
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.out, Each(result.out.size(),
                             [&](uint32_t i) { return 100 + source(i); }));
}

const char kSwizzle[] = "declare i32 @llvm.amdgcn.ds.swizzle(i32, i32 immarg)";
const char kUpdate[] =
    "declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, "
    "i32 immarg, i1 immarg)";

WaveResult Dpp(unsigned control, unsigned rows = 15, unsigned banks = 15,
               bool zeros = false, const char* gfx = "gfx942") {
  std::string body =
      "%y = call i32 @llvm.amdgcn.update.dpp.i32(i32 7, i32 %x, i32 " +
      std::to_string(control) + ", i32 " + std::to_string(rows) + ", i32 " +
      std::to_string(banks) + ", i1 " + (zeros ? "true" : "false") + ")";
  return RunWave(gfx, kUpdate, body, kLanes64);
}

TEST(CrossLane, ReadFirstLane) {
  ExpectSources(
      RunWave("gfx942", "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)",
              "%y = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)", kLanes64),
      [](uint32_t) { return 0; });
}

TEST(CrossLane, ReadLaneAndWriteLane) {
  ExpectSources(
      RunWave("gfx942", "declare i32 @llvm.amdgcn.readlane.i32(i32, i32)",
              "%y = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 37)",
              kLanes64),
      [](uint32_t) { return 37; });
  ExpectSources(
      RunWave(
          "gfx942", "declare i32 @llvm.amdgcn.writelane.i32(i32, i32, i32)",
          "%y = call i32 @llvm.amdgcn.writelane.i32(i32 105, i32 9, i32 %x)",
          kLanes64),
      [](uint32_t i) { return i == 9 ? 5 : i; });
}

TEST(CrossLane, ReadLaneOfOneThatDoesNotTakePart) {
  WaveResult result =
      RunWave("gfx942", "declare i32 @llvm.amdgcn.readlane.i32(i32, i32)",
              "%c = icmp ult i32 %lane, 8\n"
              "br i1 %c, label %some, label %all\n"
              "some:\n"
              "%z = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 9)\n"
              "br label %all\n"
              "all:\n"
              "%y = phi i32 [%x, %0], [%z, %some]",
              kLanes64);
  EXPECT_EQ(result.fault, FaultKind::InvalidOperand);
  EXPECT_EQ(result.lanes.size(), 8u);
  EXPECT_NE(result.error.find("lane 9, which does not take part"),
            std::string::npos)
      << result.error;
}

TEST(CrossLane, Permutes) {
  ExpectSources(
      RunWave("gfx942", "declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)",
              "%r = sub i32 63, %lane\n%a = shl i32 %r, 2\n"
              "%y = call i32 @llvm.amdgcn.ds.bpermute(i32 %a, i32 %x)",
              kLanes64),
      [](uint32_t i) { return 63 - i; });
  ExpectSources(
      RunWave("gfx942", "declare i32 @llvm.amdgcn.ds.permute(i32, i32)",
              "%r = add i32 %lane, 1\n%a = shl i32 %r, 2\n"
              "%y = call i32 @llvm.amdgcn.ds.permute(i32 %a, i32 %x)",
              kLanes64),
      [](uint32_t i) { return (i + 63) % 64; });
}

TEST(CrossLane, Swizzle) {
  auto swizzle = [](unsigned offset) {
    return RunWave("gfx942", kSwizzle,
                   "%y = call i32 @llvm.amdgcn.ds.swizzle(i32 %x, i32 " +
                       std::to_string(offset) + ")",
                   kLanes64);
  };
  ExpectSources(swizzle(0x041f), [](uint32_t i) { return i ^ 1; });   // xor 1
  ExpectSources(swizzle(0x401f), [](uint32_t i) { return i ^ 16; });  // xor 16
  ExpectSources(swizzle(0x0010),
                [](uint32_t i) { return i & 0x30; });  // and 16
  ExpectSources(swizzle(0x801b),
                [](uint32_t i) { return i ^ 3; });  // quads reversed
  ExpectSources(swizzle(0x8000),
                [](uint32_t i) { return i & ~3u; });  // quads' first
  ExpectSources(swizzle(0xc020),
                [](uint32_t i) { return (i & 32) | ((i + 1) & 31); });
}

TEST(CrossLane, Dpp) {
  ExpectSources(Dpp(0x1b),
                [](uint32_t i) { return i ^ 3; });  // quad_perm 3,2,1,0
  ExpectSources(Dpp(0x140), [](uint32_t i) { return i ^ 15; });  // row_mirror
  ExpectSources(Dpp(0x141),
                [](uint32_t i) { return i ^ 7; });  // row_half_mirror
  ExpectSources(Dpp(0x121), [](uint32_t i) {
    return (i & 48) | ((i + 15) & 15);
  });  // row_ror:1
  ExpectSources(Dpp(0x134),
                [](uint32_t i) { return (i + 1) % 64; });  // wave_rol
  ExpectSources(Dpp(0x155, 15, 15, false, "gfx90a"),
                [](uint32_t i) { return (i & 48) | 5; });
}

TEST(CrossLane, DppBeyondTheRow) {
  // row_shl:1 reads from the next lane; the last of a row has none.
  EXPECT_EQ(Dpp(0x101).out, Each(64, [](uint32_t i) {
              return i % 16 == 15 ? 7 : 100 + i + 1;
            }));
  EXPECT_EQ(Dpp(0x101, 15, 15, true).out, Each(64, [](uint32_t i) {
              return i % 16 == 15 ? 0 : 100 + i + 1;
            }));
  EXPECT_EQ(Dpp(0x112).out,
            Each(64, [](uint32_t i) { return i % 16 < 2 ? 7 : 100 + i - 2; }));
  EXPECT_EQ(Dpp(0x138).out,
            Each(64, [](uint32_t i) { return i == 0 ? 7 : 100 + i - 1; }));
  EXPECT_EQ(Dpp(0x142).out, Each(64, [](uint32_t i) {
              return i < 16 ? 7 : 100 + i / 16 * 16 - 1;
            }));
  EXPECT_EQ(Dpp(0x143).out,
            Each(64, [](uint32_t i) { return i < 32 ? 7 : 131; }));
  // Rows 0 and 2, banks 1 and 2.
  EXPECT_EQ(Dpp(0x1b, 5, 6).out, Each(64, [](uint32_t i) {
              bool on = i / 16 % 2 == 0 && (i / 4 % 4 == 1 || i / 4 % 4 == 2);
              return on ? 100 + (i ^ 3) : 7;
            }));
}

TEST(CrossLane, PermlaneOfRdna) {
  const char declare[] =
      "declare i32 @llvm.amdgcn.permlane16.i32(i32, i32, i32, i32, i1 immarg, "
      "i1 immarg)\n"
      "declare i32 @llvm.amdgcn.permlanex16.i32(i32, i32, i32, i32, i1 immarg, "
      "i1 immarg)\n"
      "declare i32 @llvm.amdgcn.mov.dpp8.i32(i32, i32 immarg)";
  auto permlane = [&](const char* name) {
    // Selectors 15, 14, ... 0.
    return RunWave("gfx1100", declare,
                   std::string("%y = call i32 @llvm.amdgcn.") + name +
                       ".i32(i32 0, i32 %x, i32 -1985229329, i32 19088743, i1 "
                       "false, i1 false)",
                   kLanes32);
  };
  // 0x89abcdef for lanes 0 to 7, 0x01234567 for 8 to 15.
  ExpectSources(permlane("permlane16"), [](uint32_t i) { return i ^ 15; });
  ExpectSources(permlane("permlanex16"), [](uint32_t i) { return i ^ 31; });
  ExpectSources(
      RunWave("gfx1100", declare,
              "%y = call i32 @llvm.amdgcn.mov.dpp8.i32(i32 %x, i32 342391)",
              kLanes32),
      [](uint32_t i) { return i ^ 7; });  // 7, 6, ... 0 by three bits
}

TEST(CrossLane, PermlaneSwapOfCdna4) {
  const char declare[] =
      "declare {i32, i32} @llvm.amdgcn.permlane16.swap(i32, i32, i1 immarg, i1 "
      "immarg)\n"
      "declare {i32, i32} @llvm.amdgcn.permlane32.swap(i32, i32, i1 immarg, i1 "
      "immarg)";
  auto swap = [&](const char* width, int part) {
    return RunWave("gfx950", declare,
                   std::string("%s = add i32 %x, 1000\n%p = call {i32, i32} "
                               "@llvm.amdgcn.permlane") +
                       width + ".swap(i32 %x, i32 %s, i1 false, i1 false)\n" +
                       "%y = extractvalue {i32, i32} %p, " +
                       std::to_string(part),
                   kLanes64)
        .out;
  };
  // The upper half of the first changes places with the lower half of the
  // second.
  EXPECT_EQ(swap("32", 0), Each(64, [](uint32_t i) {
              return i < 32 ? 100 + i : 1100 + i - 32;
            }));
  EXPECT_EQ(swap("32", 1), Each(64, [](uint32_t i) {
              return i < 32 ? 100 + i + 32 : 1100 + i;
            }));
  EXPECT_EQ(swap("16", 0), Each(64, [](uint32_t i) {
              return i & 16 ? 1100 + i - 16 : 100 + i;
            }));
  EXPECT_EQ(swap("16", 1), Each(64, [](uint32_t i) {
              return i & 16 ? 1100 + i : 100 + i + 16;
            }));
}

TEST(CrossLane, BallotAndReduction) {
  WaveResult ballot = RunWave(
      "gfx942", "declare i64 @llvm.amdgcn.ballot.i64(i1)",
      "%c = icmp ult i32 %lane, 5\n"
      "%m = call i64 @llvm.amdgcn.ballot.i64(i1 %c)\n%y = trunc i64 %m to i32",
      kLanes64);
  EXPECT_EQ(ballot.out, Each(64, [](uint32_t) { return 31; }));
  WaveResult sum = RunWave(
      "gfx942", "declare i32 @llvm.amdgcn.wave.reduce.add.i32(i32, i32 immarg)",
      "%y = call i32 @llvm.amdgcn.wave.reduce.add.i32(i32 %x, i32 0)",
      kLanes64);
  EXPECT_EQ(sum.out, Each(64, [](uint32_t) { return 6400 + 2016; }));
}

// Lanes leave the loop one by one: each round takes the first of those that are
// left.
TEST(CrossLane, LoopOverDifferentValues) {
  for (unsigned seed : {0, 1, 2}) {
    WaveResult result =
        RunWave("gfx942", "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)",
                "%k = and i32 %x, 3\n"
                "br label %loop\n"
                "loop:\n"
                "%round = phi i32 [0, %0], [%next, %loop]\n"
                "%next = add i32 %round, 1\n"
                "%first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %k)\n"
                "%mine = icmp eq i32 %first, %k\n"
                "br i1 %mine, label %done, label %loop\n"
                "done:\n"
                "%y = add i32 %round, 0",
                kLanes64, seed);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.out, Each(64, [](uint32_t i) { return i % 4; }))
        << "schedule " << seed;
  }
}

// What the hardware takes from a scalar register must be one number; lanes that
// do not take part do not count.
TEST(CrossLane, ScalarOperandsAreTheSameInAllLanes) {
  const char* programs[][2] = {
      {"declare i32 @llvm.amdgcn.readlane.i32(i32, i32)",
       "%y = call i32 @llvm.amdgcn.readlane.i32(i32 7, i32 %n)"},
      {"declare i32 @llvm.amdgcn.writelane.i32(i32, i32, i32)",
       "%y = call i32 @llvm.amdgcn.writelane.i32(i32 7, i32 %n, i32 7)"},
      {"declare i32 @llvm.amdgcn.writelane.i32(i32, i32, i32)",
       "%y = call i32 @llvm.amdgcn.writelane.i32(i32 %n, i32 0, i32 7)"},
      {"declare i32 @llvm.amdgcn.permlane16.i32(i32, i32, i32, i32, i1 immarg, "
       "i1 immarg)",
       "%y = call i32 @llvm.amdgcn.permlane16.i32(i32 7, i32 7, i32 0, i32 %n, "
       "i1 0, i1 0)"},
      {"declare i1 @llvm.amdgcn.inverse.ballot.i32(i32)",
       "%b = call i1 @llvm.amdgcn.inverse.ballot.i32(i32 %n)\n"
       "%y = zext i1 %b to i32"},
  };
  const std::vector<uint32_t> in = Each(32, [](uint32_t i) { return i; });
  for (const auto& [declaration, body] : programs) {
    // Lane 9 alone has another number.
    const std::string odd = "%o = icmp eq i32 %x, 9\n%n = zext i1 %o to i32\n";
    WaveResult result =
        RunWave("gfx1100", declaration, odd + std::string(body), in);
    EXPECT_EQ(result.fault, FaultKind::InvalidOperand) << body;
    EXPECT_NE(result.error.find("differs in lanes 0 and 9"), std::string::npos)
        << result.error;
    const std::string apart = odd +
                              "br i1 %o, label %last, label %rest\nrest:\n" +
                              std::string(body).replace(1, 1, "z") +
                              "\nbr label %last\nlast:\n%y = add i32 %x, 0";
    if (std::string(body).rfind("%y", 0) == 0) {
      WaveResult right = RunWave("gfx1100", declaration, apart, in);
      EXPECT_EQ(right.error, "") << body;
    }
  }
}

// A workgroup of 96: its last wave is half of one, and EXEC is never all ones.
TEST(Matrix, APartialWaveIsReported) {
  const std::string ir =
      "declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x "
      "half>, <4 x float>, i32 immarg, i32 immarg, i32 immarg)\n"
      "define amdgpu_kernel void @entry(ptr addrspace(1) %in, ptr addrspace(1) "
      "%out) {\n"
      "%v = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> "
      "zeroinitializer, <4 x half> zeroinitializer, <4 x float> "
      "zeroinitializer, i32 0, i32 0, i32 0)\n"
      "store <4 x float> %v, ptr addrspace(1) %out\nret void\n}\n";
  for (unsigned threads : {1u, 32u, 63u, 96u, 127u}) {
    WaveResult result = RunKernel("gfx942", ir, threads, kLanes64, 64);
    EXPECT_EQ(result.fault, FaultKind::Divergence) << threads;
    EXPECT_NE(result.error.find("EXEC must be all ones"), std::string::npos)
        << result.error;
    EXPECT_NE(result.error.find("the last wave of this block has only"),
              std::string::npos)
        << result.error;
  }
  for (unsigned threads : {64u, 128u})
    EXPECT_EQ(RunKernel("gfx942", ir, threads, kLanes64, 64).error, "");
}

TEST(Matrix, LanesThatHaveReturnedAreReported) {
  WaveResult result = RunWave(
      "gfx942",
      "declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x "
      "half>, <4 x float>, i32 immarg, i32 immarg, i32 immarg)",
      "%o = icmp eq i32 %lane, 9\nbr i1 %o, label %gone, label %rest\n"
      "gone:\nstore i32 5, ptr addrspace(1) %to\nret void\n"
      "rest:\n%v = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x "
      "half> "
      "zeroinitializer, <4 x half> zeroinitializer, <4 x float> "
      "zeroinitializer, i32 0, i32 0, i32 0)\n"
      "%e = extractelement <4 x float> %v, i32 0\n"
      "%y = bitcast float %e to i32",
      kLanes64);
  EXPECT_EQ(result.fault, FaultKind::Divergence);
  EXPECT_NE(result.error.find("lanes 9 have returned"), std::string::npos)
      << result.error;
}

}  // namespace
