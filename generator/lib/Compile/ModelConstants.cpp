// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelConstants.h"

#include "ConstantElements.h"
#include "Parameters/ParametersFile.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;
using llvm::createStringError;

namespace tilewright {
namespace {

// The bytes are those of this host's memory.
static_assert(llvm::endianness::native == llvm::endianness::little,
              "constants would have to be turned around for the target");

/// Position-independent code of x86-64 reaches so far, with some room for the
/// code itself.
constexpr uint64_t kMostBytes = (uint64_t(1) << 31) - (uint64_t(1) << 24);

LargeConstant describe(ElementsAttr value, uint64_t bytes, bool packed) {
  std::string type;
  llvm::raw_string_ostream(type) << value.getShapedType();
  return {std::move(type), bytes, packed};
}

} // namespace

void nameParameters(ModuleOp module, const llvm::DenseSet<Attribute> &packed,
                    StringRef model, CompiledModel &result) {
  auto parameters = module->getAttrOfType<ArrayAttr>(kParametersAttr);
  SmallVector<StringRef> contents;
  if (parameters)
    for (auto parameter : parameters.getAsRange<ArrayAttr>()) {
      contents.push_back(cast<StringAttr>(parameter[0]).getValue());
      auto value = cast<ElementsAttr>(parameter[1]);
      ArrayRef<char> bytes = ConstantElements::of(value)->bytes;
      result.parameters.emplace_back(bytes.data(), bytes.size());
      result.parameterOffsets.push_back(
          uint64_t(cast<IntegerAttr>(parameter[2]).getInt()));
      result.largeConstants.push_back(
          describe(value, bytes.size(), packed.contains(value)));
    }
  result.parametersIdentity =
      parametersIdentity(model, contents, result.parameterOffsets);
}

llvm::Error nameConstants(ModuleOp module,
                          const llvm::DenseSet<Attribute> &packed,
                          llvm::Module &code, CompiledModel &result) {
  auto values = module->getAttrOfType<DictionaryAttr>(kExternalConstantsAttr);
  if (!values)
    return llvm::Error::success();
  uint64_t total = 0;
  for (NamedAttribute entry : values) {
    llvm::GlobalVariable *global = code.getGlobalVariable(entry.getName());
    if (!global)
      continue; // nothing uses it any more
    auto value = cast<ElementsAttr>(entry.getValue());
    std::optional<ConstantElements> elements = ConstantElements::of(value);
    if (!elements)
      return createStringError("the constant '" + entry.getName().getValue() +
                               "' has lost its bytes");
    ExternalConstant constant;
    constant.bytes = StringRef(elements->bytes.data(), elements->bytes.size());
    constant.size = value.getNumElements() * elements->elementBytes;
    constant.name = externalConstantName(constant.bytes, constant.size);
    if (llvm::GlobalVariable *equal = code.getGlobalVariable(constant.name)) {
      global->replaceAllUsesWith(equal);
      global->eraseFromParent();
      continue;
    }
    global->setName(constant.name);
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    global->setDSOLocal(true);
    global->setAlignment(llvm::Align(kConstantAlignment));
    total += constant.size;
    result.largeConstants.push_back(
        describe(value, constant.size, packed.contains(value)));
    result.constants.push_back(std::move(constant));
  }
  if (total <= kMostBytes)
    return llvm::Error::success();
  return createStringError("the model has constants of " + Twine(total) +
                           " bytes, but its code can address at most " +
                           Twine(kMostBytes) +
                           "; pass the largest ones as arguments");
}

} // namespace tilewright
