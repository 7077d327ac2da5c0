// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/Messages.h"
#include "tilewright/Support/Progress.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {

std::string escapeControls(StringRef text, Lines lines) {
  std::string result;
  raw_string_ostream os(result);
  const auto *at = reinterpret_cast<const UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const UTF8 *>(text.end());
  while (at != end) {
    const UTF8 *start = at;
    UTF32 character = 0;
    if (convertUTF8Sequence(&at, end, &character, strictConversion) !=
        conversionOK) {
      at = start + 1;
      os << formatv("\\x{0:X-2}", unsigned(*start));
    } else if (sys::unicode::isPrintable(character) ||
               (character == '\n' && lines == Lines::Several)) {
      os.write(reinterpret_cast<const char *>(start), at - start);
    } else if (character == '\n') {
      os << "\\n";
    } else if (character == '\t') {
      os << "\\t";
    } else if (character < 0x80) {
      os << formatv("\\x{0:X-2}", character);
    } else {
      os << formatv("\\u{{{0:X-}}", character);
    }
  }
  return result;
}

void printError(StringRef tool, StringRef message) {
  Progress::wipe();
  WithColor::error(errs(), tool) << escapeControls(message.rtrim('\n')) + "\n";
}

void printWarning(StringRef tool, StringRef message) {
  Progress::wipe();
  WithColor::warning(errs(), tool)
      << escapeControls(message.rtrim('\n')) + "\n";
}

void printNote(StringRef tool, StringRef message) {
  Progress::wipe();
  WithColor::note(errs(), tool) << escapeControls(message.rtrim('\n')) + "\n";
}

void printErrors(StringRef tool, Error errors) {
  handleAllErrors(std::move(errors), [&](const ErrorInfoBase &error) {
    printError(tool, error.message());
  });
}

} // namespace tilewright
