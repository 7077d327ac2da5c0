// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-make-entry-points --split-input-file | FileCheck %s

func.func @f(%x: tensor<?x?xf32> {tw.name = "x"}, %y: tensor<4x?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.matmul
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %y : tensor<?x?xf32>, tensor<4x?xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// The body has the entry point's arguments.
// CHECK-LABEL: func.func private @f.body(
// CHECK-SAME:    %[[X:.*]]: memref<1xf32>, %[[X0:.*]]: i64 {tw.size}, %[[X1:.*]]: i64 {tw.size}, %[[Y:.*]]: memref<1xf32>, %[[Y1:.*]]: i64 {tw.size}, %[[OUT:.*]]: memref<1xf32>)
// CHECK-DAG:     %[[M:.*]] = arith.index_cast %[[X0]] : i64 to index
// CHECK-DAG:     %[[K:.*]] = arith.index_cast %[[X1]] : i64 to index
// CHECK:         memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[M]], %[[K]]], strides: [%{{.*}}, 1]
// CHECK:         bufferization.to_tensor {{.*}} restrict : memref<?x?xf32>
// CHECK:         %[[R:.*]] = linalg.matmul
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [%[[M]], 4], strides: [4, 1]
// CHECK:         bufferization.materialize_in_destination %[[R]] in restrict writable %[[VIEW]]

// Negative sizes are refused, and two values of k.
// CHECK-LABEL: func.func private @f.check(
// CHECK-SAME:    %[[X0:.*]]: i64, %[[X1:.*]]: i64, %[[Y1:.*]]: i64) -> i32
// CHECK:         arith.cmpi eq, %[[X1]], %[[Y1]]
// CHECK-DAG:     arith.cmpi sge, %[[X0]]
// CHECK-DAG:     arith.cmpi sge, %[[X1]]
// CHECK-DAG:     arith.cmpi sge, %[[Y1]]

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: memref<1xf32>, %[[X0:.*]]: i64, %[[X1:.*]]: i64, %[[Y:.*]]: memref<1xf32>, %[[Y1:.*]]: i64, %[[OUT:.*]]: memref<1xf32>) -> i32
// CHECK-SAME:    tw.c_arguments = ["const float *x", "int64_t x_d0", "int64_t x_d1", "const float *arg1", "int64_t arg1_d1", "float *result"]
// CHECK-SAME:    tw.c_results = ["x: [x_d0][x_d1]", "arg1: [4][arg1_d1]", "result: [x_d0][4], written"]
// CHECK:         call @f.check(%[[X0]], %[[X1]], %[[Y1]])
// CHECK:         scf.if
// CHECK:         call @f.body(%[[X]], %[[X0]], %[[X1]], %[[Y]], %[[Y1]], %[[OUT]])

// -----

// Static shapes need neither sizes nor checks; scalars stay.
func.func @scaled(%x: tensor<3xbf16>, %s: f32) -> tensor<3xbf16> {
  return %x : tensor<3xbf16>
}

// CHECK-LABEL: func.func private @scaled.check() -> i32
// CHECK-NOT:     arith.cmpi {{sge|slt|eq}}
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:    memref<1xbf16>, %{{.*}}: f32, %{{.*}}: memref<1xbf16>) -> i32
// CHECK-SAME:    tw.c_arguments = ["const uint16_t *arg0", "float arg1", "uint16_t *result"]
// CHECK-SAME:    tw.c_results = ["arg0: [3] of bf16 bits", "result: [3] of bf16 bits, written"]

// -----

// Sizes that follow from others, and what must hold of them: a slice that ends
// inside, and a size that is not negative.
func.func @computed(%x: tensor<?x?xf32>, %n: index) -> (tensor<?xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %rows = arith.subi %m, %c3 : index
  %all = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = tensor.extract_slice %x[3, %n] [%rows, 4] [1, 2] : tensor<?x?xf32> to tensor<?x4xf32>
  return %all, %r : tensor<?xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func private @computed.body(
// CHECK:       tensor.extract_slice {{.*}} {tw.in_bounds}
// CHECK-LABEL: func.func private @computed.check(
// CHECK-SAME:  %[[M:.*]]: i64, %[[K:.*]]: i64, %[[N:.*]]: i64
// CHECK:       %[[ROWS:.*]] = arith.addi %{{.*}}, %c-3
// CHECK:       %[[WORD:.*]] = arith.index_cast %[[ROWS]]
// CHECK:       arith.cmpi sge, %[[WORD]], %c0_i64
// CHECK:       arith.cmpi sge, %[[N]], %c0_i64
// CHECK-LABEL: func.func @computed(
// CHECK-SAME:  %{{.*}}: memref<1xf32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64
// CHECK-SAME:  "result0: [arg0_d0 * arg0_d1], written", "result1: [arg0_d0 - 3][4], written"

// -----

// A divisor that may be zero is checked, and computed with as if it were not.
func.func @divided(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %q = arith.divui %d, %n : index
  %m = arith.minsi %q, %c8 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// CHECK-LABEL: func.func private @divided.check(
// CHECK:       %[[N:.*]] = arith.maxsi %{{.*}}, %c1
// CHECK:       %[[Q:.*]] = arith.divui %{{.*}}, %[[N]]
// CHECK:       arith.minsi %[[Q]], %c8
// CHECK-LABEL: func.func @divided(
// CHECK-SAME:    "result: [min((arg0_d0 / arg1), 8)], written"

// -----

// What sizes decide is asserted before all else, what data decides where it
// stands; results are then copied at the end.
func.func @asserted(%x: tensor<?xf32>, %flag: tensor<i8>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i8
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %natural = arith.cmpi sge, %d, %c0 : index
  cf.assert %natural, "always"
  %even = arith.remsi %d, %c2 : index
  %ok = arith.cmpi eq, %even, %c0 : index
  cf.assert %ok, "must be even"
  %f = tensor.extract %flag[] : tensor<i8>
  %set = arith.cmpi ne, %f, %zero : i8
  cf.assert %set, "must be set"
  return %x : tensor<?xf32>
}

// CHECK-LABEL: func.func private @asserted.body(
// CHECK-NOT:   must be even
// CHECK:       cf.assert %{{.*}}, "must be set" {tw.status = 1025 : i32}
// CHECK:       bufferization.to_buffer %{{.*}} read_only
// CHECK:       memref.copy
// CHECK-LABEL: func.func private @asserted.check(
// CHECK:       arith.constant 1024 : i32
// CHECK-LABEL: func.func @asserted(
// CHECK-SAME:    tw.c_messages = ["must be even", "must be set"]
// CHECK-LABEL: func.func @asserted_message(%{{.*}}: i32) -> !llvm.ptr

// -----

// Branches have their own requirements, which hold only where they are taken.
func.func @branches(%x: tensor<?xf32>, %flag: tensor<i1>) -> tensor<4xf32> {
  %p = tensor.extract %flag[] : tensor<i1>
  %r = scf.if %p -> tensor<4xf32> {
    %a = tensor.extract_slice %x[1] [4] [1] : tensor<?xf32> to tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    %b = tensor.extract_slice %x[9] [4] [1] : tensor<?xf32> to tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func private @branches.body(
// CHECK:       scf.if
// CHECK-NEXT:  cf.assert {{.*}} {tw.status = 1 : i32}
// CHECK-NEXT:  tensor.extract_slice {{.*}} {tw.in_bounds}
// CHECK:       } else {
// CHECK-NEXT:  cf.assert {{.*}} {tw.status = 1 : i32}
// CHECK-NEXT:  tensor.extract_slice {{.*}} {tw.in_bounds}
