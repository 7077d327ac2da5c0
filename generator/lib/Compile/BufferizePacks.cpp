// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/Passes.h"

#include "Dispatch/DispatchFunction.h"
#include "Dispatch/Tasks.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace tilewright {
namespace {

/// Inner loops of at most this many iterations are unrolled.
constexpr int64_t kUnrolled = 8;

/// Of tw.work: a load and a store of a few lanes.
constexpr double kWorkOfElement = 0.5;

/// The loops over a matrix (of any rank) and its packed form:
/// packed[outer..., inner...] <-> matrix[outer * tile + inner].
class PackLoops {
public:
  PackLoops(ImplicitLocOpBuilder &b, Value matrix, Value packed,
            ArrayRef<int64_t> outerPerm, ArrayRef<int64_t> innerDims)
      : b(b), matrix(matrix), packed(packed), innerDims(innerDims),
        matrixType(cast<MemRefType>(matrix.getType())),
        packedType(cast<MemRefType>(packed.getType())) {
    for (int64_t i = 0; i < matrixType.getRank(); ++i)
      outerDims.push_back(outerPerm.empty() ? i : outerPerm[i]);
  }

  /// matrix -> packed; `padding`, if there is one, where the matrix has ended.
  void pack(Value padding) { copyTiles(/*toPacked=*/true, padding); }

  /// packed -> matrix.
  void unpack() { copyTiles(/*toPacked=*/false, /*padding=*/nullptr); }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  Value sizeOf(Value buffer, int64_t dim) {
    int64_t extent = cast<MemRefType>(buffer.getType()).getDimSize(dim);
    if (!ShapedType::isDynamic(extent))
      return constant(extent);
    return memref::DimOp::create(b, buffer, dim);
  }

  Value tileSize(size_t inner) {
    return sizeOf(packed, int64_t(outerDims.size() + inner));
  }

  /// None of a tile whose size depends on the length of vectors.
  std::optional<int64_t> knownTileSize(size_t inner) {
    return getConstantIntValue(getAsOpFoldResult(tileSize(inner)));
  }

  Value enterLoop(Value extent) {
    auto loop = scf::ForOp::create(b, constant(0), extent, constant(1));
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  /// Over the packed buffer's outer dimensions, in its order.
  void enterOuterLoops() {
    outerIvs.resize(outerDims.size());
    bool mark = threadsOf(b.getBlock()->getParentOp()) > 1;
    for (size_t i = 0; i < outerDims.size(); ++i) {
      outerIvs[i] = enterLoop(sizeOf(packed, i));
      if (mark)
        markParallel(cast<scf::ForOp>(b.getBlock()->getParentOp()));
    }
    if (!mark || outerDims.empty())
      return;
    int64_t elements = 1;
    SmallVector<Value> unknown;
    for (size_t inner = 0; inner < innerDims.size(); ++inner)
      if (std::optional<int64_t> size = knownTileSize(inner))
        elements *= *size;
      else
        unknown.push_back(tileSize(inner));
    addWork(b, double(elements) * kWorkOfElement, unknown);
  }

  /// Where along matrix dimension `dim` the tile of this iteration starts, in
  /// tiles if the dimension is tiled.
  Value outerIv(int64_t dim) {
    return outerIvs[llvm::find(outerDims, dim) - outerDims.begin()];
  }

  /// How much of the tile lies inside of the matrix, per inner dimension.
  SmallVector<Value> validSizes() {
    SmallVector<Value> result;
    for (auto [inner, dim] : llvm::enumerate(innerDims)) {
      Value tile = tileSize(inner);
      std::optional<int64_t> known = knownTileSize(inner);
      int64_t extent = matrixType.getDimSize(dim);
      if (known && !ShapedType::isDynamic(extent) && extent % *known == 0) {
        result.push_back(tile);
        continue;
      }
      Value start = arith::MulIOp::create(b, outerIv(dim), tile);
      Value left = arith::SubIOp::create(b, sizeOf(matrix, dim), start);
      result.push_back(arith::MinSIOp::create(b, left, tile));
    }
    return result;
  }

  /// Whole tiles have loops of constant extent, which LLVM turns into vectors;
  /// those at the edges have their own.
  void copyTiles(bool toPacked, Value padding) {
    OpBuilder::InsertionGuard guard(b);
    enterOuterLoops();
    SmallVector<Value> whole;
    for (size_t inner = 0; inner < innerDims.size(); ++inner)
      whole.push_back(tileSize(inner));
    SmallVector<Value> valid = validSizes();
    if (Value isWhole = allEqual(valid, whole)) {
      auto check = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
      b.setInsertionPointToStart(check.elseBlock());
      if (padding)
        fillTile(padding);
      copyTile(valid, toPacked);
      b.setInsertionPointToStart(check.thenBlock());
    }
    copyTile(whole, toPacked);
  }

  /// Null if they are the same at compile time.
  Value allEqual(ArrayRef<Value> xs, ArrayRef<Value> ys) {
    Value result;
    for (auto [x, y] : llvm::zip_equal(xs, ys)) {
      if (isEqualConstantIntOrValue(getAsOpFoldResult(x), getAsOpFoldResult(y)))
        continue;
      Value equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
      result =
          result ? arith::AndIOp::create(b, result, equal).getResult() : equal;
    }
    return result;
  }

  void fillTile(Value padding) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> indices = outerIvs;
    for (size_t inner = 0; inner < innerDims.size(); ++inner)
      indices.push_back(enterLoop(tileSize(inner)));
    memref::StoreOp::create(b, padding, packed, indices);
  }

