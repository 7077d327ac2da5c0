// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links bitcode inputs and tiles into one module.

#ifndef TILEWRIGHT_LIB_LINK_MODULELINKER_H
#define TILEWRIGHT_LIB_LINK_MODULELINKER_H

#include "SupportFunction.h"
#include "tilewright/Codegen/ExternalConstants.h"
#include "tilewright/Link/AttributePolicy.h"
#include "tilewright/Link/Gather.h"
#include "tilewright/Resolve/Resolve.h"
#include "tilewright/Support/ContextErrors.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Target/TargetMachine.h"

namespace tilewright {

/// In this order: addInput for each input, addTile for each wanted tile,
/// finish, write. After an error only destruction is left.
class ModuleLinker {
public:
  ModuleLinker(const Wanted &wanted);

  /// Parses the modules of one bitcode input, checks its uses of wanted tiles,
  /// and links it.
  llvm::Error addInput(const InputModule &input);

  /// Links the definition of wanted.tiles[index], given as bitcode, and gives
  /// it the attributes that AttributePolicy chooses. It becomes internal, or
  /// weak where an object outside of this module wants it.
  llvm::Error addTile(size_t index, const ResolvedTile &tile);

  /// Links a support function, given with all that it calls as bitcode: for
  /// writeBitcode, and for objects that are not ELF's.
  llvm::Error addSupport(const SupportFunction &function);

  /// What objects are, once there is an input.
  bool isElf() const { return module.getTargetTriple().isOSBinFormatELF(); }

  struct Calls {
    unsigned inlined = 0, remaining = 0;
  };
  /// Inlines the tiles if asked to and simplifies the functions that they were
  /// inlined into, then drops everything unused and verifies the module.
  llvm::Expected<Calls> finish(bool inlineTiles);

  /// The beginning of the file into `bytes`, which is empty, and the rest.
  /// Either defines the constants. `support`, ELF objects, become a part of the
  /// object.
  llvm::Expected<FileTail>
  writeBitcode(llvm::SmallVectorImpl<char> &bytes,
               llvm::ArrayRef<ExternalConstant> constants);
  llvm::Expected<FileTail>
  writeObject(llvm::SmallVectorImpl<char> &bytes,
              llvm::ArrayRef<ExternalConstant> constants,
              llvm::ArrayRef<SupportFunction> support);

private:
  llvm::Error link(std::unique_ptr<llvm::Module> module, llvm::StringRef id);
  /// Links a module of which only `name` is left to be seen: inside of this
  /// one, or `fromObject` outside, too.
  llvm::Error linkDefinition(std::unique_ptr<llvm::Module> definition,
                             llvm::StringRef name, bool fromObject);
  llvm::Error checkModule(const llvm::Module &module, llvm::StringRef id);
  llvm::Error createTargetMachine();
  bool modesMatch(const llvm::Function &caller, llvm::Function &tile);
  unsigned inlineCalls(llvm::Function &tile,
                       llvm::SetVector<llvm::Function *> &callers);
  void simplify(llvm::ArrayRef<llvm::Function *> functions);

  const Wanted &wanted;
  llvm::LLVMContext context;
  /// Errors that LLVM reported through the context.
  ContextErrors diagnostics{context};
  llvm::Module module;
  llvm::Linker linker;
  std::string firstInput; ///< the input that set the triple
  std::unique_ptr<llvm::TargetMachine> machine;
  AttributePolicy policy;
  std::vector<TileUse> uses; ///< of wanted.tiles
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LINK_MODULELINKER_H
