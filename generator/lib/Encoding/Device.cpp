// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/Device.h"

#include "MatrixLoops.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "tilewright/Encoding/MatmulWorkspace.h"
#include "tilewright/Encoding/Place.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

namespace tilewright {
namespace {

class NoDevice : public Device {
public:
  StringRef getName() const override { return "none"; }
  std::optional<TiledContraction> tile(tw::EncodingAttr) const override {
    return std::nullopt;
  }
};

/// How much of `extent` tiles of `size` compute, for each part that is wanted.
/// An extent that is not known is taken for one and a half tiles.
double paddedRatio(int64_t extent, int64_t size) {
  if (extent < 0)
    return size == 1 ? 1 : 4.0 / 3;
  return double(llvm::alignTo(extent, size)) / extent;
}

/// What a row of a product costs in tiles of `size` rows: padding, and its part
/// of the loads of the other operand's panel, which are about a row more.
double costPerRow(int64_t extent, int64_t size) {
  return paddedRatio(extent, size) * (size + 1) / size;
}

/// Where vectors have the least length, if it is not known.
TileKey sizesOf(const ChosenTile &tile) {
  return tile.key.atVectorBits(tile.vectorBits ? tile.vectorBits
                                               : kLeastVectorBits);
}

bool isStreaming(const TileKey &key) {
  return info(info(key.isa).scaling).isStreaming;
}

class Tiler {
public:
  explicit Tiler(tw::EncodingAttr encoding)
      : encoding(encoding), loops(encoding.getLoops()) {
    if (encoding.isScaled())
      llvm::erase(loops.k, encoding.getBlockLoop());
  }

  ChosenTile choose(const TypeTripleInfo &types, ChooseTileFn tileFor) {
    std::optional<ChosenTile> best;
    double least = 0;
    unsigned tiledM = 0, tiledN = 0;
    // Of what costs the same, what lies innermost.
    for (unsigned m : llvm::reverse(loops.m))
      for (unsigned n : llvm::reverse(loops.n)) {
        ChosenTile tile =
            tileFor(types, extent(m), extent(n), encoding.getAnyM());
        TileKey sizes = sizesOf(tile);
        // Where several contractions share a rhs, its loops are chosen without
        // those of m.
        double cost = costPerRow(extent(n), sizes.n0);
        if (!encoding.getAnyM() || loops.m.size() > 1)
          cost *= costPerRow(extent(m), sizes.m0);
        if (best && cost >= least)
          continue;
        best = tile;
        least = cost;
        tiledM = m;
        tiledN = n;
      }
    unsigned tiledK = loops.k.back();
    int k0 = encoding.isScaled() ? best->key.k0 / kScaleBlock : best->key.k0;
    for (unsigned k : llvm::reverse(loops.k))
      if (paddedRatio(extent(k), k0) < paddedRatio(extent(tiledK), k0))
        tiledK = k;
    makeLast(loops.m, tiledM);
    makeLast(loops.n, tiledN);
    makeLast(loops.k, tiledK);
    return *best;
  }

  /// Loops of a kind, and the size of tiles along the last one, where vectors
  /// have the least length.
  struct Tiles {
    ArrayRef<unsigned> loops;
    int64_t size;
    bool scalable;
  };

  tw::LayoutAttr layoutOf(tw::Operand operand, ArrayRef<Tiles> kinds,
                          bool streaming) {
    AffineMap map = encoding.withOperand(operand).getMap();
    auto dimOf = [&](unsigned loop) -> int64_t {
      return *map.getResultPosition(
          getAffineDimExpr(loop, encoding.getContext()));
    };
    SmallVector<int64_t> outer = llvm::map_to_vector(loops.batch, dimOf), inner,
                         sizes;
    SmallVector<bool> scalable;
    for (const Tiles &tiles : kinds) {
      llvm::append_range(outer, llvm::map_range(tiles.loops, dimOf));
      inner.push_back(dimOf(tiles.loops.back()));
      sizes.push_back(tiles.size);
      scalable.push_back(tiles.scalable);
    }
    return tw::LayoutAttr::get(encoding.getContext(), outer, inner, sizes,
                               scalable,
                               streaming && llvm::is_contained(scalable, true));
  }

