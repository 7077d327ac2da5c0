// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C header of a compiled model.

#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Compile/EntryNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

/// Of a header called `name`: "model.h" -> "MODEL_H_".
std::string includeGuard(StringRef name) {
  std::string guard;
  for (char c : name)
    guard += isAlnum(c) ? toUpper(c) : '_';
  if (guard.empty() || isDigit(guard[0]))
    guard.insert(0, "MODEL_");
  return guard + "_";
}

/// `text` for a comment of one line.
std::string oneLine(StringRef text) {
  std::string line;
  for (char c : text)
    line += isPrint(c) && c != '\\' ? c : ' ';
  return line;
}

const char conventions[] = R"(
// Arrays are row-major and need only their element's alignment. Sizes count
// elements. A function returns 0 when it has written its results, and 1 without
// having written anything when a size is or would become negative, sizes that
// must agree do not, or a slice or window reaches outside of its tensor.
// Results may not overlap arguments.
)";

const char plainConventions[] =
    R"(// Functions may be called from several threads; each call takes what memory it
// needs from malloc and gives it back. Link with -lm.
)";

const char instanceConventions[] =
    R"(// Functions compute with an instance, which has the model's parameters and
// state, and keeps the memory that its calls need. It is used by one call at a
// time; there may be any number of instances, in any threads. A function returns
// 5 when there is no memory left, and 3 when sizes are such that no memory is
// large enough. Link with -ltilewright_instance -lm.
)";

const char stateConventions[] =
    R"(// A call that does not return 0 leaves the state as it was.
)";

const char threadConventions[] =
    R"(// A function computes in the threads that `parallel_for` runs its tasks in, or,
// if that is null, in the calling thread; in @ at a time at most. How
// many there are changes no bit of the results. It is used until the function
// returns, by its thread alone, and not from within a task. -I of Tilewright's
// headers.
)";

const char arenaConventions[] =
    R"(// A function returns 5 when malloc fails, and 3 when sizes are such that no
// memory is large enough. The function of the same name that ends in
// _with_workspace does not call malloc: its memory is `workspace`, which starts
// at a multiple of 64 bytes, else it returns 1, and holds as many bytes as the
// function that ends in _workspace_bytes says of the same sizes, else it returns
// 4. That one returns the number of the status, negated, where a call would
// refuse the sizes. Calls at the same time need workspaces of their own.
)";

const char amxConventions[] =
    R"(// A function that says so below multiplies by AMX, and returns 2 without having
// written anything unless this process may use it: on Linux once the program has
// called tw_cpu_permit_amx of Tilewright's library, or
// syscall(SYS_arch_prctl, 0x1023, 18), and that went well.
)";

const char packedConventions[] =
    R"(// An argument that is a `const void *` is handed over packed: as the function
// that ends in _pack writes it, whose name stands beside it, for the target of
// this model and for no other. A multiple of 64 bytes is a good place for it; its
// element's alignment will do. The function that ends in _packed_bytes says how
// many bytes it takes, or the number of the status, negated, where a call would
// refuse the sizes.
)";

void declare(raw_ostream &os, StringRef type, StringRef name,
             ArrayRef<std::string> parameters) {
  std::string start = (type + " " + name + "(").str();
  os << start
     << (parameters.empty()
             ? "void"
             : join(parameters, ",\n" + std::string(start.size(), ' ')))
     << ");\n";
}

std::string conventionsOf(const CompiledModel &model) {
  std::string text = conventions;
  std::string threads;
  if (model.threads > 1) {
    auto [before, after] = StringRef(threadConventions).split('@');
    threads = (before + Twine(model.threads) + after).str();
  }
  if (any_of(model.entries,
             [](const EntryPoint &entry) { return !entry.packs.empty(); }))
    text += packedConventions;
  if (any_of(model.entries,
             [](const EntryPoint &entry) { return entry.needsAmx; }))
    text += amxConventions;
  if (!model.instance.empty())
    return text + instanceConventions +
           (model.states.empty() ? "" : stateConventions) + threads;
  text += plainConventions + threads;
  if (any_of(model.entries,
             [](const EntryPoint &entry) { return entry.arena.has_value(); }))
    text += arenaConventions;
  return text;
}

void declareParameters(raw_ostream &os, const std::string &name) {
  std::string parameters = name + "_parameters";
  os << "\ntypedef struct tw_parameters_t " << parameters
     << ";\n\n// Maps the file of parameters and checks all of it. Returns 0, "
        "or "
        "what is wrong: 1\n// if it cannot be opened, 7 if it is none, 8 if it "
        "is damaged, 9 if it is another\n// model's, 5 if there is no memory "
        "left. `message`, of `message_bytes`, gets a\n// sentence; it may be "
        "null.\n";
  declare(os, "int32_t", name + "_open_parameters",
          {"const char *path", parameters + " **parameters", "char *message",
           "int64_t message_bytes"});
  os << "// Once no instance uses them.\n";
  declare(os, "void", name + "_close_parameters",
          {parameters + " *parameters"});
}

