// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #tw.encoding: what a tensor is for.

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Dialect/Windows.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tw;

namespace {

constexpr StringLiteral kOperandNames[] = {"lhs", "rhs", "out", "lhs_scales",
                                           "rhs_scales"};

ParseResult parseSize(AsmParser &parser, int64_t &size) {
  if (succeeded(parser.parseOptionalQuestion())) {
    size = ShapedType::kDynamic;
    return success();
  }
  return parser.parseInteger(size);
}

ParseResult parseField(AsmParser &parser, StringRef name,
                       llvm::function_ref<ParseResult()> element) {
  return failure(
      parser.parseComma() || parser.parseKeyword(name) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element));
}

/// What may stand behind the sizes.
ParseResult parseOptional(AsmParser &parser, bool &anyM,
                          SmallVectorImpl<int64_t> &dims, Type &element) {
  auto parseDim = [&]() -> ParseResult {
    dims.push_back(EncodingAttr::kOwnDim);
    if (succeeded(parser.parseOptionalStar()))
      return success();
    return parser.parseInteger(dims.back());
  };
  SMLoc where = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  if (name == "any_m") {
    anyM = true;
    return success();
  }
  if (name == "dims")
    return failure(
        parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim));
  if (name == "element")
    return failure(parser.parseEqual() || parser.parseType(element));
  return parser.emitError(where) << "there is no field '" << name
                                 << "'; expected any_m, dims or element";
}

bool isLoopOf(ArrayRef<AffineMap> maps, unsigned loop, bool lhs, bool rhs,
              bool out) {
  return maps[0].isFunctionOfDim(loop) == lhs &&
         maps[1].isFunctionOfDim(loop) == rhs &&
         maps[2].isFunctionOfDim(loop) == out;
}

/// The loops that index exactly these operands, in the order in which they
/// index `of`.
SmallVector<unsigned> loopsOf(ArrayRef<AffineMap> maps, AffineMap of, bool lhs,
                              bool rhs, bool out) {
  SmallVector<unsigned> loops;
  auto add = [&](unsigned loop) {
    if (isLoopOf(maps, loop, lhs, rhs, out))
      loops.push_back(loop);
  };
  if (of.isProjectedPermutation()) {
    for (unsigned dim = 0; dim < of.getNumResults(); ++dim)
      add(of.getDimPosition(dim));
    return loops;
  }
  std::optional<SmallVector<WindowTerms>> indices = windowTermsOf(of);
  for (const WindowTerms &terms : *indices)
    for (WindowTerm term : terms)
      add(term.loop);
  return loops;
}

EncodingAttr::Loops kindsOf(ArrayRef<AffineMap> maps) {
  EncodingAttr::Loops loops;
  loops.batch = loopsOf(maps, maps[0], true, true, true);
  loops.m = loopsOf(maps, maps[0], true, false, true);
  loops.n = loopsOf(maps, maps[1], false, true, true);
  loops.k = loopsOf(maps, maps[0], true, true, false);
  return loops;
}

/// The only loop that indexes an operand and not its scales; none if there are
/// several, or if scales are indexed by others.
std::optional<unsigned> blockLoopOf(AffineMap operand, AffineMap scales) {
  std::optional<unsigned> block;
  for (unsigned loop = 0; loop < operand.getNumDims(); ++loop) {
    bool isOfOperand = operand.isFunctionOfDim(loop);
    if (isOfOperand == scales.isFunctionOfDim(loop))
      continue;
    if (!isOfOperand || block)
      return std::nullopt;
    block = loop;
  }
  return block;
}

/// Integers in memory have no sign.
Type inMemory(Type element) {
  if (!element.isInteger())
    return element;
  return IntegerType::get(element.getContext(),
                          element.getIntOrFloatBitWidth());
}

} // namespace

