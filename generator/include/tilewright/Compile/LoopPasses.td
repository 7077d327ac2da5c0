// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that make loops over vectors, and arithmetic of what they compute.

#ifndef TILEWRIGHT_COMPILE_LOOPPASSES
#define TILEWRIGHT_COMPILE_LOOPPASSES

include "mlir/Pass/PassBase.td"

def VectorizeLoops : Pass<"tw-vectorize-loops", "mlir::func::FuncOp"> {
  let summary = "Turn linalg operations on buffers into loops over vectors";
  let description = [{
    Each linalg operation on buffers becomes loops of which one goes over the
    lanes of vectors: the one along which most operands lie in order, by a cost
    for each of them. Neighbouring loops that all operands go through alike are
    one before.

    - Without reductions, each vector of results is computed and stored.
    - If lanes are of a parallel loop, vectors of results stay in registers over
      all reductions, several side by side; or, where every element is read
      once, they are loaded and stored for each step, and operands are read in
      the order they lie in.
    - If lanes are of a reduction, several vectors are summed up, and put
      together at its end: in another order than that of plain loops.

    Operations that follow each other and go through the same rows share the
    loops around those over the lanes. A reduction along the lanes takes up what
    the operation before stores, in the loop that stores it.

    What is the same in all lanes stays scalar, and so do indices, as long as
    they are a scalar plus the number of the lane: what they read is a vector
    in memory. Other reads are gathers. Elements that do not fill a vector are
    masked lanes of one, or scalars. What a body cannot do in vectors (elements
    of i1, loops) is left as it is.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", /*default=*/"16",
           "Bytes of a vector of the target">,
    Option<"masks", "masks", "bool", /*default=*/"false",
           "Whether the target loads and stores some lanes of a vector, of "
           "every element type">,
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect",
  ];
}

def ApproximateMath : Pass<"tw-approximate-math", "mlir::func::FuncOp"> {
  let summary = "Functions of f32 as arithmetic";
  let description = [{
    Exponentials, logarithms, powers and functions of angles of f32, of scalars
    and of vectors, become a reduction of the range and a polynomial with fused
    multiply-adds, which the function's device has to have; docs/numerics.md states their
    errors. Sine, cosine and tangent of large angles are left to the C library:
    of a vector, lane by lane.
  }];
  let options = [
    Option<"scalesAs", "scales-as", "std::string", /*default=*/"",
           "Of a module that names no devices: the ISA whose instructions for "
           "x * 2^n there are">,
  ];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect",
    "mlir::math::MathDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect",
  ];
}

def MoveNarrowFloats : Pass<"tw-move-narrow-floats", "mlir::ModuleOp"> {
  let summary = "What moves f16 and bf16 moves i16";
  let description = [{
    Of the LLVM dialect: loads and stores, gathers, scatters, shuffles,
    insertions, extractions and selections. Where a target has no registers of
    these types, LLVM would convert each element to f32 and back.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def CallLibm : Pass<"tw-call-libm", "mlir::ModuleOp"> {
  let summary = "Call the C library for exp(x) - 1 and log(1 + x)";
  let description = [{
    What is left of `math.expm1` and `math.log1p` becomes calls. Upstream's
    conversion to LLVM writes them as `exp(x) - 1` and `log(1 + x)`, which is to
    lose what they are there for.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::vector::VectorDialect",
  ];
}

def ExpandMath : Pass<"tw-expand-math", "mlir::func::FuncOp"> {
  let summary = "Functions that upstream lowers nowhere, of those it does";
  let description = [{
    `math.isinf` and `math.isnormal` become comparisons, `math.ipowi` a loop of
    squares, `math.sincos` a sine and a cosine, `math.clampf` a minimum and a
    maximum: of scalars, for the CPU and for the GPU.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect",
  ];
}

def ExpandScalings : Pass<"tw-expand-scalings", "mlir::func::FuncOp"> {
  let summary = "Scaled elements that no tile reads, as products";
  let description = [{
    `arith.scaling_extf` becomes the product of the element and its scale,
    f8E8M0FNU, both extended to f32, or to f64 where the result is that. It is
    exact, as long as it is not too large for f32; then it is rounded to the
    type of the result.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

#endif // TILEWRIGHT_COMPILE_LOOPPASSES
