// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-empty-reshapes | FileCheck %s

// Sizes are those of the operation: what is multiplied by 0 is 0, the others stay.
// CHECK-LABEL: func.func @hidden(
// CHECK-SAME:    %[[X:.*]]: tensor<?x5x?x0xi8>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[D0:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK:         %[[E:.*]] = tensor.empty(%[[D0]], %{{.*}}) : tensor<?x5x?xi8>
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return %[[E]]
func.func @hidden(%x: tensor<?x5x?x0xi8>) -> tensor<?x5x?xi8> {
  %r = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<?x5x?x0xi8> into tensor<?x5x?xi8>
  return %r : tensor<?x5x?xi8>
}

// What is known is reshaped as everything else.
// CHECK-LABEL: func.func @known(
// CHECK-COUNT-2: tensor.collapse_shape
func.func @known(%x: tensor<?x5x0xi8>, %y: tensor<?x?x0xi8>) -> (tensor<?x0xi8>, tensor<?x0xi8>) {
  %r = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x5x0xi8> into tensor<?x0xi8>
  %s = tensor.collapse_shape %y [[0, 1], [2]] : tensor<?x?x0xi8> into tensor<?x0xi8>
  return %r, %s : tensor<?x0xi8>, tensor<?x0xi8>
}
