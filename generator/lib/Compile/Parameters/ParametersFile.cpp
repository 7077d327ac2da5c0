// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParametersFile.h"

#include "tilewright/digest.h"
#include "tilewright/instance.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;

namespace tilewright {
namespace {

/// What precedes the parameters.
uint64_t tableBytes(uint64_t count) {
  return sizeof(tw_parameters_header_t) + count * sizeof(tw_parameters_entry_t);
}

template <class T> void append(std::string &text, const T &value) {
  text.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

SmallVector<uint64_t> sizesOf(ArrayRef<StringRef> parameters) {
  SmallVector<uint64_t> sizes;
  for (StringRef bytes : parameters)
    sizes.push_back(bytes.size());
  return sizes;
}

} // namespace

std::vector<uint64_t> parameterOffsets(ArrayRef<uint64_t> sizes) {
  std::vector<uint64_t> offsets;
  uint64_t end = tableBytes(sizes.size()) + sizeof(uint64_t);
  for (uint64_t size : sizes) {
    offsets.push_back(alignTo(end, TW_PARAMETERS_ALIGNMENT));
    end = offsets.back() + size;
  }
  return offsets;
}

std::array<uint8_t, 32> parametersIdentity(StringRef model,
                                           ArrayRef<StringRef> contents) {
  BLAKE3 hash;
  hash.update(model);
  for (StringRef content : contents) {
    hash.update("\n");
    hash.update(content);
  }
  return hash.final<32>();
}

FileTail parametersFile(ArrayRef<StringRef> parameters,
                        const std::array<uint8_t, 32> &identity) {
  std::vector<uint64_t> offsets = parameterOffsets(sizesOf(parameters));
  tw_parameters_header_t header = {};
  std::memcpy(header.magic, TW_PARAMETERS_MAGIC, sizeof(header.magic));
  header.version = TW_PARAMETERS_VERSION;
  header.count = parameters.size();
  header.file_bytes = parameters.empty()
                          ? tableBytes(0) + sizeof(uint64_t)
                          : offsets.back() + parameters.back().size();
  std::memcpy(header.identity, identity.data(), identity.size());
  std::string table;
  append(table, header);
  for (auto [offset, bytes] : zip_equal(offsets, parameters))
    append(table, tw_parameters_entry_t{
                      offset, bytes.size(),
                      tw_digest_bytes(bytes.data(), bytes.size()), 0});
  append(table, tw_digest_bytes(table.data(), table.size()));
  FileTail file;
  file.appendOwned(std::move(table));
  for (auto [offset, bytes] : zip_equal(offsets, parameters)) {
    file.appendZeros(offset - file.size());
    file.append(bytes);
  }
  return file;
}

} // namespace tilewright
