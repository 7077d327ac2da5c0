// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linalg operations that follow each other and go through the same loops: what
// one computes of a row, the next needs of no other row.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPGROUP_H
#define TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPGROUP_H

#include "LoopPlan.h"
#include <memory>
#include <vector>

namespace tilewright {

class LoopGroup {
public:
  /// What operations read and write.
  struct Accesses;

  struct Member {
    mutable mlir::linalg::LinalgOp op; ///< whose questions are none of const
    LoopPlan plan;
    /// Its loop that is each shared one.
    llvm::SmallVector<unsigned> shared;
    /// When it was added.
    std::shared_ptr<const Accesses> accesses;

    /// Whether all of it is done in the shared loops.
    bool isScalar() const { return shared.size() == op.getNumLoops(); }
  };

  explicit LoopGroup(const VectorTarget &target) : target(target) {}

  /// Adds the operation, which comes behind the others, if loops are left that
  /// all share and that go over no member's lanes. On tensors or on buffers.
  bool add(mlir::linalg::LinalgOp op);

  llvm::ArrayRef<Member> getMembers() const { return members; }
  bool hasLanes() const {
    return !llvm::all_of(
        members, [](const Member &member) { return member.isScalar(); });
  }
  /// Whether the reduction can take up what the producer stores, vector by
  /// vector: both go over the lanes alike, and what the one reads of the other
  /// is the element just stored.
  static bool takesUp(const Member &reduction, const Member &producer);
  /// Whether inputs of the one are written by the other.
  static bool isReadBy(const Member &writer, const Member &reader);
  /// The dimensions of `buffer` that the shared loops go over, by loop; none if
  /// some member does not index them so.
  std::optional<llvm::SmallVector<unsigned>>
  sharedDimsOf(mlir::Value buffer) const;

private:
  void dropLoops(llvm::ArrayRef<bool> keep);
  bool keepLanesApart();

  VectorTarget target;
  std::vector<Member> members;
};

/// Whether both could go through shared loops, as the one group.
bool canShareLoops(mlir::linalg::LinalgOp producer,
                   mlir::linalg::LinalgOp consumer);

/// What the value is a view of.
mlir::Value rootOf(mlir::Value buffer);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_LOOPGROUP_H
