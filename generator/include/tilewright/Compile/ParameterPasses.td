// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of what is computed once, when an instance is made.

#ifndef TILEWRIGHT_COMPILE_PARAMETERPASSES
#define TILEWRIGHT_COMPILE_PARAMETERPASSES

include "mlir/Pass/PassBase.td"

def HoistParameterWork : Pass<"tw-hoist-parameter-work", "mlir::ModuleOp"> {
  let summary = "Compute once what all calls compute alike";
  let description = [{
    Tensors that are computed of constants alone, by operations that neither
    fail nor have effects, are computed by the entry point `tw.run_once`, which
    keeps them (`tw.keep`); functions read them (`tw.kept`). The largest parts
    are taken that are worth it, by the rule in ParameterWork.cpp; what several
    functions compute alike is kept once.

    What stays, and why, is in the attribute `tw.each_call` of the module:
    without instances all of it.
  }];
  let options = [
    Option<"hasInstance", "has-instance", "bool", /*default=*/"false",
           "Whether there are instances though the model has no state">,
    Option<"runOnce", "run-once", "bool", /*default=*/"true",
           "Whether to move anything">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::cf::ControlFlowDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "tilewright::tw::TwDialect",
  ];
}

def PackKept : Pass<"tw-pack-kept", "mlir::ModuleOp"> {
  let summary = "Pack what is kept where it is computed";
  let description = [{
    Replaces each `linalg.pack` of a `tw.kept`, reshaped or not, by the packed
    tensor, which is kept then: of any layout whose sizes are known, equal ones
    once. What is only read packed is not kept as it was before.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect",
                           "tilewright::tw::TwDialect"];
}

def KeepPacked : Pass<"tw-keep-packed", "mlir::ModuleOp"> {
  let summary = "Pack constants for tiles of scalable sizes when an instance is made";
  let description = [{
    The entry point `tw.run_once` packs each rhs that multiplications keep
    (`rhs_kept`), for the lists in which they look for it (`tw.keep_packed`),
    equal ones once. It fails where there is no memory for one. Models without
    instances are left as they are: there the first multiplication packs.
  }];
  let options = [
    Option<"hasInstance", "has-instance", "bool", /*default=*/"false",
           "Whether there are instances though the model has no state">,
    Option<"runOnce", "run-once", "bool", /*default=*/"true",
           "Whether to pack anything">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::cf::ControlFlowDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "tilewright::tw::TwDialect",
  ];
}

def PlaceKept : Pass<"tw-place-kept", "mlir::ModuleOp"> {
  let summary = "What is kept as globals without a value";
  let description = [{
    `tw.keep` writes a `memref.global`, `tw.kept` reads it, in their memory
    space. The attribute `tw.kept` of the global says that it is in the memory of
    an instance; `tw.keeps_on_devices` of a function that it writes what is kept
    in memory of devices.
  }];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect",
                           "mlir::memref::MemRefDialect"];
}

def LoadKept : Pass<"tw-load-kept", "mlir::ModuleOp"> {
  let summary = "Find what is kept in the memory of the instance";
  let description = [{
    Functions that use a global of tw-place-kept, and those that call them, have
    a pointer to the memory as their last argument and the attribute
    `tw.kept_pointer`, and `memref.get_global` becomes a `memref.view` at an
    offset. `tw.kept_bytes` of the module says how large the memory is,
    `tw.kept_on_devices` where in it the addresses of tw-form-dispatches are, and
    how many bytes are there: by device, both.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

#endif // TILEWRIGHT_COMPILE_PARAMETERPASSES
