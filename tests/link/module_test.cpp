// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links into one bitcode module or object: definitions, inlining, attributes.

#include "llvm/IR/Module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "tests/link/link_test_support.h"
#include "tilewright/Link/Link.h"
#include "tilewright/Registry/Registry.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kA[] = "tw_mmt4d_tile_f32f32f32_3x8x1_x86_64_avx2_fma";
constexpr char kB[] = "tw_mmt4d_tile_f32f32f32_2x16x1_x86_64_avx512_base";

constexpr char kAvx2[] = "\"target-features\"=\"+avx2,+fma,+f16c\"";
constexpr char kV4[] = "\"target-cpu\"=\"x86-64-v4\" \"tune-cpu\"=\"znver4\"";

class ModuleTest : public LinkTest {
 protected:
  void SetUp() override {
    LinkTest::SetUp();
    options_.resolve = resolveOptions();
    options_.output = LinkOutput::Bitcode;
    output_ = path("out");
  }

  std::string linkError(const std::vector<std::string>& inputs) {
    return errorText(linkTiles(inputs, output_, options_));
  }

  // Links to bitcode and reads it back; null, and a failure, on an error.
  llvm::Module* link(const std::vector<std::string>& inputs) {
    llvm::Expected<LinkReport> report = linkTiles(inputs, output_, options_);
    if (!report) {
      ADD_FAILURE() << errorText(report.takeError());
      return nullptr;
    }
    report_ = std::move(*report);
    std::string bytes = readFile(output_);
    module_ = llvm::cantFail(llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(bytes, "output"), context_));
    return module_.get();
  }

  static std::string attribute(const llvm::Function* function,
                               const char* name) {
    return function->getFnAttribute(name).getValueAsString().str();
  }

  // The functions with a body.
  static std::vector<std::string> definitions(const llvm::Module& module) {
    std::vector<std::string> names;
    for (const llvm::Function& function : module)
      if (!function.isDeclaration()) names.push_back(function.getName().str());
    return names;
  }

  static int callsIn(const llvm::Module& module) {
    int calls = 0;
    for (const llvm::Function& function : module)
      for (const llvm::BasicBlock& block : function)
        for (const llvm::Instruction& instruction : block) {
          auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          calls += call && call->getCalledFunction() &&
                   !call->getCalledFunction()->isIntrinsic();
        }
    return calls;
  }

  LinkOptions options_;
  std::string output_;
  LinkReport report_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(ModuleTest, LinksOneInternalDefinitionPerName) {
  llvm::Module* module =
      link({bitcode("a.bc", callerIr({kA}, "fa", kAvx2)),
            bitcode("b.bc", callerIr({kA, kA}, "fb", kAvx2))});
  ASSERT_TRUE(module);
  EXPECT_THAT(definitions(*module),
              ::testing::UnorderedElementsAre("fa", "fb", kA));
  EXPECT_TRUE(module->getFunction(kA)->hasInternalLinkage());
  EXPECT_EQ(callsIn(*module), 3);
  EXPECT_EQ(report_.remainingCalls, 3u);
  EXPECT_EQ(report_.inlinedCalls, 0u);
}

TEST_F(ModuleTest, InlinesWhenAskedAndKeepsNothingUnused) {
  options_.inlineTiles = true;
  llvm::Module* module = link({bitcode("a.bc", callerIr({kA, kB}, "fa", kV4)),
                               bitcode("b.bc", callerIr({kA}, "fb", kAvx2))});
  ASSERT_TRUE(module);
  EXPECT_THAT(definitions(*module),
              ::testing::UnorderedElementsAre("fa", "fb"));
  EXPECT_EQ(module->getFunction(kA), nullptr);
  EXPECT_EQ(module->getFunction(kB), nullptr);
  EXPECT_EQ(callsIn(*module), 0);
  EXPECT_EQ(report_.inlinedCalls, 3u);
  EXPECT_EQ(report_.remainingCalls, 0u);
  // The body is there, not only the call gone.
  EXPECT_GT(module->getFunction("fb")->getInstructionCount(), 8u);
  // The callers' own attributes stay.
  EXPECT_EQ(attribute(module->getFunction("fa"), "target-cpu"), "x86-64-v4");
}

