// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #tw.layout: how a device lays a tensor out.

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "tilewright/Dialect/TwDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tw;

namespace {

ParseResult parseIntegers(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

ParseResult parseField(AsmParser &parser, StringRef name) {
  return failure(parser.parseKeyword(name) || parser.parseEqual());
}

ParseResult parseTile(AsmParser &parser, SmallVectorImpl<int64_t> &tiles,
                      SmallVectorImpl<bool> &scalable) {
  scalable.push_back(succeeded(parser.parseOptionalLSquare()));
  return failure(parser.parseInteger(tiles.emplace_back()) ||
                 (scalable.back() && parser.parseRSquare()));
}

/// [[16], [16, 4]] perm [1, 0, 2]
ParseResult parseSwizzle(AsmParser &parser, SmallVectorImpl<int64_t> &expand,
                         SmallVectorImpl<int64_t> &factors,
                         SmallVectorImpl<int64_t> &perm) {
  auto parseFactors = [&]() -> ParseResult {
    size_t before = expand.size();
    if (parseIntegers(parser, expand))
      return failure();
    factors.push_back(expand.size() - before);
    return success();
  };
  return failure(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                                parseFactors) ||
                 parser.parseKeyword("perm") || parseIntegers(parser, perm));
}

bool isPermutationOf(ArrayRef<int64_t> values, size_t count) {
  return values.size() == count && isPermutationVector(values);
}

bool areFactorsOf(int64_t product, ArrayRef<int64_t> factors) {
  for (int64_t factor : factors) {
    if (factor < 1 || product % factor != 0)
      return false;
    product /= factor;
  }
  return !factors.empty() && product == 1;
}

} // namespace

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc where = parser.getCurrentLocation();
  SmallVector<int64_t> outer, inner, tiles, expand, factors, perm;
  SmallVector<bool> scalable;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("identity")))
    return parser.parseGreater() ? LayoutAttr()
                                 : getIdentity(parser.getContext());
  if (parseField(parser, "outer") || parseIntegers(parser, outer) ||
      parser.parseComma() || parseField(parser, "inner") ||
      parseIntegers(parser, inner) || parser.parseComma() ||
      parseField(parser, "tiles") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseTile(parser, tiles, scalable);
      }))
    return {};
  bool streaming = false;
  if (succeeded(parser.parseOptionalComma())) {
    streaming = succeeded(parser.parseOptionalKeyword("streaming"));
    if (!streaming && (parseField(parser, "swizzle") ||
                       parseSwizzle(parser, expand, factors, perm)))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(where); },
                    parser.getContext(), ArrayRef<int64_t>(outer),
                    ArrayRef<int64_t>(inner), ArrayRef<int64_t>(tiles),
                    ArrayRef<bool>(scalable), streaming,
                    ArrayRef<int64_t>(expand), ArrayRef<int64_t>(factors),
                    ArrayRef<int64_t>(perm));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  if (isIdentity()) {
    os << "<identity>";
    return;
  }
  os << "<outer = [";
  llvm::interleaveComma(getOuter(), os);
  os << "], inner = [";
  llvm::interleaveComma(getInner(), os);
  os << "], tiles = [";
  llvm::interleaveComma(llvm::zip_equal(getTiles(), getScalable()), os,
                        [&](auto tile) {
                          auto [size, scalable] = tile;
                          if (scalable)
                            os << '[' << size << ']';
                          else
                            os << size;
                        });
  os << ']';
  if (getStreaming())
    os << ", streaming";
  if (!getPerm().empty()) {
    os << ", swizzle = [";
    ArrayRef<int64_t> rest = getExpand();
    llvm::interleaveComma(getFactors(), os, [&](int64_t count) {
      os << '[';
      llvm::interleaveComma(rest.take_front(count), os);
      os << ']';
      rest = rest.drop_front(count);
    });
    os << "] perm [";
    llvm::interleaveComma(getPerm(), os);
    os << ']';
  }
  os << '>';
}

