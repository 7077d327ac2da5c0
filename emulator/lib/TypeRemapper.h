// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and constants without address spaces.

#ifndef TILEWRIGHT_EMULATOR_LIB_TYPEREMAPPER_H
#define TILEWRIGHT_EMULATOR_LIB_TYPEREMAPPER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::emulator {

/// AMDGPU's address spaces.
enum AddressSpace : unsigned {
  kFlat = 0,
  kGlobal = 1,
  kLds = 3,
  kConstant = 4,
  kPrivate = 5,
  kBufferFatPointer = 7,
  kBufferResource = 8,
};

/// All pointers become the host's, but buffer resources, which are 128-bit
/// descriptors, become integers.
class TypeRemapper : public llvm::ValueMapTypeRemapper {
public:
  llvm::Type *remapType(llvm::Type *type) override;

private:
  llvm::Type *remap(llvm::Type *type);
  llvm::DenseMap<llvm::Type *, llvm::Type *> memo;
};

/// Makes what the copy refers to: declarations of functions and globals, and
/// constants of whose kind address spaces are a part.
class ConstantRemapper : public llvm::ValueMaterializer {
public:
  ConstantRemapper(llvm::Module &destination, llvm::ValueToValueMapTy &map,
                   TypeRemapper &types)
      : destination(destination), map(map), types(types) {}
  llvm::Value *materialize(llvm::Value *value) override;

private:
  llvm::Module &destination;
  llvm::ValueToValueMapTy &map;
  TypeRemapper &types;
};

/// What llvm.amdgcn intrinsics are called until they are replaced.
constexpr const char *kReplacedPrefix = "tw.";

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_TYPEREMAPPER_H
