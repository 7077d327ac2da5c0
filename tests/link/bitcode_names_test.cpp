// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitcode whose records name what lies outside of the string table: of each
// record that has names, its own and its partition's. Such files are written
// here record by record, for no writer makes them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/Bitstream/BitstreamWriter.h"
#include "tests/link/link_test_support.h"
#include "tilewright/Link/Gather.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTable[] = "tw_a";  // 4 bytes

// A module with one record, and the table.
std::string bytesOf(unsigned code, llvm::ArrayRef<uint64_t> record) {
  llvm::SmallVector<char, 0> buffer;
  {
    llvm::BitstreamWriter writer(buffer);
    for (char c : {'B', 'C', '\xC0', '\xDE'})
      writer.Emit(static_cast<unsigned char>(c), 8);
    writer.EnterSubblock(llvm::bitc::IDENTIFICATION_BLOCK_ID, 5);
    const uint64_t epoch[] = {llvm::bitc::BITCODE_CURRENT_EPOCH};
    writer.EmitRecord(llvm::bitc::IDENTIFICATION_CODE_EPOCH, epoch);
    writer.ExitBlock();
    writer.EnterSubblock(llvm::bitc::MODULE_BLOCK_ID, 3);
    const uint64_t version[] = {2};
    writer.EmitRecord(llvm::bitc::MODULE_CODE_VERSION, version);
    writer.EmitRecord(code, record);
    writer.ExitBlock();
    writer.EnterSubblock(llvm::bitc::STRTAB_BLOCK_ID, 3);
    auto abbreviation = std::make_shared<llvm::BitCodeAbbrev>();
    abbreviation->Add(llvm::BitCodeAbbrevOp(llvm::bitc::STRTAB_BLOB));
    abbreviation->Add(llvm::BitCodeAbbrevOp(llvm::BitCodeAbbrevOp::Blob));
    const unsigned id = writer.EmitAbbrev(std::move(abbreviation));
    const uint64_t blob[] = {llvm::bitc::STRTAB_BLOB};
    writer.EmitRecordWithBlob(id, blob, kTable);
    writer.ExitBlock();
  }
  return std::string(buffer.begin(), buffer.end());
}

class BitcodeNamesTest : public LinkTest {
 protected:
  std::string refusal(unsigned code, llvm::ArrayRef<uint64_t> record) {
    const std::string file = writeFile("x.bc", bytesOf(code, record));
    llvm::Expected<InputFiles> inputs = InputFiles::open({file});
    if (!inputs) return errorText(inputs.takeError());
    return errorText(gatherWanted(*inputs, {}));
  }
};

TEST_F(BitcodeNamesTest, OutsideOfTheTableIsAnError) {
  struct {
    unsigned code;
    size_t operands, partition;
  } const kRecords[] = {
      {llvm::bitc::MODULE_CODE_GLOBALVAR, 18, 16},
      {llvm::bitc::MODULE_CODE_FUNCTION, 21, 19},
      {llvm::bitc::MODULE_CODE_ALIAS, 13, 11},
      {llvm::bitc::MODULE_CODE_IFUNC, 10, 8},
      {llvm::bitc::MODULE_CODE_COMDAT, 3, 0},
  };
  const struct {
    uint64_t offset, size;
  } kOutside[] = {{0, 5}, {4, 1}, {5, 0}, {~uint64_t{0}, 2}, {2, ~uint64_t{0}}};
  for (const auto& r : kRecords)
    for (const auto& name : kOutside)
      for (size_t at : {size_t{0}, r.partition}) {
        std::vector<uint64_t> record(r.operands, 0);
        record[at] = name.offset;
        record[at + 1] = name.size;
        EXPECT_THAT(
            refusal(r.code, record),
            AllOf(HasSubstr("x.bc': is damaged: a name of " +
                            std::to_string(name.size) + " bytes at offset " +
                            std::to_string(name.offset)),
                  HasSubstr("string table of 4 bytes")));
      }
}

TEST_F(BitcodeNamesTest, AllOfTheTableIsInside) {
  std::vector<uint64_t> record(18, 0);
  record[1] = 4;
  record[16] = 4;
  EXPECT_THAT(refusal(llvm::bitc::MODULE_CODE_GLOBALVAR, record),
              Not(HasSubstr("string table")));
}

// Before version 2 names lie elsewhere, and the numbers mean other things.
TEST_F(BitcodeNamesTest, OtherRecordsHaveNone) {
  EXPECT_THAT(refusal(llvm::bitc::MODULE_CODE_VSTOFFSET, {100, 100}),
              Not(HasSubstr("string table")));
}

}  // namespace
}  // namespace tilewright
