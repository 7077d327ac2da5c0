// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs in LLVM IR.

#include "tests/emulator/wave_program.h"

#include "llvm/Support/MemoryBuffer.h"

using tilewright::emulator::Access;
using tilewright::emulator::EmulationError;
using tilewright::emulator::Emulator;
using tilewright::emulator::LaunchOptions;

namespace {

WaveResult Run(
    const std::string& gfx, const std::string& ir,
    const std::vector<uint32_t>& in, size_t out_words,
    const std::function<llvm::Error(Emulator&, const void*, void*)>& run) {
  WaveResult result;
  auto note = [&](llvm::Error failure) {
    llvm::handleAllErrors(
        std::move(failure),
        [&](const EmulationError& error) {
          result.fault = error.kind;
          result.lanes = error.lanes;
          result.error = error.message();
        },
        [&](const llvm::ErrorInfoBase& error) {
          result.error += error.message();
        });
  };
  tilewright::emulator::EmulatorOptions options;
  options.gfx = gfx;
  auto emulator =
      Emulator::create(llvm::MemoryBufferRef(ir, "program.ll"), options);
  if (!emulator) {
    note(emulator.takeError());
    return result;
  }
  result.out.assign(out_words, 0xcdcdcdcd);
  note((*emulator)->addBuffer(in.data(), 4 * in.size(), "in"));
  note((*emulator)->addBuffer(result.out.data(), 4 * out_words,
                              Access::ReadWrite, "out"));
  note(run(**emulator, in.data(), result.out.data()));
  result.statistics = (*emulator)->statistics();
  return result;
}

const char kHead[] =
    "target triple = \"amdgcn-amd-amdhsa\"\n"
    "target datalayout = "
    "\"e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:"
    "160:256:"
    "256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-"
    "v48:64-"
    "v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-"
    "ni:7:8:"
    "9\"\n";

}  // namespace

WaveResult RunWave(const std::string& gfx, const std::string& declarations,
                   const std::string& body, const std::vector<uint32_t>& in,
                   unsigned seed) {
  std::string ir = kHead;
  ir +=
      "declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)\n"
      "declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)\n" +
      declarations +
      "\ndefine void @f(ptr addrspace(1) %in, ptr addrspace(1) %out) {\n"
      "  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)\n";
  ir += gfx.rfind("gfx1", 0) == 0
            ? "  %lane = add i32 %low, 0\n"
            : "  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)\n";
  ir +=
      "  %from = getelementptr i32, ptr addrspace(1) %in, i32 %lane\n"
      "  %to = getelementptr i32, ptr addrspace(1) %out, i32 %lane\n"
      "  %x = load i32, ptr addrspace(1) %from\n" +
      body +
      "\n  store i32 %y, ptr addrspace(1) %to\n"
      "  ret void\n}\n";
  return Run(gfx, ir, in, in.size(),
             [&](Emulator& emulator, const void* from, void* to) {
               LaunchOptions options;
               options.scheduleSeed = seed;
               return emulator.callOnWave("f",
                                          {reinterpret_cast<uint64_t>(from),
                                           reinterpret_cast<uint64_t>(to)},
                                          options);
             });
}

WaveResult RunKernel(const std::string& gfx, const std::string& ir,
                     unsigned threads, const std::vector<uint32_t>& in,
                     size_t out_words, const LaunchOptions& options) {
  return Run(gfx, kHead + ir, in, out_words,
             [&](Emulator& emulator, const void* from, void* to) {
               const void* arguments[] = {from, to};
               return emulator.launch(
                   "entry", {1, 1, 1}, {threads, 1, 1},
                   llvm::ArrayRef(reinterpret_cast<const uint8_t*>(arguments),
                                  sizeof(arguments)),
                   options);
             });
}

std::vector<uint32_t> Each(size_t count,
                           const std::function<uint32_t(uint32_t)>& f) {
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = f(uint32_t(i));
  return values;
}
