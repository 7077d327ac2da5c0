// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(tw-set-encodings{convolutions}))' | FileCheck %s
// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(tw-set-encodings{convolution-loops-because=whatever}))' 2>&1 >/dev/null | FileCheck %s --check-prefix=BECAUSE
// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(tw-set-encodings))' 2>&1 >/dev/null | FileCheck %s --check-prefix=NOTHING --allow-empty

// Those of the host have tiles, also beside a GPU; those of the GPU stay loops, and a remark says so. Where those of the host stay
// loops too, it says why; it says nothing where nobody asked for tiles of convolutions, or for a device without any.

// BECAUSE:         remark: lowered to plain loops: a convolution; whatever
// BECAUSE:         remark: lowered to plain loops: a convolution; amdgpu:gfx942 has no kernel that gathers windows
// BECAUSE-NOT:     remark:
// NOTHING-NOT:     remark:

module attributes {tw.devices = [#tw.device<"cpu" = "x86_64", memory = host>, #tw.device<"gpu" = "amdgpu:gfx942", memory = own>, #tw.device<"plain" = "none", memory = host>]} {
  // CHECK-LABEL: func.func @on_host(
  // CHECK:         tw.set_encoding
  // CHECK:         linalg.generic
  // CHECK-SAME:      tw.device = "cpu"
  func.func @on_host(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x16xf32>, %o: tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32> {
    %r = linalg.conv_2d_nhwc_hwcf {tw.device = "cpu"} ins(%x, %w : tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) outs(%o : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
    return %r : tensor<1x6x6x16xf32>
  }

  // CHECK-LABEL: func.func @on_gpu(
  // CHECK-NOT:     tw.set_encoding
  // CHECK:         linalg.conv_2d_nhwc_hwcf
  func.func @on_gpu(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x16xf32>, %o: tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32> {
    // expected-remark @below {{lowered to plain loops: a convolution; amdgpu:gfx942 has no kernel that gathers windows}}
    %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) outs(%o : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
    return %r : tensor<1x6x6x16xf32>
  }

  // What is a loop on every device is none of this.
  // CHECK-LABEL: func.func @depthwise(
  // CHECK:         linalg.depthwise_conv_2d_nhwc_hwc
  func.func @depthwise(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3xf32>, %o: tensor<1x6x6x3xf32>) -> tensor<1x6x6x3xf32> {
    %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x8x8x3xf32>, tensor<3x3x3xf32>) outs(%o : tensor<1x6x6x3xf32>) -> tensor<1x6x6x3xf32>
    return %r : tensor<1x6x6x3xf32>
  }

  // CHECK-LABEL: func.func @plain(
  func.func @plain(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x16xf32>, %o: tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32> {
    %r = linalg.conv_2d_nhwc_hwcf {tw.device = "plain"} ins(%x, %w : tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) outs(%o : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
    return %r : tensor<1x6x6x16xf32>
  }
}
