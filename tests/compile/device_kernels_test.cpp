// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is in a model's code object.

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "llvm/Object/ELFObjectFile.h"
#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Compile/DeviceKernels.h"
#include "tilewright/Devices/ChooseDeviceTile.h"

namespace tilewright {
namespace {

// Names of the kernels, by their descriptors: <kernel>.kd.
std::vector<std::string> kernelsOf(llvm::ArrayRef<char> codeObject) {
  auto file = llvm::cantFail(
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(
          llvm::StringRef(codeObject.data(), codeObject.size()), "model")));
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef& symbol : file->symbols()) {
    llvm::StringRef name = llvm::cantFail(symbol.getName());
    if (name.consume_back(".kd")) names.push_back(name.str());
  }
  return names;
}

// Every type triple has a tile on every GPU, whose kernel can be planned.
TEST(DeviceTileTest, IsAValidKeyOfTheTarget) {
  for (const IsaInfo& isa : isas()) {
    if (!isa.isGpu()) continue;
    TargetCpu gpu = targetCpuOf(isa);
    for (const TypeTripleInfo& types : typeTriples())
      for (auto [m, n] : {std::pair(-1, -1), {1, 1}, {3, 1000}, {40, 20}}) {
        TileKey key = chooseDeviceTile(types, m, n, gpu);
        SCOPED_TRACE(printTileKey(key));
        EXPECT_EQ(validateTileKey(key), "");
        EXPECT_EQ(key.types, types.value);
        EXPECT_EQ(key.isa, isa.isa);
        EXPECT_FALSE(key.blockScaled);
        EXPECT_TRUE(!!deviceKernelLaunch(key, "tw"));
      }
  }
}

// Of what several products share only M0 follows from the rows: panels of
// columns are packed in one way, and no rows are computed for nothing.
TEST(DeviceTileTest, OfAnyMHasOneRhs) {
  for (const IsaInfo& isa : isas()) {
    if (!isa.isGpu()) continue;
    TargetCpu gpu = targetCpuOf(isa);
    for (const TypeTripleInfo& types : typeTriples())
      for (int n : {-1, 16, 20, 1000}) {
        TileKey many = chooseDeviceTile(types, -1, n, gpu);
        TileKey scaled = chooseScaledTile(types, -1, n, gpu);
        for (auto [m, rows, scaledRows] : {std::tuple(-1, 64, 64),
                                           {1, 1, 16},
                                           {3, 4, 16},
                                           {8, 8, 16},
                                           {9, 16, 16},
                                           {20, 32, 32},
                                           {1000, 64, 64}}) {
          TileKey key = chooseDeviceTile(types, m, n, gpu, /*anyM=*/true);
          SCOPED_TRACE(printTileKey(key));
          EXPECT_EQ(validateTileKey(key), "");
          EXPECT_TRUE(!!deviceKernelLaunch(key, "tw"));
          // Four rows of any elements fill bytes.
          EXPECT_GE(key.m0, std::min(many.m0, rows));
          EXPECT_LE(key.m0, std::min(many.m0, std::max(rows, 4)));
          key.m0 = many.m0;
          EXPECT_EQ(key, many);

          if (!validateTileKey(scaled).empty()) continue;
          TileKey ofScaled = chooseScaledTile(types, m, n, gpu, /*anyM=*/true);
          EXPECT_EQ(ofScaled.m0, std::min(scaled.m0, scaledRows));
          ofScaled.m0 = scaled.m0;
          EXPECT_EQ(ofScaled, scaled);
        }
      }
  }
}

TEST(DeviceTileTest, OfAnyMHasItsRows) {
  const TypeTripleInfo& types = *findTypeTriple("f32f32f32");
  TargetCpu gpu = llvm::cantFail(parseTargetCpu("amdgpu:gfx942"));
  for (auto [m, sizes] : {std::pair(1, "1x64x8"),
                          {3, "4x64x8"},
                          {16, "16x64x8"},
                          {128, "64x64x8"}})
    EXPECT_EQ(
        printTileKey(chooseDeviceTile(types, m, 512, gpu, true)),
        "tw_mmt4d_tile_f32f32f32_" + std::string(sizes) + "_amdgpu_gfx942");
}

