// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of one lane: values worked out by hand from the instruction set
// documents.

#include <cmath>
#include <cstring>

#include "gtest/gtest.h"
#include "tests/emulator/wave_program.h"

namespace {

struct Case {
  const char *name, *gfx, *declare, *body;
  uint32_t x, y;
};

constexpr uint32_t kHalf2 = 0x40003c00;    // halves 1 and 2
constexpr uint32_t kBfloat2 = 0x40003f80;  // bfloats 1 and 2

constexpr Case kCases[] = {
    {"Sdot4", "gfx942",
     "declare i32 @llvm.amdgcn.sdot4(i32, i32, i32, i1 immarg)",
     "%y = call i32 @llvm.amdgcn.sdot4(i32 %x, i32 67305985, i32 10, "
     "i1 false)",  // 1, 2, 3, 4
     0x01ff80ff, uint32_t(10 - 1 + 2 * -128 + 3 * -1 + 4 * 1)},
    {"Udot4", "gfx942",
     "declare i32 @llvm.amdgcn.udot4(i32, i32, i32, i1 immarg)",
     "%y = call i32 @llvm.amdgcn.udot4(i32 %x, i32 67305985, i32 10, "
     "i1 false)",
     0x01ff80ff, 10 + 255 + 2 * 128 + 3 * 255 + 4 * 1},
    {"UdotClamps", "gfx942",
     "declare i32 @llvm.amdgcn.udot4(i32, i32, i32, i1 immarg)",
     "%y = call i32 @llvm.amdgcn.udot4(i32 %x, i32 %x, i32 -16, i1 "
     "true)",
     0x04040404, 0xffffffff},
    {"Sudot4", "gfx1100",
     "declare i32 @llvm.amdgcn.sudot4(i1 immarg, i32, i1 immarg, i32, "
     "i32, i1 immarg)",
     "%y = call i32 @llvm.amdgcn.sudot4(i1 true, i32 %x, i1 false, i32 "
     "-1, i32 0, i1 false)",
     0x000001ff, 255 * (-1 + 1)},
    {"Sdot8", "gfx942",
     "declare i32 @llvm.amdgcn.sdot8(i32, i32, i32, i1 immarg)",
     "%y = call i32 @llvm.amdgcn.sdot8(i32 %x, i32 286331153, i32 0, "
     "i1 false)",
     0x8000000f, uint32_t(-9)},
    {"Sdot2", "gfx942",
     "declare i32 @llvm.amdgcn.sdot2(<2 x i16>, <2 x i16>, i32, i1 "
     "immarg)",
     "%v = bitcast i32 %x to <2 x i16>\n"
     "%y = call i32 @llvm.amdgcn.sdot2(<2 x i16> %v, <2 x i16> <i16 2, "
     "i16 3>, i32 1, i1 false)",
     0xfffe0005, 1 + 2 * 5 + 3 * -2},
    {"Fdot2", "gfx942",
     "declare float @llvm.amdgcn.fdot2(<2 x half>, <2 x half>, float, "
     "i1 immarg)",
     "%v = bitcast i32 %x to <2 x half>\n"
     "%f = call float @llvm.amdgcn.fdot2(<2 x half> %v, <2 x half> "
     "<half 3.0, half 4.0>, float 0.5, i1 false)\n"
     "%y = bitcast float %f to i32",
     kHalf2, 0x41380000},  // 11.5
    {"Fdot2Bf16", "gfx1100",
     "declare float @llvm.amdgcn.fdot2.f32.bf16(<2 x bfloat>, <2 x "
     "bfloat>, float, i1 immarg)",
     "%v = bitcast i32 %x to <2 x bfloat>\n"
     "%f = call float @llvm.amdgcn.fdot2.f32.bf16(<2 x bfloat> %v, <2 "
     "x bfloat> <bfloat 3.0, bfloat 4.0>, "
     "float 0.5, i1 false)\n%y = bitcast float %f to i32",
     kBfloat2, 0x41380000},
    {"Perm", "gfx942", "declare i32 @llvm.amdgcn.perm(i32, i32, i32)",
     "%y = call i32 @llvm.amdgcn.perm(i32 %x, i32 287454020, i32 "
     "202113031)",  // 0x0c0c0007
     0x8899aabb, 0x00004488},
    {"PermSigns", "gfx942", "declare i32 @llvm.amdgcn.perm(i32, i32, i32)",
     "%y = call i32 @llvm.amdgcn.perm(i32 %x, i32 32768, i32 "
     "218893832)",  // sel 0x0d0c0a08
     0x00008000, 0xff00ffff},
    {"AlignByte", "gfx942", "declare i32 @llvm.amdgcn.alignbyte(i32, i32, i32)",
     "%y = call i32 @llvm.amdgcn.alignbyte(i32 %x, i32 287454020, i32 "
     "3)",
     0x8899aabb, 0x99aabb11},
    {"Ubfe", "gfx942", "declare i32 @llvm.amdgcn.ubfe.i32(i32, i32, i32)",
     "%y = call i32 @llvm.amdgcn.ubfe.i32(i32 %x, i32 8, i32 8)", 0x1234f678,
     0xf6},
    {"Sbfe", "gfx942", "declare i32 @llvm.amdgcn.sbfe.i32(i32, i32, i32)",
     "%y = call i32 @llvm.amdgcn.sbfe.i32(i32 %x, i32 8, i32 8)", 0x1234f678,
     0xfffffff6},
    {"Sad", "gfx942", "declare i32 @llvm.amdgcn.sad.u8(i32, i32, i32)",
     "%y = call i32 @llvm.amdgcn.sad.u8(i32 %x, i32 67305985, i32 100)",
     0x01020304, 100 + 3 + 1 + 1 + 3},
    {"Bitop3", "gfx950",
     "declare i32 @llvm.amdgcn.bitop3.i32(i32, i32, i32, i32 immarg)",
     "%y = call i32 @llvm.amdgcn.bitop3.i32(i32 %x, i32 -858993460, i32 "
     "-1431655766, i32 54)",  // 0xcccccccc, 0xaaaaaaaa: the bits' numbers
     0xf0f0f0f0, 0x36363636},
    {"Median", "gfx942",
     "declare float @llvm.amdgcn.fmed3.f32(float, float, float)",
     "%f = bitcast i32 %x to float\n%m = call float "
     "@llvm.amdgcn.fmed3.f32(float %f, float 1.0, float 4.0)\n"
     "%y = bitcast float %m to i32",
     0x41000000, 0x40800000},  // 8 -> 4
    {"MulLegacy", "gfx942",
     "declare float @llvm.amdgcn.fmul.legacy(float, float)",
     "%f = bitcast i32 %x to float\n%m = call float "
     "@llvm.amdgcn.fmul.legacy(float %f, float 5.0)\n"
     "%y = bitcast float %m to i32",
     0x40400000, 0x41700000},  // 3 -> 15
    {"MulLegacyOfZero", "gfx942",
     "declare float @llvm.amdgcn.fmul.legacy(float, float)",
     "%f = bitcast i32 %x to float\n%m = call float "
     "@llvm.amdgcn.fmul.legacy(float 0.0, float %f)\n"
     "%y = bitcast float %m to i32",
     0x7f800000, 0},  // of infinity, too
    {"FmaLegacy", "gfx1100",
     "declare float @llvm.amdgcn.fma.legacy(float, float, float)",
     "%f = bitcast i32 %x to float\n%m = call float "
     "@llvm.amdgcn.fma.legacy(float %f, float 5.0, float 0.5)\n"
     "%y = bitcast float %m to i32",
     0x40400000, 0x41780000},  // 15.5
    {"MulI24", "gfx942", "declare i32 @llvm.amdgcn.mul.i24.i32(i32, i32)",
     "%y = call i32 @llvm.amdgcn.mul.i24.i32(i32 %x, i32 3)", 0x55ffffff,
     uint32_t(-3)},
    {"Fp8Fnuz", "gfx942",
     "declare float @llvm.amdgcn.cvt.f32.fp8(i32, i32 immarg)",
     "%f = call float @llvm.amdgcn.cvt.f32.fp8(i32 %x, i32 1)\n%y = "
     "bitcast float %f to i32",
     0x4000, 0x3f800000},
    {"Fp8Ocp", "gfx950",
     "declare float @llvm.amdgcn.cvt.f32.fp8(i32, i32 immarg)",
     "%f = call float @llvm.amdgcn.cvt.f32.fp8(i32 %x, i32 1)\n%y = "
     "bitcast float %f to i32",
     0x4000, 0x40000000},
    {"ToFp8", "gfx1201",
     "declare i32 @llvm.amdgcn.cvt.pk.fp8.f32(float, float, i32, i1 "
     "immarg)",
     "%f = bitcast i32 %x to float\n"
     "%y = call i32 @llvm.amdgcn.cvt.pk.fp8.f32(float %f, float -2.0, "
     "i32 4660, i1 true)",
     0x3f880000, 0xc0381234},  // 1.0625: half between 1 and 1.125, ties to even
    {"ToBf8", "gfx950",
     "declare i32 @llvm.amdgcn.cvt.pk.bf8.f32(float, float, i32, i1 "
     "immarg)",
     "%f = bitcast i32 %x to float\n"
     "%y = call i32 @llvm.amdgcn.cvt.pk.bf8.f32(float %f, float 1.0, "
     "i32 0, i1 false)",
     0x7f7fffff, 0x3c7c},  // too large: infinity
    {"Fp4", "gfx950",
     "declare <2 x float> @llvm.amdgcn.cvt.scalef32.pk.f32.fp4(i32, "
     "float, i32 immarg)",
     "%v = call <2 x float> @llvm.amdgcn.cvt.scalef32.pk.f32.fp4(i32 "
     "%x, float 4.0, i32 2)\n"
     "%f = extractelement <2 x float> %v, i32 1\n%y = bitcast float %f "
     "to i32",
     0x00f50000, 0xc1c00000},  // codes 5 and 15: 3 and -6, times 4
    {"ToFp4", "gfx950",
     "declare i32 @llvm.amdgcn.cvt.scalef32.pk.fp4.f32(i32, float, "
     "float, float, i32 immarg)",
     "%f = bitcast i32 %x to float\n"
     "%y = call i32 @llvm.amdgcn.cvt.scalef32.pk.fp4.f32(i32 -1, float "
     "%f, float -0.5, float 1.0, i32 1)",
     0x40a00000, 0xffff96ff},  // 5: between 4 and 6, to the even mantissa
    {"RoundsTowardsZero", "gfx942",
     "declare <2 x half> @llvm.amdgcn.cvt.pkrtz(float, float)",
     "%f = bitcast i32 %x to float\n%h = call <2 x half> "
     "@llvm.amdgcn.cvt.pkrtz(float %f, float -1.0)\n"
     "%y = bitcast <2 x half> %h to i32",
     0x3f801fff, 0xbc003c00},
    {"Class", "gfx942", "declare i1 @llvm.amdgcn.class.f32(float, i32)",
     "%f = bitcast i32 %x to float\n%c = call i1 "
     "@llvm.amdgcn.class.f32(float %f, i32 4)\n"
     "%y = zext i1 %c to i32",
     0xff800000, 1},  // minus infinity
    {"Bf16Denormal", "gfx950", "",
     "%f = bitcast i32 %x to float\n%b = fptrunc float %f to "
     "bfloat\n%w = bitcast bfloat %b to i16\n"
     "%y = zext i16 %w to i32",
     0x00200000, 0x20},
};

class Arithmetic : public testing::TestWithParam<Case> {};

TEST_P(Arithmetic, IsAsDocumented) {
  const Case& c = GetParam();
  std::vector<uint32_t> in(std::strncmp(c.gfx, "gfx1", 4) == 0 ? 32 : 64, c.x);
  WaveResult result = RunWave(c.gfx, c.declare, c.body, in);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.out, std::vector<uint32_t>(in.size(), c.y));
}

