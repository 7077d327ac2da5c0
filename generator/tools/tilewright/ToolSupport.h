// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several subcommands need: names from the command line, the options of
// resolving.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TOOLSUPPORT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TOOLSUPPORT_H

#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/Resolve.h"
#include "tilewright/Support/OutputFiles.h"
#include "tilewright/pack_key.h"
#include "llvm/Support/CommandLine.h"

namespace tilewright {

/// The keys that `names` spell, in order; "-" stands for the names on standard
/// input, separated by white space, with comments. All errors, joined.
llvm::Expected<std::vector<FunctionKey>>
parseFunctionNames(llvm::ArrayRef<std::string> names, llvm::StringRef prefix);

/// The same where only tiles are meant.
llvm::Expected<std::vector<TileKey>>
parseNames(llvm::ArrayRef<std::string> names, llvm::StringRef prefix);

/// `text` without its comments: from a '#' that begins a word, outside quotes,
/// to the end of the line.
std::string withoutComments(llvm::StringRef text);

/// Puts the arguments in a file in the place of "@file", without comments, and
/// remembers the file. One that cannot be read stays as it is.
llvm::Error expandResponseFiles(llvm::SmallVectorImpl<const char *> &arguments,
                                llvm::BumpPtrAllocator &allocator);

/// Says that the command reads `paths`, and the files of its arguments.
llvm::Error addInputs(OutputFiles &outputs, llvm::ArrayRef<std::string> paths);

/// Prints a warning, a note, as the tool prints its errors.
void printWarning(llvm::StringRef message);
void printNote(llvm::StringRef message);

/// Which body of a name to take where a hand-written one exists.
enum class Prefer { HandWritten, Generated };

/// --tune-cpu, for a subcommand that plans tiles.
struct TuneCpuFlag {
  explicit TuneCpuFlag(llvm::cl::SubCommand &command);

  llvm::cl::opt<std::string> cpu;

  /// The core's name in cores.def; empty if none was given.
  llvm::Expected<std::string> get() const;
};

/// --tuning, for a subcommand that chooses bodies.
struct TuningFlags {
  explicit TuningFlags(llvm::cl::SubCommand &command);

  llvm::cl::list<std::string> asked;

  /// The files that read() reads: they are inputs.
  std::vector<std::string> files() const;
  /// What these files and the project say. A warning says of what in them is of
  /// no tile.
  llvm::Expected<std::shared_ptr<const Tuning>> read() const;
};

/// The core that tiles for `target`, as compile's --target has it, are to be
/// quick on; of none and "host": this one.
llvm::Expected<std::string> coreOfTarget(llvm::StringRef target);

/// --bitcode-dir, for a subcommand that takes hand-written bodies.
struct BitcodeDirFlag {
  explicit BitcodeDirFlag(llvm::cl::SubCommand &command);

  llvm::cl::opt<std::string> dir;
};

/// What subcommands that measure tiles have in common.
struct MeasureFlags {
  explicit MeasureFlags(llvm::cl::SubCommand &command);

  llvm::cl::list<std::string> names;
  llvm::cl::opt<std::string> json;
  BitcodeDirFlag bitcode;

  /// Says that the command reads `paths`, and the names if they are on standard
  /// input, and what it writes.
  llvm::Error addTo(OutputFiles &outputs, std::vector<std::string> paths) const;
  /// The table to standard output, unless JSON is printed, and JSON where it is
  /// wanted.
  llvm::Error write(llvm::StringRef table, llvm::StringRef json,
                    OutputFiles &outputs) const;
};

/// `keys`, each once, if this CPU runs all of them. Errors name them with
/// `prefix`.
llvm::Expected<std::vector<TileKey>> runnableKeys(llvm::ArrayRef<TileKey> keys,
                                                  llvm::StringRef prefix);

/// The options of resolving names, for a subcommand that resolves.
struct ResolveFlags {
  ResolveFlags(llvm::cl::SubCommand &command, Prefer preferByDefault);

  llvm::cl::opt<unsigned> jobs;
  llvm::cl::opt<bool> noCache;
  llvm::cl::opt<std::string> cacheDir;
  BitcodeDirFlag bitcode;
  llvm::cl::opt<std::string> triple;
  llvm::cl::opt<Prefer> prefer;
  TuneCpuFlag tuneCpu;
  TuningFlags tuning;

  /// The options as given, for the core asked for or this one; warnings are
  /// printed.
  llvm::Expected<ResolveOptions> get() const;
};

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_TOOLSUPPORT_H
