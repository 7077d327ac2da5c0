// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tw`; TwOps.td describes it.

#ifndef TILEWRIGHT_DIALECT_TWDIALECT_H
#define TILEWRIGHT_DIALECT_TWDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/PackLayout.h"
#include "tilewright/key.h"

namespace tilewright {

/// For attributes, which are unique by it.
inline llvm::hash_code hash_value(const TileKey &key) {
  return llvm::hash_combine(int(key.types), key.m0, key.n0, key.k0,
                            int(key.rounding), int(key.isa), key.m0Scalable,
                            key.n0Scalable, key.blockScaled, key.vnni);
}

} // namespace tilewright

#include "tilewright/Dialect/TwDialect.h.inc"
#include "tilewright/Dialect/TwEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/TwAttributes.h.inc"

#define GET_OP_CLASSES
#include "tilewright/Dialect/TwOps.h.inc"

namespace tilewright::tw {

/// Names of the discardable attributes.
inline constexpr llvm::StringLiteral kStage = "tw.stage";
inline constexpr llvm::StringLiteral kStages = "tw.stages";
inline constexpr llvm::StringLiteral kBuffers = "tw.buffers";
inline constexpr llvm::StringLiteral kBoundaries = "tw.boundaries";
inline constexpr llvm::StringLiteral kSkew = "tw.skew";
inline constexpr llvm::StringLiteral kDevices = "tw.devices";
inline constexpr llvm::StringLiteral kDevice = "tw.device";
inline constexpr llvm::StringLiteral kTile = "tw.tile";
inline constexpr llvm::StringLiteral kWorkgroupMemory = "tw.workgroup_memory";

/// The devices of the module that `op` is in, kDevices of the outermost that
/// has it. None: there is nothing but the host.
llvm::SmallVector<DeviceAttr> devicesOf(mlir::Operation *op);

/// Errors at `op` if `name`, its kDevice, is that of none of these.
mlir::LogicalResult verifyDevice(mlir::Operation *op, mlir::Attribute name);

/// The encoding of a tensor's type, of this dialect; null if it has none.
mlir::Attribute encodingAttrOf(mlir::Type type);
inline bool isEncoded(mlir::Type type) { return bool(encodingAttrOf(type)); }

/// What an element takes in a buffer, as pack functions count: an i1 is a byte,
/// an index a word. 0 of what is no number.
int bitsInMemory(mlir::Type element);

/// Whether panels of such elements are streams of bits, several in a byte:
/// floats of less than a byte, which have a byte each in all other tensors.
bool isInStreams(mlir::Type element);

/// Errors at `op` if `attribute`, its kTile, is no tile, or `op` a function of
/// another name.
llvm::LogicalResult verifyTile(mlir::Operation *op, mlir::Attribute attribute);

/// Errors at `op` if `tile` has block scales though `op` has none, or the other
/// way.
llvm::LogicalResult verifyBlockScales(mlir::Operation *op, TileAttr tile,
                                      bool hasScales = false);

/// Elements along K that the variant `vnni` has beside each other in panels of
/// the rhs of `key`, whatever its variant is.
int64_t groupAlongK(const TileKey &key);

/// How many dimensions a tile of panels of the rhs has: N0 x K0, or, in groups
/// of G along K, K0 / G x N0 x G.
unsigned rhsTileDims(const TileKey &key);

} // namespace tilewright::tw

#endif // TILEWRIGHT_DIALECT_TWDIALECT_H
