// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --allow-unregistered-dialect --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings),tw-specialize-rows,func.func(tw-verify-encodings))" | FileCheck %s

module attributes {tw.devices = [#tw.device<"g" = "amdgpu_gfx942", memory = own>, #tw.device<"host" = "x86_64_avx512_base", memory = host>]} {
  // The body that was there is for many rows; in the other one the encodings of each product of x_d0 + 3 rows, of which there are most, say 8.
  // CHECK-DAG:     #[[MANY:.*]] = #tw.encoding<rhs, {{.*}}sizes = [?, 512, 256]>
  // CHECK-DAG:     #[[FEW:.*]] = #tw.encoding<rhs, {{.*}}sizes = [8, 512, 256], any_m>
  // CHECK-DAG:     #[[SECOND:.*]] = #tw.encoding<rhs, {{.*}}sizes = [8, 96, 512], any_m>
  // CHECK-DAG:     #[[OTHER:.*]] = #tw.encoding<rhs, {{.*}}sizes = [?, 96, 256]>
  // CHECK-LABEL:   func.func private @f.body(
  // CHECK:           tensor<256x512xbf16, #[[MANY]]>
  // CHECK-NOT:       any_m
  // CHECK-LABEL:   func.func private @f.few_rows.body(
  // CHECK-DAG:       tensor<256x512xbf16, #[[FEW]]>
  // CHECK-DAG:       tensor<512x96xbf16, #[[SECOND]]>
  // CHECK-DAG:       tensor<256x96xbf16, #[[OTHER]]>
  // CHECK-LABEL:   func.func @f(
  // CHECK:           %[[STATUS:.*]] = scf.if
  // CHECK:           } else {
  // CHECK:             %[[X:.*]] = arith.index_cast %arg2 : i64 to index
  // CHECK:             %[[C3:.*]] = arith.constant 3 : index
  // CHECK:             %[[M:.*]] = arith.addi %[[X]], %[[C3]]
  // CHECK:             %[[C8:.*]] = arith.constant 8 : index
  // CHECK:             %[[IS:.*]] = arith.cmpi sle, %[[M]], %[[C8]] : index
  // CHECK:             %[[R:.*]] = scf.if %[[IS]] -> (i32) {
  // CHECK:               %[[A:.*]] = func.call @f.few_rows.body(%arg0, %arg1, %arg2, %arg3, %arg4)
  // CHECK:               scf.yield %[[A]]
  // CHECK:             } else {
  // CHECK:               %[[B:.*]] = func.call @f.body(%arg0, %arg1, %arg2, %arg3, %arg4)
  // CHECK:               scf.yield %[[B]]
  // CHECK:             scf.yield %[[R]]
  func.func private @f.body(%p: memref<1xbf16>, %q: memref<1xbf16>, %n: i64 {tw.size}, %o: i64 {tw.size}, %out: memref<1xf32>) -> i32 {
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : bf16
    %d = arith.index_cast %n : i64 to index
    %m = arith.addi %d, %c3 : index
    %other = arith.index_cast %o : i64 to index
    %w = arith.constant dense<1.0> : tensor<256x512xbf16>
    %v = arith.constant dense<1.0> : tensor<512x96xbf16>
    %u = arith.constant dense<1.0> : tensor<256x96xbf16>
    %a = tensor.empty(%m) : tensor<?x256xbf16>
    %x = linalg.fill ins(%zero : bf16) outs(%a : tensor<?x256xbf16>) -> tensor<?x256xbf16>
    %e = tensor.empty(%m) : tensor<?x512xf32>
    %r = linalg.matmul ins(%x, %w : tensor<?x256xbf16>, tensor<256x512xbf16>) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    %s = tensor.empty(%m) : tensor<?x512xbf16>
    %t = linalg.fill ins(%zero : bf16) outs(%s : tensor<?x512xbf16>) -> tensor<?x512xbf16>
    %f = tensor.empty(%m) : tensor<?x96xf32>
    %g = linalg.matmul ins(%t, %v : tensor<?x512xbf16>, tensor<512x96xbf16>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
    // As many rows as the caller says in another argument: they keep the tile of many.
    %b = tensor.empty(%other) : tensor<?x256xbf16>
    %y = linalg.fill ins(%zero : bf16) outs(%b : tensor<?x256xbf16>) -> tensor<?x256xbf16>
    %h = tensor.empty(%other) : tensor<?x96xf32>
    %i = linalg.matmul ins(%y, %u : tensor<?x256xbf16>, tensor<256x96xbf16>) outs(%h : tensor<?x96xf32>) -> tensor<?x96xf32>
    "test.use"(%r, %g, %i) : (tensor<?x512xf32>, tensor<?x96xf32>, tensor<?x96xf32>) -> ()
    return %c0 : i32
  }
  func.func @f(%p: memref<1xbf16>, %q: memref<1xbf16>, %n: i64, %o: i64, %out: memref<1xf32>, %refused: i1) -> i32 {
    %c1 = arith.constant 1 : i32
    %s = scf.if %refused -> i32 {
      scf.yield %c1 : i32
    } else {
      %t = func.call @f.body(%p, %q, %n, %o, %out) : (memref<1xbf16>, memref<1xbf16>, i64, i64, memref<1xf32>) -> i32
      scf.yield %t : i32
    }
    return %s : i32
  }
}

// -----

// Rows that the caller does not pass say nothing of others.
module attributes {tw.devices = [#tw.device<"g" = "amdgpu_gfx942", memory = own>, #tw.device<"host" = "x86_64_avx512_base", memory = host>]} {
  // CHECK-DAG:     #[[UNKNOWN:.*]] = #tw.encoding<rhs, {{.*}}sizes = [?, 512, 256]>
  // CHECK-DAG:     #[[PASSED:.*]] = #tw.encoding<rhs, {{.*}}sizes = [8, 512, 256], any_m>
  // CHECK-LABEL:   func.func private @found.few_rows.body(
  // CHECK:           tensor<256x512xbf16, #[[UNKNOWN]]>
  // CHECK:           tensor<256x512xbf16, #[[PASSED]]>
  // CHECK-LABEL:   func.func @found(
  // CHECK:           arith.index_cast %arg0 : i64 to index
  // CHECK-NOT:       arith.index_cast
  // CHECK:           call @found.few_rows.body(
  func.func private @found.body(%n: i64 {tw.size}, %rows: memref<?x256xbf16>) -> i32 {
    %c0 = arith.constant 0 : i32
    %i = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %m = arith.index_cast %n : i64 to index
    %w = arith.constant dense<1.0> : tensor<256x512xbf16>
    %found = memref.dim %rows, %i : memref<?x256xbf16>
    %b = tensor.empty(%found) : tensor<?x256xbf16>
    %y = linalg.fill ins(%zero : bf16) outs(%b : tensor<?x256xbf16>) -> tensor<?x256xbf16>
    %f = tensor.empty(%found) : tensor<?x512xf32>
    %s = linalg.matmul ins(%y, %w : tensor<?x256xbf16>, tensor<256x512xbf16>) outs(%f : tensor<?x512xf32>) -> tensor<?x512xf32>
    %c = tensor.empty(%m) : tensor<?x256xbf16>
    %z = linalg.fill ins(%zero : bf16) outs(%c : tensor<?x256xbf16>) -> tensor<?x256xbf16>
    %g = tensor.empty(%m) : tensor<?x512xf32>
    %t = linalg.matmul ins(%z, %w : tensor<?x256xbf16>, tensor<256x512xbf16>) outs(%g : tensor<?x512xf32>) -> tensor<?x512xf32>
    "test.use"(%s, %t) : (tensor<?x512xf32>, tensor<?x512xf32>) -> ()
    return %c0 : i32
  }
  func.func @found(%n: i64, %rows: memref<?x256xbf16>) -> i32 {
    %s = func.call @found.body(%n, %rows) : (i64, memref<?x256xbf16>) -> i32
    return %s : i32
  }
}

// -----

// One body is enough for rows that are known, for rows that the function finds out, and on a CPU, where M picks the tile when a product runs.
// CHECK-NOT: few_rows
module attributes {tw.devices = [#tw.device<"g" = "amdgpu_gfx942", memory = own>, #tw.device<"host" = "x86_64_avx512_base", memory = host>]} {
  func.func private @not.body(%n: i64 {tw.size}, %counts: memref<4xindex>) -> i32 {
    %c0 = arith.constant 0 : i32
    %i = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %m = arith.index_cast %n : i64 to index
    %found = memref.load %counts[%i] : memref<4xindex>
    %w = arith.constant dense<1.0> : tensor<256x512xbf16>
    %a = tensor.empty() : tensor<64x256xbf16>
    %x = linalg.fill ins(%zero : bf16) outs(%a : tensor<64x256xbf16>) -> tensor<64x256xbf16>
    %e = tensor.empty() : tensor<64x512xf32>
    %r = linalg.matmul ins(%x, %w : tensor<64x256xbf16>, tensor<256x512xbf16>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
    %b = tensor.empty(%found) : tensor<?x256xbf16>
    %y = linalg.fill ins(%zero : bf16) outs(%b : tensor<?x256xbf16>) -> tensor<?x256xbf16>
    %f = tensor.empty(%found) : tensor<?x512xf32>
    %s = linalg.matmul ins(%y, %w : tensor<?x256xbf16>, tensor<256x512xbf16>) outs(%f : tensor<?x512xf32>) -> tensor<?x512xf32>
    %c = tensor.empty(%m) : tensor<?x256xbf16>
    %z = linalg.fill ins(%zero : bf16) outs(%c : tensor<?x256xbf16>) -> tensor<?x256xbf16>
    %g = tensor.empty(%m) : tensor<?x512xf32>
    %t = linalg.matmul {tw.device = "host"} ins(%z, %w : tensor<?x256xbf16>, tensor<256x512xbf16>) outs(%g : tensor<?x512xf32>) -> tensor<?x512xf32>
    "test.use"(%r, %s, %t) : (tensor<64x512xf32>, tensor<?x512xf32>, tensor<?x512xf32>) -> ()
    return %c0 : i32
  }
  func.func @not(%n: i64, %counts: memref<4xindex>) -> i32 {
    %s = func.call @not.body(%n, %counts) : (i64, memref<4xindex>) -> i32
    return %s : i32
  }
}
