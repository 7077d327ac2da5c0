// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/tiled_before.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/Devices/Devices.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Encoding/Pipelines.h"
#include "tilewright/key.h"

using namespace mlir;

namespace tilewright::testing {
namespace {

Value widened(ImplicitLocOpBuilder& b, Value element, Type to,
              bool isUnsigned) {
  if (element.getType() == to) return element;
  if (isa<FloatType>(to)) return arith::ExtFOp::create(b, to, element);
  if (isUnsigned) return arith::ExtUIOp::create(b, to, element);
  return arith::ExtSIOp::create(b, to, element);
}

// What a tile function computes, by loops.
void toLoops(tw::Mmt4dOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto type = cast<RankedTensorType>(op.getOut().getType());
  Type element = type.getElementType();
  Value out = op.getOut();
  if (op.getOverwrite())
    out =
        linalg::FillOp::create(
            b, arith::ConstantOp::create(b, b.getZeroAttr(element)).getResult(),
            out)
            .getResult(0);
  SmallVector<AffineMap> maps;
  auto outer =
      llvm::to_vector(op.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  unsigned loops = outer[0].getNumDims();
  const unsigned kInner[3][2] = {{0, 2}, {1, 2}, {0, 1}};
  for (auto [map, inner] : llvm::zip_equal(outer, kInner)) {
    SmallVector<AffineExpr> results(map.getResults());
    for (unsigned loop : inner)
      results.push_back(b.getAffineDimExpr(loops + loop));
    maps.push_back(AffineMap::get(loops + 3, 0, results, op.getContext()));
  }
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop < loops + 3; ++loop)
    iterators.push_back(maps[2].isFunctionOfDim(loop)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  const TypeTripleInfo& types = info(op.getKey().types);
  auto isUnsigned = [](tw_element_type_t type) {
    return info(type).name.front() == 'u';
  };
  auto product = linalg::GenericOp::create(
      b, type, ValueRange{op.getLhs(), op.getRhs()}, out, maps, iterators,
      [&](OpBuilder& builder, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder in(loc, builder);
        Value x = widened(in, elements[0], element, isUnsigned(types.lhs)),
              y = widened(in, elements[1], element, isUnsigned(types.rhs));
        Value sum;
        if (isa<FloatType>(element))
          sum = arith::AddFOp::create(in, elements[2],
                                      arith::MulFOp::create(in, x, y));
        else
          sum = arith::AddIOp::create(in, elements[2],
                                      arith::MulIOp::create(in, x, y));
        linalg::YieldOp::create(in, sum);
      });
  op->replaceAllUsesWith(product);
  op->erase();
}

}  // namespace

std::optional<std::string> tiledBefore(std::string_view model,
                                       const std::string& isa,
                                       std::string* error) {
  DialectRegistry registry;
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                  tensor::TensorDialect, tw::TwDialect>();
  registerDevices(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic& diagnostic) {
    if (error->empty()) *error = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(llvm::StringRef(model), &context);
  if (!module) return std::nullopt;
  PassManager pm(&context);
  AssignDevicesOptions assign;
  assign.devices.push_back(isa);
  pm.addPass(createAssignDevices(assign));
  addVerified(pm.nest<func::FuncOp>(), createSetEncodings());
  PropagateEncodingsOptions propagate;
  propagate.always = true;
  pm.addPass(createPropagateEncodings(propagate));
  OpPassManager& funcs = pm.nest<func::FuncOp>();
  addVerified(funcs, createFoldEncodings());
  addSpecializeAndMaterialize(funcs, {});
  if (failed(pm.run(*module))) return std::nullopt;
  SmallVector<tw::Mmt4dOp> products;
  module->walk([&](tw::Mmt4dOp op) { products.push_back(op); });
  for (tw::Mmt4dOp product : products) toLoops(product);
  (*module)->removeAttr(tw::kDevices);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

}  // namespace tilewright::testing
