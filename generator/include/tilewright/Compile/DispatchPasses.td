// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of outlined functions.

#ifndef TILEWRIGHT_COMPILE_DISPATCHPASSES
#define TILEWRIGHT_COMPILE_DISPATCHPASSES

include "mlir/Pass/PassBase.td"

def GroupDispatches : Pass<"tw-group-dispatches", "mlir::func::FuncOp"> {
  let summary = "Decide on encoded tensors what is done together";
  let description = [{
    The operations that are to be one dispatch move into a `tw.dispatch_region`:
    on the host a contraction with the `tw.set_encoding` of its operands, the
    `tw.unset_encoding` of its result and the elementwise operation on it; on the
    device what tw-lower-device-packs does where an element is read, which is
    copied if it is done in several of them;
    operations that share their loops. Nobody has to know for that how anything
    lies: the program is the same for every device.

    The encoding of a constant is set outside, when the model is compiled.
  }];
  let dependentDialects = ["tilewright::tw::TwDialect"];
}

def OutlineDispatches : Pass<"tw-outline-dispatches", "mlir::ModuleOp"> {
  let summary = "The work of a model as functions, equal ones once";
  let description = [{
    Each operation that computes tensors into destinations, with the fills that
    it starts from, becomes a call, `tw.dispatch`, of a private function whose
    attribute `tw.dispatch` says what it is. Sizes are dynamic in it, as are
    scalars and indices that were constants of its body, but for sizes of 1, of
    inner tiles and of windows: so operations that are equal but for them call
    one function. What is in a `tw.dispatch_region` is done with nothing outside
    of it.

    Functions say which device they are for (`tw.device`). What runs on one with
    memory of its own does what one kernel does without a barrier: a `tw.mmt4d`,
    or linalg operations that each work-item does for items of its own; what lies
    in a loop or branch is the host's.
  }];
  let dependentDialects = [
    "mlir::func::FuncDialect", "mlir::tensor::TensorDialect",
    "tilewright::tw::TwDialect",
  ];
}

def FlattenDispatches : Pass<"tw-flatten-dispatches", "mlir::ModuleOp"> {
  let summary = "Give outlined functions bare pointers and sizes";
  let description = [{
    Each function with `tw.dispatch` takes of each tensor a pointer and the
    dynamic sizes, and writes to its last arguments what it returned: it can be
    bufferized by itself, whatever calls it. `tw.dispatch_type` says what it was.
    It is not inlined, and no two of its pointers overlap unless both are read.
  }];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect",
  ];
}

def FormEpilogues : Pass<"tw-form-epilogues", "mlir::ModuleOp"> {
  let summary = "Have elementwise operations done with blocks of products";
  let description = [{
    In an outlined function, on buffers, the elementwise operation behind a
    `tw.matmul` becomes a function of its own, the `epilogue` of the
    multiplication, which is called with each block of the product that has its
    sums. Its first arguments are those of the function that it uses, the others
    say where the block is. It stays as it is, and is done when all of the
    product is there, where it could touch something that is not of the block.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::memref::MemRefDialect", "tilewright::tw::TwDialect",
  ];
}

def VectorizeDispatches : Pass<"tw-vectorize-dispatches", "mlir::ModuleOp"> {
  let summary = "tw-vectorize-loops on outlined functions and epilogues";
  let description = [{
    Each with the vectors of its device. Their affine arithmetic is lowered
    before. That of their callers stays: it says what sizes buffers have.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect",
  ];
}

def HoistScratch : Pass<"tw-hoist-scratch", "mlir::ModuleOp"> {
  let summary = "Give outlined functions the memory that they would allocate";
  let description = [{
    A buffer that a function of `tw.dispatch` allocates becomes an output of it,
    which each caller allocates, where the size follows from the arguments: so
    it has a place in the caller's arena. Up to 4 KiB of static size are put on
    the stack. No buffer is deallocated yet. In a module for several threads
    (`tw.threads`), what one parallel loop has for itself is given for each task,
    and `tw.scratch` says so.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
    "tilewright::tw::TwDialect",
  ];
}

def CallDispatches : Pass<"tw-call-dispatches", "mlir::ModuleOp"> {
  let summary = "Calls of outlined functions, on buffers";
  let description = [{
    Each `tw.dispatch` on buffers becomes a `func.call` with pointers and sizes.
    Buffers must be contiguous. In a module for several threads, functions take
    their caller's `tw_parallel_for_t` last, a null pointer if it has none.
  }];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect",
    "mlir::func::FuncDialect", "mlir::memref::MemRefDialect",
  ];
}

def SplitDispatches : Pass<"tw-split-dispatches", "mlir::ModuleOp"> {
  let summary = "Run the loops of outlined functions as tasks";
  let description = [{
    In a module for several threads (`tw.threads`), each nest of loops with
    `tw.parallel` of a function with `tw.dispatch` becomes a function of its own,
    `<name>.part`, of a part of their iterations; in its place are calls of it:
    one, or, where `tw.work` says that there is enough to do and the caller gave
    a `tw_parallel_for_t`, one for each task, by way of `<name>.task`, which
    takes the arguments from memory. Iterations are divided among the outer
    loops first. Memory that an iteration needs for itself (`tw.scratch`) has a
    piece for each task.

    A function that does anything else in memory than in such loops stays as it
    is. `tw.work` is erased.
  }];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect",
    "mlir::func::FuncDialect", "mlir::scf::SCFDialect",
  ];
}

#endif // TILEWRIGHT_COMPILE_DISPATCHPASSES
