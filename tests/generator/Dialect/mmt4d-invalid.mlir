// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of tiles rely on: one case for each thing that is checked.

// RUN: tw-opt %s --split-input-file --verify-diagnostics

func.func @no_tile(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{'f32_4x16x1' is not a tile name: it does not start with 'tw_mmt4d_tile_'}}
  %r = tw.mmt4d #tw.tile<"f32_4x16x1">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @unknown_tile(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{'tw_mmt4d_tile_f32f32f32_4x16x0_generic' is not a tile name: K0 is 0}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x0_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @scalable_tile(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x18x1xf32>, %c: tensor<2x3x4x18xf32>) -> tensor<2x3x4x18xf32> {
  // expected-error-re @below {{has the rhs type 'tensor<3x5x18x1xf32>', but the tile's is ...{{\[}}4]x1}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x1vlx1_arm_64_sve">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x18x1xf32>) outs(%c : tensor<2x3x4x18xf32>) -> tensor<2x3x4x18xf32>
  return %r : tensor<2x3x4x18xf32>
}

// -----

// Vectors have one length.
func.func @scalable_lengths(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32> {
  // expected-error @below {{has the out type 'tensor<2x3x4x8xf32>', but the tile's is ...4x16}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x1vlx1_arm_64_sve">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
  return %r : tensor<2x3x4x8xf32>
}

// -----

func.func @block_scales(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{but has no panels of block scales}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @tensor_and_buffer(%a: tensor<2x5x4x1xf32>, %b: memref<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{is on tensors with a result or on buffers without one, but rhs has type 'memref<3x5x16x1xf32>'}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, memref<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @lhs_elements(%a: tensor<2x5x4x1xf16>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has lhs elements of 'f16', but those of the tile are f32}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf16>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @rhs_elements(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xi32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has rhs elements of 'i32', but those of the tile are f32}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xi32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @out_elements(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf64>) -> tensor<2x3x4x16xf64> {
  // expected-error @below {{has out elements of 'f64', but those of the tile are f32}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf64>) -> tensor<2x3x4x16xf64>
  return %r : tensor<2x3x4x16xf64>
}

// -----

func.func @less_than_a_byte(%a: tensor<2x5x4x2xi8>, %b: tensor<3x5x16x2xi4>, %c: tensor<2x3x4x16xi32>) -> tensor<2x3x4x16xi32> {
  // expected-error @below {{has rhs elements of s4, which are less than a byte}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s4s32_4x16x2_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x2xi8>, tensor<3x5x16x2xi4>) outs(%c : tensor<2x3x4x16xi32>) -> tensor<2x3x4x16xi32>
  return %r : tensor<2x3x4x16xi32>
}

// -----

func.func @loop_twice(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the lhs map affine_map<(d0, d1, d2) -> (d0, d0)>; expected different loops out of 3}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @other_loops(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the out map affine_map<(d0, d1) -> (d0, d1)>; expected different loops out of 3}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @rank(%a: tensor<2x7x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the lhs type 'tensor<2x7x5x4x1xf32>'; expected 2 dimensions, by its map, and 2 of the tile}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x7x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @k_of_lhs_alone(%a: tensor<2x5x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the loop d2, which is neither batch}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (n, l)>, affine_map<(m, n, k, l) -> (m, n)>]
      ins(%a, %b : tensor<2x5x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

// A loop of all three would be of the batch.
func.func @k_in_out(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x5x4x16xf32>) -> tensor<2x3x5x4x16xf32> {
  // expected-error @below {{has the lhs map affine_map<(d0, d1, d2) -> (d0, d2)>; expected the kinds of loops in the order batch, m, k}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n, k)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x5x4x16xf32>) -> tensor<2x3x5x4x16xf32>
  return %r : tensor<2x3x5x4x16xf32>
}

// -----

func.func @no_loop(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the loop d3, which is neither batch}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k, l) -> (m, k)>, affine_map<(m, n, k, l) -> (n, k)>, affine_map<(m, n, k, l) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @lhs_panel(%a: tensor<2x5x8x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the lhs type 'tensor<2x5x8x1xf32>', but the tile's is ...4x1}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x8x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @rhs_panel(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x2xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the rhs type 'tensor<3x5x16x2xf32>', but the tile's is ...16x1}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x2xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @out_tile(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x?x16xf32>) -> tensor<2x3x?x16xf32> {
  // expected-error @below {{has the out type 'tensor<2x3x?x16xf32>', but the tile's is ...4x16}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x?x16xf32>) -> tensor<2x3x?x16xf32>
  return %r : tensor<2x3x?x16xf32>
}

// -----

func.func @k_before_m(%a: tensor<5x2x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the lhs map affine_map<(d0, d1, d2) -> (d2, d0)>; expected the kinds of loops in the order batch, m, k}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<5x2x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @k_before_n(%a: tensor<2x5x4x1xf32>, %b: tensor<5x3x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the rhs map affine_map<(d0, d1, d2) -> (d2, d1)>; expected the kinds of loops in the order batch, n, k}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<5x3x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @n_before_m(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<3x2x4x16xf32>) -> tensor<3x2x4x16xf32> {
  // expected-error @below {{has the out map affine_map<(d0, d1, d2) -> (d1, d0)>; expected the kinds of loops in the order batch, m, n}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<3x2x4x16xf32>) -> tensor<3x2x4x16xf32>
  return %r : tensor<3x2x4x16xf32>
}

// -----

func.func @batch_of_lhs(%a: tensor<2x6x5x4x1xf32>, %b: tensor<6x3x5x16x1xf32>, %c: tensor<6x2x3x4x16xf32>) -> tensor<6x2x3x4x16xf32> {
  // expected-error @below {{has the lhs map affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>; expected the kinds}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : tensor<2x6x5x4x1xf32>, tensor<6x3x5x16x1xf32>) outs(%c : tensor<6x2x3x4x16xf32>) -> tensor<6x2x3x4x16xf32>
  return %r : tensor<6x2x3x4x16xf32>
}

// -----

func.func @batch_of_rhs(%a: tensor<6x2x5x4x1xf32>, %b: tensor<3x6x5x16x1xf32>, %c: tensor<6x2x3x4x16xf32>) -> tensor<6x2x3x4x16xf32> {
  // expected-error @below {{has the rhs map affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>; expected the kinds}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, b, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : tensor<6x2x5x4x1xf32>, tensor<3x6x5x16x1xf32>) outs(%c : tensor<6x2x3x4x16xf32>) -> tensor<6x2x3x4x16xf32>
  return %r : tensor<6x2x3x4x16xf32>
}

// -----

func.func @batch_of_out(%a: tensor<6x2x5x4x1xf32>, %b: tensor<6x3x5x16x1xf32>, %c: tensor<2x6x3x4x16xf32>) -> tensor<2x6x3x4x16xf32> {
  // expected-error @below {{has the out map affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>; expected the kinds}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (m, b, n)>]
      ins(%a, %b : tensor<6x2x5x4x1xf32>, tensor<6x3x5x16x1xf32>) outs(%c : tensor<2x6x3x4x16xf32>) -> tensor<2x6x3x4x16xf32>
  return %r : tensor<2x6x3x4x16xf32>
}

// -----

func.func @k_loops(%a: tensor<2x5x5x4x1xf32>, %b: tensor<3x5x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has its k loops in different orders in lhs and rhs}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (n, l, k)>, affine_map<(m, n, k, l) -> (m, n)>]
      ins(%a, %b : tensor<2x5x5x4x1xf32>, tensor<3x5x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @m_loops(%a: tensor<2x2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x2x3x4x16xf32>) -> tensor<2x2x3x4x16xf32> {
  // expected-error @below {{has its m loops in different orders in lhs and out}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, i, n, k) -> (m, i, k)>, affine_map<(m, i, n, k) -> (n, k)>, affine_map<(m, i, n, k) -> (i, m, n)>]
      ins(%a, %b : tensor<2x2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x2x3x4x16xf32>) -> tensor<2x2x3x4x16xf32>
  return %r : tensor<2x2x3x4x16xf32>
}

// -----

func.func @n_loops(%a: tensor<2x5x4x1xf32>, %b: tensor<3x3x5x16x1xf32>, %c: tensor<2x3x3x4x16xf32>) -> tensor<2x3x3x4x16xf32> {
  // expected-error @below {{has its n loops in different orders in rhs and out}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, j, k) -> (m, k)>, affine_map<(m, n, j, k) -> (n, j, k)>, affine_map<(m, n, j, k) -> (m, j, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x3x5x16x1xf32>) outs(%c : tensor<2x3x3x4x16xf32>) -> tensor<2x3x3x4x16xf32>
  return %r : tensor<2x3x3x4x16xf32>
}

// -----

func.func @batch_loops(%a: tensor<6x6x2x5x4x1xf32>, %b: tensor<6x6x3x5x16x1xf32>, %c: tensor<6x6x2x3x4x16xf32>) -> tensor<6x6x2x3x4x16xf32> {
  // expected-error @below {{has its batch loops in different orders in lhs and rhs}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(b, c, m, n, k) -> (b, c, m, k)>, affine_map<(b, c, m, n, k) -> (c, b, n, k)>, affine_map<(b, c, m, n, k) -> (b, c, m, n)>]
      ins(%a, %b : tensor<6x6x2x5x4x1xf32>, tensor<6x6x3x5x16x1xf32>) outs(%c : tensor<6x6x2x3x4x16xf32>) -> tensor<6x6x2x3x4x16xf32>
  return %r : tensor<6x6x2x3x4x16xf32>
}

// -----

func.func @batch_loops_of_out(%a: tensor<6x6x2x5x4x1xf32>, %b: tensor<6x6x3x5x16x1xf32>, %c: tensor<6x6x2x3x4x16xf32>) -> tensor<6x6x2x3x4x16xf32> {
  // expected-error @below {{has its batch loops in different orders in lhs and out}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(b, c, m, n, k) -> (b, c, m, k)>, affine_map<(b, c, m, n, k) -> (b, c, n, k)>, affine_map<(b, c, m, n, k) -> (c, b, m, n)>]
      ins(%a, %b : tensor<6x6x2x5x4x1xf32>, tensor<6x6x3x5x16x1xf32>) outs(%c : tensor<6x6x2x3x4x16xf32>) -> tensor<6x6x2x3x4x16xf32>
  return %r : tensor<6x6x2x3x4x16xf32>
}

// -----

func.func @k_sizes(%a: tensor<2x5x4x1xf32>, %b: tensor<3x7x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has the loop d2 of size 5 in lhs, but 7 in rhs}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x7x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @m_sizes(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<1x3x4x16xf32>) -> tensor<1x3x4x16xf32> {
  // expected-error @below {{has the loop d0 of size 2 in lhs, but 1 in out}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<1x3x4x16xf32>) -> tensor<1x3x4x16xf32>
  return %r : tensor<1x3x4x16xf32>
}

// -----

func.func @n_sizes(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<?x4x4x16xf32>) -> tensor<?x4x4x16xf32> {
  // expected-error @below {{has the loop d1 of size 3 in rhs, but 4 in out}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<?x4x4x16xf32>) -> tensor<?x4x4x16xf32>
  return %r : tensor<?x4x4x16xf32>
}

// -----

func.func @batch_sizes(%a: tensor<?x2x5x4x1xf32>, %b: tensor<6x3x5x16x1xf32>, %c: tensor<7x2x3x4x16xf32>) -> tensor<7x2x3x4x16xf32> {
  // expected-error @below {{has the loop d0 of size 6 in rhs, but 7 in out}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : tensor<?x2x5x4x1xf32>, tensor<6x3x5x16x1xf32>) outs(%c : tensor<7x2x3x4x16xf32>) -> tensor<7x2x3x4x16xf32>
  return %r : tensor<7x2x3x4x16xf32>
}

// -----

func.func @two_maps(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  // expected-error @below {{has 2 maps; expected those of lhs, rhs and out}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// -----

func.func @no_result(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) {
  // expected-error @below {{is on tensors with a result or on buffers without one, but lhs has type 'tensor<2x5x4x1xf32>'}}
  "tw.mmt4d"(%a, %b, %c) {tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
      : (tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>, tensor<2x3x4x16xf32>) -> ()
  return
}

// -----

func.func @name_for_tile(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) {
  // expected-error @below {{'tw.mmt4d' op attribute 'tile' failed to satisfy constraint: a tile function, and its plan}}
  "tw.mmt4d"(%a, %b, %c) {tile = "tw_mmt4d_tile_f32f32f32_4x16x1_generic",
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]}
      : (tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>, tensor<2x3x4x16xf32>) -> ()
  return
}

// -----

func.func @other_result(%a: tensor<2x5x4x1xf32>, %b: tensor<3x5x16x1xf32>, %c: tensor<2x3x4x16xf32>) -> tensor<2x?x4x16xf32> {
  // expected-error @below {{'tw.mmt4d' op expected type of operand #2}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<3x5x16x1xf32>) outs(%c : tensor<2x3x4x16xf32>) -> tensor<2x?x4x16xf32>
  return %r : tensor<2x?x4x16xf32>
}

// -----

func.func @scales_of_other_tile(%a: tensor<2x3x1x16x4x32xf8E4M3FN>, %b: tensor<5x3x1x16x4x32xf8E4M3FN>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{names the tile 'tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_amdgpu_gfx950', which takes no block scales, but has panels of them}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x4x32xf8E4M3FN>, tensor<5x3x1x16x4x32xf8E4M3FN>) scales(%p, %q : tensor<2x3x16x4xf8E8M0FNU>, tensor<5x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @one_panel_of_scales(%a: tensor<2x3x1x16x4x32xf8E4M3FN>, %b: tensor<5x3x1x16x4x32xf8E4M3FN>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has 1 panels of block scales; expected those of lhs and of rhs}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x4x32xf8E4M3FN>, tensor<5x3x1x16x4x32xf8E4M3FN>) scales(%p : tensor<2x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @no_dimension_of_blocks(%a: tensor<2x3x1x16x128xf8E4M3FN>, %b: tensor<5x3x1x16x4x32xf8E4M3FN>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has the lhs type 'tensor<2x3x1x16x128xf8E4M3FN>'; expected 3 dimensions, by its map, and 3 of the tile}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x128xf8E4M3FN>, tensor<5x3x1x16x4x32xf8E4M3FN>) scales(%p, %q : tensor<2x3x16x4xf8E8M0FNU>, tensor<5x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @other_blocks(%a: tensor<2x3x1x16x4x32xf8E4M3FN>, %b: tensor<5x3x1x16x8x16xf8E4M3FN>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has the rhs type 'tensor<5x3x1x16x8x16xf8E4M3FN>', but the tile's is ...16x4x32}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x4x32xf8E4M3FN>, tensor<5x3x1x16x8x16xf8E4M3FN>) scales(%p, %q : tensor<2x3x16x4xf8E8M0FNU>, tensor<5x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @several_blocks(%a: tensor<2x3x2x16x4x32xf8E4M3FN>, %b: tensor<5x3x2x16x4x32xf8E4M3FN>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has the lhs type 'tensor<2x3x2x16x4x32xf8E4M3FN>'; expected its last loop to be one of k, of one iteration, over blocks of 32}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x2x16x4x32xf8E4M3FN>, tensor<5x3x2x16x4x32xf8E4M3FN>) scales(%p, %q : tensor<2x3x16x4xf8E8M0FNU>, tensor<5x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @no_block_loop(%a: tensor<2x16x4x32xf8E4M3FN>, %b: tensor<5x16x4x32xf8E4M3FN>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has the lhs type 'tensor<2x16x4x32xf8E4M3FN>'; expected its last loop to be one of k, of one iteration, over blocks of 32}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>]
      ins(%a, %b : tensor<2x16x4x32xf8E4M3FN>, tensor<5x16x4x32xf8E4M3FN>) scales(%p, %q : tensor<2x3x16x4xf8E8M0FNU>, tensor<5x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @few_scales(%a: tensor<2x3x1x16x4x32xf8E4M3FN>, %b: tensor<5x3x1x16x4x32xf8E4M3FN>, %p: tensor<2x2x16x4xf8E8M0FNU>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has scales of lhs of type 'tensor<2x2x16x4xf8E8M0FNU>'; expected f8E8M0FNU and the dimensions of 'tensor<2x3x1x16x4x32xf8E4M3FN>' but those of a block}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x4x32xf8E4M3FN>, tensor<5x3x1x16x4x32xf8E4M3FN>) scales(%p, %q : tensor<2x2x16x4xf8E8M0FNU>, tensor<5x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @scales_of_other_tiles(%a: tensor<2x3x1x16x4x32xf8E4M3FN>, %b: tensor<5x3x1x16x4x32xf8E4M3FN>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x2xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has scales of rhs of type 'tensor<5x3x16x2xf8E8M0FNU>'; expected f8E8M0FNU and the dimensions}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x4x32xf8E4M3FN>, tensor<5x3x1x16x4x32xf8E4M3FN>) scales(%p, %q : tensor<2x3x16x4xf8E8M0FNU>, tensor<5x3x16x2xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @unknown_scales(%a: tensor<2x3x1x16x4x32xf8E4M3FN>, %b: tensor<5x3x1x16x4x32xf8E4M3FN>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x?xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has scales of rhs of type 'tensor<5x3x16x?xf8E8M0FNU>'; expected f8E8M0FNU and the dimensions}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x4x32xf8E4M3FN>, tensor<5x3x1x16x4x32xf8E4M3FN>) scales(%p, %q : tensor<2x3x16x4xf8E8M0FNU>, tensor<5x3x16x?xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @other_scales(%a: tensor<2x3x1x16x4x32xf8E4M3FN>, %b: tensor<5x3x1x16x4x32xf8E4M3FN>, %p: tensor<2x3x16x4xi8>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has scales of lhs of type 'tensor<2x3x16x4xi8>'; expected f8E8M0FNU and the dimensions}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x4x32xf8E4M3FN>, tensor<5x3x1x16x4x32xf8E4M3FN>) scales(%p, %q : tensor<2x3x16x4xi8>, tensor<5x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @rhs_not_in_groups(%a: tensor<2x5x32x64xi8>, %b: tensor<3x5x32x64xi8>, %c: tensor<2x3x32x32xi32>) -> tensor<2x3x32x32xi32> {
  // expected-error @below {{has the rhs type 'tensor<3x5x32x64xi8>'; expected 2 dimensions, by its map, and 3 of the tile}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x32x64xi8>, tensor<3x5x32x64xi8>) outs(%c : tensor<2x3x32x32xi32>) -> tensor<2x3x32x32xi32>
  return %r : tensor<2x3x32x32xi32>
}

// -----

// The rows of a group, of 4 bytes, and those of all of K0 have changed places.
func.func @rhs_in_other_groups(%a: tensor<2x5x32x32xbf16>, %b: tensor<3x5x32x16x2xbf16>, %c: tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32> {
  // expected-error @below {{has the rhs type 'tensor<3x5x32x16x2xbf16>', but the tile's is ...16x32x2, in groups along K}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_bf16bf16f32_32x32x32_vnni_x86_64_amx_bf16">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x32x32xbf16>, tensor<3x5x32x16x2xbf16>) outs(%c : tensor<2x3x32x32xf32>) -> tensor<2x3x32x32xf32>
  return %r : tensor<2x3x32x32xf32>
}

// -----

func.func @in_groups_without_variant(%a: tensor<2x5x8x4xi8>, %b: tensor<3x5x1x32x4xi8>, %c: tensor<2x3x8x32xi32>) -> tensor<2x3x8x32xi32> {
  // expected-error @below {{has the rhs type 'tensor<3x5x1x32x4xi8>'; expected 2 dimensions, by its map, and 2 of the tile}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni">
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x8x4xi8>, tensor<3x5x1x32x4xi8>) outs(%c : tensor<2x3x8x32xi32>) -> tensor<2x3x8x32xi32>
  return %r : tensor<2x3x8x32xi32>
}

// -----

func.func @parts_of_bytes(%a: tensor<2x3x1x16x4x32xf4E2M1FN>, %b: tensor<5x3x1x16x4x32xf8E5M2>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has lhs elements of 'f4E2M1FN', but those of the tile are f4e2m1fn, several in a byte; expected i8}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f4e2m1fnf8e5m2f32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x4x32xf4E2M1FN>, tensor<5x3x1x16x4x32xf8E5M2>) scales(%p, %q : tensor<2x3x16x4xf8E8M0FNU>, tensor<5x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}

// -----

func.func @blocks_of_bytes(%a: tensor<2x3x1x16x4x16xi8>, %b: tensor<5x3x1x16x4x16xi8>, %p: tensor<2x3x16x4xf8E8M0FNU>, %q: tensor<5x3x16x4xf8E8M0FNU>, %c: tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32> {
  // expected-error @below {{has the rhs type 'tensor<5x3x1x16x4x16xi8>', but the tile's is ...16x4x24}}
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f4e2m1fnf6e2m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : tensor<2x3x1x16x4x16xi8>, tensor<5x3x1x16x4x16xi8>) scales(%p, %q : tensor<2x3x16x4xf8E8M0FNU>, tensor<5x3x16x4xf8E8M0FNU>) outs(%c : tensor<2x5x16x16xf32>) -> tensor<2x5x16x16xf32>
  return %r : tensor<2x5x16x16xf32>
}
