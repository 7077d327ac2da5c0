// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-call-libm | FileCheck %s

// What upstream's lowering loses bits of is called, and nothing else.
func.func @f(%x: f64, %y: f32, %z: vector<2xf64>) -> (f64, f32, vector<2xf64>, f64) {
  %a = math.expm1 %x : f64
  %b = math.log1p %y : f32
  %c = math.expm1 %z : vector<2xf64>
  %d = math.exp %x : f64
  return %a, %b, %c, %d : f64, f32, vector<2xf64>, f64
}

// CHECK-DAG: func.func private @expm1(f64) -> f64
// CHECK-DAG: func.func private @log1pf(f32) -> f32
// CHECK: func.func @f(
// CHECK: call @expm1(
// CHECK: call @log1pf(
// CHECK-COUNT-2: call @expm1(
// CHECK-NOT: call
// CHECK: math.exp
