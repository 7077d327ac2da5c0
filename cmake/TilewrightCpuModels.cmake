# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The CPUs that qemu plays in tests: the only place that says which.
#
#   <name> | <value of QEMU_CPU> | <features> | <vector bits> | <streaming vector bits> | <ISAs>
#
# Features are those of cpu_features.def, all that the model has, of arm_64 beyond neon. The ISAs, here without the
# architecture, are those whose tiles are tested on this model; each ISA of isas.def stands in at least one row.
# Vector-length agnostic ISAs stand in several, and so do those of riscv_64, whose tiles of fixed sizes run on vectors as
# long as their level says, and on longer ones: all of an ISA's tiles run on each of its models, at 128, 256 and 512
# bits. Of arm_64: the same lengths, where a model with SME has another in streaming mode than outside it, or no SVE
# outside it at all.
# tests/arm_64/cpu_model_test.cpp and tests/riscv_64/cpu_model_test.cpp check on each model that it has what its row says.

include_guard(DIRECTORY)
include(TilewrightIsaTable)

set(_neon "fullfp16 fp16fml dotprod bf16 i8mm")
set(TW_CPU_MODELS_ARM_64
  "base|cortex-a53||0|0|base"
  "dotprod|cortex-a76|fullfp16 dotprod|0|0|fullfp16 dotprod"
  "i8mm|max,sve=off,sme=off|${_neon}|0|0|fp16fml bf16 i8mm"
  "sve128|max,sve256=off,sve512=off,sve128=on,sme=off|${_neon} sve sve2|128|0|sve sve_bf16 sve_i8mm sve2"
  "sve256|max,sve512=off,sve256=on,sme=off|${_neon} sve sve2|256|0|sve sve_bf16 sve_i8mm sve2"
  "a64fx|a64fx|fullfp16 sve|512|0|sve"
  "sve512|max,sme=off|${_neon} sve sve2|512|0|sve_bf16 sve_i8mm sve2"
  "sme128|max,sme256=off,sme512=off,sme128=on|${_neon} sve sve2 sme sme2|512|128|sme sme2"
  "sme256|max,sve=off|${_neon} sme sme2|0|256|sme sme2"
  "sme512|max,sve512=off,sve256=on,sme512=on|${_neon} sve sve2 sme sme2|256|512|sme sme2")
set(_half "zfhmin zvfhmin zvfh zvfbfwma")
set(TW_CPU_MODELS_RISCV_64
  "base|rv64,v=true,vlen=128|v|128|0|v"
  "halfmin|rv64,v=true,vlen=128,zfhmin=true,zvfhmin=true|v zfhmin zvfhmin|128|0|zvfhmin"
  "v128|rv64,v=true,vlen=128,zvfh=true,zvfbfwma=true|v ${_half}|128|0|zvfh zvfbfwma"
  "v256|rv64,v=true,vlen=256,zvfh=true,zvfbfwma=true|v ${_half} zvl256b|256|0|v zvfhmin zvfh zvfbfwma zvl256b zvfh_zvl256b zvfbfwma_zvl256b"
  "v512|rv64,v=true,vlen=512,zvfh=true,zvfbfwma=true|v ${_half} zvl256b zvl512b|512|0|v zvfhmin zvfh zvfbfwma zvl256b zvfh_zvl256b zvfbfwma_zvl256b zvl512b zvfh_zvl512b zvfbfwma_zvl512b")

# Those that tests run on which name none.
set(TW_CPU_MODELS_OF_TESTS_ARM_64 base)
set(TW_CPU_MODELS_OF_TESTS_RISCV_64 base v256 v512)

# tilewright_cpu_models(<arch>)
#
# Sets TW_CPU_MODEL_NAMES, for each TW_CPU_MODEL_<name>_QEMU and _ISAS, and TW_CPU_MODEL_ROWS: the table in C++,
# {name, QEMU_CPU, features, vector bits, streaming bits, ISAs},
function(tilewright_cpu_models arch)
  string(TOLOWER ${arch} arch_name)
  set(names "")
  set(rows "")
  set(modelled "")
  foreach(row IN LISTS TW_CPU_MODELS_${arch})
    if(NOT row MATCHES "^([a-z0-9]+)\\|([^|]+)\\|([a-z0-9 ]*)\\|([0-9]+)\\|([0-9]+)\\|([a-z0-9_ ]+)$")
      message(FATAL_ERROR "TW_CPU_MODELS: expected name|cpu|features|bits|bits|isas, found: ${row}")
    endif()
    set(name ${CMAKE_MATCH_1})
    list(APPEND names ${name})
    set(TW_CPU_MODEL_${name}_QEMU "${CMAKE_MATCH_2}" PARENT_SCOPE)
    set(qemu "${CMAKE_MATCH_2}")
    set(numbers "${CMAKE_MATCH_4}, ${CMAKE_MATCH_5}")
    set(features "${CMAKE_MATCH_3}")
    string(REPLACE " " ";" isas "${CMAKE_MATCH_6}")
    list(TRANSFORM isas PREPEND "${arch_name}_")
    set(TW_CPU_MODEL_${name}_ISAS "${isas}" PARENT_SCOPE)
    list(JOIN isas " " isa_names)
    string(APPEND rows "{\"${name}\", \"${qemu}\", \"${features}\", ${numbers}, \"${isa_names}\"},\n")
    list(APPEND modelled ${isas})
  endforeach()
  set(TW_CPU_MODEL_NAMES "${names}" PARENT_SCOPE)
  set(TW_CPU_MODEL_ROWS "${rows}" PARENT_SCOPE)
  tilewright_isa_table(${arch} all_isas)
  foreach(isa IN LISTS all_isas)
    if(NOT isa IN_LIST modelled)
      message(FATAL_ERROR "TW_CPU_MODELS_${arch} has no model for ${isa}: its tiles would not be tested")
    endif()
  endforeach()
endfunction()
