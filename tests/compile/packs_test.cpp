// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's own packs and unpacks, in all layouts that pack functions have and
// some that they have not: which function is called, and all elements that it
// leaves, between guard pages. Random ones are in module_fuzz.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/common/seed.h"
#include "tests/compile/checked_call.h"
#include "tests/compile/jit_model.h"

namespace tilewright::testing {
namespace {

using Numbers = std::vector<int64_t>;

// Elements, and what is packed beyond the matrix.
struct Type {
  const char* mlir;
  size_t bytes;
  const char* padding;
  uint64_t bits;
};
constexpr Type kF32{"f32", 4, "1.5", 0x3fc00000};
constexpr Type kTypes[] = {
    kF32,
    {"i8", 1, "-2", 0xfe},
    {"i16", 2, "-2", 0xfffe},
    {"i64", 8, "-2", ~uint64_t{1}},
    {"f64", 8, "1.5", 0x3ff8000000000000},
    {"bf16", 2, "1.5", 0x3fc0},
    {"f16", 2, "1.5", 0x3e00},
    {"f8E4M3FN", 1, "1.5", 0x3c},
};

// packed[outer..., inner...], as in linalg.pack.
struct Layout {
  std::string name;
  Numbers outer, inner, tiles;
  // "rows_12x1", behind the bits of an element; else why it is a loop.
  std::string function, whyLoops;

