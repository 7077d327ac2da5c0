// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with scales that no tile takes, and the remarks that say why.

// RUN: tw-opt %s --split-input-file --tw-set-encodings --verify-diagnostics | FileCheck %s

// CHECK-NOT: tw.

#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
func.func @blocks(%a: tensor<4x6x16xf8E4M3FN>, %b: tensor<5x6x16xf8E5M2>, %as: tensor<4x6xf8E8M0FNU>, %bs: tensor<5x6xf8E8M0FNU>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: it has a scale for each 16 elements, where tiles have one for each 32}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<4x6x16xf8E4M3FN>, tensor<5x6x16xf8E5M2>, tensor<4x6xf8E8M0FNU>, tensor<5x6xf8E8M0FNU>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
func.func @unknown(%a: tensor<4x6x?xf8E4M3FN>, %b: tensor<5x6x?xf8E5M2>, %as: tensor<4x6xf8E8M0FNU>, %bs: tensor<5x6xf8E8M0FNU>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: it has a scale for elements whose number is not known, where tiles have one for each 32}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<4x6x?xf8E4M3FN>, tensor<5x6x?xf8E5M2>, tensor<4x6xf8E8M0FNU>, tensor<5x6xf8E8M0FNU>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
func.func @types(%a: tensor<4x6x32xf8E4M3FNUZ>, %b: tensor<5x6x32xf8E5M2>, %as: tensor<4x6xf8E8M0FNU>, %bs: tensor<5x6xf8E8M0FNU>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: no tile function has these element types: 'f8E4M3FNUZ', 'f8E5M2', 'f8E8M0FNU', 'f8E8M0FNU', 'f32'}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<4x6x32xf8E4M3FNUZ>, tensor<5x6x32xf8E5M2>, tensor<4x6xf8E8M0FNU>, tensor<5x6xf8E8M0FNU>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f8E4M3FNUZ, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FNUZ, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// Elements of less than a byte, whose tensor does not say how large a block is.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
func.func @unknown_bytes(%a: tensor<4x6x32xf8E4M3FN>, %b: tensor<5x6x?xf4E2M1FN>, %as: tensor<4x6xf8E8M0FNU>, %bs: tensor<5x6xf8E8M0FNU>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: it has a scale for elements whose number is not known, where tiles have one for each 32}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<4x6x32xf8E4M3FN>, tensor<5x6x?xf4E2M1FN>, tensor<4x6xf8E8M0FNU>, tensor<5x6xf8E8M0FNU>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f4E2M1FN, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f4E2M1FN, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// All of a row of lhs has a scale, 32 elements of one of rhs have one.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
func.func @rows(%a: tensor<4x6x32xf8E4M3FN>, %b: tensor<5x6x32xf8E5M2>, %as: tensor<4xf8E8M0FNU>, %bs: tensor<5x6xf8E8M0FNU>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: its scales are not indexed by the loops of their operands but one of k, which goes through a block}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<4x6x32xf8E4M3FN>, tensor<5x6x32xf8E5M2>, tensor<4xf8E8M0FNU>, tensor<5x6xf8E8M0FNU>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// One loop of k.
func.func @one_loop(%a: tensor<4x64xf8E4M3FN>, %b: tensor<5x64xf8E5M2>, %as: tensor<4x2xf8E8M0FNU>, %bs: tensor<5x2xf8E8M0FNU>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: it is not indexed by loops alone; expected two of k at least, one of which goes through a block}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, k floordiv 32)>, affine_map<(m, n, k) -> (n, k floordiv 32)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<4x64xf8E4M3FN>, tensor<5x64xf8E5M2>, tensor<4x2xf8E8M0FNU>, tensor<5x2xf8E8M0FNU>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// A loop of lhs alone.
func.func @no_kind(%a: tensor<4x6x32x3xf8E4M3FN>, %b: tensor<5x6x32xf8E5M2>, %as: tensor<4x6x3xf8E8M0FNU>, %bs: tensor<5x6xf8E8M0FNU>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: it is no product of matrices}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, z, l) -> (m, k, z, l)>, affine_map<(m, n, k, z, l) -> (n, k, z)>, affine_map<(m, n, k, z, l) -> (m, k, l)>, affine_map<(m, n, k, z, l) -> (n, k)>, affine_map<(m, n, k, z, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<4x6x32x3xf8E4M3FN>, tensor<5x6x32xf8E5M2>, tensor<4x6x3xf8E8M0FNU>, tensor<5x6xf8E8M0FNU>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// One operand is scaled, and the other one by the scale of the first: nobody expects a tile.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#nk = affine_map<(m, n, k, z) -> (n, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
func.func @one(%a: tensor<4x6x32xf8E4M3FN>, %b: tensor<5x6x32xf8E5M2>, %as: tensor<4x6xf8E8M0FNU>, %bs: tensor<5x6xf8E8M0FNU>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: not each of its factors is scaled by f8E8M0FNU of an input of its own}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as, %bs : tensor<4x6x32xf8E4M3FN>, tensor<5x6x32xf8E5M2>, tensor<4x6xf8E8M0FNU>, tensor<5x6xf8E8M0FNU>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %q: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %p : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// A scale that is known, as one is that has the same value everywhere.
#mkz = affine_map<(m, n, k, z) -> (m, k, z)>
#nkz = affine_map<(m, n, k, z) -> (n, k, z)>
#mk = affine_map<(m, n, k, z) -> (m, k)>
#mn = affine_map<(m, n, k, z) -> (m, n)>
func.func @known(%a: tensor<4x6x32xf8E4M3FN>, %b: tensor<5x6x32xf8E5M2>, %as: tensor<4x6xf8E8M0FNU>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: not each of its factors is scaled by f8E8M0FNU of an input of its own}}
  %r = linalg.generic {indexing_maps = [#mkz, #nkz, #mk, #mn], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b, %as : tensor<4x6x32xf8E4M3FN>, tensor<5x6x32xf8E5M2>, tensor<4x6xf8E8M0FNU>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f8E4M3FN, %y: f8E5M2, %p: f8E8M0FNU, %o: f32):
    %q = arith.constant 4.0 : f8E8M0FNU
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %v = arith.scaling_extf %y, %q : f8E5M2, f8E8M0FNU to f32
    %w = arith.mulf %u, %v : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// Elements that are scaled, one by one: nobody expects a tile.
#i = affine_map<(i) -> (i)>
func.func @elementwise(%a: tensor<4xf8E4M3FN>, %as: tensor<4xf8E8M0FNU>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
    ins(%a, %as : tensor<4xf8E4M3FN>, tensor<4xf8E8M0FNU>) outs(%c : tensor<4xf32>) {
  ^bb0(%x: f8E4M3FN, %p: f8E8M0FNU, %o: f32):
    %u = arith.scaling_extf %x, %p : f8E4M3FN, f8E8M0FNU to f32
    %w = arith.mulf %u, %u : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
