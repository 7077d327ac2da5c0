// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/module_program.h"

#include <algorithm>

namespace tilewright::testing {
namespace {

constexpr Element kF32{"f32", "f32", 32, Element::kFloat, TW_ELEMENT_F32};
constexpr Element kS32{"s32", "i32", 32, Element::kSigned, {}};
constexpr Element kS8{"s8", "i8", 8, Element::kSigned, {}};
constexpr const Element* kTypes[] = {&kF32, &kS32, &kS8};
constexpr Element kF8{"f8e4m3fn", "f8E4M3FN", 8, Element::kFloat,
                      TW_ELEMENT_F8E4M3FN};
constexpr Element kBool{"i1", "i1", 8, Element::kUnsigned, {}};
constexpr Element kS4{"s4", "i4", 4, Element::kSigned, {}};
constexpr Element kS16{"s16", "i16", 16, Element::kSigned, {}};
constexpr Element kS64{"s64", "i64", 64, Element::kSigned, {}};
constexpr const Element* kMovedTypes[] = {&kF8, &kBool, &kS4, &kS16, &kS64};

// Of a tensor.
constexpr int64_t kMostElements = 20000;
constexpr size_t kMostRank = 5;
constexpr int64_t kRange = 4;

}  // namespace

bool ModuleDim::operator==(const ModuleDim& o) const {
  return isDynamic == o.isDynamic &&
         std::equal(std::begin(sizes), std::end(sizes), o.sizes);
}

bool ModuleDim::hasSizesOf(const ModuleDim& o) const {
  return std::equal(std::begin(sizes), std::end(sizes), o.sizes);
}
int64_t ModuleDim::least() const {
  return *std::min_element(std::begin(sizes), std::end(sizes));
}

int64_t ModuleDim::most() const {
  return *std::max_element(std::begin(sizes), std::end(sizes));
}

bool ModuleDim::isAlways(int64_t size) const {
  return least() == size && most() == size;
}

std::vector<int64_t> ModuleTensor::sizes(size_t call) const {
  std::vector<int64_t> result;
  for (const ModuleDim& dim : shape) result.push_back(dim.sizes[call]);
  return result;
}

int64_t ModuleTensor::mostElements() const {
  int64_t most = 0;
  for (size_t call = 0; call < kModuleCalls; ++call)
    most = std::max(most, elementCount(sizes(call)));
  return most;
}

std::string ModuleTensor::typeText() const {
  std::string text = "tensor<";
  for (const ModuleDim& dim : shape)
    text += (dim.isDynamic ? "?" : std::to_string(dim.sizes[0])) + "x";
  return text + type->mlir + ">";
}

int64_t elementCount(const Indices& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

size_t offsetOf(const ModuleShape& shape, size_t call, const Indices& at) {
  int64_t offset = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    offset = offset * shape[i].sizes[call] + at[i];
  return static_cast<size_t>(offset);
}

void forEachIndex(const Indices& sizes,
                  const std::function<void(const Indices& at)>& visit) {
  Indices at(sizes.size());
  for (int64_t left = elementCount(sizes); left > 0; --left) {
    visit(at);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      if (++at[dim] < sizes[dim]) break;
      at[dim] = 0;
    }
  }
}

int64_t wrapElement(const Element& type, int64_t value) {
  if (type.kind == Element::kFloat || type.bits == 64) return value;
  int unused = 64 - type.bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

int64_t sumOf(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) +
                              static_cast<uint64_t>(y));
}

int64_t productOf(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) *
                              static_cast<uint64_t>(y));
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items)
    text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string ModuleProgram::describe() const {
  std::string all;
  for (const std::string& operation : operations)
    all += (all.empty() ? "" : " ") + operation;
  return all;
}

std::string ModuleProgram::text() const {
  std::string head = "func.func @" + name + "(", returned, types;
  for (size_t argument : arguments)
    head += values[argument].name + ": " + values[argument].typeText() + ", ";
  std::string extracted;
  for (size_t result : results) {
    std::string value = values[result].name, type = values[result].typeText();
    // Every other tensor of one element is a scalar, which the caller gets in
    // the same way.
    if (values[result].rank() == 0 && result % 2 == 0) {
      std::string scalar = "%scalar" + std::to_string(extracted.size());
      extracted +=
          "  " + scalar + " = tensor.extract " + value + "[] : " + type + "\n";
      value = scalar;
      type = values[result].type->mlir;
    }
    returned += (returned.empty() ? "" : ", ") + value;
    types += (types.empty() ? "" : ", ") + type;
  }
  return head + "%n: index) -> (" + types + ") {\n" + body + extracted +
         "  return " + returned + " : " + types + "\n}\n";
}

