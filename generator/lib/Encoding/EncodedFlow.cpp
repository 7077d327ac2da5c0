// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EncodedFlow.h"

#include "EncodedElements.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Encoding/TensorSizes.h"

using namespace mlir;

namespace tilewright {
namespace {

/// What a loop does counts as often.
constexpr double kIterations = 8;

double countOf(Operation *op) {
  double count = 1;
  for (; op; op = op->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(op))
      count *= kIterations;
  return count;
}

/// Values that are handed on to each other: arguments of blocks, and results of
/// operations with regions and of calls.
struct Flow {
  SmallVector<Value> members;
  SmallVector<OpOperand *> handed; ///< whatever becomes one of them
  /// Some of it cannot have another type.
  bool isFixed = false;
};

class Flows {
public:
  explicit Flows(ModuleOp module) : module(module) {}

  SmallVector<Flow> find() {
    for (auto func : module.getOps<func::FuncOp>())
      findCalls(func);
    module.walk([&](RegionBranchOpInterface op) {
      if (isa<scf::SCFDialect>(op->getDialect()))
        handOn(op);
    });
    for (auto &[func, calls] : callsOf)
      for (func::CallOp call : calls)
        handOn(cast<func::FuncOp>(func), call);
    SmallVector<Flow> flows;
    llvm::DenseMap<int64_t, size_t> numberOf;
    for (auto [number, value] : llvm::enumerate(values)) {
      auto [found, isNew] = numberOf.try_emplace(rootOf(number), flows.size());
      if (isNew)
        flows.emplace_back();
      flows[found->second].members.push_back(value);
    }
    for (auto [operand, value] : handed)
      flows[numberOf.at(rootOf(numbers.at(value)))].handed.push_back(operand);
    for (Value value : fixed)
      flows[numberOf.at(rootOf(numbers.at(value)))].isFixed = true;
    return flows;
  }

private:
  /// Of a function of which all calls are known.
  void findCalls(func::FuncOp func) {
    if (!func.isPrivate() || func.isExternal())
      return;
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(func, module);
    if (!uses || !llvm::all_of(*uses, [](SymbolTable::SymbolUse use) {
          return isa<func::CallOp>(use.getUser());
        }))
      return;
    SmallVector<func::CallOp> &calls = callsOf[func];
    for (SymbolTable::SymbolUse use : *uses)
      calls.push_back(cast<func::CallOp>(use.getUser()));
    followed.insert(calls.begin(), calls.end());
  }

  void handOn(RegionBranchOpInterface op) {
    RegionBranchSuccessorMapping mapping;
    op.getSuccessorOperandInputMapping(mapping);
    for (RegionBranchPoint point : op.getAllRegionBranchPoints()) {
      Operation *branch = point.isParent()
                              ? op.getOperation()
                              : point.getTerminatorPredecessorOrNull();
      for (OpOperand &operand : branch->getOpOperands())
        for (Value input : mapping.lookup(&operand))
          handOn(operand, input);
    }
  }

  void handOn(func::FuncOp func, func::CallOp call) {
    for (auto [operand, argument] :
         llvm::zip_equal(call->getOpOperands(), func.getArguments()))
      handOn(operand, argument);
    for (Block &block : func.getBody())
      if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator()))
        for (auto [operand, result] :
             llvm::zip_equal(end->getOpOperands(), call.getResults()))
          handOn(operand, result);
  }

  void handOn(OpOperand &operand, Value to) {
    auto type = dyn_cast<RankedTensorType>(to.getType());
    if (!type || type.getEncoding())
      return;
    int64_t number = numberOf(to);
    if (operand.get().getType() != type)
      fixed.push_back(to);
    // What goes to two goes to both alike.
    auto [first, isNew] = takerOf.try_emplace(&operand, number);
    if (isNew)
      handed.push_back({&operand, to});
    join(number, first->second);
    if (isMember(operand.get()))
      join(number, numberOf(operand.get()));
  }

