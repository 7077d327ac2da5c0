// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Staging: the rows of one operand of a register block, decoded into a stack
// buffer for some K steps, and padded with zeros where they do not fill lanes.

#ifndef TILEWRIGHT_TRANSFORMS_BLOCK_OPERANDSTAGE_H
#define TILEWRIGHT_TRANSFORMS_BLOCK_OPERANDSTAGE_H

#include "BlockSteps.h"

namespace tilewright {

class OperandStage : RegisterBlock {
public:
  /// Of `blockRows` rows, whose K steps lie `stride` apart. What is staged is
  /// added to `sums` (BroadcastSums::zeros) unless that is null.
  OperandStage(const RegisterBlock &block, const OperandShape &operand,
               const ElementFormat &format, int blockRows,
               const StepStride &stride, Value sums);

  /// Stages `steps` (i64, at most plan.stageSteps) K steps from `source` on.
  /// `behind`: as OperandSource has it.
  OperandSource fill(Value source, Value steps, bool behind) {
    return fill(source, steps, behind, decoded);
  }
  /// The same at `place`, one of two of a plan that stages ahead.
  OperandSource fill(Value source, Value steps, bool behind, Value place);
  /// Stages `steps` K steps, which are whole vectors, from `source` on to
  /// `place`, by no loop.
  void fillSteps(Value source, Value place, int64_t steps);
  Value place(int i) const { return e.offset(decoded, i * stageBytes); }
  /// What is staged at `place`.
  OperandSource at(Value place) const;

private:
  bool unrolls(int64_t elements) const;
  void decodeRun(Value source, Value buffer, int64_t elements, bool behind,
                 Values &carried);
  void addElements(Value elements, int64_t valid,
                   llvm::MutableArrayRef<Value> carried, Value at);
  void padRows(Value source, Value buffer);

  ElementFormat format;
  int blockRows;
  StepStride stride; ///< in the panel
  bool decodes, wholeOperand;
  Value buffer, decoded;
  int64_t bufferStride = 0, decodedStride = 0; ///< bytes between K steps
  int64_t partStride = 0;                      ///< as OperandSource has it
  int64_t stageBytes = 0;                      ///< that are decoded
  Value sums;
};

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_BLOCK_OPERANDSTAGE_H
