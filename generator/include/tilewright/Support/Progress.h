// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_SUPPORT_PROGRESS_H
#define TILEWRIGHT_SUPPORT_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tilewright {

/// One line on standard error that says what a command is at and for how long,
/// "generating 12/600, 3 s", from its second second on, renewed every second
/// and wiped at the end. Nothing at all unless standard error is a terminal.
/// Thread-safe; one at a time.
class Progress {
public:
  explicit Progress(llvm::StringRef phase);
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  ~Progress();

  /// What the command is at from now on, which is not counted yet.
  void phase(llvm::StringRef what);

  /// How many of how many things of `what` are done.
  void update(llvm::StringRef what, size_t done, size_t total);

  /// Takes the line away, for what is printed in its place. It comes again.
  static void wipe();

private:
  void run();
  std::string line() const;

  const std::chrono::steady_clock::time_point start;
  std::mutex mutex; // of what follows
  std::condition_variable ended;
  std::string what;
  size_t done = 0, total = 0;
  bool shown = false, end = false;
  std::thread thread; ///< only on a terminal
};

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_PROGRESS_H
