// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{there is no operand 'mid'; expected lhs, rhs, out, lhs_scales or rhs_scales}}
func.func private @operand(tensor<4x5xf32, #tw.encoding<mid, types = [f32, f32, f32]>>)

// -----

// expected-error @below {{expected 'types'}}
func.func private @order(tensor<4x5xf32, #tw.encoding<lhs, sizes = [?, ?, ?]>>)

// -----

#m = affine_map<(m, n, k) -> (m, k)>
// expected-error @below {{there is no field 'any_n'; expected any_m, dims or element}}
func.func private @any_n(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#m, #m, #m], sizes = [?, ?, ?], any_n>>)

// -----

// expected-error @below {{invalid kind of attribute specified}}
func.func private @no_map(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = ["m"], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{an encoding has 3 element types and 3 maps, of lhs, rhs and out, or 5 and 5, with those of the scales, not 2 and 3}}
func.func private @two_types(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
// expected-error @below {{an encoding has 3 element types and 3 maps, of lhs, rhs and out, or 5 and 5, with those of the scales, not 3 and 2}}
func.func private @two_maps(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the elements of rhs are 'i8'; expected floats, or integers that say their sign, as si8 or ui8}}
func.func private @signless(tensor<4x5xi8, #tw.encoding<lhs, types = [si8, i8, si32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the elements of out are 'complex<f32>'; expected floats, or integers that say their sign, as si8 or ui8}}
func.func private @complex(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, complex<f32>], maps = [#mk, #kn, #mn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the map of rhs is affine_map<(d0, d1, d2) -> (d1 + d2)>; expected different ones of the same 3 loops, and no symbols}}
func.func private @sum(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, affine_map<(m, n, k) -> (k + n)>, #mn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the map of lhs is affine_map<(d0, d1, d2) -> (d0, d0)>; expected different ones}}
func.func private @diagonal(tensor<4x5xf32, #tw.encoding<rhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, m)>, #kn, #mn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the map of out is affine_map<(d0, d1) -> (d0, d1)>; expected different ones of the same 3 loops}}
func.func private @other_loops(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, affine_map<(m, n) -> (m, n)>], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the map of out is affine_map<(d0, d1, d2)[s0] -> (d0, d1)>; expected different ones of the same 3 loops, and no symbols}}
func.func private @symbol(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, affine_map<(m, n, k)[s] -> (m, n)>], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{2 sizes of 3 loops; expected one of each, ? where it is not known}}
func.func private @two_sizes(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 4]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{loop d1 has the size -4; expected 0 or more, or ? where it is not known}}
func.func private @negative(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, -4, ?]>>)

// -----

// A sum over elements of one operand.
#mk = affine_map<(m, n, k, l) -> (m, k, l)>
#kn = affine_map<(m, n, k, l) -> (k, n)>
#mn = affine_map<(m, n, k, l) -> (m, n)>
// expected-error @below {{loop d3 is neither of the batch (of all operands), nor m (of lhs and out), n (of rhs and out) or k (of lhs and rhs)}}
func.func private @no_kind(tensor<4x5x6xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?, ?]>>)

// -----

// What no operand has, and what the result is repeated over.
#mk = affine_map<(z, m, n, k) -> (m, k)>
#kn = affine_map<(z, m, n, k) -> (k, n)>
#mn = affine_map<(z, m, n, k) -> (m, n)>
// expected-error @below {{loop d0 is neither of the batch}}
func.func private @unused(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k, r) -> (m, k)>
#kn = affine_map<(m, n, k, r) -> (k, n)>
#mn = affine_map<(m, n, k, r) -> (r, m, n)>
// expected-error @below {{loop d3 is neither of the batch}}
func.func private @repeated(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?, ?]>>)

// -----

// expected-error @below {{there is no loop of m; a dimension of size 1 makes one}}
func.func private @no_m(tensor<4xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], sizes = [?, ?]>>)

// -----

