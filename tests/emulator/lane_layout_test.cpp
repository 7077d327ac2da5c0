// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every dense matrix instruction, run with a single one in A and a single one
// in B: the product is where AMD's documents say, and nowhere else. Where A and
// B have one layout that does not tell how k is counted, so the emulator's
// table is compared as well.

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "MatrixInstructions.h"
#include "gtest/gtest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tilewright/Emulator/Emulator.h"

namespace {

using tilewright::emulator::Access;
using tilewright::emulator::Emulator;

enum Type {
  f64,
  f32,
  xf32,
  f16,
  bf16,
  i32,
  i8,
  iu8,
  iu4,
  fp8,
  bf8,
  fp6,
  bf6,
  fp4
};
enum Form {
  kMfma,
  kScale,
  kWmma,
  kWmmaHalf,
  kWmmaInt,
  kMods,
  kCmod,
  kReuse,
  kCoded,
  kCodedScale
};

struct Layout {
  const char *gfx, *intrinsic, *a, *b, *d;
  Type type_a, type_b, type_d;
  Form form;
  unsigned i, j, k, block;
  unsigned lane_a, element_a, lane_b, element_b, lane_d, element_d;
};

#define TW_LANE_LAYOUT(...) {__VA_ARGS__},
constexpr Layout kLayouts[] = {
#include "tests/emulator/lane_layouts.def"
};

unsigned Bits(Type type) {
  switch (type) {
    case f64:
      return 64;
    case f32:
    case xf32:
    case i32:
      return 32;
    case f16:
    case bf16:
      return 16;
    case i8:
    case iu8:
    case fp8:
    case bf8:
      return 8;
    case fp6:
    case bf6:
      return 6;
    case iu4:
    case fp4:
      return 4;
  }
  return 0;
}

uint64_t One(Type type, bool fnuz) {
  switch (type) {
    case f64:
      return 0x3ff0000000000000;
    case f32:
    case xf32:
      return 0x3f800000;
    case f16:
      return 0x3c00;
    case bf16:
      return 0x3f80;
    case fp8:
      return fnuz ? 0x40 : 0x38;
    case bf8:
      return fnuz ? 0x40 : 0x3c;
    case fp6:
      return 0x08;
    case bf6:
      return 0x0c;
    case fp4:
      return 0x2;
    default:
      return 1;
  }
}

/// "<4 x half>" -> "v4f16", as LLVM mangles it.
std::string Mangled(llvm::StringRef type) {
  std::string result;
  if (type.consume_front("<")) {
    auto [count, element] = type.split(" x ");
    result = "v" + count.str();
    type = element.rtrim('>');
  }
  if (type == "half") return result + "f16";
  if (type == "bfloat") return result + "bf16";
  if (type == "float") return result + "f32";
  if (type == "double") return result + "f64";
  return result + type.str();
}

unsigned Bytes(llvm::StringRef type) {
  unsigned count = 1;
  if (type.consume_front("<")) {
    auto [number, element] = type.split(" x ");
    EXPECT_FALSE(number.getAsInteger(10, count));
    type = element.rtrim('>');
  }
  if (type == "half" || type == "bfloat" || type == "i16") return 2 * count;
  if (type == "double" || type == "i64") return 8 * count;
  return 4 * count;
}

unsigned FormatCode(Type type) {
  switch (type) {
    case fp8:
      return 0;
    case bf8:
      return 1;
    case fp6:
      return 2;
    case bf6:
      return 3;
    default:
      return 4;
  }
}

/// probe(a, b, d): each lane multiplies what lies at its number.
std::string Probe(const Layout& layout, unsigned lanes) {
  std::string a = llvm::formatv("{0} %x", layout.a),
              b = llvm::formatv("{0} %y", layout.b);
  std::string zero = llvm::formatv("{0} zeroinitializer", layout.d);
  std::string overloads, arguments;
  auto join = [](auto... parts) { return llvm::join_items(", ", parts...); };
  std::string form_a = llvm::formatv("i32 {0}", FormatCode(layout.type_a));
  std::string form_b = llvm::formatv("i32 {0}", FormatCode(layout.type_b));
  std::string mangled_d = Mangled(layout.d), mangled_a = Mangled(layout.a);
  switch (layout.form) {
    case kMfma:
      arguments = join(a, b, zero, "i32 0", "i32 0", "i32 0");
      break;
    case kScale:
      overloads = "." + mangled_a + "." + Mangled(layout.b);
      arguments = join(a, b, zero, form_a, form_b, "i32 0", "i32 127", "i32 0",
                       "i32 127");
      break;
    case kWmma:
      overloads = "." + mangled_d + "." + mangled_a;
      arguments = join(a, b, zero);
      break;
    case kWmmaHalf:
      overloads = "." + mangled_d + "." + mangled_a;
      arguments = join(a, b, zero, "i1 false");
      break;
    case kWmmaInt:
      overloads = "." + mangled_d + "." + mangled_a;
      arguments = join("i1 true", a, "i1 true", b, zero, "i1 false");
      break;
    case kMods:
      overloads = "." + mangled_d + "." + mangled_a;
      arguments = join("i1 false", a, "i1 false", b, "i16 0", zero, "i1 false",
                       "i1 false");
      break;
    case kCmod:
      overloads = "." + mangled_d + "." + mangled_a;
      arguments = join(a, b, "i16 0", zero, "i1 false", "i1 false");
      break;
    case kReuse:
      overloads = "." + mangled_d + "." + mangled_a;
      arguments = join("i1 true", a, "i1 true", b, zero, "i1 false", "i1 false",
                       "i1 false");
      break;
    case kCoded:
      overloads = "." + mangled_d + "." + mangled_a + "." + Mangled(layout.b);
      arguments = join(form_a, a, form_b, b, "i16 0", zero);
      break;
    case kCodedScale:
      overloads = "." + mangled_d + "." + mangled_a + "." + Mangled(layout.b);
      arguments = join(form_a, a, form_b, b, "i16 0", zero, "i32 0", "i32 0",
                       "i32 2139062143", "i32 0", "i32 0", "i32 2139062143",
                       "i1 false", "i1 false");
      break;
  }
  // The declaration has the arguments' types: the first word of each.
  std::string types, rest = arguments;
  for (llvm::StringRef left = arguments; !left.empty();) {
    llvm::StringRef type =
        left.starts_with("<")
            ? left.take_front(left.find('>') + 1)
            : left.take_until([](char c) { return c == ' '; });
    types += (types.empty() ? "" : ", ") + type.str();
    size_t comma = left.find(", ", type.size());
    left = comma == llvm::StringRef::npos ? "" : left.drop_front(comma + 2);
  }
  std::string lane =
      lanes == 64
          ? "  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)\n"
            "  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)\n"
          : "  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)\n";
  std::string text = R"(target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
)";
  std::string callee =
      "@llvm.amdgcn." + std::string(layout.intrinsic) + overloads;
  text +=
      "declare " + std::string(layout.d) + " " + callee + "(" + types + ")\n";
  text +=
      "define void @probe(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr "
      "addrspace(1) %d) {\n";
  text += lane;
  for (auto [name, type, loaded] :
       {std::tuple("a", layout.a, "x"), {"b", layout.b, "y"}}) {
    text += llvm::formatv(
        "  %at.{0} = mul i32 %lane, {1}\n"
        "  %ptr.{0} = getelementptr i8, ptr addrspace(1) %{0}, i32 %at.{0}\n"
        "  %{2} = load {3}, ptr addrspace(1) %ptr.{0}, align 1\n",
        name, Bytes(type), loaded, type);
  }
  text +=
      llvm::formatv("  %z = call {0} {1}({2})\n", layout.d, callee, arguments);
  text += llvm::formatv(
      "  %at.d = mul i32 %lane, {0}\n"
      "  %ptr.d = getelementptr i8, ptr addrspace(1) %d, i32 %at.d\n"
      "  store {1} %z, ptr addrspace(1) %ptr.d, align 1\n  ret void\n}\n",
      Bytes(layout.d), layout.d);
  return text;
}

