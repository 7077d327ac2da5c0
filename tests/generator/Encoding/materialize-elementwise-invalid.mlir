// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --tw-materialize-encodings --verify-diagnostics

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @pad(%x: tensor<8xf32, #layout>) -> tensor<10xf32, #layout> {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'tensor.pad' op does not put one value around whole tiles, or behind what is in the last one; expected it behind tw.unset_encoding}}
  %0 = tensor.pad %x low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32, #layout> to tensor<10xf32, #layout>
  return %0 : tensor<10xf32, #layout>
}

// -----

// Nobody says where it ends that is summed up to the end of its last tile.
#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @zeros(%x: tensor<?xf32, #layout>, %y: tensor<?xf32, #layout>) -> tensor<?xf32, #layout> {
  // expected-error @below {{op computes an operand of a contraction in tiles of 4 along dimension 0, of which nobody knows where it ends; expected a tensor.empty as its destination}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32, #layout>) outs(%y : tensor<?xf32, #layout>) attrs = {tw.zeros = [array<i64: 0>]} {
  ^bb0(%p: f32, %o: f32):
    %r = math.exp %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32, #layout>
  return %0 : tensor<?xf32, #layout>
}

// -----

#layout = #tw.layout<outer = [0], inner = [0], tiles = [4]>
func.func @zeros_of_others(%x: tensor<8xf32, #layout>, %y: tensor<8xf32, #layout>) -> tensor<8xf32, #layout> {
  // expected-error @below {{op has tw.zeros = [array<i64: 1>]; expected an array of its dimensions for each result}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32, #layout>) outs(%y : tensor<8xf32, #layout>) attrs = {tw.zeros = [array<i64: 1>]} {
  ^bb0(%p: f32, %o: f32):
    %r = math.exp %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32, #layout>
  return %0 : tensor<8xf32, #layout>
}
