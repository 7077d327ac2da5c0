// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --verify-diagnostics

func.func private @f(%x: tensor<?xf32>, %y: tensor<?x1xf32>) -> tensor<?x1xf32>

func.func @good(%x: tensor<4xf32>, %y: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %r = tw.dispatch @f ins(%x : tensor<4xf32>) outs(%y : tensor<?x1xf32>) accumulates [true] -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

func.func @wrong_size(%x: tensor<4xf32>, %y: tensor<?x2xf32>) {
  // expected-error@+1 {{has operand 1 of type 'tensor<?x2xf32>', but 'f' takes 'tensor<?x1xf32>'}}
  %r = tw.dispatch @f ins(%x : tensor<4xf32>) outs(%y : tensor<?x2xf32>) accumulates [true] -> tensor<?x2xf32>
  return
}

// -----

func.func private @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>

func.func @wrong_count(%y: tensor<?xf32>) {
  // expected-error@+1 {{has 1 operands, but 'f' takes 2}}
  %r = tw.dispatch @f outs(%y : tensor<?xf32>) accumulates [true] -> tensor<?xf32>
  return
}

// -----

func.func @no_function(%y: tensor<?xf32>) {
  // expected-error@+1 {{calls 'f', which is no function of the module}}
  %r = tw.dispatch @f outs(%y : tensor<?xf32>) accumulates [true] -> tensor<?xf32>
  return
}

// -----

func.func private @f(%y: tensor<?xf32>) -> tensor<?xf32>

func.func @accumulates(%y: tensor<?xf32>) {
  // expected-error@+1 {{says of 2 outputs whether they are read, but has 1}}
  %r = tw.dispatch @f outs(%y : tensor<?xf32>) accumulates [true, false] -> tensor<?xf32>
  return
}

// -----

func.func private @f(%y: tensor<?xf32>) -> tensor<?xf32>

func.func @mixed(%y: memref<?xf32>) {
  // expected-error@+1 {{is on tensors with results or on buffers without, but has an output of type 'memref<?xf32>'}}
  %r = tw.dispatch @f outs(%y : memref<?xf32>) accumulates [true] -> tensor<?xf32>
  return
}

// -----

func.func private @f(%y: tensor<?xf32>) -> tensor<?xf32>

func.func @result(%y: tensor<?xf32>) {
  // expected-error@+1 {{must have one result for each output, of its type}}
  %r = tw.dispatch @f outs(%y : tensor<?xf32>) accumulates [true] -> tensor<4xf32>
  return
}
