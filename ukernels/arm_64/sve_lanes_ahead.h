// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The K loop of sve_lanes.h, inside of its function, for families whose
// operands are converted (TW_CONVERTS): each K step converts the rhs of the
// next one, and each quad of the lhs the next quad. Neoverse V1 converts in one
// of its two pipelines for SVE, which should never wait for anything.
//
// An iteration takes as many steps as fill a quad of the lhs. The rhs of a step
// is converted before the step before it is multiplied if there are registers
// for both (TW_CONVERTS(M0, vectors)), else each vector when its predecessor
// has been multiplied, into that one's register.

const int block = M0 < TW_QUAD_ROWS ? TW_QUAD_ROWS / M0 : 1;
const int early = TW_CONVERTS(M0, vectors);
const int acc_rows = sets * M0;
tw_index_t left = params->K > 0 ? params->K / block : 0;
if (left > 0) {
  rhs_vector_t v0, v1, v2 TW_UNUSED, v3 TW_UNUSED;
  rhs_vector_t w0 TW_UNUSED, w1 TW_UNUSED, w2 TW_UNUSED, w3 TW_UNUSED;
#define TW_LOAD_FIRST(r, n, ...) \
  if (n < vectors) v##n = TW_LOAD_RHS(rhs + n * rhs_vector);
  TW_EACH_VECTOR(TW_LOAD_FIRST, 0, 0)
#undef TW_LOAD_FIRST
  quad_t quad = TW_LOAD_QUAD(svptrue_b8(), lhs);

  // Row r of the quad into row a of the accumulators. `more`: there is a step
  // after this one, whose rhs is loaded when this is done.
#define TW_INTO(a, r, n)                           \
  {                                                \
    acc##a##n = TW_PRODUCT(acc##a##n, n, quad, r); \
    if (more) TW_LOAD_AFTER(rhs, acc##a##n);       \
  }
#define TW_ROW(n, r, a)                                      \
  if (r / M0 == step) {                                      \
    if (r < acc_rows) TW_INTO(r, r, n) else TW_INTO(a, r, n) \
  }
#define TW_CONVERT(r, n, ...)                 \
  if (more && n < vectors) {                  \
    w##n = TW_LOAD_RHS(rhs + n * rhs_vector); \
    TW_USE_AFTER(v0, w##n);                   \
    TW_USE_AFTER(v##n, w##n);                 \
  }
#define TW_ADVANCE(r, n, ...) \
  if (more && n < vectors) v##n = w##n;
#define TW_CONVERT_LATE(next, n)                      \
  if (more && !early) {                               \
    w##n = TW_LOAD_RHS(rhs + n * rhs_vector);         \
    if (n + 1 < vectors) TW_USE_AFTER(v##next, w##n); \
  }
#define TW_STEP_VECTOR(next, n) \
  if (n < vectors) {            \
    TW_ROW(n, 0, 0)             \
    TW_ROW(n, 1, 1)             \
    TW_ROW(n, 2, 2)             \
    TW_ROW(n, 3, 3)             \
    TW_ROW(n, 4, 0)             \
    TW_ROW(n, 5, 1)             \
    TW_ROW(n, 6, 2)             \
    TW_ROW(n, 7, 3)             \
    TW_CONVERT_LATE(next, n)    \
  }
#define TW_MULTIPLY_QUAD(last)                         \
  TW_UNROLL for (int step = 0; step < block; ++step) { \
    const int more = !(last) || step < block - 1;      \
    rhs += rhs_step;                                   \
    if (early) {                                       \
      TW_EACH_VECTOR(TW_CONVERT, 0, 0)                 \
    }                                                  \
    TW_STEP_VECTOR(1, 0)                               \
    TW_STEP_VECTOR(2, 1)                               \
    TW_STEP_VECTOR(3, 2)                               \
    TW_STEP_VECTOR(3, 3)                               \
    TW_EACH_VECTOR(TW_ADVANCE, 0, 0)                   \
  }                                                    \
  lhs += TW_QUAD_ROWS * TW_K0;
  // Two iterations at once, where an iteration is a single step, so that what
  // is converted early alternates between registers.
  const int alternates = early && block == 1;
  if (alternates) {
    TW_UNROLL_2 for (; left > 1; --left) {
      const quad_t next =
          TW_LOAD_QUAD(svptrue_b8(), lhs + TW_QUAD_ROWS * TW_K0);
      TW_MULTIPLY_QUAD(0)
      quad = next;
    }
  } else {
    TW_NO_UNROLL for (; left > 1; --left) {
      TW_MULTIPLY_QUAD(0)
      quad = TW_LOAD_QUAD(svptrue_b8(), lhs);
    }
  }
  TW_MULTIPLY_QUAD(1)
#undef TW_MULTIPLY_QUAD
#undef TW_STEP_VECTOR
#undef TW_CONVERT_LATE
#undef TW_ADVANCE
#undef TW_CONVERT
#undef TW_ROW
#undef TW_INTO
}
