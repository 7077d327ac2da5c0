// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data tiling: what tensors are for, how a device lays them out, and the
// operations that go between. docs/data-tiling.md tells the whole story.

#ifndef TILEWRIGHT_DIALECT_TWENCODINGS
#define TILEWRIGHT_DIALECT_TWENCODINGS

include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tw_Operand : Tw_I32Enum<"Operand", "operand of a contraction", [
  I32EnumAttrCase<"Lhs", 0, "lhs">,
  I32EnumAttrCase<"Rhs", 1, "rhs">,
  I32EnumAttrCase<"Out", 2, "out">,
  I32EnumAttrCase<"LhsScales", 3, "lhs_scales">,
  I32EnumAttrCase<"RhsScales", 4, "rhs_scales">]>;

def Tw_EncodingAttr : AttrDef<Tw_Dialect, "Encoding", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "encoding";
  let summary = "What a tensor is for: an operand of a contraction";
  let description = [{
    In the encoding slot of a tensor type: the tensor is `operand` of a
    contraction out += lhs * rhs with these element types (integers say their
    signs), indexing maps, and sizes of its loops as far as they are known. It
    has the shape that it has without the encoding; how it lies in memory is for
    the device to say that the contraction runs on, which makes a `#tw.layout`
    of the encoding.

    A loop is of the batch if it indexes all three operands, else m (lhs and
    out), n (rhs and out) or k (lhs and rhs); there is one of m, n and k at
    least. Maps are projected permutations.

    In a scaled contraction elements of lhs and rhs that lie in one block have a
    scale together, by which each is multiplied. It has types and maps of these
    scales, too, behind those of out. One loop of k goes through a block, which
    indexes no scales; they are indexed by all others of their operand, of which
    there is one of k at least.

    `any_m` says that several contractions have this rhs, which differ in the
    sizes of their m loops: how the rhs lies may not depend on those. A size of m
    may then be the largest of those that the contraction is done for.

    With `dims` the tensor is not the operand: it lies as that does. Of each of
    its dimensions `dims` says which of the operand's it is; `*` is one of its
    own, which no tile has. It may have other sizes, not all of the operand's
    dimensions, and, by `element`, elements of another type: what is computed of
    a product, moved, cast or summed, stays with its tiles.

    ```mlir
    tensor<64x96xf32, #tw.encoding<rhs, types = [f32, f32, f32],
      maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
              affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>>
    tensor<2x96x?xf16, #tw.encoding<out, types = [f32, f32, f32], maps = [...],
      sizes = [?, 96, 64], dims = [*, 1, 0], element = f16>>
    tensor<128x24xf8E8M0FNU, #tw.encoding<lhs_scales,
      types = [f8E4M3FN, f8E5M2, f32, f8E8M0FNU, f8E8M0FNU],
      maps = [affine_map<(m, n, k, kb) -> (m, k, kb)>,
              affine_map<(m, n, k, kb) -> (n, k, kb)>,
              affine_map<(m, n, k, kb) -> (m, n)>,
              affine_map<(m, n, k, kb) -> (m, k)>,
              affine_map<(m, n, k, kb) -> (n, k)>], sizes = [128, ?, 24, 32]>>
    ```
  }];
  let parameters = (ins
    "Operand":$operand,
    ArrayRefParameter<"::mlir::Type", "by operand">:$element_types,
    ArrayRefParameter<"::mlir::AffineMap", "by operand">:$maps,
    ArrayRefParameter<"int64_t", "of the loops">:$sizes,
    "bool":$any_m,
    ArrayRefParameter<"int64_t", "empty: it is the operand">:$dims,
    "::mlir::Type":$element);
  let builders = [
    AttrBuilder<(ins "Operand":$operand,
                     "::llvm::ArrayRef<::mlir::Type>":$element_types,
                     "::llvm::ArrayRef<::mlir::AffineMap>":$maps,
                     "::llvm::ArrayRef<int64_t>":$sizes, "bool":$any_m), [{
      return $_get($_ctxt, operand, element_types, maps, sizes, any_m,
                   ::llvm::ArrayRef<int64_t>(), ::mlir::Type());
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The map of the operand.
    ::mlir::AffineMap getMap() const {
      return getMaps()[static_cast<unsigned>(getOperand())];
    }

    /// The size of the operand's dimension; dynamic where it is not known, as
    /// that of a tensor with windows.
    int64_t getOperandSize(unsigned dim) const;

    /// The same contraction's encoding of an operand.
    EncodingAttr withOperand(Operand operand) const;
    /// That of the operand itself, as which the tensor may only lie.
    EncodingAttr ofOperand() const { return withOperand(getOperand()); }
    EncodingAttr withAnyM() const;
    /// With any_m, for at most so many iterations of a loop of m of which the
    /// size is not known.
    EncodingAttr forFewRows(unsigned loop, int64_t rows) const;

    /// Whether lhs and rhs have scales.
    bool isScaled() const { return getMaps().size() == kScaledOperands; }
    static constexpr unsigned kScaledOperands = 5;
    /// The loop through the elements that have a scale together, of a scaled
    /// contraction.
    unsigned getBlockLoop() const;
    /// Its operands, in the order in which an operation has them: out is last.
    ::llvm::ArrayRef<Operand> getOperands() const;
    /// Their maps, in this order.
    ::llvm::SmallVector<::mlir::AffineMap> getMapsOfOperation() const;
    /// What the tensor's elements are; integers say their signs.
    ::mlir::Type getTensorElement() const;
    /// And in memory, where they have none.
    ::mlir::Type getElementInMemory() const;

    /// Whether the lhs is windows of a tensor.
    bool isGathered() const;

    /// In `dims`: a dimension of the tensor's own.
    static constexpr int64_t kOwnDim = -1;

    /// Whether the tensor only lies as the operand does.
    bool isRelated() const { return !getDims().empty(); }
    /// Of each dimension of the tensor, the operand's, or kOwnDim.
    ::llvm::SmallVector<int64_t> getAllDims() const;
    /// That of `type`, which lies as the operand does: the operand's own where
    /// it could be the operand.
    EncodingAttr related(::llvm::ArrayRef<int64_t> dims,
                         ::mlir::RankedTensorType type) const;

    /// The loops of each kind. Those of the batch, m and k are in the order in
    /// which they index lhs, those of n in that of rhs.
    struct Loops {
      ::llvm::SmallVector<unsigned> batch, m, n, k;
    };
    Loops getLoops() const;

  private:
    static ::llvm::LogicalResult verifyScales(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::llvm::ArrayRef<::mlir::AffineMap> maps);
    ::llvm::LogicalResult verifyWindow(unsigned dim, int64_t size,
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;

  public:
  }];
}

def Tw_LayoutAttr : AttrDef<Tw_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "How a device lays a tensor out";
  let description = [{
    In the encoding slot of a tensor type, what a device made of an encoding.
    Elements lie as in the result of a `linalg.pack` with `outer_dims_perm =
    outer`, `inner_dims_pos = inner` and `inner_tiles = tiles`, filled up with
    zeros; `#tw.layout<identity>` as without an encoding.

    A tile size in brackets is one where vectors have 128 bits, and as many times
    that where they are longer, which is known where the program runs
    (`tw.vscale`); with `streaming`, those of SME's streaming mode.

    With `swizzle`, each tile is laid out in another order: `expand` says which
    factors each of its dimensions has, and `perm` where these go, so that
    `tiles = [16, 64], swizzle = [[16], [16, 4]] perm [1, 0, 2]` has groups of 4
    along the second dimension beside each other: [16][16][4].

    ```mlir
    tensor<64x96xf32, #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 1]>>
    tensor<64x96xf32, #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [[8], 1]>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$outer,
    ArrayRefParameter<"int64_t">:$inner,
    ArrayRefParameter<"int64_t">:$tiles,
    ArrayRefParameter<"bool">:$scalable,
    "bool":$streaming,
    ArrayRefParameter<"int64_t", "of the factors of all dimensions">:$expand,
    ArrayRefParameter<"int64_t", "how many factors each has">:$factors,
    ArrayRefParameter<"int64_t">:$perm);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$outer,
                     "::llvm::ArrayRef<int64_t>":$inner,
                     "::llvm::ArrayRef<int64_t>":$tiles), [{
      return get($_ctxt, outer, inner, tiles,
                 ::llvm::SmallVector<bool>(tiles.size(), false), false);
    }]>,
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$outer,
                     "::llvm::ArrayRef<int64_t>":$inner,
                     "::llvm::ArrayRef<int64_t>":$tiles,
                     "::llvm::ArrayRef<bool>":$scalable, "bool":$streaming), [{
      return $_get($_ctxt, outer, inner, tiles, scalable, streaming,
                   ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>(),
                   ::llvm::ArrayRef<int64_t>());
    }]>];
  let extraClassDeclaration = [{
    static LayoutAttr getIdentity(::mlir::MLIRContext *context) {
      return get(context, {}, {}, {});
    }
    bool isIdentity() const { return getOuter().empty(); }
    bool isScalable() const {
      return ::llvm::is_contained(getScalable(), true);
    }

    /// How a tensor lies whose dimensions are these of one that has this
    /// layout, as `dims` of an encoding says it: in the same tiles, one of its
    /// own before that which follows it. Identity if it has none that is tiled.
    LayoutAttr related(::llvm::ArrayRef<int64_t> dims) const;

    /// The same two tiles with elements along the second in groups of so many:
    /// [second / group][first][group]. Null if the tiles are others.
    LayoutAttr inGroups(int64_t group) const;
    /// Of a layout that inGroups() gives, its argument; else 0.
    int64_t getGroup() const;

    /// The tile size along each of `rank` dimensions; 0 where there are no
    /// tiles.
    ::llvm::SmallVector<int64_t> tilesByDim(unsigned rank) const;

    /// The type of a tensor that lies so, without encodings; `type` has this
    /// layout. What depends on the length of vectors is dynamic. Elements that
    /// are in streams of bits are bytes, along the last tile.
    ::mlir::RankedTensorType packedType(::mlir::RankedTensorType type) const;
  }];
}

def Tw_Memory : Tw_I32Enum<"Memory", "memory of a device", [
  I32EnumAttrCase<"Host", 0, "host">,
  I32EnumAttrCase<"Own", 1, "own">]>;

def Tw_DeviceAttr : AttrDef<Tw_Dialect, "Device"> {
  let mnemonic = "device";
  let summary = "A device that a module is compiled for";
  let description = [{
    In the attribute `tw.devices` of a module: what a device is called there, by
    `tw.device` of operations; what it is; and whose memory it computes in, the
    host's or its own, which elements have to be moved to. The first one with
    the host's is the host.

    ```mlir
    module attributes {tw.devices = [
      #tw.device<"cpu" = "x86_64:znver5", memory = host>,
      #tw.device<"gpu" = "amdgpu:gfx942", memory = own>]} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"what operations call it">:$name,
    StringRefParameter<"what it is">:$target,
    EnumParameter<Tw_Memory>:$memory);
  let assemblyFormat = "`<` $name `=` $target `,` `memory` `=` $memory `>`";
}

class Tw_EncodingOp<string mnemonic, bit folds = 1> : Op<Tw_Dialect, mnemonic, [
    Pure, DestinationStyleOpInterface]> {
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$dest);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $dest `:` type($dest) `)`
    attr-dict `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$dest), [{
      build($_builder, $_state, dest.getType(), source, dest);
    }]>];
  let hasVerifier = 1;
  let hasFolder = folds;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDestMutable(); }
    ::mlir::RankedTensorType getSourceType() { return getSource().getType(); }
    ::mlir::RankedTensorType getDestType() { return getDest().getType(); }
  }];
}

def Tw_SetEncodingOp : Tw_EncodingOp<"set_encoding", /*folds=*/0> {
  let summary = "A tensor as it lies -> encoded";
  let description = [{
    The elements of `source`, of a type without encoding, in a tensor of the
    same shape whose type has one, a `#tw.encoding` or a `#tw.layout`. `dest`
    says what sizes it has and where it may be written.

    ```mlir
    %e = tw.set_encoding ins(%x : tensor<?x64xf32>)
      outs(%d : tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs>
    ```
  }];
}

