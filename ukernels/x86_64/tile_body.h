// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bodies of all x86-64 families share.

#ifndef UKERNELS_X86_64_TILE_BODY_H_
#define UKERNELS_X86_64_TILE_BODY_H_

#include "ukernels/tile_body.h"

#define TW_IN_VECTOR_REGISTER(v) "+v"(v)

// Whether arithmetic broadcasts a scalar memory operand.
#ifdef __AVX512F__
enum { TW_HAS_EMBEDDED_BROADCAST = 1 };
#else
enum { TW_HAS_EMBEDDED_BROADCAST = 0 };
#endif

// Moves a panel's pointer on. Compilers like to have one index for both panels,
// and a multiply-add whose memory operand has an index counts twice among the
// instructions that Intel's cores take in per cycle. So each pointer has a
// register of its own where multiply-adds broadcast from memory: 7 % of f32
// 8x16, 4 % of 16x16 (Skylake-SP). Where they do not, the index is one addition
// less: 5 % of f32 8x8 at 256 bits.
#define TW_ADVANCE(panel, by)                                \
  do {                                                       \
    (panel) += (by);                                         \
    if (TW_HAS_EMBEDDED_BROADCAST) TW_OPAQUE_POINTER(panel); \
  } while (0)

// Most accumulators that a tile may have: 28 of 32 registers.
enum { TW_MAX_ACCUMULATORS = 32 };

// How many sets of accumulators, at most 8, are at least `chains` in flight,
// with `vectors` accumulators per set. K is unrolled by as much.
TW_INLINE int tw_sets_of_chains(int vectors, int chains) {
  return vectors >= chains       ? 1
         : 2 * vectors >= chains ? 2
         : 4 * vectors >= chains ? 4
                                 : 8;
}

// Those that hide the latency of the multiply-accumulate, of at most 5 cycles
// at 2 per cycle.
TW_INLINE int tw_accumulator_sets(int vectors) {
  return tw_sets_of_chains(vectors, 8);
}

// Sets of at least 12 chains. Of eight, as many as a latency of 4 cycles takes,
// one that waits for a load makes another one wait, and a latency of 5 takes
// ten: dot products of 2 to 4 vectors of 256 bits take 0.75 to 0.82 of the
// time, of 4 and 8 of 512 bits 0.77 to 0.87, f32 4x8 and f64 4x4 0.83 and 0.85,
// f32 4x32 and f64 4x16 0.81 to 0.93 (Granite Rapids). Where registers have no
// room for that, there are `extra` accumulators.
TW_INLINE int tw_sets_of_12_chains(int vectors) {
  return vectors >= 12                                ? 1
         : !TW_HAS_EMBEDDED_BROADCAST && vectors >= 6 ? 1
         : vectors >= 6                               ? 2
         : vectors >= 4                               ? 3
         : vectors >= 2                               ? 6
                                                      : 12;
}
// Of f32 and f64: fewer than four vectors wait for loads.
TW_INLINE int tw_float_sets(int vectors) {
  return vectors < 4 ? tw_accumulator_sets(vectors)
                     : tw_sets_of_12_chains(vectors);
}

// Where 16 registers hold eight chains, just as many as a latency of 4 takes,
// but not twice as many, the last four accumulators have another one each,
// which takes the odd K steps: of two chains that are ready one may wait. f64
// 8x4, 4x8 and f32 16x8, 4x16 of 256 bits take 0.93 of the time (Zen 4).
// How many follow the `vectors` accumulators, of so many lanes.
enum { TW_EXTRA = 4 };
TW_INLINE int tw_extra_accumulators(int f32_lanes, int vectors) {
  return f32_lanes == 8 && vectors == 8 ? TW_EXTRA : 0;
}
// From accumulator `i` of eight to its place in a step.
TW_INLINE int tw_extra_place(int i, int odd) {
  return odd && i >= 8 - TW_EXTRA ? i + TW_EXTRA : i;
}

// K steps of an iteration. Wide tiles take several: what the loop itself and
// prefetches take is shared then (31 instructions for a step of 8x32 are all
// that Skylake-SP takes in while it multiplies), and these are of whole lines.
// Narrower ones have no prefetches, which would take slots of loads, and
// iterations of 48 multiplies or so: the longer the stride of each load, the
// further ahead caches fetch it. From L2 f32 8x16, 4x32, 2x32, 4x16, 2x16 take
// 0.89, 0.91, 0.90, 0.93, 0.95 of the time of an iteration of one step a set, 8
// to 16 dot products of 512 bits 0.83 to 0.88; in L1 0.94 to 1.00 (Granite
// Rapids).
TW_INLINE int tw_loop_steps(int vectors, int sets) {
  if (vectors >= 12) return vectors < 16 ? 4 : 2;
  int steps = sets;
  while (steps * vectors < 48 && steps <= 8) steps *= 2;
  return steps;
}
// The loops of a tile, each for what the one before leaves: of iterations of
// `steps`, of a step a set, where those are several, and of single steps. The
// steps of one, or 0 where there is none.
enum { TW_LOOPS = 3 };
TW_INLINE int tw_steps_of_loop(int loop, int steps, int sets) {
  const int of[TW_LOOPS] = {steps, sets, 1};
  return loop == 0 || of[loop] < of[loop - 1] ? of[loop] : 0;
}

