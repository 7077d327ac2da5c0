// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --verify-diagnostics

// Where it is known which devices there are, nothing runs on another, nor falls back to one of them.

module attributes {tw.devices = [#tw.device<"cpu" = "x86_64", memory = host>, #tw.device<"gpu" = "amdgpu:gfx942", memory = own>]} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @below {{has tw.device = "g"; the model's devices are "cpu" (x86_64), "gpu" (amdgpu:gfx942)}}
    %a = linalg.exp {tw.device = "g"} ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    return %a : tensor<8xf32>
  }
}

// -----

// Of one, too.
module attributes {tw.devices = [#tw.device<"cpu" = "x86_64", memory = host>]} {
  // expected-error @below {{has tw.device = "gpu"; the model's devices are "cpu" (x86_64)}}
  func.func private @f(%x: tensor<8xf32>) attributes {tw.device = "gpu"}
}

// -----

// In a nested module; an attribute that is no name.
module attributes {tw.devices = [#tw.device<"cpu" = "x86_64", memory = host>]} {
  module @inner {
    // expected-error @below {{has tw.device = unit; the model's devices are "cpu" (x86_64)}}
    func.func private @f(%x: tensor<8xf32>) attributes {tw.device}
  }
}

// -----

// Of a parameter.
module attributes {tw.devices = [#tw.device<"cpu" = "x86_64", memory = host>, #tw.device<"gpu" = "amdgpu:gfx942", memory = own>]} {
  ml_program.global private @w(dense<1.0> : tensor<8xf32>) : tensor<8xf32>
  // expected-error @below {{has tw.device = "cpu2"; the model's devices are}}
  ml_program.global private @v(dense<1.0> : tensor<8xf32>) : tensor<8xf32> {tw.device = "cpu2"}
}

// -----

// Nobody has said yet which there are.
func.func private @f(%x: tensor<8xf32>) attributes {tw.device = "gpu"}
