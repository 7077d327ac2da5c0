// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines: `--name=value` options of our own, Google Benchmark's
// `--benchmark_...` passed through, everything else positional.

#ifndef TILEWRIGHT_BENCH_SUPPORT_OPTIONS_H_
#define TILEWRIGHT_BENCH_SUPPORT_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::bench {

struct Option {
  std::string name;   // without dashes
  std::string value;  // what stands after '=' in the help; empty for a switch
  std::string help;   // lines separated by '\n'
  // Takes the value ("" where none was given); returns an error or "".
  std::function<std::string(std::string_view)> set;
};

// More of anything (slices, keys, calls) than a program here is made for.
inline constexpr int64_t kMostThings = 1000000;
// Steps of K, rows and columns: their products with the sizes of a tile fit 64
// bits. checkMemory() says what fits a machine.
inline constexpr int64_t kMostSteps = int64_t{1} << 30;

// Setters for the usual kinds of value.
std::function<std::string(std::string_view)> setSwitch(bool* target);
std::function<std::string(std::string_view)> setString(std::string* target);
// A positive number of at most `most`.
std::function<std::string(std::string_view)> setPositive(double* target,
                                                         double most);
// Integers from `least` to `most`.
std::function<std::string(std::string_view)> setInteger(
    int64_t* target, int64_t least, int64_t most = kMostThings);
std::function<std::string(std::string_view)> setIntegers(
    std::vector<int64_t>* target, int64_t least, int64_t most = kMostThings);
std::function<std::string(std::string_view)> setNames(
    std::vector<std::string>* target);
// One of `choices`; *target becomes its index.
std::function<std::string(std::string_view)> setChoice(
    int* target, std::vector<std::string> choices);

struct CommandLine {
  std::string program;
  std::string usage;  // the first lines of --help
  std::vector<Option> options;
  // What the positional arguments are, for --help; empty: none are accepted.
  std::string positionalHelp;

  std::vector<std::string> positional;
  // Google Benchmark's own flags, argv[0] first.
  std::vector<std::string> benchmarkFlags;

  // Returns true if the program should go on. Otherwise it has printed the help
  // (*exitCode 0) or an error that says what would be accepted (*exitCode 2).
  bool parse(int argc, char** argv, int* exitCode);
  // Prints an error as parse() does; returns the exit code for it.
  int refuse(const std::string& message) const;

 private:
  void printHelp() const;
};

// Splits at commas; empty parts are dropped.
std::vector<std::string> splitNames(std::string_view text);

}  // namespace tilewright::bench

#endif  // TILEWRIGHT_BENCH_SUPPORT_OPTIONS_H_
