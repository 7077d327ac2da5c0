// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SystemCompiler.h"

#include "tilewright/Support/OwnFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

struct RuntimeRow {
  Runtime runtime;
  StringRef folder;
  ArrayRef<StringRef> libraries; ///< beside -lm
};

constexpr StringRef ofRunner[] = {"-lpthread"};
constexpr StringRef ofHip[] = {"-lpthread", "-ldl"};

const RuntimeRow rows[] = {{Runtime::Runner, "runner", ofRunner},
                           {Runtime::Instance, "instance", {}},
                           {Runtime::Hip, "hip", ofHip}};

/// The sources and headers of runtimes, as they lie in the project.
Expected<std::string> runtimeFolder() {
  const char *fromEnvironment = std::getenv("TILEWRIGHT_RUNTIME_DIR");
  std::string folder = fromEnvironment ? fromEnvironment : ownFolder("runtime");
  if (!sys::fs::is_directory(folder))
    return createStringError("the folder '" + folder +
                             "' of runtimes does not exist; install Tilewright "
                             "whole, or set TILEWRIGHT_RUNTIME_DIR");
  return folder;
}

/// A folder that goes when this does, or a signal comes.
class ScratchFolder {
public:
  Error create() {
    SmallString<128> made;
    if (std::error_code error =
            sys::fs::createUniqueDirectory("tilewright", made))
      return createStringError(error, "cannot make a folder for a linker: " +
                                          error.message());
    path = std::string(made);
    return Error::success();
  }
  ~ScratchFolder() {
    for (const std::string &name : files) {
      ::unlink(name.c_str());
      sys::DontRemoveFileOnSignal(name);
    }
    if (!path.empty())
      ::rmdir(path.c_str());
  }

  /// The path of a new file.
  std::string file(StringRef name) {
    SmallString<128> full(path);
    sys::path::append(full, name);
    files.push_back(std::string(full));
    sys::RemoveFileOnSignal(full);
    return files.back();
  }

  Expected<std::string> write(StringRef name, ArrayRef<StringRef> pieces) {
    std::string full = file(name);
    std::error_code error;
    raw_fd_ostream os(full, error);
    for (StringRef piece : pieces)
      if (!error)
        os << piece;
    os.close();
    if (!error)
      error = os.error();
    os.clear_error();
    if (error)
      return createStringError(error, "cannot write '" + full +
                                          "': " + error.message());
    return full;
  }

private:
  std::string path;
  std::vector<std::string> files;
};

class SystemCompiler {
public:
  explicit SystemCompiler(const SystemCompilerOptions &options)
      : options(options) {}

