// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two CPUs in one model, with encodings that are the same and layouts that are
// not: what they multiply, and what goes from one to the other.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "tests/compile/jit_model.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kN = 35, kK = 9, kP = 21, kQ = 13, kRows = 5;

struct Tiling {
  const char* name;
  JitTiling tiling;
  bool isInline;
};
constexpr Tiling kTilings[] = {{"late", JitTiling::kLate, false},
                               {"early", JitTiling::kEarly, false},
                               {"none", JitTiling::kNone, false},
                               {"inline_late", JitTiling::kLate, true},
                               {"inline_early", JitTiling::kEarly, true}};

// The host's level, and the other one's; the best that runs here if empty.
struct Levels {
  const char *name, *host, *other;
};
constexpr Levels kLevels[] = {
    {"best_and_generic", "", "generic"},
#ifdef __x86_64__
    {"avx512_and_avx2", "x86_64_avx512_base", "x86_64_avx2_fma"},
    {"vnni_and_avx2", "x86_64_avx512_vnni", "x86_64_avx2_fma"},
#endif
};

using Case = std::tuple<Levels, Tiling>;

class TwoDevicesTest : public ::testing::TestWithParam<Case> {
 protected:
  // Null after a failure.
  std::unique_ptr<JitModel> compile(const std::string& text) {
    const auto& [levels, tiling] = GetParam();
    std::vector<std::string> known = runnableIsas();
    JitOptions options{*levels.host ? levels.host : known.front()};
    options.others = {std::string("other=") + levels.other};
    options.tiling = tiling.tiling;
    options.inlineTiles = tiling.isInline;
    for (const std::string& isa : {options.isa, std::string(levels.other)})
      if (std::find(known.begin(), known.end(), isa) == known.end())
        missing = isa;
    if (!missing.empty())
      std::printf(
          "[ NOT RUN  ] this CPU has no %s: what is laid out anew is counted, "
          "and nothing is called\n",
          missing.c_str());
    std::string error;
    std::unique_ptr<JitModel> model = JitModel::compile(text, options, &error);
    EXPECT_TRUE(model) << error;
    return model;
  }
  // Whether the model may be called.
  bool runs() const { return missing.empty(); }

  // What is packed as a whole goes from device to device by so many relayouts,
  // and by nothing else; what is packed block by block goes in rows.
  static void expectRelayouts(const JitModel& model, int64_t count) {
    const Tiling& tiling = std::get<Tiling>(GetParam());
    if (tiling.tiling == JitTiling::kNone) return;
    int64_t relayouts = 0;
    for (const JitRelayout& each : model.laidOutAnew()) {
      relayouts += each.what == "relayout";
      EXPECT_EQ(each.what == "relayout", each.rule == "device")
          << each.what << ", " << each.rule;
      // Of what the caller gets.
      if (each.what == "unpack") EXPECT_EQ(each.rule, "result");
    }
    EXPECT_EQ(relayouts, tiling.isInline ? count : 0);
  }

  template <typename T = float>
  static std::vector<T> integers(int64_t count) {
    std::vector<T> values(count);
    for (int64_t i = 0; i < count; ++i)
      values[i] = static_cast<T>((i * i + 5 * i + 2) % 11 - 5);
    return values;
  }

  // out += a * b, exactly.
  template <typename T, typename Out>
  static void addProduct(std::vector<Out>& out, const std::vector<T>& a,
                         const std::vector<T>& b, int64_t k, int64_t n) {
    for (size_t i = 0; i < out.size(); ++i)
      for (int64_t step = 0; step < k; ++step)
        out[i] += static_cast<Out>(a[i / n * k + step]) *
                  static_cast<Out>(b[step * n + i % n]);
  }
  static std::vector<float> product(const std::vector<float>& a,
                                    const std::vector<float>& b, int64_t k,
                                    int64_t n) {
    std::vector<float> out(a.size() / k * n);
    addProduct(out, a, b, k, n);
    return out;
  }

  // init + times * a * b.
  std::vector<float> expected(const std::vector<float>& a,
                              const std::vector<float>& init, int times) {
    std::vector<float> out = init;
    for (int i = 0; i < times; ++i) addProduct(out, a, b, kK, kN);
    return out;
  }

