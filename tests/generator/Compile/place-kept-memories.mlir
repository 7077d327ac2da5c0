// RUN: tw-opt %s --split-input-file --tw-place-kept --verify-diagnostics | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In the memory of devices, one for each that reads it. Where it is made, memory has to be made first.
// CHECK-DAG:     memref.global "private" @tw.kept.0 : memref<4xf32> = uninitialized {tw.kept}
// CHECK-DAG:     memref.global "private" @tw.kept.0.1 : memref<4xf32, 1> = uninitialized {tw.kept}
// CHECK-DAG:     memref.global "private" @tw.kept.0.2 : memref<4xf32, 2> = uninitialized {tw.kept}
// CHECK-LABEL: func.func @several(
// CHECK-SAME:    attributes {tw.keeps_on_devices}
// CHECK:         bufferization.materialize_in_destination %arg0 in restrict writable %{{.*}} : (tensor<4xf32>, memref<4xf32>)
// CHECK:         bufferization.materialize_in_destination %arg0 in restrict writable %{{.*}} : (tensor<4xf32>, memref<4xf32, 1>)
// CHECK:         bufferization.materialize_in_destination %arg0 in restrict writable %{{.*}} : (tensor<4xf32>, memref<4xf32, 2>)
// CHECK-LABEL: func.func @reads(
// CHECK-NOT:     tw.keeps_on_devices
// CHECK:         %[[G:.*]] = memref.get_global @tw.kept.0.2 : memref<4xf32, 2>
// CHECK-NEXT:    bufferization.to_tensor %[[G]] restrict : memref<4xf32, 2> to tensor<4xf32>
func.func @several(%a: tensor<4xf32>) {
  tw.keep 0, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  tw.keep 0, %a {bytes_read = 4 : i64, operations = 8 : i64, memory_space = 1 : i64} : tensor<4xf32>
  tw.keep 0, %a {bytes_read = 4 : i64, operations = 8 : i64, memory_space = 2 : i64} : tensor<4xf32>
  return
}
func.func @reads(%i: index) -> f32 {
  %a = tw.kept 0 {memory_space = 2 : i64} : tensor<4xf32>
  %r = tensor.extract %a[%i] : tensor<4xf32>
  return %r : f32
}

// -----

func.func @once(%a: tensor<4xf32>) {
  tw.keep 3, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  return
}
func.func @other_memory() -> tensor<4xf32> {
  // expected-error @+1 {{'tw.kept' op reads what no tw.keep of its type gives under the number 3 in memory space 1}}
  %a = tw.kept 3 {memory_space = 1 : i64} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// What is made of it, and kept too, does not overwrite it.
// CHECK-LABEL: func.func @made_of_it(
// CHECK:         %[[E:.*]] = linalg.exp
// CHECK:         %[[S:.*]] = linalg.add {{.*}} outs(%[[E]] :
// CHECK-NEXT:    bufferization.materialize_in_destination %[[E]] in
// CHECK-NEXT:    bufferization.materialize_in_destination %[[S]] in
// CHECK-NEXT:    return
func.func @made_of_it(%a: tensor<4xf32>) {
  %0 = tensor.empty() : tensor<4xf32>
  %e = linalg.exp ins(%a : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  tw.keep 0, %e {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  %s = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  tw.keep 1, %s {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  return
}
