// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixLoops.h"

#include "tilewright/contraction.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace tilewright {
namespace {

/// What packing a run of columns costs before its first element, in elements.
constexpr double kRunCost = 16;
/// An element of columns and rows of which neither lie side by side, in those
/// of a run.
constexpr double kGatherCost = 4;

class LoopChooser {
public:
  LoopChooser(const WindowLoops &windows, const MatrixLoops &loops)
      : windows(windows), loops(loops) {}

  std::optional<MatrixLoops> choose(std::string &whyNot) {
    if (!chooseOut()) {
      whyNot = "groups as the innermost dimension of its result";
      return std::nullopt;
    }
    if (!chooseColumns(whyNot))
      return std::nullopt;
    for (unsigned loop = 0; loop < windows.loops.size(); ++loop)
      if (loop != loops.n && !llvm::is_contained(loops.m, loop) &&
          !llvm::is_contained(loops.k, loop))
        loops.outer.push_back(loop);
    return loops;
  }

  SmallVector<unsigned> columnsFor(int64_t k0) {
    auto best = llvm::min_element(loops.k, [&](unsigned x, unsigned y) {
      return columnCost(x, k0) < columnCost(y, k0);
    });
    std::rotate(best, best + 1, loops.k.end());
    return loops.k;
  }

private:
  WindowLoops::Kind kindOf(unsigned loop) { return windows.loops[loop].kind; }

  bool chooseOut() {
    ArrayRef<unsigned> out = windows.outLoops;
    // Runs of m, of which one is the matrix's rows.
    SmallVector<SmallVector<unsigned>> runs;
    for (auto [dim, loop] : llvm::enumerate(out)) {
      if (kindOf(loop) != WindowLoops::kM)
        continue;
      if (dim == 0 || kindOf(out[dim - 1]) != WindowLoops::kM)
        runs.emplace_back();
      runs.back().push_back(loop);
    }
    WindowLoops::Kind innermost = kindOf(out.back());
    if (innermost != WindowLoops::kM && innermost != WindowLoops::kN)
      return false;
    loops.n = *llvm::find_if(llvm::reverse(out), [&](unsigned loop) {
      return kindOf(loop) == WindowLoops::kN;
    });
    loops.m = runs.back();
    if (innermost == WindowLoops::kN)
      loops.m = *llvm::max_element(runs, [&](const auto &x, const auto &y) {
        return rowsOf(x) < rowsOf(y);
      });
    if (loops.m.size() > TW_GATHER_LOOPS)
      loops.m.erase(loops.m.begin(), loops.m.end() - TW_GATHER_LOOPS);
    return true;
  }

  double rowsOf(ArrayRef<unsigned> run) {
    double rows = 1;
    for (unsigned loop : run)
      rows *= double(usualSize(windows.loops[loop].size));
    return rows;
  }

  /// In the order in which the tensor has them.
  bool chooseColumns(std::string &whyNot) {
    for (const WindowTerms &terms : windows.windowTerms)
      for (WindowTerm term : terms)
        if (kindOf(term.loop) == WindowLoops::kK)
          loops.k.push_back(term.loop);
    if (loops.k.size() > TW_GATHER_LOOPS)
      whyNot = "windows of " + std::to_string(loops.k.size()) +
               " loops, where " + std::to_string(TW_GATHER_LOOPS) + " can be";
    else if (llvm::none_of(loops.k,
                           [&](unsigned loop) { return mayBeLast(loop); }))
      whyNot = "windows without channels of which only the call knows the size";
    return whyNot.empty();
  }

  /// How many elements the last loop has is either to be seen in the tensor or
  /// known.
  bool mayBeLast(unsigned loop) {
    return windows.windowTerms[windows.termOf(loop).first].size() == 1 ||
           !ShapedType::isDynamic(windows.loops[loop].size);
  }

  bool isSideBySide(unsigned loop) {
    auto [dim, term] = windows.termOf(loop);
    return dim + 1 == windows.windowTerms.size() && term.step == 1;
  }

  /// Of an element.
  double columnCost(unsigned loop, int64_t k0) {
    if (!mayBeLast(loop))
      return HUGE_VAL;
    int64_t size = usualSize(windows.loops[loop].size);
    double padded = double(llvm::alignTo(size, k0)) / double(size);
    bool isMatrix = isSideBySide(loop) || isSideBySide(loops.m.back());
    return padded * (isMatrix ? 1 : kGatherCost) + kRunCost / double(size);
  }

  const WindowLoops &windows;
  MatrixLoops loops;
};

} // namespace

SmallVector<unsigned> MatrixLoops::all() const {
  SmallVector<unsigned> loops(outer);
  loops.append(m);
  loops.push_back(n);
  loops.append(k);
  return loops;
}

SmallVector<unsigned> MatrixLoops::panels(const WindowLoops &windows) const {
  SmallVector<unsigned> loops;
  for (unsigned loop : outer)
    if (llvm::is_contained(windows.weightLoops, loop))
      loops.push_back(loop);
  loops.push_back(n);
  loops.append(k);
  return loops;
}

std::optional<MatrixLoops> chooseMatrixLoops(const WindowLoops &windows,
                                             std::string &whyNot) {
  return LoopChooser(windows, {}).choose(whyNot);
}

void chooseLastColumn(MatrixLoops &loops, const WindowLoops &windows,
                      int64_t k0) {
  loops.k = LoopChooser(windows, loops).columnsFor(k0);
}

int64_t extentOf(const WindowLoops &windows, ArrayRef<unsigned> loops) {
  int64_t product = 1;
  for (unsigned loop : loops) {
    int64_t size = windows.loops[loop].size;
    if (ShapedType::isDynamic(size) ||
        llvm::MulOverflow(product, size, product))
      return -1;
  }
  return product;
}

int64_t columnsOf(const WindowLoops &windows, const MatrixLoops &loops,
                  int64_t k0) {
  int64_t outer = extentOf(windows, ArrayRef(loops.k).drop_back()),
          last = extentOf(windows, loops.k.back());
  return outer < 0 || last < 0 ? -1 : outer * int64_t(llvm::alignTo(last, k0));
}

} // namespace tilewright
