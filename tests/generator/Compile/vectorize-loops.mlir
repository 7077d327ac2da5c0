// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-vectorize-loops="vector-bytes=64 masks" --cse | FileCheck %s
// RUN: tw-opt %s --tw-vectorize-loops="vector-bytes=16" --cse | FileCheck %s --check-prefix=NARROW
// RUN: tw-opt %s --tw-vectorize-loops="vector-bytes=64 masks" --canonicalize --cse | FileCheck %s --check-prefix=SHARED

// Two loops of rows without gaps are one; the rest is masked lanes, or scalars.
// CHECK-LABEL: @elementwise
// CHECK:         memref.collapse_shape
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:           vector.load {{.*}} vector<16xf32>
// CHECK:           math.exp {{.*}} vector<16xf32>
// CHECK:           vector.store
// CHECK:         scf.if
// CHECK:           vector.create_mask
// CHECK:           vector.maskedload
// CHECK:           vector.maskedstore
// NARROW-LABEL: @elementwise
// NARROW:         math.exp {{.*}} vector<4xf32>
// NARROW:         scf.for
// NARROW:           memref.load
// NARROW:           math.exp {{.*}} : f32
func.func @elementwise(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.exp ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// Whole vectors leave no rest.
// CHECK-LABEL: @whole
// CHECK-NOT:     mask
// CHECK:         return
func.func @whole(%x: memref<4x16xf32>, %y: memref<4x16xf32>) {
  linalg.exp ins(%x : memref<4x16xf32>) outs(%y : memref<4x16xf32>)
  return
}

// What is the same in all lanes stays scalar until it meets one that is not.
// CHECK-LABEL: @broadcast
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           scf.for
// CHECK:             %[[X:.*]] = vector.load
// CHECK:             %[[S:.*]] = memref.load %{{.*}}[%[[ROW]]]
// CHECK:             vector.broadcast %[[S]]
#rows = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @broadcast(%x: memref<?x?xf32>, %s: memref<?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  }
  return
}

// Four sums side by side, put together at the end.
// CHECK-LABEL: @along_rows
// CHECK-DAG:     %[[NONE:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[NONE]], %{{.*}} = %[[NONE]], %{{.*}} = %[[NONE]], %{{.*}} = %[[NONE]])
// CHECK-COUNT-4:     arith.addf {{.*}} vector<16xf32>
// CHECK:           scf.for {{.*}} iter_args(
// CHECK:           scf.if
// CHECK:             arith.select
// CHECK-COUNT-4:   vector.shuffle
func.func @along_rows(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [1]
  return
}

// Read in order: each row is added to all results.
// CHECK-LABEL: @along_columns
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             vector.load %[[SUMS:.*]][%{{.*}}] : memref<?xf32>
// CHECK:             vector.load %{{.*}} memref<?x?xf32>
// CHECK:             %[[S:.*]] = arith.addf
// CHECK:             vector.store %[[S]], %[[SUMS]]
func.func @along_columns(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [0]
  return
}

// Results of a convolution stay in registers.
// CHECK-LABEL: @convolution
// CHECK:         %[[SUMS:.*]]:4 = scf.for {{.*}} iter_args
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             scf.for {{.*}} iter_args
// CHECK:         vector.store %[[SUMS]]#0
func.func @convolution(%x: memref<1x8x8x3xf32>, %k: memref<3x3x3x64xf32>, %y: memref<1x6x6x64xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%x, %k : memref<1x8x8x3xf32>, memref<3x3x3x64xf32>)
      outs(%y : memref<1x6x6x64xf32>)
  return
}

