// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of matrix instructions, and lane layouts.

#include "MatrixInstructions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <mutex>

using namespace llvm;

namespace tilewright::emulator {

namespace {

constexpr unsigned kCdna2 = Gfx90a | Gfx942 | Gfx950;
constexpr unsigned kCdna3 = Gfx942 | Gfx950;

constexpr MatrixInstruction mfma(const char *name, unsigned gfx, uint8_t m,
                                 uint8_t k, uint8_t blocks, Element a,
                                 Element b, Element d) {
  return {
      name, gfx, m, m,          k, blocks, a,
      b,    d,   d, Form::Mfma, 0, 0,      uint8_t(d == Element::F64 ? 1 : 4),
      false};
}

constexpr MatrixInstruction scaled(const char *name, uint8_t m, uint8_t k) {
  return {name,
          Gfx950,
          m,
          m,
          k,
          1,
          Element::Coded,
          Element::Coded,
          Element::F32,
          Element::F32,
          Form::MfmaScale,
          0,
          0,
          4,
          false};
}

constexpr MatrixInstruction wmma11(const char *name, Element in, Element out,
                                   Form form) {
  return {name, Gfx1100, 16, 16, 16, 1, in, in, out, out, form, 0, 0, 1, true};
}

/// 16-bit operands are chunked by 4 along K; of narrower ones a lane has half.
constexpr MatrixInstruction wmma12(const char *name, uint8_t k, Element a,
                                   Element b, Element out, Form form) {
  uint8_t chunk = a == Element::F16 || a == Element::BF16 ? 4 : 0;
  return {name, Gfx1201, 16,   16,    k,     1, a,    b,
          out,  out,     form, chunk, chunk, 8, false};
}

/// 16-bit operands are chunked by 8 along K, 8-bit ones by 16.
constexpr MatrixInstruction wmma1250(const char *name, uint8_t k, Element a,
                                     Element b, Element c, Element d,
                                     Form form) {
  uint8_t chunk = a == Element::F32                         ? 0
                  : a == Element::F16 || a == Element::BF16 ? 8
                                                            : 16;
  return {name, Gfx1250, 16,   16,    k,     1, a,    b,
          c,    d,       form, chunk, chunk, 8, false};
}

constexpr MatrixInstruction wmma1250(const char *name, uint8_t k, Element a,
                                     Element b, Element d, Form form) {
  return wmma1250(name, k, a, b, d, d, form);
}

constexpr auto F64 = Element::F64, F32 = Element::F32, XF32 = Element::XF32,
               F16 = Element::F16, BF16 = Element::BF16, FP8 = Element::FP8,
               BF8 = Element::BF8, I32 = Element::I32, I8 = Element::I8,
               I4 = Element::I4, Coded = Element::Coded;

constexpr MatrixInstruction kInstructions[] = {
    mfma("mfma.f32.32x32x1f32", kCdna2, 32, 1, 2, F32, F32, F32),
    mfma("mfma.f32.16x16x1f32", kCdna2, 16, 1, 4, F32, F32, F32),
    mfma("mfma.f32.4x4x1f32", kCdna2, 4, 1, 16, F32, F32, F32),
    mfma("mfma.f32.32x32x2f32", kCdna2, 32, 2, 1, F32, F32, F32),
    mfma("mfma.f32.16x16x4f32", kCdna2, 16, 4, 1, F32, F32, F32),
    mfma("mfma.f32.32x32x4f16", kCdna2, 32, 4, 2, F16, F16, F32),
    mfma("mfma.f32.16x16x4f16", kCdna2, 16, 4, 4, F16, F16, F32),
    mfma("mfma.f32.4x4x4f16", kCdna2, 4, 4, 16, F16, F16, F32),
    mfma("mfma.f32.32x32x8f16", kCdna2, 32, 8, 1, F16, F16, F32),
    mfma("mfma.f32.16x16x16f16", kCdna2, 16, 16, 1, F16, F16, F32),
    mfma("mfma.f32.32x32x2bf16", kCdna2, 32, 2, 2, BF16, BF16, F32),
    mfma("mfma.f32.16x16x2bf16", kCdna2, 16, 2, 4, BF16, BF16, F32),
    mfma("mfma.f32.4x4x2bf16", kCdna2, 4, 2, 16, BF16, BF16, F32),
    mfma("mfma.f32.32x32x4bf16", kCdna2, 32, 4, 1, BF16, BF16, F32),
    mfma("mfma.f32.16x16x8bf16", kCdna2, 16, 8, 1, BF16, BF16, F32),
    mfma("mfma.f32.32x32x4bf16.1k", kCdna2, 32, 4, 2, BF16, BF16, F32),
    mfma("mfma.f32.16x16x4bf16.1k", kCdna2, 16, 4, 4, BF16, BF16, F32),
    mfma("mfma.f32.4x4x4bf16.1k", kCdna2, 4, 4, 16, BF16, BF16, F32),
    mfma("mfma.f32.32x32x8bf16.1k", kCdna2, 32, 8, 1, BF16, BF16, F32),
    mfma("mfma.f32.16x16x16bf16.1k", kCdna2, 16, 16, 1, BF16, BF16, F32),
    mfma("mfma.i32.32x32x4i8", kCdna2, 32, 4, 2, I8, I8, I32),
    mfma("mfma.i32.16x16x4i8", kCdna2, 16, 4, 4, I8, I8, I32),
    mfma("mfma.i32.4x4x4i8", kCdna2, 4, 4, 16, I8, I8, I32),
    mfma("mfma.i32.32x32x8i8", Gfx90a, 32, 8, 1, I8, I8, I32),
    mfma("mfma.i32.16x16x16i8", Gfx90a, 16, 16, 1, I8, I8, I32),
    mfma("mfma.f64.16x16x4f64", kCdna2, 16, 4, 1, F64, F64, F64),
    mfma("mfma.f64.4x4x4f64", kCdna2, 4, 4, 4, F64, F64, F64),
    mfma("mfma.i32.16x16x32.i8", kCdna3, 16, 32, 1, I8, I8, I32),
    mfma("mfma.i32.32x32x16.i8", kCdna3, 32, 16, 1, I8, I8, I32),
    mfma("mfma.f32.16x16x8.xf32", Gfx942, 16, 8, 1, XF32, XF32, F32),
    mfma("mfma.f32.32x32x4.xf32", Gfx942, 32, 4, 1, XF32, XF32, F32),
    mfma("mfma.f32.16x16x32.bf8.bf8", kCdna3, 16, 32, 1, BF8, BF8, F32),
    mfma("mfma.f32.16x16x32.bf8.fp8", kCdna3, 16, 32, 1, BF8, FP8, F32),
    mfma("mfma.f32.16x16x32.fp8.bf8", kCdna3, 16, 32, 1, FP8, BF8, F32),
    mfma("mfma.f32.16x16x32.fp8.fp8", kCdna3, 16, 32, 1, FP8, FP8, F32),
    mfma("mfma.f32.32x32x16.bf8.bf8", kCdna3, 32, 16, 1, BF8, BF8, F32),
    mfma("mfma.f32.32x32x16.bf8.fp8", kCdna3, 32, 16, 1, BF8, FP8, F32),
    mfma("mfma.f32.32x32x16.fp8.bf8", kCdna3, 32, 16, 1, FP8, BF8, F32),
    mfma("mfma.f32.32x32x16.fp8.fp8", kCdna3, 32, 16, 1, FP8, FP8, F32),
    mfma("mfma.f32.16x16x32.f16", Gfx950, 16, 32, 1, F16, F16, F32),
    mfma("mfma.f32.32x32x16.f16", Gfx950, 32, 16, 1, F16, F16, F32),
    mfma("mfma.f32.16x16x32.bf16", Gfx950, 16, 32, 1, BF16, BF16, F32),
    mfma("mfma.f32.32x32x16.bf16", Gfx950, 32, 16, 1, BF16, BF16, F32),
    mfma("mfma.i32.16x16x64.i8", Gfx950, 16, 64, 1, I8, I8, I32),
    mfma("mfma.i32.32x32x32.i8", Gfx950, 32, 32, 1, I8, I8, I32),
    scaled("mfma.scale.f32.16x16x128.f8f6f4", 16, 128),
    scaled("mfma.scale.f32.32x32x64.f8f6f4", 32, 64),

    wmma11("wmma.f32.16x16x16.f16", F16, F32, Form::Wmma),
    wmma11("wmma.f32.16x16x16.bf16", BF16, F32, Form::Wmma),
    wmma11("wmma.f16.16x16x16.f16", F16, F16, Form::WmmaHalf),
    wmma11("wmma.bf16.16x16x16.bf16", BF16, BF16, Form::WmmaHalf),
    wmma11("wmma.f16.16x16x16.f16.tied", F16, F16, Form::WmmaHalf),
    wmma11("wmma.bf16.16x16x16.bf16.tied", BF16, BF16, Form::WmmaHalf),
    wmma11("wmma.i32.16x16x16.iu8", I8, I32, Form::WmmaInt),
    wmma11("wmma.i32.16x16x16.iu4", I4, I32, Form::WmmaInt),

    wmma12("wmma.f32.16x16x16.f16", 16, F16, F16, F32, Form::Wmma),
    wmma12("wmma.f32.16x16x16.bf16", 16, BF16, BF16, F32, Form::Wmma),
    wmma12("wmma.f16.16x16x16.f16", 16, F16, F16, F16, Form::Wmma),
    wmma12("wmma.bf16.16x16x16.bf16", 16, BF16, BF16, BF16, Form::Wmma),
    wmma12("wmma.i32.16x16x16.iu8", 16, I8, I8, I32, Form::WmmaInt),
    wmma12("wmma.i32.16x16x16.iu4", 16, I4, I4, I32, Form::WmmaInt),
    wmma12("wmma.i32.16x16x32.iu4", 32, I4, I4, I32, Form::WmmaInt),
    wmma12("wmma.f32.16x16x16.fp8.fp8", 16, FP8, FP8, F32, Form::Wmma),
    wmma12("wmma.f32.16x16x16.fp8.bf8", 16, FP8, BF8, F32, Form::Wmma),
    wmma12("wmma.f32.16x16x16.bf8.fp8", 16, BF8, FP8, F32, Form::Wmma),
    wmma12("wmma.f32.16x16x16.bf8.bf8", 16, BF8, BF8, F32, Form::Wmma),

    wmma1250("wmma.f32.16x16x4.f32", 4, F32, F32, F32, Form::WmmaMods),
    wmma1250("wmma.f32.16x16x32.f16", 32, F16, F16, F32, Form::WmmaMods),
    wmma1250("wmma.f32.16x16x32.bf16", 32, BF16, BF16, F32, Form::WmmaMods),
    wmma1250("wmma.f16.16x16x32.f16", 32, F16, F16, F16, Form::WmmaMods),
    wmma1250("wmma.bf16.16x16x32.bf16", 32, BF16, BF16, BF16, Form::WmmaMods),
    wmma1250("wmma.bf16f32.16x16x32.bf16", 32, BF16, BF16, F32, BF16,
             Form::WmmaMods),
    wmma1250("wmma.f32.16x16x64.fp8.fp8", 64, FP8, FP8, F32, Form::WmmaCmod),
    wmma1250("wmma.f32.16x16x64.fp8.bf8", 64, FP8, BF8, F32, Form::WmmaCmod),
    wmma1250("wmma.f32.16x16x64.bf8.fp8", 64, BF8, FP8, F32, Form::WmmaCmod),
    wmma1250("wmma.f32.16x16x64.bf8.bf8", 64, BF8, BF8, F32, Form::WmmaCmod),
    wmma1250("wmma.f16.16x16x64.fp8.fp8", 64, FP8, FP8, F16, Form::WmmaCmod),
    wmma1250("wmma.f16.16x16x64.fp8.bf8", 64, FP8, BF8, F16, Form::WmmaCmod),
    wmma1250("wmma.f16.16x16x64.bf8.fp8", 64, BF8, FP8, F16, Form::WmmaCmod),
    wmma1250("wmma.f16.16x16x64.bf8.bf8", 64, BF8, BF8, F16, Form::WmmaCmod),
    wmma1250("wmma.f32.16x16x128.fp8.fp8", 128, FP8, FP8, F32, Form::WmmaCmod),
    wmma1250("wmma.f32.16x16x128.fp8.bf8", 128, FP8, BF8, F32, Form::WmmaCmod),
    wmma1250("wmma.f32.16x16x128.bf8.fp8", 128, BF8, FP8, F32, Form::WmmaCmod),
    wmma1250("wmma.f32.16x16x128.bf8.bf8", 128, BF8, BF8, F32, Form::WmmaCmod),
    wmma1250("wmma.f16.16x16x128.fp8.fp8", 128, FP8, FP8, F16, Form::WmmaCmod),
    wmma1250("wmma.f16.16x16x128.fp8.bf8", 128, FP8, BF8, F16, Form::WmmaCmod),
    wmma1250("wmma.f16.16x16x128.bf8.fp8", 128, BF8, FP8, F16, Form::WmmaCmod),
    wmma1250("wmma.f16.16x16x128.bf8.bf8", 128, BF8, BF8, F16, Form::WmmaCmod),
    wmma1250("wmma.i32.16x16x64.iu8", 64, I8, I8, I32, Form::WmmaReuse),
    wmma1250("wmma.f32.16x16x128.f8f6f4", 128, Coded, Coded, F32,
             Form::WmmaCoded),
    wmma1250("wmma.scale.f32.16x16x128.f8f6f4", 128, Coded, Coded, F32,
             Form::WmmaScale),
    wmma1250("wmma.scale16.f32.16x16x128.f8f6f4", 128, Coded, Coded, F32,
             Form::WmmaScale),
};

} // namespace

ArrayRef<MatrixInstruction> matrixInstructions() { return kInstructions; }

unsigned bitsOf(Element element) {
  switch (element) {
  case Element::F64:
    return 64;
  case Element::F32:
  case Element::XF32:
  case Element::I32:
    return 32;
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::FP8:
  case Element::BF8:
  case Element::I8:
    return 8;
  case Element::FP6:
  case Element::BF6:
    return 6;
  case Element::FP4:
  case Element::I4:
    return 4;
  case Element::Coded:
    break;
  }
  llvm_unreachable("the width of a coded element is its code's");
}

unsigned operandElements(const MatrixInstruction &instruction, unsigned rows,
                         unsigned lanes) {
  unsigned all = rows * instruction.k * instruction.blocks;
  return instruction.duplicated ? all / rows : all / lanes;
}

OperandPlace operandPlace(const MatrixInstruction &instruction, unsigned rows,
                          unsigned chunk, unsigned lanes, unsigned lane,
                          unsigned element) {
  unsigned row = lane % rows, group = lane / rows;
  if (instruction.duplicated)
    return {0, row, element};
  unsigned block = group % instruction.blocks;
  unsigned kGroup = group / instruction.blocks;
  unsigned kGroups = lanes / rows / instruction.blocks;
  if (chunk == 0)
    chunk = operandElements(instruction, rows, lanes);
  return {block, row,
          element / chunk * chunk * kGroups + kGroup * chunk + element % chunk};
}

unsigned resultElements(const MatrixInstruction &instruction, unsigned lanes) {
  return instruction.m * instruction.n * instruction.blocks / lanes;
}

ResultPlace resultPlace(const MatrixInstruction &instruction, unsigned lanes,
                        unsigned lane, unsigned element) {
  unsigned column = lane % instruction.n, group = lane / instruction.n;
  unsigned groups = lanes / instruction.n, rows = instruction.rows, block = 0;
  if (instruction.m == 4) {
    // More groups of lanes than blocks: lanes say which block.
    block = group % instruction.blocks;
    group /= instruction.blocks;
    groups /= instruction.blocks;
  } else {
    unsigned perBlock = instruction.m * instruction.n / lanes;
    block = element / perBlock;
    element %= perBlock;
  }
  return {block, element / rows * rows * groups + group * rows + element % rows,
          column};
}

/// Operands with formats are chunked by 16 along K if of 8 bits, else by 32.
static unsigned chunkOf(const MatrixInstruction &instruction, Element type,
                        unsigned chunk) {
  if (instruction.a != Element::Coded)
    return chunk;
  return bitsOf(type) == 8 ? 16 : 32;
}

const MatrixPlaces &matrixPlaces(const MatrixInstruction &instruction,
                                 Element typeA, Element typeB, unsigned lanes) {
  using Key = std::tuple<const MatrixInstruction *, Element, Element, unsigned>;
  static std::map<Key, MatrixPlaces> known;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  auto [at, isNew] = known.try_emplace({&instruction, typeA, typeB, lanes});
  MatrixPlaces &places = at->second;
  if (!isNew)
    return places;
  unsigned m = instruction.m, n = instruction.n, depth = instruction.k;
  places.typeA = typeA;
  places.typeB = typeB;
  places.elementsA = operandElements(instruction, m, lanes);
  places.elementsB = operandElements(instruction, n, lanes);
  places.elementsD = resultElements(instruction, lanes);
  unsigned chunkA = chunkOf(instruction, typeA, instruction.chunkA);
  unsigned chunkB = chunkOf(instruction, typeB, instruction.chunkB);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (unsigned e = 0; e < places.elementsA; ++e) {
      auto [block, row, k] =
          operandPlace(instruction, m, chunkA, lanes, lane, e);
      places.a.push_back((block * m + row) * depth + k);
    }
    for (unsigned e = 0; e < places.elementsB; ++e) {
      auto [block, column, k] =
          operandPlace(instruction, n, chunkB, lanes, lane, e);
      places.b.push_back((block * depth + k) * n + column);
    }
    for (unsigned e = 0; e < places.elementsD; ++e) {
      auto [block, row, column] = resultPlace(instruction, lanes, lane, e);
      places.d.push_back((block * m + row) * n + column);
    }
  }
  return places;
}

