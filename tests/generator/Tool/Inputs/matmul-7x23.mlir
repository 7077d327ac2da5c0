func.func @f(%a: tensor<7x40xf32>, %b: tensor<40x23xf32>) -> tensor<7x23xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x23xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x23xf32>) -> tensor<7x23xf32>
  %out = linalg.matmul ins(%a, %b : tensor<7x40xf32>, tensor<40x23xf32>) outs(%init : tensor<7x23xf32>) -> tensor<7x23xf32>
  return %out : tensor<7x23xf32>
}
