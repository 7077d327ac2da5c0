// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoded values that go through regions, blocks and functions.

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-materialize-encodings,tw-verify-encodings{none-left}))" | FileCheck %s

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 1]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 1]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// What a loop hands on is packed before what is in it.
// CHECK-LABEL: func.func @for(
// CHECK-SAME:    %[[A:.*]]: tensor<1x8x8x1xf32>, %[[B:.*]]: tensor<1x8x8x1xf32>, %[[C:.*]]: tensor<1x1x8x8xf32>, %[[D:.*]]: tensor<8x8xf32>,
// CHECK:         %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[C]], %[[PLAIN:.*]] = %[[D]]) -> (tensor<1x1x8x8xf32>, tensor<8x8xf32>)
// CHECK:           %[[P:.*]] = tw.mmt4d {{.*}} outs(%[[SUM]] : tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32>
// CHECK:           %[[U:.*]] = linalg.unpack %[[SUM]] {{.*}} into %[[PLAIN]]
// CHECK:           scf.yield %[[P]], %[[U]]
// CHECK:         return %[[R]]#0, %[[R]]#1 : tensor<1x1x8x8xf32>, tensor<8x8xf32>
func.func @for(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>, %d: tensor<8x8xf32>, %n: index) -> (tensor<8x8xf32, #out>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c, %plain = %d) -> (tensor<8x8xf32, #out>, tensor<8x8xf32>) {
    %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%sum : tensor<8x8xf32, #out>)
      attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx512_base">} {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.mulf %x, %y : f32
      %q = arith.addf %o, %s : f32
      linalg.yield %q : f32
    } -> tensor<8x8xf32, #out>
    %u = tw.unset_encoding ins(%sum : tensor<8x8xf32, #out>) outs(%plain : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %p, %u : tensor<8x8xf32, #out>, tensor<8x8xf32>
  }
  return %r#0, %r#1 : tensor<8x8xf32, #out>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @while(
// CHECK:         scf.while (%{{.*}} = %{{.*}}) : (tensor<?x8x8x1xf32>) -> tensor<?x8x8x1xf32>
// CHECK:           scf.condition(%{{.*}}) %{{.*}} : tensor<?x8x8x1xf32>
// CHECK:         ^bb0(%[[X:.*]]: tensor<?x8x8x1xf32>):
// CHECK:           scf.yield %[[X]] : tensor<?x8x8x1xf32>
func.func @while(%a: tensor<?x8xf32, #lhs>, %c: i1) -> tensor<?x8xf32, #lhs> {
  %r = scf.while (%x = %a) : (tensor<?x8xf32, #lhs>) -> tensor<?x8xf32, #lhs> {
    scf.condition(%c) %x : tensor<?x8xf32, #lhs>
  } do {
  ^bb0(%x: tensor<?x8xf32, #lhs>):
    scf.yield %x : tensor<?x8xf32, #lhs>
  }
  return %r : tensor<?x8xf32, #lhs>
}

// CHECK-LABEL: func.func @if(
// CHECK:         scf.if %{{.*}} -> (tensor<1x8x8x1xf32>)
// CHECK:           linalg.pack
// CHECK:           scf.yield %{{.*}} : tensor<1x8x8x1xf32>
func.func @if(%a: tensor<8x8xf32>, %d: tensor<8x8xf32, #lhs>, %c: i1) -> tensor<8x8xf32, #lhs> {
  %r = scf.if %c -> tensor<8x8xf32, #lhs> {
    %e = tw.set_encoding ins(%a : tensor<8x8xf32>) outs(%d : tensor<8x8xf32, #lhs>) -> tensor<8x8xf32, #lhs>
    scf.yield %e : tensor<8x8xf32, #lhs>
  } else {
    scf.yield %d : tensor<8x8xf32, #lhs>
  }
  return %r : tensor<8x8xf32, #lhs>
}

// CHECK-LABEL: func.func @blocks(
// CHECK:         cf.cond_br %{{.*}}, ^bb1(%{{.*}} : tensor<1x8x8x1xf32>), ^bb2
// CHECK:       ^bb1(%{{.*}}: tensor<1x8x8x1xf32>):
// CHECK:         cf.br ^bb1(%{{.*}} : tensor<1x8x8x1xf32>)
func.func @blocks(%d: tensor<8x8xf32, #lhs>, %c: i1) -> tensor<8x8xf32, #lhs> {
  cf.cond_br %c, ^bb1(%d : tensor<8x8xf32, #lhs>), ^bb2
^bb1(%x: tensor<8x8xf32, #lhs>):
  cf.br ^bb1(%x : tensor<8x8xf32, #lhs>)
^bb2:
  return %d : tensor<8x8xf32, #lhs>
}

// CHECK-LABEL: func.func private @callee(tensor<?x8x8x1xf32>) -> tensor<?x8x8x1xf32>
func.func private @callee(tensor<?x8xf32, #lhs>) -> tensor<?x8xf32, #lhs>

// CHECK-LABEL: func.func @calls(
// CHECK:         call @callee(%{{.*}}) : (tensor<?x8x8x1xf32>) -> tensor<?x8x8x1xf32>
// CHECK:         tw.dispatch @callee outs(%{{.*}} : tensor<?x8x8x1xf32>) accumulates [true] -> tensor<?x8x8x1xf32>
// CHECK:         tw.dispatch_region
// CHECK:           tw.yield %{{.*}} : tensor<?x8x8x1xf32>
// CHECK-NEXT:    } : tensor<?x8x8x1xf32>
func.func @calls(%d: tensor<?x8xf32, #lhs>) -> tensor<?x8xf32, #lhs> {
  %0 = call @callee(%d) : (tensor<?x8xf32, #lhs>) -> tensor<?x8xf32, #lhs>
  %1 = tw.dispatch @callee outs(%0 : tensor<?x8xf32, #lhs>) accumulates [true] -> tensor<?x8xf32, #lhs>
  %2 = tw.dispatch_region {
    tw.yield %1 : tensor<?x8xf32, #lhs>
  } : tensor<?x8xf32, #lhs>
  return %2 : tensor<?x8xf32, #lhs>
}

// A cast knows more or less of the sizes: those of the packed form.
// CHECK-LABEL: func.func @cast(
// CHECK:         tensor.cast %{{.*}} : tensor<?x8x8x1xf32> to tensor<2x8x8x1xf32>
func.func @cast(%d: tensor<?x8xf32, #lhs>) -> tensor<12x8xf32, #lhs> {
  %0 = tensor.cast %d : tensor<?x8xf32, #lhs> to tensor<12x8xf32, #lhs>
  return %0 : tensor<12x8xf32, #lhs>
}
