// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <string.h>

#include "ukernels/pack.h"

static void tw_unpack_elements(const tw_packing_t* p,
                               const unsigned char* packed,
                               unsigned char* matrix) {
  tw_index_t from = 0;
  for (tw_index_t ro = 0; ro < p->outer_rows; ++ro)
    for (tw_index_t co = 0; co < p->outer_cols; ++co)
      for (tw_index_t ri = 0; ri < p->tile_rows; ++ri)
        for (tw_index_t ci = 0; ci < p->tile_cols; ++ci, ++from) {
          const tw_index_t r = ro * p->tile_rows + ri;
          const tw_index_t c = co * p->tile_cols + ci;
          if (r >= p->rows || c >= p->cols) continue;
          const tw_index_t to = tw_matrix_at(p, r, c);
          if (p->bits == 4) {
            tw_put_nibble(matrix, to, tw_get_nibble(packed, from));
          } else {
            const size_t size = (size_t)p->bits / 8;
            memcpy(matrix + (size_t)to * size, packed + (size_t)from * size,
                   size);
          }
        }
}

tw_status_t tw_unpack(const tw_pack_params_t* params, const void* packed,
                      tw_index_t packed_bytes, void* matrix) {
  tw_packing_t p;
  const tw_status_t status = tw_check_packing(params, &p);
  if (status != TW_STATUS_OK) return status;
  if (packed_bytes < 0 || (p.packed_bytes > 0 && (!matrix || !packed)))
    return TW_STATUS_INVALID_ARGUMENT;
  if (packed_bytes < p.packed_bytes) return TW_STATUS_OUT_OF_RANGE;
  tw_unpack_elements(&p, (const unsigned char*)packed, (unsigned char*)matrix);
  return TW_STATUS_OK;
}
