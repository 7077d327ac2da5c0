// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --verify-diagnostics

#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [2, 2]>
func.func @result(%x: tensor<4x4xf32>, %d: tensor<4x4xf32, #layout>) {
  // expected-error-re @below {{op has a result of type 'tensor<4x4xf32, #tw.layout<identity>>', but the destination's is 'tensor<4x4xf32, #tw.layout<{{.*}}>>'}}
  %0 = tw.set_encoding ins(%x : tensor<4x4xf32>) outs(%d : tensor<4x4xf32, #layout>) -> tensor<4x4xf32, #tw.layout<identity>>
  return
}

// -----

#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [2, 2]>
func.func @sizes(%x: tensor<4x?xf32>, %d: tensor<?x5xf32, #layout>, %e: tensor<3x4xf32, #layout>) {
  %0 = tw.set_encoding ins(%x : tensor<4x?xf32>) outs(%d : tensor<?x5xf32, #layout>) -> tensor<?x5xf32, #layout>
  // expected-error-re @below {{op goes from 'tensor<4x?xf32>' to 'tensor<3x4xf32, {{.*}}>'; expected the same elements and sizes}}
  %1 = tw.set_encoding ins(%x : tensor<4x?xf32>) outs(%e : tensor<3x4xf32, #layout>) -> tensor<3x4xf32, #layout>
  return
}

// -----

#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [2, 2]>
func.func @rank(%x: tensor<4x4xf32, #layout>, %d: tensor<4x4x1xf32>) {
  // expected-error @below {{expected the same elements and sizes}}
  %0 = tw.unset_encoding ins(%x : tensor<4x4xf32, #layout>) outs(%d : tensor<4x4x1xf32>) -> tensor<4x4x1xf32>
  return
}

// -----

#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [2, 2]>
func.func @elements(%x: tensor<4x4xf32, #layout>, %d: tensor<4x4xf16, #layout>) {
  // expected-error @below {{expected the same elements and sizes}}
  %0 = tw.relayout ins(%x : tensor<4x4xf32, #layout>) outs(%d : tensor<4x4xf16, #layout>) -> tensor<4x4xf16, #layout>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>, %d: tensor<4xf32, #tw.layout<identity>>) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = tw.set_encoding ins(%x : tensor<*xf32>) outs(%d : tensor<4xf32, #tw.layout<identity>>) -> tensor<4xf32, #tw.layout<identity>>
  return
}

// -----

func.func @set_nothing(%x: tensor<4xf32>, %d: tensor<4xf32>) {
  // expected-error @below {{op has the destination type 'tensor<4xf32>'; expected one with a #tw.encoding or a #tw.layout}}
  %0 = tw.set_encoding ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// An encoding of somebody else.
func.func @set_another(%x: tensor<4xf32>, %d: tensor<4xf32, "sparse">) {
  // expected-error @below {{op has the destination type 'tensor<4xf32, "sparse">'; expected one with a #tw.encoding or a #tw.layout}}
  %0 = tw.set_encoding ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32, "sparse">) -> tensor<4xf32, "sparse">
  return
}

// -----

func.func @set_of_another(%x: tensor<4xf32, "sparse">, %d: tensor<4xf32, #tw.layout<identity>>) {
  // expected-error @below {{op has the source type 'tensor<4xf32, "sparse">'; expected one with no encoding}}
  %0 = tw.set_encoding ins(%x : tensor<4xf32, "sparse">) outs(%d : tensor<4xf32, #tw.layout<identity>>) -> tensor<4xf32, #tw.layout<identity>>
  return
}

// -----

func.func @unset_nothing(%x: tensor<4xf32>, %d: tensor<4xf32>) {
  // expected-error @below {{op has the source type 'tensor<4xf32>'; expected one with a #tw.encoding or a #tw.layout}}
  %0 = tw.unset_encoding ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unset_to_encoded(%x: tensor<4xf32, #tw.layout<identity>>) {
  // expected-error @below {{op has the destination type 'tensor<4xf32, #tw.layout<identity>>'; expected one with no encoding}}
  %0 = tw.unset_encoding ins(%x : tensor<4xf32, #tw.layout<identity>>) outs(%x : tensor<4xf32, #tw.layout<identity>>) -> tensor<4xf32, #tw.layout<identity>>
  return
}

// -----

func.func @relayout_of_plain(%x: tensor<4xf32>, %d: tensor<4xf32, #tw.layout<identity>>) {
  // expected-error @below {{op has the source type 'tensor<4xf32>'; expected one with a #tw.encoding or a #tw.layout}}
  %0 = tw.relayout ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32, #tw.layout<identity>>) -> tensor<4xf32, #tw.layout<identity>>
  return
}

// -----

func.func @relayout_to_plain(%x: tensor<4xf32, #tw.layout<identity>>, %d: tensor<4xf32>) {
  // expected-error @below {{op has the destination type 'tensor<4xf32>'; expected one with a #tw.encoding or a #tw.layout}}
  %0 = tw.relayout ins(%x : tensor<4xf32, #tw.layout<identity>>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @size_of_plain() {
  // expected-error @below {{op has the tensor type 'tensor<4xf32>'; expected one with a #tw.encoding or a #tw.layout}}
  %0 = tw.encoding_size tensor<4xf32> () : index
  return
}

// -----

func.func @too_many_sizes(%n: index) {
  // expected-error @below {{op has 2 sizes for the 1 dynamic ones of 'tensor<4x?xf32, #tw.layout<identity>>'; expected one for each}}
  %0 = tw.encoding_size tensor<4x?xf32, #tw.layout<identity>> (%n, %n) : index
  return
}

// -----

func.func @too_few_sizes() {
  // expected-error @below {{op has 0 sizes for the 1 dynamic ones}}
  %0 = tw.encoding_size tensor<4x?xf32, #tw.layout<identity>> () : index
  return
}

// -----

func.func @size_of_unranked() {
  // expected-error @below {{failed to satisfy constraint: type attribute of ranked tensor of any type values}}
  %0 = tw.encoding_size tensor<*xf32> () : index
  return
}

// -----

func.func @yields_more(%x: tensor<4xf32>) {
  // expected-error @below {{op hands on ('tensor<4xf32>', 'tensor<4xf32>'), but has results of ('tensor<4xf32>'); expected the same types}}
  %0 = tw.dispatch_region {
    tw.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @yields_another(%x: tensor<4xf32>) {
  // expected-error @below {{op hands on ('tensor<4xf32>'), but has results of ('tensor<?xf32>'); expected the same types}}
  %0 = tw.dispatch_region {
    tw.yield %x : tensor<4xf32>
  } : tensor<?xf32>
  return
}

// -----

func.func @yields_encoded(%x: tensor<4xf32, #tw.layout<identity>>) {
  // expected-error @below {{op hands on ('tensor<4xf32, #tw.layout<identity>>'), but has results of ('tensor<4xf32>')}}
  %0 = tw.dispatch_region {
    tw.yield %x : tensor<4xf32, #tw.layout<identity>>
  } : tensor<4xf32>
  return
}

// -----

func.func @other_end(%x: tensor<4xf32>) {
  // expected-error @below {{op ends in scf.yield; expected tw.yield}}
  %0 = tw.dispatch_region {
    scf.yield %x : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @arguments(%x: tensor<4xf32>) {
  // expected-error @below {{op region should have no arguments}}
  %0 = tw.dispatch_region {
  ^bb0(%y: tensor<4xf32>):
    tw.yield %y : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @blocks(%x: tensor<4xf32>) {
  // expected-error @below {{op expects region #0 to have 0 or 1 blocks}}
  %0 = tw.dispatch_region {
    tw.yield %x : tensor<4xf32>
  ^bb1:
    tw.yield %x : tensor<4xf32>
  } : tensor<4xf32>
  return
}

// -----

func.func @empty() {
  // expected-error @below {{op expects a non-empty block}}
  tw.dispatch_region {
  }
  return
}

// -----

func.func @no_region(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{op expects parent op 'tw.dispatch_region'}}
  tw.yield %x : tensor<4xf32>
}

// -----

#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [2, 2]>
func.func @form_of_other_tiles(%p: tensor<2x2x2x1xf32>) {
  // expected-error-re @below {{op has the packed form 'tensor<2x2x2x1xf32>' of 'tensor<4x4xf32, {{.*}}>'; expected 'tensor<2x2x2x2xf32>'}}
  %0 = tw.from_packed %p : tensor<2x2x2x1xf32> -> tensor<4x4xf32, #layout>
  return
}

// -----

#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [2, 2]>
func.func @form_of_other_elements(%e: tensor<4x4xf32, #layout>) {
  // expected-error-re @below {{op is of the tensor 'tensor<4x4xf32, {{.*}}>' and its packed form 'tensor<2x2x2x2xi32>'; expected a #tw.encoding or a #tw.layout, and a form of the same elements without an encoding}}
  %0 = tw.to_packed %e : tensor<4x4xf32, #layout> -> tensor<2x2x2x2xi32>
  return
}

// -----

func.func @form_of_plain(%p: tensor<4x4xf32>) {
  // expected-error @below {{expected a #tw.encoding or a #tw.layout}}
  %0 = tw.from_packed %p : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [2, 2]>
func.func @encoded_form(%e: tensor<4x4xf32, #layout>) {
  // expected-error @below {{a form of the same elements without an encoding}}
  %0 = tw.to_packed %e : tensor<4x4xf32, #layout> -> tensor<4x4xf32, #layout>
  return
}
