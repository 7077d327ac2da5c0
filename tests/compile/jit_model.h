// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model as `tilewright compile` does, links it with its tiles in
// memory, and calls it. malloc and free of the model are counted.

#ifndef TESTS_COMPILE_JIT_MODEL_H_
#define TESTS_COMPILE_JIT_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::testing {

// As --data-tiling has it.
enum class JitTiling { kLate, kEarly, kNone };

struct JitOptions {
  std::string isa;         // as in tile names; a CPU is called "host"
  bool reference = false;  // plain loops
  int64_t threads = 1;     // as --threads has it
  // As ModelOptions has it, and 1 so that what is small is divided, too.
  int64_t leastTask = 1 << 15;
  JitTiling tiling = JitTiling::kLate;
  // Of --inline: operands are packed whole.
  bool inlineTiles = false;
  bool alwaysPropagate = false;          // as ModelOptions has it
  std::string core = "";                 // ModelOptions::planCore
  std::vector<std::string> others = {};  // devices, each as --device has it
};

// Copies of what models have on devices, in calls so far, but for constants.
struct JitCopies {
  int64_t uploads, downloads;
  int64_t transfers;  // from device to device
};

// What lays a tensor out anew, as the report has it.
struct JitRelayout {
  std::string what, rule;
};

// The ISAs of the table that this CPU has, and generic; best first.
std::vector<std::string> runnableIsas();

// Whether models for `isa` run in this process with tiles that are emulated:
// those by AMX do on CPUs with AVX-512, where it is not at hand.
bool isEmulated(const std::string& isa);

class JitModel {
 public:
  // Null after an error, which is then in `error`.
  static std::unique_ptr<JitModel> compile(std::string_view model,
                                           const JitOptions& options,
                                           std::string* error);
  ~JitModel();

  // The address of an entry point; null if there is none.
  void* find(const std::string& name) const;

  // Calls `name`: pointers and int64_t only. UBSan's function check would read
  // a type before the code, where only its own compiler puts one.
  template <typename... Args>
#ifdef __clang__
  __attribute__((no_sanitize("function")))
#endif
  int32_t call(const std::string& name, Args... args) const {
    return reinterpret_cast<int32_t (*)(Args...)>(find(name))(args...);
  }
  // The same of functions that return a size.
  template <typename... Args>
#ifdef __clang__
  __attribute__((no_sanitize("function")))
#endif
  int64_t callSize(const std::string& name, Args... args) const {
    return reinterpret_cast<int64_t (*)(Args...)>(find(name))(args...);
  }

  // The same with any number of them, up to 40, of functions that return more
  // than a status, too.
  int64_t callWords(const std::string& name,
                    const std::vector<int64_t>& words) const;
  // `name`_workspace_bytes and `name`_with_workspace are there.
  bool hasWorkspace(const std::string& name) const;

  // Names of the tile functions it calls, in order of first call; of a
  // device's tiles, whose kernels it launches, too.
  const std::vector<std::string>& tiles() const { return tiles_; }
  // The pack functions that it calls, each once.
  const std::vector<std::string>& packFunctions() const {
    return pack_functions_;
  }
  // How many places in the code of `name` call a tile of the host.
  int64_t tileCalls(const std::string& name) const;
  const std::vector<std::string>& packedConstants() const { return packed_; }
  const std::vector<std::string>& remarks() const { return remarks_; }
  const std::string& header() const { return header_; }
  // JitOptions::threads.
  int64_t threads() const { return threads_; }
  // Whether `name` says that it calls malloc, though it has a workspace: for
  // what one iteration of a loop leaves to the next, where
  // JitOptions::alwaysPropagate may have it lie otherwise than it began.
  bool mayAllocate(const std::string& name) const {
    return allocating_.count(name) != 0;
  }
  // Of a model with devices: of all code objects, and of each.
  const std::vector<std::string>& kernels() const { return kernels_; }
  const std::vector<std::vector<std::string>>& codeObjects() const {
    return code_objects_;
  }
  // What is laid out anew from the tiles of one layout to those of another, and
  // below, but for what a call of few rows alone does.
  int64_t relayouts() const { return relayouts_; }
  // All that is laid out anew.
  const std::vector<JitRelayout>& laidOutAnew() const { return laid_out_; }
  int64_t dispatches() const { return dispatches_; }

  // Why the last call of a model with a device failed, on this thread.
  static std::string deviceMessage();

  // What models have allocated and not freed, and all that they ever allocated.
  static int64_t liveAllocations();
  static int64_t allocations();
  static JitCopies copies();
  // While true, malloc returns null to models.
  static void failAllocations(bool fail);

 private:
  struct Impl;
  explicit JitModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::vector<std::string> tiles_, packed_, remarks_;
  std::vector<std::string> kernels_;
  std::vector<JitRelayout> laid_out_;
  std::vector<std::vector<std::string>> code_objects_;
  std::vector<std::string> pack_functions_;
  std::map<std::string, int64_t> tile_calls_;
  int64_t dispatches_ = 0, threads_ = 1, relayouts_ = 0;
  std::set<std::string> allocating_;
  std::string header_;
};

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_JIT_MODEL_H_