// Four windows side by side in each of two rows, written out: what they share is read once, 4 x 6 places and 3 x 3 weights.
// The two that are left of a row are written out by themselves.
// CHECK-LABEL: @depthwise
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c6{{.*}} step %c2
// CHECK:         scf.for %[[W:.*]] = %{{.*}} to %{{.*}} step %c4
// CHECK:           scf.for
// CHECK-NOT:         scf.for
// CHECK-COUNT-72:    arith.addf {{.*}} vector<16xf32>
// CHECK-NOT:         arith.addf {{.*}} vector
// CHECK-COUNT-8:     vector.store
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-18:    arith.addf {{.*}} vector<16xf32>
// CHECK-NOT:         arith.addf {{.*}} vector
// CHECK-COUNT-2:     vector.store
// CHECK-NOT:     arith.addf {{.*}} vector
// SHARED-LABEL: @depthwise
// SHARED-COUNT-8:  vector.load {{.*}} memref<1x6x6x64xf32>
// SHARED-COUNT-33: vector.load
// SHARED-NOT:      vector.load
// SHARED:          vector.store
func.func @depthwise(%x: memref<1x8x8x64xf32>, %k: memref<3x3x64xf32>, %y: memref<1x6x6x64xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : memref<1x8x8x64xf32>, memref<3x3x64xf32>)
      outs(%y : memref<1x6x6x64xf32>)
  return
}

// Of an odd number of rows the last one is by itself.
// CHECK-LABEL: @depthwise_odd
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to %c5{{.*}} step %c2
// CHECK:         %[[NEXT:.*]] = arith.addi %[[ROW]], %c1
// CHECK:         %[[IS:.*]] = arith.cmpi slt, %[[NEXT]], %c5
// CHECK:         scf.if %[[IS]]
// CHECK-COUNT-72:    arith.addf {{.*}} vector<16xf32>
// CHECK-NOT:         arith.addf {{.*}} vector
// CHECK-COUNT-8:     vector.store
// CHECK:         else
// CHECK-COUNT-36:    arith.addf {{.*}} vector<16xf32>
// CHECK-NOT:         arith.addf {{.*}} vector
// CHECK-COUNT-4:     vector.store
func.func @depthwise_odd(%x: memref<1x7x6x64xf32>, %k: memref<3x3x64xf32>, %y: memref<1x5x4x64xf32>) {
  linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : memref<1x7x6x64xf32>, memref<3x3x64xf32>)
      outs(%y : memref<1x5x4x64xf32>)
  return
}

// An index that goes with the lane reads a vector; one that was read gathers.
// CHECK-LABEL: @indexed
// CHECK:         %[[I:.*]] = arith.addi
// CHECK:         %[[WHICH:.*]] = vector.load %{{.*}}[%[[I]]] : memref<?xindex>
// CHECK:         vector.gather {{.*}} into vector<16xf32>
func.func @indexed(%table: memref<?xf32>, %which: memref<?xindex>, %y: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%y : memref<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %next = arith.addi %i, %c1 : index
    %at = memref.load %which[%next] : memref<?xindex>
    %r = memref.load %table[%at] : memref<?xf32>
    linalg.yield %r : f32
  }
  return
}

// Of branches that lanes take apart, loads are masked.
// CHECK-LABEL: @padded
// CHECK-NOT:     scf.if {{.*}} -> (f32)
// CHECK:         %[[IN:.*]] = arith.cmpi ult
// CHECK:         vector.maskedload {{.*}}, %[[IN]]
// CHECK:         arith.select %[[IN]]
func.func @padded(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%y : memref<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %inside = arith.cmpi ult, %i, %n : index
    %r = scf.if %inside -> f32 {
      %v = memref.load %x[%i] : memref<?xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %r : f32
  }
  return
}

// Lanes without an element would divide by zero.
// CHECK-LABEL: @divided
// CHECK-NOT:     create_mask
// CHECK:         arith.remsi {{.*}} : i32
// CHECK:         return
func.func @divided(%x: memref<?xi32>, %y: memref<?xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xi32>) outs(%y : memref<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.remsi %b, %a : i32
    linalg.yield %r : i32
  }
  return
}

// What may not be put together in any order is done for several results at a
// time.
// CHECK-LABEL: @in_order
// CHECK:         vector.gather {{.*}} into vector<16xf32>
// CHECK:         arith.subf {{.*}} vector<16xf32>
func.func @in_order(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.reduce ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %r = arith.subf %a, %b : f32
      linalg.yield %r : f32
    }
  return
}

