// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles by AMX, of the variant `vnni`: a step of K is one row of 64 bytes of
// each lhs row, and 16 groups of 4 bytes along K of the rhs, so that both load
// as they lie. Blocks of 32 x 32 in four of the eight tile registers, with four
// loads and four multiplies a step: on an Emerald Rapids 17.4 cycles a
// multiply, of which 16.8 are the multiply's.
//
// All use one configuration, of 8 registers of 16 rows of 64 bytes. What a
// smaller tile has too many in a register is computed of whatever is there and
// not stored: of the next steps' elements, or of a copy where the panel ends.

#ifndef UKERNELS_X86_64_AMX_H_
#define UKERNELS_X86_64_AMX_H_

#include <immintrin.h>

#include "ukernels/x86_64/amx_config.h"
#include "ukernels/x86_64/tile_body.h"

typedef enum {
  TW_AMX_S8S8,
  TW_AMX_S8U8,
  TW_AMX_U8S8,
  TW_AMX_U8U8,
  TW_AMX_BF16
} tw_amx_types_t;

// The registers: accumulators 0 to 3, row by row; lhs 4 and 5; rhs 6 and 7.
// Their numbers are parts of instructions, hence these by cases.
TW_INLINE void tw_amx_zero(int acc) {
  switch (acc) {
    case 0:
      _tile_zero(0);
      break;
    case 1:
      _tile_zero(1);
      break;
    case 2:
      _tile_zero(2);
      break;
    default:
      _tile_zero(3);
  }
}

TW_INLINE void tw_amx_load(int acc, const void* from, tw_index_t stride) {
  switch (acc) {
    case 0:
      _tile_loadd(0, from, stride);
      break;
    case 1:
      _tile_loadd(1, from, stride);
      break;
    case 2:
      _tile_loadd(2, from, stride);
      break;
    default:
      _tile_loadd(3, from, stride);
  }
}

TW_INLINE void tw_amx_store(int acc, void* to, tw_index_t stride) {
  switch (acc) {
    case 0:
      _tile_stored(0, to, stride);
      break;
    case 1:
      _tile_stored(1, to, stride);
      break;
    case 2:
      _tile_stored(2, to, stride);
      break;
    default:
      _tile_stored(3, to, stride);
  }
}

// acc += lhs * rhs, with the instruction of `types`.
#ifdef __AMX_BF16__
#define TW_AMX_MULTIPLY_BF16(acc, lhs, rhs) _tile_dpbf16ps(acc, lhs, rhs)
#else
#define TW_AMX_MULTIPLY_BF16(acc, lhs, rhs)
#endif
#define TW_AMX_MULTIPLY(types, acc, lhs, rhs) \
  switch (types) {                            \
    case TW_AMX_S8S8:                         \
      _tile_dpbssd(acc, lhs, rhs);            \
      break;                                  \
    case TW_AMX_S8U8:                         \
      _tile_dpbsud(acc, lhs, rhs);            \
      break;                                  \
    case TW_AMX_U8S8:                         \
      _tile_dpbusd(acc, lhs, rhs);            \
      break;                                  \
    case TW_AMX_U8U8:                         \
      _tile_dpbuud(acc, lhs, rhs);            \
      break;                                  \
    case TW_AMX_BF16:                         \
      TW_AMX_MULTIPLY_BF16(acc, lhs, rhs);    \
      break;                                  \
  }

// A block of the out tile, of `rows` x `cols` in `down` x `across` registers,
// both of which are 1 or 2.
typedef struct tw_amx_block_t {
  int row, col, rows, cols, down, across;
} tw_amx_block_t;

// Asks for 16 rows, which lie `stride` apart.
TW_INLINE void tw_amx_ask(const char* rows, tw_index_t stride) {
  TW_UNROLL for (int r = 0; r < TW_AMX_ROWS; ++r)
      __builtin_prefetch(rows + r * stride);
}

// The rhs's 16 groups of register `i`. Past L1 or after asking for what lies
// `ahead`.
#define TW_AMX_LOAD_RHS(reg, i)                                    \
  if (past_l1) {                                                   \
    _tile_stream_loadd(reg, rhs + (i) * TW_AMX_ROW_BYTES, stride); \
  } else {                                                         \
    tw_amx_ask(rhs + ahead + (i) * TW_AMX_ROW_BYTES, stride);      \
    _tile_loadd(reg, rhs + (i) * TW_AMX_ROW_BYTES, stride);        \
  }

