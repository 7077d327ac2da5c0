// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/OutputFiles.h"

#include "OutputTarget.h"
#include "tilewright/Support/Activity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

/// The longest name of a file that systems agree on, and what a temporary file
/// adds to it.
constexpr size_t maxName = 255, temporarySuffix = 13; // ".tmp-" and 8 digits

Error cannotWrite(StringRef path, std::error_code why) {
  std::string what = path == "-" ? "standard output" : ("'" + path + "'").str();
  return createStringError(why, "cannot write " + what + ": " + why.message());
}

std::error_code writeAll(int descriptor, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(),
                              std::min<size_t>(bytes.size(), 1 << 30));
    if (written > 0) {
      bytes = bytes.drop_front(written);
    } else if (written == 0) {
      return make_error_code(errc::io_error);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd wait = {descriptor, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errnoAsErrorCode();
    }
  }
  return {};
}

/// An interrupted close has closed.
std::error_code closeChecked(int descriptor) {
  if (::close(descriptor) != 0 && errno != EINTR)
    return errnoAsErrorCode();
  return {};
}

/// Makes the new file as much like the one it replaces as this process may.
std::error_code inherit(int descriptor, const struct stat &replaced,
                        bool isExecutable) {
  mode_t mode = replaced.st_mode & 07777;
  if (isExecutable)
    mode |= (mode & 0444) >> 2;
  if (::fchown(descriptor, replaced.st_uid, replaced.st_gid) != 0) {
    mode &= ~S_ISUID; // the rights of another than before
    if (::fchown(descriptor, -1, replaced.st_gid) != 0)
      mode &= ~S_ISGID;
  }
  if (::fchmod(descriptor, mode) != 0)
    return errnoAsErrorCode();
  return {};
}

/// Exchanges two files. errc::not_supported if the system or the file system
/// cannot.
std::error_code exchangeFiles(const std::string &a, const std::string &b) {
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) ==
      0)
    return {};
  if (errno != EINVAL && errno != ENOSYS)
    return errnoAsErrorCode();
#endif
  return make_error_code(errc::not_supported);
}

