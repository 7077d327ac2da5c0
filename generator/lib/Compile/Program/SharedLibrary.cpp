// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedLibrary.h"

#include "../CLibrary.h"
#include "tilewright/Codegen/Backend.h"
#include "tilewright/Codegen/RunLld.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilewright {
namespace {

/// What the libraries are called where the model is loaded.
struct LibraryNames {
  StringRef libc, libm;
};

/// The environments of Linux; musl and Android name theirs without a version.
std::optional<LibraryNames> libraryNames(const Triple &triple) {
  if (!triple.isOSLinux() || !triple.isOSBinFormatELF())
    return std::nullopt;
  if (none_of(architectures(), [&](const ArchitectureInfo &row) {
        return row.kind == ArchitectureInfo::Kind::CPU &&
               architectureOf(row) == triple.getArch();
      }))
    return std::nullopt;
  switch (triple.getEnvironment()) {
  case Triple::UnknownEnvironment:
  case Triple::GNU:
    return LibraryNames{"libc.so.6", "libm.so.6"};
  case Triple::Musl:
  case Triple::Android:
    return LibraryNames{"libc.so", "libm.so"};
  default:
    return std::nullopt;
  }
}

/// A library that defines `functions`, to link with where no such is.
Expected<SmallVector<char, 0>>
standIn(StringRef name, ArrayRef<std::string> functions, const Triple &triple) {
  Expected<std::unique_ptr<Backend>> backend = Backend::create(triple);
  if (!backend)
    return backend.takeError();
  LLVMContext context;
  Module module(name, context);
  (*backend)->setTarget(module, info(TW_ISA_GENERIC));
  auto *type = FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/false);
  for (const std::string &function : functions) {
    auto *definition =
        Function::Create(type, GlobalValue::ExternalLinkage, function, module);
    IRBuilder<>(BasicBlock::Create(context, "", definition)).CreateRetVoid();
  }
  SmallVector<char, 0> object;
  if (Error error = (*backend)->emit(module, CodeGenFileType::ObjectFile,
                                     CodegenPasses::All, object))
    return std::move(error);
  StringRef bytes(object.data(), object.size());
  return runLld({"-shared", "-soname=" + name.str()}, {{bytes, ""}});
}

} // namespace

Error checkSharedLibraryTriple(const Triple &triple) {
  if (libraryNames(triple))
    return Error::success();
  return createStringError(
      "a shared library cannot be made for '" + triple.str() +
      "', but for Linux on x86_64 and aarch64, with the C library of GNU, musl "
      "or Android, as in --triple=x86_64-linux-gnu; write .a or .o, and let a "
      "linker of that system make the library");
}

std::string versionScript(ArrayRef<std::string> exports) {
  std::string script = "{\n  global:\n";
  for (const std::string &name : exports)
    script += "    " + name + ";\n";
  return script + "  local: *;\n};\n";
}

Expected<SmallVector<char, 0>>
linkSharedLibrary(ArrayRef<StringRef> object,
                  const SharedLibraryOptions &options) {
  std::optional<LibraryNames> names = libraryNames(options.triple);
  if (!names)
    return checkSharedLibraryTriple(options.triple);
  std::vector<std::string> functions(std::begin(kMemoryFunctions),
                                     std::end(kMemoryFunctions));
  Expected<SmallVector<char, 0>> libc =
      standIn(names->libc, functions, options.triple);
  if (!libc)
    return libc;
  functions.clear();
  for (StringRef name : kMathFunctions)
    for (StringRef precision : {"", "f"})
      functions.push_back((name + precision).str());
  Expected<SmallVector<char, 0>> libm =
      standIn(names->libm, functions, options.triple);
  if (!libm)
    return libm;

  std::string script = versionScript(options.exports);
  StringRef scriptBytes = script;
  StringRef libraries[] = {{libm->data(), libm->size()},
                           {libc->data(), libc->size()}};
  Expected<SmallVector<char, 0>> linked =
      runLld({"-shared", "--no-undefined", "--gc-sections", "--as-needed",
              "-znow", "-soname=" + options.name},
             {{scriptBytes, "--version-script="},
              {object, ""},
              {libraries[0], ""},
              {libraries[1], ""}});
  if (!linked)
    return createStringError("linking the shared library failed: " +
                             toString(linked.takeError()));
  return linked;
}

} // namespace tilewright
