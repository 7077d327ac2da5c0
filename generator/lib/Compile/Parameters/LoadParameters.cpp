// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-load-parameters: large constants are read from a file that the caller has
// mapped.

#include "../ConstantElements.h"
#include "ParametersFile.h"
#include "ThreadedPointer.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Codegen/ExternalConstants.h"
#include "tilewright/Compile/Passes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_LOADPARAMETERS
#include "tilewright/Compile/Passes.h.inc"

namespace {

class Loader {
public:
  explicit Loader(ModuleOp module)
      : module(module), b(module.getContext()), symbols(module), file(module) {}

  void run() {
    auto values = module->getAttrOfType<DictionaryAttr>(kExternalConstantsAttr);
    if (!values)
      return;
    place(values);
    if (parameters.empty())
      return;
    SmallVector<memref::GetGlobalOp> loads;
    module.walk([&](memref::GetGlobalOp op) {
      if (offsets.contains(op.getName()))
        loads.push_back(op);
    });
    for (memref::GetGlobalOp load : loads)
      file.replace(load, offsets[load.getName()]);
    loadOnDevice();
    for (const auto &entry : offsets)
      symbols.lookup(entry.first())->erase();
    module->setAttr(kParametersAttr, b.getArrayAttr(parameters));
  }

private:
  /// Says where in the file each constant will be. Equal ones are one; those
  /// whose elements are all equal are no parameters.
  void place(DictionaryAttr values) {
    SmallVector<NamedAttribute> others;
    SmallVector<ElementsAttr> contents;
    SmallVector<StringRef> pieces, names;
    llvm::StringMap<size_t> known; // by content
    std::vector<std::pair<std::string, size_t>> numbers;
    for (NamedAttribute entry : values) {
      auto value = cast<ElementsAttr>(entry.getValue());
      std::optional<ConstantElements> elements = ConstantElements::of(value);
      if (!elements || elements->isSplat) {
        others.push_back(entry);
        continue;
      }
      StringRef bytes(elements->bytes.data(), elements->bytes.size());
      std::string name = externalConstantName(bytes, bytes.size());
      auto [found, isNew] = known.try_emplace(name, contents.size());
      if (isNew) {
        contents.push_back(value);
        pieces.push_back(bytes);
        names.push_back(found->first());
      }
      numbers.emplace_back(entry.getName().str(), found->second);
    }
    std::vector<uint64_t> places = placesOf(contents, pieces);
    for (auto [name, value, place] : llvm::zip_equal(names, contents, places))
      parameters.push_back(b.getArrayAttr(
          {b.getStringAttr(name), value, b.getI64IntegerAttr(int64_t(place))}));
    for (const auto &[symbol, number] : numbers) {
      offsets[symbol] = places[number];
      bytes[symbol] = pieces[number].size();
    }
    module->setAttr(kExternalConstantsAttr, b.getDictionaryAttr(others));
  }

  /// In the scratch file, which gets those that are not there, or one behind
  /// the other.
  static std::vector<uint64_t> placesOf(MutableArrayRef<ElementsAttr> contents,
                                        ArrayRef<StringRef> pieces) {
    ScratchFile *scratch = ScratchFile::current();
    std::vector<uint64_t> places;
    if (scratch && mayBecomeParameters(*scratch, pieces))
      for (auto [value, piece] : llvm::zip_equal(contents, pieces)) {
        StringRef bytes = piece;
        std::optional<uint64_t> place = scratch->offsetOf(bytes);
        if (!place) {
          value = copied(value, bytes);
          place = scratch->offsetOf(bytes);
        }
        if (!place)
          break; // it could not grow
        places.push_back(*place);
      }
    if (scratch)
      scratch->fillAll();
    if (places.size() == pieces.size())
      return places;
    SmallVector<uint64_t> sizes;
    for (StringRef bytes : pieces)
      sizes.push_back(bytes.size());
    return parameterOffsets(sizes);
  }

  /// The same in the scratch file, if it can grow; `bytes` are there then.
  static ElementsAttr copied(ElementsAttr value, StringRef &bytes) {
    ConstantElements source{ArrayRef(bytes.data(), bytes.size()), 1, false};
    ElementsAttr copy = makeMoved(
        RankedTensorType::get({int64_t(bytes.size())},
                              IntegerType::get(value.getContext(), 8)),
        source, {int64_t(bytes.size())}, {{0, 1}}, {0},
        [source](MutableArrayRef<char> to) {
          llvm::copy(source.bytes, to.begin());
          return true;
        });
    ArrayRef<char> raw = ConstantElements::of(copy)->bytes;
    bytes = StringRef(raw.data(), raw.size());
    return constantAt(cast<RankedTensorType>(value.getType()), raw);
  }

  /// What the device alone reads is uploaded from the file.
  void loadOnDevice() {
    SmallVector<NamedAttribute> places;
    llvm::SmallSetVector<StringAttr, 16> names; // several devices' may be one
    if (auto devices = module->getAttrOfType<DictionaryAttr>(kConstantsAttr))
      for (NamedAttribute device : devices)
        names.insert_range(
            cast<ArrayAttr>(device.getValue()).getAsRange<StringAttr>());
    for (StringAttr name : names)
      if (auto offset = offsets.find(name); offset != offsets.end())
        places.emplace_back(
            name, b.getDenseI64ArrayAttr({offset->second, bytes[name]}));
    if (places.empty())
      return;
    module->setAttr(kConstantOffsetsAttr, b.getDictionaryAttr(places));
    SmallVector<LLVM::CallOp> begins;
    module.walk([&](LLVM::CallOp call) {
      if (beginsOnDevices(call))
        begins.push_back(call);
    });
    for (LLVM::CallOp begin : begins) {
      ImplicitLocOpBuilder here(begin.getLoc(), begin);
      Value address = memref::ExtractAlignedPointerAsIndexOp::create(
          here, file.in(begin->getParentOfType<func::FuncOp>()));
      Value word = arith::IndexCastOp::create(here, here.getI64Type(), address);
      begin.setOperand(1, LLVM::IntToPtrOp::create(
                              here, begin.getOperand(1).getType(), word));
    }
  }

  ModuleOp module;
  Builder b;
  SymbolTable symbols;
  llvm::StringMap<int64_t> offsets, bytes; ///< of globals in the file
  SmallVector<Attribute> parameters;
  ThreadedPointer file;
};

struct LoadParametersPass : impl::LoadParametersBase<LoadParametersPass> {
  void runOnOperation() override { Loader(getOperation()).run(); }
};

} // namespace
} // namespace tilewright
