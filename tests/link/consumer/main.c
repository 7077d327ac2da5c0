/* Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include <stdio.h>

#include "call.h"

int main(void) {
  int wrong = call_tiles() + call_helper_tiles();
  printf("%d elements are wrong\n", wrong);
  return wrong != 0;
}
