// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What loops and branches hand on, encoded, where its sizes are those of a value outside. A packed tensor does not say them.
// RUN: tw-opt %s --allow-unregistered-dialect --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-verify-encodings | FileCheck %s
// RUN: tw-opt %s --allow-unregistered-dialect --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-specialize-encodings --tw-materialize-encodings --tw-verify-encodings=none-left | FileCheck %s --check-prefix=PACKED

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 32]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 32]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 32]>

// Rows of which the caller says how many. Whoever asks the sum in the loop for its rows is answered without it.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %{{[a-z0-9]+}}: index, %[[ROWS:[a-z0-9]+]]: index
// CHECK:         %[[Z:.*]] = linalg.fill {{.*}} -> tensor<?x96xf32, #[[OUT:[a-z0-9]+]]>
// CHECK:         %[[S:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[Z]]) -> (tensor<?x96xf32, #[[OUT]]>) {
// CHECK-NOT:       tw.
// CHECK:           %[[P:.*]] = linalg.generic {{.*}} outs(%[[ACC]] :
// CHECK:           "test"(%[[ROWS]])
// CHECK:           scf.yield %[[P]]
// CHECK:         %[[D:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x96xf32>
// CHECK:         %[[U:.*]] = tw.unset_encoding ins(%[[S]] : {{.*}}) outs(%[[D]] :
// CHECK:         return %[[U]]
// PACKED-LABEL: func.func @sum(
// PACKED:         scf.for {{.*}} -> (tensor<?x3x12x32xf32>) {
// PACKED:         linalg.unpack
func.func @sum(%x: tensor<?x32xf32, #lhs>, %y: tensor<32x96xf32, #rhs>, %n: index, %rows: index) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty(%rows) : tensor<?x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<?x96xf32>) {
    %r = tensor.dim %acc, %c0 : tensor<?x96xf32>
    %e = tensor.empty(%r) : tensor<?x96xf32, #out>
    %g = tensor.empty(%r) : tensor<?x96xf32>
    %a = tw.set_encoding ins(%acc : tensor<?x96xf32>) outs(%e : tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out>
    %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<?x32xf32, #lhs>, tensor<32x96xf32, #rhs>) outs(%a : tensor<?x96xf32, #out>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %m = arith.mulf %p, %q : f32
      %t = arith.addf %o, %m : f32
      linalg.yield %t : f32
    } -> tensor<?x96xf32, #out>
    %u = tw.unset_encoding ins(%p : tensor<?x96xf32, #out>) outs(%g : tensor<?x96xf32>) -> tensor<?x96xf32>
    "test"(%r) : (index) -> ()
    scf.yield %u : tensor<?x96xf32>
  }
  return %s : tensor<?x96xf32>
}

// Of a tensor that is there outside. It answers for what the branches hand on, also right behind them.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x96xf32>
// CHECK:         %[[I:.*]] = scf.if {{.*}} -> (tensor<?x96xf32, #[[OUT]]>) {
// CHECK:           scf.yield %{{.*}} : tensor<?x96xf32, #[[OUT]]>
// CHECK:           scf.yield %{{.*}} : tensor<?x96xf32, #[[OUT]]>
// CHECK:         %[[Q:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x96xf32>
// CHECK:         %[[R:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x96xf32>
// CHECK:         %[[D:.*]] = tensor.empty(%[[R]])
// CHECK:         %[[U:.*]] = tw.unset_encoding ins(%[[I]] : {{.*}}) outs(%[[D]] :
// CHECK:         "test"(%[[Q]])
// CHECK:         return %[[U]]
func.func @branches(%x: tensor<?x96xf32>, %a: tensor<?x96xf32, #out>, %b: tensor<?x96xf32, #out>, %c: i1) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %r = tensor.dim %x, %c0 : tensor<?x96xf32>
  %i = scf.if %c -> (tensor<?x96xf32>) {
    %d = tensor.empty(%r) : tensor<?x96xf32>
    %u = tw.unset_encoding ins(%a : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
    scf.yield %u : tensor<?x96xf32>
  } else {
    %q = tensor.dim %x, %c0 : tensor<?x96xf32>
    %d = tensor.empty(%q) : tensor<?x96xf32>
    %u = tw.unset_encoding ins(%b : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
    scf.yield %u : tensor<?x96xf32>
  }
  %s = tensor.dim %i, %c0 : tensor<?x96xf32>
  "test"(%s) : (index) -> ()
  return %i : tensor<?x96xf32>
}

// Not where branches have other rows, or only they know how many; where a loop makes more of them; nor in calls.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     scf.{{(if|for)}} {{.*}} -> (tensor<?x96xf32, #
// CHECK:         scf.for {{.*}} -> (tensor<?x96xf32>) {
func.func @others(%a: tensor<?x96xf32, #out>, %b: tensor<?x96xf32, #out>, %c: i1, %m: index, %n: index)
    -> (tensor<?x96xf32>, tensor<?x96xf32>, tensor<?x96xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.empty(%m) : tensor<?x96xf32>
  %e = tensor.empty(%n) : tensor<?x96xf32>
  %i = scf.if %c -> (tensor<?x96xf32>) {
    %u = tw.unset_encoding ins(%a : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
    scf.yield %u : tensor<?x96xf32>
  } else {
    %u = tw.unset_encoding ins(%b : tensor<?x96xf32, #out>) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
    scf.yield %u : tensor<?x96xf32>
  }
  %j = scf.if %c -> (tensor<?x96xf32>) {
    %k = "test"() : () -> index
    %f = tensor.empty(%k) : tensor<?x96xf32>
    %u = tw.unset_encoding ins(%a : tensor<?x96xf32, #out>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
    %v = tw.unset_encoding ins(%b : tensor<?x96xf32, #out>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
    %w = scf.if %c -> (tensor<?x96xf32>) {
      scf.yield %u : tensor<?x96xf32>
    } else {
      scf.yield %v : tensor<?x96xf32>
    }
    scf.yield %w : tensor<?x96xf32>
  } else {
    %k = "test"() : () -> index
    %f = tensor.empty(%k) : tensor<?x96xf32>
    %u = tw.unset_encoding ins(%b : tensor<?x96xf32, #out>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
    scf.yield %u : tensor<?x96xf32>
  }
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %d) -> (tensor<?x96xf32>) {
    %r = tensor.dim %acc, %c0 : tensor<?x96xf32>
    %q = arith.addi %r, %c1 : index
    %f = tensor.empty(%q) : tensor<?x96xf32>
    %u = tw.unset_encoding ins(%a : tensor<?x96xf32, #out>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
    scf.yield %u : tensor<?x96xf32>
  }
  return %i, %j, %l : tensor<?x96xf32>, tensor<?x96xf32>, tensor<?x96xf32>
}

// CHECK-LABEL: func.func private @callee(
// CHECK-SAME:    tensor<?x96xf32>) -> tensor<?x96xf32>
func.func private @callee(%x: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %r = tensor.dim %x, %c0 : tensor<?x96xf32>
  %d = tensor.empty(%r) : tensor<?x96xf32>
  %e = tensor.empty(%r) : tensor<?x96xf32, #out>
  %s = tw.set_encoding ins(%x : tensor<?x96xf32>) outs(%e : tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out>
  %u = tw.unset_encoding ins(%s : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %u : tensor<?x96xf32>
}
func.func @caller(%a: tensor<?x96xf32, #out>, %rows: index) -> tensor<?x96xf32> {
  %d = tensor.empty(%rows) : tensor<?x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %b = call @callee(%x) : (tensor<?x96xf32>) -> tensor<?x96xf32>
  return %b : tensor<?x96xf32>
}
