// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The digits models on every instruction set of this CPU, against the plain
// loops of examples/digits.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/compile/jit_model.h"

extern "C" {
#include "examples/digits/digits.h"
}

namespace tilewright::testing {
namespace {

std::string readFile(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

const std::string kFolder = TW_DIGITS_DIR;

struct Target {
  std::string name;
  JitOptions options;
};

class DigitsTest : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(load_held_out((kFolder + "/digits.csv").c_str(), &images_));
    ASSERT_EQ(images_.count, 599u);
  }

  void TearDown() override {
    free_images(&images_);
    free_network(&network_);
  }

  std::unique_ptr<JitModel> load(const char* file, int int8) {
    std::string path = kFolder + "/" + file;
    EXPECT_TRUE(load_network(path.c_str(), int8, &network_));
    std::string error;
    std::unique_ptr<JitModel> model =
        JitModel::compile(readFile(path), GetParam().options, &error);
    EXPECT_TRUE(model) << error;
    return model;
  }

  // Of three layers, where they are packed.
  size_t packedWeights() const {
    const JitOptions& options = GetParam().options;
    return options.reference || options.tiling == JitTiling::kNone ? 0 : 3;
  }

  images_t images_ = {};
  network_t network_ = {};
};

TEST_P(DigitsTest, F32) {
  std::unique_ptr<JitModel> model = load("model.mlir", 0);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->packedConstants().size(), packedWeights());
  // Without fused multiply-adds exp is no arithmetic.
  bool callsExp = GetParam().options.isa == "generic";
  EXPECT_EQ(model->remarks().size(), callsExp ? 1u : 0u);
  for (const std::string& remark : model->remarks())
    EXPECT_NE(remark.find("math.exp is a call of the C library"),
              std::string::npos)
        << remark;
  size_t right = 0;
  std::vector<float> input(599 * kPixels), output(599 * kClasses);
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = images_.pixels[i / kPixels][i % kPixels];
  // One image alone, then odd batches.
  int64_t size = 1;
  for (int64_t start = 0; start < 599; start += size, size = 3 * size + 2) {
    size = std::min<int64_t>(size, 599 - start);
    ASSERT_EQ(model->call("predict", &input[start * kPixels], size,
                          &output[start * kClasses]),
              0);
  }
  EXPECT_EQ(JitModel::liveAllocations(), 0);
  for (size_t image = 0; image < images_.count; ++image) {
    float expected[kClasses];
    reference_f32(&network_, &input[image * kPixels], expected);
    const float* got = &output[image * kClasses];
    for (int c = 0; c < kClasses; ++c)
      ASSERT_NEAR(got[c], expected[c], 1e-5) << "image " << image;
    right +=
        std::max_element(got, got + kClasses) - got == images_.labels[image];
  }
  EXPECT_GE(right, 576u);  // 96 %
}

TEST_P(DigitsTest, Int8) {
  std::unique_ptr<JitModel> model = load("model_int8.mlir", 1);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->packedConstants().size(), packedWeights());
  EXPECT_TRUE(model->remarks().empty());
  size_t right = 0;
  for (size_t start = 0; start + 32 <= images_.count; start += 32) {
    int32_t output[32][kClasses];
    ASSERT_EQ(model->call("predict_int8", images_.pixels[start], &output[0][0]),
              0);
    for (size_t i = 0; i < 32; ++i) {
      int32_t expected[kClasses];
      reference_int8(&network_, images_.pixels[start + i], expected);
      for (int c = 0; c < kClasses; ++c)
        ASSERT_EQ(output[i][c], expected[c]) << "image " << start + i;
      right += std::max_element(output[i], output[i] + kClasses) - output[i] ==
               images_.labels[start + i];
    }
  }
  EXPECT_EQ(JitModel::liveAllocations(), 0);
  EXPECT_GE(right, 553u);  // 96 % of 576
}

std::string nameOf(const ::testing::TestParamInfo<Target>& info) {
  return info.param.name;
}

std::vector<Target> cpus() {
  std::vector<Target> targets;
  for (const std::string& isa : runnableIsas()) targets.push_back({isa, {isa}});
  return targets;
}

// Early and without data tiling: of the best instruction set and of a GPU.
std::vector<Target> tilings() {
  std::vector<Target> targets;
  for (const std::string& isa :
       {runnableIsas().front(), std::string("amdgpu_gfx942")})
    for (auto [name, tiling] :
         {std::pair("early", JitTiling::kEarly), {"none", JitTiling::kNone}}) {
      JitOptions options{isa};
      options.tiling = tiling;
      targets.push_back({isa + "_" + name, options});
    }
  return targets;
}

// On a GPU, whose emulation takes its time; one by one beside plain loops, as
// every element is computed by a kernel of its own there.
std::vector<Target> gpus() {
  std::vector<Target> targets;
  for (const char* gfx : {"amdgpu_gfx942", "amdgpu_gfx1100"})
    for (bool reference : {false, true})
      targets.push_back(
          {gfx + std::string(reference ? "_reference" : ""), {gfx, reference}});
  return targets;
}

INSTANTIATE_TEST_SUITE_P(Isas, DigitsTest, ::testing::ValuesIn(cpus()), nameOf);
INSTANTIATE_TEST_SUITE_P(Devices, DigitsTest, ::testing::ValuesIn(gpus()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Tilings, DigitsTest, ::testing::ValuesIn(tilings()),
                         nameOf);

}  // namespace
}  // namespace tilewright::testing