  /// Whether all that becomes the value is seen here.
  bool isMember(Value value) const {
    if (Operation *op = value.getDefiningOp())
      return isa<RegionBranchOpInterface>(op)
                 ? isa<scf::SCFDialect>(op->getDialect())
                 : followed.contains(op);
    Block *block = cast<BlockArgument>(value).getOwner();
    Operation *parent = block->getParentOp();
    return block->isEntryBlock() &&
           (isa<func::FuncOp>(parent)
                ? callsOf.contains(parent)
                : isa<RegionBranchOpInterface>(parent) &&
                      isa<scf::SCFDialect>(parent->getDialect()));
  }

  int64_t numberOf(Value value) {
    auto [found, isNew] = numbers.try_emplace(value, values.size());
    if (isNew) {
      values.push_back(value);
      parents.push_back(found->second);
    }
    return found->second;
  }

  int64_t rootOf(int64_t number) {
    while (parents[number] != number)
      number = parents[number];
    return number;
  }
  void join(int64_t x, int64_t y) { parents[rootOf(x)] = rootOf(y); }

  ModuleOp module;
  SmallVector<Value> values, fixed;
  SmallVector<int64_t> parents; ///< by number of a value
  llvm::DenseMap<Value, int64_t> numbers;
  SmallVector<std::pair<OpOperand *, Value>> handed;
  llvm::DenseMap<OpOperand *, int64_t> takerOf;
  llvm::MapVector<Operation *, SmallVector<func::CallOp>> callsOf;
  llvm::SmallDenseSet<Operation *> followed;
};

/// Where the size of a dimension comes from: an index, or a tensor's dimension.
struct SizeOrigin {
  Value value;
  int64_t dim;

  bool operator==(const SizeOrigin &other) const {
    return value == other.value && dim == other.dim;
  }
};

SizeOrigin originOf(Value tensor, int64_t dim) {
  Value source = sizeSource(tensor);
  auto empty = source.getDefiningOp<tensor::EmptyOp>();
  if (!empty || !empty.getType().isDynamicDim(dim))
    return {source, dim};
  Value size = empty.getDynamicSize(dim);
  if (auto known = size.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> index = known.getConstantIndex())
      return originOf(known.getSource(), *index);
  return {size, 0};
}

/// The sizes of all members of a flow: of each dimension one that its type
/// says, or that whatever becomes one of them has from one origin.
class FlowSizes {
public:
  /// None if they may differ, or are not known where something is handed on.
  static std::optional<FlowSizes> of(const Flow &flow) {
    FlowSizes sizes;
    auto type = cast<RankedTensorType>(flow.members[0].getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      sizes.origins.push_back({});
      if (type.isDynamicDim(dim) && !sizes.findOrigin(flow, dim))
        return std::nullopt;
    }
    return sizes;
  }

  SmallVector<OpFoldResult> at(OpBuilder &b, RankedTensorType type) const {
    SmallVector<OpFoldResult> sizes;
    for (auto [size, origin] : llvm::zip_equal(type.getShape(), origins)) {
      if (!ShapedType::isDynamic(size))
        sizes.push_back(b.getIndexAttr(size));
      else if (origin.value.getType().isIndex())
        sizes.push_back(origin.value);
      else
        sizes.push_back(sizeOf(b, origin.value, origin.dim));
    }
    return sizes;
  }

private:
  bool findOrigin(const Flow &flow, int64_t dim) {
    SizeOrigin &origin = origins.back();
    for (OpOperand *operand : flow.handed) {
      SizeOrigin own = originOf(operand->get(), dim);
      // What is made of a member has its size.
      if (llvm::is_contained(flow.members, own.value) && own.dim == dim)
        continue;
      if ((origin.value && !(origin == own)) ||
          tw::isEncoded(own.value.getType()))
        return false;
      origin = own;
    }
    if (!origin.value)
      return false;
    DominanceInfo dominance;
    return llvm::all_of(flow.members, [&](Value member) {
      Operation *op = member.getDefiningOp();
      if (!op)
        op = member.getParentBlock()->getParentOp();
      return dominance.properlyDominates(origin.value, op);
    });
  }

  SmallVector<SizeOrigin> origins; ///< by dimension
};

