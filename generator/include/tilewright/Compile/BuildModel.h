// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model in MLIR -> one file that a C program links or loads: the compiled
// model with the tile functions it calls.

#ifndef TILEWRIGHT_COMPILE_BUILDMODEL_H
#define TILEWRIGHT_COMPILE_BUILDMODEL_H

#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Link/Link.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright {

enum class ModelOutput {
  Archive,       ///< the model's object and one object per tile
  Object,        ///< all in one module
  Bitcode,       ///< the same
  SharedLibrary, ///< of such an object, with its functions for C visible
  Executable,    ///< the same with a runner
};

/// A program that a model becomes.
struct ProgramOptions {
  std::string path;
  ModelOutput output = ModelOutput::Archive;
  std::vector<ModelDevice> devices;
};

struct BuildOptions {
  /// But for what programs differ in.
  ModelOptions model;
  /// Inline the tiles; not into an archive.
  bool inlineTiles = false;
  /// The C compiler of the target, for outputs that need one; empty for `cc`.
  std::string compiler;
  /// Where to write the C header; empty for none.
  std::string headerPath;
  /// Where to write the file of parameters, of a model with
  /// ModelOptions::parametersInFile.
  std::string parametersPath;
  /// Unless it names a core to plan for, tiles are planned and chosen for that
  /// of each program's host.
  ResolveOptions resolve;
};

struct BuildReport {
  std::string path;
  std::vector<ModelDevice> devices;
  std::string target;  ///< TargetCpu::name of the host
  std::string prefix;  ///< of the tile names
  CompiledModel model; ///< without bytes
  LinkReport link;
};

/// Writes the programs, their header and the parameters to `outputs`, to which
/// the caller has added them, and which it commits. All programs have the
/// header's functions and read the one file.
llvm::Expected<std::vector<BuildReport>>
buildModel(llvm::MemoryBufferRef source,
           llvm::ArrayRef<ProgramOptions> programs, const BuildOptions &options,
           OutputFiles &outputs);

/// One object: target, tiles with origin and ms, packed constants, remarks, and
/// the time of each step; with several devices these; with a GPU its dispatches
/// and kernels.
void printBuildReportAsJson(const BuildReport &report, llvm::raw_ostream &os);

/// The same as a table for people.
void printBuildReportAsText(const BuildReport &report, llvm::raw_ostream &os);

/// The same of all programs as a page for a browser, which needs nothing beside
/// it.
void printBuildReportsAsHtml(llvm::ArrayRef<BuildReport> reports,
                             llvm::raw_ostream &os);

/// All steps: those of the compiler, then those of the linker.
std::vector<StepTime> stepsOf(const BuildReport &report);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_BUILDMODEL_H