Attribute EncodingAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> sizes;
  if (parser.parseLess())
    return {};
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return {};
  std::optional<Operand> operand = symbolizeOperand(name);
  if (!operand) {
    parser.emitError(where)
        << "there is no operand '" << name
        << "'; expected lhs, rhs, out, lhs_scales or rhs_scales";
    return {};
  }
  if (parseField(parser, "types",
                 [&] { return parser.parseType(types.emplace_back()); }) ||
      parseField(parser, "maps",
                 [&] {
                   AffineMapAttr map;
                   if (parser.parseAttribute(map))
                     return failure();
                   maps.push_back(map.getValue());
                   return success();
                 }) ||
      parseField(parser, "sizes",
                 [&] { return parseSize(parser, sizes.emplace_back()); }))
    return {};
  bool anyM = false;
  SmallVector<int64_t> dims;
  Type element;
  while (succeeded(parser.parseOptionalComma()))
    if (parseOptional(parser, anyM, dims, element))
      return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(where); },
                    parser.getContext(), *operand, ArrayRef<Type>(types),
                    ArrayRef<AffineMap>(maps), ArrayRef<int64_t>(sizes), anyM,
                    ArrayRef<int64_t>(dims), element);
}

void EncodingAttr::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  os << '<' << stringifyOperand(getOperand()) << ", types = [";
  llvm::interleaveComma(getElementTypes(), os,
                        [&](Type type) { printer.printType(type); });
  os << "], maps = [";
  llvm::interleaveComma(getMaps(), os, [&](AffineMap map) {
    printer.printAttribute(AffineMapAttr::get(map));
  });
  os << "], sizes = [";
  llvm::interleaveComma(getSizes(), os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << '?';
    else
      os << size;
  });
  os << (getAnyM() ? "], any_m" : "]");
  if (isRelated()) {
    os << ", dims = [";
    llvm::interleaveComma(getDims(), os, [&](int64_t dim) {
      if (dim == kOwnDim)
        os << '*';
      else
        os << dim;
    });
    os << ']';
  }
  if (getElement()) {
    os << ", element = ";
    printer.printType(getElement());
  }
  os << '>';
}

LogicalResult
EncodingAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     Operand operand, ArrayRef<Type> types,
                     ArrayRef<AffineMap> maps, ArrayRef<int64_t> sizes, bool,
                     ArrayRef<int64_t> dims, Type element) {
  bool isScaled = maps.size() == kScaledOperands;
  if (types.size() != maps.size() || (maps.size() != 3 && !isScaled))
    return emitError() << "an encoding has 3 element types and 3 maps, of lhs, "
                          "rhs and out, or 5 and 5, with those of the scales, "
                          "not "
                       << types.size() << " and " << maps.size();
  if (unsigned(operand) >= maps.size())
    return emitError() << "there are no types and maps of "
                       << stringifyOperand(operand)
                       << "; expected 5 and 5, with those of the scales";
  for (auto [name, type] : llvm::zip(kOperandNames, types))
    if (!type.isIntOrFloat() || type.isSignlessInteger())
      return emitError() << "the elements of " << name << " are " << type
                         << "; expected floats, or integers that say their "
                            "sign, as si8 or ui8";
  unsigned loops = maps.front().getNumDims();
  for (auto [name, map] : llvm::zip(kOperandNames, maps)) {
    bool mayHaveSums = name == kOperandNames[0] && !isScaled;
    if (map.getNumDims() != loops || map.getNumSymbols() ||
        !(mayHaveSums ? windowTermsOf(map).has_value()
                      : map.isProjectedPermutation()))
      return emitError() << "the map of " << name << " is "
                         << AffineMapAttr::get(map)
                         << "; expected different ones of the same " << loops
                         << " loops, "
                         << (mayHaveSums ? "or sums of their multiples, " : "")
                         << "and no symbols";
  }
  if (sizes.size() != loops)
    return emitError() << sizes.size() << " sizes of " << loops
                       << " loops; expected one of each, ? where it is not "
                          "known";
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitError() << "loop d" << loop << " has the size " << size
                         << "; expected 0 or more, or ? where it is not known";
  Loops kinds = kindsOf(maps);
  for (unsigned loop = 0; loop < loops; ++loop)
    if (!llvm::is_contained(
            llvm::concat<unsigned>(kinds.batch, kinds.m, kinds.n, kinds.k),
            loop))
      return emitError() << "loop d" << loop
                         << " is neither of the batch (of all operands), nor m "
                            "(of lhs and out), n (of rhs and out) or k (of lhs "
                            "and rhs)";
  if (kinds.m.empty() || kinds.n.empty() || kinds.k.empty())
    return emitError() << "there is no loop of "
                       << (kinds.m.empty()   ? "m"
                           : kinds.n.empty() ? "n"
                                             : "k")
                       << "; a dimension of size 1 makes one";
  if (isScaled && failed(verifyScales(emitError, maps)))
    return failure();
  int64_t rank = maps[unsigned(operand)].getNumResults();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dims)
    if (dim != kOwnDim && (dim < 0 || dim >= rank || !seen.insert(dim).second))
      return emitError() << "dims says " << dim
                         << "; expected different ones of the operand's "
                         << rank << " dimensions, or * for one of its own";
  if (element && (dims.empty() || !bitsInMemory(element)))
    return emitError() << "element = " << element
                       << (dims.empty() ? " without dims"
                                        : " is no type of numbers")
                       << "; expected dims, which say of what the tensor has "
                          "elements of another type, a float or an integer";
  return success();
}

