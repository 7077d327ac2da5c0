// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile functions as operations name them.

#ifndef TILEWRIGHT_DIALECT_TWTILES
#define TILEWRIGHT_DIALECT_TWTILES

def Tw_TileAttr : AttrDef<Tw_Dialect, "Tile"> {
  let mnemonic = "tile";
  let summary = "a tile function, and its plan";
  let description = [{
    What a tile's name spells, read once: who has the attribute has the key. A
    name of any prefix is taken; one that is none is refused where it stands.

    `plan` is how the tile is generated, with all parts, as `tilewright gen
    --emit=plan` prints it and `--plan` takes it, so that its code follows from
    the attribute and nothing is searched. It is verified to fit the key. A tile
    without one has not been planned yet, or needs no plan: its body is
    hand-written, or that of a GPU, whose plans belong to kernels.

    As the discardable attribute `tw.tile` it says of a `func.func` which tile that is, and of
    an encoded contraction which tile multiplies.

    ```mlir
    #tw.tile<"tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base">
    #tw.tile<"tw_mmt4d_tile_f32f32f32_1x16x1_x86_64_avx512_base", plan = "idiom=fma ...">
    ```
  }];
  let parameters = (ins
    AttrParameter<"::tilewright::TileKey", "what the name spells">:$key,
    StringRefParameter<"what the name begins with">:$prefix,
    StringRefParameter<"empty if there is none">:$plan);
  let builders = [
    AttrBuilder<(ins "const ::tilewright::TileKey &":$key,
                     CArg<"::llvm::StringRef", "kDefaultPrefix">:$prefix), [{
      return $_get($_ctxt, key, prefix, /*plan=*/"");
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What `name` spells, of any prefix; null, with an error, if it is no name
    /// or `plan` is not one of it.
    static TileAttr
    read(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
         ::mlir::MLIRContext *context, ::llvm::StringRef name,
         ::llvm::StringRef plan = "");

    /// The name of the function.
    std::string getName() const;

    TileAttr withPlan(::llvm::StringRef plan) const;
  }];
}

#endif // TILEWRIGHT_DIALECT_TWTILES
