// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A size of eight long names.
func.func @long(%a_tensor_with_a_long_name_a: tensor<?xf32>,
                %a_tensor_with_a_long_name_b: tensor<?xf32>,
                %a_tensor_with_a_long_name_c: tensor<?xf32>,
                %a_tensor_with_a_long_name_d: tensor<?xf32>,
                %a_tensor_with_a_long_name_e: tensor<?xf32>,
                %a_tensor_with_a_long_name_f: tensor<?xf32>,
                %a_tensor_with_a_long_name_g: tensor<?xf32>,
                %a_tensor_with_a_long_name_h: tensor<?xf32>) -> tensor<?xf32> {
  %all = tensor.concat dim(0) %a_tensor_with_a_long_name_a,
      %a_tensor_with_a_long_name_b,
      %a_tensor_with_a_long_name_c,
      %a_tensor_with_a_long_name_d,
      %a_tensor_with_a_long_name_e,
      %a_tensor_with_a_long_name_f,
      %a_tensor_with_a_long_name_g,
      %a_tensor_with_a_long_name_h
      : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %all : tensor<?xf32>
}
