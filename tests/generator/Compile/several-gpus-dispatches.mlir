// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,a=amdgpu:gfx942,b=amdgpu:gfx950,c=amdgpu:gfx942,unused=amdgpu:gfx90a --tw-flatten-dispatches --one-shot-bufferize --canonicalize --tw-form-dispatches --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each device has the constants that it reads, each target one module of kernels.
// CHECK:      module attributes
// CHECK-SAME:   tw.constants = {a = ["weights"], b = [], c = ["weights"]}
// CHECK-SAME:   tw.dispatches = 3 : i64

memref.global "private" constant @weights : memref<16xf32> = dense<2.0>

func.func private @add_0(%x: tensor<?xf32>, %y: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "a", tw.dispatch = "add"} {
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @exp_0(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "b", tw.dispatch = "exp"} {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @add_1(%x: tensor<?xf32>, %y: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "c", tw.dispatch = "add"} {
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Calls say whose memory, constant and kernel it is. A copy between devices is one call, which takes both.
// CHECK-LABEL: func.func @call(
// CHECK-SAME:    %[[X:.*]]: memref<16xf32>
// CHECK-DAG:     %[[A:.*]] = llvm.mlir.addressof @tw_hip_program.a
// CHECK-DAG:     %[[B:.*]] = llvm.mlir.addressof @tw_hip_program.b
// CHECK-DAG:     %[[C:.*]] = llvm.mlir.addressof @tw_hip_program.c
// CHECK-DAG:     %[[ALL:.*]] = llvm.mlir.addressof @tw_hip_programs
// CHECK-DAG:     %[[COUNT:.*]] = llvm.mlir.constant(3 : i64)
// CHECK:         llvm.call @tw_hip_begin_all(%[[ALL]], %{{.*}}, %[[COUNT]])
// CHECK:         %[[XA:.*]] = call @tw_hip_allocate(%[[A]], %{{.*}}) : (!llvm.ptr, i64) -> memref<1xi8, 1>
// CHECK:         llvm.call @tw_hip_upload(%[[A]],
// CHECK:         call @tw_hip_constant(%[[A]], %[[ZERO:[^)]*]])
// CHECK:         llvm.call @tw_hip_launch.{{[0-9]+}}(%[[A]], %[[ZERO]],
// CHECK:         call @tw_hip_allocate(%[[B]],
// CHECK:         llvm.call @tw_hip_transfer(%[[B]], %{{.*}}, %[[A]],
// CHECK:         llvm.call @tw_hip_launch.{{[0-9]+}}(%[[B]], %[[ZERO]],
// CHECK:         llvm.call @tw_hip_transfer(%[[C]], %{{.*}}, %[[B]],
// CHECK:         call @tw_hip_constant(%[[C]], %[[ZERO]])
// The kernel is that of the other device of the target.
// CHECK:         llvm.call @tw_hip_launch.{{[0-9]+}}(%[[C]], %[[ZERO]],
// CHECK:         llvm.call @tw_hip_download(%[[C]],
// CHECK:         llvm.call @tw_hip_release(%[[B]],
// CHECK:         %[[STATUS:.*]] = llvm.call @tw_hip_end_all(%[[ALL]], %[[COUNT]])
// CHECK:         return %[[STATUS]]
func.func @call(%x: memref<16xf32>, %y: memref<16xf32>) -> i32 {
  %ok = arith.constant 0 : i32
  %g = memref.get_global @weights : memref<16xf32>
  %xa = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %xa : memref<16xf32> to memref<16xf32, 1>
  %wa = memref.alloc() : memref<16xf32, 1>
  memref.copy %g, %wa : memref<16xf32> to memref<16xf32, 1>
  %ra = memref.alloc() : memref<16xf32, 1>
  tw.dispatch @add_0 ins(%xa, %wa : memref<16xf32, 1>, memref<16xf32, 1>) outs(%ra : memref<16xf32, 1>) accumulates [false]
  %xb = memref.alloc() : memref<16xf32, 2>
  memref.copy %ra, %xb : memref<16xf32, 1> to memref<16xf32, 2>
  %rb = memref.alloc() : memref<16xf32, 2>
  tw.dispatch @exp_0 ins(%xb : memref<16xf32, 2>) outs(%rb : memref<16xf32, 2>) accumulates [false]
  %xc = memref.alloc() : memref<16xf32, 3>
  memref.copy %rb, %xc : memref<16xf32, 2> to memref<16xf32, 3>
  %wc = memref.alloc() : memref<16xf32, 3>
  memref.copy %g, %wc : memref<16xf32> to memref<16xf32, 3>
  %rc = memref.alloc() : memref<16xf32, 3>
  tw.dispatch @add_1 ins(%xc, %wc : memref<16xf32, 3>, memref<16xf32, 3>) outs(%rc : memref<16xf32, 3>) accumulates [false]
  memref.copy %rc, %y : memref<16xf32, 3> to memref<16xf32>
  memref.dealloc %xb : memref<16xf32, 2>
  return %ok : i32
}

// All buffers of a kernel are in global memory.
// CHECK-LABEL: module @kernels
// CHECK-SAME:    tw.kernels = ["add_0"], tw.target = "amdgpu:gfx942"
// CHECK:         func.func @add_0(
// CHECK-NOT:     func.func
// CHECK-LABEL: module @kernels_1
// CHECK-SAME:    tw.kernels = ["exp_0"], tw.target = "amdgpu:gfx950"
// CHECK:         func.func @exp_0(%{{.*}}: memref<1xf32, 1>
// CHECK-NOT:       memref<{{.*}}, 2>
// CHECK-LABEL: module @kernels_2
// CHECK-SAME:    tw.kernels = [], tw.target = "amdgpu:gfx90a"

// -----

// Where one GPU of several is used, it is that one alone.
// CHECK-LABEL: func.func @one(
// CHECK:         %[[PROGRAM:.*]] = llvm.mlir.addressof @tw_hip_program {{:}}
// CHECK:         llvm.call @tw_hip_begin(%[[PROGRAM]],
// CHECK:         llvm.call @tw_hip_end(%[[PROGRAM]])
func.func private @exp_0(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "b", tw.dispatch = "exp"} {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @one(%x: memref<8xf32, 2>) -> i32 {
  %ok = arith.constant 0 : i32
  tw.dispatch @exp_0 ins(%x : memref<8xf32, 2>) outs(%x : memref<8xf32, 2>) accumulates [false]
  return %ok : i32
}

// -----

func.func private @exp_0(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "b", tw.dispatch = "exp"} {
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @of_another(%x: memref<8xf32, 3>, %y: memref<8xf32, 2>) -> i32 {
  %ok = arith.constant 0 : i32
  // expected-error@+1 {{runs on 'b', but has a buffer of type 'memref<8xf32, 3>', which is that of 'c'}}
  tw.dispatch @exp_0 ins(%x : memref<8xf32, 3>) outs(%y : memref<8xf32, 2>) accumulates [false]
  return %ok : i32
}

// -----

func.func @of_nobody(%x: memref<8xf32>) -> i32 {
  %ok = arith.constant 0 : i32
  // expected-error@+1 {{has a buffer of type 'memref<8xf32, 5>', but no device has that memory}}
  %y = memref.alloc() : memref<8xf32, 5>
  memref.copy %x, %y : memref<8xf32> to memref<8xf32, 5>
  return %ok : i32
}
