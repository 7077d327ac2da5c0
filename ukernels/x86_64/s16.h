// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer families that multiply pairs of s16 along K (vpmaddwd, vpdpwssd): s16
// operands, s16 x s8, and s8 operands, which are widened on the way. All sums
// are modulo 2^32.

#ifndef UKERNELS_X86_64_S16_H_
#define UKERNELS_X86_64_S16_H_

#include "ukernels/x86_64/row_pairs.h"

// `pairs`: accumulators of pairs of rows (row_pairs.h).
TW_INLINE void tw_i32_begin(tw_vi32* acc, const void* out,
                            const tw_mmt4d_params_t* params, int M0, int N0,
                            int sets, int pairs) {
  const int nv = N0 / TW_LANES;
  const tw_index_t stride = tw_out_stride(params, N0);
  TW_UNROLL for (int i = 0; i < sets * M0 * nv; ++i) { acc[i] = tw_i32_zero(); }

  if (!tw_accumulates(params)) return;
  TW_UNROLL for (int i = 0; i < M0 * nv; ++i) {
    acc[i] =
        tw_i32_load((const int32_t*)out + i / nv * stride + i % nv * TW_LANES);
  }
  if (pairs) tw_i32_pair_rows(acc, M0);
}

// Sets of a tile whose accumulators are of dot products, or of sums apart.
TW_INLINE int tw_dot_sets(int vectors) {
  return TW_HAS_FUSED_DOT2 ? tw_sets_of_12_chains(vectors)
                           : tw_accumulator_sets(vectors);
}

// Whether dot products have their rows in pairs: of 512 bits. Of 256 bits four
// rows of s16 take 1.03 of the time, two of s16s8 1.10 (Granite Rapids).
TW_INLINE int tw_pairs_dots(int M0, int nv) {
  return TW_HAS_FUSED_DOT2 && TW_LANES == 16 && tw_pairs_rows(M0, nv);
}

// Adds the sets up into set 0.
TW_INLINE void tw_i32_reduce(tw_vi32* acc, int vectors, int sets) {
  TW_UNROLL for (int left = sets; left > 1; left -= left / 2) {
    const int kept = left - left / 2;
    TW_UNROLL for (int i = 0; i < left / 2 * vectors; ++i) {
      acc[i] = tw_i32_add(acc[i], acc[kept * vectors + i]);
    }
  }
}

TW_INLINE void tw_i32_end(tw_vi32* acc, void* out,
                          const tw_mmt4d_params_t* params, int M0, int N0,
                          int sets, int pairs) {
  const int nv = N0 / TW_LANES;
  const tw_index_t stride = tw_out_stride(params, N0);
  tw_i32_reduce(acc, M0 * nv, sets);
  if (pairs) tw_i32_part_rows(acc, M0);
  TW_UNROLL for (int i = 0; i < M0 * nv; ++i) {
    tw_i32_store((int32_t*)out + i / nv * stride + i % nv * TW_LANES, acc[i]);
  }
}

// What of a tile by dot products is multiplied at a time: rows and columns. Of
// 256 bits eight accumulators are two times four, of which each has twelve
// chains: u8s8 and s16 8x8 take 0.81 of the time, 4x16 0.84 (Granite Rapids).
typedef struct tw_dot_part_t {
  int rows, cols;
} tw_dot_part_t;
TW_INLINE tw_dot_part_t tw_dot_part_of(int M0, int N0) {
  tw_dot_part_t part = {M0, N0};
  if (TW_HAS_FUSED_DOT2 && TW_LANES == 8 && M0 >= 4 &&
      M0 * N0 == 8 * TW_LANES) {
    part.rows = 4;
    part.cols = TW_LANES;
  }
  return part;
}

// A part's params, as much of them as it reads: out rows lie as far apart as
// the tile's. No copy, which would read more of the caller's than a tile may,
// and no zeros, which may be a call of memset.
TW_INLINE void tw_set_part_params(tw_mmt4d_params_t* part,
                                  const tw_mmt4d_params_t* params, int N0) {
  part->K = params->K;
  part->flags = (params->flags | TW_MMT4D_FLAG_OUT_ROW_STRIDE) &
                ~(uint32_t)TW_MMT4D_FLAG_NEXT;
  part->out_row_stride = tw_out_stride(params, N0);
}

