// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_DIALECT_TWOPS
#define TILEWRIGHT_DIALECT_TWOPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tw_Dialect : Dialect {
  let name = "tw";
  let cppNamespace = "::tilewright::tw";
  let summary = "Packed multiplications, dispatches, stages of pipelined loops";
  let description = [{
    `tw.mmt4d` is a matrix multiplication on packed operands, by a tile function
    that it names: what calls of tiles and launches of their kernels are made of.
    `#tw.tile` is that function, and its plan where it has one.
    `tw.pack` and `tw.unpack` name a pack function. `tw.dispatch` calls a function that was outlined from a model.

    The rest is independent of the target. A loop that brings data from global memory through workgroup memory into
    arithmetic has three stages: READ (global memory to registers), WRITE
    (registers to workgroup memory) and COMPUTE. The dialect marks them, so that
    a pass that knows no target can pipeline the loop, and marks in the result
    where a stage ends, so that a target may keep its instruction scheduler from
    mixing stages. A target that has no such means erases those marks.

    Discardable attributes:

    - `tw.stage`, on an operation of a loop's body: its stage, `#tw.stage<...>`;
    - `tw.stages`, on an `scf.for`: asks `tw-pipeline-stages` to pipeline it,
      over 2 or 3 iterations;
    - `tw.buffers`, on the same: how many buffers of workgroup memory there are,
      which consecutive iterations use in turn (1 if absent; `tw.buffer_slot`);
    - `tw.boundaries`, on the same: a dictionary from stage (`read`, `compute`)
      to the attributes of the `tw.stage_boundary` after it; no boundary after a
      stage that is not in it. Absent: plain boundaries after both;
    - `tw.skew`, on the same: half of the waves of a workgroup runs one stage
      behind the other half;
    - `tw.tile`, on a `func.func` that is a tile, and on an encoded contraction
      that one multiplies: `#tw.tile<...>`;
    - `tw.workgroup_memory`, on a `gpu.barrier`: it orders accesses to workgroup
      memory only.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

class Tw_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::tw";
  let genSpecializedAttr = 0;
}

include "TwTiles.td"

def Tw_Stage : Tw_I32Enum<"Stage", "stage of a pipelined loop", [
  I32EnumAttrCase<"Read", 0, "read">,
  I32EnumAttrCase<"Compute", 1, "compute">,
  I32EnumAttrCase<"Write", 2, "write">]>;

def Tw_StageAttr : EnumAttr<Tw_Dialect, Tw_Stage, "stage"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tw_Instructions : Tw_I32Enum<"Instructions", "class of instructions", [
  I32EnumAttrCase<"VectorAlu", 0, "vector_alu">,
  I32EnumAttrCase<"ScalarAlu", 1, "scalar_alu">,
  I32EnumAttrCase<"Transcendental", 2, "transcendental">,
  I32EnumAttrCase<"Matrix", 3, "matrix">,
  I32EnumAttrCase<"GlobalRead", 4, "global_read">,
  I32EnumAttrCase<"GlobalWrite", 5, "global_write">,
  I32EnumAttrCase<"WorkgroupRead", 6, "workgroup_read">,
  I32EnumAttrCase<"WorkgroupWrite", 7, "workgroup_write">]>;

def Tw_InstructionsAttr : EnumAttr<Tw_Dialect, Tw_Instructions, "instructions"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tw_Skew : Tw_I32Enum<"Skew", "wave skew at a boundary", [
  I32EnumAttrCase<"Enter", 0, "enter">,
  I32EnumAttrCase<"Step", 1, "step">,
  I32EnumAttrCase<"Leave", 2, "leave">]>;

def Tw_SkewAttr : EnumAttr<Tw_Dialect, Tw_Skew, "skew"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tw_GroupAttr : AttrDef<Tw_Dialect, "Group"> {
  let mnemonic = "group";
  let summary = "`count` consecutive instructions of one class";
  let parameters = (ins EnumParameter<Tw_Instructions>:$instructions,
                        "unsigned":$count);
  let assemblyFormat = "`<` $instructions `,` $count `>`";
  let genVerifyDecl = 1;
}

class Tw_ArrayOf<Attr element, string summary>
    : TypedArrayAttrBase<element, summary>;

def Tw_RankedTensorOrMemRef : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

def Tw_StageBoundaryOp : Op<Tw_Dialect, "stage_boundary"> {
  let summary = "End of a stage: instructions do not move across";
  let description = [{
    Marks where the stage `after` of a pipelined loop ends. Nothing is computed
    and nothing synchronised: correctness never depends on it, and a target may
    erase it. What a target does with it is about the order of instructions:

    - none move across, except those of the classes in `allow`;
    - `interleave`: the instructions of the stage that ends here are to issue
      in this order;
    - `priority`: of the wave among those of its SIMD from here on, 0 (lowest)
      to 3;
    - `skew`: `enter` lets half of the waves of the workgroup fall one step
      behind, `leave` waits for them, `step` is where the halves meet in
      between.

    ```mlir
    tw.stage_boundary after read
    tw.stage_boundary after compute
      interleave [#tw.group<workgroup_read, 1>, #tw.group<matrix, 2>] priority 1
    ```
  }];
  let arguments = (ins
    Tw_StageAttr:$after,
    OptionalAttr<Tw_ArrayOf<Tw_InstructionsAttr, "instruction classes">>:$allow,
    OptionalAttr<Tw_ArrayOf<Tw_GroupAttr, "groups of instructions">>:$interleave,
    OptionalAttr<I32Attr>:$priority,
    OptionalAttr<Tw_SkewAttr>:$skew);
  let assemblyFormat = [{
    `after` custom<Stage>($after) (`allow` $allow^)?
    (`interleave` $interleave^)? (`priority` $priority^)? (`skew` $skew^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Tw_AwaitReadsOp : Op<Tw_Dialect, "await_reads"> {
  let summary = "Wait for reads that go straight into workgroup memory";
  let description = [{
    Waits until no more than `pending` of each wave's reads from global memory
    into workgroup memory are outstanding, then for all waves of the workgroup:
    a barrier. Reads arrive in the order in which they were issued; what has
    arrived is visible to the workgroup. Unlike `tw.stage_boundary` it is needed
    for correctness: a target without such reads refuses it.
  }];
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Tw_BufferSlotOp : Op<Tw_Dialect, "buffer_slot", [Pure]> {
  let summary = "Which buffer of workgroup memory this iteration uses";
  let description = [{
    In a loop with `tw.stages`: iteration i keeps its data in buffer i modulo
    `tw.buffers`. `tw-pipeline-stages` replaces it, in each stage by the number
    of the iteration that the stage is at.
  }];
  let results = (outs Index:$slot);
  let assemblyFormat = "attr-dict";
}

def Tw_Mmt4dOp : Op<Tw_Dialect, "mmt4d", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Multiplication of packed matrices, by a tile function";
  let description = [{
    out += lhs * rhs, or out = lhs * rhs with `overwrite`, on panels and tiles of
    the tile function `tile`, whose name says M0, N0, K0 and the element types.
    On tensors it has a result; on buffers it writes `out`.

    The last two dimensions of the operands are M0 x K0, N0 x K0 and M0 x N0. The
    maps say which outer loop indexes each dimension before them. A loop is of
    the batch if it indexes all operands, else m (lhs and out), n (rhs and out)
    or k (lhs and rhs); there may be any number of each. Dimensions lie in the
    order

        lhs [batch..., m..., k..., M0, K0]
        rhs [batch..., n..., k..., N0, K0]
        out [batch..., m..., n..., M0, N0]

    and loops of a kind in the same order wherever they are. So each operand is,
    for each batch, one sequence of panels of all K steps, or of rows of tiles,
    whatever the number of its dimensions. All of this is verified.

    Of a tile of the variant `vnni` the last dimensions of rhs are in groups of G
    along K, of 4 bytes: K0 / G x N0 x G.

    A tile of the variant `mx` has `scales`, of lhs and of rhs, f8E8M0FNU, one for
    32 elements. The 32 are a dimension of lhs and rhs, the last one, and their
    last loop of k, of one iteration, goes over it. The scales have the
    dimensions of their operand but these two:

        lhs [batch..., m..., k..., 1, M0, K0 / 32, 32], scales [batch..., m..., k..., M0, K0 / 32]
        rhs [batch..., n..., k..., 1, N0, K0 / 32, 32], scales [batch..., n..., k..., N0, K0 / 32]

    Elements of 4 and 6 bits are bytes of such a stream, i8, 16 or 24 for 32 elements.

    ```mlir
    %r = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base"> overwrite
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%lhs, %rhs : tensor<?x64x8x1xf32>, tensor<3x64x32x1xf32>)
      outs(%out : tensor<?x3x8x32xf32>) -> tensor<?x3x8x32xf32>
    ```
  }];
  let arguments = (ins
    Tw_RankedTensorOrMemRef:$lhs,
    Tw_RankedTensorOrMemRef:$rhs,
    Tw_RankedTensorOrMemRef:$out,
    Variadic<Tw_RankedTensorOrMemRef>:$scales,
    Tw_TileAttr:$tile,
    AffineMapArrayAttr:$indexing_maps,
    UnitAttr:$overwrite);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    qualified($tile) (`overwrite` $overwrite^)? `indexing_maps` `=` $indexing_maps
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    (`scales` `(` $scales^ `:` type($scales) `)`)?
    `outs` `(` $out `:` type($out) `)` attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What `tile` spells.
    ::tilewright::TileKey getKey() { return getTile().getKey(); }

    /// How many dimensions of each kind there are.
    struct Dims {
      int64_t batch = 0, m = 0, n = 0, k = 0;
    };
    Dims getDims();

    /// How many of an operand's last dimensions have sizes that the tile says.
    unsigned getTileDims(unsigned operand);

    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];
}

def Tw_MatmulOp : Op<Tw_Dialect, "matmul", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Multiplication of matrices where they lie, by a tile function";
  let description = [{
    out += lhs * rhs, or out = lhs * rhs with `overwrite`. The operands are not
    packed, but for the rhs with `rhs_packed`: they are, block by block, while
    they are multiplied, in `workspace`, which holds nothing before and after. On
    tensors there are two results, out and the workspace; on buffers they are
    written.

    The maps say which loop indexes each dimension. The last three loops are m
    (of lhs and out), n (of rhs and out) and k (of lhs and rhs): the matrices.
    Loops before them are of the batch (of all operands), m or n. The innermost
    dimension of lhs is m or k, that of rhs n or k, that of out m or n.

    A packed rhs has, behind the dimensions of its map, N0 and K0, of the variant
    `vnni` those of groups as tw.mmt4d has them; its map ends in n, k, which count
    panels and steps.

    With `m_loops` or `k_loops` there are so many loops of m, or of k, instead of
    one: rows and columns of the lhs are numbered by nests of loops, and it is
    gathered. Its map may have sums of loops times positive constants, as those
    of a convolution's windows, and any innermost dimension. In out the loops of
    m index neighbouring dimensions, in order. The rhs is packed, and of the
    loops of k only the last one counts steps: each of the others' iterations is
    filled up to whole steps. Where the last one is part of a sum, `k_size` says
    how many columns it has. A rhs that is kept ends in n, k, too, rows of
    columns that are filled up like this.

    `thin`, for a rhs that is not packed, says that m may be TW_THIN_MOST_ROWS
    or less: then the rhs is read where it lies, and nothing is packed.

    With `rhs_kept` the rhs, which is not packed, never changes: the first call
    packs it and keeps the panels, as nobody knows how those of a scalable tile
    lie before the program runs, unless `tw.keep_packed` was there before.

    `few_rows = [1, 4]`, for a packed or kept rhs, says that m may be small: up to so many
    rows are multiplied by tiles of so many, named as `tile` but for M0. They are
    fewer than the tile's, which are counted at the least length of vectors where
    they are scalable.

    `epilogue`, on buffers, is a function that is called with each block of out
    that has its sums, and does with it what it does: of `epilogue_operands`, the
    index of each loop of the batch, and where the block begins and ends: its
    rows, of all loops of m, and its columns. The blocks are all of out, in any
    order, several at a time where there are threads.

    ```mlir
    %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base">
      overwrite rhs_packed
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%lhs, %rhs : tensor<?x64xf32>, tensor<3x64x32x1xf32>)
      outs(%out, %workspace : tensor<?x96xf32>, tensor<4194304xi8>)
      -> tensor<?x96xf32>, tensor<4194304xi8>
    ```
  }];
  let arguments = (ins
    Tw_RankedTensorOrMemRef:$lhs,
    Tw_RankedTensorOrMemRef:$rhs,
    Tw_RankedTensorOrMemRef:$out,
    Tw_RankedTensorOrMemRef:$workspace,
    Variadic<AnyType>:$epilogue_operands,
    Tw_TileAttr:$tile,
    AffineMapArrayAttr:$indexing_maps,
    UnitAttr:$overwrite,
    UnitAttr:$rhs_packed,
    UnitAttr:$rhs_kept,
    UnitAttr:$thin,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$few_rows,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$m_loops,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$k_loops,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$k_size,
    OptionalAttr<FlatSymbolRefAttr>:$epilogue);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    qualified($tile) (`overwrite` $overwrite^)? (`rhs_packed` $rhs_packed^)? (`rhs_kept` $rhs_kept^)?
    (`thin` $thin^)? (`few_rows` `=` $few_rows^)? (`m_loops` `=` $m_loops^)? (`k_loops` `=` $k_loops^)?
    (`k_size` `=` $k_size^)?
    `indexing_maps` `=` $indexing_maps
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    `outs` `(` $out `,` $workspace `:` type($out) `,` type($workspace) `)`
    (`epilogue` $epilogue^ `(` $epilogue_operands `:` type($epilogue_operands) `)`)?
    attr-dict (`->` type($results)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Value":$lhs,
                   "::mlir::Value":$rhs, "::mlir::Value":$out,
                   "::mlir::Value":$workspace, "::tilewright::tw::TileAttr":$tile,
                   "::mlir::ArrayAttr":$maps, "bool":$overwrite,
                   "bool":$rhsPacked, "bool":$thin, "uint64_t":$mLoops,
                   "uint64_t":$kLoops, "::mlir::IntegerAttr":$kSize), [{
      build($_builder, $_state, results, lhs, rhs, out, workspace,
            /*epilogue_operands=*/{}, tile, maps, overwrite, rhsPacked,
            /*rhs_kept=*/false, thin,
            /*few_rows=*/::llvm::ArrayRef<int64_t>(), mLoops, kLoops, kSize, /*epilogue=*/{});
    }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What `tile` spells, and the tile of few rows.
    ::tilewright::TileKey getKey() { return getTile().getKey(); }
    ::tilewright::tw::TileAttr getTileOfFew(int64_t rows);

    /// The tile of `rows` rows, a fixed number, for the panels of `tile`; none if
    /// there is none, or those of `tile` are no more.
    static std::optional<::tilewright::TileKey>
    keyOfFew(::tilewright::TileKey tile, int64_t rows);

    /// Whether the tile gets panels of the rhs that another call has packed.
    bool hasRhsPanels() { return getRhsPacked() || getRhsKept(); }

    /// The maps of lhs, rhs and out.
    ::llvm::SmallVector<::mlir::AffineMap> getMaps();

    /// The last of their loops: m, n, k. The last loop of each; those of m and
    /// of k that come before it.
    unsigned getMLoop() { return getNLoop() - 1; }
    unsigned getNLoop() { return getKLoop() - unsigned(getKLoops()); }
    unsigned getKLoop() { return getMaps().front().getNumDims() - 1; }
    unsigned getFirstMLoop() { return getNLoop() - unsigned(getMLoops()); }
    unsigned getFirstKLoop() { return getNLoop() + 1; }

    /// Whether the lhs is not a matrix with a stride.
    bool isGathered();

    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(*this, 2, 2);
    }
  }];
}

class Tw_PackBase<string mnemonic> : Op<Tw_Dialect, mnemonic, [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let results = (outs Optional<AnyRankedTensor>:$result);
  let hasVerifier = 1;
  code sharedDeclarations = [{
    /// What `function` spells.
    ::tilewright::PackKey getKey();

    ::tilewright::PackedForm getForm();
    ::tilewright::PackLayout getLayout();

    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getDestMutable();
    }
  }];
}

