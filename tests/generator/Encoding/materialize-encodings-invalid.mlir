// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --tw-materialize-encodings --verify-diagnostics

#e = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, ?, ?]>
// expected-error @below {{has the type 'tensor<8x8xf32, #tw.encoding<lhs, types = [f32, f32, f32]}}
func.func @argument(%x: tensor<8x8xf32, #e>) {
  return
}

// -----

#e = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, ?, ?]>
// expected-error @below {{, whose layout is not known; run tw-specialize-encodings}}
func.func private @declaration() -> tensor<8x8xf32, #e>

// -----

#e = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, ?, ?]>
func.func @value() {
  // expected-error @below {{, whose layout is not known; run tw-specialize-encodings}}
  %0 = tensor.empty() : tensor<8x8xf32, #e>
  return
}

// -----

#e = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, ?, ?]>
func.func @size() -> index {
  // expected-error @below {{, whose layout is not known; run tw-specialize-encodings}}
  %0 = tw.encoding_size tensor<8x8xf32, #e> () : index
  return %0 : index
}

// -----

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @dim(%x: tensor<?xf32, #layout>) -> index {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'tensor.dim' op takes or makes an encoded tensor, which it does not know how to pack; expected it behind tw.unset_encoding}}
  %0 = tensor.dim %x, %c0 : tensor<?xf32, #layout>
  return %0 : index
}

// -----

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @slice(%x: tensor<8xf32, #layout>) -> tensor<4xf32, #layout> {
  // expected-error @below {{'tensor.extract_slice' op does not take whole tiles out of a tensor that lies in tiles; expected it behind tw.unset_encoding}}
  %0 = tensor.extract_slice %x[2] [4] [1] : tensor<8xf32, #layout> to tensor<4xf32, #layout>
  return %0 : tensor<4xf32, #layout>
}

// -----

// The first part does not have whole tiles.
#fine = #tw.layout<outer = [0, 1], inner = [1], tiles = [4]>
#coarse = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @reshape(%x: tensor<12xf32, #coarse>) -> tensor<2x6xf32, #fine> {
  // expected-error @below {{'tensor.expand_shape' op moves elements of tensors that lie in tiles; expected it behind tw.unset_encoding}}
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 6] : tensor<12xf32, #coarse> into tensor<2x6xf32, #fine>
  return %0 : tensor<2x6xf32, #fine>
}

// -----

// How much of the last tile is to be summed up is not known.
#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [4, 4]>
#rows = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @sum(%x: tensor<8x?xf32, #layout>, %d: tensor<8xf32, #rows>) -> tensor<8xf32, #rows> {
  // expected-error @below {{op has an operand with #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [4, 4]>, and no tile function}}
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x?xf32, #layout>) outs(%d : tensor<8xf32, #rows>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32, #rows>
  return %0 : tensor<8xf32, #rows>
}

// -----

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @cast(%x: tensor<8xf32, #layout>) -> tensor<8xf32> {
  // expected-error @below {{'tensor.cast' op is between tensors that lie differently; run tw-verify-encodings before}}
  %0 = tensor.cast %x : tensor<8xf32, #layout> to tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @cast_to_other(%x: tensor<8xf32, #layout>) -> tensor<8xf32, #tw.layout<identity>> {
  // expected-error @below {{'tensor.cast' op is between tensors that lie differently}}
  %0 = tensor.cast %x : tensor<8xf32, #layout> to tensor<8xf32, #tw.layout<identity>>
  return %0 : tensor<8xf32, #tw.layout<identity>>
}

// -----

