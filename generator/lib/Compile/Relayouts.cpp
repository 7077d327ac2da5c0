// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Relayouts.h"

#include "Dispatch/CallerSizes.h"
#include "OperationKind.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Encoding/MovePanels.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/contraction.h"

using namespace mlir;

namespace tilewright {
namespace {

enum class Rule {
  Model,          ///< the model says so
  Blocks,         ///< by the multiplication itself
  Vectors,        ///< the length of vectors is not known before
  Instance,       ///< nor is it, but before any call of an instance
  Argument,       ///< the caller's
  Result,         ///< the caller's
  Device,         ///< it goes from one to another
  Tile,           ///< between two tiles
  Multiplication, ///< its result lies in rows
  Operation,      ///< of something else
};

struct RuleText {
  const char *word, *text;
};

RuleText textOf(Rule rule) {
  switch (rule) {
  case Rule::Model:
    return {"model", "the model's own"};
  case Rule::Blocks:
    return {"blocks", "packed block by block by the multiplication: staying "
                      "packed would save nothing"};
  case Rule::Vectors:
    return {"vectors", "packed by the first call, which knows how long vectors "
                       "are, and kept"};
  case Rule::Instance:
    return {"instance", "packed when an instance is made, by a program that "
                        "knows how long vectors are, and kept"};
  case Rule::Argument:
    return {"argument", "an argument: callers in C keep it row-major"};
  case Rule::Result:
    return {"result", "a result: callers in C get it row-major"};
  case Rule::Device:
    return {"device", "goes from one device to another, "};
  case Rule::Tile:
    return {"tile", "goes from one tile to another, whose panels differ"};
  case Rule::Multiplication:
    return {"multiplication",
            "between two multiplications, one of which has it row-major"};
  case Rule::Operation:
    return {"operation", "no multiplication "};
  }
  llvm_unreachable("a rule");
}

struct Reason {
  Rule rule;
  std::string about = {};
};

bool isPack(Operation *op) { return isa<linalg::PackOp, tw::PackOp>(op); }
bool isUnpack(Operation *op) { return isa<linalg::UnPackOp, tw::UnPackOp>(op); }
bool isMultiplication(Operation *op) {
  return isa<tw::Mmt4dOp, tw::MatmulOp>(op);
}

/// What makes `value`: an operation, or an argument of a block.
Value makerOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isView(op))
      value = op->getOperand(0);
    else if (auto region = dyn_cast<tw::DispatchRegionOp>(op))
      value = region.getBody().front().getTerminator()->getOperand(
          cast<OpResult>(value).getResultNumber());
    else
      break;
  }
  return value;
}

/// What uses `value`, wherever it is handed on to.
void usersOf(Value value, SmallVectorImpl<Operation *> &users) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isView(user))
      usersOf(user->getResult(0), users);
    else if (isa<tw::YieldOp>(user))
      usersOf(user->getParentOp()->getResult(use.getOperandNumber()), users);
    else if (!isa<tensor::DimOp>(user))
      users.push_back(user);
  }
}

/// The tensor that a kernel reads at indices of its own; null of several.
Value readAtIndices(linalg::GenericOp op) {
  Value source;
  WalkResult walk = op->walk([&](tensor::ExtractOp extract) {
    if (source && source != extract.getTensor())
      return WalkResult::interrupt();
    source = extract.getTensor();
    return WalkResult::advance();
  });
  return walk.wasInterrupted() ? nullptr : source;
}

/// Whether its elements are those of another tensor, or padding.
bool movesElements(linalg::GenericOp op) {
  return llvm::none_of(*op.getBody(), [](Operation &inner) {
    return !isa<tensor::ExtractOp, arith::SelectOp, linalg::YieldOp>(inner) &&
           llvm::any_of(inner.getResultTypes(), [](Type type) {
             return !type.isIndex() && !type.isInteger(1);
           });
  });
}

