// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of linalg operations as kernels, one work-item per element.

#include "ElementKernels.h"

#include "../OperationKind.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {
namespace {

class KernelBuilder {
public:
  KernelBuilder(linalg::LinalgOp op, ModuleOp kernels)
      : op(op), b(op.getLoc(), op.getContext()) {
    collect();
    b.setInsertionPointToEnd(kernels.getBody());
  }

  FailureOr<func::FuncOp> build() {
    SmallVector<Type> types;
    for (Value buffer : buffers) {
      Type element = cast<MemRefType>(buffer.getType()).getElementType();
      types.push_back(MemRefType::get({1}, element, MemRefLayoutAttrInterface(),
                                      memorySpace()));
    }
    int64_t words = scalars.size() + 1;
    for (Value buffer : buffers)
      words += cast<MemRefType>(buffer.getType()).getRank();
    types.append(words, b.getI64Type());
    func = func::FuncOp::create(b, "kernel", b.getFunctionType(types, {}));
    for (size_t i = 0; i < buffers.size(); ++i)
      func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
    b.setInsertionPointToStart(func.addEntryBlock());

    IRMapping mapping;
    mapArguments(mapping);
    Operation *body = b.clone(*op, mapping);
    auto linalgOp = cast<linalg::LinalgOp>(body);
    b.setInsertionPointAfter(body);
    LogicalResult loops = buildLoops(linalgOp);
    body->erase();
    b.setInsertionPointToEnd(&func.getBody().front());
    func::ReturnOp::create(b);
    if (failed(loops))
      return failure();
    return func;
  }

  SmallVector<Value> buffers, scalars;

private:
  Attribute memorySpace() { return b.getI64IntegerAttr(kDeviceMemorySpace); }

  /// What the operation uses: buffers, scalars, and constants of its body.
  void collect() {
    llvm::SetVector<Value> operands, captured;
    for (Value operand : op->getOperands())
      operands.insert(operand);
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    auto add = [&](Value value) {
      SmallVector<Value> &list =
          isa<MemRefType>(value.getType()) ? buffers : scalars;
      if (!llvm::is_contained(list, value))
        list.push_back(value);
    };
    for (Value operand : operands)
      add(operand);
    for (Value value : captured) {
      if (matchPattern(value, m_Constant()))
        constants.push_back(value.getDefiningOp());
      else
        add(value);
    }
  }

  Value index(Value word) {
    return arith::IndexCastOp::create(b, b.getIndexType(), word);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  void mapArguments(IRMapping &mapping) {
    for (Operation *constant : constants)
      b.clone(*constant, mapping);
    unsigned word = buffers.size();
    for (auto [number, buffer] : llvm::enumerate(buffers)) {
      auto type = cast<MemRefType>(buffer.getType());
      SmallVector<OpFoldResult> sizes, strides(type.getRank());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        sizes.push_back(index(func.getArgument(word++)));
      OpFoldResult stride = b.getIndexAttr(1);
      for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
        strides[dim] = stride;
        Value extent = cast<Value>(sizes[dim]);
        stride = isa<Attribute>(stride)
                     ? extent
                     : arith::MulIOp::create(b, cast<Value>(stride), extent)
                           .getResult();
      }
      SmallVector<int64_t> shape(type.getRank(), ShapedType::kDynamic);
      auto dynamic =
          MemRefType::get(shape, type.getElementType(),
                          MemRefLayoutAttrInterface(), memorySpace());
      mapping.map(buffer, memref::ReinterpretCastOp::create(
                              b, dynamic, func.getArgument(number),
                              b.getIndexAttr(0), sizes, strides)
                              .getResult());
    }
    for (Value scalar : scalars)
      mapping.map(scalar, fromWord(func.getArgument(word++), scalar.getType()));
    stepWord = func.getArgument(word);
  }

  Value fromWord(Value word, Type type) {
    if (type.isIndex())
      return index(word);
    unsigned bits = type.getIntOrFloatBitWidth();
    Value value = word;
    if (bits < 64)
      value = arith::TruncIOp::create(b, b.getIntegerType(bits), word);
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(b, type, value);
    return value;
  }

  /// The number of this work-item in the grid.
  Value workItem() {
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    Value group = ROCDL::BlockIdXOp::create(b, i32);
    Value lane = ROCDL::ThreadIdXOp::create(b, i32);
    Value first =
        arith::MulIOp::create(b, index(arith::ExtUIOp::create(b, i64, group)),
                              constant(kElementBlock));
    return arith::AddIOp::create(b, first,
                                 index(arith::ExtUIOp::create(b, i64, lane)));
  }

  LogicalResult buildLoops(linalg::LinalgOp body) {
    SmallVector<Value> extents;
    for (const Range &range : body.createLoopRanges(b, b.getLoc()))
      extents.push_back(
          getValueOrCreateConstantIndexOp(b, b.getLoc(), range.size));
    SmallVector<unsigned> parallel, reductions;
    body.getParallelDims(parallel);
    body.getReductionDims(reductions);

    Value total = constant(1);
    for (unsigned loop : parallel)
      total = arith::MulIOp::create(b, total, extents[loop]);
    auto items = scf::ForOp::create(b, workItem(), total, index(stepWord));
    b.setInsertionPointToStart(items.getBody());
    SmallVector<Value> ivs(extents.size());
    Value rest = items.getInductionVar();
    for (unsigned loop : llvm::reverse(
             ArrayRef(parallel).drop_front(parallel.empty() ? 0 : 1))) {
      ivs[loop] = arith::RemUIOp::create(b, rest, extents[loop]);
      rest = arith::DivUIOp::create(b, rest, extents[loop]);
    }
    if (!parallel.empty())
      ivs[parallel.front()] = rest;
    for (unsigned loop : reductions) {
      auto forOp =
          scf::ForOp::create(b, constant(0), extents[loop], constant(1));
      ivs[loop] = forOp.getInductionVar();
      b.setInsertionPointToStart(forOp.getBody());
    }
    return cast<TilingInterface>(body.getOperation())
        .generateScalarImplementation(b, b.getLoc(), ivs);
  }

  linalg::LinalgOp op;
  ImplicitLocOpBuilder b;
  func::FuncOp func;
  SmallVector<Operation *> constants;
  Value stepWord;
};

} // namespace

FailureOr<ElementKernel> ElementKernels::get(linalg::LinalgOp op) {
  KernelBuilder builder(op, kernels);
  FailureOr<func::FuncOp> func = builder.build();
  if (failed(func))
    return op.emitOpError("cannot be made into a kernel");
  std::string kind = kindOf(op), text;
  llvm::raw_string_ostream os(text);
  os << kind << '\n';
  (*func)->print(os, OpPrintingFlags().useLocalScope());
  std::string &name = names[text];
  if (name.empty()) {
    name = kind + "_" + std::to_string(counts[kind]++);
    func->setName(name);
  } else {
    func->erase();
  }
  return ElementKernel{name, builder.buffers, builder.scalars};
}

} // namespace tilewright
