// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For stat and getpid, which are not of C11.
#define _POSIX_C_SOURCE 200809L  // NOLINT(bugprone-reserved-identifier)

#include "ukernels/runner/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilewright/status.h"

enum { TW_MESSAGE = 400 };

static void* tw_allocate(size_t count, size_t bytes) {
  void* memory = calloc(count ? count : 1, bytes);
  if (!memory) tw_fail("there is no memory left");
  return memory;
}

static tw_value_t* tw_new_values(const tw_runner_value_t* descriptions,
                                 int64_t count) {
  tw_value_t* values = tw_allocate((size_t)count, sizeof(tw_value_t));
  for (int64_t i = 0; i < count; ++i) {
    values[i].description = &descriptions[i];
    values[i].element = tw_find_element(descriptions[i].element);
    values[i].rank = descriptions[i].rank < 0 ? 0 : descriptions[i].rank;
    if (!values[i].element || values[i].rank > TW_NPY_RANK)
      tw_fail("'%s' has elements of %s and %" PRId64
              " dimensions, of which this runner knows nothing",
              descriptions[i].name, descriptions[i].element, values[i].rank);
  }
  return values;
}

tw_call_t tw_new_call(const tw_runner_function_t* function) {
  tw_call_t call = {function, NULL, NULL, NULL, NULL};
  call.arguments = tw_new_values(function->arguments, function->argument_count);
  call.results = tw_new_values(function->results, function->result_count);
  size_t slots = 1 + (size_t)function->result_count;
  for (int64_t i = 0; i < function->argument_count; ++i)
    slots += 1 + (size_t)call.arguments[i].rank;
  call.slots = tw_allocate(slots, sizeof(tw_runner_slot_t));
  return call;
}

// "[3][64]"
static const char* tw_shape_text(int64_t rank, const int64_t* sizes, char* text,
                                 size_t text_bytes) {
  size_t at = 0;
  text[0] = 0;
  for (int64_t i = 0; i < rank && at < text_bytes; ++i)
    at +=
        (size_t)snprintf(text + at, text_bytes - at, "[%" PRId64 "]", sizes[i]);
  return rank ? text : "no dimensions";
}

// Of a file, before its elements are read.
static void tw_check_argument(const tw_call_t* call, const tw_value_t* argument,
                              const tw_npy_t* array) {
  const tw_runner_value_t* wanted = argument->description;
  if (!tw_accepts_descr(argument->element, array->descr))
    tw_fail("'%s' has elements of '%s', but '%s' of '%s' has %s, in a file %s",
            argument->path, array->descr, wanted->name, call->function->name,
            wanted->element, argument->element->said);
  int fits = array->rank == argument->rank;
  for (int64_t i = 0; fits && i < array->rank; ++i)
    fits = wanted->sizes[i] < 0 || wanted->sizes[i] == array->sizes[i];
  char text[TW_MESSAGE];
  if (!fits)
    tw_fail("'%s' has the shape %s, but '%s' of '%s' has %s", argument->path,
            tw_shape_text(array->rank, array->sizes, text, sizeof(text)),
            wanted->name, call->function->name,
            argument->rank ? wanted->shape : "no dimensions");
}

void tw_read_argument(tw_call_t* call, tw_value_t* argument) {
  const int is_scalar = argument->description->rank < 0;
  tw_runner_slot_t number;
  if (is_scalar &&
      tw_parse_scalar(argument->element, argument->path, &number)) {
    argument->data = tw_allocate(1, sizeof(number));
    memcpy(argument->data, &number, sizeof(number));
    return;
  }
  FILE* file = fopen(argument->path, "rb");
  if (!file)
    tw_fail("'%s' cannot be opened: %s%s%s", argument->path, strerror(errno),
            is_scalar ? "; nor is it a number of type " : "",
            is_scalar ? argument->description->element : "");
  tw_npy_t array;
  char message[TW_MESSAGE];
  if (tw_npy_read_header(file, &array, message, sizeof(message)) != 0)
    tw_fail("'%s' %s", argument->path, message);
  tw_check_argument(call, argument, &array);
  if (tw_npy_read_elements(file, argument->element, &array, message,
                           sizeof(message)) != 0)
    tw_fail("'%s' %s", argument->path, message);
  fclose(file);
  memcpy(argument->sizes, array.sizes, sizeof(array.sizes));
  argument->data = array.data;
}

const char* tw_status_text(const tw_call_t* call, int32_t status) {
  static const struct {
    int32_t status;
    const char* text;
  } known[] = {
      {TW_STATUS_INVALID_ARGUMENT,
       "sizes that must agree do not, or a slice or a window reaches outside "
       "of its tensor"},
      {TW_STATUS_OVERFLOW, "no memory is large enough for these sizes"},
      {TW_STATUS_OUT_OF_MEMORY, "there is no memory left"},
      {TW_STATUS_DEVICE_ERROR, "the device failed"},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); ++i)
    if (known[i].status == status) return known[i].text;
  return call->function->message ? call->function->message(status)
                                 : "a status that is not known";
}

