// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of plans' parts in docs/ are those of the code.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tilewright/Planning/TilePlan.h"
#include "tilewright/Target/Amdgpu/KernelPlan.h"
#include "tilewright/Target/Amdgpu/WavePlan.h"

namespace tilewright {
namespace {

struct Page {
  const char* name;
  std::string (*parts)();
};

class PlanDocsTest : public ::testing::TestWithParam<Page> {};

TEST_P(PlanDocsTest, TellEachPart) {
  std::ifstream in(std::string(TW_TEST_DOCS) + "/" + GetParam().name);
  ASSERT_TRUE(in) << GetParam().name;
  std::stringstream page;
  page << in.rdbuf();
  const std::string table =
      "| part | values | meaning |\n|---|---|---|\n" + GetParam().parts();
  EXPECT_NE(page.str().find("\n" + table + "\n"), std::string::npos)
      << "docs/" << GetParam().name << " is to have this table:\n"
      << table;
}

INSTANTIATE_TEST_SUITE_P(
    Pages, PlanDocsTest,
    ::testing::Values(Page{"tile-plans.md", describeTilePlan},
                      Page{"wave-plans.md", describeWavePlan},
                      Page{"amdgpu-scheduling.md", describeKernelPlan}),
    [](const ::testing::TestParamInfo<Page>& page) {
      const std::string name = page.param.name;
      return name.substr(0, name.find_first_of("-."));
    });

}  // namespace
}  // namespace tilewright
