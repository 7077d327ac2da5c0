// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright explain` of encodings: what each device makes of one.

#include "ExplainFacts.h"

#include "tilewright/Compile/ExplainEncoding.h"
#include "tilewright/Compile/FollowShapes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

json::Value orNull(std::optional<int64_t> value) {
  return value ? json::Value(*value) : json::Value(nullptr);
}

json::Value asJson(const EncodingFacts &facts) {
  json::Array loops, devices;
  for (const EncodingFacts::Loop &loop : facts.loops)
    loops.push_back(
        json::Object{{"kind", loop.kind}, {"size", orNull(loop.size)}});
  for (const EncodingFacts::DeviceFacts &device : facts.devices) {
    json::Object object{{"device", device.name},
                        {"tile", device.tile.empty()
                                     ? json::Value(nullptr)
                                     : json::Value(device.tile)}};
    auto add = [&](StringRef name, const EncodingFacts::Operand &operand) {
      object[name] = json::Object{{"layout", operand.layout},
                                  {"bytes", orNull(operand.bytes)}};
    };
    for (const EncodingFacts::Operand &operand : device.operands)
      add(operand.name, operand);
    if (device.related)
      add("tensor", *device.related);
    if (!device.why.empty())
      object["why"] = device.why;
    devices.push_back(std::move(object));
  }
  return json::Object{{"encoding", facts.encoding},
                      {"loops", std::move(loops)},
                      {"devices", std::move(devices)}};
}

void printText(const EncodingFacts &facts) {
  outs() << facts.encoding << '\n';
  for (auto [number, loop] : enumerate(facts.loops))
    outs() << formatv("  d{0}  {1,-6}{2}\n", number, loop.kind,
                      loop.size ? std::to_string(*loop.size) : "any size");
  for (const EncodingFacts::DeviceFacts &device : facts.devices) {
    outs() << formatv("  {0}\n    {1,-6}{2}\n", device.name, "tile",
                      device.tile.empty() ? "none: loops, without data tiling"
                                          : device.tile);
    if (!device.why.empty())
      outs() << formatv("    {0,-6}{1}\n", "why", device.why);
    auto print = [](StringRef name, const EncodingFacts::Operand &operand) {
      outs() << formatv(
          "    {0,-5} {1}{2}\n", name, operand.layout,
          operand.bytes ? formatv(", {0} bytes", *operand.bytes).str() : "");
    };
    for (const EncodingFacts::Operand &operand : device.operands)
      print(operand.name, operand);
    if (device.related)
      print("this", *device.related);
  }
}

} // namespace

Error explainEncoding(const std::string &text, ArrayRef<std::string> devices,
                      StringRef prefix, const ResolveOptions &options,
                      json::Array *into) {
  Expected<EncodingFacts> facts = explainEncoding(
      text, devices, prefix,
      followShapes(options, ModelDevice("host", hostTargetCpu())));
  if (!facts)
    return facts.takeError();
  if (into)
    into->push_back(asJson(*facts));
  else
    printText(*facts);
  return Error::success();
}

} // namespace tilewright
