// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile function: the contract between whoever lowers `linalg.mmt4d` and
// whoever supplies its inner K loop, hand-written or generated. Freestanding.
//
// A tile function is asked for by name, by declaring and calling it:
//
//   tw_mmt4d_tile_<types>_<M0>x<N0>x<K0>_[steprnd_][mx_][vnni_]<arch>_<isa>
//
// for example
//
//   void tw_mmt4d_tile_s8s8s32_16x16x4_x86_64_avx512_vnni(
//       void *out_tile, const void *lhs_panel, const void *rhs_panel,
//       const tw_mmt4d_params_t *params);
//
// <types> are those of the elements of lhs, rhs and out (element_types.def),
// valid ones in type_triples.def, <arch>_<isa> in isas.def. M0 and N0 are in
// 1..1024, K0 in 1..64 (1..256 on amdgpu), and M0*K0 lhs elements, N0*K0 rhs
// elements must fill whole bytes. `steprnd`, `mx` and `vnni` are variants, see
// below; which exclude each other says variants.def.
//
// On an ISA with scalable vectors (column `scaling` of isas.def) M0 and N0 may
// each be a scalable size, `<n>vl` with n in 1..16: n times the number of
// accumulator elements (f32 and s32: bits/32, f64: bits/64) in one vector of
// the machine that runs the tile, SVE's vector length or, on the SME ISAs, the
// streaming one. `f32f32f32_8x2vlx1_arm_64_sve` is 8x16x1 on 256-bit vectors.
//
// On amdgpu a tile function is device code, always inlined into a kernel: all
// lanes of one wave call it together, with the same arguments, and EXEC all
// ones. The panels and the out tile are in global memory; its signature is
//
//   void(void __global* out_tile, const void __global* lhs_panel,
//        const void __global* rhs_panel, const tw_mmt4d_params_t* params)
//
// with `params` a generic pointer. It uses registers only, no LDS. Around it
// stands the workgroup kernel of a whole mmt4d,
//
//   tw_mmt4d_kernel_<the rest of the tile's name>
//
// an entry of a code object, whose one argument is a tw_mmt4d_params_t by value
// with device pointers in it. It does what tw_mmt4d does for that key, M, N and
// K of 0 included, when it is launched with tw_mmt4d_launch_t's figures.

#ifndef TILEWRIGHT_TILE_H_
#define TILEWRIGHT_TILE_H_

#include "tilewright/index.h"
#include "tilewright/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The inner sizes of a tile, in elements.
typedef struct tw_tile_sizes_t {
  int32_t M0, N0, K0;
} tw_tile_sizes_t;

// Flags: bits of tw_mmt4d_params_t::flags. Values up to 0x400 are IREE's. They
// are integers, not enumerators, for they are or-ed with a tw_type_triple_t,
// and C++ has no operators between two enumerations any more.

// The low byte holds a tw_type_triple_t.
#define TW_MMT4D_FLAG_TYPE_MASK 0xFF
// Add to what is in the out tile; without it the out tile is overwritten and
// never read.
#define TW_MMT4D_FLAG_ACCUMULATE 0x100
// Read by tw_mmt4d and tw_find_tile only: if no tile function for the key can
// run, use the portable C one instead of returning UNSUPPORTED.
#define TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK 0x200
// Read by tw_mmt4d and tw_find_tile only: for f16 and bf16 outputs, round
// once after all K steps (the tile name without a variant). Without it, every
// K step rounds (the variant `steprnd`). Other outputs ignore it.
#define TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS 0x400
// tw_mmt4d_params_t::out_row_stride is present and gives the distance between
// rows of the out tile; without it rows are contiguous (distance N0).
#define TW_MMT4D_FLAG_OUT_ROW_STRIDE 0x10000
// tw_mmt4d_params_t::lhs_scales and rhs_scales are present. Set for the
// variant `mx`, and for no other; CPU entry points refuse it, for `mx` is for
// amdgpu only.
#define TW_MMT4D_FLAG_BLOCK_SCALES 0x20000
// Read by tw_mmt4d and tw_find_tile only: the rhs panels are those of the
// variant `vnni`, and so is the tile.
#define TW_MMT4D_FLAG_RHS_VNNI 0x40000
// Read by tile functions only, and set for them by what calls several in a row:
// the calling thread is between tw_begin_tile_calls and tw_end_tile_calls. The
// entry points refuse it, for the threads that they use are their own concern.
#define TW_MMT4D_FLAG_CALLS_BEGUN 0x80000
// Read by tile functions only, and set for them by what calls several: the rhs
// panel is in neither L1 nor L2. Tiles whose loads leave room ask for more of
// it ahead of time then. It changes no result.
#define TW_MMT4D_FLAG_RHS_FAR 0x100000
// Read by tile functions only, and set for them by what calls several:
// tw_mmt4d_params_t::next and next_step are present. It changes no result.
#define TW_MMT4D_FLAG_NEXT 0x200000

