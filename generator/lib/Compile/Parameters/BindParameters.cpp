// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BindParameters.h"

#include "../ConstantElements.h"
#include "../OperationKind.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Support/Nearest.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Whether a tensor of such elements may come from `dtype`; MLIR's integers
/// have no sign.
bool isElement(StringRef dtype, Type type) {
  if (type.isF64())
    return dtype == "F64";
  if (type.isF32())
    return dtype == "F32";
  if (type.isF16())
    return dtype == "F16";
  if (type.isBF16())
    return dtype == "BF16";
  if (isa<Float8E4M3FNType>(type))
    return dtype == "F8_E4M3";
  if (isa<Float8E5M2Type>(type))
    return dtype == "F8_E5M2";
  if (isa<Float8E8M0FNUType>(type))
    return dtype == "F8_E8M0";
  if (isa<Float4E2M1FNType>(type))
    return dtype == "F4";
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() < 8)
    return false;
  std::string width = std::to_string(integer.getWidth());
  return dtype == "I" + width || dtype == "U" + width;
}

std::string describe(const SafeTensor &tensor) {
  std::string text = tensor.dtype + " of shape [";
  for (auto [i, extent] : llvm::enumerate(tensor.shape))
    text += (i ? ", " : "") + std::to_string(extent);
  return text + "]";
}

/// The elements as a constant. Small ones may be folded; large ones stay where
/// they are.
ElementsAttr constantOf(RankedTensorType type, StringRef bytes) {
  ArrayRef<char> data(bytes.data(), bytes.size());
  // Two in a byte, the first in its lower half.
  if (type.getElementTypeBitWidth() == 4)
    return makeConstant(
        type, /*elementBytes=*/1, [&](MutableArrayRef<char> elements) {
          for (auto [i, element] : llvm::enumerate(elements))
            element = char(uint8_t(data[i / 2]) >> (i % 2 ? 4 : 0) & 15);
        });
  if (int64_t(bytes.size()) < kLargeConstantBytes)
    return DenseElementsAttr::getFromRawBuffer(type, data);
  return DenseResourceElementsAttr::get(
      type, "parameter", UnmanagedAsmResourceBlob::allocateWithAlign(data, 1));
}

class Binder {
public:
  Binder(ModuleOp module, const SafeTensors &parameters)
      : module(module), parameters(parameters) {}

  LogicalResult run() {
    bool failed = false;
    llvm::StringMap<TypedAttr> values;
    findStores();
    SmallVector<ml_program::GlobalOp> globals(
        module.getOps<ml_program::GlobalOp>());
    for (ml_program::GlobalOp global : globals) {
      TypedAttr value = valueOf(global);
      failed |= !value;
      if (global.getIsMutable())
        global.setValueAttr(value);
      else
        values[global.getSymName()] = value;
    }
    if (failed)
      return failure();
    SmallVector<Operation *> loads;
    module.walk([&](Operation *op) {
      if (isa<ml_program::GlobalLoadOp, ml_program::GlobalLoadConstOp>(op))
        loads.push_back(op);
    });
    for (Operation *load : loads)
      if (mlir::failed(placeReaders(load)) ||
          mlir::failed(replace(load, values)))
        return failure();
    for (ml_program::GlobalOp global : globals)
      if (!global.getIsMutable())
        global.erase();
    return success();
  }

private:
  /// A mutable global that nothing stores to is a constant.
  void findStores() {
    llvm::StringSet<> stored;
    module.walk([&](ml_program::GlobalStoreOp store) {
      stored.insert(store.getGlobal().getLeafReference());
    });
    for (auto global : module.getOps<ml_program::GlobalOp>())
      if (!stored.contains(global.getSymName()))
        global.setIsMutable(false);
  }

