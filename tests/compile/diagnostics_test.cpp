// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model is refused for, or warned of, is said once per cause.

#include <gtest/gtest.h>

#include <string>

#include "tests/compile/jit_model.h"

namespace tilewright::testing {
namespace {

std::string errorOf(const std::string& text) {
  std::string error;
  EXPECT_FALSE(JitModel::compile(text, JitOptions{"generic"}, &error)) << text;
  return error;
}

constexpr int kMany = 200;

// A function of x with kMany lines, in which I is the line's number.
std::string manyLines(const std::string& type, const std::string& line,
                      const std::string& result) {
  std::string text = "func.func @f(%x: " + type + ") -> " + type + " {\n";
  for (int i = 1; i <= kMany; ++i) {
    std::string copy = line;
    for (size_t at; (at = copy.find('I')) != std::string::npos;)
      copy.replace(at, 1, std::to_string(i));
    text += copy + "\n";
  }
  return text + "return " + result + " : " + type + "\n}\n";
}

TEST(DiagnosticsTest, OneErrorPerCause) {
  EXPECT_EQ(
      errorOf(manyLines("tensor<4xf32>", "%mI = memref.alloc() : memref<Ixf32>",
                        "%x")),
      "test.mlir:2:7: 'memref.alloc' op cannot be compiled; accepted are "
      "structured linalg operations, arith, math, affine.apply, affine.min, "
      "affine.max, linalg.softmax, linalg.pack, linalg.unpack, tensor.cast, "
      "tensor.collapse_shape, tensor.concat, tensor.dim, tensor.empty, "
      "tensor.expand_shape, tensor.extract, tensor.extract_slice, "
      "tensor.from_elements, tensor.gather, tensor.generate, "
      "tensor.insert_slice, tensor.pad, tensor.reshape, tensor.splat, scf.for, "
      "scf.forall, scf.if, scf.index_switch, scf.while, cf.assert, "
      "ml_program.global_load, ml_program.global_store, func.call, "
      "func.return, and 199 more like it");
  // Of a dialect that nobody knows.
  std::string error = errorOf(manyLines(
      "tensor<4xf32>", "%mI = \"foo.opI\"() : () -> tensor<4xf32>", "%x"));
  EXPECT_EQ(error.find("test.mlir:2:7: 'foo.op1' op cannot be compiled;"), 0u)
      << error;
  EXPECT_NE(error.find(", and 199 more like it"), std::string::npos) << error;
  // Of types.
  error = errorOf(
      manyLines("tensor<4xf32>", "%mI = tensor.empty() : tensor<Ixi3>", "%x"));
  EXPECT_EQ(
      error,
      "test.mlir:2:7: 'tensor.empty' op has elements of 'i3'; accepted "
      "are f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, "
      "f8E8M0FNU, f6E2M3FN, f6E3M2FN, f4E2M1FN, "
      "i64, i32, i16, i8, i4, i2 and i1, and index, and 199 more like it");
}

// In the syntax that the front ends print.
TEST(DiagnosticsTest, OperationsOfFrontEnds) {
  std::string error = errorOf(
      R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
%r = stablehlo.add %x, %x : tensor<4xf32>
return %r : tensor<4xf32>
})");
  EXPECT_NE(error.find("'stablehlo' is what a front end works on; convert the "
                       "model to linalg on tensors first, with `iree-opt "
                       "--iree-stablehlo-input-transformation-pipeline`; see "
                       "docs/models.md"),
            std::string::npos)
      << error;
  error = errorOf(R"(func.func @f(%x: !torch.vtensor<[4],f32>) {
%r = torch.aten.relu %x : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
return
})");
  EXPECT_NE(error.find("'torch' is what a front end works on"),
            std::string::npos)
      << error;
}

// What MLIR had before is written otherwise now; see named_ops_test.cpp for
// what is read as it is.
TEST(DiagnosticsTest, OlderSpellings) {
  const char* newer =
      "it is written linalg.elementwise kind=#linalg.elementwise_kind<...> now";
  EXPECT_NE(errorOf(R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
%r = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>}
  ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
return %r : tensor<4xf32>
})")
                .find(newer),
            std::string::npos);
  std::string error =
      errorOf(R"(func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
%r = "linalg.matmul_transpose_b"(%x, %x, %x) :
  (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
return %r : tensor<4x4xf32>
})");
  EXPECT_NE(error.find("it is written linalg.matmul with indexing_maps now"),
            std::string::npos)
      << error;
}

