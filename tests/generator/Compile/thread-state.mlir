// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-thread-state --split-input-file --verify-diagnostics | FileCheck %s

ml_program.global private mutable @h(dense<0.5> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @count(7 : index) : index

func.func private @add(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = ml_program.global_load @h : tensor<4xf32>
  %sum = arith.addf %h, %x : tensor<4xf32>
  ml_program.global_store @h = %sum : tensor<4xf32>
  return %h : tensor<4xf32>
}

func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = call @add(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = call @add(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %h = ml_program.global_load @h : tensor<4xf32>
  return %b, %h : tensor<4xf32>, tensor<4xf32>
}

// What is loaded behind a store is what was stored.
// CHECK: module attributes {tw.states = {{\[\[}}"h", tensor<4xf32>], ["count", tensor<i64>]]}
// CHECK-NOT: ml_program
// CHECK: func.func private @add(%[[X:.*]]: tensor<4xf32>, %[[H:.*]]: tensor<4xf32> {tw.state = 0 : i64})
// CHECK-SAME: -> (tensor<4xf32>, tensor<4xf32> {tw.state = 0 : i64})
// CHECK: %[[SUM:.*]] = arith.addf %[[H]], %[[X]]
// CHECK: return %[[H]], %[[SUM]]
// CHECK: func.func @twice(%[[X:.*]]: tensor<4xf32>, %[[H:.*]]: tensor<4xf32> {tw.state = 0 : i64})
// CHECK: %[[A:.*]]:2 = call @add(%[[X]], %[[H]])
// CHECK: %[[B:.*]]:2 = call @add(%[[A]]#0, %[[A]]#1)
// CHECK: return %[[B]]#0, %[[B]]#1, %[[B]]#1

// What is only read is no result, and a scalar is a tensor outside of functions.
func.func @tick(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = ml_program.global_load @count : index
  %c1 = arith.constant 1 : index
  %next = arith.addi %n, %c1 : index
  ml_program.global_store @count = %next : index
  %h = ml_program.global_load @h : tensor<4xf32>
  return %h : tensor<4xf32>
}

// CHECK: func.func @tick(%{{.*}}: tensor<4xf32>, %[[H:.*]]: tensor<4xf32> {tw.state = 0 : i64}, %[[N:.*]]: tensor<i64> {tw.state = 1 : i64})
// CHECK-SAME: -> (tensor<4xf32>, tensor<i64> {tw.state = 1 : i64})
// CHECK: %[[WORD:.*]] = tensor.extract %[[N]][]
// CHECK: arith.index_cast %[[WORD]] : i64 to index
// CHECK: %[[NEXT:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[STORED:.*]] = tensor.from_elements %[[NEXT]]
// CHECK: return %[[H]], %[[STORED]]

// A branch that stores nothing yields what was there.
func.func @branch(%x: tensor<4xf32>, %c: i1) {
  scf.if %c {
    ml_program.global_store @h = %x : tensor<4xf32>
  }
  return
}

// CHECK: func.func @branch(%[[X:.*]]: tensor<4xf32>, %[[C:.*]]: i1, %[[H:.*]]: tensor<4xf32> {tw.state = 0 : i64})
// CHECK: %[[R:.*]] = scf.if %[[C]] -> (tensor<4xf32>) {
// CHECK: scf.yield %[[X]]
// CHECK: } else {
// CHECK: scf.yield %[[H]]
// CHECK: return %[[R]]

// Loops carry what they store.
func.func @loops(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %h = func.call @add(%x) : (tensor<4xf32>) -> tensor<4xf32>
  }
  %r = scf.while (%i = %c0) : (index) -> index {
    %h = func.call @add(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  %h = ml_program.global_load @h : tensor<4xf32>
  return %h : tensor<4xf32>
}

// CHECK: func.func @loops(%[[X:.*]]: tensor<4xf32>, %{{.*}}: index, %[[H:.*]]: tensor<4xf32> {tw.state = 0 : i64})
// CHECK: %[[F:.*]] = scf.for {{.*}} iter_args(%[[IN:.*]] = %[[H]])
// CHECK: %[[CALL:.*]]:2 = func.call @add(%[[X]], %[[IN]])
// CHECK: scf.yield %[[CALL]]#1
// CHECK: %[[W:.*]]:2 = scf.while (%{{.*}} = %{{.*}}, %[[BEFORE:.*]] = %[[F]])
// CHECK: %[[CALL:.*]]:2 = func.call @add(%[[X]], %[[BEFORE]])
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %[[CALL]]#1
// CHECK: ^bb0(%{{.*}}: index, %[[AFTER:.*]]: tensor<4xf32>):
// CHECK: scf.yield %{{.*}}, %[[AFTER]]
// CHECK: return %[[W]]#1, %[[W]]#1

// CHECK: func.func @tw.initial_state() -> (tensor<4xf32> {tw.state = 0 : i64}, tensor<i64> {tw.state = 1 : i64})
// CHECK-DAG: dense<5.000000e-01> : tensor<4xf32>
// CHECK-DAG: dense<7> : tensor<i64>

// -----

ml_program.global private mutable @n(dense<1.0> : tensor<f32>) : tensor<f32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{uses a mutable global in its body; there it may be used in the bodies of scf.if, scf.for and scf.while}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%o: f32):
    %n = ml_program.global_load @n : tensor<f32>
    %v = tensor.extract %n[] : tensor<f32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
