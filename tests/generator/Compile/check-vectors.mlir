// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-check-vectors --split-input-file | FileCheck %s

module attributes {tw.devices = [#tw.device<"cpu" = "arm_64:sme2+sve+vl256+svl512", memory = host>]} {
  // CHECK-LABEL: func.func @f(
  // CHECK-DAG:     %[[VL:.*]] = tw.vscale : index
  // CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
  // CHECK-DAG:     %[[IS:.*]] = arith.cmpi eq, %[[VL]], %[[TWO]] : index
  // CHECK-DAG:     cf.assert %[[IS]], "compiled for CPUs with SVE vectors of 256 bits"
  // CHECK-DAG:     %[[SVL:.*]] = tw.vscale streaming : index
  // CHECK-DAG:     %[[FOUR:.*]] = arith.constant 4 : index
  // CHECK-DAG:     %[[IS2:.*]] = arith.cmpi eq, %[[SVL]], %[[FOUR]] : index
  // CHECK-DAG:     cf.assert %[[IS2]], "compiled for CPUs with SME streaming vectors of 512 bits"
  func.func @f() {
    return
  }

  // Who calls it has checked.
  // CHECK-LABEL: func.func private @g(
  // CHECK-NEXT:    return
  func.func private @g() {
    return
  }
}

// -----

// With any length.
module attributes {tw.devices = [#tw.device<"cpu" = "arm_64:sme2+sve", memory = host>, #tw.device<"n" = "none", memory = host>]} {
  // CHECK-LABEL: func.func @any(
  // CHECK-NEXT:    return
  func.func @any() {
    return
  }
}

// -----

// Vectors as long as a level has them, by what LLVM cannot know anything of.
module attributes {tw.devices = [#tw.device<"cpu" = "riscv_64:zvfh+zvl256b", memory = host>]} {
  // CHECK-LABEL: func.func @least(
  // CHECK-DAG:     %[[BYTES:.*]] = llvm.inline_asm has_side_effects "csrr $0, vlenb", "=r"
  // CHECK-DAG:     %[[LEAST:.*]] = arith.constant 32 : i64
  // CHECK-DAG:     %[[LONG:.*]] = arith.cmpi uge, %[[BYTES]], %[[LEAST]] : i64
  // CHECK-DAG:     cf.assert %[[LONG]], "compiled for CPUs with vectors of at least 256 bits"
  func.func @least() {
    return
  }
}

// -----

// All have those of 128 bits; AVX-512 ends a program elsewhere.
module attributes {tw.devices = [#tw.device<"cpu" = "riscv_64:v", memory = host>, #tw.device<"x" = "x86_64_avx512_base", memory = host>]} {
  // CHECK-LABEL: func.func @usual(
  // CHECK-NEXT:    return
  func.func @usual() {
    return
  }
}
