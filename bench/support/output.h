// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing files, the way docs/outputs.md says: the generator's library does it,
// and a build without the generator writes to standard output only.

#ifndef TILEWRIGHT_BENCH_SUPPORT_OUTPUT_H_
#define TILEWRIGHT_BENCH_SUPPORT_OUTPUT_H_

#include <string>

namespace tilewright::bench {

// Each returns an error, which names the file, or "".
std::string checkOutputFile(const std::string& path);
std::string writeOutputFile(const std::string& path, const std::string& text);
// Of what was printed through LLVM's streams.
std::string flushPrinted();

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_SUPPORT_OUTPUT_H_
