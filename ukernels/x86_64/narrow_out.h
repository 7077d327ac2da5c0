// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 accumulators of an out tile of f32, f16 or bf16: narrow ones are read
// when the tile accumulates, and rounded once, at the end, to nearest even.

#ifndef UKERNELS_X86_64_NARROW_OUT_H_
#define UKERNELS_X86_64_NARROW_OUT_H_

#include "ukernels/x86_64/row_pairs.h"

TW_INLINE int tw_out_bytes(tw_element_type_t type) {
  return type == TW_ELEMENT_F32 ? 4 : 2;
}

TW_INLINE tw_vf32 tw_out_load(tw_element_type_t type, const void* p) {
  return type == TW_ELEMENT_F32   ? tw_f32_load(p)
         : type == TW_ELEMENT_F16 ? tw_f32_from_f16(p)
                                  : tw_f32_load_bf16(p);
}

TW_INLINE void tw_out_store(tw_element_type_t type, void* p, tw_vf32 v) {
  if (type == TW_ELEMENT_F32) {
    tw_f32_store(p, v);
  } else if (type == TW_ELEMENT_F16) {
    tw_f16_store(p, v);
  } else {
    tw_bf16_store(p, v);
  }
}

// Accumulators are acc[set][m][n], n counting vectors; set 0 starts with the
// out tile (or zero), the others with zero.
TW_INLINE void tw_out_begin(tw_vf32* acc, tw_element_type_t type,
                            const void* out, const tw_mmt4d_params_t* params,
                            int M0, int N0, int sets) {
  const int nv = N0 / TW_LANES;
  TW_UNROLL for (int i = 0; i < sets * M0 * nv; ++i) { acc[i] = tw_f32_zero(); }

  if (!tw_accumulates(params)) return;
  const tw_index_t stride = tw_out_stride(params, N0);
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      acc[m * nv + n] =
          tw_out_load(type, (const char*)out + (m * stride + n * TW_LANES) *
                                                   tw_out_bytes(type));
    }
  }
}

// tw_extra_accumulators, behind those of a set.
TW_INLINE void tw_f32_begin_extra(tw_vf32* acc, int vectors, int extra) {
  TW_UNROLL for (int i = 0; i < extra; ++i) acc[vectors + i] = tw_f32_zero();
}
TW_INLINE void tw_f32_add_extra(tw_vf32* acc, int vectors, int extra) {
  TW_UNROLL for (int i = vectors - extra; i < vectors; ++i) {
    acc[i] = tw_f32_add(acc[i], acc[i + extra]);
  }
}

// Adds the sets up into set 0.
TW_INLINE void tw_f32_reduce(tw_vf32* acc, int vectors, int sets) {
  TW_UNROLL for (int left = sets; left > 1; left -= left / 2) {
    const int kept = left - left / 2;
    TW_UNROLL for (int i = 0; i < left / 2 * vectors; ++i) {
      acc[i] = tw_f32_add(acc[i], acc[kept * vectors + i]);
    }
  }
}

TW_INLINE void tw_out_end(tw_vf32* acc, tw_element_type_t type, void* out,
                          const tw_mmt4d_params_t* params, int M0, int N0,
                          int sets) {
  const int nv = N0 / TW_LANES;
  tw_f32_reduce(acc, M0 * nv, sets);
  const tw_index_t stride = tw_out_stride(params, N0);
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    TW_UNROLL for (int n = 0; n < nv; ++n) {
      tw_out_store(
          type, (char*)out + (m * stride + n * TW_LANES) * tw_out_bytes(type),
          acc[m * nv + n]);
    }
  }
}

// The same of accumulators that are `pairs` of rows (row_pairs.h).
TW_INLINE void tw_paired_out_begin(tw_vf32* acc, tw_element_type_t type,
                                   const void* out,
                                   const tw_mmt4d_params_t* params, int M0,
                                   int N0, int sets, int pairs) {
  tw_out_begin(acc, type, out, params, M0, N0, sets);
  if (pairs && tw_accumulates(params)) tw_f32_pair_rows(acc, M0);
}
TW_INLINE void tw_paired_out_end(tw_vf32* acc, tw_element_type_t type,
                                 void* out, const tw_mmt4d_params_t* params,
                                 int M0, int N0, int sets, int pairs) {
  tw_f32_reduce(acc, M0 * (N0 / TW_LANES), sets);
  if (pairs) tw_f32_part_rows(acc, M0);
  tw_out_end(acc, type, out, params, M0, N0, 1);
}

#endif  // UKERNELS_X86_64_NARROW_OUT_H_