def Tw_PackOp : Tw_PackBase<"pack"> {
  let summary = "A matrix into tiles, by a pack function";
  let description = [{
    What `linalg.pack` does, in a layout that a pack function has: `function`,
    whose name says the bits of an element, the rows and columns of a tile, and
    whether lines of the matrix are rows or columns. On tensors it has a result;
    on buffers it writes `dest`. Where tiles reach beyond the matrix they have
    `padding`, zeros if there is none.

    Dimension i of the packed form goes along dimension `outer_dims_perm[i]` of
    the matrix, in tiles if that is one of `inner_dims_pos`, whose tiles are its
    last dimensions, in that order. There are one or two. Which of them are rows
    and which columns, and which dimensions beside them one call goes over,
    follows (tilewright/Dialect/PackLayout.h); all of this is verified.

    ```mlir
    %r = tw.pack "tw_pack_tile_32_rows_12x1_x86_64_avx512_base"
      outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%matrix : tensor<?x64xf32>) padding(%zero : f32)
      outs(%packed : tensor<?x64x12x1xf32>) -> tensor<?x64x12x1xf32>
    ```
  }];
  let arguments = (ins
    Tw_RankedTensorOrMemRef:$source,
    Optional<AnyType>:$padding,
    Tw_RankedTensorOrMemRef:$dest,
    StrAttr:$function,
    DenseI64ArrayAttr:$outer_dims_perm,
    DenseI64ArrayAttr:$inner_dims_pos);
  let assemblyFormat = [{
    $function `outer_dims_perm` `=` $outer_dims_perm
    `inner_dims_pos` `=` $inner_dims_pos
    `ins` `(` $source `:` type($source) `)`
    (`padding` `(` $padding^ `:` type($padding) `)`)?
    `outs` `(` $dest `:` type($dest) `)` attr-dict (`->` type($result)^)?
  }];
  let extraClassDeclaration = sharedDeclarations # [{
    ::mlir::Value getMatrix() { return getSource(); }
    ::mlir::Value getPacked() { return getDest(); }
  }];
}

def Tw_UnPackOp : Tw_PackBase<"unpack"> {
  let summary = "Tiles into a matrix, by an unpack function";
  let description = [{
    The way back of `tw.pack`, for elements of the matrix, all of which are
    written. What tiles have beyond it is not read.
  }];
  let arguments = (ins
    Tw_RankedTensorOrMemRef:$source,
    Tw_RankedTensorOrMemRef:$dest,
    StrAttr:$function,
    DenseI64ArrayAttr:$outer_dims_perm,
    DenseI64ArrayAttr:$inner_dims_pos);
  let assemblyFormat = [{
    $function `outer_dims_perm` `=` $outer_dims_perm
    `inner_dims_pos` `=` $inner_dims_pos
    `ins` `(` $source `:` type($source) `)`
    `outs` `(` $dest `:` type($dest) `)` attr-dict (`->` type($result)^)?
  }];
  let extraClassDeclaration = sharedDeclarations # [{
    ::mlir::Value getMatrix() { return getDest(); }
    ::mlir::Value getPacked() { return getSource(); }
  }];
}

include "TwDispatches.td"
include "TwEncodings.td"
include "TwKept.td"

#endif // TILEWRIGHT_DIALECT_TWOPS
