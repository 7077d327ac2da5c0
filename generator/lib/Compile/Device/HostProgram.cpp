// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of tilewright_hip, by the declarations of ukernels/hip/program.h.

#include "HostProgram.h"

#include "../Parameters/ThreadedPointer.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

namespace {

/// What is said of a launch beside the words: kernel, grid, block and LDS.
constexpr size_t kLaunchWords = 5;

/// Of memory that tw_hip_keep gives.
constexpr int64_t kDeviceAlignment = 256;

/// The words of a tw_hip_program_t.
constexpr int64_t kProgramWords = 8;

unsigned spaceOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getMemorySpaceAsInt();
}

ArrayAttr namesIn(OpBuilder &b,
                  const llvm::MapVector<StringRef, int64_t> &numbers) {
  return b.getStrArrayAttr(llvm::map_to_vector(
      numbers, [](const auto &each) { return each.first; }));
}

} // namespace

std::string programSymbol(StringRef device, bool isOneOfSeveral) {
  std::string symbol = kProgramSymbol.str();
  return isOneOfSeveral ? symbol + "." + device.str() : symbol;
}

HostProgram::HostProgram(ModuleOp module)
    : module(module), devices(devicesWithMemoryOf(module)) {
  llvm::DenseSet<unsigned> spaces;
  module.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()))
        spaces.insert(spaceOf(operand));
  });
  for (unsigned space = 1; isKnown(space); ++space)
    if (spaces.contains(space))
      used.push_back(space);
  placeKept();
}

void HostProgram::placeKept() {
  for (auto global : module.getOps<memref::GlobalOp>()) {
    unsigned space = global.getType().getMemorySpaceAsInt();
    if (!space || !isKnown(space) || !global->hasAttr(kKeptAttr))
      continue;
    Kept &its = kept[space];
    keptOffsets[global.getSymName()] = its.bytes;
    its.bytes = llvm::alignTo(
        its.bytes + bytesInMemory(global.getType(), module), kDeviceAlignment);
  }
  auto b = OpBuilder::atBlockBegin(module.getBody());
  for (auto &[space, its] : kept) {
    StringRef device = deviceOf(space);
    its.address = memref::GlobalOp::create(
        b, module.getLoc(), ("tw.kept_by." + device).str(),
        b.getStringAttr("private"), MemRefType::get({1}, b.getI64Type()),
        /*initial_value=*/b.getUnitAttr(), /*constant=*/false,
        /*alignment=*/nullptr);
    its.address->setAttr(kKeptAttr, b.getUnitAttr());
    its.address->setAttr(kKeptByAttr, b.getStringAttr(device));
    its.address->setAttr(kKeptByBytesAttr, b.getI64IntegerAttr(its.bytes));
  }
}

std::string HostProgram::ownerOf(unsigned space) const {
  return space ? "that of '" + deviceOf(space).str() + "'" : "the host's";
}

StringRef HostProgram::deviceOf(unsigned space) const {
  return devices[space - 1].getName();
}

Value HostProgram::dataOf(ImplicitLocOpBuilder &b, const Twine &symbol,
                          int64_t words) {
  StringAttr name = b.getStringAttr(symbol);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI64Type(), words),
                           /*isConstant=*/false, LLVM::Linkage::External, name,
                           Attribute());
  }
  return LLVM::AddressOfOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), name);
}

Value HostProgram::programOf(ImplicitLocOpBuilder &b, unsigned space) {
  return dataOf(b, programSymbol(deviceOf(space), used.size() > 1),
                kProgramWords);
}

Value HostProgram::call(ImplicitLocOpBuilder &b, StringRef function,
                        ValueRange arguments, Type result) {
  auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(function);
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        result ? result : LLVM::LLVMVoidType::get(b.getContext()),
        llvm::to_vector(arguments.getTypes()));
    known = LLVM::LLVMFuncOp::create(b, function, type);
  }
  auto call = LLVM::CallOp::create(b, known, arguments);
  return result ? call.getResult() : Value();
}

Value HostProgram::memory(ImplicitLocOpBuilder &b, unsigned space,
                          StringRef function, Value argument) {
  // As a function on a memref, which is a bare pointer in the end.
  auto type = MemRefType::get({1}, b.getI8Type(), MemRefLayoutAttrInterface(),
                              b.getI64IntegerAttr(kGlobalMemorySpace));
  Value program = programOf(b, space);
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
  return memory(b, spaceOf(alloc), "tw_hip_allocate",
                bytes(b, alloc.getType(), alloc.getDynamicSizes()));
}

void HostProgram::release(ImplicitLocOpBuilder &b, Value buffer) {
  call(b, "tw_hip_release",
       {programOf(b, spaceOf(buffer)), pointer(b, buffer)});
}

