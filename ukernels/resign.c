// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/resign.h"

int tw_resigned_types(tw_type_triple_t types, tw_type_triple_t* mixed) {
  switch (types) {
    case TW_TYPES_S8S8S32:
      *mixed = TW_TYPES_S8U8S32;
      return 1;
    case TW_TYPES_U8U8S32:
      *mixed = TW_TYPES_U8S8S32;
      return 1;
    default:
      return 0;
  }
}

const tw_resign_t* tw_resign_for(tw_isa_t isa) {
#ifdef TW_HAVE_X86_64_TILES
  static const tw_resign_t* const kAll[] = {&tw_resign_x86_64_avx512_vnni,
                                            &tw_resign_x86_64_avx_vnni};
  for (size_t i = 0; i < sizeof kAll / sizeof kAll[0]; ++i)
    if (kAll[i]->isa == isa) return kAll[i];
#endif
  (void)isa;
  return 0;
}
