// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a GPU does with a product in the kernel that computes it.

// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-set-encodings --tw-group-dispatches --split-input-file | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#column = affine_map<(i, j) -> (j)>

// Rows of the product are the second loop, columns the first; there is no batch.
// CHECK-LABEL: func.func @transposed(
// CHECK:         tw.dispatch_region
// CHECK:         tw.dispatch_region
// CHECK:         tw.dispatch_region
// CHECK-NEXT:      linalg.fill
// CHECK-NEXT:      linalg.generic
// CHECK:           tw.unset_encoding
// CHECK-NEXT:      linalg.generic
// CHECK-SAME:        tw.epilogue_loops = [array<i64>, array<i64: 1>, array<i64: 0>, array<i64: 1, 1>]
// CHECK-NOT:     tw.dispatch_region
func.func @transposed(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %bias: tensor<64xf32>) -> tensor<48x64xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<64x48xf32>
  %t = tensor.empty() : tensor<48x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x48xf32>) -> tensor<64x48xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%z : tensor<64x48xf32>) -> tensor<64x48xf32>
  %d = linalg.generic {indexing_maps = [#turned, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m, %bias : tensor<64x48xf32>, tensor<64xf32>) outs(%t : tensor<48x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.addf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<48x64xf32>
  return %d : tensor<48x64xf32>
}

// -----

// Heads: columns are the first and the last loop, the last one faster. A batch has a loop, too.
// CHECK-LABEL: func.func @heads(
// CHECK:         tw.unset_encoding
// CHECK-NEXT:    tensor.expand_shape
// CHECK:         tw.epilogue_loops = [array<i64>, array<i64: 1>, array<i64: 0, 2>, array<i64: 1, 1>]
func.func @heads(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>) -> tensor<3x64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<64x48xf32>
  %t = tensor.empty() : tensor<3x64x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x48xf32>) -> tensor<64x48xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%z : tensor<64x48xf32>) -> tensor<64x48xf32>
  %h = tensor.expand_shape %m [[0], [1, 2]] output_shape [64, 3, 16] : tensor<64x48xf32> into tensor<64x3x16xf32>
  %r = linalg.transpose ins(%h : tensor<64x3x16xf32>) outs(%t : tensor<3x64x16xf32>) permutation = [1, 0, 2]
  return %r : tensor<3x64x16xf32>
}
// CHECK-LABEL: func.func @batch(
// CHECK:         tw.unset_encoding
// CHECK-SAME:      tw.epilogue_loops = [array<i64: 0>, array<i64: 1>, array<i64: 2>, array<i64: 1, 1>]
func.func @batch(%x: tensor<3x64x32xf32>, %w: tensor<3x32x48xf32>) -> tensor<3x64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<3x64x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<3x64x48xf32>) -> tensor<3x64x48xf32>
  %m = linalg.batch_matmul ins(%x, %w : tensor<3x64x32xf32>, tensor<3x32x48xf32>) outs(%z : tensor<3x64x48xf32>) -> tensor<3x64x48xf32>
  return %m : tensor<3x64x48xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// A product that something else reads, too, has to be there for that.
// CHECK-LABEL: func.func @read_twice(
// CHECK-NOT:     linalg.generic {{.*}}tw.epilogue_loops
// CHECK:         tw.unset_encoding {{.*}}tw.epilogue_loops
// CHECK:         math.exp
func.func @read_twice(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>) -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<64x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x48xf32>) -> tensor<64x48xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%z : tensor<64x48xf32>) -> tensor<64x48xf32>
  %d = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<64x48xf32>) outs(%y : tensor<64x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<64x48xf32>
  return %d, %m : tensor<64x48xf32>, tensor<64x48xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// Each iteration reads more than one element: of rows that another workgroup may have.
// CHECK-LABEL: func.func @sums(
// CHECK-NOT:     linalg.generic {{.*}}tw.epilogue_loops
func.func @sums(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<64x48xf32>
  %s = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x48xf32>) -> tensor<64x48xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%z : tensor<64x48xf32>) -> tensor<64x48xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%s : tensor<64xf32>) -> tensor<64xf32>
  %d = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<64x48xf32>) outs(%zs : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.addf %a, %o : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  return %d : tensor<64xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// Who packs it computes it where it packs: that is the epilogue then.
// CHECK-LABEL: func.func @packed(
// CHECK:         math.exp
// CHECK-NOT:     tw.epilogue_loops
// CHECK:         tw.set_encoding {{.*}}tw.epilogue_loops = [array<i64>, array<i64: 0>, array<i64: 1>, array<i64: 1, 1>]
// CHECK:         tw.unset_encoding {{.*}}tw.epilogue_loops
func.func @packed(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %v: tensor<48x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<64x48xf32>
  %y2 = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x48xf32>) -> tensor<64x48xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%y2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%z : tensor<64x48xf32>) -> tensor<64x48xf32>
  %d = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<64x48xf32>) outs(%y : tensor<64x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<64x48xf32>
  %r = linalg.matmul ins(%d, %v : tensor<64x48xf32>, tensor<48x64xf32>) outs(%z2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
