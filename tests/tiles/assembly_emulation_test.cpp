// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What emulation makes of inline assembly.

#include <gtest/gtest.h>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Instructions.h"
#include "tests/tiles/intrinsic_emulation.h"
#include "tests/tiles/parsed_module.h"

namespace tilewright::testing {
namespace {

TEST(EmulationTest, TakesOutBarriers) {
  llvm::LLVMContext context;
  auto module = parse(
      "define <4 x i32> @f(<4 x i32> %x) {\n"
      "  %r = call <4 x i32> asm sideeffect \"\", "
      "\"=x,0,~{dirflag},~{fpsr},~{flags}\"(<4 x i32> %x)\n"
      "  ret <4 x i32> %r\n}\n",
      context);
  ASSERT_TRUE(module);
  llvm::Error error = emulateForeignIsa(*module);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(module->getFunction("f")->getEntryBlock().size(), 1u);
}

// A barrier over two values, tied to the results as `ties` says; gives y.
std::string barrierOfTwo(const char* ties) {
  return std::string(
             "define <4 x i32> @f(<4 x i32> %x, <4 x i32> %y) {\n"
             "  %r = call { <4 x i32>, <4 x i32> } asm sideeffect \"\", \"") +
         ties +
         "\"(<4 x i32> %x, <4 x i32> %y)\n"
         "  %v = extractvalue { <4 x i32>, <4 x i32> } %r, 1\n"
         "  ret <4 x i32> %v\n}\n";
}

TEST(EmulationTest, TakesOutBarriersOfSeveralValues) {
  llvm::LLVMContext context;
  std::string text = barrierOfTwo("=x,=x,0,1");
  auto module = parse(text, context);
  ASSERT_TRUE(module);
  llvm::Error error = emulateForeignIsa(*module);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  llvm::Function* f = module->getFunction("f");
  auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(
      f->getEntryBlock().getTerminator()->getOperand(0));
  ASSERT_TRUE(extract);
  EXPECT_EQ(llvm::FindInsertedValue(extract->getAggregateOperand(),
                                    extract->getIndices()),
            f->getArg(1));
}

TEST(EmulationTest, TakesOutPointersBehindAVector) {
  llvm::LLVMContext context;
  auto module = parse(
      "define ptr @f(ptr %p, <4 x i32> %x) {\n"
      "  %r = call ptr asm \"\", \"=r,0,x\"(ptr %p, <4 x i32> %x)\n"
      "  ret ptr %r\n}\n",
      context);
  ASSERT_TRUE(module);
  llvm::Error error = emulateForeignIsa(*module);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  llvm::Function* f = module->getFunction("f");
  EXPECT_EQ(f->getEntryBlock().getTerminator()->getOperand(0), f->getArg(0));
}

TEST(EmulationTest, RefusesBarriersThatExchangeValues) {
  llvm::LLVMContext context;
  std::string text = barrierOfTwo("=x,=x,1,0");
  auto module = parse(text, context);
  ASSERT_TRUE(module);
  llvm::Error error = emulateForeignIsa(*module);
  EXPECT_EQ(llvm::toString(std::move(error)),
            "inline assembly or an indirect call in f cannot be emulated");
}

TEST(EmulationTest, ReplacesABroadcastThatIsWrittenOut) {
  llvm::LLVMContext context;
  auto module = parse(
      "define <8 x i64> @f(ptr %x) {\n"
      "  %r = call <8 x i64> asm \"vpbroadcastd $1, $0\", "
      "\"=v,*m,~{flags}\"(ptr elementtype(i32) %x)\n  ret <8 x i64> %r\n}\n",
      context);
  ASSERT_TRUE(module);
  ASSERT_FALSE(bool(emulateForeignIsa(*module)));
  auto* cast = llvm::dyn_cast<llvm::BitCastInst>(
      module->getFunction("f")->front().getTerminator()->getOperand(0));
  const llvm::Value* one =
      cast ? llvm::getSplatValue(cast->getOperand(0)) : nullptr;
  EXPECT_TRUE(one && llvm::isa<llvm::LoadInst>(one));
}

TEST(EmulationTest, ReplacesLoadsThatRepeatEverySecondLane) {
  for (const bool odd : {false, true}) {
    llvm::LLVMContext context;
    const std::string text = odd ? "vmovshdup" : "vmovsldup";
    auto module = parse(
        "define <16 x float> @f(ptr %x) {\n"
        "  %r = call <16 x float> asm \"" +
            text +
            " $1, $0\", \"=v,*m\"(ptr elementtype(<16 x "
            "float>) %x)\n  ret <16 x float> %r\n}\n",
        context);
    ASSERT_TRUE(module);
    ASSERT_FALSE(bool(emulateForeignIsa(*module)));
    auto* cast = llvm::dyn_cast<llvm::BitCastInst>(
        module->getFunction("f")->front().getTerminator()->getOperand(0));
    auto* lanes =
        cast ? llvm::dyn_cast<llvm::ShuffleVectorInst>(cast->getOperand(0))
             : nullptr;
    ASSERT_TRUE(lanes) << text;
    for (int lane = 0; lane < 16; ++lane)
      EXPECT_EQ(lanes->getMaskValue(lane), lane / 2 * 2 + odd) << text;
  }
}

TEST(EmulationTest, RefusesInlineAssembly) {
  llvm::LLVMContext context;
  auto module = parse(
      "define void @f() {\n  call void asm sideeffect \"nop\", \"\"()\n"
      "  ret void\n}\n",
      context);
  ASSERT_TRUE(module);
  llvm::Error error = emulateForeignIsa(*module);
  EXPECT_EQ(llvm::toString(std::move(error)),
            "inline assembly or an indirect call in f cannot be emulated");
}

}  // namespace
}  // namespace tilewright::testing
