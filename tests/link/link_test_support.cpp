// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/link/link_test_support.h"

#include <set>
#include <system_error>

#include "llvm/ADT/SmallString.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

namespace tilewright {
namespace {

// Fails the test and returns null if `ir` does not parse.
std::unique_ptr<llvm::Module> parse(const std::string& ir,
                                    llvm::LLVMContext& context) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(ir, diagnostic, context);
  if (!module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostic.print("test IR", os);
    ADD_FAILURE() << text;
  }
  return module;
}

}  // namespace

void LinkTest::SetUp() {
  llvm::SmallString<128> dir;
  std::error_code error =
      llvm::sys::fs::createUniqueDirectory("tilewright-link-test", dir);
  ASSERT_FALSE(error) << error.message();
  dir_ = dir.str().str();
}

void LinkTest::TearDown() { llvm::sys::fs::remove_directories(dir_); }

std::string LinkTest::path(const std::string& name) const {
  llvm::SmallString<128> result(dir_);
  llvm::sys::path::append(result, name);
  return result.str().str();
}

bool LinkTest::exists(const std::string& name) const {
  return llvm::sys::fs::exists(path(name));
}

std::string LinkTest::writeFile(const std::string& name,
                                const std::string& bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path(name), error);
  EXPECT_FALSE(error) << error.message();
  os << bytes;
  return path(name);
}

std::string LinkTest::bitcode(const std::string& name, const std::string& ir) {
  return writeFile(name, bitcodeBytes(ir));
}

std::string LinkTest::object(const std::string& name, const std::string& ir) {
  return writeFile(name, objectBytes(ir));
}

std::string LinkTest::archive(const std::string& name,
                              const std::vector<std::string>& members,
                              bool thin) {
  std::vector<llvm::NewArchiveMember> list;
  for (const std::string& member : members) {
    llvm::Expected<llvm::NewArchiveMember> file =
        llvm::NewArchiveMember::getFile(member, /*Deterministic=*/true);
    EXPECT_EQ(errorText(file ? llvm::Error::success() : file.takeError()), "");
    if (!file) return {};
    file->MemberName = llvm::sys::path::filename(member);
    list.push_back(std::move(*file));
  }
  std::string result = path(name);
  EXPECT_EQ(errorText(llvm::writeArchive(
                result, list, llvm::SymtabWritingMode::NormalSymtab,
                llvm::object::Archive::K_GNU, /*Deterministic=*/true, thin)),
            "");
  return result;
}

std::string LinkTest::readFile(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(bool(buffer)) << path;
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

int LinkTest::fileCount() const {
  int count = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(dir_, error), end;
       it != end && !error; it.increment(error))
    ++count;
  return count;
}

ResolveOptions LinkTest::resolveOptions() {
  ResolveOptions options;
  options.useCache = false;
  options.bitcodeDir = TW_TEST_BITCODE_DIR;
  return options;
}

std::string callerIr(const std::vector<std::string>& tiles,
                     const std::string& caller, const std::string& attributes) {
  std::string ir =
      "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-"
      "i128:128-f80:128-n8:16:32:64-S128\"\n"
      "target triple = \"x86_64-unknown-linux-gnu\"\n";
  for (const std::string& tile :
       std::set<std::string>(tiles.begin(), tiles.end()))
    ir += "declare void @" + tile + "(ptr, ptr, ptr, ptr)\n";
  ir += "define void @" + caller + "(ptr %o, ptr %l, ptr %r, ptr %p) " +
        attributes + " {\n";
  for (const std::string& tile : tiles)
    ir += "  call void @" + tile + "(ptr %o, ptr %l, ptr %r, ptr %p)\n";
  return ir + "  ret void\n}\n";
}

std::string bitcodeBytes(const std::string& ir) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(ir, context);
  std::string bytes;
  if (!module) return bytes;
  llvm::raw_string_ostream os(bytes);
  llvm::WriteBitcodeToFile(*module, os);
  return bytes;
}

std::string objectBytes(const std::string& ir) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(ir, context);
  if (!module) return {};
  std::string error;
  const llvm::Target* target =
      llvm::TargetRegistry::lookupTarget(module->getTargetTriple(), error);
  EXPECT_TRUE(target) << error;
  if (!target) return {};
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(module->getTargetTriple(), "", "",
                                  llvm::TargetOptions(), llvm::Reloc::PIC_));
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(machine->addPassesToEmitFile(passes, os, nullptr,
                                            llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return bytes.str().str();
}

std::string errorText(llvm::Error error) {
  return llvm::toString(std::move(error));
}

}  // namespace tilewright