LogicalResult
LayoutAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   ArrayRef<int64_t> outer, ArrayRef<int64_t> inner,
                   ArrayRef<int64_t> tiles, ArrayRef<bool> scalable,
                   bool streaming, ArrayRef<int64_t> expand,
                   ArrayRef<int64_t> factors, ArrayRef<int64_t> perm) {
  int64_t rank = outer.size();
  if (!isPermutationOf(outer, rank))
    return emitError() << "outer = [" << outer << "] does not have each of "
                       << rank << " dimensions once";
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : inner)
    if (dim < 0 || dim >= rank || !seen.insert(dim).second)
      return emitError() << "inner = [" << inner << "] does not have different "
                         << "ones of " << rank << " dimensions";
  if (tiles.size() != inner.size() || scalable.size() != inner.size())
    return emitError() << tiles.size() << " tiles for the " << inner.size()
                       << " dimensions of inner; expected one for each";
  if (llvm::any_of(tiles, [](int64_t tile) { return tile < 1; }))
    return emitError() << "tiles = [" << tiles << "] has a size that is not 1 "
                       << "or more";
  if (streaming && !llvm::is_contained(scalable, true))
    return emitError() << "has no tile of scalable size, and is streaming; "
                          "expected one in brackets";
  if (perm.empty() && expand.empty() && factors.empty())
    return success();
  if (factors.size() != tiles.size())
    return emitError() << "a swizzle of " << factors.size()
                       << " dimensions, of tiles that have " << tiles.size()
                       << "; expected the factors of each";
  if (llvm::is_contained(scalable, true))
    return emitError() << "a tile of scalable size has no swizzle; expected "
                          "fixed sizes";
  ArrayRef<int64_t> rest = expand;
  for (auto [tile, count] : llvm::zip_equal(tiles, factors)) {
    ArrayRef<int64_t> parts = rest.take_front(count);
    if (!areFactorsOf(tile, parts))
      return emitError() << "the factors [" << parts << "] of a swizzle do not "
                         << "multiply to its tile's " << tile
                         << "; expected one or more, each 1 or more";
    rest = rest.drop_front(count);
  }
  if (!isPermutationOf(perm, expand.size()))
    return emitError() << "perm [" << perm << "] does not have each of "
                       << expand.size() << " factors once";
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  // How many bytes it would take is not known.
  if (!bitsInMemory(elementType))
    return emitError() << "the layout is of numbers, this tensor has elements "
                       << "of " << elementType
                       << "; expected integers, floats or index";
  if (!isIdentity() && shape.size() != getOuter().size())
    return emitError() << "the layout is of tensors of " << getOuter().size()
                       << " dimensions, this one has " << shape.size();
  if (!isIdentity() && isInStreams(elementType) &&
      (getTiles().empty() || !getPerm().empty() || getScalable().back() ||
       getTiles().back() * elementType.getIntOrFloatBitWidth() % 8 ||
       ShapedType::isDynamic(shape[getInner().back()]) ||
       shape[getInner().back()] % getTiles().back()))
    return emitError() << "elements of " << elementType
                       << " are several in a byte; expected a last tile of "
                          "whole bytes, no swizzle, and a dimension that is "
                          "known to be whole such tiles";
  return success();
}

LayoutAttr LayoutAttr::related(ArrayRef<int64_t> dims) const {
  auto tiled = [&](int64_t dim) { return llvm::is_contained(dims, dim); };
  if (llvm::none_of(getInner(), tiled))
    return getIdentity(getContext());
  SmallVector<int64_t> outer, inner, tiles;
  SmallVector<bool> scalable;
  auto isOwn = [&](size_t dim) { return dims[dim] == EncodingAttr::kOwnDim; };
  for (int64_t dim : getOuter()) {
    const auto *found = llvm::find(dims, dim);
    if (found == dims.end())
      continue;
    size_t place = found - dims.begin(), first = place;
    while (first > 0 && isOwn(first - 1))
      --first;
    llvm::append_range(outer, llvm::seq<int64_t>(first, place + 1));
  }
  size_t last = dims.size();
  while (last > 0 && isOwn(last - 1))
    --last;
  llvm::append_range(outer, llvm::seq<int64_t>(last, dims.size()));
  for (auto [dim, tile, isScalable] :
       llvm::zip_equal(getInner(), getTiles(), getScalable()))
    if (tiled(dim)) {
      inner.push_back(llvm::find(dims, dim) - dims.begin());
      tiles.push_back(tile);
      scalable.push_back(isScalable);
    }
  // Factors of dimensions that are not there have no place.
  bool isSwizzled = inner.size() == getInner().size();
  return get(getContext(), outer, inner, tiles, scalable,
             getStreaming() && llvm::is_contained(scalable, true),
             isSwizzled ? getExpand() : ArrayRef<int64_t>(),
             isSwizzled ? getFactors() : ArrayRef<int64_t>(),
             isSwizzled ? getPerm() : ArrayRef<int64_t>());
}

LayoutAttr LayoutAttr::inGroups(int64_t group) const {
  ArrayRef<int64_t> tiles = getTiles();
  if (tiles.size() != 2 || isScalable() || group < 1 || tiles[1] % group != 0)
    return nullptr;
  return get(getContext(), getOuter(), getInner(), tiles, getScalable(),
             /*streaming=*/false, {tiles[0], tiles[1] / group, group}, {1, 2},
             {1, 0, 2});
}

int64_t LayoutAttr::getGroup() const {
  if (getPerm().empty())
    return 0;
  int64_t group = getExpand().back();
  return inGroups(group) == *this ? group : 0;
}

SmallVector<int64_t> LayoutAttr::tilesByDim(unsigned rank) const {
  SmallVector<int64_t> byDim(rank, 0);
  for (auto [dim, tile] : llvm::zip_equal(getInner(), getTiles()))
    byDim[dim] = tile;
  return byDim;
}

RankedTensorType LayoutAttr::packedType(RankedTensorType type) const {
  if (isIdentity())
    return RankedTensorType::get(type.getShape(), type.getElementType());
  SmallVector<int64_t> counts(type.getShape()), tiles(getTiles());
  for (auto [dim, tile, isScalable] :
       llvm::zip_equal(getInner(), tiles, getScalable())) {
    if (isScalable)
      counts[dim] = tile = ShapedType::kDynamic;
    if (!ShapedType::isDynamic(counts[dim]))
      counts[dim] = llvm::divideCeil(counts[dim], tile);
  }
  Type element = type.getElementType();
  if (isInStreams(element)) {
    tiles.back() = tiles.back() * element.getIntOrFloatBitWidth() / 8;
    element = IntegerType::get(getContext(), 8);
  }
  SmallVector<int64_t> shape = applyPermutation(counts, getOuter());
  if (getPerm().empty())
    llvm::append_range(shape, tiles);
  else
    llvm::append_range(shape, applyPermutation(getExpand(), getPerm()));
  return RankedTensorType::get(shape, element);
}