void SetElement(std::vector<uint8_t>& bytes, unsigned first, unsigned element,
                Type type, uint64_t value) {
  for (unsigned bit = 0; bit < Bits(type); ++bit) {
    unsigned at = first * 8 + element * Bits(type) + bit;
    if (value >> bit & 1) bytes[at / 8] |= 1 << at % 8;
  }
}

class LaneLayout : public testing::TestWithParam<size_t> {};

/// The rows of one instruction of one target follow each other.
std::vector<size_t> FirstRows() {
  std::vector<size_t> rows;
  for (size_t i = 0; i < std::size(kLayouts); ++i)
    if (i == 0 ||
        std::strcmp(kLayouts[i].intrinsic, kLayouts[i - 1].intrinsic) != 0 ||
        std::strcmp(kLayouts[i].gfx, kLayouts[i - 1].gfx) != 0 ||
        kLayouts[i].type_a != kLayouts[i - 1].type_a)
      rows.push_back(i);
  return rows;
}

std::string Name(const testing::TestParamInfo<size_t>& info) {
  const Layout& layout = kLayouts[info.param];
  std::string name = std::string(layout.gfx) + "_" + layout.intrinsic;
  if (layout.form == kScale || layout.form >= kCoded)
    name += "_" + std::to_string(FormatCode(layout.type_a));
  for (char& c : name)
    if (!llvm::isAlnum(c)) c = '_';
  return name;
}

