# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DNM=<nm> (-DLIBRARY=<libtilewright.a> | -DBITCODE=<directory>) -P check_tile_symbols.cmake
#
# Checks that the hand-written tiles call nothing: no undefined symbol in the library's members that define tiles, or in
# any bitcode library; and that tiles are there at all. The bitcode of the code that comes with compiled models calls
# nothing either, and its one visible function is what models call.

function(check_symbols what definition listing)
  string(REGEX MATCHALL "[^\n]*${definition}[^\n]*" defined "${listing}")
  string(REGEX MATCHALL "[^\n]* [Uw] [^\n]*" undefined "${listing}")
  # Position-independent objects of some assemblers mention the table by name; nothing is called through it.
  list(FILTER undefined EXCLUDE REGEX "_GLOBAL_OFFSET_TABLE_|_asan_|__ubsan_|__sanitizer")
  if(undefined)
    message(FATAL_ERROR "${what} has undefined symbols:\n${undefined}")
  endif()
  list(LENGTH defined count)
  if(count EQUAL 0)
    message(FATAL_ERROR "${what} defines no ${definition}")
  endif()
  message(STATUS "${what}: ${count} of ${definition}, nothing undefined")
endfunction()

if(LIBRARY)
  execute_process(COMMAND "${NM}" "${LIBRARY}" OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
  # A member's name, a colon, and its symbols, one on a line.
  string(REGEX MATCHALL "[^:\n]+:\n([^:\n]+\n)*" members "${listing}")
  set(checked 0)
  foreach(member IN LISTS members)
    if(member MATCHES " T _?tw_mmt4d_tile_")
      string(REGEX MATCH "^[^\n]+\\.o" name "${member}")
      check_symbols("${name}" tw_mmt4d_tile_ "${member}")
      math(EXPR checked "${checked} + 1")
    endif()
  endforeach()
  if(checked EQUAL 0)
    message(FATAL_ERROR "${LIBRARY} has no member with tiles; its symbols:\n${listing}")
  endif()
else()
  file(GLOB libraries "${BITCODE}/*.bc")
  if(NOT libraries)
    message(FATAL_ERROR "${BITCODE} holds no bitcode library")
  endif()
  foreach(library IN LISTS libraries)
    execute_process(COMMAND "${NM}" "${library}" OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
    get_filename_component(name "${library}" NAME)
    if(name MATCHES "^tilewright_(support|thin)_")
      set(function tw_contract_v2)
      if(name MATCHES "^tilewright_thin_(.*)[.]bc")
        set(function tw_thin_v1_${CMAKE_MATCH_1})
      endif()
      check_symbols("${name}" " T _?${function}" "${listing}")
      string(REGEX MATCHALL "[^\n]* [A-TV-Z] [^\n]*" visible "${listing}")
      list(LENGTH visible count)
      if(NOT count EQUAL 1)
        message(FATAL_ERROR "${name} shows more than ${function}:\n${visible}")
      endif()
    else()
      check_symbols("${name}" tw_mmt4d_tile_ "${listing}")
    endif()
  endforeach()
endif()
