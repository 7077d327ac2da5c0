// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Status codes: what every entry point of <tilewright/tilewright.h> returns,
// and every function of a compiled model.

#ifndef TILEWRIGHT_STATUS_H_
#define TILEWRIGHT_STATUS_H_

// A shared library that links libtilewright.a shows those of its functions that
// are declared between these two, and nothing else of it: a process may hold
// several such libraries, of different versions.
#if defined(__GNUC__) && !defined(_WIN32)
#define TW_API_BEGIN _Pragma("GCC visibility push(default)")
#define TW_API_END _Pragma("GCC visibility pop")
#else
#define TW_API_BEGIN
#define TW_API_END
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Values are part of the ABI.
typedef enum tw_status_t {
  // The call did all that was asked.
  TW_STATUS_OK = 0,
  // An argument contradicts the function's contract: a null pointer where one
  // is needed, a negative size, a stride too small, an unknown flag or type.
  TW_STATUS_INVALID_ARGUMENT = 1,
  // The arguments make sense, but no tile function for this key is linked into
  // the program or can run on this CPU, and ALLOW_GENERIC_FALLBACK is not set.
  TW_STATUS_UNSUPPORTED = 2,
  // A size or an offset does not fit the address space.
  TW_STATUS_OVERFLOW = 3,
  // A buffer that the caller sized is too small for what would be written.
  TW_STATUS_OUT_OF_RANGE = 4,
  // There is no memory left, on the host or on a device.
  TW_STATUS_OUT_OF_MEMORY = 5,
  // A call of a device's driver failed for a reason of its own.
  TW_STATUS_DEVICE_ERROR = 6,
  // What was given for a prepacked operand has no descriptor of this version of
  // Tilewright and this byte order.
  TW_STATUS_NOT_PREPACKED = 7,
  // A prepacked operand's bytes are not those that were written, by its digest.
  TW_STATUS_DAMAGED = 8,
  // A prepacked operand was made for other types or sizes than the call's, or
  // for a CPU whose tiles this one cannot run.
  TW_STATUS_FOREIGN = 9,
} tw_status_t;

// One English sentence for `status`: a static string, never null, valid for the
// life of the program. For a value outside the enumeration it says so.
TW_API_BEGIN
const char* tw_status_message(tw_status_t status);
TW_API_END

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_STATUS_H_
