// Three products, the second one on another CPU.
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<96x50xf32>, %d: tensor<50x48xf32>) -> tensor<?x48xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%f : tensor<?x96xf32>) -> tensor<?x96xf32>
  %e1 = tensor.empty(%m) : tensor<?x50xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?x50xf32>) -> tensor<?x50xf32>
  %q = linalg.matmul {tw.device = "b"} ins(%p, %c : tensor<?x96xf32>, tensor<96x50xf32>) outs(%f1 : tensor<?x50xf32>) -> tensor<?x50xf32>
  %e2 = tensor.empty(%m) : tensor<?x48xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.matmul ins(%q, %d : tensor<?x50xf32>, tensor<50x48xf32>) outs(%f2 : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}
