// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/SafeTensors.h"

#include "tilewright/Support/Activity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

/// As the reference implementation has it.
constexpr uint64_t kLongestHeader = 100'000'000;
constexpr StringLiteral kMetadata = "__metadata__";

struct Dtype {
  StringLiteral name;
  int64_t bits;
};
constexpr Dtype dtypes[] = {
    {"F64", 64},    {"F32", 32},    {"F16", 16},    {"BF16", 16},
    {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F6_E2M3", 6},
    {"F6_E3M2", 6}, {"F4", 4},      {"I64", 64},    {"I32", 32},
    {"I16", 16},    {"I8", 8},      {"U64", 64},    {"U32", 32},
    {"U16", 16},    {"U8", 8},      {"BOOL", 8},
};

Error refuse(StringRef file, const Twine &what) {
  return createStringError("'" + file +
                           "' is no sound safetensors file: " + what);
}

/// What one file says of its tensors.
class Reader {
public:
  Reader(StringRef file, StringRef bytes) : file(file), bytes(bytes) {}

  struct Named {
    std::string name;
    SafeTensor tensor;
    uint64_t begin, end;
  };

  Expected<std::vector<Named>> read() {
    if (bytes.size() < 8)
      return refuse(file, "it has " + Twine(bytes.size()) +
                              " bytes; the length of its header alone is 8");
    uint64_t length = support::endian::read64le(bytes.data());
    if (length > kLongestHeader || length > bytes.size() - 8)
      return refuse(file, "its header would be " + Twine(length) +
                              " bytes long, and " + Twine(bytes.size() - 8) +
                              " follow; was it copied whole?");
    Expected<json::Value> header = json::parse(bytes.substr(8, length));
    if (!header)
      return refuse(file,
                    "its header is no JSON: " + toString(header.takeError()));
    data = bytes.drop_front(8 + length);
    const json::Object *all = header->getAsObject();
    if (!all)
      return refuse(file, "its header is no JSON object");
    for (const auto &entry : *all)
      if (StringRef(entry.first) != kMetadata)
        if (Error error = readTensor(entry.first, entry.second))
          return std::move(error);
    if (Error error = checkPlaces())
      return std::move(error);
    return std::move(found);
  }

private:
  Error readTensor(StringRef name, const json::Value &value) {
    auto wrong = [&](const Twine &what) {
      return refuse(file, "the tensor '" + name + "' " + what);
    };
    const json::Object *object = value.getAsObject();
    if (!object)
      return wrong("is described by no JSON object");
    auto dtype = object->getString("dtype");
    const json::Array *shape = object->getArray("shape");
    const json::Array *offsets = object->getArray("data_offsets");
    if (!dtype || !shape || !offsets || offsets->size() != 2)
      return wrong("lacks one of dtype, shape and data_offsets of two numbers");
    const Dtype *known =
        find_if(dtypes, [&](const Dtype &each) { return each.name == *dtype; });
    if (known == std::end(dtypes))
      return wrong("has the unknown dtype '" + *dtype + "'");
    Named named;
    named.name = name.str();
    named.tensor.dtype = dtype->str();
    named.tensor.file = file.str();
    int64_t size = known->bits;
    bool fits = true;
    for (const json::Value &extent : *shape) {
      std::optional<int64_t> number = extent.getAsInteger();
      if (!number || *number < 0)
        return wrong("has a shape with something else than sizes");
      named.tensor.shape.push_back(*number);
      fits &= !MulOverflow(size, *number, size);
    }
    std::optional<uint64_t> begin = (*offsets)[0].getAsUINT64(),
                            end = (*offsets)[1].getAsUINT64();
    if (!begin || !end || *begin > *end)
      return wrong("has data_offsets that are no begin and end");
    if (*end > data.size())
      return wrong("ends at byte " + Twine(*end) + " of the data, of which " +
                   Twine(data.size()) +
                   " are there; was the file copied "
                   "whole?");
    if (!fits || size % 8 || uint64_t(size) / 8 != *end - *begin)
      return wrong("has " + Twine(*end - *begin) +
                   " bytes, which is not what its shape and dtype take");
    named.begin = *begin;
    named.end = *end;
    named.tensor.bytes = data.slice(*begin, *end);
    found.push_back(std::move(named));
    return Error::success();
  }

  /// One behind the other, in whatever order, until the end.
  Error checkPlaces() {
    llvm::sort(found, [](const Named &x, const Named &y) {
      return std::pair(x.begin, x.end) < std::pair(y.begin, y.end);
    });
    uint64_t last = 0;
    StringRef before;
    for (const Named &named : found) {
      if (named.begin < last)
        return refuse(file, "the tensors '" + before + "' and '" + named.name +
                                "' overlap");
      if (named.begin > last)
        return refuse(file,
                      "there is a gap before the tensor '" + named.name + "'");
      last = named.end;
      before = named.name;
    }
    if (last != data.size())
      return refuse(file, Twine(data.size() - last) +
                              " bytes follow that belong to no tensor");
    return Error::success();
  }

  StringRef file, bytes, data;
  std::vector<Named> found;
};

} // namespace

Error SafeTensors::add(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createFileError(path, buffer.getError());
  return add(std::move(*buffer), path);
}

Error SafeTensors::add(std::unique_ptr<MemoryBuffer> buffer, StringRef name) {
  ReadingInput reading(name, "tensors in the safetensors format");
  auto found = Reader(name, buffer->getBuffer()).read();
  if (!found)
    return found.takeError();
  for (auto &named : *found) {
    auto [entry, isNew] =
        tensors.try_emplace(named.name, std::move(named.tensor));
    if (!isNew)
      return createStringError("the tensor '" + named.name + "' is in '" +
                               entry->second.file + "' and in '" + name + "'");
  }
  buffers.push_back(std::move(buffer));
  paths.push_back(name.str());
  return Error::success();
}

const SafeTensor *SafeTensors::find(StringRef name) const {
  auto entry = tensors.find(name);
  return entry == tensors.end() ? nullptr : &entry->second;
}

std::vector<StringRef> SafeTensors::names() const {
  std::vector<StringRef> all(tensors.keys().begin(), tensors.keys().end());
  llvm::sort(all);
  return all;
}

std::string SafeTensors::files() const {
  std::string text;
  for (const std::string &path : paths)
    text += (text.empty() ? "'" : " and '") + path + "'";
  return text;
}

} // namespace tilewright
