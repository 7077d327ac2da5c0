// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of random modules that compute.

#include <algorithm>
#include <numeric>

#include "tests/compile/module_program.h"

namespace tilewright::testing {
namespace {

constexpr Element kBool{"i1", "i1", 8, Element::kUnsigned, {}};

std::string arithOf(const ModuleTensor& value, const std::string& operation) {
  if (value.isFloat())
    return "arith." + (operation == "max" ? "maximumf" : operation + "f");
  return "arith." + (operation == "max" ? "maxsi" : operation + "i");
}

// The names prefix0, prefix1, ...
std::vector<std::string> numbered(const std::string& prefix, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(prefix + std::to_string(i));
  return names;
}

std::string identityMap(size_t rank) {
  std::string dims = list(numbered("d", rank));
  return "affine_map<(" + dims + ") -> (" + dims + ")>";
}

std::string parallelLoops(size_t rank) {
  return "[" + list(std::vector<std::string>(rank, "\"parallel\"")) + "]";
}

}  // namespace

int64_t ModuleMaker::patternAt(const Indices& at) {
  int64_t sum = 0;
  for (size_t dim = 0; dim < at.size(); ++dim)
    sum += at[dim] * static_cast<int64_t>(2 * dim + 1);
  return sum % (2 * kPatternBound + 1) - kPatternBound;
}

std::string ModuleMaker::patternText(const Element& type,
                                     const std::vector<std::string>& at,
                                     const std::string& to) {
  std::string sum = indexConstant(0);
  for (size_t dim = 0; dim < at.size(); ++dim)
    sum = arithmetic(
        "addi", sum,
        arithmetic("muli", at[dim],
                   indexConstant(static_cast<int64_t>(2 * dim + 1))));
  sum = arithmetic("remui", sum, indexConstant(2 * kPatternBound + 1));
  sum = arithmetic("subi", sum, indexConstant(kPatternBound));
  bool isFloat = type.kind == Element::kFloat;
  std::string cast = fresh();
  line(cast + " = arith.index_cast " + sum + " : index to " +
       (isFloat ? "i32" : type.mlir));
  if (isFloat) {
    std::string whole = cast;
    cast = fresh();
    line(cast + " = arith.sitofp " + whole + " : i32 to " + type.mlir);
  }
  if (to.empty()) return cast;
  std::string result = fresh();
  line(result + " = " + (isFloat ? "arith.addf " : "arith.addi ") + to + ", " +
       cast + " : " + type.mlir);
  return result;
}

std::string ModuleMaker::filterText(const Element& type, const Indices& sizes) {
  ModuleTensor filter;
  filter.type = &type;
  for (int64_t size : sizes) filter.shape.push_back(staticDim(size));
  std::string name = fresh(), prefix = "%i" + name.substr(1) + "_";
  std::vector<std::string> at = numbered(prefix, sizes.size()), declared;
  for (const std::string& index : at) declared.push_back(index + ": index");
  line(name + " = tensor.generate {");
  line("^bb0(" + list(declared) + "):");
  line("tensor.yield " + patternText(type, at, "") + " : " + type.mlir);
  line("} : " + filter.typeText());
  return name;
}

bool ModuleMaker::binary() {
  const ModuleTensor* found =
      anyValue([](const ModuleTensor&) { return true; });
  ModuleTensor x = *found;
  ModuleTensor y = *anyValue([&](const ModuleTensor& other) {
    return other.type == x.type && other.shape == x.shape;
  });
  const char* kOperations[] = {"add", "sub", "mul", "max"};
  std::string which = kOperations[random_.below(4)];
  int64_t bound = which == "mul" ? x.bound * y.bound : x.bound + y.bound;
  if (!isExact(x, bound)) return false;
  std::string name = fresh();
  std::vector<std::string> sizes;
  if (which == "mul" || random_.chance(0.4))
    for (size_t dim = 0; dim < x.rank(); ++dim)
      sizes.push_back(dimText(x, dim));
  if (which == "mul") {
    // Zeros have no sign after the sum.
    std::string dest = filledText(*x.type, x.shape, sizes, 0);
    std::string map = identityMap(x.rank());
    line(name + " = linalg.generic {indexing_maps = [" + map + ", " + map +
         ", " + map + "], iterator_types = " + parallelLoops(x.rank()) +
         "} ins(" + x.name + ", " + y.name + " : " + x.typeText() + ", " +
         y.typeText() + ") outs(" + dest + " : " + x.typeText() + ") {");
    std::string t = x.type->mlir;
    line("^bb0(%p: " + t + ", %q: " + t + ", %r: " + t + "):");
    line("%s = " + arithOf(x, "mul") + " %p, %q : " + t);
    line("%t = " + arithOf(x, "add") + " %s, %r : " + t);
    line("linalg.yield %t : " + t);
    line("} -> " + x.typeText());
  } else if (sizes.size() == x.rank()) {
    // As linalg spells it.
    std::string dest = emptyText(*x.type, x.shape, sizes);
    std::string forms[] = {"linalg." + which + " ",
                           "linalg.elementwise kind=#linalg.elementwise_kind<" +
                               (which == "max" ? "max_signed" : which) + "> ",
                           "linalg.map { " + arithOf(x, which) + " } "};
    size_t form = random_.below(3);
    line(name + " = " + forms[form] + "ins(" + x.name + ", " + y.name + " : " +
         x.typeText() + ", " + y.typeText() + ") outs(" + dest + " : " +
         x.typeText() + ")" + (form < 2 ? " -> " + x.typeText() : ""));
  } else {
    line(name + " = " + arithOf(x, which) + " " + x.name + ", " + y.name +
         " : " + x.typeText());
  }
  return add(which, name, *x.type, x.shape, bound,
             [&](size_t call, const Indices& i) {
               int64_t a = at(x, call, i), b = at(y, call, i);
               return which == "add"   ? a + b
                      : which == "sub" ? a - b
                      : which == "mul" ? productOf(a, b)
                                       : std::max(a, b);
             });
}

bool ModuleMaker::withIndex() {
  ModuleTensor x = *anyValue([](const ModuleTensor&) { return true; });
  std::vector<std::string> sizes;
  for (size_t dim = 0; dim < x.rank(); ++dim) sizes.push_back(dimText(x, dim));
  std::string dest = emptyText(*x.type, x.shape, sizes), name = fresh();
  std::string map = identityMap(x.rank()), t = x.type->mlir;
  line(name + " = linalg.generic {indexing_maps = [" + map + ", " + map +
       "], iterator_types = " + parallelLoops(x.rank()) + "} ins(" + x.name +
       " : " + x.typeText() + ") outs(" + dest + " : " + x.typeText() + ") {");
  line("^bb0(%p: " + t + ", %q: " + t + "):");
  std::vector<std::string> indices;
  for (size_t dim = 0; dim < x.rank(); ++dim) {
    indices.push_back(fresh());
    line(indices.back() + " = linalg.index " + std::to_string(dim) +
         " : index");
  }
  line("linalg.yield " + patternText(*x.type, indices, "%p") + " : " + t);
  line("} -> " + x.typeText());
  return add("index", name, *x.type, x.shape, x.bound + kPatternBound,
             [&](size_t call, const Indices& i) {
               return at(x, call, i) + patternAt(i);
             });
}

// A tensor that reads another, as a gather by hand.
bool ModuleMaker::generate() {
  ModuleTensor x = *anyValue([](const ModuleTensor&) { return true; });
  std::vector<std::string> sizes;
  for (size_t dim = 0; dim < x.rank(); ++dim)
    if (x.shape[dim].isDynamic) sizes.push_back(dimText(x, dim));
  std::string name = fresh();
  std::vector<std::string> indices =
                               numbered("%i" + name.substr(1) + "_", x.rank()),
                           declared, shifted;
  for (const std::string& index : indices)
    declared.push_back(index + ": index");
  line(name + " = tensor.generate " + list(sizes) + " {");
  line("^bb0(" + list(declared) + "):");
  // One further along the first dimension, which ends outside.
  for (size_t dim = 0; dim < x.rank(); ++dim)
    shifted.push_back(dim ? indices[dim]
                          : arithmetic("addi", indices[0], indexConstant(1)));
  std::string read = fresh();
  line(read + " = tensor.extract " + x.name + "[" + list(shifted) +
       "] : " + x.typeText());
  line("tensor.yield " + patternText(*x.type, indices, read) + " : " +
       x.type->mlir);
  line("} : " + x.typeText());
  return add("generate", name, *x.type, x.shape, x.bound + kPatternBound,
             [&](size_t call, const Indices& i) {
               Indices from = i;
               if (!from.empty() && ++from[0] == x.shape[0].sizes[call])
                 return patternAt(i);
               return at(x, call, from) + patternAt(i);
             });
}

bool ModuleMaker::splat() {
  ModuleTensor x = *anyValue([](const ModuleTensor&) { return true; });
  std::vector<std::string> sizes;
  for (size_t dim = 0; dim < x.rank(); ++dim)
    if (x.shape[dim].isDynamic) sizes.push_back(dimText(x, dim));
  std::string scalar = scalarConstant(*x.type, 3), name = fresh();
  line(name + " = tensor.splat " + scalar +
       (sizes.empty() ? "" : "[" + list(sizes) + "]") + " : " + x.typeText());
  return add("splat", name, *x.type, x.shape, 3,
             [](size_t, const Indices&) { return 3; });
}

bool ModuleMaker::fromElements() {
  const ModuleTensor* found = anyValue([](const ModuleTensor& value) {
    return std::all_of(value.shape.begin(), value.shape.end(),
                       [](const ModuleDim& dim) { return dim.least() > 0; });
  });
  if (!found) return false;
  ModuleTensor x = *found;
  std::vector<std::string> indices;
  Indices from;
  for (const ModuleDim& dim : x.shape) {
    from.push_back(random_.between(0, dim.least() - 1));
    indices.push_back(indexConstant(from.back()));
  }
  std::string read = fresh(), constant = scalarConstant(*x.type, -2),
              name = fresh();
  line(read + " = tensor.extract " + x.name + "[" + list(indices) +
       "] : " + x.typeText());
  ModuleTensor result;
  result.type = x.type;
  result.shape = {staticDim(1), staticDim(3)};
  line(name + " = tensor.from_elements " + read + ", " + constant + ", " +
       read + " : " + result.typeText());
  return add("from_elements", name, *x.type, result.shape, x.bound + 2,
             [&](size_t call, const Indices& i) {
               return i[1] == 1 ? -2 : at(x, call, from);
             });
}

bool ModuleMaker::castToDynamic() {
  ModuleTensor x = *anyMoved([](const ModuleTensor&) { return true; });
  ModuleTensor result = x;
  for (ModuleDim& dim : result.shape) dim.isDynamic |= random_.chance(0.5);
  if (result.shape == x.shape) return false;
  std::string name = fresh();
  line(name + " = tensor.cast " + x.name + " : " + x.typeText() + " to " +
       result.typeText());
  return add("cast", name, *x.type, result.shape, x.bound,
             [&](size_t call, const Indices& i) { return at(x, call, i); });
}

bool ModuleMaker::reduce() {
  const ModuleTensor* found =
      anyValue([](const ModuleTensor& value) { return value.rank() > 0; });
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  size_t which = random_.below(x.rank());
  bool isMaximum = random_.chance(0.3);  // of 0 too
  int64_t bound = isMaximum
                      ? x.bound
                      : x.bound * std::max<int64_t>(1, x.shape[which].most());
  if (!isExact(x, bound)) return false;
  result.shape.erase(result.shape.begin() + static_cast<int64_t>(which));
  std::vector<std::string> sizes;
  for (size_t dim = 0; dim < x.rank(); ++dim)
    if (dim != which) sizes.push_back(dimText(x, dim));
  std::string dest = filledText(*x.type, result.shape, sizes, 0),
              name = fresh();
  std::string combiner = arithOf(x, isMaximum ? "max" : "add");
  line(name + " = linalg.reduce { " + combiner + " } ins(" + x.name + " : " +
       x.typeText() + ") outs(" + dest + " : " + result.typeText() +
       ") dimensions = [" + std::to_string(which) + "]");
  return add("reduce", name, *x.type, result.shape, bound,
             [&](size_t call, const Indices& i) {
               int64_t sum = 0;
               Indices from = i;
               auto place = from.begin() + static_cast<int64_t>(which);
               size_t position =
                   static_cast<size_t>(from.insert(place, 0) - from.begin());
               for (; from[position] < x.shape[which].sizes[call];
                    ++from[position])
                 sum = isMaximum ? std::max(sum, at(x, call, from))
                                 : sum + at(x, call, from);
               return sum;
             });
}

bool ModuleMaker::broadcast() {
  ModuleTensor x = *anyMoved([](const ModuleTensor&) { return true; });
  ModuleTensor result = x;
  size_t where = random_.below(x.rank() + 1);
  auto position = static_cast<int64_t>(where);
  std::vector<std::string> sizes;
  for (size_t dim = 0; dim < x.rank(); ++dim) sizes.push_back(dimText(x, dim));
  ModuleDim added = staticDim(random_.between(0, 3));
  result.shape.insert(result.shape.begin() + position, added);
  if (!mayHave(result.shape)) return false;
  sizes.insert(sizes.begin() + position, "");
  std::string dest = emptyText(*x.type, result.shape, sizes), name = fresh();
  line(name + " = linalg.broadcast ins(" + x.name + " : " + x.typeText() +
       ") outs(" + dest + " : " + result.typeText() + ") dimensions = [" +
       std::to_string(where) + "]");
  return add("broadcast", name, *x.type, result.shape, x.bound,
             [&](size_t call, const Indices& i) {
               Indices from = i;
               from.erase(from.begin() + position);
               return at(x, call, from);
             });
}

bool ModuleMaker::transpose() {
  const ModuleTensor* found =
      anyMoved([](const ModuleTensor& value) { return value.rank() > 1; });
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  std::vector<size_t> order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[random_.below(i + 1)]);
  std::vector<std::string> sizes, permutation;
  for (size_t dim = 0; dim < x.rank(); ++dim) {
    result.shape[dim] = x.shape[order[dim]];
    sizes.push_back(dimText(x, order[dim]));
    permutation.push_back(std::to_string(order[dim]));
  }
  std::string dest = emptyText(*x.type, result.shape, sizes), name = fresh();
  line(name + " = linalg.transpose ins(" + x.name + " : " + x.typeText() +
       ") outs(" + dest + " : " + result.typeText() + ") permutation = [" +
       list(permutation) + "]");
  return add("transpose", name, *x.type, result.shape, x.bound,
             [&](size_t call, const Indices& i) {
               Indices from(i.size());
               for (size_t dim = 0; dim < i.size(); ++dim)
                 from[order[dim]] = i[dim];
               return at(x, call, from);
             });
}