INSTANTIATE_TEST_SUITE_P(Each, Arithmetic, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& info) {
                           return info.param.name;
                         });

// A is 1 at k = 64, which lane 0 holds in its element 16; B is 1 everywhere.
// The scale of k = 64 is that of block 2, which lane 32 holds.
TEST(BlockScale, IsThatOfTheBlockOfK) {
  WaveResult result = RunWave(
      "gfx950",
      "declare <4 x float> "
      "@llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32(<8 x i32>, <8 "
      "x i32>, "
      "<4 x float>, i32 immarg, i32 immarg, i32 immarg, i32, i32 immarg, i32)",
      "%c = icmp eq i32 %lane, 0\n"
      "%one = select i1 %c, i32 56, i32 0\n"
      "%a = insertelement <8 x i32> zeroinitializer, i32 %one, i32 4\n"
      "%d = call <4 x float> "
      "@llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32(<8 x i32> %a, "
      "<8 x i32> "
      "splat (i32 943208504), <4 x float> zeroinitializer, i32 0, i32 0, i32 "
      "1, i32 %x, i32 0, i32 2139062143)\n"
      "%f = extractelement <4 x float> %d, i32 0\n%y = bitcast float %f to i32",
      // Byte 1: 2^(lane - 32).
      Each(64, [](uint32_t i) { return (127 - 32 + i) << 8; }));
  EXPECT_EQ(result.error, "");
  // D[0][j] is in element 0 of lanes 0 to 15.
  EXPECT_EQ(result.out,
            Each(64, [](uint32_t i) { return i < 16 ? 0x3f800000 : 0; }));
}

