// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FrontEnds.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace tilewright {
namespace {

/// An operation that MLIR had before.
struct Older {
  StringRef name;
  /// Stands in its place in text; empty if that takes more.
  StringRef newer;
  /// For who has to write it himself.
  StringRef advice;
};

#define MAPS(lhs, rhs)                                                         \
  " indexing_maps = [affine_map<(m, n, k) -> " lhs                             \
  ">, affine_map<(m, n, k) -> " rhs ">, affine_map<(m, n, k) -> (m, n)>]"
#define BATCH_MAPS(lhs, rhs)                                                   \
  " indexing_maps = [affine_map<(b, m, n, k) -> " lhs                          \
  ">, affine_map<(b, m, n, k) -> " rhs                                         \
  ">, affine_map<(b, m, n, k) -> (b, m, n)>]"

constexpr StringRef elementwise =
    "linalg.elementwise kind=#linalg.elementwise_kind<...>";

const Older olderOperations[] = {
    {"linalg.matmul_transpose_a", "linalg.matmul" MAPS("(k, m)", "(k, n)"),
     "linalg.matmul with indexing_maps"},
    {"linalg.matmul_transpose_b", "linalg.matmul" MAPS("(m, k)", "(n, k)"),
     "linalg.matmul with indexing_maps"},
    {"linalg.batch_matmul_transpose_a",
     "linalg.batch_matmul" BATCH_MAPS("(b, k, m)", "(b, k, n)"),
     "linalg.batch_matmul with indexing_maps"},
    {"linalg.batch_matmul_transpose_b",
     "linalg.batch_matmul" BATCH_MAPS("(b, m, k)", "(b, n, k)"),
     "linalg.batch_matmul with indexing_maps"},
    {"linalg.matmul_unsigned",
     "linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}",
     "linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}"},
    {"linalg.elemwise_unary", "", elementwise},
    {"linalg.elemwise_binary", "", elementwise},
};

#undef MAPS
#undef BATCH_MAPS

bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

/// Whether `text` has `name` at `at` and not a part of another name, nor in
/// quotes.
bool isWholeName(StringRef text, StringRef name, size_t at) {
  char before = at ? text[at - 1] : ' ';
  StringRef behind = text.drop_front(at + name.size());
  return !isNameCharacter(before) && before != '"' &&
         (behind.empty() || !isNameCharacter(behind.front()));
}

/// The first type with a size of -1; empty if there is none.
StringRef typeOfNoSize(StringRef text) {
  size_t at = std::min(text.find("x-1x"), text.find("<-1x"));
  if (at == StringRef::npos)
    return "";
  size_t start = text.take_front(at + 1).rfind("tensor<");
  if (start == StringRef::npos)
    return "";
  return text.slice(start, text.find('>', at)).take_until([](char c) {
    return c == '\n';
  });
}

} // namespace

std::optional<std::string> withNewerSpellings(StringRef model) {
  std::string text;
  size_t copied = 0;
  for (size_t at = model.find("linalg."); at != StringRef::npos;
       at = model.find("linalg.", at + 1))
    for (const Older &older : olderOperations)
      if (!older.newer.empty() && model.substr(at).starts_with(older.name) &&
          isWholeName(model, older.name, at)) {
        text += model.slice(copied, at);
        text += older.newer;
        copied = at + older.name.size();
      }
  if (copied == 0)
    return std::nullopt;
  return text + model.drop_front(copied).str();
}

std::string frontEndAdvice(StringRef dialect) {
  StringRef converter =
      llvm::StringSwitch<StringRef>(dialect)
          .Cases({"stablehlo", "chlo", "vhlo"},
                 "iree-opt --iree-stablehlo-input-transformation-pipeline")
          .Case("torch",
                "iree-opt --pass-pipeline='builtin.module("
                "torch-backend-to-linalg-on-tensors-backend-pipeline)'")
          .Case("onnx", "iree-import-onnx")
          .Default("");
  if (converter.empty())
    return "";
  return "is what a front end works on; convert the model to linalg on tensors "
         "first, with `" +
         converter.str() + "`; see docs/models.md";
}

std::string withFrontEndAdvice(std::string error, StringRef model) {
  for (StringRef start : {"custom op '", "unregistered dialect '",
                          "unregistered operation '", "Dialect `"}) {
    size_t at = StringRef(error).find(start);
    if (at == StringRef::npos)
      continue;
    StringRef name =
        StringRef(error).substr(at + start.size()).take_until([](char c) {
          return c == '\'' || c == '`';
        });
    for (const Older &older : olderOperations)
      if (name == older.name)
        return error + "; it is written " + older.advice.str() + " now";
    StringRef dialect = name.split('.').first;
    std::string advice = frontEndAdvice(dialect);
    if (!advice.empty())
      return error + "; '" + dialect.str() + "' " + advice;
  }
  if (StringRef(error).contains("failed to legalize operation 'tosa."))
    return error +
           ": MLIR's conversion of TOSA to linalg has no such operation "
           "with operands of these types";
  StringRef type = typeOfNoSize(model);
  if (!type.empty())
    return error + "; the model has the type '" + type.str() +
           ">', whose size -1 a converter has computed from one that it did "
           "not know; see docs/models.md";
  return error;
}

} // namespace tilewright
