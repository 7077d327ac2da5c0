// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of matrix instructions: LLVM selects every row, and the lane
// layouts are the published ones.

#include <set>
#include <string>
#include <tuple>

#include "gtest/gtest.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/EmitMatrix.h"
#include "tilewright/Target/Amdgpu/MatrixInstructions.h"

namespace tilewright {
namespace {

using llvm::Type;
using llvm::Value;

std::vector<tw_isa_t> targets() {
  std::vector<tw_isa_t> result;
  for (const IsaInfo& isa : isas())
    if (isa.isGpu()) result.push_back(isa.isa);
  return result;
}

std::string nameOf(tw_isa_t isa) { return std::string(processorOf(isa)); }

// A kernel that runs the instruction once, on operands in memory.
void addKernel(llvm::Module& module, const MatrixInstruction& instruction,
               MatrixTypes types) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> b(context);
  Type* pointer = b.getPtrTy(1);
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(
          b.getVoidTy(), {pointer, pointer, pointer, b.getInt32Ty()}, false),
      llvm::GlobalValue::ExternalLinkage, "kernel", module);
  function->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  auto load = [&](unsigned argument, const MatrixRegisters& registers) {
    return b.CreateLoad(registerType(context, registers),
                        function->getArg(argument));
  };
  Value* scale = instruction.isScaled() ? function->getArg(3) : nullptr;
  Value* d = emitMatrixMultiply(
      b, instruction, types, load(0, operandRegisters(instruction, types.lhs)),
      load(1, operandRegisters(instruction, types.rhs)),
      load(2, resultRegisters(instruction)), scale, scale);
  b.CreateStore(d, function->getArg(2));
  b.CreateRetVoid();
}

std::string emit(DeviceBackend& backend, const MatrixInstruction& instruction,
                 MatrixTypes types, DeviceFile kind) {
  llvm::LLVMContext context;
  llvm::Module module("instruction", context);
  addKernel(module, instruction, types);
  backend.setTarget(module);
  llvm::Expected<llvm::SmallVector<char, 0>> bytes = backend.emit(module, kind);
  if (!bytes) return "error: " + llvm::toString(bytes.takeError());
  return std::string(bytes->begin(), bytes->end());
}

TEST(MatrixInstructionsTest, EveryRowIsSelected) {
  for (tw_isa_t isa : targets()) {
    auto backend = DeviceBackend::create(isa);
    ASSERT_TRUE(bool(backend)) << llvm::toString(backend.takeError());
    ASSERT_FALSE(matrixInstructions(isa).empty());
    for (const MatrixInstruction& instruction : matrixInstructions(isa))
      for (tw_element_type_t lhs : instruction.lhsTypes)
        for (tw_element_type_t rhs : instruction.rhsTypes) {
          std::string text =
              emit(**backend, instruction, {lhs, rhs}, DeviceFile::Assembly);
          EXPECT_NE(text.find("\t" + instruction.mnemonic.str() + " "),
                    std::string::npos)
              << nameOf(isa) << " " << instruction.intrinsic.str() << "\n"
              << text.substr(0, 400);
        }
  }
}

TEST(MatrixInstructionsTest, CodeObjectsHaveTheirKernelAndBitcode) {
  for (tw_isa_t isa : targets()) {
    auto backend = DeviceBackend::create(isa);
    ASSERT_TRUE(bool(backend)) << llvm::toString(backend.takeError());
    const MatrixInstruction& first = matrixInstructions(isa)[0];
    std::string elf =
        emit(**backend, first, {first.lhsTypes[0], first.rhsTypes[0]},
             DeviceFile::CodeObject);
    EXPECT_EQ(elf.substr(0, 4),
              "\x7f"
              "ELF")
        << elf.substr(0, 200);
    EXPECT_NE(elf.find("kernel.kd"), std::string::npos);
    EXPECT_NE(elf.find(".llvmbc"), std::string::npos);
    EXPECT_NE(elf.find("BC\xC0\xDE"), std::string::npos);
    EXPECT_EQ(elf[8], 4) << "ELF ABI version of code object version 6";
  }
}

