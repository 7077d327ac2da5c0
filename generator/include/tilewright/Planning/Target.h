// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What plans, and the code that carries them out, depend on of an architecture:
// one object for each, in generator/lib/Target. No IR.

#ifndef TILEWRIGHT_PLANNING_TARGET_H
#define TILEWRIGHT_PLANNING_TARGET_H

#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Planning/Idiom.h"
#include "tilewright/key.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilewright {

/// What the vectors of fixed size of an ISA are like.
struct Machine {
  // ---- What instructions there are
  /// Multiplies that take a lane of a register for all of theirs:
  /// BroadcastBy::Lane.
  bool namesLanes = false;
  /// Shifts and masks tell the 4-bit elements of bytes and words apart where
  /// they are multiplied: Staging::Nibbles.
  bool partsNibbles = false;
  /// Two registers of halves of 4-bit elements become elements in order by one
  /// instruction each.
  bool zipsNibbles = false;
  /// A multiply of 32-bit integers; else LLVM makes it of wider ones.
  bool multipliesS32 = false;
  /// Any function of three bits is one instruction.
  bool hasTernaryLogic = false;
  /// From and to f16: an instruction each way.
  bool convertsHalf = false;
  /// To bf16; some take denormals for zero, as their dot products do.
  enum class ToBF16 : uint8_t { No, AsDotProducts, Exact };
  ToBF16 toBF16 = ToBF16::No;
  /// Whether it has one for sums that are, or are not, `asDotProducts` say.
  bool convertsToBF16(bool asDotProducts) const {
    return toBF16 == ToBF16::Exact ||
           (toBF16 == ToBF16::AsDotProducts && asDotProducts);
  }
  /// Multiplies of bf16 take vectors of that type, not of its bits.
  bool typesBF16 = false;
  /// Loads and stores of part of a vector, of elements of so many bytes or
  /// more; 0: there are none.
  int maskedElementBytes = 0;

  /// A load that repeats 32 bits over 64 bytes is written as one of floats,
  /// which is a shuffle besides on some cores, or as one of integers, which is
  /// none: BroadcastBy::LoadAlone.
  bool repeatsIntegers = false;

  /// A load repeats two lanes, which a multiply takes from a register:
  /// BroadcastBy::Pair.
  bool repeatsPairs = false;

  /// A load repeats every second lane of 32 bits of 64 bytes:
  /// BroadcastBy::PairLoads.
  bool repeatsLanes = false;

  /// Caches fetch ahead by the stride of each load: K loops without prefetches
  /// gain by long iterations.
  bool fetchesByStride = false;

  /// Registers that one vector may take, and its instructions with it: RVV's
  /// LMUL.
  int registerGroup = 1;
  /// Multiplies take an element of the broadcast operand from a scalar
  /// register: no shuffle makes it cheaper.
  bool takesScalars = false;

  // ---- What they cost, in vector operations
  int halfOps = 9; ///< f16 -> f32
  int bf16Ops = 2; ///< bf16 -> f32

  // ---- What cores of the ISA are like
  /// Wide tiles gain by asking for their panels ahead of time.
  bool prefetches = false;
  /// Idioms are compared on a core that is known: their rates differ by
  /// multiples from one to another.
  bool comparesIdioms = false;
  /// Pointers, counter and branch of a loop take slots of dispatch that count,
  /// and a loop that counts down has fewer of them.
  bool dispatchIsNarrow = false;
  /// Of those, the cores that are less so.
  bool dispatchIsWider = false;
  /// A compare and a branch are one operation, so that a loop that ends where a
  /// pointer arrives has one less than one that counts.
  bool endsByPointer = false;
  /// Plans may have TilePlan::extra.
  bool hasExtra = false;
  /// Plans may have three or six sets, for twelve chains: of eight, one that
  /// waits for a load makes another one wait.
  bool hasThreeSets = false;
  /// Plans of 256 bits and a few accumulators have TilePlan::stageAhead.
  bool stagesAhead = false;
  /// Accumulators in flight that keep the multipliers busy: latency 4 on two
  /// pipes, or a longer one, or on more.
  int chains = 8;
  /// Cycles from sum to sum of bytes, where no dot product takes these and some
  /// core waits for longer than the instruction's.
  int byteSums = 0;
  /// Chains of accumulators of so many times the latency wait no more.
  double plentyOfLatency = 2;

  // ---- How code says so
  /// What inline assembly calls the vector registers.
  llvm::StringRef registerClass = "x";
};

/// What loops of a compiled model may have on a CPU.
struct LoopMachine {
  bool masks = false;          ///< parts of vectors of any elements
  bool fuses = false;          ///< multiply-adds
  bool scalesByPowers = false; ///< x * 2^n is an instruction
  bool convertsHalf = false;   ///< f16 and f32, by instructions
};

