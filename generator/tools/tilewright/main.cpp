// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "ToolSupport.h"

#include "tilewright/Support/FatalErrors.h"
#include "tilewright/Support/Messages.h"
#include "tilewright/Support/Nearest.h"
#include "tilewright/Support/OutputFiles.h"
#include "tilewright/Support/Supervise.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;

namespace {

const Command *const commands[] = {
#define TW_COMMAND(Name) &Name##Command,
#include "Commands.def"
};

const char overview[] =
    "Microkernels by name: hand-written where they exist, generated where they "
    "do not.\n\n"
    "A tile name says everything:\n"
    "tw_mmt4d_tile_<types>_<M0>x<N0>x<K0>_[steprnd_][mx_][vnni_]<arch>_<isa>\n"
    "and so does that of what packs its operands: "
    "tw_pack_tile_<bits>_<rows|cols>_<R0>x<C0>_<isa>\n";

const char topLevelHelp[] =
    "\nStart here:\n"
    "  tilewright list                  the tile types, instruction sets and "
    "hand-written tiles\n"
    "  tilewright <command> --help      options and examples of a command\n";

const Command *chosenCommand() {
  for (const Command *command : commands)
    if (*command->options)
      return command;
  return nullptr;
}

/// "unknown command 'gne'; did you mean 'gen'? The commands are ...".
std::string unknownCommand(StringRef word) {
  std::string all;
  Nearest nearest(word, /*slips=*/2);
  for (const Command *command : commands) {
    StringRef name = command->options->getName();
    all += (all.empty() ? "" : ", ") + name.str();
    nearest.look(name);
  }
  return "unknown command '" + word.str() + "'" + nearest.question() +
         (nearest.found().empty() ? "; the" : " The") + " commands are " + all;
}

/// LLVM's libraries register hundreds of options for the bare tool: none of
/// them is of use there.
void hideForeignOptions() {
  for (auto &[name, option] :
       cl::getRegisteredOptions(cl::SubCommand::getTopLevel()))
    if (name != "help" && name != "version")
      option->setHiddenFlag(cl::ReallyHidden);
}

} // namespace

int main(int argc, char **argv) {
  guardStandardStreams();
  supervise("tilewright", argc, argv);
  InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  installFatalErrorHandler("tilewright");
  hideForeignOptions();
  cl::SetVersionPrinter([](raw_ostream &os) {
    os << "tilewright " TILEWRIGHT_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });

  // cl prints the extra help of the whole program: register only that of the
  // command at hand.
  const char *extraHelp = topLevelHelp;
  if (argc > 1 && argv[1][0] != '-') {
    const auto *named = find_if(commands, [&](const Command *command) {
      return command->options->getName() == argv[1];
    });
    if (named == std::end(commands)) {
      printError("tilewright", unknownCommand(argv[1]));
      return 2;
    }
    extraHelp = (*named)->help;
  }
  cl::extrahelp extra(extraHelp);

  SmallVector<const char *, 16> args(argv, argv + argc);
  BumpPtrAllocator allocator;
  if (Error error = expandResponseFiles(args, allocator)) {
    printErrors("tilewright", std::move(error));
    return 2;
  }
  if (argc == 1)
    args.push_back("--help");
  std::string wrong;
  raw_string_ostream os(wrong);
  if (!cl::ParseCommandLineOptions(args.size(), args.data(), overview, &os)) {
    errs() << escapeControls(wrong, Lines::Several);
    return 2;
  }
  const Command *command = chosenCommand();
  if (!command) {
    printError("tilewright", "no command given; try 'tilewright --help'");
    return 2;
  }
  Error failed = command->run();
  if (Error error = joinErrors(std::move(failed), flushStandardOutput())) {
    printErrors("tilewright", std::move(error));
    return 1;
  }
  return 0;
}
