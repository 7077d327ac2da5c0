// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that decides which target attributes a tile function gets when
// it is linked, as bitcode, into the module of its callers.
//
// LLVM inlines a callee only if its features are a subset of the caller's, and
// code that a caller inlines runs wherever the caller runs. So:
//
//   1. every caller must have the features of the tile's instruction set, with
//      all that its target-cpu and target-features imply, else it is an error
//      that names the caller, its module, and the features it lacks;
//   2. if all callers have the same target attributes, the tile gets these;
//   3. otherwise, and also if it can be called from code that is not seen (its
//      address is taken, or an ELF object refers to it), it gets exactly the
//      features of its instruction set, which every caller has.
//
// Other attributes stay as they are: a scalable tile's vscale_range is true
// wherever it runs, and the modes of an SME tile (streaming, ZA) are its
// code's.

#ifndef TILEWRIGHT_LINK_ATTRIBUTEPOLICY_H
#define TILEWRIGHT_LINK_ATTRIBUTEPOLICY_H

#include "tilewright/pack_key.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tilewright {

/// target-cpu, target-features and tune-cpu as a function has them; absent and
/// empty mean the same to LLVM.
struct TargetAttributes {
  std::string cpu, features, tune;

  static TargetAttributes of(const llvm::Function &function);
  void applyTo(llvm::Function &function) const;
  bool operator<(const TargetAttributes &other) const;
};

/// An error that names a function of `module` compiled for a CPU or with a
/// feature that `known` does not have: LLVM would print a line and generate
/// code for another. A feature that is unknown and off is dropped: older
/// compilers spell out all there were.
llvm::Error checkTargets(llvm::Module &module,
                         const llvm::MCSubtargetInfo &known,
                         llvm::StringRef moduleId);

/// Who uses one tile, over all bitcode modules.
struct TileUse {
  std::set<TargetAttributes> callers;
  unsigned calls = 0;
  /// Used other than by calls from functions that were looked at.
  bool escapes = false;
};

class AttributePolicy {
public:
  /// Looks at all uses of `declaration`, the function `key`, in its module,
  /// which messages call `moduleId`, checks rule 1 and the declared type, and
  /// adds to `use`. All errors are joined.
  llvm::Error checkUses(const llvm::Function &declaration,
                        const FunctionKey &key, llvm::StringRef moduleId,
                        TileUse &use);

  /// Rules 2 and 3: what the function `key` with these uses gets.
  static TargetAttributes choose(const FunctionKey &key, const TileUse &use);

private:
  /// The features of `isa` that `caller` lacks, in table order.
  llvm::Expected<std::vector<std::string>>
  missingFeatures(const llvm::Function &caller, const IsaInfo &isa);

  /// One per distinct target-cpu and target-features.
  llvm::StringMap<std::unique_ptr<llvm::MCSubtargetInfo>> subtargets;
};

} // namespace tilewright

#endif // TILEWRIGHT_LINK_ATTRIBUTEPOLICY_H
