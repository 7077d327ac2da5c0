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

  bool hasOwnMemory() const override { return target.best().isGpu(); }

  const TargetCpu *getTarget() const override { return &target; }

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

  /// A GPU's kernels unpack where they read, and pack where they write.
  Value relayout(ImplicitLocOpBuilder &b,
                 const PanelMove &move) const override {
    return hasOwnMemory() ? moveThroughRows(b, move)
                          : Device::relayout(b, move);
  }

private:
  std::optional<TiledContraction> tileWith(tw::EncodingAttr encoding,
                                           ScalableTiles scalable) const {
    // No kernel gathers windows, and no tile of a CPU has block scales.
    if (encoding.isGathered() && target.best().isGpu())
      return std::nullopt;
    if (encoding.isScaled() && !target.best().isGpu())
      return std::nullopt;
    // Windows are gathered into panels of whole rows.
    PanelForms forms{scalable, /*inGroups=*/!encoding.isGathered()};
    return tileContraction(
        encoding,
        [&](const TypeTripleInfo &types, int64_t m, int64_t n,
            bool anyM) -> ChosenTile {
          if (target.best().isGpu())
            return encoding.isScaled()
                       ? chooseScaledTile(types, m, n, target, anyM)
                       : chooseDeviceTile(types, m, n, target, anyM);
          TileKey key = chooseTile(types, m, n, target, anyM, forms);
          ChosenTile chosen(key, target.vectorBitsOf(info(key.isa)));
          chosen.why = whyMeasured(types, m, n, target, anyM, forms);
          return chosen;
        },
        prefix);
  }

  TargetCpu target;
  std::string prefix;
};

class TargetDevices : public DeviceProvider {
public:
  TargetDevices(Dialect *dialect, std::function<void(TargetCpu &)> tune)
      : DeviceProvider(dialect), tune(std::move(tune)) {}

  FailureOr<std::shared_ptr<const Device>> parseDevice(
      StringRef name, StringRef prefix,
      llvm::function_ref<InFlightDiagnostic()> emitError) const override {
    llvm::Expected<TargetCpu> target = parseTargetCpu(name);
    if (!target) {
      emitError() << llvm::toString(target.takeError());
      return failure();
    }
    if (tune)
      tune(*target);
    return std::shared_ptr<const Device>(
        std::make_shared<TargetDevice>(std::move(*target), prefix));
  }

private:
  std::function<void(TargetCpu &)> tune;
};

class DevicesExtension
    : public DialectExtension<DevicesExtension, tw::TwDialect> {
public:
  explicit DevicesExtension(std::function<void(TargetCpu &)> tune)
      : tune(std::move(tune)) {}

  void apply(MLIRContext *, tw::TwDialect *dialect) const override {
    dialect->addInterface<TargetDevices>(tune);
  }

private:
  std::function<void(TargetCpu &)> tune;
};

} // namespace

void registerDevices(DialectRegistry &registry,
                     std::function<void(TargetCpu &)> tune) {
  registry.addExtension(TypeID::get<DevicesExtension>(),
                        std::make_unique<DevicesExtension>(std::move(tune)));
}

} // namespace tilewright
