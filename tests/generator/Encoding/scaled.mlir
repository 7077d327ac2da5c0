// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of blocks of elements that have a scale together.

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings,tw-verify-encodings))" | FileCheck %s --check-prefix=SET
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=amdgpu:gfx950},func.func(tw-set-encodings,tw-specialize-encodings,tw-verify-encodings))" | FileCheck %s --check-prefix=LAID
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=amdgpu:gfx950},func.func(tw-set-encodings,tw-specialize-encodings,tw-materialize-encodings,tw-verify-encodings{none-left}))" | FileCheck %s --check-prefix=PACKED
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(tw-assign-devices{devices=amdgpu:gfx942},func.func(tw-set-encodings,tw-specialize-encodings,tw-materialize-encodings,tw-verify-encodings{none-left}))" | FileCheck %s --check-prefix=GFX942
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings,tw-drop-encodings,tw-verify-encodings{none-left}))" | FileCheck %s --check-prefix=DROPPED
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-plain-contractions))" | FileCheck %s --check-prefix=PLAIN

// Scales are operands of their own. Blocks of 32 are a tile, and so are the scales of a K step.
// SET-DAG: #[[LHS:lhs[0-9]*]] = #tw.encoding<lhs, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], maps = [#[[MKZ:.*]], #[[NKZ:.*]], #[[MN:.*]], #[[MK:.*]], #[[NK:.*]]], sizes = [?, 96, 6, 32]>
// SET-DAG: #[[LHSS:lhs_scales[0-9]*]] = #tw.encoding<lhs_scales, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], {{.*}} sizes = [?, 96, 6, 32]>
// SET-DAG: #[[RHSS:rhs_scales[0-9]*]] = #tw.encoding<rhs_scales, {{.*}} sizes = [?, 96, 6, 32]>
// SET-LABEL: func.func @matmul(
// SET-DAG:     tw.set_encoding ins(%arg0 : {{.*}} -> tensor<?x6x32xf8E4M3FN, #[[LHS]]>
// SET-DAG:     tw.set_encoding ins(%arg2 : {{.*}} -> tensor<?x6xf8E8M0FNU, #[[LHSS]]>
// SET-DAG:     tw.set_encoding ins(%arg3 : {{.*}} -> tensor<96x6xf8E8M0FNU, #[[RHSS]]>
// SET:         linalg.generic {indexing_maps = [#[[MKZ]], #[[NKZ]], #[[MK]], #[[NK]], #[[MN]]]
// SET-SAME:      ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x6x32xf8E4M3FN, #[[LHS]]>, tensor<96x6x32xf8E5M2, #{{.*}}>, tensor<?x6xf8E8M0FNU, #[[LHSS]]>, tensor<96x6xf8E8M0FNU, #[[RHSS]]>)
// SET:           arith.scaling_extf
// SET:         tw.unset_encoding
// LAID-DAG: #[[LHS:.*]] = #tw.layout<outer = [0, 1, 2], inner = [0, 1, 2], tiles = [64, 2, 32]>
// LAID-DAG: #[[LHSS:.*]] = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [64, 2]>
// LAID-LABEL: func.func @matmul(
// LAID:         linalg.generic
// LAID-SAME:      ins(%{{.*}} : tensor<?x6x32xf8E4M3FN, #[[LHS]]>, tensor<96x6x32xf8E5M2, #[[LHS]]>, tensor<?x6xf8E8M0FNU, #[[LHSS]]>, tensor<96x6xf8E8M0FNU, #[[LHSS]]>)
// LAID-SAME:      tw.tile = #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e5m2f32_64x64x64_mx_amdgpu_gfx950">
// The scales of padding are 2^-127, whose bits are zeros, and scale zeros.
// PACKED-LABEL: func.func @matmul(
// PACKED:         %[[A:.*]] = linalg.pack %arg0 {{.*}}inner_dims_pos = [0, 1, 2] inner_tiles = [64, 2, 32] into {{.*}} -> tensor<?x3x1x64x2x32xf8E4M3FN>
// PACKED:         %[[B:.*]] = linalg.pack %arg1 {{.*}} -> tensor<2x3x1x64x2x32xf8E5M2>
// PACKED:         %[[LEAST:.*]] = arith.constant 5.877470e-39 : f8E8M0FNU
// PACKED:         %[[AS:.*]] = linalg.pack %arg2 padding_value(%[[LEAST]] : f8E8M0FNU) inner_dims_pos = [0, 1] inner_tiles = [64, 2] {{.*}} -> tensor<?x3x64x2xf8E8M0FNU>
// PACKED:         %[[BS:.*]] = linalg.pack %arg3 {{.*}} -> tensor<2x3x64x2xf8E8M0FNU>
// PACKED:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e5m2f32_64x64x64_mx_amdgpu_gfx950"> indexing_maps
// PACKED-SAME:      ins(%[[A]], %[[B]] : {{.*}}) scales(%[[AS]], %[[BS]] : tensor<?x3x64x2xf8E8M0FNU>, tensor<2x3x64x2xf8E8M0FNU>) outs(
// GFX942-LABEL: func.func @matmul(
// GFX942:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e5m2f32_64x64x32_mx_amdgpu_gfx942">
// GFX942-SAME:      tensor<?x6x1x64x1x32xf8E4M3FN>, tensor<2x6x1x64x1x32xf8E5M2>) scales(%{{.*}} : tensor<?x6x64x1xf8E8M0FNU>, tensor<2x6x64x1xf8E8M0FNU>)
// DROPPED-LABEL: func.func @matmul(
// DROPPED-NOT:     linalg.pack
// DROPPED:         linalg.generic {{.*}} ins(%arg0, %arg1, %arg2, %arg3 : {{.*}}) outs(%arg4
// PLAIN-LABEL: func.func @matmul(
// PLAIN:         linalg.generic {{.*}} ins(%arg0, %arg1, %arg2, %arg3 : {{.*}}) outs(%arg4
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
func.func @matmul(%a: tensor<?x6x32xf8E4M3FN>, %b: tensor<96x6x32xf8E5M2>, %as: tensor<?x6xf8E8M0FNU>, %bs: tensor<96x6xf8E8M0FNU>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<?x6x32xf8E4M3FN>, tensor<96x6x32xf8E5M2>, tensor<?x6xf8E8M0FNU>, tensor<96x6xf8E8M0FNU>) outs(%c : tensor<?x96xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// -----

// Operands in another order, rhs * lhs; blocks that lie apart; a batch that is one of two loops, rows that are one of two.
// SET-LABEL: func.func @layouts(
// SET:         tensor.collapse_shape %arg3 {{\[}}[0, 1], [2], [3], [4, 5]] : tensor<2x3x32x4x5x7xf8E4M3FN> into tensor<6x32x4x35xf8E4M3FN>
// SET:         tensor.collapse_shape %arg2 {{\[}}[0, 1], [2, 3], [4]] : tensor<2x3x5x7x4xf8E8M0FNU> into tensor<6x35x4xf8E8M0FNU>
// SET:         linalg.generic
// SET-SAME:      ins(%{{.*}} : tensor<32x9x6x4xf8E5M2, #{{lhs[0-9]*}}>, tensor<6x32x4x35xf8E4M3FN, #{{rhs[0-9]*}}>, tensor<6x4x9xf8E8M0FNU, #{{lhs_scales[0-9]*}}>, tensor<6x35x4xf8E8M0FNU, #{{rhs_scales[0-9]*}}>)
// LAID-DAG: #[[LHS:.*]] = #tw.layout<outer = [2, 1, 3, 0], inner = [1, 3, 0], tiles = [16, 4, 32]>
// LAID-DAG: #[[RHS:.*]] = #tw.layout<outer = [0, 3, 2, 1], inner = [3, 2, 1], tiles = [64, 4, 32]>
// LAID-DAG: #[[LHSS:.*]] = #tw.layout<outer = [0, 2, 1], inner = [2, 1], tiles = [16, 4]>
// LAID-DAG: #[[RHSS:.*]] = #tw.layout<outer = [0, 1, 2], inner = [1, 2], tiles = [64, 4]>
// LAID-LABEL: func.func @layouts(
// LAID:         linalg.generic
// LAID-SAME:      ins(%{{.*}} : tensor<32x9x6x4xf8E5M2, #[[LHS]]>, tensor<6x32x4x35xf8E4M3FN, #[[RHS]]>, tensor<6x4x9xf8E8M0FNU, #[[LHSS]]>, tensor<6x35x4xf8E8M0FNU, #[[RHSS]]>)
// PACKED-LABEL: func.func @layouts(
// PACKED:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e5m2f8e4m3fnf32_16x64x128_mx_amdgpu_gfx950">
// PACKED-SAME:      ins(%{{.*}} : tensor<6x1x1x1x16x4x32xf8E5M2>, tensor<6x1x1x1x64x4x32xf8E4M3FN>) scales(%{{.*}} : tensor<6x1x1x16x4xf8E8M0FNU>, tensor<6x1x1x64x4xf8E8M0FNU>)
func.func @layouts(%b: tensor<32x9x2x3x4xf8E5M2>, %bs: tensor<2x3x4x9xf8E8M0FNU>, %as: tensor<2x3x5x7x4xf8E8M0FNU>, %a: tensor<2x3x32x4x5x7xf8E4M3FN>, %c: tensor<2x3x5x7x9xf32>) -> tensor<2x3x5x7x9xf32> {
  %r = linalg.generic {indexing_maps = [
      affine_map<(b, d, m, l, n, k, z) -> (z, n, b, d, k)>,
      affine_map<(b, d, m, l, n, k, z) -> (b, d, k, n)>,
      affine_map<(b, d, m, l, n, k, z) -> (b, d, m, l, k)>,
      affine_map<(b, d, m, l, n, k, z) -> (b, d, z, k, m, l)>,
      affine_map<(b, d, m, l, n, k, z) -> (b, d, m, l, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%b, %bs, %as, %a : tensor<32x9x2x3x4xf8E5M2>, tensor<2x3x4x9xf8E8M0FNU>, tensor<2x3x5x7x4xf8E8M0FNU>, tensor<2x3x32x4x5x7xf8E4M3FN>) outs(%c : tensor<2x3x5x7x9xf32>) {
  ^bb0(%y: f8E5M2, %q: f8E8M0FNU, %p: f8E8M0FNU, %x: f8E4M3FN, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %v, %u : f32
    %s = arith.addf %w, %o : f32
    linalg.yield %s : f32
  } -> tensor<2x3x5x7x9xf32>
  return %r : tensor<2x3x5x7x9xf32>
}

// -----

// A vector is a row; without a loop over blocks there is one.
// SET-DAG: #{{lhs[0-9]*}} = #tw.encoding<lhs, {{.*}}, sizes = [96, 32, 1, 1]>
// SET-LABEL: func.func @row(
// SET:         tensor.expand_shape %arg0 {{\[}}[0, 1, 2]] output_shape [1, 1, 32] : tensor<32xf8E4M3FN> into tensor<1x1x32xf8E4M3FN>
// PACKED-LABEL: func.func @row(
// PACKED:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e5m2f32_16x64x128_mx_amdgpu_gfx950">
// PACKED-SAME:      tensor<1x1x1x16x4x32xf8E4M3FN>
func.func @row(%a: tensor<32xf8E4M3FN>, %b: tensor<96x32xf8E5M2>, %as: tensor<f8E8M0FNU>, %bs: tensor<96xf8E8M0FNU>, %c: tensor<96xf32>) -> tensor<96xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, z) -> (z)>, affine_map<(n, z) -> (n, z)>, affine_map<(n, z) -> ()>, affine_map<(n, z) -> (n)>, affine_map<(n, z) -> (n)>], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<32xf8E4M3FN>, tensor<96x32xf8E5M2>, tensor<f8E8M0FNU>, tensor<96xf8E8M0FNU>) outs(%c : tensor<96xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<96xf32>
  return %r : tensor<96xf32>
}

// -----

// A vector that is the second factor is a row all the same, and its scales are those of lhs.
// SET-LABEL: func.func @column(
// SET:         linalg.generic
// SET-SAME:      ins(%{{.*}} : tensor<1x6x32xf8E5M2, #{{lhs[0-9]*}}>, tensor<96x6x32xf8E4M3FN, #{{rhs[0-9]*}}>, tensor<1x6xf8E8M0FNU, #{{lhs_scales[0-9]*}}>, tensor<96x6xf8E8M0FNU, #{{rhs_scales[0-9]*}}>)
func.func @column(%a: tensor<96x6x32xf8E4M3FN>, %b: tensor<6x32xf8E5M2>, %as: tensor<96x6xf8E8M0FNU>, %bs: tensor<6xf8E8M0FNU>, %c: tensor<96xf32>) -> tensor<96xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, k, z) -> (m, k, z)>, affine_map<(m, k, z) -> (k, z)>, affine_map<(m, k, z) -> (m, k)>, affine_map<(m, k, z) -> (k)>, affine_map<(m, k, z) -> (m)>], iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<96x6x32xf8E4M3FN>, tensor<6x32xf8E5M2>, tensor<96x6xf8E8M0FNU>, tensor<6xf8E8M0FNU>) outs(%c : tensor<96xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<96xf32>
  return %r : tensor<96xf32>
}

