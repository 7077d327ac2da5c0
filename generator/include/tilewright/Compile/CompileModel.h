// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model in MLIR -> code that calls tile functions by name. No MLIR in this
// header, so that its users stay cheap to compile.

#ifndef TILEWRIGHT_COMPILE_COMPILEMODEL_H
#define TILEWRIGHT_COMPILE_COMPILEMODEL_H

#include "tilewright/Codegen/ExternalConstants.h"
#include "tilewright/Compile/SafeTensors.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/key.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// What to stop at and give out, in pipeline order.
enum class ModelStage {
  Model,      ///< entry points with C signatures, elementwise operations fused
  Encoded,    ///< what tensors are for, not yet how they lie
  Packed,     ///< matrix multiplications packed for tiles, constants packed
  Dispatches, ///< outlined: calls of functions, each with its work
  Buffers,    ///< on buffers, with deallocations
  Calls,      ///< calls of tile functions, loops
  LLVM,       ///< the LLVM dialect
  CodeObject, ///< the devices' kernels; models for GPUs of one target only
  LLVMIR,     ///< LLVM IR, optimised
  Asm,
  Bitcode,
  Object,
};

/// When it is decided how operands of contractions lie.
enum class DataTiling {
  Late,  ///< in what was made one dispatch before
  Early, ///< in the whole program
  None,  ///< never: as they come, and contractions are loops
  Unset, ///< the same, encodings were never set: what None is compared with
};

/// A thing that computes parts of a model.
struct ModelDevice {
  ModelDevice(std::string name, TargetCpu cpu)
      : name(std::move(name)), target(cpu.name), cpu(std::move(cpu)) {}

  /// What `tw.device` of functions and operations calls it.
  std::string name;
  /// TargetCpu::name, or "none": without data tiling, on the host.
  std::string target;
  /// What its code is made of. A GPU's one instruction set is of amdgpu.
  TargetCpu cpu;

  bool isGpu() const { return cpu.best().isGpu(); }
};

/// The devices of `targets`, which are called "host" and "gpu" (and, of several
/// CPUs or GPUs, after the target), or of `devices`, each "<name>=<target>"; a
/// target is parseTargetCpu's, "host" or "none". If none is a CPU, "host" is:
/// this machine's. An error says which is wrong and what is accepted.
llvm::Expected<std::vector<ModelDevice>>
modelDevices(llvm::ArrayRef<std::string> targets,
             llvm::ArrayRef<std::string> devices);

struct ModelOptions {
  /// What says nothing of devices runs on the first GPU, else on the host: the
  /// first one that is no GPU.
  std::vector<ModelDevice> devices = {
      {"host", targetCpuOf(info(TW_ISA_GENERIC))}};
  /// Changes what was measured of tiles on a target, where tuning says
  /// otherwise than the runtime library: followShapes() has one. From any
  /// thread.
  std::function<void(TargetCpu &)> tune;
  const TargetCpu &host() const;
  bool hasGpu() const;
  /// Of GPUs' tiles, as DeviceKernelOptions.
  bool preferHandWritten = true;
  std::string bitcodeDir;
  /// Target triple; empty for the host's architecture on this machine's OS.
  std::string triple;
  /// The core that tiles are planned for, one of findCore; empty for the usual.
  std::string planCore;
  /// Prefix of the tile names.
  std::string prefix = std::string(kDefaultPrefix);
  DataTiling dataTiling = DataTiling::Late;
  /// The model calls tiles itself, on operands that are packed as a whole, so
  /// that they can be inlined; else tw_contract_v8 does.
  bool inlineTiles = false;
  /// What is computed of encoded tensors stays encoded also where that saves no
  /// bytes: for tests.
  bool alwaysPropagate = false;
  /// How many tasks the work of a dispatch is cut into at most. Above 1, entry
  /// points take a tw_parallel_for_t last.
  int64_t threads = 1;
  /// Less work is not worth a task, as tw.work counts.
  int64_t leastTask = 1 << 15;
  /// Arguments that are handed over packed, beside those that the model says
  /// tw.packed of: "<function>:<number or name>", or the same with "=<id>".
  std::vector<std::string> packed;
  /// Packs nothing and calls no tile: upstream's plain loops, the oracle that
  /// compiled models are tested against.
  bool reference = false;
  /// Where the values of the model's parameters are, its globals with
  /// #ml_program.extern. Constants of the compiled model refer to its bytes.
  std::shared_ptr<const SafeTensors> parameters;
  /// Print the time of each pass to standard error.
  bool timing = false;
  /// Takes what there is after each step, with a name for a file of it.
  std::function<llvm::Error(llvm::StringRef file, llvm::StringRef text)> dump;
  /// What the types and functions of instances are called after, of a model
  /// that has state or parameters in a file.
  std::string instance = "model";
  /// Large constants are read from a file; else they are in the output.
  bool parametersInFile = false;
  /// What is computed of parameters alone is computed when an instance is made,
  /// if the model has instances; else by each call.
  bool runOnce = true;
  /// For an executable: describe the entry points to its runner, which then is
  /// all that may call them; see ukernels/runner/description.h.
  bool describe = false;
  /// Bitcode, Object: leave the large constants to the caller, as
  /// CompiledModel::constants. Else the output holds them.
  bool constantsApart = false;
};

