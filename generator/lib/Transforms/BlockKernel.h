// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernel of one register block: zero the accumulators, all K steps, store.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCKKERNEL_H
#define TILEWRIGHT_TRANSFORMS_BLOCKKERNEL_H

#include "ElementRun.h"
#include "tilewright/Emit/Elements.h"
#include "tilewright/Emit/Emission.h"
#include "tilewright/Emit/TileParams.h"
#include "tilewright/Planning/TileShape.h"
#include <optional>

namespace tilewright {

/// Bytes from one K step of an operand to the next. Those of a scalable operand
/// are known where the tile runs.
struct StepStride {
  int64_t bytes = 0;
  mlir::Value runtime; ///< i64, instead of `bytes` unless null
};

/// Where one register block of the tile lies.
struct BlockPosition {
  mlir::Value broadcast, vector; ///< its first row of either operand, K step 0
  StepStride broadcastStride, vectorStride; ///< in the panels
  mlir::Value out;                          ///< its first out element
  /// The first row of either operand (i64) that no block before this one has
  /// done; null where blocks do not overlap.
  mlir::Value ownBroadcastRow, ownVectorRow;
};

class BlockKernel {
public:
  using Value = mlir::Value;
  using Values = Emitter::Values;

  BlockKernel(Emitter &e, const TileKey &key, const TilePlan &plan,
              const TileShape &shape, const TileParams &params,
              const BlockPosition &position);

  void emit();

private:
  /// Where the rows of a block lie, decoded or not.
  struct Source {
    ElementFormat format;
    Value pointer; ///< of the current K step
    StepStride stride;
    bool slack;  ///< a whole vector may be read behind the last row
    Value group; ///< the broadcast of its only row and chunk, if read already
    /// What shape.byLanes reads from, and this step's first element there.
    ElementRun *run = nullptr;
    int64_t first = 0;
    bool continues = false; ///< the run holds all K steps of the iteration
    /// Bytes from the elements of one of the idiom's parts to those of the
    /// next; 0 where they are not apart.
    int64_t partStride = 0;
  };

  // MultiplySteps.cpp: one K step.
  struct StepState {
    Values accumulators, corrections;
  };
  void step(Source broadcast, Source vector, int set, StepState &state);
  void chunk(const Source &broadcast, const Source &vector, int valid, int set,
             Values &accumulators);
  void multiplyRows(const Source &broadcast, const Source &vector,
                    llvm::ArrayRef<Value> operands, int valid,
                    llvm::MutableArrayRef<Value> accumulators);
  void multiplyNibbles(const Source &broadcast, Source vector, int set,
                       Values &accumulators);
  Value multiplyAccumulate(Value accumulator, Value vector, Value broadcast,
                           int half = 0) {
    return emission.multiplyAccumulate(e, plan.idiom, shape.roles, accumulator,
                                       vector, broadcast, half);
  }
  void multiplyThenAdd(const Source &broadcast, llvm::ArrayRef<Value> operands,
                       int valid, llvm::MutableArrayRef<Value> accumulators);
  void multiplyParts(const Source &broadcast, Source vector, int valid,
                     llvm::MutableArrayRef<Value> accumulators);
  Value readBroadcast(const Source &source, int row, int valid);
  Value loadVector(const Source &source, int index, int valid);
  Value readVector(const Source &source, int index, int valid);
  void correct(const Source &source, int steps, Values &corrections);
  void correct(Value run, Value &correction);
  void correctByRegisters(const Source &source, Values &corrections);
  void forEachLane(const Source &source, int count,
                   llvm::function_ref<void(Value)> take);
  Value spread(Value lane, int step);
  Values spreadGroups(const Source &source, int count);
  Values roundedStep(const Source &broadcast, const Source &vector,
                     Values sums);
  void roundResults(Values &results);
  /// The multiplies of a K step add to the sums that are rounded.
  bool sumsInStep() const;
  /// Each sum is rounded when it is multiplied: few vector pipes narrow.
  bool roundsAtOnce() const {
    return sumsInStep() && shape.byLanes &&
           idiom(plan.idiom).halves == Halves::None && shape.accumulator != out;
  }

