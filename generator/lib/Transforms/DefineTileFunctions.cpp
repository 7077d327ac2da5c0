// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-define-tile-functions: a tile function's declaration -> what its name
// specifies, in linalg. Passes.td describes the result.

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Emit/Emission.h"
#include "tilewright/Transforms/Passes.h"
#include "tilewright/Transforms/TileFunctions.h"
#include "tilewright/tile.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_DEFINETILEFUNCTIONS
#include "tilewright/Transforms/Passes.h.inc"

namespace {

/// One side of the product.
struct Panel {
  tw_element_type_t type;
  /// Elements of one K step's row: K0.
  int k0;
  /// 1xKx(rows)xK0 of storage elements. For a type narrower than a byte only
  /// the shape counts: all strides are zero.
  Value view;
  /// For a type narrower than a byte: Kx(bytes of one step), the dense
  /// little-endian bit stream.
  Value bytes;

  bool subByte() const { return info(type).bits < 8; }
};

/// Builds the body of one tile function.
class BodyBuilder {
public:
  BodyBuilder(func::FuncOp func, const TileKey &key)
      : func(func), key(key), types(info(key.types)),
        b(func.getLoc(), func.getContext()),
        accType(arithmeticType(func.getContext(), types.accumulator)) {}

  void build();

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  }
  Value loadParam(int64_t word) {
    return memref::LoadOp::create(b, func.getArgument(3), index(word));
  }
  Value testFlag(Value flagsWord, int64_t flag);

  /// M0 or N0: a constant, or, where it is scalable, what it is at run time.
  OpFoldResult rowCount(int size, bool scalable);
  OpFoldResult times(OpFoldResult x, int64_t factor);
  Value value(OpFoldResult x) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), x);
  }
  Panel viewPanel(Value pointer, tw_element_type_t type, OpFoldResult rows);
  Value viewOut(Value flagsWord);
  Panel sliceStep(const Panel &panel, Value step);

  /// Whether linalg.mmt4d's own casts (alike for both sides, signed, to the
  /// accumulator's type) mean what the key means.
  bool mmt4dCanSay() const;
  /// acc += lhs * rhs over all K steps of the panels.
  void accumulate(const Panel &lhs, const Panel &rhs, Value acc);
  /// The element of `panel` at the current iteration of accumulate's generic,
  /// whose dimension `rowDim` runs over the panel's rows.
  Value loadSubByte(const Panel &panel, int64_t rowDim);
  Value toAccumulator(Value element, tw_element_type_t type);

  /// to[m][n] = body(from[m][n]).
  void elementwise(Value from, Value to,
                   function_ref<Value(OpBuilder &, Location, Value)> body);
  void widen(Value out, Value acc);
  void roundInPlace(Value acc);
  void narrow(Value acc, Value out);

  void buildInPlace(Value out, Value isAccumulate, const Panel &lhs,
                    const Panel &rhs);
  void buildNarrow(Value out, Value isAccumulate, const Panel &lhs,
                   const Panel &rhs);

  func::FuncOp func;
  const TileKey &key;
  const TypeTripleInfo &types;
  ImplicitLocOpBuilder b;
  Type accType;
  Value K;
  OpFoldResult M0, N0;
  Value lengthFactor; ///< vector length / least one, once it has been read
};

OpFoldResult BodyBuilder::times(OpFoldResult x, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(x))
    return b.getIndexAttr(*constant * factor);
  return OpFoldResult(arith::MulIOp::create(b, value(x), index(factor)));
}

OpFoldResult BodyBuilder::rowCount(int size, bool scalable) {
  if (!scalable)
    return b.getIndexAttr(size);
  const IsaInfo &isa = info(key.isa);
  if (!lengthFactor)
    lengthFactor = arith::IndexCastOp::create(
        b, b.getIndexType(),
        emissionOf(isa).vectorLengthFactor(b, b.getLoc(), info(isa.scaling)));
  return times(lengthFactor,
               size * (isa.vectorBits / info(types.accumulator).bits));
}

Value BodyBuilder::testFlag(Value flagsWord, int64_t flag) {
  Type i64 = b.getI64Type();
  Value bit = arith::AndIOp::create(b, flagsWord,
                                    constant(i64, flag << params::kFlagsShift));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit,
                               constant(i64, 0));
}

static SmallVector<int64_t> staticOf(ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> result;
  for (OpFoldResult size : sizes)
    result.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return result;
}