// Rows of the lhs lie `lhs_row` bytes apart, groups of the rhs `stride`.
TW_INLINE void tw_amx_step(tw_amx_types_t types, const char* lhs,
                           tw_index_t lhs_row, const char* rhs,
                           tw_index_t stride, tw_index_t ahead, int past_l1,
                           int down, int across) {
  _tile_loadd(4, lhs, lhs_row);
  TW_AMX_LOAD_RHS(6, 0)
  TW_AMX_MULTIPLY(types, 0, 4, 6)
  if (across > 1) {
    TW_AMX_LOAD_RHS(7, 1)
    TW_AMX_MULTIPLY(types, 1, 4, 7)
  }
  if (down > 1) {
    _tile_loadd(5, lhs + TW_AMX_ROWS * lhs_row, lhs_row);
    TW_AMX_MULTIPLY(types, 2, 5, 6)
    if (across > 1) TW_AMX_MULTIPLY(types, 3, 5, 7)
  }
}

// gcc's loads of tile registers do not say that they read memory.
#define TW_AMX_STORED() __asm__ volatile("" ::: "memory")

// The lanes of register `i` of a row of `cols` elements.
TW_INLINE __mmask16 tw_amx_lanes(int cols, int i) {
  const int left = cols - i * TW_AMX_ROWS;
  return left >= TW_AMX_ROWS ? (__mmask16)0xFFFF
                             : (__mmask16)((1u << left) - 1);
}

// A step where registers would read what is behind a panel: from copies of what
// is in it.
TW_INLINE void tw_amx_last_step(tw_amx_types_t types, const char* lhs,
                                tw_index_t lhs_rows, const char* rhs,
                                tw_index_t rhs_stride,
                                const tw_amx_block_t* block) {
  const int down = block->down, across = block->across;
  _Alignas(64) char copy[4 * TW_AMX_BYTES];
  char* const rhs_copy = copy + 2 * TW_AMX_BYTES;
  TW_NO_UNROLL for (int r = 0; r < down * TW_AMX_ROWS; ++r) {
    const __m512i row = r < lhs_rows
                            ? _mm512_loadu_si512(lhs + r * TW_AMX_ROW_BYTES)
                            : _mm512_setzero_si512();
    _mm512_store_si512(copy + r * TW_AMX_ROW_BYTES, row);
  }
  TW_NO_UNROLL for (int g = 0; g < TW_AMX_ROWS; ++g) {
    TW_UNROLL for (int i = 0; i < across; ++i) {
      const __m512i groups =
          _mm512_maskz_loadu_epi32(tw_amx_lanes(block->cols, i),
                                   rhs + g * rhs_stride + i * TW_AMX_ROW_BYTES);
      _mm512_store_si512(rhs_copy + (2 * g + i) * TW_AMX_ROW_BYTES, groups);
    }
  }
  TW_AMX_STORED();
  tw_amx_step(types, copy, TW_AMX_ROW_BYTES, rhs_copy, 2 * TW_AMX_ROW_BYTES, 0,
              /*past_l1=*/0, down, across);
}

// A tilestored that follows the last one by more than half a microsecond, about
// 20 steps, takes a fifth of a microsecond (Granite Rapids): so in longer loops
// something is stored, all rows of it to the same place.
enum { TW_AMX_IDLE_STEPS = 16 };

// What of the out tile is asked for while a block is multiplied: `left` rows of
// it from `next` on, one in each step, or two. And `far`, what later calls
// read, all of a step's bytes.
typedef struct tw_amx_asked_t {
  const char* next;
  tw_index_t row_bytes;
  int left, two;
  int line;  // of the second register: bytes behind the first one
  tw_far_t far;
} tw_amx_asked_t;

TW_INLINE void tw_amx_ask_out(tw_amx_asked_t* out, int across) {
  TW_UNROLL for (int i = 0; i < 2; ++i) {
    if (out->left > 0 && (i == 0 || out->two)) {
      __builtin_prefetch(out->next, 1);
      if (across > 1) __builtin_prefetch(out->next + out->line, 1);
      out->next += out->row_bytes;
      --out->left;
    }
  }
}

TW_INLINE void tw_amx_ask_far(tw_far_t* far) {
  TW_NO_UNROLL for (tw_index_t at = 0; at < far->next_bytes; at += 64) {
    __builtin_prefetch(far->next + at, 0, 2);
  }
  far->next += far->next_bytes;
}

