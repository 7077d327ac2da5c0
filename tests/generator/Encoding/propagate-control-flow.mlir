// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What loops, branches and calls hand on, encoded.
// RUN: tw-opt %s --split-input-file --tw-propagate-encodings --tw-verify-encodings | FileCheck %s
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-specialize-encodings --tw-materialize-encodings --tw-verify-encodings=none-left -o /dev/null
// RUN: tw-opt %s --split-input-file --tw-propagate-encodings=host-packs-blocks | FileCheck %s --check-prefix=BLOCKS
// BLOCKS-NOT: iter_args({{.*}}#out>
// BLOCKS-NOT: call @callee{{.*}}#out>

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [64, 96, 32]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [64, 96, 32]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [64, 96, 32]>

// Products are summed up in tiles: zeros are filled in so, the sum is unset once, behind.
// CHECK-LABEL: func.func @sum(
// CHECK:         %[[Z:.*]] = linalg.fill {{.*}} -> tensor<64x96xf32, #[[OUT:[a-z0-9]+]]>
// CHECK:         %[[S:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[Z]]) -> (tensor<64x96xf32, #[[OUT]]>) {
// CHECK-NOT:       tw.
// CHECK:           %[[P:.*]] = linalg.generic {{.*}} outs(%[[ACC]] :
// CHECK:           scf.yield %[[P]]
// CHECK:         %[[U:.*]] = tw.unset_encoding ins(%[[S]] :
// CHECK:         return %[[U]]
func.func @sum(%x: tensor<64x32xf32, #lhs>, %y: tensor<32x96xf32, #rhs>, %n: index) -> tensor<64x96xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<64x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<64x96xf32>) {
    %e = tensor.empty() : tensor<64x96xf32, #out>
    %a = tw.set_encoding ins(%acc : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #out>) -> tensor<64x96xf32, #out>
    %p = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x32xf32, #lhs>, tensor<32x96xf32, #rhs>) outs(%a : tensor<64x96xf32, #out>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %r = arith.mulf %p, %q : f32
      %t = arith.addf %o, %r : f32
      linalg.yield %t : f32
    } -> tensor<64x96xf32, #out>
    %u = tw.unset_encoding ins(%p : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
    scf.yield %u : tensor<64x96xf32>
  }
  return %s : tensor<64x96xf32>
}

