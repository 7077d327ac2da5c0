// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's interface: where programs come from, arguments, memory,
// threads.

#include "tilewright/Emulator/Emulator.h"

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace {

using tilewright::emulator::Access;
using tilewright::emulator::Emulator;
using tilewright::emulator::LaunchOptions;

std::unique_ptr<llvm::MemoryBuffer> File(const std::string& name) {
  auto file = llvm::MemoryBuffer::getFile(TW_TEST_KERNELS "/" + name);
  EXPECT_TRUE(bool(file)) << name;
  return file ? std::move(*file) : nullptr;
}

std::unique_ptr<Emulator> Make(const std::string& name) {
  auto file = File(name);
  auto emulator = Emulator::create(file->getMemBufferRef());
  if (emulator) return std::move(*emulator);
  ADD_FAILURE() << llvm::toString(emulator.takeError());
  return nullptr;
}

std::string Text(llvm::Error failure) {
  return llvm::toString(std::move(failure));
}

template <typename T>
llvm::ArrayRef<uint8_t> Bytes(const T& value) {
  return llvm::ArrayRef(reinterpret_cast<const uint8_t*>(&value),
                        sizeof(value));
}

template <typename T>
std::string ErrorOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

TEST(Program, KernelsAndTheirArguments) {
  auto emulator = Make("kernels.bc");
  EXPECT_EQ(emulator->target(), "gfx1100");
  EXPECT_EQ(emulator->kernels(),
            (std::vector<std::string>{"mixed", "geometry", "add_table",
                                      "dynamic_lds"}));
  EXPECT_EQ(*emulator->kernargBytes("mixed"), 64u);
  EXPECT_EQ(*emulator->waveSize("mixed"), 32u);
  EXPECT_NE(ErrorOf(emulator->kernargBytes("none")).find("no function 'none'"),
            std::string::npos);
}

TEST(Program, ComesFromACodeObjectToo) {
  auto emulator = Make("kernels.hsaco");
  ASSERT_TRUE(emulator);
  EXPECT_EQ(emulator->kernels().size(), 4u);
}

TEST(Program, ComesFromAModuleToo) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto file = File("kernels.bc");
  auto module = llvm::parseIR(file->getMemBufferRef(), diagnostic, context);
  ASSERT_TRUE(module);
  auto emulator = Emulator::create(*module);
  ASSERT_TRUE(bool(emulator));
  EXPECT_EQ((*emulator)->kernels().size(), 4u);
}

TEST(Program, OthersAreRefused) {
  auto error = [](const char* ir) {
    return ErrorOf(Emulator::create(llvm::MemoryBufferRef(ir, "x.ll")));
  };
  EXPECT_NE(
      error("target triple = \"x86_64-linux-gnu\"").find("not for amdgcn"),
      std::string::npos);
  EXPECT_NE(error("target triple = \"amdgcn-amd-amdhsa\"\ndefine void @f() { "
                  "ret void }")
                .find("no function has a target-cpu"),
            std::string::npos);
  EXPECT_NE(error("target triple = \"amdgcn-amd-amdhsa\"\n"
                  "define void @f() \"target-cpu\"=\"gfx906\" { ret void }")
                .find("unknown target 'gfx906'; known are gfx90a"),
            std::string::npos);
  EXPECT_NE(error("nonsense").find("x.ll"), std::string::npos);
}

TEST(Program, PointersToLdsAreNoArguments) {
  std::string ir =
      "target triple = \"amdgcn-amd-amdhsa\"\n"
      "target datalayout = \"e-p3:32:32-p5:32:32-A5\"\n"
      "define amdgpu_kernel void @k(ptr addrspace(3) %p) "
      "\"target-cpu\"=\"gfx942\" { ret void }";
  auto emulator = Emulator::create(llvm::MemoryBufferRef(ir, "k.ll"));
  ASSERT_TRUE(bool(emulator));
  EXPECT_NE(ErrorOf((*emulator)->kernargBytes("k"))
                .find("parameter 0 is a 32-bit pointer"),
            std::string::npos);
}

TEST(Launch, ArgumentsLieAsTheCodeObjectHasThem) {
  auto emulator = Make("kernels.bc");
  std::vector<uint32_t> out(8), more(8);
  ASSERT_EQ(Text(emulator->addBuffer(out.data(), 32, Access::ReadWrite, "out")),
            "");
  ASSERT_EQ(
      Text(emulator->addBuffer(more.data(), 32, Access::ReadWrite, "more")),
      "");
  struct {
    uint8_t small = 200;
    uint32_t* out;
    int16_t medium = -2;
    struct {
      uint32_t* out;
      uint32_t a = 5;
      uint64_t b = uint64_t(9) << 32;
    } params;
    bool flag = true;
    double large = 2.5;
  } arguments;
  arguments.out = out.data();
  arguments.params.out = more.data();
  ASSERT_EQ(
      Text(emulator->launch("mixed", {1, 1, 1}, {1, 1, 1}, Bytes(arguments))),
      "");
  EXPECT_EQ(out, (std::vector<uint32_t>{200, 0xfffffffe, 5, 9, 1, 10, 0, 0}));
  EXPECT_EQ(more[6], 7u);
  EXPECT_NE(Text(emulator->launch("mixed", {1, 1, 1}, {1, 1, 1},
                                  Bytes(arguments).drop_back()))
                .find("63 bytes of kernel arguments; it takes 64"),
            std::string::npos);
}

