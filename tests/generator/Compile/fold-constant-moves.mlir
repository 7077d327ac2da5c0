// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --pass-pipeline='builtin.module(convert-elementwise-to-linalg,func.func(tw-fold-constant-moves,canonicalize))' | FileCheck %s

// Every second element of every third row, of the second layer.
// CHECK-LABEL: func.func @slice(
// CHECK-NEXT:    %[[C:.*]] = arith.constant dense<{{\[}}[14, 16], [23, 25]]> : tensor<2x2xi16>
// CHECK-NEXT:    return %[[C]]
func.func @slice() -> tensor<2x2xi16> {
  %c = arith.constant dense<[[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], [[11, 12, 13], [14, 15, 16], [17, 18, 19], [20, 21, 22], [23, 24, 25]]]> : tensor<2x5x3xi16>
  %r = tensor.extract_slice %c[1, 1, 0] [1, 2, 2] [1, 3, 2] : tensor<2x5x3xi16> to tensor<2x2xi16>
  return %r : tensor<2x2xi16>
}

// Large constants are resources, and so are their parts.
// CHECK-LABEL: func.func @of_resource(
// CHECK-NEXT:    %[[C:.*]] = arith.constant dense<{{\[}}[5, 6], [7, 8]]> : tensor<2x2xi32>
// CHECK-NEXT:    return %[[C]]
func.func @of_resource() -> tensor<2x2xi32> {
  %c = arith.constant dense_resource<w> : tensor<8xi16>
  %m = tensor.expand_shape %c [[0, 1]] output_shape [4, 2] : tensor<8xi16> into tensor<4x2xi16>
  %s = tensor.extract_slice %m[2, 0] [2, 2] [1, 1] : tensor<4x2xi16> to tensor<2x2xi16>
  %r = arith.extsi %s : tensor<2x2xi16> to tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}

// Halves: the greatest, the least subnormal, an infinity, a NaN, -0; and of integers.
// CHECK-LABEL: func.func @casts(
// CHECK-DAG:     %[[F:.*]] = arith.constant dense<[6.550400e+04, 5.96046448E-8, 0x7F800000, 0x7FC00000, -0.000000e+00]> : tensor<5xf32>
// CHECK-DAG:     %[[N:.*]] = arith.constant dense<[-8.000000e+00, 7.000000e+00, -1.000000e+00]> : tensor<3xf32>
// CHECK-DAG:     %[[S:.*]] = arith.constant dense<[-1.280000e+02, 1.270000e+02]> : tensor<2xf32>
// CHECK-DAG:     %[[U:.*]] = arith.constant dense<[1.280000e+02, 1.270000e+02]> : tensor<2xf64>
// CHECK:         return %[[F]], %[[S]], %[[U]], %[[N]]
func.func @casts() -> (tensor<5xf32>, tensor<2xf32>, tensor<2xf64>, tensor<3xf32>) {
  %h = arith.constant dense<[0x7BFF, 0x0001, 0x7C00, 0x7E00, 0x8000]> : tensor<5xf16>
  %i = arith.constant dense<[-128, 127]> : tensor<2xi8>
  %f = arith.extf %h : tensor<5xf16> to tensor<5xf32>
  %s = arith.sitofp %i : tensor<2xi8> to tensor<2xf32>
  %e = tensor.empty() : tensor<2xf64>
  %u = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%i : tensor<2xi8>) outs(%e : tensor<2xf64>) {
  ^bb0(%x: i8, %o: f64):
    %d = arith.uitofp %x : i8 to f64
    linalg.yield %d : f64
  } -> tensor<2xf64>
  %n = arith.constant dense<[-8, 7, -1]> : tensor<3xi4>
  %d = tensor.empty() : tensor<3xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%n : tensor<3xi4>) outs(%d : tensor<3xf32>) {
  ^bb0(%x: i4, %o: f32):
    %w = arith.extsi %x : i4 to i16
    %p = arith.sitofp %w : i16 to f32
    linalg.yield %p : f32
  } -> tensor<3xf32>
  return %f, %s, %u, %m : tensor<5xf32>, tensor<2xf32>, tensor<2xf64>, tensor<3xf32>
}

