// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of parameters: mapped, and checked before anything reads them.

// For O_CLOEXEC and mmap, which are not of C11.
#define _POSIX_C_SOURCE 200809L  // NOLINT(bugprone-reserved-identifier)

#include "ukernels/instance/parameters.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilewright/digest.h"
#include "tilewright/status.h"

typedef struct tw_file_t {
  const char* path;
  char* message;
  int64_t message_bytes;
} tw_file_t;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int32_t tw_refuse(const tw_file_t* file, int32_t status,
                         const char* format, ...) {
  if (file->message && file->message_bytes > 0) {
    const size_t room = (size_t)file->message_bytes;
    const int written =
        snprintf(file->message, room, "'%s' ", file->path ? file->path : "");
    if (written >= 0 && (size_t)written < room) {
      va_list arguments;
      va_start(arguments, format);
      vsnprintf(file->message + written, room - (size_t)written, format,
                arguments);
      va_end(arguments);
    }
  }
  return status;
}

// Entries begin at `first`.
static int32_t tw_check_entries(const tw_file_t* file, const uint8_t* data,
                                uint64_t bytes, uint64_t first,
                                uint32_t count) {
  uint64_t end = first + sizeof(uint64_t) +
                 (uint64_t)count * sizeof(tw_parameters_entry_t);
  for (uint32_t i = 0; i < count; ++i) {
    tw_parameters_entry_t entry;
    memcpy(&entry, data + first + (uint64_t)i * sizeof(tw_parameters_entry_t),
           sizeof(entry));
    // The table's digest is right, so this is somebody's mistake, no damage.
    if (entry.offset < end || entry.offset > bytes ||
        entry.bytes > bytes - entry.offset)
      return tw_refuse(file, TW_STATUS_DAMAGED,
                       "has an entry %" PRIu32 " that reaches outside of it",
                       i);
    end = entry.offset + entry.bytes;
    if (tw_digest_bytes(data + entry.offset, entry.bytes) != entry.digest)
      return tw_refuse(file, TW_STATUS_DAMAGED,
                       "is damaged: bytes %" PRIu64 " to %" PRIu64
                       ", parameter %" PRIu32 " of %" PRIu32
                       ", are not what was written",
                       entry.offset, end, i + 1, count);
  }
  return TW_STATUS_OK;
}

// The programs begin behind the header.
static tw_parameters_program_t tw_program(const uint8_t* data, uint64_t i) {
  tw_parameters_program_t program;
  memcpy(&program, data + sizeof(tw_parameters_header_t) + i * sizeof(program),
         sizeof(program));
  program.target[TW_PARAMETERS_TARGET_BYTES - 1] = 0;
  return program;
}

static int32_t tw_check_model(const tw_file_t* file, const tw_model_t* model,
                              const uint8_t* data, uint64_t programs) {
  for (uint64_t i = 0; i < programs; ++i) {
    const tw_parameters_program_t program = tw_program(data, i);
    if (memcmp(program.identity, model->identity, sizeof(model->identity)) == 0)
      return TW_STATUS_OK;
  }
  char others[32] = "";
  if (programs > 1)
    snprintf(others, sizeof(others), " and %" PRIu64 " more", programs - 1);
  return tw_refuse(file, TW_STATUS_FOREIGN,
                   "was written for another model than '%s', or by another "
                   "compilation of it, for %s%s",
                   model->name, programs ? tw_program(data, 0).target : "none",
                   others);
}

