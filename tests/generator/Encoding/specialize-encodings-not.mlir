// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What tw-specialize-encodings leaves without a tile function, and what it refuses.
// RUN: tw-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(tw-specialize-encodings,tw-verify-encodings))" | FileCheck %s

#devices = [#tw.device<"a" = "x86_64_avx512_base", memory = host>]

// No type triple has these elements: it lies as it did, and so do all of its operands. That is no remark; what the model wrote was one for tw-set-encodings.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f16, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#rhs = #tw.encoding<rhs, types = [f16, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#out = #tw.encoding<out, types = [f16, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
// CHECK: #[[IDENTITY:.*]] = #tw.layout<identity>
// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    tensor<8x8xf16, #[[IDENTITY]]>, %{{.*}}: tensor<8x8xf32, #[[IDENTITY]]>, %{{.*}}: tensor<8x8xf32, #[[IDENTITY]]>)
// CHECK-NOT:     tw.tile
// CHECK:         return
module attributes {tw.devices = #devices} {
  func.func @elements(%a: tensor<8x8xf16, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
    %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x8xf16, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) {
    ^bb0(%x: f16, %y: f32, %o: f32):
      %e = arith.extf %x : f16 to f32
      %p = arith.mulf %e, %y : f32
      %q = arith.addf %o, %p : f32
      linalg.yield %q : f32
    } -> tensor<8x8xf32, #out>
    return %r : tensor<8x8xf32, #out>
  }
}

// -----

// A layout is somebody's decision already; it stays, beside encodings. Others' encodings are theirs.
#panels = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [5, 3]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [8, ?, ?]>
// CHECK-DAG: #[[PANELS:.*]] = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [5, 3]>
// CHECK-DAG: #[[RHS:.*]] = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 1]>
// CHECK-LABEL: func.func @layout(
// CHECK-SAME:    tensor<?x?xf32, #[[PANELS]]>, %{{.*}}: tensor<4xf32, "sparse">
// CHECK:         tensor.empty({{.*}}) : tensor<?x?xf32, #[[RHS]]>
// CHECK:         tw.relayout {{.*}} -> tensor<?x?xf32, #[[RHS]]>
module attributes {tw.devices = [#tw.device<"a" = "x86_64_avx512_base", memory = host>]} {
  func.func @layout(%a: tensor<?x?xf32, #panels>, %o: tensor<4xf32, "sparse">, %m: index) -> (tensor<?x?xf32, #rhs>, tensor<4xf32, "sparse">) {
    %d = tensor.empty(%m, %m) : tensor<?x?xf32, #rhs>
    %r = tw.relayout ins(%a : tensor<?x?xf32, #panels>) outs(%d : tensor<?x?xf32, #rhs>) -> tensor<?x?xf32, #rhs>
    return %r, %o : tensor<?x?xf32, #rhs>, tensor<4xf32, "sparse">
  }
}

// -----

// What goes from one device to another that lays it out alike is not laid out anew, if its encoding stays; another encoding is another tensor, though it
// should lie alike.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#more = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 192, 64]>
// CHECK-LABEL: func.func @alike(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<?x64xf32, #[[LHS:.*]]>,
// CHECK-NOT:     tw.relayout
// CHECK:         return %[[X]]
// CHECK-LABEL: func.func @alike_by_chance(
// CHECK:         tw.relayout ins(%{{.*}} : tensor<?x64xf32, #[[LHS]]>) {{.*}} -> tensor<?x64xf32, #[[LHS]]>
module attributes {tw.devices = [#tw.device<"a" = "x86_64_avx512_base", memory = host>, #tw.device<"b" = "x86_64_avx512_base", memory = host>]} {
  func.func @alike(%x: tensor<?x64xf32, #lhs>, %d: tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs> attributes {tw.device = "a"} {
    %r = tw.relayout ins(%x : tensor<?x64xf32, #lhs>) outs(%d : tensor<?x64xf32, #lhs>) {tw.device = "b"} -> tensor<?x64xf32, #lhs>
    return %r : tensor<?x64xf32, #lhs>
  }
  func.func @alike_by_chance(%x: tensor<?x64xf32, #lhs>, %d: tensor<?x64xf32, #more>) -> tensor<?x64xf32, #more> attributes {tw.device = "a"} {
    %r = tw.relayout ins(%x : tensor<?x64xf32, #lhs>) outs(%d : tensor<?x64xf32, #more>) {tw.device = "b"} -> tensor<?x64xf32, #more>
    return %r : tensor<?x64xf32, #more>
  }
}

// -----

// No tile computes a sum of what a contraction has computed, or an elementwise operation: neither is one.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#sums = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64], dims = [0]>
// CHECK-LABEL: func.func @no_contraction(
// CHECK-NOT:     tw.tile
// CHECK-NOT:     tw.zeros
// CHECK:         return
module attributes {tw.devices = [#tw.device<"a" = "x86_64_avx512_base", memory = host>]} {
  func.func @no_contraction(%a: tensor<?x96xf32, #out>, %s: tensor<?xf32, #sums>) -> (tensor<?x96xf32, #out>, tensor<?xf32, #sums>) {
    %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x96xf32, #out>) outs(%a : tensor<?x96xf32, #out>) {
    ^bb0(%x: f32, %o: f32):
      %q = math.exp %x : f32
      linalg.yield %q : f32
    } -> tensor<?x96xf32, #out>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<?x96xf32, #out>) outs(%s : tensor<?xf32, #sums>) {
    ^bb0(%x: f32, %o: f32):
      %q = arith.addf %x, %o : f32
      linalg.yield %q : f32
    } -> tensor<?xf32, #sums>
    return %e, %r : tensor<?x96xf32, #out>, tensor<?xf32, #sums>
  }
}

// -----

// A device that nobody knows, of a module that was not tw-assign-devices' work.
module attributes {tw.devices = [#tw.device<"a" = "z80", memory = host>]} {
  // expected-error @unknown {{unknown target 'z80'}}
  func.func @unknown_device() {
    return
  }
}
