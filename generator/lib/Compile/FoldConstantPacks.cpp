// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-fold-constant-packs: the weights of a model are packed once, here.

#include "ConstantElements.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/JoinElements.h"
#include "tilewright/Encoding/PackChain.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/tilewright.h"
#include <array>
#include <cstring>
#include <map>
#include <tuple>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FOLDCONSTANTPACKS
#include "tilewright/Compile/Passes.h.inc"

namespace {

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

/// What a dimension of the packed tensor goes along in the source.
SmallVector<ElementStep> stepsOf(const PackChain &chain) {
  linalg::PackOp op = chain.pack;
  SmallVector<ElementStep> steps;
  ArrayRef<int64_t> perm = op.getOuterDimsPerm();
  for (int64_t i = 0, rank = op.getSourceRank(); i < rank; ++i)
    steps.push_back({perm.empty() ? i : perm[i], 1});
  for (auto [dim, tile] :
       llvm::zip_equal(op.getInnerDimsPos(), op.getStaticInnerTiles())) {
    for (ElementStep &step : steps)
      if (step.dim == dim)
        step.elements = tile;
    steps.push_back({dim, 1});
  }
  if (chain.group) {
    // [K0 / group][N0][group] instead of [N0][K0].
    ElementStep column = steps.back();
    steps.insert(steps.end() - 2, ElementStep{column.dim, chain.group});
  }
  return steps;
}

/// A type of `bytes` bytes: packing asks for no more.
tw_element_type_t typeOfBytes(int64_t bytes) {
  switch (bytes) {
  case 1:
    return TW_ELEMENT_S8;
  case 2:
    return TW_ELEMENT_S16;
  case 4:
    return TW_ELEMENT_S32;
  default:
    return TW_ELEMENT_F64;
  }
}

/// A pack of matrices that lie row by row, or column by column, one behind the
/// other or between each other: by tw_pack.
class MatrixPack {
public:
  /// Nothing if `chain` does something else.
  static std::optional<MatrixPack> of(const PackChain &chain,
                                      const ConstantElements &elements,
                                      ArrayRef<char> padding) {
    linalg::PackOp op = chain.pack;
    if (chain.group && chain.group * elements.elementBytes != kVnniGroupBytes)
      return std::nullopt;
    MatrixPack pack{elements, llvm::to_vector<8>(padding)};
    pack.isInGroups = chain.group != 0;
    llvm::append_range(pack.shape, op.getSourceType().getShape());
    llvm::append_range(pack.tiles, op.getStaticInnerTiles());
    ArrayRef<int64_t> tiled = op.getInnerDimsPos();
    size_t rank = pack.shape.size();
    llvm::append_range(pack.order, op.getOuterDimsPerm());
    if (pack.order.empty())
      pack.order = llvm::to_vector(llvm::seq<int64_t>(rank));
    if (elements.isSplat || tiled.size() != 2 ||
        ArrayRef(pack.order).take_back(2) != tiled ||
        llvm::is_contained(pack.shape, 0) ||
        !llvm::all_of(pack.tiles, llvm::isInt<32>))
      return std::nullopt;
    pack.strides.assign(rank, 1);
    for (size_t dim = rank; dim-- > 1;)
      pack.strides[dim - 1] = pack.strides[dim] * pack.shape[dim];
    if (pack.strides[tiled[0]] != 1 && pack.strides[tiled[1]] != 1)
      return std::nullopt;
    return pack;
  }

  /// False, with `packed` as it was or in part, if it cannot.
  bool run(MutableArrayRef<char> packed) const {
    auto [row, col] = std::pair(order.end()[-2], order.end()[-1]);
    bool transpose = strides[col] != 1;
    tw_pack_params_t params = {};
    params.type = typeOfBytes(elements.elementBytes);
    params.flags = (transpose ? TW_PACK_FLAG_TRANSPOSE : 0) |
                   (isInGroups ? TW_PACK_FLAG_VNNI : 0);
    params.rows = shape[row];
    params.cols = shape[col];
    params.matrix_stride = transpose ? strides[col] : strides[row];
    params.tile_rows = int32_t(tiles[0]);
    params.tile_cols = int32_t(tiles[1]);
    std::memcpy(&params.padding, padding.data(), padding.size());
    tw_index_t each = 0;
    if (tw_packed_size(&params, &each) != TW_STATUS_OK)
      return false;

    // The matrices, in the order of the result.
    ArrayRef<int64_t> outer = ArrayRef(order).drop_back(2);
    size_t count = 1;
    for (int64_t dim : outer)
      count *= shape[dim];
    if (count * each != packed.size())
      return false;
    for (size_t i = 0; i < count; ++i) {
      int64_t offset = 0;
      size_t rest = i;
      for (int64_t dim : llvm::reverse(outer)) {
        offset += int64_t(rest % shape[dim]) * strides[dim];
        rest /= shape[dim];
      }
      if (tw_pack(&params,
                  elements.bytes.data() + offset * elements.elementBytes,
                  packed.data() + i * each, each,
                  /*parallel_for=*/nullptr) != TW_STATUS_OK)
        return false;
    }
    return true;
  }

private:
  ConstantElements elements;
  SmallVector<char, 8> padding;
  SmallVector<int64_t> shape, order, tiles, strides;
  bool isInGroups = false;

