// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that models are compiled for, as encodings see them.

#include "tilewright/Devices/Devices.h"

#include "tilewright/Devices/ChooseDeviceTile.h"
#include "tilewright/Devices/ChooseTile.h"
#include "tilewright/Encoding/Device.h"

using namespace mlir;

namespace tilewright {
namespace {

/// A CPU or an AMD GPU: tiles such as the runtime library would choose.
class TargetDevice : public Device {
public:
  TargetDevice(TargetCpu target, StringRef prefix)
      : target(std::move(target)), prefix(prefix) {}

  StringRef getName() const override { return target.name; }

  bool hasOwnMemory() const override { return target.best().isAmdgpu(); }

  std::optional<TiledContraction>
  tile(tw::EncodingAttr encoding) const override {
    return tileWith(encoding, ScalableTiles::OfKnownLength);
  }

  std::optional<TiledContraction>
  tileInBlocks(tw::EncodingAttr encoding) const override {
    // Several loops of n or of k are packed as a whole all the same.
    tw::EncodingAttr::Loops loops = encoding.getLoops();
    bool isInBlocks =
        encoding.isGathered() || (loops.n.size() == 1 && loops.k.size() == 1);
    return tileWith(encoding, isInBlocks ? ScalableTiles::Any
                                         : ScalableTiles::OfKnownLength);
  }

private:
  std::optional<TiledContraction> tileWith(tw::EncodingAttr encoding,
                                           ScalableTiles scalable) const {
    // No kernel gathers windows, and no tile of a CPU has block scales.
    if (encoding.isGathered() && target.best().isAmdgpu())
      return std::nullopt;
    if (encoding.isScaled() && !target.best().isAmdgpu())
      return std::nullopt;
    return tileContraction(
        encoding,
        [&](const TypeTripleInfo &types, int64_t m, int64_t n,
            bool anyM) -> ChosenTile {
          if (target.best().isAmdgpu())
            return encoding.isScaled()
                       ? chooseScaledTile(types, anyM ? -1 : m, n, target)
                       : chooseDeviceTile(types, anyM ? -1 : m, n, target);
          TileKey key = chooseTile(types, m, n, target, anyM, scalable);
          return {key, target.vectorBitsOf(info(key.isa))};
        },
        prefix);
  }

  TargetCpu target;
  std::string prefix;
};

class TargetDevices : public DeviceProvider {
public:
  using DeviceProvider::DeviceProvider;

  FailureOr<std::shared_ptr<const Device>> parseDevice(
      StringRef name, StringRef prefix,
      llvm::function_ref<InFlightDiagnostic()> emitError) const override {
    llvm::Expected<TargetCpu> target = parseTargetCpu(name);
    if (!target) {
      emitError() << llvm::toString(target.takeError());
      return failure();
    }
    return std::shared_ptr<const Device>(
        std::make_shared<TargetDevice>(std::move(*target), prefix));
  }
};

} // namespace

void registerDevices(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, tw::TwDialect *dialect) {
    dialect->addInterfaces<TargetDevices>();
  });
}

} // namespace tilewright
