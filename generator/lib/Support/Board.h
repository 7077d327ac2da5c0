// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a supervised process and its parent share: what each thread is
// at, and which temporary files there are.

#ifndef TILEWRIGHT_LIB_SUPPORT_BOARD_H
#define TILEWRIGHT_LIB_SUPPORT_BOARD_H

#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <cstdint>

namespace tilewright {

struct Board {
  /// `kind` is an Activity::Kind or one of these.
  static constexpr unsigned kFree = 0, kClaimed = 100, kTemporary = 101;

  static constexpr int kSlots = 64;

  struct Slot {
    unsigned order; ///< later ones have greater numbers
    uint64_t thread;
    char name[4096];
    char detail[256];
  };

  /// Posts a note; -1 if there is no board, or no room on it.
  static int post(unsigned kind, llvm::StringRef name, llvm::StringRef detail);
  static void remove(int slot);

  /// Maps the board of this process and its children; false if that fails.
  static bool open();
  /// The board; null before open.
  static Board *get();

  std::atomic<unsigned> order;
  /// Set by the thread that a signal ends.
  std::atomic<uint64_t> crashedThread;
  std::atomic<bool> stackOverflow;
  /// Apart from what they tell about: an unused slot takes no memory.
  std::atomic<unsigned> kinds[kSlots];
  Slot slots[kSlots];
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_SUPPORT_BOARD_H
