// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what the names of tile functions and of pack functions are made of.

#ifndef ABI_LIB_NAME_PARTS_H_
#define ABI_LIB_NAME_PARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

inline constexpr std::string_view kScalable = "vl";

inline std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

// Joins names for a message: "a, b, c".
template <typename Table>
std::string listNames(const Table& table) {
  std::string result;
  for (const auto& row : table) {
    if (!result.empty()) result += ", ";
    result += row.name;
  }
  return result;
}

inline std::string printSize(int size, bool scalable) {
  return std::to_string(size) + (scalable ? std::string(kScalable) : "");
}

inline std::string checkSize(std::string_view what, int size, int max) {
  if (size >= 1 && size <= max) return {};
  return std::string(what) + " is " + std::to_string(size) +
         ", but must be in 1.." + std::to_string(max);
}

// Takes "<digits>" or "<digits>vl" without leading zeros off the front of
// `text`, which must continue with `stop`. Saturates far above every limit.
inline std::optional<int> takeNumber(std::string_view& text, char stop,
                                     bool& scalable, std::string& why) {
  size_t digits = 0;
  int64_t value = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    if (value < 1'000'000) value = value * 10 + (text[digits] - '0');
    ++digits;
  }
  std::string_view number = text.substr(0, digits);
  if (digits == 0) {
    why = "expected a decimal number";
    return std::nullopt;
  }
  if (digits > 1 && number[0] == '0') {
    why = quote(number) + " has a leading zero";
    return std::nullopt;
  }
  scalable = text.substr(digits, kScalable.size()) == kScalable;
  if (scalable) {
    digits += kScalable.size();
    number = text.substr(0, digits);
  }
  if (digits == text.size() || text[digits] != stop) {
    why = "expected '" + std::string(1, stop) + "' after " + quote(number);
    return std::nullopt;
  }
  text.remove_prefix(digits + 1);
  return static_cast<int>(value);
}

}  // namespace tilewright

#endif  // ABI_LIB_NAME_PARTS_H_
