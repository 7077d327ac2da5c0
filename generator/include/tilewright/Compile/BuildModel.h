// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model in MLIR -> one file that a C program links: the compiled model with
// the tile functions it calls.

#ifndef TILEWRIGHT_COMPILE_BUILDMODEL_H
#define TILEWRIGHT_COMPILE_BUILDMODEL_H

#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Link/Link.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright {

struct BuildOptions {
  ModelOptions model;
  /// Archive: the model's object and one object per tile. Object, Bitcode: all
  /// in one module.
  LinkOutput output = LinkOutput::Archive;
  /// Object and Bitcode: inline the tiles.
  bool inlineTiles = false;
  /// Where to write the C header; empty for none.
  std::string headerPath;
  /// Where to write the file of parameters, of a model with
  /// ModelOptions::instance.
  std::string parametersPath;
  ResolveOptions resolve;
};

struct BuildReport {
  std::string target;  ///< TargetCpu::name
  std::string device;  ///< the same of the GPU; empty for none
  std::string prefix;  ///< of the tile names
  CompiledModel model; ///< without bytes
  LinkReport link;
};

/// Writes `outputPath`, the header and the parameters to `outputs`, to which
/// the caller has added them, and which it commits.
llvm::Expected<BuildReport> buildModel(llvm::MemoryBufferRef source,
                                       llvm::StringRef outputPath,
                                       const BuildOptions &options,
                                       OutputFiles &outputs);

/// One object: target, tiles with origin and ms, packed constants, remarks, and
/// the time of each step; with a device its dispatches and kernels.
void printBuildReportAsJson(const BuildReport &report, llvm::raw_ostream &os);

/// The same as a table for people.
void printBuildReportAsText(const BuildReport &report, llvm::raw_ostream &os);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_BUILDMODEL_H
