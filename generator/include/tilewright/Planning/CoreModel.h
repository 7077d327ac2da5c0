// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cost model knows of the cores that plans are made for.

#ifndef TILEWRIGHT_PLANNING_COREMODEL_H
#define TILEWRIGHT_PLANNING_COREMODEL_H

#include "tilewright/Planning/Idiom.h"
#include "tilewright/contraction.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace tilewright {

/// Who orders the instructions of the code.
enum class Schedule : uint8_t {
  Planned, ///< the plan: they stand as they are emitted
  Late,    ///< LLVM, once they have registers
  Full     ///< LLVM, before they have registers and afterwards
};
inline constexpr int kSchedules = 3;

/// What a core starts per cycle, and what of it gets in the multiplies' way.
struct CoreModel {
  /// LLVM's name, one of cores.def; else what the model stands for.
  llvm::StringLiteral name;
  /// IsaInfo's, of a core of cores.def; empty for others.
  llvm::StringLiteral arch;
  double bytes;    ///< of multiplies
  double frontEnd; ///< instructions
  /// Share of a decoding operation's time that the multiplies do not hide: all
  /// of it where both want the same ports.
  double decodeShare;
  /// Of broadcasts of floats to 512 bits that are instructions of their own,
  /// what share of those above half the multiplies delays these.
  double floatBroadcast;
  /// Vectors' worth of multiplies that any such broadcast takes the place of.
  double broadcast;
  /// The same of a shuffle that spreads a group over 512 bits.
  double spread;
  /// The same of a shuffle across the two lanes of 256 bits.
  double acrossLanes = 0;
  /// What other multiplies are counted in, on vectors of up to 256 bits and of
  /// 512; null: each counts as the instructions that it takes.
  const tw_instruction_t *plain = nullptr;
  /// Cycles that a core which issues in order waits for each vector that is
  /// staged where scalars would do: it is loaded, decoded and stored before the
  /// next one.
  double stageWait = 0;
  /// How much of the order of instructions LLVM may choose; none unless the
  /// core starts them in that order, and waits with them.
  Schedule schedule = Schedule::Planned;
  /// Of those, one that waits for a load of several registers as long as for as
  /// many loads.
  bool loadsOneByOne = false;
  /// Of those, one whose loads do not wait for products of floats before them.
  bool loadsPassFloats = false;

  /// Plain multiplies that a multiply-accumulate of `idiom` on vectors of
  /// `bits` takes as long as: core_rates.def, where this is a core.
  double multiplies(const Idiom &idiom, int bits) const;
  /// Whether this is a core of cores.def, and code of `isa` may be for it.
  bool isCoreOf(const IsaInfo &isa) const {
    return llvm::StringRef(arch) == llvm::StringRef(isa.arch);
  }
};

/// The models that plans are made by where no core is asked for: the plan is
/// chosen that is cheapest by the geometric mean.
llvm::ArrayRef<const CoreModel *> usualCores(const IsaInfo &isa);
/// The first of them, of which costs are told.
inline const CoreModel &usualCore(const IsaInfo &isa) {
  return *usualCores(isa).front();
}

/// The model of `cpu`, a name of cores.def or an alias there. An error says
/// what comes close.
llvm::Expected<const CoreModel *> findCore(llvm::StringRef cpu);

/// What compiled models know of `cpu`, by such a name; all 0 of an empty one.
llvm::Expected<tw_known_core_t> knownCore(llvm::StringRef cpu);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_COREMODEL_H
