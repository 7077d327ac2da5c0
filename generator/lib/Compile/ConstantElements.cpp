// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstantElements.h"

#include "Parameters/ScratchFile.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstring>

using namespace mlir;

namespace tilewright {
namespace {

/// As wide as the widest vector, which the moved bytes may be read by.
constexpr size_t kBlobAlignment = 64;

template <class Word> Word load(const char *bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(Word));
  return word;
}

/// Moves elements of the size of `Word`.
template <class Word> class ElementMover {
public:
  ElementMover(const ConstantElements &source, ArrayRef<int64_t> sourceShape,
               ArrayRef<int64_t> resultShape, ArrayRef<ElementStep> resultSteps,
               ArrayRef<char> padding, MutableArrayRef<char> result)
      : source(source.bytes.data()), padding(load<Word>(padding.data())),
        shape(sourceShape), position(shape.size(), 0), out(result.data()) {
    SmallVector<int64_t> strides(shape.size(), source.isSplat ? 0 : 1);
    for (size_t dim = shape.size(); dim-- > 1;)
      strides[dim - 1] = strides[dim] * shape[dim];
    for (auto [step, count] : llvm::zip_equal(resultSteps, resultShape))
      if (count != 1)
        steps.push_back({step, count, step.elements * strides[step.dim], 1});
    for (size_t depth = steps.size(); depth-- > 1;)
      steps[depth - 1].block = steps[depth].block * steps[depth].count;
  }

  void move() { move(0, 0); }

private:
  struct Loop {
    ElementStep step;
    int64_t count;
    int64_t stride; ///< in elements of the source
    int64_t block;  ///< elements of the result for each iteration
  };

  void move(size_t depth, int64_t offset) {
    if (depth == steps.size()) {
      write(offset);
      return;
    }
    const auto &[step, count, stride, block] = steps[depth];
    int64_t before = position[step.dim];
    int64_t left = std::max<int64_t>(shape[step.dim] - before, 0);
    int64_t inside =
        std::min(int64_t(llvm::divideCeil(left, step.elements)), count);
    if (depth + 1 == steps.size()) {
      moveRow(offset, stride, inside);
    } else {
      for (int64_t i = 0; i < inside; ++i) {
        position[step.dim] = before + i * step.elements;
        move(depth + 1, offset + i * stride);
      }
      position[step.dim] = before;
    }
    for (int64_t i = 0; i < (count - inside) * block; ++i)
      append(padding);
  }

  void moveRow(int64_t offset, int64_t stride, int64_t count) {
    if (stride == 1) {
      std::memcpy(out, source + offset * sizeof(Word), count * sizeof(Word));
      out += count * sizeof(Word);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      write(offset + i * stride);
  }

  void write(int64_t offset) {
    append(load<Word>(source + offset * sizeof(Word)));
  }

  void append(Word word) {
    std::memcpy(out, &word, sizeof(Word));
    out += sizeof(Word);
  }

  const char *source;
  Word padding;
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> position; ///< in the source, by dimension
  SmallVector<Loop> steps;       ///< without those of one iteration
  char *out;
};

/// Of each element in memory; 0 if that is not for us to say.
int64_t bytesOfElement(Type type) {
  if (type.isIndex())
    return 8;
  if (!type.isIntOrFloat())
    return 0;
  switch (type.getIntOrFloatBitWidth()) {
  case 2:
  case 4:
  case 6:
    return 1;
  case 8:
  case 16:
  case 32:
  case 64:
    return type.getIntOrFloatBitWidth() / 8;
  default:
    return 0;
  }
}

} // namespace

std::optional<ConstantElements> ConstantElements::of(ElementsAttr attr) {
  ConstantElements elements;
  elements.elementBytes = bytesOfElement(attr.getElementType());
  if (!elements.elementBytes)
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    elements.isSplat = dense.isSplat();
    elements.bytes = dense.getRawData();
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      elements.bytes = blob->getData();
  }
  int64_t count = elements.isSplat ? 1 : attr.getNumElements();
  if (int64_t(elements.bytes.size()) != count * elements.elementBytes)
    return std::nullopt;
  return elements;
}

