// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-make-entry-points: functions on tensors -> functions on bare pointers and
// sizes, which C can call.

#include "MakeEntryPoints.h"
#include "ArgumentSizes.h"
#include "CTypes.h"
#include "Dispatch/Tasks.h"
#include "EntryMessages.h"
#include "RowMajorView.h"
#include "SizeText.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/EntrySizes.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/status.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_MAKEENTRYPOINTS
#include "tilewright/Compile/Passes.h.inc"

namespace {

class EntryBuilder {
public:
  EntryBuilder(func::FuncOp func, const EntrySizes &sizes, bool describe)
      : func(func), sizes(sizes), describe(describe), layout(func),
        b(func.getLoc(), func.getContext()) {
    // Those are called where an instance is made, which has no threads yet.
    takesThreads = threadsOf(func) > 1 && func.getName() != kInitialState &&
                   func.getName() != kRunOnce;
    if (takesThreads)
      layout.types.push_back(LLVM::LLVMPointerType::get(b.getContext()));
  }

  LogicalResult build() {
    b.setInsertionPoint(func);
    func::FuncOp body = buildBody();
    b.setInsertionPoint(func);
    buildEntry(body);
    if (!messages.empty()) {
      auto name = b.getStringAttr(entryName + kMessageSuffix);
      if (SymbolTable::lookupNearestSymbolFrom(func, name))
        return func.emitError("the model has a function '")
               << name.getValue() << "', which the header needs beside '"
               << entryName << "'; give one of the two another name";
      b.setInsertionPoint(func);
      buildMessages(b, name.str(), entryName, messages);
    }
    func.erase();
    return success();
  }

private:
  /// The private function that computes, with the entry point's arguments, and
  /// returns a status.
  func::FuncOp buildBody() {
    auto body =
        func::FuncOp::create(b, (func.getName() + kBodySuffix).str(),
                             b.getFunctionType(layout.types, {b.getI32Type()}));
    body.setPrivate();
    if (takesThreads)
      body.setArgAttr(layout.types.size() - 1, kParallelForAttr,
                      b.getUnitAttr());
    for (auto [symbol, argument] : layout.sizes)
      if (symbol.dim != SizeSymbol::kScalar)
        body.setArgAttr(argument, kSizeAttr, b.getUnitAttr());
    for (auto [index, argument] : llvm::enumerate(layout.inputs))
      if (StringAttr id = packId(index)) {
        body.setArgAttr(argument, kPackedArgumentAttr, id);
        body.setArgAttr(argument, kNameAttr,
                        b.getStringAttr(argumentName(index)));
      }
    if (StringAttr id = packs())
      body->setAttr(kPacksAttr, id);
    body->setAttr("llvm.linkage", LLVM::LinkageAttr::get(
                                      b.getContext(), LLVM::Linkage::Internal));
    b.setInsertionPointToStart(body.addEntryBlock());

    func.walk([](Operation *op) { op->removeAttr(kInBoundsAttr); });
    for (Operation *op : sizes.inBounds)
      op->setAttr(kInBoundsAttr, b.getUnitAttr());
    ArgumentSizes argumentSizes(b, layout, body, sizes);
    auto size = [&](SizeSymbol symbol) { return argumentSizes.index(symbol); };
    guard(argumentSizes);

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
      if (!sizes.asserted.contains(&op))
        b.clone(op, mapping);
    bool mayFail = false;
    body.walk([&](cf::AssertOp) { mayFail = true; });
    for (auto [index, value] :
         llvm::enumerate(source.getTerminator()->getOperands())) {
      auto tensor = cast<RankedTensorType>(value.getType());
      SmallVector<OpFoldResult> shape;
      for (AffineExpr extent : sizes.results[index])
        shape.push_back(argumentSizes.evaluate(extent));
      // What is known of the sizes, the types say: else folding would find it
      // out later, and make a view that is not seen to be contiguous.
      RankedTensorType exact = withSizes(tensor, shape);
      Value result = mapping.lookup(value);
      if (exact != tensor)
        result = tensor::CastOp::create(b, exact, result);
      Value view = rowMajorView(b, body.getArgument(layout.outputs[index]),
                                exact, shape);
      if (mayFail) {
        // Nothing is computed where the caller sees it before all went well.
        Value buffer = bufferization::ToBufferOp::create(
            b, cast<MemRefType>(view.getType()), result, /*read_only=*/true);
        memref::CopyOp::create(b, buffer, view);
        continue;
      }
      auto copy =
          bufferization::MaterializeInDestinationOp::create(b, result, view);
      copy.setRestrict(true);
      copy.setWritable(true);
    }
    Value ok = arith::ConstantIntOp::create(b, 0, 32);
    func::ReturnOp::create(b, ok);
    return body;
  }

