// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-expand-scalings | FileCheck %s

// CHECK-LABEL: @scaled(
// CHECK-DAG:     %[[X:.*]] = arith.extf %arg0 : f8E4M3FN to f32
// CHECK-DAG:     %[[S:.*]] = arith.extf %arg1 : f8E8M0FNU to f32
// CHECK:         %[[P:.*]] = arith.mulf %[[X]], %[[S]] : f32
// CHECK-NEXT:    return %[[P]]
func.func @scaled(%x: f8E4M3FN, %s: f8E8M0FNU) -> f32 {
  %r = arith.scaling_extf %x, %s : f8E4M3FN, f8E8M0FNU to f32
  return %r : f32
}

// f16 has neither all scales nor what comes of them; it is rounded once.
// CHECK-LABEL: @to_f16(
// CHECK:         %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK-NEXT:    arith.truncf %[[P]] : vector<4xf32> to vector<4xf16>
func.func @to_f16(%x: vector<4xf8E5M2>, %s: vector<4xf8E8M0FNU>) -> vector<4xf16> {
  %r = arith.scaling_extf %x, %s : vector<4xf8E5M2>, vector<4xf8E8M0FNU> to vector<4xf16>
  return %r : vector<4xf16>
}

// CHECK-LABEL: @from_f32(
// CHECK:         %[[X:.*]] = arith.extf %arg0 : f32 to f64
// CHECK:         arith.mulf %[[X]], %{{.*}} : f64
func.func @from_f32(%x: f32, %s: f8E8M0FNU) -> f64 {
  %r = arith.scaling_extf %x, %s : f32, f8E8M0FNU to f64
  return %r : f64
}
