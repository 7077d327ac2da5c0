# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Pack functions for AArch64 that are made on this host, against their definition, under qemu-aarch64.
#
#   cmake -DTOOL=<tilewright> -DWORK=<scratch> "-DCXX=<cross clang++ and its flags>" -DQEMU=<qemu-aarch64>
#     -DSOURCE=<root of the sources> -P arm_64_packs_test.cmake

cmake_minimum_required(VERSION 3.25)

set(ENV{TILEWRIGHT_CACHE_DIR} "${WORK}/cache")
set(ENV{TILEWRIGHT_TUNING} none)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(declarations "")
set(rows "")
set(count 0)
foreach(isa IN ITEMS arm_64_base arm_64_i8mm arm_64_sve2)
  foreach(direction IN ITEMS pack unpack)
    foreach(layout IN ITEMS rows cols)
      foreach(tile IN ITEMS 4_8x8 4_12x2 8_1x1 8_8x4 8_12x8 8_13x3 16_8x2 16_48x1 32_1x7 32_8x1 32_12x1 64_64x1 64_3x5)
        string(REPLACE "_" "_${layout}_" tile "${tile}")
        set(name tw_${direction}_tile_${tile}_${isa})
        string(APPEND declarations "void ${name}(void*, const void*, const tw_pack_tile_params_t*);\n")
        string(APPEND rows "    {\"${name}\", ${name}},\n")
        math(EXPR count "${count} + 1")
      endforeach()
    endforeach()
  endforeach()
endforeach()
file(WRITE "${WORK}/main.cpp" "#include <cstdio>
#include \"tests/tiles/check_pack.h\"
extern \"C\" {
${declarations}}
int main() {
  const struct {
    const char* name;
    tw_pack_tile_fn_t fn;
  } rows[] = {
${rows}  };
  int checked = 0;
  for (const auto& row : rows) {
    const auto parsed = tilewright::parsePackKey(row.name);
    const std::string wrong =
        parsed.key ? tilewright::testing::checkPack(*parsed.key, reinterpret_cast<const void*>(row.fn), 20261123)
                   : parsed.error;
    if (!wrong.empty()) return std::puts(wrong.c_str()), 1;
    ++checked;
  }
  std::printf(\"%d checked\\n\", checked);
}
")
set(flags -std=c++17 -O1 "-I${SOURCE}" "-I${SOURCE}/abi/include")
run(${CXX} ${flags} -c main.cpp -o main.o)
run(${CXX} -x c -std=c11 -O1 "-I${SOURCE}" "-I${SOURCE}/abi/include" -c "${SOURCE}/abi/lib/tile_name.c" -o tile_name.o)
run("${TOOL}" link main.o -o packs.a)
run(${CXX} ${flags} -static main.o tile_name.o packs.a "${SOURCE}/tests/tiles/check_pack.cpp" "${SOURCE}/tests/tiles/element_codec.cpp"
  "${SOURCE}/abi/lib/key.cpp" "${SOURCE}/abi/lib/pack_key.cpp" "${SOURCE}/abi/lib/tables.cpp" -o packs)
execute_process(COMMAND "${QEMU}" -cpu max "${WORK}/packs" OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "${count} checked\n")
  message(FATAL_ERROR "expected ${count} checked, got: ${said}")
endif()