  /// What must hold where a branch is taken or a loop turns is known before any
  /// of it: `cf.assert` in front of each operation that asks for it.
  void guard(ArgumentSizes &argumentSizes) {
    for (const auto &[op, requirements] : sizes.before) {
      Value holds = argumentSizes.holds(requirements);
      ImplicitLocOpBuilder before(op->getLoc(), op);
      auto check = cf::AssertOp::create(before, holds, "sizes do not agree");
      check->setAttr(kStatusAttr,
                     before.getI32IntegerAttr(TW_STATUS_INVALID_ARGUMENT));
    }
    func.walk([&](cf::AssertOp op) {
      auto decided = sizes.asserted.find(op);
      bool isDecided = decided != sizes.asserted.end() &&
                       isa<AffineConstantExpr>(decided->second);
      if (op->hasAttr(kStatusAttr) || isDecided)
        return;
      // What says the same is the same status.
      auto known = llvm::find(messages, op.getMsg());
      int32_t number = known - messages.begin();
      if (known == messages.end())
        messages.push_back(op.getMsg().str());
      op->setAttr(kStatusAttr, b.getI32IntegerAttr(kFirstAssertion + number));
    });
  }

  static RankedTensorType withSizes(RankedTensorType tensor,
                                    ArrayRef<OpFoldResult> shape) {
    SmallVector<int64_t> sizes(tensor.getShape());
    for (auto [size, known] : llvm::zip_equal(sizes, shape))
      if (std::optional<int64_t> constant = getConstantIntValue(known))
        size = *constant;
    return tensor.clone(sizes);
  }

