# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles the digits models on this host for another architecture, links them into a static program, runs it on a CPU that has no
# more than the target under qemu, and compares its predictions with those of this host's own program.
#
#   cmake -DTOOL=<tilewright> -DTARGET=<--target> -DQEMU=<qemu> -DQEMU_CPU=<cpu> -DTILES=<regex> -DFEWER=<cpu>
#     -DCC=<cross compiler and flags> -DHOST_CC=<C compiler> -DDIGITS=<examples/digits> -DWORK=<scratch>
#     -P digits_cross.cmake
#
# TILES: what every tile's name matches. FEWER: a CPU model on which the program must meet an instruction that this one
# does not have, for it uses what the target has; empty for none. INLINE: tiles are inlined into the models' objects.

cmake_minimum_required(VERSION 3.25)

# run(<what it is> [ENDS <result>] COMMAND...): output in `output`. ENDS: its exit status or the name of the signal that
# ends it, as CMake has them; 0 if absent.
function(run what)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ENDS" "COMMAND")
  if(NOT arg_ENDS)
    set(arg_ENDS 0)
  endif()
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result STREQUAL arg_ENDS)
    message(FATAL_ERROR "${what}: ended with '${result}', expected '${arg_ENDS}':\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# build(<program> <target> <compiler>...): <program> in WORK, reports of the models in `reports`.
function(build program target)
  set(reports "")
  set(archives "")
  foreach(model IN ITEMS model model_int8)
    set(archive "${WORK}/${program}_${model}.a")
    set(inline "")
    if(INLINE)
      set(archive "${WORK}/${program}_${model}.o")
      set(inline --inline)
    endif()
    run("compiling ${model} for ${target}" COMMAND "${TOOL}" compile "${DIGITS}/${model}.mlir" --target=${target}
      ${inline} -o "${archive}" "--emit-header=${WORK}/${model}.h" --report=json)
    list(APPEND archives "${archive}")
    string(APPEND reports "${output}")
  endforeach()
  run("linking ${program}" COMMAND ${ARGN} -std=c11 -O2 "-I${WORK}" "${DIGITS}/main.c" "${DIGITS}/digits.c" ${archives}
    -lm -o "${WORK}/${program}")
  set(reports "${reports}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(ENV{TILEWRIGHT_CACHE_DIR} "${WORK}/cache")
set(ENV{TILEWRIGHT_TUNING} none)
build(host host ${HOST_CC})
run("running on the host" COMMAND "${WORK}/host" "${DIGITS}" "${WORK}/host.txt")

build(cross ${TARGET} ${CC} -static)
string(FIND "${reports}" "\"target\": \"${TARGET}\"" at)
if(at EQUAL -1)
  message(FATAL_ERROR "the report does not name the target ${TARGET}:\n${reports}")
endif()
string(REGEX MATCHALL "tw_mmt4d_tile_[a-z0-9_]+" names "${reports}")
if(NOT names)
  message(FATAL_ERROR "no tile is called:\n${reports}")
endif()
foreach(name IN LISTS names)
  if(NOT name MATCHES "^tw_mmt4d_tile_(${TILES})$")
    message(FATAL_ERROR "'${name}' is called, but '${TILES}' is expected")
  endif()
endforeach()
run("running on ${QEMU_CPU}" COMMAND "${QEMU}" -cpu "${QEMU_CPU}" "${WORK}/cross" "${DIGITS}" "${WORK}/cross.txt")
message("${output}")
run("comparing predictions" COMMAND "${CMAKE_COMMAND}" -E compare_files "${WORK}/host.txt" "${WORK}/cross.txt")
if(FEWER)
  run("running on ${FEWER}" ENDS "Illegal instruction" COMMAND "${QEMU}" -cpu "${FEWER}" "${WORK}/cross" "${DIGITS}")
endif()
