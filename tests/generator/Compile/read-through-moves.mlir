// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-structure-tensors --tw-fuse-elementwise --canonicalize --split-input-file | FileCheck %s
// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-structure-tensors --tw-fuse-elementwise --canonicalize --split-input-file | FileCheck %s

#i = affine_map<(i, j) -> (i, j)>

// The halves of each row, one of them negated, put together again: of what they come from, transpose included.
// CHECK-LABEL: func.func @rotated(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<8x2x32xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[X]] :
// CHECK:           scf.if
// CHECK:             %[[A:.*]] = tensor.extract %[[X]][
// CHECK-NEXT:        arith.negf %[[A]]
// CHECK:           } else {
// CHECK:             tensor.extract %[[X]][
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @rotated(%x: tensor<8x2x32xf32>) -> tensor<2x8x32xf32> {
  %e = tensor.empty() : tensor<2x8x32xf32>
  %h = tensor.empty() : tensor<2x8x16xf32>
  %t = linalg.transpose ins(%x : tensor<8x2x32xf32>) outs(%e : tensor<2x8x32xf32>) permutation = [1, 0, 2]
  %a = tensor.extract_slice %t[0, 0, 0] [2, 8, 16] [1, 1, 1] {tw.in_bounds} : tensor<2x8x32xf32> to tensor<2x8x16xf32>
  %b = tensor.extract_slice %t[0, 0, 16] [2, 8, 16] [1, 1, 1] {tw.in_bounds} : tensor<2x8x32xf32> to tensor<2x8x16xf32>
  %n = linalg.negf ins(%b : tensor<2x8x16xf32>) outs(%h : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %c = tensor.concat dim(2) %n, %a : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x32xf32>
  %r = linalg.add ins(%t, %c : tensor<2x8x32xf32>, tensor<2x8x32xf32>) outs(%e : tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
  return %r : tensor<2x8x32xf32>
}

// -----

// What costs more than to load it is computed once.
// CHECK-LABEL: func.func @exponentials(
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.generic
// CHECK-NOT:       math.exp
// CHECK:         return
func.func @exponentials(%x: tensor<8x32xf32>) -> tensor<8x64xf32> {
  %h = tensor.empty() : tensor<8x16xf32>
  %a = tensor.extract_slice %x[0, 0] [8, 16] [1, 1] {tw.in_bounds} : tensor<8x32xf32> to tensor<8x16xf32>
  %n = linalg.exp ins(%a : tensor<8x16xf32>) outs(%h : tensor<8x16xf32>) -> tensor<8x16xf32>
  %p = tensor.pad %n low[0, 24] high[0, 24] {
  ^bb0(%i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<8x16xf32> to tensor<8x64xf32>
  return %p : tensor<8x64xf32>
}

// -----

#i = affine_map<(i, j) -> (i, j)>

// Nor twice: what is negated is read in two places.
// CHECK-LABEL: func.func @twice(
// CHECK:         linalg.generic
// CHECK:           arith.negf
// CHECK:         linalg.generic
// CHECK-NOT:       arith.negf
// CHECK:         return
func.func @twice(%x: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %h = tensor.empty() : tensor<8x16xf32>
  %a = tensor.extract_slice %x[0, 0] [8, 16] [1, 1] {tw.in_bounds} : tensor<8x32xf32> to tensor<8x16xf32>
  %b = tensor.extract_slice %x[0, 16] [8, 16] [1, 1] {tw.in_bounds} : tensor<8x32xf32> to tensor<8x16xf32>
  %n = linalg.negf ins(%a : tensor<8x16xf32>) outs(%h : tensor<8x16xf32>) -> tensor<8x16xf32>
  %c = tensor.concat dim(1) %n, %b : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
  %d = tensor.concat dim(1) %b, %n : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
  return %c, %d : tensor<8x32xf32>, tensor<8x32xf32>
}

// -----

// Rows stay rows: columns are transposed in blocks, not gathered.
// CHECK-LABEL: func.func @columns(
// CHECK:         %[[T:.*]] = linalg.transpose
// CHECK:         tensor.extract %[[T]]
func.func @columns(%x: tensor<32x8xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %t = linalg.transpose ins(%x : tensor<32x8xf32>) outs(%e : tensor<8x32xf32>) permutation = [1, 0]
  %a = tensor.extract_slice %t[0, 5] [8, 16] [1, 1] {tw.in_bounds} : tensor<8x32xf32> to tensor<8x16xf32>
  return %a : tensor<8x16xf32>
}

// -----

// What reads its operand in order is fused otherwise, or is the epilogue of what made that.
// CHECK-LABEL: func.func @epilogue(
// CHECK:         linalg.matmul
// CHECK:         linalg.generic
// CHECK:           arith.negf
// CHECK:         linalg.generic
// CHECK-NOT:       arith.negf
// CHECK:         return
func.func @epilogue(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<10x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.matmul ins(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %n = linalg.negf ins(%m : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = tensor.pad %n low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x8xf32> to tensor<10x10xf32>
  return %p : tensor<10x10xf32>
}
