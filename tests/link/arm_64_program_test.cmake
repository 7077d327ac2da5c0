# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs for AArch64 whose tiles `tilewright link` supplies on this host, run under qemu-aarch64: from objects through
# an archive, from bitcode as one object, tiles called and inlined.
#
#   cmake -DTOOL=<tilewright> -DWORK=<scratch> "-DCC=<cross clang and its flags>" -DQEMU=<qemu-aarch64>
#     -DCONSUMER=<consumer/> -DINCLUDE=<folder of the ABI's headers> -P arm_64_program_test.cmake

cmake_minimum_required(VERSION 3.25)

set(ENV{TILEWRIGHT_CACHE_DIR} "${WORK}/cache")
set(ENV{TILEWRIGHT_TUNING} none)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(source IN ITEMS main call helper)
  run(${CC} -O2 "-I${INCLUDE}" -c "${CONSUMER}/${source}.c" -o ${source}.o)
  run(${CC} -O2 "-I${INCLUDE}" -emit-llvm -c "${CONSUMER}/${source}.c" -o ${source}.bc)
endforeach()

run("${TOOL}" link main.o call.o helper.o -o tiles.a)
run(${CC} -static main.o call.o helper.o tiles.a -o of_objects)
run("${QEMU}" -cpu cortex-a53 "${WORK}/of_objects")

foreach(inline IN ITEMS "" --inline)
  execute_process(COMMAND "${TOOL}" link main.bc call.bc helper.bc --emit=obj ${inline} -o all.o --report=json
    WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE report COMMAND_ERROR_IS_FATAL ANY)
  string(JSON hand_written GET "${report}" hand_written)
  string(JSON inlined GET "${report}" inlined_calls)
  string(JSON remaining GET "${report}" remaining_calls)
  if(NOT hand_written EQUAL 1)
    message(FATAL_ERROR "link ${inline}: ${hand_written} hand-written tiles instead of 1:\n${report}")
  endif()
  if((inline AND (remaining OR NOT inlined)) OR (NOT inline AND (inlined OR NOT remaining)))
    message(FATAL_ERROR "link ${inline}: ${inlined} calls inlined, ${remaining} left:\n${report}")
  endif()
  run(${CC} -static all.o -o of_bitcode)
  run("${QEMU}" -cpu cortex-a53 "${WORK}/of_bitcode")
endforeach()

# NEON, SVE and SME from one function. Inlining an SME tile must leave its streaming part in a function of its own.
run(${CC} -O2 -march=armv9-a+sme+fp16fml+i8mm+bf16 "-I${INCLUDE}" -emit-llvm -c
  "${CMAKE_CURRENT_LIST_DIR}/arm_64_modes.c" -o modes.bc)
foreach(inline IN ITEMS "" --inline --prefer=generated "--inline;--prefer=generated")
  execute_process(COMMAND "${TOOL}" link modes.bc --emit=obj ${inline} -o modes.o --report=json
    WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE report COMMAND_ERROR_IS_FATAL ANY)
  string(JSON inlined GET "${report}" inlined_calls)
  string(JSON remaining GET "${report}" remaining_calls)
  if((inline MATCHES "inline" AND inlined LESS 3) OR (NOT inline MATCHES "inline" AND inlined) OR NOT "${inlined}+${remaining}" MATCHES "4[+]0|3[+]1|0[+]4")
    message(FATAL_ERROR "modes, link ${inline}: ${inlined} calls inlined, ${remaining} left:\n${report}")
  endif()
  run(${CC} -static modes.o -o modes)
  foreach(cpu IN ITEMS "max,sve512=off,sve256=on,sme512=on" "max,sve256=off,sve512=off,sve128=on,sme512=off,sme256=on")
    run("${QEMU}" -cpu "${cpu}" "${WORK}/modes")
  endforeach()
endforeach()
