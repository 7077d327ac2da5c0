// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No bank conflicts in LDS: counted from the addresses that pipelined kernels
// compute, lane by lane.

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "gtest/gtest.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Operator.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/KernelGenerator.h"

namespace tilewright::testing {
namespace {

using Addresses = std::vector<int64_t>;  // by lane

// LDS hands out a word of four bytes per bank and cycle, to groups of lanes
// whose words would fill the banks. Which lanes are a group: consecutive ones,
// or, in 16-byte reads of CDNA3, as AMD's library documents them (Composable
// Kernel): 0-3 and 20-23, 4-7 and 16-19, and so on in each half of the wave.
std::vector<std::vector<int>> consecutiveGroups(int lanes, int bytes,
                                                int banks) {
  const int each = std::max(1, banks * 4 / bytes);
  std::vector<std::vector<int>> groups;
  for (int lane = 0; lane < lanes; ++lane) {
    if (lane % each == 0) groups.emplace_back();
    groups.back().push_back(lane);
  }
  return groups;
}

std::vector<std::vector<int>> interleavedGroups(int lanes) {
  constexpr int kStarts[][2] = {{0, 20}, {4, 16}, {8, 28}, {12, 24}};
  std::vector<std::vector<int>> groups;
  for (int half = 0; half < lanes; half += 32)
    for (const auto& starts : kStarts) {
      groups.emplace_back();
      for (int start : starts)
        for (int lane = 0; lane < 4; ++lane)
          groups.back().push_back(half + start + lane);
    }
  return groups;
}

// Cycles beyond one per group.
int conflicts(const Addresses& addresses, int bytes, int banks,
              const std::vector<std::vector<int>>& groups) {
  int extra = 0;
  for (const std::vector<int>& group : groups) {
    std::map<int64_t, std::set<int64_t>> words;  // by bank; a word once for all
    for (int lane : group)
      for (int64_t at = addresses[lane]; at < addresses[lane] + bytes; at += 4)
        words[at / 4 % banks].insert(at / 4);
    size_t most = 1;
    for (const auto& [bank, ofBank] : words)
      most = std::max(most, ofBank.size());
    extra += static_cast<int>(most) - 1;
  }
  return extra;
}

// Evaluates integers and LDS pointers of a kernel for one lane: loops in their
// first iteration, parameters 1.
class LaneValues {
 public:
  LaneValues(const llvm::DataLayout& layout, int thread, int lanes)
      : layout_(layout), thread_(thread), lanes_(lanes) {}

  std::optional<int64_t> operator()(llvm::Value* value) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return constant->getSExtValue();
    if (llvm::isa<llvm::GlobalVariable>(value)) return 0;
    auto [it, inserted] = known_.try_emplace(value, std::nullopt);
    if (inserted) {
      const std::optional<int64_t> result = evaluate(value);
      known_[value] = result;
      return result;
    }
    return it->second;
  }

 private:
  std::optional<int64_t> evaluate(llvm::Value* value) {
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value))
      return evaluateCall(call);
    if (llvm::isa<llvm::LoadInst>(value)) return 1;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
      return (*this)(phi->getIncomingValue(0));
    if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(value)) {
      std::optional<int64_t> address = (*this)(gep->getPointerOperand());
      llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> offsets;
      llvm::APInt constant(layout_.getIndexTypeSizeInBits(gep->getType()), 0);
      if (!address || !gep->collectOffset(layout_, constant.getBitWidth(),
                                          offsets, constant))
        return std::nullopt;
      *address += constant.getSExtValue();
      for (const auto& [index, scale] : offsets) {
        const std::optional<int64_t> times = (*this)(index);
        if (!times) return std::nullopt;
        *address += *times * scale.getSExtValue();
      }
      return address;
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !instruction->getType()->isIntegerTy())
      return std::nullopt;
    std::vector<llvm::Constant*> operands;
    for (llvm::Value* operand : instruction->operands()) {
      const std::optional<int64_t> known = (*this)(operand);
      if (!known || !operand->getType()->isIntegerTy()) return std::nullopt;
      operands.push_back(
          llvm::ConstantInt::getSigned(operand->getType(), *known));
    }
    auto* folded = llvm::dyn_cast_or_null<llvm::ConstantInt>(
        llvm::ConstantFoldInstOperands(instruction, operands, layout_));
    if (!folded) return std::nullopt;
    return folded->getSExtValue();
  }

  std::optional<int64_t> evaluateCall(llvm::IntrinsicInst* call) {
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::amdgcn_workitem_id_x:
        return thread_;
      case llvm::Intrinsic::amdgcn_workgroup_id_x:
      case llvm::Intrinsic::amdgcn_workgroup_id_y:
        return 0;
      case llvm::Intrinsic::amdgcn_readfirstlane:
        return LaneValues(layout_, thread_ - thread_ % lanes_,
                          lanes_)(call->getArgOperand(0));
      default:
        return std::nullopt;
    }
  }

  const llvm::DataLayout& layout_;
  int thread_, lanes_;
  std::map<llvm::Value*, std::optional<int64_t>> known_;
};

