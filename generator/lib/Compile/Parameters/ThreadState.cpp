// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-thread-state: mutable globals -> arguments and results of functions.

#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_THREADSTATE
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// A global as a tensor, as which it goes through functions: scalars have none
/// of their sizes, and an index is as wide as C's.
struct State {
  ml_program::GlobalOp global;
  RankedTensorType type;

  static Type elementOf(Type type) {
    return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
  }

  explicit State(ml_program::GlobalOp global)
      : global(global), type(dyn_cast<RankedTensorType>(global.getType())) {
    if (!type)
      type = RankedTensorType::get({}, elementOf(global.getType()));
  }

  bool isTensor() { return isa<RankedTensorType>(global.getType()); }

  Value load(ImplicitLocOpBuilder &b, Value tensor) {
    if (isTensor())
      return tensor;
    Value scalar = tensor::ExtractOp::create(b, tensor, ValueRange{});
    if (global.getType().isIndex())
      return arith::IndexCastOp::create(b, b.getIndexType(), scalar);
    return scalar;
  }

  Value store(ImplicitLocOpBuilder &b, Value value) {
    if (isTensor())
      return value;
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, b.getI64Type(), value);
    return tensor::FromElementsOp::create(b, type, value);
  }

  TypedAttr initial() {
    Attribute value = *global.getValue();
    if (isTensor())
      return cast<TypedAttr>(value);
    if (auto integer = dyn_cast<IntegerAttr>(value))
      value = IntegerAttr::get(
          type.getElementType(),
          integer.getValue().sext(type.getElementTypeBitWidth()));
    return DenseElementsAttr::get(type, value);
  }
};

/// Which states an operation, or a function, needs and changes.
struct Uses {
  llvm::SmallBitVector needed, written;
  explicit Uses(unsigned states) : needed(states), written(states) {}

  void add(const Uses &others) {
    needed |= others.needed;
    written |= others.written;
  }
  bool operator==(const Uses &o) const {
    return needed == o.needed && written == o.written;
  }
};

class Threading {
public:
  Threading(ModuleOp module, std::vector<State> states)
      : module(module), states(std::move(states)) {
    for (auto [index, state] : llvm::enumerate(this->states))
      numbers[state.global.getSymName()] = index;
  }

  LogicalResult run() {
    SmallVector<func::FuncOp> functions;
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal())
        functions.push_back(func);
    findUses(functions);
    for (func::FuncOp func : functions)
      if (failed(thread(func)))
        return failure();
    buildInitial();
    return success();
  }

