// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What all calls would compute alike, and each does for itself all the same: beside what may fail or trap, what is written in memory, and what nobody knows
// the size of. Without these it would be kept: @kept is the same work.
// RUN: tw-opt %s --split-input-file --tw-hoist-parameter-work=has-instance --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    %[[K:.*]] = tw.kept 0 : tensor<2048xf32>
// CHECK-NEXT:    return %[[K]]
func.func @kept() -> tensor<2048xf32> {
  %w = arith.constant dense_resource<w> : tensor<2048xf32>
  %d = tensor.empty() : tensor<2048xf32>
  %y = linalg.exp ins(%w : tensor<2048xf32>) outs(%d : tensor<2048xf32>) -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000"
    }
  }
#-}

// -----

// An assertion is each call's own, though all calls find the same: another function may be called without this one's. What stands behind it is no part of it.
// CHECK-LABEL: func.func @asserts(
// CHECK-DAG:     %[[W:.*]] = arith.constant dense_resource<w>
// CHECK-DAG:     %[[K:.*]] = tw.kept 0 : tensor<2048xf32>
// CHECK:         %[[P:.*]] = arith.cmpf ogt
// CHECK:         cf.assert %[[P]], "too small"
// CHECK:         return %[[K]]
// CHECK-LABEL: func.func private @tw.run_once.body()
// CHECK-NOT:     cf.assert
// CHECK:         linalg.exp
// CHECK-NOT:     cf.assert
// CHECK:         tw.keep 0
func.func @asserts() -> tensor<2048xf32> {
  %c7 = arith.constant 7 : index
  %one = arith.constant 1.0 : f32
  %w = arith.constant dense_resource<w> : tensor<2048xf32>
  %e = tensor.extract %w[%c7] : tensor<2048xf32>
  %p = arith.cmpf ogt, %e, %one : f32
  cf.assert %p, "too small"
  %d = tensor.empty() : tensor<2048xf32>
  %y = linalg.exp ins(%w : tensor<2048xf32>) outs(%d : tensor<2048xf32>) -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000"
    }
  }
#-}

// -----

// In a loop or a branch of what would be kept, it keeps that where it is; what the branch computes of constants is kept without the branch.
// CHECK-LABEL: func.func @asserts_within(
// CHECK:         %[[K:.*]] = tw.kept 0 : tensor<2048xf32>
// CHECK:         scf.for
// CHECK:           cf.assert
// CHECK:           linalg.exp
// CHECK:         arith.select %{{.*}}, %[[K]],
// CHECK:         scf.if
// CHECK-NEXT:      cf.assert
// CHECK:         return
// CHECK-LABEL: func.func private @tw.run_once.body()
// CHECK-NOT:     scf.
// CHECK-NOT:     cf.assert
// CHECK:         tw.keep 0
// CHECK-NOT:     tw.keep
func.func @asserts_within(%if: i1) -> (tensor<2048xf32>, tensor<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %w = arith.constant dense_resource<w> : tensor<2048xf32>
  %d = tensor.empty() : tensor<2048xf32>
  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %w) -> tensor<2048xf32> {
    %v = tensor.extract %x[%i] : tensor<2048xf32>
    %p = arith.cmpf ogt, %v, %one : f32
    cf.assert %p, "too small"
    %e = linalg.exp ins(%x : tensor<2048xf32>) outs(%d : tensor<2048xf32>) -> tensor<2048xf32>
    scf.yield %e : tensor<2048xf32>
  }
  %q = tensor.extract %w[%c8] : tensor<2048xf32>
  %p = arith.cmpf ogt, %q, %one : f32
  %z = scf.if %if -> tensor<2048xf32> {
    cf.assert %p, "too small"
    %e = linalg.exp ins(%w : tensor<2048xf32>) outs(%d : tensor<2048xf32>) -> tensor<2048xf32>
    scf.yield %e : tensor<2048xf32>
  } else {
    scf.yield %w : tensor<2048xf32>
  }
  return %y, %z : tensor<2048xf32>, tensor<2048xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000"
    }
  }
