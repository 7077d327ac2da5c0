// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-hoist-parameter-work=has-instance --canonicalize | FileCheck %s
// RUN: tw-opt %s --tw-hoist-parameter-work | FileCheck %s --check-prefix=NONE
// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-hoist-parameter-work=has-instance --canonicalize | FileCheck %s

#same = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>
#rows = affine_map<(i, j) -> (i)>

// What moves is what two functions compute alike, once, though each has it for itself.
// CHECK-LABEL: func.func @prefill(
// CHECK-NEXT:    %[[W:.*]] = tw.kept 0 : tensor<64x32xf32>
// CHECK-NOT:     "w"
// CHECK:         linalg.matmul ins(%{{.*}}, %[[W]] :
// CHECK-LABEL: func.func @decode(
// CHECK:         %[[W:.*]] = tw.kept 0 : tensor<64x32xf32>
// CHECK:         scf.for
// CHECK-NOT:       math.exp
// CHECK:           linalg.matmul ins(%{{.*}}, %[[W]] :

// Nothing, of a model without instances.
// NONE:        tw.each_call = [{because = "the model has no instances, which would keep it; it has with --parameters-out", bytes = 8192 : i64, bytes_read = 8320 : i64, function = "prefill", operations = 4096 : i64, place = "{{[^"]*}}hoist-parameter-work.mlir:{{[0-9:]+}}", type = "tensor<64x32xf32>"}
// Of what stays as a whole, its parts are not named.
// NONE-SAME:   because = "what reads it computes it on its way", bytes = 8192 : i64, bytes_read = 8192 : i64, function = "not"
// NONE-NOT:    what reads it computes it on its way
// NONE-LABEL:  func.func @prefill(
// NONE-NOT:    tw.kept
func.func @prefill(%x: tensor<?x64xf32>, %m: index) -> tensor<?x32xf32> {
  %w = arith.constant dense_resource<w> : tensor<64x32xf32>
  %s = arith.constant dense_resource<s> : tensor<32xf32>
  %e = tensor.empty() : tensor<64x32xf32>
  %scaled = linalg.generic {indexing_maps = [#same, #columns, #same], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<64x32xf32>, tensor<32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = math.exp %a : f32
    %2 = arith.mulf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<64x32xf32>
  %d = tensor.empty(%m) : tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %scaled : tensor<?x64xf32>, tensor<64x32xf32>) outs(%d : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
func.func @decode(%x: tensor<1x64xf32>, %n: index) -> tensor<1x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.empty() : tensor<1x32xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %d) -> tensor<1x32xf32> {
    %w = arith.constant dense_resource<w> : tensor<64x32xf32>
    %s = arith.constant dense_resource<s> : tensor<32xf32>
    %e = tensor.empty() : tensor<64x32xf32>
    %scaled = linalg.generic {indexing_maps = [#same, #columns, #same], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<64x32xf32>, tensor<32xf32>) outs(%e : tensor<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %1 = math.exp %a : f32
      %2 = arith.mulf %1, %b : f32
      linalg.yield %2 : f32
    } -> tensor<64x32xf32>
    %y = linalg.matmul ins(%x, %scaled : tensor<1x64xf32>, tensor<64x32xf32>) outs(%sum : tensor<1x32xf32>) -> tensor<1x32xf32>
    scf.yield %y : tensor<1x32xf32>
  }
  return %r : tensor<1x32xf32>
}

// A table, of nothing; what is read at computed indices; a sum, which is small and dear; and of a broadcast what was broadcast.
// CHECK-LABEL: func.func @others(
// CHECK-DAG:     tw.kept 1 : tensor<4096xf32>
// CHECK-DAG:     tw.kept 2 : tensor<64x32xf32>
// CHECK-DAG:     tw.kept 3 : tensor<f32>
// CHECK-DAG:     %[[ROW:.*]] = tw.kept 4 : tensor<1024xf32>
// CHECK:         linalg.broadcast ins(%[[ROW]] :
func.func @others(%at: index) -> (tensor<4096xf32>, tensor<64x32xf32>, tensor<f32>, tensor<3x1024xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %table = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<4096xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %w = arith.index_cast %i : index to i32
    %f = arith.sitofp %w : i32 to f32
    %s = math.sin %f : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %w = arith.constant dense_resource<w> : tensor<64x32xf32>
  %last = arith.constant 63 : index
  %d = tensor.empty() : tensor<64x32xf32>
  %turned = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%d : tensor<64x32xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %last, %i : index
    %v = tensor.extract %w[%k, %j] : tensor<64x32xf32>
    linalg.yield %v : f32
  } -> tensor<64x32xf32>
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%c : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#same, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%turned : tensor<64x32xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %1 = math.exp %a : f32
    %2 = math.log %1 : f32
    %3 = arith.addf %2, %s : f32
    linalg.yield %3 : f32
  } -> tensor<f32>
  %b = arith.constant dense_resource<b> : tensor<1024xf32>
  %g = tensor.empty() : tensor<1024xf32>
  %twice = linalg.add ins(%b, %b : tensor<1024xf32>, tensor<1024xf32>) outs(%g : tensor<1024xf32>) -> tensor<1024xf32>
  %h = tensor.empty() : tensor<3x1024xf32>
  %wide = linalg.broadcast ins(%twice : tensor<1024xf32>) outs(%h : tensor<3x1024xf32>) dimensions = [0]
  return %table, %turned, %sum, %wide : tensor<4096xf32>, tensor<64x32xf32>, tensor<f32>, tensor<3x1024xf32>
}

