// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random encodings, on each device: tw.encoding_size, of static and of dynamic
// sizes, is what tw_pack writes of the tensor, counted by tw_packed_size. Of
// each kind of encoding, layout and device there are some.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "llvm/ADT/StringSwitch.h"
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
    "generic",        "x86_64_avx2_fma",    "x86_64_avx512_vnni",
    "x86_64:znver5",  "arm_64:neoverse-n1", "arm_64:neoverse-v1",
    "arm_64_sve",     "arm_64_sve_i8mm",    "arm_64_sme",
    "amdgpu:gfx90a",  "amdgpu:gfx942",      "amdgpu:gfx950",
    "amdgpu:gfx1100", "amdgpu:gfx1201",     "amdgpu:gfx1250",
    "none",
};
constexpr const char* kTypes[] = {"f32f32f32", "f64f64f64",   "s8s8s32",
                                  "u8s8s32",   "f16f16f32",   "bf16bf16f32",
                                  "s16s16s32", "bf16bf16bf16"};
// Of contractions whose operands have scales, elements of 8, 6 and 4 bits.
constexpr const char* kScaledTypes[] = {
    "f8e4m3fnf8e5m2f32",   "f8e5m2f6e2m3fnf32",   "f6e3m2fnf6e2m3fnf32",
    "f4e2m1fnf4e2m1fnf32", "f6e2m3fnf4e2m1fnf32", "f4e2m1fnf8e4m3fnf32",
};
constexpr int kCases = 10000;
constexpr int64_t kSizes[] = {0, 1, 2, 3, 5, 7, 13, 16, 31, 48, 64, 97, 129};
// The elements that have a scale together.
constexpr int64_t kBlock = 32;

mlir::Type typeOf(tw_element_type_t element, mlir::MLIRContext* context) {
  mlir::Builder b(context);
  llvm::StringRef name(info(element).name);
  mlir::Type type = llvm::StringSwitch<mlir::Type>(name)
                        .Case("f64", b.getF64Type())
                        .Case("f32", b.getF32Type())
                        .Case("f16", b.getF16Type())
                        .Case("bf16", b.getBF16Type())
                        .Case("f8e4m3fn", b.getType<mlir::Float8E4M3FNType>())
                        .Case("f8e5m2", b.getType<mlir::Float8E5M2Type>())
                        .Case("f6e2m3fn", b.getType<mlir::Float6E2M3FNType>())
                        .Case("f6e3m2fn", b.getType<mlir::Float6E3M2FNType>())
                        .Case("f4e2m1fn", b.getType<mlir::Float4E2M1FNType>())
                        .Default(mlir::Type());
  if (type) return type;
  return b.getIntegerType(static_cast<unsigned>(info(element).bits),
                          name.front() == 's');
}

template <typename T>
llvm::SmallVector<T> shuffled(llvm::SmallVector<T> values, Random& random) {
  for (size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[random.below(i)]);
  return values;
}

// An encoding of lhs, and the sizes of its loops, known to it or not.
struct Case {
  tw::EncodingAttr encoding;
  llvm::SmallVector<tw_element_type_t> elements;  // by operand
  llvm::SmallVector<int64_t> sizes;
};

Case randomCase(Random& random, mlir::MLIRContext* context) {
  const bool scaled = random.chance(0.3);
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
  if (scaled) {
    c.sizes.push_back(kBlock);
    known.push_back(kBlock);
  }
  llvm::SmallVector<mlir::AffineMap> maps;
  auto addMap = [&](int rows, int columns, bool throughBlocks) {
    llvm::SmallVector<unsigned> indices = kinds[0];
    indices.append(kinds[rows]);
    indices.append(kinds[columns]);
    if (throughBlocks) indices.push_back(loops);
    llvm::SmallVector<mlir::AffineExpr> results;
    for (unsigned loop : shuffled(indices, random))
      results.push_back(mlir::getAffineDimExpr(loop, context));
    maps.push_back(mlir::AffineMap::get(loops + scaled, 0, results, context));
  };
  addMap(1, 3, scaled);
  addMap(2, 3, scaled);
  addMap(1, 2, false);
  const TypeTripleInfo* types = findTypeTriple(
      scaled ? kScaledTypes[random.below(std::size(kScaledTypes))]
             : kTypes[random.below(std::size(kTypes))]);
  c.elements = {types->lhs, types->rhs, types->out};
  llvm::SmallVector<mlir::Type> elementTypes;
  for (tw_element_type_t element : c.elements)
    elementTypes.push_back(typeOf(element, context));
  if (scaled) {
    addMap(1, 3, false);
    addMap(2, 3, false);
    // The library has no type of scales, which are bytes.
    c.elements.append(2, TW_ELEMENT_U8);
    elementTypes.append(2, mlir::Float8E8M0FNUType::get(context));
  }
  c.encoding = tw::EncodingAttr::get(context, tw::Operand::Lhs, elementTypes,
                                     maps, known,
                                     /*any_m=*/random.chance(0.2));
  return c;
}

