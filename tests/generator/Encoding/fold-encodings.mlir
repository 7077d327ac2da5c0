// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --allow-unregistered-dialect --tw-fold-encodings | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: tw-opt %s --split-input-file --allow-unregistered-dialect --tw-fold-encodings=host-packs-blocks | FileCheck %s --check-prefixes=CHECK,BLOCKS

#a = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>
#b = #tw.encoding<rhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [5, ?, ?]>

// The same encoding: as if it had never been unset. Where the host packs block
// by block nothing is gained.
// CHECK-LABEL: func.func @same(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<?x64xf32, #{{.*}}>,
// WHOLE-NEXT:    return %[[X]]
// BLOCKS:        tw.unset_encoding
// BLOCKS:        tw.set_encoding
func.func @same(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a> {
  %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  return %1 : tensor<?x64xf32, #a>
}

// Another one: laid out anew at once.
// CHECK-LABEL: func.func @other(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<?x64xf32, #[[A:.*]]>, %{{.*}}: tensor<?x64xf32>, %[[E:.*]]: tensor<?x64xf32, #[[B:.*]]>)
// WHOLE-NEXT:    %[[R:.*]] = tw.relayout ins(%[[X]] : tensor<?x64xf32, #[[A]]>) outs(%[[E]] : tensor<?x64xf32, #[[B]]>)
// WHOLE-NEXT:    return %[[R]]
// BLOCKS-NOT:    tw.relayout
func.func @other(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #b>) -> tensor<?x64xf32, #b> {
  %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #b>) -> tensor<?x64xf32, #b>
  return %1 : tensor<?x64xf32, #b>
}

// Who takes it without an encoding still gets it; what knows other sizes is
// another type.
// CHECK-LABEL: func.func @used(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<?x64xf32, #{{.*}}>,
// CHECK:         %[[U:.*]] = tw.unset_encoding
// WHOLE-NEXT:    %[[R:.*]] = tw.relayout ins(%[[X]] :
// WHOLE-NEXT:    return %[[U]], %[[R]]
func.func @used(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<4x64xf32, #a>) -> (tensor<?x64xf32>, tensor<4x64xf32, #a>) {
  %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<4x64xf32, #a>) -> tensor<4x64xf32, #a>
  return %0, %1 : tensor<?x64xf32>, tensor<4x64xf32, #a>
}

// Who writes what comes of it where it was unset to, or asks how large it is,
// reads nothing of it.
// CHECK-LABEL: func.func @written_over(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<?x64xf32, #{{.*}}>, %[[D:[a-z0-9]*]]: tensor<?x64xf32>,
// WHOLE:         %[[M:.*]] = tensor.dim %[[D]],
// WHOLE-NEXT:    %[[R:.*]] = tw.relayout ins(%[[X]] :
// WHOLE-NEXT:    %[[U:.*]] = tw.unset_encoding ins(%[[R]] : {{.*}}) outs(%[[D]] :
// WHOLE-NEXT:    return %[[U]], %[[M]]
func.func @written_over(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #b>) -> (tensor<?x64xf32>, index) {
  %c0 = arith.constant 0 : index
  %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %m = tensor.dim %0, %c0 : tensor<?x64xf32>
  %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #b>) -> tensor<?x64xf32, #b>
  %2 = tw.unset_encoding ins(%1 : tensor<?x64xf32, #b>) outs(%0 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %2, %m : tensor<?x64xf32>, index
}

// Used in between, it is not what was unset.
// CHECK-LABEL: func.func @between(
// CHECK:         tw.unset_encoding
// CHECK:         linalg.exp
// CHECK:         tw.set_encoding
func.func @between(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a> {
  %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = linalg.exp ins(%0 : tensor<?x64xf32>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %2 = tw.set_encoding ins(%1 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  return %2 : tensor<?x64xf32, #a>
}

// All that are set of it; what is unset of one that was folded, in turn.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<?x64xf32, #{{.*}}>, %{{.*}}: tensor<?x64xf32>, %[[E:.*]]: tensor<?x64xf32, #{{.*}}>)
// WHOLE-NOT:     tw.set_encoding
// WHOLE-NOT:     tw.unset_encoding
// WHOLE:         return %[[X]], %[[X]], %[[X]]
func.func @chain(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #a>) -> (tensor<?x64xf32, #a>, tensor<?x64xf32, #a>, tensor<?x64xf32, #a>) {
  %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  %2 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  %3 = tw.unset_encoding ins(%1 : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %4 = tw.set_encoding ins(%3 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  return %1, %2, %4 : tensor<?x64xf32, #a>, tensor<?x64xf32, #a>, tensor<?x64xf32, #a>
}

// Behind a loop's entry; what a loop hands on is not what was unset.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<?x64xf32, #{{.*}}>,
// WHOLE:         %[[U:.*]] = tw.unset_encoding
// WHOLE:         scf.for {{.*}} iter_args(%[[Y:.*]] = %[[U]])
// WHOLE-NEXT:      %[[S:.*]] = tw.set_encoding ins(%[[Y]] :
// WHOLE-NEXT:      "test.use"(%[[X]], %[[S]])
func.func @loop(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #a>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %0) -> tensor<?x64xf32> {
    %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
    %2 = tw.set_encoding ins(%y : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
    "test.use"(%1, %2) : (tensor<?x64xf32, #a>, tensor<?x64xf32, #a>) -> ()
    scf.yield %y : tensor<?x64xf32>
  }
  return %r : tensor<?x64xf32>
}

// A cast, a view or a part in between is another tensor.
// CHECK-LABEL: func.func @moved(
// CHECK-COUNT-2: tw.unset_encoding
// CHECK-COUNT-2: tw.set_encoding
// CHECK:         return
#c = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 96, 64]>
func.func @moved(%x: tensor<?x64xf32, #a>, %z: tensor<8x64xf32, #a>, %d: tensor<?x64xf32>, %f: tensor<8x64xf32>, %e: tensor<4x64xf32, #c>) -> (tensor<4x64xf32, #c>, tensor<4x64xf32, #c>) {
  %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = tw.unset_encoding ins(%z : tensor<8x64xf32, #a>) outs(%f : tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = tensor.cast %0 : tensor<?x64xf32> to tensor<4x64xf32>
  %3 = tensor.extract_slice %1[4, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
  %4 = tw.set_encoding ins(%2 : tensor<4x64xf32>) outs(%e : tensor<4x64xf32, #c>) -> tensor<4x64xf32, #c>
  %5 = tw.set_encoding ins(%3 : tensor<4x64xf32>) outs(%e : tensor<4x64xf32, #c>) -> tensor<4x64xf32, #c>
  return %4, %5 : tensor<4x64xf32, #c>, tensor<4x64xf32, #c>
}

// What has dimensions of its own is another encoding; so is a layout.
// CHECK-LABEL: func.func @related(
// WHOLE:         tw.relayout {{.*}} -> tensor<?x64xf32, #{{.*}}>
// WHOLE:         tw.relayout {{.*}} -> tensor<?x64xf32, #{{.*}}>
// WHOLE-NOT:     tw.unset_encoding
#own = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64], dims = [*, 1]>
#panels = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 1]>
func.func @related(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #own>, %f: tensor<?x64xf32, #panels>) -> (tensor<?x64xf32, #own>, tensor<?x64xf32, #panels>) {
  %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #own>) -> tensor<?x64xf32, #own>
  %2 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%f : tensor<?x64xf32, #panels>) -> tensor<?x64xf32, #panels>
  return %1, %2 : tensor<?x64xf32, #own>, tensor<?x64xf32, #panels>
}

// -----

#a = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>

// So it is between two CPUs, where each packs blocks, or neither.
module attributes {tw.devices = [#tw.device<"a" = "x86_64_avx512_base", memory = host>, #tw.device<"b" = "x86_64_avx2_fma", memory = host>]} {
  // CHECK-LABEL: func.func @between_cpus(
  // WHOLE-NEXT:    tw.relayout {{.*}} {tw.device = "b"}
  // WHOLE-NEXT:    return
  // BLOCKS-NEXT:   tw.unset_encoding {{.*}} {tw.device = "a"}
  // BLOCKS-NEXT:   tw.set_encoding {{.*}} {tw.device = "b"}
  func.func @between_cpus(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a> {
    %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) {tw.device = "a"} -> tensor<?x64xf32>
    %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) {tw.device = "b"} -> tensor<?x64xf32, #a>
    return %1 : tensor<?x64xf32, #a>
  }
}

// -----

#a = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>

// From one device to another the same encoding may be another layout; that it
// is laid out anew is the second one's work. A host that packs block by block
// has it row-major, whichever side of it the GPU is; a GPU packs no blocks.
module attributes {tw.devices = [#tw.device<"cpu" = "generic", memory = host>, #tw.device<"gpu" = "amdgpu:gfx942", memory = own>]} {
  // CHECK-LABEL: func.func @across(
  // WHOLE-NEXT:    tw.relayout {{.*}} {tw.device = "gpu"}
  // BLOCKS-NEXT:   tw.unset_encoding {{.*}} {tw.device = "cpu"}
  // BLOCKS-NEXT:   tw.set_encoding {{.*}} {tw.device = "gpu"}
  func.func @across(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a> {
    %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) {tw.device = "cpu"} -> tensor<?x64xf32>
    %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) {tw.device = "gpu"} -> tensor<?x64xf32, #a>
    return %1 : tensor<?x64xf32, #a>
  }

  // CHECK-LABEL: func.func @back(
  // WHOLE-NEXT:    tw.relayout {{.*}} {tw.device = "cpu"}
  // BLOCKS-NEXT:   tw.unset_encoding {{.*}} {tw.device = "gpu"}
  // BLOCKS-NEXT:   tw.set_encoding {{.*}} {tw.device = "cpu"}
  func.func @back(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a> {
    %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) {tw.device = "gpu"} -> tensor<?x64xf32>
    %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) {tw.device = "cpu"} -> tensor<?x64xf32, #a>
    return %1 : tensor<?x64xf32, #a>
  }

  // CHECK-LABEL: func.func @on_device(
  // CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<?x64xf32, #{{.*}}>,
  // CHECK-NEXT:    return %[[X]]
  func.func @on_device(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32>, %e: tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a> {
    %0 = tw.unset_encoding ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32>) {tw.device = "gpu"} -> tensor<?x64xf32>
    %1 = tw.set_encoding ins(%0 : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #a>) {tw.device = "gpu"} -> tensor<?x64xf32, #a>
    return %1 : tensor<?x64xf32, #a>
  }
}