TEST_F(ModuleTest, InlinesIntoUnoptimisedCallers) {
  options_.inlineTiles = true;
  std::string attributes = std::string("noinline optnone ") + kAvx2;
  llvm::Module* module =
      link({bitcode("a.bc", callerIr({kA}, "fa", attributes))});
  ASSERT_TRUE(module);
  EXPECT_EQ(callsIn(*module), 0);
}

TEST_F(ModuleTest, ACallThatForbidsInliningStays) {
  options_.inlineTiles = true;
  std::string ir = callerIr({kA}, "fa", kAvx2);
  ir.replace(ir.find("%p)\n  ret"), 4, "%p) noinline\n");
  llvm::Module* module = link({bitcode("a.bc", ir)});
  ASSERT_TRUE(module);
  EXPECT_EQ(callsIn(*module), 1);
  EXPECT_TRUE(module->getFunction(kA)->hasInternalLinkage());
  EXPECT_EQ(report_.remainingCalls, 1u);
}

TEST_F(ModuleTest, InliningFoldsWhatTheCallHid) {
  // Parameters on the stack, with constant flags and K, whole iterations of
  // three or four steps, for one call.
  std::string ir = callerIr({kA}, "fa", kAvx2);
  size_t body = ir.find(" {\n") + 3;
  ir.insert(body,
            "  %local = alloca [128 x i8], align 8\n"
            "  %k = getelementptr i8, ptr %local, i64 88\n"
            "  store i64 12, ptr %k, align 8\n"
            "  %flags = getelementptr i8, ptr %local, i64 108\n"
            "  store i32 1, ptr %flags, align 4\n");
  ir.replace(ir.find("ptr %p)\n  ret"), 6, "ptr %local");
  options_.inlineTiles = true;
  llvm::Module* module = link({bitcode("a.bc", ir)});
  ASSERT_TRUE(module);
  int allocas = 0, branches = 0;
  for (const llvm::BasicBlock& block : *module->getFunction("fa"))
    for (const llvm::Instruction& instruction : block) {
      allocas += llvm::isa<llvm::AllocaInst>(instruction);
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
      branches += branch && branch->isConditional();
    }
  EXPECT_EQ(allocas, 0);
  EXPECT_LE(branches, 1);  // the K loop's own
}

TEST_F(ModuleTest, RefusesACallerWithoutTheFeatures) {
  std::string input = bitcode("poor.bc", callerIr({kB}, "weakling", kAvx2));
  for (bool inlineTiles : {false, true}) {
    options_.inlineTiles = inlineTiles;
    std::string text = linkError({input});
    EXPECT_THAT(text, AllOf(HasSubstr("poor.bc'"), HasSubstr(kB),
                            HasSubstr("'weakling'"),
                            HasSubstr("avx512f, avx512cd, avx512vl, avx512dq, "
                                      "avx512bw"),
                            Not(HasSubstr("fma,"))));
    EXPECT_FALSE(exists("out"));
  }
}

TEST_F(ModuleTest, RefusesOnlyThePoorCallersOfMany) {
  std::string text =
      linkError({bitcode("rich.bc", callerIr({kB}, "rich", kV4)),
                 bitcode("poor.bc", callerIr({kB}, "poor", kAvx2)),
                 bitcode("bare.bc", callerIr({kB}, "bare"))});
  EXPECT_THAT(text, AllOf(HasSubstr("'poor'"), HasSubstr("'bare'"),
                          Not(HasSubstr("rich"))));
}

// Two functions without a target-cpu are told apart by their features.
TEST_F(ModuleTest, RefusesThePoorOfCallersWithoutACpu) {
  const char* v4 =
      "\"target-features\"=\"+avx512vl,+avx512dq,+avx512bw,+avx512cd\"";
  std::string rich = bitcode("rich.bc", callerIr({kB}, "rich", v4));
  std::string poor = bitcode("poor.bc", callerIr({kB}, "poor", kAvx2));
  for (const auto& inputs : {std::vector<std::string>{rich, poor},
                             std::vector<std::string>{poor, rich}})
    EXPECT_THAT(linkError(inputs),
                AllOf(HasSubstr("'poor'"), Not(HasSubstr("rich"))));
}

