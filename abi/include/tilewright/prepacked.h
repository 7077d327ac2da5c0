// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A prepacked rhs: panels that tw_matmul reads as they lie, behind a descriptor
// that says what they are. It may be kept in a file or made by a compiler; it
// holds no pointers and is read where it lies, also from read-only memory.
//
// What the panels look like follows from the types and the CPU that they were
// made for, never from M: one prepacked rhs serves every batch size.

#ifndef TILEWRIGHT_PREPACKED_H_
#define TILEWRIGHT_PREPACKED_H_

#include "tilewright/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// tw_prepacked_t::magic: "TWPREPAK" in the byte order of the machine, so that a
// foreign one is seen.
#define TW_PREPACKED_MAGIC UINT64_C(0x4B41504552505754)

enum {
  TW_PREPACKED_VERSION = 1,
  // tw_prepacked_t::layout: panels [N'][K'][N0][K0], with N' = ceil(N / N0) and
  // K' = ceil(K / K0), row-major and without gaps; element (k, n) of the rhs is
  // at [n / N0][k / K0][n % N0][k % K0], and zeros lie outside of it.
  TW_PREPACKED_LAYOUT_PANELS = 1,
  // The same, each [N0][K0] in groups of G = 4 bytes along K: [K0/G][N0][G].
  TW_PREPACKED_LAYOUT_VNNI = 2,
};

// The descriptor: 128 bytes, before the panels. Aligned as a uint64_t; 64 bytes
// are recommended.
typedef struct tw_prepacked_t {
  uint64_t magic;         // TW_PREPACKED_MAGIC
  uint32_t version;       // TW_PREPACKED_VERSION
  uint32_t header_bytes;  // 128: where the panels begin, from here on
  uint32_t types;         // of the matmul: a tw_type_triple_t
  // Of the tile functions that read the panels: its rhs is the type of the
  // panels' elements. Others than `types` where these are widened when they are
  // packed, because the CPU has no tile of their own; and S8U8S32 for two s8,
  // U8S8S32 for two u8, where all bytes of the panels are what was said above
  // with the top bit flipped.
  uint32_t tile_types;
  int64_t K, N;  // of the rhs [K][N], in elements
  int32_t N0, K0;
  uint32_t layout;       // TW_PREPACKED_LAYOUT_...
  uint32_t reserved;     // 0
  uint64_t panel_bytes;  // of all panels
  // The instruction set whose tile the layout is for, as in tile names and
  // filled up with zeros; "generic" where the portable fallback reads it.
  char isa[32];
  uint64_t panel_digest;   // of the panel_bytes bytes from header_bytes on
  uint64_t header_digest;  // of the bytes of this struct before this field
  uint64_t padding[2];     // 0
} tw_prepacked_t;

// The digest of `bytes` bytes, which tells damage, not malice. They are read as
// 64-bit words w[i] in the machine's order, the last one filled up with zeros,
// and zero words after it up to a multiple of four. Four sums, each
//   h = TW_DIGEST_SEED + j;  for i = j, j + 4, ...: h = (h ^ w[i]) *
//   TW_DIGEST_FACTOR; h ^= h >> 32
// with the two numbers of tilewright/digest.h, are joined in order by the same
// step, from h = bytes on.

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_PREPACKED_H_
