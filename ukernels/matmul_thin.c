// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/matmul_thin.h"

#include "ukernels/epilogue.h"
#include "ukernels/matmul_plan.h"

// Fewer multiply-adds are not worth a task: each reads as many rhs elements, or
// a quarter of that.
static const double kLeastThinWork = 1 << 18;

void tw_plan_thin(const tw_matmul_params_t* p, tw_thin_fn_t fn, int asks_pages,
                  tw_thin_run_t* run) {
  const int lhs_t = !!(p->flags & TW_MATMUL_FLAG_LHS_TRANSPOSED);
  const int out_t = !!(p->flags & TW_MATMUL_FLAG_OUT_TRANSPOSED);
  tw_thin_t* t = &run->thin;
  t->types = (tw_type_triple_t)(p->flags & TW_MMT4D_FLAG_TYPE_MASK);
  t->accumulate = !!(p->flags & TW_MMT4D_FLAG_ACCUMULATE);
  t->M = p->M;
  t->N = p->N;
  t->K = p->K;
  t->lhs = p->lhs;
  t->lhs_stride_m = lhs_t ? 1 : p->lhs_stride;
  t->lhs_stride_k = lhs_t ? p->lhs_stride : 1;
  t->rhs = p->rhs;
  t->rhs_stride = p->rhs_stride;
  t->asks_pages = asks_pages;
  t->rhs_transposed = !!(p->flags & TW_MATMUL_FLAG_RHS_TRANSPOSED);
  t->out = p->out;
  t->out_stride_m = out_t ? 1 : p->out_stride;
  t->out_stride_n = out_t ? p->out_stride : 1;
  run->fn = fn;
  const double tasks =
      (double)p->M * (double)p->N * (double)p->K / kLeastThinWork;
  tw_index_t count = p->threads;
  if (tasks < (double)count) count = (tw_index_t)tasks + 1;
  run->columns = tw_panels_of(tw_panels_of(p->N, count), TW_THIN_COLUMNS) *
                 TW_THIN_COLUMNS;
  run->tasks = tw_panels_of(p->N, run->columns);
  run->epilogue = 0;
}

void tw_run_thin_task(void* context, tw_index_t i) {
  const tw_thin_run_t* run = (const tw_thin_run_t*)context;
  const tw_index_t begin = i * run->columns;
  const tw_index_t next = begin + run->columns;
  const tw_index_t end = next < run->thin.N ? next : run->thin.N;
  run->fn(&run->thin, begin, end);
  tw_run_epilogue(run->epilogue, 0, run->thin.M, begin, end);
}
