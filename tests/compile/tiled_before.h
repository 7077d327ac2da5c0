// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data tiling as other compilers have it, by the passes alone.

#ifndef TESTS_COMPILE_TILED_BEFORE_H_
#define TESTS_COMPILE_TILED_BEFORE_H_

#include <optional>
#include <string>
#include <string_view>

namespace tilewright::testing {

// The model with its operands packed for a CPU's tiles, everything encoded that
// may be, and its multiplications as loops over tiles: slices and paddings are
// still what they were, of tensors in tiles. Empty after an error, which is
// then in `error`.
std::optional<std::string> tiledBefore(std::string_view model,
                                       const std::string& isa,
                                       std::string* error);

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_TILED_BEFORE_H_