  // LaneSteps.cpp: the same, by lanes.
  void laneStep(const Source &broadcast, const Source &vector, int set,
                Values &accumulators);
  void decodeStepAhead(const Source &broadcast, const Source &vector, int t,
                       int count);
  /// The run that holds K step `t` of `count`, which starts at source.pointer;
  /// K steps that follow one another in memory are one run, kept in `run`. It
  /// is read by the element, or by registers of `width` elements.
  void enterRun(Source &source, std::optional<ElementRun> &run, int t,
                int count, int64_t elements, int64_t width, int ahead,
                bool early, bool byElement);
  void laneChunks(const Source &broadcast, const Source &vector, int firstPart,
                  int endPart, int set, Values &accumulators);
  Values readGroups(const Source &source, int64_t first,
                    int64_t rowsPerRegister, int64_t present, int part);
  Value broadcastGroup(const Source &source, int row, int chunk);
  Value splatGroup(Value source, int64_t element);
  Values untangle(const Values &accumulators);
  Values tangle(const Values &rows);
  bool transposesBlocks() const;

  // PipelinedSteps.cpp: K steps whose operands were decoded during those
  // before.
  struct Undecoded {
    Values broadcast, vector;
  };
  Undecoded loadAhead(Source &broadcast, Source &vector);
  int broadcastRegisters() const;
  Value decodeAhead(const Undecoded &raw, int index);
  void multiplyAhead(Values &registers, const Undecoded *next, Values &carries);
  Values pipelinedLoop(const Source &broadcast, const Source &vector,
                       Value count, Values carries);

  // Staging.cpp
  struct Stage {
    Value buffer, decoded;
    int64_t stride = 0, decodedStride = 0; ///< bytes between K steps
    int64_t partStride = 0;                ///< as Source has it
    bool decodes, wholeOperand;
  };
  Stage makeStage(const OperandShape &operand, const ElementFormat &format,
                  int blockRows);
  void fillStage(const StepStride &stride, ElementFormat format, int blockRows,
                 Value source, const Stage &stage, Value steps);
  void decodeRun(ElementFormat format, Value source, const Stage &stage,
                 Value buffer, int64_t elements);
  void padRows(Value source, Value buffer, int blockRows);

  // KLoop.cpp
  Values kLoop(Value broadcast, Value vector, Value count, Values carries);
  Values scaledLoop(Values carries);
  Values stagedLoop(Value broadcast, Value vector, Value count, Values carries);
  Values stepLoop(Source broadcast, Source vector, Value count, Values carries);
  Values runSteps(Source broadcast, Source vector, Value begin, Value end,
                  int unroll, Values all);
  void prefetch(const OperandShape &operand, Value pointer,
                const StepStride &iteration, bool far);
  struct Reached {
    Value broadcast, vector; ///< pointers, or null
  };
  Values steps(Source broadcast, Source vector, int count, Values carries,
               Reached &reached);

  // Epilogue.cpp
  Values reduceLanes(llvm::ArrayRef<Value> sequence, int count);
  Values combineSets(Values carries);
  Value sumCorrections(llvm::ArrayRef<Value> corrections);
  Values finishRow(llvm::ArrayRef<Value> accumulators, Value correction);
  Values finishInRegisters(const Values &accumulators, Value corrections);
  Value finishRows(const Values &accumulators, Value corrections);
  void flushDenormals(Values &results);

  // StoreTile.cpp
  /// How sums become out elements: as the multiplies take denormals.
  Narrowing narrowing() const {
    return idiom(plan.idiom).flushesDenormals ? Narrowing::AsDotProducts
                                              : Narrowing::Exact;
  }
  void forOutVectors(llvm::function_ref<void(int, int, Value)> body);
  Value toOut(Value value);
  Value fromOut(Value value);
  Value loadOut(Value pointer, int index);
  Values initialRows();
  void storeDirectly(Values results);
  void storeByRows(Value buffer);
  void storeTransposed(Value buffer);
  Value spill(const Values &results);
  Value updated(Value sum, Value pointer, int64_t valid, Value column);
  struct OutVector {
    int64_t firstRow; ///< of the vector operand, in the block
    int64_t begin;    ///< first lane that is not another vector's
    int64_t valid;    ///< lanes from there
  };
  OutVector outVector(int index) const;

  Value stackBuffer(int64_t bytes);

  StepStride times(const StepStride &stride, int64_t steps);
  Value offset(Value pointer, const StepStride &stride);

  Emitter &e;
  const Emission &emission;
  const TileKey &key;
  const TilePlan &plan;
  const TileShape &shape;
  const TileParams &params;
  const BlockPosition &position;
  int rows, vectorOperandRows;
  int vectors;    ///< accumulator vectors per row, or idiom.rows rows
  int outVectors; ///< per row, once the k lanes are added up
  /// The corrections of so many K steps go side by side into so many vectors.
  int correctionSteps, correctionVectors;
  bool overlap; ///< the last vector starts early, so as to end with the panel
  tw_element_type_t out;
  int outBytes;
  ElementFormat broadcastFormat, vectorFormat;
  mlir::VectorType accumulatorType;
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCKKERNEL_H
