// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-plain-signatures: what entry points take and return, as C has it.

#include "CTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLAINSIGNATURES
#include "tilewright/Compile/Passes.h.inc"

namespace {

bool isBool(Type type) { return getElementTypeOrSelf(type).isInteger(1); }

bool isTensor(Type type) { return isa<RankedTensorType>(type); }

Type withElement(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

/// A function around one whose signature C cannot have.
class Wrapper {
public:
  explicit Wrapper(func::FuncOp func)
      : func(func), b(func.getLoc(), func.getContext()) {}

  void build() {
    SmallVector<Type> arguments, results;
    // Scalars that C has no type for are not accepted.
    for (Type type : func.getArgumentTypes())
      arguments.push_back(isScaled(type) ? type : plain(type));
    for (Type type : func.getResultTypes())
      results.push_back(plainResult(type));
    if (TypeRange(arguments) == TypeRange(func.getArgumentTypes()) &&
        TypeRange(results) == TypeRange(func.getResultTypes()))
      return;

    b.setInsertionPoint(func);
    auto wrapper = func::FuncOp::create(b, func.getName(),
                                        b.getFunctionType(arguments, results));
    wrapper->setDiscardableAttrs(func->getDiscardableAttrDictionary());
    if (ArrayAttr attributes = func.getAllArgAttrs())
      wrapper.setAllArgAttrs(attributes);
    if (ArrayAttr attributes = func.getAllResultAttrs())
      wrapper.setAllResultAttrs(attributes);
    makePrivate();

    b.setInsertionPointToStart(wrapper.addEntryBlock());
    SmallVector<Value> values;
    for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
      Value argument = wrapper.getArgument(index);
      if (argument.getType() != type) {
        wrapper.setArgAttr(index, kElementAttr,
                           TypeAttr::get(getElementTypeOrSelf(type)));
        argument = fromBytes(argument, type);
      }
      values.push_back(argument);
    }
    SmallVector<Value> returned;
    auto call = func::CallOp::create(b, func, values);
    for (auto [index, value] : llvm::enumerate(call.getResults())) {
      if (isPartOfByte(value.getType()))
        wrapper.setResultAttr(
            index, kElementAttr,
            TypeAttr::get(getElementTypeOrSelf(value.getType())));
      returned.push_back(converted(value, results[index]));
    }
    func::ReturnOp::create(b, returned);
  }

private:
  /// A truth value is a byte, and so is a small integer.
  Type plain(Type type) {
    return isPartOfByte(type) ? withElement(type, b.getI8Type()) : type;
  }

  /// A scalar is a tensor of one element, to which the caller has a pointer.
  Type plainResult(Type type) {
    if (type.isIndex())
      type = b.getI64Type();
    if (type.isIntOrFloat())
      return RankedTensorType::get({}, plain(type));
    return plain(type);
  }

  /// The entry point has the name now; what it names in the model is this.
  void makePrivate() {
    auto module = func->getParentOfType<ModuleOp>();
    std::string name = (func.getName() + ".typed").str();
    while (module.lookupSymbol(name))
      name += '_';
    auto renamed = StringAttr::get(func.getContext(), name);
    // Of two symbols of a name the calls are the old one's.
    module.walk([&](func::CallOp call) {
      if (call.getCallee() == func.getName())
        call.setCallee(name);
    });
    func.setName(renamed);
    func.setPrivate();
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      func.removeArgAttr(i, kStateAttr);
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      func.removeResultAttr(i, b.getStringAttr(kStateAttr));
  }

  /// Of truth values anything but zero is true; of the others the lowest bits
  /// count.
  static Value fromByte(OpBuilder &b, Value byte, Type element) {
    Location loc = byte.getLoc();
    if (!isBool(element))
      return partOfByte(b, loc, byte, element);
    Value zero = arith::ConstantIntOp::create(b, loc, byte.getType(), 0);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, byte, zero);
  }

  /// A scalar, or each element of a tensor, as `change` makes it.
  Value eachOf(Value value, Type element,
               llvm::function_ref<Value(OpBuilder &, Value)> change) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return change(b, value);
    Value empty = tensor::EmptyOp::create(
        b, tensor::getMixedSizes(b, b.getLoc(), value), element);
    AffineMap same = b.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, TypeRange{empty.getType()}, ValueRange{value},
               ValueRange{empty}, ArrayRef<AffineMap>{same, same}, loops,
               [&](OpBuilder &b, Location loc, ValueRange values) {
                 linalg::YieldOp::create(b, loc, change(b, values[0]));
               })
        .getResult(0);
  }

  Value fromBytes(Value bytes, Type wanted) {
    Type element = getElementTypeOrSelf(wanted);
    return eachOf(bytes, element, [&](OpBuilder &b, Value byte) {
      return fromByte(b, byte, element);
    });
  }

  Value converted(Value value, Type wanted) {
    Type element = getElementTypeOrSelf(wanted);
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, element, value);
    if (isScaled(getElementTypeOrSelf(value.getType())))
      // There are no tensors of integers of 6 bits.
      value = eachOf(value, element, [](OpBuilder &b, Value part) {
        return byteOfPart(b, part.getLoc(), part);
      });
    else if (isBool(value.getType()))
      value = arith::ExtUIOp::create(b, withElement(value.getType(), element),
                                     value);
    else if (isPartOfByte(value.getType()))
      value = arith::ExtSIOp::create(b, withElement(value.getType(), element),
                                     value);
    if (!isTensor(value.getType()) && isTensor(wanted))
      value = tensor::FromElementsOp::create(b, cast<RankedTensorType>(wanted),
                                             value);
    return value;
  }

  func::FuncOp func;
  ImplicitLocOpBuilder b;
};

struct PlainSignaturesPass : impl::PlainSignaturesBase<PlainSignaturesPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal())
        functions.push_back(func);
    for (func::FuncOp func : functions)
      Wrapper(func).build();
  }
};

} // namespace
} // namespace tilewright
