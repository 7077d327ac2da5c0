// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-verify-encodings{none-left}))" --verify-diagnostics

func.func @none(%x: tensor<8xf32>, %y: tensor<8xf32, "sparse">) -> tensor<?xf32> {
  %0 = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @below {{op has the type 'tensor<8xf32, #tw.layout<identity>>'; expected no encoding behind tw-materialize-encodings or tw-drop-encodings}}
func.func @argument(%x: tensor<8xf32, #tw.layout<identity>>) {
  return
}

// -----

// A function of which there is only the type.
// expected-error @below {{op has the type 'tensor<8xf32, #tw.layout<identity>>'; expected no encoding}}
func.func private @declaration() -> tensor<8xf32, #tw.layout<identity>>

// -----

func.func @value(%x: tensor<8xf32>, %z: f32) {
  // expected-error @below {{'tensor.empty' op has the type 'tensor<8xf32, #tw.layout<identity>>'; expected no encoding}}
  %0 = tensor.empty() : tensor<8xf32, #tw.layout<identity>>
  return
}

// -----

func.func @size() -> index {
  // expected-error @below {{'tw.encoding_size' op has the type 'tensor<8xf32, #tw.layout<identity>>'; expected no encoding}}
  %0 = tw.encoding_size tensor<8xf32, #tw.layout<identity>> () : index
  return %0 : index
}

// -----

// expected-error @below {{'func.func' op has the type 'tensor<8xf32, #tw.layout<identity>>'; expected no encoding}}
func.func @block() {
  return
^unreachable(%x: tensor<8xf32, #tw.layout<identity>>):
  return
}
