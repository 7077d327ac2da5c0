// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-set-encodings --tw-group-dispatches | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// What a contraction packs while it multiplies is read where it multiplies: the
// group that computes it stands before, and takes up nothing from behind.
// CHECK-LABEL: func.func @packed(
// CHECK:         %[[SUMS:.*]]:2 = tw.dispatch_region
// CHECK:           linalg.reduce
// CHECK:           %[[D:.*]] = linalg.generic
// CHECK:           tw.yield %{{.*}}, %[[D]]
// CHECK:         %[[PRODUCT:.*]] = tw.dispatch_region
// CHECK:           tw.set_encoding ins(%[[SUMS]]#1 :
// CHECK:           tw.unset_encoding
// CHECK:         tw.dispatch_region
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[SUMS]]#1, %[[SUMS]]#0
func.func @packed(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %y = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<64x64xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<64x64xf32>, tensor<64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.matmul ins(%d, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%d, %s : tensor<64x64xf32>, tensor<64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.subf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<64x64xf32>
  return %m, %g : tensor<64x64xf32>, tensor<64x64xf32>
}
