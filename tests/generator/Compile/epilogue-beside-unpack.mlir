// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A product is added to, and compared with the sum: it is unpacked in a dispatch of its own, as was decided, and read by the epilogue.
// RUN: tilewright compile %s --emit=dispatches --target=amdgpu:gfx942 | FileCheck %s
// RUN: tilewright compile %s --emit=llvm-dialect --target=amdgpu:gfx942 -o /dev/null

// CHECK-LABEL: func.func private @sums.body(
// CHECK:         %[[P:.*]] = tw.dispatch @mmt4d_0
// CHECK:         %[[U:.*]] = tw.dispatch @unpack_0 ins(%[[P]] :
// CHECK:         tw.dispatch @mmt4d_1 ins(%{{.*}}, %{{.*}}, %[[U]] :
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @sums(%x: tensor<7x2xf32>) -> tensor<7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x7xf32>) -> tensor<7x7xf32>
  %p = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %x : tensor<7x2xf32>, tensor<7x2xf32>) outs(%z : tensor<7x7xf32>) -> tensor<7x7xf32>
  %s = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%p, %p : tensor<7x7xf32>, tensor<7x7xf32>) outs(%p : tensor<7x7xf32>) -> tensor<7x7xf32>
  %m = arith.maximumf %s, %p : tensor<7x7xf32>
  return %m : tensor<7x7xf32>
}