#-}

// -----

// Memory that a call writes is its own: what is read of it there, and computed of that, is too.
// CHECK-LABEL: func.func @scratch(
// CHECK-NOT:     tw.kept
// CHECK:         memref.alloc
// CHECK:         linalg.exp
// CHECK:         return
// CHECK-NOT:   tw.keep
func.func @scratch() -> tensor<2048xf32> {
  %one = arith.constant 1.0 : f32
  %m = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%one : f32) outs(%m : memref<2048xf32>)
  %x = bufferization.to_tensor %m restrict writable : memref<2048xf32> to tensor<2048xf32>
  %d = tensor.empty() : tensor<2048xf32>
  %y = linalg.exp ins(%x : tensor<2048xf32>) outs(%d : tensor<2048xf32>) -> tensor<2048xf32>
  return %y : tensor<2048xf32>
}

// -----

// Scratch of constants only is filled where it is used: it is less to fill than to read. The destination of what is kept is no scratch of the call.
// CHECK-LABEL: func.func @filled(
// CHECK-DAG:     tw.kept 0 : tensor<64x32xf32>
// CHECK-NOT:     tw.kept 1
// CHECK:         linalg.fill
// CHECK:         linalg.matmul
func.func @filled(%x: tensor<4x64xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense_resource<w> : tensor<64x32xf32>
  %d = tensor.empty() : tensor<64x32xf32>
  %e = linalg.exp ins(%w : tensor<64x32xf32>) outs(%d : tensor<64x32xf32>) -> tensor<64x32xf32>
  %s = tensor.empty() : tensor<4x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%s : tensor<4x32xf32>) -> tensor<4x32xf32>
  %y = linalg.matmul ins(%x, %e : tensor<4x64xf32>, tensor<64x32xf32>) outs(%z : tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000"
    }
  }
#-}

// -----

// What a function does that is called, nobody looks at. Nor is what may never end, or has a size that only this call knows.
// CHECK-LABEL: func.func @called(
// CHECK-NOT:     tw.kept
// CHECK:         call @opaque
// CHECK:         scf.while
// CHECK:         linalg.exp ins(%{{.*}} : tensor<?xf32>)
// CHECK:         return
// CHECK-NOT:   tw.keep
func.func private @opaque(tensor<2048xf32>) -> tensor<2048xf32>
func.func @called(%n: index) -> (tensor<2048xf32>, tensor<2048xf32>, tensor<?xf32>) {
  %c7 = arith.constant 7 : index
  %one = arith.constant 1.0 : f32
  %w = arith.constant dense_resource<w> : tensor<2048xf32>
  %d = tensor.empty() : tensor<2048xf32>
  %c = func.call @opaque(%w) : (tensor<2048xf32>) -> tensor<2048xf32>
  %y = linalg.exp ins(%c : tensor<2048xf32>) outs(%d : tensor<2048xf32>) -> tensor<2048xf32>
  %r = scf.while (%x = %w) : (tensor<2048xf32>) -> tensor<2048xf32> {
    %v = tensor.extract %x[%c7] : tensor<2048xf32>
    %p = arith.cmpf ogt, %v, %one : f32
    scf.condition(%p) %x : tensor<2048xf32>
  } do {
  ^bb0(%x: tensor<2048xf32>):
    %e = linalg.exp ins(%x : tensor<2048xf32>) outs(%d : tensor<2048xf32>) -> tensor<2048xf32>
    scf.yield %e : tensor<2048xf32>
  }
  %part = tensor.extract_slice %w[0] [%n] [1] : tensor<2048xf32> to tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.exp ins(%part : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %y, %r, %z : tensor<2048xf32>, tensor<2048xf32>, tensor<?xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000"
    }
  }
#-}
