// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the build puts in: the files of generator/tuning, and the digest of the
// generator's sources (CMakeLists.txt says of which).

#include "generator_digest.inc"
#include "tilewright/Tuning/Tuning.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright {
namespace {

struct ShippedFile {
  const char *name, *text;
};

} // namespace

StringRef generatorDigest() {
  static const std::string digest = utohexstr(
      xxh3_64bits(StringRef(TW_GENERATOR_SOURCES " " LLVM_VERSION_STRING)),
      /*LowerCase=*/true, 16);
  return digest;
}

std::string codeDigest(ArrayRef<char> object) {
  return llvmHere().str() + " " +
         utohexstr(xxh3_64bits(StringRef(object.data(), object.size())),
                   /*LowerCase=*/true, 16);
}

StringRef llvmOf(StringRef code) { return code.rsplit(' ').first; }

StringRef llvmHere() { return "LLVM " LLVM_VERSION_STRING; }

Expected<TuningDatabase> shippedTuning() {
  static const std::vector<ShippedFile> files = {
#include "shipped_tuning.inc"
  };
  TuningDatabase all;
  for (const ShippedFile &file : files) {
    Expected<TuningDatabase> database = parseTuning(file.text, file.name);
    if (!database)
      return database.takeError();
    all.merge(std::move(*database));
  }
  return all;
}

} // namespace tilewright