def Tw_UnsetEncodingOp : Tw_EncodingOp<"unset_encoding"> {
  let summary = "An encoded tensor -> as it lies without";
  let description = [{
    The way back of `tw.set_encoding`.
  }];
}

def Tw_RelayoutOp : Tw_EncodingOp<"relayout"> {
  let summary = "From one encoding to another";
  let description = [{
    The elements of `source`, an encoded tensor, in a tensor of the same shape
    and another encoding: what is left of a `tw.unset_encoding` and a
    `tw.set_encoding` of its result. Between equal encodings it stays until they
    are layouts: each device has its own.
  }];
}

def Tw_FromPackedOp : Op<Tw_Dialect, "from_packed", [Pure]> {
  let summary = "What somebody has packed before, as an encoded tensor";
  let description = [{
    The tensor that `packed` holds, of a type without encoding: the packed form
    of the layout that the device makes of the encoding. Nothing is moved; that
    the form is this one is known once the encoding is a layout.

    ```mlir
    %e = tw.from_packed %p : tensor<3x64x32x1xf32> -> tensor<64x96xf32, #rhs>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$packed);
  let results = (outs AnyRankedTensor:$encoded);
  let assemblyFormat = [{
    $packed attr-dict `:` type($packed) `->` type($encoded)
  }];
  let hasVerifier = 1;
}

def Tw_ToPackedOp : Op<Tw_Dialect, "to_packed", [Pure]> {
  let summary = "An encoded tensor as it lies";
  let description = [{
    The way back of `tw.from_packed`.
  }];
  let arguments = (ins AnyRankedTensor:$encoded);
  let results = (outs AnyRankedTensor:$packed);
  let assemblyFormat = [{
    $encoded attr-dict `:` type($encoded) `->` type($packed)
  }];
  let hasVerifier = 1;
}

def Tw_EncodingSizeOp : Op<Tw_Dialect, "encoding_size", [Pure]> {
  let summary = "The bytes that an encoded tensor takes";
  let description = [{
    How many bytes a host has to allocate for a tensor of `type`, whose dynamic
    sizes are `sizes`: what packing into its layout writes, or more, if its
    device says so. Known once the encoding is a layout.

    ```mlir
    %bytes = tw.encoding_size tensor<?x64xf32, #lhs> (%m) : index
    ```
  }];
  let arguments = (ins TypeAttrOf<AnyRankedTensor>:$type,
                       Variadic<Index>:$sizes);
  let results = (outs Index:$bytes);
  let assemblyFormat = "$type `(` $sizes `)` attr-dict `:` type($bytes)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
  }];
}

def Tw_VscaleOp : Op<Tw_Dialect, "vscale", [Pure]> {
  let summary = "How many times 128 bits a vector has";
  let description = [{
    1 to 16, of the machine that runs it: what `vector.vscale` says of SVE's
    vectors; with `streaming`, of SME's, which code that is not in streaming mode
    may ask for, too. Tiles in brackets of a `#tw.layout` are multiplied by it.

    ```mlir
    %scale = tw.vscale streaming : index
    ```
  }];
  let arguments = (ins UnitAttr:$streaming);
  let results = (outs Index:$scale);
  let assemblyFormat = "(`streaming` $streaming^)? attr-dict `:` type($scale)";
}

#endif // TILEWRIGHT_DIALECT_TWENCODINGS
