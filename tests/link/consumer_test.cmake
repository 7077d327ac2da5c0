# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configures, builds, runs, changes and rebuilds the separate project consumer/ against a Tilewright package.
#
#   cmake -DSOURCE=consumer/ -DWORK=<scratch> -DPACKAGE=<folder of tilewright-config.cmake> -DBUILD_WITH=<generator>
#     -DCOMPILER=<C compiler> [-DLINK_FLAGS=<flags>] -DNM=<nm> -P consumer_test.cmake
#
# INSTALL=<build tree> instead of PACKAGE installs that tree first, into a folder with a space in its name.
# TOOLCHAIN=<toolchain file>, TOOL=<tilewright> and EMULATOR=<command> instead of COMPILER: a cross build for AArch64.

cmake_minimum_required(VERSION 3.25)

set(hand_written tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma)
set(machine "-DCMAKE_C_COMPILER=${COMPILER}")
if(TOOLCHAIN)
  separate_arguments(EMULATOR UNIX_COMMAND "${EMULATOR}")
  set(hand_written tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_base)
  set(machine "-DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN}" "-DTILEWRIGHT_TOOL=${TOOL}")
endif()
set(added tw_mmt4d_tile_f32f32f32_6x11x1_generic)
set(build "${WORK}/build")
set(ENV{TILEWRIGHT_CACHE_DIR} "${WORK}/cache")
set(ENV{TILEWRIGHT_TUNING} none)
set(ENV{CCACHE_DISABLE} 1)

