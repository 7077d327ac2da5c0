// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory a lhs of 60 rows takes: 25600 bytes in tiles of 8 x 4, which
// are seven pages.

#lhs = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [60, 50, 100]>
func.func @bytes() -> index {
  %bytes = tw.encoding_size tensor<60x100xf32, #lhs> () : index
  return %bytes : index
}