ElementsAttr
makeConstant(RankedTensorType type, int64_t elementBytes,
             llvm::function_ref<void(MutableArrayRef<char>)> fill) {
  int64_t size = type.getNumElements() * elementBytes;
  if (size < kLargeConstantBytes) {
    std::vector<char> bytes(size);
    fill(bytes);
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  AsmResourceBlob blob;
  ScratchFile *scratch = ScratchFile::current();
  if (char *memory = scratch ? scratch->allocate(size) : nullptr)
    blob = UnmanagedAsmResourceBlob::allocateWithAlign(
        MutableArrayRef<char>(memory, size), kBlobAlignment, /*deleter=*/{},
        /*dataIsMutable=*/true);
  else
    blob = HeapAsmResourceBlob::allocate(size, kBlobAlignment);
  fill(blob.getMutableData());
  return DenseResourceElementsAttr::get(type, "moved", std::move(blob));
}

ElementsAttr constantAt(RankedTensorType type, ArrayRef<char> bytes) {
  return DenseResourceElementsAttr::get(
      type, "moved",
      UnmanagedAsmResourceBlob::allocateWithAlign(
          bytes, kBlobAlignment, /*deleter=*/{}, /*dataIsMutable=*/false));
}

ElementsAttr changeBytes(RankedTensorType type,
                         const ConstantElements &elements,
                         llvm::function_ref<char(char)> change) {
  if (elements.isSplat)
    return DenseElementsAttr::getFromRawBuffer(type,
                                               change(elements.bytes.front()));
  return makeConstant(type, 1, [&](MutableArrayRef<char> bytes) {
    llvm::transform(elements.bytes, bytes.begin(), change);
  });
}

void moveElements(const ConstantElements &source, ArrayRef<int64_t> sourceShape,
                  ArrayRef<int64_t> resultShape, ArrayRef<ElementStep> steps,
                  ArrayRef<char> padding, MutableArrayRef<char> result) {
  auto move = [&](auto word) {
    ElementMover<decltype(word)>(source, sourceShape, resultShape, steps,
                                 padding, result)
        .move();
  };
  switch (source.elementBytes) {
  case 1:
    return move(uint8_t());
  case 2:
    return move(uint16_t());
  case 4:
    return move(uint32_t());
  case 8:
    return move(uint64_t());
  default:
    llvm_unreachable("ConstantElements has no others");
  }
}

ElementsAttr makeMoved(RankedTensorType type, const ConstantElements &source,
                       ArrayRef<int64_t> sourceShape,
                       ArrayRef<ElementStep> steps, ArrayRef<char> padding,
                       std::function<bool(MutableArrayRef<char>)> faster) {
  auto fill =
      [=, shape = llvm::to_vector(sourceShape), steps = llvm::to_vector(steps),
       padding = llvm::to_vector(padding)](MutableArrayRef<char> bytes) {
        if (!faster || !faster(bytes))
          moveElements(source, shape, type.getShape(), steps, padding, bytes);
      };
  int64_t size = type.getNumElements() * source.elementBytes;
  ScratchFile *scratch = ScratchFile::current();
  if (!scratch || size < kLargeConstantBytes)
    return makeConstant(type, source.elementBytes, fill);
  std::string key;
  llvm::raw_string_ostream os(key);
  os << uintptr_t(source.bytes.data()) << ' ' << source.bytes.size() << ' '
     << source.elementBytes << ' '
     << llvm::toHex(StringRef(padding.data(), padding.size())) << " from";
  for (int64_t extent : sourceShape)
    os << ' ' << extent;
  os << " to";
  for (int64_t extent : type.getShape())
    os << ' ' << extent;
  os << " by";
  for (const ElementStep &step : steps)
    os << ' ' << step.dim << ' ' << step.elements;
  char *memory = scratch->allocateFilled(key, size, source.bytes, fill);
  if (!memory)
    return makeConstant(type, source.elementBytes, fill);
  return constantAt(type, {memory, size_t(size)});
}

ElementsAttr makeMovedBetween(RankedTensorType type,
                              const ConstantElements &source,
                              ArrayRef<int64_t> sourceShape,
                              ArrayRef<ElementStep> steps, int64_t offset) {
  std::string how;
  llvm::raw_string_ostream os(how);
  os << "moved to " << type << " at " << offset << " from";
  for (int64_t size : sourceShape)
    os << ' ' << size;
  os << " by";
  for (const ElementStep &step : steps)
    os << ' ' << step.dim << ' ' << step.elements;
  ConstantElements begin = source;
  if (type.getNumElements())
    begin.bytes = source.bytes.drop_front(offset * source.elementBytes);
  return makeBetween(type, source.elementBytes, how, source.bytes,
                     [&](MutableArrayRef<char> bytes) {
                       SmallVector<char, 8> padding(source.elementBytes,
                                                    0); // never used
                       moveElements(begin, sourceShape, type.getShape(), steps,
                                    padding, bytes);
                     });
}

namespace {

/// The constant of `type` that `how` makes of `source`, of the bytes of `make`
/// if there is none yet.
ElementsAttr madeConstant(RankedTensorType type, ArrayRef<char> source,
                          StringRef how,
                          llvm::function_ref<AsmResourceBlob(StringRef)> make) {
  std::string key;
  llvm::raw_string_ostream(key) << uintptr_t(source.data()) << ' '
                                << source.size() << ' ' << how << ' ' << type;
  llvm::MD5::MD5Result digest =
      llvm::MD5::hash(llvm::arrayRefFromStringRef(key));
  std::string name = ("made_" + digest.digest()).str();
  auto &manager =
      DenseResourceElementsHandle::getManagerInterface(type.getContext());
  if (auto *known = manager.getBlobManager().lookup(name))
    return DenseResourceElementsAttr::get(
        type, DenseResourceElementsHandle(
                  known, cast<BuiltinDialect>(manager.getDialect())));
  return DenseResourceElementsAttr::get(type, name, make(key));
}

} // namespace

ElementsAttr
makeBetween(RankedTensorType type, int64_t elementBytes, StringRef how,
            ArrayRef<char> source,
            const std::function<void(MutableArrayRef<char>)> &fill) {
  int64_t size = type.getNumElements() * elementBytes;
  ScratchFile *scratch = ScratchFile::current();
  if (scratch)
    scratch->makeReady(source);
  if (size < kLargeConstantBytes)
    return makeConstant(type, elementBytes, fill);
  return madeConstant(type, source, how, [&](StringRef key) {
    char *memory =
        scratch ? scratch->allocateBetween(key, size, source, fill) : nullptr;
    if (memory)
      return UnmanagedAsmResourceBlob::allocateWithAlign({memory, size_t(size)},
                                                         kBlobAlignment);
    AsmResourceBlob blob = HeapAsmResourceBlob::allocate(size, kBlobAlignment);
    fill(blob.getMutableData());
    return blob;
  });
}

ElementsAttr makeReshaped(RankedTensorType type, ArrayRef<char> bytes) {
  return madeConstant(type, bytes, "reshaped", [&](StringRef) {
    return UnmanagedAsmResourceBlob::allocateWithAlign(bytes, kBlobAlignment);
  });
}

} // namespace tilewright
