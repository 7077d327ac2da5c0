// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/runner/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TW_NPY_MAGIC "\x93NUMPY"

// The magic, two bytes of version, and how long the text is, in two or four.
#define TW_NPY_PREFIX 8

static const char* tw_skip_blanks(const char* at) {
  return at + strspn(at, " \t\n");
}

// Behind "'key':" in the text of the header, or null.
static const char* tw_find_key(const char* text, const char* key) {
  char quoted[32];
  snprintf(quoted, sizeof(quoted), "'%s'", key);
  const char* at = strstr(text, quoted);
  if (!at) return NULL;
  at = tw_skip_blanks(at + strlen(quoted));
  return *at == ':' ? tw_skip_blanks(at + 1) : NULL;
}

// A tuple of sizes.
static int tw_parse_shape(const char* at, tw_npy_t* array) {
  if (!at || *at != '(') return 0;
  array->rank = 0;
  for (at = tw_skip_blanks(at + 1); *at != ')'; at = tw_skip_blanks(at)) {
    char* end;
    errno = 0;
    const long long size = strtoll(at, &end, 10);
    if (end == at || errno || size < 0 || array->rank == TW_NPY_RANK) return 0;
    array->sizes[array->rank++] = size;
    at = tw_skip_blanks(end);
    if (*at == ',')
      ++at;
    else if (*at != ')')
      return 0;
  }
  return 1;
}

static int tw_refuse(char* message, size_t message_bytes, const char* text) {
  snprintf(message, message_bytes, "%s", text);
  return 1;
}

static int tw_parse_header(const char* text, tw_npy_t* array, char* message,
                           size_t message_bytes) {
  const char* descr = tw_find_key(text, "descr");
  const char* order = tw_find_key(text, "fortran_order");
  if (!descr || !order || !tw_parse_shape(tw_find_key(text, "shape"), array))
    return tw_refuse(message, message_bytes,
                     "has a header without an element type, an order and a "
                     "shape that can be read");
  if (*descr == '[')
    return tw_refuse(message, message_bytes,
                     "has records with fields; write one array of numbers");
  const size_t length = *descr == '\'' ? strcspn(descr + 1, "'") : 0;
  if (length == 0 || length >= sizeof(array->descr))
    return tw_refuse(message, message_bytes,
                     "has a header whose element type cannot be read");
  memcpy(array->descr, descr + 1, length);
  array->descr[length] = 0;
  if (strncmp(order, "True", 4) == 0 && array->rank > 1)
    return tw_refuse(message, message_bytes,
                     "is in Fortran's order; write it row-major, with "
                     "numpy.ascontiguousarray");
  return 0;
}

int64_t tw_npy_bytes(const tw_element_t* element, int64_t rank,
                     const int64_t* sizes) {
  int64_t bytes = element->bytes;
  int is_empty = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (sizes[i] < 0) return -1;
    is_empty |= sizes[i] == 0;
  }
  for (int64_t i = 0; i < rank && !is_empty; ++i) {
    if (bytes > INT64_MAX / sizes[i]) return -1;
    bytes *= sizes[i];
  }
  return is_empty ? 0 : bytes;
}

int tw_npy_read_elements(FILE* file, const tw_element_t* element,
                         tw_npy_t* array, char* message, size_t message_bytes) {
  const int64_t bytes = tw_npy_bytes(element, array->rank, array->sizes);
  array->data = bytes < 0 ? NULL : malloc(bytes ? (size_t)bytes : 1);
  if (!array->data)
    return tw_refuse(message, message_bytes,
                     "has more elements than there is memory for");
  const size_t read = fread(array->data, 1, (size_t)bytes, file);
  if ((int64_t)read == bytes && fgetc(file) == EOF) return 0;
  snprintf(message, message_bytes,
           (int64_t)read < bytes
               ? "ends after %" PRId64 " of %" PRId64 " bytes of its elements"
               : "goes on after the %" PRId64 " bytes of its elements",
           (int64_t)read < bytes ? (int64_t)read : bytes, bytes);
  return 1;
}

int tw_npy_read_header(FILE* file, tw_npy_t* array, char* message,
                       size_t message_bytes) {
  memset(array, 0, sizeof(*array));
  unsigned char prefix[TW_NPY_PREFIX + 4];
  if (fread(prefix, 1, TW_NPY_PREFIX + 2, file) != TW_NPY_PREFIX + 2 ||
      memcmp(prefix, TW_NPY_MAGIC, 6) != 0)
    return tw_refuse(message, message_bytes,
                     "is no file of numpy.save, .npy, of one array");
  size_t length = prefix[8] | (size_t)prefix[9] << 8;
  if (prefix[6] > 1) {
    if (fread(prefix + 10, 1, 2, file) != 2) prefix[6] = 0xff;
    length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
  }
  if (prefix[6] < 1 || prefix[6] > 3 || length > (size_t)1 << 20)
    return tw_refuse(message, message_bytes,
                     "has a version of the format or a header that is not "
                     "known; known are versions 1 to 3");
  char* text = calloc(1, length + 1);
  if (!text) return tw_refuse(message, message_bytes, "finds no memory left");
  const int failed =
      fread(text, 1, length, file) != length
          ? tw_refuse(message, message_bytes, "ends in its header")
          : tw_parse_header(text, array, message, message_bytes);
  free(text);
  return failed;
}

int tw_npy_write(FILE* file, const tw_element_t* element, int64_t rank,
                 const int64_t* sizes, const void* data) {
  char text[128 + TW_NPY_RANK * 24];
  int length = snprintf(text, sizeof(text),
                        "{'descr': '%s', 'fortran_order': False, 'shape': (",
                        element->descr);
  for (int64_t i = 0; i < rank; ++i)
    length += snprintf(text + length, sizeof(text) - (size_t)length,
                       i ? " %" PRId64 "," : "%" PRId64 ",", sizes[i]);
  length += snprintf(text + length, sizeof(text) - (size_t)length, "), }");
  // The elements start at a multiple of 64, behind spaces and an end of line.
  while ((TW_NPY_PREFIX + 2 + length + 1) % 64 != 0) text[length++] = ' ';
  text[length++] = '\n';
  const unsigned char prefix[] = {0x93,
                                  'N',
                                  'U',
                                  'M',
                                  'P',
                                  'Y',
                                  1,
                                  0,
                                  (unsigned char)(length & 0xff),
                                  (unsigned char)(length >> 8)};
  const size_t bytes = (size_t)tw_npy_bytes(element, rank, sizes);
  errno = 0;
  if (fwrite(prefix, 1, sizeof(prefix), file) != sizeof(prefix) ||
      fwrite(text, 1, (size_t)length, file) != (size_t)length ||
      fwrite(data, 1, bytes, file) != bytes || fflush(file) != 0)
    return errno ? errno : EIO;
  return 0;
}
