// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright gen: names -> generated kernels, or any stage on the way.

#include "Commands.h"
#include "GenKernels.h"
#include "ToolSupport.h"

#include "tilewright/Support/Progress.h"
#include "tilewright/Target/Amdgpu/KernelGenerator.h"
#include "tilewright/Target/Amdgpu/SpillWarnings.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand genOptions("gen",
                          "Generate tile and pack functions from their names");

cl::list<std::string> names(cl::Positional, cl::sub(genOptions),
                            cl::desc("<name>..."), cl::OneOrMore);
cl::opt<Emit> emitKind(
    "emit", cl::sub(genOptions), cl::desc("What to write (default: obj)"),
    cl::init(Emit::Object),
    cl::values(clEnumValN(Emit::Keys, "keys", "the names, checked"),
               clEnumValN(Emit::Plan, "plan", "the tile plan, one line"),
               clEnumValN(Emit::Linalg, "linalg",
                          "what the name specifies, in linalg"),
               clEnumValN(Emit::Vector, "vector",
                          "MLIR after the plan is carried out"),
               clEnumValN(Emit::LLVM, "llvm", "optimised LLVM IR"),
               clEnumValN(Emit::Asm, "asm", "assembly"),
               clEnumValN(Emit::Bitcode, "bitcode", "optimised LLVM bitcode"),
               clEnumValN(Emit::Object, "obj", "object files"),
               clEnumValN(Emit::CodeObject, "hsaco",
                          "amdgpu: code objects of kernels of one wave")));
cl::opt<std::string>
    output("o", cl::sub(genOptions), cl::value_desc("path"),
           cl::desc("A file for one name, a directory for several, '-' for "
                    "standard output (default: standard output for text, files "
                    "in the current directory for bitcode and objects)"));
cl::opt<std::string> plan("plan", cl::sub(genOptions), cl::value_desc("parts"),
                          cl::desc("Override parts of the plan, in the syntax "
                                   "of --emit=plan"));
cl::opt<Lowering> lowering(
    "lowering", cl::sub(genOptions), cl::init(Lowering::Plan),
    cl::desc("How to lower (default: plan)"),
    cl::values(clEnumValN(Lowering::Plan, "plan", "by the tile plan"),
               clEnumValN(Lowering::Loops, "loops",
                          "by upstream's plain loops: slow, for comparison")));
cl::opt<bool> registryEntry(
    "registry-entry", cl::sub(genOptions),
    cl::desc("Add an entry by which tw_mmt4d and tw_find_tile see the tile"));
cl::opt<std::string> prefix("prefix", cl::sub(genOptions),
                            cl::init(std::string(kDefaultPrefix)),
                            cl::value_desc("prefix"),
                            cl::desc("Prefix of the names (default: tw)"));
cl::opt<bool> showTime("time", cl::sub(genOptions),
                       cl::desc("Print the time of each step"));
cl::opt<bool> asJson("json", cl::sub(genOptions),
                     cl::desc("Print what was done as JSON"));
ResolveFlags resolveFlags(genOptions, Prefer::Generated);

const char genHelp[] = R"(
A name says what to generate:
tw_mmt4d_tile_<types>_<M0>x<N0>x<K0>_[steprnd_][mx_][vnni_]<arch>_<isa>.
'tilewright list types' and 'tilewright list isas' show the parts; M0 and N0 are
in 1..1024, K0 in 1..64 (1..256 on amdgpu). '@file' stands for the names in a
file, '-' for those on standard input; '#' begins a comment. 'gen' generates even what has a
hand-written body, unless asked with --prefer=hand-written.

tw_pack_tile_<bits>_<rows|cols>_<R0>x<C0>_<isa> packs a matrix into such tiles,
tw_unpack_tile_<...> is the way back; <bits> of an element are 4, 8, 16, 32 or
64, and a line of the matrix is one of its rows or columns.

tw_mmt4d_kernel_<...>_amdgpu_<gfx> is the workgroup kernel around the tile of
that name, a whole mmt4d: --emit=hsaco (the default), asm, bitcode, llvm, vector
(its stages, pipelined) or plan.

