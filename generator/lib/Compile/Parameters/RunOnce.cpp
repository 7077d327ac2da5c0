// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunOnce.h"

#include "../Dispatch/CallerSizes.h"
#include "tilewright/Compile/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright {
namespace {

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

ModelParameterWork keptWork(tw::KeepOp keep) {
  auto type = cast<RankedTensorType>(keep.getValue().getType());
  ModelParameterWork work;
  work.place = placeOf(keep.getLoc());
  work.type = textOf(type);
  work.bytes =
      uint64_t(type.getNumElements()) * bytesOfElement(type.getElementType());
  work.operations = keep.getOperations();
  work.bytesRead = keep.getBytesRead();
  return work;
}

ModelParameterWork eachCallWork(DictionaryAttr entry) {
  auto text = [&](StringRef name) {
    return entry.getAs<StringAttr>(name).str();
  };
  ModelParameterWork work;
  work.functions = {text("function")};
  work.place = text("place");
  work.type = text("type");
  work.bytes = entry.getAs<IntegerAttr>("bytes").getInt();
  work.operations = entry.getAs<IntegerAttr>("operations").getInt();
  work.bytesRead = entry.getAs<IntegerAttr>("bytes_read").getInt();
  work.because = text("because");
  return work;
}

} // namespace

void collectParameterWork(ModuleOp module, CompiledModel &model) {
  llvm::MapVector<int64_t, ModelParameterWork> kept;
  module.walk([&](tw::KeepOp keep) {
    kept.insert({int64_t(keep.getNumber()), keptWork(keep)});
  });
  for (func::FuncOp func : module.getOps<func::FuncOp>())
    if (!kept.empty())
      func.walk([&](tw::KeptOp load) {
        std::vector<std::string> &readers = kept[load.getNumber()].functions;
        std::string entry = CallerSizes(func).entry();
        if (!llvm::is_contained(readers, entry))
          readers.push_back(std::move(entry));
      });
  for (auto &[number, work] : kept)
    model.runOnce.push_back(std::move(work));
  if (auto entries = module->getAttrOfType<ArrayAttr>(kEachCallAttr))
    for (auto entry : entries.getAsRange<DictionaryAttr>())
      model.eachCall.push_back(eachCallWork(entry));
  module->removeAttr(kEachCallAttr);
}

void collectKept(ModuleOp module, CompiledModel &model) {
  if (auto bytes = module->getAttrOfType<IntegerAttr>(kKeptBytesAttr))
    model.keptBytes = bytes.getInt();
  if (auto devices = module->getAttrOfType<DictionaryAttr>(kKeptOnDevicesAttr))
    for (NamedAttribute device : devices) {
      auto place = cast<DenseI64ArrayAttr>(device.getValue());
      model.keptOnDevices.push_back(
          {device.getName().str(), uint64_t(place[0]), uint64_t(place[1])});
    }
  for (EntryPoint &entry : model.entries)
    entry.readsKept =
        module.lookupSymbol(entry.name)->hasAttr(kKeptPointerAttr);
}

} // namespace tilewright
