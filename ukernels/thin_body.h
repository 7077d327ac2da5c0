// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the thin matmul, for one instruction set. A file that includes this
// defines
//
//   static int tw_thin_native(const tw_thin_block_t*, tw_element_type_t rhs)
//
// which multiplies a block whose rhs is of a type that it reads directly, and
// says whether it did; it does so for all wide types. Other types are decoded.
//
// For as many columns as there are sums on the stack, and for as much of K as
// there is of the lhs, the lhs is decoded (it is small, and strided as it
// likes) and the rhs read, line by line. Then the sums are stored.

#ifndef UKERNELS_THIN_BODY_H_
#define UKERNELS_THIN_BODY_H_

#include <string.h>

#include "ukernels/element.h"
#include "ukernels/thin_decode.h"
#include "ukernels/thin_functions.h"
#include "ukernels/thin_wide.h"

enum {
  // Half a common L1 cache of sums, half of lhs: the rhs passes through.
  TW_THIN_SUM_BYTES = 16 << 10,
  TW_THIN_LHS_BYTES = 16 << 10,
  // Decoded rhs: so many lines of so many elements at a time.
  TW_THIN_DECODED_LINES = 8,
  TW_THIN_DECODED = 256,
};

static int tw_thin_native(const tw_thin_block_t* block, tw_element_type_t rhs);

// What operands are decoded to.
static tw_element_type_t tw_thin_wide_type(const tw_triple_t* types) {
  if (types->accumulator != TW_ELEMENT_S32) return types->accumulator;
  return types->lhs == TW_ELEMENT_S32 ? TW_ELEMENT_S32 : TW_ELEMENT_S16;
}

static inline tw_index_t tw_thin_min(tw_index_t a, tw_index_t b) {
  return a < b ? a : b;
}

// ---- The lhs ----------------------------------------------------------------

// Element i of `to` becomes element first + i * stride of `from`, of whole
// bytes.
static void tw_thin_gather(int bytes, const char* from, tw_index_t first,
                           tw_index_t stride, tw_index_t count, char* to) {
  for (tw_index_t i = 0; i < count; ++i)
    for (int b = 0; b < bytes; ++b)
      to[i * bytes + b] = from[(first + i * stride) * bytes + b];
}

// Decodes elements first, first + stride, ... of the array at `from`.
static void tw_thin_decode_strided(tw_element_type_t type, const char* from,
                                   tw_index_t first, tw_index_t stride,
                                   tw_index_t count, int wide_bytes, char* to) {
  const int bits = tw_element_bits(type);
  if (stride == 1 && first * bits % 8 == 0) {
    tw_thin_decode(type, from + first * bits / 8, count, to);
    return;
  }
  char run[TW_THIN_DECODED * sizeof(double)] = {0};
  for (tw_index_t i = 0; i < count; i += TW_THIN_DECODED) {
    const tw_index_t some = tw_thin_min(TW_THIN_DECODED, count - i);
    if (bits >= 8) {
      tw_thin_gather(bits / 8, from, first + i * stride, stride, some, run);
    } else {
      for (tw_index_t j = 0; j < some; ++j) {
        const tw_index_t at = first + (i + j) * stride;
        const int code = (uint8_t)from[at / 2] >> (at % 2 * 4) & 15;
        run[j / 2] = (char)(j % 2 ? run[j / 2] | code << 4 : code);
      }
    }
    tw_thin_decode(type, run, some, to + i * wide_bytes);
  }
}

// ---- The rhs ----------------------------------------------------------------

static void tw_thin_multiply_decoded(const tw_thin_block_t* block,
                                     tw_element_type_t type,
                                     tw_element_type_t wide) {
  _Alignas(
      64) char decoded[TW_THIN_DECODED_LINES * TW_THIN_DECODED * sizeof(float)];
  const int bits = tw_element_bits(type);
  const tw_index_t wide_bytes = tw_element_bits(wide) / 8;
  const tw_index_t lines = block->rhs_transposed ? block->N : block->K;
  const tw_index_t length = block->rhs_transposed ? block->K : block->N;
  tw_thin_block_t part = *block;
  part.rhs = decoded;
  part.rhs_line = TW_THIN_DECODED * wide_bytes;
  for (tw_index_t line = 0; line < lines; line += TW_THIN_DECODED_LINES)
    for (tw_index_t at = 0; at < length; at += TW_THIN_DECODED) {
      const tw_index_t some = tw_thin_min(TW_THIN_DECODED_LINES, lines - line);
      const tw_index_t run = tw_thin_min(TW_THIN_DECODED, length - at);
      for (tw_index_t i = 0; i < some; ++i)
        tw_thin_decode(
            type, block->rhs + (line + i) * block->rhs_line + at * bits / 8,
            run, decoded + i * part.rhs_line);
      const tw_index_t n = block->rhs_transposed ? line : at;
      const tw_index_t k = block->rhs_transposed ? at : line;
      part.N = block->rhs_transposed ? some : run;
      part.K = block->rhs_transposed ? run : some;
      part.lhs = block->lhs + k * wide_bytes;
      // Sums are of f32 or s32: f64 is wide.
      part.sums = block->sums + n * (tw_index_t)sizeof(float);
      tw_thin_native(&part, wide);
    }
}

// ---- The sums ---------------------------------------------------------------

