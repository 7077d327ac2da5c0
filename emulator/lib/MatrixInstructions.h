// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions: one table, and how lanes hold their operands.
//
// Sources: AMD's instruction set documents of CDNA 2, 3 and 4, RDNA 3 and 4,
// and AMD's matrix instruction calculator.

#ifndef TILEWRIGHT_EMULATOR_LIB_MATRIXINSTRUCTIONS_H
#define TILEWRIGHT_EMULATOR_LIB_MATRIXINSTRUCTIONS_H

#include "Machine.h"
#include "llvm/IR/InstrTypes.h"

namespace tilewright::emulator {

enum class Element : uint8_t {
  F64,
  F32,
  XF32,
  F16,
  BF16,
  FP8,
  BF8,
  FP6,
  BF6,
  FP4,
  I32,
  I8,
  I4,
  Coded ///< fp8, bf8, fp6, bf6 or fp4, as an operand of the instruction says
};

/// Operands in order, of the intrinsic.
enum class Form : uint8_t {
  Mfma,      ///< A, B, C, cbsz, abid, blgp
  MfmaScale, ///< A, B, C, format A, format B, opsel A, scale A, opsel B, scale
             ///< B
  Wmma,      ///< A, B, C
  WmmaHalf,  ///< A, B, C, opsel: C and D are one half of each register
  WmmaInt,   ///< sign A, A, sign B, B, C, clamp
  WmmaMods,  ///< neg A, A, neg B, B, C's modifier, C, reuse A, reuse B
  WmmaCmod,  ///< A, B, C's modifier, C, reuse A, reuse B
  WmmaReuse, ///< sign A, A, sign B, B, C, reuse A, reuse B, clamp
  WmmaCoded, ///< format A, A, format B, B, C's modifier, C
  /// As WmmaCoded, then row half A, scale format A, scales A, the same for B,
  /// reuse A, reuse B. A lane of the half has the scales of a row, by byte.
  WmmaScale,
};

struct MatrixInstruction {
  const char *name; ///< of the intrinsic, without "llvm.amdgcn."
  unsigned gfx;     ///< a set of Gfx
  uint8_t m, n, k, blocks;
  Element a, b, c, d;
  Form form;
  /// Elements of A and of B that a lane holds in a row along K before the next
  /// group of lanes goes on; 0: all of them.
  uint8_t chunkA, chunkB;
  /// Rows of D that a lane holds in a row before the next group goes on.
  uint8_t rows;
  /// Whether both halves of the wave hold the same A and the same B.
  bool duplicated;
};

struct OperandPlace {
  unsigned block, row, k;
};
struct ResultPlace {
  unsigned block, row, column;
};

inline bool isFloat(Element element) {
  return element != Element::I32 && element != Element::I8 &&
         element != Element::I4;
}
unsigned bitsOf(Element element);

/// Elements of an operand with `rows` rows that a lane holds.
unsigned operandElements(const MatrixInstruction &instruction, unsigned rows,
                         unsigned lanes);
/// Which element of A (`rows`: m) or of B (n, its columns) a lane holds.
OperandPlace operandPlace(const MatrixInstruction &instruction, unsigned rows,
                          unsigned chunk, unsigned lanes, unsigned lane,
                          unsigned element);
unsigned resultElements(const MatrixInstruction &instruction, unsigned lanes);
/// Which element of C and D a lane holds.
ResultPlace resultPlace(const MatrixInstruction &instruction, unsigned lanes,
                        unsigned lane, unsigned element);

/// Where the elements of all lanes belong, lane by lane, in a matrix A as
/// [block][row][k], B as [block][k][column], D as [block][row][column].
struct MatrixPlaces {
  Element typeA, typeB;                     ///< never Coded
  unsigned elementsA, elementsB, elementsD; ///< of a lane
  std::vector<uint16_t> a, b, d;
};

llvm::ArrayRef<MatrixInstruction> matrixInstructions();
/// The same object for the same arguments, for ever.
const MatrixPlaces &matrixPlaces(const MatrixInstruction &instruction,
                                 Element typeA, Element typeB, unsigned lanes);
const MatrixInstruction *findMatrixInstruction(llvm::StringRef name, Gfx gfx);

llvm::Expected<Operation> findMatrixOperation(llvm::StringRef name,
                                              const llvm::CallBase &call,
                                              const Target &target);
/// Runs one: the lanes of the wave are parked at the site.
void runMatrixInstruction(Wave &wave, const Site &site);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_MATRIXINSTRUCTIONS_H
