// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel arguments, as they are written on the command line.

#include "Arguments.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace llvm;

namespace tilewright::emulator {

namespace {

Error refuse(StringRef text, Twine why) {
  return createStringError("argument '" + text + "': " + why);
}

Expected<std::vector<uint8_t>> readBytes(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError("cannot read '" + path +
                             "': " + file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  return std::vector<uint8_t>(bytes.bytes_begin(), bytes.bytes_end());
}

void putElement(BufferArgument &buffer, size_t i, uint64_t bits) {
  std::memcpy(&buffer.initial[i * buffer.type->bytes], &bits,
              buffer.type->bytes);
}

/// Whole numbers that every type holds exactly.
void fillRandomly(BufferArgument &buffer, uint64_t seed) {
  std::mt19937_64 random(seed);
  int least = buffer.type->kind == ElementType::Unsigned ? 0 : -8;
  for (size_t i = 0; i < buffer.initial.size() / buffer.type->bytes; ++i)
    putElement(buffer, i,
               encodeElement(*buffer.type, least + int(random() % 16)));
}

/// One of a buffer's options behind its type: "random=3", "to=c.bin".
Error applyOption(BufferArgument &buffer, StringRef text, StringRef option) {
  auto [key, value] = option.split('=');
  size_t count = buffer.initial.size() / buffer.type->bytes;
  bool writable = buffer.access == Access::ReadWrite;
  if (key == "zero" && value.empty())
    return Error::success();
  if (key == "iota" && value.empty()) {
    for (size_t i = 0; i < count; ++i)
      putElement(buffer, i, encodeElement(*buffer.type, double(i)));
    return Error::success();
  }
  if (key == "random") {
    uint64_t seed = 0;
    if (!value.empty() && value.getAsInteger(10, seed))
      return refuse(text, "'" + value + "' is no seed");
    fillRandomly(buffer, seed);
    return Error::success();
  }
  if (key == "all") {
    auto bits = parseElement(*buffer.type, value);
    if (!bits)
      return refuse(text, toString(bits.takeError()));
    for (size_t i = 0; i < count; ++i)
      putElement(buffer, i, *bits);
    return Error::success();
  }
  if (key == "file") {
    auto bytes = readBytes(value);
    if (!bytes)
      return refuse(text, toString(bytes.takeError()));
    if (buffer.initial.empty())
      buffer.initial.resize(bytes->size());
    if (bytes->size() != buffer.initial.size() ||
        bytes->size() % buffer.type->bytes)
      return refuse(text, formatv("'{0}' has {1} bytes, not {2}", value,
                                  bytes->size(), buffer.initial.size()));
    buffer.initial = std::move(*bytes);
    buffer.from = value.str();
    return Error::success();
  }
  if (key == "print" && value.empty() && writable) {
    buffer.print = true;
    return Error::success();
  }
  if (key == "to" && writable) {
    buffer.to = value.str();
    return Error::success();
  }
  if (key == "expect" && writable) {
    buffer.expect = value.str();
    return Error::success();
  }
  if (key == "tolerance" && writable) {
    if (value.getAsDouble(buffer.tolerance))
      return refuse(text, "'" + value + "' is no number");
    return Error::success();
  }
  return refuse(text, "unknown option '" + option +
                          "'; there are zero, iota, random[=SEED], all=VALUE, "
                          "file=PATH and, for out and inout, print, to=PATH, "
                          "expect=PATH, tolerance=NUMBER");
}

Expected<BufferArgument> parseBuffer(StringRef text, StringRef kind,
                                     StringRef rest, size_t number) {
  BufferArgument buffer;
  buffer.name = formatv("argument {0}", number);
  buffer.access = kind == "in" ? Access::ReadOnly : Access::ReadWrite;
  SmallVector<StringRef> parts;
  rest.split(parts, ':');
  auto [typeName, countText] = parts[0].split('x');
  buffer.type = findElementType(typeName);
  if (!buffer.type)
    return refuse(text, "unknown type '" + typeName + "'; there are " +
                            elementTypeNames());
  bool sized = !countText.empty(), filled = false;
  if (sized) {
    uint64_t count;
    if (countText.getAsInteger(10, count) || count > (uint64_t(1) << 32))
      return refuse(text, "'" + countText + "' is no number of elements");
    buffer.initial.resize(count * buffer.type->bytes);
  }
  for (StringRef option : drop_begin(parts)) {
    bool fills = !option.starts_with("print") && !option.starts_with("to=") &&
                 !option.starts_with("expect=") &&
                 !option.starts_with("tolerance=");
    if (fills && filled)
      return refuse(text, "two fillings");
    if (fills && !sized && !option.starts_with("file="))
      return refuse(text, "needs a number of elements, as in " + typeName +
                              "x256, or file=PATH");
    filled |= fills;
    if (Error failure = applyOption(buffer, text, option))
      return failure;
  }
  if (!sized && !filled)
    return refuse(text, "needs a number of elements, as in " + typeName +
                            "x256, or file=PATH");
  buffer.data = buffer.initial;
  return buffer;
}

Expected<Argument> parseBytes(StringRef text, StringRef rest) {
  Argument argument;
  argument.alignment = 8;
  if (rest.consume_front("file=")) {
    auto bytes = readBytes(rest);
    if (!bytes)
      return refuse(text, toString(bytes.takeError()));
    argument.bytes = std::move(*bytes);
    argument.from = rest.str();
    return argument;
  }
  std::string decoded;
  if (rest.empty() || !tryGetFromHex(rest, decoded))
    return refuse(text, "expected hexadecimal digits, or file=PATH");
  argument.bytes.assign(decoded.begin(), decoded.end());
  return argument;
}

} // namespace

Expected<Arguments> parseArguments(ArrayRef<const char *> texts) {
  Arguments arguments;
  for (StringRef text : texts) {
    auto [kind, rest] = text.split(':');
    if (kind == "in" || kind == "out" || kind == "inout") {
      auto buffer = parseBuffer(text, kind, rest, arguments.list.size());
      if (!buffer)
        return buffer.takeError();
      Argument argument;
      argument.alignment = 8;
      argument.buffer = int(arguments.buffers.size());
      arguments.buffers.push_back(std::move(*buffer));
      arguments.list.push_back(std::move(argument));
      continue;
    }
    if (kind == "bytes") {
      auto argument = parseBytes(text, rest);
      if (!argument)
        return argument.takeError();
      arguments.list.push_back(std::move(*argument));
      continue;
    }
    const ElementType *type = findElementType(kind);
    if (!type)
      return refuse(text, "expected in:, out:, inout:, bytes: or the type of a "
                          "number: " +
                              elementTypeNames());
    auto bits = parseElement(*type, rest);
    if (!bits)
      return refuse(text, toString(bits.takeError()));
    Argument argument;
    argument.alignment = type->bytes;
    argument.bytes.resize(type->bytes);
    std::memcpy(argument.bytes.data(), &*bits, type->bytes);
    arguments.list.push_back(std::move(argument));
  }
  return arguments;
}

static std::vector<uint8_t> bytesOf(const Arguments &arguments,
                                    const Argument &argument) {
  if (argument.buffer < 0)
    return argument.bytes;
  const void *address = arguments.buffers[argument.buffer].data.data();
  std::vector<uint8_t> bytes(sizeof(address));
  std::memcpy(bytes.data(), &address, sizeof(address));
  return bytes;
}

std::vector<uint8_t> Arguments::segment() const {
  std::vector<uint8_t> segment;
  for (const Argument &argument : list) {
    segment.resize(alignTo(segment.size(), argument.alignment));
    std::vector<uint8_t> bytes = bytesOf(*this, argument);
    segment.insert(segment.end(), bytes.begin(), bytes.end());
  }
  return segment;
}

Expected<std::vector<uint64_t>> Arguments::words() const {
  std::vector<uint64_t> words;
  for (const Argument &argument : list) {
    std::vector<uint8_t> bytes = bytesOf(*this, argument);
    if (bytes.size() > 8)
      return createStringError("a struct is no argument of a function that is "
                               "called on a wave: give its address, as in:");
    words.push_back(0);
    std::memcpy(&words.back(), bytes.data(), bytes.size());
  }
  return words;
}

void Arguments::restore() {
  for (BufferArgument &buffer : buffers)
    std::copy(buffer.initial.begin(), buffer.initial.end(),
              buffer.data.begin());
}

Expected<std::string> compareWithExpected(const BufferArgument &buffer) {
  auto expected = readBytes(buffer.expect);
  if (!expected)
    return expected.takeError();
  if (expected->size() != buffer.data.size())
    return createStringError(formatv("'{0}' has {1} bytes, {2} has {3}",
                                     buffer.expect, expected->size(),
                                     buffer.name, buffer.data.size()));
  const ElementType &type = *buffer.type;
  size_t different = 0, first = 0;
  for (size_t i = 0; i < buffer.count(); ++i) {
    const uint8_t *is = &buffer.data[i * type.bytes];
    const uint8_t *should = &(*expected)[i * type.bytes];
    if (std::memcmp(is, should, type.bytes) == 0)
      continue;
    double distance =
        std::fabs(decodeElement(type, is) - decodeElement(type, should));
    if (distance <= buffer.tolerance)
      continue;
    if (different++ == 0)
      first = i;
  }
  if (different == 0)
    return "";
  return formatv("{0} of {1} differ; first [{2}]: {3}, expected {4}", different,
                 buffer.count(), first,
                 printElement(type, &buffer.data[first * type.bytes]),
                 printElement(type, &(*expected)[first * type.bytes]))
      .str();
}

} // namespace tilewright::emulator
