// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random plans of a key: what fits it, whether or not anybody would choose it.

#ifndef TESTS_TILES_RANDOM_PLANS_H_
#define TESTS_TILES_RANDOM_PLANS_H_

#include <string>

#include "tests/common/seed.h"
#include "tilewright/key.h"

namespace tilewright::testing {

// A plan in full, of which some parts were drawn: of any idiom, block, stage
// and way to read. Of a size that is quick to generate. The planner's own if
// nothing else that is tried fits.
std::string randomPlan(const TileKey& key, Random& random);

// Keys for which such plans are quick to check: at most `volume` elements of M0
// * N0 * K0.
bool isSmall(const TileKey& key, int64_t volume);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_RANDOM_PLANS_H_
