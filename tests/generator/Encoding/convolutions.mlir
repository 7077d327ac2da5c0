// RUN: tw-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(tw-assign-devices{devices=x86_64_avx512_base},func.func(tw-set-encodings{convolutions},tw-verify-encodings,canonicalize,cse,tw-specialize-encodings{host-packs-blocks},tw-verify-encodings,tw-materialize-encodings,canonicalize,cse))' | FileCheck %s

// Rows are places of the windows, columns their elements; those of a line of a window are one loop.
func.func @nhwc(%x: tensor<2x30x58x64xf32>, %w: tensor<3x3x64x96xf32>) -> tensor<2x28x56x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x28x56x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x28x56x96xf32>) -> tensor<2x28x56x96xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x30x58x64xf32>, tensor<3x3x64x96xf32>) outs(%z : tensor<2x28x56x96xf32>) -> tensor<2x28x56x96xf32>
  return %r : tensor<2x28x56x96xf32>
}

// CHECK-DAG:     #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 * 64 + d5)>
// CHECK-DAG:     #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>
// CHECK-DAG:     #[[O:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @nhwc(
// CHECK-DAG:     %[[X1:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1], [2, 3]] : tensor<2x30x58x64xf32> into tensor<2x30x3712xf32>
// CHECK-DAG:     %[[W1:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2], [3]] : tensor<3x3x64x96xf32> into tensor<3x192x96xf32>
// CHECK:         %[[P:.*]] = linalg.pack %[[W1]] outer_dims_perm = [2, 0, 1] inner_dims_pos = [2, 1] inner_tiles = [32, 1]
// CHECK-SAME:      tensor<3x192x96xf32> -> tensor<3x3x192x32x1xf32>
// CHECK:         tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> overwrite rhs_packed m_loops = 3 k_loops = 2 k_size = 192
// CHECK-SAME:      indexing_maps = [#[[X]], #[[W]], #[[O]]] ins(%[[X1]], %[[P]] :

// -----

// Channels that come first are columns by themselves, and images a loop: each is written transposed. Sizes are those of the call, and
// what the result goes on from is read. A tile's step of 2 columns is filled up with zeros by the pack.
func.func @nchw(%x: tensor<?x?x?x?xbf16>, %w: tensor<?x?x3x5xbf16>, %o: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<[1, 3]> : tensor<2xi64>} ins(%x, %w : tensor<?x?x?x?xbf16>, tensor<?x?x3x5xbf16>) outs(%o : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-DAG:     #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d6, d1 * 2 + d4, d2 * 2 + d5 * 3)>
// CHECK-DAG:     #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d4, d5, d6)>
// CHECK-DAG:     #[[O:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d3, d1, d2)>
// CHECK-LABEL: func.func @nchw(
// CHECK-SAME:      %[[X1:[^:]*]]: tensor<?x?x?x?xbf16>, %[[W1:[^:]*]]: tensor<?x?x3x5xbf16>, %[[O1:[^:]*]]:
// CHECK:         %[[P:.*]] = linalg.pack %[[W1]] padding_value(%{{.*}} : bf16) outer_dims_perm = [0, 2, 3, 1] inner_dims_pos = [0, 1]
// CHECK:         tw.matmul #tw.tile<"{{[^"]*}}"> rhs_packed m_loops = 2 k_loops = 3 indexing_maps = [#[[X]], #[[W]], #[[O]]]
// CHECK-SAME:      ins(%[[X1]], %[[P]] : {{.*}}) outs(%[[O1]], %{{.*}} :

// -----

// Windows of one element, next to each other, are a contraction.
func.func @pointwise(%x: tensor<?x?x?x64xf32>, %w: tensor<1x1x64x96xf32>, %o: tensor<?x?x?x96xf32>) -> tensor<?x?x?x96xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x64xf32>, tensor<1x1x64x96xf32>) outs(%o : tensor<?x?x?x96xf32>) -> tensor<?x?x?x96xf32>
  return %r : tensor<?x?x?x96xf32>
}

// CHECK-LABEL: func.func @pointwise(
// CHECK:         %[[W1:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1, 2], [3]] : tensor<1x1x64x96xf32> into tensor<64x96xf32>
// CHECK:         linalg.pack %[[W1]] outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1]
// CHECK:         tw.mmt4d #tw.tile<"{{[^"]*}}"> indexing_maps

// -----

// One element of each window, but not all of the tensor: k_size is not needed, for the channels are to be seen.
func.func @strided(%x: tensor<1x9x9x64xf32>, %w: tensor<1x1x64x96xf32>, %o: tensor<1x5x5x96xf32>) -> tensor<1x5x5x96xf32> {
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x9x9x64xf32>, tensor<1x1x64x96xf32>) outs(%o : tensor<1x5x5x96xf32>) -> tensor<1x5x5x96xf32>
  return %r : tensor<1x5x5x96xf32>
}

// CHECK:         #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2, d2 * 2, d4)>
// CHECK-LABEL: func.func @strided(
// CHECK:         tw.matmul #tw.tile<"{{[^"]*}}"> rhs_packed m_loops = 3 indexing_maps = [#[[X]], #{{.*}}, #{{.*}}]

// -----

