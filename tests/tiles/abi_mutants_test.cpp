// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that compute the right values but break the calling convention, each in
// one way: the checker must say which.

#include <gtest/gtest.h>

#include "tests/tiles/broken_tiles.h"
#include "tests/tiles/check_tile.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

// The right tile that each of the mutants calls first.
extern "C" __attribute__((visibility("hidden"))) void tilewright_test_right(
    void* out, const void* lhs, const void* rhs,
    const tw_mmt4d_params_t* params) {
  using tilewright::testing::Fault;
  tilewright::testing::simpleTile<float, float, float, 2, 2, 1, false,
                                  Fault::kNone>(out, lhs, rhs, params);
}

namespace tilewright::testing {

struct AbiMutant {
  const char* what;
  tw_mmt4d_tile_fn_t fn;
  const char* message;  // "" for a right one
};

std::ostream& operator<<(std::ostream& out, const AbiMutant& mutant) {
  return out << mutant.what;
}

}  // namespace tilewright::testing

// kMutants, and on AArch64 kStreamingMutants.
#ifdef __x86_64__
#include "tests/tiles/abi_mutants_x86_64.h"
#else
#include "tests/tiles/abi_mutants_aarch64.h"
#endif

namespace tilewright::testing {
namespace {

class AbiMutantTest : public ::testing::TestWithParam<AbiMutant> {};

TEST_P(AbiMutantTest, IsFound) {
  const AbiMutant& mutant = GetParam();
  ParsedTileKey parsed = parseTileKey("tw_mmt4d_tile_f32f32f32_2x2x1_generic");
  ASSERT_TRUE(parsed.key.has_value()) << parsed.error;
  CheckReport report =
      checkTiles(*parsed.key, {{"self-test", mutant.fn}}, CheckOptions{});
  if (*mutant.message == '\0') {
    EXPECT_TRUE(report.ok()) << report.text();
    return;
  }
  ASSERT_FALSE(report.ok()) << mutant.what << " was not found";
  EXPECT_NE(report.failures[0].find(mutant.message), std::string::npos)
      << report.text();
}

std::string nameOf(const ::testing::TestParamInfo<AbiMutant>& test) {
  return test.param.what;
}

INSTANTIATE_TEST_SUITE_P(Mutants, AbiMutantTest, ::testing::ValuesIn(kMutants),
                         nameOf);
#ifdef __aarch64__
// On CPUs with SME only (tests/tiles/CMakeLists.txt).
INSTANTIATE_TEST_SUITE_P(StreamingMutants, AbiMutantTest,
                         ::testing::ValuesIn(kStreamingMutants), nameOf);
#endif

}  // namespace
}  // namespace tilewright::testing

#endif
