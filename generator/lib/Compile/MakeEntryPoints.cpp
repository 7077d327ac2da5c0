// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-make-entry-points: functions on tensors -> functions on bare pointers and
// sizes, which C can call.

#include "RowMajorView.h"
#include "SizeText.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/EntrySizes.h"
#include "tilewright/Compile/Passes.h"
#include <map>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_MAKEENTRYPOINTS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// What a call returns for sizes that contradict each other:
/// TW_STATUS_INVALID_ARGUMENT of the runtime library.
constexpr int64_t kInvalidArgument = 1;

/// Where the arguments of a tensor function are among the entry point's.
struct Layout {
  /// Of each argument: its pointer, or itself if it is a scalar.
  SmallVector<unsigned> inputs;
  /// The i64 of each size.
  std::map<SizeSymbol, unsigned> sizes;
  /// Of each result: its pointer.
  SmallVector<unsigned> outputs;
  SmallVector<Type> types;
};

Layout layOut(func::FuncOp func) {
  Layout layout;
  Builder builder(func.getContext());
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
    unsigned number = index;
    layout.inputs.push_back(layout.types.size());
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      if (type.isIndex() || type.isInteger(64))
        layout.sizes[{number, SizeSymbol::kScalar}] = layout.types.size();
      layout.types.push_back(type.isIndex() ? builder.getI64Type() : type);
      continue;
    }
    layout.types.push_back(pointerType(tensor));
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
      if (!tensor.isDynamicDim(dim))
        continue;
      layout.sizes[{number, dim}] = layout.types.size();
      layout.types.push_back(builder.getI64Type());
    }
  }
  for (Type type : func.getResultTypes()) {
    layout.outputs.push_back(layout.types.size());
    layout.types.push_back(pointerType(cast<RankedTensorType>(type)));
  }
  return layout;
}

/// Sizes, computed from a function's arguments.
class ArgumentSizes {
public:
  ArgumentSizes(ImplicitLocOpBuilder &b, const Layout &layout,
                func::FuncOp func)
      : b(b), layout(layout), func(func) {}

  Value index(SizeSymbol symbol) {
    Value &known = indices[argumentOf(symbol)];
    if (!known)
      known = arith::IndexCastOp::create(b, b.getIndexType(),
                                         func.getArgument(argumentOf(symbol)));
    return known;
  }

  OpFoldResult evaluate(AffineExpr size, ArrayRef<SizeSymbol> symbols) {
    if (auto constant = dyn_cast<AffineConstantExpr>(size))
      return b.getIndexAttr(constant.getValue());
    SmallVector<Value> values(symbols.size());
    size.walk([&](AffineExpr part) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        values[symbol.getPosition()] = index(symbols[symbol.getPosition()]);
    });
    return affine::expandAffineExpr(b, b.getLoc(), size, {}, values);
  }

  /// As an i64.
  Value word(AffineExpr size, ArrayRef<SizeSymbol> symbols) {
    if (auto constant = dyn_cast<AffineConstantExpr>(size))
      return arith::ConstantIntOp::create(b, constant.getValue(), 64);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(size))
      return func.getArgument(argumentOf(symbols[symbol.getPosition()]));
    return arith::IndexCastOp::create(b, b.getI64Type(),
                                      cast<Value>(evaluate(size, symbols)));
  }

private:
  unsigned argumentOf(SizeSymbol symbol) const {
    return layout.sizes.find(symbol)->second;
  }

  ImplicitLocOpBuilder &b;
  const Layout &layout;
  func::FuncOp func;
  llvm::DenseMap<unsigned, Value> indices;
};

class EntryBuilder {
public:
  EntryBuilder(func::FuncOp func, const EntrySizes &sizes)
      : func(func), sizes(sizes), layout(layOut(func)),
        b(func.getLoc(), func.getContext()) {}

