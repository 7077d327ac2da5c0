// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices on several threads. The library owns none: it asks its
// caller to run the tasks, here by std::thread and by OpenMP, and by the
// calling thread alone to compare with:
//
//   threads [<threads> [<size>]]
//
// prints the time of each and exits with 1 if results differ.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tilewright/tilewright.h"

namespace {

using Body = void (*)(void* context, tw_index_t i);

// Threads take the next task as they are done with the last. A program that
// multiplies often keeps its threads.
void runByStdThread(void* self, tw_index_t count, Body body, void* context) {
  std::atomic<tw_index_t> next{0};
  auto work = [&] {
    for (tw_index_t i = next++; i < count; i = next++) body(context, i);
  };
  const tw_index_t most = *static_cast<const int*>(self);
  std::vector<std::thread> others;
  for (tw_index_t i = 1; i < std::min(most, count); ++i)
    others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

#ifdef _OPENMP
void runByOpenMp(void* self, tw_index_t count, Body body, void* context) {
  const int most = *static_cast<const int*>(self);
#pragma omp parallel for schedule(dynamic) num_threads(most)
  for (tw_index_t i = 0; i < count; ++i) body(context, i);
}
#endif

// out = lhs * rhs of `size` x `size` f32; seconds of the quickest of a few
// calls. Exits where the library refuses.
double multiply(const std::vector<float>& lhs, const std::vector<float>& rhs,
                std::vector<float>& out, tw_index_t size, int threads,
                const tw_parallel_for_t* parallel_for) {
  tw_matmul_params_t params = {};
  params.lhs = lhs.data();
  params.rhs = rhs.data();
  params.out = out.data();
  params.lhs_stride = params.rhs_stride = params.out_stride = size;
  params.M = params.N = params.K = size;
  params.flags = TW_TYPES_F32F32F32 | TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK;
  params.threads = threads;
  tw_index_t bytes = 0;
  tw_status_t status = tw_matmul_workspace_size(&params, &bytes);
  std::vector<unsigned char> workspace(static_cast<size_t>(bytes));
  params.workspace = workspace.data();
  params.workspace_bytes = bytes;
  double best = 1e9;
  for (int i = 0; i < 5 && status == TW_STATUS_OK; ++i) {
    const auto start = std::chrono::steady_clock::now();
    status = tw_matmul(&params, parallel_for);
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  if (status != TW_STATUS_OK) {
    char text[300];
    tw_matmul_explain(&params, parallel_for, text, sizeof text);
    std::fprintf(stderr, "threads: %s\n", text);
    std::exit(1);
  }
  return best;
}

// A number from 1 to `most`; exits where `text` is none.
int numberOf(const char* text, int most) {
  char* end;
  const long number = std::strtol(text, &end, 10);
  if (*text && !*end && number >= 1 && number <= most)
    return static_cast<int>(number);
  std::fprintf(stderr, "threads: '%s' is no number from 1 to %d\n", text, most);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3) {
    std::fprintf(stderr, "usage: threads [<threads> [<size>]]\n");
    return 2;
  }
  int threads = argc > 1
                    ? numberOf(argv[1], 1024)
                    : std::max(1, int(std::thread::hardware_concurrency()));
  const tw_index_t size = argc > 2 ? numberOf(argv[2], 8192) : 1024;

  // Small integers: sums are exact, whatever their order.
  const size_t count = static_cast<size_t>(size) * static_cast<size_t>(size);
  std::vector<float> lhs(count), rhs(count), alone(count);
  for (size_t i = 0; i < count; ++i) {
    lhs[i] = static_cast<float>(i * 7 % 5) - 2;
    rhs[i] = static_cast<float>(i * 11 % 7) - 3;
  }
  const double one = multiply(lhs, rhs, alone, size, 1, nullptr);
  std::printf("%-12s  1 thread   %8.2f ms\n", "alone", one * 1e3);

  struct Way {
    const char* name;
    tw_parallel_for_t parallel_for;
  };
  const Way ways[] = {
      {"std::thread", {runByStdThread, &threads}},
#ifdef _OPENMP
      {"OpenMP", {runByOpenMp, &threads}},
#endif
  };
  bool isRight = true;
  for (const Way& way : ways) {
    std::vector<float> out(count, -1);
    const double took =
        multiply(lhs, rhs, out, size, threads, &way.parallel_for);
    std::printf("%-12s %2d threads  %8.2f ms, %.2f times as fast\n", way.name,
                threads, took * 1e3, one / took);
    isRight &= out == alone;
  }
  if (!isRight) std::fprintf(stderr, "threads: results differ\n");
  return isRight ? 0 : 1;
}