  std::string missing;
  const std::vector<float> b = integers(kK * kN);
};

TEST_P(TwoDevicesTest, EachPacksForItself) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x9xf32>, %b: tensor<9x35xf32>, %c: tensor<?x35xf32>)
        -> (tensor<?x35xf32>, tensor<?x35xf32>) {
      %zero = arith.constant 0.0 : f32
      %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x35xf32>)
          -> tensor<?x35xf32>
      %r = linalg.matmul
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%z : tensor<?x35xf32>) -> tensor<?x35xf32>
      %s = linalg.matmul {tw.device = "other"}
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%z : tensor<?x35xf32>) -> tensor<?x35xf32>
      return %r, %s : tensor<?x35xf32>, tensor<?x35xf32>
    })");
  ASSERT_TRUE(model);
  expectRelayouts(*model, 0);
  for (int64_t m : {1, 5, 29}) {
    if (!runs()) continue;
    std::vector<float> a = integers(m * kK), c(m * kN), r(m * kN), s(m * kN);
    ASSERT_EQ(model->call("f", a.data(), m, b.data(), c.data(), m, r.data(),
                          s.data()),
              0);
    EXPECT_EQ(r, expected(a, c, 1)) << "of " << m;
    EXPECT_EQ(s, r) << "of " << m;
  }
}

TEST_P(TwoDevicesTest, OneAddsToWhatTheOtherHasSummed) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x9xf32>, %b: tensor<9x35xf32>, %c: tensor<?x35xf32>)
        -> tensor<?x35xf32> {
      %r = linalg.matmul {tw.device = "other"}
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%c : tensor<?x35xf32>) -> tensor<?x35xf32>
      %s = linalg.matmul
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%r : tensor<?x35xf32>) -> tensor<?x35xf32>
      return %s : tensor<?x35xf32>
    })");
  ASSERT_TRUE(model);
  expectRelayouts(*model, 1);
  for (int64_t m : {1, 5, 29}) {
    if (!runs()) continue;
    std::vector<float> a = integers(m * kK), c = integers(m * kN), r(m * kN);
    ASSERT_EQ(model->call("f", a.data(), m, b.data(), c.data(), m, r.data()),
              0);
    EXPECT_EQ(r, expected(a, c, 2)) << "of " << m;
  }
}

// Of bytes, whose tiles are others on each level.
TEST_P(TwoDevicesTest, OneAddsToWhatTheOtherHasSummedOfBytes) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x9xi8>, %b: tensor<9x35xi8>, %c: tensor<?x35xi32>)
        -> tensor<?x35xi32> {
      %r = linalg.matmul
          ins(%a, %b : tensor<?x9xi8>, tensor<9x35xi8>)
          outs(%c : tensor<?x35xi32>) -> tensor<?x35xi32>
      %s = linalg.matmul {tw.device = "other"}
          ins(%a, %b : tensor<?x9xi8>, tensor<9x35xi8>)
          outs(%r : tensor<?x35xi32>) -> tensor<?x35xi32>
      return %s : tensor<?x35xi32>
    })");
  ASSERT_TRUE(model);
  expectRelayouts(*model, 1);
  std::vector<int8_t> of = integers<int8_t>(kK * kN);
  for (int64_t m : {0, 1, 5, 29, 64}) {
    if (!runs()) continue;
    std::vector<int8_t> a = integers<int8_t>(m * kK);
    std::vector<int32_t> c = integers<int32_t>(m * kN), r(m * kN), sum = c;
    for (int i = 0; i < 2; ++i) addProduct(sum, a, of, kK, kN);
    ASSERT_EQ(model->call("f", a.data(), m, of.data(), c.data(), m, r.data()),
              0);
    EXPECT_EQ(r, sum) << "of " << m;
  }
}