std::string ModuleProgram::check(const JitModel& model) const {
  for (size_t call = 0; call < kModuleCalls; ++call) {
    auto tensorOf = [&](size_t index, bool isResult) {
      const ModuleTensor& value = values[index];
      CallTensor tensor;
      tensor.bytes = encodeValues(*value.type, value.data[call]);
      tensor.elementBytes = value.type->bytes();
      tensor.shape = value.sizes(call);
      tensor.isLeading = (index + call) % 2;
      for (const ModuleDim& dim : value.shape)
        if (dim.isDynamic && !isResult)
          tensor.dynamicSizes.push_back(dim.sizes[call]);
      return tensor;
    };
    std::vector<CallTensor> inputs, outputs;
    for (size_t argument : arguments)
      inputs.push_back(tensorOf(argument, /*isResult=*/false));
    for (size_t result : results)
      outputs.push_back(tensorOf(result, /*isResult=*/true));
    std::string problem =
        checkCall(model, name, inputs, {scalar[call]}, outputs);
    if (!problem.empty())
      return "in call " + std::to_string(call) + " " + problem;
  }
  return "";
}

ModuleShape ModuleMaker::randomShape() {
  // The last ones fill several vectors, and leave some of one.
  const int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 11, 37, 131, 263};
  const int64_t kTiles[] = {16, 16, 32, 32, 48, 64, 90};
  ModuleShape shape(has_tiles_ ? 1 + random_.below(3) : random_.below(5));
  for (ModuleDim& dim : shape) {
    // Often a size that there is, so that operands suit each other.
    const ModuleTensor* other = nullptr;
    if (!program_.values.empty() && random_.chance(0.5))
      other = &program_.values[random_.below(program_.values.size())];
    if (other && other->rank()) {
      dim = other->shape[random_.below(other->rank())];
      continue;
    }
    dim.isDynamic = random_.chance(has_tiles_ ? 0.1 : 0.4);
    for (size_t call = 0; call < kModuleCalls; ++call) {
      if (call && !dim.isDynamic)
        dim.sizes[call] = dim.sizes[0];
      else
        dim.sizes[call] = random_.chance(0.04) ? 0
                          : has_tiles_
                              ? kTiles[random_.below(std::size(kTiles))]
                              : kSizes[random_.below(std::size(kSizes))];
    }
  }
  return shape;
}

size_t ModuleMaker::addArgument(const Element& type, const ModuleShape& shape,
                                int64_t range) {
  ModuleTensor value;
  value.name = fresh().insert(1, "a");
  value.type = &type;
  value.shape = shape;
  value.bound = range;
  for (size_t call = 0; call < kModuleCalls; ++call)
    for (int64_t i = elementCount(value.sizes(call)); i > 0; --i)
      value.data[call].push_back(
          constantOf(value, random_.between(-range, range)));
  program_.arguments.push_back(program_.values.size());
  program_.values.push_back(value);
  return program_.values.size() - 1;
}

bool ModuleMaker::mayHave(const ModuleShape& shape) const {
  ModuleTensor value;
  value.shape = shape;
  return shape.size() <= kMostRank && value.mostElements() <= kMostElements;
}

const ModuleTensor* ModuleMaker::anyValue(
    const std::function<bool(const ModuleTensor&)>& suits, bool computes) {
  std::vector<const ModuleTensor*> found;
  for (const ModuleTensor& value : program_.values)
    if (!(computes && value.isOnlyMoved()) && suits(value))
      found.push_back(&value);
  if (found.empty()) return nullptr;
  // What a product is used for, and for that again.
  if (has_tiles_ && random_.chance(0.5)) return found.back();
  // What was computed last is used most, which makes chains.
  if (random_.chance(0.5)) return found.back();
  return found[random_.below(found.size())];
}

bool ModuleMaker::add(
    const std::string& operation, const std::string& name, const Element& type,
    const ModuleShape& shape, int64_t bound,
    const std::function<int64_t(size_t call, const Indices& at)>& element) {
  ModuleTensor value;
  value.name = name;
  value.type = &type;
  value.shape = shape;
  value.bound = bound;
  for (size_t call = 0; call < kModuleCalls; ++call)
    forEachIndex(value.sizes(call), [&](const Indices& at) {
      value.data[call].push_back(wrapElement(type, element(call, at)));
    });
  program_.values.push_back(value);
  program_.operations.push_back(operation);
  return true;
}

const Element* ModuleMaker::sumType(const ModuleTensor& value) {
  return value.isFloat() ? &kF32 : &kS32;
}

const Element* ModuleMaker::otherType(const ModuleTensor& value) {
  return value.isFloat() ? &kS32 : &kF32;
}

ModuleDim ModuleMaker::staticDim(int64_t size) const {
  ModuleDim dim;
  std::fill(std::begin(dim.sizes), std::end(dim.sizes), size);
  return dim;
}

std::string ModuleMaker::indexConstant(int64_t value) {
  std::string name = fresh();
  line(name + " = arith.constant " + std::to_string(value) + " : index");
  return name;
}

std::string ModuleMaker::arithmetic(const std::string& op, const std::string& x,
                                    const std::string& y) {
  std::string name = fresh();
  line(name + " = arith." + op + " " + x + ", " + y + " : index");
  return name;
}

std::string ModuleMaker::dimText(const ModuleTensor& value, size_t dim) {
  if (!value.shape[dim].isDynamic)
    return indexConstant(value.shape[dim].sizes[0]);
  std::string which = indexConstant(static_cast<int64_t>(dim)), name = fresh();
  line(name + " = tensor.dim " + value.name + ", " + which + " : " +
       value.typeText());
  return name;
}