/// A tile function as the model calls it.
struct CalledTile {
  std::string name;
  TileKey key;
  /// In full; empty for one whose code no plan is for.
  std::string plan;
};

/// Where the buffers of an entry point are; docs/compile.md describes the
/// functions that come with it.
struct Arena {
  int64_t buffers = 0; ///< that lie in it
  int64_t staticBytes = 0;
  std::vector<std::string> slots; ///< bytes of each, as C writes them
  /// The C declarations of the sizes that it depends on, in order.
  std::vector<std::string> parameters;
  /// Buffers that are not in it, with the reason: malloc and free.
  std::vector<std::string> others;
};

/// What an instance keeps from call to call.
struct ModelState {
  std::string name, type;
  uint64_t bytes;
};

/// What an instance keeps in the memory of a GPU.
struct KeptOnDevice {
  std::string device; ///< its name
  uint64_t address;   ///< where that is, in what it keeps in the host's
  uint64_t bytes;
};

/// What is computed of parameters alone.
struct ModelParameterWork {
  /// Those that read it; of what an instance keeps there may be several.
  std::vector<std::string> functions;
  std::string place;  ///< file, line and column
  std::string type;   ///< of what is kept, packed if it is, or made
  uint64_t bytes = 0; ///< of that
  int64_t operations = 0, bytesRead = 0;
  std::string because = {}; ///< of what each call does: why
};

/// An argument of an entry point that is a pointer to a state.
struct StateArgument {
  unsigned argument, state;
  bool isWritten;
};

/// An argument or result, for ModelOptions::describe.
struct EntryValue {
  std::string name;
  std::string element; ///< "f32", "index"
  std::string shape;   ///< as the header has it, "[images_d0][64]"
  bool isScalar = false;
  std::vector<int64_t> sizes; ///< -1: dynamic
};

/// A function that C can call; docs/compile.md describes the conventions.
struct EntryPoint {
  std::string name;
  std::vector<std::string> parameters; ///< C declarations, in order
  std::vector<std::string> shapes;     ///< "images: [images_d0][64]", ...
  /// What the statuses from 1024 on say, of what the model asserts.
  std::vector<std::string> messages;
  std::optional<Arena> arena = {}; ///< of models for the CPU
  std::vector<StateArgument> states = {};
  std::vector<EntryValue> arguments = {}, results = {};
  /// The id of the arguments that it packs, if that is what it does.
  std::string packs = {};
  bool readsKept = false; ///< or makes it: its last argument points there
  bool needsAmx = false;  ///< and returns TW_STATUS_UNSUPPORTED without it
};

/// A constant of 4 KiB or more, as the code reads it; several equal ones are
/// one.
struct LargeConstant {
  std::string type;
  uint64_t bytes;
  bool packed; ///< for a tile
};

struct StepTime {
  std::string name;
  double ms;
};

/// What a call of a dispatch reads, writes and computes: numbers, expressions
/// of C in the sizes that the caller passes, or empty where that cannot be
/// told.
struct DispatchWork {
  std::string entry; ///< the entry point that calls it
  int64_t calls = 0; ///< places with this work
  std::string bytesRead, bytesWritten, operations;
  std::string whyUnknown = {}; ///< of those that are empty
  bool fewRows = false;        ///< only where it is called for few rows
};

/// A function that was outlined, and how many places of the model call it.
struct ModelDispatch {
  std::string name;
  int64_t calls = 0;
  /// In bodies that entry points call for few rows instead.
  int64_t callsForFewRows = 0;
  std::string device = {}; ///< empty: the host
  std::string place = {};  ///< of the first call: file, line and column
  std::string tile = {};   ///< empty of what is no multiplication
  std::string packs = {};  ///< the operands that are packed while it runs
  std::vector<DispatchWork> work = {};
  /// Of one of the host that is estimated at less than half of the speed that
  /// its bytes allow: how much that is, and why.
  std::optional<int64_t> percent = {};
  std::string slowBecause = {};
};

