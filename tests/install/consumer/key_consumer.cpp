// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <tilewright/key.h>

int main() {
  const char* name = "tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base";
  auto parsed = tilewright::parseTileKey(name);
  return parsed.key && tilewright::printTileKey(*parsed.key) == name ? 0 : 1;
}
