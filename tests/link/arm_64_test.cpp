// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links for AArch64, from whatever host this runs on: names in its objects and
// bitcode, its features, and the modes that must not be inlined across.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "tests/link/link_test_support.h"
#include "tilewright/Link/Link.h"
#include "tilewright/Registry/Registry.h"

namespace tilewright {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kBase[] = "tw_mmt4d_tile_f32f32f32_3x8x1_arm_64_base";
constexpr char kI8mm[] = "tw_mmt4d_tile_s8s8s32_3x8x8_arm_64_i8mm";
constexpr char kHalf[] = "tw_mmt4d_tile_f16f16f32_3x8x1_arm_64_fp16fml";
constexpr char kX86[] = "tw_mmt4d_tile_f32f32f32_3x8x1_x86_64_avx2_fma";
constexpr char kGeneric[] = "tw_mmt4d_tile_f32f32f32_3x8x1_generic";

constexpr char kNeoverseV1[] = "\"target-cpu\"=\"neoverse-v1\"";
constexpr char kNeoverseN1[] = "\"target-cpu\"=\"neoverse-n1\"";
constexpr char kDotprod[] = "\"target-features\"=\"+neon,+dotprod,+i8mm\"";

std::string armIr(const std::string& ir) {
  return "target triple = \"aarch64-unknown-linux-gnu\"\n" +
         ir.substr(ir.find("declare"));
}

std::string armCallerIr(const std::vector<std::string>& tiles,
                        const std::string& caller = "caller",
                        const std::string& attributes = "") {
  return armIr(callerIr(tiles, caller, attributes));
}

class Arm64LinkTest : public LinkTest {
 protected:
  void SetUp() override {
    LinkTest::SetUp();
    options_.resolve = resolveOptions();
    options_.output = LinkOutput::Bitcode;
  }

  std::string linkError(const std::vector<std::string>& inputs) {
    return errorText(linkTiles(inputs, path("out"), options_));
  }

  // Links to bitcode and reads it back; null, and a failure, on an error.
  llvm::Module* link(const std::vector<std::string>& inputs) {
    llvm::Expected<LinkReport> report =
        linkTiles(inputs, path("out"), options_);
    if (!report) {
      ADD_FAILURE() << errorText(report.takeError());
      return nullptr;
    }
    report_ = std::move(*report);
    std::string bytes = readFile(path("out"));
    module_ = llvm::cantFail(llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(bytes, "output"), context_));
    return module_.get();
  }

  // A library of hand-written tiles with one, whose
  // function attributes are `attributes`: returns the tile's name.
  std::string useLibraryOfOneTile(const std::string& attributes) {
    for (const HandWrittenTile& tile : handWrittenTiles()) {
      if (tile.key.isa != TW_ISA_ARM_64_BASE) continue;
      bitcode("tilewright_ukernels_arm_64_base.bc",
              "target triple = \"aarch64-unknown-linux-gnu\"\n"
              "define void @" +
                  tile.name + "(ptr %o, ptr %l, ptr %r, ptr %p) " + attributes +
                  " {\n  call void asm sideeffect \"nop\", \"\"()\n"
                  "  ret void\n}\n");
      options_.resolve.bitcodeDir = path("");
      return tile.name;
    }
    ADD_FAILURE() << "there is no hand-written tile of arm_64_base";
    return "";
  }

  static std::string attribute(const llvm::Function* function,
                               const char* name) {
    return function->getFnAttribute(name).getValueAsString().str();
  }