/// What a loop of its own lays out anew: "pack", "unpack", "relayout", or
/// empty. What a GPU's kernel reads in another shape has no such name in the
/// program, so that who multiplies by the result tells.
StringRef kindOfLoop(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return "";
  if (isOnHost(op))
    return op->hasAttr(kTileDimsAttr) ? "relayout" : "";
  if (auto kind = op->getAttrOfType<StringAttr>(kDispatchAttr))
    return llvm::is_contained({"pack", "unpack", "relayout"}, kind.getValue())
               ? kind.getValue()
               : "";
  Value source = readAtIndices(generic);
  if (!source || !movesElements(generic))
    return "";
  SmallVector<Operation *> users;
  usersOf(op->getResult(0), users);
  if (!llvm::any_of(users, llvm::IsaPred<tw::Mmt4dOp>))
    return "";
  return isa_and_nonnull<tw::Mmt4dOp>(makerOf(source).getDefiningOp())
             ? "relayout"
             : "pack";
}

/// An operand of the function, whatever part of it.
bool isOfCaller(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return false;
    buffer = view.getViewSource();
  }
  return isa<func::FuncOp>(
      cast<BlockArgument>(buffer).getOwner()->getParentOp());
}

/// The operation of the model around: in a body there is arithmetic.
Operation *wholeOf(Operation *op) {
  if (auto whole = op->getParentOfType<linalg::LinalgOp>())
    return whole;
  return op;
}

std::string withPlace(Operation *op) {
  std::string place = placeOf(op->getLoc());
  return kindOf(op) + (place.empty() ? "" : " at " + place);
}

class Collector {
public:
  Collector(func::FuncOp func, const DenseSet<Location> &packsOfModel,
            std::vector<Relayout> &found)
      : func(func), packsOfModel(packsOfModel), caller(func), found(found) {}

  void collect() {
    func.walk([&](Operation *op) {
      if (isPack(op))
        add(op, "pack", op->getOperand(0), why(op, op->getOperand(0)));
      else if (isUnpack(op))
        add(op, "unpack", op->getOperand(0), whyUnpacked(op));
      else if (auto matmul = dyn_cast<tw::MatmulOp>(op))
        addOperands(matmul);
      else if (StringRef kind = kindOfLoop(op); !kind.empty())
        addLoop(cast<linalg::GenericOp>(op), kind);
    });
  }

private:
  /// A pack, of `source`.
  Reason why(Operation *op, Value source) {
    if (isOfModel(op))
      return {Rule::Model};
    Value maker = makerOf(source);
    Operation *by = maker.getDefiningOp();
    if (op->hasAttr(kTileDimsAttr) && (!by || areTogether(op, by)))
      return {Rule::Tile};
    if (!by)
      return isa<func::FuncOp>(maker.getParentBlock()->getParentOp())
                 ? Reason{Rule::Argument}
                 : Reason{Rule::Operation,
                          "makes it: " +
                              withPlace(maker.getParentBlock()->getParentOp())};
    if (auto tensor = dyn_cast<bufferization::ToTensorOp>(by))
      if (isOfCaller(tensor.getBuffer()))
        return {Rule::Argument};
    if (!areTogether(op, by))
      return between(by, op);
    if (isUnpack(by) || kindOfLoop(by) == "unpack" || isa<tw::Mmt4dOp>(by))
      return {Rule::Tile};
    if (isMultiplication(by))
      return {Rule::Multiplication};
    return {Rule::Operation, "makes it: " + withPlace(by)};
  }

  /// Of several users one that another device has comes first, then the caller,
  /// then one that does not multiply.
  Reason whyUnpacked(Operation *op) {
    if (isOfModel(op))
      return {Rule::Model};
    SmallVector<Operation *> users;
    usersOf(op->getResult(0), users);
    for (Operation *&user : users)
      user = wholeOf(user);
    auto isResult = [](Operation *user) {
      return isa<bufferization::MaterializeInDestinationOp, func::ReturnOp>(
          user);
    };
    for (Operation *user : users)
      if (!isResult(user) && !areTogether(op, user))
        return between(op, user);
    if (llvm::any_of(users, isResult))
      return {Rule::Result};
    for (Operation *user : users)
      if (!isPack(user) && !isMultiplication(user) && kindOfLoop(user).empty())
        return {Rule::Operation, "reads it: " + withPlace(user)};
    if (llvm::any_of(users, isMultiplication))
      return {Rule::Multiplication};
    return {Rule::Tile};
  }

  static Reason between(Operation *from, Operation *to) {
    auto name = [](Operation *op) {
      tw::DeviceAttr device = deviceOf(op);
      return device ? device.getName().str() : std::string("the host");
    };
    return {Rule::Device, name(from) + " to " + name(to)};
  }