  /// A private function of `arguments` alone, which are sizes and the like.
  func::FuncOp startOnSizes(StringRef suffix, ArrayRef<unsigned> arguments,
                            TypeRange results) {
    SmallVector<Type> types(arguments.size(), b.getI64Type());
    auto function = func::FuncOp::create(b, (func.getName() + suffix).str(),
                                         b.getFunctionType(types, results));
    function.setPrivate();
    function->setAttr(
        "llvm.linkage",
        LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
    b.setInsertionPointToStart(function.addEntryBlock());
    return function;
  }

  EntryLayout layoutOnSizes(ArrayRef<unsigned> arguments) {
    EntryLayout onSizes = layout;
    for (auto &[symbol, argument] : onSizes.sizes)
      argument = llvm::find(arguments, argument) - arguments.begin();
    return onSizes;
  }

  /// Every size of every result of the caller's; none if there is none.
  void buildResultSizes(ArrayRef<unsigned> arguments) {
    SmallVector<AffineExpr> extents;
    for (auto [index, shape] : llvm::enumerate(sizes.results))
      if (!func.getResultAttr(index, kStateAttr))
        llvm::append_range(extents, shape);
    if (extents.empty())
      return;
    b.setInsertionPoint(func);
    SmallVector<Type> types(extents.size(), b.getI64Type());
    func::FuncOp function = startOnSizes(kResultSizesSuffix, arguments, types);
    EntryLayout ofFunction = layoutOnSizes(arguments);
    ArgumentSizes argumentSizes(b, ofFunction, function, sizes);
    SmallVector<Value> values;
    for (AffineExpr extent : extents)
      values.push_back(argumentSizes.value(extent, b.getI64Type()));
    func::ReturnOp::create(b, values);
  }

  /// The private function that returns a status for the sizes alone.
  func::FuncOp buildCheck(ArrayRef<unsigned> arguments) {
    func::FuncOp check =
        startOnSizes(kCheckSuffix, arguments, {b.getI32Type()});

    // The first of these that does not hold decides.
    Value status = arith::ConstantIntOp::create(b, 0, 32);
    auto require = [&](Value holds, int64_t otherwise) {
      Value failure = arith::ConstantIntOp::create(b, otherwise, 32);
      status = b.createOrFold<arith::SelectOp>(holds, status, failure);
    };
    EntryLayout ofCheck = layoutOnSizes(arguments);
    ArgumentSizes argumentSizes(b, ofCheck, check, sizes);
    require(argumentSizes.holds(sizes.atEntry), TW_STATUS_INVALID_ARGUMENT);
    for (auto &[op, condition] : llvm::reverse(sizes.asserted))
      if (!isa<AffineConstantExpr>(condition))
        require(argumentSizes.value(condition, b.getI1Type()),
                op->getAttrOfType<IntegerAttr>(kStatusAttr).getInt());
    Value zero = arith::ConstantIntOp::create(b, 0, 64);
    Value areNatural = arith::ConstantIntOp::create(b, 1, 1);
    for (auto [symbol, argument] : ofCheck.sizes)
      if (symbol.dim != SizeSymbol::kScalar)
        areNatural = b.createOrFold<arith::AndIOp>(
            areNatural,
            b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge,
                                          check.getArgument(argument), zero));
    require(areNatural, TW_STATUS_INVALID_ARGUMENT);
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
    if (describe)
      buildResultSizes(arguments);
    b.setInsertionPoint(func);

    // The name is free for the new function only once the old one has another.
    entryName = func.getName().str();
    func.setName(entryName + ".tensors");
    auto entry = func::FuncOp::create(
        b, entryName, b.getFunctionType(layout.types, {b.getI32Type()}));
    entry->setAttr(kCArgumentsAttr, b.getStrArrayAttr(cArguments()));
    entry->setAttr(kCResultsAttr, b.getStrArrayAttr(cResults()));
    if (Attribute states = stateArguments())
      entry->setAttr(kStateArgumentsAttr, states);
    if (StringAttr id = packs())
      entry->setAttr(kPacksAttr, id);
    if (describe)
      describeValues(entry);
    if (!messages.empty()) {
      SmallVector<StringRef> texts(messages.begin(), messages.end());
      entry->setAttr(kCMessagesAttr, b.getStrArrayAttr(texts));
    }
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

  /// Which of the entry point's arguments are pointers to states; else null.
  Attribute stateArguments() {
    SmallVector<Attribute> found;
    auto add = [&](Attribute state, int64_t argument, bool isWritten) {
      if (state)
        found.push_back(b.getDenseI64ArrayAttr(
            {argument, cast<IntegerAttr>(state).getInt(), isWritten}));
    };
    for (auto [index, argument] : llvm::enumerate(layout.inputs))
      add(func.getArgAttr(index, kStateAttr), argument, /*isWritten=*/false);
    for (auto [index, argument] : llvm::enumerate(layout.outputs))
      add(func.getResultAttr(index, kStateAttr), argument, /*isWritten=*/true);
    return found.empty() ? Attribute() : b.getArrayAttr(found);
  }

  /// The id of an argument that is handed over packed; else null.
  StringAttr packId(unsigned index) {
    return func.getArgAttrOfType<StringAttr>(index, kPackedArgumentAttr);
  }
  /// The id of the arguments that it packs; else null.
  StringAttr packs() { return func->getAttrOfType<StringAttr>(kPacksAttr); }

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
    return symbolTexts(sizes.symbols, sizes.computed,
                       [&](SizeSymbol symbol) { return sizeName(symbol); });
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
      std::string element =
          packId(number) ? "void"
                         : cElementName(tensor.getElementType(),
                                        func.getArgAttr(number, kElementAttr));
      storage.push_back("const " + element + " *" + name);
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
        if (tensor.isDynamicDim(dim))
          storage.push_back("int64_t " + sizeName({number, dim}));
    }
    for (auto [index, type] : llvm::enumerate(func.getResultTypes())) {
      Type element = cast<RankedTensorType>(type).getElementType();
      storage.push_back(
          (packs() ? "void"
                   : cElementName(element,
                                  func.getResultAttr(index, kElementAttr))) +
          " *" + resultName(index));
    }
    if (takesThreads)
      storage.push_back(kParallelForParameter.str());
    return {storage.begin(), storage.end()};
  }