  LinkOptions options_;
  LinkReport report_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(Arm64LinkTest, ArchiveOfAArch64Objects) {
  options_.output = LinkOutput::Archive;
  std::string o = object("a.o", armCallerIr({kBase, kI8mm}, "fa"));
  std::string bc = bitcode("b.bc", armCallerIr({kBase, kGeneric}, "fb"));
  ASSERT_EQ(linkError({archive("l.a", {o}), bc}), "");
  std::string bytes = readFile(path("out"));
  auto archive = llvm::cantFail(
      llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, "output")));
  std::vector<std::string> members;
  llvm::Error walk = llvm::Error::success();
  for (const auto& child : archive->children(walk)) {
    auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
        llvm::cantFail(child.getMemoryBufferRef())));
    // Also the one whose name does not say for what.
    EXPECT_EQ(object->getArch(), llvm::Triple::aarch64);
    for (const llvm::object::SymbolRef& symbol : object->symbols())
      EXPECT_FALSE(llvm::cantFail(symbol.getFlags()) &
                   llvm::object::SymbolRef::SF_Undefined)
          << llvm::cantFail(symbol.getName()).str();
    members.push_back(llvm::cantFail(child.getName()).str());
  }
  llvm::cantFail(std::move(walk));
  EXPECT_THAT(members,
              ElementsAre(std::string(kBase) + ".o", std::string(kI8mm) + ".o",
                          std::string(kGeneric) + ".o"));
}

TEST_F(Arm64LinkTest, ObjectOfBitcode) {
  options_.output = LinkOutput::Object;
  for (bool inlineTiles : {false, true}) {
    options_.inlineTiles = inlineTiles;
    ASSERT_EQ(linkError({bitcode(
                  "a.bc", armCallerIr({kBase, kI8mm}, "fa", kNeoverseV1))}),
              "");
    std::string bytes = readFile(path("out"));
    auto object = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(bytes, "output")));
    EXPECT_EQ(object->getArch(), llvm::Triple::aarch64);
    for (const llvm::object::SymbolRef& symbol : object->symbols())
      EXPECT_FALSE(llvm::cantFail(symbol.getFlags()) &
                   llvm::object::SymbolRef::SF_Undefined);
  }
}

TEST_F(Arm64LinkTest, RefusesNamesOfAnotherArchitecture) {
  EXPECT_THAT(linkError({object("a.o", armCallerIr({kX86}))}),
              AllOf(HasSubstr("a.o'"), HasSubstr("is for aarch64, but wants"),
                    HasSubstr(kX86)));
  EXPECT_THAT(linkError({bitcode("b.bc", callerIr({kBase}))}),
              HasSubstr("is for x86_64, but wants"));
  EXPECT_THAT(linkError({bitcode("a.bc", armCallerIr({kBase}, "fa")),
                         bitcode("b.bc", callerIr({kX86}, "fb"))}),
              HasSubstr("link them apart"));
}

TEST_F(Arm64LinkTest, CallersNeedTheFeaturesOfTheirTiles) {
  // neoverse-n1 has dotprod, fullfp16 and no more.
  std::string text = linkError(
      {bitcode("a.bc", armCallerIr({kI8mm, kHalf}, "fa", kNeoverseN1))});
  EXPECT_THAT(text, AllOf(HasSubstr("'fa', which lacks the features i8mm;"),
                          HasSubstr("(-march=...+i8mm)"),
                          HasSubstr("lacks the features fp16fml;"),
                          HasSubstr("(-march=...+fp16fml)")));
  EXPECT_FALSE(exists("out"));
  // The compiler's spelling is not LLVM's.
  EXPECT_THAT(linkError({bitcode("b.bc", armCallerIr({kHalf}, "fb"))}),
              HasSubstr("lacks the features fp16fml, fullfp16; compile the "
                        "caller with them (-march=...+fp16fml+fp16)"));
  // What a CPU has, an architecture version has, or a feature implies, counts.
  for (const char* rich :
       {kNeoverseV1, "\"target-features\"=\"+v8.6a,+fp16fml\"",
        "\"target-cpu\"=\"neoverse-n1\" "
        "\"target-features\"=\"+i8mm,+fp16fml\""})
    EXPECT_EQ(
        linkError({bitcode("c.bc", armCallerIr({kI8mm, kHalf}, "fc", rich))}),
        "")
        << rich;
  EXPECT_THAT(linkError({bitcode(
                  "d.bc", armCallerIr({kI8mm}, "fd",
                                      "\"target-cpu\"=\"neoverse-v1\" "
                                      "\"target-features\"=\"-dotprod\""))}),
              HasSubstr("lacks the features dotprod;"));
}