// Both branches unset: it is done behind them, or not at all.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<64x96xf32, #[[OUT]]>, %[[B:[a-z0-9]+]]:
// CHECK-NOT:     tw.
// CHECK:         %[[I:.*]] = scf.if %{{.*}} -> (tensor<64x96xf32, #[[OUT]]>) {
// CHECK-NEXT:      scf.yield %[[A]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[B]]
// CHECK-NEXT:    }
// CHECK-NOT:     tw.
// CHECK:         return %[[I]]
func.func @branches(%a: tensor<64x96xf32, #out>, %b: tensor<64x96xf32, #out>, %c: i1) -> tensor<64x96xf32, #out> {
  %d = tensor.empty() : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32, #out>
  %i = scf.if %c -> (tensor<64x96xf32>) {
    %x = tw.unset_encoding ins(%a : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
    scf.yield %x : tensor<64x96xf32>
  } else {
    %y = tw.unset_encoding ins(%b : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
    scf.yield %y : tensor<64x96xf32>
  }
  %s = tw.set_encoding ins(%i : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #out>) -> tensor<64x96xf32, #out>
  return %s : tensor<64x96xf32, #out>
}

// A sum that is wanted as it lies in each iteration, too: what is unset there is still less.
// CHECK-LABEL: func.func @while(
// CHECK:         %{{.*}}:2 = scf.while (%[[ACC:.*]] = %{{.*}}, %{{.*}}) : (tensor<64x96xf32, #[[OUT]]>, index) -> (tensor<64x96xf32, #[[OUT]]>, index) {
// CHECK:           scf.condition({{.*}}) %[[ACC]],
// CHECK:         ^bb0(%[[IN:.*]]: tensor<64x96xf32, #[[OUT]]>,
// CHECK:           scf.yield %[[IN]],
// CHECK:         tw.unset_encoding
func.func @while(%a: tensor<64x96xf32, #out>, %n: index) -> tensor<64x96xf32> {
  %c1 = arith.constant 1 : index
  %d = tensor.empty() : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32, #out>
  %x = tw.unset_encoding ins(%a : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
  %r:2 = scf.while (%acc = %x, %i = %c1) : (tensor<64x96xf32>, index) -> (tensor<64x96xf32>, index) {
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %acc, %i : tensor<64x96xf32>, index
  } do {
  ^bb0(%acc: tensor<64x96xf32>, %i: index):
    %s = tw.set_encoding ins(%acc : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #out>) -> tensor<64x96xf32, #out>
    %u = tw.unset_encoding ins(%s : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %u, %j : tensor<64x96xf32>, index
  }
  return %r#0 : tensor<64x96xf32>
}

// All that call it have it in tiles.
// CHECK-LABEL: func.func private @callee(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<64x96xf32, #[[OUT]]>) -> tensor<64x96xf32, #[[OUT]]>
// CHECK-NOT:     tw.set
// CHECK-NOT:     tw.unset
// CHECK:         return %[[X]]
func.func private @callee(%x: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %d = tensor.empty() : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32, #out>
  %s = tw.set_encoding ins(%x : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #out>) -> tensor<64x96xf32, #out>
  %u = tw.unset_encoding ins(%s : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %u : tensor<64x96xf32>
}
// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    %[[A:[a-z0-9]+]]:
// CHECK:         %[[C:.*]] = call @callee(%[[A]])
// CHECK:         call @callee(%[[C]])
// CHECK:         tw.unset_encoding
// CHECK-NEXT:    return
func.func @caller(%a: tensor<64x96xf32, #out>) -> tensor<64x96xf32> {
  %d = tensor.empty() : tensor<64x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
  %b = call @callee(%x) : (tensor<64x96xf32>) -> tensor<64x96xf32>
  %c = call @callee(%b) : (tensor<64x96xf32>) -> tensor<64x96xf32>
  return %c : tensor<64x96xf32>
}

// What others may call keeps its types, and so does what is set once and unset once.
// CHECK-LABEL: func.func @seen(
// CHECK-SAME:    %{{.*}}: tensor<64x96xf32>) -> tensor<64x96xf32, #
func.func @seen(%x: tensor<64x96xf32>) -> tensor<64x96xf32, #out> {
  %e = tensor.empty() : tensor<64x96xf32, #out>
  %s = tw.set_encoding ins(%x : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #out>) -> tensor<64x96xf32, #out>
  return %s : tensor<64x96xf32, #out>
}
// CHECK-LABEL: func.func @calls_seen(
// CHECK:         tw.unset_encoding
// CHECK-NEXT:    call @seen(
func.func @calls_seen(%a: tensor<64x96xf32, #out>) -> tensor<64x96xf32, #out> {
  %d = tensor.empty() : tensor<64x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
  %b = call @seen(%x) : (tensor<64x96xf32>) -> tensor<64x96xf32, #out>
  return %b : tensor<64x96xf32, #out>
}

// -----

// A loop of another device does not lie as the host's encodings do.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [64, 96, 32]>
// CHECK-LABEL: func.func @loop_of_gpu(
// CHECK:         scf.for {{.*}} -> (tensor<64x96xf32>)
module attributes {tw.devices = [#tw.device<"host" = "x86_64_avx512_base", memory = host>, #tw.device<"gpu" = "amdgpu:gfx942", memory = own>]} {
func.func @loop_of_gpu(%a: tensor<64x96xf32, #out>, %n: index) -> tensor<64x96xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.empty() : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32, #out>
  %x = tw.unset_encoding ins(%a : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) {tw.device = "host"} -> tensor<64x96xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<64x96xf32>) {
    %s = tw.set_encoding ins(%acc : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #out>) {tw.device = "host"} -> tensor<64x96xf32, #out>
    %u = tw.unset_encoding ins(%s : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) {tw.device = "host"} -> tensor<64x96xf32>
    scf.yield %u : tensor<64x96xf32>
  }
  return %r : tensor<64x96xf32>
}
}
