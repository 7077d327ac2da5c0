// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime library (libtilewright.a): whole mmt4d, pack and unpack, tile
// size queries, CPU detection. Nothing here allocates, locks, prints or owns a
// thread; every function may be called from any thread. All arguments are
// validated in every build type, and a function that returns anything but
// TW_STATUS_OK has written nothing.

#ifndef TILEWRIGHT_TILEWRIGHT_H_
#define TILEWRIGHT_TILEWRIGHT_H_

#include "tilewright/matmul.h"
#include "tilewright/parallel_for.h"
#include "tilewright/status.h"
#include "tilewright/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

TW_API_BEGIN

// ---- CPU features -----------------------------------------------------------

// Fills `cpu_data` (TW_CPU_DATA_WORDS words, cpu_features.def) for the CPU and
// operating system that the call runs on: a feature is set only when the OS
// saves its registers and all that its ISAs use of it is there. Vector lengths
// are those of the calling thread, the core is the one it runs on. AMX is there
// once the process has the permission, see below. Costs some cpuid instructions
// or system calls; callers keep the result. The functions below keep the first
// call's themselves.
void tw_cpu_detect(uint64_t* cpu_data);

// Asks the operating system to let this process use AMX, whose registers take
// 8 KiB in every thread that does. Linux does so from 5.16 on; no system is
// known here that has AMX without being asked. It cannot be given back, and
// holds for all threads. To be called by programs, not by libraries: before it,
// no tile of an AMX level is found or handed out for this CPU.
//
// From then on tw_cpu_detect reports AMX, and so do all functions of this
// library that take null for the cpu_data of this CPU, whatever they found
// before: calls at the same time by what they read first. A permission that
// another library has asked for is seen by tw_cpu_detect at once, but by those
// functions only if it was there at the first call of one, or after this.
//
// OK, also where the process has the permission; else UNSUPPORTED. One English
// sentence that says so or why not is put into `text`, an array of `size`
// characters, cut off where that ends; it may be null.
tw_status_t tw_cpu_permit_amx(char* text, size_t size);

// Whether `isa` is of the architecture that this library is built for, and
// `cpu_data` has every feature of it. 0 or 1.
int tw_isa_available(tw_isa_t isa, const uint64_t* cpu_data);

// "x86_64_avx2_fma", ...: the spelling in tile names. Null if out of range.
const char* tw_isa_name(tw_isa_t isa);

// ---- Finding tiles ----------------------------------------------------------

typedef enum tw_tile_origin_t {
  TW_TILE_ORIGIN_NONE = 0,          // nothing can run
  TW_TILE_ORIGIN_HAND_WRITTEN = 1,  // a row of mmt4d_tiles.def
  TW_TILE_ORIGIN_GENERATED = 2,     // an entry of the section `tw_tiles`
  TW_TILE_ORIGIN_GENERIC = 3,       // the portable C fallback
} tw_tile_origin_t;

typedef struct tw_tile_info_t {
  // Null iff origin is NONE. The fallback has no name to say what it computes:
  // it also reads M0, N0, K0, SKIP_INTERMEDIATE_ROUNDINGS and RHS_VNNI from its
  // params.
  tw_mmt4d_tile_fn_t fn;
  tw_tile_origin_t origin;
  tw_isa_t isa;      // what `fn` needs
  const char* name;  // its name; for the fallback "generic"; "" for NONE
  // Why this one: one English sentence, zero-terminated. Where nothing can run
  // it names the key that is missing.
  char reason[192];
} tw_tile_info_t;

// Says which tile function tw_mmt4d would call for params->flags, M0, N0, K0
// and cpu_data (no other field is read), and why.
//
// The candidates are the hand-written tiles and the generated ones linked into
// the program; the best ISA that cpu_data has wins, hand-written before
// generated within one ISA. M0 and N0 are numbers of elements: a tile of a
// scalable size is a candidate where that size, for the vector length in
// cpu_data, is the number asked for, and none if cpu_data says no length. On a
// core of cores.def the ISA whose instructions core_rates.def calls quicker
// wins, and the reason says so. OK also when only the fallback can run and
// the caller allowed it. UNSUPPORTED, with info->reason naming the key, when
// nothing can run; INVALID_ARGUMENT for sizes or flags that no key has.
tw_status_t tw_find_tile(const tw_mmt4d_params_t* params, tw_tile_info_t* info);

