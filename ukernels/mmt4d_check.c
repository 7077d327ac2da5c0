// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validation of tw_mmt4d_params_t.

#include "ukernels/mmt4d_check.h"

#include "ukernels/index.h"

static tw_status_t tw_check_tile_size(const char* field, int32_t size,
                                      int32_t most, const char* rule,
                                      tw_fault_t* fault) {
  return size < 1 || size > most ? tw_bad_number(fault, field, size, rule)
                                 : TW_STATUS_OK;
}

tw_status_t tw_check_tile(const tw_mmt4d_params_t* p, tw_triple_t* types,
                          tw_fault_t* fault) {
  static const char kSize[] = "in 1..1024";
  if (!p) return tw_bad_pointer(fault, "params", "a pointer to the parameters");
  if (p->flags & ~(uint32_t)TW_MMT4D_FLAG_ALL)
    return tw_bad_bits(fault, "params->flags", p->flags,
                       "a type triple or-ed with flags of tile.h, and it has a "
                       "bit that no flag of the CPU entry points has");
  if (!tw_triple_of(p->flags & TW_MMT4D_FLAG_TYPE_MASK, types))
    return tw_bad_bits(fault, "params->flags", p->flags,
                       "one with a row of type_triples.def in its low byte");
  tw_status_t status =
      tw_check_tile_size("params->M0", p->M0, 1024, kSize, fault);
  if (status == TW_STATUS_OK)
    status = tw_check_tile_size("params->N0", p->N0, 1024, kSize, fault);
  if (status == TW_STATUS_OK)
    status = tw_check_tile_size("params->K0", p->K0, 64, "in 1..64", fault);
  if (status != TW_STATUS_OK) return status;
  if (p->M0 * p->K0 * tw_element_bits(types->lhs) % 8 != 0)
    return tw_bad_number(fault, "params->M0", p->M0,
                         "such that M0*K0 lhs elements fill whole bytes");
  if (p->N0 * p->K0 * tw_element_bits(types->rhs) % 8 != 0)
    return tw_bad_number(fault, "params->N0", p->N0,
                         "such that N0*K0 rhs elements fill whole bytes");
  if (!(p->flags & TW_MMT4D_FLAG_RHS_VNNI)) return TW_STATUS_OK;
  const int group = tw_vnni_group(types);
  if (group == 0)
    return tw_bad_bits(fault, "params->flags", p->flags,
                       "without RHS_VNNI, unless operands are of s8 or u8, or "
                       "both of bf16");
  if (p->K0 != 16 * group)
    return tw_bad_limit(fault, "params->K0", p->K0,
                        "a row of 64 bytes for RHS_VNNI,", 16 * group);
  return TW_STATUS_OK;
}

// The fields of one operand: `count` panels of `panel` elements, `stride`
// apart, from `offset` on.
typedef struct tw_operand_check_t {
  const char *buffer_field, *offset_field, *stride_field, *stride_rule;
  const void* buffer;
  tw_index_t offset, stride, count, panel;
  int bits;
} tw_operand_check_t;

static tw_status_t tw_check_operand(const tw_operand_check_t* o,
                                    tw_fault_t* fault) {
  if (o->offset < 0)
    return tw_bad_number(fault, o->offset_field, o->offset, "0 or more");
  if (o->count > 1 && o->stride < o->panel)
    return tw_bad_limit(fault, o->stride_field, o->stride, o->stride_rule,
                        o->panel);
  if (o->count > 0 && o->panel > 0 && !o->buffer)
    return tw_bad_pointer(fault, o->buffer_field,
                          "a pointer where there are elements");
  // A panel of a sub-byte type starts on a byte. All widths are even.
  static const char kWhole[] =
      "a number of elements that fill whole bytes: panels begin on one";
  if (o->bits < 8 && (o->offset % 8) * o->bits % 8 != 0)
    return tw_bad_number(fault, o->offset_field, o->offset, kWhole);
  if (o->bits < 8 && o->count > 1 && (o->stride % 8) * o->bits % 8 != 0)
    return tw_bad_number(fault, o->stride_field, o->stride, kWhole);
  static const char kFits[] =
      "such that the operand's bytes fit the address space";
  tw_index_t end = 0, bytes;
  if (o->count > 0 && (tw_mul_overflows(o->count - 1, o->stride, &end) ||
                       tw_add_overflows(end, o->panel, &end)))
    return tw_too_large(fault, o->stride_field, o->stride, kFits);
  if (tw_add_overflows(end, o->offset, &end) ||
      tw_mul_overflows(end, o->bits, &bytes))
    return tw_too_large(fault, o->offset_field, o->offset, kFits);
  return TW_STATUS_OK;
}

