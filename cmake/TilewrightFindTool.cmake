# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# tilewright_find_tool(<version>)
#
# Defines tilewright::tool for a Tilewright without a generator of its own, such as a cross-compiled one: the tool of this
# version that TILEWRIGHT_TOOL names, or that PATH has. Without one, nothing is defined.
function(tilewright_find_tool version)
  find_program(TILEWRIGHT_TOOL tilewright NO_CMAKE_FIND_ROOT_PATH
    DOC "The tool tilewright of a package for this machine, which resolves tiles for any")
  if(NOT TILEWRIGHT_TOOL)
    return()
  endif()
  execute_process(COMMAND "${TILEWRIGHT_TOOL}" --version OUTPUT_VARIABLE output ERROR_QUIET)
  string(FIND "${output}" "tilewright ${version} " at)
  if(NOT at EQUAL 0)
    message(FATAL_ERROR "TILEWRIGHT_TOOL is '${TILEWRIGHT_TOOL}', which is not the tool of tilewright ${version}, "
      "but says: ${output}")
  endif()
  add_executable(tilewright::tool IMPORTED GLOBAL)
  set_target_properties(tilewright::tool PROPERTIES IMPORTED_LOCATION "${TILEWRIGHT_TOOL}")
endfunction()
