# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tilewright_add_bitcode(<isa> ARCH <X86_64|ARM_64|AMDGPU> SOURCE <file.c> FLAGS <flag>...)
#
# Compiles the hand-written tiles of one ISA, of any architecture, to the bitcode library that the generator links and inlines,
# ${PROJECT_BINARY_DIR}/lib/tilewright/bitcode/tilewright_ukernels_<isa>.bc, as part of target tilewright_bitcode.

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
set(TW_BITCODE_CLANG "${TW_BITCODE_CLANG_DEFAULT}" CACHE FILEPATH "The clang 22 that compiles tiles to bitcode")
mark_as_advanced(TW_BITCODE_CLANG TW_BITCODE_CLANG_FOUND)
if(NOT TW_BITCODE_CLANG)
  message(FATAL_ERROR "The generator's bitcode libraries need clang 22; install clang-22 or set TW_BITCODE_CLANG")
endif()

add_custom_target(tilewright_bitcode ALL)

# For another architecture than the target's there may be no C library: the compiler's own headers, told that there is
# none, are all that tiles include.
tilewright_target_arch(_tilewright_target_arch)
set(_tilewright_triple_X86_64 x86_64-linux-gnu)
set(_tilewright_triple_ARM_64 aarch64-linux-gnu)
set(_tilewright_triple_AMDGPU amdgcn-amd-amdhsa)

# No unwind tables: tiles are leaves that never throw, and the tables would keep `uwtable` on whatever inlines them.
# No -ffreestanding: it marks functions "no-builtins", and such a function is not inlined into an ordinary one; that
# nothing of libc is called is checked by tests/ukernels instead.
function(tilewright_add_bitcode isa)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCH;SOURCE" "FLAGS")
  set(output "${TILEWRIGHT_BITCODE_DIR}/tilewright_ukernels_${isa}.bc")
  set(target "")
  if(NOT arg_ARCH STREQUAL _tilewright_target_arch)
    set(target "--target=${_tilewright_triple_${arg_ARCH}}" -nostdlibinc
      -Wno-builtin-macro-redefined -D__STDC_HOSTED__=0)
  endif()
  set(language -std=c11 -fPIC)
  if(arg_ARCH STREQUAL "AMDGPU")
    set(language -x c++ -std=c++17 -nogpulib -Wall -Wextra -Werror)
  endif()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${TILEWRIGHT_BITCODE_DIR}"
    COMMAND "${TW_BITCODE_CLANG}" ${target} ${language} ${arg_FLAGS} -DNDEBUG
            -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-ident
            "-I${PROJECT_SOURCE_DIR}/abi/include" "-I${PROJECT_SOURCE_DIR}"
            -emit-llvm -c "${arg_SOURCE}" -o "${output}" -MD -MT "${output}" -MF "${output}.d"
    DEPENDS "${arg_SOURCE}"
    DEPFILE "${output}.d"
    COMMENT "Compiling ${isa} to bitcode"
    VERBATIM)
  add_custom_target(tilewright_bitcode_${isa} DEPENDS "${output}")
  add_dependencies(tilewright_bitcode tilewright_bitcode_${isa})
endfunction()
