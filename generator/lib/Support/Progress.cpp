// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr StringRef kWipe = "\r\x1b[K";

/// The one whose line may stand on the terminal, and the lock of that.
std::mutex currentMutex;
Progress *current = nullptr;

/// Past llvm::errs(), which a thread must not use while the process exits.
/// What a terminal does not take is no loss.
void print(StringRef text) {
  [[maybe_unused]] ssize_t written =
      ::write(STDERR_FILENO, text.data(), text.size());
}

} // namespace

Progress::Progress(StringRef phase)
    : start(std::chrono::steady_clock::now()), what(phase) {
  if (!errs().is_displayed())
    return;
  {
    std::lock_guard<std::mutex> lock(currentMutex);
    current = this;
  }
  thread = std::thread([this] { run(); });
}

Progress::~Progress() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    end = true;
  }
  ended.notify_one();
  thread.join();
  wipe();
  std::lock_guard<std::mutex> lock(currentMutex);
  current = nullptr;
}

void Progress::phase(StringRef newWhat) { update(newWhat, 0, 0); }

void Progress::update(StringRef newWhat, size_t newDone, size_t newTotal) {
  std::lock_guard<std::mutex> lock(mutex);
  what = newWhat.str();
  done = newDone;
  total = newTotal;
}

void Progress::wipe() {
  std::lock_guard<std::mutex> lockCurrent(currentMutex);
  if (!current)
    return;
  std::lock_guard<std::mutex> lock(current->mutex);
  if (current->shown)
    print(kWipe);
  current->shown = false;
}

std::string Progress::line() const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::steady_clock::now() - start);
  std::string count = total ? formatv(" {0}/{1}", done, total).str() : "";
  return formatv("{0}{1}{2}, {3} s", kWipe, what, count, seconds.count()).str();
}

void Progress::run() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!ended.wait_for(lock, kInterval, [this] { return end; })) {
    print(line());
    shown = true;
  }
}

} // namespace tilewright
