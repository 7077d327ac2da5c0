// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArenaAttr.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tilewright {
namespace {

constexpr llvm::StringLiteral kBuffers = "buffers";
constexpr llvm::StringLiteral kOthers = "others";
constexpr llvm::StringLiteral kParameters = "parameters";
constexpr llvm::StringLiteral kSlots = "slots";
constexpr llvm::StringLiteral kStaticBytes = "static_bytes";

} // namespace

DictionaryAttr arenaAttr(MLIRContext *context, const Arena &arena) {
  Builder b(context);
  auto strings = [&](const std::vector<std::string> &lines) {
    return b.getStrArrayAttr(
        SmallVector<StringRef>(lines.begin(), lines.end()));
  };
  return b.getDictionaryAttr({
      b.getNamedAttr(kBuffers, b.getI64IntegerAttr(arena.buffers)),
      b.getNamedAttr(kOthers, strings(arena.others)),
      b.getNamedAttr(kParameters, strings(arena.parameters)),
      b.getNamedAttr(kSlots, strings(arena.slots)),
      b.getNamedAttr(kStaticBytes, b.getI64IntegerAttr(arena.staticBytes)),
  });
}

Arena arenaOf(DictionaryAttr attr) {
  auto strings = [&](StringRef name) {
    std::vector<std::string> lines;
    for (auto line : attr.getAs<ArrayAttr>(name).getAsRange<StringAttr>())
      lines.push_back(line.str());
    return lines;
  };
  Arena arena;
  arena.buffers = attr.getAs<IntegerAttr>(kBuffers).getInt();
  arena.staticBytes = attr.getAs<IntegerAttr>(kStaticBytes).getInt();
  arena.slots = strings(kSlots);
  arena.parameters = strings(kParameters);
  arena.others = strings(kOthers);
  return arena;
}

} // namespace tilewright
