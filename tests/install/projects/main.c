// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <stdio.h>

#include "check.h"

DECLARE_TILE(2, 9);

int main(void) {
  int wrong = wrong_elements(TILE(2, 9), 2, 9) + wrong_elements_of_part();
  printf("%d elements are wrong\n", wrong);
  return wrong != 0;
}
