// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-externalize-constants | FileCheck %s

// Booleans are bytes, as code reads them.
// CHECK:      module attributes {tw.external_constants = {
// CHECK-SAME:   booleans = dense<1> : tensor<4096xi8>
// CHECK-SAME:   large = dense<1.000000e+00> : tensor<32x32xf32>
// CHECK-SAME:   largest = dense<5> : tensor<512xindex>}}

// CHECK-DAG: memref.global constant @large : memref<32x32xf32> {alignment = 64 : i64}
memref.global "private" constant @large : memref<32x32xf32> = dense<1.0> {alignment = 64}
// CHECK-DAG: memref.global constant @largest : memref<512xindex>
memref.global "private" constant @largest : memref<512xindex> = dense<5>
// CHECK-DAG: memref.global constant @booleans : memref<4096xi1>
memref.global "private" constant @booleans : memref<4096xi1> = dense<true>

// Less than 4 KiB, what may be written to, and what has no value stay.
// CHECK-DAG: memref.global "private" constant @small : memref<1023xf32> = dense<1.000000e+00>
memref.global "private" constant @small : memref<1023xf32> = dense<1.0>
// CHECK-DAG: memref.global "private" @variable : memref<32x32xf32> = dense<1.000000e+00>
memref.global "private" @variable : memref<32x32xf32> = dense<1.0>
// CHECK-DAG: memref.global "private" @elsewhere : memref<32x32xf32>
memref.global "private" @elsewhere : memref<32x32xf32>

// CHECK: memref.get_global @large
func.func @f() -> memref<32x32xf32> {
  %0 = memref.get_global @large : memref<32x32xf32>
  return %0 : memref<32x32xf32>
}
