// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --pass-pipeline="builtin.module(tw-assign-devices{devices=x86_64_avx512_base},func.func(tw-specialize-encodings,tw-verify-encodings))" | FileCheck %s --check-prefix=X86
// RUN: tw-opt %s --pass-pipeline="builtin.module(tw-assign-devices{devices=arm_64:neoverse-n1},func.func(tw-specialize-encodings{prefix=my},tw-verify-encodings))" | FileCheck %s --check-prefix=ARM
// RUN: tw-opt %s --pass-pipeline="builtin.module(tw-assign-devices{devices=none},func.func(tw-specialize-encodings,tw-verify-encodings))" | FileCheck %s --check-prefix=NONE
// RUN: tw-opt %s --pass-pipeline="builtin.module(func.func(tw-specialize-encodings,tw-verify-encodings))" | FileCheck %s --check-prefix=NONE
// RUN: not tw-opt %s --pass-pipeline="builtin.module(tw-assign-devices{devices=z80},func.func(tw-specialize-encodings))" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown target 'z80'

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>

// Of values, arguments, results, functions and sizes; the contraction gets the
// tile function that these are for.
// X86-DAG: #[[LHS:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [12, 1]>
// X86-DAG: #[[RHS:.*]] = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 1]>
// X86-DAG: #[[OUT:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [12, 32]>
// X86-LABEL: func.func @f(
// X86-SAME:    tensor<?x64xf32>, %{{.*}}: tensor<64x96xf32, #[[RHS]]>, %{{.*}}: tensor<?x96xf32, #[[OUT]]>, %{{.*}}: index) -> (tensor<?x96xf32, #[[OUT]]>, index)
// X86:         tensor.empty(%{{.*}}) : tensor<?x64xf32, #[[LHS]]>
// X86:         tw.set_encoding {{.*}} -> tensor<?x64xf32, #[[LHS]]>
// X86:         scf.for {{.*}} -> (tensor<?x96xf32, #[[OUT]]>)
// X86:           linalg.generic {{.*}} attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base">}
// X86:           } -> tensor<?x96xf32, #[[OUT]]>
// X86:         tw.encoding_size tensor<?x96xf32, #[[OUT]]>(
// X86-NOT:     tw.encoding<

// ARM-DAG: #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 1]>
// ARM-DAG: #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [12, 1]>
// ARM-LABEL: func.func @f(
// ARM: attrs = {tw.tile = #tw.tile<"my_mmt4d_tile_f32f32f32_8x12x1_arm_64_base">}

// NONE: #[[IDENTITY:.*]] = #tw.layout<identity>
// NONE-LABEL: func.func @f(
// NONE-SAME:    tensor<64x96xf32, #[[IDENTITY]]>
// NONE-NOT: tw.tile
// NONE: return
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x96xf32, #rhs>, %c: tensor<?x96xf32, #out>, %m: index) -> (tensor<?x96xf32, #out>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.empty(%m) : tensor<?x64xf32, #lhs>
  %e = tw.set_encoding ins(%a : tensor<?x64xf32>) outs(%d : tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs>
  %s = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %c) -> tensor<?x96xf32, #out> {
    %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e, %b : tensor<?x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%sum : tensor<?x96xf32, #out>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %o, %p : f32
      linalg.yield %q : f32
    } -> tensor<?x96xf32, #out>
    scf.yield %r : tensor<?x96xf32, #out>
  }
  %bytes = tw.encoding_size tensor<?x96xf32, #out> (%m) : index
  return %s, %bytes : tensor<?x96xf32, #out>, index
}
