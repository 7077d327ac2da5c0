// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/status.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

TEST(StatusTest, EveryCodeHasItsOwnSentence) {
  std::set<std::string> sentences;
  for (int code = TW_STATUS_OK; code <= TW_STATUS_FOREIGN; ++code) {
    const std::string message =
        tw_status_message(static_cast<tw_status_t>(code));
    EXPECT_EQ(message.back(), '.') << message;
    EXPECT_TRUE(sentences.insert(message).second) << message;
  }
}

TEST(StatusTest, AValueOutsideTheEnumerationIsSaidToBe) {
  const std::string message = tw_status_message(static_cast<tw_status_t>(10));
  EXPECT_NE(message.find("not a status code"), std::string::npos) << message;
}

}  // namespace
