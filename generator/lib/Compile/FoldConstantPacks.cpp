// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-fold-constant-packs: the weights of a model are packed once, here.

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FOLDCONSTANTPACKS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// The elements of a constant, row-major; a splat has one. Empty if the
/// constant is of a kind that keeps no bytes.
ArrayRef<char> rawElements(ElementsAttr attr, bool &isSplat) {
  isSplat = false;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    isSplat = dense.isSplat();
    return dense.getRawData();
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
  return {};
}

/// The bytes of a padding value; zeros if there is none.
SmallVector<char, 8> bytesOf(Attribute padding, int64_t size) {
  SmallVector<char, 8> bytes(size, 0);
  if (!padding)
    return bytes;
  APInt bits = isa<FloatAttr>(padding)
                   ? cast<FloatAttr>(padding).getValue().bitcastToAPInt()
                   : cast<IntegerAttr>(padding).getValue();
  for (auto [i, byte] : llvm::enumerate(bytes))
    byte = char(bits.extractBitsAsZExtValue(8, 8 * i));
  return bytes;
}

/// Moves the elements of a static tensor to where `op` wants them.
class Packer {
public:
  /// `source` is row-major; `padding` is one element.
  Packer(linalg::PackOp op, ArrayRef<char> source, ArrayRef<char> padding)
      : source(source), padding(padding), matrix(op.getSourceType().getShape()),
        packed(op.getDestType().getShape()), strides(matrix.size(), 1),
        position(matrix.size(), 0) {
    for (size_t dim = matrix.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * matrix[dim];
    ArrayRef<int64_t> perm = op.getOuterDimsPerm();
    for (size_t i = 0; i < matrix.size(); ++i)
      steps.push_back({perm.empty() ? int64_t(i) : perm[i], 1});
    for (auto [dim, tile] :
         llvm::zip_equal(op.getInnerDimsPos(), op.getStaticInnerTiles())) {
      for (Step &step : steps)
        if (step.dim == dim)
          step.elements = tile;
      steps.push_back({dim, 1});
    }
    result.reserve(op.getDestType().getNumElements() * padding.size());
  }

  std::vector<char> pack() {
    append(0);
    return std::move(result);
  }

private:
  /// How far one step along a dimension of the packed tensor goes in the
  /// source.
  struct Step {
    int64_t dim, elements;
  };

  /// What the packed tensor has from `depth` on, at this position.
  void append(size_t depth) {
    if (depth == steps.size()) {
      ArrayRef<char> element = elementAtPosition();
      result.insert(result.end(), element.begin(), element.end());
      return;
    }
    auto [dim, elements] = steps[depth];
    int64_t before = position[dim];
    for (int64_t i = 0; i < packed[depth]; ++i, position[dim] += elements)
      append(depth + 1);
    position[dim] = before;
  }

  ArrayRef<char> elementAtPosition() const {
    int64_t offset = 0;
    for (size_t dim = 0; dim < matrix.size(); ++dim) {
      if (position[dim] >= matrix[dim])
        return padding;
      offset += position[dim] * strides[dim];
    }
    return source.slice(offset * padding.size(), padding.size());
  }

  ArrayRef<char> source, padding;
  ArrayRef<int64_t> matrix, packed;
  SmallVector<int64_t> strides, position; ///< in the source, by dimension
  SmallVector<Step> steps;                ///< of the packed dimensions
  std::vector<char> result;
};

struct FoldConstantPacksPass
    : impl::FoldConstantPacksBase<FoldConstantPacksPass> {
  void runOnOperation() override {
    SmallVector<linalg::PackOp> packs;
    getOperation().walk([&](linalg::PackOp op) { packs.push_back(op); });
    for (linalg::PackOp op : packs)
      fold(op);
  }

  void fold(linalg::PackOp op) {
    ElementsAttr source;
    Attribute padding;
    RankedTensorType destType = op.getDestType();
    Type element = destType.getElementType();
    if (!matchPattern(op.getSource(), m_Constant(&source)) ||
        !destType.hasStaticShape() || !element.isIntOrFloat() ||
        element.getIntOrFloatBitWidth() % 8)
      return;
    if (op.getPaddingValue() &&
        !matchPattern(op.getPaddingValue(), m_Constant(&padding)))
      return;
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    bool isSplat;
    ArrayRef<char> elements = rawElements(source, isSplat);
    std::vector<char> repeated;
    if (isSplat) {
      for (int64_t i = 0; i < source.getNumElements(); ++i)
        repeated.insert(repeated.end(), elements.begin(), elements.end());
      elements = repeated;
    }
    if (int64_t(elements.size()) != source.getNumElements() * bytes)
      return;
    std::vector<char> packed =
        Packer(op, elements, bytesOf(padding, bytes)).pack();

    OpBuilder builder(op);
    auto attr = DenseElementsAttr::getFromRawBuffer(destType, packed);
    auto constant = arith::ConstantOp::create(builder, op.getLoc(), attr);
    record(op, packed.size());
    op->replaceAllUsesWith(constant);
    op.erase();
  }

  /// Adds a line about `op` to the function's list of packed constants.
  void record(linalg::PackOp op, size_t bytes) {
    func::FuncOp func = getOperation();
    SmallVector<Attribute> lines;
    if (auto known = func->getAttrOfType<ArrayAttr>(kPackedAttr))
      lines.assign(known.begin(), known.end());
    std::string line;
    llvm::raw_string_ostream(line)
        << op.getSourceType() << " -> " << op.getDestType() << ", " << bytes
        << " bytes";
    lines.push_back(StringAttr::get(&getContext(), line));
    func->setAttr(kPackedAttr, ArrayAttr::get(&getContext(), lines));
  }
};

} // namespace
} // namespace tilewright