const MatrixInstruction *findMatrixInstruction(StringRef name, Gfx gfx) {
  for (const MatrixInstruction &instruction : kInstructions)
    if (name == instruction.name && (instruction.gfx & gfx))
      return &instruction;
  return nullptr;
}

/// The formats that constant operands say.
static Error readFormats(const MatrixInstruction &instruction,
                         const CallBase &call, unsigned lanes, Element &typeA,
                         Element &typeB) {
  bool mfma = instruction.form == Form::MfmaScale;
  const unsigned formats[] = {mfma ? 3u : 0u, mfma ? 4u : 2u};
  const unsigned operands[] = {mfma ? 0u : 1u, mfma ? 1u : 3u};
  unsigned elements = operandElements(instruction, instruction.m, lanes);
  constexpr Element kFormats[] = {Element::FP8, Element::BF8, Element::FP6,
                                  Element::BF6, Element::FP4};
  const DataLayout &layout = call.getDataLayout();
  for (unsigned i : {0, 1}) {
    auto *format = dyn_cast<ConstantInt>(call.getArgOperand(formats[i]));
    if (!format || format->uge(std::size(kFormats)))
      return createStringError(
          "emulator: " + call.getCalledFunction()->getName() +
          ": formats are the constants 0 to 4: fp8, bf8, "
          "fp6, bf6, fp4");
    Element type = kFormats[format->getZExtValue()];
    if (layout.getTypeSizeInBits(call.getArgOperand(operands[i])->getType()) <
        elements * bitsOf(type))
      return createStringError(
          "emulator: " + call.getCalledFunction()->getName() +
          ": an operand has too few registers for its "
          "format");
    (i ? typeB : typeA) = type;
  }
  return Error::success();
}

