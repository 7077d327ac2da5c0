// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes between a model on tensors and calls of tile functions; Passes.td
// describes each.

#ifndef TILEWRIGHT_COMPILE_PASSES_H
#define TILEWRIGHT_COMPILE_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/Encoding/Place.h"

namespace tilewright {

/// On a function: the constants that were packed at compile time, an ArrayAttr
/// of StringAttr.
inline constexpr llvm::StringLiteral kPackedAttr = "tw.packed";
/// On a module: the constants that those were packed into, an ArrayAttr of
/// ElementsAttr.
inline constexpr llvm::StringLiteral kPackedValuesAttr = "tw.packed_values";
/// On a module: the values of constants that are only declared in it, a
/// DictionaryAttr of ElementsAttr by symbol.
inline constexpr llvm::StringLiteral kExternalConstantsAttr =
    "tw.external_constants";
/// On a module: the constants that are read from a file, in its order, an
/// ArrayAttr of pairs: externalConstantName() and the ElementsAttr.
inline constexpr llvm::StringLiteral kParametersAttr = "tw.parameters";
/// On an argument or a result of a model's function: its elements in the model,
/// where they are others than in memory, a TypeAttr.
inline constexpr llvm::StringLiteral kElementAttr = "tw.element";
/// On an argument or a result of a model's function: it is this state, an i64;
/// see tw-thread-state.
inline constexpr llvm::StringLiteral kStateAttr = "tw.state";
/// On a module: its states, an ArrayAttr of pairs: name and tensor type.
inline constexpr llvm::StringLiteral kStatesAttr = "tw.states";
/// On an entry point: which of its arguments are pointers to states, an
/// ArrayAttr of DenseI64ArrayAttr: argument, state, and 1 if it is written.
inline constexpr llvm::StringLiteral kStateArgumentsAttr = "tw.state_arguments";
/// On a module: what each call does of constants alone, for the report, an
/// ArrayAttr of DictionaryAttr.
inline constexpr llvm::StringLiteral kEachCallAttr = "tw.each_call";
/// On a `memref.global`: it is in the memory that an instance keeps. A
/// UnitAttr.
inline constexpr llvm::StringLiteral kKeptAttr = "tw.kept";
/// On a function: it makes what an instance keeps in the memory of devices. A
/// UnitAttr.
inline constexpr llvm::StringLiteral kKeepsOnDevicesAttr =
    "tw.keeps_on_devices";
/// On a `memref.global` with kKeptAttr: it is the address of what an instance
/// keeps in this device's memory, a StringAttr; and how many bytes that are, an
/// i64.
inline constexpr llvm::StringLiteral kKeptByAttr = "tw.kept_by";
inline constexpr llvm::StringLiteral kKeptByBytesAttr = "tw.kept_by_bytes";
/// On a module: the bytes of the host's part of it, an i64.
inline constexpr llvm::StringLiteral kKeptBytesAttr = "tw.kept_bytes";
/// On a module: by device, where in it the address of the device's part is, and
/// the bytes of that, a DictionaryAttr of DenseI64ArrayAttr.
inline constexpr llvm::StringLiteral kKeptOnDevicesAttr = "tw.kept_on_devices";
/// On a function: its last argument points to that memory. A UnitAttr.
inline constexpr llvm::StringLiteral kKeptPointerAttr = "tw.kept_pointer";
/// On an argument of a model's function: its name, a StringAttr.
inline constexpr llvm::StringLiteral kNameAttr = "tw.name";
/// On an argument of a model's function: C hands it over packed; a UnitAttr, or
/// a StringAttr, its id. Those of one id have one layout. See tw-declare-packs.
inline constexpr llvm::StringLiteral kPackedArgumentAttr = "tw.packed";
/// On a model's function, its entry point and body: it packs arguments of this
/// id, a StringAttr.
inline constexpr llvm::StringLiteral kPacksAttr = "tw.packs";
/// On an entry point: how the C header describes each argument and result, an
/// ArrayAttr of StringAttr.
inline constexpr llvm::StringLiteral kCArgumentsAttr = "tw.c_arguments";
inline constexpr llvm::StringLiteral kCResultsAttr = "tw.c_results";
/// On an entry point of a program: its arguments and results on tensors, an
/// ArrayAttr of DictionaryAttr: name, type and shape, as the header has it.
inline constexpr llvm::StringLiteral kArgumentValuesAttr = "tw.argument_values";
inline constexpr llvm::StringLiteral kResultValuesAttr = "tw.result_values";

/// On an argument of an entry point's body: it is a size of another argument,
/// not negative. A UnitAttr.
inline constexpr llvm::StringLiteral kSizeAttr = "tw.size";
/// On an entry point whose body has its buffers in one arena: what the header
/// and the report say of it, a DictionaryAttr; see ArenaAttr.h.
inline constexpr llvm::StringLiteral kArenaAttr = "tw.arena";
/// And what its statuses from kFirstAssertion on say, in order.
inline constexpr llvm::StringLiteral kCMessagesAttr = "tw.c_messages";
/// And that it returns TW_STATUS_UNSUPPORTED where AMX is not permitted. A
/// UnitAttr.
inline constexpr llvm::StringLiteral kNeedsAmxAttr = "tw.needs_amx";

/// On a `cf.assert`: the status of a call in which it fails, an i32.
inline constexpr llvm::StringLiteral kStatusAttr = "tw.status";
/// Called where a function returns early; see tw-track-allocations.
inline constexpr llvm::StringLiteral kGiveBackFunction = "tw.give_back";

/// On an operation: it reaches no element outside of its tensors, where the
/// entry point's checks hold. A UnitAttr.
inline constexpr llvm::StringLiteral kInBoundsAttr = "tw.in_bounds";

/// On an outlined function that takes pointers: its type on tensors, a
/// TypeAttr.
inline constexpr llvm::StringLiteral kDispatchTypeAttr = "tw.dispatch_type";
/// On the function of a multiplication's epilogue. A UnitAttr.
inline constexpr llvm::StringLiteral kEpilogueAttr = "tw.epilogue";
/// On a module whose calls may use several threads: how much each task does at
/// least, an i64.
inline constexpr llvm::StringLiteral kLeastTaskAttr = "tw.least_task";
/// On an argument of a function: the caller's tw_parallel_for_t, or null. A
/// UnitAttr.
inline constexpr llvm::StringLiteral kParallelForAttr = "tw.parallel_for";
/// On an `scf.for` of an outlined function: its iterations may run at the same
/// time. A UnitAttr.
inline constexpr llvm::StringLiteral kParallelAttr = "tw.parallel";
/// On a pointer argument of an outlined function, which a size follows: it has
/// a piece for each task. A UnitAttr.
inline constexpr llvm::StringLiteral kScratchAttr = "tw.scratch";
/// On a nested module of kernels: the names of what is launched of its code
/// object, by number, an ArrayAttr, and which target that is for, a StringAttr.
inline constexpr llvm::StringLiteral kKernelsAttr = "tw.kernels";
inline constexpr llvm::StringLiteral kTargetAttr = "tw.target";
/// On a module with dispatches: by device, the names of the globals that are
/// uploaded to it once, by number, a DictionaryAttr of ArrayAttr.
inline constexpr llvm::StringLiteral kConstantsAttr = "tw.constants";
/// How many launches there are in its code, an i64.
inline constexpr llvm::StringLiteral kDispatchesAttr = "tw.dispatches";
/// On a module: of those that are in the file of parameters, the offset there
/// and the bytes, a DictionaryAttr of DenseI64ArrayAttr.
inline constexpr llvm::StringLiteral kConstantOffsetsAttr =
    "tw.constant_offsets";
/// Of ukernels/hip/program.h: called with the program, or all of them, and the
/// file of parameters, where a function begins.
inline constexpr llvm::StringLiteral kHipBeginFunction = "tw_hip_begin";
inline constexpr llvm::StringLiteral kHipBeginAllFunction = "tw_hip_begin_all";
/// The nested modules of the kernels that are not tiles', one for each code
/// object: `kernels`, `kernels_1`, ...
inline constexpr llvm::StringLiteral kKernelsModule = "kernels";
/// Memory space of a kernel's buffers, of which it has no other, and of the
/// host's once it is settled which device each is for: global memory of AMD
/// GPUs.
inline constexpr unsigned kGlobalMemorySpace = 1;

/// Whether it is where a function begins that works on devices' memory.
inline bool beginsOnDevices(mlir::LLVM::CallOp call) {
  return call.getCallee() == kHipBeginFunction ||
         call.getCallee() == kHipBeginAllFunction;
}

/// Whether `func`, which was outlined, runs on a device with memory of its own.
inline bool isForDevice(mlir::Operation *func) {
  return func->hasAttr(kDispatchAttr) && !isOnHost(func);
}

/// Teaches one-shot bufferization what the dialect `tw` computes with, which
/// has a form on buffers, and `linalg.pack` and `linalg.unpack`: each becomes
/// one loop nest from its source's buffer to its destination's.
///
/// Upstream lowers packs on tensors instead, to pad, reshape and transpose (to
/// transpose, reshape and slice), which are three passes over memory with two
/// temporary buffers.
void registerPackBufferization(mlir::DialectRegistry &registry);

/// tw-hoist-encodings: what is known before a program runs is packed then, of a
/// program whose encodings were materialised.
void registerHoistEncodingsPipeline();

#define GEN_PASS_DECL
#include "tilewright/Compile/Passes.h.inc"

/// Registers them, for tools that take passes by name.
void registerTilewrightCompilePasses();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_PASSES_H