std::string ModuleMaker::scalarConstant(const Element& type, int64_t value) {
  std::string name = fresh();
  line(name + " = arith.constant " + std::to_string(value) +
       (type.kind == Element::kFloat ? ".0" : "") + " : " + type.mlir);
  return name;
}

std::string ModuleMaker::emptyText(const Element& type,
                                   const ModuleShape& shape,
                                   const std::vector<std::string>& sizes) {
  ModuleTensor value;
  value.type = &type;
  value.shape = shape;
  std::string name = fresh(), operands;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim].isDynamic)
      operands += (operands.empty() ? "" : ", ") + sizes[dim];
  line(name + " = tensor.empty(" + operands + ") : " + value.typeText());
  return name;
}

std::string ModuleMaker::filledText(const Element& type,
                                    const ModuleShape& shape,
                                    const std::vector<std::string>& sizes,
                                    int64_t value) {
  ModuleTensor typed;
  typed.type = &type;
  typed.shape = shape;
  std::string empty = emptyText(type, shape, sizes),
              scalar = scalarConstant(type, value), name = fresh();
  line(name + " = linalg.fill ins(" + scalar + " : " + type.mlir + ") outs(" +
       empty + " : " + typed.typeText() + ") -> " + typed.typeText());
  return name;
}

void ModuleMaker::chooseResults() {
  size_t last = program_.values.size() - 1;
  program_.results.push_back(last);
  while (random_.chance(0.3) && program_.results.size() < 3)
    program_.results.push_back(random_.below(last + 1));
}

ModuleProgram ModuleMaker::make() {
  for (int64_t& value : program_.scalar) value = random_.between(0, 3);
  size_t arguments = 1 + random_.below(3);
  while (program_.arguments.size() < arguments) {
    ModuleShape shape = randomShape();
    if (!mayHave(shape)) continue;
    bool isMoved = !program_.arguments.empty() && random_.chance(0.25);
    addArgument(isMoved ? *kMovedTypes[random_.below(std::size(kMovedTypes))]
                        : *kTypes[random_.below(3)],
                shape, kRange);
  }
  using Operation = bool (ModuleMaker::*)();
  const Operation kOperations[] = {
      &ModuleMaker::binary,          &ModuleMaker::binary,
      &ModuleMaker::withIndex,       &ModuleMaker::generate,
      &ModuleMaker::splat,           &ModuleMaker::fromElements,
      &ModuleMaker::castToDynamic,   &ModuleMaker::reduce,
      &ModuleMaker::broadcast,       &ModuleMaker::transpose,
      &ModuleMaker::contraction,     &ModuleMaker::convolution,
      &ModuleMaker::pooling,         &ModuleMaker::expand,
      &ModuleMaker::collapse,        &ModuleMaker::extractSlice,
      &ModuleMaker::extractSlice,    &ModuleMaker::insertSlice,
      &ModuleMaker::insertSlice,     &ModuleMaker::pad,
      &ModuleMaker::concat,          &ModuleMaker::gather,
      &ModuleMaker::compare,         &ModuleMaker::anyTrue,
      &ModuleMaker::packMaybeUnpack, &ModuleMaker::unpack,
      &ModuleMaker::permute,         &ModuleMaker::permute,
  };
  // What stands between multiplications, and multiplications.
  const Operation kTilingOperations[] = {
      &ModuleMaker::weights,       &ModuleMaker::product,
      &ModuleMaker::product,       &ModuleMaker::product,
      &ModuleMaker::product,       &ModuleMaker::contraction,
      &ModuleMaker::binary,        &ModuleMaker::binary,
      &ModuleMaker::transpose,     &ModuleMaker::expand,
      &ModuleMaker::collapse,      &ModuleMaker::reduce,
      &ModuleMaker::broadcast,     &ModuleMaker::extractSlice,
      &ModuleMaker::castToDynamic, &ModuleMaker::permute,
      &ModuleMaker::cast,          &ModuleMaker::extractSlice,
      &ModuleMaker::pad,           &ModuleMaker::pad,
      &ModuleMaker::pair,          &ModuleMaker::withIndex,
      &ModuleMaker::weightsFirst,  &ModuleMaker::weightsFirst,
  };
  bool isTiling = mix_ == ModuleMix::kTiling;
  const Operation* operations = isTiling ? kTilingOperations : kOperations;
  size_t count =
      isTiling ? std::size(kTilingOperations) : std::size(kOperations);
  size_t wanted = 1 + random_.below(isTiling ? 9 : 6);
  if (has_tiles_) {
    wanted += 3;
    for (const Operation& first :
         {&ModuleMaker::weights, &ModuleMaker::product, &ModuleMaker::product})
      (this->*first)();
  }
  for (int tries = 0; tries < 100 && program_.operations.size() < wanted;
       ++tries)
    (this->*operations[random_.below(count)])();
  chooseResults();
  return program_;
}

ModuleProgram randomModule(const std::string& name, uint64_t seed,
                           ModuleMix mix) {
  return ModuleMaker(name, seed, mix).make();
}

}  // namespace tilewright::testing