/// What `path` is or will be in: its nearest folder that is there.
std::error_code checkCanMake(StringRef path) {
  while (!path.empty() && !sys::fs::exists(path))
    path = sys::path::parent_path(path);
  if (path.empty())
    path = ".";
  if (!sys::fs::is_directory(path))
    return make_error_code(errc::not_a_directory);
  if (::faccessat(AT_FDCWD, path.str().c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return errnoAsErrorCode();
  return {};
}

StringRef withoutSeparators(StringRef path) {
  while (path.size() > 1 && sys::path::is_separator(path.back()))
    path = path.drop_back();
  return path;
}

} // namespace

struct OutputFiles::Output {
  std::string path; ///< as given
  Input input = Input::Refused;
  bool isExecutable = false;
  /// Nothing yet if the directory is still to be made.
  std::optional<OutputTarget> target;
  /// A file's: empty unless it is written.
  std::string temporary;
  std::optional<OwnTemporary> own;
  /// What is written to anything else.
  std::string bytes;
  bool written = false;
  /// While it is committed: the temporary file holds the old content.
  bool exchanged = false, renamed = false;

  bool isFile() const { return target->kind == OutputTarget::Kind::File; }
  /// Names one that is not there yet, which `make` makes; below 0 and errno if
  /// it cannot.
  std::error_code makeTemporary(function_ref<int(const char *name)> make);
  std::error_code writeThrough() const;
  std::error_code replace(bool undoable);
  void undo();
  void discard();
};

std::error_code OutputFiles::Output::writeThrough() const {
  if (target->kind == OutputTarget::Kind::Descriptor) {
    // What was printed before comes first.
    if (target->descriptor == STDOUT_FILENO) {
      outs().flush();
      if (outs().has_error()) {
        std::error_code error = outs().error();
        outs().clear_error();
        return error;
      }
    }
    return writeAll(target->descriptor, bytes);
  }
  int descriptor =
      ::open(target->path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0)
    return errnoAsErrorCode();
  std::error_code written = writeAll(descriptor, bytes);
  std::error_code closed = closeChecked(descriptor);
  return written ? written : closed;
}

std::error_code OutputFiles::Output::replace(bool undoable) {
  if (undoable && target->status) {
    std::error_code why = exchangeFiles(temporary, target->path);
    exchanged = !why;
    if (why != errc::not_supported)
      return why;
  }
  if (::rename(temporary.c_str(), target->path.c_str()) != 0)
    return errnoAsErrorCode();
  renamed = true;
  return {};
}

void OutputFiles::Output::undo() {
  if (exchanged)
    exchangeFiles(temporary, target->path);
  else if (renamed && !target->status)
    ::unlink(target->path.c_str());
}

void OutputFiles::Output::discard() {
  if (temporary.empty())
    return;
  if (!renamed)
    ::unlink(temporary.c_str());
  sys::DontRemoveFileOnSignal(temporary);
  own.reset();
  temporary.clear();
}

OutputFiles::OutputFiles() = default;

OutputFiles::~OutputFiles() {
  for (std::unique_ptr<Output> &output : outputs)
    output->discard();
  for (const std::string &made : reverse(madeDirectories))
    ::rmdir(made.c_str()); // stays if it holds something
}

Error OutputFiles::addInput(StringRef path) {
  std::string identity = inputIdentity(path);
  if (identity.empty())
    return Error::success();
  inputs.try_emplace(identity, path.str());
  Output *output = byIdentity.lookup(identity);
  return output ? checkAliases(*output) : Error::success();
}

/// Whether the output's file is an input that it may not replace, or another's.
Error OutputFiles::checkAliases(const Output &output) {
  StringRef identity = output.target->identity;
  auto input = inputs.find(identity);
  if (input != inputs.end() && output.input == Input::Refused)
    return createStringError(
        "'" + output.path + "' is an input and would be overwritten" +
        (input->second == output.path
             ? ""
             : ": it is the same file as '" + input->second + "'"));
  Output *other = byIdentity.lookup(identity);
  // Two that are written through one descriptor follow each other.
  if (other && other != &output && (other->isFile() || output.isFile()))
    return createStringError("'" + other->path + "' and '" + output.path +
                             "' are the same file: each output needs one of "
                             "its own");
  return Error::success();
}

Error OutputFiles::add(StringRef path, Input input) {
  auto output = std::make_unique<Output>();
  output->path = path.str();
  output->input = input;
  if (directory.empty() || sys::path::parent_path(path) != directory) {
    ErrorOr<OutputTarget> target = findOutputTarget(path);
    if (!target)
      return cannotWrite(path, target.getError());
    output->target = std::move(*target);
    if (!output->target->identity.empty()) {
      if (Error error = checkAliases(*output))
        return error;
      byIdentity.try_emplace(output->target->identity, output.get());
    }
  }
  byPath[path] = output.get();
  outputs.push_back(std::move(output));
  return Error::success();
}

void OutputFiles::makeExecutable(StringRef path) {
  byPath.lookup(path)->isExecutable = true;
}

Error OutputFiles::addDirectory(StringRef path) {
  if (sys::fs::is_directory(path))
    return Error::success();
  if (std::error_code why = checkCanMake(path))
    return createStringError(why, "cannot make the directory '" + path +
                                      "': " + why.message());
  directory = withoutSeparators(path).str();
  return Error::success();
}

Error OutputFiles::makeDirectories() {
  std::vector<std::string> missing;
  for (StringRef path = directory; !path.empty() && !sys::fs::exists(path);
       path = sys::path::parent_path(path))
    missing.push_back(path.str());
  for (const std::string &path : reverse(missing)) {
    if (::mkdir(path.c_str(), 0777) != 0) {
      std::error_code why = errnoAsErrorCode();
      if (sys::fs::is_directory(path))
        continue; // "a/." after "a", or somebody else's
      return createStringError(why, "cannot make the directory '" + path +
                                        "': " + why.message());
    }
    madeDirectories.push_back(path);
  }
  directory.clear();
  return Error::success();
}

Error OutputFiles::write(StringRef path, StringRef bytes) {
  return writePieces(path, bytes);
}

Expected<OutputFiles::Output *> OutputFiles::findOutput(StringRef path) {
  if (Error error = makeDirectories())
    return std::move(error);
  Output *output = byPath.lookup(path);
  if (!output) {
    if (Error error = add(path))
      return std::move(error);
    output = byPath.lookup(path);
  }
  if (!output->target) {
    ErrorOr<OutputTarget> target = findOutputTarget(path);
    if (!target)
      return cannotWrite(path, target.getError());
    output->target = std::move(*target);
  }
  return output;
}

Error OutputFiles::writePieces(StringRef path, ArrayRef<StringRef> pieces) {
  Expected<Output *> output = findOutput(path);
  if (!output)
    return output.takeError();
  (*output)->written = true;
  if ((*output)->isFile())
    return writeTemporary(**output, pieces);
  for (StringRef piece : pieces)
    (*output)->bytes += piece;
  return Error::success();
}

Expected<bool> OutputFiles::writeNameless(StringRef path, int descriptor) {
  Expected<Output *> found = findOutput(path);
  if (!found)
    return found.takeError();
  Output &output = **found;
  std::string source = "/proc/self/fd/" + std::to_string(descriptor);
  if (!output.isFile() || output.makeTemporary([&](const char *name) {
        return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name,
                        AT_SYMLINK_FOLLOW);
      }))
    return false;
  output.written = true;
  if (output.target->status)
    if (std::error_code why =
            inherit(descriptor, *output.target->status, output.isExecutable)) {
      output.discard();
      return cannotWrite(output.path, why);
    }
  return true;
}

