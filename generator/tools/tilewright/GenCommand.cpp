// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright gen: names -> generated kernels, or any stage on the way.

#include "Commands.h"

#include "tilewright/Codegen/TileGenerator.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand genOptions("gen", "Generate tile functions from their names");

cl::list<std::string> names(cl::Positional, cl::sub(genOptions),
                            cl::desc("<name>..."), cl::OneOrMore);
cl::opt<Emit> emitKind(
    "emit", cl::sub(genOptions), cl::desc("What to write"),
    cl::init(Emit::Object),
    cl::values(clEnumValN(Emit::Keys, "keys", "the names, checked"),
               clEnumValN(Emit::Plan, "plan", "the tile plan"),
               clEnumValN(Emit::Linalg, "linalg", "the definition in linalg"),
               clEnumValN(Emit::Vector, "vector", "MLIR after the plan"),
               clEnumValN(Emit::LLVM, "llvm", "optimised LLVM IR"),
               clEnumValN(Emit::Asm, "asm", "assembly"),
               clEnumValN(Emit::Bitcode, "bitcode", "optimised LLVM bitcode"),
               clEnumValN(Emit::Object, "obj", "an object file")));
cl::opt<Lowering> lowering(
    "lowering", cl::sub(genOptions), cl::desc("How to lower"),
    cl::init(Lowering::Plan),
    cl::values(clEnumValN(Lowering::Plan, "plan", "by the tile plan"),
               clEnumValN(Lowering::Loops, "loops",
                          "by upstream's plain loops: slow, for comparison")));
cl::opt<std::string> output("o", cl::sub(genOptions), cl::desc("Output file"),
                            cl::value_desc("path"), cl::init("-"));

const char genHelp[] = "\n";

Error runGen() {
  TileGenerator generator;
  GenerateOptions options;
  options.lowering = lowering;
  std::error_code ec;
  raw_fd_ostream os(output, ec);
  if (ec)
    return createFileError(output, ec);
  for (const std::string &name : names) {
    ParsedTileKey parsed = parseTileKey(name);
    if (!parsed.key)
      return createStringError(parsed.error);
    Expected<GeneratedTile> tile =
        generator.generate(*parsed.key, emitKind, options);
    if (!tile)
      return tile.takeError();
    os << StringRef(tile->bytes.data(), tile->bytes.size());
  }
  return Error::success();
}

} // namespace

const Command genCommand = {&genOptions, genHelp, runGen};

} // namespace tilewright
