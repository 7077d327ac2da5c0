// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain loops.

#include "measure/plain_tile.h"

#include <string.h>

#include "ukernels/element.h"

typedef struct tw_plain_t {
  tw_index_t K;
  int M0, N0, K0, accumulate;
} tw_plain_t;

// out[m][n] (+)= sum of lhs[k][m][k0] * rhs[k][n][k0], for operands of C types.
// `sum_t` is the accumulator's type, uint32_t for integers, which wrap.
#define TW_PLAIN_LOOPS(name, lhs_t, rhs_t, out_t, sum_t)                  \
  static void name(const tw_plain_t* p, out_t* out, const lhs_t* lhs,     \
                   const rhs_t* rhs) {                                    \
    for (int m = 0; m < p->M0; ++m)                                       \
      for (int n = 0; n < p->N0; ++n) {                                   \
        sum_t sum = p->accumulate ? (sum_t)out[m * p->N0 + n] : (sum_t)0; \
        for (tw_index_t k = 0; k < p->K; ++k)                             \
          for (int k0 = 0; k0 < p->K0; ++k0)                              \
            sum += (sum_t)lhs[(k * p->M0 + m) * p->K0 + k0] *             \
                   (sum_t)rhs[(k * p->N0 + n) * p->K0 + k0];              \
        out[m * p->N0 + n] = (out_t)sum;                                  \
      }                                                                   \
  }
TW_PLAIN_LOOPS(tw_plain_f64, double, double, double, double)
TW_PLAIN_LOOPS(tw_plain_f32, float, float, float, float)
TW_PLAIN_LOOPS(tw_plain_s32, int32_t, int32_t, int32_t, uint32_t)
TW_PLAIN_LOOPS(tw_plain_s16, int16_t, int16_t, int32_t, uint32_t)
TW_PLAIN_LOOPS(tw_plain_s8, int8_t, int8_t, int32_t, uint32_t)
TW_PLAIN_LOOPS(tw_plain_u8, uint8_t, uint8_t, int32_t, uint32_t)
TW_PLAIN_LOOPS(tw_plain_s8u8, int8_t, uint8_t, int32_t, uint32_t)
TW_PLAIN_LOOPS(tw_plain_u8s8, uint8_t, int8_t, int32_t, uint32_t)

static uint16_t tw_round_narrow(tw_element_type_t out, float sum) {
  return out == TW_ELEMENT_F16 ? tw_f32_to_f16(sum) : tw_f32_to_bf16(sum);
}

// The same for decoded operands and a narrow out tile.
static void tw_plain_narrow(const tw_plain_t* p, tw_element_type_t type,
                            int step_rounding, uint16_t* out, const float* lhs,
                            const float* rhs) {
  for (int m = 0; m < p->M0; ++m)
    for (int n = 0; n < p->N0; ++n) {
      uint16_t* at = &out[m * p->N0 + n];
      float sum = p->accumulate ? tw_decode_one_f32(type, *at) : 0;
      for (tw_index_t k = 0; k < p->K; ++k) {
        for (int k0 = 0; k0 < p->K0; ++k0)
          sum += lhs[(k * p->M0 + m) * p->K0 + k0] *
                 rhs[(k * p->N0 + n) * p->K0 + k0];
        if (step_rounding)
          sum = tw_decode_one_f32(type, tw_round_narrow(type, sum));
      }
      *at = tw_round_narrow(type, sum);
    }
}

// Loops for operands as they lie; 0 if there are none for these types.
static int tw_plain_direct(const tw_triple_t* types, const tw_plain_t* p,
                           void* out, const void* lhs, const void* rhs) {
  switch (types->lhs << 8 | types->rhs) {
#define TW_PLAIN_CASE(lhs_type, rhs_type, name)            \
  case TW_ELEMENT_##lhs_type << 8 | TW_ELEMENT_##rhs_type: \
    if (p) name(p, out, lhs, rhs);                         \
    return 1;
    TW_PLAIN_CASE(F64, F64, tw_plain_f64)
    TW_PLAIN_CASE(F32, F32, tw_plain_f32)
    TW_PLAIN_CASE(S32, S32, tw_plain_s32)
    TW_PLAIN_CASE(S16, S16, tw_plain_s16)
    TW_PLAIN_CASE(S8, S8, tw_plain_s8)
    TW_PLAIN_CASE(U8, U8, tw_plain_u8)
    TW_PLAIN_CASE(S8, U8, tw_plain_s8u8)
    TW_PLAIN_CASE(U8, S8, tw_plain_u8s8)
#undef TW_PLAIN_CASE
    default:
      return 0;
  }
}

tw_index_t tw_plain_scratch_bytes(tw_type_triple_t types, tw_index_t K, int M0,
                                  int N0, int K0) {
  tw_triple_t triple;
  if (!tw_triple_of(types, &triple) || tw_plain_direct(&triple, 0, 0, 0, 0))
    return 0;
  return K * K0 * ((tw_index_t)M0 + N0) * (tw_index_t)sizeof(float);
}

void tw_plain_tile(void* out_tile, const void* lhs_panel, const void* rhs_panel,
                   const tw_mmt4d_params_t* params, void* scratch) {
  tw_triple_t types;
  if (!tw_triple_of(params->flags & TW_MMT4D_FLAG_TYPE_MASK, &types)) return;
  const tw_plain_t p = {params->K, params->M0, params->N0, params->K0,
                        !!(params->flags & TW_MMT4D_FLAG_ACCUMULATE)};
  if (tw_plain_direct(&types, &p, out_tile, lhs_panel, rhs_panel)) return;
  // A panel is decoded K step by K step, each of which fills whole bytes.
  const int lhs_count = p.M0 * p.K0, rhs_count = p.N0 * p.K0;
  const tw_index_t lhs_step =
      (tw_index_t)lhs_count * tw_element_bits(types.lhs) / 8;
  const tw_index_t rhs_step =
      (tw_index_t)rhs_count * tw_element_bits(types.rhs) / 8;
  const char *lhs_bytes = lhs_panel, *rhs_bytes = rhs_panel;
  if (types.accumulator == TW_ELEMENT_S32) {
    int32_t *lhs = scratch, *rhs = lhs + p.K * lhs_count;
    for (tw_index_t k = 0; k < p.K; ++k) {
      tw_decode_s32(types.lhs, lhs_bytes + k * lhs_step, 0, 1, lhs_count,
                    lhs + k * lhs_count);
      tw_decode_s32(types.rhs, rhs_bytes + k * rhs_step, 0, 1, rhs_count,
                    rhs + k * rhs_count);
    }
    tw_plain_s32(&p, out_tile, lhs, rhs);
    return;
  }
  float *lhs = scratch, *rhs = lhs + p.K * lhs_count;
  for (tw_index_t k = 0; k < p.K; ++k) {
    tw_decode_f32(types.lhs, lhs_bytes + k * lhs_step, 0, 1, lhs_count,
                  lhs + k * lhs_count);
    tw_decode_f32(types.rhs, rhs_bytes + k * rhs_step, 0, 1, rhs_count,
                  rhs + k * rhs_count);
  }
  if (types.out == TW_ELEMENT_F32)
    tw_plain_f32(&p, out_tile, lhs, rhs);
  else
    tw_plain_narrow(
        &p, types.out,
        !(params->flags & TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS), out_tile,
        lhs, rhs);
}
