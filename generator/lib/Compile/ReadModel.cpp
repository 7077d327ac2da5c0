// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReadModel.h"

#include "CNames.h"
#include "FrontEnds.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Puts the source's names of function arguments into the IR, which otherwise
/// forgets them.
void nameArguments(const AsmParserState &state) {
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs()) {
    auto func = dyn_cast<func::FuncOp>(definition.op);
    if (!func || func.isExternal())
      continue;
    const AsmParserState::BlockDefinition *block =
        state.getBlockDef(&func.getBody().front());
    // Nothing is verified yet.
    if (!block || block->arguments.size() != func.getNumArguments())
      continue;
    std::set<std::string> taken;
    for (auto [index, argument] : llvm::enumerate(block->arguments)) {
      llvm::SMRange range = argument.loc;
      llvm::StringRef text(range.Start.getPointer(),
                           range.End.getPointer() - range.Start.getPointer());
      std::string name = cParameterName(text.ltrim('%'));
      while (!taken.insert(name).second)
        name += '_';
      func.setArgAttr(index, kNameAttr,
                      StringAttr::get(func.getContext(), name));
    }
  }
}

llvm::MemoryBufferRef bufferOf(const llvm::SourceMgr &sources) {
  return *sources.getMemoryBuffer(sources.getMainFileID());
}

/// Of bytecode `state` stays empty: it has no names.
LogicalResult parse(std::shared_ptr<llvm::SourceMgr> &sources, Block &block,
                    const ParserConfig &config, AsmParserState &state,
                    llvm::function_ref<void()> forgetErrors) {
  llvm::MemoryBufferRef source = bufferOf(*sources);
  if (isModelBytecode(source))
    return readBytecodeFile(sources, &block, config);
  if (succeeded(parseAsmSourceFile(*sources, &block, config, &state)))
    return success();
  std::optional<std::string> newer = withNewerSpellings(source.getBuffer());
  if (!newer)
    return failure();
  forgetErrors();
  state = {};
  auto rewritten = std::make_shared<llvm::SourceMgr>();
  rewritten->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                    *newer, source.getBufferIdentifier()),
                                llvm::SMLoc());
  sources = rewritten;
  return parseAsmSourceFile(*sources, &block, config, &state);
}

} // namespace

OwningOpRef<ModuleOp> readModel(std::shared_ptr<llvm::SourceMgr> &sources,
                                MLIRContext &context,
                                llvm::function_ref<void()> forgetErrors) {
  // What no dialect knows is refused by name.
  context.allowUnregisteredDialects();
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  Block block;
  AsmParserState state;
  if (failed(parse(sources, block, config, state, forgetErrors)))
    return {};
  nameArguments(state);
  // The file is a module, or what would be inside of one.
  if (llvm::hasSingleElement(block) && isa<ModuleOp>(block.front())) {
    auto module = cast<ModuleOp>(block.front());
    module->remove();
    return module;
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(FileLineColLoc::get(
      &context, bufferOf(*sources).getBufferIdentifier(), 1, 1));
  module->getBody()->getOperations().splice(module->getBody()->end(),
                                            block.getOperations());
  return module;
}

} // namespace tilewright
