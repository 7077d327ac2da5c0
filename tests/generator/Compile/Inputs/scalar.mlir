// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
#ij = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @looped(%x: tensor<100000xf32>) -> tensor<100000xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<100000xf32>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%x : tensor<100000xf32>) outs(%e : tensor<100000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = scf.for %k = %c0 to %c5 step %c1 iter_args(%t = %a) -> f32 {
      %u = arith.mulf %t, %t : f32
      scf.yield %u : f32
    }
    linalg.yield %s : f32
  } -> tensor<100000xf32>
  return %r : tensor<100000xf32>
}

func.func @horner(%x: tensor<100000xf32>, %y: tensor<f32>) -> tensor<f32> {
  %half = arith.constant 0.5 : f32
  %r = linalg.generic {indexing_maps = [#i, #none], iterator_types = ["reduction"]}
      ins(%x : tensor<100000xf32>) outs(%y : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %o, %half : f32
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

func.func @sums_on_the_way(%x: tensor<1000x100xf32>, %y: tensor<1000xf32>) -> tensor<1000x100xf32> {
  %e = tensor.empty() : tensor<1000x100xf32>
  %r:2 = linalg.generic {indexing_maps = [#ij, #ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1000x100xf32>) outs(%e, %y : tensor<1000x100xf32>, tensor<1000xf32>) {
  ^bb0(%a: f32, %m: f32, %s: f32):
    %v = arith.addf %a, %s : f32
    linalg.yield %v, %v : f32, f32
  } -> (tensor<1000x100xf32>, tensor<1000xf32>)
  return %r#0 : tensor<1000x100xf32>
}