TEST_F(ModuleTest, CountsWhatCpusAndFeaturesImply) {
  // avx512f brings avx2, fma and f16c; vl, dq, bw and cd are said.
  EXPECT_EQ(linkError({bitcode(
                "a.bc",
                callerIr({kA, kB}, "fa",
                         "\"target-features\"=\"+avx512vl,+avx512dq,+avx512bw,"
                         "+avx512cd\""))}),
            "");
  EXPECT_EQ(linkError({bitcode("b.bc", callerIr({kA, kB}, "fb",
                                                "\"target-cpu\"=\"znver4\""))}),
            "");
  // A feature switched off is off, whatever the CPU.
  EXPECT_THAT(
      linkError({bitcode("c.bc", callerIr({kA}, "fc",
                                          "\"target-cpu\"=\"znver4\" "
                                          "\"target-features\"=\"-fma\""))}),
      HasSubstr("lacks the features fma;"));
}

TEST_F(ModuleTest, RefusesCpusAndFeaturesThatLlvmDoesNotKnow) {
  for (const char* attribute :
       {"\"target-cpu\"=\"x88-64\"", "\"tune-cpu\"=\"x88-64\"",
        "\"target-features\"=\"+avx2,+x88-64,+fma\""})
    EXPECT_THAT(
        linkError({bitcode("odd.bc", callerIr({kA}, "odd", attribute))}),
        AllOf(HasSubstr("odd.bc'"), HasSubstr("'odd'"), HasSubstr("'x88-64'")));
  // Older compilers' lists have what is gone since.
  llvm::Module* module = link({bitcode(
      "old.bc", callerIr({kA}, "old",
                         "\"target-features\"=\"+avx2,-gone,+fma,+f16c\""))});
  ASSERT_TRUE(module);
  EXPECT_EQ(module->getFunction("old")
                ->getFnAttribute("target-features")
                .getValueAsString(),
            "+avx2,+fma,+f16c");
}

TEST_F(ModuleTest, TilesGetTheirCallersAttributes) {
  llvm::Module* module = link({bitcode("a.bc", callerIr({kA}, "fa", kV4)),
                               bitcode("b.bc", callerIr({kA}, "fb", kV4))});
  ASSERT_TRUE(module);
  EXPECT_EQ(attribute(module->getFunction(kA), "target-cpu"), "x86-64-v4");
  EXPECT_EQ(attribute(module->getFunction(kA), "tune-cpu"), "znver4");
  EXPECT_EQ(attribute(module->getFunction(kA), "target-features"), "");
}

TEST_F(ModuleTest, DifferentCallersLeaveTheTileItsOwnFeatures) {
  llvm::Module* module = link({bitcode("a.bc", callerIr({kA}, "fa", kV4)),
                               bitcode("b.bc", callerIr({kA}, "fb", kAvx2))});
  ASSERT_TRUE(module);
  EXPECT_EQ(attribute(module->getFunction(kA), "target-cpu"), "");
  EXPECT_EQ(attribute(module->getFunction(kA), "target-features"),
            info(TW_ISA_X86_64_AVX2_FMA).llvmFeatures());
}

TEST_F(ModuleTest, ATileWhoseAddressIsTakenKeepsItsOwnFeatures) {
  std::string ir = callerIr({kA}, "fa", kV4) + "@table = global ptr @" + kA;
  options_.inlineTiles = true;
  llvm::Module* module = link({bitcode("a.bc", ir)});
  ASSERT_TRUE(module);
  EXPECT_EQ(callsIn(*module), 0);
  ASSERT_NE(module->getFunction(kA), nullptr);
  EXPECT_EQ(attribute(module->getFunction(kA), "target-cpu"), "");
}

TEST_F(ModuleTest, ObjectsWantsStayVisible) {
  std::string bc = bitcode("a.bc", callerIr({kA}, "fa", kV4));
  std::string o = object("b.o", callerIr({kA, kB}, "fb"));
  // Whichever wants a tile first.
  for (const auto& inputs :
       {std::vector<std::string>{bc, o}, std::vector<std::string>{o, bc}}) {
    llvm::Module* module = link(inputs);
    ASSERT_TRUE(module);
    for (const char* name : {kA, kB}) {
      const llvm::Function* tile = module->getFunction(name);
      ASSERT_NE(tile, nullptr);
      EXPECT_TRUE(tile->hasWeakODRLinkage());
      EXPECT_TRUE(tile->hasDefaultVisibility());
      // In a shared library another definition may take its place.
      EXPECT_FALSE(tile->isDSOLocal());
      // Nobody knows what the object's callers have.
      EXPECT_EQ(attribute(tile, "target-cpu"), "");
    }
  }
}

