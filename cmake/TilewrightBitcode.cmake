# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tilewright_add_bitcode(<isa> ARCH <a row of architectures.def> SOURCE <file.c> FLAGS <flag>...)
#
# Compiles the hand-written tiles of one ISA, of any architecture, to the bitcode library that the generator links and inlines,
# ${PROJECT_BINARY_DIR}/lib/tilewright/bitcode/tilewright_ukernels_<isa>.bc, as part of target tilewright_bitcode.
#
# tilewright_add_support_bitcode(<name> ARCH <X86_64|ARM_64> SOURCES <file.c>... FLAGS <flag>...)
#
# Compiles and links C code that comes with compiled models, of which the first file's functions are seen, and what
# these need of files behind them, to tilewright_<name>.bc beside them, and that to tilewright_<name>.o.

# tilewright_add_template_bitcode(<name> SOURCES <file.c>...)
#
# Compiles and links C code that the generator specialises, for any 64-bit target, to tilewright_<name>.bc beside them, of
# which the first file's functions are seen. Nothing is inlined yet.

include_guard(GLOBAL)
include(TilewrightIsaTable)

set(TILEWRIGHT_BITCODE_DIR "${PROJECT_BINARY_DIR}/lib/tilewright/bitcode")

# Bitcode is read by LLVM 22, so it is written by clang 22, whatever compiles the rest.
if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_C_COMPILER_VERSION MATCHES "^22\\.")
  set(TW_BITCODE_CLANG_DEFAULT "${CMAKE_C_COMPILER}")
else()
  find_program(TW_BITCODE_CLANG_FOUND NAMES clang-22 HINTS /usr/lib/llvm-22/bin)
  set(TW_BITCODE_CLANG_DEFAULT "${TW_BITCODE_CLANG_FOUND}")
endif()
get_filename_component(_tilewright_clang_dir "${TW_BITCODE_CLANG_DEFAULT}" REALPATH)
get_filename_component(_tilewright_clang_dir "${_tilewright_clang_dir}" DIRECTORY)
find_program(TW_BITCODE_LINK NAMES llvm-link llvm-link-22 HINTS "${_tilewright_clang_dir}" /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
find_program(TW_BITCODE_LINK NAMES llvm-link-22)
set(TW_BITCODE_CLANG "${TW_BITCODE_CLANG_DEFAULT}" CACHE FILEPATH "The clang 22 that compiles tiles to bitcode")
find_program(TW_BITCODE_OPT NAMES opt opt-22 HINTS "${_tilewright_clang_dir}" /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
find_program(TW_BITCODE_OPT NAMES opt-22)
mark_as_advanced(TW_BITCODE_CLANG TW_BITCODE_CLANG_FOUND TW_BITCODE_LINK TW_BITCODE_OPT)
if(NOT TW_BITCODE_CLANG)
  message(FATAL_ERROR "The generator's bitcode libraries need clang 22; install clang-22 or set TW_BITCODE_CLANG")
endif()
if(NOT TW_BITCODE_LINK)
  message(FATAL_ERROR "The code that comes with compiled models needs llvm-link 22; install llvm-22 or set TW_BITCODE_LINK")
endif()
if(NOT TW_BITCODE_OPT)
  message(FATAL_ERROR "The template of pack functions needs opt 22; install llvm-22 or set TW_BITCODE_OPT")
endif()

add_custom_target(tilewright_bitcode ALL)

# For another architecture than the target's there may be no C library: the compiler's own headers, told that there is
# none, are all that tiles include.
tilewright_target_arch(_tilewright_target_arch)
tilewright_architectures(CPU _tilewright_cpus)
tilewright_architectures(GPU _tilewright_gpus)

# Writes one file's bitcode. No unwind tables: tiles are leaves that never throw, and the tables would keep `uwtable` on
# whatever inlines them. No -ffreestanding: it marks functions "no-builtins", and such a function is not inlined into an
# ordinary one; that nothing of libc is called is checked by tests/ukernels instead.
function(_tilewright_compile_bitcode output arch source comment)
  set(target "")
  if(NOT arch STREQUAL _tilewright_target_arch)
    set(target "--target=${_tilewright_cpus_${arch}_TRIPLE}${_tilewright_gpus_${arch}_TRIPLE}" -nostdlibinc "-isystem${PROJECT_SOURCE_DIR}/cmake/freestanding"
      -Wno-builtin-macro-redefined -D__STDC_HOSTED__=0)
  endif()
  set(language -std=c11 -fPIC)
  if(arch IN_LIST _tilewright_gpus)
    set(language -x c++ -std=c++17 -nogpulib -Wall -Wextra -Werror)
  endif()
  get_filename_component(dir "${output}" DIRECTORY)
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${dir}"
    COMMAND "${TW_BITCODE_CLANG}" ${target} ${language} ${ARGN} -DNDEBUG
            -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-ident
            "-I${PROJECT_SOURCE_DIR}/abi/include" "-I${PROJECT_SOURCE_DIR}"
            -emit-llvm -c "${source}" -o "${output}" -MD -MT "${output}" -MF "${output}.d"
    DEPENDS "${source}"
    DEPFILE "${output}.d"
    COMMENT "${comment}"
    VERBATIM)
endfunction()

function(tilewright_add_bitcode isa)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCH;SOURCE" "FLAGS")
  set(output "${TILEWRIGHT_BITCODE_DIR}/tilewright_ukernels_${isa}.bc")
  _tilewright_compile_bitcode("${output}" ${arg_ARCH} "${arg_SOURCE}" "Compiling ${isa} to bitcode" ${arg_FLAGS})
  add_custom_target(tilewright_bitcode_${isa} DEPENDS "${output}")
  add_dependencies(tilewright_bitcode tilewright_bitcode_${isa})
endfunction()

# Compiles `sources` and links them to `output`.
function(_tilewright_link_bitcode output name arch sources)
  set(parts "")
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" NAME_WE)
    set(part "${PROJECT_BINARY_DIR}/support/${name}/${file}.bc")
    _tilewright_compile_bitcode("${part}" ${arch} "${CMAKE_CURRENT_SOURCE_DIR}/${source}"
      "Compiling ${file} of ${name} to bitcode" ${ARGN})
    list(APPEND parts "${part}")
  endforeach()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${TILEWRIGHT_BITCODE_DIR}"
    COMMAND "${TW_BITCODE_LINK}" --only-needed --internalize ${parts} -o "${output}"
    DEPENDS ${parts}
    COMMENT "Linking ${name}"
    VERBATIM)
