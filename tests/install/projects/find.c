// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a generated tile that no source of this project names.

#include <stdio.h>
#include <tilewright/tilewright.h>

int main(void) {
  tw_mmt4d_params_t params = {0};
  params.M0 = 3;
  params.N0 = 5;
  params.K0 = 1;
  params.flags = TW_TYPES_F32F32F32;
  tw_tile_info_t info;
  tw_status_t status = tw_find_tile(&params, &info);
  printf("%s: %s\n", tw_status_message(status), info.reason);
  return status != TW_STATUS_OK || info.origin != TW_TILE_ORIGIN_GENERATED;
}
