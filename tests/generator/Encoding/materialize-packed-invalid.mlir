// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Also where nobody has verified the operations since their encodings are layouts.
// RUN: tw-opt %s --verify-each=0 --verify-diagnostics --pass-pipeline='builtin.module(tw-assign-devices{devices=x86_64_avx512_base},func.func(tw-specialize-encodings,tw-materialize-encodings))'

#rhs = #tw.encoding<rhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>
func.func @panels_of_16(%p: tensor<6x64x16x1xf32>) -> tensor<64x96xf32, #rhs> {
  // expected-error-re @below {{is of 'tensor<6x64x16x1xf32>' and 'tensor<64x96xf32, #tw.layout<{{.*}}tiles = [32, 1]>>'; expected the packed form of this layout}}
  %0 = tw.from_packed %p : tensor<6x64x16x1xf32> -> tensor<64x96xf32, #rhs>
  return %0 : tensor<64x96xf32, #rhs>
}