#if !TW_HAS_FUSED_DOT2
// Two rows of two vectors. Both rows' products by a vector stand together.
TW_INLINE void tw_s16_two_rows(tw_vi32* acc, const int16_t* lhs,
                               const tw_vi32* rhs) {
  const tw_vi32 l[2] = {tw_i32_splat(lhs), tw_i32_splat(lhs + 2)};
  tw_vi32 product[2][2];
  TW_UNROLL for (int n = 0; n < 2; ++n) {
    product[0][n] = tw_i32_madd(rhs[n], l[0]);
    product[1][n] = tw_i32_madd(rhs[n], l[1]);
    TW_PIN_BOTH(product[0][n], product[1][n]);
  }
  TW_UNROLL for (int i = 0; i < 4; ++i) {
    acc[i] = tw_i32_add(acc[i], product[i / 2][i % 2]);
    TW_PIN(acc[i]);
  }
}
#endif

// Whether two rows go together: wide tiles of two vectors of 512 bits. In L1
// and from L2 s16 12x32 takes 0.99 and 0.96 of the time, with two steps an
// iteration, s8 with K0 = 2 0.94 and 0.98, of products in the order of their
// rows (Zen 4).
TW_INLINE int tw_s16_rows_in_pairs(int M0, int nv) {
  return !TW_HAS_FUSED_DOT2 && TW_LANES == 16 && nv == 2 && M0 >= 8;
}

// One K step: lhs [M0] pairs in memory, rhs [nv] vectors of pairs, or what two
// rows are multiplied by that go in `pairs`.
TW_INLINE void tw_s16_step(tw_vi32* acc, const int16_t* lhs, const tw_vi32* rhs,
                           int M0, int nv, int pairs) {
#if TW_HAS_FUSED_DOT2
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const tw_vi32 l =
        pairs ? tw_i32_splat_pair(lhs + m / 2 * 4) : tw_i32_splat(lhs + 2 * m);
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] = tw_i32_dot2(acc[m * nv + n], rhs[pairs ? m % 2 : n], l);
    }
  }
#else
  if (tw_s16_rows_in_pairs(M0, nv)) {
    TW_UNROLL for (int m = 0; m < M0; m += 2) {
      tw_s16_two_rows(acc + m * nv, lhs + 2 * m, rhs);
    }
    return;
  }
  // A few products, then their sums, and not one by one: on Zen 4 the additions
  // would take issue slots of the multipliers (82 against 99 % of the peak of
  // 12x32 at 512 bits). The compiler would undo that order. Products beyond two
  // would not find registers in the widest tiles, and gain nothing at 256 bits.
  const int group = TW_LANES == 8 || M0 * nv > 20 ? 2 : 4;
  // Where every product has a broadcast of its own, two are pinned together, so
  // that their loads, of one cache line, may stand together (4 % of 8x8).
  const int in_pairs = TW_LANES == 8 && nv == 1 && M0 % 2 == 0;
  tw_vi32 l = tw_i32_zero();
  TW_UNROLL for (int first = 0; first < M0 * nv; first += group) {
    tw_vi32 product[4];
    // Where each product has a broadcast of its own, those of a group, too: of
    // 16x16 22 processes 10 took 1.03 to 1.07 of the time, 2 do (Zen 4); 4x8
    // and 8x8 of 256 bits take 0.96 to 0.98 of it (Zen 3).
    const int together = nv == 1 && M0 >= (TW_LANES == 8 ? 4 : 8);
    TW_UNROLL for (int i = 0; together && i < group; ++i) {
      product[i] = tw_i32_splat_for(lhs + 2 * (first + i), 2);
      TW_PIN(product[i]);
    }
    TW_UNROLL for (int i = 0; i < group; ++i) {
      const int at = first + i;
      if (at >= M0 * nv) break;
      // Not pinned: the compiler would take vbroadcastss for it, which has a
      // shuffle on Zen 4.
      if (together) {
        l = product[i];
      } else if (at % nv == 0) {
        l = tw_i32_splat(lhs + 2 * (at / nv));
      }
      product[i] = tw_i32_madd(rhs[at % nv], l);
      if (!in_pairs) TW_PIN(product[i]);
    }
    if (in_pairs) TW_PIN_BOTH(product[0], product[1]);
    TW_UNROLL for (int i = 0; i < group; ++i) {
      if (first + i >= M0 * nv) break;
      acc[first + i] = tw_i32_add(acc[first + i], product[i]);
      TW_PIN(acc[first + i]);
    }
  }