// What stays: what depends on an argument; a fill; what is small; what its one reader computes on its way; what asserts something;
// what may trap; and what is much larger than what it is made of.
// CHECK-LABEL: func.func @not(
// CHECK-NOT:     tw.kept
// CHECK:         return
func.func @not(%x: tensor<64x32xf32>, %n: i32) -> (tensor<64x32xf32>, tensor<4096xf32>, tensor<4xf32>, tensor<64x32xf32>, tensor<2048xf32>, tensor<2048xi32>, tensor<4096x4096xf32>) {
  %w = arith.constant dense_resource<w> : tensor<64x32xf32>
  %e = tensor.empty() : tensor<64x32xf32>
  %0 = linalg.sub ins(%x, %w : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %one = arith.constant 1.0 : f32
  %d = tensor.empty() : tensor<4096xf32>
  %filled = linalg.fill ins(%one : f32) outs(%d : tensor<4096xf32>) -> tensor<4096xf32>
  %small = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %c = tensor.empty() : tensor<4xf32>
  %small2 = linalg.exp ins(%small : tensor<4xf32>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  %absolute = linalg.abs ins(%w : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %negated = linalg.negf ins(%absolute : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = linalg.sub ins(%x, %negated : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %b = arith.constant dense_resource<v> : tensor<2048xf32>
  %g = tensor.empty() : tensor<2048xf32>
  %asserted = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%b : tensor<2048xf32>) outs(%g : tensor<2048xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.cmpf ogt, %a, %one : f32
    cf.assert %p, "too small"
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<2048xf32>
  %i = arith.constant dense_resource<i> : tensor<2048xi32>
  %h = tensor.empty() : tensor<2048xi32>
  %divided = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%i : tensor<2048xi32>) outs(%h : tensor<2048xi32>) {
  ^bb0(%a: i32, %o: i32):
    %hundred = arith.constant 100 : i32
    %s = arith.divsi %hundred, %a : i32
    linalg.yield %s : i32
  } -> tensor<2048xi32>
  %k = tensor.empty() : tensor<4096x4096xf32>
  %r = arith.constant dense_resource<r> : tensor<4096xf32>
  %large = linalg.generic {indexing_maps = [#rows, #columns, #same], iterator_types = ["parallel", "parallel"]} ins(%r, %r : tensor<4096xf32>, tensor<4096xf32>) outs(%k : tensor<4096x4096xf32>) {
  ^bb0(%a: f32, %b2: f32, %o: f32):
    %s = arith.addf %a, %b2 : f32
    linalg.yield %s : f32
  } -> tensor<4096x4096xf32>
  return %0, %filled, %small2, %1, %asserted, %divided, %large : tensor<64x32xf32>, tensor<4096xf32>, tensor<4xf32>, tensor<64x32xf32>, tensor<2048xf32>, tensor<2048xi32>, tensor<4096x4096xf32>
}

// The function that keeps them is an entry point of nothing.
// CHECK-LABEL: func.func private @tw.run_once.body() -> i32
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         tw.keep 0, %[[E]] {bytes_read = 8320 : i64, operations = 4096 : i64} : tensor<64x32xf32>
// CHECK:         tw.keep 1,
// CHECK:         tw.keep 2,
// CHECK:         tw.keep 3,
// CHECK:         tw.keep 4,
// CHECK-NOT:     tw.keep
// CHECK:       func.func @tw.run_once() -> i32

{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000",
      s: "0x04000000",
      b: "0x04000000",
      v: "0x04000000",
      i: "0x04000000",
      r: "0x04000000"
    }
  }
#-}
