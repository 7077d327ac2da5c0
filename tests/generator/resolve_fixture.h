// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles resolved with a cache of the test's own, and the warnings of it.

#ifndef TESTS_GENERATOR_RESOLVE_FIXTURE_H_
#define TESTS_GENERATOR_RESOLVE_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/generator/scratch_dir.h"
#include "tests/tiles/random_keys.h"
#include "tilewright/Resolve/Resolve.h"

namespace tilewright {

class ResolveTest : public ::testing::Test {
 protected:
  ResolveTest() {
    options_.cacheDir = cache_.path();
    options_.jobs = 2;
    options_.warn = [this](llvm::StringRef text) {
      warnings_.push_back(text.str());
    };
  }
  std::vector<ResolvedTile> resolve(const std::vector<TileKey>& keys) {
    llvm::Expected<std::vector<ResolvedTile>> tiles =
        resolveTiles(keys, options_);
    if (!tiles) {
      ADD_FAILURE() << llvm::toString(tiles.takeError());
      return {};
    }
    return std::move(*tiles);
  }
  std::string errorOf(const std::vector<TileKey>& keys) {
    llvm::Expected<std::vector<ResolvedTile>> tiles =
        resolveTiles(keys, options_);
    return tiles ? "" : llvm::toString(tiles.takeError());
  }

  std::vector<TileKey> keys_ = testing::randomKeys(TW_ISA_X86_64_AVX2_FMA, 24,
                                                   testing::seedOf("resolve"));
  testing::ScratchDir cache_;
  ResolveOptions options_;
  std::vector<std::string> warnings_;
};

}  // namespace tilewright

#endif  // TESTS_GENERATOR_RESOLVE_FIXTURE_H_