#endif
}

// The same of a rhs in memory, of s16 or s8.
TW_INLINE void tw_s16_load_step(tw_element_type_t type, tw_vi32* acc,
                                const int16_t* lhs, const char* rhs, int M0,
                                int nv, int pairs) {
  tw_vi32 r[4];
  if (pairs) {
    tw_i32_load_factors(r, rhs);
  } else {
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      r[n] = type == TW_ELEMENT_S8 ? tw_s16_from_s8(rhs + n * 2 * TW_LANES)
                                   : tw_i32_load(rhs + n * 4 * TW_LANES);
    }
  }
  tw_s16_step(acc, lhs, r, M0, nv, pairs);
}

// Whether a tile's steps are those below: single rows of 512 bits. One vector
// by vpdpwssd gains nothing by them and loses some per cent of short K.
TW_INLINE int tw_s16_is_widened_row(tw_element_type_t rhs, int M0, int nv) {
  return TW_LANES == 16 && M0 == 1 && rhs == TW_ELEMENT_S8 &&
         (nv == 2 || !TW_HAS_FUSED_DOT2);
}

// Sets of its accumulators. Sums apart take a cycle: four chains are enough.
TW_INLINE int tw_s16_widened_row_sets(int nv) {
  return TW_HAS_FUSED_DOT2 ? tw_sets_of_12_chains(nv) : 4 / nv;
}

// K steps of a row of `nv` vectors of s8, which are widened three vectors
// ahead; what is broadcast is loaded, and a vector widened, between a product
// and its sum. Zen 4 chooses pipes in this order: 1x16 0.92 of the time, 1x32
// 0.79 of that of each vector widened, multiplied and added in turn; two or
// four vectors ahead lose 5 % of it.
enum { TW_WIDENED_AHEAD = 3 };
TW_INLINE void tw_s16_widened_row(tw_vi32* acc, const int16_t* lhs,
                                  const char* rhs, int steps, int sets,
                                  int nv) {
  const int count = steps * nv;
  tw_vi32 r[TW_MAX_ACCUMULATORS], l = tw_i32_splat_for(lhs, 2);
  TW_UNROLL for (int i = 0; i < TW_WIDENED_AHEAD; ++i) {
    r[i] = tw_s16_from_s8(rhs + i * 2 * TW_LANES);
    TW_PIN(r[i]);
  }
  TW_PIN(l);
  TW_UNROLL for (int i = 0; i < count; ++i) {
    const int ahead = i + TW_WIDENED_AHEAD;
    tw_vi32* const a = &acc[i % (sets * nv)];
#if TW_HAS_FUSED_DOT2
    *a = tw_i32_dot2_whole(*a, r[i], l);
    TW_PIN(*a);
#else
    tw_vi32 product = tw_i32_madd(r[i], l);
    TW_PIN(product);
#endif
    if ((i + 1) % nv == 0 && i + 1 < count) {
      l = tw_i32_splat_for(lhs + (i + 1) / nv * 2, 2);
      TW_PIN(l);
    }
    if (ahead < count) {
      r[ahead] = tw_s16_from_s8(rhs + ahead * 2 * TW_LANES);
      TW_PIN(r[ahead]);
    }
#if !TW_HAS_FUSED_DOT2
    *a = tw_i32_add(*a, product);
    TW_PIN(*a);
#endif
  }
}

