// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroup kernels on the GPU of this machine: correctness, then TFLOP/s, next
// to hipBLASLt where it is installed. HIP is loaded when the program starts;
// without it or without a GPU the program says so and exits with 77.
//
//   hip_bench [--size=4096] [--tile=<tile name>,...] [--json=<file>]
//
// A tile name stands for the workgroup kernel of its key. `size` is that of a
// square matrix product, rounded up to whole tiles.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/amdgpu/hipblaslt.h"
#include "bench/support/options.h"
#include "bench/support/report.h"
#include "llvm/IR/LLVMContext.h"
#include "tests/tiles/element_codec.h"
#include "tests/tiles/operands.h"
#include "tests/tiles/reference.h"
#include "tilewright/Target/Amdgpu/CodeObject.h"
#include "tilewright/Target/Amdgpu/KernelGenerator.h"
#include "ukernels/hip/api.h"

namespace tilewright::bench {
namespace {

using testing::DataKind;

constexpr int kSkipped = 77;
// Different panels of each operand; each tile of out has one of their pairs.
constexpr int kLhsPanels = 3, kRhsPanels = 5;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "hip_bench: %s\n", why.c_str());
  std::exit(1);
}

void check(const tw_hip_api_t* hip, tw_hip_error_t error, const char* what) {
  if (tw_hip_check(hip, error, what) != TW_STATUS_OK) fail(tw_hip_message());
}

int64_t roundUp(int64_t value, int64_t to) { return (value + to - 1) / to; }

// Device memory.
class Buffer {
 public:
  Buffer(const tw_hip_api_t* hip, size_t bytes) : hip_(hip) {
    check(hip, hip->Malloc(&data_, bytes == 0 ? 1 : bytes), "hipMalloc");
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { hip_->Free(data_); }
  void* data() const { return data_; }
  void upload(const std::vector<uint8_t>& bytes) const {
    check(hip_,
          hip_->MemcpyAsync(data_, bytes.data(), bytes.size(),
                            TW_HIP_HOST_TO_DEVICE, nullptr),
          "hipMemcpyAsync");
    check(hip_, hip_->StreamSynchronize(nullptr), "hipStreamSynchronize");
  }
  std::vector<uint8_t> download(size_t bytes) const {
    std::vector<uint8_t> result(bytes);
    check(hip_,
          hip_->MemcpyAsync(result.data(), data_, bytes, TW_HIP_DEVICE_TO_HOST,
                            nullptr),
          "hipMemcpyAsync");
    check(hip_, hip_->StreamSynchronize(nullptr), "hipStreamSynchronize");
    return result;
  }

 private:
  const tw_hip_api_t* hip_;
  void* data_ = nullptr;
};

// The kernel of one key on the device, with operands of one size.
class Problem {
 public:
  Problem(const tw_hip_api_t* hip, const TileKey& key, int64_t size)
      : hip_(hip),
        key_(key),
        M_(roundUp(size, key.m0)),
        N_(roundUp(size, key.n0)),
        K_(roundUp(size, key.k0)) {
    loadKernel();
    const TypeTripleInfo& types = info(key.types);
    lhsPanelBytes_ = K_ * key.m0 * key.k0 * info(types.lhs).bits / 8;
    rhsPanelBytes_ = K_ * key.n0 * key.k0 * info(types.rhs).bits / 8;
    testing::Random random(testing::seedOf(printTileKey(key)));
    for (int i = 0; i < kLhsPanels; ++i)
      lhsPanels_.push_back(testing::makeOperands(
                               key, K_, DataKind::kSmallIntegers, false, random)
                               .lhs);
    for (int i = 0; i < kRhsPanels; ++i)
      rhsPanels_.push_back(testing::makeOperands(
                               key, K_, DataKind::kSmallIntegers, false, random)
                               .rhs);
    lhs_ = upload(lhsPanels_, M_);
    rhs_ = upload(rhsPanels_, N_);
    outBytes_ = M_ * N_ * key.m0 * key.n0 * info(types.out).bits / 8;
    out_ = std::make_unique<Buffer>(hip_, outBytes_);
    setParams();
  }

  ~Problem() { hip_->ModuleUnload(module_); }

  void launch() {
    size_t bytes = sizeof params_;
    void* extra[] = {TW_HIP_LAUNCH_BUFFER, &params_, TW_HIP_LAUNCH_BUFFER_SIZE,
                     &bytes, TW_HIP_LAUNCH_END};
    check(hip_,
          hip_->ModuleLaunchKernel(
              function_, static_cast<unsigned>(roundUp(N_, launch_.tiles_n)),
              static_cast<unsigned>(roundUp(M_, launch_.tiles_m)), 1,
              launch_.block_size, 1, 1, launch_.dynamic_lds, nullptr, nullptr,
              extra),
          "hipModuleLaunchKernel");
  }

