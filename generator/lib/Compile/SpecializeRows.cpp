// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-specialize-rows: entry points choose a body by the rows that they are
// called with.

#include "SizeExpressions.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/Device.h"
#include "tilewright/Encoding/EncodedContraction.h"
#include "tilewright/Encoding/Place.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SPECIALIZEROWS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Fewer than the smallest matrix instructions have: kernels of such tiles are
/// planned for products of no more rows (KernelCost.cpp). Down to one row they
/// take as long.
constexpr int64_t kFewRows = 8;

/// A contraction for which few rows have a tile of their own, and its loop of
/// rows.
struct Contraction {
  linalg::GenericOp op;
  unsigned loop;
};

std::optional<int> tileRows(const Device &device, tw::EncodingAttr encoding) {
  std::optional<TiledContraction> tiled = device.tile(encoding);
  if (!tiled)
    return std::nullopt;
  return tiled->tile.getKey().m0;
}

/// The loop of m of which the size is not known and few iterations of which
/// have a tile with fewer rows.
std::optional<unsigned> loopOfFewRows(const Device &device,
                                      tw::EncodingAttr encoding) {
  std::optional<int> many = tileRows(device, encoding);
  if (!many)
    return std::nullopt;
  for (unsigned loop : encoding.getLoops().m) {
    if (!ShapedType::isDynamic(encoding.getSizes()[loop]))
      continue;
    std::optional<int> few =
        tileRows(device, encoding.forFewRows(loop, kFewRows));
    if (few && *few < *many)
      return loop;
  }
  return std::nullopt;
}

/// The contractions of a body, by their rows as the caller passes them.
class BodyRows {
public:
  explicit BodyRows(func::FuncOp body) : sizes(body.getContext()) {}

  void add(Contraction contraction) {
    linalg::GenericOp op = contraction.op;
    unsigned out = op->getNumOperands() - 1;
    std::optional<unsigned> dim =
        op.getIndexingMapsArray()[out].getResultPosition(
            getAffineDimExpr(contraction.loop, op.getContext()));
    std::optional<AffineExpr> rows = sizes.sizeOf(op->getOperand(out), *dim);
    // A constant, or what the function finds out, is no caller's choice.
    if (!rows || isa<AffineConstantExpr>(*rows))
      return;
    for (auto [number, symbol] : llvm::enumerate(sizes.symbols()))
      if (symbol.dim != SizeSymbol::kScalar && rows->isFunctionOfSymbol(number))
        return;
    contractions[sizes.simplify(*rows)].push_back(contraction);
  }

  bool empty() const { return contractions.empty(); }

  /// The rows that most contractions have, and these.
  const std::pair<AffineExpr, SmallVector<Contraction>> &most() const {
    return *llvm::max_element(contractions, [](const auto &x, const auto &y) {
      return x.second.size() < y.second.size();
    });
  }

  /// `rows` where these are the arguments.
  Value emit(ImplicitLocOpBuilder &b, AffineExpr rows,
             ValueRange arguments) const {
    SmallVector<Value> symbols(sizes.symbols().size());
    for (auto [number, symbol] : llvm::enumerate(sizes.symbols()))
      if (rows.isFunctionOfSymbol(number))
        symbols[number] = arith::IndexCastOp::create(
            b, b.getIndexType(), arguments[symbol.argument]);
    return affine::expandAffineExpr(b, b.getLoc(), rows, {}, symbols);
  }

private:
  SizeExpressions sizes;
  llvm::MapVector<AffineExpr, SmallVector<Contraction>> contractions;
};

struct SpecializeRowsPass : impl::SpecializeRowsBase<SpecializeRowsPass> {
  using SpecializeRowsBase::SpecializeRowsBase;

  void runOnOperation() override {
    FoundDevices devices(prefix);
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      if (call.getCallee().ends_with(kBodySuffix))
        calls.push_back(call);
    });
    for (func::CallOp call : calls)
      if (failed(specialize(call, devices)))
        return signalPassFailure();
  }

private:
  LogicalResult specialize(func::CallOp call, FoundDevices &devices) {
    auto body = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    BodyRows rows(body);
    WalkResult walk = body.walk([&](linalg::GenericOp op) {
      FailureOr<bool> isContraction = isEncodedContraction(op);
      if (failed(isContraction))
        return WalkResult::interrupt();
      if (!*isContraction || !isEncodedHere(op) || isOnHost(op))
        return WalkResult::advance();
      FailureOr<const Device *> device = devices.of(op);
      if (failed(device))
        return WalkResult::interrupt();
      if (auto loop =
              loopOfFewRows(**device, encodingOf(op->getOperand(0).getType())))
        rows.add({op, *loop});
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    if (!rows.empty())
      choose(call, body, rows);
    return success();
  }

  /// The body that has been there is for many rows.
  static void choose(func::CallOp call, func::FuncOp body,
                     const BodyRows &rows) {
    const auto &[expr, contractions] = rows.most();
    OpBuilder beside(body.getContext());
    beside.setInsertionPointAfter(body);
    IRMapping mapping;
    auto few = cast<func::FuncOp>(beside.clone(*body, mapping));
    StringRef entry = body.getName().drop_back(kBodySuffix.size());
    few.setName((entry + kFewRowsSuffix + kBodySuffix).str());
    for (Contraction contraction : contractions)
      changeEncodings(cast<linalg::GenericOp>(
                          mapping.lookup(contraction.op.getOperation())),
                      [&](tw::EncodingAttr encoding) {
                        return encoding.forFewRows(contraction.loop, kFewRows);
                      });

    ImplicitLocOpBuilder b(call.getLoc(), call);
    Value isFew = arith::CmpIOp::create(
        b, arith::CmpIPredicate::sle, rows.emit(b, expr, call.getOperands()),
        arith::ConstantIndexOp::create(b, kFewRows));
    auto choice = scf::IfOp::create(b, call.getResultTypes(), isFew,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    for (auto [block, callee] :
         {std::pair(choice.thenBlock(), few), {choice.elseBlock(), body}}) {
      b.setInsertionPointToStart(block);
      auto chosen = func::CallOp::create(b, callee, call.getOperands());
      scf::YieldOp::create(b, chosen.getResults());
    }
    call.replaceAllUsesWith(choice.getResults());
    call.erase();
  }
};

} // namespace
} // namespace tilewright