// A lhs of s16 and a rhs of s16 or s8: M0 rows of a panel of `rows`, N0 columns
// of one of `cols`.
TW_INLINE void tw_s16_rows(tw_element_type_t type, void* out,
                           const void* lhs_panel, const void* rhs_panel,
                           const tw_mmt4d_params_t* params, int M0, int N0,
                           int rows, int cols) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int row = tw_s16_is_widened_row(type, M0, nv);
  // Sums apart take a cycle, for which the four chains of 2x16 of 256 bits are
  // enough: 0.97 of the time of eight with panels from L2 (Zen 3).
  const int one =
      !TW_HAS_FUSED_DOT2 && TW_LANES == 8 && vectors == 4 && nv == 2;
  const int pairs = type == TW_ELEMENT_S16 && tw_pairs_dots(M0, nv);
  const int sets = row   ? tw_s16_widened_row_sets(nv)
                   : one ? 1
                         : tw_paired_sets(pairs, M0, tw_dot_sets(vectors));
  // Where conversions and sums apart stand between, more steps an iteration
  // gain nothing: s16s8 4x16 of 256 bits 1.07, of 512 1.03 of the time (Granite
  // Rapids).
  const int apart = type == TW_ELEMENT_S8 && !TW_HAS_FUSED_DOT2;
  const int twice = row || (TW_LANES == 8 && nv == 1 && M0 > 1);
  const int steps = one            ? 4
                    : row || apart ? (twice ? 2 * sets : sets)
                                   : tw_loop_steps(vectors, sets);
  const int rhs_bytes = cols * (type == TW_ELEMENT_S8 ? 2 : 4);
  const int16_t* lhs = (const int16_t*)lhs_panel;
  const char* rhs = (const char*)rhs_panel;
  tw_vi32 acc[TW_MAX_ACCUMULATORS];
  tw_i32_begin(acc, out, params, M0, N0, sets, pairs);
  tw_far_t far = tw_far_of(params, steps);
  tw_index_t k = params->K;
  TW_UNROLL for (int loop = 0; loop < TW_LOOPS; ++loop) {
    const int each = tw_steps_of_loop(loop, steps, sets);
    if (each == 0) continue;
    TW_NO_UNROLL for (; k >= each; k -= each) {
      // Of s8 at 256 bits it would cost 3 % more than it gains (Skylake-SP).
      if (loop == 0 && (type == TW_ELEMENT_S16 || TW_LANES == 16)) {
        tw_prefetch_panels(lhs, each * rows * 4, rhs, each * rhs_bytes, &far,
                           vectors, nv);
      }
      if (row && loop == 0) {
        tw_s16_widened_row(acc, lhs, rhs, each, sets, nv);
      } else {
        TW_UNROLL for (int s = 0; s < each; ++s) {
          tw_s16_load_step(type, acc + s % sets * vectors, lhs + s * 2 * rows,
                           rhs + s * rhs_bytes, M0, nv, pairs);
        }
      }
      lhs += each * 2 * rows;
      rhs += each * rhs_bytes;
      // As TW_ADVANCE; vpmaddwd has no memory operands that broadcast, and
      // 16x16 of it takes 3 % longer without an index (Skylake-SP).
      if (TW_HAS_FUSED_DOT2 && TW_HAS_EMBEDDED_BROADCAST)
        TW_OPAQUE_POINTER(lhs);
    }
  }
  tw_i32_end(acc, out, params, M0, N0, sets, pairs);
}

TW_INLINE void tw_s16_tile(tw_element_type_t type, void* out, const void* lhs,
                           const void* rhs, const tw_mmt4d_params_t* params,
                           int M0, int N0) {
  const tw_dot_part_t part = tw_dot_part_of(M0, N0);
  if (part.rows == M0 && part.cols == N0) {
    tw_s16_rows(type, out, lhs, rhs, params, M0, N0, M0, N0);
    return;
  }
  tw_mmt4d_params_t of_part;
  tw_set_part_params(&of_part, params, N0);
  TW_UNROLL for (int m = 0; m < M0; m += part.rows) {
    TW_UNROLL for (int n = 0; n < N0; n += part.cols) {
      tw_s16_rows(type, (int32_t*)out + m * of_part.out_row_stride + n,
                  (const int16_t*)lhs + 2 * m,
                  (const char*)rhs + n * (type == TW_ELEMENT_S8 ? 2 : 4),
                  &of_part, part.rows, part.cols, M0, N0);
    }
  }
}

TW_INLINE void s16s16s32_k2(void* out, const void* lhs, const void* rhs,
                            const tw_mmt4d_params_t* params, int M0, int N0) {
  tw_s16_tile(TW_ELEMENT_S16, out, lhs, rhs, params, M0, N0);
}