// What a call says, read once: the compiler cannot know that registers are not
// stored over it.
typedef struct tw_amx_call_t {
  tw_amx_types_t types;
  tw_element_type_t out_type;
  char* out;
  const char *lhs, *rhs;
  tw_index_t lhs_row, lhs_step;  // bytes from row to row, from step to step
  tw_index_t K, row_bytes;
  int M0, N0, accumulate;
  int past_l1;  // whether the rhs is loaded so
  tw_far_t far;
} tw_amx_call_t;

// Whether the rhs is to leave L1 to the lhs, which other tiles of its row take
// next. With both in it, asking for the rhs ahead of time hides more; and a lhs
// that comes from L2 itself gains nothing. bf16 512 cubed and 128x1536x384, s8
// 1024 cubed 1.14 to 1.2 times as fast (Granite Rapids, 48 KiB of L1).
TW_INLINE int tw_amx_goes_past_l1(tw_index_t K, int M0, int N0) {
  enum { kLhsBytes = 48 << 10, kBothBytes = 32 << 10 };
  return K * M0 * TW_AMX_ROW_BYTES <= kLhsBytes &&
         K * (M0 + N0) * TW_AMX_ROW_BYTES > kBothBytes;
}

// `steps` K steps of a block, of which no register reads beyond a panel.
TW_INLINE void tw_amx_whole_steps(const tw_amx_call_t* call,
                                  const tw_amx_block_t* block, const char* lhs,
                                  const char* rhs, tw_index_t steps,
                                  tw_amx_asked_t out, int past_l1) {
  const tw_index_t rhs_stride = (tw_index_t)call->N0 * TW_AMX_GROUP_BYTES;
  const tw_index_t rhs_step = TW_AMX_ROWS * rhs_stride;
  _Alignas(64) char unused[TW_AMX_ROW_BYTES];
  while (steps > 0) {
    const tw_index_t end =
        steps <= TW_AMX_IDLE_STEPS ? 0 : steps - TW_AMX_IDLE_STEPS;
    TW_NO_UNROLL for (; steps > end; --steps) {
      tw_amx_step(call->types, lhs, call->lhs_row, rhs, rhs_stride,
                  2 * rhs_step, past_l1, block->down, block->across);
      tw_amx_ask_out(&out, block->across);
      tw_amx_ask_far(&out.far);
      lhs += call->lhs_step;
      rhs += rhs_step;
    }
    if (steps > 0) _tile_stored(4, unused, 0);
  }
}

// All K steps of a block.
TW_INLINE void tw_amx_loop(const tw_amx_call_t* call,
                           const tw_amx_block_t* block, tw_amx_asked_t out) {
  const tw_index_t K = call->K;
  const int M0 = call->M0, N0 = call->N0;
  const tw_index_t rhs_stride = (tw_index_t)N0 * TW_AMX_GROUP_BYTES;
  const char* lhs = call->lhs + block->row * call->lhs_row;
  const char* rhs = call->rhs + block->col * TW_AMX_GROUP_BYTES;
  // Steps whose registers end with the panel or before it. Of the rhs all but
  // the last one do, for its row of 64 bytes is at most 60 too long.
  const int more_rows = block->row + block->down * TW_AMX_ROWS - M0;
  const int more_cols = block->col + block->across * TW_AMX_ROWS - N0;
  tw_index_t inside = more_rows > 0 ? K - (more_rows + M0 - 1) / M0 : K;
  if (more_cols > 0 && inside > K - 1) inside = K - 1;
  if (inside < 0) inside = 0;
  if (call->past_l1)
    tw_amx_whole_steps(call, block, lhs, rhs, inside, out, 1);
  else
    tw_amx_whole_steps(call, block, lhs, rhs, inside, out, 0);
  if (more_rows <= 0 && more_cols <= 0) return;
  lhs += inside * call->lhs_step;
  rhs += inside * TW_AMX_ROWS * rhs_stride;
  TW_NO_UNROLL for (tw_index_t k = inside; k < K; ++k) {
    tw_amx_last_step(call->types, lhs, (K - k) * M0 - block->row, rhs,
                     rhs_stride, block);
    lhs += call->lhs_step;
    rhs += TW_AMX_ROWS * rhs_stride;
  }
}

// ---- The out tile -----------------------------------------------------------

// Elements of s32 and f32 are as in the registers; of bf16 they are f32 there.
TW_INLINE int tw_amx_out_bytes(tw_element_type_t out) {
  return out == TW_ELEMENT_BF16 ? 2 : 4;
}

