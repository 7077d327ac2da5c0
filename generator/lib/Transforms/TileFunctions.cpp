// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Transforms/TileFunctions.h"

using namespace mlir;

namespace tilewright {

Type arithmeticType(MLIRContext *context, tw_element_type_t type) {
  switch (type) {
  case TW_ELEMENT_F64:
    return Float64Type::get(context);
  case TW_ELEMENT_F32:
    return Float32Type::get(context);
  case TW_ELEMENT_F16:
    return Float16Type::get(context);
  case TW_ELEMENT_BF16:
    return BFloat16Type::get(context);
  case TW_ELEMENT_F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case TW_ELEMENT_F8E5M2:
    return Float8E5M2Type::get(context);
  case TW_ELEMENT_F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case TW_ELEMENT_F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case TW_ELEMENT_F6E2M3FN:
    return Float6E2M3FNType::get(context);
  case TW_ELEMENT_F6E3M2FN:
    return Float6E3M2FNType::get(context);
  case TW_ELEMENT_F4E2M1FN:
    return Float4E2M1FNType::get(context);
  default:
    return IntegerType::get(context, info(type).bits);
  }
}

Type storageType(MLIRContext *context, tw_element_type_t type) {
  if (info(type).bits <= 8)
    return IntegerType::get(context, 8);
  return arithmeticType(context, type);
}

FunctionType tileFunctionType(MLIRContext *context, const TileKey &key) {
  const TypeTripleInfo &types = info(key.types);
  auto pointerTo = [&](tw_element_type_t type) -> Type {
    return MemRefType::get({1}, storageType(context, type));
  };
  Type params =
      MemRefType::get({params::kWords}, IntegerType::get(context, 64));
  return FunctionType::get(context,
                           {pointerTo(types.out), pointerTo(types.lhs),
                            pointerTo(types.rhs), params},
                           {});
}

func::FuncOp declareTileFunction(OpBuilder &builder, Location loc,
                                 tw::TileAttr tile) {
  auto func = func::FuncOp::create(
      builder, loc, tile.getName(),
      tileFunctionType(builder.getContext(), tile.getKey()));
  func.setPrivate();
  func->setAttr(tw::kTile, tile);
  return func;
}

FailureOr<tw::TileAttr> tileOf(FunctionOpInterface func,
                               llvm::StringRef prefix) {
  if (auto tile = func->getAttrOfType<tw::TileAttr>(tw::kTile))
    return tile;
  llvm::StringRef name = func.getName();
  std::string_view prefixView(prefix.data(), prefix.size());
  std::string_view nameView(name.data(), name.size());
  if (!looksLikeTileName(nameView, prefixView))
    return tw::TileAttr();
  ParsedTileKey parsed = parseTileKey(nameView, prefixView);
  if (!parsed.key)
    return func->emitError(parsed.error);
  return tw::TileAttr::get(func.getContext(), *parsed.key, prefix);
}

} // namespace tilewright
