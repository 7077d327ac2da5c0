// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of encodings in a row, for func.func but for tw-data-tiling.

#ifndef TILEWRIGHT_ENCODING_PIPELINES_H
#define TILEWRIGHT_ENCODING_PIPELINES_H

#include "tilewright/Encoding/Passes.h"

namespace tilewright {

/// What a pass leaves.
enum class Encodings { SomeLeft, NoneLeft };

/// `pass`, and behind it tw-verify-encodings.
void addVerified(mlir::OpPassManager &pm, std::unique_ptr<mlir::Pass> pass,
                 Encodings left = Encodings::SomeLeft);

/// Layouts, and what they mean; nothing is encoded behind it.
void addSpecializeAndMaterialize(mlir::OpPassManager &pm,
                                 const SpecializeEncodingsOptions &options);

/// Registers `tw-data-tiling`, for modules: devices, set, agree, propagate,
/// fold, specialize and materialize.
void registerDataTilingPipeline();

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_PIPELINES_H
