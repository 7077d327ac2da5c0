// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-approximate-math | FileCheck %s
// RUN: tw-opt %s --tw-approximate-math=scales-as=x86_64_avx512_base | FileCheck %s --check-prefix=SCALES

// 2^n is multiplied with by an instruction, which takes n as a float where vectors are as long as AVX-512's. It makes
// the special values there, so that the rest of x is bounded and not x.
// CHECK-LABEL: @scaled
// CHECK:         arith.shrsi
// CHECK-NOT:     llvm.call_intrinsic
// SCALES-LABEL: @scaled
// SCALES-NOT:     arith.shrsi
// SCALES-NOT:     arith.select
// SCALES:         %[[SUM:.*]] = math.fma
// SCALES:         %[[N:.*]] = arith.subf %[[SUM]]
// SCALES:         %[[REST:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"
// SCALES:         math.fma %{{.*}}, %[[REST]]
// SCALES:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// SCALES-LABEL: @vector
// SCALES-NOT:     arith.shrsi
// SCALES:         llvm.call_intrinsic "llvm.ldexp"(%{{.*}}, %{{.*}}) : (vector<8xf32>, vector<8xi32>) -> vector<8xf32>
func.func @scaled(%x: vector<16xf32>) -> vector<16xf32> {
  %r = math.exp %x : vector<16xf32>
  return %r : vector<16xf32>
}

// CHECK-LABEL: @vector
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.*}} : vector<8xf32>
// CHECK-NOT:     math.exp
// CHECK:         return
func.func @vector(%x: vector<8xf32>) -> vector<8xf32> {
  %r = math.exp %x : vector<8xf32>
  return %r : vector<8xf32>
}

// As each lane of a vector.
// CHECK-LABEL: @scalar
// CHECK:         math.fma {{.*}} : f32
func.func @scalar(%x: f32) -> f32 {
  %r = math.tanh %x : f32
  return %r : f32
}

// Large angles are the library's.
// CHECK-LABEL: @angles
// CHECK:         %[[LARGE:.*]] = arith.cmpf ogt
// CHECK:         %[[ANY:.*]] = vector.reduction <or>, %[[LARGE]]
// CHECK:         scf.if %[[ANY]]
// CHECK:           scf.for
// CHECK:             math.sin %{{.*}} : f64
// CHECK:         else
// CHECK:           math.fma
func.func @angles(%x: vector<8xf32>) -> vector<8xf32> {
  %r = math.sin %x : vector<8xf32>
  return %r : vector<8xf32>
}

// CHECK-LABEL: @wide
// CHECK:         math.exp %{{.*}} : f64
func.func @wide(%x: f64) -> f64 {
  %r = math.exp %x : f64
  return %r : f64
}
