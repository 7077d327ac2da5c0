// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw_matmul.

#include "tilewright/matmul.h"

#include "ukernels/core.h"
#include "ukernels/cpu.h"
#include "ukernels/index.h"
#include "ukernels/matmul_run.h"
#include "ukernels/matmul_thin.h"
#include "ukernels/matmul_unpacked.h"
#include "ukernels/name.h"

// ---- Entry points -----------------------------------------------------------

// What a call has come to.
typedef struct tw_matmul_call_t {
  // What does it with which of these, and how that is called; null: nothing is
  // to be done.
  void (*task)(void* context, tw_index_t i);
  void* context;
  const char* how;
  tw_matmul_run_t run;
  tw_thin_run_t thin;
  tw_unpacked_run_t unpacked;
  tw_triple_t types;
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  const uint64_t* cpu_data;
  tw_index_t tasks, workspace_bytes;
  // The matmul that is run instead, if it is.
  tw_matmul_params_t turned;
  int is_turned;
} tw_matmul_call_t;

static void tw_set_tasks(tw_matmul_call_t* call, tw_index_t tasks,
                         void (*task)(void* context, tw_index_t i),
                         void* context, const char* how) {
  call->tasks = tasks;
  call->task = task;
  call->context = context;
  call->how = how;
}

// Whether nothing is packed; then plans it.
static int tw_prepare_unpacked(const tw_matmul_params_t* params, int prepacked,
                               tw_matmul_call_t* call) {
  if (!tw_plan_unpacked(params, &call->types, call->cpu_data,
                        prepacked ? &call->run : 0, &call->unpacked))
    return 0;
  tw_set_tasks(call, call->unpacked.tasks, tw_run_unpacked_task,
               &call->unpacked,
               "on the operands as they lie, which is quicker than packing");
  return 1;
}

// Whether a transposed out is quicker as the product of the rhs and the lhs,
// whose tiles store into it: else a block of accumulators is transposed. M
// becomes the columns of tiles, of which there are up to 32.
static int tw_turns(const tw_matmul_params_t* p, const tw_triple_t* types) {
  const tw_index_t kColumns = 32;
  const uint32_t flags = p->flags;
  if (!(flags & TW_MATMUL_FLAG_OUT_TRANSPOSED) ||
      flags & TW_MATMUL_FLAG_RHS_PREPACKED || types->lhs != types->rhs ||
      p->M <= TW_THIN_MOST_ROWS)
    return 0;
  const tw_index_t padding = -p->M & (kColumns - 1);
  return p->N <= TW_THIN_MOST_ROWS || padding <= p->M / 8;
}

static tw_matmul_params_t tw_turn(const tw_matmul_params_t* p) {
  tw_matmul_params_t turned = *p;
  turned.lhs = p->rhs;
  turned.rhs = p->lhs;
  turned.lhs_stride = p->rhs_stride;
  turned.rhs_stride = p->lhs_stride;
  turned.M = p->N;
  turned.N = p->M;
  turned.flags &=
      ~(TW_MATMUL_FLAG_OUT_TRANSPOSED | TW_MATMUL_FLAG_LHS_TRANSPOSED |
        TW_MATMUL_FLAG_RHS_TRANSPOSED);
  if (!(p->flags & TW_MATMUL_FLAG_RHS_TRANSPOSED))
    turned.flags |= TW_MATMUL_FLAG_LHS_TRANSPOSED;
  if (!(p->flags & TW_MATMUL_FLAG_LHS_TRANSPOSED))
    turned.flags |= TW_MATMUL_FLAG_RHS_TRANSPOSED;
  return turned;
}

static tw_status_t tw_prepare(const tw_matmul_params_t* params, int reads,
                              tw_matmul_call_t* call, tw_fault_t* fault) {
  const tw_status_t status =
      tw_check_matmul(params, reads, &call->types, fault);
  if (status != TW_STATUS_OK) return status;
  call->workspace_bytes = 0;
  tw_set_tasks(call, 0, 0, 0, 0);
  if (params->M == 0 || params->N == 0 ||
      (params->K == 0 && params->flags & TW_MMT4D_FLAG_ACCUMULATE))
    return TW_STATUS_OK;
  call->cpu_data = params->cpu_data;
  if (!call->cpu_data) {
    tw_cpu_data_of_this_cpu(call->this_cpu);
    call->cpu_data = call->this_cpu;
  }
  call->is_turned = tw_turns(params, &call->types);
  if (call->is_turned) {
    call->turned = tw_turn(params);
    params = &call->turned;
  }
  const int prepacked = !!(params->flags & TW_MATMUL_FLAG_RHS_PREPACKED);
  if (!prepacked && params->M <= TW_THIN_MOST_ROWS) {
    tw_plan_thin(params, tw_thin_find(call->cpu_data),
                 tw_core_asks_pages(call->cpu_data), &call->thin);
    tw_set_tasks(call, call->thin.tasks, tw_run_thin_task, &call->thin,
                 "on the unpacked rhs, M being at most 4");
    return TW_STATUS_OK;
  }
  if (!prepacked && tw_prepare_unpacked(params, 0, call)) return TW_STATUS_OK;
  tw_matmul_run_t* run = &call->run;
  run->params = params;
  run->epilogue = 0;
  run->panels =
      prepacked ? (const char*)params->rhs + sizeof(tw_prepacked_t) : 0;
  const tw_status_t planned =
      tw_plan_matmul(params, &call->types, call->cpu_data, &run->plan, fault);
  if (planned != TW_STATUS_OK) return planned;
  // Panels that are read side by side come quicker than a packed lhs costs.
  if (prepacked && !run->plan.streams && tw_prepare_unpacked(params, 1, call))
    return TW_STATUS_OK;
  tw_set_tasks(call, run->plan.lhs.parts * run->plan.rhs.parts,
               tw_run_matmul_task, run, run->plan.tile.body.name);
  // The base is moved up to a cache line.
  if (run->plan.slice > 0)
    call->workspace_bytes = call->tasks * run->plan.slice + 63;
  return TW_STATUS_OK;
}