/// A flow in an encoding.
class EncodedMembers {
public:
  EncodedMembers(const Flow &flow, const FlowSizes &sizes,
                 tw::EncodingAttr encoding, Operation *first)
      : flow(flow), sizes(sizes), first(first) {
    auto plain = cast<RankedTensorType>(flow.members[0].getType());
    type = RankedTensorType::get(plain.getShape(), plain.getElementType(),
                                 encoding);
    members.insert(flow.members.begin(), flow.members.end());
    handed.insert(flow.handed.begin(), flow.handed.end());
  }

  double saves() {
    double saved = 0, bytes = bytesOf(flow.members[0]);
    llvm::SmallDenseSet<Value> sources;
    for (OpOperand *operand : flow.handed)
      if (!members.contains(operand->get()) &&
          sources.insert(operand->get()).second)
        saved += 2 * bytes * valueOf(*operand);
    for (Value member : flow.members) {
      bool isUnset = false;
      for (OpOperand &use : member.getUses())
        if (tw::SetEncodingOp set = setBy(use))
          saved += 2 * bytes * countOf(set);
        else
          isUnset |= !handed.contains(&use) && !isSizeOf(use);
      if (isUnset)
        saved -= 2 * bytes * countOf(member.getParentBlock()->getParentOp());
    }
    return saved;
  }

  void rewrite() {
    llvm::SmallSetVector<tw::UnsetEncodingOp, 4> unsets;
    for (OpOperand *operand : flow.handed)
      if (!members.contains(operand->get())) {
        if (tw::UnsetEncodingOp unset = unsetOf(operand->get()))
          unsets.insert(unset);
        operand->set(encoded(*operand));
      }
    for (Value member : flow.members)
      encode(member);
    for (Value member : flow.members) {
      auto argument = dyn_cast<BlockArgument>(member);
      if (auto func = argument ? dyn_cast<func::FuncOp>(
                                     argument.getOwner()->getParentOp())
                               : nullptr)
        retype(func);
      else if (auto call = member.getDefiningOp<func::CallOp>())
        retype(module().lookupSymbol<func::FuncOp>(call.getCallee()));
    }
    // `first` may be one of these.
    for (Operation *op : replaced)
      op->erase();
    for (tw::UnsetEncodingOp unset : unsets)
      if (unset->use_empty())
        unset->erase();
  }

private:
  ModuleOp module() { return first->getParentOfType<ModuleOp>(); }

  static void retype(func::FuncOp func) {
    SmallVector<Type> results(func.getResultTypes());
    for (Block &block : func.getBody())
      if (auto end = dyn_cast<func::ReturnOp>(block.getTerminator()))
        results.assign(end.getOperandTypes().begin(),
                       end.getOperandTypes().end());
    func.setFunctionType(FunctionType::get(
        func.getContext(), func.getBody().front().getArgumentTypes(), results));
  }

  tw::UnsetEncodingOp unsetOf(Value value) const {
    auto unset = value.getDefiningOp<tw::UnsetEncodingOp>();
    return unset && unset.getSource().getType() == type &&
                   areTogether(unset, first)
               ? unset
               : nullptr;
  }

  /// Sizes are known without the member.
  static bool isSizeOf(OpOperand &use) {
    auto dim = dyn_cast<tensor::DimOp>(use.getOwner());
    return dim && dim.getConstantIndex();
  }

  tw::SetEncodingOp setBy(OpOperand &use) const {
    auto set = dyn_cast<tw::SetEncodingOp>(use.getOwner());
    return set && use.getOperandNumber() == 0 &&
                   set.getResult().getType() == type && areTogether(set, first)
               ? set
               : nullptr;
  }

  /// What encoding a value that is handed on saves, in times of its bytes.
  double valueOf(OpOperand &operand) const {
    Value value = operand.get();
    if (isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(value.getDefiningOp()))
      return 0;
    if (tw::UnsetEncodingOp unset = unsetOf(value))
      return llvm::all_of(value.getUses(),
                          [&](OpOperand &use) { return handed.contains(&use); })
                 ? countOf(unset)
                 : 0;
    return -countOf(operand.getOwner()->getParentOp());
  }

  Value encoded(OpOperand &operand) {
    if (tw::UnsetEncodingOp unset = unsetOf(operand.get()))
      return unset.getSource();
    OpBuilder b(operand.getOwner());
    return encodedAs(b, operand.get(), type, first);
  }

