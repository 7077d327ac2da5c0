// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel-for on threads of its own, as a caller of the library has one.

#ifndef TESTS_COMMON_THREADS_H_
#define TESTS_COMMON_THREADS_H_

#include <atomic>
#include <thread>
#include <vector>

#include "tilewright/parallel_for.h"

namespace tilewright::testing {

// Each run() starts `count` threads, which take the indices as they come: from
// the last one down, an order that nobody should rely on.
class ThreadedFor {
 public:
  explicit ThreadedFor(int count) : count_(count) {}

  const tw_parallel_for_t* get() const { return &parallelFor_; }
  // Calls of run so far.
  int runs() const { return runs_; }

 private:
  static void run(void* self, tw_index_t count,
                  void (*body)(void* context, tw_index_t i), void* context) {
    auto* threadedFor = static_cast<ThreadedFor*>(self);
    ++threadedFor->runs_;
    std::atomic<tw_index_t> left{count};
    std::vector<std::thread> threads;
    for (int t = 0; t < threadedFor->count_; ++t)
      threads.emplace_back([&] {
        for (;;) {
          const tw_index_t i = --left;
          if (i < 0) return;
          body(context, i);
        }
      });
    for (std::thread& thread : threads) thread.join();
  }

  int count_;
  int runs_ = 0;
  tw_parallel_for_t parallelFor_ = {run, this};
};

}  // namespace tilewright::testing

#endif  // TESTS_COMMON_THREADS_H_
