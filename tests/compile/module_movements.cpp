// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of random modules that put elements elsewhere.

#include <algorithm>
#include <numeric>

#include "tests/compile/module_program.h"

namespace tilewright::testing {
namespace {

constexpr Element kS32{"s32", "i32", 32, Element::kSigned, {}};

bool hasRank(const ModuleTensor& value) { return value.rank() > 0; }

std::string listOf(const Indices& numbers) {
  std::vector<std::string> items;
  for (int64_t number : numbers) items.push_back(std::to_string(number));
  return list(items);
}

// "[[0], [1, 2]]", where `count` dimensions from `first` are one group.
std::string groupsText(size_t rank, size_t first, size_t count) {
  std::vector<std::string> groups;
  for (size_t dim = 0; dim < rank; ++dim) {
    bool continues = dim > first && dim < first + count;
    if (continues) groups.back() += ", " + std::to_string(dim);
    if (!continues) groups.push_back(std::to_string(dim));
  }
  return "[[" + [&] {
    std::string text;
    for (const std::string& group : groups)
      text += (text.empty() ? "" : "], [") + group;
    return text;
  }() + "]]";
}

}  // namespace

// The index it holds from which dimension `dim` of a slice takes element i:
// offsets[call][dim] + i * strides[dim].
struct ModuleMaker::Slice {
  std::vector<std::string> offsetTexts, sizeTexts;
  Indices offsets[kModuleCalls], strides;
  ModuleShape shape;

