// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/vector_length.h"

#include "ukernels/cpu.h"
#include "ukernels/element.h"

static int tw_fixed_bits(tw_isa_t isa) {
  static const int kBits[] = {
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  vector_bits,
#include "tilewright/isas.def"
  };
  return kBits[isa];
}

int tw_vector_length(const uint64_t* cpu_data, tw_scaling_t scaling) {
  if (scaling == TW_SCALING_NONE) return 0;
  const uint64_t lengths = cpu_data[TW_CPU_WORD_VECTOR_LENGTHS];
  const int bits = (int)(lengths >> 16 * (scaling - 1) & 0xFFFF);
  // Whoever made cpu_data up gets no tiles of sizes that no CPU has.
  const int is_length =
      bits % TW_LEAST_VECTOR_BITS == 0 && bits <= TW_MAX_VECTOR_BITS;
  return is_length ? bits : 0;
}

int tw_vector_bits(const tw_tile_key_t* key, const uint64_t* cpu_data) {
  if (!key->m0_scalable && !key->n0_scalable) return tw_fixed_bits(key->isa);
  return tw_vector_length(cpu_data, tw_isa_scaling(key->isa));
}

tw_index_t tw_lanes(const tw_tile_key_t* key, int vector_bits) {
  tw_triple_t triple;
  if (!tw_triple_of(key->types, &triple)) return 1;
  return vector_bits / tw_element_bits(triple.accumulator);
}

tw_tile_sizes_t tw_sizes_at(const tw_tile_key_t* key, int vector_bits) {
  if (!key->m0_scalable && !key->n0_scalable)
    return (tw_tile_sizes_t){key->m0, key->n0, key->k0};
  const int32_t lanes = (int32_t)tw_lanes(key, vector_bits);
  const tw_tile_sizes_t sizes = {key->m0 * (key->m0_scalable ? lanes : 1),
                                 key->n0 * (key->n0_scalable ? lanes : 1),
                                 key->k0};
  return sizes;
}

int tw_vector_bits_for(const tw_tile_key_t* key, const tw_tile_sizes_t* sizes) {
  for (int bits = TW_LEAST_VECTOR_BITS; bits <= TW_MAX_VECTOR_BITS;
       bits += TW_LEAST_VECTOR_BITS) {
    const tw_tile_sizes_t at = tw_sizes_at(key, bits);
    if (at.M0 == sizes->M0 && at.N0 == sizes->N0 && at.K0 == sizes->K0)
      return bits;
  }
  return 0;
}
