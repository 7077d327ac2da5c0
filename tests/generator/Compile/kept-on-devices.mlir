// RUN: tw-opt %s --tw-assign-devices=devices=a=amdgpu:gfx942,host=x86_64,b=amdgpu:gfx950 --tw-flatten-dispatches --one-shot-bufferize --canonicalize --tw-form-dispatches --canonicalize --cse | FileCheck %s
// RUN: tw-opt %s --tw-assign-devices=devices=a=amdgpu:gfx942,host=x86_64,b=amdgpu:gfx950 --tw-flatten-dispatches --one-shot-bufferize --canonicalize --tw-form-dispatches --canonicalize --cse --tw-load-kept | FileCheck %s --check-prefix=LOAD

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an instance keeps on a device is one block of memory there, of which it keeps the address.
// CHECK-NOT:   memref.global {{.*}} @tw.kept.
// CHECK-DAG:   memref.global "private" @tw.kept_by.a : memref<1xi64> = uninitialized {tw.kept, tw.kept_by = "a", tw.kept_by_bytes = 512 : i64}
// CHECK-DAG:   memref.global "private" @tw.kept_by.b : memref<1xi64> = uninitialized {tw.kept, tw.kept_by = "b", tw.kept_by_bytes = 256 : i64}
// LOAD:        tw.kept_bytes = 128 : i64
// LOAD-SAME:   tw.kept_on_devices = {a = array<i64: {{0|64}}, 512>, b = array<i64: {{0|64}}, 256>}
memref.global "private" @tw.kept.0.1 : memref<16xf32, 1> = uninitialized {tw.kept}
memref.global "private" @tw.kept.1.1 : memref<16xf32, 1> = uninitialized {tw.kept}
memref.global "private" @tw.kept.0.2 : memref<16xf32, 2> = uninitialized {tw.kept}

func.func private @exp_0(%x: tensor<16xf32>, %o: tensor<16xf32>) -> tensor<16xf32> attributes {tw.device = "a", tw.dispatch = "exp"} {
  %r = linalg.exp ins(%x : tensor<16xf32>) outs(%o : tensor<16xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// Memory first, once the devices are there; then what is kept is computed there, and copied from device to device.
// CHECK-LABEL: func.func @once(
// CHECK:         llvm.call @tw_hip_begin_all
// CHECK:         llvm.call @tw_hip_keep(%[[A:[^,]*]], %[[AT:[^,]*]], %{{.*}})
// CHECK:         llvm.call @tw_hip_keep(%[[B:[^,]*]], %{{.*}}, %{{.*}})
// CHECK:         %[[MEMORY:.*]] = call @tw_hip_kept(%[[A]], %[[AT]]) : (!llvm.ptr, !llvm.ptr) -> memref<1xi8, 1>
// CHECK:         call @tw_hip_kept(%[[B]],
// CHECK-NOT:     tw_hip_kept
// CHECK:         memref.view %[[MEMORY]][%c256][] : memref<1xi8, 1> to memref<16xf32, 1>
// CHECK:         llvm.call @tw_hip_launch
// CHECK:         llvm.call @tw_hip_transfer(%[[B]],
// CHECK:         llvm.call @tw_hip_end_all
// LOAD-LABEL:  func.func @once(
// LOAD-SAME:     tw.kept_pointer
func.func @once() -> i32 attributes {tw.keeps_on_devices} {
  %ok = arith.constant 0 : i32
  %a = memref.get_global @tw.kept.0.1 : memref<16xf32, 1>
  %r = memref.get_global @tw.kept.1.1 : memref<16xf32, 1>
  %b = memref.get_global @tw.kept.0.2 : memref<16xf32, 2>
  tw.dispatch @exp_0 ins(%a : memref<16xf32, 1>) outs(%r : memref<16xf32, 1>) accumulates [false]
  memref.copy %a, %b : memref<16xf32, 1> to memref<16xf32, 2>
  return %ok : i32
}

// A call has no memory of its own for it, and releases none.
// CHECK-LABEL: func.func @reads(
// CHECK-NOT:     tw_hip_keep(
// CHECK:         call @tw_hip_kept(
// CHECK-NOT:     tw_hip_kept
// CHECK:         llvm.call @tw_hip_launch
// CHECK-NOT:     llvm.call @tw_hip_upload
// CHECK-NOT:     llvm.call @tw_hip_copy
// CHECK:         llvm.call @tw_hip_download
// CHECK:         llvm.call @tw_hip_release
// CHECK-NOT:     llvm.call @tw_hip_release
// CHECK:         return
func.func @reads(%y: memref<16xf32>) -> i32 {
  %ok = arith.constant 0 : i32
  %a = memref.get_global @tw.kept.0.1 : memref<16xf32, 1>
  %r = memref.alloc() : memref<16xf32, 1>
  tw.dispatch @exp_0 ins(%a : memref<16xf32, 1>) outs(%r : memref<16xf32, 1>) accumulates [false]
  memref.copy %r, %y : memref<16xf32, 1> to memref<16xf32>
  memref.dealloc %r : memref<16xf32, 1>
  return %ok : i32
}
