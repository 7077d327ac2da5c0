// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements that follow one another in memory, as registers of decoded elements.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_ELEMENTRUN_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_ELEMENTRUN_H

#include "tilewright/Emit/Elements.h"
#include "tilewright/Emit/Emitter.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace tilewright {

/// Each register is loaded when it is first asked for, and once; up to `ahead`
/// registers at a time, by one instruction; `early`, when the ones loaded
/// before them are asked for, or one after another and none as a pair's.
class ElementRun {
public:
  /// `elements` from `pointer` on; `width` of them fill a register. With
  /// `slack` the last register may be read beyond them.
  ElementRun(Emitter &e, const ElementFormat &format, mlir::Value pointer,
             int64_t elements, int64_t width, bool slack, int64_t ahead,
             bool early)
      : e(e), format(format), pointer(pointer), elements(elements),
        width(width), slack(slack), ahead(ahead), early(early) {}

  /// The `width` decoded elements from `first` on; zero beyond the end.
  mlir::Value at(int64_t first);

  /// The same of the even elements alone (part 0) or the odd ones (part 1),
  /// `first` counting these.
  mlir::Value at(int64_t first, int part);

  /// A register that holds element `index`, and the element's place in it.
  std::pair<mlir::Value, int64_t> holding(int64_t index);
  std::pair<mlir::Value, int64_t> holding(int64_t index, int part);

  /// Loads ahead, if it is time. Such instructions stand apart: each takes many
  /// slots of dispatch, and two of them leave slots empty (Neoverse). One of a
  /// single register comes each time.
  void loadDue();

  /// Everything is to be loaded again.
  void forget();

  /// A pointer `bytes` behind the run's start.
  mlir::Value pointerAt(int64_t bytes);

private:
  bool loadGroup(int64_t first, int64_t count);
  bool loadAlone(int64_t first, int64_t count);
  mlir::Value loaded(int64_t first, int64_t count);

  Emitter &e;
  ElementFormat format;
  mlir::Value pointer;
  int64_t elements, width;
  bool slack;
  int64_t ahead;
  bool early;
  /// The elements that the last such instruction loaded.
  int64_t lastGroup = -1, afterGroup = 0;
  int64_t due = 0; ///< elements of a register of the group to load; 0 for none
  int64_t reached = 0; ///< bytes that `pointer` has advanced
  /// By first element: as loaded, and decoded.
  llvm::SmallDenseMap<int64_t, mlir::Value, 8> raw, registers;
  llvm::SmallDenseMap<int64_t, mlir::Value, 8> parts[2];
  std::unique_ptr<ElementRun> bytes; ///< the same as bytes of two elements each
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_ELEMENTRUN_H
