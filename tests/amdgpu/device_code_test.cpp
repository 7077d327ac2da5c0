// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the back end makes of generated tiles: the newest full-rate matrix
// instruction that the target has, no scratch, no spills.

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "llvm/IR/LLVMContext.h"
#include "tilewright/Target/Amdgpu/WaveTile.h"

namespace tilewright::testing {
namespace {

// The assembly of the tile's kernel of one wave, or an error.
std::string assemblyOf(const TileKey& key, DeviceBackend& backend) {
  llvm::LLVMContext context;
  auto module = generateWaveTile(key, "tw", "", backend, context);
  if (!module) return "error: " + llvm::toString(module.takeError());
  llvm::Function* tile = (*module)->getFunction(printTileKey(key));
  auto bytes =
      emitWaveKernel(**module, *tile, key.isa, backend, DeviceFile::Assembly);
  if (!bytes) return "error: " + llvm::toString(bytes.takeError());
  return std::string(bytes->begin(), bytes->end());
}

std::set<std::string> matrixMnemonics(const std::string& assembly) {
  static const std::regex pattern("\\bv_(mfma|wmma)_\\w+");
  std::set<std::string> result;
  for (std::sregex_iterator it(assembly.begin(), assembly.end(), pattern), end;
       it != end; ++it)
    result.insert(it->str());
  return result;
}

int numberAfter(const std::string& text, const std::string& what) {
  const size_t at = text.find(what);
  return at == std::string::npos ? -1 : std::atoi(&text[at + what.size()]);
}

struct Newest {
  tw_isa_t isa;
  const char* types;
  int m0, n0, k0;
  // One of these, and no other matrix instruction.
  std::set<std::string> mnemonics;
};

std::ostream& operator<<(std::ostream& out, const Newest& row) {
  return out << info(row.isa).name << ' ' << row.types;
}

// For large tiles: what AMD's documents give the highest rate of each target.
const std::vector<Newest>& newest() {
  static const std::vector<Newest> table = {
      {TW_ISA_AMDGPU_GFX90A,
       "f16f16f32",
       64,
       64,
       16,
       {"v_mfma_f32_32x32x8f16", "v_mfma_f32_16x16x16f16"}},
      {TW_ISA_AMDGPU_GFX90A,
       "bf16bf16f32",
       64,
       64,
       16,
       {"v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_16x16x16bf16_1k"}},
      {TW_ISA_AMDGPU_GFX90A,
       "s8s8s32",
       64,
       64,
       16,
       {"v_mfma_i32_32x32x8i8", "v_mfma_i32_16x16x16i8"}},
      {TW_ISA_AMDGPU_GFX90A, "f64f64f64", 32, 32, 4, {"v_mfma_f64_16x16x4f64"}},
      {TW_ISA_AMDGPU_GFX942,
       "f16f16f32",
       64,
       64,
       16,
       {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_16x16x16_f16"}},
      {TW_ISA_AMDGPU_GFX942,
       "f32f32f32",
       64,
       64,
       4,
       {"v_mfma_f32_32x32x2_f32", "v_mfma_f32_16x16x4_f32"}},
      {TW_ISA_AMDGPU_GFX942,
       "s8s8s32",
       64,
       64,
       32,
       {"v_mfma_i32_32x32x16_i8", "v_mfma_i32_16x16x32_i8"}},
      {TW_ISA_AMDGPU_GFX942,
       "f8e4m3fnuzf8e5m2fnuzf32",
       64,
       64,
       32,
       {"v_mfma_f32_32x32x16_fp8_bf8", "v_mfma_f32_16x16x32_fp8_bf8"}},
      {TW_ISA_AMDGPU_GFX950,
       "f16f16f32",
       64,
       64,
       32,
       {"v_mfma_f32_32x32x16_f16", "v_mfma_f32_16x16x32_f16"}},
      {TW_ISA_AMDGPU_GFX950,
       "bf16bf16f32",
       64,
       64,
       32,
       {"v_mfma_f32_32x32x16_bf16", "v_mfma_f32_16x16x32_bf16"}},
      {TW_ISA_AMDGPU_GFX950,
       "s8s8s32",
       64,
       64,
       64,
       {"v_mfma_i32_32x32x32_i8", "v_mfma_i32_16x16x64_i8"}},
      {TW_ISA_AMDGPU_GFX950,
       "f8e4m3fnf8e4m3fnf32",
       64,
       64,
       128,
       {"v_mfma_f32_32x32x64_f8f6f4", "v_mfma_f32_16x16x128_f8f6f4"}},
      {TW_ISA_AMDGPU_GFX1100,
       "f16f16f32",
       64,
       64,
       16,
       {"v_wmma_f32_16x16x16_f16"}},
      {TW_ISA_AMDGPU_GFX1100,
       "s8u8s32",
       64,
       64,
       16,
       {"v_wmma_i32_16x16x16_iu8"}},
      {TW_ISA_AMDGPU_GFX1100,
       "s4s4s32",
       64,
       64,
       16,
       {"v_wmma_i32_16x16x16_iu4"}},
      {TW_ISA_AMDGPU_GFX1201,
       "bf16bf16f32",
       64,
       64,
       16,
       {"v_wmma_f32_16x16x16_bf16"}},
      {TW_ISA_AMDGPU_GFX1201,
       "s4s4s32",
       64,
       64,
       32,
       {"v_wmma_i32_16x16x32_iu4"}},
      {TW_ISA_AMDGPU_GFX1201,
       "f8e4m3fnf8e5m2f32",
       64,
       64,
       16,
       {"v_wmma_f32_16x16x16_fp8_bf8"}},
      {TW_ISA_AMDGPU_GFX1250,
       "f16f16f32",
       64,
       64,
       32,
       {"v_wmma_f32_16x16x32_f16"}},
      {TW_ISA_AMDGPU_GFX1250,
       "s8s8s32",
       64,
       64,
       64,
       {"v_wmma_i32_16x16x64_iu8"}},
  };
  return table;
}

class NewestTest : public ::testing::TestWithParam<Newest> {};

TEST_P(NewestTest, IsWhatATileUses) {
  const Newest& row = GetParam();
  auto backend = DeviceBackend::create(row.isa);
  ASSERT_TRUE(bool(backend)) << llvm::toString(backend.takeError());
  const TileKey key{findTypeTriple(row.types)->value,
                    row.m0,
                    row.n0,
                    row.k0,
                    Rounding::kOnce,
                    row.isa};
  const std::string text = assemblyOf(key, **backend);
  const std::set<std::string> found = matrixMnemonics(text);
  ASSERT_EQ(found.size(), 1u) << text.substr(0, 300);
  EXPECT_TRUE(row.mnemonics.count(*found.begin())) << *found.begin();
  EXPECT_EQ(numberAfter(text, ".private_segment_fixed_size: "), 0);
  EXPECT_EQ(numberAfter(text, ".vgpr_spill_count: "), 0);
  EXPECT_EQ(numberAfter(text, ".sgpr_spill_count: "), 0);
}

INSTANTIATE_TEST_SUITE_P(Targets, NewestTest, ::testing::ValuesIn(newest()),
                         [](const ::testing::TestParamInfo<Newest>& test) {
                           return std::string(processorOf(test.param.isa)) +
                                  "_" + test.param.types;
                         });

}  // namespace
}  // namespace tilewright::testing
