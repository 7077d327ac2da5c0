// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-check-model --allow-unregistered-dialect --split-input-file --verify-diagnostics

func.func @jax(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{is what a front end works on; convert the model to linalg on tensors first, with `iree-opt --iree-stablehlo-input-transformation-pipeline`; see docs/models.md}}
  %r = "stablehlo.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @torch(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{with `iree-opt --pass-pipeline='builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline)'`; see docs/models.md}}
  %r = "torch.aten.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @onnx(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{with `iree-import-onnx`; see docs/models.md}}
  %r = "onnx.Relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