  TiledContraction tiled(const ChosenTile &tile, StringRef prefix) {
    const TileKey &key = tile.key;
    TileKey sizes = sizesOf(tile);
    Tiles m{loops.m, sizes.m0, key.m0Scalable && !tile.vectorBits},
        n{loops.n, sizes.n0, key.n0Scalable && !tile.vectorBits},
        k{loops.k, sizes.k0, false};
    bool streaming = isStreaming(key);
    auto layout = [&](tw::Operand operand, ArrayRef<Tiles> kinds) {
      return layoutOf(operand, kinds, streaming);
    };
    using tw::Operand;
    auto name = tw::TileAttr::get(encoding.getContext(), key, prefix);
    tw::LayoutAttr out = layout(Operand::Out, {m, n});
    if (!encoding.isScaled()) {
      tw::LayoutAttr rhs = layout(Operand::Rhs, {n, k});
      if (key.vnni)
        rhs = rhs.inGroups(tw::groupAlongK(key));
      return {name, {layout(Operand::Lhs, {m, k}), rhs, out}};
    }
    // K0 elements are blocks of those that have a scale.
    unsigned blockLoop = encoding.getBlockLoop();
    k.size = sizes.k0 / kScaleBlock;
    Tiles block{blockLoop, kScaleBlock, false};
    return {name,
            {layout(Operand::Lhs, {m, k, block}),
             layout(Operand::Rhs, {n, k, block}), out,
             layout(Operand::LhsScales, {m, k}),
             layout(Operand::RhsScales, {n, k})}};
  }

private:
  int64_t extent(unsigned loop) {
    int64_t size = encoding.getSizes()[loop];
    return ShapedType::isDynamic(size) ? -1 : size;
  }

  /// The loop that is tiled becomes the last of its kind.
  static void makeLast(SmallVector<unsigned> &kind, unsigned loop) {
    llvm::erase(kind, loop);
    kind.push_back(loop);
  }

