// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-flatten-dispatches --one-shot-bufferize --canonicalize --tw-form-dispatches --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tile's kernel and what follows it are one: launched as the tile's is, 18 words, with those of the function and the
// number of the matrix behind.
// CHECK:      module attributes
// CHECK-SAME:   tw.dispatches = 1 : i64
// CHECK-LABEL: func.func @call(
// CHECK:         llvm.call @tw_hip_launch.
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(i, j) -> (i, j)>
func.func private @mmt4d_0(%lhs: tensor<?x?x16x16xf16>, %rhs: tensor<?x?x16x16xf16>, %p: tensor<?x?x16x16xf32>, %o: tensor<?x?xf32>)
    -> (tensor<?x?x16x16xf32>, tensor<?x?xf32>) attributes {tw.device = "gpu", tw.dispatch = "mmt4d"} {
  %c16 = arith.constant 16 : index
  %m = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f16f16f32_16x16x16_amdgpu_gfx942"> overwrite indexing_maps = [#lhs, #rhs, #out]
      ins(%lhs, %rhs : tensor<?x?x16x16xf16>, tensor<?x?x16x16xf16>) outs(%p : tensor<?x?x16x16xf32>) -> tensor<?x?x16x16xf32>
  %r = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<?x?xf32>)
      attrs = {tw.epilogue_loops = [array<i64>, array<i64: 1>, array<i64: 0>, array<i64: 1, 1>]} {
  ^bb0(%out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 0 : index
    %i1 = arith.divui %i, %c16 : index
    %i0 = arith.remui %i, %c16 : index
    %j1 = arith.divui %j, %c16 : index
    %j0 = arith.remui %j, %c16 : index
    %e = tensor.extract %m[%i1, %j1, %i0, %j0] : tensor<?x?x16x16xf32>
    %t = math.absf %e : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %m, %r : tensor<?x?x16x16xf32>, tensor<?x?xf32>
}
func.func @call(%lhs: memref<4x8x16x16xf16, 1>, %rhs: memref<3x8x16x16xf16, 1>, %p: memref<4x3x16x16xf32, 1>, %o: memref<45x60xf32, 1>) -> i32 {
  %ok = arith.constant 0 : i32
  tw.dispatch @mmt4d_0 ins(%lhs, %rhs : memref<4x8x16x16xf16, 1>, memref<3x8x16x16xf16, 1>)
      outs(%p, %o : memref<4x3x16x16xf32, 1>, memref<45x60xf32, 1>) accumulates [false, false]
  return %ok : i32
}

// It goes through the tiles of its workgroup, and leaves out what they have beyond the matrix. What was written under
// another name is no noalias argument.
// CHECK-LABEL: module @kernels
// CHECK-SAME:    tw.kernels = ["mmt4d_0"]
// CHECK:         func.func @mmt4d_0(
// CHECK-NOT:       noalias
// CHECK-SAME:      attributes {passthrough = {{\[\[}}"tw-tile-kernel", "tw_mmt4d_kernel_f16f16f32_16x16x16_amdgpu_gfx942"]]}
// CHECK-DAG:       %[[X:.*]] = rocdl.workgroup.id.x
// CHECK-DAG:       %[[Y:.*]] = rocdl.workgroup.id.y
// CHECK-DAG:       rocdl.workitem.id.x
// CHECK:           scf.for
// CHECK:             %[[M:.*]] = arith.addi
// CHECK:             %[[N:.*]] = arith.addi
// CHECK-DAG:         %[[ROW:.*]] = arith.cmpi ult, %[[M]]
// CHECK-DAG:         %[[COLUMN:.*]] = arith.cmpi ult, %[[N]]
// CHECK:             %[[INSIDE:.*]] = arith.andi %[[ROW]], %[[COLUMN]]
// CHECK:             scf.if %[[INSIDE]]
// CHECK:               memref.load
// CHECK:               memref.store %{{.*}}, %{{.*}}[%[[N]], %[[M]]]

// -----

// One that reads tiles of other workgroups, which may not be there yet, is refused.
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(i, j) -> (i, j)>
// expected-error@+1 {{'mmt4d_0' reads other elements of the product than its workgroup has computed}}
func.func private @mmt4d_0(%lhs: tensor<?x?x16x16xf16>, %rhs: tensor<?x?x16x16xf16>, %p: tensor<?x?x16x16xf32>, %o: tensor<?x?xf32>)
    -> (tensor<?x?x16x16xf32>, tensor<?x?xf32>) attributes {tw.device = "gpu", tw.dispatch = "mmt4d"} {
  %c16 = arith.constant 16 : index
  %m = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f16f16f32_16x16x16_amdgpu_gfx942"> overwrite indexing_maps = [#lhs, #rhs, #out]
      ins(%lhs, %rhs : tensor<?x?x16x16xf16>, tensor<?x?x16x16xf16>) outs(%p : tensor<?x?x16x16xf32>) -> tensor<?x?x16x16xf32>
  %r = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<?x?xf32>)
      attrs = {tw.epilogue_loops = [array<i64>, array<i64: 0>, array<i64: 1>, array<i64: 1, 1>]} {
  ^bb0(%out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 0 : index
    %i1 = arith.divui %i, %c16 : index
    %i0 = arith.remui %i, %c16 : index
    %j1 = arith.divui %j, %c16 : index
    %j0 = arith.remui %j, %c16 : index
    %e = tensor.extract %m[%i1, %j1, %i0, %j0] : tensor<?x?x16x16xf32>
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  return %m, %r : tensor<?x?x16x16xf32>, tensor<?x?xf32>
}

// -----

// So is one that fills up rows behind the last tile: nobody goes there.
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#packed = affine_map<(a, b, c, d) -> (a, b, c, d)>
// expected-error@+1 {{'mmt4d_0' reads other elements of the product than its workgroup has computed}}
func.func private @mmt4d_0(%lhs: tensor<?x?x16x16xf16>, %rhs: tensor<?x?x16x16xf16>, %p: tensor<?x?x16x16xf32>, %o: tensor<?x?x32x16xf32>)
    -> (tensor<?x?x16x16xf32>, tensor<?x?x32x16xf32>) attributes {tw.device = "gpu", tw.dispatch = "mmt4d"} {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %m = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f16f16f32_16x16x16_amdgpu_gfx942"> overwrite indexing_maps = [#lhs, #rhs, #out]
      ins(%lhs, %rhs : tensor<?x?x16x16xf16>, tensor<?x?x16x16xf16>) outs(%p : tensor<?x?x16x16xf32>) -> tensor<?x?x16x16xf32>
  %r = linalg.generic {indexing_maps = [#packed], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%o : tensor<?x?x32x16xf32>)
      attrs = {tw.epilogue_loops = [array<i64>, array<i64: 0, 2>, array<i64: 1, 3>, array<i64: 32, 16>]} {
  ^bb0(%out: f32):
    %a = linalg.index 0 : index
    %j1 = linalg.index 1 : index
    %c = linalg.index 2 : index
    %j0 = linalg.index 3 : index
    %a32 = arith.muli %a, %c32 : index
    %i = arith.addi %a32, %c : index
    %i1 = arith.divui %i, %c16 : index
    %i0 = arith.remui %i, %c16 : index
    %e = tensor.extract %m[%i1, %j1, %i0, %j0] : tensor<?x?x16x16xf32>
    linalg.yield %e : f32
  } -> tensor<?x?x32x16xf32>
  return %m, %r : tensor<?x?x16x16xf32>, tensor<?x?x32x16xf32>
}