// Where a register of a block is in the out tile.
typedef struct tw_amx_out_t {
  tw_element_type_t type;
  char* first;           // element
  tw_index_t row_bytes;  // from row to row
  int rows;              // of the register that the tile has
  __mmask16 lanes;
} tw_amx_out_t;

// Whether registers load from the tile and store into it.
TW_INLINE int tw_amx_is_whole(const tw_amx_out_t* at) {
  return at->type != TW_ELEMENT_BF16 && at->rows == TW_AMX_ROWS &&
         at->lanes == 0xFFFF;
}

TW_INLINE void tw_amx_begin(int acc, const tw_amx_out_t* at, int accumulate) {
  if (!accumulate) {
    tw_amx_zero(acc);
    return;
  }
  if (tw_amx_is_whole(at)) {
    tw_amx_load(acc, at->first, at->row_bytes);
    return;
  }
  _Alignas(64) char copy[TW_AMX_BYTES];
  TW_NO_UNROLL for (int r = 0; r < TW_AMX_ROWS; ++r) {
    const char* const from = at->first + r * at->row_bytes;
    __m512i row = _mm512_setzero_si512();
    if (r < at->rows) {
      row = at->type == TW_ELEMENT_BF16
                ? _mm512_slli_epi32(
                      _mm512_cvtepu16_epi32(
                          _mm256_maskz_loadu_epi16(at->lanes, from)),
                      16)
                : _mm512_maskz_loadu_epi32(at->lanes, from);
    }
    _mm512_store_si512(copy + r * TW_AMX_ROW_BYTES, row);
  }
  TW_AMX_STORED();
  tw_amx_load(acc, copy, TW_AMX_ROW_BYTES);
}

TW_INLINE void tw_amx_end(int acc, const tw_amx_out_t* at) {
  if (tw_amx_is_whole(at)) {
    tw_amx_store(acc, at->first, at->row_bytes);
    return;
  }
  _Alignas(64) char copy[TW_AMX_BYTES];
  tw_amx_store(acc, copy, TW_AMX_ROW_BYTES);
  TW_NO_UNROLL for (int r = 0; r < at->rows; ++r) {
    char* const to = at->first + r * at->row_bytes;
    const __m512i row = _mm512_load_si512(copy + r * TW_AMX_ROW_BYTES);
#ifdef __AMX_BF16__
    if (at->type == TW_ELEMENT_BF16) {
      _mm256_mask_storeu_epi16(
          to, at->lanes, (__m256i)_mm512_cvtneps_pbh(_mm512_castsi512_ps(row)));
      continue;
    }
#endif
    _mm512_mask_storeu_epi32(to, at->lanes, row);
  }
}

// ---- The tile ---------------------------------------------------------------

// Of register (i, j) of a block.
TW_INLINE tw_amx_out_t tw_amx_out_at(const tw_amx_call_t* call,
                                     const tw_amx_block_t* block, int i,
                                     int j) {
  const int row = block->row + i * TW_AMX_ROWS;
  const int col = block->col + j * TW_AMX_ROWS;
  const int left = block->rows - i * TW_AMX_ROWS;
  tw_amx_out_t at;
  at.type = call->out_type;
  at.row_bytes = call->row_bytes;
  at.first = call->out + row * call->row_bytes +
             (tw_index_t)col * tw_amx_out_bytes(call->out_type);
  at.rows = left < TW_AMX_ROWS ? left : TW_AMX_ROWS;
  at.lanes = tw_amx_lanes(block->cols, j);
  return at;
}

// Nothing where the tile was read before, nor where there are few steps.
TW_INLINE tw_amx_asked_t tw_amx_asked_of(const tw_amx_call_t* call,
                                         const tw_amx_block_t* block) {
  const int kLeastSteps = 4;
  const int rows = call->accumulate || call->K < kLeastSteps ? 0 : block->rows;
  const int bytes = tw_amx_out_bytes(call->out_type);
  tw_amx_asked_t asked;
  asked.row_bytes = call->row_bytes;
  asked.line = TW_AMX_ROWS * bytes;
  asked.next =
      call->out + block->row * call->row_bytes + (tw_index_t)block->col * bytes;
  asked.left = rows;
  asked.two = call->K < rows;
  asked.far = call->far;
  asked.far.next_bytes =
      block->row == 0 && block->col == 0 ? call->far.next_bytes : 0;
  return asked;
}