TW_INLINE void s16s8s32_k2(void* out, const void* lhs, const void* rhs,
                           const tw_mmt4d_params_t* params, int M0, int N0) {
  tw_s16_tile(TW_ELEMENT_S8, out, lhs, rhs, params, M0, N0);
}

// Bytes, K0 = 2: the lhs is widened block by block on the stack, as f16.h does
// it.

// 2 * TW_LANES elements of S8 or U8.
TW_INLINE tw_vi32 tw_s16_from_bytes(tw_element_type_t type, const void* p) {
  return type == TW_ELEMENT_U8 ? tw_s16_from_u8(p) : tw_s16_from_s8(p);
}

// 2 * count elements, `group` vectors at once.
TW_INLINE void tw_bytes_widen(tw_element_type_t type, const int8_t* from,
                              int32_t* to, tw_index_t count, int group) {
  tw_index_t i = 0;
  TW_NO_UNROLL for (; i + group * TW_LANES <= count; i += group * TW_LANES) {
    TW_UNROLL for (int v = 0; v < group; ++v) {
      const tw_index_t at = i + v * TW_LANES;
      tw_i32_store(to + at, tw_s16_from_bytes(type, from + 2 * at));
    }
  }
  TW_NO_UNROLL for (; i < count; ++i) {
    to[i] = (int32_t)((uint32_t)from[2 * i + 1] << 16 | (uint16_t)from[2 * i]);
    if (type == TW_ELEMENT_U8) to[i] &= 0xFF00FF;
  }
}

TW_INLINE void tw_bytes_step(tw_element_type_t type, tw_vi32* acc,
                             const int32_t* lhs, const int8_t* rhs, int M0,
                             int nv) {
  tw_vi32 r[4];
  TW_UNROLL for (int n = 0; n < nv; ++n) {
    r[n] = tw_s16_from_bytes(type, rhs + n * 2 * TW_LANES);
  }
  tw_s16_step(acc, (const int16_t*)lhs, r, M0, nv, 0);
}

// The next K steps of M0 rows of a panel of `rows`, which are M0 or, of eight
// that are staged, more.
TW_INLINE void tw_bytes_stage(tw_element_type_t type, const int8_t* lhs,
                              int32_t* to, tw_index_t steps, int block_steps,
                              int M0, int rows) {
  if (rows > M0) {
    TW_NO_UNROLL for (; steps > 0; --steps) {
      tw_i32_store(to, tw_s16_from_bytes(type, lhs));
      lhs += 2 * rows;
      to += M0;
    }
  } else if (steps == block_steps) {
    tw_bytes_widen(type, lhs, to, block_steps * M0,
                   tw_staged_group(block_steps * M0 / TW_LANES));
  } else {
    tw_bytes_widen(type, lhs, to, steps * M0, 1);
  }
}

