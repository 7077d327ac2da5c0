// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright explain` of pack functions.

#include "ExplainFacts.h"

#include "tilewright/Registry/Registry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

/// "packed[ro][co][r < 12][c < 1] = matrix[ro * 12 + r][co * 1 + c]".
std::string assignmentText(const PackKey &key) {
  std::string row = formatv("[ro * {0} + r]", key.r0);
  std::string col = formatv("[co * {0} + c]", key.c0);
  std::string matrix =
      "matrix" + (key.lines == MatrixLines::kRows ? row + col : col + row);
  std::string packed =
      formatv("packed[ro][co][r < {0}][c < {1}]", key.r0, key.c0);
  return key.unpack ? matrix + " = " + packed : packed + " = " + matrix;
}

} // namespace

Error explainPack(const PackKey &key, const ResolveOptions &options,
                  json::Array *into) {
  const IsaInfo &isa = info(key.isa);
  std::string name = printPackKey(key, options.generate.prefix);
  CpuFacts cpu = lookAtCpu(isa);
  CacheFacts cached = lookAtCache(key, options);
  Expected<std::string> path = packTemplatePath(options.bitcodeDir);
  std::string source = path ? *path : toString(path.takeError());
  Origin origin = cached.any() ? Origin::Cached : Origin::Generated;
  StringRef lines = key.lines == MatrixLines::kRows ? "rows" : "cols";
  if (into) {
    into->push_back(
        json::Object{{"name", name},
                     {"unpack", key.unpack},
                     {"bits", key.bits},
                     {"orientation", lines},
                     {"R0", key.r0},
                     {"C0", key.c0},
                     {"isa", std::string(isa.name)},
                     {"tile_bytes", key.tileBytes()},
                     {"cpu_runs_it", cpu.runsIt()},
                     {"cpu_lacks", json::Array(cpu.missingFeatures)},
                     {"cached_bitcode", cached.bitcode},
                     {"cached_object", cached.object},
                     {"template", source},
                     {"origin", originName(origin)}});
    return Error::success();
  }
  auto line = [](StringRef what, const Twine &text) {
    outs() << formatv("  {0,-13}{1}\n", what, text.str());
  };
  outs() << name << '\n';
  line(key.unpack ? "unpacks" : "packs",
       assignmentText(key) +
           (key.unpack ? "" : ", padding outside of the matrix"));
  line("elements", formatv("of {0} bits; a tile has {1} bytes; a line of the "
                           "matrix is a {2}",
                           key.bits, key.tileBytes(),
                           key.lines == MatrixLines::kRows ? "row" : "column")
                       .str());
  line("ISA",
       isa.name + (isa.features.empty() ? "" : "; ") + isa.llvmFeatures());
  line("this CPU", cpu.text());
  line("cached", cached.text());
  line("chosen", originName(origin) + ": tw_" +
                     (key.unpack ? "unpack" : "pack") +
                     "'s code for this layout, made from " + source);
  return Error::success();
}

} // namespace tilewright
