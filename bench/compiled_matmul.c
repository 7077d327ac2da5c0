// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function of compiled_matmul.py's model against tw_mmt4d on operands that
// are packed already, in turns, on one thread. MODEL is the function,
// of ROWS rows by a square matrix of SIZE columns, TYPES their type triple, and
// LHS_BYTES, RHS_BYTES, OUT_BYTES are those of elements. Prints two numbers:
// the median over the rounds of tw_mmt4d's time divided by the model's, and
// Gop/s of the model in its best round.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"
#include "tilewright/tilewright.h"

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

enum { kRounds = 21 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(const char* what, int status) {
  fprintf(stderr, "%s of %s: status %d\n", what, STRING(MODEL), status);
  exit(1);
}

// Small integers are exact in every type of one byte; 0x3f80 and its like are
// numbers near 1 of f32 and bf16.
static void* filled(size_t bytes, int element_bytes) {
  unsigned char* memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!memory) fail("allocating the operands", 5);
  for (size_t i = 0; i < bytes; ++i)
    memory[i] = element_bytes == 1 ? (unsigned char)(i % 7)
                : i % (size_t)element_bytes == (size_t)element_bytes - 1
                    ? 0x3f
                    : (unsigned char)(i % 128);
  return memory;
}

static int compare(const void* x, const void* y) {
  const double a = *(const double*)x, b = *(const double*)y;
  return a < b ? -1 : a > b;
}

int main(void) {
  const size_t elements = (size_t)ROWS * SIZE;
  void* lhs = filled(elements * LHS_BYTES, LHS_BYTES);
  void* out = filled(elements * OUT_BYTES, OUT_BYTES);
  const int64_t workspace_bytes = WORKSPACE_BYTES();
  void* workspace = filled((size_t)workspace_bytes + 64, 1);

  tw_tile_sizes_t sizes;
  int status = tw_query_tile_sizes(TYPES, ROWS, SIZE, NULL, &sizes);
  if (status) fail("tw_query_tile_sizes", status);
  tw_mmt4d_params_t params;
  status = tw_fill_mmt4d_params(TYPES, ROWS, SIZE, SIZE, &sizes, &params);
  if (status) fail("tw_fill_mmt4d_params", status);
  params.lhs_buffer =
      filled((size_t)(params.M * params.K * params.M0 * params.K0) * LHS_BYTES,
             LHS_BYTES);
  params.rhs_buffer =
      filled((size_t)(params.N * params.K * params.N0 * params.K0) * RHS_BYTES,
             RHS_BYTES);
  params.out_buffer =
      filled((size_t)(params.M * params.N * params.M0 * params.N0) * OUT_BYTES,
             OUT_BYTES);

  // At least 20 ms a turn.
  int calls = 1;
  for (double taken = 0; taken < 0.02; calls *= 2) {
    const double start = seconds();
    for (int i = 0; i < calls; ++i)
      if ((status = tw_mmt4d(&params, NULL))) fail("tw_mmt4d", status);
    taken = seconds() - start;
  }
  double ratios[kRounds], best = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    const double start = seconds();
    for (int i = 0; i < calls; ++i) tw_mmt4d(&params, NULL);
    const double between = seconds();
    for (int i = 0; i < calls; ++i)
      if ((status = WITH_WORKSPACE(lhs, out, workspace, workspace_bytes)))
        fail("the model", status);
    const double end = seconds();
    ratios[round] = (between - start) / (end - between);
    if ((end - between) / calls < best) best = (end - between) / calls;
  }
  qsort(ratios, kRounds, sizeof ratios[0], compare);
  printf("%.3f %.1f\n", ratios[kRounds / 2],
         2e-9 * (double)ROWS * (double)SIZE * (double)SIZE / best);
  return 0;
}
