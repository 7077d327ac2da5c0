// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-vectorize-loops="vector-bytes=64 masks" --cse | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

// Row by row: sums are one element each, and what lies between a row. Exponentials are summed up where they are
// computed; only then is the sum's start written where the maximum was, which they read.
// CHECK-LABEL: @softmax
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x?xf32>, %[[Y:[^:]*]]: memref<?x?xf32>, %[[M:[^:]*]]: index, %[[N:[^:]*]]: index
// CHECK:         %[[SUM:.*]] = memref.alloc() : memref<f32>
// CHECK:         %[[ROW:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK:         memref.reinterpret_cast %[[ROW]] to offset: [0], sizes: [%[[M]], %[[N]]], strides: [0, 1]
// CHECK:         scf.for
// CHECK:           memref.store %{{.*}}[%{{.*}}] : memref<?xf32, strided<[0]>>
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             arith.maximumf
// CHECK:           scf.for {{.*}} iter_args
// CHECK-COUNT-4:     %{{.*}} = math.exp
// CHECK-NOT:         vector.load %{{.*}}strided<[0, 1]>
// CHECK-COUNT-4:     arith.addf
// CHECK:             scf.yield
// CHECK:           scf.if
// CHECK:             %[[LAST:.*]] = math.exp
// CHECK:             vector.maskedstore %{{.*}}, %{{.*}}, %[[LAST]]
// CHECK:             %[[SUMMED:.*]] = arith.addf %{{.*}}, %[[LAST]]
// CHECK:             arith.select %{{.*}}, %[[SUMMED]]
// CHECK:           memref.store %{{.*}}[%{{.*}}] : memref<?xf32, strided<[0]>>
// CHECK-NOT:       math.exp
// CHECK:           scf.for
// CHECK:             vector.load %{{.*}}strided<[0, 1]>
// CHECK:             arith.divf
// CHECK:             vector.store %{{.*}}, %[[Y]]
// CHECK:         memref.dealloc %[[ROW]]
func.func @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc(%m) : memref<?xf32>
  %e = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.fill ins(%low : f32) outs(%s : memref<?xf32>)
  linalg.reduce { arith.maximumf } ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x?xf32>, memref<?xf32>) outs(%e : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%e : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  }
  memref.dealloc %s : memref<?xf32>
  memref.dealloc %e : memref<?x?xf32>
  return
}

