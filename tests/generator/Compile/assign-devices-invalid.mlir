// RUN: tw-opt %s --split-input-file --verify-diagnostics --tw-assign-devices
// RUN: echo "module {}" | not tw-opt --tw-assign-devices=devices=a=none,a=x86_64 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: echo "module {}" | not tw-opt --tw-assign-devices=devices=a=z80 2>&1 | FileCheck %s --check-prefix=TARGET

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// TWICE: two devices are called 'a'
// TARGET: z80

module attributes {tw.devices = [#tw.device<"cpu" = "none", memory = host>, #tw.device<"b" = "x86_64", memory = host>]} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{has tw.device = "gpu"; the model's devices are "cpu" (none), "b" (x86_64)}}
    %a = linalg.exp {tw.device = "gpu"} ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    return %a : tensor<8xf32>
  }
}

// -----

// expected-error @+1 {{has tw.device = "gpu", but the model is compiled for no device that has a name; give it one, as --device gpu=amdgpu:gfx942}}
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tw.device = "gpu"} {
  return %x : tensor<8xf32>
}

// -----

module attributes {tw.devices = [#tw.device<"b" = "x86_64", memory = host>]} {
  // expected-error @+1 {{has tw.device = 3 : i64; the model's devices are "b" (x86_64)}}
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tw.device = 3} {
    return %x : tensor<8xf32>
  }
}

// -----

// expected-error @+1 {{tw.devices: expected an array of #tw.device<...>}}
module attributes {tw.devices = ["gpu"]} {}