Examples:
  tilewright gen tw_mmt4d_tile_f32f32f32_7x48x1_x86_64_avx512_base -o tile.o
  tilewright gen --emit=asm tw_mmt4d_tile_s8s8s32_12x32x4_x86_64_avx512_vnni
  tilewright gen --emit=plan @names.txt
  tilewright gen tw_pack_tile_32_cols_48x1_x86_64_avx512_base --emit=asm
  tilewright gen -o tiles/ --registry-entry -j4 --time @names.txt
  tilewright gen --emit=plan --plan=unroll=4 tw_mmt4d_tile_f32f32f32_1x16x1_generic
  tilewright gen --emit=asm tw_mmt4d_tile_f16f16f32_64x64x16_amdgpu_gfx942
  tilewright gen -o mm.hsaco tw_mmt4d_kernel_f16f16f32_16x16x16_amdgpu_gfx942
)";

bool isText(Emit kind) {
  return kind != Emit::Bitcode && kind != Emit::Object &&
         kind != Emit::CodeObject;
}

StringRef extensionOf(Emit kind) {
  switch (kind) {
  case Emit::Keys:
  case Emit::Plan:
    return ".txt";
  case Emit::Linalg:
  case Emit::Vector:
    return ".mlir";
  case Emit::LLVM:
    return ".ll";
  case Emit::Asm:
    return ".s";
  case Emit::Bitcode:
    return ".bc";
  case Emit::Object:
    return ".o";
  case Emit::CodeObject:
    return ".hsaco";
  }
  llvm_unreachable("all kinds are covered");
}

/// Where each symbol's kernel goes: "-" or a path, added to `outputs`.
Expected<std::vector<std::string>> outputPaths(ArrayRef<std::string> symbols,
                                               OutputFiles &outputs) {
  std::string where = output;
  if (where.empty())
    where = isText(emitKind) ? "-" : ".";
  if (where == "-") {
    if (asJson)
      return createStringError("--json prints to standard output: give the "
                               "kernels another place with -o");
    if (!isText(emitKind) && symbols.size() > 1)
      return createStringError("-o -: several binary files cannot share "
                               "standard output; give a directory");
    if (!isText(emitKind) && outs().is_displayed())
      return createStringError("-o -: binary output on a terminal");
    if (Error error = outputs.add(where))
      return std::move(error);
    return std::vector<std::string>(symbols.size(), where);
  }
  bool isDirectory =
      sys::fs::is_directory(where) || sys::path::is_separator(where.back());
  if (symbols.size() == 1 && !isDirectory) {
    if (Error error = outputs.add(where))
      return std::move(error);
    return std::vector<std::string>{where};
  }
  if (sys::fs::exists(where) && !sys::fs::is_directory(where))
    return createStringError("-o: '" + where +
                             "' is a file, but several names need a directory");
  if (Error error = outputs.addDirectory(where))
    return createStringError("-o: " + toString(std::move(error)));
  std::vector<std::string> paths;
  for (const std::string &symbol : symbols) {
    SmallString<256> path(where);
    sys::path::append(path, symbol + extensionOf(emitKind));
    if (Error error = outputs.add(path))
      return std::move(error);
    paths.push_back(std::string(path));
  }
  return paths;
}

void printTimes(ArrayRef<ResolvedTile> tiles) {
  errs() << formatv("{0,8} {1,7} {2,7} {3,7} {4,7} {5,7}  {6,-12} {7}\n", "ms",
                    "build", "lower", "transl.", "optim.", "codegen", "origin",
                    "name");
  double sum = 0;
  for (const ResolvedTile &tile : tiles) {
    const StepTimes &t = tile.times;
    errs() << formatv(
        "{0,8:f3} {1,7:f3} {2,7:f3} {3,7:f3} {4,7:f3} {5,7:f3}  {6,-12} {7}\n",
        tile.ms, t.build, t.lower, t.translate, t.optimize, t.codegen,
        originName(tile.origin), tile.name);
    sum += tile.ms;
  }
  errs() << formatv("{0,8:f3} for {1} kernels, {2:f3} each\n", sum,
                    tiles.size(), sum / tiles.size());
}

std::string asJsonText(ArrayRef<ResolvedTile> tiles,
                       ArrayRef<std::string> paths) {
  json::Array rows;
  for (auto [tile, path] : zip_equal(tiles, paths)) {
    const StepTimes &t = tile.times;
    rows.push_back(
        json::Object{{"name", tile.name},
                     {"origin", originName(tile.origin)},
                     {"path", path},
                     {"bytes", static_cast<int64_t>(tile.bytes.size())},
                     {"ms", tile.ms},
                     {"steps_ms", json::Object{{"build", t.build},
                                               {"lower", t.lower},
                                               {"translate", t.translate},
                                               {"optimize", t.optimize},
                                               {"codegen", t.codegen}}}});
  }
  return formatv("{0:2}\n", json::Value(std::move(rows)));
}

