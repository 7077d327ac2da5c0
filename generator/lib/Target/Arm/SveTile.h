// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of SVE vectors: rows of the rhs fill the lanes, those of the lhs are
// broadcast, mostly by multiplies that take one lane of each 128 bits.

#ifndef TILEWRIGHT_TARGET_ARM_SVETILE_H
#define TILEWRIGHT_TARGET_ARM_SVETILE_H

#include "ScalableTile.h"

namespace tilewright {

class SveTile : ScalableTile {
public:
  SveTile(Emitter &e, const TileKey &key, const TilePlan &plan,
          mlir::Block &entry);

  void emit() {
    unlessIdle(e, params, [&] {
      forBlocks([&](Position position, int rows, int vectors) {
        emitBlock(position, rows, vectors);
      });
    });
  }

private:
  using Sums = llvm::MutableArrayRef<Value>;

  void emitBlock(const Position &position, int rows, int vectors);
  void emitSteps(const Position &position, Value count);
  Values steps(const Position &position, int count, Values sums);

  // One K step. `Patterns` are those of an iteration's lhs elements.
  struct Patterns {
    Value pointer;  ///< to the first unit
    int units;      ///< that are there to read
    Values current; ///< units [first, first + count)
    int first = 0, count = 0;
  };
  /// A register of a pattern, and the lane of it.
  struct Lane {
    Value pattern;
    int lane;
  };
  void step(Value rhs, int firstVector, Value lhs, Patterns &patterns,
            int firstUnit, Sums sums);
  Lane take(Patterns &patterns, int unit);
  int patternUnits(int left) const;
  Value loadPattern(Value pointer, int units);
  Value decodePattern(Value raw, int index);
  void multiply(Value &sum, int i, Value rhs, int unit, Lane lane);
  Value multiplyLane(Value sum, Value rhs, Lane lane, bool top);
  Value multiplyVector(Value sum, Value rhs, Value broadcast);
  Value multiplyMatrix(Value sum, Value rhs, Value rows);
  Value broadcastContainer(Value pointer);

  // PipelinedSveSteps.cpp: K steps whose operands were read during those
  // before.
  struct Group {
    int reg, size;    ///< registers
    int first, units; ///< of a pattern
    int end() const { return first + units; }
  };
  /// A unit of the lhs among the registers of an iteration.
  struct Place {
    int reg, lane;
  };
  int stepsAhead(const Position &position) const;
  int iterationUnits() const { return plan.unroll * rows * unitsPerRow; }
  int rhsReached(int ahead) const;
  Place placeOf(int unit) const;
  llvm::SmallVector<Group> patternGroups() const;
  void decodePattern(const Position &position, const Group &group,
                     Values &registers);
  void multiplyGroup(int t, int group, int i, int part, Value operand,
                     const Values &registers, Values &sums);
  void multiplyAhead(int ahead, Values &registers, const Position &next,
                     bool isLast, Values &sums);
  Values pipelinedLoop(int ahead, const Position &position, Value total,
                       Values sums);

  // The out tile: a row's vectors of out elements <-> sums as they are summed.
  void loadSums(Value out, Sums sums);
  void storeBlock(Value out, llvm::ArrayRef<Value> sums);
  Value pair(llvm::StringRef operation, mlir::VectorType units, Value x,
             Value y);
  Value rounded(Value sum);
  Value narrowed(Value sum);
  Value widened(Value sum);
  /// In which a K step multiplies them.
  llvm::SmallVector<int> sumOrder() const;

  int sumsPerOperand() const { return shape.halvesAreRows ? 2 : 1; }
  /// Vectors of the rhs in a K step, each of `chunks` registers.
  int operands() const { return rowSums / sumsPerOperand(); }
  /// Of the rhs, which `unit` of a row multiplies.
  int chunkOf(int unit) const {
    return shape.halvesAreRows ? unit : unit / shape.halves;
  }

  /// usmmla takes the unsigned operand first: the rhs, if that is it.
  bool swapsMatrix() const {
    return matrix && !isFloat && lhsSigned && !rhsSigned;
  }
  /// The units whose blocks [2][2] a matrix multiply leaves.
  mlir::VectorType matrixUnits() {
    return swapsMatrix() ? sumType : ScalableVectors::full(e.integer(64));
  }

  bool isFloat, lhsSigned, rhsSigned, matrix, perStep;
  mlir::Type element; ///< that multiplies take
  mlir::VectorType operandType;
  /// Bits of what a lane index counts, a unit, after decoding and in memory.
  int patternBits, memoryBits;
  /// Registers that a pattern becomes, unit after unit in turn: those of floats
  /// that are converted.
  int interleaved;
  int unitsPerRow;
  int rows, groups; ///< of the block; groups of rows that share sums
  int rowSums;      ///< vectors of sums per group
  /// With a rhs of nibbles: where the even, then the odd elements of each row
  /// of the lhs are.
  Value evenThenOdd;
};

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_ARM_SVETILE_H