  Error find() {
    SmallVector<StringRef> parts;
    StringRef(options.compiler)
        .split(parts, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (parts.empty())
      parts.push_back("cc");
    ErrorOr<std::string> program = sys::findProgramByName(parts[0]);
    if (!program)
      return createStringError(
          "'" + parts[0] + "' is not found, and " + what() +
          " needs a C compiler of the target; install one, or name it by "
          "--cc, as in --cc=clang or --cc=aarch64-linux-gnu-gcc");
    for (StringRef part : parts)
      words.push_back(part.str());
    words.front() = *program;
    if (Error error = scratch.create())
      return error;
    return checkMachine();
  }

  Expected<SmallVector<char, 0>> link(ArrayRef<StringRef> object) {
    Expected<std::string> folder = runtimeFolder();
    if (!folder)
      return folder.takeError();
    Expected<std::string> objectPath = scratch.write("model.o", object);
    if (!objectPath)
      return objectPath.takeError();
    std::string output = scratch.file("output");
    std::vector<std::string> arguments = {"-std=c11", "-O2", "-I" + *folder,
                                          "-o", output};
    if (options.library)
      if (Error error = addLibraryOptions(*options.library, arguments))
        return std::move(error);
    std::vector<std::string> libraries = {"-lm"};
    for (const RuntimeRow &row : rows) {
      if (!is_contained(options.runtimes, row.runtime))
        continue;
      if (Error error =
              addSources(*folder + "/ukernels/" + row.folder.str(), arguments))
        return std::move(error);
      for (StringRef library : row.libraries)
        libraries.push_back(library.str());
    }
    arguments.push_back(*objectPath);
    append_range(arguments, libraries);
    if (Expected<std::string> said = run(arguments); !said)
      return createStringError("making " + what() + " by '" + words.front() +
                               "' failed: " + toString(said.takeError()));
    auto made = MemoryBuffer::getFile(output, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
    if (!made)
      return createFileError(output, made.getError());
    return SmallVector<char, 0>((*made)->getBufferStart(),
                                (*made)->getBufferEnd());
  }

private:
  std::string what() const {
    return options.library ? "this shared library" : "an executable";
  }

  /// A compiler for another machine than the model's says so.
  Error checkMachine() {
    Expected<std::string> machine = run({"-dumpmachine"});
    if (!machine) {
      consumeError(machine.takeError()); // not every compiler says it
      return Error::success();
    }
    Triple triple(StringRef(*machine).trim());
    if (triple.getArch() == Triple::UnknownArch ||
        triple.getArch() == options.triple.getArch())
      return Error::success();
    return createStringError(
        "'" + words.front() + "' makes programs for " + triple.str() +
        ", but the model is for " + options.triple.str() +
        "; name a C compiler of that by --cc, as in --cc=" +
        options.triple.getArchName() + "-linux-gnu-gcc");
  }

  Error addLibraryOptions(const SharedLibraryOptions &library,
                          std::vector<std::string> &arguments) {
    std::string script = versionScript(library.exports);
    Expected<std::string> path =
        scratch.write("exports.map", {StringRef(script)});
    if (!path)
      return path.takeError();
    append_range(arguments,
                 ArrayRef<std::string>{
                     "-shared", "-fPIC", "-Wl,--version-script=" + *path,
                     "-Wl,-soname=" + library.name, "-Wl,--no-undefined",
                     "-Wl,--as-needed"});
    return Error::success();
  }

  Error addSources(const std::string &folder,
                   std::vector<std::string> &arguments) {
    std::vector<std::string> sources;
    std::error_code error;
    for (sys::fs::directory_iterator entry(folder, error), end;
         !error && entry != end; entry.increment(error))
      if (sys::path::extension(entry->path()) == ".c")
        sources.push_back(entry->path());
    if (!error && sources.empty())
      error = make_error_code(std::errc::no_such_file_or_directory);
    if (error)
      return createStringError(error, "cannot read the runtime in '" + folder +
                                          "': " + error.message());
    sort(sources);
    append_range(arguments, sources);
    return Error::success();
  }

  /// What the compiler prints; the error of one that fails is that, too.
  Expected<std::string> run(ArrayRef<std::string> arguments) {
    std::string printed = scratch.file("printed");
    std::vector<StringRef> all(words.begin(), words.end());
    append_range(all, arguments);
    std::optional<StringRef> redirects[] = {StringRef(), StringRef(printed),
                                            StringRef(printed)};
    std::string reason;
    int status = sys::ExecuteAndWait(words.front(), all, std::nullopt,
                                     redirects, 0, 0, &reason);
    auto text = MemoryBuffer::getFile(printed);
    if (text && reason.empty())
      reason = (*text)->getBuffer().rtrim().str();
    if (status != 0)
      return createStringError(reason);
    return reason;
  }

  const SystemCompilerOptions &options;
  ScratchFolder scratch;
  std::vector<std::string> words;
};

} // namespace

Error checkSystemCompiler(const SystemCompilerOptions &options) {
  if (options.library)
    if (Error error = checkSharedLibraryTriple(options.triple))
      return error;
  return SystemCompiler(options).find();
}

Expected<SmallVector<char, 0>>
linkBySystemCompiler(ArrayRef<StringRef> object,
                     const SystemCompilerOptions &options) {
  SystemCompiler compiler(options);
  if (Error error = compiler.find())
    return std::move(error);
  return compiler.link(object);
}

} // namespace tilewright
