// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what pack and unpack share.

#ifndef UKERNELS_PACK_H_
#define UKERNELS_PACK_H_

#include "tilewright/tilewright.h"

typedef struct tw_fault_t tw_fault_t;  // fault.h

// How the packed form is written.
typedef enum tw_pack_stores_t {
  TW_PACK_STORES_NEAR,   // in a cache
  TW_PACK_STORES_ASKED,  // its cache lines are asked for before: it is far
  // Past the caches, which fetch nothing first. Needs tw_is_aligned_packing.
  TW_PACK_STORES_PAST
} tw_pack_stores_t;

// A validated packing. Sizes count elements.
typedef struct tw_packing_t tw_packing_t;
struct tw_packing_t {
  int bits;       // of an element: 4, 8, 16, 32 or 64
  int transpose;  // the matrix lies as [cols][rows]
  tw_index_t rows, cols, stride;
  tw_index_t tile_rows, tile_cols;
  tw_index_t outer_rows, outer_cols;  // tiles
  tw_index_t packed_bytes;
  tw_pack_stores_t stores;
  // What packs groups of 4 bytes on this CPU (zip_groups.h); may be null.
  int (*zip_groups)(const tw_packing_t* p, const unsigned char* matrix,
                    unsigned char* packed);
};

// So much that what is written is in no cache. Asking for 4 MiB and less costs
// 5 to 15 % (Zen 5). Past the caches, beside an L3 of 32 MiB, 16 MiB take half
// of the time; 8 MiB 0.7 to 1 of a matrix that lies transposed, up to 1.5 of
// others (Zen 4).
enum { kFarBytes = 8 << 20, kPastBytes = 16 << 20 };

// How so much is written where nobody asks which core it is.
static inline tw_pack_stores_t tw_pack_stores_of(tw_index_t packed_bytes) {
  return packed_bytes >= kFarBytes ? TW_PACK_STORES_ASKED : TW_PACK_STORES_NEAR;
}

// What `params` say, unless the status says that something is wrong with them.
// `fault` may be null (fault.h).
tw_status_t tw_check_packing(const tw_pack_params_t* params,
                             tw_packing_t* packing, tw_fault_t* fault);
// The same for a call of tw_pack or tw_unpack with these buffers.
tw_status_t tw_check_pack_call(const tw_pack_params_t* params,
                               const void* matrix, const void* packed,
                               tw_index_t packed_bytes,
                               const tw_parallel_for_t* parallel_for,
                               tw_packing_t* packing, tw_fault_t* fault);

// The low `bits` bits of `padding`, as often as 64 bits hold them.
uint64_t tw_repeat_padding(uint64_t padding, int bits);

// Packs and unpacks, on the calling thread, what tw_check_packing has passed.
// `padding`: as tw_repeat_padding gives it.
void tw_pack_matrix(const tw_packing_t* p, uint64_t padding, const void* matrix,
                    void* packed);
void tw_unpack_matrix(const tw_packing_t* p, const void* packed, void* matrix);

// Runs `body` on parts of a packing that follow each other: rows of tiles, with
// the matrix and the packed form as they begin there. All of it in one part
// where parallel_for is null or the packing small.
typedef void (*tw_pack_part_fn_t)(const tw_packing_t* part, uint64_t padding,
                                  unsigned char* matrix, unsigned char* packed);
void tw_pack_parts(const tw_packing_t* p, uint64_t padding,
                   unsigned char* matrix, unsigned char* packed,
                   const tw_parallel_for_t* parallel_for,
                   tw_pack_part_fn_t body);

// Where element (row, col) of the matrix lies in memory.
static inline tw_index_t tw_matrix_at(const tw_packing_t* p, tw_index_t row,
                                      tw_index_t col) {
  return p->transpose ? col * p->stride + row : row * p->stride + col;
}

static inline tw_index_t tw_tile_bytes(const tw_packing_t* p) {
  return p->tile_rows * p->tile_cols * p->bits / 8;
}

// Where tile (row, col) lies in the packed form, in bytes.
static inline tw_index_t tw_packed_at(const tw_packing_t* p, tw_index_t row,
                                      tw_index_t col) {
  return (row * p->outer_cols + col) * tw_tile_bytes(p);
}

// Whether every tile begins at a multiple of 16 bytes.
static inline int tw_is_aligned_packing(const tw_packing_t* p,
                                        const void* packed) {
  return tw_tile_bytes(p) % 16 == 0 && (uintptr_t)packed % 16 == 0;
}

// How many of the `tile` rows (columns) from `at` on lie inside `extent`.
static inline tw_index_t tw_inside(tw_index_t extent, tw_index_t at,
                                   tw_index_t tile) {
  const tw_index_t left = extent > at ? extent - at : 0;
  return left < tile ? left : tile;
}

static inline unsigned tw_get_nibble(const unsigned char* base, tw_index_t i) {
  return base[i / 2] >> (i % 2 * 4) & 15u;
}

static inline void tw_put_nibble(unsigned char* base, tw_index_t i,
                                 unsigned value) {
  const int shift = (int)(i % 2) * 4;
  base[i / 2] =
      (unsigned char)((base[i / 2] & ~(15u << shift)) | value << shift);
}

#endif  // UKERNELS_PACK_H_
