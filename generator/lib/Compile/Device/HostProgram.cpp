// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of tilewright_hip, by the declarations of ukernels/hip/program.h.

#include "HostProgram.h"

#include "tilewright/Compile/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

namespace {

/// What is said of a launch beside the words: kernel, grid, block and LDS.
constexpr size_t kLaunchWords = 5;

} // namespace

Value HostProgram::self(ImplicitLocOpBuilder &b) {
  Type words = LLVM::LLVMArrayType::get(b.getI64Type(), 8);
  if (!module.lookupSymbol(kProgramSymbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, words, /*isConstant=*/false,
                           LLVM::Linkage::External, kProgramSymbol,
                           Attribute());
  }
  return LLVM::AddressOfOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), kProgramSymbol);
}

Value HostProgram::call(ImplicitLocOpBuilder &b, StringRef function,
                        ValueRange arguments, Type result) {
  SmallVector<Value> operands{self(b)};
  llvm::append_range(operands, arguments);
  auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(function);
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        result ? result : LLVM::LLVMVoidType::get(b.getContext()),
        llvm::to_vector(ValueRange(operands).getTypes()));
    known = LLVM::LLVMFuncOp::create(b, function, type);
  }
  auto call = LLVM::CallOp::create(b, known, operands);
  return result ? call.getResult() : Value();
}

Value HostProgram::memory(ImplicitLocOpBuilder &b, StringRef function,
                          Value argument) {
  // As a function on a memref, which is a bare pointer in the end.
  auto type = MemRefType::get({1}, b.getI8Type(), MemRefLayoutAttrInterface(),
                              b.getI64IntegerAttr(kDeviceMemorySpace));
  Value program = self(b);
  auto known = module.lookupSymbol<func::FuncOp>(function);
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    known = func::FuncOp::create(
        b, function,
        b.getFunctionType({program.getType(), argument.getType()}, {type}));
    known.setPrivate();
  }
  return func::CallOp::create(b, known, ValueRange{program, argument})
      .getResult(0);
}

Value HostProgram::pointer(ImplicitLocOpBuilder &b, Value buffer) {
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  address(b, buffer));
}

Value HostProgram::constantWord(ImplicitLocOpBuilder &b, int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI64Type(), value);
}

Value HostProgram::address(ImplicitLocOpBuilder &b, Value buffer) {
  return word(b, memref::ExtractAlignedPointerAsIndexOp::create(b, buffer));
}

Value HostProgram::word(ImplicitLocOpBuilder &b, Value scalar) {
  Type type = scalar.getType(), i64 = b.getI64Type();
  if (type.isIndex())
    return arith::IndexCastOp::create(b, i64, scalar);
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    scalar = arith::BitcastOp::create(b, b.getIntegerType(bits), scalar);
  return bits == 64 ? scalar
                    : arith::ExtUIOp::create(b, i64, scalar).getResult();
}

Value HostProgram::bytes(ImplicitLocOpBuilder &b, MemRefType type,
                         ValueRange dynamicSizes) {
  Type element = type.getElementType();
  int64_t size = element.isIndex()
                     ? 8
                     : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8u);
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent))
      size *= extent;
  Value result = arith::ConstantIndexOp::create(b, size);
  for (Value extent : dynamicSizes)
    result = arith::MulIOp::create(b, result, extent);
  return word(b, result);
}

Value HostProgram::allocate(ImplicitLocOpBuilder &b, memref::AllocOp alloc) {
  return memory(b, "tw_hip_allocate",
                bytes(b, alloc.getType(), alloc.getDynamicSizes()));
}

void HostProgram::release(ImplicitLocOpBuilder &b, Value buffer) {
  call(b, "tw_hip_release", pointer(b, buffer));
}

void HostProgram::copy(ImplicitLocOpBuilder &b, StringRef function, Value to,
                       Value from) {
  auto type = cast<MemRefType>(to.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, to, dim));
  call(b, function, {pointer(b, to), pointer(b, from), bytes(b, type, sizes)});
}

int64_t HostProgram::constant(StringRef global) {
  return constants.insert({global, int64_t(constants.size())}).first->second;
}

Value HostProgram::constantMemory(ImplicitLocOpBuilder &b, int64_t number) {
  return memory(b, "tw_hip_constant", constantWord(b, number));
}

void HostProgram::launch(ImplicitLocOpBuilder &b, StringRef kernel, Value x,
                         Value y, LaunchShape shape, ValueRange words) {
  kernel = b.getStringAttr(kernel).getValue(); // lives as long as the context
  int64_t number =
      kernels.insert({kernel, int64_t(kernels.size())}).first->second;
  ++dispatches;
  SmallVector<Value> arguments{constantWord(b, number), word(b, x), word(b, y),
                               constantWord(b, shape.block),
                               constantWord(b, shape.dynamicLds)};
  llvm::append_range(arguments, words);
  defineLaunch(b, words.size());
  call(b, launchOf(words.size()), arguments);
}

std::string HostProgram::launchOf(size_t words) {
  return ("tw_hip_launch." + Twine(words)).str();
}

void HostProgram::defineLaunch(ImplicitLocOpBuilder &b, size_t words) {
  std::string name = launchOf(words);
  if (module.lookupSymbol(name))
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  Type pointerType = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> types{pointerType};
  types.append(kLaunchWords + words, b.getI64Type());
  auto launch = LLVM::LLVMFuncOp::create(
      b, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  types),
      LLVM::Linkage::Internal);
  launch.setNoInline(true);
  Block *body = launch.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), words);
  Value memory = LLVM::AllocaOp::create(b, pointerType, type,
                                        constantWord(b, 1), /*alignment=*/16);
  auto arguments = body->getArguments().drop_front();
  for (auto [index, word] :
       llvm::enumerate(arguments.drop_front(kLaunchWords))) {
    Value place = LLVM::GEPOp::create(b, pointerType, b.getI64Type(), memory,
                                      ArrayRef<LLVM::GEPArg>{int32_t(index)});
    LLVM::StoreOp::create(b, word, place);
  }
  SmallVector<Value> operands(arguments.take_front(kLaunchWords));
  operands.push_back(memory);
  operands.push_back(constantWord(b, 8 * int64_t(words)));
  call(b, "tw_hip_launch", operands);
  LLVM::ReturnOp::create(b, ValueRange());
}

void HostProgram::wrap(func::FuncOp func) {
  Block &block = func.getBody().front();
  ImplicitLocOpBuilder b(func.getLoc(), func.getContext());
  b.setInsertionPointToStart(&block);
  // tw-load-parameters says where the file is, of a model that has one.
  Value none =
      LLVM::ZeroOp::create(b, LLVM::LLVMPointerType::get(b.getContext()));
  call(b, kHipBeginFunction, none);
  Operation *end = block.getTerminator();
  b.setInsertionPoint(end);
  end->setOperand(0, call(b, "tw_hip_end", {}, b.getI32Type()));
}

void HostProgram::finish() {
  OpBuilder b(module);
  SmallVector<StringRef> names;
  for (const auto &[name, number] : kernels)
    names.push_back(name);
  module->setAttr(kKernelsAttr, b.getStrArrayAttr(names));
  names.clear();
  for (const auto &[name, number] : constants)
    names.push_back(name);
  module->setAttr(kConstantsAttr, b.getStrArrayAttr(names));
  module->setAttr(kDispatchesAttr, b.getI64IntegerAttr(dispatches));
}

} // namespace tilewright
