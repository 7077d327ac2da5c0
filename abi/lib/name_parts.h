// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what is said of the parts of names, of tile functions and of pack
// functions alike.

#ifndef ABI_LIB_NAME_PARTS_H_
#define ABI_LIB_NAME_PARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tilewright/tile_name.h"

namespace tilewright {

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
  return std::to_string(size) + (scalable ? "vl" : "");
}

inline std::string describeSize(std::string_view what, int size, int max) {
  return std::string(what) + " is " + std::to_string(size) +
         ", but must be in 1.." + std::to_string(max);
}

inline std::string checkSize(std::string_view what, int size, int max) {
  return size >= 1 && size <= max ? "" : describeSize(what, size, max);
}

inline tw_word_t wordOf(std::string_view text) {
  // Arithmetic on a null pointer has no meaning in C.
  return {text.data() ? text.data() : "", text.size()};
}

// Why tw_take_size has refused `word`, which `stop` should follow.
inline std::string describeSizeFault(tw_name_fault_kind_t kind,
                                     std::string_view word, char stop) {
  switch (kind) {
    case TW_NAME_FAULT_NO_NUMBER:
      return "expected a decimal number";
    case TW_NAME_FAULT_LEADING_ZERO:
      return quote(word) + " has a leading zero";
    default:
      return "expected '" + std::string(1, stop) + "' after " + quote(word);
  }
}

// tw_take_size, and what it has against the text.
inline std::optional<int> takeNumber(std::string_view& text, char stop,
                                     bool& scalable, std::string& why) {
  tw_word_t rest = wordOf(text);
  int32_t value = 0;
  uint8_t isScalable = 0;
  tw_name_fault_t fault;
  if (!tw_take_size(&rest, stop, &value, &isScalable, &fault)) {
    why = describeSizeFault(fault.kind, text.substr(fault.offset, fault.length),
                            stop);
    return std::nullopt;
  }
  text = {rest.at, rest.length};
  scalable = isScalable;
  return value;
}

}  // namespace tilewright

#endif  // ABI_LIB_NAME_PARTS_H_