// All flags of the CPU entry points, which refuse any other.
#define TW_MMT4D_FLAG_ALL                                                     \
  (TW_MMT4D_FLAG_TYPE_MASK | TW_MMT4D_FLAG_ACCUMULATE |                       \
   TW_MMT4D_FLAG_ALLOW_GENERIC_FALLBACK |                                     \
   TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS | TW_MMT4D_FLAG_OUT_ROW_STRIDE | \
   TW_MMT4D_FLAG_RHS_VNNI)

// Parameters of a whole mmt4d. A tile function reads only `K`, `flags`, and the
// fields after `cpu_data` that a flag announces.
//
// The fields up to `cpu_data` have the order, types and meaning of IREE's
// iree_uk_mmt4d_params_t, so that one body serves both. Offsets and strides
// count elements. On a 64-bit target: K at byte 88, flags at 108, cpu_data at
// 112, out_row_stride at 120, lhs_scales at 128, rhs_scales at 136, next at
// 144, next_step at 152, size 160 (tests/abi pins all of them).
typedef struct tw_mmt4d_params_t {
  // lhs [M][K][M0][K0]: row-major; stride0 is the distance between consecutive
  // panels [K][M0][K0].
  const void* lhs_buffer;
  tw_index_t lhs_offset;
  tw_index_t lhs_stride0;
  // rhs [N][K][N0][K0].
  const void* rhs_buffer;
  tw_index_t rhs_offset;
  tw_index_t rhs_stride0;
  // out [M][N][M0][N0]; stride0 is the distance between consecutive rows of
  // tiles [N][M0][N0].
  void* out_buffer;
  tw_index_t out_offset;
  tw_index_t out_stride0;
  // Outer sizes, in tiles. K is the number of K steps a tile function does.
  tw_index_t M;
  tw_index_t N;
  tw_index_t K;
  // Inner (tile) sizes.
  int32_t M0;
  int32_t N0;
  int32_t K0;
  uint32_t flags;
  // TW_CPU_DATA_WORDS words of feature bits (cpu_features.def), which restrict
  // what may run; null stands for the CPU the call runs on.
  const uint64_t* cpu_data;
  // Present iff flags has OUT_ROW_STRIDE: elements between rows of an out tile.
  // In tw_mmt4d it makes `out` a plain row-major matrix [M*M0][N*N0] with this
  // row stride, and out_stride0 is not read.
  tw_index_t out_row_stride;
  // Present iff flags has BLOCK_SCALES: the scales of the lhs,
  // [M][K][M0][K0/32] bytes, and of the rhs, [N][K][N0][K0/32], in panels that
  // lhs_stride0/32 and rhs_stride0/32 bytes lie apart. For a tile function: the
  // scales of its panels.
  const void* lhs_scales;
  const void* rhs_scales;
  // Present iff flags has NEXT: of what is in no near cache and read by a later
  // call what a K step of this one may ask L2 for, `next_step` bytes, those of
  // the first step at `next`.
  const void* next;
  tw_index_t next_step;
} tw_mmt4d_params_t;

