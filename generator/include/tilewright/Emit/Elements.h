// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage elements <-> the elements that tiles compute with. All conversions
// are exact, or round to nearest even, and call no library.

#ifndef TILEWRIGHT_EMIT_ELEMENTS_H
#define TILEWRIGHT_EMIT_ELEMENTS_H

#include "tilewright/Emit/Emitter.h"
#include "tilewright/Planning/Idiom.h"

namespace tilewright {

/// How elements lie in memory: as `type` of the tables, or already decoded.
struct ElementFormat {
  tw_element_type_t type;
  ComputeType compute;
  bool decoded = false;
  /// Added to each element on decoding (ComputeType::I8).
  int offset = 0;
  /// No register keeps the vector of offsets: it is made for each use.
  bool offsetMadeAnew = false;
  /// decodeNibbles gives elements times 16 (signed 4-bit elements as bytes).
  bool scaled = false;

  int bits() const;
  /// Decoding changes nothing.
  bool isIdentity() const;
  /// Alignment that may be assumed, in bytes.
  int align() const { return bits() < 8 ? 1 : bits() / 8; }
};

/// The vector type that `n` elements are loaded as; whole bytes.
mlir::VectorType rawVectorType(Emitter &e, const ElementFormat &format,
                               int64_t n);

/// A vector of `n` decoded elements.
mlir::VectorType computeVectorType(Emitter &e, ComputeType type, int64_t n);

/// Loads the first `valid` of `n` elements, the others as zero bits.
mlir::Value loadRaw(Emitter &e, const ElementFormat &format,
                    mlir::Value pointer, int64_t n, int64_t valid);

/// Loaded -> decoded, lane by lane, or as a scalar (TileShape::decodesScalars).
mlir::Value decode(Emitter &e, const ElementFormat &format, mlir::Value raw);

/// Bytes of two 4-bit elements of `format` each -> the decoded elements in
/// their low halves (part 0) or high halves (part 1).
mlir::Value decodeNibbles(Emitter &e, const ElementFormat &format,
                          mlir::Value bytes, int part);

/// Bytes of 4-bit integers -> the decoded elements part, part + n, part + 2n,
/// ..., where n of them lie in an element of what is computed with: 2 in a
/// byte, 4 in a word. For x86: shifts of words, and masks.
mlir::Value decodeEachNth(Emitter &e, const ElementFormat &format,
                          mlir::Value bytes, int part);

/// Pairs of bf16 -> their first elements (part 0) or their second ones as f32.
mlir::Value decodePairs(Emitter &e, mlir::Value pairs, int part);

/// The MLIR type of an out element in memory.
mlir::Type outType(Emitter &e, tw_element_type_t type);

/// What becomes of denormals of bf16 where the ISA's conversion, like its dot
/// products, takes them for zero.
enum class Narrowing { AsDotProducts, Exact };

/// Accumulators -> out elements, rounding to nearest even; and back, exactly.
/// Scalars or vectors.
mlir::Value encodeOut(Emitter &e, tw_element_type_t type, mlir::Value value,
                      Narrowing narrowing);
mlir::Value decodeOut(Emitter &e, tw_element_type_t type, mlir::Value value);

/// The bit that breaks ties is set or added: setting it takes an operation less
/// where a machine has ternary logic. (Added where plans were measured so.)
enum class Ties { Set, Added };

/// The bf16 nearest to `sum`, a sum of products of bf16 or of what was rounded
/// so, as an f32. Its NaNs are those of its operands or the default one, all of
/// which are bf16 and stay as they are.
mlir::Value roundToBF16(Emitter &e, mlir::Value sum, Ties ties = Ties::Added);

} // namespace tilewright

#endif // TILEWRIGHT_EMIT_ELEMENTS_H
