// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that make calls of functions that are asked for by name.

#ifndef TILEWRIGHT_COMPILE_TILEPASSES
#define TILEWRIGHT_COMPILE_TILEPASSES

include "mlir/Pass/PassBase.td"

def FormMatmuls : Pass<"tw-form-matmuls", "mlir::func::FuncOp"> {
  let summary = "Multiply matrices where they lie, not packed as a whole";
  let description = [{
    A `tw.mmt4d` with one n and one k dimension whose lhs is packed from a matrix
    and whose result is unpacked becomes a `tw.matmul` of the matrices. That one
    packs block by block, in a workspace, and writes its result where it
    belongs. So does the rhs, unless it is a constant, which was packed before,
    or is multiplied with several matrices. What else a pack is used for keeps
    it.

    The innermost dimension of each matrix has to be one of the two that are
    tiled, padding zero, and the workspace known; anything else stays as it is.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect",
                           "tilewright::tw::TwDialect"];
}

def FormPacks : Pass<"tw-form-packs", "mlir::func::FuncOp"> {
  let summary = "Name the functions that pack and unpack";
  let description = [{
    A `linalg.pack` or `linalg.unpack` in a layout that a pack function has
    becomes a `tw.pack` or `tw.unpack`. What has none stays, to become loops,
    with a remark that says why.

    Packing gains nothing from what an instruction set has beside vectors: of
    those of the device that have the longest, the functions are of the one that
    asks for least, so that more models share them.
  }];
  let options = [
    Option<"prefix", "prefix", "std::string", /*default=*/"\"tw\"",
           "Prefix of the names: <prefix>_pack_tile_...">,
  ];
  let dependentDialects = ["tilewright::tw::TwDialect"];
}

def CallTileFunctions : Pass<"tw-call-tile-functions", "mlir::ModuleOp"> {
  let summary = "Turn multiplications and packs on buffers into calls";
  let description = [{
    Each `tw.mmt4d` becomes a loop nest over its batch and its tiles that calls
    the tile function by name, with one `tw_mmt4d_params_t` on the stack. The
    tiles are visited by blocks of rhs panels that stay in the second-level
    cache, and within a block lhs panel by lhs panel. Several dimensions of a
    kind are one loop: they lie next to each other. Buffers must be contiguous.

    Each `tw.matmul` becomes calls of `tw_contract_v8`, whose code comes with the
    model: one for each matrix of its batch, with a `tw_contraction_t` on the
    stack. It has blocks for the caches of `core`, and the habits of its memory;
    without one, for those of most servers.

    Each `tw.pack` and `tw.unpack` becomes calls of its function, with one
    `tw_pack_tile_params_t` on the stack: in loops over the dimensions that a
    call does not go over, and, where the work is divided, over rows of tiles.
  }];
  let options = [
    Option<"core", "core", "std::string", /*default=*/"\"\"",
           "The core that the model is for, one of cores.def">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
  ];
}

def RequireAmx : Pass<"tw-require-amx", "mlir::ModuleOp"> {
  let summary = "Have entry points that call tiles by AMX ask for permission";
  let description = [{
    A process may use AMX only when it has asked its system, which the program
    does, not the model. Of entry points behind which a tile by AMX is called,
    the body is called only where `tw_may_use_amx_v1`, which comes with the
    model, says that it has; else they return TW_STATUS_UNSUPPORTED, of which
    their `_message` says why.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect",
  ];
}

#endif // TILEWRIGHT_COMPILE_TILEPASSES
