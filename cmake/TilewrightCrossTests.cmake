# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# On an x86-64 host: cross builds of the C library and its tests (as preset arm_64 makes one), each a part of this build,
# built whenever this is, and its tests among this one's, run by qemu. TW_<ARCH>_TESTS says whether: AUTO where everything
# is there that it needs.

include_guard(GLOBAL)
include(ExternalProject)

set(TW_CROSS_ARCHS "") # those that are built
# The least qemu: older ones know no SME2 and compute the 8-bit SMOPA wrongly; nor do they tell RISC-V's extensions.
set(TW_LEAST_QEMU 10.1)

# _tilewright_cross_missing(<arch> <processor> <debian> <out>)
#
# Sets <out> to what a cross build lacks on this machine, as text; empty if nothing. `debian` is what Debian calls the
# architecture in names of packages.
function(_tilewright_cross_missing arch processor debian out)
  set(missing "")
  # `./dev setup` puts qemu into build/qemu (tests/cross/fetch_qemu.sh).
  set(qemu qemu-${processor})
  foreach(program IN ITEMS clang-22 lld-22 ${qemu})
    find_program(TW_${arch}_${program} NAMES ${program} HINTS "${PROJECT_SOURCE_DIR}/build/qemu")
    mark_as_advanced(TW_${arch}_${program})
    if(NOT TW_${arch}_${program})
      list(APPEND missing "${program}")
    endif()
  endforeach()
  if(TW_${arch}_${qemu})
    execute_process(COMMAND "${TW_${arch}_${qemu}}" --version OUTPUT_VARIABLE version ERROR_QUIET)
    if(NOT version MATCHES "${qemu} version ([0-9.]+)" OR CMAKE_MATCH_1 VERSION_LESS TW_LEAST_QEMU)
      list(APPEND missing "${qemu} ${TW_LEAST_QEMU} or newer (${TW_${arch}_${qemu}} is ${CMAKE_MATCH_1})")
      unset(TW_${arch}_${qemu} CACHE)
    endif()
  endif()
  if(NOT EXISTS "${TW_${arch}_SYSROOT}/include/stdio.h")
    list(APPEND missing "libc6-dev-${debian}-cross (${TW_${arch}_SYSROOT}/include/stdio.h)")
  endif()
  file(GLOB libstdcxx "${TW_${arch}_SYSROOT}/include/c++/*/vector")
  if(NOT libstdcxx)
    list(APPEND missing "libstdc++-12-dev-${debian}-cross")
  endif()
  if(NOT EXISTS /usr/src/googletest/CMakeLists.txt)
    list(APPEND missing "googletest (/usr/src/googletest)")
  endif()
  list(JOIN missing ", " missing)
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()

# tilewright_cross_tests(<arch> <processor> <debian>)
#
# Makes the cross build of an architecture, a row of architectures.def, part of this build: the target tilewright_<name>
# in TW_<arch>_BUILD_DIR, where TW_CROSS_ARCHS then has it.
macro(tilewright_cross_tests arch processor debian)
  string(TOLOWER ${arch} _name)
  set(TW_${arch}_TESTS AUTO CACHE STRING "Build for ${_name} as well and run those tests under qemu-${processor}: ON, OFF, AUTO")
  set_property(CACHE TW_${arch}_TESTS PROPERTY STRINGS AUTO ON OFF)
  set(TW_${arch}_SYSROOT "/usr/${processor}-linux-gnu" CACHE PATH "Where the cross packages for ${_name} are")
  mark_as_advanced(TW_${arch}_SYSROOT)
  if(TW_${arch}_TESTS AND NOT CMAKE_CROSSCOMPILING)
    if(TW_${arch}_TESTS STREQUAL "AUTO" AND NOT TW_BUILD_GENERATOR)
      set(_missing "the generator in this build")
    elseif(TW_${arch}_TESTS STREQUAL "AUTO" AND TW_SANITIZE)
      set(_missing "a build without sanitizers")
    elseif(CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "^(${processor}|arm64)$")
      set(_missing "another host: here the tests of this build are those")
    else()
      _tilewright_cross_missing(${arch} ${processor} ${debian} _missing)
    endif()
    if(NOT _missing)
      list(APPEND TW_CROSS_ARCHS ${arch})
      message(STATUS "${_name}: cross build and tests under qemu-${processor} are part of this build")
      _tilewright_cross_build(${arch} ${processor} ${_name})
    elseif(TW_${arch}_TESTS STREQUAL "AUTO")
      message(STATUS "${_name}: no cross build and no tests under qemu-${processor}; needed: ${_missing}")
    else()
      message(FATAL_ERROR "TW_${arch}_TESTS is ${TW_${arch}_TESTS}, but the tests of ${_name} need: ${_missing}")
    endif()
  endif()
endmacro()

function(_tilewright_cross_build arch processor name)
  set(build_dir "${PROJECT_BINARY_DIR}/${name}")
  set(TW_${arch}_BUILD_DIR "${build_dir}" PARENT_SCOPE)
  set(TW_${arch}_QEMU "${TW_${arch}_qemu-${processor}}" PARENT_SCOPE)
  ExternalProject_Add(tilewright_${name}
    SOURCE_DIR "${PROJECT_SOURCE_DIR}"
    BINARY_DIR "${build_dir}"
    PREFIX "${build_dir}_project"
    CMAKE_GENERATOR Ninja
    CMAKE_ARGS
      "-DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/toolchains/${processor}-linux-gnu.cmake"
      "-DTW_SYSROOT=${TW_${arch}_SYSROOT}"
      "-DTW_QEMU=${TW_${arch}_qemu-${processor}}"
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
  file(WRITE "${build_dir}_tests.cmake"
    "if(EXISTS \"${build_dir}/CTestTestfile.cmake\")\n"
    "  subdirs(\"${build_dir}\")\n"
    "else()\n"
    "  add_test(${name}/NOT_BUILT ${name}/NOT_BUILT)\n"
    "endif()\n")
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY TEST_INCLUDE_FILES "${build_dir}_tests.cmake")
endfunction()

tilewright_cross_tests(ARM_64 aarch64 arm64)
tilewright_cross_tests(RISCV_64 riscv64 riscv64)