// expected-error @below {{there is no loop of n; a dimension of size 1 makes one}}
func.func private @no_n(tensor<4x5xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], sizes = [?, ?]>>)

// -----

// expected-error @below {{there is no loop of k; a dimension of size 1 makes one}}
func.func private @no_k(tensor<4xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], sizes = [?, ?]>>)

// -----

// Of types: rank, elements, sizes.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the encoding of rhs is of tensors of 2 dimensions, by its map, this one has 3}}
func.func private @rank(tensor<4x5x6xf32, #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the encoding's elements of out are 'f32', the tensor's 'f16'; expected 'f32'}}
func.func private @elements(tensor<4x5xf16, #tw.encoding<out, types = [f16, f16, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the encoding's elements of lhs are 'ui8', the tensor's 'i16'; expected 'i8'}}
func.func private @width(tensor<4x5xi16, #tw.encoding<lhs, types = [ui8, si8, si32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the encoding's elements of lhs are 'ui8', the tensor's 'si8'; expected 'i8'}}
func.func private @sign(tensor<4x5xsi8, #tw.encoding<lhs, types = [ui8, si8, si32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{dimension 0 of the tensor is 5, but loop d2 of the encoding, which indexes it, has the size 64}}
func.func private @size(tensor<5x?xf32, #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [5, 5, 64]>>)

// -----

// expected-error @below {{expected 'outer'}}
func.func private @layout(tensor<4x5xf32, #tw.layout<inner = [0]>>)

// -----

// expected-error @below {{expected '>'}}
func.func private @identity(tensor<4x5xf32, #tw.layout<identity, outer = [0, 1]>>)

// -----

// expected-error @below {{expected 'perm'}}
func.func private @no_perm(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0], tiles = [4], swizzle = [[4]]>>)

// -----

// expected-error @below {{outer = [0, 0] does not have each of 2 dimensions once}}
func.func private @outer_twice(tensor<4x5xf32, #tw.layout<outer = [0, 0], inner = [0], tiles = [4]>>)

// -----

// expected-error @below {{outer = [0, 2] does not have each of 2 dimensions once}}
func.func private @outer_beyond(tensor<4x5xf32, #tw.layout<outer = [0, 2], inner = [0], tiles = [4]>>)

// -----

// expected-error @below {{inner = [1, 1] does not have different ones of 2 dimensions}}
func.func private @inner_twice(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [1, 1], tiles = [4, 4]>>)

// -----

// expected-error @below {{inner = [2] does not have different ones of 2 dimensions}}
func.func private @inner_beyond(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [2], tiles = [4]>>)

// -----

// expected-error @below {{inner = [-1] does not have different ones of 2 dimensions}}
func.func private @inner_negative(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [-1], tiles = [4]>>)

// -----

// expected-error @below {{2 tiles for the 1 dimensions of inner; expected one for each}}
func.func private @tiles(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [1], tiles = [4, 4]>>)

// -----

// expected-error @below {{tiles = [4, 0] has a size that is not 1 or more}}
func.func private @no_tile(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [1, 0], tiles = [4, 0]>>)

// -----

// expected-error @below {{a swizzle of 1 dimensions, of tiles that have 2; expected the factors of each}}
func.func private @swizzle(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [4, 4], swizzle = [[4]] perm [0]>>)

// -----

// expected-error @below {{has no tile of scalable size, and is streaming; expected one in brackets}}
func.func private @streaming(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [4, 4], streaming>>)

// -----

// expected-error @below {{a tile of scalable size has no swizzle; expected fixed sizes}}
func.func private @scalable_swizzle(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [4, [4]], swizzle = [[4], [4]] perm [1, 0]>>)

// -----

// expected-error @below {{the factors [4, 2] of a swizzle do not multiply to its tile's 16; expected one or more, each 1 or more}}
func.func private @too_few(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0], tiles = [16], swizzle = [[4, 2]] perm [0, 1]>>)

// -----

// expected-error @below {{the factors [5, 3] of a swizzle do not multiply to its tile's 16}}
func.func private @indivisible(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0], tiles = [16], swizzle = [[5, 3]] perm [0, 1]>>)

// -----

// expected-error @below {{the factors [-4, -4] of a swizzle do not multiply to its tile's 16}}
func.func private @negative_factors(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0], tiles = [16], swizzle = [[-4, -4]] perm [0, 1]>>)

// -----

// expected-error @below {{the factors [] of a swizzle do not multiply to its tile's 1; expected one or more}}
func.func private @no_factors(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0], tiles = [1], swizzle = [[]] perm []>>)

// -----

// expected-error @below {{perm [0, 0] does not have each of 2 factors once}}
func.func private @perm(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0], tiles = [16], swizzle = [[4, 4]] perm [0, 0]>>)

// -----

// expected-error @below {{perm [] does not have each of 2 factors once}}
func.func private @perm_of_none(tensor<4x5xf32, #tw.layout<outer = [0, 1], inner = [0], tiles = [16], swizzle = [[4, 4]] perm []>>)

// -----

// expected-error @below {{the layout is of tensors of 2 dimensions, this one has 3}}
func.func private @layout_rank(tensor<4x5x6xf32, #tw.layout<outer = [0, 1], inner = [0], tiles = [16]>>)

// -----

// What no size in bytes is known of.
// expected-error @below {{the layout is of numbers, this tensor has elements of 'complex<f32>'; expected integers, floats or index}}
func.func private @layout_elements(tensor<4x5xcomplex<f32>, #tw.layout<identity>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{dims says 2; expected different ones of the operand's 2 dimensions, or * for one of its own}}
func.func private @no_dim(tensor<4x5xf32, #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?], dims = [0, 2]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{dims says 1; expected different ones}}
func.func private @twice(tensor<4x5xf32, #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?], dims = [1, 1]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{element = 'f16' without dims; expected dims, which say of what the tensor has elements of another type, a float or an integer}}
func.func private @element(tensor<4x5xf16, #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?], element = f16>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{element = 'tensor<2xf16>' is no type of numbers}}
func.func private @elements(tensor<4x5xf16, #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?], dims = [1, 0], element = tensor<2xf16>>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the encoding of out is of tensors of 3 dimensions, by its dims, this one has 2}}
func.func private @rank(tensor<4x5xf32, #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?], dims = [*, 1, 0]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{the encoding's elements of out are 'f16', the tensor's 'f32'; expected 'f16'}}
func.func private @other(tensor<4x5xf32, #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?], dims = [1, 0], element = f16>>)

// -----

// Only the lhs may be windows of a tensor.
#x = affine_map<(o, n, k) -> (o * 2 + k)>
#w = affine_map<(o, n, k) -> (k, n)>
#o = affine_map<(o, n, k) -> (o * 2, n)>
// expected-error @below {{the map of out is affine_map<(d0, d1, d2) -> (d0 * 2, d1)>; expected different ones of the same 3 loops, and no symbols}}
func.func private @windows_of_out(tensor<3x8xf32, #tw.encoding<rhs, types = [f32, f32, f32], maps = [#x, #w, #o], sizes = [?, 8, 3]>>)

// -----

#x = affine_map<(o, n, k) -> (o - k)>
#w = affine_map<(o, n, k) -> (k, n)>
#o = affine_map<(o, n, k) -> (o, n)>
// expected-error @below {{the map of lhs is affine_map<(d0, d1, d2) -> (d0 - d2)>; expected different ones of the same 3 loops, or sums of their multiples, and no symbols}}
func.func private @backwards(tensor<3x8xf32, #tw.encoding<rhs, types = [f32, f32, f32], maps = [#x, #w, #o], sizes = [?, 8, 3]>>)

// -----

#x = affine_map<(o, n, k) -> (o * 2 + k)>
#w = affine_map<(o, n, k) -> (k, n)>
#o = affine_map<(o, n, k) -> (o, n)>
// expected-error @below {{dimension 0 of the tensor is 10, but windows of the encoding have 11 elements there}}
func.func private @beyond(tensor<10xf32, #tw.encoding<lhs, types = [f32, f32, f32], maps = [#x, #w, #o], sizes = [5, 8, 3]>>)

// -----

#x = affine_map<(o, n, k) -> (o * 2 + k)>
#w = affine_map<(o, n, k) -> (k, n)>
#o = affine_map<(o, n, k) -> (o, n)>
// expected-error @below {{dimension 0 of the tensor is 4, but loop d2 of the encoding, which indexes it, has the size 3}}
func.func private @other_weights(tensor<4x8xf32, #tw.encoding<rhs, types = [f32, f32, f32], maps = [#x, #w, #o], sizes = [5, 8, 3]>>)

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{there are no types and maps of rhs_scales; expected 5 and 5, with those of the scales}}
func.func private @no_scales(tensor<4x5xf32, #tw.encoding<rhs_scales, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, ?, ?]>>)

// -----

#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
// expected-error @below {{the maps of lhs_scales and rhs_scales are affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)> and affine_map<(d0, d1, d2, d3) -> (d1, d2)>; expected the loops of lhs and of rhs but one of k, the same, which goes through a block}}
func.func private @no_block(tensor<4x5x32xf8E4M3FN, #tw.encoding<lhs, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mkz, #nk], sizes = [?, ?, ?, 32]>>)

// -----

// Rows of lhs, and not k.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
// expected-error @below {{expected the loops of lhs and of rhs but one of k, the same, which goes through a block}}
func.func private @other_blocks(tensor<4x5x32xf8E4M3FN, #tw.encoding<lhs, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mk, affine_map<(m, n, k, z) -> (n, z)>], sizes = [?, ?, ?, 32]>>)

// -----

#mz = affine_map<(m, n, z) -> (m, z)>
#nz = affine_map<(m, n, z) -> (n, z)>
#mn = affine_map<(m, n, z) -> (m, n)>
// expected-error @below {{the only loop of k, d2, goes through a block; expected another one, of the blocks}}
func.func private @one_block(tensor<4x32xf8E4M3FN, #tw.encoding<lhs, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mz, #nz, #mn, affine_map<(m, n, z) -> (m)>, affine_map<(m, n, z) -> (n)>], sizes = [?, ?, 32]>>)

// -----

// Windows have no scales.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
// expected-error @below {{the map of lhs is affine_map<(d0, d1, d2, d3) -> (d0 + d2, d3)>; expected different ones of the same 4 loops, and no symbols}}
func.func private @scaled_windows(tensor<4x32xf8E4M3FN, #tw.encoding<lhs, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], maps = [affine_map<(m, n, k, z) -> (m + k, z)>, #nkz, #mn, #mk, #nk], sizes = [?, ?, ?, 32]>>)

// -----

#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
// expected-error @below {{dimension 1 of the tensor is 6, but loop d2 of the encoding, which indexes it, has the size 5}}
func.func private @scales_of_other_size(tensor<4x6xf8E8M0FNU, #tw.encoding<lhs_scales, types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU], maps = [#mkz, #nkz, #mn, #mk, #nk], sizes = [?, ?, 5, 32]>>)

// -----

// expected-error @below {{elements of 'f6E2M3FN' are several in a byte; expected a last tile of whole bytes, no swizzle, and a dimension that is known to be whole such tiles}}
func.func private @parts_of_bytes(tensor<4x6xf6E2M3FN, #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [4, 2]>>)

// -----

// expected-error @below {{elements of 'f4E2M1FN' are several in a byte}}
func.func private @parts_of_unknown(tensor<4x?xf4E2M1FN, #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [4, 32]>>)

// -----

// expected-error @below {{elements of 'f4E2M1FN' are several in a byte}}
func.func private @parts_of_a_tile(tensor<4x48xf4E2M1FN, #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [4, 32]>>)
