// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For models with state, and models compiled with --parameters-out:
// libtilewright_instance.a, which maps their file of parameters and keeps what
// an instance has. The model's own header declares the functions that programs
// call; those here are called by the compiled model, which says by a tw_model_t
// what it wants.

#ifndef TILEWRIGHT_INSTANCE_H_
#define TILEWRIGHT_INSTANCE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a compiled model says of itself.
typedef struct tw_model_t {
  const char* name;
  // Of its file of parameters, which has the same.
  uint8_t identity[32];
  // Whether it has such a file: 0 or 1.
  uint32_t has_parameters;
  // Its states, and the bytes of each.
  uint32_t state_count;
  const uint64_t* state_bytes;
  // Of what it computes once for each instance, and keeps.
  uint64_t kept_bytes;
} tw_model_t;

// ---- The file ---------------------------------------------------------------
//
// Little-endian: this header, the `programs` that read the file, each a
// compiled model, `count` entries, the digest of all that, and then the bytes
// of each entry, in order, from a multiple of TW_PARAMETERS_ALIGNMENT on. What
// is between them is not read.

#define TW_PARAMETERS_MAGIC "TWPARAMS"
#define TW_PARAMETERS_VERSION 3
#define TW_PARAMETERS_ALIGNMENT 64

typedef struct tw_parameters_header_t {
  char magic[8];
  uint32_t version;
  uint32_t count;       // of entries
  uint64_t file_bytes;  // of all of the file
  uint64_t programs;
} tw_parameters_header_t;

#define TW_PARAMETERS_TARGET_BYTES 96

typedef struct tw_parameters_program_t {
  uint8_t identity[32];  // that of its tw_model_t
  // What its devices were called when it was compiled, with how long their
  // vectors are where the layouts rely on it: "arm_64:neoverse-v1+vl256". Cut
  // off where there is no room, and filled up with zeros, one at least.
  char target[TW_PARAMETERS_TARGET_BYTES];
} tw_parameters_program_t;

typedef struct tw_parameters_entry_t {
  uint64_t offset;  // in the file
  uint64_t bytes;
  uint64_t digest;  // tw_digest_bytes() of them
  uint64_t reserved;
} tw_parameters_entry_t;

// ---- What models call -------------------------------------------------------

// A mapped file, shared by any number of instances, read by any threads.
typedef struct tw_parameters_t tw_parameters_t;

// An instance: used by one call at a time.
typedef struct tw_instance_t tw_instance_t;

// Maps the file at `path` and checks all of it; TW_STATUS_OK and *result, or
// TW_STATUS_INVALID_ARGUMENT (it cannot be opened, or an argument is null),
// TW_STATUS_NOT_PREPACKED (it is no such file, or of another version),
// TW_STATUS_DAMAGED, TW_STATUS_FOREIGN (it is another model's),
// TW_STATUS_OUT_OF_MEMORY. A sentence about it is put into `message`, of
// `message_bytes`, cut off where that ends; it may be null.
int32_t tw_parameters_open(const tw_model_t* model, const char* path,
                           tw_parameters_t** result, char* message,
                           int64_t message_bytes);
// Once no instance uses it. Null is accepted.
void tw_parameters_close(tw_parameters_t* parameters);

// TW_STATUS_OK and *result, TW_STATUS_OUT_OF_MEMORY, TW_STATUS_FOREIGN if
// `parameters` were opened for another model, or TW_STATUS_INVALID_ARGUMENT.
// A model without a file has null for them. States are not written yet, nor is
// what is kept.
int32_t tw_instance_create(const tw_model_t* model,
                           const tw_parameters_t* parameters,
                           tw_instance_t** result);
// Null is accepted.
void tw_instance_destroy(tw_instance_t* instance);

// The first byte of the mapped file.
const void* tw_instance_parameters(const tw_instance_t* instance);
// Memory of at least `bytes`, at a multiple of TW_PARAMETERS_ALIGNMENT, until
// the next call; null if there is not as much, or none is wanted.
void* tw_instance_arena(tw_instance_t* instance, int64_t bytes);

// Each state lies in memory twice, at multiples of TW_PARAMETERS_ALIGNMENT: as
// a call finds it, and as it leaves it. Numbers count from 0 to state_count.
const void* tw_instance_state(const tw_instance_t* instance, uint32_t state);
void* tw_instance_next_state(tw_instance_t* instance, uint32_t state);
// The call has succeeded: what it left is what the next one finds.
void tw_instance_advance(tw_instance_t* instance, uint32_t state);

// Memory of the model's kept_bytes, at a multiple of TW_PARAMETERS_ALIGNMENT,
// which is written when the instance is made, and only read then.
void* tw_instance_kept(const tw_instance_t* instance);

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_INSTANCE_H_
