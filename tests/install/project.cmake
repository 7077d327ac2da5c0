# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configures, builds and runs a project of projects/ in a scratch folder.
#
#   cmake -DSOURCE=projects/<name> -DWORK=<scratch> [-DPACKAGE=<folder of tilewright-config.cmake>] -DC_COMPILER=<compiler>
#     [-DSANITIZE=<sanitizers>] [-DLINK_FLAGS=<flags>] [-DOPTIONS=<arguments of cmake>] [-DPROGRAMS=<programs to run>]
#     [-DREFUSED=<text>] [-DINSTALLED=<project that uses what this one installs> -DINSTALLED_PROGRAMS=<programs>] -P project.cmake
#
# REFUSED: configuring or building fails, and says this.

cmake_minimum_required(VERSION 3.25)

set(ENV{TILEWRIGHT_CACHE_DIR} "${WORK}/cache")
set(ENV{TILEWRIGHT_TUNING} none)
set(flags "${FLAGS}")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()

# run(<what it is> COMMAND...): its status in `result`, its text in `output`; an error unless it may be refused.
function(run what)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MAY_FAIL" "" "COMMAND")
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0 AND NOT arg_MAY_FAIL)
    message("${output}")
    message(FATAL_ERROR "${what}: ${result}")
  endif()
  set(result "${result}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# build(<source> <folder> [<argument of cmake>...])
macro(build source folder)
  run("configuring ${source}" MAY_FAIL COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${folder}" -G Ninja
    "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_C_FLAGS=${flags}" "-DCMAKE_EXE_LINKER_FLAGS=${LINK_FLAGS}"
    "-DCMAKE_SHARED_LINKER_FLAGS=${LINK_FLAGS}" "-Dtilewright_DIR=${PACKAGE}" --no-warn-unused-cli ${ARGN})
  if(result EQUAL 0 AND NOT CONFIGURE_ONLY)
    run("building ${source}" MAY_FAIL COMMAND "${CMAKE_COMMAND}" --build "${folder}" -j 2)
  endif()
  if(NOT result EQUAL 0 AND NOT REFUSED)
    message("${output}")
    message(FATAL_ERROR "${source}: ${result}")
  endif()
endmacro()

file(REMOVE_RECURSE "${WORK}")
build("${SOURCE}" "${WORK}/build" ${OPTIONS})
if(REFUSED)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${REFUSED}" at)
  if(result EQUAL 0 OR at EQUAL -1)
    message("${output}")
    message(FATAL_ERROR "expected an error that says '${REFUSED}', but: ${result}")
  endif()
  return()
endif()
foreach(program IN LISTS PROGRAMS)
  run("running ${program}" COMMAND "${WORK}/build/${program}")
endforeach()

if(INSTALLED)
  set(prefix "${WORK}/installed here")
  run("installing" COMMAND "${CMAKE_COMMAND}" --install "${WORK}/build" --prefix "${prefix}")
  # From here on there is nothing but what was installed.
  file(RENAME "${WORK}/build" "${WORK}/gone")
  build("${INSTALLED}" "${WORK}/installed_build" ${OPTIONS} "-DCMAKE_PREFIX_PATH=${prefix}")
  foreach(program IN LISTS INSTALLED_PROGRAMS)
    run("running ${program}" COMMAND "${WORK}/installed_build/${program}")
  endforeach()
endif()
