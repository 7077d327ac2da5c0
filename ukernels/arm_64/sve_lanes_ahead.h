// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The K loop of sve_lanes.h, which includes this, for families whose operands
// are converted: each K step converts the rhs of the next one, and each quad of
// the lhs the next quad. Neoverse V1 converts in one of its two pipelines for
// SVE, which should never wait for anything.
//
// An iteration takes as many steps as fill a quad of the lhs. The rhs of a step
// is converted before the step before it is multiplied if there are registers
// for both, else each vector when its predecessor has been multiplied, into
// that one's register.

// The K steps of a quad. `last`: there are none after them. v[] has the rhs of
// the first step, and in the end that of the step after these.
TW_INLINE void TW_CONCAT(TW_TILE,
                         _quad)(tw_sve_family_t how, TW_ACC* const acc[][4],
                                const char** lhs, const char** rhs, int M0,
                                int vectors, int sets, TW_RHS* const v[],
                                TW_RHS* const w[], TW_LHS quad, int last) {
  const int quad_rows = 16 / how.lhs_bytes;
  const int steps = M0 < quad_rows ? quad_rows / M0 : 1;
  const int early = tw_sve_converts_early(M0, vectors);
  const tw_index_t lanes = svlen(TW_ZERO(TW_ACC));
  const tw_index_t rhs_vector = tw_sve_rhs_vector(how, lanes);
  TW_UNROLL for (int step = 0; step < steps; ++step) {
    const int more = !last || step < steps - 1;
    *rhs += vectors * lanes * how.rhs_bytes;
    if (early && more) {
      TW_UNROLL for (int n = 0; n < vectors; ++n) {
        *w[n] = TW_LOAD_RHS(how, *rhs + n * rhs_vector);
        TW_USE_AFTER(*v[0], *w[n]);
        TW_USE_AFTER(*v[n], *w[n]);
      }
    }
    TW_UNROLL for (int n = 0; n < vectors; ++n) {
      TW_UNROLL for (int r = step * M0; r < (step + 1) * M0; ++r) {
        TW_ACC* const a = acc[r < sets * M0 ? r : r % 4][n];
        *a = TW_MULTIPLY(how, *a, *v[n], quad, r, n);
        if (more) TW_LOAD_AFTER(*rhs, *a);
      }
      if (!early && more) {
        *w[n] = TW_LOAD_RHS(how, *rhs + n * rhs_vector);
        if (n + 1 < vectors) TW_USE_AFTER(*v[n + 1], *w[n]);
      }
    }
    if (more) {
      TW_UNROLL for (int n = 0; n < vectors; ++n) * v[n] = *w[n];
    }
  }
  *lhs += quad_rows * how.lhs_bytes;
}

// All K steps but those it returns the number of.
TW_INLINE tw_index_t TW_CONCAT(TW_TILE, _ahead)(tw_sve_family_t how,
                                                TW_ACC* const acc[][4],
                                                const char** lhs,
                                                const char** rhs, tw_index_t K,
                                                int M0, int vectors, int sets) {
  const int quad_rows = 16 / how.lhs_bytes;
  const int steps = M0 < quad_rows ? quad_rows / M0 : 1;
  const tw_index_t lanes = svlen(TW_ZERO(TW_ACC));
  const tw_index_t rhs_vector = tw_sve_rhs_vector(how, lanes);
  tw_index_t left = K > 0 ? K / steps : 0;
  if (left > 0) {
    TW_RHS v0, v1, v2, v3, w0, w1, w2, w3;
    TW_RHS* const v[] = {&v0, &v1, &v2, &v3};
    TW_RHS* const w[] = {&w0, &w1, &w2, &w3};
    TW_UNROLL for (int n = 0; n < vectors; ++n) {
      *v[n] = TW_LOAD_RHS(how, *rhs + n * rhs_vector);
    }
    TW_LHS quad = TW_LOAD_LHS(svptrue_b8(), *lhs);
    // The next quad is loaded before this one is multiplied, else it would be
    // converted, and waited for, as soon as it is loaded.
    // Two iterations at once, where an iteration is a single step, so that what
    // is converted early alternates between registers.
    if (tw_sve_converts_early(M0, vectors) && steps == 1) {
      TW_UNROLL_2 for (; left > 1; --left) {
        const TW_LHS next = TW_LOAD_LHS(svptrue_b8(), *lhs + 16);
        TW_CONCAT(TW_TILE, _quad)
        (how, acc, lhs, rhs, M0, vectors, sets, v, w, quad, 0);
        quad = next;
      }
    } else {
      TW_NO_UNROLL for (; left > 1; --left) {
        const TW_LHS next = TW_LOAD_LHS(svptrue_b8(), *lhs + 16);
        TW_CONCAT(TW_TILE, _quad)
        (how, acc, lhs, rhs, M0, vectors, sets, v, w, quad, 0);
        quad = next;
      }
    }
    TW_CONCAT(TW_TILE, _quad)
    (how, acc, lhs, rhs, M0, vectors, sets, v, w, quad, 1);
  }
  return K % steps;
}