TEST_P(LaneLayout, IsAsPublished) {
  const Layout& first = kLayouts[GetParam()];
  unsigned lanes = llvm::StringRef(first.gfx).starts_with("gfx1") ? 32 : 64;
  bool fnuz = std::string(first.gfx) == "gfx942",
       doubled = std::string(first.gfx) == "gfx1100";
  std::string source = Probe(first, lanes);
  tilewright::emulator::EmulatorOptions options;
  options.gfx = first.gfx;
  auto emulator =
      Emulator::create(llvm::MemoryBufferRef(source, "probe.ll"), options);
  ASSERT_TRUE(bool(emulator)) << llvm::toString(emulator.takeError()) << "\n"
                              << source;

  unsigned bytes_a = Bytes(first.a), bytes_b = Bytes(first.b),
           bytes_d = Bytes(first.d);
  std::vector<uint8_t> a(lanes * bytes_a), b(lanes * bytes_b),
      d(lanes * bytes_d), expected;
  ASSERT_FALSE(bool((*emulator)->addBuffer(a.data(), a.size(), "a")));
  ASSERT_FALSE(bool((*emulator)->addBuffer(b.data(), b.size(), "b")));
  ASSERT_FALSE(
      bool((*emulator)->addBuffer(d.data(), d.size(), Access::ReadWrite, "d")));
  for (size_t row = GetParam(); row < std::size(kLayouts); ++row) {
    const Layout& layout = kLayouts[row];
    if (row != GetParam() && (Name({row, 0}) != Name({GetParam(), 0}))) break;
    SCOPED_TRACE(llvm::formatv("i {0}, j {1}, k {2}, block {3}", layout.i,
                               layout.j, layout.k, layout.block)
                     .str());
    // With the one of B beside where it belongs (in another row of k or another
    // column) the product is elsewhere or zero.
    for (bool displaced : {false, true}) {
      unsigned element_b = layout.element_b, lane_b = layout.lane_b;
      if (displaced) {
        unsigned count = bytes_b * 8 / Bits(layout.type_b);
        element_b = (element_b + 1) % count;
        if (count == 1) lane_b ^= 1;
      }
      std::fill(a.begin(), a.end(), 0);
      std::fill(b.begin(), b.end(), 0);
      std::fill(d.begin(), d.end(), 0xcd);
      expected.assign(d.size(), 0);
      SetElement(a, layout.lane_a * bytes_a, layout.element_a, layout.type_a,
                 One(layout.type_a, fnuz));
      SetElement(b, lane_b * bytes_b, element_b, layout.type_b,
                 One(layout.type_b, fnuz));
      if (doubled) {
        SetElement(a, (layout.lane_a ^ 16) * bytes_a, layout.element_a,
                   layout.type_a, One(layout.type_a, fnuz));
        SetElement(b, (lane_b ^ 16) * bytes_b, element_b, layout.type_b,
                   One(layout.type_b, fnuz));
      }
      SetElement(expected, layout.lane_d * bytes_d, layout.element_d,
                 layout.type_d, One(layout.type_d, fnuz));
      llvm::Error failure = (*emulator)->callOnWave(
          "probe", {reinterpret_cast<uint64_t>(a.data()),
                    reinterpret_cast<uint64_t>(b.data()),
                    reinterpret_cast<uint64_t>(d.data())});
      ASSERT_FALSE(bool(failure)) << llvm::toString(std::move(failure));
      if (displaced)
        EXPECT_NE(d, expected);
      else
        EXPECT_EQ(d, expected);
    }
  }
}

