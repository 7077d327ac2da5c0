// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file | tw-opt --split-input-file | FileCheck %s
// RUN: tw-opt %s --split-input-file --mlir-print-op-generic | tw-opt --split-input-file | FileCheck %s

// The maps are aliases of their own.
// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// What a tensor is for gives the alias its name.
// CHECK-DAG: #[[LHS:lhs[0-9]*]] = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#[[MK]], #[[KN]], #[[MN]]], sizes = [?, 96, 64]>
// CHECK-DAG: #[[RHS:rhs[0-9]*]] = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#[[MK]], #[[KN]], #[[MN]]], sizes = [?, 96, 64], any_m>
// CHECK-DAG: #[[OUT:out[0-9]*]] = #tw.encoding<out, types = [ui8, si4, si32], maps = [#[[MK]], #[[KN]], #[[MN]]], sizes = [0, 1, ?]>
// CHECK-LABEL: func.func private @encodings(
// CHECK-SAME: tensor<?x64xf32, #[[LHS]]>,
// CHECK-SAME: tensor<64x96xf32, #[[RHS]]>,
// CHECK-SAME: tensor<0x?xi32, #[[OUT]]>)
func.func private @encodings(
  tensor<?x64xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>>,
  tensor<64x96xf32, #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64], any_m>>,
  tensor<0x?xi32, #tw.encoding<out, types = [ui8, si4, si32], maps = [#mk, #kn, #mn], sizes = [0, 1, ?]>>)

// -----

// Sizes are known of the tensor, of the encoding, of both or of none; integers
// are signless in memory, or as the encoding has them.
// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[S8:lhs[0-9]*]] = #tw.encoding<lhs, types = [si8, si8, si32], maps = [#[[MK]], #[[KN]], #[[MN]]], sizes = [3, ?, ?]>
// CHECK-LABEL: func.func private @sizes_and_signs(
// CHECK-SAME: tensor<?x4xi8, #[[S8]]>, tensor<3x?xi8, #[[S8]]>, tensor<3x4xsi8, #[[S8]]>)
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#s8 = #tw.encoding<lhs, types = [si8, si8, si32], maps = [#mk, #kn, #mn], sizes = [3, ?, ?]>
func.func private @sizes_and_signs(tensor<?x4xi8, #s8>, tensor<3x?xi8, #s8>, tensor<3x4xsi8, #s8>)

// -----

// Several loops of each kind, in different orders.
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4, d5)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d5, d3, d4, d0)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3, d0, d1)>
// CHECK-DAG: #[[LOOPS:lhs[0-9]*]] = #tw.encoding<lhs, types = [bf16, bf16, f32], maps = [#[[L]], #[[R]], #[[O]]], sizes = [2, 3, 4, 9, 5, 6]>
// CHECK-LABEL: func.func private @loops(
// CHECK-SAME: tensor<2x3x4x5x6xbf16, #[[LOOPS]]>)
#loops = #tw.encoding<lhs, types = [bf16, bf16, f32],
  maps = [affine_map<(b, m, p, n, k, l) -> (b, m, p, k, l)>, affine_map<(b, m, p, n, k, l) -> (l, n, k, b)>, affine_map<(b, m, p, n, k, l) -> (p, n, b, m)>],
  sizes = [2, 3, 4, 9, 5, 6]>
