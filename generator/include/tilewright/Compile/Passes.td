// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_COMPILE_PASSES
#define TILEWRIGHT_COMPILE_PASSES

include "mlir/Pass/PassBase.td"

def CheckModel : Pass<"tw-check-model", "mlir::ModuleOp"> {
  let summary = "Refuse what cannot be compiled, naming it";
  let description = [{
    A model is a module of functions on tensors, made of `linalg`, `arith`,
    `math`, `affine.apply`, `tensor.empty`, `tensor.dim`, `tensor.cast` and
    `func.call`. Every other operation is an error at its location that says
    what would be accepted; so are unranked tensors, element types without a C
    type, recursive calls, and modules without a public function.
  }];
}

def MakeEntryPoints : Pass<"tw-make-entry-points", "mlir::ModuleOp"> {
  let summary = "Give every public function a plain C signature";
  let description = [{
    A public function on tensors becomes a function on bare pointers and sizes,
    for `use-bare-ptr-memref-call-conv`:

    ```mlir
    func.func @predict(%images: tensor<?x64xf32>) -> tensor<?x10xf32>
    // ->
    func.func @predict(%images: memref<1xf32>, %images_d0: i64,
                       %result: memref<1xf32>) -> i32
    ```

    Tensors become pointers to row-major elements, each followed by its dynamic
    sizes; results become pointers to memory of the caller, without sizes: each
    dynamic size of a result must be a size of an argument, else it is an error.
    The function returns 0, or 1 (TW_STATUS_INVALID_ARGUMENT) without having
    written anything if a size is negative or two sizes that must agree differ;
    which must agree is read off the operations. Attributes `tw.c_arguments` and
    `tw.c_results` keep what the header says. The body becomes the private
    function `<name>.body`; private functions are expected to be inlined before.
  }];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect",
  ];
}

def PackContractions : Pass<"tw-pack-contractions", "mlir::func::FuncOp"> {
  let summary = "Pack matrix multiplications for the tile functions of a target";
  let description = [{
    Every contraction with one m, one n and one k dimension (any batch
    dimensions, transposed operands included) whose element types are a type
    triple of tile functions is packed by upstream's `blockPackMatmul` into
    `linalg.pack`, a contraction in the form of `linalg.mmt4d`, and
    `linalg.unpack`. Inner tile sizes are those of the runtime library's query
    on such a CPU, fixed ones; see ChooseTile.h. The packed contraction carries the name
    of its tile function as the attribute `tw.tile`, and `tw.overwrite` where it
    accumulates onto zeros, which are then not written.

    A contraction that fits no type triple stays as it is, with a remark.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"generic\"",
           "CPUs to pack for: parseTargetCpu's syntax">,
    Option<"prefix", "prefix", "std::string", /*default=*/"\"tw\"",
           "Prefix of the tile names: <prefix>_mmt4d_tile_...">,
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
  ];
}

def FoldConstantPacks : Pass<"tw-fold-constant-packs", "mlir::func::FuncOp"> {
  let summary = "Pack constants at compile time";
  let description = [{
    Replaces each `linalg.pack` of a constant by the packed constant, computed
    by the runtime library's own `tw_pack`. The constant must have two
    dimensions and elements of whole bytes. The function's attribute `tw.packed`
    lists what was packed.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def CallTileFunctions : Pass<"tw-call-tile-functions", "mlir::ModuleOp"> {
  let summary = "Turn packed contractions on buffers into calls of tiles";
  let description = [{
    Each linalg operation with the attribute `tw.tile` becomes a loop nest over
    its batch dimensions and its tiles that calls the tile function by name,
    with one `tw_mmt4d_params_t` on the stack. The tiles are visited by blocks of
    rhs panels that stay in the second-level cache, and within a block lhs panel
    by lhs panel.
  }];
  let options = [
    Option<"prefix", "prefix", "std::string", /*default=*/"\"tw\"",
           "Prefix of the tile names: <prefix>_mmt4d_tile_...">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
  ];
}

#endif // TILEWRIGHT_COMPILE_PASSES