LogicalResult
EncodingAttr::verifyScales(llvm::function_ref<InFlightDiagnostic()> emitError,
                           ArrayRef<AffineMap> maps) {
  std::optional<unsigned> ofLhs = blockLoopOf(maps[0], maps[3]),
                          ofRhs = blockLoopOf(maps[1], maps[4]);
  SmallVector<unsigned> k = kindsOf(maps).k;
  if (!ofLhs || ofLhs != ofRhs || !llvm::is_contained(k, *ofLhs))
    return emitError() << "the maps of lhs_scales and rhs_scales are "
                       << AffineMapAttr::get(maps[3]) << " and "
                       << AffineMapAttr::get(maps[4])
                       << "; expected the loops of lhs and of rhs but one of "
                          "k, the same, which goes through a block";
  if (k.size() == 1)
    return emitError() << "the only loop of k, d" << *ofLhs
                       << ", goes through a block; expected another one, of "
                          "the blocks";
  return success();
}

LogicalResult EncodingAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  StringRef name = stringifyOperand(getOperand());
  size_t rank = isRelated() ? getDims().size() : getMap().getNumResults();
  if (shape.size() != rank)
    return emitError() << "the encoding of " << name << " is of tensors of "
                       << rank << " dimensions, by its "
                       << (isRelated() ? "dims" : "map") << ", this one has "
                       << shape.size();
  if (elementType != getTensorElement() && elementType != getElementInMemory())
    return emitError() << "the encoding's elements of " << name << " are "
                       << getTensorElement() << ", the tensor's " << elementType
                       << "; expected " << getElementInMemory();
  // What only lies as the operand does may have other sizes.
  if (isRelated())
    return success();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    auto index = dyn_cast<AffineDimExpr>(getMap().getResult(dim));
    if (!index) {
      if (failed(verifyWindow(dim, size, emitError)))
        return failure();
      continue;
    }
    unsigned loop = index.getPosition();
    int64_t known = getSizes()[loop];
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(known) &&
        size != known)
      return emitError() << "dimension " << dim << " of the tensor is " << size
                         << ", but loop d" << loop << " of the encoding, which "
                         << "indexes it, has the size " << known;
  }
  return success();
}

