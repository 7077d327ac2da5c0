// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile shapes models get where some were measured: of a made-up
// database, on every host alike.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Compile/ExplainEncoding.h"
#include "tilewright/Compile/FollowShapes.h"
#include "tilewright/Devices/ChooseTile.h"
#include "tilewright/Resolve/ChooseBody.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char k16x16[] = "tw_mmt4d_tile_f32f32f32_16x16x1_x86_64_avx512_base";
const char k12x32[] = "tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base";

class FollowShapesTest : public ::testing::Test {
 protected:
  FollowShapesTest() {
    options_.bitcodeDir = TW_TEST_BITCODE_DIR;
    options_.warn = [this](llvm::StringRef text) {
      warnings_.push_back(text.str());
    };
  }

  static std::string digest(const char* name) {
    return llvm::cantFail(handWrittenDigest(
        findHandWrittenTile(*parseTileKey(name).key), TW_TEST_BITCODE_DIR));
  }
  // That 16x16 is quicker than 12x32 with many rows on Zen 4.
  static ShapeEntry entry() {
    ShapeEntry entry;
    entry.types = "f32f32f32";
    entry.rows = "many";
    entry.core = "znver4";
    entry.version = tuningVersion();
    entry.tile = k16x16;
    entry.beside = k12x32;
    entry.handWritten = digest(k16x16);
    entry.besideHandWritten = digest(k12x32);
    entry.ratio = entry.low = entry.high = 0.9;
    return entry;
  }
  void ask(std::vector<ShapeEntry> entries) {
    TuningDatabase asked;
    asked.shapes = std::move(entries);
    options_.tuning =
        std::make_shared<const Tuning>(std::move(asked), TuningDatabase());
  }
  TargetCpu tuned(const char* name) {
    TargetCpu target = llvm::cantFail(parseTargetCpu(name));
    followShapes(options_)(target);
    return target;
  }
  static std::string chosen(const TargetCpu& target, int64_t m,
                            bool anyM = false) {
    return printTileKey(
        chooseTile(info(TW_TYPES_F32F32F32), m, -1, target, anyM));
  }

  ResolveOptions options_;
  std::vector<std::string> warnings_;
};

TEST_F(FollowShapesTest, TakesWhatWasMeasuredOnTheCoreOfTheTarget) {
  ask({entry()});
  const TargetCpu zen4 = tuned("x86_64:znver4");
  EXPECT_EQ(chosen(zen4, -1), k16x16);
  EXPECT_EQ(chosen(zen4, 64), k16x16);
  // Of few rows it is not known; but a rhs that is for many, too, lies as those
  // want it.
  EXPECT_THAT(chosen(zen4, 8), HasSubstr("_8x32x1_"));
  EXPECT_THAT(chosen(zen4, 8, /*anyM=*/true), HasSubstr("_8x16x1_"));
  EXPECT_THAT(warnings_, IsEmpty());

  EXPECT_EQ(chosen(tuned("x86_64:znver5"), -1), k12x32);
  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr("f32f32f32, many rows: it is of znver4, "
                                    "and this is for znver5")));
  EXPECT_EQ(chosen(tuned("x86_64_avx512_base"), -1), k12x32);
  EXPECT_THAT(warnings_.back(), HasSubstr("no core in particular"));
  // --tune-cpu.
  options_.generate.tuneCpu = "znver4";
  EXPECT_EQ(chosen(tuned("x86_64_avx512_base"), -1), k16x16);
}

// A machine whose features are those of an instruction set is called so.
TEST_F(FollowShapesTest, TheCoreIsThatOfTheDeviceOfThatName) {
  ask({entry()});
  ModelDevice device("host", llvm::cantFail(parseTargetCpu("x86_64:znver4")));
  device.cpu.name = "x86_64_avx512_base";
  TargetCpu target = llvm::cantFail(parseTargetCpu("x86_64_avx512_base"));
  followShapes(options_, device)(target);
  EXPECT_EQ(chosen(target, -1), k16x16);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(FollowShapesTest, WhatIsStaleIsNotTaken) {
  ShapeEntry stale = entry();
  stale.besideHandWritten = "0123";
  ask({stale});
  EXPECT_EQ(chosen(tuned("x86_64:znver4"), -1), k12x32);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("body has changed")));
}

// Also that nothing is quicker.
TEST_F(FollowShapesTest, WhatIsAskedForTakesThePlaceOfWhatIsShipped) {
  TuningDatabase shipped, asked;
  shipped.shapes = {entry()};
  options_.tuning = std::make_shared<const Tuning>(asked, shipped);
  EXPECT_EQ(chosen(tuned("x86_64:znver4"), -1), k16x16);
  ShapeEntry none = entry();
  none.tile = none.beside;
  none.handWritten = none.besideHandWritten;
  none.ratio = none.low = none.high = 1;
  asked.shapes = {none};
  options_.tuning = std::make_shared<const Tuning>(asked, shipped);
  EXPECT_EQ(chosen(tuned("x86_64:znver4"), -1), k12x32);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(FollowShapesTest, ExplainSaysWhy) {
  ask({entry()});
  auto facts = [&](const char* sizes) {
    return llvm::cantFail(explainEncoding(
        std::string("#tw.encoding<rhs, types = [f32, f32, f32], maps = "
                    "[affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> "
                    "(k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = ") +
            sizes + ">",
        {"x86_64:znver4"}, "tw", followShapes(options_)));
  };
  EncodingFacts many = facts("[?, 96, 64]");
  ASSERT_EQ(many.devices.size(), 1u);
  EXPECT_EQ(many.devices[0].tile, k16x16);
  EXPECT_EQ(many.devices[0].why, std::string("measured: of many rows ") +
                                     k16x16 + " takes 0.900 of the time of " +
                                     k12x32 + " for a multiply-add");
  EXPECT_EQ(facts("[8, 96, 64]").devices[0].why, "");
  EncodingFacts shared = facts("[8, 96, 64], any_m");
  EXPECT_THAT(shared.devices[0].tile, HasSubstr("_8x16x1_"));
  EXPECT_THAT(shared.devices[0].why, HasSubstr("of many rows"));
}

// One rhs for few rows and for many lies as those of many want it.
TEST_F(FollowShapesTest, ModelsPackWeightsOneWay) {
  ask({entry()});
  const char source[] = R"(
func.func @both(%a: tensor<8x64xf32>, %b: tensor<64x64xf32>) -> (tensor<8x64xf32>, tensor<64x64xf32>) {
  %w = arith.constant dense<0.5> : tensor<64x64xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %g = tensor.empty() : tensor<64x64xf32>
  %h = linalg.fill ins(%z : f32) outs(%g : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%b, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%h : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<8x64xf32>, tensor<64x64xf32>
}
)";
  ModelOptions options;
  options.devices = llvm::cantFail(modelDevices({"x86_64:znver4"}, {}));
  options.tune = followShapes(options_);
  auto tiles = [&] {
    std::vector<std::string> names;
    for (const TileKey& key :
         llvm::cantFail(
             compileModel({source, "model"}, ModelStage::LLVM, options))
             .tiles)
      names.push_back(printTileKey(key));
    return names;
  };
  EXPECT_THAT(tiles(),
              ::testing::UnorderedElementsAre(HasSubstr("_8x16x1_"), k16x16));
  ask({});
  options.tune = followShapes(options_);
  EXPECT_THAT(tiles(), ::testing::Each(HasSubstr("x32x1_")));
}

}  // namespace
}  // namespace tilewright
