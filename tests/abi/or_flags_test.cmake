# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DCOMPILERS=<clang>,<gcc>,... -DINCLUDE=<abi/include> -P or_flags_test.cmake
#
# Compiles or_flags.c without a warning as C11, C17 and C23 and as C++17, C++20, C++23 and C++26, with each compiler that knows
# the version; at least one must know each. Checks that the same with enumerators would be refused.

set(source "${CMAKE_CURRENT_LIST_DIR}/or_flags.c")
set(warnings -Wall -Wextra -Wpedantic -Werror)

function(compile result compiler language standard)
  execute_process(
    COMMAND "${compiler}" -x ${language} -std=${standard} ${warnings} ${ARGN} -fsyntax-only "-I${INCLUDE}" "${source}"
    RESULT_VARIABLE status ERROR_VARIABLE output)
  set(${result} ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

string(REPLACE "," ";" compilers "${COMPILERS}")
foreach(version IN ITEMS c:c11 c:c17 c:c2x c++:c++17 c++:c++20 c++:c++2b c++:c++26)
  string(REPLACE ":" ";" version "${version}")
  list(GET version 0 language)
  list(GET version 1 standard)
  set(tried 0)
  foreach(compiler IN LISTS compilers)
    execute_process(COMMAND "${compiler}" -x ${language} -std=${standard} -fsyntax-only /dev/null
      RESULT_VARIABLE unknown OUTPUT_QUIET ERROR_QUIET)
    if(unknown)
      message(STATUS "${compiler} knows no ${standard}")
      continue()
    endif()
    math(EXPR tried "${tried} + 1")
    set(conversion "")
    if(language STREQUAL "c++")
      set(conversion -Wdeprecated-enum-enum-conversion)
    endif()
    compile(status "${compiler}" ${language} ${standard} ${conversion})
    if(status)
      message(SEND_ERROR "${compiler} -std=${standard}:\n${output}")
    endif()
    if(standard MATCHES "^c[+][+]2")
      compile(status "${compiler}" ${language} ${standard} ${conversion} -DTW_OR_ENUMERATORS)
      if(NOT status)
        message(SEND_ERROR "${compiler} -std=${standard} accepts enumerators too: this test cannot fail")
      endif()
    endif()
  endforeach()
  if(NOT tried)
    message(SEND_ERROR "no compiler of ${COMPILERS} knows ${standard}")
  endif()
endforeach()
