// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pack functions are made from: compiled to bitcode and not optimised, so
// that the generator can bind the first four arguments, a name's, to constants
// and leave away what these decide against. The work is tw_pack's own.

#include "ukernels/pack_template.h"

static tw_packing_t tw_packing_of(int bits, int transpose, tw_index_t tile_rows,
                                  tw_index_t tile_cols,
                                  const tw_pack_tile_params_t* params) {
  tw_packing_t p;
  p.bits = bits;
  p.transpose = transpose;
  p.rows = params->rows;
  p.cols = params->cols;
  p.stride = params->matrix_stride;
  p.tile_rows = tile_rows;
  p.tile_cols = tile_cols;
  p.outer_rows = params->outer_rows;
  p.outer_cols = params->outer_cols;
  p.packed_bytes =
      p.outer_rows * p.outer_cols * tile_rows * tile_cols * bits / 8;
  p.stores = tw_pack_stores_of(p.packed_bytes);
  p.zip_groups = 0;
  return p;
}

void tw_pack_template(int bits, int transpose, tw_index_t tile_rows,
                      tw_index_t tile_cols, void* packed, const void* matrix,
                      const tw_pack_tile_params_t* params) {
  const tw_packing_t p =
      tw_packing_of(bits, transpose, tile_rows, tile_cols, params);
  tw_pack_matrix(&p, tw_repeat_padding(params->padding, bits), matrix, packed);
}

void tw_unpack_template(int bits, int transpose, tw_index_t tile_rows,
                        tw_index_t tile_cols, void* matrix, const void* packed,
                        const tw_pack_tile_params_t* params) {
  const tw_packing_t p =
      tw_packing_of(bits, transpose, tile_rows, tile_cols, params);
  tw_unpack_matrix(&p, packed, matrix);
}
