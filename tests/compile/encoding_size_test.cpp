// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random encodings, on each device: tw.encoding_size, of static and of dynamic
// sizes, is what tw_pack writes of the tensor, counted by tw_packed_size.

#include <gtest/gtest.h>

#include <algorithm>

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tests/common/seed.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Devices/Devices.h"
#include "tilewright/Encoding/Device.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/tilewright.h"

namespace tilewright {
namespace {

using testing::Random;

constexpr const char* kDevices[] = {
    "generic",       "x86_64_avx2_fma",    "x86_64_avx512_vnni",
    "x86_64:znver5", "arm_64:neoverse-n1", "arm_64:neoverse-v1",
    "amdgpu:gfx942", "amdgpu:gfx1100",     "none",
};
constexpr const char* kTypes[] = {"f32f32f32", "f64f64f64",   "s8s8s32",
                                  "u8s8s32",   "f16f16f32",   "bf16bf16f32",
                                  "s16s16s32", "bf16bf16bf16"};
constexpr int kCases = 10000;

mlir::Type typeOf(tw_element_type_t element, mlir::MLIRContext* context) {
  mlir::Builder b(context);
  llvm::StringRef name(info(element).name);
  if (name == "f64") return b.getF64Type();
  if (name == "f32") return b.getF32Type();
  if (name == "f16") return b.getF16Type();
  if (name == "bf16") return b.getBF16Type();
  return b.getIntegerType(static_cast<unsigned>(info(element).bits),
                          name.front() == 's');
}

mlir::Type inMemory(mlir::Type type) {
  return type.isInteger() ? mlir::IntegerType::get(type.getContext(),
                                                   type.getIntOrFloatBitWidth())
                          : type;
}

// An encoding of lhs, and the sizes of its loops, known to it or not.
struct Case {
  tw::EncodingAttr encoding;
  const TypeTripleInfo* types;
  llvm::SmallVector<int64_t> sizes;
};

Case randomCase(Random& random, mlir::MLIRContext* context) {
  auto shuffled = [&](llvm::SmallVector<unsigned> loops) {
    for (size_t i = loops.size(); i > 1; --i)
      std::swap(loops[i - 1], loops[random.below(i)]);
    return loops;
  };
  const int64_t kSizes[] = {0, 1, 2, 3, 5, 7, 13, 16, 31, 48, 64, 97, 129};
  llvm::SmallVector<unsigned> kinds[4];  // batch, m, n, k
  unsigned loops = 0;
  for (auto& kind : kinds)
    for (uint64_t count = random.below(2) + (&kind != kinds); count > 0;
         --count)
      kind.push_back(loops++);
  Case c;
  llvm::SmallVector<int64_t> known;
  for (unsigned loop = 0; loop < loops; ++loop) {
    c.sizes.push_back(kSizes[random.below(std::size(kSizes))]);
    known.push_back(random.chance(0.4) ? mlir::ShapedType::kDynamic
                                       : c.sizes.back());
  }
  llvm::SmallVector<mlir::AffineMap> maps;
  for (auto [rows, columns] :
       {std::pair(1, 3), std::pair(2, 3), std::pair(1, 2)}) {
    llvm::SmallVector<unsigned> indices = kinds[0];
    indices.append(kinds[rows]);
    indices.append(kinds[columns]);
    llvm::SmallVector<mlir::AffineExpr> results;
    for (unsigned loop : shuffled(indices))
      results.push_back(mlir::getAffineDimExpr(loop, context));
    maps.push_back(mlir::AffineMap::get(loops, 0, results, context));
  }
  c.types = findTypeTriple(kTypes[random.below(std::size(kTypes))]);
  c.encoding = tw::EncodingAttr::get(
      context, tw::Operand::Lhs,
      {typeOf(c.types->lhs, context), typeOf(c.types->rhs, context),
       typeOf(c.types->out, context)},
      maps, known, /*any_m=*/random.chance(0.2));
  return c;
}

// What packing writes, by the library; by definition what it has no tiles for.
int64_t packedBytes(tw::LayoutAttr layout, llvm::ArrayRef<int64_t> shape,
                    tw_element_type_t element) {
  int64_t bytes = info(element).bits / 8;
  llvm::SmallVector<int64_t> outside(shape);
  if (layout.isIdentity()) {
    for (int64_t size : outside) bytes *= size;
    return bytes;
  }
  int64_t rows = layout.getInner()[0], columns = layout.getInner()[1];
  tw_pack_params_t params = {};
  params.type = element;
  params.rows = shape[rows];
  params.cols = shape[columns];
  params.matrix_stride = shape[columns];
  params.tile_rows = static_cast<int32_t>(layout.getTiles()[0]);
  params.tile_cols = static_cast<int32_t>(layout.getTiles()[1]);
  tw_index_t matrix = -1;
  EXPECT_EQ(tw_packed_size(&params, &matrix), TW_STATUS_OK);
  outside[rows] = outside[columns] = 1;
  for (int64_t size : outside) matrix *= size;
  return matrix;
}

class EncodingSizeTest : public ::testing::Test {
 protected:
  EncodingSizeTest()
      : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    for (const char* name : kDevices) {
      auto device = findDevice(name, kDefaultPrefix, &context);
      if (mlir::succeeded(device)) devices.push_back(*device);
    }
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                    mlir::func::FuncDialect, tw::TwDialect>();
    registerDevices(registry);
    return registry;
  }

