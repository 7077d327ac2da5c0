/* Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What code that comes with compiled models uses of <stdlib.h>, for compilers
 * without a C library for the target.
 */
#pragma once

#include <stddef.h>

void* aligned_alloc(size_t alignment, size_t size);
void free(void* memory);