  int64_t tileOf(int64_t dim) const {
    for (size_t i = 0; i < inner.size(); ++i)
      if (inner[i] == dim) return tiles[i];
    return 1;
  }
  Numbers packedSizes(const Numbers& sizes) const {
    Numbers packed;
    for (int64_t dim : outer) {
      const int64_t tile = tileOf(dim);
      packed.push_back((sizes[static_cast<size_t>(dim)] + tile - 1) / tile);
    }
    packed.insert(packed.end(), tiles.begin(), tiles.end());
    return packed;
  }
};

void PrintTo(const Layout& layout, std::ostream* os) { *os << layout.name; }

std::string list(const Numbers& numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      // Those of operands of multiplications.
      {"Lhs", {0, 1}, {0, 1}, {12, 1}, "rows_12x1", ""},
      {"LhsOfFour", {0, 1}, {0, 1}, {12, 4}, "rows_12x4", ""},
      {"RhsOfRows", {1, 0}, {1, 0}, {32, 1}, "cols_32x1", ""},
      {"RhsOfFour", {1, 0}, {1, 0}, {16, 4}, "cols_16x4", ""},
      {"Batch", {0, 1, 2}, {1, 2}, {8, 2}, "rows_8x2", ""},
      {"BatchBetween", {1, 0, 2}, {0, 2}, {8, 2}, "rows_8x2", ""},
      {"BatchOfColumns", {1, 2, 0}, {2, 0}, {5, 3}, "cols_5x3", ""},
      // Tiles that follow each other along columns, or rows, alone.
      {"ColumnsOutside", {1, 0}, {0, 1}, {4, 4}, "rows_4x4", ""},
      {"RowsOutside", {0, 2, 1}, {0, 1}, {4, 3}, "", "dimension 2"},
      {"RowsBeforeBatch", {0, 1, 2}, {0, 2}, {4, 3}, "rows_4x3", ""},
      {"OneRow", {1, 0}, {0, 1}, {1, 16}, "cols_16x1", ""},
      // One inner tile: channels of images, to and fro.
      {"ChannelsFirst", {0, 1, 2, 3}, {1}, {16}, "rows_16x1", ""},
      {"ChannelsLast", {0, 1, 2, 3}, {3}, {16}, "rows_1x16", ""},
      {"LastToFirst", {0, 3, 1, 2}, {3}, {16}, "cols_16x1", ""},
      {"FirstToLast", {0, 2, 3, 1}, {1}, {16}, "cols_1x16", ""},
      {"ChannelsInside", {0, 1, 2}, {1}, {7}, "rows_7x1", ""},
      {"InnerOutside", {0, 2, 1}, {0}, {8}, "", "last outer dimension"},
      {"Vector", {0}, {0}, {8}, "rows_1x8", ""},
      // None.
      {"NotInnermost", {0, 1, 2}, {0, 1}, {4, 3}, "", "the innermost"},
      {"Three", {0, 1, 2}, {0, 1, 2}, {2, 3, 2}, "", "3 inner tiles"},
      {"Large", {0, 1}, {0, 1}, {1025, 1}, "", "1 to 1024"},
  };
  return all;
}

// @pack and @unpack of matrices of any size.
std::string program(const Layout& layout, const Type& type) {
  const size_t rank = layout.outer.size();
  std::string matrix = "tensor<", packed = "tensor<", sizes, outerSizes, dims;
  for (size_t dim = 0; dim < rank; ++dim) {
    const std::string n = std::to_string(dim);
    matrix += "?x";
    packed += "?x";
    sizes += (dim ? ", %n" : "%n") + n;
    dims += "  %c" + n + " = arith.constant " + n + " : index\n  %n" + n +
            " = tensor.dim %x, %c" + n + " : MATRIX\n";
  }
  for (size_t i = 0; i < rank; ++i) {
    const std::string n = std::to_string(i);
    dims += "  %t" + n + " = arith.constant " +
            std::to_string(layout.tileOf(layout.outer[i])) + " : index\n  %o" +
            n + " = arith.ceildivui %n" + std::to_string(layout.outer[i]) +
            ", %t" + n + " : index\n";
    outerSizes += (i ? ", %o" : "%o") + n;
  }
  for (int64_t tile : layout.tiles) packed += std::to_string(tile) + "x";
  matrix += type.mlir + std::string(">");
  packed += type.mlir + std::string(">");
  const std::string form = " outer_dims_perm = [" + list(layout.outer) +
                           "] inner_dims_pos = [" + list(layout.inner) +
                           "] inner_tiles = [" + list(layout.tiles) +
                           "] into %e : ";
  while (dims.find("MATRIX") != std::string::npos)
    dims.replace(dims.find("MATRIX"), 6, matrix);
  std::string arguments;
  for (size_t dim = 0; dim < rank; ++dim)
    arguments += ", %n" + std::to_string(dim) + ": index";
  return "func.func @pack(%x: " + matrix + ") -> " + packed + " {\n" + dims +
         "  %z = arith.constant " + type.padding + " : " + type.mlir +
         "\n  %e = tensor.empty(" + outerSizes + ") : " + packed +
         "\n  %p = linalg.pack %x padding_value(%z : " + type.mlir + ")" +
         form + matrix + " -> " + packed + "\n  return %p : " + packed +
         "\n}\nfunc.func @unpack(%p: " + packed + arguments + ") -> " + matrix +
         " {\n  %e = tensor.empty(" + sizes + ") : " + matrix +
         "\n  %x = linalg.unpack %p" + form + packed + " -> " + matrix +
         "\n  return %x : " + matrix + "\n}\n";
}

int64_t product(const Numbers& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

// The matrix's element that is packed at `at` among `packed` sizes, or -1
// behind it. Of at most six packed dimensions.
int64_t sourceOf(const Layout& layout, const Numbers& sizes,
                 const Numbers& packed, int64_t at) {
  int64_t index[6], from[4];
  for (size_t i = packed.size(); i-- > 0; at /= packed[i])
    index[i] = at % packed[i];
  for (size_t i = 0; i < layout.outer.size(); ++i)
    from[layout.outer[i]] = index[i] * layout.tileOf(layout.outer[i]);
  for (size_t i = 0; i < layout.inner.size(); ++i)
    from[layout.inner[i]] += index[sizes.size() + i];
  int64_t result = 0;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (from[dim] >= sizes[dim]) return -1;
    result = result * sizes[dim] + from[dim];
  }
  return result;
}

class PacksTest : public ::testing::TestWithParam<Layout> {
 protected:
  static std::unique_ptr<JitModel> compile(const Type& type,
                                           JitOptions options) {
    const std::string text = program(GetParam(), type);
    std::string error;
    options.leastTask = 1;
    std::unique_ptr<JitModel> model = JitModel::compile(text, options, &error);
    EXPECT_TRUE(model) << error << "\n" << text;
    return model;
  }