void declareInstance(raw_ostream &os, const CompiledModel &model) {
  const std::string &name = model.instance;
  std::string instance = name + "_instance";
  std::vector<std::string> from;
  if (model.parametersInFile) {
    declareParameters(os, name);
    from.push_back("const " + name + "_parameters *parameters");
  }
  from.push_back(instance + " **instance");
  os << "\ntypedef struct tw_instance_t " << instance << ";\n\n";
  for (const ModelState &state : model.states)
    os << "//   state: " << oneLine(state.name) << ", " << state.type << '\n';
  if (model.keptBytes)
    os << "// Computes what depends on parameters alone, which an instance "
          "keeps: "
       << model.keptBytes << "\n// bytes.\n";
  for (const KeptOnDevice &its : model.keptOnDevices)
    os << "// Of '" << oneLine(its.device) << "': " << its.bytes << " bytes.\n";
  os << "// Returns 0, or 5 if there is no memory left"
     << (model.keptOnDevices.empty() ? ".\n" : ", or what functions return.\n");
  declare(os, "int32_t", name + "_create", from);
  declare(os, "void", name + "_destroy", {instance + " *instance"});
  if (model.states.empty())
    return;
  os << "// Gives the state its first values again. Returns as functions do.\n";
  declare(os, "int32_t", name + "_reset", {instance + " *instance"});
}

void declareWithWorkspace(raw_ostream &os, const EntryPoint &entry) {
  os << "//   workspace: " << arenaText(*entry.arena) << '\n';
  declare(os, "int64_t", entry.name + kWorkspaceBytesSuffix.str(),
          entry.arena->parameters);
  std::vector<std::string> parameters = entry.parameters;
  parameters.push_back("void *workspace");
  parameters.push_back("int64_t workspace_bytes");
  declare(os, "int32_t", entry.name + kWithWorkspaceSuffix.str(), parameters);
}

/// What `entry`, which packs, takes the sizes of.
void declarePackedBytes(raw_ostream &os, const EntryPoint &entry) {
  std::vector<std::string> sizes;
  copy_if(entry.parameters, std::back_inserter(sizes), [](StringRef parameter) {
    return parameter.starts_with("int64_t ");
  });
  declare(os, "int64_t", entry.packs + kPackedBytesSuffix.str(), sizes);
}

} // namespace

std::string arenaText(const Arena &arena) {
  std::vector<std::string> terms = arena.slots;
  if (arena.staticBytes || terms.empty())
    terms.insert(terms.begin(), std::to_string(arena.staticBytes));
  std::string text = join(terms, " + ") + " bytes";
  if (!arena.slots.empty())
    text += terms.size() > 1 ? ", each term rounded up to a multiple of 64"
                             : ", rounded up to a multiple of 64";
  return text;
}

std::string emitHeader(StringRef name, const CompiledModel &model) {
  std::string text;
  raw_string_ostream os(text);
  std::string guard = includeGuard(name);
  os << "// The entry points of " << name
     << ", as compiled by `tilewright compile`.\n"
     << conventionsOf(model) << "\n#ifndef " << guard << "\n#define " << guard
     << "\n\n#include <stdint.h>\n"
     << (model.threads > 1 ? "\n#include \"tilewright/parallel_for.h\"\n" : "")
     << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  if (!model.instance.empty())
    declareInstance(os, model);
  for (const EntryPoint &entry : model.entries) {
    os << '\n';
    for (const std::string &shape : entry.shapes)
      os << "//   " << shape << '\n';
    if (entry.needsAmx)
      os << "//   returns 2 without AMX\n";
    for (auto [index, message] : llvm::enumerate(entry.messages))
      os << "//   returns " << kFirstAssertion + index << ": "
         << oneLine(message) << '\n';
    declare(os, "int32_t", entry.name, entry.parameters);
    if (!entry.packs.empty())
      declarePackedBytes(os, entry);
    if (entry.arena && model.instance.empty())
      declareWithWorkspace(os, entry);
    if (!entry.messages.empty())
      os << "// What such a status says, as a static string.\n"
         << "const char *" << entry.name << "_message(int32_t status);\n";
  }
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif  // " << guard << '\n';
  return text;
}

} // namespace tilewright