Panel BodyBuilder::viewPanel(Value pointer, tw_element_type_t type,
                             OpFoldResult rows) {
  Panel panel{type, key.k0, {}, {}};
  Type storage = storageType(b.getContext(), type);
  OpFoldResult one = b.getIndexAttr(1), row = b.getIndexAttr(key.k0);
  SmallVector<OpFoldResult> sizes = {one, K, rows, row};
  OpFoldResult step = times(rows, key.k0);
  SmallVector<OpFoldResult> strides = {step, step, row, one};
  if (panel.subByte()) {
    OpFoldResult stepBytes = times(rows, int64_t{key.k0} * info(type).bits);
    if (std::optional<int64_t> bits = getConstantIntValue(stepBytes))
      stepBytes = b.getIndexAttr(*bits / 8);
    else
      stepBytes =
          OpFoldResult(arith::DivUIOp::create(b, value(stepBytes), index(8)));
    SmallVector<OpFoldResult> shape = {K, stepBytes};
    panel.bytes = memref::ReinterpretCastOp::create(
        b, MemRefType::get(staticOf(shape), storage), pointer,
        b.getIndexAttr(0), shape, ArrayRef<OpFoldResult>{stepBytes, one});
    strides.assign(4, b.getIndexAttr(0));
  }
  auto layout = StridedLayoutAttr::get(b.getContext(), 0, staticOf(strides));
  panel.view = memref::ReinterpretCastOp::create(
      b, MemRefType::get(staticOf(sizes), storage, layout), pointer,
      b.getIndexAttr(0), sizes, strides);
  return panel;
}

Value BodyBuilder::viewOut(Value flagsWord) {
  // The field after cpu_data exists only under the flag: read it nowhere else.
  Value strided = testFlag(flagsWord, TW_MMT4D_FLAG_OUT_ROW_STRIDE);
  auto ifOp = scf::IfOp::create(
      b, strided,
      [&](OpBuilder &builder, Location loc) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value stride = arith::IndexCastOp::create(
            b, b.getIndexType(), loadParam(params::kOutRowStrideWord));
        scf::YieldOp::create(b, stride);
      },
      [&](OpBuilder &builder, Location loc) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        scf::YieldOp::create(b, value(N0));
      });
  Value rowStride = ifOp.getResult(0);
  int64_t any = ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(b.getContext(), 0, {any, any, any, 1});
  SmallVector<OpFoldResult> sizes = {b.getIndexAttr(1), b.getIndexAttr(1), M0,
                                     N0};
  auto type = MemRefType::get(staticOf(sizes),
                              storageType(b.getContext(), types.out), layout);
  return memref::ReinterpretCastOp::create(
      b, type, func.getArgument(0), b.getIndexAttr(0), sizes,
      ArrayRef<OpFoldResult>{rowStride, rowStride, rowStride,
                             b.getIndexAttr(1)});
}

Panel BodyBuilder::sliceStep(const Panel &panel, Value step) {
  Panel slice = panel;
  auto stepOf = [&](Value source) -> Value {
    ArrayRef<int64_t> shape = cast<MemRefType>(source.getType()).getShape();
    size_t stepDim = shape.size() == 4 ? 1 : 0;
    SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> sizes =
        memref::getMixedSizes(b, b.getLoc(), source);
    SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
    offsets[stepDim] = step;
    sizes[stepDim] = b.getIndexAttr(1);
    return memref::SubViewOp::create(b, source, offsets, sizes, strides);
  };
  slice.view = stepOf(panel.view);
  if (panel.bytes)
    slice.bytes = stepOf(panel.bytes);
  return slice;
}

bool BodyBuilder::mmt4dCanSay() const {
  for (tw_element_type_t type : {types.lhs, types.rhs}) {
    const ElementTypeInfo &element = info(type);
    if (element.kind == TW_ELEMENT_KIND_UNSIGNED || element.bits < 8 ||
        (element.kind == TW_ELEMENT_KIND_FLOAT && element.bits < 16))
      return false;
  }
  return true;
}

