// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/pack_key.h"

#include <tuple>

#include "name_parts.h"

namespace tilewright {
namespace {

constexpr std::string_view kPack = "_pack_tile_";
constexpr std::string_view kUnpack = "_unpack_tile_";
constexpr std::string_view kRows = "rows";
constexpr std::string_view kCols = "cols";
constexpr int kBits[] = {4, 8, 16, 32, 64};

bool isOperation(std::string_view name, std::string_view prefix,
                 std::string_view operation) {
  return name.substr(0, prefix.size()) == prefix &&
         name.substr(prefix.size(), operation.size()) == operation;
}

std::string listBits() {
  std::string result;
  for (int bits : kBits)
    result += (result.empty() ? "" : ", ") + std::to_string(bits);
  return result;
}

bool isBits(int value) {
  for (int bits : kBits)
    if (bits == value) return true;
  return false;
}

ParsedPackKey failure(std::string_view name, const std::string& why) {
  ParsedPackKey failed;
  failed.error = quote(name) + " is not the name of a pack function: " + why;
  return failed;
}

ParsedPackKey unknownIsa(std::string_view name, std::string_view isa) {
  ParsedPackKey failed = failure(name, "unknown instruction set " + quote(isa));
  failed.unknownIsa = isa;
  failed.problem = failed.error;
  std::vector<IsaInfo> accepted;
  for (const IsaInfo& row : isas())
    if (!row.isGpu()) accepted.push_back(row);
  failed.accepted = "one of " + listNames(accepted);
  failed.error += "; expected " + failed.accepted;
  return failed;
}

// Takes a number that is no scalable size, and `stop` behind it.
std::optional<int> takeFixed(std::string_view& text, char stop,
                             std::string& why) {
  bool scalable = false;
  std::optional<int> value = takeNumber(text, stop, scalable, why);
  if (!value || !scalable) return value;
  why = quote(printSize(*value, true)) +
        " is a scalable size, which pack functions do not have; expected a "
        "decimal number";
  return std::nullopt;
}

}  // namespace

bool PackKey::operator<(const PackKey& o) const {
  return std::tie(unpack, bits, lines, r0, c0, isa) <
         std::tie(o.unpack, o.bits, o.lines, o.r0, o.c0, o.isa);
}

std::string validatePackKey(const PackKey& key) {
  if (!isBits(key.bits))
    return "elements have " + std::to_string(key.bits) +
           " bits, but must have one of " + listBits();
  std::string why = checkSize("R0", key.r0, kMaxPackSize);
  if (why.empty()) why = checkSize("C0", key.c0, kMaxPackSize);
  if (!why.empty()) return why;
  if (int64_t{key.r0} * key.c0 * key.bits % 8 != 0)
    return "a tile, R0*C0 = " + std::to_string(key.r0 * key.c0) +
           " elements of 4 bits, does not fill whole bytes; R0*C0 must be even";
  if (info(key.isa).isGpu())
    return "there are no pack functions for " +
           std::string(info(key.isa).name) +
           ", whose models pack in kernels of their own; expected a CPU's "
           "instruction set or generic";
  return {};
}

std::string printPackKey(const PackKey& key, std::string_view prefix) {
  std::string name(prefix);
  name += key.unpack ? kUnpack : kPack;
  name += std::to_string(key.bits) + '_';
  name += key.lines == MatrixLines::kRows ? kRows : kCols;
  name += '_' + std::to_string(key.r0) + 'x' + std::to_string(key.c0) + '_';
  name += info(key.isa).name;
  return name;
}

bool looksLikePackName(std::string_view name, std::string_view prefix) {
  return isOperation(name, prefix, kPack) || isOperation(name, prefix, kUnpack);
}

ParsedPackKey parsePackKey(std::string_view name, std::string_view prefix) {
  if (!looksLikePackName(name, prefix))
    return failure(name, "it starts neither with " +
                             quote(std::string(prefix) + std::string(kPack)) +
                             " nor with " +
                             quote(std::string(prefix) + std::string(kUnpack)));
  PackKey key{isOperation(name, prefix, kUnpack),
              0,
              MatrixLines::kRows,
              0,
              0,
              TW_ISA_GENERIC};
  std::string_view rest =
      name.substr(prefix.size() + (key.unpack ? kUnpack.size() : kPack.size()));

  std::string why;
  std::optional<int> bits = takeFixed(rest, '_', why);
  if (!bits || !isBits(*bits)) {
    if (bits) why = quote(std::to_string(*bits)) + " is not a width";
    return failure(name, "in the bits of an element: " + why +
                             "; expected one of " + listBits());
  }
  key.bits = *bits;

  const size_t linesEnd = rest.find('_');
  const std::string_view lines = rest.substr(0, linesEnd);
  if (lines != kRows && lines != kCols)
    return failure(name, "unknown orientation " + quote(lines) +
                             "; expected 'rows', where a line of the matrix is "
                             "a row, or 'cols', where it is a column");
  key.lines = lines == kRows ? MatrixLines::kRows : MatrixLines::kCols;
  if (linesEnd == std::string_view::npos)
    return failure(name, "the sizes '_<R0>x<C0>' are missing");
  rest.remove_prefix(linesEnd + 1);

  std::optional<int> r0 = takeFixed(rest, 'x', why);
  if (!r0) return failure(name, "in R0: " + why);
  std::optional<int> c0 = takeFixed(rest, '_', why);
  if (!c0) return failure(name, "in C0: " + why);
  key.r0 = *r0;
  key.c0 = *c0;

  const IsaInfo* isa = findIsa(rest);
  if (!isa) return unknownIsa(name, rest);
  key.isa = isa->isa;
  why = validatePackKey(key);
  if (!why.empty()) return failure(name, why);
  ParsedPackKey parsed;
  parsed.key = key;
  return parsed;
}

tw_isa_t isaOf(const FunctionKey& key) {
  return std::visit([](const auto& k) { return k.isa; }, key);
}

std::string validateFunctionKey(const FunctionKey& key) {
  if (const auto* pack = std::get_if<PackKey>(&key))
    return validatePackKey(*pack);
  return validateTileKey(std::get<TileKey>(key));
}

std::string printFunctionKey(const FunctionKey& key, std::string_view prefix) {
  if (const auto* pack = std::get_if<PackKey>(&key))
    return printPackKey(*pack, prefix);
  return printTileKey(std::get<TileKey>(key), prefix);
}

bool looksLikeFunctionName(std::string_view name, std::string_view prefix) {
  return looksLikeTileName(name, prefix) || looksLikePackName(name, prefix);
}

}  // namespace tilewright
