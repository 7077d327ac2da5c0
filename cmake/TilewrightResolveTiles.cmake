# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tilewright_resolve_tiles(<target> [REGISTRY] [PREFIX <prefix>...])
#
# Looks at the undefined names of tiles and pack functions of the target's objects whenever they are linked, and links in
# what is missing: from the cache, or generated, in parallel. Hand-written tiles come from libtilewright.a, which the target
# is linked with.
#
#   executable, shared or module library   what its own objects want, object files and $<TARGET_OBJECTS:...> among its
#                                          sources included, and those of the project's static and object libraries
#                                          that it links
#   static library                         what its objects want; the tiles become members of the library itself
#
# REGISTRY: generated tiles get a registry entry, by which tw_mmt4d and tw_find_tile see them.
# PREFIX: names with these prefixes are resolved too, such as iree_uk.
#
# An unchanged target is not looked at again; a new name in a source is resolved by the next build. Objects may be
# LLVM bitcode (INTERPROCEDURAL_OPTIMIZATION with clang). Needs tilewright::tool, the tool `tilewright`; in a cross build
# that is the one of the machine that builds (TILEWRIGHT_TOOL), for names say what they are for.
#
# Called in the directory that created the target, or below it: CMake adds link commands to no other directory's targets.

function(tilewright_resolve_tiles target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "REGISTRY" "" "PREFIX")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tilewright_resolve_tiles(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}; "
      "expected [REGISTRY] [PREFIX <prefix>...]")
  endif()
  _tilewright_check_target(tilewright_resolve_tiles ${target})
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()

  set(dir "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.tilewright/$<CONFIG>")
  set(tiles "${dir}/tiles.a")
  set(options "$<$<TARGET_EXISTS:tilewright::tilewright>:--provided-by=$<TARGET_FILE:tilewright::tilewright>>")
  if(arg_REGISTRY)
    list(APPEND options --registry-entry)
  endif()
  foreach(prefix IN LISTS arg_PREFIX)
    list(APPEND options "--prefix=${prefix}")
  endforeach()
  set_target_properties(${target} PROPERTIES TILEWRIGHT_TILES "${tiles}" TILEWRIGHT_OPTIONS "${options}")
  target_link_libraries(${target} PRIVATE tilewright::tilewright)
  # Another tool may resolve otherwise: link again. A static library honours no LINK_DEPENDS.
  add_dependencies(${target} tilewright::tool)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "$<TARGET_FILE:tilewright::tool>")

  # CMake wants the commands from the target's own directory; what the target links is known when all are read.
  get_target_property(home ${target} SOURCE_DIR)
  cmake_language(EVAL CODE "
    cmake_language(DEFER DIRECTORY [[${home}]]
      CALL _tilewright_resolve_at_link [[${target}]] [[${CMAKE_CURRENT_SOURCE_DIR}]])
    cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL _tilewright_write_inputs [[${target}]])")
endfunction()

# _tilewright_check_target(<caller> <target>)
#
# An error unless tiles can be linked into the target from this directory. <caller> is the function that the user called.
function(_tilewright_check_target caller target)
  set(call "${caller}(${target})")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${call}: there is no such target")
  endif()
  if(NOT TARGET tilewright::tool)
    message(FATAL_ERROR "${call}: this Tilewright was built without its generator "
      "(TW_BUILD_GENERATOR=OFF, as in a cross build) and has no tool that could resolve names; set TILEWRIGHT_TOOL to "
      "that of a Tilewright for this machine")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR "${call}: nothing of this target is linked here (${type}); "
      "expected an executable or a static, shared or module library of this project: call it for those that link this one")
  endif()
  get_target_property(done ${target} TILEWRIGHT_TILES)
  if(done)
    message(FATAL_ERROR "${call}: called twice for this target, or after tilewright_add_tiles")
  endif()
  get_target_property(home ${target} SOURCE_DIR)
  set(directory "${CMAKE_CURRENT_SOURCE_DIR}")
  while(directory AND NOT directory STREQUAL home)
    get_property(directory DIRECTORY "${directory}" PROPERTY PARENT_DIRECTORY)
  endwhile()
  if(NOT directory)
    message(FATAL_ERROR "${call}: ${home} created this target and has been read to its end, after which CMake adds "
      "nothing to how it is linked; write ${caller}(${target}) there, in ${home}/CMakeLists.txt")
  endif()
endfunction()

