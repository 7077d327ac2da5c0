# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DNM=<nm> -DLIBRARY=<libtilewright.a> -P check_plain_selection.cmake
#
# Checks that tw_mmt4d, its validation and its selection of a tile refer to nothing that formats a sentence or parses a
# name: that costs more than a small matmul does.

execute_process(COMMAND "${NM}" "${LIBRARY}" OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
foreach(source IN ITEMS mmt4d mmt4d_check select)
  if(NOT listing MATCHES "(^|\n)${source}\\.c\\.o[^:\n]*:\n(([^:\n]+\n)*)")
    message(FATAL_ERROR "${LIBRARY} has no member of ${source}.c")
  endif()
  string(REGEX MATCHALL "[^\n]* U _?tw_(text_|explain|find_tile|parse)[^\n]*" wordy "${CMAKE_MATCH_2}")
  if(wordy)
    message(FATAL_ERROR "${source}.c refers to:\n${wordy}")
  endif()
endforeach()
