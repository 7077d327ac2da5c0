// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-flatten-dispatches --one-shot-bufferize --canonicalize --tw-form-dispatches --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK:      module attributes
// CHECK-SAME:   tw.constants = {gpu = ["weights"]}
// CHECK-SAME:   tw.dispatches = 6 : i64

// The arguments of kernels go through memory: one function for all that have as many.
// CHECK:      llvm.func internal @tw_hip_launch.20(
// CHECK-SAME:   attributes {no_inline}
// CHECK:        %[[BYTES:.*]] = llvm.mlir.constant(160 : i64)
// CHECK-COUNT-20: llvm.store
// CHECK:        llvm.call @tw_hip_launch({{.*}}, %[[BYTES]])

#lhs = affine_map<(b, c, m, n, k) -> (b, c, m, k)>
#rhs = affine_map<(b, c, m, n, k) -> (b, c, n, k)>
#out = affine_map<(b, c, m, n, k) -> (b, c, m, n)>

memref.global "private" constant @weights : memref<16xf32> = dense<2.0>

func.func private @exp_0(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {tw.device = "gpu", tw.dispatch = "exp"} {
  %r = linalg.exp ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func private @fill_0(%v: f32, %o: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "gpu", tw.dispatch = "fill"} {
  %r = linalg.fill ins(%v : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @add_0(%x: tensor<?xf32>, %y: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "gpu", tw.dispatch = "add"} {
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @mmt4d_0(%lhs: tensor<?x?x?x?x16x16xf16>, %rhs: tensor<?x?x?x?x16x16xf16>, %o: tensor<?x?x?x?x16x16xf32>)
    -> tensor<?x?x?x?x16x16xf32> attributes {tw.device = "gpu", tw.dispatch = "mmt4d"} {
  %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f16f16f32_16x16x16_amdgpu_gfx942"> indexing_maps = [#lhs, #rhs, #out]
      ins(%lhs, %rhs : tensor<?x?x?x?x16x16xf16>, tensor<?x?x?x?x16x16xf16>)
      outs(%o : tensor<?x?x?x?x16x16xf32>) -> tensor<?x?x?x?x16x16xf32>
  return %r : tensor<?x?x?x?x16x16xf32>
}
// Memory comes from the library, and goes back to it; work on host memory stays. The status is the library's.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[X:.*]]: memref<8x16xf32>
// CHECK:         llvm.call @tw_hip_begin(%[[PROGRAM:[^,]*]], %{{.*}})
// CHECK:         %[[A:.*]] = call @tw_hip_allocate(%[[PROGRAM]], %{{.*}}) : (!llvm.ptr, i64) -> memref<1xi8, 1>
// CHECK:         llvm.call @tw_hip_upload
// CHECK:         llvm.call @tw_hip_launch.{{[0-9]+}}(%[[PROGRAM]], %[[EXP:[^,]*]],
// The same function on another shape: the same kernel; on no elements: none.
// CHECK:         llvm.call @tw_hip_launch.{{[0-9]+}}(%[[PROGRAM]], %[[EXP]],
// Two fills with two values, which are arguments.
// CHECK:         llvm.call @tw_hip_launch.{{[0-9]+}}(%[[PROGRAM]], %[[FILL:[^,]*]],
// CHECK:         llvm.call @tw_hip_launch.{{[0-9]+}}(%[[PROGRAM]], %[[FILL]],
// A constant that is only read is uploaded once, and not released.
// CHECK:         call @tw_hip_constant(
// CHECK:         llvm.call @tw_hip_launch.
// CHECK:         linalg.exp ins(%[[X]]
// CHECK:         llvm.call @tw_hip_download
// CHECK-COUNT-8: llvm.call @tw_hip_release
// CHECK-NOT:     llvm.call @tw_hip_release
// CHECK:         %[[STATUS:.*]] = llvm.call @tw_hip_end
// CHECK:         return %[[STATUS]]
func.func @elementwise(%x: memref<8x16xf32>, %y: memref<16xf32>) -> i32 {
  %ok = arith.constant 0 : i32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = memref.alloc() : memref<8x16xf32, 1>
  %a2 = memref.alloc() : memref<8x16xf32, 1>
  memref.copy %x, %a : memref<8x16xf32> to memref<8x16xf32, 1>
  tw.dispatch @exp_0 ins(%a : memref<8x16xf32, 1>) outs(%a2 : memref<8x16xf32, 1>) accumulates [false]
  %b = memref.alloc() : memref<3x5xf32, 1>
  %b2 = memref.alloc() : memref<3x5xf32, 1>
  tw.dispatch @exp_0 ins(%b : memref<3x5xf32, 1>) outs(%b2 : memref<3x5xf32, 1>) accumulates [false]
  %none = memref.alloc() : memref<0x5xf32, 1>
  %none2 = memref.alloc() : memref<0x5xf32, 1>
  tw.dispatch @exp_0 ins(%none : memref<0x5xf32, 1>) outs(%none2 : memref<0x5xf32, 1>) accumulates [false]
  %c = memref.alloc() : memref<16xf32, 1>
  tw.dispatch @fill_0 ins(%one : f32) outs(%c : memref<16xf32, 1>) accumulates [false]
  tw.dispatch @fill_0 ins(%two : f32) outs(%c : memref<16xf32, 1>) accumulates [false]
  %g = memref.get_global @weights : memref<16xf32>
  %d = memref.alloc() : memref<16xf32, 1>
  memref.copy %g, %d : memref<16xf32> to memref<16xf32, 1>
  %sum = memref.alloc() : memref<16xf32, 1>
  tw.dispatch @add_0 ins(%c, %d : memref<16xf32, 1>, memref<16xf32, 1>) outs(%sum : memref<16xf32, 1>) accumulates [false]
  linalg.exp ins(%x : memref<8x16xf32>) outs(%x : memref<8x16xf32>)
  memref.copy %sum, %y : memref<16xf32, 1> to memref<16xf32>
  memref.dealloc %a : memref<8x16xf32, 1>
  memref.dealloc %a2 : memref<8x16xf32, 1>
  memref.dealloc %b : memref<3x5xf32, 1>
  memref.dealloc %b2 : memref<3x5xf32, 1>
  memref.dealloc %none : memref<0x5xf32, 1>
  memref.dealloc %none2 : memref<0x5xf32, 1>
  memref.dealloc %sum : memref<16xf32, 1>
  memref.dealloc %c : memref<16xf32, 1>
  memref.dealloc %d : memref<16xf32, 1>
  return %ok : i32
}

// A matmul with a batch of two dimensions: one launch per matrix, by tw_mmt4d_params_t as 18 words. Matrices lie next to
// each other: 4 x 8 tiles of 16 x 16 halves, 3 x 8 of them, 4 x 3 of floats.
// CHECK-LABEL: func.func @mmt4d(
// CHECK-DAG:     %[[MATRICES:.*]] = arith.constant 10 : index
// CHECK-DAG:     %[[LHS:.*]] = arith.constant 16384 : index
// CHECK-DAG:     %[[RHS:.*]] = arith.constant 12288 : index
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[MATRICES]]
// CHECK-DAG:       arith.muli %[[I]], %[[LHS]]
// CHECK-DAG:       arith.muli %[[I]], %[[RHS]]
// CHECK:           llvm.call @tw_hip_launch.20(
// CHECK:         llvm.call @tw_hip_end
func.func @mmt4d(%lhs: memref<2x5x4x8x16x16xf16, 1>, %rhs: memref<2x5x3x8x16x16xf16, 1>,
                 %out: memref<2x5x4x3x16x16xf32, 1>) -> i32 {
  %ok = arith.constant 0 : i32
  tw.dispatch @mmt4d_0 ins(%lhs, %rhs : memref<2x5x4x8x16x16xf16, 1>, memref<2x5x3x8x16x16xf16, 1>)
      outs(%out : memref<2x5x4x3x16x16xf32, 1>) accumulates [true]
  return %ok : i32
}

// CHECK-LABEL: module @kernels
// CHECK-SAME:    tw.kernels = ["exp_0", "fill_0", "add_0", "tw_mmt4d_kernel_f16f16f32_16x16x16_amdgpu_gfx942"]
// CHECK-SAME:    tw.target = "amdgpu:gfx942"
// CHECK:         func.func @exp_0(%{{.*}}: memref<1xf32, 1> {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: memref<1xf32, 1> {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK:           rocdl.workgroup.id.x
// CHECK:           scf.for

// -----

// A work-item fills the element that it sums up, and divides it, in an order of its own: kernels of several operations.
// CHECK-LABEL: module @kernels
// CHECK:         func.func @mean_0(
// CHECK:           scf.for %[[ITEM:.*]] =
// CHECK:             %[[J:.*]] = arith.remui %[[ITEM]]
// CHECK:             %[[I:.*]] = arith.divui %[[ITEM]]
// CHECK:             memref.store %{{.*}}, %[[SUM:.*]][%[[J]], %[[I]]]
// CHECK:             scf.for %[[K:.*]] =
// CHECK:               memref.load %{{.*}}[%[[I]], %[[J]], %[[K]]]
// CHECK:               memref.store %{{.*}}, %[[SUM]][%[[J]], %[[I]]]
// CHECK:             memref.load %[[SUM]][%[[J]], %[[I]]]
// CHECK:             memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func private @mean_0(%v: f32, %n: f32, %x: tensor<?x?x?xf32>, %s: tensor<?x?xf32>, %o: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) attributes {tw.device = "gpu", tw.dispatch = "mean"} {
  %f = linalg.fill ins(%v : f32) outs(%s : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j, i)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(p, q) -> (q, p)>, affine_map<(p, q) -> (p, q)>], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.divf %in, %n : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %sum, %mean : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// One that reads what other work-items write is refused.
// expected-error@+1 {{'linalg.exp' in 'others_0' cannot be done by the work-items of the other operations}}
func.func private @others_0(%x: tensor<?x?xf32>, %s: tensor<?x?xf32>, %o: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) attributes {tw.device = "gpu", tw.dispatch = "others"} {
  %e = linalg.exp ins(%x : tensor<?x?xf32>) outs(%s : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%e, %e : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %t = arith.addf %in, %other : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %e, %r : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

func.func private @exp_0(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "gpu", tw.dispatch = "exp"} {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @host_memory(%x: memref<8xf32>, %y: memref<8xf32, 1>) -> i32 {
  %ok = arith.constant 0 : i32
  // expected-error@+1 {{runs on 'gpu', but has a buffer of type 'memref<8xf32>', which is the host's}}
  tw.dispatch @exp_0 ins(%x : memref<8xf32>) outs(%y : memref<8xf32, 1>) accumulates [false]
  return %ok : i32
}

// -----

func.func private @exp_0(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "host", tw.dispatch = "exp"} {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @device_memory(%x: memref<8xf32, 1>) -> i32 {
  %ok = arith.constant 0 : i32
  // expected-error@+1 {{has buffers of a device, but 'exp_0' is the host's}}
  tw.dispatch @exp_0 ins(%x : memref<8xf32, 1>) outs(%x : memref<8xf32, 1>) accumulates [false]
  return %ok : i32
}
