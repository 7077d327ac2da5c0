# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The command line of `tilewright link`: exit codes, outputs, reports.
#
#   cmake -DTOOL=<tilewright> -DWORK=<scratch> -DCOMPILER=<clang> -DAR=<ar> -DCONSUMER=<consumer/>
#     -DINCLUDE=<folder of the ABI's headers> -P command_test.cmake

cmake_minimum_required(VERSION 3.25)

set(name tw_mmt4d_tile_f32f32f32_5x7x1_generic)
set(ENV{TILEWRIGHT_CACHE_DIR} "${WORK}/cache")
set(ENV{TILEWRIGHT_TUNING} none)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(WRITE "${WORK}/user.c" "void ${name}(void *, const void *, const void *, const void *);\n"
  "void user(void *o, void *l, void *r, void *p) { ${name}(o, l, r, p); }\n")
file(WRITE "${WORK}/broken.c" "void tw_mmt4d_tile_f32f32f32_5x7_generic(void);\n"
  "void broken(void) { tw_mmt4d_tile_f32f32f32_5x7_generic(); }\n")
file(WRITE "${WORK}/iree.c" "void iree_uk_mmt4d_tile_f32f32f32_5x7x1_generic(void);\n"
  "void iree(void) { iree_uk_mmt4d_tile_f32f32f32_5x7x1_generic(); }\n")
file(WRITE "${WORK}/notes.txt" "this is no object\n")

# link(<expected exit code> <argument>...): leaves standard output and error in `output` and `errors`.
function(link expected)
  execute_process(COMMAND "${TOOL}" link ${ARGN} WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result EQUAL expected)
    message(FATAL_ERROR "link ${ARGN}: exit code ${result} instead of ${expected}\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

# refuse(<text> <argument>...): exit code 1, `text` in the error, no output file.
function(refuse text)
  link(1 ${ARGN} -o refused.out)
  string(FIND "${errors}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "link ${ARGN}: the error does not say '${text}':\n${errors}")
  endif()
  file(GLOB left "${WORK}/refused.out*")
  if(left)
    message(FATAL_ERROR "link ${ARGN}: left ${left}")
  endif()
endfunction()

function(require file)
  if(NOT EXISTS "${WORK}/${file}")
    message(FATAL_ERROR "${file} was not written")
  endif()
endfunction()

foreach(step IN ITEMS "${COMPILER};-O1;-c;user.c;-o;user.o" "${COMPILER};-O1;-c;user.c;-emit-llvm;-o;user.bc"
    "${COMPILER};-O1;-c;broken.c;-o;broken.o" "${COMPILER};-O1;-c;iree.c;-o;iree.o"
    "${AR};qc;libuser.a;user.o")
  execute_process(COMMAND ${step} WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Every kind of output.
link(0 user.o -o tiles.a)
require(tiles.a)
link(0 user.bc --emit=obj -o program.o)
require(program.o)
link(0 user.bc --emit=bitcode --inline -o program.bc)
require(program.bc)
link(0 libuser.a --with-inputs -o libuser.a)
if(output OR errors)
  message(FATAL_ERROR "a link without --report is not silent:\n${output}${errors}")
endif()

# Arguments from a file; a report as JSON, on standard output or in a file.
file(WRITE "${WORK}/arguments" "user.o\nuser.bc\n")
link(0 @arguments -o tiles.a --report=json)
foreach(expectation IN ITEMS wanted=2 unique=1 modules=2 cached=1 hand_written=0 generated=0)
  string(REPLACE "=" ";" expectation "${expectation}")
  list(POP_FRONT expectation field value)
  string(JSON reported GET "${output}" ${field})
  if(NOT reported EQUAL value)
    message(FATAL_ERROR "${field} is ${reported} instead of ${value}:\n${output}")
  endif()
endforeach()
string(JSON reported GET "${output}" tiles 0 name)
string(JSON peak GET "${output}" peak_memory_bytes)
if(NOT reported STREQUAL name OR NOT peak GREATER 0)
  message(FATAL_ERROR "unexpected report:\n${output}")
endif()
link(0 user.o -o tiles.a --report=text --report-file=report.txt)
file(READ "${WORK}/report.txt" report)
if(output OR NOT report MATCHES "${name}  cached")
  message(FATAL_ERROR "unexpected report:\n${output}${report}")
endif()

# What is refused.
refuse("missing.o': No such file" missing.o)
refuse("notes.txt': is neither LLVM bitcode" user.o notes.txt)
refuse("is an ELF" "${TOOL}")
refuse("5x7_generic' is not a tile name" broken.o)
refuse("missing.a': No such file" user.o --provided-by=missing.a)
refuse("cannot be inlined into an archive" user.o --inline)
refuse("--report-file needs --report" user.o --report-file=report.json)

# Inputs that want nothing: a warning, with the prefix that may have been meant.
function(warn text)
  link(0 ${ARGN} -o warned.a)
  string(FIND "${errors}" "${text}" at)
  if(at EQUAL -1 OR (NOT text AND errors))
    message(FATAL_ERROR "link ${ARGN}: the warning is not '${text}':\n${errors}")
  endif()
endfunction()
warn("no tile name in 1 modules has the prefix 'tw' or 'iree_uk_', so nothing is wanted; did you mean --prefix=iree_uk?"
  iree.o --prefix=iree_uk_)
warn("no tile name in 1 modules has the prefix 'tw', so nothing is wanted; did you mean --prefix=iree_uk?" iree.o)
warn("no tile name in 2 modules has the prefix 'iree_uk_'; did you mean --prefix=iree_uk?" iree.o user.o
  --prefix=iree_uk_)
warn("" iree.o --prefix=iree_uk)
warn("" iree.o user.o)
warn("" libuser.a tiles.a --with-inputs)

# A program of bitcode computes the same with its tiles called and inlined.
file(STRINGS /proc/cpuinfo avx2 REGEX "flags.* avx2 " LIMIT_COUNT 1)
if(NOT avx2)
  message(STATUS "this CPU has no AVX2: the program is linked, but not run")
endif()
foreach(source IN ITEMS main call helper)
  execute_process(COMMAND "${COMPILER}" -O2 -mavx2 -mfma -mf16c "-I${INCLUDE}" -emit-llvm -c "${CONSUMER}/${source}.c"
    -o ${source}.bc WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(inline IN ITEMS "" --inline)
  link(0 main.bc call.bc helper.bc --emit=obj ${inline} -o all.o --report=json)
  string(JSON inlined GET "${output}" inlined_calls)
  string(JSON remaining GET "${output}" remaining_calls)
  if((inline AND (remaining OR NOT inlined)) OR (NOT inline AND (inlined OR NOT remaining)))
    message(FATAL_ERROR "link ${inline}: ${inlined} calls inlined, ${remaining} left")
  endif()
  execute_process(COMMAND "${COMPILER}" all.o -o program WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
  if(avx2)
    execute_process(COMMAND "${WORK}/program" COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