// Asks for what an iteration of a wide tile, of `vectors` accumulators, `nv` a
// row, reads of both panels, TW_AHEAD from here. Where two multiplies of whole
// vectors complete in a cycle L2 hands panels over no quicker than they are
// wanted. Of the time of matmuls of 512 cubed this leaves 0.81 for f32 12x32,
// 0.80 for 8x32, 0.74 for 16x16, 0.85 for 6x16 at 256 bits (Skylake-SP).
// A rhs that is in no cache yet is wanted in L2 earlier than that, and loads of
// tiles of several vectors a row leave slots to ask for it: f32 16x4096x4096 in
// 0.78 of the time, s8 in 0.69 (Zen 5). Nearer L1 it would push the lhs out.
// Nobody asks so for what is in L2, which f32 8x32 takes 1.05 to 1.1 of the
// time for: `far`. A branch in the loop costs less than asking for what is read
// anyway (8x32 of f32, u8s8 and s16 and f64 8x16 0.92 to 0.97; Granite Rapids).
// Of what later tiles read, `next`, an iteration asks for one line: a loop over
// several would cost 3 % of f32 12x32 (Granite Rapids).
enum { TW_AHEAD = 2048, TW_FAR_AHEAD = 8192 };
typedef struct tw_far_t {
  int rhs;           // RHS_FAR
  const char* next;  // null, or what the next iteration asks for
  tw_index_t next_bytes;
} tw_far_t;
// `steps`: of an iteration.
TW_INLINE tw_far_t tw_far_of(const tw_mmt4d_params_t* params, int steps) {
  tw_far_t far = {(params->flags & TW_MMT4D_FLAG_RHS_FAR) != 0, 0, 0};
  if (params->flags & TW_MMT4D_FLAG_NEXT) {
    far.next = (const char*)params->next;
    far.next_bytes = steps * params->next_step;
  }
  return far;
}
TW_INLINE void tw_prefetch_panels(const void* lhs, int lhs_bytes,
                                  const void* rhs, int rhs_bytes, tw_far_t* far,
                                  int vectors, int nv) {
  if (vectors < 12) return;
  if (far->next) {
    __builtin_prefetch(far->next, 0, 2);
    far->next += far->next_bytes;
  }
  if (nv > 1 && far->rhs) {
    TW_UNROLL for (int at = 0; at < rhs_bytes; at += 64) {
      __builtin_prefetch((const char*)rhs + TW_FAR_AHEAD + at, 0, 2);
    }
  }
  TW_UNROLL for (int at = 0; at < lhs_bytes; at += 64) {
    __builtin_prefetch((const char*)lhs + TW_AHEAD + at);
  }
  TW_UNROLL for (int at = 0; at < rhs_bytes; at += 64) {
    __builtin_prefetch((const char*)rhs + TW_AHEAD + at);
  }
}

// K steps of a block whose lhs [steps][M0] is converted on the stack, for
// `vectors` accumulators: so many that a store is long done when it is read
// back, and that starting a block costs little (16x16: over 20 cycles of
// Zen 5).
enum { TW_MAX_STAGED = 512 };
TW_INLINE int tw_staged_steps(int vectors) {
  return vectors > 16 ? 8 : vectors > 8 ? 16 : 64;
}
// Whether a block is converted before the one ahead of it is multiplied. What
// is read was stored long ago then, and a block need not be long, of which
// stores stand in each other's way: f16 8x16 0.94 of the time, bf16 0.92, f16
// 8x8 of 256 bits 0.97 (Zen 4). Wider tiles lose half a per cent.
TW_INLINE int tw_stages_ahead(int vectors) {
  return vectors > 4 && vectors <= 8;
}
TW_INLINE int tw_steps_staged_ahead(int vectors) {
  return tw_stages_ahead(vectors) ? 16 : tw_staged_steps(vectors);
}
// Or it is converted in the loop that multiplies the one before, a few vectors
// in each iteration: conversions and stores in a row keep multiplies waiting
// (at 256 bits f16 1x8, 4x8, 8x8 0.94, 0.89, 0.95 of the time, 1x16 0.96; bytes
// 4x8, 8x8 0.96, 0.93, 1x16, 2x16, 4x16 0.95, 0.96, 0.96; Zen 3). K steps of
// such a block, and of an iteration, for whole vectors of eight elements.
TW_INLINE int tw_block_beside(int M0) { return M0 > 4 ? 16 : 128 / M0; }
TW_INLINE int tw_steps_beside(int M0, int turns) {
  const int whole = M0 % 8 == 0 ? 1 : M0 % 4 == 0 ? 2 : M0 % 2 == 0 ? 4 : 8;
  return turns > whole ? turns : whole;
}
// Those of the first block of `k` steps.
TW_INLINE tw_index_t tw_steps_of_block(tw_index_t k, tw_index_t most) {
  return k < most ? k : most;
}
// Vectors of a whole block that are converted without a loop: what that loop
// takes is 3 % of f16 6x16 at 256 bits (Zen 4).
TW_INLINE int tw_staged_group(int vectors) {
  return vectors <= 16 ? vectors : 4;
}
// How many rows of a step have one load of their converted element for all
// vectors; each vector's multiply-add of the others loads it itself. Few rows,
// which loads bound, all share.
TW_INLINE int tw_shared_rows(int M0) { return M0 <= 4 ? M0 : M0 * 3 / 4; }

#endif  // UKERNELS_X86_64_TILE_BODY_H_
