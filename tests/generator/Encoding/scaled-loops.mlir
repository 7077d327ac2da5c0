// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --verify-diagnostics --pass-pipeline="builtin.module(tw-assign-devices{devices=x86_64_avx512_base},func.func(tw-set-encodings,tw-specialize-encodings,tw-materialize-encodings,tw-verify-encodings{none-left}))" | FileCheck %s

// A CPU has no tile with scales, and says so; operands stay as they are.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
// CHECK-LABEL: func.func @loops(
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.generic {{.*}} ins(%arg0, %{{.*}}, %arg1, %{{.*}} : {{.*}}) outs(%arg2
// CHECK:           arith.scaling_extf
func.func @loops(%a: tensor<4x6x32xf8E4M3FN>, %as: tensor<4x6xf8E8M0FNU>, %c: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %b = arith.constant dense<2.0> : tensor<96x6x32xf8E5M2>
  %bs = arith.constant dense<4.0> : tensor<96x6xf8E8M0FNU>
  // expected-remark @below {{lowered to plain loops: x86_64_avx512_base has no tile function with block scales}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<4x6x32xf8E4M3FN>, tensor<96x6x32xf8E5M2>, tensor<4x6xf8E8M0FNU>, tensor<96x6xf8E8M0FNU>) outs(%c : tensor<4x96xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x96xf32>
  return %r : tensor<4x96xf32>
}