// `rows` as tw_bytes_stage has them.
TW_INLINE void tw_bytes_tile(tw_element_type_t lhs_type,
                             tw_element_type_t rhs_type, void* out,
                             const void* lhs_panel, const void* rhs_panel,
                             const tw_mmt4d_params_t* params, int M0, int N0,
                             int rows) {
  const int nv = N0 / TW_LANES;
  const int vectors = M0 * nv;
  const int row = tw_s16_is_widened_row(rhs_type, M0, nv);
  const int sets = row ? tw_s16_widened_row_sets(nv) : tw_dot_sets(vectors);
  // Of one vector 16 steps an iteration take 0.94 of the time of 8 from L2
  // (Zen 4).
  const int turn = !row ? sets : nv == 1 ? 16 : 4;
  const int beside = TW_LANES == 8;
  const int block_steps =
      beside ? tw_block_beside(M0) : tw_steps_staged_ahead(vectors);
  const int8_t* lhs = (const int8_t*)lhs_panel;
  const int8_t* rhs = (const int8_t*)rhs_panel;
  int32_t staged[TW_MAX_STAGED] __attribute__((aligned(64)));
  tw_vi32 acc[TW_MAX_ACCUMULATORS];
  tw_i32_begin(acc, out, params, M0, N0, sets, 0);
  const int ahead = beside || tw_stages_ahead(vectors);
  int32_t* now = staged;
  int32_t* next = staged + (ahead ? TW_MAX_STAGED / 2 : 0);
  tw_index_t k = params->K;
  if (ahead && k > 0)
    tw_bytes_stage(lhs_type, lhs, now, tw_steps_of_block(k, block_steps),
                   block_steps, M0, rows);
  for (; k > 0; k -= block_steps) {
    tw_index_t steps = tw_steps_of_block(k, block_steps);
    if (!ahead)
      tw_bytes_stage(lhs_type, lhs, now, steps, block_steps, M0, rows);
    lhs += steps * 2 * rows;
    const int in_loop = beside && k >= 2 * block_steps;
    if (ahead && k > block_steps && !in_loop)
      tw_bytes_stage(lhs_type, lhs, next,
                     tw_steps_of_block(k - block_steps, block_steps),
                     block_steps, M0, rows);
    const int32_t* l = now;
    if (in_loop) {
      // Of eight rows of more one step, whose elements are a vector.
      const int each = tw_steps_beside(M0, turn);
      const int8_t* from = lhs;
      int32_t* to = next;
      TW_NO_UNROLL for (; steps > 0; steps -= each) {
        TW_UNROLL for (int i = 0; i < each * M0 / 8; ++i) {
          tw_i32_store(to + 8 * i, tw_s16_from_bytes(lhs_type, from + 16 * i));
        }
        TW_UNROLL for (int i = 0; i < each; ++i) {
          tw_bytes_step(rhs_type, acc + i % sets * vectors, l + i * M0,
                        rhs + i * 2 * N0, M0, nv);
        }
        from += each * 2 * rows;
        to += each * M0;
        l += each * M0;
        rhs += each * 2 * N0;
      }
    }
    // Not unrolled further: the compiler would hoist widenings and spill.
    TW_NO_UNROLL for (; steps >= turn; steps -= turn) {
      if (row) {
        tw_s16_widened_row(acc, (const int16_t*)l, (const char*)rhs, turn, sets,
                           nv);
      } else {
        TW_UNROLL for (int i = 0; i < turn; ++i) {
          tw_bytes_step(rhs_type, acc + i % sets * vectors, l + i * M0,
                        rhs + i * 2 * N0, M0, nv);
        }
      }
      l += turn * M0;
      rhs += turn * 2 * N0;
    }
    TW_NO_UNROLL for (; turn > 1 && steps > 0; --steps) {
      tw_bytes_step(rhs_type, acc, l, rhs, M0, nv);
      l += M0;
      rhs += 2 * N0;
    }
    int32_t* const done = now;
    now = next;
    next = done;
  }
  tw_i32_end(acc, out, params, M0, N0, sets, 0);
}

#define TW_BYTES_FAMILY(name, lhs_type, rhs_type)                         \
  TW_INLINE void name(void* out, const void* lhs, const void* rhs,        \
                      const tw_mmt4d_params_t* params, int M0, int N0) {  \
    tw_bytes_tile(lhs_type, rhs_type, out, lhs, rhs, params, M0, N0, M0); \
  }
TW_BYTES_FAMILY(s8s8s32_k2, TW_ELEMENT_S8, TW_ELEMENT_S8)
TW_BYTES_FAMILY(u8s8s32_k2, TW_ELEMENT_U8, TW_ELEMENT_S8)
TW_BYTES_FAMILY(s8u8s32_k2, TW_ELEMENT_S8, TW_ELEMENT_U8)

// 16x8 at 256 bits, twice the rows that the registers carry: eight rows, then
// the others.
TW_INLINE void s8s8s32_k2_16x8(void* out, const void* lhs, const void* rhs,
                               const tw_mmt4d_params_t* params, int M0,
                               int N0) {
  TW_NO_UNROLL for (int row = 0; row < M0; row += 8) {
    tw_bytes_tile(TW_ELEMENT_S8, TW_ELEMENT_S8,
                  (int32_t*)out + row * tw_out_stride(params, N0),
                  (const int8_t*)lhs + 2 * row, rhs, params, 8, N0, M0);
  }
}

#endif  // UKERNELS_X86_64_S16_H_
