// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tile's instruction does on the cores that tilewright knows: what the
// choice between tiles weighs (instructions.def, core_rates.def), to explain
// it.

#ifndef TILEWRIGHT_COMPILE_COREPREFERENCE_H
#define TILEWRIGHT_COMPILE_COREPREFERENCE_H

#include "tilewright/key.h"
#include <string>
#include <vector>

namespace tilewright {

/// The instruction that the runtime library takes `key` to multiply with, as
/// "smmla"; empty where it has no table of instructions.
std::string multiplyName(const TileKey &key);

/// One core of cores.def that can run a tile.
struct CoreVerdict {
  std::string core; ///< LLVM's name
  /// The tile of the same M0 and N0 that is quickest there by another
  /// instruction: only K0 and the instruction set are of interest. Without one
  /// `instead` is empty.
  std::string instead;
  TileKey other;
  /// By how much this key is quicker than `other`; 1 without one.
  double gain = 1;

  /// Less than this is not worth a wider K0.
  bool gains() const { return instead.empty() || gain > 1.02; }
};

/// All cores of cores.def that have the instruction set of `key`, in table
/// order; empty where multiplyName is. Scalable sizes are compared among each
/// other, at the least vector length.
std::vector<CoreVerdict> judgeOnCores(const TileKey &key);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_COREPREFERENCE_H