// ---- Calling tiles ----------------------------------------------------------

// For who calls tile functions of `isa`, which the CPU can run, many times in a
// row: does for the calling thread, once, what each of them would do by itself,
// and returns the flag that tells them, CALLS_BEGUN, to be or-ed into
// params->flags; or 0 for an ISA where there is nothing to do. For those with
// AMX it configures the thread's tile registers. tw_end_tile_calls, given that
// flag, releases what the thread has begun; between the two it may call tiles
// of that ISA, with the flag, and functions that leave tile registers alone.
// tw_mmt4d does so for itself.
uint32_t tw_begin_tile_calls(tw_isa_t isa);
void tw_end_tile_calls(uint32_t begun);

// ---- mmt4d ------------------------------------------------------------------

// out[m][n][m0][n0] (+)= sum over k, k0 of lhs[m][k][m0][k0]*rhs[n][k][n0][k0].
//
// Cache-blocked over M, N and K. `parallel_for` may be null (the calling thread
// does everything). M or N of 0, or K of 0 with ACCUMULATE, writes nothing; K
// of 0 without it writes zeros. UNSUPPORTED when tw_find_tile says so.
tw_status_t tw_mmt4d(const tw_mmt4d_params_t* params,
                     const tw_parallel_for_t* parallel_for);

// Says in one English sentence what tw_mmt4d would do with these arguments,
// without doing it, and returns the status that it would return. For
// INVALID_ARGUMENT and OVERFLOW the sentence names the field, its value and
// what it may be; for UNSUPPORTED the tile that is missing; for OK the tile
// and why it was chosen, as tw_find_tile's reason.
//
// `text` is an array of `size` characters; what does not fit is cut off, and it
// ends with a zero. TW_EXPLANATION_SIZE is enough for every sentence. It may be
// null.
enum { TW_EXPLANATION_SIZE = 256 };
tw_status_t tw_mmt4d_explain(const tw_mmt4d_params_t* params,
                             const tw_parallel_for_t* parallel_for, char* text,
                             size_t size);

// ---- Tile sizes -------------------------------------------------------------

// The tile sizes with which a matmul [M][K] x [K][N] of `types` runs best on
// cpu_data (null: this CPU), chosen among the tiles that tw_find_tile would
// find there, so that whatever is handed out can run. A negative M or N means
// unknown (large); small ones get narrow tiles. Scalable sizes come as what
// they are for the vector length in cpu_data: they are wrong for another one,
// so that packed data stays on machines of one length. For f16 and bf16 outputs
// the tiles are those that round once (SKIP_INTERMEDIATE_ROUNDINGS).
// UNSUPPORTED when no tile for `types` exists; then *sizes is untouched.
tw_status_t tw_query_tile_sizes(tw_type_triple_t types, tw_index_t M,
                                tw_index_t N, const uint64_t* cpu_data,
                                tw_tile_sizes_t* sizes);

// Says in one English sentence what tw_query_tile_sizes would answer, and
// returns its status: for OK the tile whose sizes they are, otherwise the
// argument, its value and what it may be. `text`, `size`: as for
// tw_mmt4d_explain.
tw_status_t tw_query_tile_sizes_explain(tw_type_triple_t types, tw_index_t M,
                                        tw_index_t N, const uint64_t* cpu_data,
                                        const tw_tile_sizes_t* sizes,
                                        char* text, size_t size);

// A tile's sizes and what it makes of its panels.
typedef struct tw_tile_form_t {
  tw_tile_sizes_t sizes;
  // To be or-ed into tw_mmt4d_params_t::flags: RHS_VNNI, where the rhs is to be
  // packed with TW_PACK_FLAG_VNNI; or 0.
  uint32_t flags;
} tw_tile_form_t;

