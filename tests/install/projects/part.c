// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "check.h"

DECLARE_TILE(5, 7);

int wrong_elements_of_part(void) { return wrong_elements(TILE(5, 7), 5, 7); }
