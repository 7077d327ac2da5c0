// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// golden_objects: whether generated tiles are still, byte for byte, those whose
// digests golden_objects.txt keeps. A change of structure leaves all of them; a
// change that is meant to change code writes the list anew and says which.

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "tests/amdgpu/wave_keys.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/Codegen/TileGenerator.h"
#include "tilewright/Planning/CoreModel.h"

namespace cl = llvm::cl;

namespace tilewright::testing {
namespace {

cl::OptionCategory category("Options of golden_objects");
cl::opt<std::string> fileFlag(cl::Positional, cl::Required, cl::cat(category),
                              cl::value_desc("file"),
                              cl::desc("The list of names and digests"));
cl::opt<int> perIsaFlag(
    "per-isa", cl::cat(category), cl::init(75),
    cl::desc("How many keys of each instruction set (default: 75)"));
cl::opt<bool> writeFlag("write", cl::cat(category),
                        cl::desc("Draw the keys and write the list anew"));

cl::opt<bool> fromTextFlag(
    "from-text", cl::cat(category),
    cl::desc("Generate each tile from the printed text of its plan alone, "
             "tuned for another core than plans usually are for"));

constexpr const char* kVersion = "LLVM " LLVM_VERSION_STRING;

// Another version of LLVM makes other code: nothing to compare with.
constexpr int kSkipped = 77;

// A core of the key's architecture whose plans are others.
std::string otherCore(const IsaInfo& isa) {
  for (const char* cpu : {"gracemont", "neoverse-v1"})
    if (llvm::cantFail(findCore(cpu))->isCoreOf(isa)) return cpu;
  return "";
}

// Of the object; tiles for AMD GPUs have that of a kernel around them.
std::string digestOf(TileGenerator& generator, const TileKey& key,
                     bool fromText) {
  const IsaInfo& isa = info(key.isa);
  const Emit kind = isa.isGpu() ? Emit::CodeObject : Emit::Object;
  GenerateOptions options;
  if (fromText) {
    llvm::Expected<GeneratedTile> plan = generator.generate(key, Emit::Plan);
    if (!plan) return "error: " + llvm::toString(plan.takeError());
    options.plan.assign(plan->bytes.data(), plan->bytes.size() - 1);
    options.tuneCpu = otherCore(isa);
  }
  llvm::Expected<GeneratedTile> tile = generator.generate(key, kind, options);
  if (!tile) return "error: " + llvm::toString(tile.takeError());
  return llvm::utohexstr(llvm::xxh3_64bits(llvm::StringRef(tile->bytes.data(),
                                                           tile->bytes.size())),
                         /*LowerCase=*/true, /*Width=*/16);
}

// The extreme shapes, with which random ones begin, last: they take longest.
std::vector<TileKey> keysOf(const IsaInfo& isa, int count) {
  const uint64_t seed = seedOf("golden_objects " + std::string(isa.name));
  std::vector<TileKey> keys =
      isa.isGpu() ? randomWaveKeys(isa.isa, count, seed)
                  : randomKeys(isa.isa, count, seed, Sizes::kAlsoScalable);
  std::rotate(keys.begin(), keys.begin() + std::min(8, count - 1), keys.end());
  return keys;
}

int write(const std::string& file, int perIsa) {
  std::string text =
      "# Part of Tilewright, under the Apache License v2.0 with LLVM "
      "Exceptions.\n# SPDX-License-Identifier: Apache-2.0 WITH "
      "LLVM-exception\n#\n# Random keys of every instruction set, and xxh3 of "
      "their generated objects: golden_objects --write.\n";
  text += std::string(kVersion) + "\n";
  TileGenerator generator;
  int count = 0;
  for (const IsaInfo& isa : isas())
    for (const TileKey& key : keysOf(isa, perIsa)) {
      const std::string digest = digestOf(generator, key, false);
      if (llvm::StringRef(digest).starts_with("error")) {
        llvm::errs() << printTileKey(key) << ": " << digest << "\n";
        return 1;
      }
      text += printTileKey(key) + " " + digest + "\n";
      ++count;
    }
  if (llvm::Error error =
          llvm::writeToOutput(file, [&](llvm::raw_ostream& out) {
            out << text;
            return llvm::Error::success();
          })) {
    llvm::errs() << "golden_objects: cannot write " << file << ": "
                 << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  llvm::outs() << file << ": " << count << " keys\n";
  return 0;
}

int check(const std::string& file, int perIsa, bool fromText) {
  std::ifstream in(file);
  if (!in) {
    llvm::errs() << "golden_objects: cannot read " << file << "\n";
    return 1;
  }
  std::string line, version;
  std::map<tw_isa_t, int> seen;
  int different = 0, checked = 0;
  TileGenerator generator;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    if (version.empty()) {
      version = line;
      if (version == kVersion) continue;
      if (version.rfind("LLVM ", 0) != 0) {
        llvm::errs() << "golden_objects: " << file << ": '" << line
                     << "' is not the version of LLVM that made it, as '"
                     << kVersion << "'\n";
        return 1;
      }
      llvm::outs() << "SKIPPED: " << file << " is of " << version
                   << ", this is " << kVersion << "\n";
      return kSkipped;
    }
    const size_t space = line.find(' ');
    const ParsedTileKey parsed = parseTileKey(line.substr(0, space));
    if (space == std::string::npos || !parsed.key) {
      llvm::errs() << "golden_objects: " << file << ": '" << line
                   << "' is not a tile's name and a digest " << parsed.error
                   << "\n";
      return 1;
    }
    if (seen[parsed.key->isa]++ >= perIsa) continue;
    ++checked;
    const std::string digest = digestOf(generator, *parsed.key, fromText);
    if (digest == line.substr(space + 1)) continue;
    if (++different <= 20)
      llvm::outs() << line << ": is now " << digest << "\n";
  }
  for (const IsaInfo& isa : isas())
    if (seen[isa.isa] == 0) {
      llvm::errs() << "golden_objects: no key of " << isa.name << " in " << file
                   << "\n";
      return 1;
    }
  llvm::outs() << checked << " objects, " << different << " different\n";
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tilewright::testing

int main(int argc, char** argv) {
  using namespace tilewright::testing;
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Generates tiles and compares the digests of their objects with those of "
      "a list.\nExits with 1 if one is different, and with 77 if the list is "
      "of another version of LLVM.\n");
  if (perIsaFlag < 1) {
    llvm::errs() << "golden_objects: --per-isa=" << perIsaFlag
                 << ": expected 1 or more\n";
    return 1;
  }
  return writeFlag ? write(fileFlag, perIsaFlag)
                   : check(fileFlag, perIsaFlag, fromTextFlag);
}
