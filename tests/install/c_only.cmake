# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configures, builds and tests the C library alone: cmake -DSOURCE_DIR= -DSCRATCH= -DC_COMPILER= -DCXX_COMPILER=
# -DBUILD_TYPE= [-DUSE_CCACHE=] [-DSANITIZE=] -P c_only.cmake
#
# The library is what is compiled as anybody would; its tests, which are most of the code and run once, without much
# optimisation. Under sanitizers there is none, but for what computes a test's expectations: checks of a kernel that has been
# unrolled and inlined take a minute for one file, and a test takes four times as long to compile as it saves when it runs.

set(options "")
if(SANITIZE)
  list(APPEND options -DTW_SANITIZE=${SANITIZE} "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O0 -g1"
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -g1")
else()
  list(APPEND options "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG")
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR} -B ${SCRATCH}
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DTW_BUILD_GENERATOR=OFF -DTW_BUILD_BENCH=OFF -DTW_TEST_PROGRAMS=ON
    -DTW_USE_CCACHE=${USE_CCACHE} ${options}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH} -j 2 COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${SCRATCH} -j 2 --output-on-failure --no-tests=error -E "^project"
  COMMAND_ERROR_IS_FATAL ANY)