// Not with itself: upstream folds that to a constant, of dynamic sizes too.
bool ModuleMaker::compare() {
  ModuleTensor x = *anyValue([](const ModuleTensor&) { return true; });
  const ModuleTensor* found = anyValue([&](const ModuleTensor& other) {
    return other.type == x.type && other.shape == x.shape &&
           other.name != x.name;
  });
  if (!found) return false;
  ModuleTensor y = *found;
  std::string name = fresh();
  line(name + " = arith." + (x.isFloat() ? "cmpf ogt, " : "cmpi sgt, ") +
       x.name + ", " + y.name + " : " + x.typeText());
  return add("compare", name, kBool, x.shape, 1,
             [&](size_t call, const Indices& i) {
               return at(x, call, i) > at(y, call, i);
             });
}

// Of truth values along one dimension.
bool ModuleMaker::anyTrue() {
  const ModuleTensor* found = anyMoved([](const ModuleTensor& value) {
    return value.type->kind == Element::kUnsigned && value.rank() > 0;
  });
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  size_t which = random_.below(x.rank());
  result.shape.erase(result.shape.begin() + static_cast<int64_t>(which));
  std::vector<std::string> sizes;
  for (size_t dim = 0; dim < x.rank(); ++dim)
    if (dim != which) sizes.push_back(dimText(x, dim));
  std::string dest = emptyText(*x.type, result.shape, sizes),
              no = scalarConstant(*x.type, 0), filled = fresh(), name = fresh();
  line(filled + " = linalg.fill ins(" + no + " : i1) outs(" + dest + " : " +
       result.typeText() + ") -> " + result.typeText());
  line(name + " = linalg.reduce { arith.ori } ins(" + x.name + " : " +
       x.typeText() + ") outs(" + filled + " : " + result.typeText() +
       ") dimensions = [" + std::to_string(which) + "]");
  return add("any", name, *x.type, result.shape, 1,
             [&](size_t call, const Indices& i) {
               Indices from = i;
               from.insert(from.begin() + static_cast<int64_t>(which), 0);
               int64_t any = 0;
               for (; from[which] < x.shape[which].sizes[call]; ++from[which])
                 any |= at(x, call, from);
               return any;
             });
}

