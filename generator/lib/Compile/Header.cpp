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

const char arenaConventions[] = R"(
// A function returns 5 when malloc fails, and 3 when sizes are such that no
// memory is large enough. The function of the same name that ends in
// _with_workspace does not call malloc: its memory is `workspace`, which starts
// at a multiple of 64 bytes, else it returns 1, and holds as many bytes as the
// function that ends in _workspace_bytes says of the same sizes, else it returns
// 4. That one returns the number of the status, negated, where a call would
// refuse the sizes. Calls at the same time need workspaces of their own.
)";

void declare(raw_ostream &os, StringRef type, StringRef name,
             ArrayRef<std::string> parameters) {
  std::string start = (type + " " + name + "(").str();
  os << start
     << (parameters.empty()
             ? "void"
             : join(parameters, ",\n" + std::string(start.size(), ' ')))
     << ");\n";
}

void declareWithWorkspace(raw_ostream &os, const EntryPoint &entry) {
  os << "//   workspace: " << arenaText(*entry.arena) << '\n';
  declare(os, "int64_t", entry.name + "_workspace_bytes",
          entry.arena->parameters);
  std::vector<std::string> parameters = entry.parameters;
  parameters.push_back("void *workspace");
  parameters.push_back("int64_t workspace_bytes");
  declare(os, "int32_t", entry.name + "_with_workspace", parameters);
}

} // namespace

std::string arenaText(const Arena &arena) {
  std::vector<std::string> terms = arena.slots;
  if (arena.staticBytes || terms.empty())
    terms.insert(terms.begin(), std::to_string(arena.staticBytes));
  std::string text = join(terms, " + ") + " bytes";
  if (!arena.slots.empty())
    text += terms.size() > 1 ? ", each term rounded up to a multiple of 64"
                             : ", rounded up to a multiple of 64";
  return text;
}

std::string emitHeader(StringRef name, const std::vector<EntryPoint> &entries) {
  std::string text;
  raw_string_ostream os(text);
  std::string guard = includeGuard(name);
  os << "// The entry points of " << name
     << ", as compiled by `tilewright compile`.\n"
     << conventions
     << (any_of(entries,
                [](const EntryPoint &entry) { return entry.arena.has_value(); })
             ? StringRef(arenaConventions).ltrim('\n')
             : "")
     << "\n#ifndef " << guard << "\n#define " << guard
     << "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
        "#endif\n";
  for (const EntryPoint &entry : entries) {
    os << '\n';
    for (const std::string &shape : entry.shapes)
      os << "//   " << shape << '\n';
    declare(os, "int32_t", entry.name, entry.parameters);
    if (entry.arena)
      declareWithWorkspace(os, entry);
  }
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif  // " << guard << '\n';
  return text;
}

} // namespace tilewright
