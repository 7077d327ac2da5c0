// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-set-encodings --tw-group-dispatches --split-input-file | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>

// What is computed element by element for one contraction is packed where it is computed.
// CHECK-LABEL: func.func @packed(
// CHECK:         tw.dispatch_region
// CHECK:           math.exp
// CHECK:           tw.set_encoding
// CHECK:           tw.yield
func.func @packed(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<64x64xf32>
  %d = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.matmul ins(%d, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %m : tensor<64x64xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// But not what something else reads, too.
// CHECK-LABEL: func.func @shared(
// CHECK:         tw.dispatch_region
// CHECK:           math.exp
// CHECK-NOT:       tw.set_encoding
// CHECK:           tw.yield
func.func @shared(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<64x64xf32>
  %d = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.matmul ins(%d, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %m, %d : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>

// One operation reads two products: both are unpacked where it is.
// CHECK-LABEL: func.func @gated(
// CHECK:         tw.dispatch_region
// CHECK-COUNT-2:   tw.unset_encoding
// CHECK-NEXT:      linalg.generic
// CHECK:           tw.yield
func.func @gated(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %n = linalg.matmul ins(%x, %v : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m, %n : tensor<64x64xf32>, tensor<64x64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.mulf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// What is unpacked for a sum and for what goes on from the sum is unpacked by both.
// CHECK-LABEL: func.func @summed(
// CHECK:         tw.dispatch_region
// CHECK:           arith.mulf
// CHECK:         tw.dispatch_region
// CHECK:           tw.unset_encoding
// CHECK-NOT:       tw.yield
// CHECK:           arith.maximumf
// CHECK:           tw.yield {{.*}} : tensor<64xf32>
// CHECK:         tw.dispatch_region
// CHECK:           tw.unset_encoding
// CHECK-NOT:       tw.yield
// CHECK:           arith.subf
// CHECK:           tw.set_encoding
func.func @summed(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%y : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<64x64xf32>) outs(%v : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.maximumf %a, %o : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  %d = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%m, %r : tensor<64x64xf32>, tensor<64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.subf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<64x64xf32>
  %n = linalg.matmul ins(%d, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %n : tensor<64x64xf32>
}