// The address of a tile that an object wants too is that of the definition that
// the dynamic linker chose: code asks the global offset table.
TEST_F(ModuleTest, AddressesOfWeakTilesAreLeftToTheLinker) {
  std::string ir = callerIr({kA}, "fa", kAvx2) +
                   "define ptr @address() {\n  ret ptr @" + kA + "\n}\n";
  options_.output = LinkOutput::Object;
  ASSERT_EQ(linkError({bitcode("a.bc", ir), object("b.o", callerIr({kA}))}),
            "");
  std::string bytes = readFile(output_);
  auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "output")));
  int addresses = 0;
  for (const llvm::object::SectionRef& section : object->sections())
    for (const llvm::object::RelocationRef& relocation : section.relocations())
      if (llvm::cantFail(relocation.getSymbol()->getName()) == kA &&
          relocation.getType() != llvm::ELF::R_X86_64_PLT32) {
        EXPECT_EQ(relocation.getType(), llvm::ELF::R_X86_64_REX_GOTPCRELX);
        ++addresses;
      }
  EXPECT_EQ(addresses, 1);
}

// What a tile's module defines beside the tile is nobody else's, whatever its
// name is.
TEST_F(ModuleTest, HelpersOfATileDoNotMeetTheInputs) {
  const std::vector<HandWrittenTile>& tiles = handWrittenTiles();
  auto found = std::find_if(tiles.begin(), tiles.end(), [](const auto& tile) {
    return tile.key.isa == TW_ISA_X86_64_AVX2_FMA;
  });
  ASSERT_NE(found, tiles.end());
  const std::string name = found->name, ir = callerIr({name}, "fa", kAvx2);
  const std::string target = ir.substr(0, ir.find("declare"));
  const std::string arguments = "(ptr %o, ptr %l, ptr %r, ptr %p)";
  bitcode("tilewright_ukernels_x86_64_avx2_fma.bc",
          target +
              "define void @helper() noinline {\n  call void asm "
              "sideeffect \"nop\", \"\"()\n  ret void\n}\n" +
              "define void @" + name + arguments +
              " {\n  call void @helper()\n  ret void\n}\n");
  options_.resolve.bitcodeDir = path("");
  llvm::Module* module =
      link({bitcode("a.bc", ir + "define i32 @helper() {\n  ret i32 1\n}\n")});
  ASSERT_TRUE(module);
  EXPECT_TRUE(module->getFunction("helper")->getReturnType()->isIntegerTy());
  EXPECT_EQ(definitions(*module).size(), 4u);
  for (const llvm::Function& function : *module) {
    bool ofInput = function.getName() == "fa" || function.getName() == "helper";
    EXPECT_EQ(function.hasInternalLinkage(), !ofInput)
        << function.getName().str();
  }
}

TEST_F(ModuleTest, DuplicateInputsAreLinkedOnce) {
  std::string ir = callerIr({kA}, "fa", kAvx2);
  std::string a = bitcode("a.bc", ir);
  llvm::Module* module =
      link({a, a, bitcode("copy.bc", ir), archive("l.a", {a, a})});
  ASSERT_TRUE(module);
  EXPECT_EQ(report_.wanted.duplicates, 4u);
  EXPECT_THAT(definitions(*module), ::testing::UnorderedElementsAre("fa", kA));
}

TEST_F(ModuleTest, TwoDefinitionsOfACallerAreAnErrorThatNamesThem) {
  EXPECT_THAT(linkError({bitcode("a.bc", callerIr({kA}, "same", kAvx2)),
                         bitcode("b.bc", callerIr({}, "same", kAvx2))}),
              AllOf(HasSubstr("b.bc'"), HasSubstr("same")));
  EXPECT_FALSE(exists("out"));
}

