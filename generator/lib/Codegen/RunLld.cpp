// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/RunLld.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tilewright {
namespace {

// LLD knows files only. These are none of a disk's: it cannot be full, and
// nothing is left behind.

std::string pathOf(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

Error failed(std::error_code why) {
  return createStringError(why, "cannot pass a file to LLD: " + why.message());
}

/// Bytes to read, in memory.
class Source {
public:
  Error open(ArrayRef<StringRef> pieces) {
    descriptor = ::memfd_create("object", MFD_CLOEXEC);
    if (descriptor < 0)
      return failed(errnoAsErrorCode());
    raw_fd_ostream os(descriptor, /*shouldClose=*/false, /*unbuffered=*/true);
    for (StringRef piece : pieces)
      os << piece;
    std::error_code error = os.error();
    os.clear_error();
    return error ? failed(error) : Error::success();
  }
  ~Source() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  std::string path() const { return pathOf(descriptor); }

private:
  int descriptor = -1;
};

/// Takes what is written to a pipe: to a regular file LLD would write through a
/// mapping, which dies by a signal where space is short.
class Sink {
public:
  Error open() {
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return failed(errnoAsErrorCode());
    reader = std::thread([this] {
      char part[1 << 16];
      ssize_t size;
      while ((size = sys::RetryAfterSignal(
                  -1, [&] { return ::read(ends[0], part, sizeof(part)); })) > 0)
        bytes.append(part, part + size);
    });
    return Error::success();
  }
  ~Sink() {
    take();
    if (ends[0] >= 0)
      ::close(ends[0]);
  }
  std::string path() const { return pathOf(ends[1]); }

  /// Everything, once no one else can write.
  SmallVector<char, 0> take() {
    if (ends[1] >= 0)
      ::close(std::exchange(ends[1], -1));
    if (reader.joinable())
      reader.join();
    return std::move(bytes);
  }

private:
  int ends[2] = {-1, -1};
  std::thread reader;
  SmallVector<char, 0> bytes;
};

/// LLD gives all options of the process that LLVM parsed their defaults
/// (cl::ResetAllOptionOccurrences), while other threads may read them. As long
/// as this is there, it finds none.
class OptionsHidden {
public:
  OptionsHidden() {
    for (cl::SubCommand *of : cl::getRegisteredSubcommands()) {
      Hidden &its = all.emplace_back();
      its.of = of;
      its.swap();
    }
  }
  ~OptionsHidden() {
    for (Hidden &its : all)
      its.swap();
  }
  OptionsHidden(const OptionsHidden &) = delete;

private:
  struct Hidden {
    cl::SubCommand *of;
    decltype(cl::SubCommand::OptionsMap) named;
    decltype(cl::SubCommand::PositionalOpts) positional;
    decltype(cl::SubCommand::SinkOpts) sinks;
    cl::Option *rest = nullptr;

    void swap() {
      std::swap(named, of->OptionsMap);
      std::swap(positional, of->PositionalOpts);
      std::swap(sinks, of->SinkOpts);
      std::swap(rest, of->ConsumeAfterOpt);
    }
  };
  std::vector<Hidden> all;
};

} // namespace

Expected<SmallVector<char, 0>> runLld(ArrayRef<std::string> options,
                                      ArrayRef<LldInput> inputs) {
  std::vector<std::string> words = {"ld.lld", "--threads=1"};
  append_range(words, options);
  std::vector<Source> sources(inputs.size());
  for (auto [source, input] : zip_equal(sources, inputs)) {
    if (Error error = source.open(input.pieces))
      return std::move(error);
    words.push_back(input.option + source.path());
  }
  Sink out;
  if (Error error = out.open())
    return std::move(error);
  words.push_back("-o");
  words.push_back(out.path());
  std::vector<const char *> arguments(words.size());
  transform(words, arguments.begin(),
            [](const std::string &word) { return word.c_str(); });
  // LLD's linker has one state per process.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::string said;
  raw_string_ostream text(said);
  OptionsHidden hidden;
  lld::Result result =
      lld::lldMain(arguments, text, text, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return createStringError(StringRef(said).rtrim());
  return out.take();
}

} // namespace tilewright
