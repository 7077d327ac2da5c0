// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs and unpacks of random modules, in layouts that pack functions have and
// in others.

#include <algorithm>
#include <numeric>

#include "tests/compile/module_program.h"

namespace tilewright::testing {
namespace {

std::string listOf(const Indices& numbers) {
  std::vector<std::string> items;
  for (int64_t number : numbers) items.push_back(std::to_string(number));
  return list(items);
}

}  // namespace

// packed[outer..., inner...]: outer dimension i is dimension order[i] of the
// matrix, inner dimension j goes along dimension tiled[j].
struct ModuleMaker::Layout {
  Indices order, tiled, tiles;

  static Layout random(Random& random, size_t rank, Indices tiles) {
    Layout layout;
    layout.order.resize(rank);
    std::iota(layout.order.begin(), layout.order.end(), 0);
    layout.tiled = layout.order;
    shuffle(random, layout.tiled);
    layout.tiled.resize(tiles.size());
    layout.tiles = std::move(tiles);
    // The orders of layouts that people use, and any.
    switch (random.below(4)) {
      case 0:
        break;
      case 1:
        std::reverse(layout.order.begin(), layout.order.end());
        break;
      case 2:  // what is tiled comes last, as tiles are
        std::copy(layout.tiled.begin(), layout.tiled.end(),
                  std::remove_if(layout.order.begin(), layout.order.end(),
                                 [&](int64_t dim) {
                                   return layout.innerOf(dim) != rank;
                                 }));
        break;
      default:
        shuffle(random, layout.order);
    }
    return layout;
  }

  static void shuffle(Random& random, Indices& numbers) {
    for (size_t i = numbers.size(); i > 1; --i)
      std::swap(numbers[i - 1], numbers[random.below(i)]);
  }

  size_t rank() const { return order.size(); }
  // Which inner dimension goes along the matrix's; rank() if none does.
  size_t innerOf(int64_t dim) const {
    auto found = std::find(tiled.begin(), tiled.end(), dim);
    return found == tiled.end() ? rank()
                                : static_cast<size_t>(found - tiled.begin());
  }
  int64_t tileOf(int64_t dim) const {
    size_t inner = innerOf(dim);
    return inner == rank() ? 1 : tiles[inner];
  }

  // Where the packed element comes from.
  Indices inMatrix(const Indices& packed) const {
    Indices from(rank());
    for (size_t outer = 0; outer < rank(); ++outer) {
      int64_t dim = order[outer];
      size_t inner = innerOf(dim);
      from[static_cast<size_t>(dim)] =
          packed[outer] * tileOf(dim) +
          (inner == rank() ? 0 : packed[rank() + inner]);
    }
    return from;
  }
  // And back.
  Indices inPacked(const Indices& matrix) const {
    Indices to(rank() + tiles.size());
    for (size_t outer = 0; outer < rank(); ++outer) {
      int64_t dim = order[outer], index = matrix[static_cast<size_t>(dim)];
      to[outer] = index / tileOf(dim);
      if (size_t inner = innerOf(dim); inner != rank())
        to[rank() + inner] = index % tileOf(dim);
    }
    return to;
  }

