// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validation of tw_pack_params_t.

#include "ukernels/element.h"
#include "ukernels/fault.h"
#include "ukernels/index.h"
#include "ukernels/pack.h"

static tw_status_t tw_check_pack_sizes(const tw_pack_params_t* p, int bits,
                                       tw_fault_t* fault) {
  if ((bits != 4 && bits % 8 != 0) || bits == 0)
    return tw_bad_number(
        fault, "params->type", p->type,
        "a type of element_types.def of whole bytes or 4 bits");
  if (p->rows < 0)
    return tw_bad_number(fault, "params->rows", p->rows, "0 or more");
  if (p->cols < 0)
    return tw_bad_number(fault, "params->cols", p->cols, "0 or more");
  if (p->tile_rows < 1)
    return tw_bad_number(fault, "params->tile_rows", p->tile_rows, "1 or more");
  if (p->tile_cols < 1)
    return tw_bad_number(fault, "params->tile_cols", p->tile_cols, "1 or more");
  return TW_STATUS_OK;
}

static tw_status_t tw_check_pack_lines(const tw_pack_params_t* p,
                                       tw_index_t line, int bits,
                                       tw_fault_t* fault) {
  if (p->matrix_stride < line)
    return tw_bad_limit(
        fault, "params->matrix_stride", p->matrix_stride,
        p->flags & TW_PACK_FLAG_TRANSPOSE
            ? "at least the elements of a row as it lies in memory, rows ="
            : "at least the elements of a row, cols =",
        line);
  if (bits == 4 && p->matrix_stride % 2 != 0)
    return tw_bad_number(fault, "params->matrix_stride", p->matrix_stride,
                         "even for 4-bit types, whose rows begin on a byte");
  if (bits == 4 && p->tile_rows % 2 != 0 && p->tile_cols % 2 != 0)
    return tw_bad_number(fault, "params->tile_cols", p->tile_cols,
                         "even, or tile_rows be, for 4-bit types, whose tiles "
                         "begin on a byte");
  return TW_STATUS_OK;
}

// Tiles of one group of columns each, as many as there were in a tile.
static tw_status_t tw_group_columns(const tw_pack_params_t* params,
                                    tw_packing_t* p, tw_fault_t* fault) {
  if (p->bits != 8 && p->bits != 16)
    return tw_bad_number(fault, "params->type", params->type,
                         "a type of 1 or 2 bytes for VNNI");
  const tw_index_t group = 32 / p->bits;
  if (p->tile_cols % group != 0)
    return tw_bad_limit(fault, "params->tile_cols", p->tile_cols,
                        "for VNNI a multiple of the columns of 4 bytes,",
                        group);
  if (tw_mul_overflows(p->outer_cols, p->tile_cols / group, &p->outer_cols))
    return tw_too_large(fault, "params->tile_cols", p->tile_cols,
                        "such that the packed form fits the address space");
  p->tile_cols = group;
  return TW_STATUS_OK;
}

tw_status_t tw_check_packing(const tw_pack_params_t* params,
                             tw_packing_t* packing, tw_fault_t* fault) {
  if (!params)
    return tw_bad_pointer(fault, "params", "a pointer to the parameters");
  if (params->flags & ~(uint32_t)(TW_PACK_FLAG_TRANSPOSE | TW_PACK_FLAG_VNNI))
    return tw_bad_bits(
        fault, "params->flags", params->flags,
        "0 or flags TW_PACK_FLAG_..., and it has a bit that none "
        "of them has");
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
  tw_status_t status = tw_check_pack_sizes(params, p.bits, fault);
  if (status == TW_STATUS_OK)
    status = tw_check_pack_lines(params, line, p.bits, fault);
  if (status != TW_STATUS_OK) return status;
  p.outer_rows = p.rows / p.tile_rows + (p.rows % p.tile_rows != 0);
  p.outer_cols = p.cols / p.tile_cols + (p.cols % p.tile_cols != 0);
  if (params->flags & TW_PACK_FLAG_VNNI) {
    status = tw_group_columns(params, &p, fault);
    if (status != TW_STATUS_OK) return status;
  }
  // The matrix, then the packed form, in bits.
  tw_index_t size;
  if (tw_mul_overflows(lines, p.stride, &size) ||
      tw_mul_overflows(size, p.bits, &size))
    return tw_too_large(fault, "params->matrix_stride", p.stride,
                        "such that the matrix fits the address space");
  if (tw_mul_overflows(p.outer_rows, p.outer_cols, &size) ||
      tw_mul_overflows(size, p.tile_rows, &size) ||
      tw_mul_overflows(size, p.tile_cols, &size) ||
      tw_mul_overflows(size, p.bits, &size))
    return tw_too_large(fault, "params->tile_rows", p.tile_rows,
                        "such that the packed form fits the address space");
  p.packed_bytes = size / 8;
  p.stores = tw_pack_stores_of(p.packed_bytes);
  p.zip_groups = 0;
  *packing = p;
  return TW_STATUS_OK;
}

tw_status_t tw_check_pack_call(const tw_pack_params_t* params,
                               const void* matrix, const void* packed,
                               tw_index_t packed_bytes,
                               const tw_parallel_for_t* parallel_for,
                               tw_packing_t* packing, tw_fault_t* fault) {
  static const char kNeeded[] = "a pointer where there are elements";
  if (parallel_for && !parallel_for->run)
    return tw_bad_pointer(fault, "parallel_for->run",
                          "a function, or parallel_for be null");
  const tw_status_t status = tw_check_packing(params, packing, fault);
  if (status != TW_STATUS_OK) return status;
  if (packed_bytes < 0)
    return tw_bad_number(fault, "packed_bytes", packed_bytes, "0 or more");
  if (packing->packed_bytes > 0 && !matrix)
    return tw_bad_pointer(fault, "matrix", kNeeded);
  if (packing->packed_bytes > 0 && !packed)
    return tw_bad_pointer(fault, "packed", kNeeded);
  if (packed_bytes < packing->packed_bytes) {
    tw_bad_limit(fault, "packed_bytes", packed_bytes,
                 "at least tw_packed_size,", packing->packed_bytes);
    return TW_STATUS_OUT_OF_RANGE;
  }
  return TW_STATUS_OK;
}
