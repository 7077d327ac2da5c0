// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every size, offset and value that compiled code relies on, written out. A
// failure here means that programs already built would misbehave: changing a
// number needs a decision record, adding a row needs a line.

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>

#include "tilewright/pack_tile.h"
#include "tilewright/tilewright.h"

namespace {

static_assert(sizeof(void*) == 8, "the golden values are for 64-bit targets");

TEST(AbiGolden, Mmt4dParamsLayout) {
  EXPECT_EQ(sizeof(tw_mmt4d_params_t), 160u);
  EXPECT_EQ(alignof(tw_mmt4d_params_t), 8u);
#define EXPECT_FIELD(field, offset, size)                        \
  EXPECT_EQ(offsetof(tw_mmt4d_params_t, field), size_t{offset}); \
  EXPECT_EQ(sizeof(tw_mmt4d_params_t::field), size_t{size})
  EXPECT_FIELD(lhs_buffer, 0, 8);
  EXPECT_FIELD(lhs_offset, 8, 8);
  EXPECT_FIELD(lhs_stride0, 16, 8);
  EXPECT_FIELD(rhs_buffer, 24, 8);
  EXPECT_FIELD(rhs_offset, 32, 8);
  EXPECT_FIELD(rhs_stride0, 40, 8);
  EXPECT_FIELD(out_buffer, 48, 8);
  EXPECT_FIELD(out_offset, 56, 8);
  EXPECT_FIELD(out_stride0, 64, 8);
  EXPECT_FIELD(M, 72, 8);
  EXPECT_FIELD(N, 80, 8);
  EXPECT_FIELD(K, 88, 8);
  EXPECT_FIELD(M0, 96, 4);
  EXPECT_FIELD(N0, 100, 4);
  EXPECT_FIELD(K0, 104, 4);
  EXPECT_FIELD(flags, 108, 4);
  EXPECT_FIELD(cpu_data, 112, 8);
  EXPECT_FIELD(out_row_stride, 120, 8);
  EXPECT_FIELD(lhs_scales, 128, 8);
  EXPECT_FIELD(rhs_scales, 136, 8);
  EXPECT_FIELD(next, 144, 8);
  EXPECT_FIELD(next_step, 152, 8);
#undef EXPECT_FIELD
}

TEST(AbiGolden, PackTileParamsLayout) {
  EXPECT_EQ(sizeof(tw_pack_tile_params_t), 56u);
  EXPECT_EQ(alignof(tw_pack_tile_params_t), 8u);
#define EXPECT_FIELD(field, offset)                                  \
  EXPECT_EQ(offsetof(tw_pack_tile_params_t, field), size_t{offset}); \
  EXPECT_EQ(sizeof(tw_pack_tile_params_t::field), 8u)
  EXPECT_FIELD(rows, 0);
  EXPECT_FIELD(cols, 8);
  EXPECT_FIELD(matrix_stride, 16);
  EXPECT_FIELD(outer_rows, 24);
  EXPECT_FIELD(outer_cols, 32);
  EXPECT_FIELD(padding, 40);
  EXPECT_FIELD(flags, 48);
#undef EXPECT_FIELD
}

TEST(AbiGolden, OtherStructs) {
  EXPECT_EQ(sizeof(tw_tile_entry_t), 16u);
  EXPECT_EQ(offsetof(tw_tile_entry_t, name), 0u);
  EXPECT_EQ(offsetof(tw_tile_entry_t, fn), 8u);

  EXPECT_EQ(sizeof(tw_tile_info_t), 216u);
  EXPECT_EQ(offsetof(tw_tile_info_t, fn), 0u);
  EXPECT_EQ(offsetof(tw_tile_info_t, origin), 8u);
  EXPECT_EQ(offsetof(tw_tile_info_t, isa), 12u);
  EXPECT_EQ(offsetof(tw_tile_info_t, name), 16u);
  EXPECT_EQ(offsetof(tw_tile_info_t, reason), 24u);

  EXPECT_EQ(sizeof(tw_parallel_for_t), 16u);
  EXPECT_EQ(offsetof(tw_parallel_for_t, run), 0u);
  EXPECT_EQ(offsetof(tw_parallel_for_t, self), 8u);

  EXPECT_EQ(sizeof(tw_tile_sizes_t), 12u);
  EXPECT_EQ(offsetof(tw_tile_sizes_t, M0), 0u);
  EXPECT_EQ(offsetof(tw_tile_sizes_t, N0), 4u);
  EXPECT_EQ(offsetof(tw_tile_sizes_t, K0), 8u);
  EXPECT_EQ(sizeof(tw_tile_form_t), 16u);
  EXPECT_EQ(offsetof(tw_tile_form_t, sizes), 0u);
  EXPECT_EQ(offsetof(tw_tile_form_t, flags), 12u);

  EXPECT_EQ(sizeof(tw_pack_params_t), 48u);
  EXPECT_EQ(offsetof(tw_pack_params_t, type), 0u);
  EXPECT_EQ(offsetof(tw_pack_params_t, flags), 4u);
  EXPECT_EQ(offsetof(tw_pack_params_t, rows), 8u);
  EXPECT_EQ(offsetof(tw_pack_params_t, cols), 16u);
  EXPECT_EQ(offsetof(tw_pack_params_t, matrix_stride), 24u);
  EXPECT_EQ(offsetof(tw_pack_params_t, tile_rows), 32u);
  EXPECT_EQ(offsetof(tw_pack_params_t, tile_cols), 36u);
  EXPECT_EQ(offsetof(tw_pack_params_t, padding), 40u);
}

TEST(AbiGolden, MatmulParamsLayout) {
  EXPECT_EQ(sizeof(tw_matmul_params_t), 112u);
#define EXPECT_FIELD(field, offset) \
  EXPECT_EQ(offsetof(tw_matmul_params_t, field), size_t{offset})
  EXPECT_FIELD(lhs, 0);
  EXPECT_FIELD(rhs, 8);
  EXPECT_FIELD(out, 16);
  EXPECT_FIELD(lhs_stride, 24);
  EXPECT_FIELD(rhs_stride, 32);
  EXPECT_FIELD(out_stride, 40);
  EXPECT_FIELD(M, 48);
  EXPECT_FIELD(N, 56);
  EXPECT_FIELD(K, 64);
  EXPECT_FIELD(flags, 72);
  EXPECT_FIELD(threads, 76);
  EXPECT_FIELD(workspace, 80);
  EXPECT_FIELD(workspace_bytes, 88);
  EXPECT_FIELD(rhs_bytes, 96);
  EXPECT_FIELD(cpu_data, 104);
#undef EXPECT_FIELD
}

TEST(AbiGolden, PrepackedLayout) {
  EXPECT_EQ(sizeof(tw_prepacked_t), 128u);
#define EXPECT_FIELD(field, offset, size)                     \
  EXPECT_EQ(offsetof(tw_prepacked_t, field), size_t{offset}); \
  EXPECT_EQ(sizeof(tw_prepacked_t::field), size_t{size})
  EXPECT_FIELD(magic, 0, 8);
  EXPECT_FIELD(version, 8, 4);
  EXPECT_FIELD(header_bytes, 12, 4);
  EXPECT_FIELD(types, 16, 4);
  EXPECT_FIELD(tile_types, 20, 4);
  EXPECT_FIELD(K, 24, 8);
  EXPECT_FIELD(N, 32, 8);
  EXPECT_FIELD(N0, 40, 4);
  EXPECT_FIELD(K0, 44, 4);
  EXPECT_FIELD(layout, 48, 4);
  EXPECT_FIELD(reserved, 52, 4);
  EXPECT_FIELD(panel_bytes, 56, 8);
  EXPECT_FIELD(isa, 64, 32);
  EXPECT_FIELD(panel_digest, 96, 8);
  EXPECT_FIELD(header_digest, 104, 8);
  EXPECT_FIELD(padding, 112, 16);
#undef EXPECT_FIELD
  EXPECT_EQ(TW_PREPACKED_MAGIC, UINT64_C(0x4B41504552505754));
  EXPECT_EQ(TW_PREPACKED_VERSION, 1);
  EXPECT_EQ(TW_PREPACKED_LAYOUT_PANELS, 1);
  EXPECT_EQ(TW_PREPACKED_LAYOUT_VNNI, 2);
  EXPECT_EQ(TW_MATMUL_FLAG_LHS_TRANSPOSED, 0x100000);
  EXPECT_EQ(TW_MATMUL_FLAG_RHS_TRANSPOSED, 0x200000);
  EXPECT_EQ(TW_MATMUL_FLAG_OUT_TRANSPOSED, 0x400000);
  EXPECT_EQ(TW_MATMUL_FLAG_RHS_PREPACKED, 0x800000);
  EXPECT_EQ(TW_MATMUL_MOST_WORKSPACE, 4 << 20);
}

TEST(AbiGolden, Flags) {
  EXPECT_EQ(TW_MMT4D_FLAG_TYPE_MASK, 0xFF);
  EXPECT_EQ(TW_MMT4D_FLAG_ACCUMULATE, 0x100);
  EXPECT_EQ(TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK, 0x200);
  EXPECT_EQ(TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS, 0x400);
  EXPECT_EQ(TW_MMT4D_FLAG_OUT_ROW_STRIDE, 0x10000);
  EXPECT_EQ(TW_MMT4D_FLAG_RHS_VNNI, 0x40000);
  EXPECT_EQ(TW_MMT4D_FLAG_CALLS_BEGUN, 0x80000);
  EXPECT_EQ(TW_MMT4D_FLAG_RHS_FAR, 0x100000);
  EXPECT_EQ(TW_MMT4D_FLAG_NEXT, 0x200000);
  EXPECT_EQ(TW_MMT4D_FLAG_ALL, 0x507FF);
  EXPECT_EQ(TW_PACK_FLAG_TRANSPOSE, 0x1);
  EXPECT_EQ(TW_PACK_FLAG_VNNI, 0x2);
  EXPECT_EQ(TW_CPU_DATA_WORDS, 8);
}

TEST(AbiGolden, Enumerators) {
  EXPECT_EQ(TW_STATUS_OK, 0);
  EXPECT_EQ(TW_STATUS_INVALID_ARGUMENT, 1);
  EXPECT_EQ(TW_STATUS_UNSUPPORTED, 2);
  EXPECT_EQ(TW_STATUS_OVERFLOW, 3);
  EXPECT_EQ(TW_STATUS_OUT_OF_RANGE, 4);
  EXPECT_EQ(TW_STATUS_OUT_OF_MEMORY, 5);
  EXPECT_EQ(TW_STATUS_DEVICE_ERROR, 6);
  EXPECT_EQ(TW_STATUS_NOT_PREPACKED, 7);
  EXPECT_EQ(TW_STATUS_DAMAGED, 8);
  EXPECT_EQ(TW_STATUS_FOREIGN, 9);

  EXPECT_EQ(TW_TILE_ORIGIN_NONE, 0);
  EXPECT_EQ(TW_TILE_ORIGIN_HAND_WRITTEN, 1);
  EXPECT_EQ(TW_TILE_ORIGIN_GENERATED, 2);
  EXPECT_EQ(TW_TILE_ORIGIN_GENERIC, 3);

  EXPECT_EQ(TW_ELEMENT_KIND_SIGNED, 0);
  EXPECT_EQ(TW_ELEMENT_KIND_UNSIGNED, 1);
  EXPECT_EQ(TW_ELEMENT_KIND_FLOAT, 2);
}

TEST(AbiGolden, TypeTriples) {
  const std::map<std::string, int> golden = {
      {"f32 f32 f32", 0x01},
      {"s8 s8 s32", 0x02},
      {"f16 f16 f32", 0x03},
      {"f16 f16 f16", 0x04},
      {"bf16 bf16 f32", 0x05},
      {"bf16 bf16 bf16", 0x06},
      {"s16 s16 s32", 0x07},
      {"s16 u4 s32", 0x08},
      {"s16 s8 s32", 0x09},
      {"s8 s4 s32", 0x0A},
      {"f64 f64 f64", 0x20},
      {"s32 s32 s32", 0x21},
      {"s16 u8 s32", 0x22},
      {"s16 s4 s32", 0x23},
      {"s8 s16 s32", 0x24},
      {"s8 u8 s32", 0x25},
      {"s8 u4 s32", 0x26},
      {"u8 s16 s32", 0x27},
      {"u8 s8 s32", 0x28},
      {"u8 u8 s32", 0x29},
      {"u8 s4 s32", 0x2A},
      {"u8 u4 s32", 0x2B},
      {"s4 s16 s32", 0x2C},
      {"s4 s8 s32", 0x2D},
      {"s4 u8 s32", 0x2E},
      {"s4 s4 s32", 0x2F},
      {"s4 u4 s32", 0x30},
      {"u4 s16 s32", 0x31},
      {"u4 s8 s32", 0x32},
      {"u4 u8 s32", 0x33},
      {"u4 s4 s32", 0x34},
      {"u4 u4 s32", 0x35},
      {"f32 f16 f32", 0x40},
      {"f32 bf16 f32", 0x41},
      {"f8e4m3fn f8e4m3fn f32", 0x48},
      {"f8e4m3fn f8e5m2 f32", 0x49},
      {"f8e5m2 f8e4m3fn f32", 0x4A},
      {"f8e5m2 f8e5m2 f32", 0x4B},
      {"f8e4m3fnuz f8e4m3fnuz f32", 0x4C},
      {"f8e4m3fnuz f8e5m2fnuz f32", 0x4D},
      {"f8e5m2fnuz f8e4m3fnuz f32", 0x4E},
      {"f8e5m2fnuz f8e5m2fnuz f32", 0x4F},
      {"f6e2m3fn f6e2m3fn f32", 0x50},
      {"f6e2m3fn f6e3m2fn f32", 0x51},
      {"f6e3m2fn f6e2m3fn f32", 0x52},
      {"f6e3m2fn f6e3m2fn f32", 0x53},
      {"f4e2m1fn f4e2m1fn f32", 0x54},
      {"f8e4m3fn f4e2m1fn f32", 0x55},
      {"f8e4m3fn f6e2m3fn f32", 0x56},
      {"f8e4m3fn f6e3m2fn f32", 0x57},
      {"f8e5m2 f6e2m3fn f32", 0x58},
      {"f8e5m2 f6e3m2fn f32", 0x59},
      {"f8e5m2 f4e2m1fn f32", 0x5A},
      {"f6e2m3fn f8e4m3fn f32", 0x5B},
      {"f6e2m3fn f8e5m2 f32", 0x5C},
      {"f6e2m3fn f4e2m1fn f32", 0x5D},
      {"f6e3m2fn f8e4m3fn f32", 0x5E},
      {"f6e3m2fn f8e5m2 f32", 0x5F},
      {"f6e3m2fn f4e2m1fn f32", 0x60},
      {"f4e2m1fn f8e4m3fn f32", 0x61},
      {"f4e2m1fn f8e5m2 f32", 0x62},
      {"f4e2m1fn f6e2m3fn f32", 0x63},
      {"f4e2m1fn f6e3m2fn f32", 0x64},
  };
  std::map<std::string, int> actual;
#define TW_TYPE_TRIPLE(value, lhs, rhs, out, ENUM) \
  actual[#lhs " " #rhs " " #out] = TW_TYPES_##ENUM;
#include "tilewright/type_triples.def"
  EXPECT_EQ(actual, golden);
}

TEST(AbiGolden, ElementTypes) {
  const std::map<std::string, int> golden = {
      {"f64", 64},     {"f32", 32},     {"f16", 16},       {"bf16", 16},
      {"f8e4m3fn", 8}, {"f8e5m2", 8},   {"f8e4m3fnuz", 8}, {"f8e5m2fnuz", 8},
      {"f6e2m3fn", 6}, {"f6e3m2fn", 6}, {"f4e2m1fn", 4},   {"s32", 32},
      {"s16", 16},     {"s8", 8},       {"u8", 8},         {"s4", 4},
      {"u4", 4},
  };
  std::map<std::string, int> actual;
#define TW_ELEMENT_TYPE(name, ENUM, bits, kind) actual[#name] = bits;
#include "tilewright/element_types.def"
  EXPECT_EQ(actual, golden);
}

TEST(AbiGolden, FloatFormats) {
  // Exponent bits, mantissa bits, bias, specials, mx.
  const std::map<std::string, std::string> golden = {
      {"F64", "11 52 1023 IEEE 0"},   {"F32", "8 23 127 IEEE 0"},
      {"F16", "5 10 15 IEEE 0"},      {"BF16", "8 7 127 IEEE 0"},
      {"F8E4M3FN", "4 3 7 FN 1"},     {"F8E5M2", "5 2 15 IEEE 1"},
      {"F8E4M3FNUZ", "4 3 8 FNUZ 0"}, {"F8E5M2FNUZ", "5 2 16 FNUZ 0"},
      {"F6E2M3FN", "2 3 1 NONE 1"},   {"F6E3M2FN", "3 2 3 NONE 1"},
      {"F4E2M1FN", "2 1 1 NONE 1"},
  };
  std::map<std::string, std::string> actual;
#define TW_FLOAT_FORMAT(ENUM, exponent_bits, mantissa_bits, bias, specials, \
                        mx)                                                 \
  actual[#ENUM] =                                                           \
      #exponent_bits " " #mantissa_bits " " #bias " " #specials " " #mx;
#include "tilewright/element_types.def"
  EXPECT_EQ(actual, golden);
  // A row for each float, whose fields fill its bits.
  std::map<std::string, int> floats;
#define TW_ELEMENT_TYPE(name, ENUM, bits, kind) \
  if (TW_ELEMENT_KIND_##kind == TW_ELEMENT_KIND_FLOAT) floats[#ENUM] += bits;
#define TW_FLOAT_FORMAT(ENUM, exponent_bits, mantissa_bits, bias, specials, \
                        mx)                                                 \
  floats[#ENUM] -= 1 + exponent_bits + mantissa_bits;
#include "tilewright/element_types.def"
  for (const auto& [name, left] : floats) EXPECT_EQ(left, 0) << name;
}

TEST(AbiGolden, CpuFeatureBits) {
  struct Position {
    int word, bit;
    bool operator==(const Position& o) const {
      return word == o.word && bit == o.bit;
    }
  };
  const std::map<std::string, Position> golden = {
      {"sse3", {0, 0}},        {"ssse3", {0, 1}},       {"sse4.1", {0, 2}},
      {"sse4.2", {0, 3}},      {"avx", {0, 10}},        {"fma", {0, 11}},
      {"f16c", {0, 14}},       {"avx2", {0, 15}},       {"avx512f", {0, 20}},
      {"avx512cd", {0, 21}},   {"avx512vl", {0, 22}},   {"avx512dq", {0, 23}},
      {"avx512bw", {0, 24}},   {"avx512vnni", {0, 28}}, {"avx512bf16", {0, 31}},
      {"avx512fp16", {0, 32}}, {"avxvnni", {1, 0}},     {"avxvnniint8", {1, 1}},
      {"avx10.2", {1, 2}},     {"amx-tile", {0, 50}},   {"amx-int8", {0, 51}},
      {"amx-bf16", {0, 52}},   {"neon", {0, 0}},        {"fullfp16", {0, 10}},
      {"fp16fml", {0, 11}},    {"dotprod", {0, 12}},    {"i8mm", {0, 13}},
      {"bf16", {0, 14}},       {"sve", {0, 20}},        {"sve2", {0, 21}},
      {"sme", {0, 30}},        {"sme2", {0, 31}},       {"v", {0, 0}},
      {"zvfhmin", {0, 1}},     {"zvfh", {0, 2}},        {"zvfbfwma", {0, 3}},
      {"zvl256b", {0, 5}},     {"zfhmin", {1, 0}},      {"zvl512b", {1, 1}},
  };
  std::map<std::string, Position> actual;
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name) \
  actual[#llvm_name] = {word, bit};
#include "tilewright/cpu_features.def"
  EXPECT_EQ(actual, golden);
}

TEST(AbiGolden, TileFunctionType) {
  // One signature for every tile, hand-written or generated.
  EXPECT_TRUE((std::is_same_v<tw_mmt4d_tile_fn_t,
                              void (*)(void*, const void*, const void*,
                                       const tw_mmt4d_params_t*)>));
}

}  // namespace