std::error_code
OutputFiles::Output::makeTemporary(function_ref<int(const char *name)> make) {
  discard();
  while (true) {
    SmallString<256> name(sys::path::parent_path(target->path));
    // The name's beginning stays: llvm::pruneCache goes by it.
    sys::path::append(name, sys::path::filename(target->path)
                                    .take_front(maxName - temporarySuffix) +
                                ".tmp-" +
                                utohexstr(sys::Process::GetRandomNumber(),
                                          /*LowerCase=*/true, 8));
    temporary = std::string(name);
    // Before it is there: no signal comes between.
    own.emplace(temporary);
    sys::RemoveFileOnSignal(temporary);
    if (make(temporary.c_str()) >= 0)
      return {};
    std::error_code why = errnoAsErrorCode();
    sys::DontRemoveFileOnSignal(temporary);
    own.reset();
    temporary.clear();
    if (why != errc::file_exists)
      return why;
  }
}

Error OutputFiles::writeTemporary(Output &output, ArrayRef<StringRef> pieces) {
  const OutputTarget &target = *output.target;
  int descriptor = -1;
  if (std::error_code why = output.makeTemporary([&](const char *name) {
        return descriptor =
                   ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          target.status         ? 0600
                          : output.isExecutable ? 0777
                                                : 0666);
      }))
    return cannotWrite(output.path, why);

  std::error_code failed;
  for (StringRef piece : pieces)
    if (!failed)
      failed = writeAll(descriptor, piece);
  // After the bytes: writing takes a set-user-id bit away.
  if (!failed && target.status)
    failed = inherit(descriptor, *target.status, output.isExecutable);
  std::error_code closed = closeChecked(descriptor);
  if (!failed)
    failed = closed;
  if (!failed)
    return Error::success();
  output.discard();
  return cannotWrite(output.path, failed);
}

Error OutputFiles::commit() {
  size_t files = 0;
  for (std::unique_ptr<Output> &output : outputs) {
    if (!output->written)
      continue;
    if (output->isFile()) {
      ++files;
      continue;
    }
    if (std::error_code why = output->writeThrough())
      return cannotWrite(output->path, why);
    output->bytes.clear();
  }
  for (auto [i, output] : enumerate(outputs)) {
    if (output->temporary.empty())
      continue;
    if (std::error_code why = output->replace(/*undoable=*/files > 1)) {
      for (std::unique_ptr<Output> &earlier :
           MutableArrayRef(outputs).take_front(i))
        earlier->undo();
      return cannotWrite(output->path, why);
    }
  }
  for (std::unique_ptr<Output> &output : outputs)
    output->discard();
  madeDirectories.clear();
  return Error::success();
}

Error writeOutput(StringRef path, StringRef bytes) {
  OutputFiles outputs;
  if (Error error = outputs.write(path, bytes))
    return error;
  return outputs.commit();
}

void guardStandardStreams() {
  std::signal(SIGPIPE, SIG_IGN);
  // Opened the wrong way round, so that their use is an error as before.
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1)
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

Error flushStandardOutput() {
  outs().flush();
  if (!outs().has_error())
    return Error::success();
  std::error_code why = outs().error();
  outs().clear_error();
  return cannotWrite("-", why);
}

} // namespace tilewright
