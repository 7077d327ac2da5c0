// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/status.h"

const char* tw_status_message(tw_status_t status) {
  switch (status) {
    case TW_STATUS_OK:
      return "The call did all that was asked.";
    case TW_STATUS_INVALID_ARGUMENT:
      return "An argument contradicts the function's contract.";
    case TW_STATUS_UNSUPPORTED:
      return "No tile function for these types and sizes is linked in that "
             "this CPU can run, and the generic fallback is not allowed.";
    case TW_STATUS_OVERFLOW:
      return "A size or an offset does not fit the address space.";
    case TW_STATUS_OUT_OF_RANGE:
      return "A buffer is too small for what would be written or read.";
    case TW_STATUS_OUT_OF_MEMORY:
      return "There is no memory left, on the host or on a device.";
    case TW_STATUS_DEVICE_ERROR:
      return "A call of a device's driver failed.";
    case TW_STATUS_NOT_PREPACKED:
      return "This is no prepacked operand of this version of Tilewright and "
             "this byte order.";
    case TW_STATUS_DAMAGED:
      return "The prepacked operand is damaged: its bytes do not have the "
             "digest that its descriptor states.";
    case TW_STATUS_FOREIGN:
      return "The prepacked operand was made for other types or sizes, or for "
             "an instruction set or vector length that this CPU lacks.";
  }
  return "This is not a status code of Tilewright.";
}
