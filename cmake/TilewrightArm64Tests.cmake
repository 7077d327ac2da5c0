# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# On an x86-64 host: the cross build (preset arm_64) as a part of this one, built whenever this is, and its tests among
# this one's, run by qemu-aarch64. TW_ARM_64_TESTS says whether: AUTO where everything is there that it needs.

include_guard(GLOBAL)
include(ExternalProject)

set(TW_ARM_64_TESTS AUTO CACHE STRING "Build for AArch64 as well and run those tests under qemu-aarch64: ON, OFF, AUTO")
set_property(CACHE TW_ARM_64_TESTS PROPERTY STRINGS AUTO ON OFF)
set(TW_ARM_64_SYSROOT "/usr/aarch64-linux-gnu" CACHE PATH "Where the AArch64 cross packages are")
mark_as_advanced(TW_ARM_64_SYSROOT)

# tilewright_arm_64_missing(<out>)
#
# Sets <out> to what a cross build lacks on this machine, as text; empty if nothing.
function(tilewright_arm_64_missing out)
  set(missing "")
  # `./dev setup` puts qemu into build/qemu (tests/arm_64/fetch_qemu.sh).
  foreach(program IN ITEMS clang-22 lld-22 qemu-aarch64)
    find_program(TW_ARM_64_${program} NAMES ${program} HINTS "${PROJECT_SOURCE_DIR}/build/qemu")
    mark_as_advanced(TW_ARM_64_${program})
    if(NOT TW_ARM_64_${program})
      list(APPEND missing "${program}")
    endif()
  endforeach()
  if(TW_ARM_64_qemu-aarch64)
    execute_process(COMMAND "${TW_ARM_64_qemu-aarch64}" --version OUTPUT_VARIABLE version ERROR_QUIET)
    if(NOT version MATCHES "qemu-aarch64 version ([0-9.]+)" OR CMAKE_MATCH_1 VERSION_LESS 10.1)
      list(APPEND missing "qemu-aarch64 10.1 or newer (${TW_ARM_64_qemu-aarch64} is ${CMAKE_MATCH_1})")
      unset(TW_ARM_64_qemu-aarch64 CACHE)
    endif()
  endif()
  if(NOT EXISTS "${TW_ARM_64_SYSROOT}/include/stdio.h")
    list(APPEND missing "libc6-dev-arm64-cross (${TW_ARM_64_SYSROOT}/include/stdio.h)")
  endif()
  file(GLOB libstdcxx "${TW_ARM_64_SYSROOT}/include/c++/*/vector")
  if(NOT libstdcxx)
    list(APPEND missing "libstdc++-12-dev-arm64-cross")
  endif()
  if(NOT EXISTS /usr/src/googletest/CMakeLists.txt)
    list(APPEND missing "googletest (/usr/src/googletest)")
  endif()
  list(JOIN missing ", " missing)
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()

set(TW_ARM_64_CHILD OFF)
if(TW_ARM_64_TESTS AND NOT CMAKE_CROSSCOMPILING)
  if(TW_ARM_64_TESTS STREQUAL "AUTO" AND NOT TW_BUILD_GENERATOR)
    set(missing "the generator in this build")
  elseif(TW_ARM_64_TESTS STREQUAL "AUTO" AND TW_SANITIZE)
    set(missing "a build without sanitizers")
  elseif(CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(missing "another host: here the tests of this build are AArch64's")
  else()
    tilewright_arm_64_missing(missing)
  endif()
  if(NOT missing)
    set(TW_ARM_64_CHILD ON)
    message(STATUS "AArch64: cross build and tests under qemu-aarch64 are part of this build")
  elseif(TW_ARM_64_TESTS STREQUAL "AUTO")
    message(STATUS "AArch64: no cross build and no tests under qemu-aarch64; needed: ${missing}")
  else()
    message(FATAL_ERROR "TW_ARM_64_TESTS is ${TW_ARM_64_TESTS}, but the AArch64 tests need: ${missing}")
  endif()
endif()

if(TW_ARM_64_CHILD)
  set(TW_ARM_64_BUILD_DIR "${PROJECT_BINARY_DIR}/arm_64")
  ExternalProject_Add(tilewright_arm_64
    SOURCE_DIR "${PROJECT_SOURCE_DIR}"
    BINARY_DIR "${TW_ARM_64_BUILD_DIR}"
    PREFIX "${PROJECT_BINARY_DIR}/arm_64_project"
    CMAKE_GENERATOR Ninja
    CMAKE_ARGS
      "-DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/toolchains/aarch64-linux-gnu.cmake"
      "-DTW_SYSROOT=${TW_ARM_64_SYSROOT}"
      "-DTW_QEMU_AARCH64=${TW_ARM_64_qemu-aarch64}"
      "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
      "-DCMAKE_COMPILE_WARNING_AS_ERROR=$<BOOL:${CMAKE_COMPILE_WARNING_AS_ERROR}>"
      "-DTW_USE_CCACHE=${TW_USE_CCACHE}"
      -DTW_BUILD_GENERATOR=OFF
      -DTW_BUILD_BENCH=OFF
    BUILD_ALWAYS ON
    INSTALL_COMMAND ""
    EXCLUDE_FROM_ALL OFF)
  # The child's test files appear when it is configured, which is when this build runs; before that its tests are one
  # that fails.
  file(WRITE "${PROJECT_BINARY_DIR}/arm_64_tests.cmake"
    "if(EXISTS \"${TW_ARM_64_BUILD_DIR}/CTestTestfile.cmake\")\n"
    "  subdirs(\"${TW_ARM_64_BUILD_DIR}\")\n"
    "else()\n"
    "  add_test(arm_64/NOT_BUILT arm_64/NOT_BUILT)\n"
    "endif()\n")
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY
    TEST_INCLUDE_FILES "${PROJECT_BINARY_DIR}/arm_64_tests.cmake")
endif()