// By the fastest instruction, and as hand-written tiles are, where they are.
TEST(DeviceTileTest, IsWhatTheMatrixInstructionsLoad) {
  struct Expectation {
    const char* types;
    int64_t m, n;
    const char* gpu;
    const char* sizes;
  };
  for (const Expectation& e : {
           Expectation{"f16f16f32", -1, -1, "gfx942", "64x64x16"},
           {"f16f16f32", 1000, 20, "gfx942", "64x32x16"},
           {"f16f16f32", 1000, 16, "gfx942", "64x16x32"},
           {"f16f16f32", 1, 64, "gfx942", "1x64x8"},
           {"s8s8s32", -1, -1, "gfx942", "64x64x32"},
           {"f32f32f32", -1, -1, "gfx90a", "64x64x8"},
           {"f64f64f64", -1, -1, "gfx950", "64x64x8"},
           {"f16f16f32", -1, -1, "gfx1100", "64x64x16"},
           // Without a matrix instruction.
           {"f32f32f32", -1, -1, "gfx1100", "32x64x1"},
           {"s16s16s32", -1, 5, "gfx942", "32x16x2"},
       }) {
    TargetCpu gpu =
        llvm::cantFail(parseTargetCpu("amdgpu:" + std::string(e.gpu)));
    TileKey key = chooseDeviceTile(*findTypeTriple(e.types), e.m, e.n, gpu);
    EXPECT_EQ(printTileKey(key), "tw_mmt4d_tile_" + std::string(e.types) + "_" +
                                     e.sizes + "_amdgpu_" + e.gpu);
  }
}

// A hundred matrix multiplications, ten of each of ten kinds: ten kernels of
// tiles, and one of each other kind.
TEST(DeviceKernelsTest, EqualDispatchesShareAKernel) {
  struct Kind {
    const char* lhs;
    const char* out;
    int64_t rows, columns;
  };
  const Kind kinds[] = {{"f32", "f32", 16, 16},  {"f32", "f32", 64, 64},
                        {"f32", "f32", 16, 64},  {"f64", "f64", 16, 16},
                        {"f16", "f32", 64, 64},  {"f16", "f32", 16, 16},
                        {"bf16", "f32", 64, 64}, {"bf16", "f32", 16, 16},
                        {"i8", "i32", 64, 64},   {"i8", "i32", 16, 16}};
  std::string arguments, results, types, body;
  int number = 0;
  for (const Kind& kind : kinds)
    for (int i = 0; i < 10; ++i, ++number) {
      // Ten shapes for one tile: panels are covered, not divided.
      std::string m = std::to_string(kind.rows - i % 3);
      std::string n = std::to_string(kind.columns - i % 2);
      std::string k = std::to_string(20 + i), id = std::to_string(number);
      std::string a = "tensor<" + m + "x" + k + "x" + kind.lhs + ">";
      std::string b = "tensor<" + k + "x" + n + "x" + kind.lhs + ">";
      std::string c = "tensor<" + m + "x" + n + "x" + kind.out + ">";
      std::string comma = number ? ", " : "";
      arguments += comma + "%a" + id + ": " + a + ", %b" + id + ": " + b +
                   ", %c" + id + ": " + c;
      results += comma + "%r" + id;
      types += comma + c;
      body += "  %r" + id + " = linalg.matmul ins(%a" + id + ", %b" + id +
              " : " + a + ", " + b + ") outs(%c" + id + " : " + c + ") -> " +
              c + "\n";
    }
  std::string text = "func.func @f(" + arguments + ") -> (" + types + ") {\n" +
                     body + "  return " + results + " : " + types + "\n}";

  ModelOptions options;
  options.devices.emplace_back("gpu",
                               llvm::cantFail(parseTargetCpu("amdgpu_gfx942")));
  CompiledModel model =
      llvm::cantFail(compileModel(llvm::MemoryBufferRef(text, "hundred.mlir"),
                                  ModelStage::CodeObject, options));
  std::vector<std::string> inFile = kernelsOf(model.bytes);
  std::sort(inFile.begin(), inFile.end());
  ASSERT_EQ(model.codeObjects.size(), 1u);
  std::vector<std::string> launched = model.codeObjects.front().kernels;
  std::sort(launched.begin(), launched.end());
  EXPECT_EQ(inFile, launched);
  EXPECT_EQ(std::count_if(inFile.begin(), inFile.end(),
                          [](const std::string& name) {
                            return name.find("tw_mmt4d_kernel_") == 0;
                          }),
            10);
  // Of packs, with padding or without, and unpacks at most those of each tile:
  // no shape has its own.
  EXPECT_LE(inFile.size(), 10u + 10 * 7);
  // Three packs and one unpack for each multiplication beside it, but a result
  // of one whole tile (i = 0 and 6) lies in the caller's memory as it lies
  // packed: neither is a dispatch. The other unpacks are done by the tiles'
  // kernels.
  EXPECT_EQ(model.dispatches, 500 - 10 * 2 * 2 - 10 * 8);
}

}  // namespace
}  // namespace tilewright