# The static and object libraries of this project that `target` links, also through others.
function(_tilewright_project_libraries target result)
  set(found)
  set(queue ${target})
  set(seen)
  while(queue)
    list(POP_FRONT queue next)
    set(linked)
    foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(libraries ${next} ${property})
      if(libraries)
        list(APPEND linked ${libraries})
      endif()
    endforeach()
    foreach(library IN LISTS linked)
      while(library MATCHES "^\\$<(LINK_ONLY|BUILD_INTERFACE|BUILD_LOCAL_INTERFACE):(.*)>$")
        set(library "${CMAKE_MATCH_2}")
      endwhile()
      if(NOT TARGET "${library}")
        continue()
      endif()
      get_target_property(aliased ${library} ALIASED_TARGET)
      if(aliased)
        set(library ${aliased})
      endif()
      get_target_property(imported ${library} IMPORTED)
      if(imported OR library IN_LIST seen OR library STREQUAL "tilewright")
        continue()
      endif()
      list(APPEND seen ${library})
      list(APPEND queue ${library})
      get_target_property(type ${library} TYPE)
      if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
        list(APPEND found ${library})
      endif()
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The files that the link step looks into, in a file: there may be more than a command line can hold.
function(_tilewright_write_inputs target)
  get_target_property(type ${target} TYPE)
  get_target_property(tiles ${target} TILEWRIGHT_TILES)
  get_target_property(home ${target} SOURCE_DIR)
  get_filename_component(dir "${tiles}" DIRECTORY)

  # Objects that it compiles, then those that others did: $<TARGET_OBJECTS:...> or files among its sources.
  set(inputs "$<TARGET_OBJECTS:${target}>")
  set(given "$<FILTER:$<TARGET_PROPERTY:${target},SOURCES>,INCLUDE,[.](o|obj)$>")
  list(APPEND inputs "$<$<BOOL:${given}>:$<PATH:ABSOLUTE_PATH,NORMALIZE,${given},${home}>>")
  if(NOT type STREQUAL "STATIC_LIBRARY")
    _tilewright_project_libraries(${target} libraries)
    foreach(library IN LISTS libraries)
      get_target_property(library_type ${library} TYPE)
      if(library_type STREQUAL "STATIC_LIBRARY")
        list(APPEND inputs "$<TARGET_FILE:${library}>")
      else()
        list(APPEND inputs "$<TARGET_OBJECTS:${library}>")
      endif()
    endforeach()
  endif()
  set(inputs "$<FILTER:${inputs},EXCLUDE,^$>")
  file(GENERATE OUTPUT "${dir}/inputs.rsp" CONTENT "\"$<JOIN:${inputs},\"\n\">\"\n")
endfunction()

# The link step's commands, called in the target's directory on behalf of `caller`, a directory.
function(_tilewright_resolve_at_link target caller)
  if(NOT TARGET tilewright::tool)
    message(FATAL_ERROR "tilewright_resolve_tiles(${target}): find_package(tilewright) in ${caller} defines its targets "
      "for that directory alone, but ${CMAKE_CURRENT_SOURCE_DIR} created ${target}; write "
      "find_package(tilewright REQUIRED) there, in ${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(tiles ${target} TILEWRIGHT_TILES)
  get_target_property(options ${target} TILEWRIGHT_OPTIONS)
  get_filename_component(dir "${tiles}" DIRECTORY)

  add_custom_command(TARGET ${target} PRE_LINK
    COMMAND tilewright::tool link "@${dir}/inputs.rsp" ${options} -o "${tiles}" --report=json
      "--report-file=${dir}/report.json"
    BYPRODUCTS "${tiles}" "${dir}/report.json"
    COMMENT "Resolving the tiles of ${target}"
    COMMAND_EXPAND_LISTS VERBATIM)
  if(type STREQUAL "STATIC_LIBRARY")
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND tilewright::tool link "$<TARGET_FILE:${target}>" "${tiles}" ${options} --with-inputs
        -o "$<TARGET_FILE:${target}>"
      COMMAND_EXPAND_LISTS VERBATIM)
  else()
    # Whole, because every member is wanted, wherever among the inputs its user stands.
    target_link_options(${target} PRIVATE "LINKER:--whole-archive,${tiles},--no-whole-archive")
    # They are the target's own: other libraries' tiles of the same names are not to replace them, nor they those.
    target_link_options(${target} PRIVATE "LINKER:--exclude-libs,tiles.a")
  endif()
endfunction()
