// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device makes of encodings. Who adds a device implements Device, and
// has a dialect of its own provide it.

#ifndef TILEWRIGHT_ENCODING_DEVICE_H
#define TILEWRIGHT_ENCODING_DEVICE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/DialectInterface.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Encoding/MovePanels.h"
#include "tilewright/key.h"
#include <array>
#include <memory>

namespace tilewright {

struct TargetCpu;

/// How a device computes a contraction.
struct TiledContraction {
  tw::TileAttr tile;
  /// By operand: of lhs, rhs and out, and of a scaled contraction the scales of
  /// lhs and rhs.
  llvm::SmallVector<tw::LayoutAttr, 5> layouts;
  /// ChosenTile::why.
  std::string why = {};
};

/// A thing that contractions run on. Immutable: may be shared between threads.
class Device {
public:
  virtual ~Device();

  /// As it was asked for: "x86_64:znver4", "amdgpu:gfx942", "none".
  virtual llvm::StringRef getName() const = 0;

  /// Whether it computes in memory of its own, which elements have to be moved
  /// to, and is told what to do by launches.
  virtual bool hasOwnMemory() const { return false; }

  /// None for a device without data tiling: there a contraction is a loop over
  /// tensors as they lie. The same answer for each operand of a contraction.
  virtual std::optional<TiledContraction>
  tile(tw::EncodingAttr encoding) const = 0;

  /// The same where a multiplication packs its operands itself, block by block,
  /// when it runs: their tiles may have scalable sizes.
  virtual std::optional<TiledContraction>
  tileInBlocks(tw::EncodingAttr encoding) const {
    return tile(encoding);
  }

  /// Lays a packed tensor out for itself that lies as another device, or
  /// another contraction, had it. By one loop nest, or, where one of the two
  /// forms is that of rows, by a pack or an unpack alone.
  virtual mlir::Value relayout(mlir::ImplicitLocOpBuilder &b,
                               const PanelMove &move) const;

  /// How many bytes there have to be for a tensor of these sizes, of `type`,
  /// which has one of this device's layouts: at least those that packing
  /// writes. `vscale` times the least length of vectors are scalable tiles for.
  virtual mlir::AffineExpr storageBytes(mlir::RankedTensorType type,
                                        llvm::ArrayRef<mlir::AffineExpr> sizes,
                                        mlir::AffineExpr vscale) const;

  /// What code that runs on it is made for, but for its tiles; null where that
  /// is the host's code.
  virtual const TargetCpu *getTarget() const { return nullptr; }

  /// The layout of a tensor with `encoding`; identity without data tiling.
  tw::LayoutAttr layoutOf(tw::EncodingAttr encoding,
                          bool inBlocks = false) const;
};

/// A dialect that knows devices. `parseDevice` is asked for each name; null of
/// one that is not its own. Names of tiles begin with `prefix`. An error was
/// reported by `emitError`.
class DeviceProvider : public mlir::DialectInterface::Base<DeviceProvider> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeviceProvider)
  explicit DeviceProvider(mlir::Dialect *dialect) : Base(dialect) {}
  virtual mlir::FailureOr<std::shared_ptr<const Device>> parseDevice(
      llvm::StringRef name, llvm::StringRef prefix,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const = 0;
};

/// The device of that name, of any dialect that `context` has loaded. "none" is
/// known without.
mlir::FailureOr<std::shared_ptr<const Device>>
findDevice(llvm::StringRef name, llvm::StringRef prefix,
           mlir::MLIRContext *context);

/// Those that operations run on, each found once.
class FoundDevices {
public:
  explicit FoundDevices(llvm::StringRef prefix) : prefix(prefix) {}

  /// "none" where the module names none.
  mlir::FailureOr<const Device *> of(mlir::Operation *op);

private:
  std::string prefix;
  llvm::DenseMap<tw::DeviceAttr, std::shared_ptr<const Device>> devices;
};

struct ChosenTile {
  ChosenTile(TileKey key, int vectorBits = 0)
      : key(key), vectorBits(vectorBits) {}

  TileKey key;
  /// The length of its vectors in bits, where it has scalable sizes and
  /// programs rely on one; else 0: layouts have scalable tiles.
  int vectorBits;
  /// Why it is another tile than would be thought, for people; or empty.
  std::string why = {};
};

/// A tile for m x n results of `types`; negative sizes are unknown. With `anyM`
/// N0 and K0 do not depend on m.
using ChooseTileFn = llvm::function_ref<ChosenTile(
    const TypeTripleInfo &types, int64_t m, int64_t n, bool anyM)>;

/// The layouts for tiles such as `choose` chooses. Of several loops of a kind
/// that one is tiled where padding and narrow tiles cost least. None if there
/// is no type triple of these elements. Of a scaled contraction, which has
/// blocks of 32 elements, `choose` chooses a tile of the variant `mx`; one of
/// others is none.
std::optional<TiledContraction> tileContraction(tw::EncodingAttr encoding,
                                                ChooseTileFn choose,
                                                llvm::StringRef prefix);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_DEVICE_H
