// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

thread_local StringRef currentName;

void exitWithError(void *tool, const char *reason, bool) {
  // A buffer first: other threads may be printing.
  std::string message;
  raw_string_ostream os(message);
  if (!currentName.empty())
    os << currentName << ": LLVM's back end refuses it: ";
  os << reason << '\n';
  WithColor::error(errs(), *static_cast<std::string *>(tool)) << message;
  sys::RunInterruptHandlers();
  sys::Process::Exit(1, /*NoCleanup=*/true);
}

} // namespace

void installFatalErrorHandler(StringRef tool) {
  static std::string name;
  name = tool.str();
  install_fatal_error_handler(exitWithError, &name);
}

CurrentTile::CurrentTile(StringRef name)
    : text(name.str()), entry(text.c_str()), outer(currentName) {
  currentName = text;
}

CurrentTile::~CurrentTile() { currentName = outer; }

StringRef CurrentTile::name() { return currentName; }

} // namespace tilewright