# run(<what it is> [FAILS] COMMAND...): output in `output`.
function(run what)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FAILS" "" "COMMAND")
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0 AND arg_FAILS)
    message(FATAL_ERROR "${what}: succeeded, but must fail:\n${output}")
  elseif(NOT result EQUAL 0 AND NOT arg_FAILS)
    message(FATAL_ERROR "${what}: ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# When the outputs were written, for comparing.
function(stamps result)
  set(all)
  foreach(file IN LISTS ARGN)
    file(TIMESTAMP "${build}/${file}" stamp "%s.%f")
    list(APPEND all "${file}=${stamp}")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# The names that were resolved for `target` when it was last linked.
function(resolved_names target result)
  file(GLOB_RECURSE report "${build}/CMakeFiles/${target}.tilewright/*report.json")
  file(READ "${report}" json)
  string(JSON count LENGTH "${json}" tiles)
  set(names)
  if(count)
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
      string(JSON name GET "${json}" tiles ${i} name)
      list(APPEND names ${name})
    endforeach()
  endif()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

function(run_programs)
  foreach(program IN LISTS programs)
    run("running ${program}" COMMAND ${EMULATOR} "${build}/${program}")
  endforeach()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(COPY "${SOURCE}/" DESTINATION "${WORK}/source")
if(INSTALL)
  set(prefix "${WORK}/installed here")
  run("installing" COMMAND "${CMAKE_COMMAND}" --install "${INSTALL}" --prefix "${prefix}")
  file(GLOB_RECURSE config "${prefix}/tilewright-config.cmake")
  cmake_path(GET config PARENT_PATH PACKAGE)
endif()
set(configure "${CMAKE_COMMAND}" -S "${WORK}/source" -B "${build}" -G "${BUILD_WITH}"
  ${machine} "-DCMAKE_EXE_LINKER_FLAGS=${LINK_FLAGS}"
  "-DCMAKE_SHARED_LINKER_FLAGS=${LINK_FLAGS}" "-Dtilewright_DIR=${PACKAGE}" -DCMAKE_BUILD_TYPE=Release)

# What cannot be done is said when it is asked for.
function(refuse code text)
  run("${code}" FAILS COMMAND ${configure} "-DREFUSED=${code}")
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${code}: the error does not say '${text}':\n${output}")
  endif()
endfunction()
refuse("tilewright_resolve_tiles(nobody)" "there is no such target")
refuse("add_library(objects OBJECT call.c)
tilewright_resolve_tiles(objects)" "nothing of this target is linked here (OBJECT_LIBRARY)")
refuse("tilewright_resolve_tiles(app)" "called twice for this target")
refuse("tilewright_resolve_tiles(helper WHAT)" "unknown arguments: WHAT")
refuse("tilewright_add_tiles(no_tiles)" "expected NAMES <name>...")
refuse("tilewright_add_tiles(bad_tiles NAMES a-b)" "'a-b' is not a tile name")

if(TOOLCHAIN) # the package has no tool of its own
  set(found ${configure})
  list(TRANSFORM configure REPLACE "^-DTILEWRIGHT_TOOL=.*" "-DTILEWRIGHT_TOOL=${NM}")
  refuse("" "which is not the tool of tilewright")
  list(TRANSFORM configure REPLACE "^-DTILEWRIGHT_TOOL=.*" "-DTILEWRIGHT_TOOL=TILEWRIGHT_TOOL-NOTFOUND")
  refuse("" "set TILEWRIGHT_TOOL to that of a Tilewright for this machine")
  set(configure ${found})
endif()
run("configuring" COMMAND ${configure} -DREFUSED=)
set(build_command "${CMAKE_COMMAND}" --build "${build}" -j 2)
run("first build" COMMAND ${build_command})
set(programs app app_of_library app_of_shared finder)
if(EXISTS "${build}/app_lto")
  list(APPEND programs app_lto)
endif()
set(libraries libcomplete.a libhelper.a libmy_tiles.a)
run_programs()

# What was resolved, and that hand-written tiles come from libtilewright.a, once.
resolved_names(app names)
list(SORT names)
if(NOT names STREQUAL "tw_mmt4d_tile_f32f32f32_2x9x1_generic;tw_mmt4d_tile_f32f32f32_5x7x1_generic;\
tw_pack_tile_32_rows_5x1_generic;tw_unpack_tile_32_rows_5x1_generic")
  message(FATAL_ERROR "app: resolved '${names}'")
endif()
run("listing symbols" COMMAND "${NM}" "${build}/app")
string(REGEX MATCHALL "[TtWw] ${hand_written}\n" definitions "${output}")
list(LENGTH definitions count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "app: ${count} definitions of ${hand_written}:\n${output}")
endif()
# A shared library keeps its tiles to itself: no other library's is to take their place.
run("listing what is visible" COMMAND "${NM}" -D --defined-only "${build}/libshared.so")
if(output MATCHES "tw_(mmt4d|pack|unpack)_tile_" OR NOT output MATCHES " T [a-z_]*call_tiles")
  message(FATAL_ERROR "libshared.so shows:\n${output}")
endif()
run("listing members" COMMAND "${NM}" "${build}/libcomplete.a")
if(NOT output MATCHES "[WwVv] tw_mmt4d_tile_f32f32f32_5x7x1_generic" OR
   NOT output MATCHES "[WwVv] tw_pack_tile_32_rows_5x1_generic")
  message(FATAL_ERROR "libcomplete.a lacks its tiles:\n${output}")
endif()

# Nothing changed: nothing is done.
stamps(before ${programs} ${libraries})
run("build without a change" COMMAND ${build_command})
stamps(after ${programs} ${libraries})
if(NOT before STREQUAL after)
  message(FATAL_ERROR "a build without a change wrote files:\n${before}\n${after}")
endif()

# A new name in a source is resolved by the next build; what does not use the source is left alone.
file(READ "${WORK}/source/call.c" original)
string(REPLACE "int call_tiles(void) {" "TILE(${added});\nint call_tiles(void) {" changed "${original}")
string(REPLACE "return wrong;" "return wrong + check_tile(${added}, 6, 11);" changed "${changed}")
if(changed STREQUAL original)
  message(FATAL_ERROR "the change did not apply to call.c")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
file(WRITE "${WORK}/source/call.c" "${changed}")
stamps(before finder libhelper.a libmy_tiles.a)
run("build with a new name" COMMAND ${build_command})
stamps(after finder libhelper.a libmy_tiles.a)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "unrelated outputs were written again:\n${before}\n${after}")
endif()
run_programs()
foreach(target IN ITEMS app complete)
  resolved_names(${target} names)
  if(NOT added IN_LIST names)
    message(FATAL_ERROR "${target}: ${added} was not resolved, but '${names}'")
  endif()
endforeach()

# A name that no key has stops the build and is said; the next good source builds again.
string(REPLACE "_6x11x1_" "_6x011x1_" broken "${changed}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
file(WRITE "${WORK}/source/call.c" "${broken}")
foreach(attempt IN ITEMS first second)
  run("${attempt} build with a malformed name" FAILS COMMAND ${build_command} --target app complete)
  if(NOT output MATCHES "'011' has a leading zero")
    message(FATAL_ERROR "the error does not say what is wrong:\n${output}")
  endif()
endforeach()
execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
file(WRITE "${WORK}/source/call.c" "${changed}")
run("build after the repair" COMMAND ${build_command})
run_programs()