Value BodyBuilder::loadSubByte(const Panel &panel, int64_t rowDim) {
  int64_t bits = info(panel.type).bits;
  Value step = linalg::IndexOp::create(b, 2);
  Value row = linalg::IndexOp::create(b, rowDim);
  Value k0 = linalg::IndexOp::create(b, 5);
  Value element = arith::AddIOp::create(
      b, arith::MulIOp::create(b, row, index(panel.k0)), k0);
  Value firstBit = arith::MulIOp::create(b, element, index(bits));
  auto loadByteOf = [&](Value bit) -> Value {
    Value byte = arith::DivUIOp::create(b, bit, index(8));
    Value loaded =
        memref::LoadOp::create(b, panel.bytes, ValueRange{step, byte});
    return arith::ExtUIOp::create(b, b.getI16Type(), loaded);
  };
  // An element lies in the byte of its first bit and in that of its last one,
  // mostly the same; both belong to the panel.
  Value low = loadByteOf(firstBit);
  Value high = loadByteOf(arith::AddIOp::create(b, firstBit, index(bits - 1)));
  Type i16 = b.getI16Type();
  Value both = arith::OrIOp::create(
      b, low, arith::ShLIOp::create(b, high, constant(i16, 8)));
  Value shift = arith::IndexCastOp::create(
      b, i16, arith::RemUIOp::create(b, firstBit, index(8)));
  return arith::TruncIOp::create(b, b.getIntegerType(bits),
                                 arith::ShRUIOp::create(b, both, shift));
}

Value BodyBuilder::toAccumulator(Value element, tw_element_type_t type) {
  const ElementTypeInfo &element_ = info(type);
  Type arithmetic = arithmeticType(b.getContext(), type);
  if (element.getType() != arithmetic)
    element = arith::BitcastOp::create(b, arithmetic, element);
  if (element.getType() == accType)
    return element;
  switch (element_.kind) {
  case TW_ELEMENT_KIND_FLOAT:
    return arith::ExtFOp::create(b, accType, element);
  case TW_ELEMENT_KIND_SIGNED:
    return arith::ExtSIOp::create(b, accType, element);
  case TW_ELEMENT_KIND_UNSIGNED:
    return arith::ExtUIOp::create(b, accType, element);
  }
  llvm_unreachable("all kinds are covered");
}

void BodyBuilder::accumulate(const Panel &lhs, const Panel &rhs, Value acc) {
  if (mmt4dCanSay()) {
    linalg::Mmt4DOp::create(b, ValueRange{lhs.view, rhs.view}, acc);
    return;
  }
  // mmt4d's iteration space: M, N, K, M0, N0, K0, of which M = N = 1.
  enum { M, N, Step, M0, N0, K0, Rank };
  auto mapOf = [&](ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(Rank, dims, b.getContext());
  };
  SmallVector<AffineMap> maps = {mapOf({M, Step, M0, K0}),
                                 mapOf({N, Step, N0, K0}),
                                 mapOf({M, N, M0, N0})};
  auto parallel = utils::IteratorType::parallel;
  auto reduction = utils::IteratorType::reduction;
  SmallVector<utils::IteratorType> iterators = {parallel, parallel, reduction,
                                                parallel, parallel, reduction};
  linalg::GenericOp::create(
      b, ValueRange{lhs.view, rhs.view}, acc, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value l = lhs.subByte() ? loadSubByte(lhs, M0) : args[0];
        Value r = rhs.subByte() ? loadSubByte(rhs, N0) : args[1];
        l = toAccumulator(l, lhs.type);
        r = toAccumulator(r, rhs.type);
        Value sum;
        if (isa<FloatType>(accType))
          sum =
              arith::AddFOp::create(b, args[2], arith::MulFOp::create(b, l, r));
        else
          sum =
              arith::AddIOp::create(b, args[2], arith::MulIOp::create(b, l, r));
        linalg::YieldOp::create(b, sum);
      });
}

void BodyBuilder::elementwise(
    Value from, Value to,
    function_ref<Value(OpBuilder &, Location, Value)> body) {
  AffineMap identity = b.getMultiDimIdentityMap(4);
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, from, to, ArrayRef<AffineMap>{identity, identity}, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        linalg::YieldOp::create(builder, loc, body(builder, loc, args[0]));
      });
}

void BodyBuilder::widen(Value out, Value acc) {
  elementwise(out, acc, [&](OpBuilder &builder, Location loc, Value x) {
    return arith::ExtFOp::create(builder, loc, accType, x);
  });
}

void BodyBuilder::roundInPlace(Value acc) {
  Type outType = storageType(b.getContext(), types.out);
  elementwise(acc, acc, [&](OpBuilder &builder, Location loc, Value x) {
    Value rounded = arith::TruncFOp::create(builder, loc, outType, x);
    return arith::ExtFOp::create(builder, loc, accType, rounded);
  });
}