  void copyTile(ArrayRef<Value> sizes, bool toPacked) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> starts;
    for (size_t dim = 0; dim < outerDims.size(); ++dim)
      starts.push_back(outerIv(dim));
    for (auto [inner, dim] : llvm::enumerate(innerDims))
      starts[dim] = arith::MulIOp::create(b, starts[dim], tileSize(inner));
    SmallVector<Value> ivs;
    for (Value size : ArrayRef(sizes).drop_back())
      ivs.push_back(enterLoop(size));
    // K0 is a few elements: said one by one, so that LLVM sees across them.
    std::optional<int64_t> last = getConstantIntValue(sizes.back());
    if (last && *last <= kUnrolled) {
      for (int64_t i = 0; i < *last; ++i) {
        ivs.push_back(constant(i));
        copyElement(starts, ivs, toPacked);
        ivs.pop_back();
      }
      return;
    }
    ivs.push_back(enterLoop(sizes.back()));
    copyElement(starts, ivs, toPacked);
  }

  void copyElement(ArrayRef<Value> starts, ArrayRef<Value> ivs, bool toPacked) {
    SmallVector<Value> packedIndices = outerIvs;
    packedIndices.append(ivs.begin(), ivs.end());
    SmallVector<Value> matrixIndices(starts);
    for (auto [inner, dim] : llvm::enumerate(innerDims))
      matrixIndices[dim] =
          arith::AddIOp::create(b, matrixIndices[dim], ivs[inner]);
    if (toPacked) {
      Value element = memref::LoadOp::create(b, matrix, matrixIndices);
      memref::StoreOp::create(b, element, packed, packedIndices);
    } else {
      Value element = memref::LoadOp::create(b, packed, packedIndices);
      memref::StoreOp::create(b, element, matrix, matrixIndices);
    }
  }

  ImplicitLocOpBuilder &b;
  Value matrix, packed;
  ArrayRef<int64_t> innerDims;
  MemRefType matrixType, packedType;
  SmallVector<int64_t> outerDims; ///< matrix dimension of each outer loop
  SmallVector<Value> outerIvs;
};

/// What both operations share: the source is read and all of the destination is
/// written, whatever it held.
template <typename Model, typename Op>
struct PackModel : DstBufferizableOpInterfaceExternalModel<Model, Op> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *operation, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto op = cast<Op>(operation);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    FailureOr<Value> source =
        getBuffer(rewriter, op.getSource(), options, state);
    FailureOr<Value> dest = getBuffer(rewriter, op.getDest(), options, state);
    if (failed(source) || failed(dest))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Model::emit(b, op, *source, *dest);
    replaceOpWithBufferizedValues(rewriter, op, *dest);
    return success();
  }
};

struct PackOpModel : PackModel<PackOpModel, linalg::PackOp> {
  static void emit(ImplicitLocOpBuilder &b, linalg::PackOp op, Value source,
                   Value dest) {
    PackLoops(b, source, dest, op.getOuterDimsPerm(), op.getInnerDimsPos())
        .pack(op.getPaddingValue());
  }
};

struct UnPackOpModel : PackModel<UnPackOpModel, linalg::UnPackOp> {
  static void emit(ImplicitLocOpBuilder &b, linalg::UnPackOp op, Value source,
                   Value dest) {
    PackLoops(b, dest, source, op.getOuterDimsPerm(), op.getInnerDimsPos())
        .unpack();
  }
};

/// Of what has a form on buffers: the same, on those of its tensors.
template <typename Model, typename Op>
struct OnBuffersModel : DstBufferizableOpInterfaceExternalModel<Model, Op> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<Op>(op).isDpsInit(&operand) ||
           Model::readsInit(cast<Op>(op), operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    SmallVector<Value> operands, inits;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (isa<TensorType>(value.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        value = *buffer;
      }
      operands.push_back(value);
      if (cast<Op>(op).isDpsInit(&operand))
        inits.push_back(value);
    }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    OperationState onBuffers(op->getLoc(), op->getName(), operands, TypeRange(),
                             op->getAttrs());
    onBuffers.propertiesAttr = op->getPropertiesAsAttribute();
    rewriter.create(onBuffers);
    replaceOpWithBufferizedValues(rewriter, op, inits);
    return success();
  }
};

/// Of what a dispatch does by a tile.
template <typename Op>
struct TileOpModel : OnBuffersModel<TileOpModel<Op>, Op> {
  static bool readsInit(Op op, OpOperand &operand) {
    return tilewright::readsInit(op, operand);
  }
};

struct DispatchOpModel : OnBuffersModel<DispatchOpModel, tw::DispatchOp> {
  static bool readsInit(tw::DispatchOp op, OpOperand &operand) {
    return op
        .getAccumulates()[operand.getOperandNumber() - op.getInputs().size()];
  }
};

} // namespace

void registerPackBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    context->loadDialect<arith::ArithDialect, memref::MemRefDialect,
                         scf::SCFDialect>();
    linalg::PackOp::attachInterface<PackOpModel>(*context);
    linalg::UnPackOp::attachInterface<UnPackOpModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, tw::TwDialect *) {
    tw::Mmt4dOp::attachInterface<TileOpModel<tw::Mmt4dOp>>(*context);
    tw::MatmulOp::attachInterface<TileOpModel<tw::MatmulOp>>(*context);
    tw::PackOp::attachInterface<TileOpModel<tw::PackOp>>(*context);
    tw::UnPackOp::attachInterface<TileOpModel<tw::UnPackOp>>(*context);
    tw::DispatchOp::attachInterface<DispatchOpModel>(*context);
  });
}

} // namespace tilewright