TEST_F(ModuleTest, RefusesOtherFunctionTypes) {
  const struct {
    const char *result, *parameters;
  } types[] = {{"i32", "ptr, ptr, ptr, ptr"},
               {"i32", "ptr"},
               {"void", "ptr, ptr, ptr"},
               {"void", "ptr, ptr, ptr, ptr, ptr"},
               {"void", "ptr, ptr, i64, ptr"},
               {"void", "ptr, ptr, ptr, ptr addrspace(1)"},
               {"void", "ptr, ptr, ptr, ptr, ..."}};
  for (const auto& type : types) {
    // Declared, and wanted by a table.
    std::string ir = callerIr({}) + "declare " + type.result + " @" + kA + "(" +
                     type.parameters + ")\n@table = global ptr @" + kA + "\n";
    EXPECT_THAT(linkError({bitcode("a.bc", ir)}),
                AllOf(HasSubstr("a.bc': declares '" + std::string(kA)),
                      HasSubstr("'" + std::string(type.result) + " (" +
                                type.parameters + ")'"),
                      HasSubstr("tw_mmt4d_tile_fn_t")));
  }
}

// The declaration is right, but a call is not: fewer, more, other arguments, or
// a result.
TEST_F(ModuleTest, RefusesMistypedCalls) {
  const std::string name = kA;
  const std::string calls[] = {
      "call void @" + name + "(ptr %o, ptr %l, ptr %r)",
      "call void @" + name + "(ptr %o, ptr %l, ptr %r, ptr %p, ptr %p)",
      "call void @" + name + "(ptr %o, ptr %l, ptr %r, i64 1)",
      "%x = call i32 @" + name + "(ptr %o, ptr %l, ptr %r, ptr %p)",
      "call void (ptr, ...) @" + name + "(ptr %o, ptr %l, ptr %r, ptr %p)"};
  for (const std::string& call : calls)
    for (bool inlineTiles : {false, true}) {
      std::string ir = callerIr({kA}, "right", kAvx2) +
                       "define void @wrong(ptr %o, ptr %l, ptr %r, ptr %p) " +
                       kAvx2 + " {\n  " + call + "\n  ret void\n}\n";
      options_.inlineTiles = inlineTiles;
      EXPECT_THAT(linkError({bitcode("a.bc", ir)}),
                  AllOf(HasSubstr("a.bc': calls '" + name +
                                  "' in 'wrong' with "
                                  "arguments that are not those of "
                                  "tw_mmt4d_tile_fn_t"),
                        Not(HasSubstr("'right'"))))
          << call;
      EXPECT_FALSE(exists("out")) << call;
    }
}

TEST_F(ModuleTest, WritesAnObjectWithoutUndefinedTiles) {
  options_.output = LinkOutput::Object;
  ASSERT_EQ(linkError({bitcode("a.bc", callerIr({kA, kB}, "fa", kV4)),
                       bitcode("b.bc", callerIr({kB}, "fb", kV4))}),
            "");
  std::string bytes = readFile(output_);
  auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, "output")));
  std::vector<std::string> defined;
  for (const llvm::object::SymbolRef& symbol : object->symbols()) {
    std::string name = llvm::cantFail(symbol.getName()).str();
    uint32_t flags = llvm::cantFail(symbol.getFlags());
    EXPECT_FALSE(flags & llvm::object::SymbolRef::SF_Undefined) << name;
    if (looksLikeTileName(name)) defined.push_back(name);
  }
  EXPECT_THAT(defined, ::testing::UnorderedElementsAre(kA, kB));
}

TEST_F(ModuleTest, SameInputsSameBytes) {
  std::vector<std::string> inputs = {
      bitcode("a.bc", callerIr({kA, kB}, "fa", kV4)),
      bitcode("b.bc", callerIr({kB}, "fb", kV4))};
  for (LinkOutput output : {LinkOutput::Bitcode, LinkOutput::Object}) {
    options_.output = output;
    options_.resolve.jobs = 1;
    ASSERT_EQ(linkError(inputs), "");
    std::string first = readFile(output_);
    options_.resolve.jobs = 4;
    ASSERT_EQ(linkError(inputs), "");
    EXPECT_EQ(readFile(output_), first);
  }
}

TEST_F(ModuleTest, ModulesWithoutADataLayoutAreLinked) {
  std::string ir = callerIr({kA}, "fa", kAvx2);
  ir.erase(0, ir.find("target triple"));
  EXPECT_EQ(linkError({bitcode("a.bc", ir)}), "");
}

}  // namespace
}  // namespace tilewright
