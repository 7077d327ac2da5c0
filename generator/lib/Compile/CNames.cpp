// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CNames.h"

#include "CLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Of C and C++: headers are for both.
constexpr const char *keywords[] = {
    "alignas",  "alignof",   "auto",   "bool",     "break",   "case",
    "char",     "class",     "const",  "continue", "default", "delete",
    "do",       "double",    "else",   "enum",     "extern",  "false",
    "float",    "for",       "goto",   "if",       "inline",  "int",
    "long",     "namespace", "new",    "operator", "private", "public",
    "register", "restrict",  "return", "short",    "signed",  "sizeof",
    "static",   "struct",    "switch", "template", "this",    "true",
    "typedef",  "typename",  "union",  "unsigned", "using",   "virtual",
    "void",     "volatile",  "while"};

bool isLibraryFunction(StringRef name) {
  return is_contained(kMemoryFunctions, name) ||
         is_contained(kMathFunctions, name) ||
         (name.consume_back("f") && is_contained(kMathFunctions, name));
}

/// Parameters that entry points have beside the model's arguments.
constexpr const char *ownParameters[] = {"instance", "parallel_for",
                                         "workspace", "workspace_bytes"};

/// Whether `name` is `stem` and digits.
bool isNumbered(StringRef name, StringRef stem) {
  return name.consume_front(stem) && all_of(name, isDigit);
}

} // namespace

bool isCName(StringRef name) {
  return !name.empty() && !isDigit(name[0]) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; }) &&
         !is_contained(keywords, name);
}

std::string cFunctionName(StringRef name, StringRef model) {
  if (name == "main")
    name = model == "main" ? "model" : model;
  std::string result;
  for (char c : name)
    result += isAlnum(c) ? c : '_';
  if (!isCName(result) || isLibraryFunction(result))
    result.insert(0, "model_");
  return result;
}

std::string cParameterName(StringRef name) {
  std::string result;
  for (char c : name)
    result += isAlnum(c) ? c : '_';
  if (result.empty() || isDigit(result[0]))
    result.insert(0, "arg");
  // Names of results, and of sizes such as images_d0, are the header's own.
  StringRef tail = StringRef(result).rsplit("_d").second;
  if (!isCName(result) || isNumbered(result, "result") ||
      is_contained(ownParameters, result) ||
      (!tail.empty() && all_of(tail, isDigit)))
    result += '_';
  return result;
}

} // namespace tilewright
