// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A product of the host is read by an epilogue on the GPU, row-major.
// RUN: tilewright compile %s --emit=dispatches --device host=x86_64_avx512_base --device gpu=amdgpu:gfx942 | FileCheck %s

// CHECK-LABEL: func.func private @crossing.body(
// CHECK:         %[[P:.*]]:2 = tw.dispatch @matmul_0
// CHECK:         %[[MOVED:.*]] = bufferization.alloc_tensor() copy(%[[P]]#0) {memory_space = 1 : i64} : tensor<16x16xf32>
// CHECK:         tw.dispatch @mmt4d_0 ins(%{{.*}}, %[[MOVED]] : tensor<1x1x16x16xf32>, tensor<16x16xf32>)

// Where the host packs operands as a whole, it is unpacked by a reshape: that is no part of the product's dispatch.
// RUN: tilewright compile %s -o %t.o --inline --cache-dir=%t-cache --report=text --device host=x86_64_avx512_base --device gpu=amdgpu:gfx942 | FileCheck %s --check-prefix=INLINE
// INLINE:     {{^}}3 dispatches
// INLINE:     1 x pack_0,
// INLINE:     1 x mmt4d_0,
// INLINE:     1 x mmt4d_1 on gpu,
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>
func.func @crossing(%x: tensor<16x32xf32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %h = linalg.generic {tw.device = "host", indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<16x32xf32>, tensor<16x32xf32>) outs(%z : tensor<16x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %o, %r : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  %g = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%h, %h : tensor<16x16xf32>, tensor<16x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  %t = linalg.transpose ins(%g : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) permutation = [1, 0]
  %s = linalg.generic {indexing_maps = [#turned, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%h, %t : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}
