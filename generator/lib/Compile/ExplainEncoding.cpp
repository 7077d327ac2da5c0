// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/ExplainEncoding.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Devices/Devices.h"
#include "tilewright/Encoding/Device.h"

using namespace mlir;
using llvm::Error;
using llvm::Expected;

namespace tilewright {
namespace {

std::optional<int64_t> known(int64_t size) {
  return ShapedType::isDynamic(size) ? std::nullopt : std::optional(size);
}

std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  attribute.print(os);
  return text;
}

std::vector<EncodingFacts::Loop> loopsOf(tw::EncodingAttr encoding) {
  std::vector<EncodingFacts::Loop> loops(encoding.getSizes().size());
  tw::EncodingAttr::Loops kinds = encoding.getLoops();
  auto name = [&](ArrayRef<unsigned> ofKind, const char *kind) {
    for (unsigned loop : ofKind)
      loops[loop] = {kind, known(encoding.getSizes()[loop])};
  };
  name(kinds.batch, "batch");
  name(kinds.m, "m");
  name(kinds.n, "n");
  name(kinds.k, "k");
  return loops;
}

/// The tensor that has the encoding, without signs.
RankedTensorType tensorOf(tw::EncodingAttr encoding) {
  SmallVector<int64_t> shape;
  for (int64_t dim : encoding.getAllDims())
    shape.push_back(dim == tw::EncodingAttr::kOwnDim
                        ? ShapedType::kDynamic
                        : encoding.getOperandSize(dim));
  return RankedTensorType::get(shape, encoding.getElementInMemory());
}

EncodingFacts::Operand operandOf(tw::EncodingAttr encoding,
                                 const Device &device) {
  tw::LayoutAttr layout = device.layoutOf(encoding, /*inBlocks=*/true);
  RankedTensorType type = tensorOf(encoding);
  type = RankedTensorType::get(type.getShape(), type.getElementType(), layout);
  EncodingFacts::Operand facts{
      tw::stringifyOperand(encoding.getOperand()).str(), textOf(layout),
      std::nullopt};
  MLIRContext *context = encoding.getContext();
  SmallVector<AffineExpr> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    sizes.push_back(ShapedType::isDynamic(size)
                        ? getAffineSymbolExpr(dim + 1, context)
                        : getAffineConstantExpr(size, context));
  AffineExpr bytes = device.storageBytes(
      type, sizes, /*vscale=*/getAffineSymbolExpr(0, context));
  // Of what is not known, or does not fit, it is none.
  if (auto number = dyn_cast<AffineConstantExpr>(bytes))
    facts.bytes = number.getValue();
  return facts;
}

} // namespace

bool looksLikeEncoding(llvm::StringRef text) {
  return text.trim().starts_with("#tw.encoding");
}

Expected<EncodingFacts>
explainEncoding(llvm::StringRef text, llvm::ArrayRef<std::string> devices,
                llvm::StringRef prefix,
                const std::function<void(TargetCpu &)> &tune) {
  DialectRegistry registry;
  registry.insert<tw::TwDialect>();
  registerDevices(registry, tune);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
  });
  auto encoding =
      dyn_cast_or_null<tw::EncodingAttr>(parseAttribute(text, &context));
  if (!encoding)
    return llvm::createStringError(
        "'" + text + "' is no encoding: " +
        (message.empty() ? "expected #tw.encoding<...> alone" : message));
  EncodingFacts facts;
  facts.encoding = textOf(encoding);
  facts.loops = loopsOf(encoding);
  for (const std::string &name : devices) {
    FailureOr<std::shared_ptr<const Device>> device =
        findDevice(name, prefix, &context);
    if (failed(device))
      return llvm::createStringError(message);
    std::optional<TiledContraction> tiled = (*device)->tileInBlocks(encoding);
    EncodingFacts::DeviceFacts of{name,
                                  tiled ? tiled->tile.getName() : "",
                                  tiled ? tiled->why : "",
                                  {},
                                  {}};
    for (unsigned operand = 0; operand < encoding.getMaps().size(); ++operand) {
      tw::EncodingAttr own = encoding.withOperand(tw::Operand(operand));
      of.operands.push_back(operandOf(own, **device));
    }
    if (encoding.isRelated())
      of.related = operandOf(encoding, **device);
    facts.devices.push_back(std::move(of));
  }
  return facts;
}

} // namespace tilewright