TEST(MatrixInstructionsTest, EveryElementHasItsPlaces) {
  for (tw_isa_t isa : targets())
    for (const MatrixInstruction& i : matrixInstructions(isa)) {
      SCOPED_TRACE(nameOf(isa) + " " + i.intrinsic.str());
      std::set<std::tuple<int, int, int>> lhs, results;
      for (int lane = 0; lane < i.lanes(); ++lane) {
        for (int e = 0; e < i.lhsElements(); ++e) {
          MatrixPlace p = lhsPlace(i, info(i.lhsTypes[0]).bits, lane, e);
          EXPECT_TRUE(p.row < i.m && p.column < i.k && p.block < i.blocks);
          lhs.insert({p.row, p.column, p.block});
        }
        for (int e = 0; e < i.results(); ++e) {
          MatrixPlace p = resultPlace(i, lane, e);
          EXPECT_TRUE(p.row < i.m && p.column < i.n && p.block < i.blocks);
          results.insert({p.row, p.column, p.block});
          EXPECT_EQ(resultHolder(i, p), std::make_pair(lane, e));
        }
      }
      EXPECT_EQ(lhs.size(), size_t(i.m * i.k * i.blocks));
      EXPECT_EQ(results.size(), size_t(i.m * i.n * i.blocks));
    }
}

// From the register layout tables of AMD's CDNA3 and RDNA3/RDNA4 ISA documents
// and the AMD matrix instruction calculator.
TEST(MatrixInstructionsTest, PublishedPlaces) {
  auto find = [](tw_isa_t isa, const char* intrinsic, tw_element_type_t type) {
    const MatrixInstruction* i =
        findMatrixInstruction(isa, intrinsic, type, type);
    EXPECT_NE(i, nullptr) << intrinsic;
    return i;
  };
  const tw_isa_t gfx942 = TW_ISA_AMDGPU_GFX942;
  auto* f16 = find(gfx942, "mfma.f32.16x16x16f16", TW_ELEMENT_F16);
  EXPECT_EQ(lhsPlace(*f16, 16, 35, 2), (MatrixPlace{3, 10, 0}));
  EXPECT_EQ(resultPlace(*f16, 35, 2), (MatrixPlace{10, 3, 0}));
  auto* f16Big = find(gfx942, "mfma.f32.32x32x8f16", TW_ELEMENT_F16);
  EXPECT_EQ(lhsPlace(*f16Big, 16, 35, 2), (MatrixPlace{3, 6, 0}));
  EXPECT_EQ(resultPlace(*f16Big, 35, 6), (MatrixPlace{14, 3, 0}));
  auto* blocks = find(gfx942, "mfma.f32.4x4x4f16", TW_ELEMENT_F16);
  EXPECT_EQ(lhsPlace(*blocks, 16, 35, 2), (MatrixPlace{3, 2, 8}));
  EXPECT_EQ(resultPlace(*blocks, 35, 2), (MatrixPlace{2, 3, 8}));
  auto* f64 = find(gfx942, "mfma.f64.16x16x4f64", TW_ELEMENT_F64);
  EXPECT_EQ(lhsPlace(*f64, 64, 35, 0), (MatrixPlace{3, 2, 0}));
  EXPECT_EQ(resultPlace(*f64, 35, 3), (MatrixPlace{14, 3, 0}));
  auto* f64Blocks = find(gfx942, "mfma.f64.4x4x4f64", TW_ELEMENT_F64);
  EXPECT_EQ(lhsPlace(*f64Blocks, 64, 35, 0), (MatrixPlace{3, 2, 0}));
  EXPECT_EQ(resultPlace(*f64Blocks, 39, 0), (MatrixPlace{2, 3, 1}));
  auto* fp8 = find(TW_ISA_AMDGPU_GFX950, "mfma.scale.f32.16x16x128.f8f6f4",
                   TW_ELEMENT_F8E4M3FN);
  EXPECT_EQ(lhsPlace(*fp8, 8, 35, 17), (MatrixPlace{3, 97, 0}));
  EXPECT_EQ(lhsPlace(*fp8, 4, 35, 17), (MatrixPlace{3, 81, 0}));
  auto* rdna3 =
      find(TW_ISA_AMDGPU_GFX1100, "wmma.f32.16x16x16.f16", TW_ELEMENT_F16);
  EXPECT_EQ(lhsPlace(*rdna3, 16, 19, 5), (MatrixPlace{3, 5, 0}));
  EXPECT_EQ(resultPlace(*rdna3, 19, 5), (MatrixPlace{11, 3, 0}));
  auto* rdna4 =
      find(TW_ISA_AMDGPU_GFX1201, "wmma.f32.16x16x16.f16", TW_ELEMENT_F16);
  EXPECT_EQ(lhsPlace(*rdna4, 16, 19, 1), (MatrixPlace{3, 5, 0}));
  EXPECT_EQ(lhsPlace(*rdna4, 16, 3, 5), (MatrixPlace{3, 9, 0}));
  EXPECT_EQ(resultPlace(*rdna4, 19, 5), (MatrixPlace{13, 3, 0}));
  auto* rdna4Bytes =
      find(TW_ISA_AMDGPU_GFX1201, "wmma.i32.16x16x16.iu8", TW_ELEMENT_S8);
  EXPECT_EQ(lhsPlace(*rdna4Bytes, 8, 19, 1), (MatrixPlace{3, 9, 0}));
  EXPECT_EQ(lhsPlace(*rdna4Bytes, 8, 3, 5), (MatrixPlace{3, 5, 0}));
}

