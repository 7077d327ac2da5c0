// RUN: tw-opt %s --tw-form-epilogues | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
#tr = affine_map<(m, n) -> (n, m)>

// Of all operands what is of the block, and only of those that it has.
// CHECK-LABEL: func.func private @bias(
// CHECK-SAME:      %{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %[[B:.*]]: memref<?xf32>, %[[O:.*]]: memref<?x?xf32>,
// CHECK:         tw.matmul
// CHECK-SAME:      epilogue @bias.epilogue(%[[B]], %[[O]] : memref<?xf32>, memref<?x?xf32>)
// CHECK-NEXT:    return
// CHECK:       func.func private @bias.epilogue(
// CHECK-SAME:      %[[B:.*]]: memref<?xf32>, %[[O:.*]]: memref<?x?xf32>, %[[M0:.*]]: i64, %[[M1:.*]]: i64, %[[N0:.*]]: i64, %[[N1:.*]]: i64)
// CHECK-SAME:      attributes {tw.epilogue}
// CHECK-DAG:     %[[MB:.*]] = arith.index_cast %[[M0]]
// CHECK-DAG:     %[[ME:.*]] = arith.index_cast %[[M1]]
// CHECK-DAG:     %[[M:.*]] = arith.subi %[[ME]], %[[MB]]
// CHECK-DAG:     %[[NB:.*]] = arith.index_cast %[[N0]]
// CHECK-DAG:     %[[NE:.*]] = arith.index_cast %[[N1]]
// CHECK-DAG:     %[[N:.*]] = arith.subi %[[NE]], %[[NB]]
// CHECK-DAG:     %[[OB:.*]] = memref.subview %[[O]][%[[MB]], %[[NB]]] [%[[M]], %[[N]]] [1, 1]
// CHECK-DAG:     %[[BB:.*]] = memref.subview %[[B]][%[[NB]]] [%[[N]]] [1]
// CHECK:         linalg.generic {{.*}} ins(%[[OB]], %[[BB]] : {{.*}}) outs(%[[OB]] :
func.func private @bias(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %b: memref<?xf32>, %o: memref<?x?xf32>, %w: memref<?xi8>)
    attributes {tw.dispatch = "matmul", tw.dispatch_type = () -> ()} {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%o, %w : memref<?x?xf32>, memref<?xi8>)
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%o, %b : memref<?x?xf32>, memref<?xf32>) outs(%o : memref<?x?xf32>) {
  ^bb0(%p: f32, %a: f32, %old: f32):
    %s = arith.addf %p, %a : f32
    linalg.yield %s : f32
  }
  return
}

// A result of another type and the other order: a block of its own.
// CHECK-LABEL: func.func private @narrow(
// CHECK:         epilogue @narrow.epilogue(
// CHECK:       func.func private @narrow.epilogue(
// CHECK-DAG:     memref.subview %[[O:.*]][%[[MB:.*]], %[[NB:.*]]] [%[[M:.*]], %[[N:.*]]] [1, 1] : memref<?x?xi32>
// CHECK-DAG:     memref.subview %[[R:.*]][%[[NB]], %[[MB]]] [%[[N]], %[[M]]] [1, 1] : memref<?x?xi8>
func.func private @narrow(%x: memref<?x?xi8>, %y: memref<?x?xi8>, %o: memref<?x?xi32>, %w: memref<?xi8>, %r: memref<?x?xi8>)
    attributes {tw.dispatch = "matmul", tw.dispatch_type = () -> ()} {
  tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x?xi8>, memref<?x?xi8>) outs(%o, %w : memref<?x?xi32>, memref<?xi8>)
  linalg.generic {indexing_maps = [#id, #tr], iterator_types = ["parallel", "parallel"]}
      ins(%o : memref<?x?xi32>) outs(%r : memref<?x?xi8>) {
  ^bb0(%p: i32, %old: i8):
    %s = arith.trunci %p : i32 to i8
    linalg.yield %s : i8
  }
  return
}

// Of a batch, the number of the matrix comes first.
// CHECK-LABEL: func.func private @batch(
// CHECK:       func.func private @batch.epilogue(
// CHECK-SAME:      %[[O:.*]]: memref<?x?x?xf32>, %[[B:[^:]*]]: i64, %[[M0:[^:]*]]: i64,
// CHECK-DAG:     %[[I:.*]] = arith.index_cast %[[B]]
// CHECK-DAG:     %[[MB:.*]] = arith.index_cast %[[M0]]
// CHECK:         memref.subview %[[O]][%[[I]], %[[MB]], %{{.*}}] [1, %{{.*}}, %{{.*}}] [1, 1, 1]
func.func private @batch(%x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>, %o: memref<?x?x?xf32>, %w: memref<?xi8>)
    attributes {tw.dispatch = "matmul", tw.dispatch_type = () -> ()} {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%x, %y : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%o, %w : memref<?x?x?xf32>, memref<?xi8>)
  linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : memref<?x?x?xf32>) outs(%o : memref<?x?x?xf32>) {
  ^bb0(%p: f32, %old: f32):
    %s = math.absf %p : f32
    linalg.yield %s : f32
  }
  return
}

