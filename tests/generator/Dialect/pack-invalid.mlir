// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of pack functions rely on: one case for each thing that is checked.

// RUN: tw-opt %s --split-input-file --verify-diagnostics

func.func @no_name(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{'tw_pack_32' is not the name of a pack function: it starts neither with}}
  %r = tw.pack "tw_pack_32" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @unknown_isa(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{unknown instruction set 'vax'}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_vax" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @other_way(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{has the function 'tw_unpack_tile_32_rows_12x1_generic', which goes the other way}}
  %r = tw.pack "tw_unpack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @tensor_and_buffer(%a: memref<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{is on tensors with a result or on buffers without one, but an operand has type 'memref<23x8xf32>'}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : memref<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @buffers_without_result(%a: tensor<23x8xf32>, %p: memref<2x8x12x1xf32>) {
  // expected-error @below {{is on tensors with a result or on buffers without one, but an operand has type 'tensor<23x8xf32>'}}
  tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : memref<2x8x12x1xf32>)
  return
}

// -----

func.func @elements(%a: tensor<23x8xf16>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{has elements of 'f16' and of 'f32'}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf16>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @padding(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>, %z: f16) {
  // expected-error @below {{has padding of type 'f16', but elements of 'f32'}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) padding(%z : f16) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @not_all_outer(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{has the outer dimensions [0] of the type 'tensor<23x8xf32>'; expected each of its dimensions once}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @outer_twice(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{has the outer dimensions [0, 0] of the type 'tensor<23x8xf32>'; expected each of its dimensions once}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 0] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @no_such_inner(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{has the inner dimensions [0, 2] of the type 'tensor<23x8xf32>'; expected different ones of it}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 2]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @inner_twice(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{has the inner dimensions [0, 0] of the type 'tensor<23x8xf32>'; expected different ones of it}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 0]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @rank(%a: tensor<23x8xf32>, %p: tensor<2x8x12xf32>) {
  // expected-error @below {{has the packed type 'tensor<2x8x12xf32>'; expected 2 dimensions and 2 of tiles}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  return
}

// -----

func.func @layout(%a: tensor<23x8x5xf32>, %p: tensor<2x8x5x12x1xf32>) {
  // expected-error @below {{has no layout of a pack function: dimension 2 of the matrix, the innermost, is not tiled}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1, 2] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8x5xf32>) outs(%p : tensor<2x8x5x12x1xf32>) -> tensor<2x8x5x12x1xf32>
  return
}

// -----

func.func @dynamic_tile(%a: tensor<23x8xf32>, %p: tensor<2x8x?x1xf32>) {
  // expected-error @below {{has no layout of a pack function: an inner tile has a dynamic size, where 1 to 1024 can be}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x?x1xf32>) -> tensor<2x8x?x1xf32>
  return
}

// -----

func.func @bits(%a: tensor<23x8xi24>, %p: tensor<2x8x12x1xi24>) {
  // expected-error @below {{has no pack function: elements have 24 bits, but must have one of 4, 8, 16, 32, 64}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xi24>) outs(%p : tensor<2x8x12x1xi24>) -> tensor<2x8x12x1xi24>
  return
}

// -----

func.func @other_tile(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{has the function 'tw_pack_tile_32_rows_12x2_generic', but needs one like 'tw_pack_tile_32_rows_12x1_generic'}}
  %r = tw.pack "tw_pack_tile_32_rows_12x2_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @other_bits(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{has the function 'tw_pack_tile_16_rows_12x1_generic', but needs one like 'tw_pack_tile_32_rows_12x1_generic'}}
  %r = tw.pack "tw_pack_tile_16_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @other_lines(%a: tensor<23x8xf32>, %p: tensor<2x8x12x1xf32>) {
  // expected-error @below {{has the function 'tw_pack_tile_32_cols_12x1_generic', but needs one like 'tw_pack_tile_32_rows_12x1_generic'}}
  %r = tw.pack "tw_pack_tile_32_cols_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<2x8x12x1xf32>) -> tensor<2x8x12x1xf32>
  return
}

// -----

func.func @too_few_tiles(%a: tensor<23x8xf32>, %p: tensor<1x8x12x1xf32>) {
  // expected-error @below {{has 12 elements along dimension 0 in the packed type 'tensor<1x8x12x1xf32>', but 23 in 'tensor<23x8xf32>'}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<23x8xf32>) outs(%p : tensor<1x8x12x1xf32>) -> tensor<1x8x12x1xf32>
  return
}

// -----

func.func @other_batch(%a: tensor<3x23x8xf32>, %p: tensor<4x2x8x12x1xf32>) {
  // expected-error @below {{has 4 elements along dimension 0 in the packed type 'tensor<4x2x8x12x1xf32>', but 3 in 'tensor<3x23x8xf32>'}}
  %r = tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1, 2] inner_dims_pos = [1, 2]
      ins(%a : tensor<3x23x8xf32>) outs(%p : tensor<4x2x8x12x1xf32>) -> tensor<4x2x8x12x1xf32>
  return
}

// -----

func.func @unpacked(%a: tensor<2x8x12x1xf32>, %p: tensor<23x8xf32>) {
  // expected-error @below {{has the function 'tw_unpack_tile_32_rows_12x2_generic', but needs one like 'tw_unpack_tile_32_rows_12x1_generic'}}
  %r = tw.unpack "tw_unpack_tile_32_rows_12x2_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : tensor<2x8x12x1xf32>) outs(%p : tensor<23x8xf32>) -> tensor<23x8xf32>
  return
}