void HostProgram::copy(ImplicitLocOpBuilder &b, Value to, Value from) {
  auto type = cast<MemRefType>(to.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, to, dim));
  Value target = pointer(b, to), source = pointer(b, from),
        size = bytes(b, type, sizes);
  unsigned toSpace = spaceOf(to), fromSpace = spaceOf(from);
  if (toSpace && fromSpace && toSpace != fromSpace)
    return void(call(b, "tw_hip_transfer",
                     {programOf(b, toSpace), target, programOf(b, fromSpace),
                      source, size}));
  call(b,
       !fromSpace ? "tw_hip_upload"
       : !toSpace ? "tw_hip_download"
                  : "tw_hip_copy",
       {programOf(b, toSpace ? toSpace : fromSpace), target, source, size});
}

int64_t HostProgram::constant(unsigned space, StringRef global) {
  Numbers &numbers = constants[space];
  return numbers.insert({global, int64_t(numbers.size())}).first->second;
}

Value HostProgram::constantMemory(ImplicitLocOpBuilder &b, unsigned space,
                                  int64_t number) {
  return memory(b, space, "tw_hip_constant", constantWord(b, number));
}

Value HostProgram::keptAddress(ImplicitLocOpBuilder &b, const Kept &its) {
  memref::GlobalOp address = its.address;
  return pointer(b, memref::GetGlobalOp::create(b, address.getType(),
                                                address.getSymName()));
}

void HostProgram::allocateKept(ImplicitLocOpBuilder &b) {
  for (const auto &[space, its] : kept)
    call(
        b, "tw_hip_keep",
        {programOf(b, space), keptAddress(b, its), constantWord(b, its.bytes)});
}

Value HostProgram::keptMemory(ImplicitLocOpBuilder &b, unsigned space) {
  return memory(b, space, "tw_hip_kept",
                keptAddress(b, kept.find(space)->second));
}

std::optional<int64_t> HostProgram::keptOffset(StringRef global) const {
  auto known = keptOffsets.find(global);
  return known == keptOffsets.end() ? std::nullopt
                                    : std::optional(known->second);
}

void HostProgram::launch(ImplicitLocOpBuilder &b, unsigned space,
                         StringRef kernel, Value x, Value y, LaunchShape shape,
                         ValueRange words) {
  kernel = b.getStringAttr(kernel).getValue(); // lives as long as the context
  Numbers &numbers = kernels[devices[space - 1].getTarget()];
  int64_t number =
      numbers.insert({kernel, int64_t(numbers.size())}).first->second;
  auto caller =
      b.getInsertionBlock()->getParent()->getParentOfType<func::FuncOp>();
  dispatches += !isFewRowsBody(caller.getName());
  SmallVector<Value> arguments{programOf(b, space),
                               constantWord(b, number),
                               word(b, x),
                               word(b, y),
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
  // The program stands before all.
  auto arguments = body->getArguments();
  for (auto [index, word] :
       llvm::enumerate(arguments.drop_front(1 + kLaunchWords))) {
    Value place = LLVM::GEPOp::create(b, pointerType, b.getI64Type(), memory,
                                      ArrayRef<LLVM::GEPArg>{int32_t(index)});
    LLVM::StoreOp::create(b, word, place);
  }
  SmallVector<Value> operands(arguments.take_front(1 + kLaunchWords));
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
  Operation *end = block.getTerminator();
  if (used.size() == 1) {
    call(b, kHipBeginFunction, {programOf(b, used.front()), none});
    b.setInsertionPoint(end);
    end->setOperand(
        0, call(b, "tw_hip_end", programOf(b, used.front()), b.getI32Type()));
    return;
  }
  // All of the module: which of the machine's devices each is depends on the
  // others.
  for (unsigned space : used)
    programOf(b, space);
  Value count = constantWord(b, int64_t(used.size()));
  Value programs = dataOf(b, kProgramsSymbol, int64_t(used.size()));
  call(b, kHipBeginAllFunction, {programs, none, count});
  b.setInsertionPoint(end);
  end->setOperand(0,
                  call(b, "tw_hip_end_all", {programs, count}, b.getI32Type()));
}

void HostProgram::finish() {
  OpBuilder b(module);
  for (const auto &each : keptOffsets)
    module.lookupSymbol(each.first())->erase();
  SmallVector<NamedAttribute> lists;
  for (unsigned space : used)
    lists.emplace_back(deviceOf(space), namesIn(b, constants[space]));
  module->setAttr(kConstantsAttr, b.getDictionaryAttr(lists));
  module->setAttr(kDispatchesAttr, b.getI64IntegerAttr(dispatches));
}

ArrayAttr HostProgram::kernelsOf(StringAttr target) {
  OpBuilder b(module);
  return namesIn(b, kernels[target.getValue()]);
}

} // namespace tilewright
