// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles for another architecture made on this host, checked under qemu by its
// cross build's tile_check_runner. Built once for each architecture.

#ifndef TESTS_CROSS_EMULATED_TILES_H_
#define TESTS_CROSS_EMULATED_TILES_H_

#include <map>
#include <string>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "tests/cross/cpu_models.h"
#include "tilewright/Codegen/TileGenerator.h"
#include "tilewright/key.h"

namespace tilewright::testing {

// The models of TilewrightCpuModels.cmake that `isa` is tested on; never empty
// for an ISA of that architecture.
std::vector<const CpuModel*> modelsFor(const IsaInfo& isa);

// The first instruction of `object`, of code for `isa`, that a CPU with
// `features` (LLVM's target-features) lacks, or bytes that are none; empty if
// there is none.
std::string foreignInstruction(llvm::StringRef object, const IsaInfo& isa,
                               llvm::StringRef features);

// Generates the object of `key`, with these parts of its plan, and inspects it:
// inspectObject, and no instruction that its ISA lacks. An error names the key.
llvm::Expected<std::string> inspectedObject(TileGenerator& generator,
                                            const TileKey& key,
                                            Lowering lowering,
                                            const std::string& plan = "");

// One tile function of a key. Without an object it stands for the hand-written
// one of the cross build's library.
struct EmulatedSource {
  std::string label;  // "generated", "loops", "hand-written"
  std::string object;
};

// Several keys, linked together and checked by one process per CPU model.
class EmulatedTiles {
 public:
  // What became of the keys on one CPU model.
  struct Outcome {
    int checked = 0;
    std::vector<std::string> failures;  // each names its key
  };

  // The sources of one key are checked on the same operands (checkTiles).
  void add(const TileKey& key, uint64_t seed, int64_t budget,
           std::vector<EmulatedSource> sources);
  bool empty() const { return keys_.empty(); }

  // Links what was added into `directory`, which is made anew.
  llvm::Error link(const std::string& directory);

  // Checks the keys for which `wanted` holds on `model`, which are numbered as
  // they were added. After link().
  llvm::Expected<Outcome> check(
      const CpuModel& model,
      llvm::function_ref<bool(const TileKey& key, size_t number)> wanted) const;

  // Links into `directory`, then checks the keys, which are of `isa`, on its
  // models: all of them on the first, the scalable ones on the others too.
  // Where fixed vectors are a part of longer ones, all but the largest are
  // checked on another model, by turns, in a soak on each of them. An outcome
  // has the keys of the first, and all failures.
  llvm::Expected<Outcome> checkOnModels(const IsaInfo& isa,
                                        const std::string& directory);

 private:
  struct Key {
    TileKey key;
    uint64_t seed;
    int64_t budget;
    std::vector<EmulatedSource> sources;
  };

  std::vector<Key> keys_;
  std::string directory_;
  std::map<std::string, std::string> libraries_;  // by label
};

}  // namespace tilewright::testing

#endif  // TESTS_CROSS_EMULATED_TILES_H_
