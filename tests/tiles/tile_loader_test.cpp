// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inspection of objects finds what it is there to find.

#include "tests/tiles/tile_loader.h"

#include <gtest/gtest.h>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

namespace tilewright::testing {
namespace {

// Compiles LLVM assembly to an object for this machine.
std::string compile(const std::string& text) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module != nullptr) << problem.getMessage().str();
  if (!module) return {};
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string why;
  const auto* target = llvm::TargetRegistry::lookupTarget(triple, why);
  EXPECT_TRUE(target != nullptr) << why;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "", "", {}, llvm::Reloc::PIC_));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(machine->addPassesToEmitFile(passes, os, nullptr,
                                            llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return os.str().str();
}

constexpr const char* kRight =
    "define void @tile(ptr %o, ptr %l, ptr %r, ptr %p) nounwind { ret void }\n";

TEST(InspectObjectTest, AcceptsAFunction) {
  EXPECT_EQ(inspectObject(compile(kRight), "tile"), "");
}

TEST(InspectObjectTest, AcceptsConstants) {
  EXPECT_EQ(
      inspectObject(compile("@table = private constant [4 x i32] "
                            "[i32 1, i32 2, i32 3, i32 4]\n"
                            "define i32 @tile(i64 %i) nounwind {\n"
                            "  %p = getelementptr i32, ptr @table, i64 %i\n"
                            "  %v = load i32, ptr %p\n  ret i32 %v\n}\n"),
                    "tile"),
      "");
}

TEST(InspectObjectTest, FindsUndefinedSymbols) {
  EXPECT_EQ(inspectObject(compile("declare void @memset(ptr)\n"
                                  "define void @tile(ptr %o) nounwind {\n"
                                  "  call void @memset(ptr %o)\n"
                                  "  ret void\n}\n"),
                          "tile"),
            "it needs the symbol memset");
}

TEST(InspectObjectTest, FindsWritableData) {
  EXPECT_EQ(inspectObject(compile(std::string(kRight) +
                                  "@state = internal global i32 1\n"
                                  "define internal void @use() {\n"
                                  "  store volatile i32 2, ptr @state\n"
                                  "  ret void\n}\n"
                                  "@keep = private constant ptr @use\n"),
                          "tile"),
            ".data is writable");
}

TEST(InspectObjectTest, FindsASecondFunction) {
  EXPECT_EQ(inspectObject(compile(std::string(kRight) +
                                  "define void @other() nounwind { ret void }"),
                          "tile"),
            "it defines the global symbol other");
}

TEST(InspectObjectTest, FindsAMissingFunction) {
  EXPECT_EQ(inspectObject(compile("define internal void @f() { ret void }\n"
                                  "@p = private constant ptr @f\n"),
                          "tile"),
            ".data.rel.ro is writable");
  EXPECT_EQ(inspectObject("not an object", "tile").substr(0, 17),
            "not an ELF object");
}

TEST(InspectObjectTest, FindsLongCode) {
  std::string body;
  for (int i = 0; i < 4000; ++i)
    body += "  store volatile i32 " + std::to_string(i + 100000) + ", ptr %o\n";
  EXPECT_NE(inspectObject(compile("define void @tile(ptr %o) nounwind {\n" +
                                  body + "  ret void\n}\n"),
                          "tile")
                .find("bytes of code, more than 16384"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewright::testing
