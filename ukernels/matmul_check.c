// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validation of tw_matmul's params.

#include "ukernels/matmul_check.h"

#include "ukernels/index.h"

// A matrix as the caller has it.
typedef struct tw_matrix_check_t {
  int reads;
  const char *buffer_field, *stride_field;
  const void* buffer;
  tw_element_type_t type;
  tw_index_t stride, rows, cols;  // as it lies in memory
} tw_matrix_check_t;

static tw_status_t tw_check_matrix(const tw_matrix_check_t* m, int buffers,
                                   tw_fault_t* fault) {
  const int bits = tw_element_bits(m->type);
  tw_index_t size = 0;
  if (m->rows > 1) {
    if (m->stride < m->cols)
      return tw_fault_limit(fault, TW_STATUS_INVALID_ARGUMENT, m->stride_field,
                            m->stride, "at least the length of a row,",
                            m->cols);
    if (bits == 4 && m->stride % 2 != 0)
      return tw_bad_number(
          fault, m->stride_field, m->stride,
          "even for 4-bit elements, whose rows start on a byte");
    if (tw_mul_overflows(m->rows - 1, m->stride, &size))
      return tw_fault(fault, TW_STATUS_OVERFLOW, m->stride_field, m->stride,
                      "such that the matrix fits the address space");
  }
  if (tw_add_overflows(size, m->cols, &size) ||
      tw_mul_overflows(size, bits, &size))
    return tw_fault(fault, TW_STATUS_OVERFLOW, m->stride_field, m->stride,
                    "such that the matrix fits the address space");
  if (buffers && m->rows > 0 && m->cols > 0 && !m->buffer)
    return tw_bad_pointer(fault, m->buffer_field,
                          "a buffer unless the matrix is empty");
  return TW_STATUS_OK;
}

static tw_status_t tw_check_flags(const tw_matmul_params_t* p,
                                  tw_triple_t* types, tw_fault_t* fault) {
  const tw_index_t flags = p->flags;
  if (p->flags & ~(uint32_t)TW_MATMUL_FLAG_ALL)
    return tw_bad_bits(fault, "flags", flags, "of the flags of tw_matmul only");
  if (p->flags & TW_MATMUL_FLAG_RHS_PREPACKED &&
      p->flags & TW_MATMUL_FLAG_RHS_TRANSPOSED)
    return tw_bad_bits(fault, "flags", flags,
                       "without one of RHS_TRANSPOSED and RHS_PREPACKED");
  const tw_index_t value = flags & TW_MMT4D_FLAG_TYPE_MASK;
  if (!tw_triple_of((unsigned)value, types))
    return tw_bad_number(fault, "flags: type triple", value,
                         "the value of a row of type_triples.def");
  if (tw_element_bits(types->lhs) == 6 || tw_element_bits(types->rhs) == 6)
    return tw_fault(fault, TW_STATUS_UNSUPPORTED, "flags: type triple", value,
                    "one without 6-bit types, of which single elements have no "
                    "address; tw_mmt4d takes packed ones");
  return TW_STATUS_OK;
}

static tw_status_t tw_check_sizes(const tw_matmul_params_t* p, int reads,
                                  tw_fault_t* fault) {
  const struct {
    const char* field;
    tw_index_t value;
    int reads;
  } sizes[] = {{"M", p->M, TW_READS_LHS}, {"N", p->N, ~0}, {"K", p->K, ~0}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (reads & sizes[i].reads && sizes[i].value < 0)
      return tw_bad_number(fault, sizes[i].field, sizes[i].value, "0 or more");
  if (reads & TW_READS_LHS && p->threads < 1)
    return tw_bad_number(fault, "threads", p->threads, "1 or more");
  return TW_STATUS_OK;
}

tw_status_t tw_check_matmul(const tw_matmul_params_t* p, int reads,
                            tw_triple_t* types, tw_fault_t* fault) {
  if (!p) return tw_bad_pointer(fault, "params", "a struct of params");
  tw_status_t status = tw_check_flags(p, types, fault);
  if (status == TW_STATUS_OK) status = tw_check_sizes(p, reads, fault);
  if (status != TW_STATUS_OK) return status;
  const int lhs_t = !!(p->flags & TW_MATMUL_FLAG_LHS_TRANSPOSED);
  const int rhs_t = !!(p->flags & TW_MATMUL_FLAG_RHS_TRANSPOSED);
  const int out_t = !!(p->flags & TW_MATMUL_FLAG_OUT_TRANSPOSED);
  const int prepacked = !!(p->flags & TW_MATMUL_FLAG_RHS_PREPACKED);
  const tw_matrix_check_t matrices[] = {
      {TW_READS_LHS, "lhs", "lhs_stride", p->lhs, types->lhs, p->lhs_stride,
       lhs_t ? p->K : p->M, lhs_t ? p->M : p->K},
      {prepacked ? 0 : TW_READS_RHS, "rhs", "rhs_stride", p->rhs, types->rhs,
       p->rhs_stride, rhs_t ? p->N : p->K, rhs_t ? p->K : p->N},
      {TW_READS_OUT, "out", "out_stride", p->out, types->out, p->out_stride,
       out_t ? p->N : p->M, out_t ? p->M : p->N}};
  for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; ++i) {
    if (!(reads & matrices[i].reads)) continue;
    status = tw_check_matrix(&matrices[i], reads & TW_READS_BUFFERS, fault);
    if (status != TW_STATUS_OK) return status;
  }
  if (prepacked && reads & TW_READS_RHS)
    return tw_check_descriptor(p->rhs, p->rhs_bytes, fault);
  return TW_STATUS_OK;
}