  // Empty if the out tiles are right.
  std::string verify() {
    check(hip_, hip_->MemsetAsync(out_->data(), 0xFE, outBytes_, nullptr),
          "hipMemsetAsync");
    launch();
    const std::vector<uint8_t> out = out_->download(outBytes_);
    const tw_element_type_t type = info(key_.types).out;
    std::vector<std::vector<testing::Accepted>> accepted;
    for (const std::vector<uint8_t>& lhs : lhsPanels_)
      for (const std::vector<uint8_t>& rhs : rhsPanels_)
        accepted.push_back(testing::referenceTile(key_, K_, lhs.data(),
                                                  rhs.data(), nullptr, {}));
    const int64_t elements = int64_t{key_.m0} * key_.n0;
    for (int64_t m = 0; m < M_; ++m)
      for (int64_t n = 0; n < N_; ++n)
        for (int64_t i = 0; i < elements; ++i) {
          const double value = testing::decodeElement(
              type,
              testing::loadElement(out.data(), (m * N_ + n) * elements + i,
                                   info(type).bits));
          if (!accepted[m % kLhsPanels * kRhsPanels + n % kRhsPanels][i]
                   .contains(value))
            return "tile (" + std::to_string(m) + ", " + std::to_string(n) +
                   ") element " + std::to_string(i) + " is " +
                   std::to_string(value);
        }
    return {};
  }

  double flops() const {
    return 2.0 * static_cast<double>(M_ * key_.m0) *
           static_cast<double>(N_ * key_.n0) *
           static_cast<double>(K_ * key_.k0);
  }
  const TileKey& key() const { return key_; }
  // hipBLASLt's launch on the same memory, taken for plain matrices.
  std::function<bool()> hipblaslt(std::string& why) const {
    return hipblasltMatmul(key_.types, M_ * key_.m0, N_ * key_.n0, K_ * key_.k0,
                           lhs_->data(), rhs_->data(), out_->data(), why);
  }

 private:
  void loadKernel() {
    llvm::LLVMContext context;
    llvm::Expected<GeneratedKernel> kernel =
        KernelGenerator().generate(key_, {}, context);
    if (!kernel) fail(llvm::toString(kernel.takeError()));
    auto backend = DeviceBackend::create(key_.isa);
    if (!backend) fail(llvm::toString(backend.takeError()));
    auto code = (*backend)->emit(*kernel->module, DeviceFile::CodeObject);
    if (!code) fail(llvm::toString(code.takeError()));
    launch_ = kernel->launch;
    check(hip_, hip_->ModuleLoadData(&module_, code->data()),
          "hipModuleLoadData");
    check(hip_,
          hip_->ModuleGetFunction(&function_, module_, kernel->name.c_str()),
          "hipModuleGetFunction");
  }

  std::unique_ptr<Buffer> upload(
      const std::vector<std::vector<uint8_t>>& panels, int64_t count) const {
    std::vector<uint8_t> all;
    for (int64_t i = 0; i < count; ++i) {
      const std::vector<uint8_t>& panel = panels[i % panels.size()];
      all.insert(all.end(), panel.begin(), panel.end());
    }
    auto buffer = std::make_unique<Buffer>(hip_, all.size());
    buffer->upload(all);
    return buffer;
  }

  void setParams() {
    params_ = {};
    params_.lhs_buffer = lhs_->data();
    params_.rhs_buffer = rhs_->data();
    params_.out_buffer = out_->data();
    params_.lhs_stride0 = K_ * key_.m0 * key_.k0;
    params_.rhs_stride0 = K_ * key_.n0 * key_.k0;
    params_.out_stride0 = N_ * key_.m0 * key_.n0;
    params_.M = M_, params_.N = N_, params_.K = K_;
    params_.M0 = key_.m0, params_.N0 = key_.n0, params_.K0 = key_.k0;
    params_.flags = static_cast<uint32_t>(key_.types) |
                    TW_MMT4D_FLAG_SKIP_INTERMEDIATE_ROUNDINGS;
  }

