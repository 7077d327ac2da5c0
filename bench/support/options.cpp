// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command-line parsing.

#include "bench/support/options.h"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <sstream>

namespace tilewright::bench {
namespace {

// All of `text` as a number that `Number` can hold.
template <typename Number>
bool parseNumber(std::string_view text, Number* value) {
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end;
}

std::string join(const std::vector<std::string>& parts) {
  std::string result;
  for (const std::string& part : parts) {
    if (!result.empty()) result += ", ";
    result += part;
  }
  return result;
}

}  // namespace

std::vector<std::string> splitNames(std::string_view text) {
  std::vector<std::string> result;
  std::stringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, ',');)
    if (!part.empty()) result.push_back(part);
  return result;
}

std::function<std::string(std::string_view)> setSwitch(bool* target) {
  return [=](std::string_view value) -> std::string {
    if (!value.empty()) return "takes no value";
    *target = true;
    return "";
  };
}

std::function<std::string(std::string_view)> setString(std::string* target) {
  return [=](std::string_view value) -> std::string {
    *target = value;
    return value.empty() ? "needs a value" : "";
  };
}

std::function<std::string(std::string_view)> setPositive(double* target,
                                                         double most) {
  return [=](std::string_view value) -> std::string {
    if (parseNumber(value, target) && *target > 0 && *target <= most) return "";
    std::ostringstream error;
    error << "needs a positive number of at most " << most << ", not '" << value
          << "'";
    return error.str();
  };
}

std::function<std::string(std::string_view)> setInteger(int64_t* target,
                                                        int64_t least,
                                                        int64_t most) {
  return [=](std::string_view value) -> std::string {
    if (parseNumber(value, target) && *target >= least && *target <= most)
      return "";
    return "needs an integer of at least " + std::to_string(least) +
           " and at most " + std::to_string(most) + ", not '" +
           std::string(value) + "'";
  };
}

std::function<std::string(std::string_view)> setIntegers(
    std::vector<int64_t>* target, int64_t least, int64_t most) {
  return [=](std::string_view value) -> std::string {
    target->clear();
    for (const std::string& part : splitNames(value)) {
      int64_t number;
      std::string error = setInteger(&number, least, most)(part);
      if (!error.empty()) return error;
      target->push_back(number);
    }
    return target->empty() ? "needs integers, separated by commas" : "";
  };
}

std::function<std::string(std::string_view)> setNames(
    std::vector<std::string>* target) {
  return [=](std::string_view value) -> std::string {
    for (std::string& name : splitNames(value))
      target->push_back(std::move(name));
    return target->empty() ? "needs names, separated by commas" : "";
  };
}

std::function<std::string(std::string_view)> setChoice(
    int* target, std::vector<std::string> choices) {
  return [=](std::string_view value) -> std::string {
    for (size_t i = 0; i < choices.size(); ++i)
      if (value == choices[i]) {
        *target = int(i);
        return "";
      }
    return "is one of " + join(choices) + ", not '" + std::string(value) + "'";
  };
}

void CommandLine::printHelp() const {
  std::printf("usage: %s [options]%s\n\n%s\n\noptions:\n", program.c_str(),
              positionalHelp.empty() ? "" : " [name...]", usage.c_str());
  for (const Option& option : options) {
    std::printf("  --%s%s%s\n", option.name.c_str(),
                option.value.empty() ? "" : "=", option.value.c_str());
    std::stringstream lines(option.help);
    for (std::string line; std::getline(lines, line);)
      std::printf("      %s\n", line.c_str());
  }
  if (!positionalHelp.empty())
    std::printf("  name...\n      %s\n", positionalHelp.c_str());
}

int CommandLine::refuse(const std::string& message) const {
  std::fprintf(stderr, "%s: %s\n", program.c_str(), message.c_str());
  return 2;
}

bool CommandLine::parse(int argc, char** argv, int* exitCode) {
  // A reader that goes away is an error of the write: see finish().
  std::signal(SIGPIPE, SIG_IGN);
  benchmarkFlags = {argv[0]};
  auto fail = [&](const std::string& message) {
    *exitCode = refuse(message);
    return false;
  };
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      printHelp();
      *exitCode = 0;
      return false;
    }
    if (argument.substr(0, 15) == "--benchmark_out")
      return fail("'" + std::string(argument) +
                  "': files are written by --json=FILE");
    if (argument.substr(0, 12) == "--benchmark_") {
      benchmarkFlags.emplace_back(argument);
      continue;
    }
    if (argument.substr(0, 1) != "-") {
      if (positionalHelp.empty())
        return fail("unexpected argument '" + std::string(argument) +
                    "'; it takes options only, see --help");
      positional.emplace_back(argument);
      continue;
    }
    size_t equals = argument.find('=');
    std::string name(argument.substr(0, equals));
    std::string_view value =
        equals == argument.npos ? "" : argument.substr(equals + 1);
    const Option* found = nullptr;
    std::vector<std::string> names;
    for (const Option& option : options) {
      if (name == "--" + option.name) found = &option;
      names.push_back("--" + option.name);
    }
    if (!found)
      return fail("unknown option '" + name + "'; it takes " + join(names) +
                  " and Google Benchmark's --benchmark_... (see --help)");
    std::string error = found->set(value);
    if (!error.empty()) return fail(name + " " + error);
  }
  return true;
}

}  // namespace tilewright::bench
