# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs BUILD_DIR into a scratch prefix, moves the prefix (it must not remember where it was), then builds and runs
# the consumer against it: through find_package, and through pkg-config, and the example of the folder THREADS; with a GENERATOR the
# compiler of the folder COMPILER, too, and mlir-opt with the plugin. For another target: TOOLCHAIN is the toolchain
# file, TARGET what the compiler calls it, SYSROOT its packages' folder, EMULATOR the command that runs its programs.

set(first "${SCRATCH}/first")
set(prefix "${SCRATCH}/moved here")
file(REMOVE_RECURSE "${SCRATCH}")
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${first} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${first}" "${prefix}")

foreach(file IN ITEMS include/tilewright/tilewright.h include/tilewright/key.h include/tilewright/isas.def
    ${LIBDIR}/libtilewright.a ${LIBDIR}/cmake/tilewright/tilewright-config.cmake ${LIBDIR}/pkgconfig/tilewright.pc
    share/doc/tilewright/README.md share/doc/tilewright/LICENSE share/doc/tilewright/docs/linking.md)
  if(NOT EXISTS "${prefix}/${file}")
    message(FATAL_ERROR "the installed prefix lacks ${file}")
  endif()
endforeach()
if(GENERATOR)
  foreach(file IN ITEMS bin/tilewright bin/tw-opt lib/tilewright/bitcode/tilewright_ukernels_x86_64_avx2_fma.bc
      lib/tilewright/runtime/ukernels/runner/main.c lib/tilewright/tilewright_encodings.so
      include/tilewright/Encoding/Device.h include/tilewright/Dialect/TwOps.h.inc)
    if(NOT EXISTS "${prefix}/${file}")
      message(FATAL_ERROR "the installed prefix lacks ${file}")
    endif()
  endforeach()
endif()

# Nothing installed may name the build tree.
file(GLOB_RECURSE text_files "${prefix}/*.cmake" "${prefix}/*.pc" "${prefix}/*.h" "${prefix}/*.inc")
foreach(file IN LISTS text_files)
  file(READ "${file}" content)
  string(FIND "${content}" "${BUILD_DIR}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${file} names the build tree ${BUILD_DIR}")
  endif()
endforeach()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
set(cross "")
set(cross_flags "")
if(TOOLCHAIN)
  # A toolchain file has find_package look nowhere but in the sysroot, unless it is told the folder itself.
  set(cross "-DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN}" "-DTW_SYSROOT=${SYSROOT}"
    "-Dtilewright_DIR=${prefix}/${LIBDIR}/cmake/tilewright")
  separate_arguments(EMULATOR)
  separate_arguments(cross_flags UNIX_COMMAND "--target=${TARGET} ${EXE_LINKER_FLAGS}")
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CONSUMER} -B ${SCRATCH}/consumer "-DCMAKE_PREFIX_PATH=${prefix}"
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DWANT_GENERATOR=${GENERATOR}
    "-DCMAKE_C_FLAGS=${flags}" "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_EXE_LINKER_FLAGS=${EXE_LINKER_FLAGS}" ${cross}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EMULATOR} ${SCRATCH}/consumer/consumer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EMULATOR} ${SCRATCH}/consumer/key_consumer COMMAND_ERROR_IS_FATAL ANY)

# A program with threads of its own, an example that builds alone.
if(NOT TOOLCHAIN)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G Ninja -S ${THREADS} -B ${SCRATCH}/threads "-DCMAKE_PREFIX_PATH=${prefix}"
      -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
      "-DCMAKE_C_FLAGS=${flags}" "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_EXE_LINKER_FLAGS=${EXE_LINKER_FLAGS}"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/threads COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${SCRATCH}/threads/threads 3 100 COMMAND_ERROR_IS_FATAL ANY)
endif()

find_program(pkg_config pkg-config REQUIRED)
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
execute_process(COMMAND ${pkg_config} --cflags --libs tilewright
  OUTPUT_VARIABLE arguments OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(arguments UNIX_COMMAND "${arguments}")
execute_process(COMMAND ${C_COMPILER} ${flags} ${cross_flags} ${CONSUMER}/consumer.c ${arguments} -o ${SCRATCH}/by_pkg_config
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EMULATOR} ${SCRATCH}/by_pkg_config COMMAND_ERROR_IS_FATAL ANY)

# A compiler with a device of its own, and the devices of this one in mlir-opt, which was built without sanitizers.
if(GENERATOR AND NOT SANITIZE)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -G Ninja -S ${COMPILER} -B ${SCRATCH}/compiler "-DCMAKE_PREFIX_PATH=${prefix}"
      -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/compiler COMMAND_ERROR_IS_FATAL ANY)
  # expect(<text> <command>...): it prints that.
  function(expect text)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(FIND "${output}" "${text}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "expected '${text}' of ${ARGN}:\n${output}")
    endif()
  endfunction()
  # Of code, as docs/data-tiling.md says.
  file(STRINGS ${COMPILER}/own_device.cpp lines REGEX "^ *[^ /]")
  list(LENGTH lines lines)
  if(lines GREATER 100)
    message(FATAL_ERROR "${COMPILER}/own_device.cpp has ${lines} lines of code; expected at most 100")
  endif()
  set(compiler ${SCRATCH}/compiler/own_device)
  set(model ${COMPILER}/two_layers.mlir)
  expect("tw.mmt4d #tw.tile<\"tw_mmt4d_tile_f32f32f32_8x8x4_generic\"" ${compiler} ${model} unit:8x8x4)
  expect("inner_tiles = [8, 4] into %0 : tensor<60x100xf32> -> tensor<8x25x8x4xf32>" ${compiler} ${model} unit:8x8x4)
  expect("tw.dispatch = \"relayout\"" ${compiler} ${model} unit:8x8x4)
  expect("arith.constant 28672 : index" ${compiler} ${COMPILER}/bytes.mlir unit:8x8x4)
  expect("no matrix unit '4x4'; expected 8x8x4" ${compiler} ${model} unit:4x4)
  expect("no dialect knows the device 'x86_64:znver5'" ${compiler} ${model} x86_64:znver5)
  set(plugin "${prefix}/lib/tilewright/tilewright_encodings.so")
  expect("tw.mmt4d #tw.tile<\"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base\"" ${MLIR_OPT} --load-dialect-plugin=${plugin}
    --load-pass-plugin=${plugin} ${model} "--pass-pipeline=builtin.module(tw-data-tiling{devices=x86_64:znver5})")
endif()
