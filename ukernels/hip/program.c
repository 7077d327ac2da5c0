// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs on devices.

#include "ukernels/hip/program.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "ukernels/hip/api.h"
#include "ukernels/hip/devices.h"
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
  // Of the model's first program, which is this one if it is the only one: what
  // follows is that one's, for all.
  struct tw_hip_state_t* first;
  // Between begin and end.
  pthread_mutex_t busy;
  tw_status_t status;
  int current;  // the device of the thread
};

struct tw_hip_kept_t {
  const tw_hip_api_t* hip;
  int device;
  void* memory;
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

static tw_status_t no_host_memory(void) {
  return tw_hip_fail(TW_STATUS_OUT_OF_MEMORY, "There is no host memory.");
}

// Null after a failure, which is then in *status.
static struct tw_hip_state_t* open_state(const tw_hip_api_t* hip,
                                         const tw_hip_program_t* program,
                                         int device, const char* parameters,
                                         tw_status_t* status) {
  struct tw_hip_state_t* state = calloc(1, sizeof(*state));
  if (!state) {
    *status = no_host_memory();
    return NULL;
  }
  *status = TW_STATUS_OK;
  state->hip = hip;
  state->device = device;
  pthread_mutex_init(&state->busy, NULL);
  // One more than there are: calloc(0) may be null.
  state->functions =
      (void**)calloc((size_t)program->kernel_count + 1, sizeof(void*));
  state->constants =
      (void**)calloc((size_t)program->constant_count + 1, sizeof(void*));
  if (!state->functions || !state->constants) *status = no_host_memory();
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

static void close_program(tw_hip_program_t* program) {
  if (program->state) close_state(program->state);
  program->state = NULL;
}

// All or none.
static tw_status_t open_programs(tw_hip_program_t* const* programs,
                                 int64_t count, const char* parameters) {
  int64_t open = 0;
  for (int64_t i = 0; i < count; ++i) open += programs[i]->state != NULL;
  if (open == count) return TW_STATUS_OK;
  const tw_hip_api_t* hip = tw_hip_load();
  if (!hip) return TW_STATUS_UNSUPPORTED;
  int* devices = malloc((size_t)count * sizeof(int));
  if (!devices) return no_host_memory();
  tw_status_t status = tw_hip_find_devices(hip, programs, count, devices);
  for (int64_t i = 0; status == TW_STATUS_OK && i < count; ++i)
    if (!programs[i]->state)
      programs[i]->state =
          open_state(hip, programs[i], devices[i], parameters, &status);
  free(devices);
  for (int64_t i = 0; status != TW_STATUS_OK && i < count; ++i)
    close_program(programs[i]);
  return status;
}

void tw_hip_begin(tw_hip_program_t* program, const void* parameters) {
  tw_hip_begin_all(&program, parameters, 1);
}

void tw_hip_begin_all(tw_hip_program_t* const* programs, const void* parameters,
                      int64_t count) {
  pthread_mutex_lock(&opening);
  begin_status = open_programs(programs, count, (const char*)parameters);
  struct tw_hip_state_t* first = programs[0]->state;
  pthread_mutex_unlock(&opening);
  if (begin_status != TW_STATUS_OK) return;
  pthread_mutex_lock(&first->busy);
  for (int64_t i = 0; i < count; ++i) programs[i]->state->first = first;
  // The device is a property of the thread.
  first->current = first->device;
  first->status = tw_hip_check(first->hip, first->hip->SetDevice(first->device),
                               "hipSetDevice");
}

void tw_hip_close(tw_hip_program_t* program) {
  pthread_mutex_lock(&opening);
  close_program(program);
  pthread_mutex_unlock(&opening);
}

// The program's state, while nothing has failed, with its device the thread's.
static struct tw_hip_state_t* running(const tw_hip_program_t* program) {
  if (begin_status != TW_STATUS_OK) return NULL;
  struct tw_hip_state_t* state = program->state;
  struct tw_hip_state_t* first = state->first;
  if (first->status != TW_STATUS_OK) return NULL;
  if (first->current == state->device) return state;
  first->current = state->device;
  first->status = tw_hip_check(state->hip, state->hip->SetDevice(state->device),
                               "hipSetDevice");
  return first->status == TW_STATUS_OK ? state : NULL;
}

int32_t tw_hip_end(tw_hip_program_t* program) {
  return tw_hip_end_all(&program, 1);
}

int32_t tw_hip_end_all(tw_hip_program_t* const* programs, int64_t count) {
  if (begin_status != TW_STATUS_OK) return (int32_t)begin_status;
  struct tw_hip_state_t* first = programs[0]->state;
  // After a failure, too: what was launched uses memory that others will get.
  for (int64_t i = 0; i < count; ++i) {
    tw_hip_error_t error =
        first->hip->StreamSynchronize(programs[i]->state->stream);
    if (first->status == TW_STATUS_OK)
      first->status = tw_hip_check(first->hip, error, "hipStreamSynchronize");
  }
  tw_status_t status = first->status;
  pthread_mutex_unlock(&first->busy);
  return (int32_t)status;
}

void* tw_hip_allocate(tw_hip_program_t* program, int64_t bytes) {
  struct tw_hip_state_t* state = running(program);
  if (!state) return NULL;
  void* pointer = NULL;
  if (bytes < 0)
    state->first->status =
        tw_hip_fail(TW_STATUS_OVERFLOW, "A buffer has too many bytes.");
  else
    state->first->status = tw_hip_pool_allocate(
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

void tw_hip_keep(tw_hip_program_t* program, struct tw_hip_kept_t** block,
                 int64_t bytes) {
  *block = NULL;
  struct tw_hip_state_t* state = running(program);
  if (!state) return;
  struct tw_hip_kept_t* kept = malloc(sizeof(*kept));
  if (!kept) {
    state->first->status = no_host_memory();
    return;
  }
  kept->hip = state->hip;
  kept->device = state->device;
  state->first->status = tw_hip_pool_new(
      state->hip, &state->pool, state->stream, (size_t)bytes, &kept->memory);
  if (state->first->status == TW_STATUS_OK)
    *block = kept;
  else
    free(kept);
}

void* tw_hip_kept(tw_hip_program_t* program,
                  struct tw_hip_kept_t* const* block) {
  return running(program) ? (*block)->memory : NULL;
}

void tw_hip_discard(struct tw_hip_kept_t* block) {
  if (!block) return;
  block->hip->SetDevice(block->device);
  block->hip->Free(block->memory);
  free(block);
}

void tw_hip_upload(tw_hip_program_t* program, void* to, const void* from,
                   int64_t bytes) {
  struct tw_hip_state_t* state = running(program);
  if (state) state->first->status = upload(state, to, from, bytes);
}

void tw_hip_download(tw_hip_program_t* program, void* to, const void* from,
                     int64_t bytes) {
  struct tw_hip_state_t* state = running(program);
  if (!state || bytes <= 0) return;
  const tw_hip_api_t* hip = state->hip;
  state->first->status =
      tw_hip_check(hip,
                   hip->MemcpyAsync(to, from, (size_t)bytes,
                                    TW_HIP_DEVICE_TO_HOST, state->stream),
                   "hipMemcpyAsync to the host");
  if (state->first->status == TW_STATUS_OK)
    state->first->status = tw_hip_check(
        hip, hip->StreamSynchronize(state->stream), "hipStreamSynchronize");
}

void tw_hip_copy(tw_hip_program_t* program, void* to, const void* from,
                 int64_t bytes) {
  struct tw_hip_state_t* state = running(program);
  if (!state || bytes <= 0) return;
  state->first->status = tw_hip_check(
      state->hip,
      state->hip->MemcpyAsync(to, from, (size_t)bytes, TW_HIP_DEVICE_TO_DEVICE,
                              state->stream),
      "hipMemcpyAsync on the device");
}

void tw_hip_transfer(tw_hip_program_t* to_program, void* to,
                     tw_hip_program_t* from_program, const void* from,
                     int64_t bytes) {
  const struct tw_hip_state_t* target = running(to_program);
  // Last, since HIP recommends the device where the source is.
  struct tw_hip_state_t* source = running(from_program);
  if (!target || !source || bytes <= 0) return;
  const tw_hip_api_t* hip = source->hip;
  // Streams of two devices wait for nothing of each other: what used the target
  // is done before, what reads the source, or gets its memory, begins behind.
  source->first->status = tw_hip_check(
      hip, hip->StreamSynchronize(target->stream), "hipStreamSynchronize");
  if (source->first->status == TW_STATUS_OK)
    source->first->status =
        tw_hip_check(hip,
                     hip->MemcpyAsync(to, from, (size_t)bytes,
                                      TW_HIP_DEVICE_TO_DEVICE, source->stream),
                     "hipMemcpyAsync to another device");
  if (source->first->status == TW_STATUS_OK)
    source->first->status = tw_hip_check(
        hip, hip->StreamSynchronize(source->stream), "hipStreamSynchronize");
}

void tw_hip_launch(tw_hip_program_t* program, int64_t kernel, int64_t grid_x,
                   int64_t grid_y, int64_t block, int64_t dynamic_lds,
                   const void* arguments, int64_t argument_bytes) {
  struct tw_hip_state_t* state = running(program);
  if (!state || grid_x <= 0 || grid_y <= 0) return;
  const char* name = program->kernels[kernel];
  // The device counts work-items along x in 32 bits.
  if (grid_x > UINT32_MAX / block || grid_y > UINT16_MAX) {
    state->first->status = tw_hip_fail(
        TW_STATUS_OVERFLOW, "%s: %lld x %lld workgroups of %lld are too many.",
        name, (long long)grid_x, (long long)grid_y, (long long)block);
    return;
  }
  size_t size = (size_t)argument_bytes;
  void* extra[] = {TW_HIP_LAUNCH_BUFFER, (void*)arguments,
                   TW_HIP_LAUNCH_BUFFER_SIZE, &size, TW_HIP_LAUNCH_END};
  state->first->status =
      tw_hip_check(state->hip,
                   state->hip->ModuleLaunchKernel(
                       state->functions[kernel], (unsigned)grid_x,
                       (unsigned)grid_y, 1, (unsigned)block, 1, 1,
                       (unsigned)dynamic_lds, state->stream, NULL, extra),
                   name);
}