private:
  static std::optional<StringRef> globalOf(Operation *op) {
    if (isa<ml_program::GlobalLoadOp, ml_program::GlobalStoreOp>(op))
      return op->getAttrOfType<SymbolRefAttr>("global")
          .getLeafReference()
          .getValue();
    return std::nullopt;
  }

  Uses usesOf(Operation *op) {
    Uses uses(states.size());
    op->walk([&](Operation *inner) {
      if (auto call = dyn_cast<func::CallOp>(inner)) {
        auto known = ofFunction.find(call.getCallee());
        if (known != ofFunction.end())
          uses.add(known->second);
      }
      std::optional<StringRef> global = globalOf(inner);
      auto number = global ? numbers.find(*global) : numbers.end();
      if (number == numbers.end())
        return;
      uses.needed.set(number->second);
      if (isa<ml_program::GlobalStoreOp>(inner))
        uses.written.set(number->second);
    });
    return uses;
  }

  /// Until calls add nothing more.
  void findUses(ArrayRef<func::FuncOp> functions) {
    for (bool changed = true; changed;) {
      changed = false;
      for (func::FuncOp func : functions) {
        Uses uses = usesOf(func);
        auto [known, isNew] = ofFunction.try_emplace(func.getName(), uses);
        changed |= isNew || !(known->second == uses);
        known->second = uses;
      }
    }
  }

  SmallVector<Type> typesOf(const llvm::SmallBitVector &which) {
    SmallVector<Type> types;
    for (unsigned state : which.set_bits())
      types.push_back(states[state].type);
    return types;
  }

  SmallVector<Value> valuesOf(const llvm::SmallBitVector &which) {
    SmallVector<Value> values;
    for (unsigned state : which.set_bits())
      values.push_back(current[state]);
    return values;
  }

  void setValues(const llvm::SmallBitVector &which, ValueRange values) {
    for (auto [state, value] : llvm::zip_equal(which.set_bits(), values))
      current[state] = value;
  }

  LogicalResult thread(func::FuncOp func) {
    const Uses &uses = ofFunction.find(func.getName())->second;
    if (uses.needed.none())
      return success();
    if (!llvm::hasSingleElement(func.getBody()))
      return func.emitError("'")
             << func.getName()
             << "' has mutable globals and several blocks; branches must be "
                "scf.if, and loops scf.for or scf.while";
    Builder b(func.getContext());
    auto attribute = [&](unsigned state) {
      return b.getDictionaryAttr(
          b.getNamedAttr(kStateAttr, b.getI64IntegerAttr(state)));
    };
    for (unsigned state : uses.needed.set_bits())
      (void)func.insertArgument(func.getNumArguments(), states[state].type,
                                attribute(state), func.getLoc());
    for (unsigned state : uses.written.set_bits())
      (void)func.insertResult(func.getNumResults(), states[state].type,
                              attribute(state));
    current.assign(states.size(), Value());
    setValues(uses.needed, func.getArguments().take_back(uses.needed.count()));
    return thread(func.getBody().front(), uses.written);
  }

  /// The states at the end of `block` are more operands of its terminator.
  LogicalResult thread(Block &block, const llvm::SmallBitVector &written) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (failed(thread(&op)))
        return failure();
    Operation *end = block.getTerminator();
    end->insertOperands(end->getNumOperands(), valuesOf(written));
    return success();
  }

  LogicalResult thread(Operation *op) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    if (std::optional<StringRef> global = globalOf(op)) {
      auto number = numbers.find(*global);
      if (number == numbers.end())
        return success();
      State &state = states[number->second];
      if (isa<ml_program::GlobalStoreOp>(op))
        current[number->second] = state.store(b, op->getOperand(0));
      else
        op->getResult(0).replaceAllUsesWith(
            state.load(b, current[number->second]));
      op->erase();
      return success();
    }
    if (auto call = dyn_cast<func::CallOp>(op))
      return thread(call);
    if (op->getNumRegions() == 0)
      return success();
    Uses uses = usesOf(op);
    if (uses.needed.none())
      return success();
    if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
      return threadRegions(op, uses.written);
    return op->emitOpError()
           << "uses a mutable global in its body; there it may be used in the "
              "bodies of scf.if, scf.for and scf.while";
  }

  LogicalResult thread(func::CallOp call) {
    auto known = ofFunction.find(call.getCallee());
    if (known == ofFunction.end() || known->second.needed.none())
      return success();
    const Uses &uses = known->second;
    ImplicitLocOpBuilder b(call.getLoc(), call);
    SmallVector<Value> operands(call.getOperands());
    llvm::append_range(operands, valuesOf(uses.needed));
    SmallVector<Type> types(call.getResultTypes());
    llvm::append_range(types, typesOf(uses.written));
    auto made = func::CallOp::create(b, call.getCallee(), types, operands);
    made->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    setValues(uses.written, made.getResults().drop_front(call.getNumResults()));
    call.replaceAllUsesWith(made.getResults().take_front(call.getNumResults()));
    call.erase();
    return success();
  }

  /// What `op` changes becomes more results of it, and of a loop more of what
  /// it carries.
  LogicalResult threadRegions(Operation *op,
                              const llvm::SmallBitVector &written) {
    bool carries = isa<scf::ForOp, scf::WhileOp>(op);
    SmallVector<Value> operands(op->getOperands());
    if (carries)
      llvm::append_range(operands, valuesOf(written));
    SmallVector<Type> added = typesOf(written), types(op->getResultTypes());
    llvm::append_range(types, added);
    Operation *made = Operation::create(
        op->getLoc(), op->getName(), types, operands,
        NamedAttrList(op->getDiscardableAttrDictionary()),
        op->getPropertiesStorage(), op->getSuccessors(), op->getNumRegions());
    OpBuilder(op).insert(made);
    SmallVector<Value> before = current;
    for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions())) {
      to.takeBody(from);
      if (to.empty() && written.any()) {
        OpBuilder inside = OpBuilder::atBlockEnd(&to.emplaceBlock());
        scf::YieldOp::create(inside, op->getLoc());
      }
      if (to.empty())
        continue;
      current = before;
      if (carries) {
        SmallVector<Location> locations(added.size(), op->getLoc());
        auto arguments = to.front().addArguments(added, locations);
        setValues(written,
                  SmallVector<Value>(arguments.begin(), arguments.end()));
      }
      if (failed(thread(to.front(), written)))
        return failure();
    }
    current = before;
    setValues(written, made->getResults().drop_front(op->getNumResults()));
    op->replaceAllUsesWith(made->getResults().take_front(op->getNumResults()));
    op->erase();
    return success();
  }

  /// A function whose results are the values that the states begin with, and
  /// what is known of them.
  void buildInitial() {
    ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
    b.setInsertionPointToEnd(module.getBody());
    llvm::SmallBitVector all(states.size(), true);
    auto func = func::FuncOp::create(b, kInitialState,
                                     b.getFunctionType({}, typesOf(all)));
    b.setInsertionPointToStart(func.addEntryBlock());
    SmallVector<Value> values;
    SmallVector<Attribute> described;
    for (auto [index, state] : llvm::enumerate(states)) {
      func.setResultAttr(index, kStateAttr, b.getI64IntegerAttr(index));
      values.push_back(arith::ConstantOp::create(b, state.initial()));
      described.push_back(b.getArrayAttr(
          {state.global.getSymNameAttr(), TypeAttr::get(state.type)}));
    }
    func::ReturnOp::create(b, values);
    module->setAttr(kStatesAttr, b.getArrayAttr(described));
    for (State &state : states)
      state.global.erase();
  }

  ModuleOp module;
  std::vector<State> states;
  llvm::StringMap<unsigned> numbers; ///< of states, by global
  llvm::StringMap<Uses> ofFunction;
  SmallVector<Value> current; ///< of each state, where the threading is
};

struct ThreadStatePass : impl::ThreadStateBase<ThreadStatePass> {
  void runOnOperation() override {
    std::vector<State> states;
    for (auto global : getOperation().getOps<ml_program::GlobalOp>())
      if (global.getIsMutable())
        states.emplace_back(global);
    if (!states.empty() &&
        failed(Threading(getOperation(), std::move(states)).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
