# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tilewright_generator_library(<name> [MLIR] [UNITY] SOURCES <file>... [DEPENDS <target>...] [LINK <target>...])
# tilewright_generator_tool(<name> [MLIR] SOURCES <file>... [LINK <target>...])
#
# tilewright_packaged_library(<name> OF <library>... [LINK <target>...])
#
# A static library (a tool) of the generator, with LLVM's headers and flags, linked against the shared LLVM and MLIR.
# UNITY says that its sources may be compiled several at a time, as TW_UNITY_BUILD has it: no two of them define one name.
# MLIR says that its sources include MLIR headers. There is a precompiled header for those that do, and one for the others.
#
# A packaged library is what find_package(tilewright COMPONENTS encodings) offers: several libraries of the generator in one
# file, without the paths of this build. It links the shared MLIR that the user's project finds.

add_library(tilewright_llvm_flags INTERFACE)
target_include_directories(tilewright_llvm_flags SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_include_directories(tilewright_llvm_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/generator/include
  ${PROJECT_BINARY_DIR}/generator/include
  ${PROJECT_SOURCE_DIR})
target_compile_options(tilewright_llvm_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions>)
target_compile_definitions(tilewright_llvm_flags INTERFACE ${LLVM_DEFINITIONS})
target_link_libraries(tilewright_llvm_flags INTERFACE tilewright_key)

# The libraries that own the precompiled headers. MLIR's has the dialect as well, which most of its users include.
foreach(kind IN ITEMS Mlir Llvm)
  string(TOLOWER "tilewright_${kind}_pch" pch)
  add_library(${pch} STATIC ${PROJECT_SOURCE_DIR}/generator/lib/${kind}Pch.cpp)
  target_link_libraries(${pch} PRIVATE tilewright_llvm_flags tilewright_build_flags)
  target_precompile_headers(${pch} PRIVATE ${PROJECT_SOURCE_DIR}/generator/lib/${kind}Pch.h)
  # Without it a compiler cache hands out a header that clang refuses, because the same file has another time now.
  target_compile_options(${pch} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endforeach()
add_dependencies(tilewright_mlir_pch TilewrightDialectOpsIncGen)

function(tilewright_generator_setup name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MLIR;UNITY" "" "SOURCES;DEPENDS;LINK")
  target_link_libraries(${name} PUBLIC tilewright_llvm_flags ${arg_LINK} PRIVATE tilewright_build_flags)
  if(arg_MLIR)
    target_link_libraries(${name} PUBLIC MLIR LLVM)
    target_precompile_headers(${name} REUSE_FROM tilewright_mlir_pch)
  else()
    target_link_libraries(${name} PUBLIC LLVM)
    target_precompile_headers(${name} REUSE_FROM tilewright_llvm_pch)
  endif()
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  if(arg_UNITY AND TW_UNITY_BUILD)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

function(tilewright_generator_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MLIR;UNITY" "" "SOURCES;DEPENDS;LINK")
  add_library(${name} STATIC ${arg_SOURCES})
  tilewright_generator_setup(${ARGV})
endfunction()

# An executable that takes one of the precompiled headers, which are compiled with -fPIC: -fPIE does not match it.
function(tilewright_compile_with_pic name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
endfunction()

function(tilewright_generator_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MLIR" "" "SOURCES;DEPENDS;LINK")
  add_executable(${name} ${arg_SOURCES})
  tilewright_compile_with_pic(${name})
  # Debian keeps libMLIR where the loader does not look by itself, in the build tree and installed.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  tilewright_generator_setup(${ARGV})
endfunction()

function(tilewright_packaged_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OF;LINK")
  list(TRANSFORM arg_OF REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(tilewright_${name} STATIC ${objects})
  add_library(tilewright::${name} ALIAS tilewright_${name})
  set_target_properties(tilewright_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_include_directories(tilewright_${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/generator/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generator/include>)
  target_compile_features(tilewright_${name} INTERFACE cxx_std_17)
  target_link_libraries(tilewright_${name} INTERFACE ${arg_LINK} MLIR LLVM)
endfunction()
