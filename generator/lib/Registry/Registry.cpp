// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Registry/Registry.h"

#include "tilewright/Support/OwnFolder.h"
#include "tilewright/contraction.h"
#include "ukernels/tile_function.h"
#include "ukernels/x86_64/amx_permission.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <map>

using namespace llvm;

namespace tilewright {
namespace {

/// A row of mmt4d_tiles.def: what the preprocessor can say of it.
struct Row {
  const char *name;
  const char *family;
};

constexpr Row rows[] = {
#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family)   \
  {TW_TILE_STRING(arch, lhs, rhs, out, M0, N0, K0, variant, isa), #family},
#include "ukernels/mmt4d_tiles.def"
};

Expected<std::string> fileOfBitcodeDir(const std::string &name, StringRef dir,
                                       const std::string &what) {
  SmallString<256> path(dir);
  const char *howToSet = "pass --bitcode-dir";
  if (path.empty()) {
    howToSet = "set TILEWRIGHT_BITCODE_DIR or pass --bitcode-dir";
    if (const char *fromEnvironment = std::getenv("TILEWRIGHT_BITCODE_DIR"))
      path = fromEnvironment;
    else
      path = ownFolder("bitcode");
  }
  sys::path::append(path, name);
  if (!sys::fs::exists(path))
    return createStringError(
        inconvertibleErrorCode(),
        "no %s: '%s' does not exist; build or install the runtime library, or "
        "%s",
        what.c_str(), path.c_str(), howToSet);
  return std::string(path);
}

} // namespace

const std::vector<HandWrittenTile> &handWrittenTiles() {
  static const std::vector<HandWrittenTile> tiles = [] {
    std::vector<HandWrittenTile> result;
    for (const Row &row : rows) {
      // A row that names no valid key does not reach this point:
      // tests/generator counts the rows and parses every row's name.
      ParsedTileKey parsed = parseTileKey(row.name);
      if (parsed.key)
        result.push_back({*parsed.key, row.name, row.family});
    }
    return result;
  }();
  return tiles;
}

const HandWrittenTile *findHandWrittenTile(const TileKey &key) {
  static const std::map<TileKey, const HandWrittenTile *> byKey = [] {
    std::map<TileKey, const HandWrittenTile *> result;
    for (const HandWrittenTile &tile : handWrittenTiles())
      result.try_emplace(tile.key, &tile);
    return result;
  }();
  auto it = byKey.find(key);
  return it == byKey.end() ? nullptr : it->second;
}

Expected<std::string> handWrittenBitcodePath(tw_isa_t isa, StringRef dir) {
  std::string isaName(info(isa).name);
  return fileOfBitcodeDir("tilewright_ukernels_" + isaName + ".bc", dir,
                          "bitcode library of the hand-written tiles of " +
                              isaName);
}

Expected<std::string> packTemplatePath(StringRef dir) {
  return fileOfBitcodeDir("tilewright_pack_template.bc", dir,
                          "template of pack functions");
}

Expected<std::string> amxTemplatePath(StringRef dir) {
  return fileOfBitcodeDir("tilewright_amx_template.bc", dir,
                          "template of tiles by AMX");
}

#define TW_STRING_OF(x) #x
#define TW_STRING(x) TW_STRING_OF(x)
const StringLiteral kContractFunction = TW_STRING(TW_CONTRACT);
const StringLiteral kKeepFunction = TW_STRING(TW_KEEP);
const StringLiteral kMayUseAmxFunction = TW_STRING(TW_MAY_USE_AMX);
static constexpr StringLiteral kThin = TW_STRING(TW_CONTRACTION_THIN);
#undef TW_STRING
#undef TW_STRING_OF

bool isSupportFunction(StringRef name) {
  return name == kContractFunction || name == kKeepFunction ||
         name == kMayUseAmxFunction || name.starts_with(kThin);
}

std::string thinFunction(tw_isa_t isa) {
  static constexpr tw_isa_t levels[] = {
#define TW_THIN_LEVEL(arch_isa, ENUM) TW_ISA_##ENUM,
#include "ukernels/matmul_levels.def"
  };
  for (tw_isa_t level : levels)
    if (info(isa).implies(info(level)))
      return (kThin + info(level).name).str();
  return "";
}

Expected<std::string> supportPath(StringRef function, Triple::ArchType arch,
                                  StringRef extension, StringRef dir) {
  std::string name;
  for (const ArchitectureInfo &row : architectures())
    if (Triple(StringRef(row.llvmArch)).getArch() == arch)
      name = row.name;
  std::string library =
      (function == kKeepFunction ? "keep_" : "support_") + name;
  if (function == kMayUseAmxFunction)
    library = "amx_permission";
  if (function.consume_front(kThin)) {
    name = function.str();
    library = "thin_" + name;
  }
  return fileOfBitcodeDir("tilewright_" + library + extension.str(), dir,
                          "library of what compiled models of " + name +
                              " call");
}

} // namespace tilewright
