// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-plain-signatures --split-input-file | FileCheck %s

// Truth values are bytes, scalar results have memory of the caller; calls inside of the model keep their types.
func.func @f(%x: tensor<?x3xi1> {tw.name = "x"}, %n: index, %b: i1) -> (tensor<?x3xi1>, index, f32, i1) {
  %f = arith.constant 1.0 : f32
  return %x, %n, %f, %b : tensor<?x3xi1>, index, f32, i1
}
func.func @g(%x: tensor<?x3xi1>, %n: index, %b: i1) -> tensor<?x3xi8> {
  %r:4 = func.call @f(%x, %n, %b) : (tensor<?x3xi1>, index, i1) -> (tensor<?x3xi1>, index, f32, i1)
  %y = arith.extui %r#0 : tensor<?x3xi1> to tensor<?x3xi8>
  return %y : tensor<?x3xi8>
}

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: tensor<?x3xi8> {tw.element = i1, tw.name = "x"}, %[[N:.*]]: index,
// CHECK-SAME:    %[[B:.*]]: i8 {tw.element = i1})
// CHECK-SAME:    -> (tensor<?x3xi8> {tw.element = i1}, tensor<i64>, tensor<f32>, tensor<i8> {tw.element = i1})
// CHECK:       linalg.generic {{.*}} ins(%[[X]] : tensor<?x3xi8>) outs(%{{.*}} : tensor<?x3xi1>)
// CHECK:         arith.cmpi ne, %{{.*}}, %c0_i8
// CHECK:       %[[FLAG:.*]] = arith.cmpi ne, %[[B]], %c0_i8
// CHECK:       %[[R:.*]]:4 = call @f.typed(%{{.*}}, %[[N]], %[[FLAG]])
// CHECK:       %[[BYTES:.*]] = arith.extui %[[R]]#0 : tensor<?x3xi1> to tensor<?x3xi8>
// CHECK:       %[[WORD:.*]] = arith.index_cast %[[R]]#1 : index to i64
// CHECK:       %[[SIZE:.*]] = tensor.from_elements %[[WORD]] : tensor<i64>
// CHECK:       return %[[BYTES]], %[[SIZE]],
// CHECK-LABEL: func.func private @f.typed(
// CHECK-LABEL: func.func @g(
// CHECK-LABEL: func.func private @g.typed(
// CHECK:       call @f.typed(

// -----

// What C has stays as it is, and so do private functions.
func.func @plain(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %b = func.call @own(%n) : (index) -> i1
  return %x : tensor<4xf32>
}
func.func private @own(%n: index) -> i1 {
  %c0 = arith.constant 0 : index
  %b = arith.cmpi eq, %n, %c0 : index
  return %b : i1
}

// CHECK-LABEL: func.func @plain(%{{.*}}: tensor<4xf32>, %{{.*}}: index) -> tensor<4xf32>
// CHECK:       call @own(
// CHECK-LABEL: func.func private @own(%{{.*}}: index) -> i1

// -----

// The lowest bits of a byte are a float. A scalar of it stays, for tw-check-model to refuse.
func.func @floats(%x: tensor<?xf4E2M1FN>, %s: f6E2M3FN) -> (tensor<?xf4E2M1FN>, f6E2M3FN) {
  return %x, %s : tensor<?xf4E2M1FN>, f6E2M3FN
}

// CHECK-LABEL: func.func @floats(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi8> {tw.element = f4E2M1FN}, %[[S:.*]]: f6E2M3FN)
// CHECK-SAME:    -> (tensor<?xi8> {tw.element = f4E2M1FN}, tensor<i8> {tw.element = f6E2M3FN})
// CHECK:         %[[BITS:.*]] = arith.trunci %{{.*}} : i8 to i4
// CHECK:         arith.bitcast %[[BITS]] : i4 to f4E2M1FN
// CHECK:       %[[R:.*]]:2 = call @floats.typed(
// CHECK:       linalg.generic {{.*}} ins(%[[R]]#0 : tensor<?xf4E2M1FN>) outs(%{{.*}} : tensor<?xi8>)
// CHECK:         %[[INT:.*]] = arith.bitcast %{{.*}} : f4E2M1FN to i4
// CHECK:         arith.extui %[[INT]] : i4 to i8
// CHECK:       %[[ONE:.*]] = arith.bitcast %[[R]]#1 : f6E2M3FN to i6
// CHECK:       arith.extui %[[ONE]] : i6 to i8
