# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tilewright_add_tiles(<lib> NAMES <name>... [PREFIX <prefix>...])
#
# Adds a static library (or adds to the executable or library target <lib>, if it exists) that holds the tile functions
# of these names, whether or not anybody calls them by name: tw_mmt4d and tw_find_tile see them in every program that
# links <lib>. Hand-written tiles come from libtilewright.a, which <lib> is linked with; the others are generated, or
# taken from the cache, at build time, with a registry entry each. Names with another prefix than tw need PREFIX.
#
# A program that links <lib> links all of its tiles: <lib> asks for them with -u, which works with every ELF linker and
# needs nothing of the program.

include("${CMAKE_CURRENT_LIST_DIR}/TilewrightResolveTiles.cmake")

function(tilewright_add_tiles lib)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NAMES;PREFIX")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAMES)
    message(FATAL_ERROR "tilewright_add_tiles(${lib}): expected NAMES <name>... [PREFIX <prefix>...]")
  endif()
  list(REMOVE_DUPLICATES arg_NAMES)

  # A source that refers to every name: its object wants them, as any caller would.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    set(extension c)
  elseif("CXX" IN_LIST languages)
    set(extension cpp)
  else()
    message(FATAL_ERROR "tilewright_add_tiles(${lib}): the project enables neither C nor CXX")
  endif()
  string(MAKE_C_IDENTIFIER "tilewright_tiles_of_${lib}" table)
  set(declarations "")
  set(entries "")
  foreach(name IN LISTS arg_NAMES)
    if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
      message(FATAL_ERROR "tilewright_add_tiles(${lib}): '${name}' is not a tile name; expected "
        "<prefix>_mmt4d_tile_<types>_<M0>x<N0>x<K0>_[steprnd_][mx_][vnni_]<arch>_<isa>")
    endif()
    string(APPEND declarations "tile_t ${name};\n")
    string(APPEND entries "  ${name},\n")
  endforeach()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${lib}.tilewright/tiles.${extension}")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
"/* The tiles of @lib@, by reference. */
#ifdef __cplusplus
extern \"C\" {
#endif
struct tw_mmt4d_params_t;
typedef void tile_t(void *, const void *, const void *, const struct tw_mmt4d_params_t *);
@declarations@
extern tile_t *const @table@[];
tile_t *const @table@[] = {
@entries@};
#ifdef __cplusplus
}
#endif
")

  if(TARGET ${lib})
    _tilewright_check_target(tilewright_add_tiles ${lib})
    target_sources(${lib} PRIVATE "${source}")
  else()
    add_library(${lib} STATIC "${source}")
    # The tiles do not show in a shared library: other libraries' of the same names are not to replace them.
    target_link_options(${lib} INTERFACE
      "LINKER:--exclude-libs,${CMAKE_STATIC_LIBRARY_PREFIX}${lib}${CMAKE_STATIC_LIBRARY_SUFFIX}")
  endif()
  tilewright_resolve_tiles(${lib} REGISTRY PREFIX ${arg_PREFIX})
  get_target_property(type ${lib} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    target_link_options(${lib} INTERFACE "LINKER:-u,${table}")
  endif()
endfunction()