// Every literal of the emulator's tests whose instruction has a row.
enum Width {
  f64 = 64,
  f32 = 32,
  xf32 = 32,
  i32 = 32,
  f16 = 16,
  bf16 = 16,
  i8 = 8,
  iu8 = 8,
  fp8 = 8,
  bf8 = 8,
  fp6 = 6,
  bf6 = 6,
  iu4 = 4,
  fp4 = 4
};
struct Published {
  const char *gfx, *intrinsic;
  int bitsA, bitsB;
  int i, j, k, block;
  int laneA, elementA, laneB, elementB, laneD, elementD;
};
#define TW_LANE_LAYOUT(gfx, intrinsic, A, B, D, typeA, typeB, typeD, form, i, \
                       j, k, block, ...)                                      \
  {gfx, intrinsic, typeA, typeB, i, j, k, block, __VA_ARGS__},
const Published kPublished[] = {
#include "tests/emulator/lane_layouts.def"
};

TEST(MatrixInstructionsTest, PlacesAreThoseOfTheLiterals) {
  std::set<const MatrixInstruction*> compared;
  for (const Published& p : kPublished)
    for (tw_isa_t isa : targets())
      for (const MatrixInstruction& row : matrixInstructions(isa)) {
        if (nameOf(isa) != p.gfx || row.intrinsic != p.intrinsic) continue;
        SCOPED_TRACE(std::string(p.gfx) + " " + p.intrinsic + " of " +
                     std::to_string(p.bitsA) + " bits, k " +
                     std::to_string(p.k));
        // gfx11's halves hold the same.
        EXPECT_EQ(lhsPlace(row, p.bitsA, p.laneA, p.elementA),
                  (MatrixPlace{p.i, p.k, p.block}));
        EXPECT_EQ(lhsPlace(row, p.bitsB, p.laneB, p.elementB),
                  (MatrixPlace{p.j, p.k, p.block}));
        EXPECT_EQ(resultPlace(row, p.laneD, p.elementD),
                  (MatrixPlace{p.i, p.j, p.block}));
        compared.insert(&row);
      }
  size_t rows = 0;
  for (tw_isa_t isa : targets()) rows += matrixInstructions(isa).size();
  EXPECT_EQ(compared.size(), rows);
}

}  // namespace
}  // namespace tilewright
