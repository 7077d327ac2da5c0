// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For code of another architecture than the host's, which may have no C
// library: the functions that compilers call by themselves.

#ifndef TILEWRIGHT_FREESTANDING_STRING_H_
#define TILEWRIGHT_FREESTANDING_STRING_H_

#include <stddef.h>

void* memcpy(void* restrict to, const void* restrict from, size_t bytes);
void* memset(void* to, int value, size_t bytes);

#endif  // TILEWRIGHT_FREESTANDING_STRING_H_
