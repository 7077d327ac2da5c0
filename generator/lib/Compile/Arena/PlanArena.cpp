// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-plan-arena: the buffers of a call lie in one piece of memory.

#include "../SizeText.h"
#include "ArenaAttr.h"
#include "ArenaEntryPoints.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLANARENA
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// A longer text says nothing to anybody.
constexpr size_t kLongestText = 200;

/// Of C declarations, "int64_t x_d0", the names.
std::vector<std::string> namesOf(ArrayAttr declarations) {
  std::vector<std::string> names;
  for (auto declaration : declarations.getAsRange<StringAttr>())
    names.push_back(declaration.getValue().rsplit(' ').second.str());
  return names;
}

/// What the bytes of a slot are, for people.
std::string slotText(ArrayRef<AffineExpr> bytes, ArrayRef<std::string> names) {
  std::string text;
  for (AffineExpr each : bytes)
    text += (text.empty() ? "" : ", ") + sizeText(each, names);
  if (bytes.size() > 1)
    text = "max(" + text + ")";
  if (text.size() > kLongestText)
    text = "the largest of " + std::to_string(bytes.size()) + " products";
  return text;
}

struct PlanArenaPass : impl::PlanArenaBase<PlanArenaPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> entries;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(kCArgumentsAttr))
        entries.push_back(func);
    for (func::FuncOp entry : entries)
      if (failed(plan(entry)))
        return signalPassFailure();
  }

  LogicalResult plan(func::FuncOp entry) {
    auto find = [&](StringRef suffix) {
      return getOperation().lookupSymbol<func::FuncOp>(
          (entry.getName() + suffix).str());
    };
    func::FuncOp body = find(kBodySuffix), check = find(kCheckSuffix);
    if (!body || !check)
      return success();
    ArenaLayout layout(body);
    entry->setAttr(kArenaAttr,
                   arenaAttr(&getContext(), describe(entry, layout)));
    moveBuffers(body, layout);
    return addArenaEntryPoints(entry, check, body, layout);
  }

  /// Makes the buffers views of the arena, a new argument.
  static void moveBuffers(func::FuncOp body, const ArenaLayout &layout) {
    ImplicitLocOpBuilder b(body.getLoc(), body.getContext());
    auto type = MemRefType::get({1}, b.getI8Type());
    (void)body.insertArgument(body.getNumArguments(), type, {}, body.getLoc());
    b.setInsertionPointToStart(&body.getBody().front());
    SmallVector<Value> symbols;
    for (unsigned argument : layout.symbols())
      symbols.push_back(body.getArgument(argument));
    ArenaLayout::Code code = layout.emit(b, symbols);
    auto index = [&](Value word) -> Value {
      return arith::IndexCastOp::create(b, b.getIndexType(), word);
    };
    SmallVector<Value> slotOffsets;
    for (Value offset : code.slotOffsets)
      slotOffsets.push_back(index(offset));
    auto whole = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
    Value arena = memref::ReinterpretCastOp::create(
        b, whole, body.getArguments().back(), b.getIndexAttr(0),
        ArrayRef<OpFoldResult>{index(code.bytes)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    for (const ArenaLayout::Buffer &buffer : layout.buffers()) {
      memref::AllocOp alloc = buffer.alloc;
      b.setInsertionPoint(alloc);
      b.setLoc(alloc.getLoc());
      Value offset =
          buffer.slot ? slotOffsets[*buffer.slot]
                      : Value(arith::ConstantIndexOp::create(b, buffer.offset));
      Value view = memref::ViewOp::create(b, alloc.getType(), arena, offset,
                                          alloc.getDynamicSizes());
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
  }

  static Arena describe(func::FuncOp entry, const ArenaLayout &layout) {
    auto declarations = entry->getAttrOfType<ArrayAttr>(kCArgumentsAttr);
    std::vector<std::string> names = namesOf(declarations), symbols;
    for (unsigned argument : layout.symbols())
      symbols.push_back(names[argument]);
    Arena arena;
    arena.buffers = layout.buffers().size();
    arena.staticBytes = layout.staticBytes();
    for (ArrayRef<AffineExpr> slot : layout.slots())
      arena.slots.push_back(slotText(slot, symbols));
    for (unsigned argument : checkedArguments(entry))
      arena.parameters.push_back(
          cast<StringAttr>(declarations[argument]).str());
    for (const ArenaLayout::Refused &refused : layout.refused()) {
      std::string type;
      llvm::raw_string_ostream(type)
          << memref::AllocOp(refused.alloc).getType();
      arena.others.push_back(type + ": " + refused.reason);
    }
    return arena;
  }
};

} // namespace
} // namespace tilewright