// Sums down the columns need all rows.
// CHECK-LABEL: @columns
// CHECK:         memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf32>
// CHECK-NOT:     memref.reinterpret_cast
// CHECK:         return
func.func @columns(%x: memref<?x?xf32>, %y: memref<?xf32>, %m: index, %n: index) {
  %e = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.exp ins(%x : memref<?x?xf32>) outs(%e : memref<?x?xf32>)
  linalg.reduce { arith.addf } ins(%e : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [0]
  memref.dealloc %e : memref<?x?xf32>
  return
}

// What is read transposed is of other rows.
// CHECK-LABEL: @transposed
// CHECK-NOT:     memref.reinterpret_cast
// CHECK:         math.exp
// CHECK:         math.log
// CHECK:         return
func.func @transposed(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index) {
  %e = memref.alloc(%m, %m) : memref<?x?xf32>
  linalg.exp ins(%x : memref<?x?xf32>) outs(%e : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%e : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  }
  memref.dealloc %e : memref<?x?xf32>
  return
}

// Short operations by themselves keep their vectors.
// CHECK-LABEL: @vectors
// CHECK:         math.exp {{.*}} vector<16xf32>
// CHECK:         math.log {{.*}} vector<16xf32>
func.func @vectors(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  linalg.log ins(%y : memref<?xf32>) outs(%z : memref<?xf32>)
  return
}

// Rows that something else reads stay.
// CHECK-LABEL: @escapes
// CHECK-NOT:     reinterpret_cast
// CHECK:         return
func.func @escapes(%x: memref<?x?xf32>, %s: memref<?xf32>, %m: index, %n: index) -> memref<?x?xf32> {
  %e = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.exp ins(%x : memref<?x?xf32>) outs(%e : memref<?x?xf32>)
  linalg.reduce { arith.addf } ins(%e : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [1]
  return %e : memref<?x?xf32>
}

// Lanes that do not go over the last dimension find it as it was.
// CHECK-LABEL: @last
// CHECK-NOT:     reinterpret_cast
// CHECK:         arith.addf
// CHECK:         return
func.func @last(%x: memref<?x?x1xf32>, %y: memref<?x1xf32>, %m: index, %n: index) {
  %e = memref.alloc(%m, %n) : memref<?x?x1xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<?x?x1xf32>) outs(%e : memref<?x?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  }
  linalg.reduce { arith.addf } ins(%e : memref<?x?x1xf32>) outs(%y : memref<?x1xf32>) dimensions = [1]
  memref.dealloc %e : memref<?x?x1xf32>
  return
}

// What lies between, as a loop over the same row, keeps both apart.
// CHECK-LABEL: @between
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             math.exp
// CHECK-NOT:         iter_args
// CHECK:             math.log
// CHECK:           scf.for {{.*}} iter_args
// CHECK-COUNT-4:     vector.load %{{.*}}strided<[0, 1]>
// CHECK:             arith.addf {{.*}} vector<16xf32>
func.func @between(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %s: memref<?xf32>, %m: index, %n: index) {
  %e = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.exp ins(%x : memref<?x?xf32>) outs(%e : memref<?x?xf32>)
  linalg.log ins(%e : memref<?x?xf32>) outs(%w : memref<?x?xf32>)
  linalg.reduce { arith.addf } ins(%e : memref<?x?xf32>) outs(%s : memref<?xf32>) dimensions = [1]
  memref.dealloc %e : memref<?x?xf32>
  return
}

// What fills the sum's start must not be what it sums up.
// CHECK-LABEL: @filledBetween
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             math.exp
// CHECK-NOT:         arith.addf
// CHECK:           memref.store
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             memref.load
// CHECK:             arith.addf
func.func @filledBetween(%x: memref<?x?xf32>, %e: memref<?x?xf32>, %s: memref<?xf32>, %t: memref<?xf32>) {
  linalg.exp ins(%x : memref<?x?xf32>) outs(%e : memref<?x?xf32>)
  linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%t : memref<?xf32>) {
  ^bb0(%o: f32):
    %two = arith.constant 2.0 : f32
    linalg.yield %two : f32
  }
  linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%e, %t : memref<?x?xf32>, memref<?xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  }
  return
}

// Nor are vectors of other lengths taken up.
// CHECK-LABEL: @lengths
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:         iter_args
// CHECK:             vector.store {{.*}} vector<64xi8>
// CHECK:           scf.for {{.*}} iter_args
// CHECK-NOT:         vector<64xi8>
// CHECK:             vector.load {{.*}} vector<16xi8>
func.func @lengths(%x: memref<?x?xi8>, %e: memref<?x?xi8>, %s: memref<?xi32>) {
  linalg.add ins(%x, %x : memref<?x?xi8>, memref<?x?xi8>) outs(%e : memref<?x?xi8>)
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%e : memref<?x?xi8>) outs(%s : memref<?xi32>) {
  ^bb0(%a: i8, %o: i32):
    %p = arith.extsi %a : i8 to i32
    %r = arith.addi %p, %o : i32
    linalg.yield %r : i32
  }
  return
}

// Nor are other elements than those just stored.
// CHECK-LABEL: @everyOther
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:         iter_args
// CHECK:             math.exp
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             vector.gather
func.func @everyOther(%x: memref<?x64xf32>, %e: memref<?x64xf32>, %w: memref<?x32xf32>, %s: memref<?xf32>) {
  linalg.exp ins(%x : memref<?x64xf32>) outs(%e : memref<?x64xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j * 2)>, #all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%e, %w : memref<?x64xf32>, memref<?x32xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  }
  return
}
