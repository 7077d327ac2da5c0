# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include_guard(GLOBAL)
include(GoogleTest)

# In a cross build GoogleTest is built from its sources, which Debian packages as `googletest`.
if(CMAKE_CROSSCOMPILING)
  set(TW_GOOGLETEST_SOURCE "/usr/src/googletest" CACHE PATH "GoogleTest's sources, for cross builds")
  if(NOT EXISTS "${TW_GOOGLETEST_SOURCE}/CMakeLists.txt")
    message(FATAL_ERROR "No GoogleTest sources in ${TW_GOOGLETEST_SOURCE}: install the package googletest, "
      "set TW_GOOGLETEST_SOURCE, or set TW_BUILD_TESTS to OFF")
  endif()
  set(BUILD_GMOCK OFF CACHE INTERNAL "")
  set(INSTALL_GTEST OFF CACHE INTERNAL "")
  add_subdirectory("${TW_GOOGLETEST_SOURCE}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
  include(TilewrightCpuModels)
  tilewright_target_arch(_tilewright_cross_arch)
  tilewright_cpu_models(${_tilewright_cross_arch})
else()
  find_package(GTest REQUIRED)
endif()

# The names of tests of a cross build begin so, because they run beside the host's.
set(TW_TEST_PREFIX "")
if(CMAKE_CROSSCOMPILING)
  string(TOLOWER "${_tilewright_cross_arch}/" TW_TEST_PREFIX)
endif()

# For a build whose tests run once, as those of tests/install: a ctest for each program instead of each test, since there
# are more tests than time to start as many programs.
option(TW_TEST_PROGRAMS "Add each test program as one test" OFF)
mark_as_advanced(TW_TEST_PROGRAMS)
# A precompiled header, which a compiler cache would not take.
if(NOT TW_CCACHE)
  # Of an executable, as those that use it are: they have -fPIE, a library has -fPIC.
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/gtest_header.cpp" CONTENT "int main() { return 0; }\n")
  add_executable(tilewright_gtest_header "${PROJECT_BINARY_DIR}/gtest_header.cpp")
  target_link_libraries(tilewright_gtest_header PRIVATE GTest::gtest tilewright_build_flags)
  target_precompile_headers(tilewright_gtest_header PRIVATE <gtest/gtest.h>)
endif()

# tilewright_add_gtest(<name> SOURCES <file>... [LINK <target>...] [GENERATOR [MLIR]] [TIMEOUT <s>] [PREFIX <text>]
#                      [ON <cpu model>...] [FILTER <pattern>] [BY_ISA <pattern>] [SHARDS <n>])
#
# A GoogleTest executable, each of its tests a ctest of its own, by GoogleTest's name: what CMake would print of its
# parameter may be the bytes of an object. GENERATOR: its sources include LLVM or MLIR headers
# through the generator's libraries; such tests are built without RTTI, as LLVM is, and with the generator's precompiled
# header, with MLIR that of sources which include MLIR themselves. PREFIX: what the names of its tests begin with.
#
# In a cross build they run under qemu on the CPU models TW_CPU_MODELS_OF_TESTS_<arch>, or as ON, FILTER, BY_ISA and
# SHARDS say (tilewright_run_on_models, which may be called for more), with names <arch>/<cpu model>/...
function(tilewright_add_gtest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GENERATOR;MLIR" "TIMEOUT;PREFIX;FILTER;BY_ISA;SHARDS" "SOURCES;LINK;ON")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest GTest::gtest_main tilewright_build_flags)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  if(arg_GENERATOR)
    target_link_libraries(${name} PRIVATE tilewright_llvm_flags)
    tilewright_compile_with_pic(${name})
    if(arg_MLIR)
      target_precompile_headers(${name} REUSE_FROM tilewright_mlir_pch)
    else()
      target_precompile_headers(${name} REUSE_FROM tilewright_llvm_pch)
    endif()
  elseif(TARGET tilewright_gtest_header)
    target_precompile_headers(${name} REUSE_FROM tilewright_gtest_header)
  endif()
  # The headers are of C++.
  set(c_sources ${arg_SOURCES})
  list(FILTER c_sources INCLUDE REGEX "\\.c$")
  if(c_sources)
    set_source_files_properties(${c_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(TW_TEST_PROGRAMS)
    tilewright_add_shards(${name} TEST ${name} SHARDS "${arg_SHARDS}" NAMES tests)
    set_tests_properties(${tests} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  elseif(NOT CMAKE_CROSSCOMPILING)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
      TEST_PREFIX "${arg_PREFIX}" PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
  if(NOT arg_ON)
    set(arg_ON ${TW_CPU_MODELS_OF_TESTS_${_tilewright_cross_arch}})
  endif()
  tilewright_run_on_models(${name} ON ${arg_ON} FILTER "${arg_FILTER}" BY_ISA "${arg_BY_ISA}" SHARDS "${arg_SHARDS}")
endfunction()

# tilewright_add_shards(<gtest> TEST <name> [SHARDS <n>] [FILTER <pattern>] NAMES <variable>)
#
# The tests of an executable that FILTER lets pass as one ctest, or as so many of about as many tests; the variable gets
# their names.
function(tilewright_add_shards name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TEST;SHARDS;FILTER;NAMES" "")
  if(NOT arg_FILTER)
    set(arg_FILTER "*")
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  set(tests "")
  foreach(shard RANGE 1 ${arg_SHARDS})
    set(test "${arg_TEST}")
    if(arg_SHARDS GREATER 1)
      string(APPEND test ".${shard}_of_${arg_SHARDS}")
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME "${test}" COMMAND ${CMAKE_COMMAND} -E env
      GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${index}
      ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${name}> "--gtest_filter=${arg_FILTER}")
    list(APPEND tests "${test}")
  endforeach()
  set(${arg_NAMES} "${tests}" PARENT_SCOPE)
endfunction()

# tilewright_run_on_models(<gtest> ON <cpu model>... | ON all [FILTER <pattern>] [BY_ISA <pattern>] [SHARDS <n>])
#
# In a cross build: the tests of an executable that FILTER lets pass, on each of the CPU models
# (TilewrightCpuModels.cmake). All of them are one ctest, since an emulated program takes a quarter of a second to start
# and there are a thousand tests; SHARDS: so many ctests. BY_ISA: the tests of the model's own ISAs, where @isa@ in the
# pattern stands for an ISA's name; those of an ISA are one ctest. None of them may be skipped.
function(tilewright_run_on_models name)
  if(NOT CMAKE_CROSSCOMPILING)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILTER;BY_ISA;SHARDS" "ON")
  if(arg_ON STREQUAL "all")
    set(arg_ON ${TW_CPU_MODEL_NAMES})
  endif()
  foreach(model IN LISTS arg_ON)
    if(NOT DEFINED TW_CPU_MODEL_${model}_QEMU)
      message(FATAL_ERROR "${name}: no CPU model ${model}; there are: ${TW_CPU_MODEL_NAMES}")
    endif()
    set(test "${TW_TEST_PREFIX}${model}/${name}")
    set(tests "")
    if(arg_BY_ISA)
      foreach(isa IN LISTS TW_CPU_MODEL_${model}_ISAS)
        string(REPLACE "@isa@" "${isa}" filter "${arg_BY_ISA}")
        add_test(NAME "${test}.${isa}" COMMAND ${name} "--gtest_filter=${filter}")
        list(APPEND tests "${test}.${isa}")
      endforeach()
    else()
      tilewright_add_shards(${name} TEST "${test}" SHARDS "${arg_SHARDS}" FILTER "${arg_FILTER}" NAMES tests)
    endif()
    set_tests_properties(${tests} PROPERTIES TIMEOUT 1200 ENVIRONMENT "QEMU_CPU=${TW_CPU_MODEL_${model}_QEMU}"
      FAIL_REGULAR_EXPRESSION "Running 0 tests;SKIPPED")
  endforeach()
endfunction()
