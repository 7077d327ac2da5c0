// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --tw-place-kept --verify-diagnostics | FileCheck %s
// RUN: tw-opt %s --split-input-file --tw-place-kept --verify-diagnostics --one-shot-bufferize=bufferize-function-boundaries --tw-load-kept | FileCheck %s --check-prefix=LOAD

// CHECK:         memref.global "private" @tw.kept.0 : memref<5xi8> = uninitialized {tw.kept}
// CHECK-NEXT:    memref.global "private" @tw.kept.7 : memref<4xf32> = uninitialized {tw.kept}
// CHECK-LABEL: func.func private @once.body(
// CHECK-DAG:     %[[G0:.*]] = memref.get_global @tw.kept.0 : memref<5xi8>
// CHECK-DAG:     %[[G7:.*]] = memref.get_global @tw.kept.7 : memref<4xf32>
// CHECK:         bufferization.materialize_in_destination %arg0 in restrict writable %[[G0]]
// CHECK:         bufferization.materialize_in_destination %arg1 in restrict writable %[[G7]]
// CHECK-LABEL: func.func private @f.body(
// CHECK-NEXT:    %[[G:.*]] = memref.get_global @tw.kept.7 : memref<4xf32>
// CHECK-NEXT:    bufferization.to_tensor %[[G]] restrict : memref<4xf32> to tensor<4xf32>

// One behind the other, at multiples of 64 bytes; whoever calls such a function has the pointer.
// LOAD:        module attributes {tw.kept_bytes = 128 : i64}
// LOAD-NOT:    memref.global
// LOAD-LABEL:  func.func private @f.body(
// LOAD-SAME:     , %[[MEMORY:.[a-z0-9]+]]: memref<1xi8>)
// LOAD-SAME:     attributes {tw.kept_pointer}
// LOAD:          %[[ALL:.*]] = memref.reinterpret_cast %[[MEMORY]] to offset: [0], sizes: [80], strides: [1]
// LOAD:          %[[AT:.*]] = arith.constant 64 : index
// LOAD:          memref.view %[[ALL]][%[[AT]]][] : memref<80xi8> to memref<4xf32>
// LOAD-LABEL:  func.func @f(
// LOAD-SAME:     , %[[MEMORY:.[a-z0-9]+]]: memref<1xi8>)
// LOAD:          call @f.body(%{{.*}}, %[[MEMORY]])
// LOAD-LABEL:  func.func @other(
// LOAD-NOT:    tw.kept_pointer
func.func private @once.body(%a: tensor<5xi8>, %b: tensor<4xf32>) {
  tw.keep 0, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<5xi8>
  tw.keep 7, %b {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  return
}
func.func private @f.body(%i: index) -> f32 {
  %a = tw.kept 7 : tensor<4xf32>
  %r = tensor.extract %a[%i] : tensor<4xf32>
  return %r : f32
}
func.func @f(%i: index) -> f32 {
  %r = call @f.body(%i) : (index) -> f32
  return %r : f32
}
func.func @other() {
  return
}

// -----

func.func @unknown() -> tensor<16xf32> {
  // expected-error @+1 {{'tw.kept' op reads what no tw.keep of its type gives under the number 3 in memory space 0}}
  %a = tw.kept 3 : tensor<16xf32>
  return %a : tensor<16xf32>
}

// -----

func.func @once(%a: tensor<4xf32>) {
  tw.keep 3, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  return
}
func.func @other_type() -> tensor<16xf32> {
  // expected-error @+1 {{'tw.kept' op reads what no tw.keep of its type gives under the number 3 in memory space 0}}
  %a = tw.kept 3 : tensor<16xf32>
  return %a : tensor<16xf32>
}

// -----

func.func @twice(%a: tensor<4xf32>) {
  tw.keep 3, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  // expected-error @+1 {{'tw.keep' op has the number of another}}
  tw.keep 3, %a {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  return
}
