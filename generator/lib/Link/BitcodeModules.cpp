// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BitcodeModules.h"

#include "InputError.h"
#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/Bitstream/BitstreamReader.h"

using namespace llvm;

namespace tilewright {

namespace {

/// The records of a module block that name a symbol, by offset and size in the
/// string table: its own name comes first, its partition's at `partition`.
struct NamingRecord {
  unsigned code;
  size_t partition; // 0: none
};
constexpr NamingRecord kNamingRecords[] = {
    {bitc::MODULE_CODE_GLOBALVAR, 16}, {bitc::MODULE_CODE_FUNCTION, 19},
    {bitc::MODULE_CODE_ALIAS, 11},     {bitc::MODULE_CODE_IFUNC, 8},
    {bitc::MODULE_CODE_COMDAT, 0},
};

Error checkName(ArrayRef<uint64_t> record, size_t at, size_t tableBytes) {
  if (at + 1 >= record.size())
    return Error::success();
  const uint64_t offset = record[at], size = record[at + 1];
  if (offset <= tableBytes && size <= tableBytes - offset)
    return Error::success();
  return createStringError(
      "is damaged: a name of " + Twine(size) + " bytes at offset " +
      Twine(offset) + " lies outside of its string table of " +
      Twine(tableBytes) + " bytes; expected " + kAcceptedInputs);
}

Error checkRecord(unsigned code, ArrayRef<uint64_t> record, size_t tableBytes) {
  for (const NamingRecord &naming : kNamingRecords) {
    if (code != naming.code)
      continue;
    if (Error error = checkName(record, 0, tableBytes))
      return error;
    if (naming.partition > 0)
      return checkName(record, naming.partition, tableBytes);
  }
  return Error::success();
}

/// The records of the module block that `stream` is in.
Error checkModuleBlock(BitstreamCursor &stream, size_t tableBytes) {
  BitstreamBlockInfo info;
  stream.setBlockInfo(&info);
  SmallVector<uint64_t, 64> record;
  bool usesTable = false; // from version 2 on
  while (true) {
    Expected<BitstreamEntry> entry = stream.advance();
    if (!entry)
      return entry.takeError();
    if (entry->Kind == BitstreamEntry::EndBlock)
      return Error::success();
    if (entry->Kind == BitstreamEntry::Error)
      return createStringError("is damaged: its module block is malformed");
    if (entry->Kind == BitstreamEntry::SubBlock) {
      if (entry->ID != bitc::BLOCKINFO_BLOCK_ID) {
        if (Error error = stream.SkipBlock())
          return error;
        continue;
      }
      Expected<std::optional<BitstreamBlockInfo>> read =
          stream.ReadBlockInfoBlock();
      if (!read)
        return read.takeError();
      if (*read)
        info = std::move(**read);
      continue;
    }
    record.clear();
    Expected<unsigned> code = stream.readRecord(entry->ID, record);
    if (!code)
      return code.takeError();
    if (*code == bitc::MODULE_CODE_VERSION)
      usesTable = !record.empty() && record[0] >= 2;
    else if (usesTable)
      if (Error error = checkRecord(*code, record, tableBytes))
        return error;
  }
}

Error checkNames(const BitcodeModule &module) {
  BitstreamCursor stream(module.getBuffer());
  while (!stream.AtEndOfStream()) {
    Expected<BitstreamEntry> entry = stream.advance();
    if (!entry)
      return entry.takeError();
    if (entry->Kind != BitstreamEntry::SubBlock)
      return createStringError("is damaged: its blocks are malformed");
    if (entry->ID == bitc::MODULE_BLOCK_ID) {
      if (Error error = stream.EnterSubBlock(bitc::MODULE_BLOCK_ID))
        return error;
      return checkModuleBlock(stream, module.getStrtab().size());
    }
    if (Error error = stream.SkipBlock())
      return error;
  }
  return Error::success();
}

} // namespace

Expected<std::vector<BitcodeModule>> readBitcodeModules(MemoryBufferRef bytes) {
  Expected<std::vector<BitcodeModule>> modules = getBitcodeModuleList(bytes);
  if (!modules)
    return modules.takeError();
  if (modules->empty())
    return createStringError("holds no module; expected " + kAcceptedInputs);
  for (const BitcodeModule &module : *modules)
    if (Error error = checkNames(module))
      return error;
  return modules;
}

} // namespace tilewright