/// A tensor that is copied because it has to lie in another way.
struct Relayout {
  std::string function; ///< the entry point
  bool fewRows = false; ///< only where it is called for few rows
  std::string place;    ///< file, line and column
  std::string device;   ///< its name
  std::string what;     ///< "pack", "unpack", "relayout", "lhs", "rhs"
  std::string from, to;
  /// Of what is written; as in DispatchWork.
  std::string bytes, whyUnknown;
  std::string rule;   ///< why it is there: a word of docs/compile.md
  std::string reason; ///< the same in words, with what it is about
};

/// A multiplication by a rhs that others multiply by too, with other sizes, so
/// that N0 and K0 of its tile were chosen without M.
struct SharedWeight {
  std::string function, place, device;
  bool fewRows = false;       ///< only where it is called for few rows
  std::string weight;         ///< the type of the rhs
  std::vector<int64_t> sizes; ///< M, N, K; -1: not known
  std::string tile;
  std::string alone; ///< the tile that it would have
  /// Estimated time with `tile` by that with `alone`; none where there is no
  /// model of costs.
  std::optional<double> cost;
};

/// The kernels of the GPUs of one target.
struct CodeObject {
  std::string target; ///< TargetCpu::name
  std::vector<std::string> kernels;
  uint64_t bytes = 0;
};

struct CompiledModel {
  ModelStage stage;
  llvm::SmallVector<char, 0> bytes; ///< text or binary, as `stage` says
  /// What `bytes` refers to, for ModelOptions::constantsApart.
  std::vector<ExternalConstant> constants;
  std::shared_ptr<void> constantsOwner; ///< of what they refer to
  std::vector<EntryPoint> entries;
  /// Every function that C may call, entry points and what comes with them.
  std::vector<std::string> functionsForC;
  /// The tile functions called, each once, in order of first call.
  std::vector<TileKey> tiles;
  /// Those that code of the host calls by name.
  std::vector<CalledTile> calledTiles;
  /// What is called, by the first call.
  std::vector<ModelDispatch> functions;
  std::vector<Relayout> relayouts;
  std::vector<SharedWeight> sharedWeights;
  /// Of a model with GPUs: launches in its code, but for those of bodies for
  /// few rows, and kernels.
  int64_t dispatches = 0;
  std::vector<CodeObject> codeObjects;
  /// One line per constant packed at compile time: types and bytes.
  std::vector<std::string> packedConstants;
  std::vector<LargeConstant> largeConstants;
  std::vector<ModelState> states;
  /// What is computed once, when an instance is made, and the bytes that it
  /// keeps, in the host's memory and elsewhere; what each call computes though
  /// it is always the same.
  std::vector<ModelParameterWork> runOnce, eachCall;
  uint64_t keptBytes = 0;
  std::vector<KeptOnDevice> keptOnDevices = {};
  /// How the functions of an instance are called; empty if the model has none.
  std::string instance;
  /// Of ModelOptions::threads.
  int64_t threads = 1;
  /// Of ModelOptions::parametersInFile.
  bool parametersInFile = false;
  /// The bytes in that file, where they are, and what it is known by.
  std::vector<llvm::StringRef> parameters;
  std::vector<uint64_t> parameterOffsets;
  std::array<uint8_t, 32> parametersIdentity = {};
  /// Contractions that no tile function can do and dispatches that are slow,
  /// with the reason and the place; kernels that spill.
  std::vector<std::string> remarks;
  std::vector<StepTime> steps;
};

/// Compiles the model in `source`: text, followed by a zero byte, or MLIR's
/// bytecode. The result may refer to bytes of it. An error holds MLIR's
/// diagnostics, each with file, line and column. May be called from several
/// threads.
llvm::Expected<CompiledModel> compileModel(llvm::MemoryBufferRef source,
                                           ModelStage stage,
                                           const ModelOptions &options);

/// The same for each of `options`, with names and parameters alike: what their
/// programs have packed alike in a file of parameters is one, and each
/// parameter is read once for all of them.
llvm::Expected<std::vector<CompiledModel>>
compileModels(llvm::MemoryBufferRef source, ModelStage stage,
              llvm::ArrayRef<ModelOptions> options);

/// Whether `source` is MLIR's bytecode and not text.
bool isModelBytecode(llvm::MemoryBufferRef source);

/// How large an arena is, in a line.
std::string arenaText(const Arena &arena);

/// The C header that declares the functions of `model`; `name` is its file
/// name.
std::string emitHeader(llvm::StringRef name, const CompiledModel &model);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_COMPILEMODEL_H
