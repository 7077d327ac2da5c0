// RUN: tw-opt %s --tw-form-dispatches --canonicalize --cse | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK:      module attributes
// CHECK-SAME:   tw.constants = ["weights"]
// CHECK-SAME:   tw.dispatches = 7 : i64
// CHECK-SAME:   tw.kernels = ["exp_0", "fill_0", "add_0", "tw_mmt4d_kernel_f16f16f32_16x16x16_amdgpu_gfx942", "exp_1"]

#lhs = affine_map<(b, c, m, n, k) -> (b, c, m, k)>
#rhs = affine_map<(b, c, m, n, k) -> (b, c, n, k)>
#out = affine_map<(b, c, m, n, k) -> (b, c, m, n)>

memref.global "private" constant @weights : memref<16xf32> = dense<2.0>

// Memory comes from the library, and goes back to it; work on host memory stays. The status is the library's.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[X:.*]]: memref<8x16xf32>
// CHECK:         llvm.call @tw_hip_begin(%[[PROGRAM:[^)]*]])
// CHECK:         %[[A:.*]] = call @tw_hip_allocate(%[[PROGRAM]], %{{.*}}) : (!llvm.ptr, i64) -> memref<1xi8, 1>
// CHECK:         llvm.call @tw_hip_upload
// CHECK:         llvm.call @tw_hip_launch(%[[PROGRAM]], %[[EXP:[^,]*]],
// The same body on another shape: the same kernel.
// CHECK:         llvm.call @tw_hip_launch(%[[PROGRAM]], %[[EXP]],
// Two fills with two values, which are arguments.
// CHECK:         llvm.call @tw_hip_launch(%[[PROGRAM]], %[[FILL:[^,]*]],
// CHECK:         llvm.call @tw_hip_launch(%[[PROGRAM]], %[[FILL]],
// A constant that is only read is uploaded once, and not released.
// CHECK:         call @tw_hip_constant(
// CHECK:         llvm.call @tw_hip_launch
// CHECK:         linalg.exp ins(%[[X]]
// CHECK:         llvm.call @tw_hip_download
// CHECK-COUNT-3: llvm.call @tw_hip_release
// CHECK-NOT:     llvm.call @tw_hip_release
// CHECK:         %[[STATUS:.*]] = llvm.call @tw_hip_end
// CHECK:         return %[[STATUS]]
func.func @elementwise(%x: memref<8x16xf32>, %y: memref<16xf32>) -> i32 {
  %ok = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = memref.alloc() : memref<8x16xf32, 1>
  memref.copy %x, %a : memref<8x16xf32> to memref<8x16xf32, 1>
  linalg.exp ins(%a : memref<8x16xf32, 1>) outs(%a : memref<8x16xf32, 1>)
  %b = memref.alloc() : memref<3x5xf32, 1>
  linalg.exp ins(%b : memref<3x5xf32, 1>) outs(%b : memref<3x5xf32, 1>)
  %c = memref.alloc() : memref<16xf32, 1>
  linalg.fill ins(%one : f32) outs(%c : memref<16xf32, 1>)
  linalg.fill ins(%two : f32) outs(%c : memref<16xf32, 1>)
  %g = memref.get_global @weights : memref<16xf32>
  %d = memref.alloc() : memref<16xf32, 1>
  memref.copy %g, %d : memref<16xf32> to memref<16xf32, 1>
  linalg.add ins(%c, %d : memref<16xf32, 1>, memref<16xf32, 1>) outs(%c : memref<16xf32, 1>)
  linalg.exp ins(%x : memref<8x16xf32>) outs(%x : memref<8x16xf32>)
  memref.copy %c, %y : memref<16xf32, 1> to memref<16xf32>
  memref.dealloc %a : memref<8x16xf32, 1>
  memref.dealloc %b : memref<3x5xf32, 1>
  memref.dealloc %c : memref<16xf32, 1>
  memref.dealloc %d : memref<16xf32, 1>
  return %ok : i32
}

// A matmul with a batch of two dimensions: one launch per matrix, by tw_mmt4d_params_t as 18 words. Matrices lie next to
// each other: 4 x 8 tiles of 16 x 16 halves, 3 x 8 of them, 4 x 3 of floats.
// CHECK-LABEL: func.func @mmt4d(
// CHECK-DAG:     %[[BYTES:.*]] = llvm.mlir.constant(144 : i64)
// CHECK-DAG:     %[[MATRICES:.*]] = arith.constant 10 : index
// CHECK-DAG:     %[[LHS:.*]] = arith.constant 16384 : index
// CHECK-DAG:     %[[RHS:.*]] = arith.constant 12288 : index
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[MATRICES]]
// CHECK-DAG:       arith.muli %[[I]], %[[LHS]]
// CHECK-DAG:       arith.muli %[[I]], %[[RHS]]
// CHECK:           llvm.call @tw_hip_launch({{.*}}, %[[BYTES]])
// CHECK:         llvm.call @tw_hip_end
func.func @mmt4d(%lhs: memref<2x5x4x8x16x16xf16, 1>, %rhs: memref<2x5x3x8x16x16xf16, 1>,
                 %out: memref<2x5x4x3x16x16xf32, 1>) -> i32 {
  %ok = arith.constant 0 : i32
  tw.mmt4d "tw_mmt4d_tile_f16f16f32_16x16x16_amdgpu_gfx942" indexing_maps = [#lhs, #rhs, #out]
      ins(%lhs, %rhs : memref<2x5x4x8x16x16xf16, 1>, memref<2x5x3x8x16x16xf16, 1>)
      outs(%out : memref<2x5x4x3x16x16xf32, 1>)
  linalg.exp ins(%out : memref<2x5x4x3x16x16xf32, 1>) outs(%out : memref<2x5x4x3x16x16xf32, 1>)
  return %ok : i32
}

// CHECK-LABEL: module @kernels
// CHECK:         func.func @exp_0(%{{.*}}: memref<1xf32, 1> {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK:           rocdl.workgroup.id.x
// CHECK:           scf.for
