// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/MeasureTile.h"

#include "measure/check_tile.h"
#include "measure/operands.h"
#include "measure/peaks.h"
#include "measure/plain_tile.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/tilewright.h"
#include "ukernels/vector_length.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Host.h"
#include <fstream>

using namespace llvm;

namespace tilewright {
namespace {

using bench::Operands;
using bench::PeakTimer;
using bench::Sliced;

constexpr double kSliceSeconds = 200e-6;

std::vector<std::string> isaNames() {
  std::vector<std::string> names;
  for (tw_isa_t isa : hostTargetCpu().isas)
    names.emplace_back(info(isa).name);
  return names;
}

/// "Intel(R) Xeon(R) Processor"; LLVM's name where the system has none.
std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    auto [key, value] = StringRef(line).split(':');
    if (key.trim() == "model name")
      return value.trim().str();
  }
  return sys::getHostCPUName().str();
}

std::optional<PeakShare> shareOf(std::optional<PeakTimer::Rate> rate,
                                 const BenchedTile &tile) {
  if (!rate)
    return std::nullopt;
  PeakShare share;
  share.sequence = rate->peak->name;
  share.isa = info(rate->peak->isa).name;
  share.gops = rate->operationsPerSecond * 1e-9;
  share.sharePercent = 100 * tile.gops() / share.gops;
  return share;
}

/// Plain loops, called as a tile function is.
class PlainLoops {
public:
  PlainLoops(const TileKey &key, int64_t k)
      : once(key.rounding == Rounding::kOnce),
        scratch(tw_plain_scratch_bytes(key.types, k, key.m0, key.n0, key.k0) /
                sizeof(float)) {}

  void operator()(void *out, const void *lhs, const void *rhs,
                  const tw_mmt4d_params_t *params) {
    tw_mmt4d_params_t here = *params;
    if (once)
      here.flags |= TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
    tw_plain_tile(out, lhs, rhs, &here, scratch.data());
  }

private:
  bool once;
  std::vector<float> scratch;
};

} // namespace

Error checkRunnable(const TileKey &key, StringRef name) {
  const IsaInfo &isa = info(key.isa);
  const std::string here = join(isaNames(), ", ");
  if (isa.isGpu())
    return createStringError(
        name +
        ": is code for an AMD GPU, and 'bench' times tiles on this CPU, "
        "which runs " +
        here +
        "; 'tilewright explain' has the modelled cycles of a GPU's tile");
  // Without the permission the CPU counts as one that has none.
  char amx[TW_EXPLANATION_SIZE];
  const bool asks = any_of(isa.features, [&](const CpuFeatureInfo *feature) {
    return targetOf(isa).isOnRequest(feature->llvmName);
  });
  const bool isRefused =
      asks && tw_cpu_permit_amx(amx, sizeof amx) != TW_STATUS_OK;
  TargetCpu host = hostTargetCpu();
  if (!isForArchitecture(isa, host.arch))
    return createStringError(
        name + ": is for another architecture than this CPU's, which runs " +
        here + "; 'tilewright explain' has the estimated cycles");
  if (host.has(key.isa))
    return Error::success();
  std::vector<std::string> lacks;
  for (const CpuFeatureInfo *feature : isa.features)
    if (!is_contained(host.features, feature))
      lacks.emplace_back(feature->llvmName);
  return createStringError(name + ": this CPU lacks " + join(lacks, ", ") +
                           "; it runs " + here +
                           (isRefused ? ". " + std::string(amx) : ""));
}

Expected<TileKey> keyHere(const TileKey &key, StringRef name) {
  if (!key.isScalable())
    return key;
  uint64_t cpu[TW_CPU_DATA_WORDS];
  tw_cpu_detect(cpu);
  const int bits = tw_vector_length(cpu, info(key.isa).scaling);
  if (bits == 0)
    return createStringError(name + ": the system does not tell the length of "
                                    "this CPU's vectors");
  return key.atVectorBits(bits);
}

Expected<std::string> checkResult(const TileKey &key, StringRef name,
                                  tw_mmt4d_tile_fn_t fn) {
  std::string wrong = bench::checkTile(key, fn);
  if (wrong.empty())
    wrong = bench::checkReals(key, fn);
  if (!wrong.empty())
    return createStringError(name + ": " + wrong);
  return info(key.types).accumulator == TW_ELEMENT_S32
             ? std::string("exactly, on the types' whole range")
             : std::string("exactly on small integers, on reals within the "
                           "bound");
}

Error measureTile(const TileKey &key, tw_mmt4d_tile_fn_t fn,
                  const MeasureOptions &options, BenchedTile &tile) {
  tile.k = options.k ? options.k : bench::defaultK(key);
  const std::string tooMuch =
      bench::checkMemory(bench::operandBytes(key, tile.k, options.cold) +
                         double(tw_plain_scratch_bytes(
                             key.types, tile.k, key.m0, key.n0, key.k0)));
  if (!tooMuch.empty())
    return createStringError(tile.name + " with K = " + Twine(tile.k) + " " +
                             tooMuch);
  Operands operands(key, tile.k, options.cold, /*accumulate=*/false);
  tile.operations = operands.operationsPerCall();
  PlainLoops plainLoops(key, tile.k);
  Sliced timed([&](int64_t calls) { operands.run(fn, calls); }, kSliceSeconds);
  Sliced plain(
      [&](int64_t calls) {
        operands.run([&](auto... arguments) { plainLoops(arguments...); },
                     calls);
      },
      kSliceSeconds);
  PeakTimer peaks(bench::peaksOf(key, bench::PeakScope::kCpu), kSliceSeconds,
                  &info(key.isa));
  // Plain loops of big tiles take seconds a call: at least one slice, then no
  // longer than the tile gets.
  const double plainBudget = double(options.rounds) * kSliceSeconds;
  double plainSpent = 0;
  std::vector<double> times;
  for (int64_t round = 0; round < options.rounds; ++round) {
    times.push_back(timed.slice());
    peaks.slice();
    if (plainSpent < plainBudget)
      plainSpent += plain.slice() * double(plain.callsPerSlice());
  }
  const LeastTime least = leastOf(times);
  tile.leastNs = least.least * 1e9;
  tile.spreadPercent = least.spreadPercent;
  tile.plainNs = plain.best() * 1e9;
  tile.peak = shareOf(peaks.fastest(), tile);
  tile.isaPeak = shareOf(peaks.fastest(&info(key.isa)), tile);
  return Error::success();
}

BenchReport describeCpu(ArrayRef<TileKey> keys) {
  BenchReport report;
  report.cpu = cpuName();
  report.core = hostCoreName();
  report.isas = isaNames();
  const StringMap<bool> features = sys::getHostCPUFeatures();
  for (const Target *target : targets())
    for (const MatrixUnit &unit : target->matrixUnits()) {
      const int bits = info(unit.types).bits;
      if (features.lookup(unit.feature) &&
          any_of(keys, [&](const TileKey &key) {
            const TypeTripleInfo &types = info(key.types);
            return bits == 8
                       ? types.accumulator == TW_ELEMENT_S32 &&
                             info(types.lhs).bits <= 8 &&
                             info(types.rhs).bits <= 8
                       : types.lhs == unit.types && types.rhs == unit.types;
          }))
        report.remarks.push_back(
            "This CPU has " + unit.feature.str() + " besides, which " +
            (unit.isUsed ? "tiles of the variant 'vnni' use: it is part of the "
                           "peak of those alone."
                         : "no tile uses: it is not part of the peak."));
    }
  return report;
}

} // namespace tilewright
