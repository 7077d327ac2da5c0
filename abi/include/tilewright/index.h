// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_INDEX_H_
#define TILEWRIGHT_INDEX_H_

#include <stdint.h>

// Pointer-sized and signed; counts elements, never bytes, unless said.
typedef intptr_t tw_index_t;

#endif  // TILEWRIGHT_INDEX_H_
