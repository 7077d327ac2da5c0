// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile sizes suit a matmul: the cheapest of the tiles that can run.

#include "tilewright/tilewright.h"
#include "ukernels/cpu.h"
#include "ukernels/element.h"
#include "ukernels/registry.h"

// Lanes of the accumulator in a vector of the ISA; at least 1.
static tw_index_t tw_lanes(tw_isa_t isa, tw_element_type_t accumulator) {
  switch (isa) {
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  case TW_ISA_##ENUM:                                                        \
    return vector_bits / tw_element_bits(accumulator);
#include "tilewright/isas.def"
    case TW_ISA_COUNT:
      break;
  }
  return 1;
}

// Cost of one K step of a tile, in quarters of a multiply-accumulate, divided
// by the elements of K that it covers (times 64, the largest K0, to stay
// exact). The instructions are M0 * nv multiply-accumulates, nv the vectors of
// a row, which bound wide tiles. The loads, M0 broadcasts and nv vectors,
// mostly run beside them and cost a quarter each: that orders tiles of equal
// arithmetic by what they reuse (12x32 before 16x16 before 8x16).
static double tw_step_cost(const tw_tile_key_t* key,
                           tw_element_type_t accumulator) {
  const tw_index_t lanes = tw_lanes(key->isa, accumulator);
  const tw_index_t nv = (key->n0 + lanes - 1) / lanes;
  return (double)(4 * key->m0 * nv + key->m0 + nv) / key->k0;
}

// Tiles of `size` that cover `extent`; for an unknown extent, per element.
static double tw_tile_count(tw_index_t extent, int32_t size) {
  if (extent < 0) return 1.0 / size;
  const tw_index_t tiles = extent / size + (extent % size != 0);
  return (double)tiles;
}

tw_status_t tw_query_tile_sizes(tw_type_triple_t types, tw_index_t M,
                                tw_index_t N, const uint64_t* cpu_data,
                                tw_tile_sizes_t* sizes) {
  tw_triple_t triple;
  if (!sizes || !tw_triple_of(types, &triple))
    return TW_STATUS_INVALID_ARGUMENT;
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  if (!cpu_data) {
    tw_cpu_data_of_this_cpu(this_cpu);
    cpu_data = this_cpu;
  }
  int found = 0;
  double least = 0;
  const size_t count = tw_tile_row_count();
  for (size_t i = 0; i < count; ++i) {
    tw_tile_row_t row;
    if (!tw_tile_row(i, &row) || row.key.types != (unsigned)types ||
        row.key.step_rounding || !tw_isa_available(row.key.isa, cpu_data))
      continue;
    const double cost = tw_tile_count(M, row.key.m0) *
                        tw_tile_count(N, row.key.n0) *
                        tw_step_cost(&row.key, triple.accumulator);
    if (found && cost >= least) continue;
    found = 1;
    least = cost;
    *sizes = (tw_tile_sizes_t){row.key.m0, row.key.n0, row.key.k0};
  }
  return found ? TW_STATUS_OK : TW_STATUS_UNSUPPORTED;
}