TEST_F(Arm64LinkTest, InlinesIntoCallersThatHaveTheFeatures) {
  options_.inlineTiles = true;
  llvm::Module* module =
      link({bitcode("a.bc", armCallerIr({kI8mm}, "fa", kNeoverseV1)),
            bitcode("b.bc", armCallerIr({kI8mm}, "fb", kDotprod)),
            bitcode("c.bc", armCallerIr({kBase}, "fc"))});
  ASSERT_TRUE(module);
  EXPECT_EQ(report_.inlinedCalls, 3u);
  EXPECT_EQ(report_.remainingCalls, 0u);
  EXPECT_EQ(module->getFunction(kI8mm), nullptr);
  EXPECT_EQ(attribute(module->getFunction("fa"), "target-cpu"), "neoverse-v1");
}

TEST_F(Arm64LinkTest, TilesGetTheirCallersAttributes) {
  llvm::Module* module =
      link({bitcode("a.bc", armCallerIr({kI8mm, kBase}, "fa", kNeoverseV1)),
            bitcode("b.bc", armCallerIr({kBase}, "fb", kDotprod))});
  ASSERT_TRUE(module);
  EXPECT_EQ(attribute(module->getFunction(kI8mm), "target-cpu"), "neoverse-v1");
  // Callers that differ leave it what the name says.
  EXPECT_EQ(attribute(module->getFunction(kBase), "target-cpu"), "");
  EXPECT_EQ(attribute(module->getFunction(kBase), "target-features"), "+neon");
}

TEST_F(Arm64LinkTest, NothingIsInlinedAcrossModes) {
  options_.inlineTiles = true;
  const char* sme = "\"target-features\"=\"+neon,+sme,+sme2\"";
  struct {
    const char* tile;    // its mode
    const char* caller;  // the same of its caller
    bool inlined;
  } cases[] = {
      {"", "", true},
      // A body in streaming mode, with or without ZA of its own.
      {"\"aarch64_pstate_sm_body\"", "", false},
      {"\"aarch64_pstate_sm_body\" \"aarch64_new_za\"", "", false},
      {"\"aarch64_new_za\"", "", false},
      {"\"aarch64_new_zt0\"", "", false},
      // NEON is not for a caller in streaming mode.
      {"", "\"aarch64_pstate_sm_enabled\"", false},
      {"", "\"aarch64_pstate_sm_body\"", false},
  };
  for (const auto& [tile, caller, inlined] : cases) {
    std::string name = useLibraryOfOneTile(tile);
    ASSERT_TRUE(link({bitcode(
        "a.bc", armCallerIr({name}, "fa", std::string(sme) + caller))}))
        << tile << ", " << caller;
    EXPECT_EQ(report_.inlinedCalls, inlined) << tile << ", " << caller;
    EXPECT_EQ(report_.remainingCalls, !inlined) << tile << ", " << caller;
    // Whatever is left has its mode still.
    if (llvm::Function* function = module_->getFunction(name))
      EXPECT_EQ(function->hasFnAttribute("aarch64_pstate_sm_body"),
                std::string(tile).find("sm_body") != std::string::npos);
  }
}

TEST_F(Arm64LinkTest, VscaleRangesAreTheFunctionsOwn) {
  std::string name = useLibraryOfOneTile("vscale_range(1,16)");
  llvm::Module* module = link({bitcode(
      "a.bc", armCallerIr({name}, "fa",
                          "vscale_range(2,2) \"target-cpu\"=\"a64fx\""))});
  ASSERT_TRUE(module);
  llvm::Attribute tile =
      module->getFunction(name)->getFnAttribute(llvm::Attribute::VScaleRange);
  ASSERT_TRUE(tile.isValid());
  EXPECT_EQ(tile.getVScaleRangeMin(), 1u);
  EXPECT_EQ(tile.getVScaleRangeMax(), 16u);
  options_.inlineTiles = true;
  module = link({path("a.bc")});
  ASSERT_TRUE(module);
  EXPECT_EQ(report_.inlinedCalls, 1u);
  EXPECT_EQ(module->getFunction("fa")
                ->getFnAttribute(llvm::Attribute::VScaleRange)
                .getVScaleRangeMin(),
            2u);
}

}  // namespace
}  // namespace tilewright