/// The tiles' names that were given, or those that the kernels' names stand
/// for: which of the two, in `kernels`. Not both.
Expected<std::vector<std::string>> wantedNames(bool &kernels) {
  std::vector<std::string> wanted;
  size_t kernelNames = 0;
  for (const std::string &name : names) {
    bool kernel = looksLikeKernelName(name, prefix);
    kernelNames += kernel;
    wanted.push_back(kernel ? tileNameOf(name, prefix) : name);
  }
  if (kernelNames && kernelNames != wanted.size())
    return createStringError("tiles and workgroup kernels are generated in "
                             "calls of their own");
  kernels = kernelNames != 0;
  return wanted;
}

/// Code that spills works, but slowly: said without being asked.
Error warnOfSpills(ArrayRef<ResolvedTile> tiles,
                   const ResolveOptions &options) {
  if (options.kind != Emit::CodeObject)
    return Error::success();
  for (const ResolvedTile &tile : tiles) {
    ArrayRef<TileKey> planned;
    if (tile.origin != Origin::HandWritten)
      planned = std::get<TileKey>(tile.key);
    Expected<std::vector<std::string>> warnings = spillWarnings(
        tile.bytes, planned, options.generate.prefix, options.generate.plan);
    if (!warnings)
      return warnings.takeError();
    for (const std::string &warning : *warnings)
      printWarning(warning);
  }
  return Error::success();
}

Error runGen() {
  bool kernels = false;
  Expected<std::vector<std::string>> wanted = wantedNames(kernels);
  if (!wanted)
    return wanted.takeError();
  Expected<std::vector<FunctionKey>> keys = parseFunctionNames(*wanted, prefix);
  if (!keys)
    return keys.takeError();
  std::vector<TileKey> kernelTiles;
  if (kernels)
    for (const FunctionKey &key : *keys)
      kernelTiles.push_back(std::get<TileKey>(key));
  if (kernels && emitKind.getNumOccurrences() == 0)
    emitKind = Emit::CodeObject;

  std::vector<std::string> symbols;
  for (const FunctionKey &key : *keys) {
    std::string symbol = kernels ? kernelName(std::get<TileKey>(key), prefix)
                                 : printFunctionKey(key, prefix);
    if (!is_contained(symbols, symbol))
      symbols.push_back(symbol);
  }
  OutputFiles outputs;
  std::vector<std::string> read = resolveFlags.tuning.files();
  if (is_contained(names, "-"))
    read.push_back("-");
  if (Error error = addInputs(outputs, read))
    return error;
  Expected<std::vector<std::string>> paths = outputPaths(symbols, outputs);
  if (!paths)
    return paths.takeError();
  if (asJson)
    if (Error error = outputs.add("-"))
      return error;
  ResolveOptions options;
  if (Error error = resolveFlags.get().moveInto(options))
    return error;
  options.kind = emitKind;
  options.generate.prefix = prefix;
  options.generate.plan = plan;
  options.generate.lowering = lowering;
  options.generate.registryEntry = registryEntry;
  Progress progress("generating");
  options.progress = [&](size_t done, size_t total) {
    progress.update("generating", done, total);
  };
  Expected<std::vector<ResolvedTile>> tiles =
      kernels ? generateKernels(kernelTiles, options)
              : resolveFunctions(*keys, options);
  if (!tiles)
    return tiles.takeError();
  if (Error error = warnOfSpills(*tiles, options))
    return error;

  for (auto [tile, path] : zip_equal(*tiles, *paths))
    if (Error error = outputs.write(
            path, StringRef(tile.bytes.data(), tile.bytes.size())))
      return error;
  if (asJson)
    if (Error error = outputs.write("-", asJsonText(*tiles, *paths)))
      return error;
  if (Error error = outputs.commit())
    return error;
  if (showTime)
    printTimes(*tiles);
  return Error::success();
}

} // namespace

const Command genCommand = {&genOptions, genHelp, runGen};

} // namespace tilewright