TW_INLINE void tw_amx_block(const tw_amx_call_t* call, int row, int col,
                            int down, int across) {
  const int rows = call->M0 - row, cols = call->N0 - col;
  const int most_rows = down * TW_AMX_ROWS, most_cols = across * TW_AMX_ROWS;
  const tw_amx_block_t block = {row,
                                col,
                                rows < most_rows ? rows : most_rows,
                                cols < most_cols ? cols : most_cols,
                                down,
                                across};
  TW_UNROLL for (int i = 0; i < down; ++i) {
    TW_UNROLL for (int j = 0; j < across; ++j) {
      const tw_amx_out_t at = tw_amx_out_at(call, &block, i, j);
      tw_amx_begin(2 * i + j, &at, call->accumulate);
    }
  }
  tw_amx_loop(call, &block, tw_amx_asked_of(call, &block));
  TW_UNROLL for (int i = 0; i < down; ++i) {
    TW_UNROLL for (int j = 0; j < across; ++j) {
      const tw_amx_out_t at = tw_amx_out_at(call, &block, i, j);
      tw_amx_end(2 * i + j, &at);
    }
  }
}

// Rows and steps of the lhs lie as `lhs_row` and `lhs_step` say.
TW_INLINE void tw_amx_tile_of(tw_amx_types_t types, tw_element_type_t out_type,
                              void* out, const void* lhs, tw_index_t lhs_row,
                              tw_index_t lhs_step, const void* rhs,
                              const tw_mmt4d_params_t* params, int M0, int N0) {
  enum { kBlock = 2 * TW_AMX_ROWS };
  const tw_amx_call_t call = {
      types,
      out_type,
      (char*)out,
      (const char*)lhs,
      (const char*)rhs,
      lhs_row,
      lhs_step,
      params->K,
      tw_out_stride(params, N0) * tw_amx_out_bytes(out_type),
      M0,
      N0,
      tw_accumulates(params),
      tw_amx_goes_past_l1(params->K, M0, N0),
      tw_far_of(params, 1)};
  const int is_begun = (params->flags & TW_MMT4D_FLAG_CALLS_BEGUN) != 0;
  if (!is_begun) tw_amx_configure();
  TW_NO_UNROLL for (int row = 0; row < M0; row += kBlock) {
    TW_NO_UNROLL for (int col = 0; col < N0; col += kBlock) {
      const int is_tall = M0 - row > TW_AMX_ROWS;
      const int is_wide = N0 - col > TW_AMX_ROWS;
      if (is_tall && is_wide)
        tw_amx_block(&call, row, col, 2, 2);
      else if (is_wide)
        tw_amx_block(&call, row, col, 1, 2);
      else if (is_tall)
        tw_amx_block(&call, row, col, 2, 1);
      else
        tw_amx_block(&call, row, col, 1, 1);
    }
  }
  if (!is_begun) tw_amx_release();
}

TW_INLINE void tw_amx_tile(tw_amx_types_t types, tw_element_type_t out_type,
                           void* out, const void* lhs, const void* rhs,
                           const tw_mmt4d_params_t* params, int M0, int N0) {
  tw_amx_tile_of(types, out_type, out, lhs, TW_AMX_ROW_BYTES,
                 M0 * TW_AMX_ROW_BYTES, rhs, params, M0, N0);
}

#define TW_AMX_FAMILY(family, types, out_type)                                \
  TW_INLINE void family(void* out, const void* lhs, const void* rhs,          \
                        const tw_mmt4d_params_t* params, int M0, int N0) {    \
    tw_amx_tile(types, TW_ELEMENT_##out_type, out, lhs, rhs, params, M0, N0); \
  }
TW_AMX_FAMILY(s8s8s32_amx, TW_AMX_S8S8, S32)
TW_AMX_FAMILY(s8u8s32_amx, TW_AMX_S8U8, S32)
TW_AMX_FAMILY(u8s8s32_amx, TW_AMX_U8S8, S32)
TW_AMX_FAMILY(u8u8s32_amx, TW_AMX_U8U8, S32)
#ifdef __AMX_BF16__
TW_AMX_FAMILY(bf16bf16f32_amx, TW_AMX_BF16, F32)
TW_AMX_FAMILY(bf16bf16bf16_amx, TW_AMX_BF16, BF16)
#endif

#endif  // UKERNELS_X86_64_AMX_H_