  /// What reads a global that says its device runs there, if it does not say
  /// otherwise itself.
  LogicalResult placeReaders(Operation *load) {
    auto symbol = load->getAttrOfType<SymbolRefAttr>("global");
    auto global = SymbolTable::lookupNearestSymbolFrom<ml_program::GlobalOp>(
        load, symbol);
    Attribute device = global ? global->getAttr(kDeviceAttr) : nullptr;
    if (!device)
      return success();
    SmallVector<Operation *> readers = {load};
    while (!readers.empty())
      for (Operation *user : readers.pop_back_val()->getUsers()) {
        if (isa<CallOpInterface>(user)) {
          user->emitRemark() << "hands on the global '" << global.getSymName()
                             << "', of the device " << device
                             << ", to a function, which runs where it says";
          continue;
        }
        auto known = placedBy.find(user);
        if (known != placedBy.end()) {
          if (known->second->getAttr(kDeviceAttr) == device)
            continue;
          return user->emitError()
                 << "reads the globals '" << known->second.getSymName()
                 << "' and '" << global.getSymName() << "', of the devices "
                 << known->second->getAttr(kDeviceAttr) << " and " << device
                 << "; say by " << kDeviceAttr << " where it runs";
        }
        if (user->hasAttr(kDeviceAttr))
          continue; // it says so itself
        user->setAttr(kDeviceAttr, device);
        placedBy[user] = global;
        // What only moves its elements stands for it.
        if (isView(user) || isa<linalg::TransposeOp>(user))
          readers.push_back(user);
      }
    return success();
  }

  TypedAttr valueOf(ml_program::GlobalOp global) {
    auto refuse = [&](const Twine &what) {
      global.emitError("the global '") << global.getSymName() << "' " << what;
      return nullptr;
    };
    auto type = dyn_cast<RankedTensorType>(global.getType());
    bool isScalar = global.getType().isIntOrIndexOrFloat();
    if (!isScalar && (!type || !type.hasStaticShape()))
      return refuse("is neither a tensor of static shape nor an integer, an "
                    "index or a floating-point number");
    auto value = dyn_cast_or_null<TypedAttr>(global.getValueAttr());
    if (!value)
      return refuse("has no value; give it one, or #ml_program.extern for the "
                    "parameter of its name");
    if (!isa<ml_program::ExternAttr>(value)) {
      if (value.getType() != global.getType())
        return refuse("has a value of another type");
      return value;
    }
    if (isScalar)
      return refuse("is a scalar, but parameters are tensors; one element is a "
                    "tensor of rank 0");
    return parameterOf(global, type);
  }

  ElementsAttr parameterOf(ml_program::GlobalOp global, RankedTensorType type) {
    StringRef name = global.getSymName();
    std::vector<StringRef> names = parameters.names();
    if (names.empty()) {
      global.emitError("the parameter '")
          << name
          << "' has no value; give a file with it, "
             "--parameters=<weights.safetensors>";
      return nullptr;
    }
    const SafeTensor *tensor = parameters.find(name);
    if (!tensor) {
      Nearest nearest(name);
      for (StringRef candidate : names)
        nearest.look(candidate);
      global.emitError("the parameter '")
          << name << "' is not in " << parameters.files() << nearest.question();
      return nullptr;
    }
    if (isa<Float6E2M3FNType, Float6E3M2FNType>(type.getElementType())) {
      global.emitError("the parameter '")
          << name << "' has elements of " << type.getElementType()
          << ", of which files do not say how they lie in bytes; expected one "
             "of i8 that the model converts";
      return nullptr;
    }
    if (!isElement(tensor->dtype, type.getElementType()) ||
        ArrayRef<int64_t>(tensor->shape) != type.getShape()) {
      global.emitError("the parameter '")
          << name << "' has the type " << type << ", but in '" << tensor->file
          << "' it is " << describe(*tensor);
      return nullptr;
    }
    return constantOf(type, tensor->bytes);
  }

  LogicalResult replace(Operation *load,
                        const llvm::StringMap<TypedAttr> &values) {
    auto symbol = load->getAttrOfType<SymbolRefAttr>("global");
    auto global = SymbolTable::lookupNearestSymbolFrom<ml_program::GlobalOp>(
        load, symbol);
    if (global && global.getIsMutable())
      return success();
    TypedAttr value = values.lookup(symbol.getLeafReference());
    if (!value || load->getResult(0).getType() != value.getType())
      return load->emitOpError()
             << "loads a " << load->getResult(0).getType() << " from '"
             << symbol.getLeafReference().getValue()
             << "', which is no global of that type";
    OpBuilder b(load);
    load->replaceAllUsesWith(
        arith::ConstantOp::create(b, load->getLoc(), value));
    load->erase();
    return success();
  }

  ModuleOp module;
  const SafeTensors &parameters;
  /// Which global said where an operation runs, and nothing else.
  llvm::DenseMap<Operation *, ml_program::GlobalOp> placedBy;
};

} // namespace

LogicalResult bindParameters(ModuleOp module, const SafeTensors &parameters) {
  return Binder(module, parameters).run();
}

} // namespace tilewright