  static void check(const JitModel& model, const Type& type,
                    const Numbers& sizes, bool isLeading) {
    const Layout& layout = GetParam();
    const Numbers outer = layout.packedSizes(sizes);
    CallTensor matrix{{}, type.bytes, sizes, sizes, isLeading};
    CallTensor packed{
        {},
        type.bytes,
        outer,
        Numbers(outer.begin(),
                outer.begin() + static_cast<int64_t>(sizes.size())),
        isLeading};
    Random random(static_cast<uint64_t>(product(sizes)));
    const size_t n = type.bytes;
    matrix.bytes.resize(static_cast<size_t>(product(sizes)) * n);
    for (uint8_t& byte : matrix.bytes)
      byte = static_cast<uint8_t>(random.below(256));
    packed.bytes.resize(static_cast<size_t>(product(outer)) * n);
    for (size_t at = 0; at * n < packed.bytes.size(); ++at) {
      const int64_t from =
          sourceOf(layout, sizes, outer, static_cast<int64_t>(at));
      std::memcpy(&packed.bytes[at * n],
                  from < 0 ? reinterpret_cast<const uint8_t*>(&type.bits)
                           : &matrix.bytes[static_cast<size_t>(from) * n],
                  n);
    }
    const std::string at = " of " + list(sizes);
    EXPECT_EQ(checkCall(model, "pack", {matrix}, {}, {asResult(packed)}) + at,
              at);
    EXPECT_EQ(
        checkCall(model, "unpack", {packed}, sizes, {asResult(matrix)}) + at,
        at);
  }

  static CallTensor asResult(CallTensor tensor) {
    tensor.dynamicSizes.clear();
    return tensor;
  }

  // Odd ones, primes, whole tiles, 1 and 0.
  static void checkSizes(const JitModel& model, const Type& type) {
    const Numbers some[] = {{1, 1, 1, 1},   {2, 37, 3, 5},  {3, 5, 7, 48},
                            {24, 32, 2, 4}, {13, 96, 1, 3}, {0, 3, 2, 5},
                            {2, 0, 3, 4},   {3, 7, 11, 0},  {131, 17, 2, 19}};
    bool isLeading = false;
    for (Numbers sizes : some) {
      sizes.resize(GetParam().outer.size());
      check(model, type, sizes, isLeading = !isLeading);
    }
  }
};

TEST_P(PacksTest, CallsTheFunctionOfTheLayout) {
  const Layout& layout = GetParam();
  for (const Type& type : kTypes) {
    std::unique_ptr<JitModel> model = compile(type, {runnableIsas().front()});
    ASSERT_TRUE(model);
    checkSizes(*model, type);
    if (layout.function.empty()) {
      EXPECT_TRUE(model->packFunctions().empty());
      // That of the pack, and the same of the unpack.
      ASSERT_EQ(model->remarks().size(), 1u);
      const std::string& remark = model->remarks().front();
      EXPECT_NE(remark.find(layout.whyLoops), std::string::npos) << remark;
      EXPECT_NE(remark.find("and 1 more like it"), std::string::npos) << remark;
      continue;
    }
    EXPECT_TRUE(model->remarks().empty());
    ASSERT_EQ(model->packFunctions().size(), 2u);
    for (const char* way : {"tw_pack_tile_", "tw_unpack_tile_"}) {
      const std::string stem =
          way + std::to_string(type.bytes * 8) + "_" + layout.function + "_";
      bool isThere = false;
      for (const std::string& name : model->packFunctions())
        isThere |= name.compare(0, stem.size(), stem) == 0;
      EXPECT_TRUE(isThere) << stem;
    }
  }
}

TEST_P(PacksTest, IsDividedAmongThreads) {
  std::unique_ptr<JitModel> model =
      compile(kF32, {runnableIsas().front(), false, {}, 4});
  ASSERT_TRUE(model);
  checkSizes(*model, kF32);
  // Rows of tiles of more than one call.
  Numbers sizes = {411, 67, 29, 11};
  sizes.resize(GetParam().outer.size());
  check(*model, kF32, sizes, /*isLeading=*/true);
}

TEST_P(PacksTest, IsTheSameForAnyMachineAndAsPlainLoops) {
  for (bool isReference : {false, true}) {
    std::unique_ptr<JitModel> model = compile(kF32, {"generic", isReference});
    ASSERT_TRUE(model);
    EXPECT_EQ(model->packFunctions().empty(),
              isReference || GetParam().function.empty());
    checkSizes(*model, kF32);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, PacksTest, ::testing::ValuesIn(layouts()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tilewright::testing
