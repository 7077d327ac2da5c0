// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-check-model --split-input-file --verify-diagnostics

func.func @accepted(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

func.func private @control(%x: tensor<4xf32>, %p: tensor<i1>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.extract %p[] : tensor<i1>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    cf.assert %b, "never"
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @asserted(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %true = arith.constant true
  %c = arith.constant 0.0 : f32
  %r = tensor.generate %n {
  ^bb0(%i: index):
    // expected-error @below {{is in the body of a 'tensor.generate', where it is not accepted; it may be in that of a linalg operation}}
    cf.assert %true, "fine"
    tensor.yield %c : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @memref(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be compiled; accepted are structured linalg operations, arith, math}}
  %m = memref.alloc() : memref<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @buffers(%x: tensor<4xf32>, %m: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 0.0 : f32
  // expected-error @below {{cannot be compiled}}
  %b = bufferization.to_buffer %m : tensor<4xf32> to memref<4xf32>
  // expected-error @below {{works on buffers; models must be on tensors}}
  linalg.fill ins(%c : f32) outs(%b : memref<4xf32>)
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{argument 0 of 'encoded' has type 'tensor<4xi3>', but arguments must be ranked tensors of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f8E8M0FNU, f6E2M3FN, f6E3M2FN, f4E2M1FN, i64, i32, i16, i8, i4, i2 and i1 without encodings, or scalars}}
func.func @encoded(%x: tensor<4xi3>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  return %e : tensor<4xf32>
}

// -----

func.func @rounded(%x: tensor<4xf64>) -> tensor<4xf8E5M2> {
  // expected-error @below {{rounds f64 to 'f8E5M2', which is not accepted; round to f32 first}}
  %y = arith.truncf %x : tensor<4xf64> to tensor<4xf8E5M2>
  return %y : tensor<4xf8E5M2>
}

// -----

// expected-error @below {{result 0 of 'scalar' has type 'f32', but results must be ranked tensors}}
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error @below {{'nothing' has no result}}
func.func @nothing(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @below {{'outside' has no body; every function of a model must be defined in it}}
func.func private @outside(tensor<4xf32>) -> tensor<4xf32>

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @outside(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @below {{the model has no public function}}
module {
  func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @below {{'memref.global' is not accepted at the top level of a model; accepted are func.func and ml_program.global}}
memref.global "private" @g : memref<4xf32>

// -----

// What computes one element has no tensors of its own.
func.func @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = tensor.generate {
  ^bb0(%i: index):
    // expected-error @below {{is in the body of a 'tensor.generate', which computes one element; accepted there are operations on scalars, tensor.extract and tensor.dim}}
    %e = tensor.extract_slice %x[0] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %c0 = arith.constant 0 : index
    %v = tensor.extract %e[%c0] : tensor<1xf32>
    tensor.yield %v : f32
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @no_resource() -> tensor<4xf32> {
  // expected-error @below {{is the resource 'left_out', which the file does not have; write the model with its resources}}
  %w = arith.constant dense_resource<left_out> : tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

func.func @short_resource() -> tensor<4xf32> {
  // expected-error @below {{is the resource 'short' of 12 bytes, which are not the elements of 'tensor<4xf32>'}}
  %w = arith.constant dense_resource<short> : tensor<4xf32>
  return %w : tensor<4xf32>
}
{-# dialect_resources: { builtin: { short: "0x04000000000000000000000000000000" } } #-}

// -----

func.func @boolean_resource(%x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error @below {{is the resource 'booleans' with elements of i1; write these as dense<...>}}
  %w = arith.constant dense_resource<booleans> : tensor<4xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%w : tensor<4xi1>) outs(%x : tensor<4xi8>) {
  ^bb0(%u: i1, %v: i8):
    %e = arith.extui %u : i1 to i8
    linalg.yield %e : i8
  } -> tensor<4xi8>
  return %r : tensor<4xi8>
}
{-# dialect_resources: { builtin: { booleans: "0x0100000001000100" } } #-}

// -----

func.func @scaled(%x: tensor<4xf8E4M3FN>, %s: tensor<4xf8E8M0FNU>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<4xf8E4M3FN>, tensor<4xf8E8M0FNU>) outs(%e : tensor<4xf32>) {
  ^bb0(%u: f8E4M3FN, %p: f8E8M0FNU, %o: f32):
    %v = arith.scaling_extf %u, %p : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @scaled_by_others(%x: tensor<4xf8E4M3FN>, %s: tensor<4xf8E8M0FNU>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<4xf8E4M3FN>, tensor<4xf8E8M0FNU>) outs(%e : tensor<4xf32>) {
  ^bb0(%u: f8E4M3FN, %p: f8E8M0FNU, %o: f32):
    %k = arith.constant 2.0 : f8E5M2
    // expected-error @below {{scales by 'f8E5M2', which is not accepted; scale by f8E8M0FNU, or by arith.mulf}}
    %v = arith.scaling_extf %u, %k : f8E4M3FN, f8E5M2 to f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @scaled_down(%x: tensor<4xf32>, %s: tensor<4xf8E8M0FNU>) -> tensor<4xf8E4M3FN> {
  %e = tensor.empty() : tensor<4xf8E4M3FN>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<4xf32>, tensor<4xf8E8M0FNU>) outs(%e : tensor<4xf8E4M3FN>) {
  ^bb0(%u: f32, %p: f8E8M0FNU, %o: f8E4M3FN):
    // expected-error @below {{cannot be compiled; multiply by the reciprocal of the scale, and round by arith.truncf}}
    %v = arith.scaling_truncf %u, %p : f32, f8E8M0FNU to f8E4M3FN
    linalg.yield %v : f8E4M3FN
  } -> tensor<4xf8E4M3FN>
  return %r : tensor<4xf8E4M3FN>
}

// -----

func.func @rounded_to_scales(%x: tensor<4xf32>, %s: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  %e = tensor.empty() : tensor<4xf8E8M0FNU>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<4xf32>, tensor<4xf8E8M0FNU>) outs(%e : tensor<4xf8E8M0FNU>) {
  ^bb0(%u: f32, %p: f8E8M0FNU, %o: f8E8M0FNU):
    // expected-error @below {{computes with 'f8E8M0FNU', which is not accepted; of scales there are arith.scaling_extf, arith.extf, arith.bitcast and arith.select}}
    %v = arith.truncf %u : f32 to f8E8M0FNU
    linalg.yield %v : f8E8M0FNU
  } -> tensor<4xf8E8M0FNU>
  return %r : tensor<4xf8E8M0FNU>
}

// -----

func.func @rounded_to_few_bits(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{computes with 'f4E2M1FN', which is not accepted; of such elements there are arith.scaling_extf, arith.extf, arith.bitcast and arith.select}}
  %y = arith.truncf %x : tensor<4xf32> to tensor<4xf4E2M1FN>
  %z = arith.extf %y : tensor<4xf4E2M1FN> to tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

func.func @computed_in_few_bits() -> tensor<4xf32> {
  %x = arith.constant dense<1.5> : tensor<4xf6E3M2FN>
  // expected-error @below {{computes with 'f6E3M2FN', which is not accepted}}
  %y = arith.negf %x : tensor<4xf6E3M2FN>
  %z = arith.extf %y : tensor<4xf6E3M2FN> to tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

func.func @few_bits(%s: tensor<4xf8E8M0FNU>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %x = arith.constant dense<1.5> : tensor<4xf6E3M2FN>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<4xf6E3M2FN>, tensor<4xf8E8M0FNU>) outs(%e : tensor<4xf32>) {
  ^bb0(%u: f6E3M2FN, %p: f8E8M0FNU, %o: f32):
    %v = arith.scaling_extf %u, %p : f6E3M2FN, f8E8M0FNU to f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @scaled_to_few_bits(%s: tensor<4xf8E8M0FNU>) -> tensor<4xf32> {
  %x = arith.constant dense<1.5> : tensor<4xf4E2M1FN>
  %e = tensor.empty() : tensor<4xf6E3M2FN>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<4xf4E2M1FN>, tensor<4xf8E8M0FNU>) outs(%e : tensor<4xf6E3M2FN>) {
  ^bb0(%u: f4E2M1FN, %p: f8E8M0FNU, %o: f6E3M2FN):
    // expected-error @below {{computes with 'f6E3M2FN', which is not accepted}}
    %v = arith.scaling_extf %u, %p : f4E2M1FN, f8E8M0FNU to f6E3M2FN
    linalg.yield %v : f6E3M2FN
  } -> tensor<4xf6E3M2FN>
  %z = arith.extf %r : tensor<4xf6E3M2FN> to tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// expected-error @below {{argument 0 of 'scalar' has type 'f4E2M1FN', but arguments must be ranked tensors of}}
func.func @scalar(%x: f4E2M1FN) -> f32 {
  %y = arith.extf %x : f4E2M1FN to f32
  return %y : f32
}

// -----

func.func @scaled_scales(%x: tensor<4xf8E8M0FNU>, %s: tensor<4xf8E8M0FNU>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %s : tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>) outs(%e : tensor<4xf32>) {
  ^bb0(%u: f8E8M0FNU, %p: f8E8M0FNU, %o: f32):
    // expected-error @below {{computes with 'f8E8M0FNU', which is not accepted}}
    %v = arith.scaling_extf %u, %p : f8E8M0FNU, f8E8M0FNU to f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @largest_scale(%x: tensor<4xf8E8M0FNU>, %y: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  // expected-error @below {{computes with 'f8E8M0FNU', which is not accepted}}
  %r = linalg.max ins(%x, %y : tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>) outs(%x : tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU>
  return %r : tensor<4xf8E8M0FNU>
}