tilewright::emulator::Element ElementOf(Type type) {
  using tilewright::emulator::Element;
  switch (type) {
    case f64:
      return Element::F64;
    case f32:
      return Element::F32;
    case xf32:
      return Element::XF32;
    case f16:
      return Element::F16;
    case bf16:
      return Element::BF16;
    case i32:
      return Element::I32;
    case i8:
    case iu8:
      return Element::I8;
    case iu4:
      return Element::I4;
    case fp8:
      return Element::FP8;
    case bf8:
      return Element::BF8;
    case fp6:
      return Element::FP6;
    case bf6:
      return Element::BF6;
    case fp4:
      return Element::FP4;
  }
  return Element::Coded;
}

TEST(LaneLayouts, AreThoseOfTheTable) {
  using namespace tilewright::emulator;
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(
        llvm::formatv("{0} {1} k {2}", layout.gfx, layout.intrinsic, layout.k)
            .str());
    std::optional<Target> target = findTarget(layout.gfx);
    ASSERT_TRUE(target.has_value());
    const MatrixInstruction* found =
        findMatrixInstruction(layout.intrinsic, target->gfx);
    ASSERT_NE(found, nullptr);
    const MatrixPlaces& places =
        matrixPlaces(*found, ElementOf(layout.type_a), ElementOf(layout.type_b),
                     target->waveSize);
    EXPECT_EQ(places.a[layout.lane_a * places.elementsA + layout.element_a],
              (layout.block * found->m + layout.i) * found->k + layout.k);
    EXPECT_EQ(places.b[layout.lane_b * places.elementsB + layout.element_b],
              (layout.block * found->k + layout.k) * found->n + layout.j);
  }
}

// "GFX942 | GFX950".
#define TW_MATRIX_INSTRUCTION(targets, intrinsic, ...) {#targets, #intrinsic},
constexpr struct {
  const char* targets;
  const char* intrinsic;
} kInstructions[] = {
#include "tilewright/matrix_instructions.def"
};

TEST(LaneLayouts, CoverTheInstructionsThatTilesUse) {
  for (const auto& [targets, intrinsic] : kInstructions)
    for (llvm::StringRef target : llvm::split(llvm::StringRef(targets), '|')) {
      bool covered = false;
      for (const Layout& layout : kLayouts)
        covered |= target.trim().lower() == layout.gfx &&
                   layout.intrinsic == std::string(intrinsic);
      EXPECT_TRUE(covered) << target.str() << " " << intrinsic;
    }
}

INSTANTIATE_TEST_SUITE_P(Published, LaneLayout, testing::ValuesIn(FirstRows()),
                         Name);

}  // namespace