  void build() {
    b.setInsertionPoint(func);
    func::FuncOp body = buildBody();
    b.setInsertionPoint(func);
    buildEntry(body);
    func.erase();
  }

private:
  /// The private function that computes, with the entry point's arguments, and
  /// returns a status.
  func::FuncOp buildBody() {
    auto body =
        func::FuncOp::create(b, (func.getName() + kBodySuffix).str(),
                             b.getFunctionType(layout.types, {b.getI32Type()}));
    body.setPrivate();
    for (auto [symbol, argument] : layout.sizes)
      if (symbol.dim != SizeSymbol::kScalar)
        body.setArgAttr(argument, kSizeAttr, b.getUnitAttr());
    body->setAttr("llvm.linkage", LLVM::LinkageAttr::get(
                                      b.getContext(), LLVM::Linkage::Internal));
    b.setInsertionPointToStart(body.addEntryBlock());

    func.walk([](Operation *op) { op->removeAttr(kInBoundsAttr); });
    for (Operation *op : sizes.inBounds)
      op->setAttr(kInBoundsAttr, b.getUnitAttr());
    ArgumentSizes argumentSizes(b, layout, body);
    auto size = [&](SizeSymbol symbol) { return argumentSizes.index(symbol); };

    IRMapping mapping;
    for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
      Value argument = body.getArgument(layout.inputs[index]);
      unsigned number = index;
      if (auto tensor = dyn_cast<RankedTensorType>(type)) {
        SmallVector<OpFoldResult> shape;
        for (auto [dim, extent] : llvm::enumerate(tensor.getShape()))
          shape.push_back(ShapedType::isDynamic(extent)
                              ? OpFoldResult(size({number, int64_t(dim)}))
                              : OpFoldResult(b.getIndexAttr(extent)));
        Value view = rowMajorView(b, argument, tensor, shape);
        argument = bufferization::ToTensorOp::create(b, tensor, view,
                                                     /*restrict=*/true,
                                                     /*writable=*/false);
      } else if (type.isIndex()) {
        argument = size({number, SizeSymbol::kScalar});
      }
      mapping.map(func.getArgument(index), argument);
    }
    Block &source = func.getBody().front();
    for (Operation &op : source.without_terminator())
      b.clone(op, mapping);
    for (auto [index, value] :
         llvm::enumerate(source.getTerminator()->getOperands())) {
      auto tensor = cast<RankedTensorType>(value.getType());
      SmallVector<OpFoldResult> shape;
      for (AffineExpr extent : sizes.results[index])
        shape.push_back(argumentSizes.evaluate(extent, sizes.symbols));
      // What is known of the sizes, the types say: else folding would find it
      // out later, and make a view that is not seen to be contiguous.
      RankedTensorType exact = withSizes(tensor, shape);
      Value result = mapping.lookup(value);
      if (exact != tensor)
        result = tensor::CastOp::create(b, exact, result);
      Value view = rowMajorView(b, body.getArgument(layout.outputs[index]),
                                exact, shape);
      auto copy =
          bufferization::MaterializeInDestinationOp::create(b, result, view);
      copy.setRestrict(true);
      copy.setWritable(true);
    }
    Value ok = arith::ConstantIntOp::create(b, 0, 32);
    func::ReturnOp::create(b, ok);
    return body;
  }

  static RankedTensorType withSizes(RankedTensorType tensor,
                                    ArrayRef<OpFoldResult> shape) {
    SmallVector<int64_t> sizes(tensor.getShape());
    for (auto [size, known] : llvm::zip_equal(sizes, shape))
      if (std::optional<int64_t> constant = getConstantIntValue(known))
        size = *constant;
    return tensor.clone(sizes);
  }

  /// The private function that returns a status for the sizes alone.
  func::FuncOp buildCheck(ArrayRef<unsigned> arguments) {
    SmallVector<Type> types(arguments.size(), b.getI64Type());
    auto check =
        func::FuncOp::create(b, (func.getName() + kCheckSuffix).str(),
                             b.getFunctionType(types, {b.getI32Type()}));
    check.setPrivate();
    check->setAttr(
        "llvm.linkage",
        LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
    b.setInsertionPointToStart(check.addEntryBlock());

    Value bad = arith::ConstantIntOp::create(b, 0, 1);
    auto require = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      Value wrong = arith::CmpIOp::create(b, predicate, x, y);
      bad = arith::OrIOp::create(b, bad, wrong);
    };
    Layout ofCheck = layout;
    for (auto &[symbol, argument] : ofCheck.sizes)
      argument = llvm::find(arguments, argument) - arguments.begin();
    ArgumentSizes argumentSizes(b, ofCheck, check);
    auto value = [&](AffineExpr size) -> Value {
      return argumentSizes.word(size, sizes.symbols);
    };
    Value zero = arith::ConstantIntOp::create(b, 0, 64);
    for (auto [symbol, argument] : ofCheck.sizes)
      if (symbol.dim != SizeSymbol::kScalar)
        require(arith::CmpIPredicate::slt, check.getArgument(argument), zero);
    for (AffineExpr size : sizes.notNegative)
      require(arith::CmpIPredicate::slt, value(size), zero);
    for (const auto &[x, y] : sizes.equal)
      require(arith::CmpIPredicate::ne, value(x), value(y));
    Value invalid = arith::ConstantIntOp::create(b, kInvalidArgument, 32);
    Value ok = arith::ConstantIntOp::create(b, 0, 32);
    Value status = arith::SelectOp::create(b, bad, invalid, ok);
    func::ReturnOp::create(b, status);
    return check;
  }

  /// The entry point itself: checks of the sizes, then the body.
  void buildEntry(func::FuncOp body) {
    // In the order of the entry point's arguments.
    SmallVector<unsigned> arguments;
    for (auto [symbol, argument] : layout.sizes)
      arguments.push_back(argument);
    llvm::sort(arguments);
    func::FuncOp check = buildCheck(arguments);
    b.setInsertionPoint(func);

    // The name is free for the new function only once the old one has another.
    std::string name = func.getName().str();
    func.setName(name + ".tensors");
    auto entry = func::FuncOp::create(
        b, name, b.getFunctionType(layout.types, {b.getI32Type()}));
    entry->setAttr(kCArgumentsAttr, b.getStrArrayAttr(cArguments()));
    entry->setAttr(kCResultsAttr, b.getStrArrayAttr(cResults()));
    b.setInsertionPointToStart(entry.addEntryBlock());

    SmallVector<Value> words;
    for (unsigned argument : arguments)
      words.push_back(entry.getArgument(argument));
    auto checked = func::CallOp::create(b, check, words);
    Value ok = arith::ConstantIntOp::create(b, 0, 32);
    Value refused = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                          checked.getResult(0), ok);
    auto choice = scf::IfOp::create(b, TypeRange{b.getI32Type()}, refused,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, checked.getResults());
    b.setInsertionPointToStart(choice.elseBlock());
    auto call = func::CallOp::create(b, body, entry.getArguments());
    scf::YieldOp::create(b, call.getResults());
    b.setInsertionPointAfter(choice);
    func::ReturnOp::create(b, choice.getResults());
  }

  std::string argumentName(unsigned index) {
    if (auto name = func.getArgAttrOfType<StringAttr>(index, kNameAttr))
      return name.str();
    return "arg" + std::to_string(index);
  }

  std::string sizeName(SizeSymbol symbol) {
    std::string name = argumentName(symbol.argument);
    if (symbol.dim == SizeSymbol::kScalar)
      return name;
    return name + "_d" + std::to_string(symbol.dim);
  }

  SmallVector<std::string> symbolNames() {
    SmallVector<std::string> names;
    for (SizeSymbol symbol : sizes.symbols)
      names.push_back(sizeName(symbol));
    return names;
  }

  /// The declarations of C parameters, in order; results last.
  SmallVector<StringRef> cArguments() {
    for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
      unsigned number = index;
      std::string name = argumentName(number);
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor) {
        storage.push_back(cTypeName(type) + " " + name);
        continue;
      }
      storage.push_back("const " + cTypeName(tensor.getElementType()) + " *" +
                        name);
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
        if (tensor.isDynamicDim(dim))
          storage.push_back("int64_t " + sizeName({number, dim}));
    }
    for (auto [index, type] : llvm::enumerate(func.getResultTypes())) {
      Type element = cast<RankedTensorType>(type).getElementType();
      storage.push_back(cTypeName(element) + " *" + resultName(index));
    }
    return {storage.begin(), storage.end()};
  }

  /// One line per tensor: its name and shape.
  SmallVector<StringRef> cResults() {
    for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      unsigned number = index;
      std::string line = argumentName(number) + ": ";
      for (auto [dim, extent] : llvm::enumerate(tensor.getShape()))
        line += ShapedType::isDynamic(extent)
                    ? "[" + sizeName({number, int64_t(dim)}) + "]"
                    : "[" + std::to_string(extent) + "]";
      shapes.push_back(line + elementNote(tensor));
    }
    for (auto [index, type] : llvm::enumerate(func.getResultTypes())) {
      std::string line = resultName(index) + ": ";
      for (AffineExpr size : sizes.results[index])
        line += "[" + sizeText(size, symbolNames()) + "]";
      shapes.push_back(line + elementNote(cast<RankedTensorType>(type)) +
                       ", written");
    }
    return {shapes.begin(), shapes.end()};
  }

  std::string resultName(size_t index) {
    if (func.getNumResults() == 1)
      return "result";
    return "result" + std::to_string(index);
  }

  static std::string cTypeName(Type type) {
    if (type.isF64())
      return "double";
    if (type.isF32())
      return "float";
    if (type.isIndex())
      return "int64_t";
    // f16 and bf16 travel as their bits.
    if (type.isF16() || type.isBF16())
      return "uint16_t";
    return "int" + std::to_string(type.getIntOrFloatBitWidth()) + "_t";
  }

  static std::string elementNote(RankedTensorType tensor) {
    std::string note = tensor.getRank() == 0 ? "one element" : "";
    if (tensor.getElementType().isF16())
      note += " of f16 bits";
    if (tensor.getElementType().isBF16())
      note += " of bf16 bits";
    return note;
  }

  func::FuncOp func;
  const EntrySizes &sizes;
  Layout layout;
  ImplicitLocOpBuilder b;
  std::vector<std::string> storage;
  std::vector<std::string> shapes;
};

struct MakeEntryPointsPass : impl::MakeEntryPointsBase<MakeEntryPointsPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> publicFuncs;
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic())
        publicFuncs.push_back(func);
    for (func::FuncOp func : publicFuncs) {
      WalkResult calls = func.walk([&](func::CallOp call) {
        call.emitOpError() << "of '" << call.getCallee()
                           << "' cannot be inlined; recursion is not accepted";
        return WalkResult::interrupt();
      });
      FailureOr<EntrySizes> sizes = failure();
      if (!calls.wasInterrupted())
        sizes = analyzeEntrySizes(func);
      if (failed(sizes))
        return signalPassFailure();
      EntryBuilder(func, *sizes).build();
    }
  }
};

} // namespace
} // namespace tilewright
