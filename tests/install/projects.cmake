# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Other people's builds: one small project for each way to use Tilewright. They use this build's tool, and, where they
# can, its library.

# tilewright_add_project_test(<name> SOURCE <folder of projects/> [C_COMPILER <compiler>] [CONTAINS] [CONFIGURE_ONLY]
#                             [OPTIONS <argument of cmake>...] [PROGRAMS <program>...] [REFUSED <text>]
#                             [INSTALLED <folder of projects/> INSTALLED_PROGRAMS <program>...])
#
# A test install.project_<name>; see project.cmake. CONTAINS: the project takes in Tilewright's sources.
function(tilewright_add_project_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CONTAINS;CONFIGURE_ONLY" "SOURCE;C_COMPILER;REFUSED;INSTALLED"
    "OPTIONS;PROGRAMS;INSTALLED_PROGRAMS")
  set(projects "${CMAKE_CURRENT_SOURCE_DIR}/projects")
  set(arguments "-DSOURCE=${projects}/${arg_SOURCE}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/${name}"
    "-DREFUSED=${arg_REFUSED}" -DCONFIGURE_ONLY=${arg_CONFIGURE_ONLY} -DSANITIZE=${TW_SANITIZE})
  if(arg_CONTAINS)
    list(APPEND arg_OPTIONS "-DTILEWRIGHT_SOURCE=${PROJECT_SOURCE_DIR}" "-DTW_SANITIZE=${TW_SANITIZE}"
      "-DTW_USE_CCACHE=${TW_USE_CCACHE}")
  else()
    list(APPEND arguments "-DPACKAGE=${PROJECT_BINARY_DIR}/cmake")
  endif()
  if(arg_C_COMPILER)
    list(APPEND arguments "-DC_COMPILER=${arg_C_COMPILER}")
  else()
    list(APPEND arguments "-DC_COMPILER=${CMAKE_C_COMPILER}" "-DLINK_FLAGS=${CMAKE_EXE_LINKER_FLAGS}")
  endif()
  if(arg_INSTALLED)
    list(APPEND arguments "-DINSTALLED=${projects}/${arg_INSTALLED}")
  endif()
  foreach(list IN ITEMS OPTIONS PROGRAMS INSTALLED_PROGRAMS)
    string(REPLACE ";" "\\;" escaped "${arg_${list}}")
    list(APPEND arguments "-D${list}=${escaped}")
  endforeach()
  add_test(NAME install.project_${name} COMMAND ${CMAKE_COMMAND} ${arguments} -P ${CMAKE_CURRENT_SOURCE_DIR}/project.cmake)
  set_tests_properties(install.project_${name} PROPERTIES TIMEOUT 300)
endfunction()

# Tilewright as a part of another project: its C library compiled there, with the tool of this build; and with a
# generator of its own, only configured. What is off is not looked for.
set(nothing "")
foreach(package IN ITEMS GTest benchmark Python3)
  list(APPEND nothing -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
tilewright_add_project_test(subdirectory SOURCE subdirectory CONTAINS PROGRAMS app
  OPTIONS ${nothing} -DTW_BUILD_GENERATOR=OFF "-DTILEWRIGHT_TOOL=$<TARGET_FILE:tilewright-tool>"
    -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON
  INSTALLED exported_consumer INSTALLED_PROGRAMS app_of_part finder)
tilewright_add_project_test(subdirectory_generator SOURCE subdirectory CONTAINS CONFIGURE_ONLY
  OPTIONS ${nothing} "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}")

tilewright_add_project_test(target_objects SOURCE target_objects
  PROGRAMS app app_of_interface app_of_library app_of_file)

tilewright_add_project_test(other_directory SOURCE other_directory PROGRAMS app part/app_of_part)
tilewright_add_project_test(target_below SOURCE other_directory OPTIONS "-DWRONG=target below"
  REFUSED "write tilewright_resolve_tiles(other) there, in ${CMAKE_CURRENT_SOURCE_DIR}/projects/other_directory/part")
tilewright_add_project_test(tiles_below SOURCE other_directory OPTIONS "-DWRONG=tiles below"
  REFUSED "write tilewright_add_tiles(other) there, in ${CMAKE_CURRENT_SOURCE_DIR}/projects/other_directory/part")
tilewright_add_project_test(package_below SOURCE other_directory OPTIONS "-DWRONG=package below"
  REFUSED "write find_package(tilewright REQUIRED) there, in ${CMAKE_CURRENT_SOURCE_DIR}/projects/other_directory/")

tilewright_add_project_test(install_export SOURCE install_export
  INSTALLED exported_consumer INSTALLED_PROGRAMS app_of_part app_of_part_shared finder)

if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  tilewright_add_project_test(lto_fat SOURCE lto OPTIONS -DFAT=ON PROGRAMS app)
endif()
find_program(TW_TEST_GCC gcc)
mark_as_advanced(TW_TEST_GCC)
if(TW_TEST_GCC AND NOT TW_SANITIZE)
  tilewright_add_project_test(lto_fat_gcc SOURCE lto C_COMPILER ${TW_TEST_GCC} OPTIONS -DFAT=ON PROGRAMS app)
  tilewright_add_project_test(lto_slim_gcc SOURCE lto C_COMPILER ${TW_TEST_GCC} OPTIONS -DFAT=OFF
    REFUSED "compile it with -fno-lto or -ffat-lto-objects")
endif()
