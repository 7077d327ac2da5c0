// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OutputTarget.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <climits>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

/// As many as Linux follows.
constexpr unsigned maxLinks = 40;

std::string identityOf(const struct stat &status) {
  if (!S_ISREG(status.st_mode))
    return "";
  return utohexstr(status.st_dev) + "." + utohexstr(status.st_ino);
}

std::error_code checkAccess(const std::string &path, int mode) {
  if (::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) != 0)
    return errnoAsErrorCode();
  return {};
}

ErrorOr<OutputTarget> openDescriptor(int descriptor) {
  int flags = ::fcntl(descriptor, F_GETFL);
  if (flags == -1)
    return errnoAsErrorCode();
  if ((flags & O_ACCMODE) == O_RDONLY)
    return make_error_code(errc::bad_file_descriptor);
  OutputTarget target;
  target.kind = OutputTarget::Kind::Descriptor;
  target.descriptor = descriptor;
  struct stat status;
  if (::fstat(descriptor, &status) == 0)
    target.identity = identityOf(status);
  return target;
}

/// Whether /proc/<pid>/fd or /proc/<pid>/task/<tid>/fd, without links.
bool holdsDescriptors(StringRef directory) {
  return directory.starts_with("/proc/") && directory.ends_with("/fd");
}

/// Whether those are this process's.
bool isOwn(StringRef directory) {
  return directory.drop_front(StringRef("/proc/").size()).split('/').first ==
         std::to_string(::getpid());
}

/// A file that is not there yet, in `directory`.
ErrorOr<OutputTarget> newFile(const std::string &directory, StringRef name,
                              std::string path) {
  struct stat status;
  if (::stat(directory.c_str(), &status) != 0)
    return errnoAsErrorCode();
  if (std::error_code ec = checkAccess(directory, W_OK | X_OK))
    return ec;
  OutputTarget target;
  target.path = std::move(path);
  target.identity = utohexstr(status.st_dev) + "." + utohexstr(status.st_ino) +
                    "/" + name.str();
  return target;
}

ErrorOr<OutputTarget> existing(const std::string &directory, std::string path,
                               const struct stat &status) {
  if (S_ISDIR(status.st_mode))
    return make_error_code(errc::is_a_directory);
  OutputTarget target;
  if (S_ISREG(status.st_mode)) {
    target.status = status;
    if (std::error_code ec = checkAccess(directory, W_OK | X_OK))
      return ec;
  } else {
    target.kind = OutputTarget::Kind::Special;
  }
  // Replacing a file needs no right to write it; who took that right away did
  // not mean it to be replaced.
  if (std::error_code ec = checkAccess(path, W_OK))
    return ec;
  target.identity = identityOf(status);
  target.path = std::move(path);
  return target;
}

} // namespace

ErrorOr<OutputTarget> findOutputTarget(StringRef given) {
  if (given == "-")
    return openDescriptor(STDOUT_FILENO);
  std::string path = given.str();
  for (unsigned links = 0; links <= maxLinks; ++links) {
    if (path.empty())
      return make_error_code(errc::no_such_file_or_directory);
    StringRef name = sys::path::filename(path);
    if (sys::path::is_separator(path.back()) || name == "." || name == "..")
      return make_error_code(errc::is_a_directory);
    StringRef parent = sys::path::parent_path(path);
    SmallString<256> directory;
    if (std::error_code ec =
            sys::fs::real_path(parent.empty() ? "." : parent, directory))
      return ec;

    bool descriptors = holdsDescriptors(directory);
    int descriptor;
    if (descriptors && isOwn(directory) && !name.getAsInteger(10, descriptor))
      return openDescriptor(descriptor);
    SmallString<256> full(directory);
    sys::path::append(full, name);
    struct stat status;
    if (::lstat(full.c_str(), &status) != 0) {
      if (errno != ENOENT)
        return errnoAsErrorCode();
      return newFile(std::string(directory), name, std::string(full));
    }
    if (!S_ISLNK(status.st_mode))
      return existing(std::string(directory), std::string(full), status);
    // Another process's descriptor is no link to follow: it may have no name.
    if (descriptors) {
      OutputTarget target;
      target.kind = OutputTarget::Kind::Special;
      target.identity = inputIdentity(full);
      target.path = std::string(full);
      return target;
    }
    char link[PATH_MAX];
    ssize_t length = ::readlink(full.c_str(), link, sizeof(link));
    if (length < 0)
      return errnoAsErrorCode();
    StringRef to(link, length);
    if (sys::path::is_absolute(to)) {
      path = to.str();
    } else {
      sys::path::append(directory, to);
      path = std::string(directory);
    }
  }
  return std::make_error_code(std::errc::too_many_symbolic_link_levels);
}

std::string inputIdentity(StringRef path) {
  struct stat status;
  int failed = path == "-" ? ::fstat(STDIN_FILENO, &status)
                           : ::stat(path.str().c_str(), &status);
  return failed ? "" : identityOf(status);
}

} // namespace tilewright
