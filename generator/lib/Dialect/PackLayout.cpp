// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Dialect/PackLayout.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace tilewright {
namespace {

class Finder {
public:
  Finder(const PackedForm &form, std::string &whyNot)
      : form(form), rank(form.outerDims.size()), whyNot(whyNot) {}

  std::optional<PackLayout> find() {
    if (!checkTiles())
      return std::nullopt;
    if (form.innerDims.size() == 2)
      takeTwo();
    else
      takeOne();
    // A tile of one row has its elements where one of one column has them.
    if ((layout.r0 == 1 || layout.c0 == 1) && endsAt(layout.rows, rank)) {
      std::swap(layout.rows, layout.cols);
      std::swap(layout.r0, layout.c0);
    }
    if (!layout.rows.contains(rank - 1) && !layout.cols.contains(rank - 1))
      return none("dimension " + llvm::Twine(rank - 1) +
                  " of the matrix, the innermost, is not tiled");
    layout.lines = layout.cols.contains(rank - 1) ? MatrixLines::kRows
                                                  : MatrixLines::kCols;
    if (!placeInCall())
      return none("the packed form's last outer dimension is " +
                  llvm::Twine(form.outerDims.back()) +
                  " of the matrix, which is neither tiled nor the innermost");
    return layout;
  }

private:
  std::nullopt_t none(const llvm::Twine &why) {
    whyNot = why.str();
    return std::nullopt;
  }

  bool checkTiles() {
    if (form.innerDims.empty() || form.innerDims.size() > 2) {
      none("it has " + llvm::Twine(form.innerDims.size()) +
           " inner tiles, where one or two can be");
      return false;
    }
    for (int64_t tile : form.tiles)
      if (ShapedType::isDynamic(tile) || tile < 1 || tile > kMaxPackSize) {
        none((ShapedType::isDynamic(tile)
                  ? llvm::Twine("an inner tile has a dynamic size")
                  : "an inner tile has " + llvm::Twine(tile) + " elements") +
             ", where 1 to " + llvm::Twine(kMaxPackSize) + " can be");
        return false;
      }
    return true;
  }

  static DimRange only(int64_t dim) { return {dim, dim + 1}; }

  void takeTwo() {
    layout.rows = only(form.innerDims[0]);
    layout.cols = only(form.innerDims[1]);
    layout.r0 = form.tiles[0];
    layout.c0 = form.tiles[1];
  }

  /// A second dimension, whose tiles are of one element: the one that lines go
  /// along, or the packed form's last. With it go those that lie before it on
  /// both sides.
  void takeOne() {
    int64_t tiled = form.innerDims[0], last = form.outerDims.back();
    layout.rows = only(tiled);
    layout.r0 = form.tiles[0];
    if (rank == 1) {
      std::swap(layout.rows, layout.cols);
      std::swap(layout.r0, layout.c0);
      return;
    }
    int64_t other = tiled != rank - 1 ? rank - 1
                    : last != tiled   ? last
                                      : form.outerDims[rank - 2];
    layout.cols = only(other);
    int64_t end = last == other ? rank : rank - 1;
    for (int64_t dim = other - 1; dim >= 0 && dim != tiled; --dim) {
      layout.cols.begin = dim;
      if (!endsAt(layout.cols, end)) {
        ++layout.cols.begin;
        return;
      }
    }
  }

  /// Whether `dims` are the outer dimensions before `end`.
  bool endsAt(DimRange dims, int64_t end) const {
    if (!dims.size() || dims.size() > end)
      return false;
    for (int64_t i = 0; i < dims.size(); ++i)
      if (form.outerDims[end - dims.size() + i] != dims.begin + i)
        return false;
    return true;
  }

  /// Which dimensions are last, so that tiles follow each other along them.
  bool placeInCall() {
    layout.loops = rank;
    layout.colsInCall = endsAt(layout.cols, rank);
    if (layout.colsInCall)
      layout.loops -= layout.cols.size();
    layout.rowsInCall = endsAt(layout.rows, layout.loops);
    if (layout.rowsInCall)
      layout.loops -= layout.rows.size();
    return layout.colsInCall || layout.rowsInCall;
  }

  const PackedForm &form;
  int64_t rank;
  std::string &whyNot;
  PackLayout layout;
};

} // namespace

std::optional<PackLayout> packLayoutOf(const PackedForm &form,
                                       std::string &whyNot) {
  return Finder(form, whyNot).find();
}

PackKey packKeyOf(const PackLayout &layout, bool unpack, int bits,
                  tw_isa_t isa) {
  return {unpack, bits, layout.lines, int(layout.r0), int(layout.c0), isa};
}

} // namespace tilewright
