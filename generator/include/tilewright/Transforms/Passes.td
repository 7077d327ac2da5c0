// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_TRANSFORMS_PASSES
#define TILEWRIGHT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def DefineTileFunctions : Pass<"tw-define-tile-functions", "mlir::ModuleOp"> {
  let summary = "Give every declared tile function a body";
  let description = [{
    Each `func.func` declaration whose name is a tile name gets the body that
    the name specifies, in terms of `linalg`: the readable, target-independent
    source of truth, and, lowered through upstream's plain loops, the oracle
    that generated kernels are tested against.

    A tile function has the type

    ```mlir
    func.func private @tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma(
        memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)
    ```

    the out tile, the lhs panel, the rhs panel, and `tw_mmt4d_params_t` as 16
    words, each a bare pointer under `use-bare-ptr-memref-call-conv`. Element
    types narrower than a byte, and floats narrower than 16 bits, are `i8`.

    The body views the pointers as `1xKxM0xK0`, `1xKxN0xK0` and `1x1xM0xN0`
    (rows `out_row_stride` apart under OUT_ROW_STRIDE), writes zeros unless
    ACCUMULATE is set, and holds one `linalg.mmt4d`. Where the casts of
    `linalg.mmt4d`, alike for both operands and always signed, cannot say what
    the key says, a `linalg.generic` with the same maps decodes the elements
    explicitly. Outputs narrower than the accumulator are computed row by row in
    a temporary row of accumulators, and rounded once, or after each K step for
    the variant `steprnd`.

    Scalable sizes are dynamic dimensions, multiples of the vector length that
    the body reads: SVE's, or the streaming one on the ISAs with SME.

    A declaration whose name starts like a tile name but is none, or whose type
    is another one, is an error. Definitions and other functions are left alone.
  }];
  let options = [
    Option<"prefix", "prefix", "std::string", /*default=*/"\"tw\"",
           "Prefix of the tile names: <prefix>_mmt4d_tile_...">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "tilewright::tw::TwDialect",
  ];
}

def ExpandSmallFloats : Pass<"tw-expand-small-floats"> {
  let summary = "Rewrite conversions of small floats into integer arithmetic";
  let description = [{
    LLVM has no arithmetic on floats of 8 bits and fewer, and lowers conversions
    of f16 and bf16 to calls of the compiler's runtime library, which a tile
    function must not make, where the instruction set has no instruction for
    them. This pass rewrites, on scalars and vectors of any shape,

    - `arith.extf` from any of f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ,
      f8E8M0FNU, f6E2M3FN, f6E3M2FN, f4E2M1FN, bf16 and f16,
    - `arith.truncf` from f32 to floats of 8 bits, and from f32 and f64 to bf16
      and f16 (round to nearest, ties to even, once),

    into integer arithmetic, by way of f32. All are exact or correctly rounded, keep denormals,
    and keep NaN a NaN. With `native-f16` conversions of f16 stay as they are.
  }];
  let options = [
    Option<"nativeF16", "native-f16", "bool", /*default=*/"false",
           "The target converts f16 by instructions (f16c)">,
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def PlanTileFunctions : Pass<"tw-plan-tile-functions", "mlir::ModuleOp"> {
  let summary = "Choose how each declared tile function is generated";
  let description = [{
    Each declaration of a tile function, by its attribute `tw.tile` or by its
    name, gets `#tw.tile<..., plan = "...">`: the planner's choice for its key,
    with all parts, so that nobody after this pass has to choose. `plan`
    overrides parts of it; those that the key does not fit are an error that
    says why. A tile that has a plan keeps it.

    So does each `llvm.func` that a model calls as a tile; those of GPUs and of
    the variant `vnni`, whose code no plan is for, stay without.
  }];
  let options = [
    Option<"prefix", "prefix", "std::string", /*default=*/"\"tw\"",
           "Prefix of the tile names: <prefix>_mmt4d_tile_...">,
    Option<"plan", "plan", "std::string", /*default=*/"\"\"",
           "Overrides of the plan, in the syntax of a printed plan">,
    Option<"core", "core", "std::string", /*default=*/"\"\"",
           "The core that tiles of its architecture are planned for">,
  ];
  let dependentDialects = ["tilewright::tw::TwDialect"];
}

def GenerateTileFunctions : Pass<"tw-generate-tile-functions", "mlir::ModuleOp"> {
  let summary = "Give each planned tile function the code of its plan";
  let description = [{
    Each declaration with a `#tw.tile` that has a plan gets the type
    `(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()`, the C ABI, and the
    code that the plan says: loops over register blocks, in each of them a loop
    over the K steps whose accumulators are vectors carried by `scf.for`, and
    the stores of the out tile. Only the attribute is read: neither the
    function's name nor the planner.

    `tw-define-tile-functions` gives the same function the body that its name
    specifies, which says what is computed and not how.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
  ];
}

def ConvertTilesToLLVM : Pass<"tw-convert-tiles-to-llvm", "mlir::ModuleOp"> {
  let summary = "Convert planned tile functions to the LLVM dialect in one walk";
  let description = [{
    What `tw-generate-tile-functions` makes consists of `scf.for` and `scf.if`, operations
    of `arith` and `vector` on scalars and one-dimensional vectors, and
    operations of the LLVM dialect: all of them on types that the LLVM dialect
    takes as they are. This pass replaces each operation by its counterpart and
    the structured loops by branches, and the `func.func` by an `llvm.func`.
    Loops test at their end, behind a test whether they run at all (left out
    where both bounds are constants that say so).

    It does in one walk, and a fifth of the time, what the pipeline
    `tw-lower-to-llvm` does with upstream's conversions for any code. An
    operation or type that has no counterpart is an error.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // TILEWRIGHT_TRANSFORMS_PASSES
