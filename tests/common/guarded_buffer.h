// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer between two inaccessible pages, so that a kernel that touches one
// byte outside it faults at once.

#ifndef TESTS_COMMON_GUARDED_BUFFER_H_
#define TESTS_COMMON_GUARDED_BUFFER_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace tilewright::testing {

// Which guard page the bytes lie flush against.
enum class Placement {
  kTrailing,  // the last byte is the last one before the trailing guard page
  kLeading,   // the first byte is the first one after the leading guard page
};

// `size` writable bytes, which begin as kFill. `alignmentOffset` bytes (of
// canaries) are left between the buffer and the guard page it lies against: for
// kLeading the address is `alignmentOffset` past a page's start. For kTrailing
// the buffer's *end* is that far before one.
class GuardedBuffer {
 public:
  static constexpr uint8_t kFill = 0xCD;
  static constexpr uint8_t kCanary = 0xA5;

  explicit GuardedBuffer(size_t size, size_t alignmentOffset = 0,
                         Placement placement = Placement::kTrailing)
      : size_(size) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    inner_ = (size + alignmentOffset + page - 1) / page * page;
    if (inner_ == 0) inner_ = page;
    mapped_ = inner_ + 2 * page;
    void* map =
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    map_ = static_cast<uint8_t*>(map);
    begin_ = map_ + page;
    if (mprotect(begin_, inner_, PROT_READ | PROT_WRITE) != 0) {
      munmap(map_, mapped_);
      throw std::bad_alloc();
    }
    data_ = placement == Placement::kLeading
                ? begin_ + alignmentOffset
                : begin_ + inner_ - alignmentOffset - size;
    std::memset(begin_, kCanary, inner_);
    std::memset(data_, kFill, size_);
  }

  GuardedBuffer(GuardedBuffer&& other) noexcept
      : map_(other.map_),
        begin_(other.begin_),
        data_(other.data_),
        size_(other.size_),
        inner_(other.inner_),
        mapped_(other.mapped_) {
    other.map_ = nullptr;
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  ~GuardedBuffer() {
    if (map_) munmap(map_, mapped_);
  }

  void* data() { return data_; }
  const void* data() const { return data_; }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  size_t size() const { return size_; }

  // Whether the bytes between the buffer and its guard pages are still as they
  // were: false says that something wrote outside without reaching a guard.
  bool slackIntact() const {
    return allCanaries(begin_, data_) &&
           allCanaries(data_ + size_, begin_ + inner_);
  }

 private:
  static bool allCanaries(const uint8_t* begin, const uint8_t* end) {
    // If each is the next one, all are the first.
    return begin == end ||
           (*begin == kCanary &&
            std::memcmp(begin, begin + 1, end - begin - 1) == 0);
  }

  uint8_t* map_ = nullptr;
  uint8_t* begin_ = nullptr;  // first accessible byte
  uint8_t* data_ = nullptr;
  size_t size_ = 0, inner_ = 0, mapped_ = 0;
};

}  // namespace tilewright::testing

#endif  // TESTS_COMMON_GUARDED_BUFFER_H_
