// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/pack.h"

#include <string.h>

#include "ukernels/element.h"
#include "ukernels/index.h"

tw_status_t tw_check_packing(const tw_pack_params_t* params,
                             tw_packing_t* packing) {
  if (!params || params->flags & ~(uint32_t)TW_PACK_FLAG_TRANSPOSE)
    return TW_STATUS_INVALID_ARGUMENT;
  tw_packing_t p;
  p.bits = tw_element_bits(params->type);
  p.transpose = !!(params->flags & TW_PACK_FLAG_TRANSPOSE);
  p.rows = params->rows;
  p.cols = params->cols;
  p.stride = params->matrix_stride;
  p.tile_rows = params->tile_rows;
  p.tile_cols = params->tile_cols;
  const tw_index_t line = p.transpose ? p.rows : p.cols;
  const tw_index_t lines = p.transpose ? p.cols : p.rows;
  if ((p.bits != 4 && p.bits % 8 != 0) || p.bits == 0 || p.rows < 0 ||
      p.cols < 0 || p.tile_rows < 1 || p.tile_cols < 1 || p.stride < line)
    return TW_STATUS_INVALID_ARGUMENT;
  // Rows of the matrix and tiles start on a byte.
  if (p.bits == 4 &&
      (p.stride % 2 != 0 || (p.tile_rows % 2 != 0 && p.tile_cols % 2 != 0)))
    return TW_STATUS_INVALID_ARGUMENT;
  p.outer_rows = p.rows / p.tile_rows + (p.rows % p.tile_rows != 0);
  p.outer_cols = p.cols / p.tile_cols + (p.cols % p.tile_cols != 0);
  // The matrix, then the packed form, in bits.
  tw_index_t size;
  if (tw_mul_overflows(lines, p.stride, &size) ||
      tw_mul_overflows(size, p.bits, &size))
    return TW_STATUS_OVERFLOW;
  if (tw_mul_overflows(p.outer_rows, p.outer_cols, &size) ||
      tw_mul_overflows(size, p.tile_rows, &size) ||
      tw_mul_overflows(size, p.tile_cols, &size) ||
      tw_mul_overflows(size, p.bits, &size))
    return TW_STATUS_OVERFLOW;
  p.packed_bytes = size / 8;
  *packing = p;
  return TW_STATUS_OK;
}

tw_status_t tw_packed_size(const tw_pack_params_t* params, tw_index_t* bytes) {
  if (!bytes) return TW_STATUS_INVALID_ARGUMENT;
  tw_packing_t p;
  const tw_status_t status = tw_check_packing(params, &p);
  if (status == TW_STATUS_OK) *bytes = p.packed_bytes;
  return status;
}

static void tw_pack_elements(const tw_packing_t* p, uint64_t padding,
                             const unsigned char* matrix,
                             unsigned char* packed) {
  tw_index_t to = 0;
  for (tw_index_t ro = 0; ro < p->outer_rows; ++ro)
    for (tw_index_t co = 0; co < p->outer_cols; ++co)
      for (tw_index_t ri = 0; ri < p->tile_rows; ++ri)
        for (tw_index_t ci = 0; ci < p->tile_cols; ++ci, ++to) {
          const tw_index_t r = ro * p->tile_rows + ri;
          const tw_index_t c = co * p->tile_cols + ci;
          const int inside = r < p->rows && c < p->cols;
          const tw_index_t from = inside ? tw_matrix_at(p, r, c) : 0;
          if (p->bits == 4) {
            const unsigned value =
                inside ? tw_get_nibble(matrix, from) : (unsigned)padding & 15u;
            tw_put_nibble(packed, to, value);
          } else {
            const size_t size = (size_t)p->bits / 8;
            // Little-endian: the low bits are the first bytes.
            memcpy(packed + (size_t)to * size,
                   inside ? (const void*)(matrix + (size_t)from * size)
                          : (const void*)&padding,
                   size);
          }
        }
}

tw_status_t tw_pack(const tw_pack_params_t* params, const void* matrix,
                    void* packed, tw_index_t packed_bytes) {
  tw_packing_t p;
  const tw_status_t status = tw_check_packing(params, &p);
  if (status != TW_STATUS_OK) return status;
  if (packed_bytes < 0 || (p.packed_bytes > 0 && (!matrix || !packed)))
    return TW_STATUS_INVALID_ARGUMENT;
  if (packed_bytes < p.packed_bytes) return TW_STATUS_OUT_OF_RANGE;
  tw_pack_elements(&p, params->padding, (const unsigned char*)matrix,
                   (unsigned char*)packed);
  return TW_STATUS_OK;
}