  void encode(Value member) {
    member.setType(type);
    OpBuilder b(member.getContext());
    b.setInsertionPointAfterValue(member);
    SmallVector<OpOperand *> rest;
    SmallVector<tw::SetEncodingOp> sets;
    SmallVector<tensor::DimOp> dims;
    for (OpOperand &use : member.getUses())
      if (tw::SetEncodingOp set = setBy(use))
        sets.push_back(set);
      else if (isSizeOf(use))
        dims.push_back(cast<tensor::DimOp>(use.getOwner()));
      else if (!handed.contains(&use))
        rest.push_back(&use);
    for (tensor::DimOp dim : dims) {
      OpFoldResult size = sizes.at(b, type)[*dim.getConstantIndex()];
      dim.replaceAllUsesWith(
          getValueOrCreateConstantIndexOp(b, dim.getLoc(), size));
      // `b` may stand before it.
      replaced.push_back(dim);
    }
    for (tw::SetEncodingOp set : sets) {
      set.getResult().replaceAllUsesWith(member);
      replaced.push_back(set);
    }
    if (rest.empty())
      return;
    Value dest =
        emptyOf(b, member.getLoc(),
                RankedTensorType::get(type.getShape(), type.getElementType()),
                sizes.at(b, type));
    auto unset = tw::UnsetEncodingOp::create(b, member.getLoc(), member, dest);
    placeLike(unset, first);
    for (OpOperand *use : rest)
      use->set(unset.getResult());
  }

  const Flow &flow;
  const FlowSizes &sizes;
  Operation *first;
  RankedTensorType type;
  llvm::SmallDenseSet<Value> members;
  llvm::SmallDenseSet<OpOperand *> handed;
  /// Sets by what is encoded before, dimensions by what is known before.
  SmallVector<Operation *> replaced;
};

/// What sets or unsets encodings of the flow on the host: of each encoding the
/// first.
llvm::MapVector<tw::EncodingAttr, Operation *> encodingsFor(const Flow &flow) {
  llvm::MapVector<tw::EncodingAttr, Operation *> encodings;
  auto add = [&](Type type, Operation *op) {
    if (tw::EncodingAttr encoding = encodingOf(type); encoding && isOnHost(op))
      encodings.insert({encoding, op});
  };
  for (Value member : flow.members)
    for (OpOperand &use : member.getUses())
      if (auto set = dyn_cast<tw::SetEncodingOp>(use.getOwner());
          set && use.getOperandNumber() == 0)
        add(set.getResult().getType(), set);
  for (OpOperand *operand : flow.handed)
    if (auto unset = operand->get().getDefiningOp<tw::UnsetEncodingOp>())
      add(unset.getSource().getType(), unset);
  return encodings;
}

/// Whether all that hands the flow on is of the device of `op`, which says how
/// it lies.
bool isTogether(const Flow &flow, Operation *op) {
  return llvm::all_of(flow.members, [&](Value member) {
    Operation *owner = member.getDefiningOp();
    return areTogether(owner ? owner : member.getParentBlock()->getParentOp(),
                       op);
  });
}

/// In the encoding that saves most, if one does.
bool encode(const Flow &flow) {
  auto type = cast<RankedTensorType>(flow.members[0].getType());
  if (flow.isFixed || llvm::any_of(flow.members, [&](Value member) {
        return member.getType() != type;
      }))
    return false;
  std::optional<FlowSizes> sizes = FlowSizes::of(flow);
  if (!sizes)
    return false;
  std::optional<EncodedMembers> best;
  double most = 0;
  for (auto [encoding, first] : encodingsFor(flow)) {
    if (!isTogether(flow, first))
      continue;
    EncodedMembers members(flow, *sizes, encoding, first);
    if (double saved = members.saves(); saved > most) {
      most = saved;
      best.emplace(members);
    }
  }
  if (best)
    best->rewrite();
  return best.has_value();
}

} // namespace

bool encodeFlow(ModuleOp module) {
  bool isAny = false;
  for (const Flow &flow : Flows(module).find())
    isAny |= encode(flow);
  return isAny;
}

} // namespace tilewright
