// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright explain` of workgroup kernels: the plan, how the kernel is
// launched, and what the cost model says.

#include "GenKernels.h"

#include "tilewright/Target/Amdgpu/KernelGenerator.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

json::Object costAsJson(const KernelPlan &plan, const TileKey &key) {
  PipelineShape shape(key, plan);
  KernelCost cost = estimateKernelCost(plan, key);
  return json::Object{{"matrix_instructions", shape.matrixInstructions},
                      {"lds_reads", shape.ldsReads},
                      {"lds_writes", shape.ldsWrites},
                      {"global_loads", shape.globalLoads},
                      {"registers", shape.registers},
                      {"accumulator_registers", shape.accumulatorRegisters},
                      {"lds_bytes", shape.ldsBytes},
                      {"matrix_share", cost.matrixShare()},
                      {"cycles_per_iteration", cost.cycles},
                      {"macs_per_cycle", cost.macs / cost.cycles}};
}

void printCost(const KernelPlan &plan, const TileKey &key) {
  auto line = [](const Twine &text) {
    outs() << formatv("  {0,-13}{1}\n", "", text.str());
  };
  PipelineShape shape(key, plan);
  KernelCost cost = estimateKernelCost(plan, key);
  line(formatv("an iteration of a wave: {0} matrix instructions, {1} reads and "
               "{2} writes of LDS, {3} global loads; about {4} registers, {5} "
               "of them accumulators; {6} bytes of LDS",
               shape.matrixInstructions, shape.ldsReads, shape.ldsWrites,
               shape.globalLoads, shape.registers, shape.accumulatorRegisters,
               shape.ldsBytes)
           .str());
  line(formatv("modelled {0:f0} cycles per iteration of a compute unit, {1:f0} "
               "multiply-adds per cycle; matrix instructions are {2:P} of a "
               "wave's issue cycles",
               cost.cycles, cost.macs / cost.cycles, cost.matrixShare())
           .str());
}

} // namespace

Error explainKernel(const TileKey &key, StringRef prefix, StringRef overrides,
                    json::Array *into) {
  std::string name = kernelName(key, prefix);
  if (!info(key.isa).isGpu())
    return createStringError(name + ": workgroup kernels are for amdgpu");
  Expected<KernelPlan> plan = planKernel(key, overrides);
  if (!plan)
    return createStringError(name + ": " + toString(plan.takeError()));
  tw_mmt4d_launch_t launch = kernelLaunch(key, *plan);
  bool pipelined = plan->form == KernelForm::Pipelined;
  if (into) {
    json::Object object{
        {"name", name},
        {"tile", printTileKey(key, std::string_view(prefix))},
        {"plan", printKernelPlan(*plan)},
        {"launch", json::Object{{"block_size", launch.block_size},
                                {"tiles_m", launch.tiles_m},
                                {"tiles_n", launch.tiles_n},
                                {"dynamic_lds", launch.dynamic_lds}}}};
    if (pipelined)
      object["cost"] = costAsJson(*plan, key);
    into->push_back(std::move(object));
    return Error::success();
  }
  outs() << name << '\n';
  outs() << formatv("  {0,-13}{1}\n", "plan", printKernelPlan(*plan));
  outs() << formatv("  {0,-13}{1} lanes for {2}x{3} tiles: a grid of "
                    "ceil(N / {3}) x ceil(M / {2})\n",
                    "launch", launch.block_size, launch.tiles_m,
                    launch.tiles_n);
  if (pipelined)
    printCost(*plan, key);
  else
    outs() << formatv("  {0,-13}{1}\n", "tile",
                      printTileKey(key, std::string_view(prefix)));
  return Error::success();
}

} // namespace tilewright
