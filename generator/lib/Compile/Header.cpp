// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C header of a compiled model.

#include "tilewright/Compile/CompileModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Of a header called `name`: "model.h" -> "MODEL_H_".
std::string includeGuard(StringRef name) {
  std::string guard;
  for (char c : name)
    guard += isAlnum(c) ? toUpper(c) : '_';
  if (guard.empty() || isDigit(guard[0]))
    guard.insert(0, "MODEL_");
  return guard + "_";
}

const char conventions[] = R"(
// Arrays are row-major and need only their element's alignment. Sizes count
// elements. A function returns 0 when it has written its results, and 1 without
// having written anything when a size is or would become negative, sizes that
// must agree do not, or a slice or window reaches outside of its tensor.
// Results may not overlap arguments. Functions may be called from several
// threads; each call takes what memory it needs from malloc and gives it back.
// Link with -lm.
)";

} // namespace

std::string emitHeader(StringRef name, const std::vector<EntryPoint> &entries) {
  std::string text;
  raw_string_ostream os(text);
  std::string guard = includeGuard(name);
  os << "// The entry points of " << name
     << ", as compiled by `tilewright compile`.\n"
     << conventions << "\n#ifndef " << guard << "\n#define " << guard
     << "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
        "#endif\n";
  for (const EntryPoint &entry : entries) {
    os << '\n';
    for (const std::string &shape : entry.shapes)
      os << "//   " << shape << '\n';
    std::string start = "int32_t " + entry.name + "(";
    os << start
       << join(entry.parameters, ",\n" + std::string(start.size(), ' '))
       << ");\n";
  }
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif  // " << guard << '\n';
  return text;
}

} // namespace tilewright
