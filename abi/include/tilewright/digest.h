// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The digest by which damaged bytes are found: of prepacked operands
// (tilewright/prepacked.h, which describes it) and of files of parameters. It
// is quick, and no defence against somebody who wants it to agree.

#ifndef TILEWRIGHT_DIGEST_H_
#define TILEWRIGHT_DIGEST_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TW_DIGEST_SEED UINT64_C(0x9E3779B97F4A7C15)
#define TW_DIGEST_FACTOR UINT64_C(0xFF51AFD7ED558CCD)

static inline uint64_t tw_digest_step(uint64_t h, uint64_t word) {
  h = (h ^ word) * TW_DIGEST_FACTOR;
  return h ^ h >> 32;
}

static inline uint64_t tw_digest_bytes(const void* data, uint64_t bytes) {
  const unsigned char* at = (const unsigned char*)data;
  uint64_t sums[4], h = bytes;
  unsigned j;
  for (j = 0; j < 4; ++j) sums[j] = TW_DIGEST_SEED + j;
  while (bytes > 0) {
    uint64_t words[4] = {0, 0, 0, 0};
    const size_t part = bytes < 32 ? (size_t)bytes : 32;
    memcpy(words, at, part);
    for (j = 0; j < 4; ++j) sums[j] = tw_digest_step(sums[j], words[j]);
    at += part;
    bytes -= part;
  }
  for (j = 0; j < 4; ++j) h = tw_digest_step(h, sums[j]);
  return h;
}

#endif  // TILEWRIGHT_DIGEST_H_
