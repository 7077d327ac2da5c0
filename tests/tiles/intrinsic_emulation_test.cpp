// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated intrinsics against a scalar definition of the instructions, and
// against the instructions themselves where this CPU has them.

#include "tests/tiles/intrinsic_emulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "tests/common/seed.h"
#include "tests/tiles/element_codec.h"
#include "tests/tiles/parsed_module.h"
#include "tests/tiles/tile_source.h"

namespace tilewright::testing {
namespace {

// How the 32 bits of a lane of the operands are read.
struct Instruction {
  const char* intrinsic;  // without "llvm.x86.", or a text with operands
  const char* features;   // that it needs, in LLVM's spelling
  int bits;               // of a lane
  tw_element_type_t lhs, rhs;
  bool accumulates;
};

std::ostream& operator<<(std::ostream& out, const Instruction& i) {
  return out << i.intrinsic;
}

const Instruction kInstructions[] = {
    {"avx512.vpdpbusd.512", "avx512f,avx512vnni", 512, TW_ELEMENT_U8,
     TW_ELEMENT_S8, true},
    {"avx512.vpdpbusd.256", "avx512vl,avx512vnni", 256, TW_ELEMENT_U8,
     TW_ELEMENT_S8, true},
    {"avx512.vpdpbusd.128", "avx512vl,avx512vnni", 128, TW_ELEMENT_U8,
     TW_ELEMENT_S8, true},
    {"avx512.vpdpwssd.512", "avx512f,avx512vnni", 512, TW_ELEMENT_S16,
     TW_ELEMENT_S16, true},
    {"avx512.vpdpwssd.256", "avx512vl,avx512vnni", 256, TW_ELEMENT_S16,
     TW_ELEMENT_S16, true},
    {"vpdpwssd $2, $1, $0", "avx512f,avx512vnni", 512, TW_ELEMENT_S16,
     TW_ELEMENT_S16, true},
    {"avx2.vpdpbssd.256", "avxvnniint8", 256, TW_ELEMENT_S8, TW_ELEMENT_S8,
     true},
    {"avx2.vpdpbsud.256", "avxvnniint8", 256, TW_ELEMENT_S8, TW_ELEMENT_U8,
     true},
    {"avx10.vpdpbssd.512", "avx10.2", 512, TW_ELEMENT_S8, TW_ELEMENT_S8, true},
    {"avx10.vpdpbsud.512", "avx10.2", 512, TW_ELEMENT_S8, TW_ELEMENT_U8, true},
    {"avx10.vpdpbuud.512", "avx10.2", 512, TW_ELEMENT_U8, TW_ELEMENT_U8, true},
    {"avx2.vpdpbuud.256", "avxvnniint8", 256, TW_ELEMENT_U8, TW_ELEMENT_U8,
     true},
    {"avx2.pmadd.wd", "avx2", 256, TW_ELEMENT_S16, TW_ELEMENT_S16, false},
    {"avx512.pmaddw.d.512", "avx512bw", 512, TW_ELEMENT_S16, TW_ELEMENT_S16,
     false},
    {"avx512bf16.dpbf16ps.512", "avx512bf16", 512, TW_ELEMENT_BF16,
     TW_ELEMENT_BF16, true},
    {"avx512bf16.dpbf16ps.256", "avx512vl,avx512bf16", 256, TW_ELEMENT_BF16,
     TW_ELEMENT_BF16, true},
};

std::string vectorType(int bits, tw_element_type_t type) {
  const int width = info(type).bits;
  const std::string element =
      type == TW_ELEMENT_BF16 ? "bfloat" : "i" + std::to_string(width);
  return "<" + std::to_string(bits / width) + " x " + element + ">";
}

// A function with a tile's signature that applies the intrinsic to vectors at
// its pointers: out = op(out, lhs, rhs).
std::string moduleText(const Instruction& i) {
  const bool isFloat = i.lhs == TW_ELEMENT_BF16;
  const std::string acc =
      "<" + std::to_string(i.bits / 32) + " x " + (isFloat ? "float>" : "i32>");
  const std::string lhs = vectorType(i.bits, i.lhs);
  const std::string rhs = vectorType(i.bits, i.rhs);
  const std::string name = std::string("@llvm.x86.") + i.intrinsic;
  std::string features = "+";
  for (char c : llvm::StringRef(i.features))
    features += c == ',' ? ",+" : std::string(1, c);
  const std::string operands = lhs + " %a, " + rhs + " %b";
  std::string declaration, call;
  if (llvm::StringRef(i.intrinsic).contains('$')) {
    call = std::string("asm \"") + i.intrinsic + "\", \"=v,v,v,0\"(" +
           operands + ", " + acc + " %c)\n";
  } else {
    declaration = "declare " + acc + " " + name + "(" +
                  (i.accumulates ? acc + ", " : "") + lhs + ", " + rhs + ")\n";
    call = name + "(" + (i.accumulates ? acc + " %c, " : "") + operands + ")\n";
  }
  return declaration +
         "define void @apply(ptr %out, ptr %lhs, ptr %rhs, ptr %p) "
         "\"target-features\"=\"" +
         features + "\" {\n" + "  %c = load " + acc + ", ptr %out, align 1\n" +
         "  %a = load " + lhs + ", ptr %lhs, align 1\n" + "  %b = load " + rhs +
         ", ptr %rhs, align 1\n" + "  %r = call " + acc + " " + call +
         "  store " + acc + " %r, ptr %out, align 1\n  ret void\n}\n";
}

constexpr int kMaxBytes = 64;

struct Vectors {
  uint8_t out[kMaxBytes], lhs[kMaxBytes], rhs[kMaxBytes];
};

Vectors randomVectors(const Instruction& i, Random& random) {
  Vectors v;
  for (uint8_t* bytes : {v.out, v.lhs, v.rhs})
    for (int b = 0; b < kMaxBytes; ++b)
      // Extremes often, so that saturation would show.
      bytes[b] = static_cast<uint8_t>(random.chance(0.4)
                                          ? (random.chance(0.5) ? 0x80 : 0xFF)
                                          : random.next());
  if (i.lhs != TW_ELEMENT_BF16) return v;
  // Products and sums that are exact, and among them denormals.
  auto draw = [&] {
    const double unit = random.chance(0.2) ? 0x1p-133 : 1;
    return unit * static_cast<double>(random.between(-100, 100));
  };
  for (int n = 0; n < kMaxBytes / 4; ++n)
    storeElement(v.out, n, 32, encodeFloat(TW_ELEMENT_F32, draw()));
  for (int n = 0; n < kMaxBytes / 2; ++n) {
    storeElement(v.lhs, n, 16, encodeFloat(TW_ELEMENT_BF16, draw()));
    storeElement(v.rhs, n, 16, encodeFloat(TW_ELEMENT_BF16, draw()));
  }
  return v;
}

// What the instruction's manual says of 32-bit lane `lane`.
uint64_t scalarLane(const Instruction& i, const Vectors& v, int lane) {
  const int bits = info(i.lhs).bits, group = 32 / bits;
  const uint64_t previous = loadElement(v.out, lane, 32);
  auto flushed = [](double x) { return std::fabs(x) < 0x1p-126 ? 0 : x; };
  double floats = flushed(decodeElement(TW_ELEMENT_F32, previous));
  int64_t sum = i.accumulates ? static_cast<int32_t>(previous) : 0;
  for (int g = 0; g < group; ++g) {
    const double a =
        decodeElement(i.lhs, loadElement(v.lhs, lane * group + g, bits));
    const double b =
        decodeElement(i.rhs, loadElement(v.rhs, lane * group + g, bits));
    sum += static_cast<int64_t>(a) * static_cast<int64_t>(b);
    floats += flushed(a) * flushed(b);
  }
  if (i.lhs == TW_ELEMENT_BF16) return encodeFloat(TW_ELEMENT_F32, floats);
  return static_cast<uint32_t>(sum);
}

class IntrinsicTest : public ::testing::TestWithParam<Instruction> {};

TEST_P(IntrinsicTest, EmulationAndHardwareFollowTheManual) {
  if (!hostHas(info(TW_ISA_X86_64_AVX2_FMA)))
    GTEST_SKIP() << "this CPU has no " << info(TW_ISA_X86_64_AVX2_FMA).name;
  const Instruction& instruction = GetParam();
  const uint64_t seed = seedOf(instruction.intrinsic);
  SCOPED_TRACE(seedText(seed));
  llvm::LLVMContext context;
  const std::string text = moduleText(instruction);
  auto module = parse(text, context);
  ASSERT_TRUE(module);
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream os(bitcode);
  llvm::WriteBitcodeToFile(*module, os);
  auto loader = TileLoader::create("x86-64-v3");
  ASSERT_TRUE(bool(loader)) << llvm::toString(loader.takeError());
  auto emulated = loader->loadEmulated("apply", os.str());
  ASSERT_TRUE(bool(emulated)) << llvm::toString(emulated.takeError());

  std::vector<tw_mmt4d_tile_fn_t> bodies = {*emulated};
  bool hardware = true;
  for (llvm::StringRef rest = instruction.features; !rest.empty();) {
    auto [first, more] = rest.split(',');
    hardware &= hostHasFeature(first);
    rest = more;
  }
  auto native = TileLoader::create();
  ASSERT_TRUE(bool(native)) << llvm::toString(native.takeError());
  if (hardware) {
    auto fn = native->loadBitcode("apply", os.str());
    ASSERT_TRUE(bool(fn)) << llvm::toString(fn.takeError());
    bodies.push_back(*fn);
  }
  Random random(seed);
  for (int round = 0; round < 200; ++round) {
    const Vectors before = randomVectors(instruction, random);
    for (size_t body = 0; body < bodies.size(); ++body) {
      Vectors after = before;
      bodies[body](after.out, after.lhs, after.rhs, nullptr);
      for (int lane = 0; lane < instruction.bits / 32; ++lane) {
        // By value: which zero a flushed denormal becomes does not matter.
        const tw_element_type_t type = instruction.lhs == TW_ELEMENT_BF16
                                           ? TW_ELEMENT_F32
                                           : TW_ELEMENT_S32;
        ASSERT_EQ(decodeElement(type, loadElement(after.out, lane, 32)),
                  decodeElement(type, scalarLane(instruction, before, lane)))
            << (body ? "hardware" : "emulation") << ", lane " << lane;
      }
    }
  }
}

std::string nameOf(const ::testing::TestParamInfo<Instruction>& test) {
  std::string name = test.param.intrinsic;
  for (char& c : name)
    if (!llvm::isAlnum(c)) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(X86, IntrinsicTest, ::testing::ValuesIn(kInstructions),
                         nameOf);

TEST(EmulationTest, NarrowsToBf16) {
  if (!hostHas(info(TW_ISA_X86_64_AVX2_FMA)))
    GTEST_SKIP() << "this CPU has no " << info(TW_ISA_X86_64_AVX2_FMA).name;
  const uint64_t seed = seedOf("EmulationTest.NarrowsToBf16");
  SCOPED_TRACE(seedText(seed));
  llvm::LLVMContext context;
  auto module = parse(
      "declare <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512("
      "<16 x float>)\n"
      "define void @apply(ptr %out, ptr %lhs, ptr %rhs, ptr %p) "
      "\"target-features\"=\"+avx512bf16\" {\n"
      "  %a = load <16 x float>, ptr %lhs, align 4\n"
      "  %r = call <16 x bfloat> @llvm.x86.avx512bf16.cvtneps2bf16.512("
      "<16 x float> %a)\n"
      "  store <16 x bfloat> %r, ptr %out, align 2\n  ret void\n}\n",
      context);
  ASSERT_TRUE(module);
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream os(bitcode);
  llvm::WriteBitcodeToFile(*module, os);
  auto emulating = TileLoader::create("x86-64-v3");
  ASSERT_TRUE(bool(emulating)) << llvm::toString(emulating.takeError());
  auto emulated = emulating->loadEmulated("apply", os.str());
  ASSERT_TRUE(bool(emulated)) << llvm::toString(emulated.takeError());
  std::vector<tw_mmt4d_tile_fn_t> bodies = {*emulated};
  auto native = TileLoader::create();
  ASSERT_TRUE(bool(native)) << llvm::toString(native.takeError());
  if (hostHasFeature("avx512bf16")) {
    auto fn = native->loadBitcode("apply", os.str());
    ASSERT_TRUE(bool(fn)) << llvm::toString(fn.takeError());
    bodies.push_back(*fn);
  }
  Random random(seed);
  for (int round = 0; round < 1000; ++round) {
    uint8_t in[64], out[32];
    for (int lane = 0; lane < 16; ++lane) {
      // Any bits; ties; denormals.
      uint64_t bits = random.next() >> 32;
      if (lane % 4 == 1) bits = (bits & 0xFFFF0000u) | 0x8000;
      if (lane % 4 == 2) bits &= 0x807FFFFFu;
      storeElement(in, lane, 32, bits);
    }
    for (size_t body = 0; body < bodies.size(); ++body) {
      bodies[body](out, in, nullptr, nullptr);
      for (int lane = 0; lane < 16; ++lane) {
        double value = decodeElement(TW_ELEMENT_F32, loadElement(in, lane, 32));
        if (std::fabs(value) < 0x1p-126) value = 0;
        const double got =
            decodeElement(TW_ELEMENT_BF16, loadElement(out, lane, 16));
        if (value != value)
          ASSERT_TRUE(got != got) << (body ? "hardware" : "emulation");
        else
          ASSERT_EQ(got, roundTo(TW_ELEMENT_BF16, value))
              << (body ? "hardware" : "emulation");
      }
    }
  }
}

// a * b + c of finite f16 in units of 2^-48, rounded to f16: exactly, by
// integers. The codes of f16 are its values in order, 2^-24 apart at first.
uint16_t fusedByIntegers(uint16_t a, uint16_t b, uint16_t c) {
  using Wide = __int128;
  auto units = [](uint16_t bits) {  // of 2^-24
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const int64_t magnitude =
        exponent == 0 ? mantissa : int64_t{1024 + mantissa} << (exponent - 1);
    return bits >> 15 ? -magnitude : magnitude;
  };
  const Wide sum = Wide{units(a)} * units(b) + (Wide{units(c)} << 24);
  const Wide magnitude = sum < 0 ? -sum : sum;
  // The largest code not above, then the nearer of it and the next.
  uint16_t code = 0;
  for (int bit = 1 << 14; bit > 0; bit /= 2)
    if (code + bit <= 0x7C00 && Wide{units(code + bit)} << 24 <= magnitude)
      code += bit;
  if (code < 0x7C00) {
    const Wide twice = (Wide{units(code)} + units(code + 1)) << 24;
    if (2 * magnitude > twice || (2 * magnitude == twice && code % 2 == 1))
      ++code;
  }
  return sum < 0 ? code | 0x8000 : code;
}

TEST(EmulationTest, RoundsMultiplyAddsOfF16Once) {
  if (!hostHas(info(TW_ISA_X86_64_AVX2_FMA)))
    GTEST_SKIP() << "this CPU has no " << info(TW_ISA_X86_64_AVX2_FMA).name;
  const uint64_t seed = seedOf("EmulationTest.RoundsMultiplyAddsOfF16Once");
  SCOPED_TRACE(seedText(seed));
  llvm::LLVMContext context;
  auto module = parse(
      "declare <32 x half> @llvm.fma.v32f16(<32 x half>, <32 x half>, "
      "<32 x half>)\n"
      "define void @apply(ptr %out, ptr %lhs, ptr %rhs, ptr %p) "
      "\"target-features\"=\"+avx512fp16\" {\n"
      "  %a = load <32 x half>, ptr %lhs, align 2\n"
      "  %b = load <32 x half>, ptr %rhs, align 2\n"
      "  %c = load <32 x half>, ptr %out, align 2\n"
      "  %r = call <32 x half> @llvm.fma.v32f16(<32 x half> %a, <32 x half> "
      "%b, "
      "<32 x half> %c)\n"
      "  store <32 x half> %r, ptr %out, align 2\n  ret void\n}\n",
      context);
  ASSERT_TRUE(module);
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream os(bitcode);
  llvm::WriteBitcodeToFile(*module, os);
  auto emulating = TileLoader::create("x86-64-v3");
  ASSERT_TRUE(bool(emulating)) << llvm::toString(emulating.takeError());
  auto emulated = emulating->loadEmulated("apply", os.str());
  ASSERT_TRUE(bool(emulated)) << llvm::toString(emulated.takeError());
  std::vector<tw_mmt4d_tile_fn_t> bodies = {*emulated};
  auto native = TileLoader::create();
  ASSERT_TRUE(bool(native)) << llvm::toString(native.takeError());
  if (hostHasFeature("avx512fp16")) {
    auto fn = native->loadBitcode("apply", os.str());
    ASSERT_TRUE(bool(fn)) << llvm::toString(fn.takeError());
    bodies.push_back(*fn);
  }
  const std::vector<uint64_t> finite = finiteEncodings(TW_ELEMENT_F16);
  Random random(seed);
  int twiceIsWrong = 0;
  for (int round = 0; round < 2000; ++round) {
    uint16_t a[32], b[32], before[32];
    for (int lane = 0; lane < 32; ++lane) {
      for (uint16_t* to : {a, b, before})
        to[lane] = static_cast<uint16_t>(finite[random.below(finite.size())]);
      if (lane % 2) continue;
      // A tie but for a part in 2^20 of half a place, which f32 has not.
      const uint64_t i = 1 + random.below(8);
      a[lane] = static_cast<uint16_t>(0x3C00 + i);
      b[lane] = static_cast<uint16_t>(0x1000 - 2 * i);
      before[lane] = static_cast<uint16_t>(0x3C00 + random.below(1024));
    }
    for (size_t body = 0; body < bodies.size(); ++body) {
      uint16_t out[32];
      std::memcpy(out, before, sizeof out);
      bodies[body](out, a, b, nullptr);
      for (int lane = 0; lane < 32; ++lane) {
        auto value = [](uint16_t bits) {
          return decodeElement(TW_ELEMENT_F16, bits);
        };
        const uint16_t right = fusedByIntegers(a[lane], b[lane], before[lane]);
        // By value: the sign of a zero does not matter.
        ASSERT_EQ(value(out[lane]), value(right))
            << (body ? "hardware" : "emulation") << ": " << value(a[lane])
            << " * " << value(b[lane]) << " + " << value(before[lane]);
        const auto first = static_cast<float>(value(a[lane]) * value(b[lane]) +
                                              value(before[lane]));
        twiceIsWrong += roundTo(TW_ELEMENT_F16, first) != value(right);
      }
    }
  }
  EXPECT_GT(twiceIsWrong, 100) << "the operands would not show f32 in between";
}

// On CPUs without AVX-512, LLVM would call a library function.
TEST(EmulationTest, ReplacesFptruncToBf16) {
  llvm::LLVMContext context;
  auto module = parse(
      "define bfloat @f(float %x) {\n"
      "  %r = fptrunc float %x to bfloat\n  ret bfloat %r\n}\n"
      "define <8 x bfloat> @g(<8 x float> %x) {\n"
      "  %r = fptrunc <8 x float> %x to <8 x bfloat>\n"
      "  ret <8 x bfloat> %r\n}\n",
      context);
  ASSERT_TRUE(module);
  llvm::Error error = emulateForeignIsa(*module);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  for (llvm::Function& function : *module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      EXPECT_FALSE(llvm::isa<llvm::FPTruncInst>(instruction));
}

TEST(EmulationTest, RefusesWhatItDoesNotKnow) {
  llvm::LLVMContext context;
  auto module = parse(
      "declare <4 x float> @llvm.x86.sse.rcp.ps(<4 x float>)\n"
      "define <4 x float> @f(<4 x float> %x) {\n"
      "  %r = call <4 x float> @llvm.x86.sse.rcp.ps(<4 x float> %x)\n"
      "  ret <4 x float> %r\n}\n",
      context);
  ASSERT_TRUE(module);
  llvm::Error error = emulateForeignIsa(*module);
  EXPECT_EQ(llvm::toString(std::move(error)),
            "no emulation of llvm.x86.sse.rcp.ps, called by f");
}

}  // namespace
}  // namespace tilewright::testing
