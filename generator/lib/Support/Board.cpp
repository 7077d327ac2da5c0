// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Board.h"
#include "llvm/Support/Threading.h"
#include <algorithm>
#include <cstring>
#include <mutex>
#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace llvm;

namespace tilewright {
namespace {

Board *board = nullptr;

template <size_t N> void copy(StringRef text, char (&to)[N]) {
  size_t size = std::min(text.size(), N - 1);
  memcpy(to, text.data(), size);
  to[size] = 0;
}

} // namespace

Board *Board::get() { return board; }

bool Board::open() {
#ifdef __linux__
  // Zero at first; only what is written to takes memory.
  void *memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED)
    board = static_cast<Board *>(memory);
#endif
  return board;
}

int Board::post(unsigned kind, StringRef name, StringRef detail) {
  if (!board)
    return -1;
  for (int i = 0; i < kSlots; ++i) {
    std::atomic<unsigned> &state = board->kinds[i];
    unsigned expected = kFree;
    if (state.load(std::memory_order_relaxed) != kFree ||
        !state.compare_exchange_strong(expected, kClaimed))
      continue;
    Slot &slot = board->slots[i];
    slot.order = ++board->order;
    slot.thread = get_threadid();
    copy(name, slot.name);
    copy(detail, slot.detail);
    state.store(kind, std::memory_order_release);
    return i;
  }
  return -1;
}

void Board::remove(int slot) {
  if (slot >= 0)
    board->kinds[slot].store(kFree, std::memory_order_release);
}

int64_t Board::postTemporary(StringRef path) {
  if (!board)
    return -1;
  static std::mutex mutex; // the child's; its parent only reads
  std::lock_guard<std::mutex> lock(mutex);
  size_t at = board->pathBytes.load(std::memory_order_relaxed);
  size_t size = path.size() + 2;
  if (size > kPathBytes - at)
    return -1;
  memcpy(board->paths + at + 1, path.data(), path.size());
  board->paths[at] = 1;
  board->pathBytes.store(at + size, std::memory_order_release);
  return at;
}

void Board::removeTemporary(int64_t at) {
  if (at >= 0)
    board->paths[at] = 0;
}

SmallVector<StringRef> Board::temporaries() {
  SmallVector<StringRef> result;
  size_t end = board->pathBytes.load(std::memory_order_acquire);
  for (size_t at = 0; at < end;) {
    StringRef path(board->paths + at + 1);
    if (board->paths[at])
      result.push_back(path);
    at += path.size() + 2;
  }
  return result;
}

} // namespace tilewright
