# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The preset c-only with a PATH that has a C compiler and no other: cmake -DSOURCE_DIR= -DSCRATCH= -P without_cxx.cmake

file(REMOVE_RECURSE "${SCRATCH}")
set(bin "${SCRATCH}/bin")
file(MAKE_DIRECTORY "${bin}")
foreach(program IN ITEMS gcc as ld ar ranlib nm ninja cmake)
  unset(found)
  unset(found CACHE)
  find_program(found ${program} REQUIRED)
  file(REAL_PATH "${found}" found)
  file(CREATE_LINK "${found}" "${bin}/${program}" SYMBOLIC)
endforeach()
set(ENV{PATH} "${bin}")
unset(ENV{CC})
unset(ENV{CXX})

# configure(<folder> [<argument of cmake>...]): its status in `result`, its text in `output`.
function(configure folder)
  execute_process(COMMAND "${CMAKE_COMMAND}" --preset c-only -S "${SOURCE_DIR}" -B "${SCRATCH}/${folder}" ${ARGN}
    WORKING_DIRECTORY "${SOURCE_DIR}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(result "${result}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

configure(build)
if(NOT result EQUAL 0 OR NOT output MATCHES "No C\\+\\+ compiler: Tilewright's C library alone")
  message(FATAL_ERROR "c-only without a C++ compiler: ${result}: ${output}")
endif()
# What would want one is refused by name.
foreach(option IN ITEMS TW_BUILD_GENERATOR TW_BUILD_TESTS TW_BUILD_BENCH)
  configure(refused -D${option}=ON)
  if(result EQUAL 0 OR NOT output MATCHES "${option} is ON, which needs a C\\+\\+ compiler")
    message(FATAL_ERROR "${option} without a C++ compiler: ${result}: ${output}")
  endif()
  file(REMOVE_RECURSE "${SCRATCH}/refused")
endforeach()
# It compiles; the whole library, with gcc, is install.c_only_gcc's.
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${SCRATCH}/build" --target ukernels/CMakeFiles/tilewright.dir/status.c.o
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
