// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls three tile functions by name that nobody wrote by hand, and checks
// their results against plain loops:
//
//   odd_tiles [<isa>]
//
// where <isa> is one of those below; without it, the best that this CPU has.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tilewright/tilewright.h"

// The instruction sets this program has tiles for, best first.
#ifdef __aarch64__
#define FOR_EACH_ISA(X) \
  X(arm_64_i8mm)        \
  X(arm_64_dotprod)     \
  X(arm_64_base)        \
  X(generic)
#else
#define FOR_EACH_ISA(X) \
  X(x86_64_avx512_vnni) \
  X(x86_64_avx2_fma)    \
  X(generic)
#endif

// To call a tile it is enough to declare it: its name says what it does. The
// build finds these names undefined in this object and links the tiles in.
#define DECLARE(isa)                                                          \
  void tw_mmt4d_tile_s8s8s32_7x48x4_##isa(void* out, const void* lhs,         \
                                          const void* rhs,                    \
                                          const tw_mmt4d_params_t* params);   \
  void tw_mmt4d_tile_f32f32f32_5x23x3_##isa(void* out, const void* lhs,       \
                                            const void* rhs,                  \
                                            const tw_mmt4d_params_t* params); \
  void tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_3x19x2_##isa(                        \
      void* out, const void* lhs, const void* rhs,                            \
      const tw_mmt4d_params_t* params);
FOR_EACH_ISA(DECLARE)

typedef struct odd_tiles_t {
  const char* isa;
  tw_mmt4d_tile_fn_t s8, f32, f8;
} odd_tiles_t;

