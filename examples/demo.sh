#!/usr/bin/env bash
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# demo.sh [--verbose] <build folder>: compiles the digits models with their tile functions, runs them on the held-out images,
# and builds and runs the C program that calls odd tiles; where a cross compiler and qemu are, the models run on arm_64 too,
# and in any case on emulated AMD GPUs. What comes of it fits one screen; the commands and their reports are in
# <build folder>/demo/demo.log, or with --verbose on the screen.
# Exits with an error if a result is not as it should be.

set -euo pipefail

examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
verbose=
if [ "${1:-}" = --verbose ]; then verbose=1; shift; fi
[ $# -eq 1 ] || { echo "usage: $0 [--verbose] <build folder>" >&2; exit 2; }
build=$(cd "$1" && pwd)
work=$build/demo
tool=$build/bin/tilewright
cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
flags=$(sed -n 's/^TW_SANITIZE:[A-Z]*=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
mkdir -p "$work"
# A cache of the demo's own: the first demo generates, later ones find what that made.
export TILEWRIGHT_CACHE_DIR=${TILEWRIGHT_CACHE_DIR:-$work/cache}

# To the reader, whatever becomes of the rest.
exec 3>&1 4>&2
tell() { printf "$@" >&3; }
if [ -z "$verbose" ]; then
  exec >"$work/demo.log" 2>&1
  trap 'tail -n 20 "$work/demo.log" >&4; echo "the demo failed; all that it printed is in $work/demo.log" >&4' ERR
fi

# kernels_of <report>: "2 hand-written, 1 generated (x86_64_avx512_base), compiled in 310 ms"
kernels_of() {
  awk '/^kernels/ { on = 1; next }
    on && /^$/ { on = 0 }
    on {
      if (!count[$2]++) origins[++n] = $2
      sub(/^tw_(mmt4d|pack)_tile_[a-z0-9_]+_[0-9]+x[0-9]+(x[0-9]+)?_/, "", $1)
      if (!seen[$1]++) isas = isas (isas ? ", " : "") $1
    }
    $1 == "total" { ms = $2 }
    END {
      for (i = 1; i <= n; ++i) printf("%s%d %s", (i > 1 ? ", " : ""), count[origins[i]], origins[i])
      printf " (%s), compiled in %.0f ms\n", isas, ms
    }' "$1"
}

step() { printf '\n-- %s\n\n' "$*"; }
show() {
  printf '$ %s' "${1##*/}"
  printf ' %s' "${@:2}" | sed "s#$work/##g; s#$examples/#examples/#g"
  printf '\n\n'
  "$@"
}

for model in model model_int8; do
  step "examples/digits/$model.mlir: compile, resolve its tile functions, link them in"
  show "$tool" compile "$examples/digits/$model.mlir" -o "$work/$model.a" --emit-header="$work/$model.h" --report=text |
    tee "$work/$model.txt"
done
tell 'Two networks that read digits call these kernels on this CPU (%s):\n' \
  "$(sed -n 's/^target //p' "$work/model.txt")"
tell '  f32   %s\n  int8  %s\n' "$(kernels_of "$work/model.txt")" "$(kernels_of "$work/model_int8.txt")"

step "599 handwritten digits that the training has not seen, in both models"
# shellcheck disable=SC2086
"$cc" -std=c11 -O2 $flags -I"$work" "$examples"/digits/{main,digits}.c "$work"/model.a "$work"/model_int8.a -lm \
  -o "$work/digits"
"$work/digits" "$examples/digits" "$work/predictions" >&3

# The same models for another machine, from this one. CPU models of qemu, and what to compile for each.
qemu=$(sed -n 's/^TW_ARM_64_qemu-aarch64:[A-Z]*=//p' "$build/CMakeCache.txt")
if [ "$(uname -m)" != aarch64 ] && command -v aarch64-linux-gnu-gcc >/dev/null && [ -x "$qemu" ]; then
  cpus=
  while read -r target cpu; do
    step "the same for $target: compile and link here, run on $cpu by qemu-aarch64"
    for model in model model_int8; do
      show "$tool" compile "$examples/digits/$model.mlir" -o "$work/$model.arm_64.a" --target="$target" --report=text |
        sed '/^target/,/^$/d; /^constants/,$d'
    done
    aarch64-linux-gnu-gcc -std=c11 -O2 -static -I"$work" "$examples"/digits/{main,digits}.c "$work"/model.arm_64.a \
      "$work"/model_int8.arm_64.a -lm -o "$work/digits.arm_64"
    "$qemu" -cpu "$cpu" "$work/digits.arm_64" "$examples/digits" "$work/predictions.arm_64" | tail -2
    cmp "$work/predictions" "$work/predictions.arm_64"
    cpus+=${cpus:+, }$target
  done <<'CPUS'
arm_64:cortex-a76 cortex-a76
arm_64_i8mm max,sve=off,sme=off
CPUS
  tell '\nArm     %s, run by qemu: the same predictions\n' "$cpus"
  if [ -f "$build/arm_64/cmake/tilewright-config.cmake" ]; then
    step "examples/odd_tiles on arm_64: cross-compiled, its tiles resolved by this machine's tool"
    cmake -S "$examples/odd_tiles" -B "$work/odd_tiles.arm_64" -G Ninja --no-warn-unused-cli \
      -Dtilewright_DIR="$build/arm_64/cmake" -DTILEWRIGHT_TOOL="$tool" \
      -DCMAKE_TOOLCHAIN_FILE="$examples/../cmake/toolchains/aarch64-linux-gnu.cmake" \
      >"$work/odd_tiles.log" || { cat "$work/odd_tiles.log"; exit 1; }
    cmake --build "$work/odd_tiles.arm_64" >>"$work/odd_tiles.log" || { cat "$work/odd_tiles.log"; exit 1; }
    "$qemu" -L /usr/aarch64-linux-gnu -cpu max "$work/odd_tiles.arm_64/odd_tiles"
  fi
else
  tell '\nArm     not run: needs an x86-64 host, aarch64-linux-gnu-gcc, libc6-dev-arm64-cross and qemu-aarch64\n'
fi

# The same models on a GPU: kernels by the matrix instructions of each, launched through HIP. Without a GPU the wave
# emulator stands in for HIP.
hip=$build/lib/libtilewright_emulated_hip.so
for gfx in gfx942 gfx1100; do
  step "the same for amdgpu:$gfx: compile and link here, run by the emulated HIP"
  for model in model model_int8; do
    show "$tool" compile "$examples/digits/$model.mlir" -o "$work/$model.$gfx.a" --target="amdgpu:$gfx" --report=text |
      sed '/^target/,$d'
  done
  # shellcheck disable=SC2086
  "$cc" -std=c11 -O2 $flags -I"$work" "$examples"/digits/{main,digits}.c "$work/model.$gfx.a" "$work/model_int8.$gfx.a" \
    "$build/ukernels/libtilewright_hip.a" -lm -o "$work/digits.$gfx"
  TW_HIP_LIBRARY=$hip TW_EMULATED_HIP_DEVICE=$gfx "$work/digits.$gfx" "$examples/digits" "$work/predictions.$gfx" | tail -2
  cmp "$work/predictions" "$work/predictions.$gfx"
done

tell 'AMDGPU  gfx942, gfx1100, run by the wave emulator in the place of HIP: the same predictions\n'

step "examples/odd_tiles: a C program that calls three tile functions by name, resolved by its own build"
cmake -S "$examples/odd_tiles" -B "$work/odd_tiles" -G Ninja -Dtilewright_DIR="$build/cmake" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" >"$work/odd_tiles.log" || { cat "$work/odd_tiles.log"; exit 1; }
cmake --build "$work/odd_tiles" >>"$work/odd_tiles.log" || { cat "$work/odd_tiles.log"; exit 1; }
"$work/odd_tiles/odd_tiles" | tee "$work/odd_tiles.txt"
tell 'C       %s all right\n' \
  "$(sed -n '1{s/^three/a program that calls three/;s/, because/,\n        because/;p}' "$work/odd_tiles.txt")"
[ -n "$verbose" ] || tell 'Commands and reports: ./dev demo --verbose, or %s\n' "${work#"$PWD"/}/demo.log"
