func.func @product(%x: tensor<?x64xf32>, %y: tensor<64x96xf32>, %bias: tensor<96xf32>) -> tensor<?x96xf32> attributes {tw.device = "cpu"} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %i = linalg.broadcast ins(%bias : tensor<96xf32>) outs(%e : tensor<?x96xf32>) dimensions = [0]
  %p = linalg.matmul ins(%x, %y : tensor<?x64xf32>, tensor<64x96xf32>) outs(%i : tensor<?x96xf32>) -> tensor<?x96xf32>
  %a = linalg.abs ins(%p : tensor<?x96xf32>) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %n = linalg.negf ins(%a : tensor<?x96xf32>) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %n : tensor<?x96xf32>
}
func.func @two(%x: tensor<128x64xf32>) -> tensor<128x64xf32> attributes {tw.device = "cpu"} {
  %z = arith.constant 0.0 : f32
  %w = arith.constant dense<2.0> : tensor<64x64xf32>
  %e = tensor.empty() : tensor<128x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<128x64xf32>, tensor<64x64xf32>) outs(%f : tensor<128x64xf32>) -> tensor<128x64xf32>
  %q = linalg.matmul ins(%p, %w : tensor<128x64xf32>, tensor<64x64xf32>) outs(%f : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %q : tensor<128x64xf32>
}
func.func @convolution(%x: tensor<1x8x8x16xi8>, %w: tensor<3x3x16x32xi8>, %zero: tensor<i32>) -> tensor<1x6x6x32xi32> attributes {tw.device = "cpu"} {
  %c0 = arith.constant 0 : i32
  %a = tensor.extract %zero[] : tensor<i32>
  %e = tensor.empty() : tensor<1x6x6x32xi32>
  %z = linalg.fill ins(%c0 : i32) outs(%e : tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
  %r = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w, %a, %c0 : tensor<1x8x8x16xi8>, tensor<3x3x16x32xi8>, i32, i32)
      outs(%z : tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
  return %r : tensor<1x6x6x32xi32>
}
func.func @filters(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x16xf32>, %o: tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32> attributes {tw.device = "cpu"} {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) outs(%o : tensor<1x6x6x16xf32>) -> tensor<1x6x6x16xf32>
  return %r : tensor<1x6x6x16xf32>
}
#row = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0, 0)>
func.func @mean(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {tw.device = "cpu"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  %s = linalg.generic {indexing_maps = [#row, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%f : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.addf %o, %a : f32
    linalg.yield %b : f32
  } -> tensor<?x1xf32>
  %d = tensor.empty(%m) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #kept, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x8xf32>, tensor<?x1xf32>) outs(%d : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %b = arith.divf %a, %c : f32
    linalg.yield %b : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @pack(%x: tensor<64x64xf32>) -> tensor<8x64x8x1xf32> attributes {tw.device = "cpu"} {
  %e = tensor.empty() : tensor<8x64x8x1xf32>
  %p = linalg.pack %x outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 1] into %e : tensor<64x64xf32> -> tensor<8x64x8x1xf32>
  return %p : tensor<8x64x8x1xf32>
}
