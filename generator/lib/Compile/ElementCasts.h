// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts of constants' elements, to the bit as compiled programs do them.

#ifndef TILEWRIGHT_LIB_COMPILE_ELEMENTCASTS_H
#define TILEWRIGHT_LIB_COMPILE_ELEMENTCASTS_H

#include "ConstantElements.h"
#include "llvm/ADT/APFloat.h"
#include <vector>

namespace tilewright {

/// The casts that make all of what `op` makes of each element of one tensor, in
/// their order; none if `op` does anything else, or a cast that is not made
/// here: to floats of 8 bits and less, which round in ways of their own, with
/// instructions or without.
llvm::SmallVector<mlir::Operation *> castsOf(mlir::linalg::LinalgOp op);

/// What `casts` are, for a constant's cast to tell itself from others.
std::string textOf(llvm::ArrayRef<mlir::Operation *> casts);

/// What casts make of an element, one after the other.
class ElementCasts {
public:
  /// None if an element has no bytes of its own in memory, before or behind.
  /// `nativeF16`: as tw-expand-small-floats of the program.
  static std::optional<ElementCasts> of(llvm::ArrayRef<mlir::Operation *> casts,
                                        bool nativeF16);

  int64_t resultBytes() const { return toBytes; }

  /// One element after the other: neither side is ever needed as a whole.
  void fill(const ConstantElements &source,
            llvm::MutableArrayRef<char> result) const;

private:
  /// One cast. Those without semantics are integers.
  struct Step {
    const llvm::fltSemantics *from, *to;
    unsigned fromBits, toBits;
    bool isSigned;
    bool keepsPayload; ///< of a NaN

    uint64_t apply(uint64_t bits) const;
  };

  void add(mlir::Type from, mlir::Type to, bool isSigned, bool nativeF16);
  void makeTable(unsigned fromBits);
  uint64_t apply(uint64_t bits) const;
  template <class From, class To>
  void fill(llvm::ArrayRef<char> from, char *to) const;

  llvm::SmallVector<Step, 2> steps;
  int64_t toBytes = 0;
  /// Of each value that an element of 16 bits or less may have, what it
  /// becomes.
  std::vector<char> table;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_ELEMENTCASTS_H