  tw::EncodingAttr encoding;
  tw::EncodingAttr::Loops loops;
};

/// Windows and the result of a convolution stay where they lie; its weights are
/// panels.
std::optional<TiledContraction> tileWindows(tw::EncodingAttr encoding,
                                            const TypeTripleInfo &types,
                                            ChooseTileFn choose,
                                            StringRef prefix) {
  MLIRContext *context = encoding.getContext();
  std::optional<WindowLoops> windows =
      WindowLoops::of(encoding.getMaps(), encoding.getSizes());
  std::string whyNot;
  std::optional<MatrixLoops> loops;
  if (windows)
    loops = chooseMatrixLoops(*windows, whyNot);
  if (!loops)
    return std::nullopt;
  int64_t rows = extentOf(*windows, loops->m),
          columns = extentOf(*windows, loops->n);
  ChosenTile tile = choose(types, rows, columns, encoding.getAnyM());
  chooseLastColumn(*loops, *windows, tile.key.k0);
  if (!matmulWorkspace(
          tile.key, {rows, columns, columnsOf(*windows, *loops, tile.key.k0)},
          /*rhsPacked=*/true, windows->outLoops.back() != loops->n))
    return std::nullopt;
  auto dimOf = [&](unsigned loop) -> int64_t {
    return llvm::find(windows->weightLoops, loop) -
           windows->weightLoops.begin();
  };
  SmallVector<int64_t> outer =
      llvm::map_to_vector(loops->panels(*windows), dimOf);
  TileKey sizes = sizesOf(tile);
  bool isScalable = tile.key.n0Scalable && !tile.vectorBits;
  auto identity = tw::LayoutAttr::getIdentity(context);
  return TiledContraction{
      tw::TileAttr::get(context, tile.key, prefix),
      {identity,
       tw::LayoutAttr::get(context, outer,
                           {dimOf(loops->n), dimOf(loops->k.back())},
                           {sizes.n0, sizes.k0}, {isScalable, false},
                           isScalable && isStreaming(tile.key)),
       identity},
      tile.why};
}

/// As names of tiles spell it.
std::string nameOf(Type element) {
  std::string name;
  if (element.isInteger())
    return (element.isUnsignedInteger() ? "u" : "s") +
           std::to_string(element.getIntOrFloatBitWidth());
  llvm::raw_string_ostream(name) << element;
  return name;
}

/// Whether scales are such as tiles have, E8M0 bytes for 32 elements each.
bool hasTileScales(tw::EncodingAttr encoding) {
  return encoding.getSizes()[encoding.getBlockLoop()] == kScaleBlock &&
         llvm::all_of(encoding.getElementTypes().drop_front(3),
                      llvm::IsaPred<Float8E8M0FNUType>);
}

} // namespace

Device::~Device() = default;

Value Device::relayout(ImplicitLocOpBuilder &b, const PanelMove &move) const {
  return liesInRows(move) ? moveThroughRows(b, move) : movePanels(b, move);
}

AffineExpr Device::storageBytes(RankedTensorType type,
                                ArrayRef<AffineExpr> sizes,
                                AffineExpr vscale) const {
  auto layout = cast<tw::LayoutAttr>(type.getEncoding());
  auto number = [&](int64_t value) {
    return getAffineConstantExpr(value, type.getContext());
  };
  SmallVector<AffineExpr> counts(sizes);
  SmallVector<int64_t> tiles(layout.getTiles());
  Type element = type.getElementType();
  AffineExpr bytes = number(llvm::divideCeil(tw::bitsInMemory(element), 8));
  for (auto [dim, tile, isScalable] :
       llvm::zip_equal(layout.getInner(), tiles, layout.getScalable())) {
    AffineExpr size = isScalable ? vscale * tile : number(tile);
    counts[dim] = counts[dim].ceilDiv(size);
    // Several elements in a byte.
    if (tw::isInStreams(element) && dim == layout.getInner().back())
      size = number(tile * element.getIntOrFloatBitWidth() / 8);
    bytes = bytes * size;
  }
  for (AffineExpr count : counts)
    bytes = bytes * count;
  return bytes;
}

tw::LayoutAttr Device::layoutOf(tw::EncodingAttr encoding,
                                bool inBlocks) const {
  tw::Operand operand = encoding.getOperand();
  tw::EncodingAttr own = encoding.withOperand(operand);
  if (std::optional<TiledContraction> tiled =
          inBlocks ? tileInBlocks(own) : tile(own)) {
    tw::LayoutAttr layout = tiled->layouts[unsigned(operand)];
    return encoding.isRelated() ? layout.related(encoding.getDims()) : layout;
  }
  return tw::LayoutAttr::getIdentity(encoding.getContext());
}

FailureOr<std::shared_ptr<const Device>>
findDevice(StringRef name, StringRef prefix, MLIRContext *context) {
  auto emit = [&] { return emitError(UnknownLoc::get(context)); };
  if (name == "none")
    return std::shared_ptr<const Device>(std::make_shared<NoDevice>());
  // `tw` last: it says what is wrong with a name that nobody knows.
  std::vector<Dialect *> dialects = context->getLoadedDialects();
  auto own = llvm::find_if(dialects, llvm::IsaPred<tw::TwDialect>);
  if (own != dialects.end())
    std::rotate(own, own + 1, dialects.end());
  for (Dialect *dialect : dialects)
    if (auto *provider = dialect->getRegisteredInterface<DeviceProvider>()) {
      FailureOr<std::shared_ptr<const Device>> device =
          provider->parseDevice(name, prefix, emit);
      if (failed(device) || *device)
        return device;
    }
  emit() << "no dialect knows the device '" << name << "'";
  return failure();
}

FailureOr<const Device *> FoundDevices::of(Operation *op) {
  tw::DeviceAttr named = deviceOf(op);
  std::shared_ptr<const Device> &device = devices[named];
  if (!device) {
    FailureOr<std::shared_ptr<const Device>> found = findDevice(
        named ? named.getTarget() : "none", prefix, op->getContext());
    if (failed(found))
      return failure();
    device = *found;
  }
  return device.get();
}

std::optional<TiledContraction> tileContraction(tw::EncodingAttr encoding,
                                                ChooseTileFn choose,
                                                StringRef prefix) {
  std::string name;
  for (Type element : encoding.getElementTypes().take_front(3))
    name += nameOf(element);
  // Without scales no operation is matched that has floats of 8 bits.
  const TypeTripleInfo *types =
      findTypeTriple(encoding.isScaled() ? StringRef(name).lower() : name);
  if (!types || (encoding.isScaled() && !hasTileScales(encoding)))
    return std::nullopt;
  if (encoding.isGathered())
    return tileWindows(encoding, *types, choose, prefix);
  Tiler tiler(encoding);
  ChosenTile tile = tiler.choose(*types, choose);
  if (tile.key.blockScaled != encoding.isScaled())
    return std::nullopt;
  TiledContraction tiled = tiler.tiled(tile, prefix);
  tiled.why = tile.why;
  return tiled;
}

} // namespace tilewright