TEST(Launch, EveryThreadKnowsWhereItIs) {
  auto emulator = Make("kernels.bc");
  std::vector<uint32_t> out(6 * 5 * 7);
  ASSERT_EQ(Text(emulator->addBuffer(out.data(), out.size() * 4,
                                     Access::ReadWrite, "out")),
            "");
  uint32_t* argument = out.data();
  ASSERT_EQ(
      Text(emulator->launch("geometry", {2, 3, 1}, {7, 5, 1}, Bytes(argument))),
      "");
  for (uint32_t group = 0; group < 6; ++group)
    for (uint32_t y = 0; y < 5; ++y)
      for (uint32_t x = 0; x < 7; ++x)
        EXPECT_EQ(out[(group * 5 + y) * 7 + x], group * 10000 + y * 100 + x);
  EXPECT_EQ(emulator->statistics().workgroups, 6u);
}

TEST(Launch, GlobalVariablesKeepTheirValues) {
  auto emulator = Make("kernels.bc");
  std::vector<uint32_t> out(4);
  ASSERT_EQ(Text(emulator->addBuffer(out.data(), 16, Access::ReadWrite, "out")),
            "");
  uint32_t* argument = out.data();
  for (uint32_t round = 1; round <= 2; ++round) {
    ASSERT_EQ(Text(emulator->launch("add_table", {1, 1, 1}, {32, 1, 1},
                                    Bytes(argument))),
              "");
    EXPECT_EQ(out, (std::vector<uint32_t>{10 + round, 20 + round, 30 + round,
                                          40 + round}));
  }
  auto table = emulator->global("table");
  ASSERT_TRUE(bool(table));
  EXPECT_EQ(table->bytes, 16u);
  EXPECT_EQ(*static_cast<uint32_t*>(table->address), 12u);
  EXPECT_NE(
      ErrorOf(emulator->global("tables")).find("no global variable 'tables'"),
      std::string::npos);
}

TEST(Launch, DynamicLdsHasTheBytesOfTheLaunch) {
  auto emulator = Make("kernels.bc");
  std::vector<uint32_t> out(32);
  ASSERT_EQ(
      Text(emulator->addBuffer(out.data(), 128, Access::ReadWrite, "out")), "");
  struct {
    uint32_t* out;
    uint32_t words;
  } arguments{out.data(), 32};
  LaunchOptions options;
  options.dynamicLds = 128;
  EXPECT_EQ(Text(emulator->launch("dynamic_lds", {1, 1, 1}, {32, 1, 1},
                                  Bytes(arguments), options)),
            "");
  EXPECT_EQ(out[31], 62u);
  options.dynamicLds = 124;
  EXPECT_NE(Text(emulator->launch("dynamic_lds", {1, 1, 1}, {32, 1, 1},
                                  Bytes(arguments), options))
                .find("lds-out-of-bounds"),
            std::string::npos);
  options.dynamicLds = 1 << 20;
  EXPECT_NE(Text(emulator->launch("dynamic_lds", {1, 1, 1}, {32, 1, 1},
                                  Bytes(arguments), options))
                .find("gfx1100 has 65536"),
            std::string::npos);
}

TEST(Memory, BuffersDoNotOverlapAndCanBeRemoved) {
  auto emulator = Make("kernels.bc");
  std::vector<uint32_t> out(8);
  EXPECT_EQ(Text(emulator->addBuffer(out.data(), 32, Access::ReadWrite, "out")),
            "");
  EXPECT_NE(
      Text(emulator->addBuffer(out.data() + 4, 4, Access::ReadWrite, "part"))
          .find("overlaps 'out'"),
      std::string::npos);
  EXPECT_NE(Text(emulator->removeBuffer(out.data() + 1)), "");
  EXPECT_EQ(Text(emulator->removeBuffer(out.data())), "");
  uint32_t* argument = out.data();
  EXPECT_NE(Text(emulator->launch("add_table", {1, 1, 1}, {32, 1, 1},
                                  Bytes(argument)))
                .find("global-out-of-bounds"),
            std::string::npos);
  // After a fault the next launch is as any other.
  EXPECT_EQ(Text(emulator->addBuffer(out.data(), 32, Access::ReadWrite, "out")),
            "");
  EXPECT_EQ(Text(emulator->launch("add_table", {1, 1, 1}, {32, 1, 1},
                                  Bytes(argument))),
            "");
}

TEST(Threads, EachHasItsEmulator) {
  std::vector<std::thread> threads;
  std::vector<std::string> errors(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto emulator = Make("kernels.bc");
      std::vector<uint32_t> out(32 * 32);
      errors[t] = Text(emulator->addBuffer(out.data(), out.size() * 4,
                                           Access::ReadWrite, "out"));
      uint32_t* argument = out.data();
      for (int round = 0; round < 20 && errors[t].empty(); ++round)
        errors[t] = Text(emulator->launch("geometry", {2, 2, 1}, {16, 16, 1},
                                          Bytes(argument)));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(errors, std::vector<std::string>(4));
}

}  // namespace
