# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Warnings, sanitizers and the compiler cache, for every target of the project: link tilewright_build_flags PRIVATE.
# Exported libraries, which may not link what is not exported, take ${TW_BUILD_OPTIONS} as compile options instead.

add_library(tilewright_build_flags INTERFACE)
target_compile_options(tilewright_build_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
set(TW_BUILD_OPTIONS $<TARGET_PROPERTY:tilewright_build_flags,INTERFACE_COMPILE_OPTIONS>)

if(TW_SANITIZE)
  add_compile_options(-fsanitize=${TW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TW_SANITIZE})
endif()

if(TW_USE_CCACHE)
  find_program(TW_CCACHE ccache)
  mark_as_advanced(TW_CCACHE)
  if(TW_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${TW_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${TW_CCACHE}")
  endif()
endif()