static tw_status_t tw_check_outer_sizes(const tw_mmt4d_params_t* p,
                                        tw_fault_t* fault) {
  static const char kCount[] = "0 or more";
  if (p->M < 0) return tw_bad_number(fault, "params->M", p->M, kCount);
  if (p->N < 0) return tw_bad_number(fault, "params->N", p->N, kCount);
  if (p->K < 0) return tw_bad_number(fault, "params->K", p->K, kCount);
  return TW_STATUS_OK;
}

tw_status_t tw_check_mmt4d(const tw_mmt4d_params_t* p,
                           const tw_parallel_for_t* parallel_for,
                           tw_triple_t* types, tw_fault_t* fault) {
  if (parallel_for && !parallel_for->run)
    return tw_bad_pointer(fault, "parallel_for->run",
                          "a function, or parallel_for be null");
  tw_status_t status = tw_check_tile(p, types, fault);
  if (status == TW_STATUS_OK) status = tw_check_outer_sizes(p, fault);
  if (status != TW_STATUS_OK) return status;

  static const char kFits[] = "such that sizes fit the address space";
  tw_operand_check_t lhs = {"params->lhs_buffer",
                            "params->lhs_offset",
                            "params->lhs_stride0",
                            "at least the elements of a panel, K*M0*K0 =",
                            p->lhs_buffer,
                            p->lhs_offset,
                            p->lhs_stride0,
                            p->M,
                            0,
                            tw_element_bits(types->lhs)};
  tw_operand_check_t rhs = {"params->rhs_buffer",
                            "params->rhs_offset",
                            "params->rhs_stride0",
                            "at least the elements of a panel, K*N0*K0 =",
                            p->rhs_buffer,
                            p->rhs_offset,
                            p->rhs_stride0,
                            p->N,
                            0,
                            tw_element_bits(types->rhs)};
  tw_operand_check_t out = {
      "params->out_buffer",
      "params->out_offset",
      "params->out_stride0",
      "at least the elements of a row of tiles, N*M0*N0 =",
      p->out_buffer,
      p->out_offset,
      p->out_stride0,
      p->M,
      0,
      tw_element_bits(types->out)};
  if (tw_mul_overflows(p->K, (tw_index_t)p->M0 * p->K0, &lhs.panel) ||
      tw_mul_overflows(p->K, (tw_index_t)p->N0 * p->K0, &rhs.panel))
    return tw_too_large(fault, "params->K", p->K, kFits);
  if (tw_mul_overflows(p->N, (tw_index_t)p->M0 * p->N0, &out.panel))
    return tw_too_large(fault, "params->N", p->N, kFits);
  if (p->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE) {
    out.stride_field = "params->out_row_stride";
    out.stride_rule = "at least the elements of a row, N*N0 =";
    out.stride = p->out_row_stride;
    out.panel = p->N * p->N0;
  }
  status = tw_check_operand(&lhs, fault);
  if (status == TW_STATUS_OK) status = tw_check_operand(&rhs, fault);
  if (status != TW_STATUS_OK) return status;
  if (p->flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE &&
      tw_mul_overflows(p->M, p->M0, &out.count))
    return tw_too_large(fault, "params->M", p->M, kFits);
  return tw_check_operand(&out, fault);
}