LogicalResult EncodingAttr::verifyWindow(
    unsigned dim, int64_t size,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  int64_t last = 0;
  std::optional<SmallVector<WindowTerms>> indices = windowTermsOf(getMap());
  for (WindowTerm term : (*indices)[dim]) {
    int64_t loop = getSizes()[term.loop];
    // What is not known is taken for 1; of 0 nothing is read.
    last += ShapedType::isDynamic(loop) ? 0 : (loop - 1) * term.step;
    if (loop == 0)
      return success();
  }
  if (ShapedType::isDynamic(size) || last < size)
    return success();
  return emitError() << "dimension " << dim << " of the tensor is " << size
                     << ", but windows of the encoding have " << last + 1
                     << " elements there";
}

EncodingAttr EncodingAttr::withOperand(Operand operand) const {
  return get(getContext(), operand, getElementTypes(), getMaps(), getSizes(),
             getAnyM());
}

EncodingAttr EncodingAttr::withAnyM() const {
  return get(getContext(), getOperand(), getElementTypes(), getMaps(),
             getSizes(), /*any_m=*/true, getDims(), getElement());
}

EncodingAttr EncodingAttr::forFewRows(unsigned loop, int64_t rows) const {
  SmallVector<int64_t> sizes(getSizes());
  sizes[loop] = rows;
  return get(getContext(), getOperand(), getElementTypes(), getMaps(), sizes,
             /*any_m=*/true, getDims(), getElement());
}

unsigned EncodingAttr::getBlockLoop() const {
  return *blockLoopOf(getMaps()[unsigned(Operand::Lhs)],
                      getMaps()[unsigned(Operand::LhsScales)]);
}

ArrayRef<tw::Operand> EncodingAttr::getOperands() const {
  static constexpr Operand plain[] = {Operand::Lhs, Operand::Rhs, Operand::Out};
  static constexpr Operand scaled[] = {Operand::Lhs, Operand::Rhs,
                                       Operand::LhsScales, Operand::RhsScales,
                                       Operand::Out};
  return isScaled() ? ArrayRef(scaled) : ArrayRef(plain);
}

SmallVector<AffineMap> EncodingAttr::getMapsOfOperation() const {
  return llvm::map_to_vector(getOperands(), [&](Operand operand) {
    return getMaps()[unsigned(operand)];
  });
}

Type EncodingAttr::getTensorElement() const {
  return getElement() ? getElement()
                      : getElementTypes()[unsigned(getOperand())];
}

Type EncodingAttr::getElementInMemory() const {
  return inMemory(getTensorElement());
}

int64_t EncodingAttr::getOperandSize(unsigned dim) const {
  auto index = dyn_cast<AffineDimExpr>(getMap().getResult(dim));
  return index ? getSizes()[index.getPosition()] : ShapedType::kDynamic;
}

SmallVector<int64_t> EncodingAttr::getAllDims() const {
  if (isRelated())
    return SmallVector<int64_t>(getDims());
  return llvm::to_vector(llvm::seq<int64_t>(0, getMap().getNumResults()));
}

EncodingAttr EncodingAttr::related(ArrayRef<int64_t> dims,
                                   RankedTensorType type) const {
  EncodingAttr operand = ofOperand();
  Type element = type.getElementType();
  if (element == operand.getElementInMemory())
    element = nullptr;
  auto mayBe = [&](int64_t dim) {
    int64_t size = type.getDimSize(dim), known = getOperandSize(dim);
    return ShapedType::isDynamic(size) || ShapedType::isDynamic(known) ||
           size == known;
  };
  if (!element && ArrayRef(operand.getAllDims()) == dims &&
      llvm::all_of(llvm::seq<int64_t>(0, dims.size()), mayBe))
    return operand;
  return get(getContext(), getOperand(), getElementTypes(), getMaps(),
             getSizes(), getAnyM(), dims, element);
}

bool EncodingAttr::isGathered() const {
  return !getMaps().front().isProjectedPermutation();
}

EncodingAttr::Loops EncodingAttr::getLoops() const {
  return kindsOf(getMaps());
}
