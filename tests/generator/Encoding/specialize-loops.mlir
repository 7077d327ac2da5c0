// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of several loops of a kind one is tiled.

// RUN: tw-opt %s --pass-pipeline="builtin.module(tw-assign-devices{devices=x86_64_avx512_vnni},func.func(tw-specialize-encodings))" | FileCheck %s

#l = affine_map<(b, p, m, n, k, l) -> (k, p, b, m, l)>
#r = affine_map<(b, p, m, n, k, l) -> (k, b, l, n)>
#o = affine_map<(b, p, m, n, k, l) -> (m, p, n, b)>

// CHECK-DAG: #[[LHS:.*]] = #tw.layout<outer = [2, 3, 1, 4, 0], inner = [1, 0], tiles = [8, 4]>
// CHECK-DAG: #[[RHS:.*]] = #tw.layout<outer = [1, 3, 2, 0], inner = [3, 0], tiles = [48, 4]>
// CHECK-DAG: #[[OUT:.*]] = #tw.layout<outer = [3, 0, 1, 2], inner = [1, 2], tiles = [8, 48]>
// CHECK-DAG: #[[EVEN_LHS:.*]] = #tw.layout<outer = [2, 1, 3, 0, 4], inner = [3, 4], tiles = [8, 1]>
// CHECK-DAG: #[[EVEN_OUT:.*]] = #tw.layout<outer = [3, 1, 0, 2], inner = [0, 2], tiles = [8, 32]>
// CHECK-DAG: #[[ONE_ROW:.*]] = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [16, 1]>
// CHECK-DAG: #[[ANY:.*]] = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 1]>
// CHECK-DAG: #[[IDENTITY:.*]] = #tw.layout<identity>

// The one that needs no padding, of 64 and not of 3, is the last of its kind in
// each operand; before these are the loops of the batch.
// CHECK-LABEL: func.func private @uneven(
// CHECK-SAME:    tensor<64x64x2x3x3xi8, #[[LHS]]>, tensor<64x2x3x96xi8, #[[RHS]]>, tensor<3x64x96x2xi32, #[[OUT]]>)
func.func private @uneven(
  tensor<64x64x2x3x3xi8, #tw.encoding<lhs, types = [si8, si8, si32], maps = [#l, #r, #o], sizes = [2, 64, 3, 96, 64, 3]>>,
  tensor<64x2x3x96xi8, #tw.encoding<rhs, types = [si8, si8, si32], maps = [#l, #r, #o], sizes = [2, 64, 3, 96, 64, 3]>>,
  tensor<3x64x96x2xi32, #tw.encoding<out, types = [si8, si8, si32], maps = [#l, #r, #o], sizes = [2, 64, 3, 96, 64, 3]>>)

// Of what costs the same, what lies innermost in lhs.
// CHECK-LABEL: func.func private @even(
// CHECK-SAME:    tensor<64x64x2x64x64xf32, #[[EVEN_LHS]]>, tensor<64x64x96x2xf32, #[[EVEN_OUT]]>)
func.func private @even(
  tensor<64x64x2x64x64xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#l, #r, #o], sizes = [2, 64, 64, 96, 64, 64]>>,
  tensor<64x64x96x2xf32, #tw.encoding<out, types = [f32, f32, f32], maps = [#l, #r, #o], sizes = [2, 64, 64, 96, 64, 64]>>)

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// One row alone, and one that shares its rhs with products of many rows.
// CHECK-LABEL: func.func private @row(
// CHECK-SAME:    tensor<64x96xf16, #[[ONE_ROW]]>, tensor<64x96xf16, #[[ANY]]>)
func.func private @row(
  tensor<64x96xf16, #tw.encoding<rhs, types = [f16, f16, f16], maps = [#mk, #kn, #mn], sizes = [1, 96, 64]>>,
  tensor<64x96xf16, #tw.encoding<rhs, types = [f16, f16, f16], maps = [#mk, #kn, #mn], sizes = [1, 96, 64], any_m>>)

// What no tile function is for lies as without an encoding.
// CHECK-LABEL: func.func private @no_types(
// CHECK-SAME:    tensor<64x96xf16, #[[IDENTITY]]>)
func.func private @no_types(tensor<64x96xf16, #tw.encoding<rhs, types = [f64, f16, f64], maps = [#mk, #kn, #mn], sizes = [1, 96, 64]>>)
