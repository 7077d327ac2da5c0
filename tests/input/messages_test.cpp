// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/Messages.h"

#include <gtest/gtest.h>

#include <string>

namespace tilewright {
namespace {

TEST(EscapeControlsTest, LeavesWhatIsPrintable) {
  for (const char* text :
       {"", "plain 'text' \\ with % signs", "Grüße, 日本語, 🙂"})
    EXPECT_EQ(escapeControls(text), text);
}

TEST(EscapeControlsTest, SpellsControlsOut) {
  EXPECT_EQ(escapeControls("a\x1b[31mb\x07\x7f"), "a\\x1B[31mb\\x07\\x7F");
  EXPECT_EQ(escapeControls("a\nb\tc\rd"), "a\\nb\\tc\\x0Dd");
  EXPECT_EQ(escapeControls(std::string("a\0b", 3)), "a\\x00b");
  // C1 controls, which some terminals take for escapes, and what turns the
  // direction of text.
  EXPECT_EQ(escapeControls("\xc2\x9b"), "\\u{9B}");
  EXPECT_EQ(escapeControls("\xe2\x80\xae"), "\\u{202E}");
  EXPECT_EQ(escapeControls("\xe2\x80\xa8"), "\\u{2028}");
}

TEST(EscapeControlsTest, SpellsOutWhatIsNoUtf8) {
  EXPECT_EQ(escapeControls("\xff\xc3"), "\\xFF\\xC3");
  EXPECT_EQ(escapeControls("\xc0\x9b"), "\\xC0\\x9B");             // overlong
  EXPECT_EQ(escapeControls("\xed\xa0\x80z"), "\\xED\\xA0\\x80z");  // surrogate
  EXPECT_EQ(escapeControls("\xe2\x80"), "\\xE2\\x80");             // cut off
}

TEST(EscapeControlsTest, KeepsTheLinesOfATextOfSeveral) {
  EXPECT_EQ(escapeControls("a\x1b\nb\r\n", Lines::Several), "a\\x1B\nb\\x0D\n");
}

}  // namespace
}  // namespace tilewright
