// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParametersFile.h"

#include "tilewright/Codegen/ExternalConstants.h"
#include "tilewright/digest.h"
#include "tilewright/instance.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <map>

using namespace llvm;

namespace tilewright {
namespace {

/// What precedes the parameters.
uint64_t tableBytes(uint64_t count, uint64_t programs = 1) {
  return sizeof(tw_parameters_header_t) +
         programs * sizeof(tw_parameters_program_t) +
         count * sizeof(tw_parameters_entry_t);
}

template <class T> void append(std::string &text, const T &value) {
  text.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

tw_parameters_program_t entryOf(const ProgramParameters &program) {
  tw_parameters_program_t entry = {};
  static_assert(sizeof(entry.identity) == sizeof(program.identity));
  llvm::copy(program.identity, entry.identity);
  llvm::copy(StringRef(program.target).take_front(sizeof(entry.target) - 1),
             entry.target);
  return entry;
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
                                           ArrayRef<StringRef> contents,
                                           ArrayRef<uint64_t> offsets) {
  BLAKE3 hash;
  hash.update(model);
  for (auto [content, offset] : zip_equal(contents, offsets))
    hash.update(("\n" + content + "\n" + Twine(offset)).str());
  return hash.final<32>();
}

bool mayBecomeParameters(const ScratchFile &file,
                         ArrayRef<StringRef> parameters) {
  if (file.isShared())
    return true;
  uint64_t inside = 0, outside = 0;
  for (StringRef bytes : parameters)
    (file.offsetOf(bytes) ? inside : outside) += bytes.size();
  uint64_t waste = file.size() - inside;
  return tableBytes(parameters.size()) + sizeof(uint64_t) <= file.tableRoom() &&
         waste <= (inside + outside) / 8;
}

Error writeParameters(ArrayRef<ProgramParameters> programs,
                      ScratchFile *scratch, StringRef path,
                      OutputFiles &outputs) {
  // Programs share what lies at the same offset.
  std::map<uint64_t, StringRef> entries;
  for (const ProgramParameters &program : programs)
    for (auto [offset, bytes] : zip_equal(program.offsets, program.bytes))
      entries.try_emplace(offset, bytes);
  uint64_t beforeData =
      tableBytes(entries.size(), programs.size()) + sizeof(uint64_t);
  if (!entries.empty() && entries.begin()->first < beforeData)
    return createStringError("cannot write '" + path + "': its " +
                             Twine(entries.size()) + " parameters of " +
                             Twine(programs.size()) +
                             " programs have a longer table than there is "
                             "room for; write a file for each program");

  tw_parameters_header_t header = {};
  std::memcpy(header.magic, TW_PARAMETERS_MAGIC, sizeof(header.magic));
  header.version = TW_PARAMETERS_VERSION;
  header.count = entries.size();
  header.programs = programs.size();
  header.file_bytes = entries.empty() ? beforeData
                                      : entries.rbegin()->first +
                                            entries.rbegin()->second.size();
  std::string table;
  append(table, header);
  for (const ProgramParameters &program : programs)
    append(table, entryOf(program));
  for (auto [offset, bytes] : entries)
    append(table, tw_parameters_entry_t{
                      offset, bytes.size(),
                      tw_digest_bytes(bytes.data(), bytes.size()), 0});
  append(table, tw_digest_bytes(table.data(), table.size()));

  if (scratch && !entries.empty() && all_of(entries, [&](const auto &entry) {
        return scratch->offsetOf(entry.second) == entry.first;
      })) {
    if (Error error = scratch->finish(table, header.file_bytes))
      return createStringError("cannot write '" + path +
                               "': " + toString(std::move(error)));
    Expected<bool> isWritten =
        outputs.writeNameless(path, scratch->getDescriptor());
    if (!isWritten || *isWritten)
      return isWritten.takeError();
  } else if (programs.size() > 1 && !entries.empty()) {
    return createStringError("cannot write '" + path +
                             "': there is no room beside it for what is packed "
                             "for several programs");
  }
  FileTail file;
  file.appendOwned(std::move(table));
  for (auto [offset, bytes] : entries) {
    file.appendZeros(offset - file.size());
    file.append(bytes);
  }
  return outputs.writePieces(path, file.pieces());
}

} // namespace tilewright
