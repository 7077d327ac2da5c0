// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What tw-verify-encodings would refuse is refused by each pass that goes by what contractions are, alone, too: none takes a tile of, agrees on or
// drops the encodings of something else than they say.
// RUN: tw-opt %s --split-input-file --verify-diagnostics --tw-specialize-encodings
// RUN: tw-opt %s --split-input-file --verify-diagnostics --tw-agree-encodings
// RUN: tw-opt %s --split-input-file --verify-diagnostics --tw-drop-encodings

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
func.func @swapped(%a: tensor<8x8xf32, #rhs>, %b: tensor<8x8xf32, #lhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error-re @below {{op has operand 0 of type 'tensor<8x8xf32, #tw.encoding<rhs, {{.*}}>>'; expected the encoding #tw.encoding<lhs, }}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #rhs>, tensor<8x8xf32, #lhs>) outs(%c : tensor<8x8xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
func.func @transposed(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error-re @below {{op has other maps than its encodings say, #tw.encoding<lhs, }}
  %r = linalg.generic {indexing_maps = [#mk, affine_map<(m, n, k) -> (n, k)>, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
func.func @largest(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @below {{op does not add products of its operands, as their encodings say}}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.maximumf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [ui8, si8, si32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#rhs = #tw.encoding<rhs, types = [ui8, si8, si32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#out = #tw.encoding<out, types = [ui8, si8, si32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
func.func @signs(%a: tensor<8x8xi8, #lhs>, %b: tensor<8x8xi8, #rhs>, %c: tensor<8x8xi32, #out>) -> tensor<8x8xi32, #out> {
  // expected-error @below {{op extends operand 0 otherwise than from 'ui8', as its encoding says}}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xi8, #lhs>, tensor<8x8xi8, #rhs>) outs(%c : tensor<8x8xi32, #out>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %e = arith.extsi %x : i8 to i32
    %f = arith.extsi %y : i8 to i32
    %p = arith.muli %e, %f : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<8x8xi32, #out>
  return %r : tensor<8x8xi32, #out>
}