endfunction()

function(tilewright_add_template_bitcode name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  set(output "${TILEWRIGHT_BITCODE_DIR}/tilewright_${name}.bc")
  set(linked "${PROJECT_BINARY_DIR}/support/${name}/linked.bc")
  # Of one architecture, whichever the build's is: the same bytes from every host.
  _tilewright_link_bitcode("${linked}" ${name} X86_64 "${arg_SOURCES}"
    -O3 -Xclang -disable-llvm-passes -fno-stack-protector -fno-strict-aliasing)
  # That a function only reads what a pointer points to lets the generator see constants in it before it inlines the
  # function: a tenth of the time.
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${TW_BITCODE_OPT}" "-passes=function(sroa,early-cse<memssa>,instcombine,simplifycfg),cgscc(function-attrs)"
            "${linked}" -o "${output}"
    DEPENDS "${linked}"
    COMMENT "Simplifying ${name}"
    VERBATIM)
  add_custom_target(tilewright_${name} DEPENDS "${output}")
  add_dependencies(tilewright_bitcode tilewright_${name})
endfunction()

function(tilewright_add_support_bitcode name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCH" "SOURCES;FLAGS")
  set(output "${TILEWRIGHT_BITCODE_DIR}/tilewright_${name}.bc")
  _tilewright_link_bitcode("${output}" ${name} ${arg_ARCH} "${arg_SOURCES}" ${arg_FLAGS})
  set(object "${TILEWRIGHT_BITCODE_DIR}/tilewright_${name}.o")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${TW_BITCODE_CLANG}" "--target=${_tilewright_cpus_${arg_ARCH}_TRIPLE}" -O2 -fPIC -ffunction-sections
            -Wno-override-module -c "${output}" -o "${object}"
    DEPENDS "${output}"
    COMMENT "Compiling ${name}, which comes with models"
    VERBATIM)
  add_custom_target(tilewright_${name} DEPENDS "${output}" "${object}")
  add_dependencies(tilewright_bitcode tilewright_${name})
endfunction()