TEST(DiagnosticsTest, OperationsOfTosa) {
  std::string error =
      errorOf(R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
%r = tosa.custom %x {operator_name = "a", domain_name = "b",
  implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
return %r : tensor<4xf32>
})");
  EXPECT_EQ(error,
            "test.mlir:2:6: failed to legalize operation 'tosa.custom': MLIR's "
            "conversion of TOSA to linalg has no such operation with operands "
            "of these types");
}

// Sizes that converters compute from ones that they do not know.
TEST(DiagnosticsTest, SizesOfMinusOne) {
  std::string error =
      errorOf(R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
%r = tensor.empty() : tensor<?x24x-1x-1xf32>
return %x : tensor<4xf32>
})");
  EXPECT_NE(error.find("the model has the type 'tensor<?x24x-1x-1xf32>', whose "
                       "size -1 a converter has computed from one that it did "
                       "not know; see docs/models.md"),
            std::string::npos)
      << error;
}

// Two causes are two errors, in order.
TEST(DiagnosticsTest, EachCauseHasItsError) {
  EXPECT_EQ(
      errorOf(R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
%a = tensor.empty() : tensor<4xi3>
%b = tensor.empty() : tensor<4xf32, 7 : i32>
%c = tensor.empty() : tensor<4xi5>
return %x : tensor<4xf32>
})"),
      "test.mlir:2:6: 'tensor.empty' op has elements of 'i3'; accepted "
      "are f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, "
      "f8E8M0FNU, f6E2M3FN, f6E3M2FN, f4E2M1FN, "
      "i64, i32, i16, i8, i4, i2 and i1, and index, and 1 more like it\n"
      "test.mlir:3:6: 'tensor.empty' op has the type 'tensor<4xf32, 7 : "
      "i32>'; tensors with encodings are not accepted");
}

TEST(DiagnosticsTest, OneWarningPerCause) {
  std::string text =
      "func.func @f(%y0: tensor<2x2xi64>) -> tensor<2x2xi64> {\n";
  for (int i = 1; i <= 20; ++i) {
    std::string last = "%y" + std::to_string(i - 1);
    text += "%y" + std::to_string(i) + " = linalg.matmul ins(" + last + ", " +
            last + " : tensor<2x2xi64>, tensor<2x2xi64>) outs(" + last +
            " : tensor<2x2xi64>) -> tensor<2x2xi64>\n";
  }
  text += "return %y20 : tensor<2x2xi64>\n}\n";
  std::string error;
  std::unique_ptr<JitModel> model =
      JitModel::compile(text, JitOptions{"generic"}, &error);
  ASSERT_TRUE(model) << error;
  ASSERT_EQ(model->remarks().size(), 1u);
  EXPECT_EQ(model->remarks()[0],
            "test.mlir:2:7: lowered to plain loops: no tile function has these "
            "element types: 'i64', 'i64', 'i64', and 19 more like it");
}

// What upstream's verifier finds is said as tw-check-sizes says it.
TEST(DiagnosticsTest, SizesThatDiffer) {
  EXPECT_EQ(
      errorOf(
          R"(func.func @f(%a: tensor<3x4xf32>, %b: tensor<5x6xf32>, %c: tensor<3x6xf32>) -> tensor<3x6xf32> {
%r = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<5x6xf32>) outs(%c : tensor<3x6xf32>) -> tensor<3x6xf32>
return %r : tensor<3x6xf32>
})"),
      "test.mlir:2:6: 'linalg.matmul' op dimension 1 of operand 0, of type "
      "'tensor<3x4xf32>', is 4, but dimension 0 of operand 1, of type "
      "'tensor<5x6xf32>', is 5; they must be equal");
  // Only the caller makes them differ.
  EXPECT_EQ(
      errorOf(
          R"(func.func private @mm(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
%r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
return %r : tensor<?x?xf32>
}
func.func @f(%a: tensor<3x4xf32>, %b: tensor<5x6xf32>, %c: tensor<3x6xf32>) -> tensor<?x?xf32> {
%x = tensor.cast %a : tensor<3x4xf32> to tensor<?x?xf32>
%y = tensor.cast %b : tensor<5x6xf32> to tensor<?x?xf32>
%z = tensor.cast %c : tensor<3x6xf32> to tensor<?x?xf32>
%r = call @mm(%x, %y, %z) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
return %r : tensor<?x?xf32>
})"),
      "test.mlir:2:6: 'linalg.matmul' op dimension 1 of operand 0, of type "
      "'tensor<?x?xf32>', is known to be 4, but dimension 0 of operand 1, of "
      "type 'tensor<?x?xf32>', is known to be 5; they must be equal");
}

}  // namespace
}  // namespace tilewright::testing