  std::string text() const {
    return " outer_dims_perm = [" + listOf(order) + "] inner_dims_pos = [" +
           listOf(tiled) + "] inner_tiles = [" + listOf(tiles) + "] into ";
  }
};

bool ModuleMaker::packMaybeUnpack() {
  const ModuleTensor* found =
      anyMoved([](const ModuleTensor& value) { return value.rank() > 0; });
  if (!found) return false;
  ModuleTensor x = *found, packed = x;
  Indices tiles(1 + random_.below(std::min<size_t>(x.rank(), 3)));
  for (int64_t& tile : tiles)
    tile = random_.chance(0.2) ? random_.between(5, 20) : random_.between(1, 4);
  Layout layout = Layout::random(random_, x.rank(), tiles);
  std::vector<std::string> sizes, matrixSizes;
  bool isWhole = true;
  for (size_t outer = 0; outer < x.rank(); ++outer) {
    auto dim = static_cast<size_t>(layout.order[outer]);
    int64_t tile = layout.tileOf(layout.order[outer]);
    packed.shape[outer] = x.shape[dim];
    for (int64_t& size : packed.shape[outer].sizes) {
      isWhole &= size % tile == 0;
      size = (size + tile - 1) / tile;
    }
    sizes.push_back(
        x.shape[dim].isDynamic
            ? arithmetic("ceildivui", dimText(x, dim), indexConstant(tile))
            : "");
  }
  for (int64_t tile : tiles) {
    packed.shape.push_back(staticDim(tile));
    sizes.emplace_back();
  }
  if (!mayHave(packed.shape)) return false;
  int64_t beyond = constantOf(x, 2);
  std::string padding;
  if (!isWhole || random_.chance(0.5))
    padding = "padding_value(" + scalarConstant(*x.type, beyond) + " : " +
              x.type->mlir + ")";
  std::string dest = emptyText(*x.type, packed.shape, sizes), name = fresh();
  line(name + " = linalg.pack " + x.name + " " + padding + layout.text() +
       dest + " : " + x.typeText() + " -> " + packed.typeText());
  add("pack", name, *x.type, packed.shape, std::max<int64_t>(x.bound, 2),
      [&](size_t call, const Indices& i) {
        Indices from = layout.inMatrix(i);
        for (size_t dim = 0; dim < x.rank(); ++dim)
          if (from[dim] >= x.shape[dim].sizes[call]) return beyond;
        return at(x, call, from);
      });
  if (random_.chance(0.5)) return true;
  for (size_t dim = 0; dim < x.rank(); ++dim)
    matrixSizes.push_back(x.shape[dim].isDynamic ? dimText(x, dim) : "");
  std::string matrix = emptyText(*x.type, x.shape, matrixSizes), back = fresh();
  line(back + " = linalg.unpack " + name + layout.text() + matrix + " : " +
       packed.typeText() + " -> " + x.typeText());
  return add("unpack", back, *x.type, x.shape, x.bound,
             [&](size_t call, const Indices& i) { return at(x, call, i); });
}

// Of any tensor, as if its last dimensions were tiles.
bool ModuleMaker::unpack() {
  auto tilesOf = [](const ModuleTensor& value) {
    size_t tiles = 0;
    while (tiles < value.rank() / 2) {
      const ModuleDim& dim = value.shape[value.rank() - 1 - tiles];
      if (dim.isDynamic || dim.sizes[0] == 0) break;
      ++tiles;
    }
    return tiles;
  };
  const ModuleTensor* found =
      anyMoved([&](const ModuleTensor& value) { return tilesOf(value) > 0; });
  if (!found) return false;
  ModuleTensor x = *found, matrix = x;
  Indices tiles(1 + random_.below(tilesOf(x)));
  size_t rank = x.rank() - tiles.size();
  for (size_t inner = 0; inner < tiles.size(); ++inner)
    tiles[inner] = x.shape[rank + inner].sizes[0];
  Layout layout = Layout::random(random_, rank, tiles);
  matrix.shape.resize(rank);
  std::vector<std::string> sizes(rank);
  for (size_t outer = 0; outer < rank; ++outer) {
    int64_t tile = layout.tileOf(layout.order[outer]);
    auto place = static_cast<size_t>(layout.order[outer]);
    ModuleDim& dim = matrix.shape[place];
    dim = x.shape[outer];
    // The last tile need not be full.
    int64_t cut = dim.least() > 0 ? random_.between(0, tile - 1) : 0;
    for (int64_t& size : dim.sizes) size = size * tile - cut;
    if (dim.isDynamic)
      sizes[place] = arithmetic(
          "subi", arithmetic("muli", dimText(x, outer), indexConstant(tile)),
          indexConstant(cut));
  }
  if (!mayHave(matrix.shape)) return false;
  std::string dest = emptyText(*x.type, matrix.shape, sizes), name = fresh();
  line(name + " = linalg.unpack " + x.name + layout.text() + dest + " : " +
       x.typeText() + " -> " + matrix.typeText());
  return add("unpack", name, *x.type, matrix.shape, x.bound,
             [&](size_t call, const Indices& i) {
               return at(x, call, layout.inPacked(i));
             });
}

}  // namespace tilewright::testing
