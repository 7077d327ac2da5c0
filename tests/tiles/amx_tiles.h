// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles by AMX, by a model of its instructions (amx_model.h): the same
// sources as in the library, which is linked behind them.

#ifndef TESTS_TILES_AMX_TILES_H_
#define TESTS_TILES_AMX_TILES_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tiles/amx_model.h"
#include "tests/ukernels/rows.h"
#include "ukernels/x86_64/amx_template.h"

namespace tilewright::testing {

inline bool canRunTheModel() {
  uint64_t cpu[TW_CPU_DATA_WORDS];
  tw_cpu_detect(cpu);
  return tw_isa_available(TW_ISA_X86_64_AVX512_BF16, cpu);
}

#define SKIP_WITHOUT_AVX512() \
  if (!canRunTheModel())      \
  GTEST_SKIP() << "the model is for CPUs with x86_64_avx512_bf16"

inline std::vector<HandWrittenRow> amxRows() {
  std::vector<HandWrittenRow> rows;
  for (const HandWrittenRow& row : handWrittenRows())
    if (parseTileKey(row.name).key->vnni) rows.push_back(row);
  return rows;
}

class AmxTest : public ::testing::TestWithParam<HandWrittenRow> {
 protected:
  TileKey key() const { return *parseTileKey(GetParam().name).key; }
};

inline std::string nameOfRow(
    const ::testing::TestParamInfo<HandWrittenRow>& test) {
  return test.param.name;
}

// What the generator binds M0 and N0 of, with those of the parameters.
#define TEMPLATE(types)                                                     \
  inline void types(void* out, const void* lhs, const void* rhs,            \
                    const tw_mmt4d_params_t* params) {                      \
    tw_amx_template_##types(out, lhs, rhs, params, params->M0, params->N0); \
  }
TEMPLATE(s8s8s32)
TEMPLATE(s8u8s32)
TEMPLATE(u8s8s32)
TEMPLATE(u8u8s32)
TEMPLATE(bf16bf16f32)
TEMPLATE(bf16bf16bf16)
#undef TEMPLATE

struct Template {
  tw_type_triple_t types;
  int k0;
  tw_mmt4d_tile_fn_t fn;
};
inline constexpr Template kTemplates[] = {
    {TW_TYPES_S8S8S32, 64, s8s8s32},
    {TW_TYPES_S8U8S32, 64, s8u8s32},
    {TW_TYPES_U8S8S32, 64, u8s8s32},
    {TW_TYPES_U8U8S32, 64, u8u8s32},
    {TW_TYPES_BF16BF16F32, 32, bf16bf16f32},
    {TW_TYPES_BF16BF16BF16, 32, bf16bf16bf16},
};

}  // namespace tilewright::testing

#endif  // TESTS_TILES_AMX_TILES_H_
