// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template: the rows of tiles of the type TW_UNPACKED_TYPE, f32 or f64, of
// TW_UNPACKED_BYTES. Defines the table tw_unpacked_rows_<type>, of tiles by
// their rows.

#define TW_PASTE_(a, b, c) a##b##c
#define TW_PASTE(a, b, c) TW_PASTE_(a, b, c)
#define TW_OWN(name) TW_PASTE(tw_unpacked_##name, _, TW_UNPACKED_TYPE)
#define TW_OP(name) TW_PASTE(tw_, TW_UNPACKED_TYPE, _##name)
#define TW_VECTOR TW_PASTE(tw_v, TW_UNPACKED_TYPE, )

// The vector at `p`, of which `lanes` are there; 0: all.
TW_INLINE TW_VECTOR TW_OWN(load)(const char* p, int lanes) {
  return lanes > 0 ? TW_OP(load_first)(p, lanes) : TW_OP(load)(p);
}

TW_INLINE void TW_OWN(store)(char* p, int lanes, TW_VECTOR v) {
  if (lanes > 0)
    TW_OP(store_first)(p, v, lanes);
  else
    TW_OP(store)(p, v);
}

// Multiplies a row of the rhs, by vectors that are whole but for the last one,
// by column `k` of the lhs from `lhs` on.
TW_INLINE void TW_OWN(step)(const tw_unpacked_t* u, TW_VECTOR* acc,
                            const tw_unpacked_lhs_t* lhs, const char* rhs,
                            int M0, int vectors, int last, int k) {
  TW_VECTOR r[2];
  TW_UNROLL for (int n = 0; n < vectors; ++n) {
    const char* at = rhs + n * TW_LANES * 4;
    r[n] = TW_OWN(load)(at, n == vectors - 1 ? last : 0);
    __builtin_prefetch(at + TW_UNPACKED_AHEAD * u->rhs_row);
  }
  TW_UNROLL for (int m = 0; m < M0; ++m) {
    const TW_VECTOR l = TW_OP(splat)(lhs->group[m / TW_UNPACKED_GROUP] +
                                     m % TW_UNPACKED_GROUP * u->lhs_row +
                                     k * TW_UNPACKED_BYTES);
    TW_UNROLL for (int n = 0; n < vectors; ++n) {
      acc[m * vectors + n] = TW_OP(fma)(l, r[n], acc[m * vectors + n]);
    }
  }
}

TW_INLINE void TW_OWN(advance)(tw_unpacked_lhs_t* lhs, int M0, int steps) {
  TW_UNROLL for (int g = 0; g * TW_UNPACKED_GROUP < M0; ++g) {
    lhs->group[g] += steps * TW_UNPACKED_BYTES;
    // A register of its own: an index would be added to each address.
    TW_OPAQUE_POINTER(lhs->group[g]);
  }
}

// The tile of M0 rows whose columns begin at `rhs` and `out`.
TW_INLINE void TW_OWN(tile)(const tw_unpacked_t* u, const char* rhs, char* out,
                            int M0, int vectors, int last) {
  TW_VECTOR acc[2 * TW_UNPACKED_ROWS];
  TW_UNROLL for (int i = 0; i < M0 * vectors; ++i) { acc[i] = TW_OP(zero)(); }
  tw_unpacked_lhs_t lhs;
  TW_UNROLL for (int g = 0; g * TW_UNPACKED_GROUP < M0; ++g) {
    lhs.group[g] = u->lhs + g * TW_UNPACKED_GROUP * u->lhs_row;
  }
  tw_index_t k = u->K;
  for (; k >= TW_UNPACKED_STEPS; k -= TW_UNPACKED_STEPS) {
    TW_UNROLL for (int s = 0; s < TW_UNPACKED_STEPS; ++s) {
      TW_OWN(step)(u, acc, &lhs, rhs, M0, vectors, last, s);
      rhs += u->rhs_row;
    }
    TW_OWN(advance)(&lhs, M0, TW_UNPACKED_STEPS);
  }
  TW_NO_UNROLL for (; k > 0; --k) {
    TW_OWN(step)(u, acc, &lhs, rhs, M0, vectors, last, 0);
    rhs += u->rhs_row;
    TW_OWN(advance)(&lhs, M0, 1);
  }
  if (u->accumulate) {
    TW_UNROLL for (int i = 0; i < M0 * vectors; ++i) {
      const int n = i % vectors, lanes = n == vectors - 1 ? last : 0;
      const char* at = out + i / vectors * u->out_row + n * TW_LANES * 4;
      acc[i] = TW_OP(add)(acc[i], TW_OWN(load)(at, lanes));
    }
  }
  TW_UNROLL for (int i = 0; i < M0 * vectors; ++i) {
    const int n = i % vectors, lanes = n == vectors - 1 ? last : 0;
    TW_OWN(store)(out + i / vectors * u->out_row + n * TW_LANES * 4, lanes,
                  acc[i]);
  }
}

// The tile of up to two vectors' columns.
TW_INLINE void TW_OWN(narrow)(const tw_unpacked_t* u, const char* rhs,
                              char* out, int M0, int columns) {
  const int lanes = TW_LANES * 4 / TW_UNPACKED_BYTES;
  if (columns > lanes)
    TW_OWN(tile)(u, rhs, out, M0, 2, columns - lanes);
  else if (columns > 0)
    TW_OWN(tile)(u, rhs, out, M0, 1, columns);
}

TW_INLINE void TW_OWN(tiles)(const tw_unpacked_t* u, int M0) {
  const int width = 2 * TW_LANES * 4;
  const int columns = width / TW_UNPACKED_BYTES;
  const char* rhs = u->rhs;
  char* out = u->out;
  tw_index_t n = u->N;
  const int first = n > 4 * columns ? tw_unpacked_columns_to_line(u, width) : 0;
  if (first > 0) {
    TW_OWN(narrow)(u, rhs, out, M0, first);
    rhs += first * TW_UNPACKED_BYTES;
    out += first * TW_UNPACKED_BYTES;
    n -= first;
  }
  for (; n >= columns; n -= columns) {
    TW_OWN(tile)(u, rhs, out, M0, 2, 0);
    rhs += u->rhs_tile;
    out += width;
  }
  TW_OWN(narrow)(u, rhs, out, M0, (int)n);
}

#define TW_UNPACKED_TILES(M0)                                 \
  static void TW_OWN(tiles_of_##M0)(const tw_unpacked_t* u) { \
    TW_OWN(tiles)(u, M0);                                     \
  }
TW_UNPACKED_EACH(TW_UNPACKED_TILES)
#undef TW_UNPACKED_TILES

#define TW_UNPACKED_ENTRY(M0) TW_OWN(tiles_of_##M0),
static const tw_unpacked_tiles_fn_t TW_OWN(rows)[] = {
    0, TW_UNPACKED_EACH(TW_UNPACKED_ENTRY)};
#undef TW_UNPACKED_ENTRY

#undef TW_PASTE_
#undef TW_PASTE
#undef TW_OWN
#undef TW_OP
#undef TW_VECTOR
#undef TW_UNPACKED_TYPE
#undef TW_UNPACKED_BYTES
