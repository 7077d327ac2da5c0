// RUN: tw-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tw-assign-devices{has-device=false})'

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has tw.device = "gpu"; accepted are "host" and "device"}}
  %a = linalg.exp {tw.device = "gpu"} ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// expected-error @+1 {{is to run on a device, but the model is compiled for none; name one, as --target=amdgpu:gfx942}}
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tw.device = "device"} {
  return %x : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tw.device = "host"} {
  return %x : tensor<8xf32>
}
