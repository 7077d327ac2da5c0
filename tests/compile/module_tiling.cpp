// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplications as models have them: by weights that are constants, of which
// several may take one, with a batch, onto what is there, again and again; and
// casts.

#include <algorithm>

#include "tests/compile/module_program.h"

namespace tilewright::testing {

// A constant matrix: as it is, or a part of a larger one, or of smaller
// elements, or both.
std::string ModuleMaker::weightsText(
    const Element& type, const Indices& sizes,
    const std::function<int64_t(const Indices& at)>& element) {
  const std::string to = type.mlir;
  bool is_cast = (to[0] == 'f' || to[0] == 'b' || to == "i16" || to == "i32" ||
                  to == "i64") &&
                 random_.chance(0.4);
  bool is_slice = random_.chance(0.4), is_deep = random_.chance(0.3);
  Indices steps = {1, 1}, starts = {0, 0}, whole = sizes;
  int64_t layer = 0, layers = is_slice && is_deep ? 3 : 1;
  if (is_slice)
    for (size_t dim = 0; dim < 2; ++dim) {
      steps[dim] = random_.between(1, 2);
      starts[dim] = random_.between(0, 5);
      whole[dim] = starts[dim] + sizes[dim] * steps[dim];
    }
  if (layers > 1) layer = random_.between(0, layers - 1);
  // What is not in the slice is 9.
  auto at = [&](int64_t of_layer, int64_t row, int64_t column) -> int64_t {
    row -= starts[0];
    column -= starts[1];
    if (of_layer != layer || row < 0 || column < 0 || row % steps[0] ||
        column % steps[1])
      return 9;
    return element({row / steps[0], column / steps[1]});
  };
  std::string from = is_cast ? "i8" : to;
  std::vector<std::string> matrices;
  for (int64_t l = 0; l < layers; ++l) {
    std::vector<std::string> lines;
    for (int64_t row = 0; row < whole[0]; ++row) {
      std::vector<std::string> elements;
      for (int64_t column = 0; column < whole[1]; ++column)
        elements.push_back(std::to_string(at(l, row, column)) +
                           (from[0] == 'f' || from[0] == 'b' ? ".0" : ""));
      lines.push_back("[" + list(elements) + "]");
    }
    matrices.push_back("[" + list(lines) + "]");
  }
  auto tensor = [](const std::string& outer, const Indices& shape,
                   const std::string& of) {
    return "tensor<" + outer + std::to_string(shape[0]) + "x" +
           std::to_string(shape[1]) + "x" + of + ">";
  };
  std::string outer = layers > 1 ? std::to_string(layers) + "x" : "";
  std::string name = fresh();
  line(name + " = arith.constant dense<" +
       (layers > 1 ? "[" + list(matrices) + "]" : matrices[0]) +
       "> : " + tensor(outer, whole, from));
  if (is_slice) {
    std::string slice = fresh();
    auto three = [&](int64_t first, const Indices& others) {
      return "[" + (layers > 1 ? std::to_string(first) + ", " : "") +
             std::to_string(others[0]) + ", " + std::to_string(others[1]) + "]";
    };
    line(slice + " = tensor.extract_slice " + name + three(layer, starts) +
         " " + three(1, sizes) + " " + three(1, steps) + " : " +
         tensor(outer, whole, from) + " to " + tensor("", sizes, from));
    name = slice;
  }
  if (is_cast) {
    std::string wide = fresh();
    line(wide + " = arith." + (to[0] == 'i' ? "extsi " : "sitofp ") + name +
         " : " + tensor("", sizes, from) + " to " + tensor("", sizes, to));
    name = wide;
  }
  return name;
}

// A constant that a value may be multiplied by, of rows of its last dimension.
bool ModuleMaker::weights() {
  const ModuleTensor* found = anyValue([](const ModuleTensor& value) {
    return value.rank() > 0 && !value.shape.back().isDynamic &&
           value.shape.back().least() > 0;
  });
  if (!found) return false;
  ModuleTensor x = *found, result;
  const int64_t kRows[] = {1, 3, 16, 37, 70};
  const int64_t kTiles[] = {16, 32, 32, 64, 90};
  int64_t rows = has_tiles_ ? kTiles[random_.below(std::size(kTiles))]
                            : kRows[random_.below(std::size(kRows))];
  int64_t columns = x.shape.back().least();
  result.type = x.type;
  result.shape = {staticDim(rows), staticDim(columns)};
  if (!mayHave(result.shape)) return false;
  int64_t step = random_.between(1, 6);
  auto element = [step](const Indices& i) {
    return (i[0] * 3 + i[1] * step) % 5 - 2;
  };
  std::string name = weightsText(*x.type, {rows, columns}, element);
  return add("weights", name, *x.type, result.shape, 2,
             [&](size_t, const Indices& i) { return element(i); });
}

// Weights by a value that is transposed.
bool ModuleMaker::weightsFirst() {
  if (!weights()) return false;
  ModuleTensor matrix = program_.values.back();
  const ModuleTensor* x = anyValue([&](const ModuleTensor& value) {
    return value.rank() == 2 && value.type == matrix.type &&
           value.name != matrix.name &&
           value.shape[1].hasSizesOf(matrix.shape[1]);
  });
  return x && contractionOf(matrix, ModuleTensor(*x));
}

// Each element, and one: of what fills up a tile with zeros it makes ones.
ModuleTensor ModuleMaker::plusOne(const ModuleTensor& x) {
  std::vector<std::string> sizes, loops;
  for (size_t dim = 0; dim < x.rank(); ++dim) {
    sizes.push_back(dimText(x, dim));
    loops.push_back("d" + std::to_string(dim));
  }
  std::string map =
      "affine_map<(" + list(loops) + ") -> (" + list(loops) + ")>";
  std::string dest = emptyText(*x.type, x.shape, sizes),
              one = scalarConstant(*x.type, 1);
  ModuleTensor result = x;
  result.name = fresh();
  result.bound = x.bound + 1;
  for (std::vector<int64_t>& elements : result.data)
    for (int64_t& element : elements)
      element = wrapElement(*x.type, element + 1);
  line(result.name + " = linalg.generic {indexing_maps = [" + map + ", " + map +
       "], iterator_types = [" +
       list(std::vector<std::string>(x.rank(), "\"parallel\"")) + "]} ins(" +
       x.name + " : " + x.typeText() + ") outs(" + dest + " : " + x.typeText() +
       ") {");
  line("^bb0(%p: " + std::string(x.type->mlir) + ", %q: " + x.type->mlir +
       "):");
  line("%s = arith.add" + std::string(x.isFloat() ? "f" : "i") + " %p, " + one +
       " : " + x.type->mlir);
  line("linalg.yield %s : " + std::string(x.type->mlir));
  line("} -> " + x.typeText());
  return result;
}

// Of rows, of a batch or not, by the rows of a matrix; of zeros or of a value
// that has the right sizes. Some of operands that are computed for it alone.
bool ModuleMaker::product() {
  const ModuleTensor* found = anyValue([](const ModuleTensor& value) {
    return value.rank() == 2 || value.rank() == 3;
  });
  if (!found) return false;
  ModuleTensor x = *found;
  const ModuleTensor* matrix = anyValue([&](const ModuleTensor& value) {
    return value.rank() == 2 && value.type == x.type &&
           value.shape[1].hasSizesOf(x.shape.back());
  });
  if (!matrix) return false;
  ModuleTensor y = *matrix, result;
  // Of bytes several steps are in a tile, and the last of them may be no step.
  if (random_.chance(x.type->bits == 8 ? 0.7 : 0.3)) {
    x = plusOne(x);
    y = plusOne(y);
  }
  result.type = sumType(x);
  result.shape = x.shape;
  result.shape.back() = y.shape[0];
  int64_t bound =
      x.bound * y.bound * std::max<int64_t>(1, x.shape.back().most());
  const ModuleTensor* onto = nullptr;
  if (random_.chance(0.4))
    onto = anyValue([&](const ModuleTensor& value) {
      return value.type == result.type && value.shape == result.shape;
    });
  ModuleTensor from = onto ? *onto : result;
  // In a loop of %n iterations, or where %n is more than 1. What a branch makes
  // of a size that is not known calls malloc.
  bool isStatic =
      std::none_of(result.shape.begin(), result.shape.end(),
                   [](const ModuleDim& dim) { return dim.isDynamic; });
  bool isLoop = random_.chance(0.2);
  bool isBranch = isStatic && !isLoop && random_.chance(0.2);
  int64_t most = 1;
  for (int64_t trips : program_.scalar)
    if (isLoop) most = std::max(most, trips);
  bound = bound * most + from.bound;
  if (!isExact(x, bound) || !mayHave(result.shape)) return false;

  std::vector<std::string> sizes;
  for (size_t dim = 0; dim + 1 < x.rank(); ++dim)
    sizes.push_back(dimText(x, dim));
  sizes.push_back(dimText(y, 0));
  if (!onto) from.name = filledText(*result.type, result.shape, sizes, 0);
  std::string dest = isLoop ? "%acc" : from.name;
  std::string rows = x.rank() == 3 ? "b, m" : "m";
  std::string loops = "(" + rows + ", n, k) -> ";
  std::string body, left = "%x", right = "%y";
  if (result.type != x.type) {
    for (std::string* side : {&left, &right}) {
      body += "    " + *side + "w = arith.extsi " + *side + " : " +
              x.type->mlir + " to " + result.type->mlir + "\n";
      *side += "w";
    }
  }
  std::string suffix = x.isFloat() ? "f " : "i ";
  body += "    %p = arith.mul" + suffix + left + ", " + right + " : " +
          result.type->mlir + "\n    %s = arith.add" + suffix +
          "%o, %p : " + result.type->mlir + "\n";
  std::string name = fresh();
  bool isRepeated = isLoop || isBranch;
  std::string text =
      (isRepeated ? "%next" : name) +
      " = linalg.generic {indexing_maps = [affine_map<" + loops + "(" + rows +
      ", k)>, affine_map<" + loops + "(n, k)>, affine_map<" + loops + "(" +
      rows + ", n)>], iterator_types = [" +
      (x.rank() == 3 ? "\"parallel\", " : "") +
      "\"parallel\", \"parallel\", \"reduction\"]} ins(" + x.name + ", " +
      y.name + " : " + x.typeText() + ", " + y.typeText() + ") outs(" + dest +
      " : " + result.typeText() + ") {\n  ^bb0(%x: " + x.type->mlir +
      ", %y: " + x.type->mlir + ", %o: " + result.type->mlir + "):\n" + body +
      "    linalg.yield %s : " + result.type->mlir + "\n  } -> " +
      result.typeText();
  line(isRepeated
           ? repeatedText(name, result.typeText(), from.name, text, isLoop)
           : text);
  return add(isLoop     ? "product_loop"
             : isBranch ? "product_branch"
             : onto     ? "product_onto"
                        : "product",
             name, *result.type, result.shape, bound,
             [&](size_t call, const Indices& i) {
               int64_t sum = onto ? at(from, call, i) : 0;
               int64_t trips = program_.scalar[call];
               if (isRepeated && trips < (isLoop ? 1 : 2)) return sum;
               int64_t times = isLoop ? trips : 1;
               Indices row = i, column = {i.back(), 0};
               for (int64_t k = 0; k < x.shape.back().sizes[call]; ++k) {
                 row.back() = column.back() = k;
                 sum = sumOf(sum,
                             productOf(times, productOf(at(x, call, row),
                                                        at(y, call, column))));
               }
               return sum;
             });
}

// `step`, which makes %next, of %acc for each of %n iterations, or of `from`
// where %n is more than 1.
std::string ModuleMaker::repeatedText(const std::string& result,
                                      const std::string& type,
                                      const std::string& from,
                                      const std::string& step, bool is_loop) {
  std::string end = "\n  scf.yield %next : " + type + "\n  }";
  std::string one = indexConstant(1);
  if (is_loop)
    return result + " = scf.for %i = " + indexConstant(0) + " to %n step " +
           one + " iter_args(%acc = " + from + ") -> (" + type + ") {\n  " +
           step + end;
  std::string condition = fresh();
  line(condition + " = arith.cmpi sgt, %n, " + one + " : index");
  return result + " = scf.if " + condition + " -> (" + type + ") {\n  " + step +
         end + " else {\n  scf.yield " + from + " : " + type + "\n  }";
}

// To another type that holds it.
bool ModuleMaker::cast() {
  const ModuleTensor* found =
      anyValue([](const ModuleTensor&) { return true; });
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  // Integers wrap, whatever their bound.
  int64_t bound = 0;
  for (const std::vector<int64_t>& elements : x.data)
    for (int64_t element : elements) bound = std::max(bound, std::abs(element));
  if (bound >= 1 << 22) return false;
  result.type = x.isFloat() || random_.chance(0.5) ? otherType(x) : sumType(x);
  if (result.type == x.type) return false;
  std::string op = x.isFloat()        ? "arith.fptosi"
                   : result.isFloat() ? "arith.sitofp"
                                      : "arith.extsi";
  std::vector<std::string> sizes, dims;
  for (size_t dim = 0; dim < x.rank(); ++dim) {
    sizes.push_back(dimText(x, dim));
    dims.push_back("d" + std::to_string(dim));
  }
  std::string map = "affine_map<(" + list(dims) + ") -> (" + list(dims) + ")>";
  std::string dest = emptyText(*result.type, result.shape, sizes);
  std::vector<std::string> loops(x.rank(), "\"parallel\"");
  std::string name = fresh();
  line(name + " = linalg.generic {indexing_maps = [" + map + ", " + map +
       "], iterator_types = [" + list(loops) + "]} ins(" + x.name + " : " +
       x.typeText() + ") outs(" + dest + " : " + result.typeText() +
       ") {\n  ^bb0(%x: " + x.type->mlir + ", %o: " + result.type->mlir +
       "):\n    %c = " + op + " %x : " + x.type->mlir + " to " +
       result.type->mlir + "\n    linalg.yield %c : " + result.type->mlir +
       "\n  } -> " + result.typeText());
  return add("cast", name, *result.type, result.shape, bound,
             [&](size_t call, const Indices& i) { return at(x, call, i); });
}

// Two results of one operation: each element twice, and those along a dimension
// summed up, or each beside its index.
bool ModuleMaker::pair() {
  const ModuleTensor* found =
      anyValue([](const ModuleTensor& value) { return value.rank() > 0; });
  if (!found) return false;
  ModuleTensor x = *found, second = x;
  bool isSum = random_.chance(0.5);
  size_t which = random_.below(x.rank());
  auto place = static_cast<int64_t>(which);
  int64_t bound = isSum ? x.bound * std::max<int64_t>(1, x.shape[which].most())
                        : x.bound + kPatternBound;
  if (!isExact(x, std::max(bound, 2 * x.bound))) return false;
  std::vector<std::string> sizes, loops, iterators(x.rank(), "\"parallel\"");
  for (size_t dim = 0; dim < x.rank(); ++dim) {
    sizes.push_back(dimText(x, dim));
    loops.push_back("d" + std::to_string(dim));
  }
  auto map = [&](const std::vector<std::string>& to) {
    return "affine_map<(" + list(loops) + ") -> (" + list(to) + ")>";
  };
  std::string dest = emptyText(*x.type, x.shape, sizes), all = map(loops);
  std::vector<std::string> kept = loops;
  if (isSum) {
    iterators[which] = "\"reduction\"";
    second.shape.erase(second.shape.begin() + place);
    sizes.erase(sizes.begin() + place);
    kept.erase(kept.begin() + place);
  }
  std::string onto = isSum ? filledText(*x.type, second.shape, sizes, 0)
                           : emptyText(*x.type, second.shape, sizes),
              name = fresh(), t = x.type->mlir,
              op = std::string("arith.add") + (x.isFloat() ? "f " : "i ");
  line(name + ":2 = linalg.generic {indexing_maps = [" + all + ", " + all +
       ", " + map(kept) + "], iterator_types = [" + list(iterators) +
       "]} ins(" + x.name + " : " + x.typeText() + ") outs(" + dest + ", " +
       onto + " : " + x.typeText() + ", " + second.typeText() + ") {");
  line("^bb0(%p: " + t + ", %q: " + t + ", %r: " + t + "):");
  line("%twice = " + op + "%p, %p : " + t);
  std::string other = "%sum";
  if (isSum) {
    line("%sum = " + op + "%r, %p : " + t);
  } else {
    std::vector<std::string> indices;
    for (size_t dim = 0; dim < x.rank(); ++dim) {
      indices.push_back(fresh());
      line(indices.back() + " = linalg.index " + std::to_string(dim) +
           " : index");
    }
    other = patternText(*x.type, indices, "%p");
  }
  line("linalg.yield %twice, " + other + " : " + t + ", " + t);
  line("} -> (" + x.typeText() + ", " + second.typeText() + ")");
  add("pair", name + "#0", *x.type, x.shape, 2 * x.bound,
      [&](size_t call, const Indices& i) {
        return wrapElement(*x.type, 2 * at(x, call, i));
      });
  return add("pair", name + "#1", *x.type, second.shape, bound,
             [&](size_t call, const Indices& i) {
               if (!isSum)
                 return wrapElement(*x.type, at(x, call, i) + patternAt(i));
               int64_t sum = 0;
               Indices from = i;
               from.insert(from.begin() + place, 0);
               for (; from[which] < x.shape[which].sizes[call]; ++from[which])
                 sum = sumOf(sum, at(x, call, from));
               return wrapElement(*x.type, sum);
             });
}

}  // namespace tilewright::testing