  bool isOfModel(Operation *op) { return packsOfModel.contains(op->getLoc()); }

  /// It reads what it lays out anew at indices of its own.
  void addLoop(linalg::GenericOp op, StringRef kind) {
    Value source = readAtIndices(op);
    if (!source)
      return;
    add(op, kind, source, kind == "unpack" ? whyUnpacked(op) : why(op, source));
  }

  /// Those that it packs itself.
  void addOperands(tw::MatmulOp op) {
    TileKey key = op.getKey();
    auto addOne = [&](Value operand, const char *name, int64_t lines,
                      bool isScalable, Rule rule) {
      Relayout relayout = begin(op, name, operand, {rule});
      relayout.to = "tiles of " + std::to_string(lines) +
                    (isScalable ? "vlx" : "x") + std::to_string(key.k0);
      if (op.getThin())
        relayout.to += ", of more than " +
                       std::to_string(TW_CONTRACTION_THIN_ROWS) + " rows";
      setBytes(relayout, operand);
      found.push_back(std::move(relayout));
    };
    addOne(op.getLhs(), "lhs", key.m0, key.m0Scalable, Rule::Blocks);
    if (!op.getRhsPacked())
      addOne(op.getRhs(), "rhs", key.n0, key.n0Scalable,
             op.getRhsKept() ? ruleOfKept() : Rule::Blocks);
  }

  /// tw-keep-packed is for all of a model or for nothing of it.
  Rule ruleOfKept() {
    bool isPacked =
        func->getParentOfType<ModuleOp>()
            .walk([](tw::KeepPackedOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    return isPacked ? Rule::Instance : Rule::Vectors;
  }

  void add(Operation *op, StringRef what, Value source, const Reason &reason) {
    Relayout relayout = begin(op, what, source, reason);
    // A tile may be several dimensions of a loop's result.
    Operation *user = op->hasOneUse() ? *op->user_begin() : op;
    bool isCut =
        op->hasAttr(kTileDimsAttr) && isa<tensor::CollapseShapeOp>(user);
    llvm::raw_string_ostream(relayout.to)
        << (isCut ? user : op)->getResult(0).getType();
    setBytes(relayout, op->getResult(0));
    found.push_back(std::move(relayout));
  }

  Relayout begin(Operation *op, StringRef what, Value source,
                 const Reason &reason) {
    Relayout relayout;
    relayout.function = caller.entry();
    relayout.fewRows = caller.isForFewRows();
    relayout.place = placeOf(op->getLoc());
    if (tw::DeviceAttr device = deviceOf(op))
      relayout.device = device.getName().str();
    relayout.what = what.str();
    llvm::raw_string_ostream(relayout.from) << source.getType();
    RuleText text = textOf(reason.rule);
    relayout.rule = text.word;
    relayout.reason = text.text + reason.about;
    return relayout;
  }

  /// Destinations say how large results are.
  static Value sizedLike(Value value) {
    for (value = makerOf(value); Operation *op = value.getDefiningOp();
         value = makerOf(value)) {
      auto styled = dyn_cast<DestinationStyleOpInterface>(op);
      if (!styled)
        break;
      value = styled.getTiedOpOperand(cast<OpResult>(value))->get();
    }
    return value;
  }

  void setBytes(Relayout &relayout, Value written) {
    // A shape in between is of as many elements.
    relayout.bytes = caller.text(bytesOfAll(sizedLike(written), caller.sizes()),
                                 relayout.whyUnknown);
  }

  func::FuncOp func;
  const DenseSet<Location> &packsOfModel;
  CallerSizes caller;
  std::vector<Relayout> &found;
};

} // namespace

DenseSet<Location> packsOfModel(ModuleOp module) {
  DenseSet<Location> places;
  module.walk([&](Operation *op) {
    if ((isPack(op) || isUnpack(op)) && !placeOf(op->getLoc()).empty())
      places.insert(op->getLoc());
  });
  return places;
}

std::vector<Relayout> relayoutsOf(ModuleOp module,
                                  const DenseSet<Location> &packsOfModel) {
  std::vector<Relayout> found;
  for (func::FuncOp func : module.getOps<func::FuncOp>())
    if (!func.isExternal())
      Collector(func, packsOfModel, found).collect();
  return found;
}

} // namespace tilewright
