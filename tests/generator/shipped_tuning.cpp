// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shipped_tuning: whether the generated bodies of tuning databases are still,
// byte for byte, those that were measured. The tool follows what is shipped
// without looking: this test looks.

#include <string>
#include <vector>

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "tilewright/Codegen/TileGenerator.h"
#include "tilewright/Support/OutputFiles.h"
#include "tilewright/Tuning/Tuning.h"

namespace cl = llvm::cl;

namespace tilewright::testing {
namespace {

cl::OptionCategory category("Options of shipped_tuning");
cl::list<std::string> fileFlags(cl::Positional, cl::OneOrMore,
                                cl::cat(category), cl::value_desc("file..."),
                                cl::desc("Tuning databases"));
cl::opt<bool> writeFlag(
    "write", cl::cat(category),
    cl::desc("Take entries whose code has changed out of the files, and add "
             "the digests that are missing of this generator's"));

// Another version of LLVM makes other code: nothing to compare with.
constexpr int kSkipped = 77;

bool isOfOtherLlvm(const TuningEntry& entry) {
  return !entry.code.empty() && llvmOf(entry.code) != llvmHere();
}

struct Counts {
  size_t different = 0, incomparable = 0;
};

// Why the body of `entry` is not the one that was measured; empty if it is.
// Adds the digest that an entry of this generator lacks.
std::string whyOther(TileGenerator& generator, TuningEntry& entry) {
  if (entry.plan.empty()) return "";
  const ParsedTileKey parsed = parseTileKey(entry.name);
  if (!parsed.key) return parsed.error;
  GenerateOptions how;
  how.plan = entry.plan;
  llvm::Expected<GeneratedTile> tile =
      generator.generate(*parsed.key, Emit::Object, how);
  if (!tile) return llvm::toString(tile.takeError());
  const std::string code = codeDigest(tile->bytes);
  if (writeFlag && entry.code.empty() && entry.generator == generatorDigest())
    entry.code = code;
  return entry.code == code ? ""
                            : "its code is '" + code + "', was '" + entry.code +
                                  "'; plan " + entry.plan;
}

llvm::Error checkFile(const std::string& path, Counts& counts) {
  llvm::Expected<TuningDatabase> database = readTuning(path);
  if (!database) return database.takeError();
  TileGenerator generator;
  std::vector<TuningEntry> same;
  for (TuningEntry& entry : database->entries) {
    const bool isComparable = !isOfOtherLlvm(entry);
    counts.incomparable += !isComparable;
    const std::string why = isComparable ? whyOther(generator, entry) : "";
    if (writeFlag && !why.empty() && entry.isHandWritten)
      entry.plan = entry.code = "";  // beside which the other body stays
    if (!why.empty() && !entry.plan.empty())
      llvm::outs() << path << ": " << entry.name << ": " << why << "\n";
    else
      same.push_back(entry);
  }
  counts.different += database->entries.size() - same.size();
  llvm::outs() << path << ": " << same.size() << " of "
               << database->entries.size()
               << " entries are what was measured\n";
  if (!writeFlag) return llvm::Error::success();
  database->entries = std::move(same);
  return writeOutput(path, printTuning(std::move(*database)));
}

}  // namespace
}  // namespace tilewright::testing

int main(int argc, char** argv) {
  using namespace tilewright::testing;
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Generates the bodies that tuning databases prefer and compares their "
      "code with what was measured.\nExits with 1 if one is different, and "
      "with 77 if one is of another version of LLVM.\n");
  Counts counts;
  for (const std::string& file : fileFlags)
    if (llvm::Error error = checkFile(file, counts)) {
      llvm::errs() << "shipped_tuning: " << llvm::toString(std::move(error))
                   << "\n";
      return 1;
    }
  if (counts.different != 0 && !writeFlag) return 1;
  if (counts.incomparable == 0) return 0;
  llvm::outs() << "SKIPPED: " << counts.incomparable
               << " entries are of another version of LLVM\n";
  return kSkipped;
}
