// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile_check_runner <list>
//
// Checks tiles that another machine generated (emulated_tiles.h). Each line of
// the list is one key:
//
//   <tile name> <seed> <budget> <label>=<shared object>...
//
// The function of the tile's name in each of the shared objects is checked, all
// of them on the same operands; a label without a path stands for the
// hand-written tile that is linked into this program. Prints for each key
// "begin <name>", and "ok <cases>" or "fail <why>"; at last "end <keys>".

#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/tiles/check_tile.h"
#include "tests/tiles/hand_written_rows.h"

namespace tilewright::testing {
namespace {

// The function `name` of `path`, or of the hand-written tiles. Null with `why`.
tw_mmt4d_tile_fn_t find(const std::string& path, const std::string& name,
                        std::string& why) {
  if (path.empty()) {
    for (const HandWrittenRow& row : handWrittenRows())
      if (name == row.name) return row.fn;
    why = "no hand-written tile";
    return nullptr;
  }
  static std::map<std::string, void*> opened;
  void*& library = opened[path];
  if (!library) library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = library ? dlsym(library, name.c_str()) : nullptr;
  if (!symbol) why = dlerror();
  return reinterpret_cast<tw_mmt4d_tile_fn_t>(symbol);
}

Denormals denormalsOf(const std::string& label) {
  if (label == "loops") return Denormals::kKept;
  if (label == "hand-written") return kHandWrittenDenormals;
  return Denormals::kEither;
}

// Checks the key of one line; empty if all is well.
std::string checkLine(std::istringstream& line, const std::string& name,
                      int& cases) {
  const ParsedTileKey parsed = parseTileKey(name);
  if (!parsed.key) return parsed.error;
  CheckOptions options;
  if (!(line >> options.seed >> options.budget))
    return "the line has no seed and budget";
  std::vector<TileUnderTest> tiles;
  for (std::string source; line >> source;) {
    const size_t equals = source.find('=');
    if (equals == std::string::npos) return "a source without '=': " + source;
    const std::string label = source.substr(0, equals);
    std::string why;
    const auto fn = find(source.substr(equals + 1), name, why);
    if (!fn) return label + ": " + why;
    tiles.push_back({label, fn, denormalsOf(label)});
  }
  if (tiles.empty()) return "the line names no function";
  const CheckReport report = checkTiles(*parsed.key, tiles, options);
  cases = report.cases;
  return report.ok() ? "" : report.text();
}

int runList(const char* path) {
  std::ifstream list(path);
  if (!list) {
    std::fprintf(stderr, "tile_check_runner: cannot read %s\n", path);
    return 2;
  }
  int keys = 0;
  for (std::string text; std::getline(list, text);) {
    std::istringstream line(text);
    std::string name;
    if (!(line >> name)) continue;
    // Flushed, so that the one that kills the process is known.
    std::printf("begin %s\n", name.c_str());
    std::fflush(stdout);
    int cases = 0;
    std::string why = checkLine(line, name, cases);
    for (char& c : why)
      if (c == '\n') c = ' ';
    if (why.empty())
      std::printf("ok %d\n", cases);
    else
      std::printf("fail %s\n", why.c_str());
    ++keys;
  }
  std::printf("end %d\n", keys);
  return 0;
}

}  // namespace
}  // namespace tilewright::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tile_check_runner <list>\n");
    return 2;
  }
  return tilewright::testing::runList(argv[1]);
}
