# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The ISA table as CMake lists, read from abi/include/tilewright/{architectures,cpu_features,isas}.def: native builds and bitcode
# take their flags from here, so that there is no second copy of them.

set(_tilewright_isa_dir "${CMAKE_CURRENT_LIST_DIR}/../abi/include/tilewright")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${_tilewright_isa_dir}/architectures.def" "${_tilewright_isa_dir}/cpu_features.def" "${_tilewright_isa_dir}/isas.def")

# tilewright_architectures(<kind> <out>)
#
# Sets <out> to the architectures of a kind of architectures.def (CPU, GPU), as isas.def spells them (X86_64), and for
# each, <out>_<arch>_TRIPLE, _MARCH and _PROCESSORS to what it says of them.
function(tilewright_architectures kind out)
  file(STRINGS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../abi/include/tilewright/architectures.def" rows REGEX "^TW_ARCHITECTURE\\(")
  set(archs "")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES
        "^TW_ARCHITECTURE\\(([A-Z0-9_]+), [a-z0-9_]+, ([A-Z]+), [A-Za-z0-9]*, [a-z0-9_]*, ([a-z0-9_-]*), ([a-z0-9+_-]+), [0-9]+, \"([^\"]*)\"\\)$")
      message(FATAL_ERROR "architectures.def: expected one TW_ARCHITECTURE(...) on one line, found: ${row}")
    endif()
    if(NOT CMAKE_MATCH_2 STREQUAL kind)
      continue()
    endif()
    list(APPEND archs "${CMAKE_MATCH_1}")
    set(${out}_${CMAKE_MATCH_1}_TRIPLE "${CMAKE_MATCH_3}" PARENT_SCOPE)
    set(${out}_${CMAKE_MATCH_1}_MARCH "${CMAKE_MATCH_4}" PARENT_SCOPE)
    set(${out}_${CMAKE_MATCH_1}_PROCESSORS "${CMAKE_MATCH_5}" PARENT_SCOPE)
  endforeach()
  set(${out} "${archs}" PARENT_SCOPE)
endfunction()

# tilewright_target_arch(<out>)
#
# Sets <out> to the architecture of the target as isas.def spells it (X86_64, ARM_64), or to nothing if hand-written
# tiles exist for none of its kind.
function(tilewright_target_arch out)
  set(found "")
  tilewright_architectures(CPU archs)
  foreach(arch IN LISTS archs)
    if(CMAKE_SIZEOF_VOID_P EQUAL 8 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(${archs_${arch}_PROCESSORS})$")
      set(found ${arch})
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# tilewright_isa_table(<arch> <out>)
#
# Sets <out> to the names of the ISAs of <arch> in the table's order ("x86_64_avx512_vnni"),
# and, for each name, <out>_<name>_FLAGS to its compile options ("-mavx512vnni;...", "-march=armv8-a+dotprod+..." or
# "-mcpu=gfx942").
function(tilewright_isa_table arch out)
  tilewright_architectures(CPU cpus)
  tilewright_architectures(GPU gpus)
  file(STRINGS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../abi/include/tilewright/cpu_features.def" rows REGEX "^TW_CPU_FEATURE\\(${arch},")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^TW_CPU_FEATURE\\([A-Z0-9_]+, *[0-9]+, *[0-9]+, *([A-Z0-9_]+), *([a-z0-9._-]+)\\)")
      message(FATAL_ERROR "cpu_features.def: expected TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name), found: ${row}")
    endif()
    set(llvm_name_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
  endforeach()

  # Levels extend those above them.
  file(STRINGS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../abi/include/tilewright/isas.def" rows REGEX "^#define TW_FEATURES_${arch}_")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^#define TW_FEATURES_([A-Z0-9_]+) (.*)$")
      message(FATAL_ERROR "isas.def: expected a #define of a level's features on one line, found: ${row}")
    endif()
    set(level "${CMAKE_MATCH_1}")
    set(features_${level} "")
    string(REGEX MATCHALL "TW_(ISA_FEATURE\\(${arch}, *|FEATURES_)[A-Z0-9_]+" parts "${CMAKE_MATCH_2}")
    foreach(part IN LISTS parts)
      if(part MATCHES "^TW_FEATURES_(.*)")
        if(NOT DEFINED features_${CMAKE_MATCH_1})
          message(FATAL_ERROR "isas.def: ${level} extends ${CMAKE_MATCH_1}, which does not stand above it")
        endif()
        list(APPEND features_${level} ${features_${CMAKE_MATCH_1}})
        continue()
      endif()
      string(REGEX REPLACE ".*, *" "" feature "${part}")
      if(NOT DEFINED llvm_name_${feature})
        message(FATAL_ERROR "isas.def: ${level} asks for ${feature}, which cpu_features.def does not have")
      endif()
      list(APPEND features_${level} "${llvm_name_${feature}}")
    endforeach()
  endforeach()

  file(STRINGS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../abi/include/tilewright/isas.def" rows REGEX "^TW_ISA\\(${arch},")
  set(names "")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^TW_ISA\\([A-Z0-9_]+, *([a-z0-9_]+), .*, *(TW_FEATURES_([A-Z0-9_]+))?\\)$")
      message(FATAL_ERROR "isas.def: expected one TW_ISA(...) on one line, found: ${row}")
    endif()
    set(name "${CMAKE_MATCH_1}")
    set(llvm_names "")
    if(CMAKE_MATCH_3)
      if(NOT DEFINED features_${CMAKE_MATCH_3})
        message(FATAL_ERROR "isas.def: ${name} has ${CMAKE_MATCH_2}, which is not defined")
      endif()
      set(llvm_names ${features_${CMAKE_MATCH_3}})
    endif()
    if(arch IN_LIST gpus)
      string(REGEX REPLACE "^[^_]+_" "-mcpu=" flags "${name}")
    elseif(NOT cpus_${arch}_MARCH STREQUAL "-")
      # Two extensions have another name on the command line than in LLVM.
      list(TRANSFORM llvm_names REPLACE "^neon$" "simd")
      list(TRANSFORM llvm_names REPLACE "^fullfp16$" "fp16")
      string(REGEX MATCH ".$" between "${cpus_${arch}_MARCH}")
      list(JOIN llvm_names "${between}" flags)
      string(PREPEND flags "-march=${cpus_${arch}_MARCH}")
    else()
      list(TRANSFORM llvm_names PREPEND "-m" OUTPUT_VARIABLE flags)
    endif()
    list(APPEND names "${name}")
    set(${out}_${name}_FLAGS "${flags}" PARENT_SCOPE)
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()