void BodyBuilder::narrow(Value acc, Value out) {
  Type outType = storageType(b.getContext(), types.out);
  elementwise(acc, out, [&](OpBuilder &builder, Location loc, Value x) {
    return arith::TruncFOp::create(builder, loc, outType, x);
  });
}

/// The out tile is its own accumulator.
void BodyBuilder::buildInPlace(Value out, Value isAccumulate, const Panel &lhs,
                               const Panel &rhs) {
  auto ifOp = scf::IfOp::create(b, isAccumulate, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.elseBlock());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accType));
    linalg::FillOp::create(b, zero, out);
  }
  accumulate(lhs, rhs, out);
}

/// A temporary tile of accumulators, rounded to the out tile.
void BodyBuilder::buildNarrow(Value out, Value isAccumulate, const Panel &lhs,
                              const Panel &rhs) {
  OpFoldResult one = b.getIndexAttr(1);
  Value acc = memref::AllocaOp::create(
      b, SmallVector<OpFoldResult>{one, one, M0, N0}, accType);
  // With ACCUMULATE and K = 0 not even the same value is written back: a
  // conversion there and back does not keep the bits of every NaN.
  Value hasSteps =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, K, index(0));
  Value isOverwrite =
      arith::XOrIOp::create(b, isAccumulate, constant(b.getI1Type(), 1));
  auto writes =
      scf::IfOp::create(b, arith::OrIOp::create(b, hasSteps, isOverwrite));
  b.setInsertionPointToStart(writes.thenBlock());

  auto ifOp = scf::IfOp::create(b, isAccumulate, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    widen(out, acc);
    b.setInsertionPointToStart(ifOp.elseBlock());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accType));
    linalg::FillOp::create(b, zero, acc);
  }
  if (key.rounding == Rounding::kOnce) {
    accumulate(lhs, rhs, acc);
  } else {
    auto loop = scf::ForOp::create(b, index(0), K, index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    accumulate(sliceStep(lhs, step), sliceStep(rhs, step), acc);
    roundInPlace(acc);
  }
  narrow(acc, out);
}

void BodyBuilder::build() {
  Block *entry = func.addEntryBlock();
  func.setPublic();
  // The out tile may not overlap the panels, and nothing keeps a pointer.
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                    b.getUnitAttr());
  b.setInsertionPointToStart(entry);
  K = arith::IndexCastOp::create(b, b.getIndexType(),
                                 loadParam(params::kKWord));
  Value flagsWord = loadParam(params::kFlagsWord);
  Value isAccumulate = testFlag(flagsWord, TW_MMT4D_FLAG_ACCUMULATE);
  M0 = rowCount(key.m0, key.m0Scalable);
  N0 = rowCount(key.n0, key.n0Scalable);
  Panel lhs = viewPanel(func.getArgument(1), types.lhs, M0);
  Panel rhs = viewPanel(func.getArgument(2), types.rhs, N0);
  Value out = viewOut(flagsWord);
  if (types.out == types.accumulator)
    buildInPlace(out, isAccumulate, lhs, rhs);
  else
    buildNarrow(out, isAccumulate, lhs, rhs);
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b);
}

struct DefineTileFunctionsPass
    : impl::DefineTileFunctionsBase<DefineTileFunctionsPass> {
  using DefineTileFunctionsBase::DefineTileFunctionsBase;

  void runOnOperation() override {
    bool failed = false;
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      if (!func.isDeclaration())
        continue;
      FailureOr<tw::TileAttr> tile = tileOf(func, prefix);
      if (mlir::failed(tile)) {
        failed = true;
        continue;
      }
      if (!*tile)
        continue;
      const TileKey key = tile->getKey();
      if (key.vnni) {
        func.emitError() << "tile function " << func.getName()
                         << " is of the variant 'vnni', which is not defined "
                            "in linalg; expected a name without it";
        failed = true;
        continue;
      }
      FunctionType expected = tileFunctionType(&getContext(), key);
      if (func.getFunctionType() != expected) {
        func.emitError() << "tile function " << func.getName()
                         << " is declared with the type "
                         << func.getFunctionType() << ", but must have "
                         << expected;
        failed = true;
        continue;
      }
      BodyBuilder(func, key).build();
    }
    if (failed)
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
