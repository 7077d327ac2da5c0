// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedWeights.h"

#include "DeviceTargets.h"
#include "Dispatch/CallerSizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilewright/Encoding/Device.h"
#include "tilewright/Encoding/EncodedContraction.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Target/Amdgpu/WavePlan.h"
#include "ukernels/query.h"
#include "ukernels/vector_length.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Of all loops of a kind; -1 if one is not known.
int64_t extentOf(tw::EncodingAttr encoding, ArrayRef<unsigned> loops) {
  int64_t product = 1;
  for (unsigned loop : loops) {
    int64_t size = encoding.getSizes()[loop];
    if (ShapedType::isDynamic(size))
      return -1;
    product *= size;
  }
  return product;
}

class WeightCollector {
public:
  WeightCollector(ModuleOp module, StringRef prefix, bool hostPacksBlocks)
      : module(module), prefix(prefix), hostPacksBlocks(hostPacksBlocks) {}

  std::vector<SharedWeight> collect() {
    module.walk([&](linalg::GenericOp op) {
      if (op->getNumOperands() < 3)
        return;
      if (tw::EncodingAttr rhs = encodingOf(op->getOperand(1).getType());
          rhs && rhs.getAnyM() &&
          op->getNumOperands() == rhs.getOperands().size())
        add(op, rhs);
    });
    return std::move(found);
  }

private:
  void add(linalg::GenericOp op, tw::EncodingAttr rhs) {
    tw::DeviceAttr device = deviceOf(op);
    if (!device)
      return;
    // What is wrong with a device has been said before.
    FailureOr<std::shared_ptr<const Device>> tiler =
        findDevice(device.getTarget(), prefix, op.getContext());
    if (failed(tiler))
      return;
    auto own = tw::EncodingAttr::get(op.getContext(), rhs.getOperand(),
                                     rhs.getElementTypes(), rhs.getMaps(),
                                     rhs.getSizes(), /*any_m=*/false);
    std::optional<TiledContraction> shared = tile(**tiler, rhs),
                                    alone = tile(**tiler, own);
    if (!shared || !alone)
      return;
    tw::EncodingAttr::Loops loops = rhs.getLoops();
    SharedWeight weight;
    CallerSizes caller(op->getParentOfType<func::FuncOp>());
    weight.function = caller.entry();
    weight.fewRows = caller.isForFewRows();
    weight.place = placeOf(op.getLoc());
    weight.device = device.getName().str();
    auto type = cast<RankedTensorType>(op->getOperand(1).getType());
    llvm::raw_string_ostream(weight.weight)
        << RankedTensorType::get(type.getShape(), type.getElementType());
    weight.sizes = {extentOf(rhs, loops.m), extentOf(rhs, loops.n),
                    extentOf(rhs, loops.k)};
    weight.tile = shared->tile.getName();
    weight.alone = alone->tile.getName();
    weight.cost =
        ratio(op, shared->tile.getKey(), alone->tile.getKey(), weight);
    found.push_back(std::move(weight));
  }

  std::optional<TiledContraction> tile(const Device &device,
                                       tw::EncodingAttr encoding) {
    return hostPacksBlocks && !device.hasOwnMemory()
               ? device.tileInBlocks(encoding)
               : device.tile(encoding);
  }

  std::optional<double> ratio(Operation *op, const TileKey &tile,
                              const TileKey &alone,
                              const SharedWeight &weight) {
    if (tile == alone)
      return 1.0;
    std::optional<double> with = costOf(op, tile, weight),
                          without = costOf(op, alone, weight);
    if (!with || !without || *without <= 0)
      return std::nullopt;
    return *with / *without;
  }

  /// As the choice between tiles weighs it; on GPUs, where a table chooses
  /// them, as the plans of waves are weighed: the cycles of all waves.
  std::optional<double> costOf(Operation *op, const TileKey &key,
                               const SharedWeight &weight) {
    const IsaInfo &isa = info(key.isa);
    if (isa.isGpu())
      return costOfWaves(key, weight);
    tw_tile_key_t row = keyInC(key);
    const uint64_t *cpu = targets.of(op).cpuData.data();
    return tw_tile_cost(&row, tw_vector_bits(&row, cpu), weight.sizes[0],
                        weight.sizes[1], cpu);
  }

  static std::optional<double> costOfWaves(const TileKey &key,
                                           const SharedWeight &weight) {
    llvm::Expected<WavePlan> plan = planWave(key);
    if (!plan) {
      llvm::consumeError(plan.takeError());
      return std::nullopt;
    }
    // By k, which both tiles go through, and by row (column) where there is no
    // knowing how many: padding is nothing of many.
    auto tiles = [](int64_t extent, int size) {
      return extent < 0 ? 1.0 / size
                        : double(llvm::divideCeil(extent, int64_t(size)));
    };
    return estimateWaveCost(*plan, key).cycles() *
           tiles(weight.sizes[0], key.m0) * tiles(weight.sizes[1], key.n0) /
           key.k0;
  }

  ModuleOp module;
  StringRef prefix;
  bool hostPacksBlocks;
  DeviceTargets targets;
  std::vector<SharedWeight> found;
};

} // namespace

std::vector<SharedWeight> sharedWeightsOf(ModuleOp module, StringRef prefix,
                                          bool hostPacksBlocks) {
  return WeightCollector(module, prefix, hostPacksBlocks).collect();
}

} // namespace tilewright
