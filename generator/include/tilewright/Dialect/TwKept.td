// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed once, when an instance is made, and read by all calls.

#ifndef TILEWRIGHT_DIALECT_TWKEPT
#define TILEWRIGHT_DIALECT_TWKEPT

def Tw_KeepOp : Op<Tw_Dialect, "keep", [MemoryEffects<[MemWrite]>]> {
  let summary = "Keeps a tensor for all calls of an instance";
  let description = [{
    `value` is what `tw.kept` of the same number and memory space gives.
    `operations` and `bytes_read` say what it took to compute it. tw-place-on-device
    settles whose memory keeps it: 0, the host's, or that of a device.

    ```mlir
    tw.keep 0, %w {operations = 6144, bytes_read = 24960} : tensor<64x96xf32>
    ```
  }];
  let arguments = (ins
    ConfinedAttr<I64Attr, [IntNonNegative]>:$number,
    AnyStaticShapeTensor:$value,
    I64Attr:$operations,
    I64Attr:$bytes_read,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$memory_space);
  let assemblyFormat = "$number `,` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tw_KeptOp : Op<Tw_Dialect, "kept", [Pure]> {
  let summary = "A tensor that an instance keeps";
  let description = [{
    What the function that makes the values of an instance has given to
    `tw.keep` of this memory space under this number. It lies where it is as long as the instance is
    there, and is only read.

    ```mlir
    %w = tw.kept 0 : tensor<64x96xf32>
    ```
  }];
  let arguments = (ins
    ConfinedAttr<I64Attr, [IntNonNegative]>:$number,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$memory_space);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$number attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tw_KeepPackedOp : Op<Tw_Dialect, "keep_packed", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Packs a matrix that never changes before it is multiplied by";
  let description = [{
    The panels of `matrix` for the tile are made, which a `tw.matmul` with
    `rhs_kept` and a tile of this N0 and K0 then finds. `there` says whether there
    was memory for them.

    `n` is the dimension of the product's columns, and `k_dims` dimensions from
    `k` are those that K counts. One of the two is the last dimension. For each index of the others there is a matrix.

    ```mlir
    %there = tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> %w n = 1 k = 0 : memref<64x96xf32>
    ```
  }];
  let arguments = (ins
    AnyStaticShapeMemRef:$matrix,
    Tw_TileAttr:$tile,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$n,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$k,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$k_dims);
  let results = (outs I1:$there);
  let assemblyFormat = [{
    qualified($tile) $matrix `n` `=` $n `k` `=` $k (`k_dims` `=` $k_dims^)? attr-dict
    `:` type($matrix)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What `tile` spells.
    ::tilewright::TileKey getKey() { return getTile().getKey(); }

    /// Whether the elements of a column lie side by side.
    bool isTransposed() {
      return int64_t(getN()) + 1 != getMatrix().getType().getRank();
    }
  }];
}

#endif // TILEWRIGHT_DIALECT_TWKEPT
