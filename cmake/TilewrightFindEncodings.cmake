# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The package's component `encodings`: its targets, with the headers of the MLIR that is found here. It has to be of the
# version that the package was built with, and the shared library of it.

set(tilewright_encodings_FOUND FALSE)
if(NOT EXISTS "${CMAKE_CURRENT_LIST_DIR}/tilewright-encodings-targets.cmake")
  set(tilewright_NOT_FOUND_MESSAGE "the component 'encodings' is not there: this Tilewright was built without its generator")
  return()
endif()
if(NOT MLIR_FOUND)
  find_package(MLIR QUIET CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
endif()
if(NOT MLIR_FOUND OR NOT LLVM_VERSION_MAJOR EQUAL 22 OR NOT TARGET MLIR)
  set(tilewright_NOT_FOUND_MESSAGE
    "the component 'encodings' needs the shared library of MLIR 22, but MLIR_DIR is '${MLIR_DIR}' (${LLVM_PACKAGE_VERSION})")
  return()
endif()

include("${CMAKE_CURRENT_LIST_DIR}/tilewright-encodings-targets.cmake")
target_include_directories(tilewright::encodings SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(tilewright::encodings INTERFACE ${definitions})
set(tilewright_encodings_FOUND TRUE)
