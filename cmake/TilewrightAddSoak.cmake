# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include_guard(GLOBAL)

# tilewright_add_soak(<name> [TIMEOUT <s>] COMMAND <command> <argument>...)
#
# A test `soak.<name>` that only `./dev soak` runs: the full count of what the other tests sample.
function(tilewright_add_soak name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 7200)
  endif()
  add_test(NAME soak.${name} COMMAND ${arg_COMMAND} CONFIGURATIONS soak)
  set_tests_properties(soak.${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS soak)
endfunction()
