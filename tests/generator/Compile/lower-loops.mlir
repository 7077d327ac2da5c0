// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s "--pass-pipeline=builtin.module(func.func(tw-lower-loops),canonicalize)" | FileCheck %s

// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.*]]: memref<?x4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           scf.for %[[J:.*]] =
// CHECK-DAG:         %[[A:.*]] = memref.load %[[X]][%[[I]], %[[J]]]
// CHECK-DAG:         %[[B:.*]] = memref.load %[[Y]][%[[J]]]
// CHECK:             %[[C:.*]] = arith.addf %[[B]], %[[A]]
// CHECK:             memref.store %[[C]], %[[Y]][%[[J]]]
// CHECK-NOT:     linalg
func.func @columns(%x: memref<?x4xf32>, %y: memref<4xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<?x4xf32>) outs(%y : memref<4xf32>) dimensions = [0]
  return
}
