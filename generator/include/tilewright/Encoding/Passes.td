// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_ENCODING_PASSES
#define TILEWRIGHT_ENCODING_PASSES

include "mlir/Pass/PassBase.td"

def AssignDevices : Pass<"tw-assign-devices", "mlir::ModuleOp"> {
  let summary = "Say which devices there are, and where each operation runs";
  let description = [{
    With `devices`, the module gets `tw.devices`, and devices are called by these
    names. A function's attribute `tw.device` becomes that of each operation in
    it that has none, before the function is inlined. What is left without one
    runs on the first device with memory of its own, else on the host, which is
    the first without. A name of no device is an error.
  }];
  let options = [
    ListOption<"devices", "devices", "std::string",
               "Each <name>=<device>, or <device>, which then is its name">,
  ];
  let dependentDialects = ["tilewright::tw::TwDialect"];
}

def PlainContractions : Pass<"tw-plain-contractions", "mlir::func::FuncOp"> {
  let summary = "Contractions as tw-set-encodings writes them, without encodings";
  let description = [{
    Loops that lie next to each other are merged, dimensions of size 1 added, as
    tw-set-encodings does; nothing is encoded. Encodings that are set and
    dropped leave the same.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
    "tilewright::tw::TwDialect",
  ];
}

def SetEncodings : Pass<"tw-set-encodings", "mlir::func::FuncOp"> {
  let summary = "Say of tensors which contractions they are operands of";
  let description = [{
    Every contraction, out += lhs * rhs, whose element types are a type triple of
    tile functions is computed on encoded tensors: `tw.set_encoding` of its
    operands, a `linalg.generic`, `tw.unset_encoding` of its result. It may have
    any number of batch, m, n and k dimensions, in any order in each operand.
    What has no m or n, or neither, is given a dimension of size 1
    (`tensor.expand_shape`); so is an outer product, which has no k. A product
    with a vector has the vector as its lhs. What begins with zeros begins with
    zeros that are encoded.

    Loops of a kind that lie next to each other in all operands are merged first
    (`tensor.collapse_shape`).

    With `convolutions`, so is a sum of products of windows with weights: a
    convolution of any number of dimensions, in any layout, with strides,
    dilations and groups. Its weights are what a device packs; windows and the
    result stay where they lie, and each block of the windows is gathered while
    it is packed. Windows of one element, next to each other, make a
    contraction. What has no filters (depthwise convolutions, pooling), or
    windows at negative steps or beyond a constant offset, stays as it is. So does
    a convolution of a device with memory of its own, with a remark: no kernel
    gathers windows.

    A contraction that fits no type triple stays as it is, with a remark.
  }];
  let options = [
    Option<"convolutions", "convolutions", "bool", /*default=*/"false",
           "Convolutions of the host, too: multiplications gather windows "
           "(tw.matmul)">,
    Option<"convolutionLoopsBecause", "convolution-loops-because",
           "std::string", /*default=*/"\"\"",
           "Without `convolutions`: why, which a remark says of each">,
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
    "tilewright::tw::TwDialect",
  ];
}

def AgreeEncodings : Pass<"tw-agree-encodings", "mlir::ModuleOp"> {
  let summary = "One layout for a rhs that several contractions take";
  let description = [{
    Contractions whose rhs is the same constant or parameter, of whatever
    functions, or the same value, and whose encodings differ, say `any_m`: N0 and
    K0 of their tiles do not depend on how many rows they have, only M0 does. So
    the weights of a prefill and of a decode are packed and stored once.
  }];
  let options = [
    Option<"hostPacksBlocks", "host-packs-blocks", "bool", /*default=*/"false",
           "Contractions of the host pack block by block while they multiply: "
           "only constants lie packed">,
  ];
  let dependentDialects = [
    "mlir::tensor::TensorDialect", "tilewright::tw::TwDialect",
  ];
}

def PropagateEncodings : Pass<"tw-propagate-encodings", "mlir::ModuleOp"> {
  let summary = "Compute on encoded tensors as they lie";
  let description = [{
    What is done with results of contractions that `tw.unset_encoding` gives is
    done on the encoded tensors: all that is related by its operands, of one
    block, device and encoding, or none.

    - Elementwise operations of any number of operands and results, casts to
      other elements, transposes, broadcasts; also of indices, which follow from
      those of tiles. Operands that go along all loops are set, smaller ones, as
      a bias, stay; tw-materialize-encodings lays them out.
    - Sums, of any kind, along dimensions of one operand. Of a dimension that may
      be tiled the size has to be known: what fills up the last tile is left out.
    - `tensor.expand_shape` and `tensor.collapse_shape` that take whole tiles
      apart or put them together, as heads of whole tiles,
      `tensor.extract_slice` of whole tiles, and `tensor.pad` by one value, in
      front by whole tiles, behind by any size, where that is known; along
      dimensions that no tile has by any. The device says what is tiled.

    Results have encodings with `dims`. Who wants one as it would lie gets it by
    a `tw.unset_encoding`; what is set for the next contraction goes there by one
    `tw.relayout` (tw-fold-encodings).

    What is set for contractions, operands or what they are added to, may be
    computed in tiles, too: elementwise operations, reshapes and paddings of
    which nothing else reads the result, where their operands are less to set:
    smaller elements, a vector that is broadcast, constants. Casts and transposes
    of constants are left for the compiler to make.

    What operations of `scf` hand on from iteration to iteration and out of
    branches, and what private functions are called with and return, is encoded
    where that saves bytes: set before, unset behind. A packed tensor does not
    say its sizes: they are those of its type, or, but for calls, come from one
    value outside.

    It is done where it saves bytes that are read or written, by this count: an
    encoding of N bytes that is unset, and is not any more, saves 2 N, and so does
    one that was set from the result and is the same; an operand that is set
    costs 2 N, a result that has to be unset 2 N, a smaller operand twice its
    bytes; constants, fills and views cost nothing. A transpose of what is set
    saves 2 N: it lies in tiles as it lay before. A size that is not known
    counts for 128, a loop for 8 iterations.

    What lies in the last tiles beyond the tensor is computed, too. Of results of
    contractions nobody reads it; `tw.relayout` fills up anew. Of what
    contractions multiply it is zero along k: tw-specialize-encodings says of
    operations that compute it where, and tw-materialize-encodings has them
    select zeros there. An operation that may do more than compute values, as a
    division of integers, or reads at indices of its own is not done on encoded
    tensors; nor is one that reads a tensor both as it lies and transposed.

    On a device with memory of its own encodings are set and unset where elements
    are read (tw-lower-device-packs); there nothing is saved, and nothing done.
  }];
  let options = [
    Option<"hostPacksBlocks", "host-packs-blocks", "bool", /*default=*/"false",
           "Contractions of the host pack block by block while they multiply, "
           "and store where the result is wanted: there nothing is gained">,
    Option<"always", "always", "bool", /*default=*/"false",
           "What is computed stays encoded also where that saves no bytes: "
           "for tests">,
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::tensor::TensorDialect", "tilewright::tw::TwDialect",
  ];
}

def FoldEncodings : Pass<"tw-fold-encodings", "mlir::func::FuncOp"> {
  let summary = "Leave encoded what is encoded again";
  let description = [{
    A `tw.set_encoding` of what a `tw.unset_encoding` gives: with the same
    encoding, on one device, both vanish; else they become one `tw.relayout`.
  }];
  let options = [
    Option<"hostPacksBlocks", "host-packs-blocks", "bool", /*default=*/"false",
           "Contractions of the host pack block by block while they multiply, "
           "and store where the result is wanted: there nothing is gained">,
  ];
  let dependentDialects = ["tilewright::tw::TwDialect"];
}

def SpecializeEncodings : Pass<"tw-specialize-encodings", "mlir::func::FuncOp"> {
  let summary = "Say how the devices lay encoded tensors out";
  let description = [{
    Each `#tw.encoding` becomes the `#tw.layout` that the device makes of it
    which computes with it; tw-assign-devices says which one that is. An encoded contraction gets `tw.tile`, the tile
    function that its layouts are for. What a device without data tiling computes
    has `#tw.layout<identity>`. An operation that computes what a contraction
    multiplies gets `tw.zeros`, of each result the dimensions along which it is
    zero in its last tiles beyond the tensor.

    What an operation of one device has computed and one of another takes goes
    through a `tw.relayout`.
  }];
  let options = [
    Option<"prefix", "prefix", "std::string", /*default=*/"\"tw\"",
           "Prefix of the tile names: <prefix>_mmt4d_tile_...">,
    Option<"hostPacksBlocks", "host-packs-blocks", "bool", /*default=*/"false",
           "Multiplications on devices in the host's memory pack their operands "
           "when they run, block by block: their tiles may have scalable sizes">,
  ];
  let dependentDialects = [
    "mlir::tensor::TensorDialect", "tilewright::tw::TwDialect",
  ];
}

def MaterializeEncodings : Pass<"tw-materialize-encodings", "mlir::func::FuncOp"> {
  let summary = "Layouts -> packs, multiplications of panels, unpacks";
  let description = [{
    Tensors with a `#tw.layout` become tensors of packed shapes: `tw.set_encoding`
    a `linalg.pack`, `tw.unset_encoding` a `linalg.unpack`, `tw.relayout` what
    the device makes of it, one `linalg.generic` or both, an encoded contraction
    a `tw.mmt4d`, `tw.encoding_size` arithmetic, as the device says. A layout
    with a swizzle is a pack, an `expand_shape` and a transpose. What begins with
    zeros says `overwrite`: the zeros are not written. An identity leaves nothing
    behind.

    What cannot be packed, as a `tensor.dim` of an encoded tensor, is an error;
    nothing is encoded behind this pass.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
    "tilewright::tw::TwDialect",
  ];
}

def ReshapePacks : Pass<"tw-reshape-packs", "mlir::func::FuncOp"> {
  let summary = "Packs and unpacks that move nothing, as reshapes";
  let description = [{
    Where all elements lie packed in the order in which they lie in the tensor,
    as those of a vector, of one row, or of a matrix of one panel's width, and
    nothing is filled up, a `linalg.pack` or `linalg.unpack` becomes
    `tensor.expand_shape` and `collapse_shape`: no dispatch, no copy.
  }];
  let dependentDialects = [
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
  ];
}

def DropEncodings : Pass<"tw-drop-encodings", "mlir::func::FuncOp"> {
  let summary = "Encodings vanish";
  let description = [{
    As if no encoding had ever been set: operations compute on tensors as they
    lie. Reshapes that were made for contractions stay, they move nothing.
  }];
  let dependentDialects = ["tilewright::tw::TwDialect"];
}

def VerifyEncodings : Pass<"tw-verify-encodings"> {
  let summary = "Refuse what would lose an encoding";
  let description = [{
    Upstream takes a `tensor.cast` between a tensor with an encoding and one
    without for one that changes nothing, and bufferization drops encodings.
    Encoded tensors are what `tw.set_encoding`, `tensor.empty`, `linalg.fill`,
    contractions and the like make of them; an operation that neither keeps an
    encoding nor says what it does with it is an error.
  }];
  let options = [
    Option<"noneLeft", "none-left", "bool", /*default=*/"false",
           "Refuse any encoding">,
  ];
}

#endif // TILEWRIGHT_ENCODING_PASSES
