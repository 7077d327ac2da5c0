// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RequestPacked.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Support/Nearest.h"

using namespace mlir;

namespace tilewright {
namespace {

/// By number or by name.
std::optional<unsigned> findArgument(func::FuncOp func, StringRef argument) {
  unsigned number = 0;
  if (!argument.getAsInteger(10, number))
    return number < func.getNumArguments() ? std::optional(number)
                                           : std::nullopt;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (auto name = func.getArgAttrOfType<StringAttr>(i, kNameAttr))
      if (name.getValue() == argument)
        return i;
  return std::nullopt;
}

std::string argumentsOf(func::FuncOp func) {
  std::string text;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    text += (i ? ", " : "") + std::to_string(i);
    if (auto name = func.getArgAttrOfType<StringAttr>(i, kNameAttr))
      text += " or " + name.str();
  }
  return text.empty() ? "none" : text;
}

LogicalResult request(ModuleOp module, StringRef text) {
  auto [where, id] = text.split('=');
  auto [function, argument] = where.rsplit(':');
  InFlightDiagnostic error = module.emitError() << "--packed=" << text << ": ";
  if (function.empty() || argument.empty() || text.ends_with("="))
    return error << "expected <function>:<argument> or "
                    "<function>:<argument>=<id>, as in decode:wq=wq";
  auto func = module.lookupSymbol<func::FuncOp>(function);
  if (!func) {
    Nearest nearest(function);
    for (auto other : module.getOps<func::FuncOp>())
      nearest.look(other.getName());
    return error << "the model has no function '" << function << "'"
                 << nearest.question();
  }
  std::optional<unsigned> number = findArgument(func, argument);
  if (!number)
    return error << "'" << function << "' has no argument '" << argument
                 << "'; it has " << argumentsOf(func);
  error.abandon();
  MLIRContext *context = module.getContext();
  func.setArgAttr(*number, kPackedArgumentAttr,
                  id.empty() ? Attribute(UnitAttr::get(context))
                             : StringAttr::get(context, id));
  return success();
}

} // namespace

LogicalResult requestPacked(ModuleOp module, ArrayRef<std::string> requests) {
  for (StringRef text : requests)
    if (failed(request(module, text)))
      return failure();
  return success();
}

} // namespace tilewright
