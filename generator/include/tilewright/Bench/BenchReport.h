// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tilewright bench` measured, as data: printed, written, read again.

#ifndef TILEWRIGHT_BENCH_BENCHREPORT_H
#define TILEWRIGHT_BENCH_BENCHREPORT_H

#include "tilewright/Bench/MachineNoise.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// The fastest sequence that computes a tile's types exactly, and how much of
/// its rate the tile reaches.
struct PeakShare {
  std::string sequence; ///< a mnemonic of instructions.def
  std::string isa;      ///< the instruction set that it is of
  double gops = 0;
  double sharePercent = 0;
};

struct BenchedTile {
  std::string name;
  std::string origin;  ///< "hand-written", "generated"
  std::string reason;  ///< why this body
  std::string body;    ///< the family of the hand-written one, else the plan
  double madeMs = 0;   ///< to an object
  std::string checked; ///< how the result was compared, and found right
  int64_t k = 0;
  double operations = 0; ///< of one call, multiplications and additions
  double leastNs = 0;    ///< of one call
  double spreadPercent = 0;
  double plainNs = 0; ///< plain loops' least
  /// Of all that this CPU has, and of what the tile's instruction set has;
  /// none where no sequence is measured.
  std::optional<PeakShare> peak, isaPeak;

  double gops() const { return operations / leastNs; }
  double timesPlain() const { return plainNs / leastNs; }
};

struct BenchReport {
  std::string version;           ///< of the tool
  std::string cpu;               ///< "Intel(R) Xeon(R) Processor"
  std::string core;              ///< LLVM's name: "sapphirerapids"
  std::vector<std::string> isas; ///< that it can run, best first
  bool cold = false;
  int64_t rounds = 0;
  MachineNoise noise;
  /// What a reader should know besides, a sentence each.
  std::vector<std::string> remarks;
  std::vector<BenchedTile> tiles;
};

/// The least of `times`, and by how much the least times of six parts of the
/// run differ from it: 100 * (their median / least - 1).
struct LeastTime {
  double least = 0, spreadPercent = 0;
};
LeastTime leastOf(llvm::ArrayRef<double> times);

/// docs/bench-command.md has the schema. The reader accepts what the writer
/// writes; an error names `file`, the place and what was expected there.
std::string printBenchJson(const BenchReport &report);
llvm::Expected<BenchReport> parseBenchJson(llvm::StringRef text,
                                           llvm::StringRef file);

/// A table for people.
void printBenchText(const BenchReport &report, llvm::raw_ostream &os);

} // namespace tilewright

#endif // TILEWRIGHT_BENCH_BENCHREPORT_H
