// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/in_place.h"

tw_in_place_fn_t tw_in_place_tile(tw_isa_t isa, tw_type_triple_t types,
                                  tw_index_t M0, tw_index_t N0) {
  switch (isa) {
#ifdef TW_HAVE_X86_64_TILES
    case TW_ISA_X86_64_AVX512_VNNI:
      return tw_in_place_x86_64_avx512_vnni(types, M0, N0);
    case TW_ISA_X86_64_AVX512_BF16:
      return tw_in_place_x86_64_avx512_bf16(types, M0, N0);
#endif
    default:
      (void)types, (void)M0, (void)N0;
      return 0;
  }
}
