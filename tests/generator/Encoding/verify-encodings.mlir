// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --tw-verify-encodings --verify-diagnostics

// What keeps encodings, or says what it does with them.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
func.func private @callee(tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out>
func.func @good(%a: tensor<?x64xf32>, %b: tensor<64x96xf32, #rhs>, %m: index, %c: i1, %z: f32, %other: tensor<4xf32, "sparse">) -> tensor<4x96xf32, #out> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%m) : tensor<?x64xf32, #lhs>
  %s = tw.set_encoding ins(%a : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs>
  %d = tensor.dim %s, %c0 : tensor<?x64xf32, #lhs>
  %f = tensor.empty(%d) : tensor<?x96xf32, #out>
  %bytes = tw.encoding_size tensor<?x96xf32, #out> (%d) : index
  %filled = linalg.fill ins(%z : f32) outs(%f : tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%s, %b : tensor<?x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%filled : tensor<?x96xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x96xf32, #out>
  %g = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    outs(%r : tensor<?x96xf32, #out>) {
  ^bb0(%o: f32):
    %q = math.exp %o : f32
    linalg.yield %q : f32
  } -> tensor<?x96xf32, #out>
  %h = scf.if %c -> tensor<?x96xf32, #out> {
    %t = func.call @callee(%g) : (tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out>
    scf.yield %t : tensor<?x96xf32, #out>
  } else {
    scf.yield %g : tensor<?x96xf32, #out>
  }
  %i = tw.dispatch_region {
    tw.yield %h : tensor<?x96xf32, #out>
  } : tensor<?x96xf32, #out>
  %k = tw.dispatch @callee outs(%i : tensor<?x96xf32, #out>) accumulates [true] -> tensor<?x96xf32, #out>
  cf.br ^end(%k : tensor<?x96xf32, #out>)
^end(%j: tensor<?x96xf32, #out>):
  // It only knows more of the sizes.
  %cast = tensor.cast %j : tensor<?x96xf32, #out> to tensor<4x96xf32, #out>
  // Others' encodings are theirs.
  %slice = tensor.extract_slice %other[0] [2] [1] : tensor<4xf32, "sparse"> to tensor<2xf32, "sparse">
  return %cast : tensor<4x96xf32, #out>
}

// -----

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @cast_away(%x: tensor<8xf32, #layout>) -> tensor<8xf32> {
  // expected-error-re @below {{op goes from 'tensor<8xf32, #tw.layout<{{.*}}>>' to 'tensor<8xf32>'; a cast does not move elements: expected tw.set_encoding, tw.unset_encoding or tw.relayout}}
  %0 = tensor.cast %x : tensor<8xf32, #layout> to tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An identity lies as without, but is an encoding.
func.func @cast_to(%x: tensor<8xf32>) -> tensor<8xf32, #tw.layout<identity>> {
  // expected-error @below {{op goes from 'tensor<8xf32>' to 'tensor<8xf32, #tw.layout<identity>>'; a cast does not move elements}}
  %0 = tensor.cast %x : tensor<8xf32> to tensor<8xf32, #tw.layout<identity>>
  return %0 : tensor<8xf32, #tw.layout<identity>>
}

// -----

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @cast_between(%x: tensor<8xf32, #layout>) -> tensor<8xf32, #tw.layout<identity>> {
  // expected-error @below {{a cast does not move elements}}
  %0 = tensor.cast %x : tensor<8xf32, #layout> to tensor<8xf32, #tw.layout<identity>>
  return %0 : tensor<8xf32, #tw.layout<identity>>
}

// -----

func.func @concat(%x: tensor<8xf32, #tw.layout<identity>>) -> tensor<16xf32> {
  // expected-error @below {{op has a value of type 'tensor<8xf32, #tw.layout<identity>>', of whose encoding it knows nothing; expected it behind tw.unset_encoding}}
  %0 = tensor.concat dim(0) %x, %x : (tensor<8xf32, #tw.layout<identity>>, tensor<8xf32, #tw.layout<identity>>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

func.func @slice(%x: tensor<8xf32, #tw.layout<identity>>) -> tensor<2xf32> {
  // expected-error @below {{op goes from 'tensor<8xf32, #tw.layout<identity>>' to 'tensor<2xf32>'; neither a view nor a padding lays elements out: expected tw.set_encoding, tw.unset_encoding or tw.relayout}}
  %0 = tensor.extract_slice %x[0] [2] [1] : tensor<8xf32, #tw.layout<identity>> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// What lies in a constant lies as it is read.
func.func @constant() -> tensor<2xf32, #tw.layout<identity>> {
  // expected-error @below {{op has a value of type 'tensor<2xf32, #tw.layout<identity>>', of whose encoding it knows nothing}}
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32, #tw.layout<identity>>
  return %0 : tensor<2xf32, #tw.layout<identity>>
}

// -----

func.func @named(%x: tensor<8x8xf32, #tw.layout<identity>>) -> tensor<8x8xf32, #tw.layout<identity>> {
  // expected-error @below {{of whose encoding it knows nothing}}
  %0 = linalg.exp ins(%x : tensor<8x8xf32, #tw.layout<identity>>) outs(%x : tensor<8x8xf32, #tw.layout<identity>>) -> tensor<8x8xf32, #tw.layout<identity>>
  return %0 : tensor<8x8xf32, #tw.layout<identity>>
}

// -----

// Contractions compute what the encodings of their operands say.
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
#any = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8], any_m>
func.func @other_contraction(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #any>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error-re @below {{op has operand 1 of type 'tensor<8x8xf32, #tw.encoding<rhs, {{.*}}, any_m>>'; expected the encoding #tw.encoding<rhs, {{.*}}sizes = [8, 8, 8]>}}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #any>) outs(%c : tensor<8x8xf32, #out>) {
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
func.func @plain_out(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #tw.layout<identity>>) -> tensor<8x8xf32, #tw.layout<identity>> {
  // expected-error-re @below {{op has operand 2 of type 'tensor<8x8xf32, #tw.layout<identity>>'; expected the encoding #tw.encoding<out, }}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #tw.layout<identity>>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32, #tw.layout<identity>>
  return %r : tensor<8x8xf32, #tw.layout<identity>>
}

// -----

// rhs transposed.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
func.func @other_maps(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
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
func.func @other_body(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error-re @below {{op does not add products of its operands, as their encodings say}}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
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
func.func @other_sum(%a: tensor<8x8xf32, #lhs>, %b: tensor<8x8xf32, #rhs>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error-re @below {{op does not add products of its operands, as their encodings say}}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xf32, #lhs>, tensor<8x8xf32, #rhs>) outs(%c : tensor<8x8xf32, #out>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.subf %o, %p : f32
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
func.func @lhs_sign(%a: tensor<8x8xi8, #lhs>, %b: tensor<8x8xi8, #rhs>, %c: tensor<8x8xi32, #out>) -> tensor<8x8xi32, #out> {
  // expected-error-re @below {{op extends operand 0 otherwise than from 'ui8', as its encoding says}}
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

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [ui8, si8, si32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#rhs = #tw.encoding<rhs, types = [ui8, si8, si32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#out = #tw.encoding<out, types = [ui8, si8, si32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
func.func @rhs_sign(%a: tensor<8x8xi8, #lhs>, %b: tensor<8x8xi8, #rhs>, %c: tensor<8x8xi32, #out>) -> tensor<8x8xi32, #out> {
  // expected-error-re @below {{op extends operand 1 otherwise than from 'si8', as its encoding says}}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xi8, #lhs>, tensor<8x8xi8, #rhs>) outs(%c : tensor<8x8xi32, #out>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %e = arith.extui %x : i8 to i32
    %f = arith.extui %y : i8 to i32
    %p = arith.muli %e, %f : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<8x8xi32, #out>
  return %r : tensor<8x8xi32, #out>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [ui8, si8, ui32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#rhs = #tw.encoding<rhs, types = [ui8, si8, ui32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#out = #tw.encoding<out, types = [ui8, si8, ui32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
func.func @out_sign(%a: tensor<8x8xi8, #lhs>, %b: tensor<8x8xi8, #rhs>, %c: tensor<8x8xi32, #out>) -> tensor<8x8xi32, #out> {
  // expected-error-re @below {{op adds to elements that are 'ui32', as its encoding says; expected signed ones}}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xi8, #lhs>, tensor<8x8xi8, #rhs>) outs(%c : tensor<8x8xi32, #out>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %e = arith.extui %x : i8 to i32
    %f = arith.extsi %y : i8 to i32
    %p = arith.muli %e, %f : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<8x8xi32, #out>
  return %r : tensor<8x8xi32, #out>
}

// -----

// Narrow integers have signs too.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [si4, ui4, si32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#rhs = #tw.encoding<rhs, types = [si4, ui4, si32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
#out = #tw.encoding<out, types = [si4, ui4, si32], maps = [#mk, #kn, #mn], sizes = [8, 8, 8]>
func.func @narrow_sign(%a: tensor<8x8xi4, #lhs>, %b: tensor<8x8xi4, #rhs>, %c: tensor<8x8xi32, #out>) -> tensor<8x8xi32, #out> {
  // expected-error-re @below {{op extends operand 1 otherwise than from 'ui4', as its encoding says}}
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x8xi4, #lhs>, tensor<8x8xi4, #rhs>) outs(%c : tensor<8x8xi32, #out>) {
  ^bb0(%x: i4, %y: i4, %o: i32):
    %e = arith.extsi %x : i4 to i32
    %f = arith.extsi %y : i4 to i32
    %p = arith.muli %e, %f : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<8x8xi32, #out>
  return %r : tensor<8x8xi32, #out>
}

// -----

// Each operand by the scales of the other.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f8E4M3FN, f8E4M3FN, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mk, #nk], sizes = [8, 8, 8, 32]>
#rhs = #tw.encoding<rhs, types = [f8E4M3FN, f8E4M3FN, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mk, #nk], sizes = [8, 8, 8, 32]>
#out = #tw.encoding<out, types = [f8E4M3FN, f8E4M3FN, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mk, #nk], sizes = [8, 8, 8, 32]>
#lhs_scales = #tw.encoding<lhs_scales, types = [f8E4M3FN, f8E4M3FN, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mk, #nk], sizes = [8, 8, 8, 32]>
#rhs_scales = #tw.encoding<rhs_scales, types = [f8E4M3FN, f8E4M3FN, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mk, #nk], sizes = [8, 8, 8, 32]>
func.func @scales_of_other(%a: tensor<8x8x32xf8E4M3FN, #lhs>, %b: tensor<8x8x32xf8E4M3FN, #rhs>, %p: tensor<8x8xf8E8M0FNU, #lhs_scales>, %q: tensor<8x8xf8E8M0FNU, #rhs_scales>, %c: tensor<8x8xf32, #out>) -> tensor<8x8xf32, #out> {
  // expected-error @below {{op scales operand 0 by operand 3; expected lhs, rhs, the scales of lhs and those of rhs}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %p, %q : tensor<8x8x32xf8E4M3FN, #lhs>, tensor<8x8x32xf8E4M3FN, #rhs>, tensor<8x8xf8E8M0FNU, #lhs_scales>, tensor<8x8xf8E8M0FNU, #rhs_scales>) outs(%c : tensor<8x8xf32, #out>) {
  ^bb0(%x: f8E4M3FN, %y: f8E4M3FN, %s: f8E8M0FNU, %t: f8E8M0FNU, %old: f32):
    %u = arith.scaling_extf %x, %t : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %s : f8E4M3FN, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %sum = arith.addf %old, %w : f32
    linalg.yield %sum : f32
  } -> tensor<8x8xf32, #out>
  return %r : tensor<8x8xf32, #out>
}