// Parts of 16 rows are put together, transposed in registers to a tile of 16 x 64, and read from there like any other operand.
// CHECK-LABEL: @transposed
// CHECK-NOT:     vector.gather
// CHECK:         %[[TILE:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x64xf32>
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %c16
// CHECK:           scf.for %{{.*}} = %c0 to %{{.*}} step %c64
// CHECK:             memref.prefetch {{.*}}, write
// CHECK:             memref.prefetch {{.*}}, read
// CHECK-COUNT-4:     vector.load {{.*}} vector<4xf32>
// CHECK:             vector.shuffle {{.*}} vector<8xf32>, vector<8xf32>
// CHECK:             vector.shuffle {{.*}} [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29] : vector<16xf32>
// CHECK:             vector.store {{.*}}, %[[TILE]]
// CHECK:             vector.load %[[TILE]]
// CHECK:             math.exp {{.*}} vector<16xf32>
// CHECK:             vector.store
// CHECK:         return
// NARROW-LABEL: @transposed
// NARROW-NOT:    vector.gather
// NARROW:        memref.alloca() {alignment = 64 : i64} : memref<16x16xf32>
// NARROW:        vector.shuffle {{.*}} [0, 4, 1, 5] : vector<4xf32>
// NARROW:        return
func.func @transposed(%x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<?x?x?xf32>) outs(%y : memref<?x?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  }
  return
}

// Behind the lanes there may be dimensions of one element.
// CHECK-LABEL: @before_one
// CHECK-NOT:     vector.scatter
// CHECK:         vector.load {{.*}} memref<?xf32>, vector<16xf32>
// CHECK:         vector.store {{.*}} memref<?x?x1xf32>, vector<16xf32>
// CHECK-NOT:     vector.scatter
// CHECK:         return
func.func @before_one(%x: memref<?xf32>, %y: memref<?x?x1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?x?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// Truth values are bytes in memory, and bits in vectors.
// CHECK-LABEL: @booleans
// CHECK:         %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} : memref<?xi1> to memref<?xi8>
// CHECK:         vector.load %[[X]]{{.*}} memref<?xi8>, vector<64xi8>
// CHECK:         arith.trunci {{.*}} to vector<64xi1>
// CHECK:         arith.ori {{.*}} vector<64xi1>
// CHECK:         arith.extui {{.*}} to vector<64xi8>
// CHECK:         vector.store {{.*}} memref<?xi8>, vector<64xi8>
func.func @booleans(%x: memref<?xi1>, %y: memref<?xi1>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xi1>) outs(%y : memref<?xi1>) {
  ^bb0(%a: i1, %b: i1):
    %r = arith.ori %a, %b : i1
    linalg.yield %r : i1
  }
  return
}

// Left to the plain loops: a loop in the body.
// CHECK-LABEL: @looped
// CHECK:         linalg.generic
func.func @looped(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a) -> f32 {
      %q = arith.mulf %p, %p : f32
      scf.yield %q : f32
    }
    linalg.yield %r : f32
  }
  return
}

// What an operation goes on from, if it was filled in just before, is never written: neighbouring windows begin with it in registers.
// CHECK-LABEL: func.func @filled(
// CHECK-SAME:      %{{.*}}, %{{.*}}, %[[O:[^:]*]]: memref<?x6x16xf32>, %[[S:.*]]: f32
// CHECK-NOT:     vector.store
// CHECK:         %[[START:.*]] = vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK-NOT:     vector.load %[[O]]
// CHECK:         arith.addf
// CHECK:         vector.store {{.*}} %[[O]]
// CHECK-NOT:     vector.load %[[O]]
// CHECK:         return
func.func @filled(%x: memref<?x8x16xf32>, %k: memref<3x16xf32>, %o: memref<?x6x16xf32>, %s: f32) {
  linalg.fill ins(%s : f32) outs(%o : memref<?x6x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(n, w, c, i) -> (n, w + i, c)>, affine_map<(n, w, c, i) -> (i, c)>,
                                   affine_map<(n, w, c, i) -> (n, w, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %k : memref<?x8x16xf32>, memref<3x16xf32>) outs(%o : memref<?x6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %c, %p : f32
    linalg.yield %q : f32
  }
  return
}
