// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of an encoded contraction is done together.

// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=a=x86_64_avx512_base,b=x86_64_avx2_fma,gpu=amdgpu:gfx942 --tw-set-encodings --cse --tw-fold-encodings --tw-group-dispatches | FileCheck %s

// On a CPU everything: operands are packed while they are multiplied, the
// result is unpacked and goes through what is done to its elements. A constant
// is packed now, outside.
// CHECK-LABEL: func.func @cpu(
// CHECK:         %[[W:.*]] = tw.set_encoding ins(%{{.*}} : tensor<64x96xf32>)
// CHECK:         %[[R:.*]] = tw.dispatch_region {
// CHECK-NEXT:      %[[A:.*]] = tw.set_encoding ins(%{{.*}} : tensor<?x64xf32>)
// CHECK-NEXT:      %[[Z:.*]] = linalg.fill
// CHECK-NEXT:      %[[P:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[W]] : {{.*}}) outs(%[[Z]] :
// CHECK:           %[[U:.*]] = tw.unset_encoding ins(%[[P]] :
// CHECK-NEXT:      %[[E:.*]] = linalg.generic {{.*}} outs(%[[U]] :
// CHECK:           tw.yield %[[E]] : tensor<?x96xf32>
// CHECK-NEXT:    } {tw.device = "a"} : tensor<?x96xf32>
// CHECK-NOT:     tw.dispatch_region
// CHECK:         return {{.*}}%[[R]]
#all = affine_map<(i, j) -> (i, j)>
func.func @cpu(%a: tensor<?x64xf32>, %d: tensor<?x96xf32>) -> tensor<?x96xf32> attributes {tw.device = "a"} {
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %p = linalg.matmul ins(%a, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  %e = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x96xf32>) outs(%d : tensor<?x96xf32>) {
  ^bb0(%x: f32, %o: f32):
    %q = arith.maximumf %x, %zero : f32
    linalg.yield %q : f32
  } -> tensor<?x96xf32>
  return %e : tensor<?x96xf32>
}

// -----

// Each of two packs for itself what both take.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[X:.*]]: tensor<8x64xf32>, %{{.*}}: tensor<64x96xf32>, %{{.*}}: tensor<64x96xf32>,
// CHECK:         tw.dispatch_region {
// CHECK:           tw.set_encoding ins(%[[X]] :
// CHECK:           tw.yield
// CHECK:         tw.dispatch_region {
// CHECK:           tw.set_encoding ins(%[[X]] :
// CHECK:           tw.yield
func.func @shared(%x: tensor<8x64xf32>, %v: tensor<64x96xf32>, %w: tensor<64x96xf32>, %c: tensor<8x96xf32>, %d: tensor<8x96xf32>) -> (tensor<8x96xf32>, tensor<8x96xf32>) attributes {tw.device = "a"} {
  %r = linalg.matmul ins(%x, %v : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  %s = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%d : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %r, %s : tensor<8x96xf32>, tensor<8x96xf32>
}

// -----

// What another CPU does to the elements is another dispatch.
// CHECK-LABEL: func.func @two(
// CHECK:         tw.dispatch_region {
// CHECK:           tw.unset_encoding
// CHECK-NEXT:      tw.yield
// CHECK-NEXT:    } {tw.device = "a"}
// CHECK:         tw.dispatch_region {
// CHECK-NEXT:      linalg.generic
// CHECK:         } {tw.device = "b"}
#all = affine_map<(i, j) -> (i, j)>
func.func @two(%a: tensor<8x64xf32>, %b: tensor<64x96xf32>, %d: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %p = linalg.matmul {tw.device = "a"} ins(%a, %b : tensor<8x64xf32>, tensor<64x96xf32>) outs(%d : tensor<8x96xf32>) -> tensor<8x96xf32>
  %e = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<8x96xf32>) outs(%d : tensor<8x96xf32>) attrs = {tw.device = "b"} {
  ^bb0(%x: f32, %o: f32):
    %q = math.exp %x : f32
    linalg.yield %q : f32
  } -> tensor<8x96xf32>
  return %e : tensor<8x96xf32>
}

// -----

// On a GPU a multiplication is a kernel of its own, as is each pack and unpack;
// so is what one device lays out anew for another.
// CHECK-LABEL: func.func @gpu(
// CHECK-COUNT-3: tw.set_encoding
// CHECK:         tw.dispatch_region {
// CHECK-NEXT:      linalg.generic
// CHECK:           tw.yield %{{.*}} : tensor<8x96xf32, #out>
// CHECK-NEXT:    } {tw.device = "gpu"}
// CHECK:         tw.dispatch_region {
// CHECK-NOT:       linalg.generic
// CHECK:           tw.relayout
// CHECK:         } {tw.device = "a"}
func.func @gpu(%a: tensor<8x64xf32>, %b: tensor<64x96xf32>, %c: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %p = linalg.matmul {tw.device = "gpu"} ins(%a, %b : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  %q = linalg.matmul {tw.device = "a"} ins(%a, %b : tensor<8x64xf32>, tensor<64x96xf32>) outs(%p : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %q : tensor<8x96xf32>
}