  // tw.encoding_size of `type`, whose dynamic sizes are those of `shape`: by
  // the operation's folder, or by the arithmetic that materializing makes.
  int64_t sizeOf(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape,
                 bool folds) {
    mlir::OpBuilder b(&context);
    mlir::Location where = b.getUnknownLoc();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(where);
    b.setInsertionPointToEnd(module->getBody());
    llvm::SmallVector<mlir::Type> arguments(type.getNumDynamicDims(),
                                            b.getIndexType());
    auto func = mlir::func::FuncOp::create(
        b, where, "f", b.getFunctionType(arguments, b.getIndexType()));
    b.setInsertionPointToStart(func.addEntryBlock());
    auto size = tw::EncodingSizeOp::create(b, where, b.getIndexType(), type,
                                           func.getArguments());
    mlir::func::ReturnOp::create(b, where, size.getResult());
    mlir::PassManager pm(&context);
    if (!folds) {
      pm.addNestedPass<mlir::func::FuncOp>(createMaterializeEncodings());
      if (mlir::failed(pm.run(*module))) return -1;
      EXPECT_TRUE(func.getOps<tw::EncodingSizeOp>().empty());
    }
    b.setInsertionPointToStart(&func.front());
    for (auto [argument, dim] : llvm::enumerate(dynamicDims(type)))
      func.getArgument(static_cast<unsigned>(argument))
          .replaceAllUsesWith(
              mlir::arith::ConstantIndexOp::create(b, where, shape[dim]));
    mlir::PassManager fold(&context);
    fold.addPass(mlir::createCanonicalizerPass());
    if (mlir::failed(fold.run(*module))) return -1;
    llvm::APInt bytes;
    mlir::Value result = func.front().getTerminator()->getOperand(0);
    return mlir::matchPattern(result, mlir::m_ConstantInt(&bytes))
               ? bytes.getSExtValue()
               : -1;
  }

  static llvm::SmallVector<unsigned> dynamicDims(mlir::RankedTensorType type) {
    llvm::SmallVector<unsigned> dims;
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim)) dims.push_back(dim);
    return dims;
  }

  mlir::MLIRContext context;
  std::vector<std::shared_ptr<const Device>> devices;
};

TEST_F(EncodingSizeTest, IsWhatPackWrites) {
  ASSERT_EQ(devices.size(), std::size(kDevices));
  uint64_t seed = testing::seedOf("EncodingSizeTest");
  Random random(seed);
  int64_t empty = 0, dynamic = 0, padded = 0;
  for (int i = 0; i < kCases; ++i) {
    Case c = randomCase(random, &context);
    const Device& device = *devices[random.below(devices.size())];
    auto operand = static_cast<tw::Operand>(random.below(3));
    tw::EncodingAttr encoding = c.encoding.withOperand(operand);
    tw::LayoutAttr layout = device.layoutOf(encoding);
    llvm::SmallVector<int64_t> shape, type;
    for (mlir::AffineExpr result : encoding.getMap().getResults()) {
      unsigned loop = mlir::cast<mlir::AffineDimExpr>(result).getPosition();
      shape.push_back(c.sizes[loop]);
      // What the encoding knows the type may not, and the other way round.
      type.push_back(random.chance(0.3) ? mlir::ShapedType::kDynamic
                                        : c.sizes[loop]);
    }
    mlir::Type element =
        inMemory(encoding.getElementTypes()[static_cast<unsigned>(operand)]);
    tw_element_type_t elements[] = {c.types->lhs, c.types->rhs, c.types->out};
    int64_t expected =
        packedBytes(layout, shape, elements[static_cast<unsigned>(operand)]);
    auto tensor = mlir::RankedTensorType::get(type, element, layout);
    for (bool folds : {true, false})
      ASSERT_EQ(sizeOf(tensor, shape, folds), expected)
          << i << ", " << device.getName().str() << ", "
          << testing::seedText(seed) << (folds ? ", folded" : ", computed");
    empty += expected == 0;
    dynamic += !tensor.hasStaticShape();
    int64_t plain = info(elements[static_cast<unsigned>(operand)]).bits / 8;
    for (int64_t size : shape) plain *= size;
    padded += expected > plain;
  }
  // Nothing of this is rare.
  EXPECT_GT(empty, kCases / 20);
  EXPECT_GT(dynamic, kCases / 4);
  EXPECT_GT(padded, kCases / 4);
}

}  // namespace
}  // namespace tilewright
