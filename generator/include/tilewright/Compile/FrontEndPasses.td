// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between what front ends write and what the other passes know.

#ifndef TILEWRIGHT_COMPILE_FRONTENDPASSES
#define TILEWRIGHT_COMPILE_FRONTENDPASSES

include "mlir/Pass/PassBase.td"

def NameEntryPoints : Pass<"tw-name-entry-points", "mlir::ModuleOp"> {
  let summary = "Give public functions names that C can declare";
  let description = [{
    What no identifier of C and C++ has becomes `_`; what would begin with a digit,
    be a keyword or a function of the C library that models call begins with
    `model_`. A function `main` is called as its
    module, or `model`: a program has a `main` of its own.
  }];
}

def DeclarePacks : Pass<"tw-declare-packs", "mlir::ModuleOp"> {
  let summary = "Functions that pack arguments which are handed over packed";
  let description = [{
    An argument of a public function with `tw.packed` is handed over packed.
    Those with the same id, `tw.packed = "wq"`, lie alike; without one the id is
    `<function>_<argument>`. For each id a public function `<id>_pack` is added,
    marked `tw.packs`, which returns what it is given: tw-take-packed makes it
    pack, once it is known how.

    ```mlir
    func.func @decode(%x: tensor<1x64xf32>, %w: tensor<64x96xf32> {tw.packed = "wq"})
    // ->
    func.func @wq_pack(%row_major: tensor<64x96xf32>) -> tensor<64x96xf32>
        attributes {tw.packs = "wq"} {
      return %row_major : tensor<64x96xf32>
    }
    ```
  }];
  let options = [
    Option<"rowMajorBecause", "row-major-because", "std::string",
           /*default=*/"", "Why no argument can be packed">,
  ];
  let dependentDialects = ["mlir::func::FuncDialect"];
}

def CommonForms : Pass<"tw-common-forms", "mlir::func::FuncOp"> {
  let summary = "Write what has several forms in one";
  let description = [{
    `scf.forall` becomes loops, `scf.for`, which carry its shared outputs;
    `tensor.parallel_insert_slice` becomes `tensor.insert_slice`, in the order of
    the operations. `scf.index_switch` becomes branches, `scf.if`. Constants with
    elements of i2 and i4, a byte each, lose the bits that are not theirs. A loop
    of a sum that indexes one operand by k and another by `k floordiv n`, as
    scales of blocks are, becomes two, if it is known to be whole blocks.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect",
  ];
}

def ThreadState : Pass<"tw-thread-state", "mlir::ModuleOp"> {
  let summary = "Mutable globals become arguments and results of functions";
  let description = [{
    A function that loads or stores a mutable `ml_program.global`, or calls one
    that does, takes its value as one more argument and returns it as one more
    result if it stores it, both with `tw.state`. A load is the value of the last
    store before it. Regions of `scf.if`, `scf.for` and `scf.while` yield
    what they store. A new function `tw.initial_state` returns
    what all states begin with; `tw.states` of the module names them.

    ```mlir
    ml_program.global private mutable @h(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
    func.func @step(%x: tensor<4xf32>) -> tensor<4xf32>
    // ->
    func.func @step(%x: tensor<4xf32>, %h: tensor<4xf32> {tw.state = 0})
        -> (tensor<4xf32>, tensor<4xf32> {tw.state = 0})
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect",
  ];
}

def CheckModel : Pass<"tw-check-model", "mlir::ModuleOp"> {
  let summary = "Refuse what cannot be compiled, naming it";
  let description = [{
    A model is a module of functions on tensors, made of `linalg`, `arith`,
    `math`, `affine.apply`, much of `tensor`, and `func.call`. Every other
    operation is an error at its location that says what would be accepted; so
    are bodies of elementwise operations that make tensors, unranked tensors,
    element types without a C type, recursive calls, and modules without a
    public function.
  }];
}

def CheckVectors : Pass<"tw-check-vectors", "mlir::ModuleOp"> {
  let summary = "Check that vectors have the length that a target relies on";
  let description = [{
    With a device whose target says how long vectors are (`arm_64:sve+vl256`),
    each public function begins with an assertion that they are: panels of tiles of
    scalable sizes are packed for this length. With one whose instruction sets
    have longer vectors than others of its architecture
    (`riscv_64:v+zvl256b`), they are as long at least: instructions would take
    fewer elements than code says, and go on.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::LLVM::LLVMDialect", "tilewright::tw::TwDialect",
  ];
}

#endif // TILEWRIGHT_COMPILE_FRONTENDPASSES