// tw_query_tile_sizes among more tiles: those of the variant `vnni`, too, for
// who packs the rhs as it is told.
tw_status_t tw_query_tile_form(tw_type_triple_t types, tw_index_t M,
                               tw_index_t N, const uint64_t* cpu_data,
                               tw_tile_form_t* form);
tw_status_t tw_query_tile_form_explain(tw_type_triple_t types, tw_index_t M,
                                       tw_index_t N, const uint64_t* cpu_data,
                                       const tw_tile_form_t* form, char* text,
                                       size_t size);

// ---- Pack and unpack --------------------------------------------------------

// Pack reads its source, unpack writes its destination, transposed:
// [cols][rows] in memory.
#define TW_PACK_FLAG_TRANSPOSE 0x1
// Of elements of 1 or 2 bytes: within each tile columns are in groups of G, of
// 4 bytes, each group beside those of the other rows; tile_cols is a multiple
// of G. That is the rhs of RHS_VNNI, with tiles of N0 x K0.
#define TW_PACK_FLAG_VNNI 0x2

// Packing of a matrix of `rows` x `cols` into panels of tile_rows x tile_cols:
//   packed[ro][co][ri][ci] = matrix[ro*tile_rows + ri][co*tile_cols + ci]
// and `padding` where that lies outside the matrix; under VNNI
//   packed[ro][co][ci / G][ri][ci % G] = the same
// The lhs [M][K] packs with
// tiles M0 x K0; the rhs [K][N], read through TRANSPOSE as [N][K], with N0 x
// K0; the out matrix with M0 x N0.
typedef struct tw_pack_params_t {
  // Of matrix and packed: whole bytes or 4 bits. A 6-bit type, of which single
  // elements have no address of their own, is INVALID_ARGUMENT.
  tw_element_type_t type;
  uint32_t flags;
  tw_index_t rows;  // of the matrix as packed, after any transpose
  tw_index_t cols;
  // Elements between consecutive rows of the matrix as it lies in memory (for
  // TRANSPOSE: between rows of length `rows`). At least that row's length. Even
  // for 4-bit types, whose tiles need an even number of elements, too.
  tw_index_t matrix_stride;
  int32_t tile_rows;
  int32_t tile_cols;
  // The bits of one element, in the low bits (higher ones are ignored); written
  // to the padding. Pack only.
  uint64_t padding;
} tw_pack_params_t;

// Number of bytes that tw_pack writes and tw_unpack reads, tight for every
// shape; 0 when rows or cols is 0. OVERFLOW if it does not fit tw_index_t.
tw_status_t tw_packed_size(const tw_pack_params_t* params, tw_index_t* bytes);

// matrix -> packed. `packed_bytes` is the size of `packed`; OUT_OF_RANGE if it
// is less than tw_packed_size. Buffers need element alignment only and may not
// overlap. `parallel_for` may be null (the calling thread does everything); it
// is given ranges of rows of tiles, of 32 KiB or more.
tw_status_t tw_pack(const tw_pack_params_t* params, const void* matrix,
                    void* packed, tw_index_t packed_bytes,
                    const tw_parallel_for_t* parallel_for);

// packed -> matrix; the padding is not read. `packed_bytes` and `parallel_for`
// as for tw_pack.
tw_status_t tw_unpack(const tw_pack_params_t* params, const void* packed,
                      tw_index_t packed_bytes, void* matrix,
                      const tw_parallel_for_t* parallel_for);

// Says in one English sentence what tw_pack and tw_unpack would find wrong with
// these arguments, without doing anything else, and returns the status that
// they would return. `text`, `size`: as for tw_mmt4d_explain.
tw_status_t tw_pack_explain(const tw_pack_params_t* params, const void* matrix,
                            const void* packed, tw_index_t packed_bytes,
                            const tw_parallel_for_t* parallel_for, char* text,
                            size_t size);

TW_API_END

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_TILEWRIGHT_H_
