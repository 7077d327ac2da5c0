// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Idioms: the ways to do one K step with vector instructions, as data. No IR.

#ifndef TILEWRIGHT_PLANNING_IDIOM_H
#define TILEWRIGHT_PLANNING_IDIOM_H

#include "tilewright/key.h"
#include "ukernels/instruction.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <initializer_list>

namespace tilewright {

/// The element that an idiom's multiply takes, after decoding from storage.
enum class ComputeType : uint8_t {
  F64,
  F32,
  S32,
  F16,
  BF16, ///< raw bits on x86
  S16,
  I8 ///< read as signed or unsigned, as ByteRoles says
};

int bytesOf(ComputeType type);

/// Whether elements of `type` are in memory what an idiom's multiply takes.
bool isComputedAs(tw_element_type_t type, ComputeType compute);

enum class IdiomKind : uint8_t {
  DotBytes,       ///< u8 x s8, 4 per lane: vpdpbusd
  DotBytesSigned, ///< any signedness, 4 per lane: vpdpb{ss,su,uu}d
  DotWords,       ///< s16 x s16, 2 per lane: vpdpwssd
  MaddWords,      ///< s16 x s16, 2 per lane: vpmaddwd, vpaddd
  DotBF16,        ///< bf16 x bf16, 2 per lane: vdpbf16ps
  FmaBF16,        ///< bf16 x bf16, 2 per lane: two vfmadd of f32
  MatrixBytes,    ///< 2x2 blocks, 8 bytes per row: smmla, ummla, usmmla
  DotBytesLane,   ///< bytes, 4 per lane: sdot, udot; mixed: usdot, sudot
  MatrixBF16,     ///< 2x2 blocks, 4 bf16 per row: bfmmla
  DotBF16Lane,    ///< bf16 x bf16, 2 per lane: bfdot
  WidenBF16,      ///< bf16 x bf16, even and odd lanes: bfmlalb, bfmlalt
  WidenBytes,     ///< bytes into sums of 16 bits: smlal, smlal2
  MultiplyAddS16, ///< mla into sums of 16 bits
  PairBytes,      ///< bytes of like sign, 2 per lane: smull, smull2, sadalp
  WidenWords,     ///< s16 x s16, low and high lanes: smlal, smlal2
  WidenHalf,      ///< f16 x f16, low and high lanes: fmlal, fmlal2
  ExtendHalf,     ///< f16 x f16 into f32: vfwmacc
  ExtendBF16,     ///< bf16 x bf16 into f32: vfwmaccbf16
  ExtendWords,    ///< s16 x s16 into s32: vwmacc
  FmaHalf,        ///< fused multiply-add in f16, rounding each K step
  Fma,            ///< fused multiply-add in the accumulator type
  MultiplyAddS32, ///< mla
  Generic         ///< multiply, add in the accumulator type: every target
};

/// The products of one register of the vector operand, when they are wider than
/// it is, go to two accumulators.
enum class Halves : uint8_t {
  None,    ///< one accumulator
  LowHigh, ///< its low lanes, its high lanes
  EvenOdd  ///< its even lanes, its odd lanes
};

/// The rows of instructions.def.
inline constexpr tw_instruction_row_t kInstructions[] = {
    {},
#define TW_INSTRUCTION TW_INSTRUCTION_ROW
#include "tilewright/instructions.def"
};

/// The class of operands of a key of `types`, as instructions.def has them.
inline tw_operands_t operandsOf(const TypeTripleInfo &types) {
  return tw_operands_of(types.lhs, types.rhs, types.accumulator);
}

/// Which signs two operands of bytes may have. The values of u4 are the same
/// read as signed bytes.
enum class Signs : uint8_t {
  Any,
  /// One unsigned and one signed; a key of others has an offset (ByteRoles).
  OneOfEach,
  /// Both the same; likewise.
  Same,
  /// Both the same, and of no other key.
  OnlySame,
  /// One of each, and of no other key.
  OnlyMixed
};

/// One way to compute `accumulator += lhs * rhs` on vectors. Each accumulator
/// lane takes a group of `group` consecutive k0 from either operand.
struct Idiom {
  IdiomKind kind;
  llvm::StringLiteral name; ///< in printed plans
  /// What it multiplies by, which agree but for their registers and operands.
  /// The ISA has one of these; none needed where there is none.
  tw_instruction_t instructions[4] = {};
  /// Fewest lanes that the instruction exists for.
  int minLanes = 1;

  // What follows from the instructions.

  /// A set of tw_operands_t.
  unsigned operands = ~0u;
  int group = 1;
  /// Vector instructions per multiply-accumulate that compete for the
  /// multiply ports, and cycles from accumulator to accumulator.
  int ops = 2, latency = 4;
  /// Rows of the broadcast operand that an accumulator takes at once: its lanes
  /// are a block [rows][lanes / rows].
  int rows = 1;
  /// Adds products up in 16 bits, for as many K steps as these hold; such sums
  /// are added to those of the key's accumulators then.
  bool sumsInWords = false;
  /// Takes and gives zero for denormals, so that what is added to its sums
  /// does, too.
  bool flushesDenormals = false;
  /// Sums in f16, rounding each K step of one k0: for `steprnd` only.
  bool roundsToHalf = false;