// A call with such arguments is refused: shapes say why, as far as it is known.
static void tw_fail_with_shapes(const tw_call_t* call, int32_t status) {
  char shapes[2 * TW_MESSAGE] = "";
  for (int64_t i = 0; i < call->function->argument_count; ++i) {
    const tw_value_t* argument = &call->arguments[i];
    if (argument->description->rank <= 0) continue;
    char text[TW_MESSAGE];
    const size_t at = strlen(shapes);
    snprintf(
        shapes + at, sizeof(shapes) - at, "%s'%s' %s is %s", at ? ", " : "; ",
        argument->description->name, argument->description->shape,
        tw_shape_text(argument->rank, argument->sizes, text, sizeof(text)));
  }
  tw_fail("'%s' refuses the call with status %" PRId32 ": %s%s",
          call->function->name, status, tw_status_text(call, status), shapes);
}

void tw_prepare(tw_call_t* call) {
  const tw_runner_function_t* function = call->function;
  tw_runner_slot_t* slot = call->slots;
  for (int64_t i = 0; i < function->argument_count; ++i) {
    const tw_value_t* argument = &call->arguments[i];
    if (argument->description->rank < 0)
      memcpy(slot++, argument->data, (size_t)argument->element->bytes);
    else
      (slot++)->pointer = argument->data;
    for (int64_t dim = 0; dim < argument->rank; ++dim)
      if (argument->description->sizes[dim] < 0)
        (slot++)->integer = argument->sizes[dim];
  }
  const int32_t status = function->check(call->slots);
  if (status != TW_STATUS_OK) tw_fail_with_shapes(call, status);

  size_t count = 0;
  for (int64_t i = 0; i < function->result_count; ++i)
    count += (size_t)call->results[i].rank;
  int64_t* sizes = tw_allocate(count, sizeof(int64_t));
  function->result_sizes(call->slots, sizes);
  size_t at = 0;
  for (int64_t i = 0; i < function->result_count; ++i) {
    tw_value_t* result = &call->results[i];
    for (int64_t dim = 0; dim < result->rank && at < count; ++dim)
      result->sizes[dim] = sizes[at++];
    const int64_t bytes =
        tw_npy_bytes(result->element, result->rank, result->sizes);
    char text[TW_MESSAGE];
    result->data = bytes < 0 ? NULL : malloc(bytes ? (size_t)bytes : 1);
    if (!result->data)
      tw_fail("there is no memory for '%s', %s of %s",
              result->description->name,
              tw_shape_text(result->rank, result->sizes, text, sizeof(text)),
              result->description->element);
    (slot++)->pointer = result->data;
  }
  slot->pointer = (void*)call->parallel_for;
  free(sizes);
}

// Of large tensors a corner.
enum { TW_PRINTED_ROWS = 8, TW_PRINTED_COLUMNS = 8 };

void tw_print_value(const tw_value_t* value) {
  char text[TW_MESSAGE];
  printf("%s: %s%s\n", value->description->name, value->description->element,
         value->rank
             ? tw_shape_text(value->rank, value->sizes, text, sizeof(text))
             : "");
  // No more dimensions than there is room for, as tw_new_call has checked.
  // NOLINTNEXTLINE(clang-analyzer-security.ArrayBound)
  const int64_t columns = value->rank ? value->sizes[value->rank - 1] : 1;
  const int64_t bytes = tw_npy_bytes(value->element, value->rank, value->sizes);
  const int64_t row_bytes = columns * value->element->bytes;
  const int64_t rows = row_bytes ? bytes / row_bytes : 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (row == TW_PRINTED_ROWS) {
      printf("  ... %" PRId64 " rows in all\n", rows);
      break;
    }
    printf(" ");
    for (int64_t i = 0; i < columns && i < TW_PRINTED_COLUMNS; ++i) {
      tw_print_element(
          value->element,
          value->data + row * row_bytes + i * value->element->bytes, text,
          sizeof(text));
      printf(" %s", text);
    }
    puts(columns > TW_PRINTED_COLUMNS ? " ..." : "");
  }
}

// Returns 0, or errno.
static int tw_write_result(tw_value_t* result) {
  struct stat status;
  const char* path = result->path;
  // What is no file is written to, not replaced.
  if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) {
    const size_t length = strlen(path) + 32;
    char* temporary = tw_allocate(1, length);
    snprintf(temporary, length, "%s.tmp-%ld", path, (long)getpid());
    result->temporary = temporary;
    path = temporary;
  }
  FILE* file = fopen(path, "wb");
  if (!file) {
    const int why = errno;
    free(result->temporary);
    result->temporary = NULL;  // there is none
    return why;
  }
  const int failed = tw_npy_write(file, result->element, result->rank,
                                  result->sizes, result->data);
  return fclose(file) != 0 && !failed ? errno : failed;
}

void tw_write_results(tw_call_t* call) {
  const int64_t count = call->function->result_count;
  const tw_value_t* failed = NULL;
  int why = 0;
  for (int64_t i = 0; i < count && !why; ++i) {
    if (!call->results[i].path) continue;
    why = tw_write_result(&call->results[i]);
    if (why) failed = &call->results[i];
  }
  for (int64_t i = 0; i < count; ++i) {
    const tw_value_t* result = &call->results[i];
    if (!result->temporary) continue;
    if (!why && rename(result->temporary, result->path) != 0) {
      failed = result;
      why = errno;
    }
    if (why) unlink(result->temporary);
  }
  if (why) tw_fail("'%s' cannot be written: %s", failed->path, strerror(why));
}
