// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_COMPILE_PASSES
#define TILEWRIGHT_COMPILE_PASSES

include "mlir/Pass/PassBase.td"
include "DevicePasses.td"
include "DispatchPasses.td"
include "FrontEndPasses.td"
include "LoopPasses.td"
include "ParameterPasses.td"
include "TilePasses.td"

def CheckSizes : Pass<"tw-check-sizes", "mlir::func::FuncOp"> {
  let summary = "Refuse sizes that contradict each other";
  let description = [{
    Sizes that one loop of a structured operation goes over must agree, and a
    cast must be to sizes that can be. What types, `tensor.empty`, casts and the
    operations before say about them is put together; where two constants should
    be equal, no call could ever succeed, and the operation is an error that
    names both operands and their sizes. Sizes that only the caller knows are
    compared when the function is called; see tw-make-entry-points.
  }];
}

def CanonicalizePlaced : Pass<"tw-canonicalize-placed"> {
  let summary = "Canonicalize, and keep what runs where";
  let description = [{
    As `canonicalize`. A structured operation that a pattern makes in place of
    another one runs on the device that the other one named with `tw.device`,
    which patterns do not copy.
  }];
}

def FoldSizes : Pass<"tw-fold-sizes", "mlir::func::FuncOp"> {
  let summary = "Fold arithmetic on scalars, and drop what nothing uses";
  let description = [{
    Sizes are constants where they can be. Operations on tensors stay as they
    are, since their patterns trust in slices that nobody checked yet.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def PlainSignatures : Pass<"tw-plain-signatures", "mlir::ModuleOp"> {
  let summary = "Arguments and results that C has";
  let description = [{
    A public function that takes or returns truth values, or returns scalars,
    becomes a private one, behind a function of its name that C can have:
    elements of i1 are bytes, of which any but zero is true and which are 0 or 1
    in results; a scalar result is a tensor of one element. `tw.element` keeps
    what the elements were.

    ```mlir
    func.func @f(%x: tensor<?xi1>) -> f32
    // ->
    func.func @f(%x: tensor<?xi8> {tw.element = i1}) -> tensor<f32>
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect",
  ];
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
    dynamic size of a result must follow from sizes of arguments, by sums,
    products and the like, else it is an error. The function returns 0, or 1
    (TW_STATUS_INVALID_ARGUMENT) without having written anything if a size is or
    would become negative, two sizes that must agree differ, or a slice or a
    window reaches outside of its tensor; what must hold is read off the
    operations. `tw.in_bounds` is set on those that need no check of their own
    after that. Attributes `tw.c_arguments` and
    `tw.c_results` keep what the header says. The body becomes the private
    function `<name>.body`, which returns the status; private functions are
    expected to be inlined before.

    With `threads` above 1, which the module's `tw.threads` and `tw.least_task`
    say to later passes, entry points and bodies take a `tw_parallel_for_t` last, by which work can be done in several
    threads; but the function that states begin with does not.

    With `describe`, `tw.argument_values` and `tw.result_values` keep names and
    types on tensors, and the private function `<name>.result_sizes` computes
    every size of every result from the sizes and i64 arguments of a call that
    is not refused: what a runner needs, which knows nothing of the model.
  }];
  let options = [
    Option<"describe", "describe", "bool", /*default=*/"false",
           "Describe the entry points for a runner">,
    Option<"threads", "threads", "int64_t", /*default=*/"1",
           "How many tasks the work of a dispatch is cut into at most">,
    Option<"leastTask", "least-task", "int64_t", /*default=*/"1 << 15",
           "Less work is not worth a task, in units of tw.work">,
  ];
  let dependentDialects = [
    "mlir::LLVM::LLVMDialect", "mlir::affine::AffineDialect",
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::cf::ControlFlowDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
  ];
}

def TakePacked : Pass<"tw-take-packed", "mlir::ModuleOp"> {
  let summary = "Read packed what is handed over packed";
  let description = [{
    An argument of an entry point's body with `tw.packed` may be read by
    contractions alone, as their rhs: what they set the encoding of is then
    `tw.from_packed` of the panels that the pointer is to. All contractions that
    take an argument of one id say `any_m`, and their devices must make one
    layout of it; all else is an error. The body with `tw.packs` of that id packs into this layout, and
    `<id>_packed_bytes` is added, which returns how many bytes that are, or the
    negated status of a call that would be refused.

    ```mlir
    %t = bufferization.to_tensor %row_major : memref<64x96xf32>
    %e = tw.set_encoding ins(%t : tensor<64x96xf32>) outs(%d : tensor<64x96xf32, #rhs>)
    // ->
    %t = bufferization.to_tensor %panels : memref<3x64x32x1xf32>
    %e = tw.from_packed %t : tensor<3x64x32x1xf32> -> tensor<64x96xf32, #rhs>
    ```
  }];
  let options = [
    Option<"prefix", "prefix", "std::string", /*default=*/"\"tw\"",
           "Prefix of the names of tile functions">,
    Option<"hostPacksBlocks", "host-packs-blocks", "bool", /*default=*/"false",
           "As tw-specialize-encodings">,
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::bufferization::BufferizationDialect", "mlir::memref::MemRefDialect",
    "mlir::tensor::TensorDialect", "tilewright::tw::TwDialect",
  ];
}

def HoistAsserts : Pass<"tw-hoist-asserts", "mlir::func::FuncOp"> {
  let summary = "Asserts of an operation's elements, asserted before it";
  let description = [{
    What the body of a structured operation asserts of each element, as that an
    index lies in a table, becomes a reduction in front of the operation over the
    loops that the condition depends on, and one `cf.assert` of its result.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
  ];
}

def PlainBuffers : Pass<"tw-plain-buffers", "mlir::ModuleOp"> {
  let summary = "Copies and deallocations without a runtime library";
  let description = [{
    A copy of a part of a buffer becomes loops, where upstream would call
    `memrefCopy`; the function that upstream makes to free what a branch or a
    loop may have allocated is inlined.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def ContiguousBuffers : Pass<"tw-contiguous-buffers"> {
  let summary = "Types say that buffers are contiguous, where they are";
  let description = [{
    Bufferization forgets the strides of what branches and loops hand on. Where
    both branches of an `scf.if` yield contiguous buffers, its result is one, and
    so is a reshape of one. A `tw.dispatch` is given buffers, not casts that
    forget it.
  }];
  let dependentDialects = ["mlir::memref::MemRefDialect"];
}

def LowerAsserts : Pass<"tw-lower-asserts", "mlir::ModuleOp"> {
  let summary = "Return the status of an assertion that fails";
  let description = [{
    `cf.assert` becomes a branch to where the function gives back what it has
    allocated (a call of `tw.give_back`, see tw-track-allocations) and returns
    `tw.status`. A function that launches kernels goes on, and returns the status
    of the first that failed when it is done: what it computes reads nothing
    outside of its tensors.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect",
  ];
}

def TrackAllocations : Pass<"tw-track-allocations", "mlir::ModuleOp"> {
  let summary = "Give back all memory of a function that returns early";
  let description = [{
    In functions that call `tw.give_back`, memory from `malloc` is kept in a list
    on the stack until `free`; what is in it is freed there. Others stay as they
    are.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def StructureTensors : Pass<"tw-structure-tensors", "mlir::func::FuncOp"> {
  let summary = "Slices, paddings, gathers and the like as structured operations";
  let description = [{
    `tensor.extract_slice`, `insert_slice`, `pad`, `concat`, `gather`,
    `generate` and `splat` become a `linalg.generic` over the elements of their
    result, which reads those of their operands at computed indices;
    `linalg.softmax` becomes its parts. No buffer is then a view into another,
    but for `tensor.expand_shape` and `collapse_shape`, which keep all elements
    in order; and what runs on the CPU runs on the GPU.

    Indices that come from data may be anything. A `tensor.gather`, a
    `tensor.extract` and a slice of which the entry point did not check that
    they lie in their tensors (`tw.in_bounds`) read zeros outside of them.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect",
  ];
}

def PlainProducts : Pass<"tw-plain-products", "mlir::func::FuncOp"> {
  let summary = "Make sums of products such as tiles compute";
  let description = [{
    Contractions and convolutions of integers that a tile would compute but for
    their operands:

    - elements of less than a byte that the body extends are extended to bytes
      before, a constant's here and now;
    - products of differences from zero points become products of the elements,
      `(x - a)(w - b) = xw - bx - aw + ab`: sums of each operand, of a constant
      one computed here, are taken off behind. So do `linalg.quantized_matmul`
      and `linalg.conv_2d_nhwc_hwcf_q`. Modulo 2^32 that is the same.

    What no tile computes in the end, as a depthwise convolution, or any on a
    device with memory of its own, stays as it is.

    A contraction reads what is broadcast or transposed from where it comes from,
    and writes a result that is only transposed in that order:
    `bmk,bkn->bmn` of weights that were broadcast over b is `bmk,kn->bmn`.
  }];
  let options = [
    Option<"convolutions", "convolutions", "bool", /*default=*/"true",
           "Whether tiles of the host compute convolutions">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect",
  ];
}

def FuseElementwise : Pass<"tw-fuse-elementwise", "mlir::func::FuncOp"> {
  let summary = "Fuse elementwise operations";
  let description = [{
    Upstream's fusion of elementwise operations, of a producer with one use, but
    not into contractions that have a tile: these stay what they are. What such a
    contraction goes on from, if it is a broadcast, is added to its result
    instead, unless that is of floats of less than 32 bits. Transposes of constants
    are folded. Reductions that keep a dimension of size 1 lose it, and what goes on
    from them; `affine.apply` in a body becomes arithmetic.

    Operations of two devices stay two. What sums, broadcasts and `affine.apply`
    become is for loops of the host: those of a device with memory of its own stay
    as they are.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
  ];
}

def FoldConstantMoves : Pass<"tw-fold-constant-moves", "mlir::func::FuncOp"> {
  let summary = "Slice, cast, transpose and reshape constants at compile time";
  let description = [{
    What multiplies by a part of a constant, or by one of another type, multiplies
    by a constant: `tensor.extract_slice` at known places, casts of elements
    (`arith.extf`, `truncf`, `extsi`, `extui`, `trunci`, `sitofp`, `uitofp`, but
    not to floats of 8 bits), transposes and reshapes, one after the other. Casts
    are what the program makes of the element, to the bit. Slices and casts that
    operations on elements alone read stay what they are, for these compute while
    they read.
  }];
  let options = [
    Option<"nativeF16", "native-f16", "bool", /*default=*/"false",
           "As tw-expand-small-floats: a NaN of f16 keeps its payload">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect",
  ];
}

def FoldConstantPacks : Pass<"tw-fold-constant-packs", "mlir::ModuleOp"> {
  let summary = "Pack constants at compile time";
  let description = [{
    Replaces each `linalg.pack` of a constant by the packed constant: of any
    number of dimensions, permutation and padding. Elements must be of whole
    bytes. A result of 4 KiB or more is a resource: nothing walks over its
    elements any more. Constants that several functions pack alike are packed
    once. The function's attribute `tw.packed` lists what was packed, the module's
    `tw.packed_values` has the results.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def SpecializeRows : Pass<"tw-specialize-rows", "mlir::ModuleOp"> {
  let summary = "Entry points choose a body by the rows they are called with";
  let description = [{
    What a GPU does is launched by straight lines, so that the tile of a product
    is chosen when the program is compiled, one for many rows where only the
    caller knows how many there are. Where the tile for up to 8 rows has fewer
    rows, the entry point gets a second body, `<entry>.few_rows.body`, which it
    calls for so few. The encodings in that say the 8 rows, and `any_m`: a rhs
    lies as it does for many, and a weight is stored once.

    If contractions of a body have rows that are computed from the caller's
    sizes in different ways, those count that most of them have.
  }];
  let options = [
    Option<"prefix", "prefix", "std::string", /*default=*/"\"tw\"",
           "Prefix of the names of tile functions">,
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::func::FuncDialect", "mlir::scf::SCFDialect",
  ];
}

def EmptyReshapes : Pass<"tw-empty-reshapes", "mlir::func::FuncOp"> {
  let summary = "What has no elements is not reshaped, but made";
  let description = [{
    A `tensor.collapse_shape` of dimensions of which one is 0 and another is not
    known becomes a `tensor.empty`. On buffers, upstream takes the product for
    0 where it makes the operation, and for unknown where it verifies it.
  }];
  let dependentDialects = ["mlir::affine::AffineDialect",
                           "mlir::arith::ArithDialect",
                           "mlir::tensor::TensorDialect"];
}

def SeparateEmpties : Pass<"tw-separate-empties", "mlir::func::FuncOp"> {
  let summary = "What is written somewhere has a place of its own";
  let description = [{
    Each use of a `tensor.empty` gets one that nothing else uses. CSE leaves one
    for all tensors of a type; bufferization then finds out for each of them,
    by comparing all that is read and written there, that it cannot be used, in
    time that grows with the third power of how many there are.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect"];
}

def WriteResults : Pass<"tw-write-results", "mlir::func::FuncOp"> {
  let summary = "Compute what is returned where the caller wants it";
  let description = [{
    Where `bufferization.materialize_in_destination` writes what was computed
    into a `tensor.empty`, by way of destinations and reshapes, the destination
    takes the place of the empty tensor. This is upstream's
    `eliminate-empty-tensors` without the analysis of the whole function, which
    takes as long as bufferizing it.
  }];
  let dependentDialects = [
    "mlir::bufferization::BufferizationDialect", "mlir::tensor::TensorDialect",
  ];
}

def LowerLoops : Pass<"tw-lower-loops", "mlir::func::FuncOp"> {
  let summary = "Scalar loops of the linalg operations that are left";
  let description = [{
    As upstream's `convert-linalg-to-loops`, without patterns that look at
    every operation of the function.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect",
  ];
}

def PlanArena : Pass<"tw-plan-arena", "mlir::ModuleOp"> {
  let summary = "Put the buffers of a call into one piece of memory";
  let description = [{
    Each `memref.alloc` of an entry point's body becomes a `memref.view` of an
    arena, a new argument of the body. Buffers that are in use at no common
    moment may lie in the same bytes. A buffer is in use from the first to the
    last operation that uses it or a view of it, however it got there: as
    operand, result or iteration argument of `scf` operations too. Buffers of
    static size have constant offsets; the others share slots, each as large as
    its largest buffer, whose offsets are computed from the sizes that the
    caller passes. All begin at multiples of 64 bytes.

    What has a size that comes from data, or is left by one iteration of a loop
    to the next, stays an allocation.

    The entry point `f` allocates its arena, and returns 5
    (TW_STATUS_OUT_OF_MEMORY) if it cannot; `f_workspace_bytes` says how large
    it has to be, and `f_with_workspace` takes it from the caller. Sizes of
    which the arena's does not fit 62 bits are refused with 3
    (TW_STATUS_OVERFLOW). The attribute `tw.arena` of the entry point describes
    the arena for header and report.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect",
  ];
}

def ExternalizeConstants : Pass<"tw-externalize-constants", "mlir::ModuleOp"> {
  let summary = "Take the bytes of large constants out of the program";
  let description = [{
    Each constant `memref.global` of 4 KiB or more loses its initial value, so
    that it becomes the declaration of a symbol. The module's attribute
    `tw.external_constants` has the values, by symbol: they go to the output as
    they are.
  }];
}

def LoadParameters : Pass<"tw-load-parameters", "mlir::ModuleOp"> {
  let summary = "Read large constants from a file that the caller has mapped";
  let description = [{
    Each constant of `tw.external_constants`, but for those whose elements are
    all equal, becomes a parameter: functions that read it, and those that call
    them, have a pointer to the file as their last argument, and `memref.get_global`
    becomes a `memref.view` at an offset. The module's attribute `tw.parameters`
    has the values, in the order of the file; see tilewright/instance.h.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

#endif // TILEWRIGHT_COMPILE_PASSES