  /// One line per tensor: its name and shape.
  SmallVector<StringRef> cResults() {
    for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && !func.getArgAttr(index, kStateAttr))
        shapes.push_back(
            argumentName(index) + ": " + argumentShape(index) +
            elementNote(tensor, func.getArgAttr(index, kElementAttr)) +
            (packId(index)
                 ? ", packed by " + packId(index).str() + kPackSuffix.str()
                 : ""));
    for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
      if (StringAttr id = packs())
        shapes.push_back(resultName(index) + ": the bytes that " + id.str() +
                         kPackedBytesSuffix.str() + " returns, written");
      else if (!func.getResultAttr(index, kStateAttr))
        shapes.push_back(resultName(index) + ": " + resultShape(index) +
                         elementNote(cast<RankedTensorType>(type),
                                     func.getResultAttr(index, kElementAttr)) +
                         ", written");
    return {shapes.begin(), shapes.end()};
  }

  std::string argumentShape(unsigned index) {
    std::string text;
    auto tensor = cast<RankedTensorType>(func.getArgumentTypes()[index]);
    for (auto [dim, extent] : llvm::enumerate(tensor.getShape()))
      text += ShapedType::isDynamic(extent)
                  ? "[" + sizeName({index, int64_t(dim)}) + "]"
                  : "[" + std::to_string(extent) + "]";
    return text;
  }

  std::string resultShape(size_t index) {
    std::string text;
    for (AffineExpr size : sizes.results[index])
      text += "[" + sizeText(size, symbolNames()) + "]";
    return text;
  }

  void describeValues(func::FuncOp entry) {
    auto value = [&](StringRef name, Type type, Attribute element,
                     StringRef shape) -> Attribute {
      Type inMemory = getElementTypeOrSelf(type);
      auto tensor = dyn_cast<RankedTensorType>(type);
      Type described = elementInModel(inMemory, element);
      type = tensor ? tensor.clone(described) : described;
      return b.getDictionaryAttr(
          {b.getNamedAttr("name", b.getStringAttr(name)),
           b.getNamedAttr("shape", b.getStringAttr(shape)),
           b.getNamedAttr("type", TypeAttr::get(type))});
    };
    SmallVector<Attribute> arguments, results;
    for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
      if (!func.getArgAttr(index, kStateAttr))
        arguments.push_back(value(
            argumentName(index), type, func.getArgAttr(index, kElementAttr),
            isa<RankedTensorType>(type) ? argumentShape(index) : ""));
    for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
      if (!func.getResultAttr(index, kStateAttr))
        results.push_back(value(resultName(index), type,
                                func.getResultAttr(index, kElementAttr),
                                resultShape(index)));
    entry->setAttr(kArgumentValuesAttr, b.getArrayAttr(arguments));
    entry->setAttr(kResultValuesAttr, b.getArrayAttr(results));
  }

  std::string resultName(size_t index) {
    if (packs())
      return "packed";
    // States come last.
    if (func.getNumResults() == 1 || func.getResultAttr(1, kStateAttr))
      return "result";
    return "result" + std::to_string(index);
  }

  func::FuncOp func;
  const EntrySizes &sizes;
  bool describe;
  bool takesThreads; ///< its last argument is a tw_parallel_for_t
  EntryLayout layout;
  ImplicitLocOpBuilder b;
  std::vector<std::string> storage;
  std::vector<std::string> shapes;
  std::string entryName;
  std::vector<std::string> messages; ///< of what the model asserts
};

struct MakeEntryPointsPass : impl::MakeEntryPointsBase<MakeEntryPointsPass> {
  using MakeEntryPointsBase::MakeEntryPointsBase;

  void runOnOperation() override {
    if (threads > 1) {
      Builder b(&getContext());
      getOperation()->setAttr(kThreadsAttr, b.getI64IntegerAttr(threads));
      getOperation()->setAttr(kLeastTaskAttr, b.getI64IntegerAttr(leastTask));
    }
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
      if (calls.wasInterrupted() || failed(makeEntryPoint(func, describe)))
        return signalPassFailure();
    }
  }
};

} // namespace

LogicalResult makeEntryPoint(func::FuncOp func, bool describe) {
  FailureOr<EntrySizes> sizes = analyzeEntrySizes(func);
  if (failed(sizes))
    return failure();
  return EntryBuilder(func, *sizes, describe).build();
}

} // namespace tilewright