// Ties go to even: 1 + 2^-8 and 1 + 3 * 2^-8 lie between two of bf16. Splats stay splats.
// CHECK-LABEL: func.func @one_after_the_other(
// CHECK-DAG:     %[[B:.*]] = arith.constant dense<[1.000000e+00, 1.015630e+00]> : tensor<2xbf16>
// CHECK-DAG:     %[[E:.*]] = arith.constant dense<1.500000e+00> : tensor<4096xf32>
// CHECK:         return %[[B]], %[[E]]
func.func @one_after_the_other() -> (tensor<2xbf16>, tensor<4096xf32>) {
  %h = arith.constant dense<[1.00390625, 1.01171875]> : tensor<2xf16>
  %e = tensor.empty() : tensor<2xbf16>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%h : tensor<2xf16>) outs(%e : tensor<2xbf16>) {
  ^bb0(%x: f16, %o: bf16):
    %f = arith.extf %x : f16 to f32
    %r = arith.truncf %f : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2xbf16>
  %s = arith.constant dense<1.5> : tensor<4096xf16>
  %t = arith.extf %s : tensor<4096xf16> to tensor<4096xf32>
  return %b, %t : tensor<2xbf16>, tensor<4096xf32>
}

// Elements of more than 16 bits: each by itself. Ties go to even, a carry to infinity; denormals stay, a NaN one is quiet and bf16 keeps its payload.
// CHECK-LABEL: func.func @wide(
// CHECK-DAG:     %[[B:.*]] = arith.constant dense<[1.000000e+00, 1.015630e+00, 0x7F80, 9.183550e-41, 0x7FC1, -0.000000e+00]> : tensor<6xbf16>
// CHECK-DAG:     %[[H:.*]] = arith.constant dense<[1.000000e+00, 1.001950e+00, 0x7C00, 0.000000e+00, 0x7E00, 5.960460e-08]> : tensor<6xf16>
// CHECK-DAG:     %[[T:.*]] = arith.constant dense<[-1, 44]> : tensor<2xi8>
// CHECK-DAG:     %[[S:.*]] = arith.constant dense<[-1.000000e+00, 0x4B800000]> : tensor<2xf32>
// CHECK-DAG:     %[[D:.*]] = arith.constant dense<[0.10000000149011612, 0x7FF0000000000000]> : tensor<2xf64>
// CHECK:         return
func.func @wide() -> (tensor<6xbf16>, tensor<6xf16>, tensor<2xi8>, tensor<2xf32>, tensor<2xf64>) {
  %f = arith.constant dense<[0x3F808000, 0x3F818000, 0x7F7FFFFF, 0x00008001, 0x7F812345, 0x80000000]> : tensor<6xf32>
  %g = arith.constant dense<[0x3F801000, 0x3F803000, 0x477FF000, 0x33000000, 0x7F812345, 0x33000001]> : tensor<6xf32>
  %i = arith.constant dense<[-1, 300]> : tensor<2xi32>
  %j = arith.constant dense<[-1, 16777217]> : tensor<2xi32>
  %x = arith.constant dense<[0x3DCCCCCD, 0x7F800000]> : tensor<2xf32>
  %b = arith.truncf %f : tensor<6xf32> to tensor<6xbf16>
  %h = arith.truncf %g : tensor<6xf32> to tensor<6xf16>
  %t = arith.trunci %i : tensor<2xi32> to tensor<2xi8>
  %s = arith.sitofp %j : tensor<2xi32> to tensor<2xf32>
  %d = arith.extf %x : tensor<2xf32> to tensor<2xf64>
  return %b, %h, %t, %s, %d : tensor<6xbf16>, tensor<6xf16>, tensor<2xi8>, tensor<2xf32>, tensor<2xf64>
}

// What operations on elements read is read where it lies, cast or not; and what is not known is cut when it is.
// CHECK-LABEL: func.func @left(
// CHECK:         tensor.extract_slice
// CHECK:         linalg.generic
// CHECK:         arith.extf
// CHECK:         tensor.extract_slice
func.func @left(%x: tensor<2x2xf32>, %at: index) -> (tensor<2x2xf32>, tensor<2x2xf16>) {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf16>
  %s = tensor.extract_slice %c[0, 1] [2, 2] [1, 1] : tensor<2x3xf16> to tensor<2x2xf16>
  %w = arith.extf %s : tensor<2x2xf16> to tensor<2x2xf32>
  %r = arith.addf %x, %w : tensor<2x2xf32>
  %d = tensor.extract_slice %c[0, %at] [2, 2] [1, 1] : tensor<2x3xf16> to tensor<2x2xf16>
  return %r, %d : tensor<2x2xf32>, tensor<2x2xf16>
}

{-# dialect_resources: { builtin: { w: "0x0200000001000200030004000500060007000800" } } #-}
