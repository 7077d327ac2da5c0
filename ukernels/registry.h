// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: all tile functions linked into the program, hand-written and
// generated ones alike. Their names say what they are.

#ifndef UKERNELS_REGISTRY_H_
#define UKERNELS_REGISTRY_H_

#include "tilewright/tilewright.h"
#include "ukernels/name.h"

typedef struct tw_linked_tile_t {
  tw_tile_key_t key;
  tw_mmt4d_tile_fn_t fn;
  const char* name;
  tw_tile_origin_t origin;  // HAND_WRITTEN or GENERATED
} tw_linked_tile_t;

// They are numbered [0, tw_linked_tile_count()), hand-written ones first.
size_t tw_linked_tile_count(void);

// Tile `i`; 0 for an entry of the section `tw_tiles` whose name is not a tile
// name, which is to be skipped.
int tw_linked_tile(size_t i, tw_linked_tile_t* tile);

// The key of tile `i`, if there is one and it is of `types`; else 0.
int tw_tile_key_of(size_t i, tw_type_triple_t types, tw_tile_key_t* key);

// The tiles of `types`, in their order: the first one, and the next one after
// tile `i`, which is one of them. Fill *key; tw_linked_tile_count() if there is
// no other.
size_t tw_first_tile_of(tw_type_triple_t types, tw_tile_key_t* key);
size_t tw_next_tile_of(size_t i, tw_type_triple_t types, tw_tile_key_t* key);

#endif  // UKERNELS_REGISTRY_H_