// How a workgroup kernel is launched: with gridDim.x = ceil(N / tiles_n),
// gridDim.y = ceil(M / tiles_m), blockDim.x = block_size and dynamic_lds bytes
// of LDS. A code object has one beside each kernel, a constant named
// <kernel>_launch.
typedef struct tw_mmt4d_launch_t {
  uint32_t block_size;        // lanes of a workgroup
  uint32_t tiles_m, tiles_n;  // tiles of out that a workgroup computes
  uint32_t dynamic_lds;
} tw_mmt4d_launch_t;

// Computes, for m in [0, M0) and n in [0, N0), with K = params->K >= 0,
//
//   out[m][n] (+)= sum over k in [0, K), k0 in [0, K0) of
//                  lhs[k][m][k0] * rhs[k][n][k0]
//
// lhs_panel: [K][M0][K0] of the lhs type; rhs_panel: [K][N0][K0] of the rhs
// type; out_tile: [M0][N0] of the out type, rows out_row_stride apart under
// OUT_ROW_STRIDE, else N0. All row-major. Panels are contiguous and need only
// their element's alignment (bytes, for types narrower than one); 64-byte
// alignment is recommended. Reads no byte outside the panels and writes none
// outside the out tile's elements. Does not allocate, lock, call libc, or touch
// thread-local state. The out tile may not overlap the panels. Tiles that
// multiply by AMX configure the thread's tile registers and release them again,
// which costs some 200 cycles and whatever the thread had in them; under
// CALLS_BEGUN they take them as they are.
//
// Numerics. Integers: exact modulo 2^32. Floats: products and sums in the
// accumulator type (f64 for f64, else f32), in any order within a K step and
// with any number of partial sums, so |error| <= 2*(K*K0 + 1)*eps*sum|a||b|,
// eps the accumulator's machine epsilon, plus one rounding to a narrower out
// type. With ACCUMULATE the previous out value joins that sum. NaN and infinity
// propagate; denormals are kept, except that the bf16 x bf16 tiles of the ISAs
// with avx512bf16 or bf16 may use dot products (vdpbf16ps; bfdot, bfmmla,
// bfmopa), which treat denormal inputs and results as zero: such a tile does so
// for all of its elements or for none. The Arm ones round to odd within. Those
// of the variant `vnni` do so by AMX (tdpbf16ps), which rounds to nearest even,
// raises no exceptions, and sums the products of even and of odd k0 apart. On
// amdgpu_gfx90a the tiles of f16 x f16 and of bf16 x bf16 may do so as well, by
// its matrix instructions (MFMA).
// Variant `steprnd`: the accumulator is rounded to the out type after each K
// step. Variant `mx` (OCP microscaling formats; K0 a multiple of 32; MX element
// types, f32 out): each run of 32 elements along K0 has a scale, an E8M0 byte s
// in the scale panel, [K][M0][K0/32] for the lhs and [K][N0][K0/32] for the
// rhs; an element's value is multiplied by 2^(s - 127), and s = 255 makes it
// NaN. Variant `vnni` (s8 or u8 operands with K0 = 64, bf16 ones with K0 = 32,
// on x86-64 levels with AMX for them): the rhs panel is [K][K0/G][N0][G],
// groups of G elements along K0, those of all columns beside each other; G is 4
// of s8 or u8, 2 of bf16. The lhs panel is as ever.
typedef void (*tw_mmt4d_tile_fn_t)(void* out_tile, const void* lhs_panel,
                                   const void* rhs_panel,
                                   const tw_mmt4d_params_t* params);

// What a linked-in tile tells the runtime registry about itself. Generated
// objects carry one per tile in the ELF section `tw_tiles`, from which tw_mmt4d
// and tw_find_tile see them.
typedef struct tw_tile_entry_t {
  const char* name;  // the full name, zero-terminated
  tw_mmt4d_tile_fn_t fn;
} tw_tile_entry_t;

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_TILE_H_