// Sums [M][n] from or to the out matrix.
static void tw_thin_load_sums(const tw_thin_t* thin, const tw_triple_t* types,
                              tw_index_t n_begin, const tw_thin_block_t* sums) {
  const int sum_bytes = tw_element_bits(types->accumulator) / 8;
  for (int m = 0; m < sums->M; ++m) {
    char* row = sums->sums + m * sums->sums_row;
    if (thin->accumulate)
      tw_thin_decode_strided(
          types->out, (const char*)thin->out,
          m * thin->out_stride_m + n_begin * thin->out_stride_n,
          thin->out_stride_n, sums->N, sum_bytes, row);
    else
      memset(row, 0, (size_t)(sums->N * sum_bytes));
  }
}

static void tw_thin_store_sums(const tw_thin_t* thin, const tw_triple_t* types,
                               tw_index_t n_begin,
                               const tw_thin_block_t* sums) {
  const tw_index_t stride = thin->out_stride_n;
  for (int m = 0; m < sums->M; ++m) {
    const tw_index_t first = m * thin->out_stride_m + n_begin * stride;
    const char* row = sums->sums + m * sums->sums_row;
    const tw_wide_f32_t* floats = (const tw_wide_f32_t*)row;
    switch (types->out) {
      case TW_ELEMENT_F16:
        for (tw_index_t n = 0; n < sums->N; ++n)
          ((tw_any_u16_t*)thin->out)[first + n * stride] =
              tw_f32_to_f16(floats[n]);
        break;
      case TW_ELEMENT_BF16:
        for (tw_index_t n = 0; n < sums->N; ++n)
          ((tw_any_u16_t*)thin->out)[first + n * stride] =
              tw_f32_to_bf16(floats[n]);
        break;
      case TW_ELEMENT_F64:
        for (tw_index_t n = 0; n < sums->N; ++n)
          ((tw_wide_f64_t*)thin->out)[first + n * stride] =
              ((const tw_wide_f64_t*)row)[n];
        break;
      default:  // f32 and s32
        for (tw_index_t n = 0; n < sums->N; ++n)
          ((tw_any_u32_t*)thin->out)[first + n * stride] =
              ((const tw_any_u32_t*)row)[n];
    }
  }
}

// ---- The whole --------------------------------------------------------------

// How many elements of `bytes` there is room for in each of M rows: a multiple
// of what keeps vectors whole and 4-bit types on a byte.
static tw_index_t tw_thin_room(tw_index_t room, tw_index_t bytes,
                               tw_index_t M) {
  return room / bytes / M / TW_THIN_COLUMNS * TW_THIN_COLUMNS;
}

static void tw_thin_run(const tw_thin_t* thin, tw_index_t n_begin,
                        tw_index_t n_end) {
  _Alignas(64) char sums[TW_THIN_SUM_BYTES];
  _Alignas(64) char lhs[TW_THIN_LHS_BYTES];
  tw_triple_t types;
  if (!tw_triple_of(thin->types, &types)) return;
  if (thin->K == 0 && thin->accumulate) return;
  const tw_element_type_t wide = tw_thin_wide_type(&types);
  const int wide_bytes = tw_element_bits(wide) / 8;
  const int sum_bytes = tw_element_bits(types.accumulator) / 8;
  const int rhs_bits = tw_element_bits(types.rhs);
  // A lhs that needs neither decoding nor gathering is read where it lies.
  const int in_place = types.lhs == wide && thin->lhs_stride_k == 1;
  const tw_index_t columns = tw_thin_room(sizeof sums, sum_bytes, thin->M);
  const tw_index_t steps =
      in_place ? thin->K : tw_thin_room(sizeof lhs, wide_bytes, thin->M);
  tw_thin_block_t block;
  block.M = (int)thin->M;
  block.rhs_transposed = thin->rhs_transposed;
  block.asks_pages = thin->asks_pages;
  block.sums = sums;
  block.sums_row = columns * sum_bytes;
  block.lhs_row = (in_place ? thin->lhs_stride_m : steps) * wide_bytes;
  block.rhs_line = thin->rhs_stride * rhs_bits / 8;
  for (tw_index_t n = n_begin; n < n_end; n += columns) {
    block.N = tw_thin_min(columns, n_end - n);
    tw_thin_load_sums(thin, &types, n, &block);
    for (tw_index_t k = 0; k < thin->K; k += block.K) {
      block.K = tw_thin_min(steps, thin->K - k);
      block.lhs = lhs;
      if (in_place)
        block.lhs = (const char*)thin->lhs + k * wide_bytes;
      else
        for (int m = 0; m < block.M; ++m)
          tw_thin_decode_strided(
              types.lhs, (const char*)thin->lhs,
              m * thin->lhs_stride_m + k * thin->lhs_stride_k,
              thin->lhs_stride_k, block.K, wide_bytes, lhs + m * block.lhs_row);
      const tw_index_t line = thin->rhs_transposed ? n : k;
      const tw_index_t at = thin->rhs_transposed ? k : n;
      block.rhs =
          (const char*)thin->rhs + line * block.rhs_line + at * rhs_bits / 8;
      if (!tw_thin_native(&block, types.rhs))
        tw_thin_multiply_decoded(&block, types.rhs, wide);
    }
    tw_thin_store_sums(thin, &types, n, &block);
  }
}

#endif  // UKERNELS_THIN_BODY_H_