func.func private @loops(tensor<2x3x4x5x6xbf16, #loops>)

// -----

// CHECK-DAG: #[[RHS_PANELS:.*]] = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 1]>
// CHECK-DAG: #[[VECTORS:.*]] = #tw.layout<outer = [0, 1], inner = [1], tiles = {{\[\[4\]\]}}>
// CHECK-DAG: #[[MIXED:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = {{\[}}8, [16]]>
// CHECK-DAG: #[[STREAMING:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = {{\[\[}}8], [8]], streaming>
// CHECK-DAG: #[[SWIZZLED:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 64], swizzle = {{\[\[16\]}}, [16, 4]] perm [1, 0, 2]>
// CHECK-DAG: #[[TRANSPOSED:.*]] = #tw.layout<outer = [1, 0], inner = [], tiles = []>
// CHECK-DAG: #[[IDENTITY:.*]] = #tw.layout<identity>
// CHECK-LABEL: func.func private @layouts(
// CHECK-SAME: tensor<64x96xf32, #[[RHS_PANELS]]>, tensor<64x96xf32, #[[VECTORS]]>, tensor<64x96xf32, #[[MIXED]]>, tensor<64x96xf32, #[[STREAMING]]>,
// CHECK-SAME: tensor<64x96xi8, #[[SWIZZLED]]>, tensor<?x?xindex, #[[TRANSPOSED]]>, tensor<?x?xi1, #[[IDENTITY]]>, tensor<f64, #[[IDENTITY]]>)
func.func private @layouts(
  tensor<64x96xf32, #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 1]>>,
  tensor<64x96xf32, #tw.layout<outer = [0, 1], inner = [1], tiles = [[4]]>>,
  tensor<64x96xf32, #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, [16]]>>,
  tensor<64x96xf32, #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [[8], [8]], streaming>>,
  tensor<64x96xi8, #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 64], swizzle = [[16], [16, 4]] perm [1, 0, 2]>>,
  tensor<?x?xindex, #tw.layout<outer = [1, 0], inner = [], tiles = []>>,
  tensor<?x?xi1, #tw.layout<identity>>,
  tensor<f64, #tw.layout<outer = [], inner = [], tiles = []>>)

// -----

// What lies as an operand does: transposed, with a dimension of its own and other elements; a slice, of another size.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// CHECK-DAG: #[[MOVED:out[0-9]*]] = #tw.encoding<out, types = [si8, si8, si32], maps = [{{.*}}], sizes = [?, 96, 64], dims = [*, 1, 0], element = f16>
// CHECK-DAG: #[[PART:rhs[0-9]*]] = #tw.encoding<rhs, types = [si8, si8, si32], maps = [{{.*}}], sizes = [?, 96, 64], any_m, dims = [0, 1]>
// CHECK-LABEL: func.func private @related(
// CHECK-SAME: tensor<2x96x?xf16, #[[MOVED]]>,
// CHECK-SAME: tensor<32x96xi8, #[[PART]]>)
func.func private @related(
  tensor<2x96x?xf16, #tw.encoding<out, types = [si8, si8, si32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64], dims = [*, 1, 0], element = f16>>,
  tensor<32x96xi8, #tw.encoding<rhs, types = [si8, si8, si32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64], any_m, dims = [0, 1]>>)

// -----

// Windows of a tensor, which may be larger than they are, and of an unknown number of them.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * 2 + d2, d3)>
// CHECK-DAG: #[[LHS:lhs[0-9]*]] = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#[[X]], #{{.*}}, #{{.*}}], sizes = [5, 8, 3, 4]>
// CHECK-DAG: #[[LHS1:lhs[0-9]*]] = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#[[X]], #{{.*}}, #{{.*}}], sizes = [?, 8, 3, 4]>
// CHECK-LABEL: func.func private @windows(
// CHECK-SAME: tensor<12x4xf32, #[[LHS]]>, tensor<3x4xf32, #[[LHS1]]>)
#x = affine_map<(o, n, k, c) -> (o * 2 + k, c)>
#w = affine_map<(o, n, k, c) -> (k, c, n)>
#o = affine_map<(o, n, k, c) -> (o, n)>
func.func private @windows(
  tensor<12x4xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#x, #w, #o], sizes = [5, 8, 3, 4]>>,
  tensor<3x4xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#x, #w, #o], sizes = [?, 8, 3, 4]>>)

// -----

// Of scaled elements, and of scales that lie in another order.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#mk = affine_map<(m, n, k, z) -> (k, m)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
// CHECK-DAG: #[[LHS:lhs[0-9]*]] = #tw.encoding<lhs, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], maps = [#{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}], sizes = [4, ?, 6, 32]>
// CHECK-DAG: #[[SCALES:lhs_scales[0-9]*]] = #tw.encoding<lhs_scales, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], {{.*}}, sizes = [4, ?, 6, 32], any_m>
// CHECK-LABEL: func.func private @scaled(
// CHECK-SAME: tensor<4x6x32xf8E4M3FN, #[[LHS]]>, tensor<6x4xf8E8M0FNU, #[[SCALES]]>)
func.func private @scaled(
  tensor<4x6x32xf8E4M3FN, #tw.encoding<lhs, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mk, #nk], sizes = [4, ?, 6, 32]>>,
  tensor<6x4xf8E8M0FNU, #tw.encoding<lhs_scales, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mk, #nk], sizes = [4, ?, 6, 32], any_m>>)