/// Multiplies matrices by itself, apart from the instructions that peaks are
/// measured of.
struct MatrixUnit {
  llvm::StringLiteral feature;
  tw_element_type_t types; ///< of both operands; s8: any of up to 8 bits
  bool isUsed;             ///< by tiles of the variant `vnni`
};

/// What code generation by LLVM is like.
struct CodeGeneration {
  /// LLVM's name of the CPU that code for no CPU in particular is for; empty:
  /// its own choice.
  llvm::StringLiteral cpu = "";
  /// The CPU that tiles whose loops are regular are scheduled for, where the
  /// ISA has features; empty: the one that they are for.
  llvm::StringLiteral tuneCpu = "";
  /// LLVM would choose a narrower vector than the ISA's, for its own reasons.
  bool statesVectorWidth = false;
  /// Planned code needs few of LLVM's passes (Backend::addShortPasses).
  bool takesShortPasses = false;
  /// The CPUs by whose models LLVM orders code of Schedule::Late and of
  /// Schedule::Full; empty: no plan asks for that. All other planned code
  /// stands as it is where there are some: LLVM would reorder it for an
  /// in-order core, which is what it takes a CPU without a name for.
  llvm::StringLiteral lateSchedule = "", fullSchedule = "";
  bool keepsPlannedOrder() const { return !fullSchedule.empty(); }
  /// LLVM's names of passes of the target's own that change no planned code
  /// (Codegen/ChosenPasses.h).
  llvm::ArrayRef<llvm::StringLiteral> idlePasses;
};

class Target {
public:
  using HasFeature = llvm::function_ref<bool(llvm::StringRef)>;

  virtual ~Target();

  virtual Machine machine(const IsaInfo &isa) const = 0;
  /// The ways to multiply, best first; kGenericIdiom, which needs nothing,
  /// last.
  virtual llvm::ArrayRef<Idiom> idioms() const = 0;
  /// The model of a core of cores.def.
  virtual CoreModel core(llvm::StringLiteral cpu) const = 0;
  /// The models that plans are made by where no core is asked for: the plan is
  /// chosen that is cheapest by the geometric mean.
  virtual llvm::ArrayRef<const CoreModel *>
  usualCores(const IsaInfo &isa) const = 0;

  /// LLVM's features that every machine of it has, where LLVM's own default has
  /// fewer, and the name of the ABI that goes with them; empty elsewhere.
  virtual llvm::StringRef baselineFeatures() const { return ""; }
  virtual llvm::StringRef abiName() const { return ""; }
  virtual CodeGeneration codeGeneration() const { return {}; }
  virtual llvm::ArrayRef<MatrixUnit> matrixUnits() const { return {}; }
  /// Of a CPU of it that has some of LLVM's features.
  virtual LoopMachine loopMachine(HasFeature) const { return {}; }
  /// Whether a process may use the feature only once it has asked its system:
  /// that a CPU has it does not say that.
  virtual bool isOnRequest(llvm::StringRef) const { return false; }
  /// Inline assembly that reads how many bytes a vector has, where code for
  /// longer vectors runs on shorter ones and computes something else; empty
  /// where it does not run.
  virtual llvm::StringRef vectorBytes() const { return ""; }
  /// LLVM's features by which code would rely on longer vectors than those of
  /// any ISA.
  virtual llvm::ArrayRef<llvm::StringLiteral> longerVectors() const {
    return {};
  }
  /// What makes gcc and clang compile with these features.
  virtual std::string compilerFlags(llvm::ArrayRef<std::string> features) const;
};

/// One that has the same model for all of its cores.
class TargetOfOneModel : public Target {
public:
  explicit TargetOfOneModel(const CoreModel &model) : model(&model) {}

  CoreModel core(llvm::StringLiteral) const override { return *model; }
  llvm::ArrayRef<const CoreModel *> usualCores(const IsaInfo &) const override {
    return model;
  }

private:
  const CoreModel *model;
};

/// The target of an ISA that tile plans are made for.
const Target &targetOf(const IsaInfo &isa);
/// Null if no tile plans are made for `arch`, one of IsaInfo's.
const Target *findTarget(llvm::StringRef arch);
llvm::ArrayRef<const Target *> targets();

/// targetOf(isa).machine(isa), made once.
const Machine &machineOf(const IsaInfo &isa);

/// Bits of the widest vector of fixed size.
int widestVectorBits(const IsaInfo &isa);
/// How many vectors of so many bytes the registers hold.
int vectorsInRegisters(const IsaInfo &isa, int bytes);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_TARGET_H
