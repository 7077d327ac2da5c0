// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a supervised process and its parent share: what each thread is
// at, and which temporary files there are.

#ifndef TILEWRIGHT_LIB_SUPPORT_BOARD_H
#define TILEWRIGHT_LIB_SUPPORT_BOARD_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <cstdint>

namespace tilewright {

struct Board {
  /// `kind` is an Activity::Kind or one of these.
  static constexpr unsigned kFree = 0, kClaimed = 100;

  /// More than activities nest, over all threads.
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

  /// Notes a temporary file or folder; -1 as above. A run may have thousands at
  /// a time: one for each output.
  static int64_t postTemporary(llvm::StringRef path);
  static void removeTemporary(int64_t at);
  /// Those that are not removed, oldest first; for the parent, once the child
  /// is dead.
  static llvm::SmallVector<llvm::StringRef> temporaries();

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
  /// Zero-terminated paths, each behind a byte that says whether it is still
  /// there. Those that are gone stay: this is room for 100,000 of them.
  static constexpr size_t kPathBytes = 16 << 20;
  std::atomic<size_t> pathBytes; ///< used; only whole paths count
  char paths[kPathBytes];
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_SUPPORT_BOARD_H
