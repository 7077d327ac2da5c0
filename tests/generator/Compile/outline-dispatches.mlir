// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-outline-dispatches --split-input-file | FileCheck %s

// Two shapes, one function; its fill comes along, and the sizes are arguments.
// CHECK-LABEL: func.func @two_shapes(
// CHECK-SAME:    %[[X:.*]]: memref<
// CHECK-NOT:     linalg
// CHECK:         %[[R:.*]] = tw.dispatch @reduction_0 ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>) accumulates [false] -> tensor<4xf32>
// CHECK:         tw.dispatch @reduction_0 ins(%{{.*}} : tensor<6x16xf32>) outs(%{{.*}} : tensor<6xf32>) accumulates [false]
// CHECK-NOT:     func.func private @reduction_1
// CHECK:       func.func private @reduction_0(%[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?xf32>) -> tensor<?xf32> attributes {tw.dispatch = "reduction"} {
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0
// CHECK:         %[[FILL:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[B]] : tensor<?xf32>)
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<?x?xf32>) outs(%[[FILL]] : tensor<?xf32>)
// CHECK:         return %[[SUM]]
func.func @two_shapes(%x: memref<4x8xf32>, %y: memref<6x16xf32>, %r: memref<4xf32>, %s: memref<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = bufferization.to_tensor %x restrict : memref<4x8xf32> to tensor<4x8xf32>
  %b = bufferization.to_tensor %y restrict : memref<6x16xf32> to tensor<6x16xf32>
  %ae = tensor.empty() : tensor<4xf32>
  %be = tensor.empty() : tensor<6xf32>
  %af = linalg.fill ins(%zero : f32) outs(%ae : tensor<4xf32>) -> tensor<4xf32>
  %bf = linalg.fill ins(%zero : f32) outs(%be : tensor<6xf32>) -> tensor<6xf32>
  %ar = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%af : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %br = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%b : tensor<6x16xf32>) outs(%bf : tensor<6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  bufferization.materialize_in_destination %ar in restrict writable %r : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %br in restrict writable %s : (tensor<6xf32>, memref<6xf32>) -> ()
  return
}

// -----

// A fill of several is each one's own. What is accumulated onto is read.
// CHECK-LABEL: func.func @shared_fill(
// CHECK:         tw.dispatch @mmt4d_0 ins({{.*}} accumulates [true]
// CHECK:         tw.dispatch @reduce_0 ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>) accumulates [false]
// CHECK:         tw.dispatch @reduce_0 ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>) accumulates [false]
// CHECK:       func.func private @mmt4d_0(%{{.*}}: tensor<?x?x4x1xf32>, %{{.*}}: tensor<?x?x16x1xf32>, %{{.*}}: tensor<?x?x4x16xf32>)
// CHECK:       func.func private @reduce_0(
// CHECK:         linalg.fill
// CHECK:         linalg.reduce
func.func @shared_fill(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %a: tensor<2x5x4x1xf32>, %b: tensor<1x5x16x1xf32>, %c: tensor<2x1x4x16xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<2x1x4x16xf32>) {
  %m = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic"> indexing_maps = [
        affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<1x5x16x1xf32>) outs(%c : tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  %s = linalg.reduce { arith.addf } ins(%y : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  return %r, %s, %m : tensor<4xf32>, tensor<4xf32>, tensor<2x1x4x16xf32>
}

// -----

// Sizes of windows and of what is broadcast stay what they are; offsets in a
// body and sizes that it asks for become arguments.
// CHECK-LABEL: func.func @windows(
// CHECK:         tw.dispatch @pooling_nhwc_max_0
// CHECK:         tw.dispatch @elementwise_0 ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<1x6xf32>, index, index)
// CHECK:       func.func private @pooling_nhwc_max_0(%{{.*}}: tensor<1x?x?x?xf32>, %{{.*}}: tensor<3x3xf32>, %{{.*}}: tensor<1x?x?x?xf32>)
// CHECK:       func.func private @elementwise_0(%{{.*}}: tensor<1x?xf32>, %[[SIZE:.*]]: index, %[[OFFSET:.*]]: index, %{{.*}}: tensor<?x?xf32>)
// CHECK:         linalg.generic
// CHECK:           arith.addi %{{.*}}, %[[SIZE]]
// CHECK:           arith.addi %{{.*}}, %[[OFFSET]]
func.func @windows(%x: tensor<1x8x8x5xf32>, %window: tensor<3x3xf32>, %i: tensor<1x6x6x5xf32>, %y: tensor<1x6xf32>, %e: tensor<4x6xf32>, %z: tensor<?xf32>)
    -> (tensor<1x6x6x5xf32>, tensor<4x6xf32>) {
  %p = linalg.pooling_nhwc_max ins(%x, %window : tensor<1x8x8x5xf32>, tensor<3x3xf32>) outs(%i : tensor<1x6x6x5xf32>) -> tensor<1x6x6x5xf32>
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<1x6xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %at = linalg.index 0 : index
    %size = tensor.dim %z, %c0 : tensor<?xf32>
    %s = arith.addi %at, %size : index
    %t = arith.addi %s, %c7 : index
    %u = arith.index_cast %t : index to i32
    %v = arith.sitofp %u : i32 to f32
    %w = arith.addf %in, %v : f32
    linalg.yield %w : f32
  } -> tensor<4x6xf32>
  return %p, %r : tensor<1x6x6x5xf32>, tensor<4x6xf32>
}

// -----

// The tile of a product that goes on from a fill is the fill's.
// CHECK-LABEL: func.func @filled_tiles(
// CHECK:         tw.dispatch @mmt4d_0 ins({{.*}}) outs(%{{.*}} : tensor<2x1x4x16xf32>) accumulates [false]
// CHECK:       func.func private @mmt4d_0(%{{.*}}: tensor<?x?x4x1xf32>, %{{.*}}: tensor<?x?x16x1xf32>, %[[OUT:.*]]: tensor<?x?x4x16xf32>)
// CHECK:         %[[F:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[OUT]] : tensor<?x?x4x16xf32>)
// CHECK:         tw.mmt4d {{.*}} outs(%[[F]] : tensor<?x?x4x16xf32>)
func.func @filled_tiles(%a: tensor<2x5x4x1xf32>, %b: tensor<1x5x16x1xf32>) -> tensor<2x1x4x16xf32> {
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<2x1x4x16xf32>
  %f = linalg.fill ins(%three : f32) outs(%e : tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
  %m = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic"> indexing_maps = [
        affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<1x5x16x1xf32>) outs(%f : tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
  return %m : tensor<2x1x4x16xf32>
}
