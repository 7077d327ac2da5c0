// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/FatalErrors.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/Messages.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include <exception>
#include <memory>

using namespace llvm;

namespace tilewright {
namespace {

std::string toolName;
/// Given back before the words for a want of memory are put together.
std::unique_ptr<char[]> reserve;

[[noreturn]] void exitWithError(Activity::End end, StringRef how) {
  const Activity *activity = Activity::current();
  printError(toolName, activity
                           ? activity->failure(end, how)
                           : Activity::failure(Activity::Kind::None,
                                               "the command", "", end, how));
  sys::RunInterruptHandlers();
  sys::Process::Exit(1, /*NoCleanup=*/true);
}

void atFatalError(void *, const char *reason, bool) {
  exitWithError(Activity::End::Fatal, reason);
}

void atBadAlloc(void *, const char *, bool) {
  reserve.reset();
  exitWithError(Activity::End::Outside, "for want of memory");
}

/// A standard container was asked for what it cannot hold.
[[noreturn]] void atTerminate() {
  exitWithError(Activity::End::Fatal, "sizes in it are impossible");
}

} // namespace

void installFatalErrorHandler(StringRef tool) {
  toolName = tool.str();
  reserve = std::make_unique<char[]>(1 << 16);
  install_fatal_error_handler(atFatalError);
  install_bad_alloc_error_handler(atBadAlloc);
  std::set_terminate(atTerminate);
}

} // namespace tilewright