  MatrixPack(const ConstantElements &elements, SmallVector<char, 8> padding)
      : elements(elements), padding(std::move(padding)) {}
};

/// Attributes and types are unique: equal ones have one address.
struct ByAddress {
  template <class Key> bool operator()(const Key &x, const Key &y) const {
    return addresses(x) < addresses(y);
  }
  template <class... Parts>
  static auto addresses(const std::tuple<Parts...> &key) {
    return std::apply(
        [](auto... part) { return std::array{part.getAsOpaquePointer()...}; },
        key);
  }
};

struct FoldConstantPacksPass
    : impl::FoldConstantPacksBase<FoldConstantPacksPass> {
  void runOnOperation() override {
    known.clear();
    SmallVector<linalg::PackOp> packs;
    getOperation().walk([&](linalg::PackOp op) { packs.push_back(op); });
    for (linalg::PackOp op : packs) {
      foldJoin(op);
      fold(op);
    }
    SmallVector<Attribute> values;
    for (const auto &entry : known)
      values.push_back(entry.second);
    if (!values.empty())
      getOperation()->setAttr(kPackedValuesAttr,
                              ArrayAttr::get(&getContext(), values));
  }

  /// Where elements of less than a byte are joined before.
  static void foldJoin(linalg::PackOp op) {
    std::optional<JoinedElements> joined = JoinedElements::of(op.getSource());
    ElementsAttr source;
    if (!joined ||
        !matchPattern(withoutReshapes(joined->source), m_Constant(&source)))
      return;
    std::optional<ConstantElements> elements = ConstantElements::of(source);
    if (!elements)
      return;
    std::string how = "joined along " + std::to_string(joined->dim);
    RankedTensorType type = joined->sourceType();
    ElementsAttr bytes =
        makeBetween(op.getSourceType(), /*elementBytes=*/1, how,
                    elements->bytes, [=](MutableArrayRef<char> result) {
                      joinElements(type, joined->dim, elements->bytes,
                                   elements->isSplat, result);
                    });
    OpBuilder builder(op);
    op.getSourceMutable().assign(arith::ConstantOp::create(
        builder, op.getLoc(), cast<TypedAttr>(bytes)));
    if (joined->op->use_empty())
      joined->op->erase();
  }

  void fold(linalg::PackOp op) {
    ElementsAttr source;
    Attribute padding;
    if (!op.getDestType().hasStaticShape() ||
        !op.getDestType().getElementType().isIntOrFloat() ||
        !matchPattern(withoutReshapes(op.getSource()), m_Constant(&source)))
      return;
    if (op.getPaddingValue() &&
        !matchPattern(op.getPaddingValue(), m_Constant(&padding)))
      return;
    std::optional<ConstantElements> elements = ConstantElements::of(source);
    if (!elements)
      return;

    // Several functions may have one constant, and pack it alike.
    PackChain chain = PackChain::startingAt(op);
    ElementsAttr &packed = known[{source, op.getSourceType(), chain.getType(),
                                  op->getAttrDictionary(), padding}];
    if (!packed)
      packed = pack(chain, *elements, padding);
    OpBuilder builder(op);
    auto constant = arith::ConstantOp::create(builder, op.getLoc(), packed);
    record(chain, packed.getNumElements() * elements->elementBytes);
    chain.replaceBy(constant);
  }

  static ElementsAttr pack(const PackChain &chain,
                           const ConstantElements &elements,
                           Attribute padding) {
    linalg::PackOp op = chain.pack;
    SmallVector<char, 8> paddingBytes = bytesOf(padding, elements.elementBytes);
    if (elements.isSplat &&
        (!op.getPaddingValue() || ArrayRef(paddingBytes) == elements.bytes))
      return DenseElementsAttr::getFromRawBuffer(chain.getType(),
                                                 elements.bytes);
    std::optional<MatrixPack> matrices =
        MatrixPack::of(chain, elements, paddingBytes);
    return makeMoved(chain.getType(), elements, op.getSourceType().getShape(),
                     stepsOf(chain), paddingBytes,
                     [matrices](MutableArrayRef<char> bytes) {
                       return matrices && matrices->run(bytes);
                     });
  }

  /// Adds a line about `chain` to the function's list of packed constants. What
  /// is read for few rows is packed for many, too.
  void record(const PackChain &chain, size_t bytes) {
    linalg::PackOp op = chain.pack;
    auto func = op->getParentOfType<func::FuncOp>();
    if (isFewRowsBody(func.getName()))
      return;
    SmallVector<Attribute> lines;
    if (auto known = func->getAttrOfType<ArrayAttr>(kPackedAttr))
      lines.assign(known.begin(), known.end());
    std::string line;
    llvm::raw_string_ostream(line)
        << op.getSourceType() << " -> " << chain.getType() << ", " << bytes
        << " bytes";
    lines.push_back(StringAttr::get(&getContext(), line));
    func->setAttr(kPackedAttr, ArrayAttr::get(&getContext(), lines));
  }

  /// By source, its shape and the packed one, how it is packed, and padding.
  std::map<std::tuple<Attribute, Type, Type, Attribute, Attribute>,
           ElementsAttr, ByAddress>
      known;
};

} // namespace
} // namespace tilewright