// The packed form does not say how large the tensor is.
#a = #tw.layout<outer = [0], inner = [0], tiles = [4]>
#b = #tw.layout<outer = [0], inner = [0], tiles = [8]>
func.func @relayout(%x: tensor<?xf32, #a>, %d: tensor<?xf32, #b>) -> tensor<?xf32, #b> {
  // expected-error @below {{op has a destination that is no tensor.empty, which says what sizes the tensor has}}
  %0 = tw.relayout ins(%x : tensor<?xf32, #a>) outs(%d : tensor<?xf32, #b>) -> tensor<?xf32, #b>
  return %0 : tensor<?xf32, #b>
}

// -----

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @fill(%d: tensor<?xf32, #layout>, %v: f32) -> tensor<?xf32, #layout> {
  // expected-error @below {{op has a destination that is no tensor.empty, which says what sizes the tensor has}}
  %0 = linalg.fill ins(%v : f32) outs(%d : tensor<?xf32, #layout>) -> tensor<?xf32, #layout>
  return %0 : tensor<?xf32, #layout>
}

// -----

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
#other = #tw.layout<outer = [0], inner = [0], tiles = [2]>
#all = affine_map<(i) -> (i)>
func.func @elementwise(%a: tensor<8xf32, #other>, %c: tensor<8xf32, #layout>) -> tensor<8xf32, #layout> {
  // expected-error @below {{op has an operand with #tw.layout<outer = [0], inner = [0], tiles = [2]>, and no tile function; expected it behind tw.unset_encoding}}
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%a : tensor<8xf32, #other>) outs(%c : tensor<8xf32, #layout>) {
  ^bb0(%x: f32, %o: f32):
    %p = math.exp %x : f32
    linalg.yield %p : f32
  } -> tensor<8xf32, #layout>
  return %r : tensor<8xf32, #layout>
}

// -----

// What its tile function does is what it does.
#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#all = affine_map<(i, j) -> (i, j)>
func.func @no_product(%a: tensor<8x8xf32, #layout>, %c: tensor<8x8xf32, #layout>) -> tensor<8x8xf32, #layout> {
  // expected-error @below {{op has the tile function "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx512_base", but does not add products of two operands}}
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x8xf32, #layout>) outs(%c : tensor<8x8xf32, #layout>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx512_base">} {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<8x8xf32, #layout>
  return %r : tensor<8x8xf32, #layout>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
func.func @other_body(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @below {{but does not add products of two operands}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#rhs = #tw.layout<identity>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
func.func @mixed_identity(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @below {{op has operand 1 of type 'tensor<8x8xf32, #tw.layout<identity>>'; expected a layout with two tiles, without a swizzle or in groups along K, as tw.mmt4d takes it}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0], tiles = [8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
func.func @one_tile(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error-re @below {{op has operand 0 of type 'tensor<8x8xf32, #tw.layout<{{.*}}>>'; expected a layout with two tiles}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8], swizzle = [[8], [2, 4]] perm [1, 0, 2]>
func.func @swizzle(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error-re @below {{op has operand 2 of type 'tensor<8x8xf32, #tw.layout<{{.*}}>>'; expected a layout with two tiles and without a swizzle}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

// Square tiles that are transposed look like those that are not.
#lhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
func.func @lhs_transposed(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @below {{op has operands with tiles of different loops; expected lhs in tiles of m and k, rhs of n and k, out of m and n}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#rhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
func.func @rhs_transposed(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @below {{op has operands with tiles of different loops; expected lhs in tiles of m and k, rhs of n and k, out of m and n}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [1, 0], tiles = [8, 8]>
func.func @out_transposed(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @below {{op has operands with tiles of different loops; expected lhs in tiles of m and k, rhs of n and k, out of m and n}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

// What tw.mmt4d says of itself.
#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
func.func @tile_sizes(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @below {{'tw.mmt4d' op has the lhs type 'tensor<1x1x8x8xf32>', but the tile's is ...8x1}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
func.func @no_tile(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @+2 {{'add' is not a tile name}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"add">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
func.func @elements(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @below {{'tw.mmt4d' op has lhs elements of 'f32', but those of the tile are f64}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f64f64f64_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}

// -----

// Integers in memory have no sign: the extension has.
#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 8]>
func.func @signs(%a: tensor<8x8xi8, #lhs>, %b: tensor<8x8xi8, #rhs>, %c: tensor<8x8xi32, #out>) -> tensor<8x8xi32, #out> {
  // expected-error @below {{op multiplies operand 0 as s8, but its tile function "tw_mmt4d_tile_u8s8s32_8x8x8_x86_64_avx512_base" as u8}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xi8, #lhs>, tensor<8x8xi8, #rhs>) outs(%c : tensor<8x8xi32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_u8s8s32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %e = arith.extsi %x : i8 to i32
    %f = arith.extsi %y : i8 to i32
    %p = arith.muli %e, %f : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<8x8xi32, #out>
  return %r : tensor<8x8xi32, #out>
}

// -----

// Out in tiles of one loop of m, lhs in those of another.
#lhs = #tw.layout<outer = [0, 1, 2], inner = [1, 2], tiles = [8, 8]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1, 2], inner = [0, 2], tiles = [8, 8]>
func.func @other_m(%a: tensor<8x8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8x8xf32, #out>) -> tensor<8x8x8xf32, #out> {
  // expected-error @below {{op has operands with tiles of different loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(p, m, n, k) -> (p, m, k)>, affine_map<(p, m, n, k) -> (k, n)>, affine_map<(p, m, n, k) -> (p, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8x8xf32, #out>
  return %r : tensor<8x8x8xf32, #out>
}

// -----

// A loop of the batch in place of m.
#lhs = #tw.layout<outer = [0, 1, 2], inner = [0, 2], tiles = [8, 8]>
#rhs = #tw.layout<outer = [0, 2, 1], inner = [2, 1], tiles = [8, 8]>
#out = #tw.layout<outer = [0, 1, 2], inner = [0, 2], tiles = [8, 8]>
func.func @batch(%a: tensor<8x8x8xf32, #lhs>, %b: tensor<8x8x8xf32, #rhs>, %c: tensor<8x8x8xf32, #out>) -> tensor<8x8x8xf32, #out> {
  // expected-error @below {{op has operands with tiles of different loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8x8xf32, #lhs>, tensor<8x8x8xf32, #rhs>) outs(%c : tensor<8x8x8xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x8_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8x8xf32, #out>
  return %r : tensor<8x8x8xf32, #out>
}

// -----

// Windows are gathered from the tensor as it lies.
#x = affine_map<(o, n, k, c) -> (o + k, c)>
#w = affine_map<(o, n, k, c) -> (k, c, n)>
#o = affine_map<(o, n, k, c) -> (o, n)>
#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 1]>
#rhs = #tw.layout<outer = [2, 0, 1], inner = [2, 1], tiles = [16, 1]>
#out = #tw.layout<identity>
func.func @packed_windows(%x: tensor<9x5xf32, #lhs>, %w: tensor<3x5x16xf32, #rhs>, %o: tensor<7x16xf32, #out>) -> tensor<7x16xf32, #out> {
  // expected-error @below {{has operand 0 of type}}
  %r = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<9x5xf32, #lhs>, tensor<3x5x16xf32, #rhs>) outs(%o : tensor<7x16xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base">} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x16xf32, #out>
  return %r : tensor<7x16xf32, #out>
}

// -----

// Panels have all columns of 16 filters.
#x = affine_map<(o, n, k, c) -> (o + k, c)>
#w = affine_map<(o, n, k, c) -> (k, c, n)>
#o = affine_map<(o, n, k, c) -> (o, n)>
#lhs = #tw.layout<identity>
#rhs = #tw.layout<outer = [0, 2, 1], inner = [2, 1], tiles = [16, 1]>
#out = #tw.layout<identity>
func.func @panels_of_other_loops(%x: tensor<9x5xf32, #lhs>, %w: tensor<3x5x16xf32, #rhs>, %o: tensor<7x16xf32, #out>) -> tensor<7x16xf32, #out> {
  // expected-error @below {{which are not panels that its tile function}}
  %r = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<9x5xf32, #lhs>, tensor<3x5x16xf32, #rhs>) outs(%o : tensor<7x16xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base">} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x16xf32, #out>
  return %r : tensor<7x16xf32, #out>
}

// -----

// Steps are those of the last loop of the panels.
#x = affine_map<(o, n, k, c) -> (o + k, c)>
#w = affine_map<(o, n, k, c) -> (k, c, n)>
#o = affine_map<(o, n, k, c) -> (o, n)>
#lhs = #tw.layout<identity>
#rhs = #tw.layout<outer = [2, 0, 1], inner = [2, 0], tiles = [16, 1]>
#out = #tw.layout<identity>
func.func @steps_of_other_loops(%x: tensor<9x5xf32, #lhs>, %w: tensor<3x5x16xf32, #rhs>, %o: tensor<7x16xf32, #out>) -> tensor<7x16xf32, #out> {
  // expected-error @below {{which are not panels that its tile function}}
  %r = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<9x5xf32, #lhs>, tensor<3x5x16xf32, #rhs>) outs(%o : tensor<7x16xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base">} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x16xf32, #out>
  return %r : tensor<7x16xf32, #out>
}

// -----

// A tile takes panels of its own sizes.
#x = affine_map<(o, n, k, c) -> (o + k, c)>
#w = affine_map<(o, n, k, c) -> (k, c, n)>
#o = affine_map<(o, n, k, c) -> (o, n)>
#lhs = #tw.layout<identity>
#rhs = #tw.layout<outer = [2, 0, 1], inner = [2, 1], tiles = [8, 1]>
#out = #tw.layout<identity>
func.func @panels_of_other_sizes(%x: tensor<9x5xf32, #lhs>, %w: tensor<3x5x16xf32, #rhs>, %o: tensor<7x16xf32, #out>) -> tensor<7x16xf32, #out> {
  // expected-error @below {{op has the rhs type}}
  %r = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<9x5xf32, #lhs>, tensor<3x5x16xf32, #rhs>) outs(%o : tensor<7x16xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base">} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x16xf32, #out>
  return %r : tensor<7x16xf32, #out>
}

// -----

// Groups come first: each has panels of its own.
#x = affine_map<(g, o, n, k, c) -> (g, o + k, c)>
#w = affine_map<(g, o, n, k, c) -> (g, k, c, n)>
#o = affine_map<(g, o, n, k, c) -> (g, o, n)>
#lhs = #tw.layout<identity>
#rhs = #tw.layout<outer = [3, 0, 1, 2], inner = [3, 2], tiles = [16, 1]>
#out = #tw.layout<identity>
func.func @panels_of_groups(%x: tensor<2x9x5xf32, #lhs>, %w: tensor<2x3x5x16xf32, #rhs>, %o: tensor<2x7x16xf32, #out>) -> tensor<2x7x16xf32, #out> {
  // expected-error @below {{which are not panels that its tile function}}
  %r = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x9x5xf32, #lhs>, tensor<2x3x5x16xf32, #rhs>) outs(%o : tensor<2x7x16xf32, #out>) attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base">} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x7x16xf32, #out>
  return %r : tensor<2x7x16xf32, #out>
}

// -----

#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#l = #tw.layout<outer = [0, 1, 2], inner = [0, 1, 2], tiles = [16, 4, 32]>
#r = #tw.layout<outer = [0, 1, 2], inner = [0, 1, 2], tiles = [16, 4, 32]>
#ls = #tw.layout<outer = [1, 0], inner = [0, 1], tiles = [16, 4]>
#rs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 4]>
#o = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 16]>
func.func @scales_of_other_order(%a: tensor<16x4x32xf8E4M3FN, #l>, %b: tensor<16x4x32xf8E4M3FN, #r>, %p: tensor<16x4xf8E8M0FNU, #ls>, %q: tensor<16x4xf8E8M0FNU, #rs>, %c: tensor<16x16xf32, #o>) -> tensor<16x16xf32, #o> {
  // expected-error @below {{has operand 0 of type 'tensor<16x4x32xf8E4M3FN, #tw.layout<outer = [0, 1, 2], inner = [0, 1, 2], tiles = [16, 4, 32]>>' and its scales of type 'tensor<16x4xf8E8M0FNU, #tw.layout<outer = [1, 0], inner = [0, 1], tiles = [16, 4]>>'; expected the same order and tiles, but for the loop through a block, which is last}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %p, %q : tensor<16x4x32xf8E4M3FN, #l>, tensor<16x4x32xf8E4M3FN, #r>, tensor<16x4xf8E8M0FNU, #ls>, tensor<16x4xf8E8M0FNU, #rs>) outs(%c : tensor<16x16xf32, #o>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">} {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %s: f8E8M0FNU, %t: f8E8M0FNU, %old: f32):
    %u = arith.scaling_extf %x, %s : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %t : f8E4M3FN, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %sum = arith.addf %old, %w : f32
    linalg.yield %sum : f32
  } -> tensor<16x16xf32, #o>
  return %r : tensor<16x16xf32, #o>
}

// -----

#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#l = #tw.layout<outer = [0, 2, 1], inner = [0, 1, 2], tiles = [16, 4, 32]>
#r = #tw.layout<outer = [0, 1, 2], inner = [0, 1, 2], tiles = [16, 4, 32]>
#ls = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 4]>
#rs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 4]>
#o = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 16]>
func.func @blocks_first(%a: tensor<16x4x32xf8E4M3FN, #l>, %b: tensor<16x4x32xf8E4M3FN, #r>, %p: tensor<16x4xf8E8M0FNU, #ls>, %q: tensor<16x4xf8E8M0FNU, #rs>, %c: tensor<16x16xf32, #o>) -> tensor<16x16xf32, #o> {
  // expected-error @below {{expected the same order and tiles, but for the loop through a block, which is last}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %p, %q : tensor<16x4x32xf8E4M3FN, #l>, tensor<16x4x32xf8E4M3FN, #r>, tensor<16x4xf8E8M0FNU, #ls>, tensor<16x4xf8E8M0FNU, #rs>) outs(%c : tensor<16x16xf32, #o>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">} {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %s: f8E8M0FNU, %t: f8E8M0FNU, %old: f32):
    %u = arith.scaling_extf %x, %s : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %t : f8E4M3FN, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %sum = arith.addf %old, %w : f32
    linalg.yield %sum : f32
  } -> tensor<16x16xf32, #o>
  return %r : tensor<16x16xf32, #o>
}

// -----

#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#l = #tw.layout<outer = [0, 1, 2], inner = [0, 1, 2], tiles = [16, 4, 32]>
#r = #tw.layout<outer = [0, 1, 2], inner = [0, 1, 2], tiles = [16, 4, 32]>
#ls = #tw.layout<outer = [0, 1], inner = [1, 0], tiles = [4, 16]>
#rs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 4]>
#o = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 16]>
func.func @scales_transposed(%a: tensor<16x4x32xf8E4M3FN, #l>, %b: tensor<16x4x32xf8E4M3FN, #r>, %p: tensor<16x4xf8E8M0FNU, #ls>, %q: tensor<16x4xf8E8M0FNU, #rs>, %c: tensor<16x16xf32, #o>) -> tensor<16x16xf32, #o> {
  // expected-error @below {{expected the same order and tiles, but for the loop through a block, which is last}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %p, %q : tensor<16x4x32xf8E4M3FN, #l>, tensor<16x4x32xf8E4M3FN, #r>, tensor<16x4xf8E8M0FNU, #ls>, tensor<16x4xf8E8M0FNU, #rs>) outs(%c : tensor<16x16xf32, #o>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">} {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %s: f8E8M0FNU, %t: f8E8M0FNU, %old: f32):
    %u = arith.scaling_extf %x, %s : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %t : f8E4M3FN, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %sum = arith.addf %old, %w : f32
    linalg.yield %sum : f32
  } -> tensor<16x16xf32, #o>
  return %r : tensor<16x16xf32, #o>
}

// -----

#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#l = #tw.layout<outer = [0, 1, 2], inner = [0, 1], tiles = [16, 4]>
#r = #tw.layout<outer = [0, 1, 2], inner = [0, 1, 2], tiles = [16, 4, 32]>
#ls = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 4]>
#rs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 4]>
#o = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 16]>
func.func @no_tile_of_blocks(%a: tensor<16x4x32xf8E4M3FN, #l>, %b: tensor<16x4x32xf8E4M3FN, #r>, %p: tensor<16x4xf8E8M0FNU, #ls>, %q: tensor<16x4xf8E8M0FNU, #rs>, %c: tensor<16x16xf32, #o>) -> tensor<16x16xf32, #o> {
  // expected-error @below {{expected a layout with three tiles and without a swizzle, as tw.mmt4d takes it}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %p, %q : tensor<16x4x32xf8E4M3FN, #l>, tensor<16x4x32xf8E4M3FN, #r>, tensor<16x4xf8E8M0FNU, #ls>, tensor<16x4xf8E8M0FNU, #rs>) outs(%c : tensor<16x16xf32, #o>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">} {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %s: f8E8M0FNU, %t: f8E8M0FNU, %old: f32):
    %u = arith.scaling_extf %x, %s : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %t : f8E4M3FN, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %sum = arith.addf %old, %w : f32
    linalg.yield %sum : f32
  } -> tensor<16x16xf32, #o>
  return %r : tensor<16x16xf32, #o>
}

// -----

#l = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [2, 32]>
func.func @stream(%x: tensor<4x32xf4E2M1FN, #l>, %e: tensor<4x32xf4E2M1FN>) -> tensor<4x32xf4E2M1FN> {
  // expected-error @below {{takes panels of several elements in a byte, which are only multiplied; expected it on tensors without an encoding}}
  %y = tw.unset_encoding ins(%x : tensor<4x32xf4E2M1FN, #l>) outs(%e : tensor<4x32xf4E2M1FN>) -> tensor<4x32xf4E2M1FN>
  return %y : tensor<4x32xf4E2M1FN>
}

// -----

#l = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [2, 32]>
#all = affine_map<(i, j) -> (i, j)>
func.func @computed_stream(%x: tensor<4x32xf4E2M1FN, #l>, %e: tensor<4x32xf32, #l>) -> tensor<4x32xf32, #l> {
  // expected-error @below {{takes panels of several elements in a byte, which are only multiplied}}
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x32xf4E2M1FN, #l>) outs(%e : tensor<4x32xf32, #l>) {
  ^bb0(%a: f4E2M1FN, %o: f32):
    %b = arith.extf %a : f4E2M1FN to f32
    linalg.yield %b : f32
  } -> tensor<4x32xf32, #l>
  return %y : tensor<4x32xf32, #l>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 64]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [16, 64], swizzle = [[16], [16, 4]] perm [0, 1, 2]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 16]>
func.func @no_groups(%a: tensor<?x100xi8, #lhs>, %b: tensor<100x96xi8, #rhs>, %c: tensor<?x96xi32, #out>) -> tensor<?x96xi32, #out> {
  // expected-error-re @below {{op has operand 1 of type 'tensor<100x96xi8, #tw.layout<{{.*}}>>'; expected a layout with two tiles, without a swizzle or in groups along K}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x100xi8, #lhs>, tensor<100x96xi8, #rhs>) outs(%c : tensor<?x96xi32, #out>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_s8s8s32_32x16x64_vnni_x86_64_amx_int8">} {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x96xi32, #out>
  return %r : tensor<?x96xi32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 64]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [16, 64], swizzle = [[4, 4], [16, 4]] perm [2, 0, 1, 3]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 16]>
func.func @two_factors(%a: tensor<?x100xi8, #lhs>, %b: tensor<100x96xi8, #rhs>, %c: tensor<?x96xi32, #out>) -> tensor<?x96xi32, #out> {
  // expected-error-re @below {{op has operand 1 of type 'tensor<100x96xi8, #tw.layout<{{.*}}>>'; expected a layout with two tiles, without a swizzle or in groups along K}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x100xi8, #lhs>, tensor<100x96xi8, #rhs>) outs(%c : tensor<?x96xi32, #out>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_s8s8s32_32x16x64_vnni_x86_64_amx_int8">} {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x96xi32, #out>
  return %r : tensor<?x96xi32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 64]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [16, 64], swizzle = [[16], [32, 2]] perm [1, 0, 2]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 16]>
func.func @other_groups(%a: tensor<?x100xi8, #lhs>, %b: tensor<100x96xi8, #rhs>, %c: tensor<?x96xi32, #out>) -> tensor<?x96xi32, #out> {
  // expected-error @below {{has the rhs type 'tensor<6x2x32x16x2xi8>', but the tile's is ...16x16x4, in groups along K}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x100xi8, #lhs>, tensor<100x96xi8, #rhs>) outs(%c : tensor<?x96xi32, #out>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_s8s8s32_32x16x64_vnni_x86_64_amx_int8">} {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x96xi32, #out>
  return %r : tensor<?x96xi32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 64]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [16, 64]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 16]>
func.func @not_in_groups(%a: tensor<?x100xi8, #lhs>, %b: tensor<100x96xi8, #rhs>, %c: tensor<?x96xi32, #out>) -> tensor<?x96xi32, #out> {
  // expected-error @below {{has the rhs type 'tensor<6x2x16x64xi8>'; expected 2 dimensions, by its map, and 3 of the tile}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x100xi8, #lhs>, tensor<100x96xi8, #rhs>) outs(%c : tensor<?x96xi32, #out>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_s8s8s32_32x16x64_vnni_x86_64_amx_int8">} {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x96xi32, #out>
  return %r : tensor<?x96xi32, #out>
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 64]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [16, 64], swizzle = [[16], [16, 4]] perm [1, 0, 2]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 16]>
func.func @groups_without_variant(%a: tensor<?x100xi8, #lhs>, %b: tensor<100x96xi8, #rhs>, %c: tensor<?x96xi32, #out>) -> tensor<?x96xi32, #out> {
  // expected-error @below {{has the rhs type 'tensor<6x2x16x16x4xi8>'; expected 2 dimensions, by its map, and 2 of the tile}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x100xi8, #lhs>, tensor<100x96xi8, #rhs>) outs(%c : tensor<?x96xi32, #out>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_s8s8s32_32x16x64_x86_64_avx512_vnni">} {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x96xi32, #out>
  return %r : tensor<?x96xi32, #out>
}
