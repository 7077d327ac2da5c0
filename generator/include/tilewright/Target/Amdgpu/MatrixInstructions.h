// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of AMD's matrix instructions (matrix_instructions.def) as data:
// which there are, which element of a matrix each lane holds where, and how the
// intrinsic is called. No MLIR.

#ifndef TILEWRIGHT_TARGET_AMDGPU_MATRIXINSTRUCTIONS_H
#define TILEWRIGHT_TARGET_AMDGPU_MATRIXINSTRUCTIONS_H

#include "tilewright/key.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// Which elements of the matrices a lane holds.
enum class MatrixLayout : uint8_t {
  CDNA,
  CDNA_F64,
  CDNA_F64_BLOCKS,
  RDNA3,
  RDNA4,
  GFX1250
};

/// The intrinsic's arguments, in order. a, b, c are the matrices; 0 stands for
/// an immediate that we leave off.
enum class MatrixCall : uint8_t {
  MFMA,           ///< a b c 0 0 0
  MFMA_SCALE,     ///< a b c formatA formatB 0 scalesA 0 scalesB
  WMMA,           ///< a b c
  WMMA_INT,       ///< signedA a signedB b c 0
  WMMA_MODS,      ///< 0 a 0 b 0 c 0 0
  WMMA_INT_REUSE, ///< signedA a signedB b c 0 0 0
  WMMA_MODC,      ///< a b 0 c 0 0
  WMMA_FORMAT,    ///< formatA a formatB b 0 c
  WMMA_SCALE      ///< formatA a formatB b 0 c 0 0 scalesA 0 0 scalesB 0 0
};

struct MatrixInstruction {
  /// Without "llvm.amdgcn.", and without overloaded types.
  llvm::StringLiteral intrinsic;
  /// Of the assembly, without the suffix _e64 or the like.
  llvm::StringLiteral mnemonic;
  int m, n, k, blocks;
  /// What the operands may be.
  llvm::ArrayRef<tw_element_type_t> lhsTypes, rhsTypes;
  tw_element_type_t accumulator;
  /// Of one lane's part of A and of B, as LLVM mangles it: "v4f16", "i64".
  llvm::StringLiteral registers;
  int cycles;
  MatrixLayout layout;
  MatrixCall call;

  /// 64 or 32.
  int lanes() const;
  /// Elements of A (of B) that a lane holds.
  int lhsElements() const;
  int rhsElements() const;
  /// Elements of C and D that a lane holds.
  int results() const;
  /// Groups of lanes that hold different k: a lane holds k / kGroups() of them.
  int kGroups() const;
  /// Takes two E8M0 scales for each 32 k.
  bool isScaled() const;
  bool accepts(tw_element_type_t lhs, tw_element_type_t rhs) const;
};

/// Those of one target, in the order of the table; none on other ISAs.
llvm::ArrayRef<MatrixInstruction> matrixInstructions(tw_isa_t isa);

/// By its intrinsic's name, as above; null if `isa` has none. Of two rows for
/// one intrinsic, the one that accepts the types.
const MatrixInstruction *findMatrixInstruction(tw_isa_t isa,
                                               llvm::StringRef intrinsic,
                                               tw_element_type_t lhs,
                                               tw_element_type_t rhs);

/// A place in a matrix of one block.
struct MatrixPlace {
  int row, column, block;
  bool operator==(const MatrixPlace &o) const {
    return row == o.row && column == o.column && block == o.block;
  }
};

/// What element `element` of `lane`'s part of A is: row and k (as `column`). B
/// is laid out alike, its columns as rows. `bits` is the width of A's elements.
MatrixPlace lhsPlace(const MatrixInstruction &instruction, int bits, int lane,
                     int element);

/// The same for C and D: row and column.
MatrixPlace resultPlace(const MatrixInstruction &instruction, int lane,
                        int element);

/// The inverse of lhsPlace, as (lane, element); the first lane that holds it.
std::pair<int, int> lhsHolder(const MatrixInstruction &instruction, int bits,
                              MatrixPlace place);
/// The inverse of resultPlace.
std::pair<int, int> resultHolder(const MatrixInstruction &instruction,
                                 MatrixPlace place);

/// One argument of the intrinsic: an operand, or an immediate of `bits` bits.
struct MatrixArgument {
  enum Kind { A, B, C, ScalesA, ScalesB, Immediate } kind;
  int bits = 0;
  int64_t value = 0;
};

/// The arguments for operands of these types, which the instruction accepts.
llvm::SmallVector<MatrixArgument>
matrixArguments(const MatrixInstruction &instruction, tw_element_type_t lhs,
                tw_element_type_t rhs);

/// The type of one lane's operand of `type`: `elements` of "f16", "bf16",
/// "i16", "f32", "f64", "i32" or "i64". A single one is no vector.
struct MatrixRegisters {
  llvm::StringRef element;
  int elements;
};
MatrixRegisters operandRegisters(const MatrixInstruction &instruction,
                                 tw_element_type_t type);
/// The same for C and D.
MatrixRegisters resultRegisters(const MatrixInstruction &instruction);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_MATRIXINSTRUCTIONS_H