// -----

// Elements of 4 and 6 bits have a byte each, but in panels: 32 are 16 and 24 bytes there, joined before they are packed.
// LAID-LABEL: func.func @parts(
// LAID:         linalg.generic
// LAID-SAME:      tw.tile = #tw.tile<"tw_mmt4d_tile_f4e2m1fnf6e3m2fnf32_64x64x64_mx_amdgpu_gfx950">
// PACKED-LABEL: func.func @parts(
// PACKED:         %[[BYTES:.*]] = tensor.empty(%{{.*}}) : tensor<?x6x16xi8>
// PACKED:         %[[JOINED:.*]] = linalg.generic {{.*}} outs(%[[BYTES]] : tensor<?x6x16xi8>) attrs = {{{.*}}tw.joins = 2
// PACKED:           %[[BIT:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// PACKED:           tensor.extract %arg0
// PACKED:           arith.bitcast %{{.*}} : f4E2M1FN to i4
// PACKED:         linalg.pack %[[JOINED]] padding_value(%{{.*}} : i8) {{.*}}inner_dims_pos = [0, 1, 2] inner_tiles = [64, 2, 16] into {{.*}} -> tensor<?x3x1x64x2x16xi8>
// PACKED:         linalg.generic {{.*}} outs(%{{.*}} : tensor<96x6x24xi8>)
// PACKED:           arith.bitcast %{{.*}} : f6E3M2FN to i6
// PACKED:         linalg.pack {{.*}}inner_tiles = [64, 2, 24] {{.*}} -> tensor<2x3x1x64x2x24xi8>
// PACKED:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f4e2m1fnf6e3m2fnf32_64x64x64_mx_amdgpu_gfx950">
// PACKED-SAME:      tensor<?x3x1x64x2x16xi8>, tensor<2x3x1x64x2x24xi8>) scales(%{{.*}} : tensor<?x3x64x2xf8E8M0FNU>, tensor<2x3x64x2xf8E8M0FNU>)
// GFX942-LABEL: func.func @parts(
// GFX942:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f4e2m1fnf6e3m2fnf32_64x64x32_mx_amdgpu_gfx942">
// GFX942-SAME:      tensor<?x6x1x64x1x16xi8>, tensor<2x6x1x64x1x24xi8>)
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
func.func @parts(%a: tensor<?x6x32xf4E2M1FN>, %b: tensor<96x6x32xf6E3M2FN>, %as: tensor<?x6xf8E8M0FNU>, %bs: tensor<96x6xf8E8M0FNU>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<?x6x32xf4E2M1FN>, tensor<96x6x32xf6E3M2FN>, tensor<?x6xf8E8M0FNU>, tensor<96x6xf8E8M0FNU>) outs(%c : tensor<?x96xf32>) {
  ^bb0(%x: f4E2M1FN, %y: f6E3M2FN, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f4E2M1FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f6E3M2FN, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
