// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-make-entry-points --split-input-file --verify-diagnostics

// A size that is data.
func.func @read(%x: tensor<2xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.extract %x[%c0] : tensor<2xindex>
  // expected-error @below {{cannot tell how dimension 0 of 'tensor<?xf32>' follows from sizes of arguments; sizes must be constants, index or i64 arguments, tensor.dim, or what arithmetic makes of such}}
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A loop that makes it longer each time.
func.func @grown(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %b = tensor.concat dim(0) %a, %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    // expected-error @below {{of 'scf.for' yields arg0_d0 + 1 for dimension 0 of 'tensor<?xf32>', which is arg0_d0 before; what a loop carries keeps its sizes}}
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @either(%x: tensor<?xf32>, %flag: tensor<i1>) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %p = tensor.extract %flag[] : tensor<i1>
  %r = scf.if %p -> tensor<?xf32> {
    %a = tensor.empty(%c2) : tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    %b = tensor.empty(%c3) : tensor<?xf32>
    // expected-error @below {{of 'scf.if' yields 3 for dimension 0 of 'tensor<?xf32>', which is 2 in the other branch; both must have the same sizes}}
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @never(%x: tensor<4xf32>) -> tensor<4xf32> {
  %false = arith.constant false
  // expected-error @below {{fails in every call: no way}}
  cf.assert %false, "no way"
  return %x : tensor<4xf32>
}

// -----

func.func @beyond(%x: tensor<?xf32>) -> tensor<3xf32> {
  %five = tensor.cast %x : tensor<?xf32> to tensor<5xf32>
  // expected-error @below {{reaches out of dimension 0 of 'tensor<?xf32>'}}
  %r = tensor.extract_slice %x[3] [3] [1] : tensor<?xf32> to tensor<3xf32>
  %s = linalg.add ins(%r, %r : tensor<3xf32>, tensor<3xf32>) outs(%r : tensor<3xf32>) -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

func.func @negative(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %three = tensor.cast %x : tensor<?xf32> to tensor<3xf32>
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.subi %d, %c4 : index
  // expected-error @below {{makes dimension 0 of 'tensor<?xf32>' -1, which is negative}}
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

func.func @backward(%x: tensor<4xf32>, %s: index) -> tensor<2xf32> {
  // expected-error @below {{has a stride 0 that is no constant of at least 1}}
  %r = tensor.extract_slice %x[3] [2] [%s] : tensor<4xf32> to tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

func.func @window(%x: tensor<?xf32>, %k: tensor<3xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %five = tensor.cast %x : tensor<?xf32> to tensor<5xf32>
  // expected-error @below {{reaches beyond dimension 0 of operand 0, of type 'tensor<?xf32>', with affine_map<(d0, d1) -> (d0 + d1)>}}
  %r = linalg.conv_1d ins(%x, %k : tensor<?xf32>, tensor<3xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @packed(%x: tensor<?xf32>, %e: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %seven = tensor.cast %x : tensor<?xf32> to tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{has tiles along dimension 0 of 'tensor<?xf32>' that do not make up that dimension in 'tensor<3x4xf32>'}}
  %r = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<?xf32> -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

func.func @forever(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{of 'forever' cannot be inlined; recursion is not accepted}}
  %r = call @forever(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