// A tensor that lies as an operand does, or is one.
struct Tensor {
  tw::EncodingAttr encoding;
  tw_element_type_t element;
  llvm::SmallVector<int64_t> shape;
};

Tensor operandOf(const Case& c, tw::Operand operand) {
  Tensor tensor{c.encoding.withOperand(operand),
                c.elements[static_cast<unsigned>(operand)],
                {}};
  for (mlir::AffineExpr result : tensor.encoding.getMap().getResults())
    tensor.shape.push_back(
        c.sizes[mlir::cast<mlir::AffineDimExpr>(result).getPosition()]);
  return tensor;
}

// Some of its dimensions, in any order, between ones of its own; of other
// sizes, and with elements of another type.
Tensor relatedTo(const Tensor& operand, Random& random) {
  llvm::SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < operand.shape.size(); ++dim)
    if (random.chance(0.8)) dims.push_back(static_cast<int64_t>(dim));
  for (uint64_t own = random.below(3); own > 0 || dims.empty(); own -= own > 0)
    dims.push_back(tw::EncodingAttr::kOwnDim);
  Tensor tensor{operand.encoding, operand.element, {}};
  dims = shuffled(dims, random);
  for (int64_t dim : dims)
    tensor.shape.push_back(dim == tw::EncodingAttr::kOwnDim ||
                                   random.chance(0.2)
                               ? kSizes[random.below(std::size(kSizes))]
                               : operand.shape[static_cast<size_t>(dim)]);
  mlir::Type other;
  mlir::Builder b(operand.encoding.getContext());
  if (random.chance(0.5)) {
    const std::pair<tw_element_type_t, mlir::Type> kOthers[] = {
        {TW_ELEMENT_U8, b.getI1Type()},
        {TW_ELEMENT_F16, b.getF16Type()},
        {TW_ELEMENT_F32, b.getF32Type()},
        {TW_ELEMENT_F64, b.getF64Type()}};
    std::tie(tensor.element, other) = kOthers[random.below(4)];
  }
  tensor.encoding = tw::EncodingAttr::get(
      b.getContext(), operand.encoding.getOperand(),
      operand.encoding.getElementTypes(), operand.encoding.getMaps(),
      operand.encoding.getSizes(), operand.encoding.getAnyM(), dims, other);
  return tensor;
}

