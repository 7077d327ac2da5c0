// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLD as a function: what it must leave alone.

#include <gtest/gtest.h>

#include "llvm/Support/CommandLine.h"
#include "tilewright/Codegen/RunLld.h"

namespace cl = llvm::cl;

namespace tilewright::testing {
namespace {

cl::SubCommand command("run-lld-test");
cl::opt<int> ofCommand("number", cl::sub(command), cl::init(1));
cl::list<std::string> positional(cl::Positional, cl::sub(command));

TEST(RunLldTest, OptionsOfTheProcessStay) {
  const char* arguments[] = {"test", "run-lld-test", "--number=7", "a", "b"};
  ASSERT_TRUE(cl::ParseCommandLineOptions(5, arguments));
  llvm::StringRef text = "no object";
  for (int time = 0; time < 2; ++time) {
    auto linked = runLld({"-shared"}, {{text, ""}});
    ASSERT_FALSE(bool(linked));
    EXPECT_NE(llvm::toString(linked.takeError()), "");
    EXPECT_EQ(ofCommand, 7);
    EXPECT_EQ(ofCommand.getNumOccurrences(), 1);
    EXPECT_EQ(positional.size(), 2u);
    EXPECT_TRUE(bool(command));
  }
  // They are those that another command line sets.
  const char* others[] = {"test", "run-lld-test", "--number=8"};
  cl::ResetAllOptionOccurrences();
  EXPECT_EQ(ofCommand, 1);
  ASSERT_TRUE(cl::ParseCommandLineOptions(3, others));
  EXPECT_EQ(ofCommand, 8);
}

}  // namespace
}  // namespace tilewright::testing