static tw_status_t tw_prepare_to_run(const tw_matmul_params_t* params,
                                     const tw_parallel_for_t* parallel_for,
                                     tw_matmul_call_t* call,
                                     tw_fault_t* fault) {
  if (parallel_for && !parallel_for->run)
    return tw_bad_pointer(fault, "parallel_for->run", "a function");
  const tw_status_t status = tw_prepare(
      params, TW_READS_LHS | TW_READS_RHS | TW_READS_OUT | TW_READS_BUFFERS,
      call, fault);
  if (status != TW_STATUS_OK) return status;
  if (call->workspace_bytes > 0 && !params->workspace)
    return tw_bad_pointer(fault, "workspace",
                          "a buffer of tw_matmul_workspace_size bytes");
  if (params->workspace_bytes < call->workspace_bytes)
    return tw_fault_limit(fault, TW_STATUS_OUT_OF_RANGE, "workspace_bytes",
                          params->workspace_bytes,
                          "at least tw_matmul_workspace_size,",
                          call->workspace_bytes);
  return TW_STATUS_OK;
}

tw_status_t tw_matmul(const tw_matmul_params_t* params,
                      const tw_parallel_for_t* parallel_for) {
  tw_matmul_call_t call;
  tw_fault_t fault;
  const tw_status_t status =
      tw_prepare_to_run(params, parallel_for, &call, &fault);
  if (status != TW_STATUS_OK || !call.task) return status;
  call.run.workspace = (char*)params->workspace;
  if (call.workspace_bytes > 0)
    call.run.workspace += -(uintptr_t)params->workspace % 64;
  if (parallel_for && call.tasks > 1) {
    parallel_for->run(parallel_for->self, call.tasks, call.task, call.context);
  } else {
    for (tw_index_t i = 0; i < call.tasks; ++i) call.task(call.context, i);
  }
  return TW_STATUS_OK;
}

tw_status_t tw_matmul_workspace_size(const tw_matmul_params_t* params,
                                     tw_index_t* bytes) {
  if (!bytes || !params) return TW_STATUS_INVALID_ARGUMENT;
  tw_matmul_call_t call;
  tw_fault_t fault;
  const int reads = TW_READS_LHS | TW_READS_RHS | TW_READS_OUT;
  // Nobody need know yet where the lhs will lie: on lines, where it may be
  // multiplied in place, or off them.
  static const char kPlaces[2] __attribute__((aligned(64))) = {0};
  tw_index_t most = 0;
  for (int i = 0; i < 2; ++i) {
    tw_matmul_params_t placed = *params;
    placed.lhs = &kPlaces[i];
    const tw_status_t status = tw_prepare(&placed, reads, &call, &fault);
    if (status != TW_STATUS_OK) return status;
    most = tw_max(most, call.workspace_bytes);
  }
  *bytes = most;
  return TW_STATUS_OK;
}

// What there is to say of a plan beside its tile.
static void tw_explain_plan(const tw_matmul_plan_t* plan, tw_text_t* how) {
  if (plan->tile.last.M0 != plan->tile.body.M0) {
    tw_text_add(how, ", and for the last rows ");
    tw_text_add(how, plan->tile.last.name);
  }
  if (plan->lhs.from != plan->lhs.type || plan->rhs.from != plan->rhs.type)
    tw_text_add(how, ", on widened operands");
}

tw_status_t tw_matmul_explain(const tw_matmul_params_t* params,
                              const tw_parallel_for_t* parallel_for, char* text,
                              size_t size) {
  tw_matmul_call_t call;
  tw_fault_t fault;
  const tw_status_t status =
      tw_prepare_to_run(params, parallel_for, &call, &fault);
  char what[256];
  tw_text_t how = tw_text_begin(what, sizeof what);
  if (status == TW_STATUS_OK && call.how) tw_text_add(&how, call.how);
  if (status == TW_STATUS_OK && call.task == tw_run_matmul_task)
    tw_explain_plan(&call.run.plan, &how);
  if (status == TW_STATUS_OK && call.task && call.is_turned)
    tw_text_add(&how, ", the rhs by the lhs, since out is transposed");
  tw_explain_status(status, &fault, *what ? "Runs " : "Nothing to compute",
                    what, text, size);
  return status;
}
