// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs on a device.

#include "ukernels/hip/program.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "ukernels/hip/api.h"
#include "ukernels/hip/pool.h"

// The compiler writes this struct word by word.
_Static_assert(sizeof(void*) != 8 || sizeof(tw_hip_program_t) == 8 * 8,
               "tw_hip_program_t is eight words");

struct tw_hip_state_t {
  const tw_hip_api_t* hip;
  int device;
  void* module;
  void* stream;
  void** functions;  // by kernel
  void** constants;
  tw_hip_pool_t pool;
  // Between begin and end.
  pthread_mutex_t busy;
  tw_status_t status;
};

// Of the call between begin and end on this thread, until there is a state.
static _Thread_local tw_status_t begin_status;

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static tw_status_t load_kernels(struct tw_hip_state_t* state,
                                const tw_hip_program_t* program) {
  const tw_hip_api_t* hip = state->hip;
  tw_status_t status = tw_hip_check(
      hip, hip->ModuleLoadData(&state->module, program->code_object),
      "hipModuleLoadData");
  for (int64_t i = 0; status == TW_STATUS_OK && i < program->kernel_count; ++i)
    if (hip->ModuleGetFunction(&state->functions[i], state->module,
                               program->kernels[i]) != TW_HIP_SUCCESS)
      status = tw_hip_fail(TW_STATUS_DEVICE_ERROR,
                           "The code object has no kernel '%s'.",
                           program->kernels[i]);
  return status;
}

static tw_status_t upload(struct tw_hip_state_t* state, void* to,
                          const void* from, int64_t bytes) {
  const tw_hip_api_t* hip = state->hip;
  if (bytes <= 0) return TW_STATUS_OK;
  tw_status_t status =
      tw_hip_check(hip,
                   hip->MemcpyAsync(to, from, (size_t)bytes,
                                    TW_HIP_HOST_TO_DEVICE, state->stream),
                   "hipMemcpyAsync to the device");
  if (status != TW_STATUS_OK) return status;
  return tw_hip_check(hip, hip->StreamSynchronize(state->stream),
                      "hipStreamSynchronize");
}

static tw_status_t upload_constants(struct tw_hip_state_t* state,
                                    const tw_hip_program_t* program,
                                    const char* parameters) {
  tw_status_t status = TW_STATUS_OK;
  for (int64_t i = 0; status == TW_STATUS_OK && i < program->constant_count;
       ++i) {
    const tw_hip_constant_t* constant = &program->constants[i];
    status =
        tw_hip_pool_allocate(state->hip, &state->pool, state->stream,
                             (size_t)constant->bytes, &state->constants[i]);
    if (status == TW_STATUS_OK)
      status = upload(
          state, state->constants[i],
          constant->data ? constant->data : parameters + constant->offset,
          constant->bytes);
  }
  return status;
}

// Also of what could be opened in part: another call may try again.
static void close_state(struct tw_hip_state_t* state) {
  const tw_hip_api_t* hip = state->hip;
  hip->SetDevice(state->device);
  for (size_t i = 0; i < state->pool.count; ++i)
    hip->Free(state->pool.blocks[i].pointer);
  free(state->pool.blocks);
  if (state->module) hip->ModuleUnload(state->module);
  if (state->stream) hip->StreamDestroy(state->stream);
  pthread_mutex_destroy(&state->busy);
  free((void*)state->functions);
  free((void*)state->constants);
  free(state);
}

// Null after a failure, which is then in *status.
static struct tw_hip_state_t* open_state(const tw_hip_program_t* program,
                                         const char* parameters,
                                         tw_status_t* status) {
  *status = TW_STATUS_UNSUPPORTED;
  const tw_hip_api_t* hip = tw_hip_load();
  if (!hip) return NULL;
  int device;
  *status = tw_hip_find_device(hip, program->gfx, &device);
  if (*status != TW_STATUS_OK) return NULL;
  struct tw_hip_state_t* state = calloc(1, sizeof(*state));
  if (!state) {
    *status = tw_hip_fail(TW_STATUS_OUT_OF_MEMORY, "There is no host memory.");
    return NULL;
  }
  state->hip = hip;
  state->device = device;
  pthread_mutex_init(&state->busy, NULL);
  // One more than there are: calloc(0) may be null.
  state->functions =
      (void**)calloc((size_t)program->kernel_count + 1, sizeof(void*));
  state->constants =
      (void**)calloc((size_t)program->constant_count + 1, sizeof(void*));
  if (!state->functions || !state->constants)
    *status = tw_hip_fail(TW_STATUS_OUT_OF_MEMORY, "There is no host memory.");
  if (*status == TW_STATUS_OK)
    *status = tw_hip_check(hip, hip->SetDevice(device), "hipSetDevice");
  if (*status == TW_STATUS_OK)
    *status =
        tw_hip_check(hip, hip->StreamCreate(&state->stream), "hipStreamCreate");
  if (*status == TW_STATUS_OK) *status = load_kernels(state, program);
  if (*status == TW_STATUS_OK)
    *status = upload_constants(state, program, parameters);
  if (*status == TW_STATUS_OK) return state;
  close_state(state);
  return NULL;
}