Expected<Operation> findMatrixOperation(StringRef name, const CallBase &call,
                                        const Target &target) {
  const MatrixInstruction *found = findMatrixInstruction(name, target.gfx);
  StringRef full = call.getCalledFunction()->getName();
  if (!found)
    return createStringError("emulator: " + full + " is no instruction of " +
                             target.name);
  // Operands of another size are another wave size's.
  unsigned lanes = target.waveSize;
  const DataLayout &layout = call.getDataLayout();
  uint64_t bytes = resultElements(*found, lanes) * bitsOf(found->d) / 8;
  if (found->form == Form::WmmaHalf)
    bytes *= 2;
  uint64_t has = layout.getTypeStoreSize(call.getType());
  if (bytes != has)
    return createStringError(
        formatv("emulator: {0}: its result has {1} bytes for each of {2} "
                "lanes, not {3}",
                full, bytes, lanes, has));
  Operation operation;
  operation.kind = OperationKind::Matrix;
  operation.wave = runMatrixInstruction;
  operation.matrix = found;
  Element typeA = found->a, typeB = found->b;
  if (found->a == Element::Coded)
    if (Error failure = readFormats(*found, call, lanes, typeA, typeB))
      return failure;
  if (found->form == Form::MfmaScale) {
    // Scales that are the constant 0 select the instruction without scales.
    auto isZero = [&](unsigned i) {
      auto *constant = dyn_cast<ConstantInt>(call.getArgOperand(i));
      return constant && constant->isZero();
    };
    operation.variant = isZero(6) && isZero(8);
  }
  operation.places = &matrixPlaces(*found, typeA, typeB, lanes);
  return operation;
}

} // namespace tilewright::emulator
