// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=a=x86_64_avx512_base,b=x86_64_avx2_fma},func.func(tw-set-encodings,canonicalize,cse,tw-fold-encodings,canonicalize,cse,tw-specialize-encodings,tw-verify-encodings))" | FileCheck %s
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=a=x86_64_avx512_base,b=x86_64_avx2_fma},func.func(tw-set-encodings,canonicalize,cse,tw-fold-encodings,canonicalize,cse,tw-specialize-encodings,tw-materialize-encodings,tw-verify-encodings{none-left}))" | FileCheck %s --check-prefix=PACKED

// Each packs for itself, into tensors of its own, though their encodings are
// the same.
// CHECK-DAG: #[[A:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [12, 1]>
// CHECK-DAG: #[[B:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [6, 1]>
// CHECK-LABEL: func.func @each(
// CHECK-NOT:     tw.relayout
// CHECK:         tw.set_encoding {{.*}} {tw.device = "a"} -> tensor<?x64xf32, #[[A]]>
// CHECK:         linalg.generic {{.*}} attrs = {tw.device = "a", tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base">}
// CHECK:         tw.set_encoding {{.*}} {tw.device = "b"} -> tensor<?x64xf32, #[[B]]>
// CHECK:         linalg.generic {{.*}} attrs = {tw.device = "b", tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_6x16x1_x86_64_avx2_fma">}
// CHECK-NOT:     tw.relayout
// PACKED-LABEL: func.func @each(
func.func @each(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> (tensor<?x96xf32>, tensor<?x96xf32>) {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  %r = linalg.matmul {tw.device = "a"} ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  %s = linalg.matmul {tw.device = "b"} ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r, %s : tensor<?x96xf32>, tensor<?x96xf32>
}

// -----

// What one has summed the other adds to: the same encoding, another layout. The
// sizes are those of the tensor before it was packed.
// CHECK-DAG: #[[A:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [12, 32]>
// CHECK-DAG: #[[B:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [6, 16]>
// CHECK-LABEL: func.func @sum(
// CHECK:         %[[X:.*]] = linalg.generic {{.*}} attrs = {tw.device = "a",
// CHECK:         %[[Y:.*]] = tw.relayout ins(%[[X]] : tensor<?x96xf32, #[[A]]>) outs(%{{.*}} : tensor<?x96xf32, #[[B]]>) {tw.device = "b"}
// CHECK:         linalg.generic {{.*}} outs(%[[Y]] :
// PACKED-LABEL: func.func @sum(
// PACKED:        %[[X:.*]] = tw.mmt4d {{.*}} {tw.device = "a"}
// PACKED:        %[[Y:.*]] = linalg.generic {{.*}} attrs = {tw.device = "b", tw.dispatch = "relayout", tw.tile_dims = array<i64: 2, 2>}
// PACKED:          tensor.extract %[[X]]
// PACKED:        tw.mmt4d {{.*}} outs(%[[Y]] : tensor<?x6x6x16xf32>) {tw.device = "b"}
func.func @sum(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %r = linalg.matmul {tw.device = "a"} ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  %s = linalg.matmul {tw.device = "b"} ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%r : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %s : tensor<?x96xf32>
}

// -----

// A value that one device has encoded and another takes, without any relayout
// until now: in a region, too.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
// CHECK-LABEL: func.func @taken(
// CHECK:         %[[X:.*]] = tw.set_encoding {{.*}} {tw.device = "a"}
// CHECK:         tw.dispatch_region
// CHECK:         %[[D:.*]] = tensor.dim %arg0
// CHECK:         %[[E:.*]] = tensor.empty(%[[D]]) : tensor<?x64xf32, #{{.*}}>
// CHECK:         %[[Y:.*]] = tw.relayout ins(%[[X]] : {{.*}}) outs(%[[E]] :
// CHECK:         linalg.generic {{.*}} ins(%[[Y]], %{{.*}} :
// PACKED-LABEL: func.func @taken(
// PACKED:        tw.dispatch_region
// PACKED:        linalg.generic {{.*}} attrs = {tw.dispatch = "relayout"
// PACKED:        tw.mmt4d
func.func @taken(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<?x96xf32>, %m: index) -> tensor<?x96xf32> {
  %la = tensor.empty(%m) : tensor<?x64xf32, #lhs>
  %lb = tensor.empty() : tensor<64x96xf32, #rhs>
  %lc = tensor.empty(%m) : tensor<?x96xf32, #out>
  %ea = tw.set_encoding ins(%a : tensor<?x64xf32>) outs(%la : tensor<?x64xf32, #lhs>) {tw.device = "a"} -> tensor<?x64xf32, #lhs>
  %eb = tw.set_encoding ins(%b : tensor<64x96xf32>) outs(%lb : tensor<64x96xf32, #rhs>) {tw.device = "b"} -> tensor<64x96xf32, #rhs>
  %ec = tw.set_encoding ins(%c : tensor<?x96xf32>) outs(%lc : tensor<?x96xf32, #out>) {tw.device = "b"} -> tensor<?x96xf32, #out>
  %g = tw.dispatch_region {
    %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ea, %eb : tensor<?x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%ec : tensor<?x96xf32, #out>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %o, %p : f32
      linalg.yield %q : f32
    } -> tensor<?x96xf32, #out>
    tw.yield %r : tensor<?x96xf32, #out>
  } {tw.device = "b"} : tensor<?x96xf32, #out>
  %u = tw.unset_encoding ins(%g : tensor<?x96xf32, #out>) outs(%c : tensor<?x96xf32>) {tw.device = "b"} -> tensor<?x96xf32>
  return %u : tensor<?x96xf32>
}