static int32_t tw_check_file(const tw_file_t* file, const tw_model_t* model,
                             const uint8_t* data, uint64_t bytes) {
  tw_parameters_header_t header;
  memcpy(&header, data, sizeof(header));
  if (memcmp(header.magic, TW_PARAMETERS_MAGIC, sizeof(header.magic)) != 0)
    return tw_refuse(file, TW_STATUS_NOT_PREPACKED,
                     "is no file of parameters of a compiled model");
  if (header.version != TW_PARAMETERS_VERSION)
    return tw_refuse(file, TW_STATUS_NOT_PREPACKED,
                     "has version %" PRIu32 " of its format; known is %d",
                     header.version, TW_PARAMETERS_VERSION);
  // More would not fit the file, and might not fit 64 bits.
  const uint64_t program = sizeof(tw_parameters_program_t);
  const uint64_t programs =
      header.programs < bytes / program ? header.programs : bytes / program;
  const uint64_t first = sizeof(header) + programs * program;
  const uint64_t table =
      first + (uint64_t)header.count * sizeof(tw_parameters_entry_t);
  if (table > bytes - sizeof(uint64_t))
    return tw_refuse(file, TW_STATUS_DAMAGED,
                     "is damaged: its %" PRIu32
                     " entries do not fit its %" PRIu64 " bytes",
                     header.count, bytes);
  uint64_t digest;
  memcpy(&digest, data + table, sizeof(digest));
  if (digest != tw_digest_bytes(data, table))
    return tw_refuse(file, TW_STATUS_DAMAGED,
                     "is damaged: its header is not what was written");
  if (header.file_bytes != bytes)
    return tw_refuse(file, TW_STATUS_DAMAGED,
                     "has %" PRIu64 " bytes instead of %" PRIu64
                     "; was it copied whole?",
                     bytes, header.file_bytes);
  const int32_t status = tw_check_model(file, model, data, programs);
  if (status != TW_STATUS_OK) return status;
  return tw_check_entries(file, data, bytes, first, header.count);
}

static int32_t tw_map(const tw_file_t* file, const tw_model_t* model,
                      tw_parameters_t* parameters) {
  const int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return tw_refuse(file, TW_STATUS_INVALID_ARGUMENT, "cannot be opened: %s",
                     strerror(errno));
  struct stat status;
  const int failed = fstat(descriptor, &status);
  if (failed || !S_ISREG(status.st_mode)) {
    close(descriptor);
    return tw_refuse(file, TW_STATUS_INVALID_ARGUMENT, "is no regular file");
  }
  if ((uint64_t)status.st_size <
      sizeof(tw_parameters_header_t) + sizeof(uint64_t)) {
    close(descriptor);
    return tw_refuse(file, TW_STATUS_NOT_PREPACKED,
                     "has %" PRIu64 " bytes, too few for its header",
                     (uint64_t)status.st_size);
  }
  parameters->bytes = (size_t)status.st_size;
  parameters->data =
      mmap(NULL, parameters->bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  const int reason = errno;
  close(descriptor);
  if (parameters->data == MAP_FAILED) {
    parameters->data = NULL;
    return tw_refuse(file, TW_STATUS_OUT_OF_MEMORY, "cannot be mapped: %s",
                     strerror(reason));
  }
  return tw_check_file(file, model, (const uint8_t*)parameters->data,
                       parameters->bytes);
}

int32_t tw_parameters_open(const tw_model_t* model, const char* path,
                           tw_parameters_t** result, char* message,
                           int64_t message_bytes) {
  const tw_file_t file = {path, message, message_bytes};
  if (!model || !path || !result)
    return tw_refuse(&file, TW_STATUS_INVALID_ARGUMENT,
                     "was given with a null pointer");
  *result = NULL;
  tw_parameters_t* parameters = calloc(1, sizeof(*parameters));
  if (!parameters)
    return tw_refuse(&file, TW_STATUS_OUT_OF_MEMORY, "finds no memory left");
  parameters->model = model;
  const int32_t status = tw_map(&file, model, parameters);
  if (status != TW_STATUS_OK) {
    tw_parameters_close(parameters);
    return status;
  }
  *result = parameters;
  return TW_STATUS_OK;
}

void tw_parameters_close(tw_parameters_t* parameters) {
  if (!parameters) return;
  if (parameters->data) munmap(parameters->data, parameters->bytes);
  free(parameters);
}
