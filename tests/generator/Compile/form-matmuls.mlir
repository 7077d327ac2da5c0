// RUN: tw-opt %s -split-input-file --pass-pipeline='builtin.module(tw-data-tiling{devices=x86_64_avx512_base},tw-fold-constant-packs,func.func(tw-form-matmuls),canonicalize,cse)' | FileCheck %s

// A constant is packed, what the call brings is not, and the result is written where it belongs.
func.func @weights(%x: tensor<24x64xf32>) -> tensor<24x96xf32> {
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<24x96xf32>) -> tensor<24x96xf32>
  %r = linalg.matmul ins(%x, %w : tensor<24x64xf32>, tensor<64x96xf32>) outs(%z : tensor<24x96xf32>) -> tensor<24x96xf32>
  return %r : tensor<24x96xf32>
}

// CHECK-DAG:     #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG:     #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG:     #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @weights(
// CHECK-SAME:      %[[X:.*]]: tensor<24x64xf32>
// CHECK-DAG:     %[[W:.*]] = arith.constant dense<2.000000e+00> : tensor<3x64x32x1xf32>
// CHECK-DAG:     %[[OUT:.*]] = tensor.empty() : tensor<24x96xf32>
// CHECK-DAG:     %[[SPACE:.*]] = tensor.empty() : tensor<{{.*}}xi8>
// CHECK-NOT:     linalg.pack
// CHECK:         %[[R:.*]]:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> overwrite rhs_packed
// CHECK-SAME:      indexing_maps = [#[[MK]], #[[NK]], #[[MN]]] ins(%[[X]], %[[W]] :
// CHECK-SAME:      outs(%[[OUT]], %[[SPACE]] :
// CHECK-NOT:     linalg.unpack
// CHECK:         return %[[R]]#0

// -----

// Both come with the call, one of them transposed; what the result goes on from is read where it lies.
#a = affine_map<(b, m, n, k) -> (b, k, m)>
#b = affine_map<(b, m, n, k) -> (b, n, k)>
#c = affine_map<(b, m, n, k) -> (m, b, n)>
func.func @batch(%x: tensor<?x7x?xf32>, %y: tensor<?x96x7xf32>, %o: tensor<?x?x96xf32>) -> tensor<?x?x96xf32> {
  %r = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%x, %y : tensor<?x7x?xf32>, tensor<?x96x7xf32>) outs(%o : tensor<?x?x96xf32>) -> tensor<?x?x96xf32>
  return %r : tensor<?x?x96xf32>
}

// CHECK-DAG:     #[[BKM:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
// CHECK-DAG:     #[[BNK:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG:     #[[MBN:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @batch(
// CHECK-SAME:      %[[X:.*]]: tensor<?x7x?xf32>, %[[Y:.*]]: tensor<?x96x7xf32>, %[[O:.*]]: tensor<?x?x96xf32>
// CHECK:         %[[SPACE:.*]] = tensor.empty() : tensor<{{.*}}xi8>
// CHECK:         tw.matmul #tw.tile<"{{.*}}"> thin indexing_maps = [#[[BKM]], #[[BNK]], #[[MBN]]] ins(%[[X]], %[[Y]] :
// CHECK-SAME:      outs(%[[O]], %[[SPACE]] :

// -----

// A rhs that many matrices are multiplied with is packed once.
#a = affine_map<(p, m, n, k) -> (m, p, k)>
#b = affine_map<(p, m, n, k) -> (k, n)>
#c = affine_map<(p, m, n, k) -> (p, m, n)>
func.func @shared(%x: tensor<?x24x64xf32>, %y: tensor<64x96xf32>, %o: tensor<24x?x96xf32>) -> tensor<24x?x96xf32> {
  %r = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%x, %y : tensor<?x24x64xf32>, tensor<64x96xf32>) outs(%o : tensor<24x?x96xf32>) -> tensor<24x?x96xf32>
  return %r : tensor<24x?x96xf32>
}

