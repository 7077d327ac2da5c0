// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerations read from the tables: element types, type triples, CPU feature
// bits, instruction-set levels. Freestanding.

#ifndef TILEWRIGHT_TYPES_H_
#define TILEWRIGHT_TYPES_H_

// A freestanding build (bitcode for a device) may supply its own definitions of
// the fixed-width integers by defining TW_FREESTANDING_STDINT.
#ifndef TW_FREESTANDING_STDINT
#include <stddef.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

// How the bits of an element are read.
typedef enum tw_element_kind_t {
  TW_ELEMENT_KIND_SIGNED = 0,    // two's complement
  TW_ELEMENT_KIND_UNSIGNED = 1,  // plain binary
  TW_ELEMENT_KIND_FLOAT = 2,     // see element_types.def
} tw_element_kind_t;

// Which codes of a float are no numbers: element_types.def.
typedef enum tw_float_specials_t {
  TW_FLOAT_SPECIALS_IEEE,
  TW_FLOAT_SPECIALS_FN,
  TW_FLOAT_SPECIALS_FNUZ,
  TW_FLOAT_SPECIALS_NONE,
} tw_float_specials_t;

// TW_ELEMENT_F32, TW_ELEMENT_S8, ...: in the order of element_types.def.
typedef enum tw_element_type_t {
#define TW_ELEMENT_TYPE(name, ENUM, bits, kind) TW_ELEMENT_##ENUM,
#include "tilewright/element_types.def"
  TW_ELEMENT_COUNT
} tw_element_type_t;

// TW_TYPES_F32F32F32, ...: values of the low byte of tw_mmt4d_params_t::flags.
typedef enum tw_type_triple_t {
#define TW_TYPE_TRIPLE(value, lhs, rhs, out, ENUM) TW_TYPES_##ENUM = value,
#include "tilewright/type_triples.def"
} tw_type_triple_t;

// Number of 64-bit words behind tw_mmt4d_params_t::cpu_data.
#define TW_CPU_DATA_WORDS 8

// The words that hold no feature bits (cpu_features.def).
enum {
  TW_CPU_WORD_VECTOR_LENGTHS = 2,
  TW_CPU_WORD_CORE = 3,
  TW_CPU_WORD_CACHES = 4,
};

// Where a feature's bit is: TW_CPU_WORD_X86_64_AVX2 and TW_CPU_BIT_X86_64_AVX2.
enum {
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name) \
  TW_CPU_WORD_##ARCH##_##ENUM = word, TW_CPU_BIT_##ARCH##_##ENUM = bit,
#include "tilewright/cpu_features.def"
};

// The mask of one feature within word `w` (0 when its bit is in another word).
#define TW_CPU_MASK(ARCH, FEATURE, w)                 \
  (TW_CPU_WORD_##ARCH##_##FEATURE == (w)              \
       ? (uint64_t)1 << TW_CPU_BIT_##ARCH##_##FEATURE \
       : (uint64_t)0)

// What a scalable size of a tile name counts, `1vl` being the accumulator
// elements that one vector holds.
typedef enum tw_scaling_t {
  TW_SCALING_NONE = 0,  // no scalable sizes
// TW_SCALING_SVE, ...: vectors of that length.
#define TW_SCALING(ENUM, name, title, ARCH, feature, prefix, usual_bits, \
                   streaming)                                            \
  TW_SCALING_##ENUM,
#include "tilewright/scalings.def"
  TW_SCALING_COUNT
} tw_scaling_t;

// TW_ISA_X86_64_AVX2_FMA, ...: in the order of isas.def, best first within an
// architecture. The values are not part of the ABI; the names are.
typedef enum tw_isa_t {
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  TW_ISA_##ENUM,
#include "tilewright/isas.def"
  TW_ISA_COUNT
} tw_isa_t;

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_TYPES_H_
