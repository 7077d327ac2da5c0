// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/TileCache.h"

#include "tilewright/Support/OutputFiles.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Caching.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>

using namespace llvm;

namespace tilewright {
namespace {

/// llvm::pruneCache touches no other files.
constexpr StringLiteral entryPrefix = "llvmcache-";
constexpr StringLiteral defaultPolicy =
    "prune_interval=20m:prune_after=720h:cache_size_bytes=512m";

/// An entry is this header, then the bytes. The hash finds damage; what an
/// entry is the bytes of, its file name says.
struct Header {
  char magic[8];
  support::ulittle64_t size, hash;
};
constexpr char magic[8] = {'T', 'W', 'T', 'I', 'L', 'E', '0', '1'};

uint64_t hashOf(ArrayRef<char> bytes) {
  return xxh3_64bits(StringRef(bytes.data(), bytes.size()));
}

/// Identifies this build of the generator: the program that contains it.
const std::string &buildId() {
  static const std::string id = [] {
    static int anchor;
    std::string program = sys::fs::getMainExecutable(nullptr, &anchor);
    auto file = MemoryBuffer::getFile(program, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
    // Without its own bytes a program cannot tell what it is: then no other
    // process may hit its entries, nor it another's.
    if (!file)
      return "unreadable " + program + " " +
             std::to_string(sys::Process::getProcessId());
    return utohexstr(xxh3_64bits((*file)->getBuffer()));
  }();
  return id;
}

Error asError(std::error_code ec, const Twine &what, StringRef directory) {
  return createStringError("cache directory '" + directory + "': " + what +
                           ": " + ec.message());
}

} // namespace

Expected<std::string> TileCache::defaultDirectory(bool &fromEnvironment) {
  const char *variable = std::getenv("TILEWRIGHT_CACHE_DIR");
  fromEnvironment = variable && *variable;
  if (fromEnvironment)
    return std::string(variable);
  SmallString<256> directory;
  if (!sys::path::cache_directory(directory))
    return createStringError("there is no user cache directory: neither "
                             "XDG_CACHE_HOME nor HOME is set; set "
                             "TILEWRIGHT_CACHE_DIR or pass --no-cache");
  sys::path::append(directory, "tilewright");
  return std::string(directory);
}

Expected<TileCache> TileCache::open(StringRef directory) {
  if (std::error_code ec = sys::fs::create_directories(directory))
    return asError(ec, "cannot make it", directory);
  if (!sys::fs::is_directory(directory))
    return createStringError("cache directory '" + directory +
                             "': is not a directory");
  TileCache cache(directory);
  // LLVM installs its signal handlers, and a signal stack, on the thread that
  // first makes a temporary file. Let that be this one: the stack of a worker
  // ends with the worker, where AddressSanitizer trips over it.
  std::string none = cache.path("none");
  sys::RemoveFileOnSignal(none);
  sys::DontRemoveFileOnSignal(none);
  return cache;
}

std::string TileCache::path(StringRef entry) const {
  SmallString<256> result(dir);
  sys::path::append(result, entryPrefix + entry);
  return std::string(result);
}

std::string TileCache::entryName(StringRef symbol, Emit kind,
                                 const GenerateOptions &options,
                                 StringRef triple, StringRef extra) {
  std::string everything;
  raw_string_ostream os(everything);
  // No field contains a newline, so that no two keys read alike.
  os << symbol << '\n'
     << static_cast<int>(kind) << '\n'
     << options.plan << '\n'
     << static_cast<int>(options.lowering) << '\n'
     << options.registryEntry << '\n'
     << triple << '\n'
     << extra << '\n'
     << LLVM_VERSION_STRING << '\n'
     << buildId() << '\n';
  XXH128_hash_t hash = xxh3_128bits(arrayRefFromStringRef(everything));
  return utohexstr(hash.high64, /*LowerCase=*/true, 16) +
         utohexstr(hash.low64, /*LowerCase=*/true, 16);
}

std::optional<SmallVector<char, 0>> TileCache::lookup(StringRef entry) const {
  // OF_UpdateAtime: pruning removes what has not been used for longest.
  SmallString<0> opened;
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(
      path(entry), sys::fs::OF_UpdateAtime, &opened);
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  auto buffer = MemoryBuffer::getOpenFile(*file, entry, /*FileSize=*/-1,
                                          /*RequiresNullTerminator=*/false);
  sys::fs::closeFile(*file);
  if (!buffer)
    return std::nullopt;
  ArrayRef<char> bytes((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
  if (bytes.size() < sizeof(Header))
    return std::nullopt;
  Header header;
  memcpy(&header, bytes.data(), sizeof(Header));
  ArrayRef<char> body = bytes.drop_front(sizeof(Header));
  if (memcmp(header.magic, magic, sizeof(magic)) != 0 ||
      header.size != body.size() || header.hash != hashOf(body))
    return std::nullopt;
  return SmallVector<char, 0>(body.begin(), body.end());
}

Error TileCache::store(StringRef entry, ArrayRef<char> bytes) const {
  Header header;
  memcpy(header.magic, magic, sizeof(magic));
  header.size = bytes.size();
  header.hash = hashOf(bytes);
  std::string content(reinterpret_cast<const char *>(&header), sizeof(header));
  content.append(bytes.data(), bytes.size());
  if (Error error = writeOutput(path(entry), content))
    return createStringError("cache: " + toString(std::move(error)));
  return Error::success();
}

Expected<bool> TileCache::prune(StringRef policy, bool now) const {
  if (policy.empty()) {
    const char *variable = std::getenv("TILEWRIGHT_CACHE_POLICY");
    policy =
        variable && *variable ? StringRef(variable) : StringRef(defaultPolicy);
  }
  Expected<CachePruningPolicy> parsed = parseCachePruningPolicy(policy);
  if (!parsed)
    return createStringError("cache pruning policy '" + policy +
                             "': " + toString(parsed.takeError()));
  if (now)
    parsed->Interval = std::chrono::seconds(0);
  return pruneCache(dir, *parsed);
}

Expected<TileCache::Statistics> TileCache::statistics() const {
  Statistics result;
  std::error_code ec;
  for (sys::fs::directory_iterator it(dir, ec), end; it != end && !ec;
       it.increment(ec)) {
    if (!sys::path::filename(it->path()).starts_with(entryPrefix))
      continue;
    // An entry may be pruned by another process at any time.
    uint64_t size = 0;
    if (sys::fs::file_size(it->path(), size))
      continue;
    ++result.entries;
    result.bytes += size;
  }
  if (ec)
    return asError(ec, "cannot list it", dir);
  return result;
}

Expected<TileCache::Statistics> TileCache::clear() const {
  Expected<Statistics> before = statistics();
  if (!before)
    return before;
  std::error_code ec;
  for (sys::fs::directory_iterator it(dir, ec), end; it != end && !ec;
       it.increment(ec)) {
    if (!sys::path::filename(it->path()).starts_with(entryPrefix))
      continue;
    if (std::error_code removed = sys::fs::remove(it->path()))
      return asError(removed, "cannot remove " + it->path(), dir);
  }
  if (ec)
    return asError(ec, "cannot list it", dir);
  return before;
}

} // namespace tilewright
