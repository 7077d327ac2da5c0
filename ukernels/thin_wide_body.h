// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template: the multiplication of a block whose operands are both of the type
// TW_WIDE and whose sums are of the type TW_SUM, in C that compilers vectorise.
// Defines the functions TW_ROWS, for the rhs [K][N], and TW_DOTS, for [N][K].
// TW_PRODUCT(a, b) gives a product as a TW_SUM.

// Four rows of the rhs for each pass over the sums, then single ones.
static void TW_ROWS(const tw_thin_block_t* block) {
  for (int m = 0; m < block->M; ++m) {
    const TW_WIDE* a = (const TW_WIDE*)(block->lhs + m * block->lhs_row);
    TW_SUM* restrict sums = (TW_SUM*)(block->sums + m * block->sums_row);
    tw_index_t k = 0;
    for (; k + 4 <= block->K; k += 4) {
      const char* line = block->rhs + k * block->rhs_line;
      const TW_WIDE* b0 = (const TW_WIDE*)line;
      const TW_WIDE* b1 = (const TW_WIDE*)(line + block->rhs_line);
      const TW_WIDE* b2 = (const TW_WIDE*)(line + 2 * block->rhs_line);
      const TW_WIDE* b3 = (const TW_WIDE*)(line + 3 * block->rhs_line);
      const TW_WIDE a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
      for (tw_index_t n = 0; n < block->N; ++n)
        sums[n] += (TW_PRODUCT(a0, b0[n]) + TW_PRODUCT(a1, b1[n])) +
                   (TW_PRODUCT(a2, b2[n]) + TW_PRODUCT(a3, b3[n]));
    }
    for (; k < block->K; ++k) {
      const TW_WIDE* b = (const TW_WIDE*)(block->rhs + k * block->rhs_line);
      const TW_WIDE a0 = a[k];
      for (tw_index_t n = 0; n < block->N; ++n) sums[n] += TW_PRODUCT(a0, b[n]);
    }
  }
}

// Partial sums side by side: compilers do not reorder float additions.
static void TW_DOTS(const tw_thin_block_t* block) {
  enum { kParts = 32 };
  for (tw_index_t n = 0; n < block->N; ++n) {
    const TW_WIDE* b = (const TW_WIDE*)(block->rhs + n * block->rhs_line);
    for (int m = 0; m < block->M; ++m) {
      const TW_WIDE* a = (const TW_WIDE*)(block->lhs + m * block->lhs_row);
      TW_SUM parts[kParts] = {0};
      tw_index_t k = 0;
      for (; k + kParts <= block->K; k += kParts)
        for (int i = 0; i < kParts; ++i)
          parts[i] += TW_PRODUCT(a[k + i], b[k + i]);
      for (int i = 0; k + i < block->K; ++i)
        parts[i] += TW_PRODUCT(a[k + i], b[k + i]);
      for (int half = kParts / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) parts[i] += parts[half + i];
      ((TW_SUM*)(block->sums + m * block->sums_row))[n] += parts[0];
    }
  }
}

#undef TW_WIDE
#undef TW_SUM
#undef TW_PRODUCT
#undef TW_ROWS
#undef TW_DOTS
