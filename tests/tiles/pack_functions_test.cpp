// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated pack functions: every width, orientation and direction, on tiles
// that each of tw_pack's loops takes and some that none does, for the
// instruction sets of this machine.

#include <gtest/gtest.h>

#include <cstring>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "tests/common/seed.h"
#include "tests/tiles/check_pack.h"
#include "tests/tiles/tile_source.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/Resolve.h"

namespace tilewright::testing {
namespace {

struct Size {
  int r0, c0;
};
constexpr Size kSizes[] = {{1, 1},  {1, 64}, {2, 1},  {2, 8},  {3, 5},
                           {4, 4},  {7, 48}, {8, 8},  {11, 4}, {12, 1},
                           {12, 8}, {13, 2}, {16, 2}, {16, 5}, {31, 1},
                           {32, 1}, {32, 4}, {48, 4}, {64, 1}, {12, 32}};

std::vector<FunctionKey> keysOf(tw_isa_t isa, bool unpack) {
  std::vector<FunctionKey> keys;
  for (int bits : {4, 8, 16, 32, 64})
    for (MatrixLines lines : {MatrixLines::kRows, MatrixLines::kCols})
      for (Size size : kSizes) {
        const PackKey key{unpack, bits, lines, size.r0, size.c0, isa};
        if (validatePackKey(key).empty()) keys.push_back(key);
      }
  return keys;
}

ResolveOptions options() {
  ResolveOptions options;
  options.useCache = false;
  options.bitcodeDir = TW_BITCODE_DIR;
  return options;
}

// The functions in this process, where nothing is to be seen but what they may
// call.
class Loaded {
 public:
  static llvm::Expected<Loaded> create(
      const std::vector<ResolvedTile>& functions) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto jit = llvm::orc::LLJITBuilder()
                   .setLinkProcessSymbolsByDefault(false)
                   .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                   .create();
    if (!jit) return jit.takeError();
    llvm::orc::SymbolMap memory;
    auto define = [&](const char* name, auto* function) {
      memory[(*jit)->mangleAndIntern(name)] = {
          llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    define("memcpy",
           static_cast<void* (*)(void*, const void*, size_t)>(memcpy));
    define("memmove",
           static_cast<void* (*)(void*, const void*, size_t)>(memmove));
    define("memset", static_cast<void* (*)(void*, int, size_t)>(memset));
    if (llvm::Error error = (*jit)->getMainJITDylib().define(
            llvm::orc::absoluteSymbols(memory)))
      return std::move(error);
    for (const ResolvedTile& function : functions)
      if (llvm::Error error =
              (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(
                  {function.bytes.data(), function.bytes.size()},
                  function.name)))
        return std::move(error);
    return Loaded(std::move(*jit));
  }

  llvm::Expected<const void*> find(const std::string& name) {
    auto address = jit_->lookup(name);
    if (!address) return address.takeError();
    return address->toPtr<const void*>();
  }

 private:
  explicit Loaded(std::unique_ptr<llvm::orc::LLJIT> jit)
      : jit_(std::move(jit)) {}
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

using Param = std::tuple<tw_isa_t, bool>;
class PackFunctionsTest : public ::testing::TestWithParam<Param> {};

TEST_P(PackFunctionsTest, MatchTheirDefinition) {
  const auto [isa, unpack] = GetParam();
  if (!isHostArchitecture(info(isa)) || !hostHas(info(isa)))
    GTEST_SKIP() << "this CPU cannot run it";
  const uint64_t seed = seedOf("PackFunctionsTest");
  SCOPED_TRACE(seedText(seed));
  auto functions = resolveFunctions(keysOf(isa, unpack), options());
  ASSERT_TRUE(bool(functions)) << llvm::toString(functions.takeError());
  auto loaded = Loaded::create(*functions);
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  for (const ResolvedTile& function : *functions) {
    EXPECT_EQ(function.origin, Origin::Generated);
    auto address = loaded->find(function.name);
    ASSERT_TRUE(bool(address)) << llvm::toString(address.takeError());
    const std::string wrong =
        checkPack(std::get<PackKey>(function.key), *address, seed);
    EXPECT_EQ(wrong, "");
    if (!wrong.empty()) return;
  }
}

std::string nameOf(const ::testing::TestParamInfo<Param>& test) {
  return std::string(std::get<1>(test.param) ? "Unpack_" : "Pack_") +
         std::string(info(std::get<0>(test.param)).name);
}

INSTANTIATE_TEST_SUITE_P(
    Isas, PackFunctionsTest,
    ::testing::Combine(::testing::Values(TW_ISA_GENERIC, TW_ISA_X86_64_AVX2_FMA,
                                         TW_ISA_X86_64_AVX512_BASE,
                                         TW_ISA_ARM_64_BASE),
                       ::testing::Bool()),
    nameOf);

// The same key gives the same bytes, however often and with whatever beside it.
TEST(PackFunctions, SameKeySameBytes) {
  for (Emit kind : {Emit::Object, Emit::Bitcode}) {
    ResolveOptions wanted = options();
    wanted.kind = kind;
    std::vector<FunctionKey> keys = keysOf(TW_ISA_ARM_64_I8MM, false);
    keys.resize(40);
    wanted.jobs = 2;
    auto all = resolveFunctions(keys, wanted);
    ASSERT_TRUE(bool(all)) << llvm::toString(all.takeError());
    ASSERT_EQ(all->size(), keys.size());
    wanted.jobs = 1;
    for (size_t i = 0; i < keys.size(); i += 7) {
      auto one = resolveFunctions({keys[i]}, wanted);
      ASSERT_TRUE(bool(one)) << llvm::toString(one.takeError());
      EXPECT_EQ((*all)[i].bytes, one->front().bytes) << one->front().name;
    }
  }
}

TEST(PackFunctions, RefuseWhatTheyHaveNot) {
  const FunctionKey key =
      PackKey{false, 8, MatrixLines::kRows, 4, 4, TW_ISA_GENERIC};
  ResolveOptions wanted = options();
  wanted.kind = Emit::Plan;
  auto message = [&] {
    return llvm::toString(resolveFunctions({key}, wanted).takeError());
  };
  EXPECT_EQ(message(),
            "tw_pack_tile_8_rows_4x4_generic: a pack function has no such "
            "stage; expected keys, llvm, asm, bitcode or obj");
  wanted.kind = Emit::Object;
  wanted.generate.plan = "unroll=4";
  EXPECT_NE(message().find("has no plan to override"), std::string::npos);
  wanted.generate.plan = "";
  wanted.bitcodeDir = "/nowhere";
  EXPECT_NE(message().find("no template of pack functions: "
                           "'/nowhere/tilewright_pack_template.bc' does not "
                           "exist"),
            std::string::npos)
      << message();
}

}  // namespace
}  // namespace tilewright::testing
