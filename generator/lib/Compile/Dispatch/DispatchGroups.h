// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations of a block are done together.

#ifndef TILEWRIGHT_LIB_COMPILE_DISPATCH_DISPATCHGROUPS_H
#define TILEWRIGHT_LIB_COMPILE_DISPATCH_DISPATCHGROUPS_H

#include "../Device/ItemLoops.h"
#include "../Loops/LoopGroup.h"
#include "DispatchFunction.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

/// The dispatches of a model: a contraction with what it is packed from and
/// what follows it, or operations that share their loops. It may be on encoded
/// tensors, where a contraction stands between `tw.set_encoding` and
/// `tw.unset_encoding`, or on packed ones.
class DispatchGroups {
public:
  /// Operations that `regionOf` has are done with those of the same region at
  /// most.
  using Regions = llvm::DenseMap<mlir::Operation *, unsigned>;
  explicit DispatchGroups(Regions regionOf = Regions())
      : regionOf(std::move(regionOf)) {}

  /// Where `op` of a model is done. What branches and loops do is the host's:
  /// launches are a straight line.
  Place placeOf(mlir::Operation *op) const;

  /// A fill belongs to the operation that goes on from it, and an operand's
  /// packing on the host to the contraction: each has its own.
  void giveEachItsOwn(mlir::func::FuncOp func);

  /// The blocks whose operations may be dispatches: not those of bodies.
  static llvm::SmallVector<mlir::Block *> blocksOf(mlir::func::FuncOp func);

  /// The groups of a block, in the order of their last operations. What uses a
  /// group's results without being of it ends the group: it has to stand
  /// behind.
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>>
  groupsOf(mlir::Block &block);

private:
  /// Operations that become one function, where the last of them is.
  struct Group {
    llvm::SmallVector<mlir::Operation *> ops;
    Place place = Place::Host;
    /// Of linalg operations of the host: the loops that all of them share.
    /// Vectors as wide as any target's leave the fewest.
    LoopGroup loops{{/*bytes=*/64, /*masks=*/true}};
    /// Of the device: what one work-item does.
    ItemLoops items;
    bool mayGrow = true;

    bool defines(mlir::Value value) const {
      return llvm::is_contained(ops, value.getDefiningOp());
    }
  };

  bool areOfOneRegion(mlir::Operation *x, mlir::Operation *y) const {
    return regionOf.lookup(x) == regionOf.lookup(y);
  }
  bool isReadByOtherEpilogue(mlir::Operation *op) const;
  bool beginsWithFill(mlir::OpOperand &use) const;
  bool packsFor(mlir::OpOperand &use) const;
  bool isOfOther(mlir::Operation *op) const;
  llvm::SmallVector<mlir::Operation *> unitOf(mlir::Operation *root) const;
  bool join(mlir::Operation *root, Group &group) const;
  bool add(mlir::Operation *root, Group &group) const;
  bool addUnpack(mlir::Operation *root, Group &group) const;
  bool addEpilogue(mlir::Operation *root, Group &group) const;
  mlir::Operation *tileEpilogueOf(mlir::Operation *op) const;
  bool addTileEpilogue(mlir::Operation *root,
                       llvm::ArrayRef<mlir::Operation *> chain,
                       Group &group) const;

  Regions regionOf; ///< numbers from 1
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DISPATCH_DISPATCHGROUPS_H
