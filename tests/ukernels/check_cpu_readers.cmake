# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DCLANG=<clang> -DNM=<llvm-nm> -DSOURCE=<project> -DSCRATCH=<directory> -P check_cpu_readers.cmake
#
# Compiles the CPU detection for each operating system on arm_64, without its headers, and checks that the reader for it
# is what the library gets: it defines tw_cpu_detect_arm_64 and asks that system, or nobody where there is none.

cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY "${SCRATCH}")
foreach(row IN ITEMS
    "arm64-apple-macos|cpu_arm_64_macos.c|sysctlbyname"
    "aarch64-pc-windows-msvc|cpu_arm_64_windows.c|IsProcessorFeaturePresent"
    "aarch64-unknown-none-elf|cpu_arm_64.c|")
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 target)
  list(GET row 1 reader)
  list(GET row 2 question)
  set(definitions 0)
  foreach(source IN ITEMS
      cpu.c cpu_arm_64.c cpu_arm_64_linux.c cpu_arm_64_macos.c cpu_arm_64_windows.c cpu_x86_64.c)
    set(object "${SCRATCH}/${target}-${source}.o")
    execute_process(
      COMMAND "${CLANG}" --target=${target} -ffreestanding -std=c11 -O2 -Wall -Wextra -Werror
        "-I${SOURCE}" "-I${SOURCE}/abi/include" -c "${SOURCE}/ukernels/${source}" -o "${object}"
      COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${NM}" "${object}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    if(symbols MATCHES " T _?tw_cpu_detect_arm_64")
      math(EXPR definitions "${definitions} + 1")
      if(NOT source STREQUAL reader)
        message(FATAL_ERROR "${target}: ${source} defines tw_cpu_detect_arm_64, ${reader} should")
      endif()
      if(question AND NOT symbols MATCHES " U (_|__imp_)?${question}\n")
        message(FATAL_ERROR "${target}: ${source} does not call ${question}:\n${symbols}")
      elseif(NOT question AND symbols MATCHES " U ")
        message(FATAL_ERROR "${target}: ${source} calls what is not there without an operating system:\n${symbols}")
      endif()
    endif()
  endforeach()
  if(NOT definitions EQUAL 1)
    message(FATAL_ERROR "${target}: ${definitions} definitions of tw_cpu_detect_arm_64, expected one in ${reader}")
  endif()
  message(STATUS "${target}: ${reader}")
endforeach()