TEST(BlockScale, ConstantZerosMeanNone) {
  WaveResult result = RunWave(
      "gfx950",
      "declare <4 x float> "
      "@llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v4i32.v4i32(<4 x i32>, <4 "
      "x i32>, "
      "<4 x float>, i32 immarg, i32 immarg, i32 immarg, i32, i32 immarg, i32)",
      "%d = call <4 x float> "
      "@llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v4i32.v4i32(<4 x i32> "
      "splat (i32 "
      "572662306), <4 x i32> splat (i32 572662306), <4 x float> "
      "zeroinitializer, i32 4, i32 4, i32 0, i32 0, i32 0, "
      "i32 0)\n"
      "%f = extractelement <4 x float> %d, i32 3\n%y = bitcast float %f to i32",
      std::vector<uint32_t>(64, 0));
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.out, std::vector<uint32_t>(64, 0x43000000));  // 128
}

TEST(Unknown, IntrinsicIsNamed) {
  WaveResult result = RunWave(
      "gfx942",
      "declare i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3), i1 immarg)\n"
      "@lds = internal addrspace(3) global i32 poison",
      "%y = call i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3) @lds, i1 "
      "false)",
      std::vector<uint32_t>(64, 0));
  EXPECT_NE(result.error.find("llvm.amdgcn.ds.append.p3 is not emulated"),
            std::string::npos)
      << result.error;
}