  std::string text() const {
    return "[" + list(offsetTexts) + "] [" + list(sizeTexts) + "] [" +
           listOf(strides) + "]";
  }
};

std::optional<ModuleMaker::Slice> ModuleMaker::chooseSlice(
    const ModuleTensor& whole) {
  Slice slice;
  for (size_t dim = 0; dim < whole.rank(); ++dim) {
    const ModuleDim& extent = whole.shape[dim];
    int64_t least = extent.least(), offset = 0, stride = 1, size = 0;
    auto take = [&](const std::string& offsetText, const ModuleDim& taken,
                    const std::string& sizeText) {
      slice.offsetTexts.push_back(offsetText);
      slice.strides.push_back(stride);
      slice.shape.push_back(taken);
      slice.sizeTexts.push_back(
          taken.isDynamic ? sizeText : std::to_string(taken.sizes[0]));
    };
    // Upstream wants static slices to begin inside, also those of nothing.
    if (extent.isAlways(0)) return std::nullopt;
    switch (least > 0 ? random_.below(4) : 0) {
      case 0:  // all
        take("0", extent, extent.isDynamic ? dimText(whole, dim) : "");
        break;
      case 1: {  // from an offset to the end
        offset = random_.between(0, std::min<int64_t>(least - 1, 3));
        stride = random_.between(1, 3);
        ModuleDim taken = extent;
        for (int64_t& s : taken.sizes) s = (s - offset + stride - 1) / stride;
        std::string text;
        if (extent.isDynamic) {
          text = arithmetic("subi", dimText(whole, dim), indexConstant(offset));
          text = arithmetic("ceildivsi", text, indexConstant(stride));
        }
        take(std::to_string(offset), taken, text);
        break;
      }
      case 2:  // a constant part
        size = random_.between(0, std::min<int64_t>(least, 4));
        offset = random_.between(0, std::min(least - size, least - 1));
        if (has_tiles_ && least >= 16) {
          offset = 16 * random_.between(0, least / 16 - 1);
          size = random_.chance(0.7) ? 16 : random_.between(1, least - offset);
        }
        take(std::to_string(offset), staticDim(size), "");
        break;
      default: {  // from a place that the caller says
        int64_t room = extent.most();
        for (size_t call = 0; call < kModuleCalls; ++call)
          room = std::min(room, extent.sizes[call] - program_.scalar[call]);
        if (room < 0) return std::nullopt;
        take("%n", staticDim(random_.between(0, room)), "");
        for (size_t call = 0; call < kModuleCalls; ++call)
          slice.offsets[call].push_back(program_.scalar[call]);
        continue;
      }
    }
    for (Indices& offsets : slice.offsets) offsets.push_back(offset);
  }
  return slice;
}

bool ModuleMaker::extractSlice() {
  const ModuleTensor* found = anyMoved(hasRank);
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  std::optional<Slice> slice = chooseSlice(x);
  if (!slice) return false;
  // Of size 1, a dimension may be left out.
  std::vector<bool> isDropped;
  result.shape.clear();
  for (const ModuleDim& dim : slice->shape) {
    isDropped.push_back(!dim.isDynamic && dim.isAlways(1) &&
                        random_.chance(0.5));
    if (!isDropped.back()) result.shape.push_back(dim);
  }
  std::string name = fresh();
  line(name + " = tensor.extract_slice " + x.name + slice->text() + " : " +
       x.typeText() + " to " + result.typeText());
  return add("extract_slice", name, *x.type, result.shape, x.bound,
             [&](size_t call, const Indices& i) {
               Indices from = slice->offsets[call];
               for (size_t dim = 0, next = 0; dim < from.size(); ++dim)
                 if (!isDropped[dim])
                   from[dim] += i[next++] * slice->strides[dim];
               return at(x, call, from);
             });
}

// A part of a tensor, or the pattern, over another part of it.
bool ModuleMaker::insertSlice() {
  const ModuleTensor* found = anyMoved(hasRank);
  if (!found) return false;
  ModuleTensor x = *found, part = x;
  std::optional<Slice> to = chooseSlice(x);
  if (!to) return false;
  part.shape = to->shape;
  // From the beginning, so that the two overlap.
  std::string source = fresh();
  Indices zeros(x.rank()), ones(x.rank(), 1);
  line(source + " = tensor.extract_slice " + x.name + "[" + listOf(zeros) +
       "] [" + list(to->sizeTexts) + "] [" + listOf(ones) +
       "] : " + x.typeText() + " to " + part.typeText());
  std::string name = fresh();
  line(name + " = tensor.insert_slice " + source + " into " + x.name +
       to->text() + " : " + part.typeText() + " into " + x.typeText());
  return add("insert_slice", name, *x.type, x.shape, x.bound,
             [&](size_t call, const Indices& i) {
               Indices from(i.size());
               for (size_t dim = 0; dim < i.size(); ++dim) {
                 int64_t distance = i[dim] - to->offsets[call][dim];
                 from[dim] = distance / to->strides[dim];
                 if (distance < 0 || distance % to->strides[dim] != 0 ||
                     from[dim] >= to->shape[dim].sizes[call])
                   return at(x, call, i);
               }
               return at(x, call, from);
             });
}

bool ModuleMaker::expand() {
  const ModuleTensor* found = anyMoved(hasRank);
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  size_t which = random_.below(x.rank());
  const ModuleDim& dim = x.shape[which];
  int64_t inner = has_tiles_ && random_.chance(0.7)
                      ? int64_t{8} << random_.below(3)
                      : random_.between(1, 3);
  for (int64_t size : dim.sizes)
    if (size % inner != 0) return false;
  std::vector<std::string> sizes;
  for (size_t i = 0; i < x.rank(); ++i)
    sizes.push_back(x.shape[i].isDynamic ? dimText(x, i)
                                         : std::to_string(x.shape[i].sizes[0]));
  for (int64_t& size : result.shape[which].sizes) size /= inner;
  sizes[which] = dim.isDynamic
                     ? arithmetic("divui", sizes[which], indexConstant(inner))
                     : std::to_string(result.shape[which].sizes[0]);
  auto after = static_cast<int64_t>(which) + 1;
  result.shape.insert(result.shape.begin() + after, staticDim(inner));
  sizes.insert(sizes.begin() + after, std::to_string(inner));
  if (!mayHave(result.shape)) return false;
  std::string name = fresh();
  line(name + " = tensor.expand_shape " + x.name + " " +
       groupsText(result.rank(), which, 2) + " output_shape [" + list(sizes) +
       "] : " + x.typeText() + " into " + result.typeText());
  return add("expand_shape", name, *x.type, result.shape, x.bound,
             [&](size_t call, const Indices& i) {
               return x.data[call][offsetOf(result.shape, call, i)];
             });
}

bool ModuleMaker::collapse() {
  const ModuleTensor* found =
      anyMoved([](const ModuleTensor& value) { return value.rank() > 1; });
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  size_t first = random_.below(x.rank() - 1);
  size_t count = 2 + random_.below(static_cast<uint64_t>(x.rank() - first - 1));
  ModuleDim& whole = result.shape[first];
  for (size_t dim = first + 1; dim < first + count; ++dim) {
    whole.isDynamic |= x.shape[dim].isDynamic;
    for (size_t call = 0; call < kModuleCalls; ++call)
      whole.sizes[call] *= x.shape[dim].sizes[call];
  }
  auto begin = result.shape.begin() + static_cast<int64_t>(first);
  result.shape.erase(begin + 1, begin + static_cast<int64_t>(count));
  std::string name = fresh();
  line(name + " = tensor.collapse_shape " + x.name + " " +
       groupsText(x.rank(), first, count) + " : " + x.typeText() + " into " +
       result.typeText());
  return add("collapse_shape", name, *x.type, result.shape, x.bound,
             [&](size_t call, const Indices& i) {
               return x.data[call][offsetOf(result.shape, call, i)];
             });
}

bool ModuleMaker::pad() {
  const ModuleTensor* found = anyMoved(hasRank);
  // Rather what was computed last, which may be in tiles.
  if (has_tiles_ && random_.chance(0.7) && hasRank(program_.values.back()))
    found = &program_.values.back();
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  std::vector<std::string> lows, highs;
  Indices low[kModuleCalls];
  size_t padded = random_.below(x.rank());
  for (ModuleDim& dim : result.shape) {
    int64_t before = random_.between(0, 2), after = random_.between(0, 2);
    bool isGiven = random_.chance(0.2);
    // Along one dimension, in front by whole tiles, of some CPUs or of most.
    if (has_tiles_) {
      const int64_t kBefore[] = {0, 0, 0, 32, 96, 1};
      bool isPadded = &dim == &result.shape[padded];
      before = isPadded ? kBefore[random_.below(std::size(kBefore))] : 0;
      after = isPadded ? random_.between(0, 20) : 0;
      isGiven = random_.chance(0.05);
    }
    dim.isDynamic |= isGiven;
    lows.push_back(isGiven ? "%n" : std::to_string(before));
    highs.push_back(std::to_string(after));
    for (size_t call = 0; call < kModuleCalls; ++call) {
      low[call].push_back(isGiven ? program_.scalar[call] : before);
      dim.sizes[call] += low[call].back() + after;
    }
  }
  if (!mayHave(result.shape)) return false;
  bool isPattern = !x.isOnlyMoved() && random_.chance(has_tiles_ ? 0.1 : 0.3);
  int64_t padding = constantOf(x, -3);
  std::string value = isPattern ? "" : scalarConstant(*x.type, padding);
  std::string name = fresh();
  std::vector<std::string> indices, declared;
  for (size_t dim = 0; dim < x.rank(); ++dim) {
    indices.push_back("%i" + name.substr(1) + "_" + std::to_string(dim));
    declared.push_back(indices.back() + ": index");
  }
  line(name + " = tensor.pad " + x.name + " low[" + list(lows) + "] high[" +
       list(highs) + "] {");
  line("^bb0(" + list(declared) + "):");
  if (isPattern) value = patternText(*x.type, indices, "");
  line("tensor.yield " + value + " : " + x.type->mlir);
  line("} : " + x.typeText() + " to " + result.typeText());
  return add("pad", name, *x.type, result.shape, std::max<int64_t>(x.bound, 3),
             [&](size_t call, const Indices& i) {
               Indices from = i;
               for (size_t dim = 0; dim < i.size(); ++dim) {
                 from[dim] -= low[call][dim];
                 if (from[dim] < 0 || from[dim] >= x.shape[dim].sizes[call])
                   return isPattern ? patternAt(i) : padding;
               }
               return at(x, call, from);
             });
}

bool ModuleMaker::concat() {
  const ModuleTensor* found = anyMoved(hasRank);
  if (!found) return false;
  std::vector<ModuleTensor> inputs = {*found};
  ModuleTensor result = *found;
  size_t along = random_.below(result.rank());
  ModuleDim& whole = result.shape[along];
  for (uint64_t more = random_.below(3); more > 0; --more) {
    inputs.push_back(*anyMoved([&](const ModuleTensor& value) {
      if (value.type != inputs[0].type || value.rank() != inputs[0].rank())
        return false;
      for (size_t dim = 0; dim < value.rank(); ++dim)
        if (dim != along && !(value.shape[dim] == inputs[0].shape[dim]))
          return false;
      return true;
    }));
    const ModuleTensor& last = inputs.back();
    whole.isDynamic |= last.shape[along].isDynamic;
    for (size_t call = 0; call < kModuleCalls; ++call)
      whole.sizes[call] += last.shape[along].sizes[call];
    result.bound = std::max(result.bound, last.bound);
  }
  if (!mayHave(result.shape)) return false;
  std::vector<std::string> names, types;
  for (const ModuleTensor& input : inputs) {
    names.push_back(input.name);
    types.push_back(input.typeText());
  }
  std::string name = fresh();
  line(name + " = tensor.concat dim(" + std::to_string(along) + ") " +
       list(names) + " : (" + list(types) + ") -> " + result.typeText());
  return add("concat", name, *result.type, result.shape, result.bound,
             [&](size_t call, const Indices& i) {
               Indices from = i;
               size_t input = 0;
               while (from[along] >= inputs[input].shape[along].sizes[call])
                 from[along] -= inputs[input++].shape[along].sizes[call];
               return at(inputs[input], call, from);
             });
}

bool ModuleMaker::gather() {
  const ModuleTensor* found = anyMoved(hasRank);
  // A call passes no more words than callWords takes.
  if (!found || program_.arguments.size() > 4) return false;
  ModuleTensor x = *found, result = x;
  Indices gathered;
  for (size_t dim = 0; dim < x.rank(); ++dim)
    if (random_.chance(0.5)) gathered.push_back(static_cast<int64_t>(dim));
  if (gathered.empty()) return false;
  ModuleShape shape = randomShape();
  if (shape.size() > 2) shape.resize(2);
  size_t batch = shape.size();
  result.shape = shape;
  bool keeps = random_.chance(0.5);
  std::vector<size_t> places(x.rank());  // in the result
  std::vector<int64_t> coordinate(x.rank(), -1);
  for (size_t dim = 0; dim < x.rank(); ++dim) {
    auto position =
        std::find(gathered.begin(), gathered.end(), static_cast<int64_t>(dim));
    places[dim] = result.shape.size();
    if (position != gathered.end()) {
      coordinate[dim] = position - gathered.begin();
      if (keeps) result.shape.push_back(staticDim(1));
    } else {
      result.shape.push_back(x.shape[dim]);
    }
  }
  shape.push_back(staticDim(static_cast<int64_t>(gathered.size())));
  if (!mayHave(result.shape) || !mayHave(shape)) return false;
  ModuleTensor which = program_.values[addArgument(kS32, shape, 1)];
  // Some are outside.
  for (size_t call = 0; call < kModuleCalls; ++call)
    for (int64_t& index : which.data[call]) index = random_.between(-1, 4);
  program_.values.back() = which;
  std::string name = fresh();
  line(name + " = tensor.gather " + x.name + "[" + which.name +
       "] gather_dims([" + listOf(gathered) + "]) : (" + x.typeText() + ", " +
       which.typeText() + ") -> " + result.typeText());
  return add("gather", name, *x.type, result.shape, x.bound,
             [&](size_t call, const Indices& i) {
               Indices from(x.rank());
               for (size_t dim = 0; dim < x.rank(); ++dim) {
                 if (coordinate[dim] < 0) {
                   from[dim] = i[places[dim]];
                   continue;
                 }
                 Indices entry(i.begin(),
                               i.begin() + static_cast<int64_t>(batch));
                 entry.push_back(coordinate[dim]);
                 from[dim] = at(which, call, entry);
                 if (from[dim] < 0 || from[dim] >= x.shape[dim].sizes[call])
                   return int64_t{0};
               }
               return at(x, call, from);
             });
}

// Elementwise of one or two tensors whose dimensions stand in another order
// than the result's.
bool ModuleMaker::permute() {
  const ModuleTensor* found =
      anyMoved([](const ModuleTensor& value) { return value.rank() > 1; });
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  bool computes = !x.isOnlyMoved(), widens = computes && random_.chance(0.5);
  if (widens) result.type = sumType(x);
  std::vector<size_t> order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[random_.below(i + 1)]);
  std::vector<std::string> sizes, loops, places(x.rank());
  for (size_t dim = 0; dim < x.rank(); ++dim) {
    result.shape[dim] = x.shape[order[dim]];
    sizes.push_back(dimText(x, order[dim]));
    loops.push_back("d" + std::to_string(dim));
    places[order[dim]] = loops[dim];
  }
  // The other lies as the result does, if one has its shape.
  ModuleTensor y = *anyMoved([&](const ModuleTensor& other) {
    return other.type == x.type &&
           (other.shape == x.shape || other.shape == result.shape);
  });
  bool isInOrder = y.shape == result.shape;
  if (!isExact(result, x.bound + y.bound)) return false;
  auto map = [&](const std::vector<std::string>& to) {
    return "affine_map<(" + list(loops) + ") -> (" + list(to) + ")>";
  };
  std::string dest = emptyText(*result.type, result.shape, sizes),
              name = fresh(), from = x.type->mlir, to = result.type->mlir;
  line(name + " = linalg.generic {indexing_maps = [" + map(places) + ", " +
       map(isInOrder ? loops : places) + ", " + map(loops) +
       "], iterator_types = [" +
       list(std::vector<std::string>(x.rank(), "\"parallel\"")) + "]} ins(" +
       x.name + ", " + y.name + " : " + x.typeText() + ", " + y.typeText() +
       ") outs(" + dest + " : " + result.typeText() + ") {");
  line("^bb0(%p: " + from + ", %q: " + from + ", %r: " + to + "):");
  std::string sum = computes ? "%s" : "%p";
  if (computes)
    line("%s = arith." + std::string(x.isFloat() ? "addf" : "addi") +
         " %p, %q : " + from);
  if (from != to) {
    line("%t = arith.extsi %s : " + from + " to " + to);
    sum = "%t";
  }
  line("linalg.yield " + sum + " : " + to);
  line("} -> " + result.typeText());
  return add("permute", name, *result.type, result.shape, x.bound + y.bound,
             [&](size_t call, const Indices& i) {
               Indices place(i.size());
               for (size_t dim = 0; dim < i.size(); ++dim)
                 place[order[dim]] = i[dim];
               int64_t element = at(x, call, place);
               if (!computes) return element;
               return wrapElement(*x.type,
                                  element + at(y, call, isInOrder ? i : place));
             });
}

}  // namespace tilewright::testing
