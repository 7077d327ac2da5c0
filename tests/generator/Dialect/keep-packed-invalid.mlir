// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s -split-input-file -verify-diagnostics

func.func @no_tile(%w: memref<64x96xf32>) {
  // expected-error@+1 {{tile}}
  %0 = tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32"> %w n = 1 k = 0 : memref<64x96xf32>
  return
}

// -----

func.func @other_elements(%w: memref<64x96xf16>) {
  // expected-error@+1 {{packs a matrix of type 'memref<64x96xf16>'; expected a contiguous one of the tile's f32, of whole bytes}}
  %0 = tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> %w n = 1 k = 0 : memref<64x96xf16>
  return
}

// -----

func.func @apart(%w: memref<64x96xf32, strided<[100, 1]>>) {
  // expected-error@+1 {{expected a contiguous one}}
  %0 = tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> %w n = 1 k = 0 : memref<64x96xf32, strided<[100, 1]>>
  return
}

// -----

func.func @same_dimension(%w: memref<64x96xf32>) {
  // expected-error@+1 {{has n = 1 and 1 dimensions from k = 1; expected different ones of 2, one of them the last}}
  %0 = tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> %w n = 1 k = 1 : memref<64x96xf32>
  return
}

// -----

func.func @outside(%w: memref<64x96xf32>) {
  // expected-error@+1 {{has n = 0 and 2 dimensions from k = 1; expected different ones of 2}}
  %0 = tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> %w n = 0 k = 1 k_dims = 2 : memref<64x96xf32>
  return
}

// -----

func.func @neither_is_last(%w: memref<64x96x2xf32>) {
  // expected-error@+1 {{has n = 1 and 1 dimensions from k = 0; expected different ones of 3, one of them the last}}
  %0 = tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> %w n = 1 k = 0 : memref<64x96x2xf32>
  return
}