  const tw_hip_api_t* hip_;
  TileKey key_;
  int64_t M_, N_, K_;
  int64_t lhsPanelBytes_, rhsPanelBytes_, outBytes_;
  void *module_ = nullptr, *function_ = nullptr;
  tw_mmt4d_launch_t launch_ = {};
  std::vector<std::vector<uint8_t>> lhsPanels_, rhsPanels_;
  std::unique_ptr<Buffer> lhs_, rhs_, out_;
  tw_mmt4d_params_t params_;
};

// Times `launch` by events of the device.
template <typename Launch>
void time(benchmark::State& state, const tw_hip_api_t* hip, double flops,
          Launch launch) {
  void *begin, *end;
  check(hip, hip->EventCreate(&begin), "hipEventCreate");
  check(hip, hip->EventCreate(&end), "hipEventCreate");
  for (auto _ : state) {
    check(hip, hip->EventRecord(begin, nullptr), "hipEventRecord");
    launch();
    check(hip, hip->EventRecord(end, nullptr), "hipEventRecord");
    check(hip, hip->EventSynchronize(end), "hipEventSynchronize");
    float milliseconds = 0;
    check(hip, hip->EventElapsedTime(&milliseconds, begin, end),
          "hipEventElapsedTime");
    state.SetIterationTime(milliseconds / 1000);
  }
  hip->EventDestroy(begin);
  hip->EventDestroy(end);
  state.counters["TFLOP/s"] = benchmark::Counter(
      flops * 1e-12 * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate);
}

void benchmarkKernel(benchmark::State& state, const tw_hip_api_t* hip,
                     const TileKey& key, int64_t size) {
  Problem problem(hip, key, size);
  if (std::string why = problem.verify(); !why.empty()) {
    state.SkipWithError(("wrong: " + why).c_str());
    return;
  }
  time(state, hip, problem.flops(), [&] { problem.launch(); });
}

void benchmarkHipblaslt(benchmark::State& state, const tw_hip_api_t* hip,
                        const TileKey& key, int64_t size) {
  Problem problem(hip, key, size);
  std::string why;
  std::function<bool()> launch = problem.hipblaslt(why);
  if (!launch) {
    state.SkipWithError(why.c_str());
    return;
  }
  time(state, hip, problem.flops(), [&] {
    if (!launch()) state.SkipWithError("hipblasLtMatmul failed");
  });
}

// What is timed if no name is given: the types that models use.
std::vector<TileKey> defaultKeys(tw_isa_t isa) {
  std::vector<TileKey> keys;
  for (const char* sizes :
       {"f16f16f32_64x64x16", "bf16bf16f32_64x64x16", "s8s8s32_64x64x32",
        "f8e4m3fnf8e4m3fnf32_64x64x64", "f8e4m3fnuzf8e4m3fnuzf32_64x64x32",
        "f32f32f32_64x64x8"}) {
    ParsedTileKey parsed = parseTileKey("tw_mmt4d_tile_" + std::string(sizes) +
                                        "_" + std::string(info(isa).name));
    if (parsed.key) keys.push_back(*parsed.key);
  }
  return keys;
}

}  // namespace

int run(int argc, char** argv) {
  int64_t size = 4096;
  std::vector<std::string> names;
  Json json;
  CommandLine line;
  line.program = "hip_bench";
  line.usage =
      "Times the workgroup kernels of tiles on an AMD GPU, and hipBLASLt "
      "beside "
      "them.\nWithout a GPU it says so and exits with 77.";
  line.options = {
      {"size", "N", "M, N and K in elements, rounded up to tiles; default 4096",
       setInteger(&size, 1, 1 << 16)},
      {"tile", "NAME,NAME", "the tiles; default: some of this GPU",
       setNames(&names)},
      json.option(),
  };
  int exitCode;
  if (!line.parse(argc, argv, &exitCode)) return exitCode;
  const tw_hip_api_t* hip = tw_hip_load();
  char gfx[64] = "";
  int devices = 0;
  if (!hip || hip->GetDeviceCount(&devices) != TW_HIP_SUCCESS || devices == 0) {
    std::printf("SKIPPED: %s\n", hip ? "no GPU" : tw_hip_message());
    return kSkipped;
  }
  if (tw_hip_device_gfx(hip, 0, gfx, sizeof gfx) != TW_STATUS_OK)
    fail(tw_hip_message());
  const IsaInfo* isa = findIsa(std::string("amdgpu_") + gfx);
  if (!isa) {
    std::printf("SKIPPED: isas.def has no row for this GPU, %s\n", gfx);
    return kSkipped;
  }
  check(hip, hip->SetDevice(0), "hipSetDevice");
  std::vector<TileKey> keys;
  for (const std::string& name : names) {
    ParsedTileKey parsed = parseTileKey(name);
    if (!parsed.key) fail(name + ": " + parsed.error);
    if (parsed.key->isa != isa->isa)
      fail(name + ": this GPU is " + std::string(isa->name));
    if (parsed.key->blockScaled)
      fail(name + ": kernels with block scales are not timed");
    keys.push_back(*parsed.key);
  }
  if (keys.empty()) keys = defaultKeys(isa->isa);
  for (const TileKey& key : keys) {
    const std::string name = kernelName(key);
    benchmark::RegisterBenchmark(
        (name + "/" + std::to_string(size)).c_str(),
        [=](benchmark::State& s) { benchmarkKernel(s, hip, key, size); })
        ->UseManualTime();
    benchmark::RegisterBenchmark(
        (name + "/" + std::to_string(size) + "/hipBLASLt").c_str(),
        [=](benchmark::State& s) { benchmarkHipblaslt(s, hip, key, size); })
        ->UseManualTime();
  }
  return runBenchmarks(line, json);
}

}  // namespace tilewright::bench

int main(int argc, char** argv) { return tilewright::bench::run(argc, argv); }