  // How plans and code are made of it.

  Halves halves = Halves::None;
  /// Multiply-adds that take a group, one element each, which is decoded for
  /// it: a staged broadcast operand has its elements of each part apart.
  int parts = 1;
  Signs signs = Signs::Any;
  /// Where the ISA has this one Signs::Any.
  tw_instruction_t anySigns = TW_INSTRUCTION_NONE;
  /// Groups must be whole: K0 a multiple of `group`.
  bool wholeGroups = false;
  /// A multiply and an addition that code has apart: several products come
  /// before their additions.
  bool addsApart = false;
  /// Such additions have ports that the multiplies do not take.
  bool addsElsewhere = false;
  /// Its multiply takes no lane, but a whole register.
  bool shufflesLanes = false;
  /// LLVM finds its lanes in registers that were loaded in pairs only.
  bool lanesInPairs = false;
  /// Its signs tell which operand is the first one: results may be transposed.
  bool ordersSigns = false;
  /// Its operands may change places, and LLVM takes the last from memory only.
  bool foldsLast = false;
  /// Wide tiles gain by asking for their panels (Machine::prefetches).
  bool gainsByPrefetch = true;

  /// One of a multiply and an addition, in whatever LLVM makes them of.
  constexpr Idiom(IdiomKind kind, llvm::StringLiteral name)
      : kind(kind), name(name) {}
  constexpr Idiom(IdiomKind kind, llvm::StringLiteral name,
                  std::initializer_list<tw_instruction_t> by, int minLanes = 1)
      : kind(kind), name(name), minLanes(minLanes), operands(0) {
    int count = 0;
    for (tw_instruction_t instruction : by) {
      instructions[count++] = instruction;
      operands |= kInstructions[instruction].operands;
    }
    const tw_instruction_row_t &first = kInstructions[instructions[0]];
    group = first.k;
    ops = first.instructions;
    latency = first.latency;
    rows = first.shape == TW_SHAPE_PAIRS ? 2 : 1;
    sumsInWords = first.shape == TW_SHAPE_NARROW;
    flushesDenormals = first.denormals == TW_DENORMALS_FLUSHED;
    roundsToHalf = operands == TW_OPERANDS_F16_STEPS;
  }

  /// This one, but for a field: for the tables of targets.
  template <typename T> constexpr Idiom with(T Idiom::*field, T value) const {
    Idiom changed = *this;
    changed.*field = value;
    return changed;
  }
  /// `count` of them, one after another, for a group of operands of `of` only.
  constexpr Idiom inParts(int count, tw_operands_t of) const {
    Idiom changed = *this;
    changed.parts = count;
    changed.group *= count;
    changed.latency *= count;
    changed.operands = of;
    return changed;
  }
};

/// Every target's last one.
inline constexpr Idiom kGenericIdiom = {IdiomKind::Generic, "generic"};

/// By its kind, on whatever target has it: instructions and latency apart, all
/// have the same.
const Idiom &idiom(IdiomKind kind);
/// That of the ISA's target, which has it.
const Idiom &idiom(IdiomKind kind, const IsaInfo &isa);
/// Of the key's target; null if there is none.
const Idiom *findIdiom(llvm::StringRef name, const IsaInfo &isa);

/// Why the idiom cannot compute `key`, on its target; empty if it can.
std::string whyIdiomUnfit(IdiomKind idiom, const TileKey &key);

/// The compute type of `idiom` for `key`.
ComputeType computeType(const Idiom &idiom, const TileKey &key);

/// The element type of the accumulators of `idiom` for `key`, and of what all K
/// steps are summed up in.
tw_element_type_t accumulatorOf(const Idiom &idiom, const TileKey &key);
tw_element_type_t sumOf(const Idiom &idiom, const TileKey &key);

/// Whether sums in 16 bits are those of unsigned products.
bool sumsUnsignedWords(const TypeTripleInfo &types);
/// The most products whose sum 16 bits hold, whatever the elements are.
int productsInWords(const TypeTripleInfo &types);

/// Signed 4-bit elements may be used times two to this power, in the high half
/// of a byte, where one instruction puts them and none extends them.
inline constexpr int kScaleBits = 4;
/// So many K steps of products of bytes and such elements have sums that do not
/// wrap, a multiple of `unroll`.
int scaledSteps(int k0, int unroll);

/// How an idiom of bytes reads its two operands. Some take only an unsigned and
/// a signed one, or only two of one signedness. Where the key has no such pair,
/// `offset` is added to each element of the vector operand, and offset * (sum
/// of the broadcast operand) is subtracted from the result.
struct ByteRoles {
  bool vectorUnsigned, broadcastUnsigned;
  int offset;
};
ByteRoles byteRoles(const Idiom &idiom, const IsaInfo &isa,
                    tw_element_type_t vectorType,
                    tw_element_type_t broadcastType);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_IDIOM_H
