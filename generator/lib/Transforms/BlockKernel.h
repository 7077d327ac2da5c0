// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of one register block: zero the accumulators, all K steps, store.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCKKERNEL_H
#define TILEWRIGHT_TRANSFORMS_BLOCKKERNEL_H

#include "tilewright/Planning/TileShape.h"
#include "tilewright/Targets/Elements.h"
#include "tilewright/Targets/Emitter.h"

namespace tilewright {

/// The values of tw_mmt4d_params_t that a tile function reads.
struct TileParams {
  mlir::Value k;           ///< i64, at least 0
  mlir::Value accumulate;  ///< i1
  mlir::Value outRowBytes; ///< i64: distance between rows of the out tile
};

class BlockKernel {
public:
  using Value = mlir::Value;
  using Values = Emitter::Values;

  /// `rows` of the broadcast operand, `vectorOperandRows` of the other.
  BlockKernel(Emitter &e, const TileKey &key, const TilePlan &plan,
              const TileShape &shape, const TileParams &params, int rows,
              int vectorOperandRows);

  /// Pointers to the block's first row of either operand in K step 0, and to
  /// its first out element.
  void emit(Value broadcastPointer, Value vectorPointer, Value outPointer);

private:
  /// Where the rows of a block lie for one K step, decoded or not.
  struct Source {
    ElementFormat format;
    Value pointer;
    bool padded; ///< a whole vector may be read beyond the last row
  };

  // MultiplySteps.cpp: one K step.
  struct StepState {
    Values accumulators, corrections;
  };
  void step(Source broadcast, Source vector, int set, StepState &state);
  void chunk(Source broadcast, Source vector, int valid, int set,
             Values &accumulators);
  Value readBroadcast(const Source &source, int row, int valid);
  Value readVector(const Source &source, int index, int valid);
  void correct(const Source &source, int set, Values &corrections);
  int64_t elementOffset(const Source &source, int64_t element) const;

  // Staging.cpp
  struct Staged {
    Value buffer;
    int64_t stepStride = 0; ///< bytes between K steps in the buffer
  };
  Staged makeStage(const OperandShape &operand, int blockRows);
  void stage(const OperandShape &operand, ElementFormat format, int blockRows,
             Value source, const Staged &staged, int steps);
  void stageRun(ElementFormat format, Value source, Value buffer,
                int64_t elements);

  // KLoop.cpp
  Values kLoop(Value broadcastPointer, Value vectorPointer, Values carries);
  Values steps(Value broadcastPointer, Value vectorPointer, int count,
               Values carries);
  Values roundedStep(Source broadcast, Source vector, Values carries);

  // Epilogue.cpp
  Values reduceLanes(llvm::ArrayRef<Value> sequence, int count);
  Values combineSets(Values carries);
  void subtractCorrections(Values &results, llvm::ArrayRef<Value> corrections);
  void forOutVectors(Value outPointer,
                     llvm::function_ref<void(int, int, Value)> body);
  Value loadOut(Value pointer, int index);
  Values initialRows(Value outPointer);
  Values addPrevious(const Values &results, Value outPointer);
  void storeRows(llvm::ArrayRef<Value> results, Value outPointer);
  void storeTransposed(llvm::ArrayRef<Value> results, Value outPointer);
  struct OutVector {
    int64_t firstRow; ///< of the vector operand, in the block
    int64_t begin;    ///< first lane that is not another vector's
    int64_t valid;    ///< lanes from there
  };
  OutVector outVector(int index) const;

  Value stackBuffer(int64_t bytes);

  Emitter &e;
  const TileKey &key;
  const TilePlan &plan;
  const TileShape &shape;
  const TileParams &params;
  int rows, vectorOperandRows;
  int vectors;    ///< accumulator vectors per row
  int outVectors; ///< per row, once the k lanes are added up
  int correctionVectors;
  bool overlap; ///< the last vector starts early, so as to end with the panel
  ElementFormat broadcastFormat, vectorFormat;
  mlir::VectorType accumulatorType;
  Staged broadcastStage, vectorStage;
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCKKERNEL_H
