// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of outer products, accumulated in SME's ZA.
//
// To its caller the function is an ordinary one with private ZA: it saves what
// the caller has left in ZA as the ABI's lazy saving scheme asks it to, without
// the ABI's routine for it, which not every C library has.

#include "ScalableTile.h"

using namespace mlir;

namespace tilewright {
namespace {

class SmeTile : ScalableTile {
public:
  SmeTile(Emitter &e, const TileKey &key, const TilePlan &plan, Block &entry)
      : ScalableTile(e, key, plan, entry) {
    switch (shape.lhs.type) {
    case TW_ELEMENT_F32:
      operandType = ScalableVectors::full(e.f32());
      break;
    case TW_ELEMENT_F16:
      operandType = ScalableVectors::full(e.f16());
      break;
    case TW_ELEMENT_BF16:
      operandType = ScalableVectors::full(e.b.getBF16Type());
      break;
    default:
      operandType = ScalableVectors::full(
          e.integer(tilewright::info(shape.lhs.type).bits));
      break;
    }
    instruction = instructionName();
  }

  void emit() {
    unlessIdle(e, params, [&] {
      commitLazySave();
      call("za.enable", {});
      forBlocks([&](Position position, int rows, int vectors) {
        emitBlock(position, rows, vectors);
      });
      call("za.disable", {});
    });
  }

private:
  std::string instructionName() const {
    std::string suffix = "." + ScalableVectors::suffix(operandType);
    bool lhsSigned =
        tilewright::info(shape.lhs.type).kind == TW_ELEMENT_KIND_SIGNED;
    bool rhsSigned =
        tilewright::info(shape.rhs.type).kind == TW_ELEMENT_KIND_SIGNED;
    switch (shape.lhs.type) {
    case TW_ELEMENT_F32:
      return "mopa" + suffix;
    case TW_ELEMENT_F16:
    case TW_ELEMENT_BF16:
      return "mopa.wide" + suffix;
    case TW_ELEMENT_S16:
      return "smopa.za32" + suffix;
    default:
      return (lhsSigned ? (rhsSigned ? "smopa.wide" : "sumopa.wide")
                        : (rhsSigned ? "usmopa.wide" : "umopa.wide")) +
             suffix;
    }
  }

  void call(const llvm::Twine &name, Values operands) {
    LLVM::CallIntrinsicOp::create(
        e.b, e.loc, e.b.getStringAttr("llvm.aarch64.sme." + name), operands);
  }

  void commitLazySave();
  void emitBlock(const Position &position, int rows, int vectors);
  void storeTiles(Value out, int rows, int vectors);

  VectorType operandType;
  std::string instruction;
};

/// If TPIDR2_EL0 points to a block {buffer, number of slices (16 bits), ...},
/// ZA is on and holds a caller's values: stores that many of its rows to the
/// buffer, and sets TPIDR2_EL0 to zero, by which the caller knows.
void SmeTile::commitLazySave() {
  Type i64 = e.integer(64);
  Value block = e.intrinsic("llvm.aarch64.sme.get.tpidr2", i64, {});
  e.ifThen(e.icmp(arith::CmpIPredicate::ne, block, 0), [&] {
    Value pointer = LLVM::IntToPtrOp::create(e.b, e.loc, e.pointer(), block);
    Value buffer = e.load(e.pointer(), pointer, 8);
    Value address = LLVM::PtrToIntOp::create(e.b, e.loc, i64, buffer);
    Value slices = e.zext(e.load(e.integer(16), e.offset(pointer, 8), 2), i64);
    Value rowBytes = e.shl(e.intrinsic("llvm.aarch64.sme.cntsd", i64, {}), 3);
    e.ifThen(e.icmp(arith::CmpIPredicate::ne, address, 0), [&] {
      e.loop(e.i64(0), slices, 1, {buffer}, [&](Value row, Values at) {
        call("str", {e.trunc(row, e.integer(32)), at[0], v.immediate(0)});
        return Values{e.offset(at[0], rowBytes)};
      });
    });
    call("set.tpidr2", {e.i64(0)});
  });
}

/// ZA tile row * vectors + vector holds that part of the block.
void SmeTile::emitBlock(const Position &position, int rows, int vectors) {
  call("zero", {v.immediate(0xff)});
  auto lanes = static_cast<int>(operandType.getNumElements());
  Value all = v.ptrue(lanes);
  Value lhsRows =
      shape.lhs.rows ? nullptr : v.firstLanes(shape.lanes, shape.lhs.size);
  // The vectors from `firstRow` and `firstVector` on.
  auto step = [&](Value lhs, int firstRow, Value rhs, int firstVector) {
    llvm::SmallVector<Values> left, right;
    for (int i = 0; i < rows; ++i)
      left.push_back(
          loadRows(shape.lhs, operandType, lhs, firstRow + i, lhsRows));
    for (int i = 0; i < vectors; ++i)
      right.push_back(loadRows(shape.rhs, operandType, rhs, firstVector + i));
    for (int chunk = 0; chunk < shape.chunks; ++chunk)
      for (int row = 0; row < rows; ++row)
        for (int i = 0; i < vectors; ++i)
          call(instruction, {v.immediate(row * vectors + i), all, all,
                             left[row][chunk], right[i][chunk]});
  };
  kLoop(position, params.k, {}, [&](Position at, int count, Values carries) {
    for (int t = 0; t < count; ++t) {
      if (t != 0 && !at.lhsIsDense)
        at.lhs = nextLhs(at.lhs);
      if (t != 0 && !at.rhsIsDense)
        at.rhs = nextRhs(at.rhs);
      step(at.lhs, at.lhsIsDense ? t * rows : 0, at.rhs,
           at.rhsIsDense ? t * vectors : 0);
    }
    return carries;
  });
  storeTiles(position.out, rows, vectors);
}

void SmeTile::storeTiles(Value out, int rows, int vectors) {
  Value tileRows = shape.lhs.rows ? vectorRows() : e.i64(shape.lhs.size);
  Value all = v.ptrue(shape.lanes);
  Value tileBytes = e.mul(tileRows, params.outRowBytes);
  Values pointers = {out};
  for (int i = 1; i < rows; ++i)
    pointers.push_back(e.offset(pointers.back(), tileBytes));
  e.loop(e.i64(0), tileRows, 1, pointers, [&](Value row, Values at) {
    Value slice = e.trunc(row, e.integer(32));
    for (int tile = 0; tile < rows * vectors; ++tile) {
      Value sums = e.intrinsic(
          "llvm.aarch64.sme.read.horiz." + ScalableVectors::suffix(sumType),
          sumType, {e.poison(sumType), all, v.immediate(tile), slice});
      Value pointer = at[tile / vectors];
      int index = tile % vectors;
      storeSums(e.add(sums, loadOld(pointer, index)), pointer, index);
    }
    Values next;
    for (Value pointer : at)
      next.push_back(e.offset(pointer, params.outRowBytes));
    return next;
  });
}

} // namespace

void emitSmeTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                 Block &entry) {
  SmeTile(e, key, plan, entry).emit();
}

} // namespace tilewright
