// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-fold-constant-packs: the weights of a model are packed once, here.

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/tilewright.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FOLDCONSTANTPACKS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Any element type of the same width: packing only moves bits.
std::optional<tw_element_type_t> typeOfWidth(Type type) {
  switch (type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0) {
  case 8:
    return TW_ELEMENT_S8;
  case 16:
    return TW_ELEMENT_S16;
  case 32:
    return TW_ELEMENT_S32;
  case 64:
    return TW_ELEMENT_F64;
  default:
    return std::nullopt;
  }
}

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

uint64_t bitsOf(TypedAttr padding) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(padding))
    return integer.getValue().getZExtValue();
  if (auto real = dyn_cast_or_null<FloatAttr>(padding))
    return real.getValue().bitcastToAPInt().getZExtValue();
  return 0;
}

/// Whether `op` packs a matrix without a permutation of the outer dimensions
/// other than that of the inner ones; `transposed` says which.
bool isMatrixPack(linalg::PackOp op, bool &transposed) {
  RankedTensorType source = op.getSourceType();
  if (source.getRank() != 2 || op.getStaticInnerTiles().size() != 2)
    return false;
  ArrayRef<int64_t> inner = op.getInnerDimsPos();
  ArrayRef<int64_t> outer = op.getOuterDimsPerm();
  transposed = inner[0] == 1;
  bool outerTransposed = !outer.empty() && outer[0] == 1;
  return transposed == outerTransposed;
}

struct FoldConstantPacksPass
    : impl::FoldConstantPacksBase<FoldConstantPacksPass> {
  void runOnOperation() override {
    SmallVector<linalg::PackOp> packs;
    getOperation().walk([&](linalg::PackOp op) { packs.push_back(op); });
    for (linalg::PackOp op : packs)
      if (failed(fold(op)))
        return signalPassFailure();
  }

  LogicalResult fold(linalg::PackOp op) {
    ElementsAttr source;
    Attribute padding;
    RankedTensorType destType = op.getDestType();
    std::optional<tw_element_type_t> type =
        typeOfWidth(destType.getElementType());
    bool transposed;
    if (!matchPattern(op.getSource(), m_Constant(&source)) || !type ||
        !destType.hasStaticShape() || !isMatrixPack(op, transposed))
      return success();
    if (op.getPaddingValue() &&
        !matchPattern(op.getPaddingValue(), m_Constant(&padding)))
      return success();
    bool isSplat;
    ArrayRef<char> elements = rawElements(source, isSplat);
    int64_t bytes = destType.getElementTypeBitWidth() / 8;
    std::vector<char> matrix;
    if (isSplat) {
      for (int64_t i = 0; i < source.getNumElements(); ++i)
        matrix.insert(matrix.end(), elements.begin(), elements.end());
      elements = matrix;
    }
    if (int64_t(elements.size()) != source.getNumElements() * bytes)
      return success();

    ArrayRef<int64_t> shape = op.getSourceType().getShape();
    tw_pack_params_t params{};
    params.type = *type;
    params.flags = transposed ? TW_PACK_FLAG_TRANSPOSE : 0;
    params.rows = shape[transposed ? 1 : 0];
    params.cols = shape[transposed ? 0 : 1];
    params.matrix_stride = shape[1];
    params.tile_rows = int32_t(op.getStaticInnerTiles()[0]);
    params.tile_cols = int32_t(op.getStaticInnerTiles()[1]);
    params.padding = bitsOf(dyn_cast_or_null<TypedAttr>(padding));
    std::vector<char> packed(destType.getNumElements() * bytes);
    tw_status_t status = tw_pack(&params, elements.data(), packed.data(),
                                 tw_index_t(packed.size()));
    if (status != TW_STATUS_OK)
      return op.emitOpError()
             << "of a constant failed: " << tw_status_message(status);

    OpBuilder builder(op);
    auto attr = DenseElementsAttr::getFromRawBuffer(destType, packed);
    auto constant = arith::ConstantOp::create(builder, op.getLoc(), attr);
    record(op, packed.size());
    op->replaceAllUsesWith(constant);
    op.erase();
    return success();
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
