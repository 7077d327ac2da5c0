// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model compiled for GPUs calls: kernels, constants and memory, of each
// device in order on one stream. A model has a program for each GPU that
// something of it runs on.
//
// Between tw_hip_begin() and tw_hip_end() a failure is kept, and what follows
// does nothing, so that the caller is a straight line of calls; tw_hip_end()
// returns the first failure, for which tw_hip_message() has a sentence. Calls
// of one program exclude each other: tw_hip_begin() waits for another thread's
// tw_hip_end(). A model of several programs calls tw_hip_begin_all() and
// tw_hip_end_all() instead, always with all of them in the same order; a
// failure is then one of all.

#ifndef TILEWRIGHT_UKERNELS_HIP_PROGRAM_H_
#define TILEWRIGHT_UKERNELS_HIP_PROGRAM_H_

#include <stdint.h>

#include "tilewright/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_hip_constant_t {
  const void* data;  // null: in the file of parameters
  int64_t bytes;
  int64_t offset;  // there
} tw_hip_constant_t;

// What an instance keeps in the memory of a device.
struct tw_hip_kept_t;

// Data of the program, written by the compiler; on a 64-bit host all members
// have 8 bytes (the compiler writes it as eight words).
typedef struct tw_hip_program_t {
  const void* code_object;
  const char* gfx;             // of the code object: "gfx942"
  const char* const* kernels;  // names, by index
  int64_t kernel_count;
  const tw_hip_constant_t* constants;
  int64_t constant_count;
  // Of this library: null before the first call.
  struct tw_hip_state_t* state;
  // What the model calls the device, of a model that has several; else null, as
  // in all objects of before there were several.
  const char* name;
} tw_hip_program_t;

// The first call finds a device of the code object's gfx, loads the kernels and
// uploads the constants. Of a program with constants in a file, `parameters` is
// that file's first byte, which no other call reads; else it is null.
void tw_hip_begin(tw_hip_program_t* program, const void* parameters);

// The same for each of `programs`. In their order, each takes the first device
// of its gfx that no program before it has taken.
void tw_hip_begin_all(tw_hip_program_t* const* programs, const void* parameters,
                      int64_t count);

// Waits for all that was launched.
int32_t tw_hip_end(tw_hip_program_t* program);
int32_t tw_hip_end_all(tw_hip_program_t* const* programs, int64_t count);

// Gives back the program's device memory and kernels; its next call makes them
// anew. No call may be under way.
void tw_hip_close(tw_hip_program_t* program);

// Device memory, aligned to 256 bytes; null after a failure. What is released
// is given out again, in order of the stream, and stays the program's.
void* tw_hip_allocate(tw_hip_program_t* program, int64_t bytes);
void tw_hip_release(tw_hip_program_t* program, void* pointer);

// Device memory that holds constant `index`; not to be written.
void* tw_hip_constant(tw_hip_program_t* program, int64_t index);

// Device memory of an instance of the model, aligned to 256 bytes, which is not
// the program's: tw_hip_close() leaves it. Sets *block, null after a failure.
void tw_hip_keep(tw_hip_program_t* program, struct tw_hip_kept_t** block,
                 int64_t bytes);
// That memory; null after a failure.
void* tw_hip_kept(tw_hip_program_t* program,
                  struct tw_hip_kept_t* const* block);
// Gives it back, between calls, in whatever thread. Null is accepted.
void tw_hip_discard(struct tw_hip_kept_t* block);

// `from` may be changed, and `to` be read, when these return.
void tw_hip_upload(tw_hip_program_t* program, void* to, const void* from,
                   int64_t bytes);
void tw_hip_download(tw_hip_program_t* program, void* to, const void* from,
                     int64_t bytes);

// Within device memory, in order of the stream.
void tw_hip_copy(tw_hip_program_t* program, void* to, const void* from,
                 int64_t bytes);

// Between the memories of two programs of a model. What was launched before is
// done with both when it copies, and what comes behind begins after that.
//
// hipMemcpyAsync on a stream of the source's device: HIP promises that it works
// without peer access, by way of the host then, which hipMemcpyPeer is not said
// to.
void tw_hip_transfer(tw_hip_program_t* to_program, void* to,
                     tw_hip_program_t* from_program, const void* from,
                     int64_t bytes);

// Launches kernel `kernel` on grid_x * grid_y workgroups of `block` work-items;
// without any workgroup it does nothing. `arguments` is its kernarg segment.
void tw_hip_launch(tw_hip_program_t* program, int64_t kernel, int64_t grid_x,
                   int64_t grid_y, int64_t block, int64_t dynamic_lds,
                   const void* arguments, int64_t argument_bytes);

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_UKERNELS_HIP_PROGRAM_H_
