// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lane holds which element of a matrix instruction's operands and result.
// Published in AMD's ISA documents and by its matrix instruction calculator.
//
// Tiles use the instructions transposed: the rhs panel is the instruction's A
// (rows i), the lhs panel its B (columns j), so that the result registers of a
// lane are neighbours in a row of the out tile and leave it in wide stores.
// Which panel row becomes row i is free, and chosen to that end.
//
// A layout says, for lane l:
//   kLanes                 lanes of a wave
//   kRows, kColumns        rows of the lhs and of the rhs panel it multiplies
//   kGroups, group(l)      lanes that hold the same row, and which of them l is
//   lhsRow(l), rhsRow(l)   the panel rows that l supplies
//   kRuns, kRun            its results: runs of neighbours in one out row
//   outRow(l), outColumn(l, run)

#ifndef UKERNELS_AMDGPU_LAYOUTS_H_
#define UKERNELS_AMDGPU_LAYOUTS_H_

#include "ukernels/amdgpu/device.h"

namespace tilewright::amdgpu {

// CDNA, 16x16: D row i = 4*(l/16) + r, column l%16.
struct Mfma16 {
  static constexpr int kLanes = 64, kRows = 16, kColumns = 16;
  static constexpr int kGroups = 4, kRuns = 1, kRun = 4;
  TW_MEMBER int group(int l) { return l / 16; }
  TW_MEMBER int lhsRow(int l) { return l % 16; }
  TW_MEMBER int rhsRow(int l) { return l % 16; }
  TW_MEMBER int outRow(int l) { return l % 16; }
  TW_MEMBER int outColumn(int l, int) { return l / 16 * 4; }
};

// CDNA, 16x16 of f64: D row i = 4*r + l/16. Row i is panel row 4*(i%4) + i/4,
// so that a lane's four results are neighbours.
struct Mfma16F64 : Mfma16 {
  TW_MEMBER int rhsRow(int l) { return l % 4 * 4 + l % 16 / 4; }
};

// CDNA, 32x32: D row i = 8*(r/4) + 4*(l/32) + r%4, column l%32.
struct Mfma32 {
  static constexpr int kLanes = 64, kRows = 32, kColumns = 32;
  static constexpr int kGroups = 2, kRuns = 4, kRun = 4;
  TW_MEMBER int group(int l) { return l / 32; }
  TW_MEMBER int lhsRow(int l) { return l % 32; }
  TW_MEMBER int rhsRow(int l) { return l % 32; }
  TW_MEMBER int outRow(int l) { return l % 32; }
  TW_MEMBER int outColumn(int l, int run) { return run * 8 + l / 32 * 4; }
};

// CDNA, 16 blocks of 4x4: block l/4, D row r, column l%4. The blocks are 16
// times four rhs rows, all with the same four lhs rows.
struct Mfma4 {
  static constexpr int kLanes = 64, kRows = 4, kColumns = 64;
  static constexpr int kGroups = 1, kRuns = 1, kRun = 4;
  TW_MEMBER int group(int) { return 0; }
  TW_MEMBER int lhsRow(int l) { return l % 4; }
  TW_MEMBER int rhsRow(int l) { return l; }
  TW_MEMBER int outRow(int l) { return l % 4; }
  TW_MEMBER int outColumn(int l, int) { return l / 4 * 4; }
};

// CDNA, 4 blocks of 4x4 of f64: operands row l%4, block l/4%4, k = l/16; D row
// l/16, column l%4. Row i of block b is panel row 4*i + b, so that neighbouring
// lanes' results are neighbours.
struct Mfma4F64 {
  static constexpr int kLanes = 64, kRows = 4, kColumns = 16;
  static constexpr int kGroups = 4, kRuns = 1, kRun = 1;
  TW_MEMBER int group(int l) { return l / 16; }
  TW_MEMBER int lhsRow(int l) { return l % 4; }
  TW_MEMBER int rhsRow(int l) { return l % 4 * 4 + l / 4 % 4; }
  TW_MEMBER int outRow(int l) { return l % 4; }
  TW_MEMBER int outColumn(int l, int) { return l / 4; }
};

// gfx11: both halves of the wave hold the same operands; D row i = 2*r + l/16,
// column l%16. Row i is panel row 8*(i%2) + i/2.
struct Wmma11 {
  static constexpr int kLanes = 32, kRows = 16, kColumns = 16;
  static constexpr int kGroups = 1, kRuns = 1, kRun = 8;
  TW_MEMBER int group(int) { return 0; }
  TW_MEMBER int lhsRow(int l) { return l % 16; }
  TW_MEMBER int rhsRow(int l) { return l % 2 * 8 + l % 16 / 2; }
  TW_MEMBER int outRow(int l) { return l % 16; }
  TW_MEMBER int outColumn(int l, int) { return l / 16 * 8; }
};

// gfx12: D row i = 8*(l/16) + r, column l%16.
struct Wmma12 {
  static constexpr int kLanes = 32, kRows = 16, kColumns = 16;
  static constexpr int kGroups = 2, kRuns = 1, kRun = 8;
  TW_MEMBER int group(int l) { return l / 16; }
  TW_MEMBER int lhsRow(int l) { return l % 16; }
  TW_MEMBER int rhsRow(int l) { return l % 16; }
  TW_MEMBER int outRow(int l) { return l % 16; }
  TW_MEMBER int outColumn(int l, int) { return l / 16 * 8; }
};

}  // namespace tilewright::amdgpu

#endif  // UKERNELS_AMDGPU_LAYOUTS_H_
