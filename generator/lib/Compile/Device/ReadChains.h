// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a work-item computes where it reads an element, instead of another
// kernel before.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_READCHAINS_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_READCHAINS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright {

/// Chains of operations of a block that end in a root, and of which each
/// element needs one element of each operand: what is unpacked, reshaped, moved
/// and computed element by element. A root packs, or it goes on from something
/// that is unpacked, or done with a product; it does all of its chain where it
/// reads. Encoded or packed, it is the same.
///
/// What several roots read is done by each of them, if less is moved then: n
/// readers read what it reads n times, but nobody writes its result, and nobody
/// reads that. It is done for none if there is a reader that cannot do it.
class ReadChains {
public:
  using Predicate = llvm::function_ref<bool(mlir::Operation *)>;
  /// What `isApart` is a root, and no part; what `isKept` is no part.
  ReadChains(
      mlir::Block &block, Predicate isOnDevice, Predicate isApart,
      Predicate isKept = [](mlir::Operation *) { return false; });

  /// Whether those who read the result of `op` compute it.
  bool isPartOfReaders(mlir::Operation *op) const {
    return readers.contains(op);
  }
  /// How many roots compute it; 0 if none does.
  unsigned readersOf(mlir::Operation *op) const {
    return readers.lookup(op).count;
  }
  /// What the root computes beside itself, in the order of the block. Empty for
  /// what is no root.
  llvm::SmallVector<mlir::Operation *> chainOf(mlir::Operation *root) const;

private:
  void findParts(Predicate isOnDevice);
  bool isRoot(mlir::Operation *op) const {
    return roots.contains(op) && !isPartOfReaders(op);
  }
  void noteReaders(mlir::Operation *op);
  bool mayBeReadBy(mlir::Operation *op, mlir::OpOperand &use) const;
  void addOperands(mlir::Operation *op,
                   llvm::DenseSet<mlir::Operation *> &chain) const;

  mlir::Block &block;
  /// It is one dispatch, whatever that moves: sizes are others by now.
  bool isDecided = false;
  struct Readers {
    unsigned count = 0;
    mlir::Operation *first = nullptr; ///< all run where it does
  };
  mlir::Operation *rootOf(mlir::Operation *op) const {
    auto found = readers.find(op);
    return found == readers.end() ? op : found->second.first;
  }

  /// The roots that compute it.
  llvm::DenseMap<mlir::Operation *, Readers> readers;
  /// What may compute what it reads, unless that is part of something itself.
  llvm::DenseSet<mlir::Operation *> roots;
  /// What is part of nothing: a kernel makes it before, or a chain would be too
  /// long.
  llvm::DenseSet<mlir::Operation *> apart;
};

/// Each root has a chain of its own: what several compute is there several
/// times then.
void copySharedChains(mlir::Block &block, ReadChains::Predicate isOnDevice,
                      ReadChains::Predicate isApart,
                      ReadChains::Predicate isKept);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_READCHAINS_H
