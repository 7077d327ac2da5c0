// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;

namespace tilewright {

LLVM::LLVMFuncOp declareFunction(Operation *user, StringRef name,
                                 ArrayRef<Type> arguments, Type result) {
  auto module = user->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  auto b = ImplicitLocOpBuilder::atBlockBegin(user->getLoc(), module.getBody());
  return LLVM::LLVMFuncOp::create(
      b, name,
      LLVM::LLVMFunctionType::get(
          result ? result : LLVM::LLVMVoidType::get(b.getContext()),
          arguments));
}

LLVM::LLVMFuncOp declareTile(Operation *user, tw::TileAttr tile) {
  Type pointer = LLVM::LLVMPointerType::get(user->getContext());
  LLVM::LLVMFuncOp function = declareFunction(
      user, tile.getName(), {pointer, pointer, pointer, pointer});
  function->setAttr(tw::kTile, tile);
  return function;
}

namespace {

/// Packs panels of `rows` x K0 elements of `type` for the tile of `user`.
LLVM::LLVMFuncOp declarePack(tw::MatmulOp user, int rows, bool isScalable,
                             tw_element_type_t type, MatrixLines lines) {
  if (isScalable)
    return nullptr;
  TileKey tile = user.getKey();
  PackKey key{/*unpack=*/false, info(type).bits, lines, rows,
              tile.k0,          tile.isa};
  if (!validatePackKey(key).empty())
    return nullptr;
  StringRef prefix = user.getTile().getPrefix();
  Type pointer = LLVM::LLVMPointerType::get(user->getContext());
  return declareFunction(
      user, printPackKey(key, std::string_view(prefix.data(), prefix.size())),
      {pointer, pointer, pointer});
}

} // namespace

LLVM::LLVMFuncOp declareLhsPack(tw::MatmulOp user, MatrixLines lines) {
  TileKey tile = user.getKey();
  // By way of groups, which the code behind the call brings together.
  if (tile.vnni && lines == MatrixLines::kCols)
    return nullptr;
  return declarePack(user, tile.m0, tile.m0Scalable, info(tile.types).lhs,
                     lines);
}

LLVM::LLVMFuncOp declareRhsPack(tw::MatmulOp user, MatrixLines lines) {
  TileKey tile = user.getKey();
  // No pack function makes groups along K.
  if (tile.vnni)
    return nullptr;
  return declarePack(user, tile.n0, tile.n0Scalable, info(tile.types).rhs,
                     lines);
}

TileSizes tileSizes(ImplicitLocOpBuilder &b, const TileKey &key) {
  Value scale;
  if (key.isScalable())
    scale = tw::VscaleOp::create(b, info(info(key.isa).scaling).isStreaming);
  auto size = [&](int least, bool isScalable) -> Value {
    Value known = arith::ConstantIndexOp::create(b, least);
    return isScalable ? arith::MulIOp::create(b, scale, known).getResult()
                      : known;
  };
  TileKey least = key.atVectorBits(kLeastVectorBits);
  return {size(least.m0, key.m0Scalable), size(least.n0, key.n0Scalable),
          size(least.k0, false)};
}

Value zeroedWords(ImplicitLocOpBuilder &b, Operation *user, StringRef name,
                  int64_t words) {
  auto module = user->getParentOfType<ModuleOp>();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI64Type(), words);
    global = LLVM::GlobalOp::create(b, type, /*isConstant=*/false,
                                    LLVM::Linkage::Internal, name, Attribute());
    Block *init = b.createBlock(&global.getInitializerRegion());
    b.setInsertionPointToStart(init);
    LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, type).getResult());
  }
  return LLVM::AddressOfOp::create(b, global);
}

llvm::SmallVector<TileKey> tilesOf(Operation *op) {
  if (auto mmt4d = dyn_cast<tw::Mmt4dOp>(op))
    return {mmt4d.getKey()};
  auto matmul = dyn_cast<tw::MatmulOp>(op);
  if (!matmul)
    return {};
  llvm::SmallVector<TileKey> tiles = {matmul.getKey()};
  for (int64_t rows : matmul.getFewRows())
    tiles.push_back(*tw::MatmulOp::keyOfFew(matmul.getKey(), rows));
  return tiles;
}

std::vector<TileKey> tilesIn(ModuleOp module) {
  llvm::SetVector<TileKey, std::vector<TileKey>, std::set<TileKey>> tiles;
  module.walk([&](Operation *op) { tiles.insert_range(tilesOf(op)); });
  return tiles.takeVector();
}

std::vector<CalledTile> calledTiles(ModuleOp module) {
  std::vector<CalledTile> called;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (auto tile = function->getAttrOfType<tw::TileAttr>(tw::kTile))
      called.push_back(
          {function.getName().str(), tile.getKey(), tile.getPlan().str()});
  return called;
}

Value pointerToBytes(ImplicitLocOpBuilder &b, Value buffer) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value word = arith::IndexCastOp::create(b, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  word);
}

Value stackWords(ImplicitLocOpBuilder &b, Operation *user, int64_t words) {
  OpBuilder::InsertionGuard guard(b);
  auto func = user->getParentOfType<func::FuncOp>();
  b.setInsertionPointToStart(&func.getBody().front());
  Value one = LLVM::ConstantOp::create(b, b.getI64Type(), 1);
  return LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                LLVM::LLVMArrayType::get(b.getI64Type(), words),
                                one, /*alignment=*/16);
}

} // namespace tilewright
