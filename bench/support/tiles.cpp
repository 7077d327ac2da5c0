// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written tiles and names.

#include "bench/support/tiles.h"

#include <cstdio>
#include <cstdlib>

#include "tilewright/tilewright.h"
#include "ukernels/mmt4d_tiles.h"

namespace tilewright::bench {
namespace {

struct NamedFunction {
  const char* name;
  tw_mmt4d_tile_fn_t fn;
};

const NamedFunction* namedFunctions(size_t* count) {
  static const NamedFunction table[] = {
#define TW_TILES_OF_THIS_CPU
#define TW_MMT4D_TILE(arch, lhs, rhs, out, M0, N0, K0, variant, isa, family) \
  {TW_TILE_STRING(arch, lhs, rhs, out, M0, N0, K0, variant, isa),            \
   TW_TILE_NAME(arch, lhs, rhs, out, M0, N0, K0, variant, isa)},
#include "ukernels/mmt4d_tiles.def"
      {nullptr, nullptr}};
  *count = sizeof(table) / sizeof(table[0]) - 1;
  return table;
}

}  // namespace

const std::vector<Row>& rows() {
  static const std::vector<Row> table = [] {
    std::vector<Row> result;
    size_t count;
    const NamedFunction* functions = namedFunctions(&count);
    for (size_t i = 0; i < count; ++i) {
      ParsedTileKey parsed = parseTileKey(functions[i].name);
      if (!parsed.key) {
        std::fprintf(stderr, "mmt4d_tiles.def: %s\n", parsed.error.c_str());
        std::abort();
      }
      result.push_back({*parsed.key, functions[i].name, functions[i].fn});
    }
    return result;
  }();
  return table;
}

const Row* findRow(const TileKey& key) {
  for (const Row& row : rows())
    if (row.key == key) return &row;
  return nullptr;
}

bool canRun(const TileKey& key) {
  static const tw_status_t permitted = tw_cpu_permit_amx(nullptr, 0);
  (void)permitted;  // without it AMX is not detected
  uint64_t cpu[TW_CPU_DATA_WORDS];
  tw_cpu_detect(cpu);
  return tw_isa_available(key.isa, cpu);
}

bool parseName(const std::string& name, TileKey* key, std::string* error) {
  ParsedTileKey parsed = parseTileKey(name);
  if (parsed.key) {
    *key = *parsed.key;
    return true;
  }
  *error = parsed.error;
  if (error->find(name) == std::string::npos) *error = name + ": " + *error;
  return false;
}

}  // namespace tilewright::bench