struct Access {
  llvm::Value* pointer;
  int bytes;
  bool read;
};

std::vector<Access> ldsAccesses(llvm::Module& module) {
  std::vector<Access> found;
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::Function& function : module)
    for (llvm::Instruction& i : llvm::instructions(function)) {
      llvm::Value* pointer = llvm::getLoadStorePointerOperand(&i);
      if (!pointer || pointer->getType()->getPointerAddressSpace() != 3)
        continue;
      const auto bytes = layout.getTypeStoreSize(llvm::getLoadStoreType(&i));
      found.push_back({pointer, static_cast<int>(bytes.getFixedValue()),
                       llvm::isa<llvm::LoadInst>(i)});
    }
  return found;
}

struct Case {
  const char* tile;
  const char* plan;
};

class LdsBanks : public ::testing::TestWithParam<Case> {};

TEST_P(LdsBanks, HaveNoConflicts) {
  llvm::LLVMContext context;
  const ParsedTileKey parsed =
      parseTileKey(std::string("tw_mmt4d_tile_") + GetParam().tile);
  ASSERT_TRUE(parsed.key) << parsed.error;
  KernelOptions options;
  options.plan = GetParam().plan;
  auto kernel = KernelGenerator().generate(*parsed.key, options, context);
  ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
  auto backend = DeviceBackend::create(parsed.key->isa);
  ASSERT_TRUE(bool(backend)) << llvm::toString(backend.takeError());
  (*backend)->optimize(*kernel->module);

  const int lanes = waveSize(parsed.key->isa);
  const int threads = static_cast<int>(kernel->launch.block_size);
  int reads = 0, writes = 0;
  for (const Access& access : ldsAccesses(*kernel->module))
    for (int wave = 0; wave < threads; wave += lanes) {
      Addresses addresses;
      for (int lane = 0; lane < lanes; ++lane) {
        const std::optional<int64_t> address =
            LaneValues(kernel->module->getDataLayout(), wave + lane,
                       lanes)(access.pointer);
        ASSERT_TRUE(address) << "an address of LDS that is not understood";
        addresses.push_back(*address);
      }
      (access.read ? reads : writes) += 1;
      for (int banks : {32, 64})
        EXPECT_EQ(conflicts(addresses, access.bytes, banks,
                            consecutiveGroups(lanes, access.bytes, banks)),
                  0)
            << (access.read ? "read" : "write") << " of " << access.bytes
            << " bytes, " << banks << " banks, wave " << wave / lanes;
      if (access.read && access.bytes == 16 && lanes == 64)
        EXPECT_EQ(conflicts(addresses, 16, 32, interleavedGroups(lanes)), 0);
    }
  EXPECT_GT(reads, 0);
  EXPECT_GT(writes, 0);
}

constexpr Case kCases[] = {
    {"f16f16f32_16x16x16_amdgpu_gfx942", "waves=2x2 tiles=8x8"},
    {"f16f16f32_16x16x16_amdgpu_gfx942",
     "waves=2x2 tiles=8x8 instruction=mfma.f32.16x16x16f16 buffers=2"},
    {"s8s8s32_16x16x4_amdgpu_gfx90a", "waves=2x2 tiles=4x4"},
    {"s8s8s32_16x16x32_amdgpu_gfx942", "waves=2x2 tiles=8x8"},
    {"f16f16f32_4x4x4_amdgpu_gfx942", "waves=1x2 tiles=8x16 ksteps=4"},
    {"f8e4m3fnf8e4m3fnf32_32x32x128_amdgpu_gfx950", "waves=2x2 tiles=2x2"},
    {"f16f16f32_16x16x16_amdgpu_gfx1100", "waves=2x2 tiles=4x4"},
    {"s8s8s32_16x16x16_amdgpu_gfx1201", "waves=2x2 tiles=4x4 ksteps=2"},
};

std::string caseName(const ::testing::TestParamInfo<Case>& info) {
  std::string name = std::string(info.param.tile) + "_" + info.param.plan;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(, LdsBanks, ::testing::ValuesIn(kCases), caseName);

// What the count is worth: rows of 64 bytes as they lie, lane l reading 16
// bytes of row l % 16, have every lane of a group in the same banks.
TEST(LdsBanksCount, FindsConflictsOfPlainRows) {
  Addresses plain, padded;
  for (int lane = 0; lane < 64; ++lane) {
    plain.push_back(lane % 16 * 64 + lane / 16 * 16);
    padded.push_back(lane % 16 * (64 + 16) + lane / 16 * 16);
  }
  const auto groups = consecutiveGroups(64, 16, 32);
  EXPECT_EQ(conflicts(plain, 16, 32, groups), 8 * 3);
  EXPECT_EQ(conflicts(padded, 16, 32, groups), 0);
}

}  // namespace
}  // namespace tilewright::testing
