// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include "tests/cross/emulated_tiles.h"

namespace tilewright::testing {

using namespace llvm;

std::string foreignInstruction(StringRef bytes, const IsaInfo& isa,
                               StringRef features) {
  InitializeAllTargetInfos();
  InitializeAllTargetMCs();
  InitializeAllDisassemblers();
  const Triple triple(StringRef(isa.architecture->triple));
  std::string why;
  const Target* target = TargetRegistry::lookupTarget(triple, why);
  if (!target) return why;
  const MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> assembler(
      target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "generic", features));
  MCContext context(triple, assembler.get(), registers.get(), subtarget.get());
  std::unique_ptr<MCDisassembler> disassembler(
      target->createMCDisassembler(*subtarget, context));

  auto object =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "object"));
  if (!object) return toString(object.takeError());
  for (const object::SectionRef& section : (*object)->sections()) {
    if (!section.isText()) continue;
    auto contents = section.getContents();
    if (!contents) return toString(contents.takeError());
    const ArrayRef<uint8_t> code = arrayRefFromStringRef(*contents);
    uint64_t size = 4;
    for (uint64_t at = 0; at + 2 <= code.size(); at += size) {
      MCInst instruction;
      const auto status = disassembler->getInstruction(
          instruction, size, code.slice(at), at, nulls());
      if (status == MCDisassembler::Success) continue;
      uint32_t word = support::endian::read16le(code.data() + at);
      if (at + 4 <= code.size())
        word = support::endian::read32le(code.data() + at);
      std::string text;
      raw_string_ostream(text)
          << "0x" << format_hex_no_prefix(word, 8) << " at byte " << at;
      return text;
    }
  }
  return {};
}

}  // namespace tilewright::testing
