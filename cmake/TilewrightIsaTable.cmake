# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The ISA table as CMake lists, read from abi/include/tilewright/{cpu_features,isas}.def: native builds and bitcode
# take their flags from here, so that there is no second copy of them.

set(_tilewright_isa_dir "${CMAKE_CURRENT_LIST_DIR}/../abi/include/tilewright")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${_tilewright_isa_dir}/cpu_features.def" "${_tilewright_isa_dir}/isas.def")

# tilewright_isa_table(<arch> <out>)
#
# Sets <out> to the names of the ISAs of <arch> (X86_64) in the table's order ("x86_64_avx512_vnni"), and, for each
# name, <out>_<name>_FLAGS to its compile options ("-mavx512vnni;...").
function(tilewright_isa_table arch out)
  file(STRINGS "${_tilewright_isa_dir}/cpu_features.def" rows REGEX "^TW_CPU_FEATURE\\(${arch},")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^TW_CPU_FEATURE\\([A-Z0-9_]+, *[0-9]+, *[0-9]+, *([A-Z0-9_]+), *([a-z0-9._-]+)\\)")
      message(FATAL_ERROR "cpu_features.def: expected TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name), found: ${row}")
    endif()
    set(option_${CMAKE_MATCH_1} "-m${CMAKE_MATCH_2}")
  endforeach()

  file(STRINGS "${_tilewright_isa_dir}/isas.def" rows REGEX "^TW_ISA\\(${arch},")
  set(names "")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^TW_ISA\\([A-Z0-9_]+, *([a-z0-9_]+), .*\\)$")
      message(FATAL_ERROR "isas.def: expected one TW_ISA(...) on one line, found: ${row}")
    endif()
    set(name "${CMAKE_MATCH_1}")
    set(flags "")
    string(REGEX MATCHALL "TW_ISA_FEATURE\\(${arch}, *[A-Z0-9_]+\\)" features "${row}")
    foreach(feature IN LISTS features)
      string(REGEX REPLACE ".*, *([A-Z0-9_]+)\\)" "\\1" feature "${feature}")
      if(NOT DEFINED option_${feature})
        message(FATAL_ERROR "isas.def: ${name} asks for ${feature}, which cpu_features.def does not have")
      endif()
      list(APPEND flags "${option_${feature}}")
    endforeach()
    list(APPEND names "${name}")
    set(${out}_${name}_FLAGS "${flags}" PARENT_SCOPE)
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()