static const odd_tiles_t kTiles[] = {
#define ROW(isa)                             \
  {#isa, tw_mmt4d_tile_s8s8s32_7x48x4_##isa, \
   tw_mmt4d_tile_f32f32f32_5x23x3_##isa,     \
   tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_3x19x2_##isa},
    FOR_EACH_ISA(ROW)};

enum { kIsas = sizeof kTiles / sizeof kTiles[0], kSteps = 37 };

static int can_run(const char* isa) {
  uint64_t cpu[TW_CPU_DATA_WORDS] = {0};
  tw_cpu_detect(cpu);
  for (int i = 0; i < TW_ISA_COUNT; ++i)
    if (strcmp(tw_isa_name((tw_isa_t)i), isa) == 0)
      return tw_isa_available((tw_isa_t)i, cpu);
  return 0;
}

// The tiles of the ISA called `wanted`, or of the best one if that is null;
// null if there are none or the CPU cannot run them.
static const odd_tiles_t* choose(const char* wanted) {
  for (int i = 0; i < kIsas; ++i) {
    if (wanted && strcmp(wanted, kTiles[i].isa) != 0) continue;
    if (can_run(kTiles[i].isa)) return &kTiles[i];
    if (wanted) {
      fprintf(stderr, "this CPU does not have %s\n", wanted);
      return NULL;
    }
  }
  fprintf(stderr, "no tiles for '%s'; expected one of:", wanted ? wanted : "");
  for (int i = 0; i < kIsas; ++i) fprintf(stderr, " %s", kTiles[i].isa);
  fprintf(stderr, "\n");
  return NULL;
}

// The value of f8e4m3fn bits: 1 sign, 4 exponent (bias 7), 3 mantissa bits; no
// infinity, and NaN where all but the sign are ones.
static float decode_f8e4m3fn(uint8_t bits) {
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  float value = exponent ? ldexpf((float)(8 + mantissa), exponent - 10)
                         : ldexpf((float)mantissa, -9);
  if ((bits & 127) == 127) value = NAN;
  return bits & 128 ? -value : value;
}

static uint32_t random_bits(void) {
  static uint32_t state = 12345;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

// Any f8e4m3fn but NaN.
static uint8_t random_f8(void) {
  return (uint8_t)(random_bits() % 127 | (random_bits() & 128));
}

static tw_mmt4d_params_t params_of(tw_type_triple_t types, int m0, int n0,
                                   int k0) {
  tw_mmt4d_params_t params = {0};
  params.K = kSteps;
  params.M0 = m0;
  params.N0 = n0;
  params.K0 = k0;
  params.flags = (uint32_t)types;
  return params;
}

// 1 if `difference` is small enough; says so either way.
static int verdict(const char* tile, const char* isa, double difference,
                   double allowed) {
  int ok = difference <= allowed;  // false for NaN
  printf("  tw_mmt4d_tile_%s_%s: largest difference from plain loops %g, %s\n",
         tile, isa, difference, ok ? "ok" : "WRONG");
  return ok;
}

static int check_s8(const odd_tiles_t* tiles) {
  enum { M0 = 7, N0 = 48, K0 = 4 };
  static int8_t lhs[kSteps][M0][K0], rhs[kSteps][N0][K0];
  static int32_t out[M0][N0];
  for (size_t i = 0; i < sizeof lhs; ++i)
    (&lhs[0][0][0])[i] = (int8_t)random_bits();
  for (size_t i = 0; i < sizeof rhs; ++i)
    (&rhs[0][0][0])[i] = (int8_t)random_bits();
  tw_mmt4d_params_t params = params_of(TW_TYPES_S8S8S32, M0, N0, K0);
  tiles->s8(out, lhs, rhs, &params);
  double worst = 0;
  for (int m = 0; m < M0; ++m)
    for (int n = 0; n < N0; ++n) {
      int32_t sum = 0;
      for (int k = 0; k < kSteps; ++k)
        for (int k0 = 0; k0 < K0; ++k0) sum += lhs[k][m][k0] * rhs[k][n][k0];
      worst = fmax(worst, fabs((double)out[m][n] - sum));
    }
  return verdict("s8s8s32_7x48x4", tiles->isa, worst, 0);
}

// The largest of |out - sum| / (sum of |products|), which tile.h bounds, for
// operands given as values.
static double relative_error(const double* lhs, const double* rhs,
                             const float* out, int m0, int n0, int k0) {
  double worst = 0;
  for (int m = 0; m < m0; ++m)
    for (int n = 0; n < n0; ++n) {
      double sum = 0, magnitude = 1e-30;
      for (int k = 0; k < kSteps; ++k)
        for (int i = 0; i < k0; ++i) {
          double product =
              lhs[(k * m0 + m) * k0 + i] * rhs[(k * n0 + n) * k0 + i];
          sum += product;
          magnitude += fabs(product);
        }
      double error = fabs(out[m * n0 + n] - sum) / magnitude;
      if (!(error <= worst)) worst = error;
    }
  return worst;
}

static const double kEpsilon = 1.0 / (1 << 23);

static int check_f32(const odd_tiles_t* tiles) {
  enum { M0 = 5, N0 = 23, K0 = 3 };
  static float lhs[kSteps * M0 * K0], rhs[kSteps * N0 * K0], out[M0 * N0];
  static double lhs_values[kSteps * M0 * K0], rhs_values[kSteps * N0 * K0];
  for (int i = 0; i < kSteps * M0 * K0; ++i)
    lhs_values[i] = lhs[i] = (float)random_bits() / (1 << 23) - 1;
  for (int i = 0; i < kSteps * N0 * K0; ++i)
    rhs_values[i] = rhs[i] = (float)random_bits() / (1 << 23) - 1;
  tw_mmt4d_params_t params = params_of(TW_TYPES_F32F32F32, M0, N0, K0);
  tiles->f32(out, lhs, rhs, &params);
  return verdict("f32f32f32_5x23x3", tiles->isa,
                 relative_error(lhs_values, rhs_values, out, M0, N0, K0),
                 2 * (kSteps * K0 + 1) * kEpsilon);
}

static int check_f8(const odd_tiles_t* tiles) {
  enum { M0 = 3, N0 = 19, K0 = 2 };
  static uint8_t lhs[kSteps * M0 * K0], rhs[kSteps * N0 * K0];
  static float out[M0 * N0];
  static double lhs_values[kSteps * M0 * K0], rhs_values[kSteps * N0 * K0];
  for (int i = 0; i < kSteps * M0 * K0; ++i)
    lhs_values[i] = decode_f8e4m3fn(lhs[i] = random_f8());
  for (int i = 0; i < kSteps * N0 * K0; ++i)
    rhs_values[i] = decode_f8e4m3fn(rhs[i] = random_f8());
  tw_mmt4d_params_t params =
      params_of(TW_TYPES_F8E4M3FNF8E4M3FNF32, M0, N0, K0);
  tiles->f8(out, lhs, rhs, &params);
  return verdict("f8e4m3fnf8e4m3fnf32_3x19x2", tiles->isa,
                 relative_error(lhs_values, rhs_values, out, M0, N0, K0),
                 2 * (kSteps * K0 + 1) * kEpsilon);
}

int main(int argc, char** argv) {
  const odd_tiles_t* tiles = choose(argc > 1 ? argv[1] : NULL);
  if (!tiles) return 2;
  printf("three tiles that nobody wrote by hand, on %s", tiles->isa);
  if (argc == 1 && tiles != kTiles)
    printf(", because this CPU does not have %s", kTiles[0].isa);
  printf(":\n");
  int ok = check_s8(tiles);
  ok &= check_f32(tiles);
  ok &= check_f8(tiles);
  return ok ? 0 : 1;
}