// CHECK-LABEL: func.func @shared(
// CHECK:         %[[Y:.*]] = linalg.pack {{.*}} -> tensor<3x64x32x1xf32>
// CHECK:         tw.matmul {{.*}} rhs_packed {{.*}}, %[[Y]] :

// -----

// Two dimensions of k that lie apart in one operand: packed as a whole.
#a = affine_map<(m, n, k, l) -> (k, m, l)>
#b = affine_map<(m, n, k, l) -> (n, k, l)>
#c = affine_map<(m, n, k, l) -> (m, n)>
func.func @two_k(%x: tensor<3x24x64xf32>, %y: tensor<96x3x64xf32>, %o: tensor<24x96xf32>) -> tensor<24x96xf32> {
  %r = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%x, %y : tensor<3x24x64xf32>, tensor<96x3x64xf32>) outs(%o : tensor<24x96xf32>) -> tensor<24x96xf32>
  return %r : tensor<24x96xf32>
}

// CHECK-LABEL: func.func @two_k(
// CHECK:         tw.mmt4d
// CHECK:         linalg.unpack

// -----

// A tile that rounds goes through all of K at a time, which is then known to be small.
func.func @rounds(%x: tensor<24x?xbf16>, %y: tensor<?x96xbf16>, %o: tensor<24x96xbf16>) -> tensor<24x96xbf16> {
  %r = linalg.matmul ins(%x, %y : tensor<24x?xbf16>, tensor<?x96xbf16>) outs(%o : tensor<24x96xbf16>) -> tensor<24x96xbf16>
  return %r : tensor<24x96xbf16>
}

// CHECK-LABEL: func.func @rounds(
// CHECK:         tw.mmt4d

// -----

// Of four rows and less, or of rows that are not known, a rhs that is not packed is read where it lies.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @rows(%x4: tensor<4x7xf32>, %x5: tensor<5x7xf32>, %y: tensor<7x96xf32>, %o4: tensor<4x96xf32>,
                %o5: tensor<5x96xf32>) -> (tensor<4x96xf32>, tensor<5x96xf32>, tensor<4x96xf32>) {
  %w = arith.constant dense<2.0> : tensor<7x96xf32>
  %four = linalg.matmul ins(%x4, %y : tensor<4x7xf32>, tensor<7x96xf32>) outs(%o4 : tensor<4x96xf32>) -> tensor<4x96xf32>
  %five = linalg.matmul ins(%x5, %y : tensor<5x7xf32>, tensor<7x96xf32>) outs(%o5 : tensor<5x96xf32>) -> tensor<5x96xf32>
  %packed = linalg.matmul ins(%x4, %w : tensor<4x7xf32>, tensor<7x96xf32>) outs(%o4 : tensor<4x96xf32>) -> tensor<4x96xf32>
  return %four, %five, %packed : tensor<4x96xf32>, tensor<5x96xf32>, tensor<4x96xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK:         tw.matmul #tw.tile<"{{.*}}"> thin indexing_maps
// CHECK:         tw.matmul #tw.tile<"{{.*}}"> indexing_maps
// CHECK:         tw.matmul #tw.tile<"{{.*}}"> rhs_packed indexing_maps

// -----

// Only the call knows how many rows there are: one tile for many and two for few, of the same panels. Of a rhs that comes with the call
// there is another way for few rows.
// CHECK-LABEL: func.func @rows(
// CHECK: tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> overwrite rhs_packed few_rows = [1, 4] indexing_maps
// CHECK: tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> overwrite thin indexing_maps
func.func @rows(%x: tensor<?x64xf32>, %v: tensor<64x96xf32>, %e: tensor<?x96xf32>) -> (tensor<?x96xf32>, tensor<?x96xf32>) {
  %w = arith.constant dense<2.0> : tensor<64x96xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  %s = linalg.matmul ins(%x, %v : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r, %s : tensor<?x96xf32>, tensor<?x96xf32>
}