const char kThree[] = R"(
    func.func @f(%a: tensor<?x9xf32>, %b: tensor<9x35xf32>, %c: tensor<35x21xf32>, %d: tensor<21x13xf32>)
        -> tensor<?x13xf32> {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %m = tensor.dim %a, %c0 : tensor<?x9xf32>
      %e0 = tensor.empty(%m) : tensor<?x35xf32>
      %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x35xf32>) -> tensor<?x35xf32>
      %r = linalg.matmul
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%z0 : tensor<?x35xf32>) -> tensor<?x35xf32>
      %e1 = tensor.empty(%m) : tensor<?x21xf32>
      %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x21xf32>) -> tensor<?x21xf32>
      %s = linalg.matmul {tw.device = "other"}
          ins(%r, %c : tensor<?x35xf32>, tensor<35x21xf32>)
          outs(%z1 : tensor<?x21xf32>) -> tensor<?x21xf32>
      %e2 = tensor.empty(%m) : tensor<?x13xf32>
      %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x13xf32>) -> tensor<?x13xf32>
      %t = linalg.matmul
          ins(%s, %d : tensor<?x21xf32>, tensor<21x13xf32>)
          outs(%z2 : tensor<?x13xf32>) -> tensor<?x13xf32>
      return %t : tensor<?x13xf32>
    })";

// There and back: one relayout for each crossing.
TEST_P(TwoDevicesTest, OneMultipliesWhatTheOtherHasComputed) {
  std::unique_ptr<JitModel> model = compile(kThree);
  ASSERT_TRUE(model);
  expectRelayouts(*model, 2);
  std::vector<float> c = integers(kN * kP), d = integers(kP * kQ);
  for (int64_t m : {0, 1, 5, 12, 29, 100}) {
    if (!runs()) continue;
    std::vector<float> a = integers(m * kK), t(m * kQ);
    ASSERT_EQ(
        model->call("f", a.data(), m, b.data(), c.data(), d.data(), t.data()),
        0);
    EXPECT_EQ(t, product(product(product(a, b, kK, kN), c, kN, kP), d, kP, kQ))
        << "of " << m;
  }
}

// From a result's tiles to those of a rhs, along a k that is not known; and the
// caller gets the first product, too.
TEST_P(TwoDevicesTest, OneMultipliesByWhatTheOtherHasComputed) {
  std::unique_ptr<JitModel> model = compile(R"(
    func.func @f(%a: tensor<?x9xf32>, %b: tensor<9x35xf32>, %x: tensor<5x?xf32>)
        -> (tensor<5x35xf32>, tensor<?x35xf32>) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %m = tensor.dim %a, %c0 : tensor<?x9xf32>
      %e0 = tensor.empty(%m) : tensor<?x35xf32>
      %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x35xf32>) -> tensor<?x35xf32>
      %r = linalg.matmul {tw.device = "other"}
          ins(%a, %b : tensor<?x9xf32>, tensor<9x35xf32>)
          outs(%z0 : tensor<?x35xf32>) -> tensor<?x35xf32>
      %e1 = tensor.empty() : tensor<5x35xf32>
      %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5x35xf32>) -> tensor<5x35xf32>
      %s = linalg.matmul
          ins(%x, %r : tensor<5x?xf32>, tensor<?x35xf32>)
          outs(%z1 : tensor<5x35xf32>) -> tensor<5x35xf32>
      return %s, %r : tensor<5x35xf32>, tensor<?x35xf32>
    })");
  ASSERT_TRUE(model);
  expectRelayouts(*model, 1);
  for (int64_t m : {1, 5, 12, 29, 100}) {
    if (!runs()) continue;
    std::vector<float> a = integers(m * kK), x = integers(kRows * m);
    std::vector<float> s(kRows * kN), r(m * kN), first = product(a, b, kK, kN);
    ASSERT_EQ(model->call("f", a.data(), m, b.data(), x.data(), m, s.data(),
                          r.data()),
              0);
    EXPECT_EQ(r, first) << "of " << m;
    EXPECT_EQ(s, product(x, first, m, kN)) << "of " << m;
  }
}

INSTANTIATE_TEST_SUITE_P(Tiling, TwoDevicesTest,
                         ::testing::Combine(::testing::ValuesIn(kLevels),
                                            ::testing::ValuesIn(kTilings)),
                         [](const auto& info) {
                           return std::string(
                                      std::get<Levels>(info.param).name) +
                                  "_" + std::get<Tiling>(info.param).name;
                         });

}  // namespace
}  // namespace tilewright::testing