void tw_hip_begin(tw_hip_program_t* program, const void* parameters) {
  begin_status = TW_STATUS_OK;
  pthread_mutex_lock(&opening);
  if (!program->state)
    program->state =
        open_state(program, (const char*)parameters, &begin_status);
  struct tw_hip_state_t* state = program->state;
  pthread_mutex_unlock(&opening);
  if (!state) return;
  pthread_mutex_lock(&state->busy);
  // The device is a property of the thread.
  state->status = tw_hip_check(state->hip, state->hip->SetDevice(state->device),
                               "hipSetDevice");
}

void tw_hip_close(tw_hip_program_t* program) {
  pthread_mutex_lock(&opening);
  if (program->state) close_state(program->state);
  program->state = NULL;
  pthread_mutex_unlock(&opening);
}

// The program's state, while nothing has failed.
static struct tw_hip_state_t* running(const tw_hip_program_t* program) {
  if (begin_status != TW_STATUS_OK || program->state->status != TW_STATUS_OK)
    return NULL;
  return program->state;
}

int32_t tw_hip_end(tw_hip_program_t* program) {
  if (begin_status != TW_STATUS_OK) return (int32_t)begin_status;
  struct tw_hip_state_t* state = program->state;
  // After a failure, too: what was launched uses memory that others will get.
  tw_hip_error_t error = state->hip->StreamSynchronize(state->stream);
  if (state->status == TW_STATUS_OK)
    state->status = tw_hip_check(state->hip, error, "hipStreamSynchronize");
  tw_status_t status = state->status;
  pthread_mutex_unlock(&state->busy);
  return (int32_t)status;
}

void* tw_hip_allocate(tw_hip_program_t* program, int64_t bytes) {
  struct tw_hip_state_t* state = running(program);
  if (!state) return NULL;
  void* pointer = NULL;
  if (bytes < 0)
    state->status =
        tw_hip_fail(TW_STATUS_OVERFLOW, "A buffer has too many bytes.");
  else
    state->status = tw_hip_pool_allocate(
        state->hip, &state->pool, state->stream, (size_t)bytes, &pointer);
  return pointer;
}

void tw_hip_release(tw_hip_program_t* program, void* pointer) {
  // Of a call that failed as well; without a state there is nothing to release.
  if (begin_status == TW_STATUS_OK)
    tw_hip_pool_release(&program->state->pool, pointer);
}

void* tw_hip_constant(tw_hip_program_t* program, int64_t index) {
  struct tw_hip_state_t* state = running(program);
  return state ? state->constants[index] : NULL;
}

void tw_hip_upload(tw_hip_program_t* program, void* to, const void* from,
                   int64_t bytes) {
  struct tw_hip_state_t* state = running(program);
  if (state) state->status = upload(state, to, from, bytes);
}

void tw_hip_download(tw_hip_program_t* program, void* to, const void* from,
                     int64_t bytes) {
  struct tw_hip_state_t* state = running(program);
  if (!state || bytes <= 0) return;
  const tw_hip_api_t* hip = state->hip;
  state->status =
      tw_hip_check(hip,
                   hip->MemcpyAsync(to, from, (size_t)bytes,
                                    TW_HIP_DEVICE_TO_HOST, state->stream),
                   "hipMemcpyAsync to the host");
  if (state->status == TW_STATUS_OK)
    state->status = tw_hip_check(hip, hip->StreamSynchronize(state->stream),
                                 "hipStreamSynchronize");
}

void tw_hip_copy(tw_hip_program_t* program, void* to, const void* from,
                 int64_t bytes) {
  struct tw_hip_state_t* state = running(program);
  if (!state || bytes <= 0) return;
  state->status = tw_hip_check(
      state->hip,
      state->hip->MemcpyAsync(to, from, (size_t)bytes, TW_HIP_DEVICE_TO_DEVICE,
                              state->stream),
      "hipMemcpyAsync on the device");
}

void tw_hip_launch(tw_hip_program_t* program, int64_t kernel, int64_t grid_x,
                   int64_t grid_y, int64_t block, int64_t dynamic_lds,
                   const void* arguments, int64_t argument_bytes) {
  struct tw_hip_state_t* state = running(program);
  if (!state || grid_x <= 0 || grid_y <= 0) return;
  const char* name = program->kernels[kernel];
  // The device counts work-items along x in 32 bits.
  if (grid_x > UINT32_MAX / block || grid_y > UINT16_MAX) {
    state->status = tw_hip_fail(
        TW_STATUS_OVERFLOW, "%s: %lld x %lld workgroups of %lld are too many.",
        name, (long long)grid_x, (long long)grid_y, (long long)block);
    return;
  }
  size_t size = (size_t)argument_bytes;
  void* extra[] = {TW_HIP_LAUNCH_BUFFER, (void*)arguments,
                   TW_HIP_LAUNCH_BUFFER_SIZE, &size, TW_HIP_LAUNCH_END};
  state->status =
      tw_hip_check(state->hip,
                   state->hip->ModuleLaunchKernel(
                       state->functions[kernel], (unsigned)grid_x,
                       (unsigned)grid_y, 1, (unsigned)block, 1, 1,
                       (unsigned)dynamic_lds, state->stream, NULL, extra),
                   name);
}
