// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileOperands.h"

#include "tilewright/Dialect/Windows.h"

using namespace mlir;

namespace tilewright::tw {

Maps mapsOf(ArrayAttr indexingMaps) {
  return llvm::to_vector_of<AffineMap, kOperands>(
      indexingMaps.getAsValueRange<AffineMapAttr>());
}

const Kind *kindOf(unsigned loop, const Maps &maps) {
  unsigned operands = 0;
  for (auto [operand, map] : llvm::enumerate(maps))
    if (map.isFunctionOfDim(loop))
      operands |= 1 << operand;
  const Kind *kind = llvm::find_if(
      kKinds, [&](const Kind &each) { return each.operands == operands; });
  return kind == std::end(kKinds) ? nullptr : kind;
}

LogicalResult verifyBlockScales(Operation *op, TileAttr tile, bool hasScales) {
  if (tile.getKey().blockScaled == hasScales)
    return success();
  return op->emitOpError() << "names the tile '" << tile.getName() << "', "
                           << (hasScales ? "which takes no block scales, but "
                                           "has panels of them"
                                         : "but has no panels of block scales");
}

TileSizesVerifier::TileSizesVerifier(Operation *op, const TileKey &key)
    : op(op), scalable{key.m0Scalable, key.n0Scalable, false},
      isInGroups(key.vnni), group(groupAlongK(key)) {
  TileKey least = key.atVectorBits(kLeastVectorBits);
  sizes[kM0] = least.m0;
  sizes[kN0] = least.n0;
  sizes[kK0] = least.k0;
}

int64_t groupAlongK(const TileKey &key) {
  return kVnniGroupBytes * 8 / info(info(key.types).rhs).bits;
}

unsigned rhsTileDims(const TileKey &key) { return key.vnni ? 3 : 2; }

LogicalResult TileSizesVerifier::verifyRhs() {
  if (!isInGroups)
    return verify(kRhs, kN0, kK0);
  auto type = cast<ShapedType>(op->getOperand(kRhs).getType());
  const int64_t expected[] = {sizes[kK0] / group, sizes[kN0], group};
  if (type.getShape().take_back(3) == ArrayRef(expected))
    return success();
  return op->emitOpError() << "has the rhs type " << type
                           << ", but the tile's is ..." << expected[0] << 'x'
                           << expected[1] << 'x' << expected[2]
                           << ", in groups along K";
}

LogicalResult TileSizesVerifier::verify(unsigned operand, Size rows,
                                        Size columns) {
  auto type = cast<ShapedType>(op->getOperand(operand).getType());
  ArrayRef<int64_t> inner = type.getShape().take_back(2);
  if (isRight(inner[0], rows) && isRight(inner[1], columns))
    return success();
  return op->emitOpError() << "has the " << kNames[operand] << " type " << type
                           << ", but the tile's is ..." << textOf(rows) << 'x'
                           << textOf(columns);
}

bool TileSizesVerifier::isRight(int64_t size, Size expected) {
  if (!scalable[expected])
    return size == sizes[expected];
  if (ShapedType::isDynamic(size))
    return true;
  int64_t longer = size / sizes[expected];
  if (size % sizes[expected] || longer < 1 ||
      longer > kMaxVectorBits / kLeastVectorBits || (scale && scale != longer))
    return false;
  scale = longer;
  return true;
}

std::string TileSizesVerifier::textOf(Size size) const {
  if (!scalable[size])
    return std::to_string(sizes[size]);
  if (scale)
    return std::to_string(sizes[size] * scale);
  return '[' + std::to_string(sizes[size]) + ']';
}

bool isElement(Type type, tw_element_type_t element) {
  const ElementTypeInfo &expected = info(element);
  if (expected.kind != TW_ELEMENT_KIND_FLOAT)
    return type.isSignlessInteger(expected.bits);
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return StringRef(name).equals_insensitive(expected.name);
}

LogicalResult verifyElements(Operation *op, const TileKey &key) {
  bool onTensors = op->getNumResults() > 0;
  const TypeTripleInfo &types = info(key.types);
  const tw_element_type_t elements[] = {types.lhs, types.rhs, types.out};
  for (unsigned operand = 0; operand < kOperands; ++operand) {
    auto type = cast<ShapedType>(op->getOperand(operand).getType());
    if (isa<RankedTensorType>(type) != onTensors)
      return op->emitOpError()
             << "is on tensors with a result or on buffers without one, but "
             << kNames[operand] << " has type " << type;
    const ElementTypeInfo &element = info(elements[operand]);
    bool isStream = key.blockScaled && element.bits % 8;
    if (isStream && type.getElementType().isInteger(8))
      continue;
    if (isStream || !isElement(type.getElementType(), elements[operand]))
      return op->emitOpError()
             << "has " << kNames[operand] << " elements of "
             << type.getElementType() << ", but those of the tile are "
             << element.name
             << (isStream ? ", several in a byte; expected i8" : "");
    if (element.bits % 8)
      return op->emitOpError()
             << "has " << kNames[operand] << " elements of " << element.name
             << ", which are less than a byte";
  }
  return success();
}

LogicalResult verifyPermutations(Operation *op, const Maps &maps,
                                 bool gathered) {
  if (maps.size() != kOperands)
    return op->emitOpError() << "has " << maps.size()
                             << " maps; expected those of lhs, rhs and out";
  for (unsigned operand = 0; operand < kOperands; ++operand) {
    bool isRight = operand == kLhs && gathered
                       ? windowTermsOf(maps[operand]).has_value()
                       : maps[operand].isProjectedPermutation();
    if (maps[operand].getNumDims() != maps[kLhs].getNumDims() || !isRight)
      return op->emitOpError()
             << "has the " << kNames[operand] << " map "
             << AffineMapAttr::get(maps[operand])
             << "; expected different loops out of " << maps[kLhs].getNumDims()
             << (operand == kLhs && gathered ? ", or sums of their multiples"
                                             : "");
  }
  return success();
}

} // namespace tilewright::tw
