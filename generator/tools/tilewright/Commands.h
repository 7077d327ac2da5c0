// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands of `tilewright`, one per file. To add one: a file
// <Name>Command.cpp that defines a Command, and a row in Commands.def.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H

#include "tilewright/key.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilewright {

struct Command {
  /// Its name and one-line description; the command's options are global
  /// cl::opt objects that carry cl::sub(*options).
  llvm::cl::SubCommand *options;
  /// What `--help` prints below the options: examples, and what the command's
  /// arguments mean where one line does not say it.
  const char *help;
  /// Runs the command; its options are parsed. Every error is returned, none
  /// printed; main prints it and exits with 1.
  llvm::Error (*run)();
};

#define TW_COMMAND(Name) extern const Command Name##Command;
#include "Commands.def"

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H
