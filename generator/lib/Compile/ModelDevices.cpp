// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that a model is compiled for, as command lines name them.

#include "tilewright/Compile/CompileModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tilewright {
namespace {

constexpr StringRef kNoTiling = "none";

Expected<TargetCpu> parse(StringRef name) {
  return name == "host" ? hostTargetCpu() : parseTargetCpu(name);
}

class DeviceList {
public:
  Error add(StringRef name, StringRef target) {
    if (llvm::is_contained(names(), name))
      return createStringError(
          "two devices are called '" + name +
          "'; tw.device names one, so give each a name of its own");
    if (target == kNoTiling) {
      untiled.push_back(name.str());
      return Error::success();
    }
    Expected<TargetCpu> cpu = parse(target);
    if (!cpu)
      return cpu.takeError();
    devices.emplace_back(name.str(), std::move(*cpu));
    return Error::success();
  }

  Expected<std::vector<ModelDevice>> finish() {
    auto isGpu = [](const ModelDevice &device) { return device.isGpu(); };
    auto host = llvm::find_if_not(devices, isGpu);
    if (host == devices.end()) {
      if (llvm::is_contained(names(), "host"))
        return createStringError("the device 'host' is no CPU, so the model "
                                 "has none that calls it; add one, as "
                                 "--device cpu=host");
      devices.emplace_back("host", hostTargetCpu());
      host = std::prev(devices.end());
    }
    for (const ModelDevice &device : devices)
      if (!device.isGpu() && device.cpu.arch != host->cpu.arch &&
          device.cpu.arch != llvm::Triple::UnknownArch &&
          host->cpu.arch != llvm::Triple::UnknownArch)
        return createStringError(
            "'" + device.target + "' is of another architecture than '" +
            host->target +
            "', the host: no process runs both; compile a model for each");
    for (const std::string &name : untiled) {
      ModelDevice device(name, host->cpu);
      device.target = kNoTiling;
      devices.push_back(std::move(device));
    }
    return std::move(devices);
  }

private:
  std::vector<std::string> names() const {
    std::vector<std::string> all = untiled;
    for (const ModelDevice &device : devices)
      all.push_back(device.name);
    return all;
  }

  std::vector<ModelDevice> devices;
  std::vector<std::string> untiled;
};

} // namespace

const TargetCpu &ModelOptions::host() const {
  auto found = llvm::find_if(
      devices, [](const ModelDevice &device) { return !device.isGpu(); });
  assert(found != devices.end() && "a GPU does not launch its own kernels");
  return found->cpu;
}

bool ModelOptions::hasGpu() const {
  return llvm::any_of(devices,
                      [](const ModelDevice &device) { return device.isGpu(); });
}

Expected<std::vector<ModelDevice>>
modelDevices(llvm::ArrayRef<std::string> targets,
             llvm::ArrayRef<std::string> devices) {
  if (!targets.empty() && !devices.empty())
    return createStringError("--target names what --device names, too: give "
                             "each as a --device <name>=<target>");
  DeviceList list;
  bool hasHost = false, hasGpu = false;
  for (StringRef target : targets) {
    Expected<TargetCpu> cpu = parse(target);
    if (!cpu)
      return cpu.takeError();
    bool isGpu = cpu->best().isGpu();
    bool &hasOne = isGpu ? hasGpu : hasHost;
    StringRef name = hasOne ? target : isGpu ? "gpu" : "host";
    hasOne = true;
    if (Error error = list.add(name, target))
      return error;
  }
  for (StringRef device : devices) {
    auto [name, target] = device.split('=');
    if (name.empty() || target.empty())
      return createStringError("--device '" + device +
                               "' is not <name>=<target>, as in "
                               "gpu=amdgpu:gfx942");
    if (Error error = list.add(name, target))
      return error;
  }
  return list.finish();
}

} // namespace tilewright
