// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What entries of shapes say, and the runtime library's table of them.

#ifndef TILEWRIGHT_TUNING_SHAPES_H
#define TILEWRIGHT_TUNING_SHAPES_H

#include "tilewright/Tuning/Database.h"
#include "tilewright/key.h"
#include "llvm/ADT/ArrayRef.h"

namespace tilewright {

/// A row of ukernels/measured_rows.def.
struct MatmulRows {
  llvm::StringRef identifier; ///< "FEW"
  llvm::StringRef name;       ///< "2-4"
  int64_t most;               ///< what is measured; -1: any number
};
llvm::ArrayRef<MatmulRows> matmulRows();

/// The rows of the matmul that a tile of `m0` rows computes for one, of
/// padding and its own: at least 1.
double paddedRows(int m0, const MatmulRows &rows);

struct Shape {
  const MatmulRows *rows; ///< the number in matmulRows() is its tw_rows_t
  TileKey tile, beside;
  /// tw_measured_tile_t has it: the entry's ratio without what padding costs.
  int perMille;

  bool isQuicker() const { return tile != beside; }
};

/// What `entry` says. An error, a phrase, if that is nothing: of other types
/// than its tiles, or of tiles that no query chooses.
llvm::Expected<Shape> shapeOf(const ShapeEntry &entry);

/// "f32f32f32, 5-16 rows".
std::string shapeText(const ShapeEntry &entry);

/// ukernels/measured_tiles.def of what `database` has of this version and of
/// cores that the runtime library knows. An error names the entry that says
/// nothing.
llvm::Expected<std::string> printMeasuredTiles(const TuningDatabase &database);

} // namespace tilewright

#endif // TILEWRIGHT_TUNING_SHAPES_H
