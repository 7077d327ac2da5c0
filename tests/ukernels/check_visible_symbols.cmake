# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DNM=<nm> -DLIBRARY=<shared library> -DHEADERS=<header>,... -P check_visible_symbols.cmake
#
# The shared library holds all of libtilewright.a. Checks that it shows the functions that the headers declare, each of
# them, and nothing else.

string(REPLACE "," ";" headers "${HEADERS}")
set(declared "")
foreach(header IN LISTS headers)
  file(STRINGS "${header}" lines REGEX "^[^/#]*tw_[a-z0-9_]+[(]")
  foreach(line IN LISTS lines)
    if(line MATCHES "(^|[ *])(tw_[a-z0-9_]+)[(]")
      list(APPEND declared ${CMAKE_MATCH_2})
    endif()
  endforeach()
endforeach()
execute_process(COMMAND "${NM}" -D --defined-only "${LIBRARY}" OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+\n" visible "${listing}")
list(TRANSFORM visible STRIP)
# What linkers and sanitizers define in every library.
list(FILTER visible EXCLUDE REGEX "^(_init|_fini|_edata|_end|__bss_start|__(a|ub)san.*|__sanitizer.*)$")
list(SORT visible)
list(SORT declared)
if(NOT declared MATCHES "(^|;)tw_mmt4d(;|$)")
  message(FATAL_ERROR "no functions found in ${HEADERS}")
endif()
if(NOT visible STREQUAL declared)
  set(beyond ${visible})
  list(REMOVE_ITEM beyond ${declared})
  set(hidden ${declared})
  list(REMOVE_ITEM hidden ${visible})
  message(FATAL_ERROR "not in the headers, but visible: ${beyond}\nin the headers, but not visible: ${hidden} "
    "(a declaration belongs between TW_API_BEGIN and TW_API_END)")
endif()