// What packing writes, by the library, where vectors have `vscale` times 128
// bits; by definition what it has no tiles for.
int64_t packedBytes(tw::LayoutAttr layout, llvm::ArrayRef<int64_t> shape,
                    tw_element_type_t element, int64_t vscale) {
  llvm::SmallVector<int64_t> outside(shape);
  if (layout.isIdentity()) {
    int64_t bytes = (info(element).bits + 7) / 8;
    for (int64_t size : outside) bytes *= size;
    return bytes;
  }
  // Rows and columns, the elements of blocks beside each other; one row where
  // one dimension has tiles.
  tw_index_t sizes[] = {1, 1}, tiles[] = {1, 1};
  for (size_t i = 0; i < layout.getInner().size(); ++i) {
    size_t at = layout.getInner().size() == 1 ? 1 : std::min<size_t>(i, 1);
    int64_t& size = outside[static_cast<size_t>(layout.getInner()[i])];
    sizes[at] *= size;
    tiles[at] *= layout.getTiles()[i] * (layout.getScalable()[i] ? vscale : 1);
    size = 1;
  }
  // The library has no matrices of 6-bit elements: four are three bytes.
  if (info(element).bits == 6) {
    element = TW_ELEMENT_U8;
    sizes[1] = sizes[1] * 3 / 4;
    tiles[1] = tiles[1] * 3 / 4;
  }
  tw_pack_params_t params = {};
  params.type = element;
  params.rows = sizes[0];
  params.cols = sizes[1];
  params.matrix_stride = sizes[1];
  params.tile_rows = static_cast<int32_t>(tiles[0]);
  params.tile_cols = static_cast<int32_t>(tiles[1]);
  tw_index_t matrix = -1;
  EXPECT_EQ(tw_packed_size(&params, &matrix), TW_STATUS_OK);
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
  // the operation's folder, or by the arithmetic that materializing makes,
  // where tw.vscale is `vscale`. Negative if it is not known then.
  int64_t sizeOf(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape,
                 bool folds, int64_t vscale) {
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
    func.walk([&](tw::VscaleOp op) {
      b.setInsertionPoint(op);
      op.replaceAllUsesWith(
          mlir::arith::ConstantIndexOp::create(b, where, vscale).getResult());
    });
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
  std::map<std::string, int64_t> drawn = {
      {"empty", 0},
      {"dynamic", 0},
      {"padded", 0},
      {"scalable", 0},
      {"streaming", 0},
      {"scales", 0},
      {"blocks, 8 bits", 0},
      {"blocks, 6 bits", 0},
      {"blocks, 4 bits", 0},
      {"related, 0 tiles", 0},
      {"related, 1 tile", 0},
      {"related, 2 tiles", 0},
      {"related, scalable", 0},
      {"related, other elements", 0},
  };
  for (const auto& device : devices) {
    drawn[device->getName().str() + ", in tiles"];
    if (device->hasOwnMemory())
      drawn[device->getName().str() + ", in tiles, with scales"];
  }
  for (int i = 0; i < kCases; ++i) {
    Case c = randomCase(random, &context);
    const Device& device = *devices[random.below(devices.size())];
    Tensor tensor =
        operandOf(c, static_cast<tw::Operand>(random.below(c.elements.size())));
    if (!c.encoding.isScaled() && random.chance(0.4))
      tensor = relatedTo(tensor, random);
    tw::LayoutAttr layout = device.layoutOf(
        tensor.encoding,
        /*inBlocks=*/!device.hasOwnMemory() && random.chance(0.7));
    auto vscale = static_cast<int64_t>(random.below(16) + 1);
    // What the encoding knows the type may not, and the other way round.
    llvm::SmallVector<int64_t> known;
    int64_t plain = (info(tensor.element).bits + 7) / 8;
    for (int64_t size : tensor.shape) {
      known.push_back(random.chance(0.3) ? mlir::ShapedType::kDynamic : size);
      plain *= size;
    }
    int64_t expected =
        packedBytes(layout, tensor.shape, tensor.element, vscale);
    auto type = mlir::RankedTensorType::get(
        known, tensor.encoding.getElementInMemory(), layout);
    for (bool folds : {true, false})
      // How long vectors are is known where the program runs.
      ASSERT_EQ(sizeOf(type, tensor.shape, folds, vscale),
                folds && layout.isScalable() ? -1 : expected)
          << i << ", " << device.getName().str() << ", "
          << testing::seedText(seed) << (folds ? ", folded" : ", computed");
    drawn["empty"] += expected == 0;
    drawn["dynamic"] += !type.hasStaticShape();
    drawn["padded"] += expected > plain;
    drawn["scalable"] += layout.isScalable();
    drawn["streaming"] += layout.getStreaming();
    size_t tiles = layout.getInner().size();
    if (tensor.encoding.isRelated()) {
      drawn["related, " + std::to_string(tiles) +
            (tiles == 1 ? " tile" : " tiles")]++;
      drawn["related, scalable"] += layout.isScalable();
      drawn["related, other elements"] +=
          tensor.encoding.getElement() != nullptr;
    }
    if (layout.isIdentity()) continue;
    std::string name = device.getName().str() + ", in tiles";
    drawn[name]++;
    if (!c.encoding.isScaled()) continue;
    drawn[name + ", with scales"]++;
    drawn["scales"] += tensor.encoding.getOperand() >= tw::Operand::LhsScales;
    if (tiles == 3)
      drawn["blocks, " + std::to_string(info(tensor.element).bits) + " bits"]++;
  }
  // What is without tiles never has any; of all else there is some.
  EXPECT_EQ(drawn["none, in tiles"], 0);
  drawn.erase("none, in tiles");
  for (const auto& [kind, count] : drawn) {
    std::printf("%6d %s\n", static_cast<int>(count), kind.c_str());
    EXPECT_GT(count, 0) << kind;
  }
  // Nothing of this is rare.
  EXPECT_GT(drawn["empty"], kCases / 20);
  EXPECT_GT(drawn["dynamic"], kCases / 4);
  EXPECT_GT(drawn["padded"], kCases / 4);
}

}  // namespace
}  // namespace tilewright
