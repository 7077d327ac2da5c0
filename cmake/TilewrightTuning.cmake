# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tilewright_digest_sources(<output> <macro> <folder>...)
#
# Makes a file for #include that defines <macro> as a digest of the sources below these folders of the project: the same in
# every build of the same sources, another one when any of them changes.
#
# tilewright_embed_tuning(<output> <file.json>...)
#
# Makes a file for #include with a row {"<file.json>", <its text>}, for each.

include_guard(GLOBAL)

function(tilewright_write_tuning what output)
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_tuning.cmake")
  # A list in a file, for a command line has its own ideas of semicolons.
  file(CONFIGURE OUTPUT "${output}.list" CONTENT "${ARGN}" @ONLY)
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DROOT=${PROJECT_SOURCE_DIR}" ${what} -P "${script}"
    DEPENDS ${ARGN} "${output}.list" "${script}"
    VERBATIM)
endfunction()

function(tilewright_digest_sources output macro)
  set(sources "")
  foreach(folder IN LISTS ARGN)
    if(NOT IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}")
      message(FATAL_ERROR "${output}: no folder ${folder}")
    endif()
    file(GLOB_RECURSE files CONFIGURE_DEPENDS
      "${PROJECT_SOURCE_DIR}/${folder}/*.cpp" "${PROJECT_SOURCE_DIR}/${folder}/*.h"
      "${PROJECT_SOURCE_DIR}/${folder}/*.td" "${PROJECT_SOURCE_DIR}/${folder}/*.def")
    list(APPEND sources ${files})
  endforeach()
  tilewright_write_tuning(-DMACRO=${macro} "${output}" ${sources})
endfunction()

function(tilewright_embed_tuning output)
  tilewright_write_tuning(-DEMBED=ON "${output}" ${ARGN})
endfunction()