// Not as an instruction that the target lacks: it has it.
TEST(Unknown, SparseMultipliesAreNotEmulated) {
  WaveResult result =
      RunWave("gfx942",
              "declare <4 x float> @llvm.amdgcn.smfmac.f32.16x16x32.f16(<4 x "
              "half>, <8 x half>, <4 x float>, i32, i32 immarg, i32 immarg)",
              "%d = call <4 x float> @llvm.amdgcn.smfmac.f32.16x16x32.f16(<4 x "
              "half> zeroinitializer, <8 x half> zeroinitializer, <4 x float> "
              "zeroinitializer, i32 %x, i32 0, i32 0)\n%y = add i32 %x, 0",
              std::vector<uint32_t>(64, 0));
  EXPECT_NE(result.error.find("smfmac.f32.16x16x32.f16 is not emulated"),
            std::string::npos)
      << result.error;
}

TEST(Unknown, InstructionOfAnotherTargetIsRefused) {
  WaveResult result =
      RunWave("gfx950",
              "declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x8.xf32(<2 x "
              "float>, <2 x float>, <4 x float>, "
              "i32 immarg, i32 immarg, i32 immarg)",
              "%d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x8.xf32(<2 x "
              "float> zeroinitializer, <2 x float> "
              "zeroinitializer, <4 x float> zeroinitializer, i32 0, i32 0, i32 "
              "0)\n%y = add i32 %x, 0",
              std::vector<uint32_t>(64, 0));
  EXPECT_NE(result.error.find("is no instruction of gfx950"), std::string::npos)
      << result.error;
}

}  // namespace
