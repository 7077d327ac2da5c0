// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one way in which every program here writes a file: docs/outputs.md says
// what it promises.

#ifndef TILEWRIGHT_SUPPORT_OUTPUTFILES_H
#define TILEWRIGHT_SUPPORT_OUTPUTFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

/// The outputs of one command. They are named first, then written, each to a
/// temporary file beside it, then committed together: until commit() nothing
/// that existed is touched, and without it nothing is left behind.
///
/// "-" is standard output. A symbolic link is written through. FIFOs, devices
/// and descriptors (/dev/stdout, /dev/fd/3) are written to by commit(), before
/// any file is replaced.
///
/// Errors name the path and the reason. Not thread-safe; sets are independent.
class OutputFiles {
public:
  /// Whether an output may be one of the inputs, which it then replaces.
  enum class Input { Refused, Replaced };

  OutputFiles();
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  /// Removes what was not committed.
  ~OutputFiles();

  /// Says that the command reads `path` ("-": standard input). An error if it
  /// is an output, under whatever name.
  llvm::Error addInput(llvm::StringRef path);

  /// Says that the command will write `path`. An error if it cannot be written,
  /// or is an input or another output, under whatever name; what is no regular
  /// file may be given twice. Touches nothing.
  llvm::Error add(llvm::StringRef path, Input input = Input::Refused);

  /// Says that `path`, which add() has accepted, is a program: whoever may read
  /// it may run it.
  void makeExecutable(llvm::StringRef path);

  /// Says that outputs will be put into `path`, a directory, which write()
  /// makes if need be. An error if it cannot be one.
  llvm::Error addDirectory(llvm::StringRef path);

  /// All bytes of `path`; add() is implied. Of standard output and special
  /// files: the bytes that follow those written before.
  llvm::Error write(llvm::StringRef path, llvm::StringRef bytes);

  /// The same of bytes that are in several places: what is large need not be
  /// copied together.
  llvm::Error writePieces(llvm::StringRef path,
                          llvm::ArrayRef<llvm::StringRef> pieces);

  /// The same of an open file without a name (O_TMPFILE) that holds them: it
  /// gets one. False where it cannot, as on another file system or for special
  /// files; nothing is written then.
  llvm::Expected<bool> writeNameless(llvm::StringRef path, int descriptor);

  /// Puts everything written in its place. On error all files are again what
  /// they were.
  llvm::Error commit();

private:
  struct Output;

  llvm::Error makeDirectories();
  llvm::Expected<Output *> findOutput(llvm::StringRef path);
  llvm::Error checkAliases(const Output &output);
  llvm::Error writeTemporary(Output &output,
                             llvm::ArrayRef<llvm::StringRef> pieces);

  std::vector<std::unique_ptr<Output>> outputs;
  llvm::StringMap<Output *> byPath;
  /// Which files are read and written, by identity: the paths as given.
  llvm::StringMap<std::string> inputs;
  llvm::StringMap<Output *> byIdentity;
  /// A directory that is to be made, and those that were, outermost first.
  std::string directory;
  std::vector<std::string> madeDirectories;
};

/// Writes one output.
llvm::Error writeOutput(llvm::StringRef path, llvm::StringRef bytes);

/// For the beginning of main: a reader of standard output that goes away is an
/// error of the write and no signal, and a file opened later never gets the
/// number of a standard stream that is closed.
void guardStandardStreams();

/// For the end of main: an error if what was printed to llvm::outs() has not
/// arrived.
llvm::Error flushStandardOutput();

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_OUTPUTFILES_H