// Each group is a multiplication, if it has filters enough.
func.func @groups(%x: tensor<1x4x8x9x9xf32>, %w: tensor<4x16x8x3x3xf32>, %o: tensor<1x4x16x7x7xf32>) -> tensor<1x4x16x7x7xf32> {
  %r = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<1x4x8x9x9xf32>, tensor<4x16x8x3x3xf32>) outs(%o : tensor<1x4x16x7x7xf32>) -> tensor<1x4x16x7x7xf32>
  return %r : tensor<1x4x16x7x7xf32>
}

// CHECK-LABEL: func.func @groups(
// CHECK:         tw.matmul #tw.tile<"{{[^"]*}}"> rhs_packed m_loops = 2 k_loops = 3

// -----

// CHECK-LABEL: func.func @small_groups(
// CHECK:         linalg.conv_2d_ngchw_gfchw
func.func @small_groups(%x: tensor<1x4x8x9x9xf32>, %w: tensor<4x2x8x3x3xf32>, %o: tensor<1x4x2x7x7xf32>) -> tensor<1x4x2x7x7xf32> {
  %r = linalg.conv_2d_ngchw_gfchw ins(%x, %w : tensor<1x4x8x9x9xf32>, tensor<4x2x8x3x3xf32>) outs(%o : tensor<1x4x2x7x7xf32>) -> tensor<1x4x2x7x7xf32>
  return %r : tensor<1x4x2x7x7xf32>
}

// -----

// CHECK-LABEL: func.func @depthwise(
// CHECK:         linalg.depthwise_conv_2d_nhwc_hwc
func.func @depthwise(%x: tensor<1x9x9x8xf32>, %w: tensor<3x3x8xf32>, %o: tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x9x9x8xf32>, tensor<3x3x8xf32>) outs(%o : tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32>
  return %r : tensor<1x7x7x8xf32>
}

// -----

// Windows that begin behind the tensor's first element, or go back.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-COUNT-2: linalg.generic
#x = affine_map<(o, f, k, c) -> (o + k + 1, c)>
#y = affine_map<(o, f, k, c) -> (o - k + 2, c)>
#w = affine_map<(o, f, k, c) -> (k, c, f)>
#o = affine_map<(o, f, k, c) -> (o, f)>
func.func @elsewhere(%x: tensor<9x8xf32>, %w: tensor<3x8x16xf32>, %o: tensor<6x16xf32>) -> (tensor<6x16xf32>, tensor<6x16xf32>) {
  %r = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<9x8xf32>, tensor<3x8x16xf32>) outs(%o : tensor<6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x16xf32>
  %q = linalg.generic {indexing_maps = [#y, #w, #o], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<9x8xf32>, tensor<3x8x16xf32>) outs(%o : tensor<6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x16xf32>
  return %r, %q : tensor<6x16xf32>, tensor<6x16xf32>
}

// -----

// How many elements the last column's loop has would not be known.
// CHECK-LABEL: func.func @unknown_window(
// CHECK:         linalg.generic
#x = affine_map<(o, f, k) -> (o + k)>
#w = affine_map<(o, f, k) -> (k, f)>
#o = affine_map<(o, f, k) -> (o, f)>
func.func @unknown_window(%x: tensor<?xf32>, %w: tensor<?x16xf32>, %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // expected-remark @below {{lowered to plain loops: a convolution with windows without channels of which only the call knows the size}}
  %r = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?xf32>, tensor<?x16xf32>) outs(%o : tensor<?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----

// CHECK-LABEL: func.func @other_types(
// CHECK:         linalg.generic
#x = affine_map<(o, f, k) -> (o + k)>
#w = affine_map<(o, f, k) -> (k, f)>
#o = affine_map<(o, f, k) -> (o, f)>
func.func @other_types(%x: tensor<?xbf16>, %w: tensor<3x16xf32>, %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // expected-remark @below {{lowered to plain loops: a convolution of element types that no tile function has}}
  %r = linalg.generic {indexing_maps = [#x, #w, #o], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?xbf16>, tensor<3x16xf32>) outs(%o : tensor<?x16xf32>) {
  ^bb0(%a: bf16, %b: f32, %c: f32):
    %e = arith.extf %a : bf16 to f32
    %p = arith.mulf %e, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----

// Weights first, and loops in any order.
#x = affine_map<(f, k, o, c) -> (o * 3 + k, c)>
#w = affine_map<(f, k, o, c) -> (f, c, k)>
#o = affine_map<(f, k, o, c) -> (f, o)>
func.func @weights_first(%x: tensor<27x64xf32>, %w: tensor<96x64x3xf32>, %o: tensor<96x9xf32>) -> tensor<96x9xf32> {
  %r = linalg.generic {indexing_maps = [#w, #x, #o], iterator_types = ["parallel", "reduction", "parallel", "reduction"]}
      ins(%w, %x : tensor<96x64x3xf32>, tensor<27x64xf32>) outs(%o : tensor<96x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %b, %a : f32
    %s = arith.addf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<96x9xf32>
  return %r : tensor<96x9xf32>
}

// CHECK-LABEL: func.func @weights_first(
// CHECK-SAME:      %[[X1:[^:]*]]: tensor<27x64xf32>, %[[W1:[^:]*]]: tensor<96x64x3xf32>
// CHECK:         %[[P:.*]] = linalg.pack %[[W1]]
// CHECK:         tw.matmul {{.*}} ins(%[[X1]], %[[P]] :