bool ModuleMaker::contraction() {
  const ModuleTensor* found =
      anyValue([](const ModuleTensor& value) { return value.rank() == 2; });
  if (!found) return false;
  ModuleTensor x = *found;
  ModuleTensor y = *anyValue([&](const ModuleTensor& value) {
    return value.rank() == 2 && value.type == x.type &&
           value.shape[1].hasSizesOf(x.shape[1]);
  });
  return contractionOf(x, y);
}

// x * y^T.
bool ModuleMaker::contractionOf(const ModuleTensor& x, const ModuleTensor& y) {
  int64_t bound = x.bound * y.bound * std::max<int64_t>(1, x.shape[1].most());
  ModuleTensor result;
  result.type = sumType(x);
  result.shape = {x.shape[0], y.shape[0]};
  if ((!isExact(x, bound)) || !mayHave(result.shape)) return false;
  std::vector<std::string> sizes = {dimText(x, 0), dimText(y, 0)};
  std::string dest = filledText(*result.type, result.shape, sizes, 0),
              name = fresh();
  line(name +
       " = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, "
       "affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] "
       "ins(" +
       x.name + ", " + y.name + " : " + x.typeText() + ", " + y.typeText() +
       ") outs(" + dest + " : " + result.typeText() + ") -> " +
       result.typeText());
  return add("matmul", name, *result.type, result.shape, bound,
             [&](size_t call, const Indices& i) {
               int64_t sum = 0;
               Indices row = {i[0], 0}, column = {i[1], 0};
               for (int64_t k = 0; k < x.shape[1].sizes[call]; ++k) {
                 row[1] = column[1] = k;
                 sum = sumOf(sum,
                             productOf(at(x, call, row), at(y, call, column)));
               }
               return sum;
             });
}

}  // namespace tilewright::testing