// Rows that two loops number are one dimension.
// CHECK-LABEL: func.func private @windows(
// CHECK:       func.func private @windows.epilogue(
// CHECK:         %[[C:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : memref<?x?x?xf32> into memref<?x?xf32>
// CHECK:         memref.subview %[[C]][
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
func.func private @windows(%x: memref<?x?x?xf32>, %y: memref<?x3x3x?x8x1xf32>, %o: memref<?x?x?xf32>, %w: memref<?xi8>)
    attributes {tw.dispatch = "matmul", tw.dispatch_type = () -> ()} {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite rhs_packed m_loops = 2 k_loops = 3
      indexing_maps = [affine_map<(h, w, n, i, j, c) -> (h + i, w + j, c)>, affine_map<(h, w, n, i, j, c) -> (n, i, j, c)>, affine_map<(h, w, n, i, j, c) -> (h, w, n)>]
      ins(%x, %y : memref<?x?x?xf32>, memref<?x3x3x?x8x1xf32>) outs(%o, %w : memref<?x?x?xf32>, memref<?xi8>)
  linalg.generic {indexing_maps = [affine_map<(h, w, n) -> (h, w, n)>, affine_map<(h, w, n) -> (h, w, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o : memref<?x?x?xf32>) outs(%o : memref<?x?x?xf32>) {
  ^bb0(%p: f32, %old: f32):
    %s = math.absf %p : f32
    linalg.yield %s : f32
  }
  return
}

// What the multiplication still reads is not written before its end.
// CHECK-LABEL: func.func private @over_lhs(
// CHECK:         tw.matmul
// CHECK-NOT:     epilogue
// CHECK:         linalg.generic
func.func private @over_lhs(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %o: memref<?x?xf32>, %w: memref<?xi8>)
    attributes {tw.dispatch = "matmul", tw.dispatch_type = () -> ()} {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%o, %w : memref<?x?xf32>, memref<?xi8>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%o : memref<?x?xf32>) outs(%x : memref<?x?xf32>) {
  ^bb0(%p: f32, %old: f32):
    linalg.yield %p : f32
  }
  return
}

// Nor is all of the product read for a block.
// CHECK-LABEL: func.func private @turned(
// CHECK:         tw.matmul
// CHECK-NOT:     epilogue
// CHECK:         linalg.generic
func.func private @turned(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %o: memref<?x?xf32>, %w: memref<?xi8>, %r: memref<?x?xf32>)
    attributes {tw.dispatch = "matmul", tw.dispatch_type = () -> ()} {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%o, %w : memref<?x?xf32>, memref<?xi8>)
  linalg.generic {indexing_maps = [#id, #tr, #id], iterator_types = ["parallel", "parallel"]}
      ins(%o, %o : memref<?x?xf32>, memref<?x?xf32>) outs(%r : memref<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  }
  return
}
