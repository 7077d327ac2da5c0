// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --pass-pipeline="builtin.module(func.func(tw-set-encodings),tw-agree-encodings,func.func(tw-verify-encodings))" | FileCheck %s

// Each device has a layout of its own.
module attributes {tw.devices = [#tw.device<"a" = "x86_64_avx512_base", memory = host>, #tw.device<"b" = "x86_64_avx2_fma", memory = host>]} {
  // CHECK-NOT: any_m
  // CHECK-LABEL: func.func @devices(
  func.func @devices(%a: tensor<128x64xf32>, %b: tensor<1x64xf32>, %w: tensor<64x96xf32>, %c: tensor<128x96xf32>, %d: tensor<1x96xf32>) -> (tensor<128x96xf32>, tensor<1x96xf32>) {
    %r = linalg.matmul {tw.device = "a"} ins(%a, %w : tensor<128x64xf32>, tensor<64x96xf32>) outs(%c : tensor<128x96xf32>) -> tensor<128x96xf32>
    %s = linalg.matmul {tw.device = "b"} ins(%b, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%d : tensor<1x96xf32>) -> tensor<1x96xf32>
    return %r, %s : tensor<128x96xf32>, tensor<1x96xf32>
  }
}
