# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DOUTPUT=<file> -DROOT=<project> {-DMACRO=<name> | -DEMBED=ON} -P write_tuning.cmake
#
# The build's half of TilewrightTuning.cmake; the files are listed in <file>.list.

file(READ "${OUTPUT}.list" files)
set(text "// Made by cmake/write_tuning.cmake.\n")
if(EMBED)
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    file(READ "${file}" json)
    string(APPEND text "{\"${name}\", R\"tuning(${json})tuning\"},\n")
  endforeach()
else()
  set(all "")
  foreach(file IN LISTS files)
    file(SHA256 "${file}" digest)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${ROOT}")
    string(APPEND all "${digest} ${file}\n")
  endforeach()
  string(SHA256 digest "${all}")
  string(APPEND text "#define ${MACRO} \"${digest}\"\n")
endif()
file(WRITE "${OUTPUT}" "${text}")
