// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Codegen/ExternalConstants.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <array>

using namespace llvm;

namespace tilewright {
namespace {

/// Repeated bytes are looked at and written by about so many at a time.
constexpr uint64_t kRepeatedBytes = 64 * 1024;

constexpr char kZeros[4096] = {};

/// `bytes`, which are to be repeated until `size`, many times over if they are
/// few; then in `storage`.
StringRef widened(StringRef bytes, uint64_t size, std::string &storage) {
  uint64_t enough = std::min(size, kRepeatedBytes);
  if (bytes.size() >= enough)
    return bytes;
  while (storage.size() < enough)
    storage += bytes;
  return storage;
}

/// Calls `use` with `bytes`, again and again, until `size`.
template <class Use> void forEachPart(StringRef bytes, uint64_t size, Use use) {
  while (size) {
    StringRef part = bytes.take_front(size);
    use(part);
    size -= part.size();
  }
}

/// All bytes of the constant; in `storage` if they are repeated.
StringRef wholeBytes(const ExternalConstant &constant, std::string &storage) {
  if (constant.bytes.size() == constant.size)
    return constant.bytes;
  storage.reserve(constant.size);
  forEachPart(constant.bytes, constant.size,
              [&](StringRef part) { storage += part; });
  return storage;
}

} // namespace

std::string externalConstantName(StringRef bytes, uint64_t size) {
  BLAKE3 hash;
  std::string storage;
  forEachPart(widened(bytes, size, storage), size,
              [&](StringRef part) { hash.update(part); });
  std::array<uint8_t, 16> digest = hash.final<16>();
  return "tw.constant." + toHex(digest, /*LowerCase=*/true);
}

void FileTail::append(StringRef bytes) {
  if (bytes.empty())
    return;
  allPieces.push_back(bytes);
  totalSize += bytes.size();
}

void FileTail::appendOwned(std::string bytes) {
  owned.push_back(std::make_unique<std::string>(std::move(bytes)));
  append(*owned.back());
}

void FileTail::appendRepeated(StringRef bytes, uint64_t size) {
  std::string storage;
  bytes = widened(bytes, size, storage);
  if (!storage.empty()) {
    owned.push_back(std::make_unique<std::string>(std::move(storage)));
    bytes = *owned.back();
  }
  forEachPart(bytes, size, [&](StringRef part) { append(part); });
}

void FileTail::appendZeros(uint64_t size) {
  forEachPart(StringRef(kZeros, sizeof(kZeros)), size,
              [&](StringRef part) { append(part); });
}

std::string constantsAsAssembly(ArrayRef<ExternalConstant> constants) {
  std::string text;
  raw_string_ostream os(text);
  for (const ExternalConstant &constant : constants) {
    StringRef name = constant.name;
    os << "\t.section\t.rodata.tw_constant,\"aG\",%progbits," << name
       << ",comdat\n\t.hidden\t" << name << "\n\t.weak\t" << name
       << "\n\t.type\t" << name << ",%object\n\t.size\t" << name << ", "
       << constant.size << "\n\t.balign\t" << kConstantAlignment << '\n'
       << name << ":\n";
    std::string storage;
    StringRef bytes = wholeBytes(constant, storage);
    for (; bytes.size() >= 8; bytes = bytes.drop_front(8))
      os << "\t.quad\t"
         << format_hex(support::endian::read64le(bytes.data()), 18) << '\n';
    for (char byte : bytes)
      os << "\t.byte\t" << unsigned(uint8_t(byte)) << '\n';
  }
  return text;
}

void embedConstants(Module &module, ArrayRef<ExternalConstant> constants) {
  for (const ExternalConstant &constant : constants) {
    GlobalVariable *declared = module.getGlobalVariable(constant.name);
    if (!declared || !declared->isDeclaration())
      continue; // nothing uses it any more
    std::string storage;
    StringRef bytes = wholeBytes(constant, storage);
    // The bitcode writer keeps eight bytes for each element.
    Type *element =
        IntegerType::get(module.getContext(), bytes.size() % 8 == 0 ? 64 : 8);
    Constant *value = ConstantDataArray::getRaw(
        bytes, bytes.size() * 8 / element->getPrimitiveSizeInBits(), element);
    auto *defined = new GlobalVariable(
        module, value->getType(), /*isConstant=*/true,
        GlobalValue::LinkOnceODRLinkage, value, "", /*InsertBefore=*/declared);
    defined->setVisibility(GlobalValue::HiddenVisibility);
    defined->setDSOLocal(true);
    defined->setAlignment(Align(kConstantAlignment));
    defined->takeName(declared);
    if (module.getTargetTriple().supportsCOMDAT())
      defined->setComdat(module.getOrInsertComdat(defined->getName()));
    declared->replaceAllUsesWith(defined);
    declared->eraseFromParent();
  }
}

} // namespace tilewright
