// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-expand-math | FileCheck %s

// What is normal is so in its own type: 2^-14 is the smallest f16.
// CHECK-LABEL: @normal
// CHECK-DAG:     %[[MIN:.*]] = arith.constant 6.103520e-05 : f16
// CHECK-DAG:     %[[INF:.*]] = arith.constant 0x7C00 : f16
// CHECK:         %[[ABS:.*]] = math.absf
// CHECK:         arith.cmpf oge, %[[ABS]], %[[MIN]] : f16
// CHECK:         arith.cmpf olt, %[[ABS]], %[[INF]] : f16
func.func @normal(%x: f16) -> i1 {
  %r = math.isnormal %x : f16
  return %r : i1
}

// CHECK-LABEL: @infinite
// CHECK:         %[[INF:.*]] = arith.constant 0x7FF0000000000000 : f64
// CHECK:         arith.cmpf oeq, %{{.*}}, %[[INF]] : f64
func.func @infinite(%x: f64) -> i1 {
  %r = math.isinf %x : f64
  return %r : i1
}

// CHECK-LABEL: @power
// CHECK-NOT:     math.ipowi
// CHECK:         scf.for
func.func @power(%x: i32, %n: i32) -> i32 {
  %r = math.ipowi %x, %n : i32
  return %r : i32
}

// CHECK-LABEL: @rest
// CHECK-NOT:     math.clampf
// CHECK-NOT:     math.sincos
// CHECK:         math.sin
// CHECK:         math.cos
func.func @rest(%x: f32, %low: f32, %high: f32) -> (f32, f32) {
  %c = math.clampf %x to [%low, %high] : f32
  %s, %t = math.sincos %c : f32
  return %s, %t : f32, f32
}

// Of vectors as of scalars.
// CHECK-LABEL: @vectors
// CHECK-NOT:     math.{{(fpowi|ipowi|isinf)}}
// CHECK:         return
func.func @vectors(%x: vector<4xf32>, %n: vector<4xi32>) -> (vector<4xf32>, vector<4xi32>, vector<4xi1>) {
  %p = math.fpowi %x, %n : vector<4xf32>, vector<4xi32>
  %q = math.ipowi %n, %n : vector<4xi32>
  %i = math.isinf %x : vector<4xf32>
  return %p, %q, %i : vector<4xf32>, vector<4xi32>, vector<4xi1>
}
