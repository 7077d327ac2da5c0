// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU features and the core on x86-64: cpuid and xgetbv tell everything, on
// every operating system alike, but for what a process has to ask its system
// for.

#include "ukernels/cpu_x86_64.h"

#include "ukernels/core.h"

// XCR0 bits: 1 xmm, 2 upper ymm, 5 opmask, 6 upper zmm0-15, 7 zmm16-31, 17
// AMX's configuration, 18 its registers.
#define TW_XCR0_XMM 0x00u  // part of x86-64
#define TW_XCR0_YMM 0x06u
#define TW_XCR0_ZMM 0xE6u
#define TW_XCR0_TILES 0x60000u
// That of these which a process has to ask for: 8 KiB for each of its threads.
enum { TW_TILE_DATA = 18 };

typedef enum tw_cpuid_leaf_t {
  TW_LEAF_1,
  TW_LEAF_7,
  TW_LEAF_7_1,
  TW_LEAF_AVX10,  // EAX, made here: bit i says version i or a later one
  TW_LEAF_COUNT
} tw_cpuid_leaf_t;

typedef struct tw_x86_64_feature_t {
  uint8_t word, bit;  // in cpu_data
  uint8_t leaf, from, from_bit;
  uint32_t state;  // bits of XCR0, all of them
} tw_x86_64_feature_t;

// Register and bit numbers: Intel SDM volume 2A, CPUID; AMD APM volume 3,
// appendix E. On macOS XCR0 has the zmm bits only after the first AVX-512
// instruction of a thread, so AVX-512 may go unreported there; that is safe.
#define TW_FEATURE(FEATURE, leaf, register, bit, state) \
  {TW_CPU_WORD_X86_64_##FEATURE,                        \
   TW_CPU_BIT_X86_64_##FEATURE,                         \
   TW_LEAF_##leaf,                                      \
   TW_CPUID_##register,                                 \
   (bit),                                               \
   TW_XCR0_##state},
static const tw_x86_64_feature_t kFeatures[] = {
    // clang-format off
    TW_FEATURE(SSE3,        1,   ECX, 0,  XMM)
    TW_FEATURE(SSSE3,       1,   ECX, 9,  XMM)
    TW_FEATURE(SSE41,       1,   ECX, 19, XMM)
    TW_FEATURE(SSE42,       1,   ECX, 20, XMM)
    TW_FEATURE(AVX,         1,   ECX, 28, YMM)
    TW_FEATURE(FMA,         1,   ECX, 12, YMM)
    TW_FEATURE(F16C,        1,   ECX, 29, YMM)
    TW_FEATURE(AVX2,        7,   EBX, 5,  YMM)
    TW_FEATURE(AVXVNNI,     7_1, EAX, 4,  YMM)
    TW_FEATURE(AVXVNNIINT8, 7_1, EDX, 4,  YMM)
    TW_FEATURE(AVX512F,     7,   EBX, 16, ZMM)
    TW_FEATURE(AVX512DQ,    7,   EBX, 17, ZMM)
    TW_FEATURE(AVX512CD,    7,   EBX, 28, ZMM)
    TW_FEATURE(AVX512BW,    7,   EBX, 30, ZMM)
    TW_FEATURE(AVX512VL,    7,   EBX, 31, ZMM)
    TW_FEATURE(AVX512VNNI,  7,   ECX, 11, ZMM)
    TW_FEATURE(AVX512FP16,  7,   EDX, 23, ZMM)
    TW_FEATURE(AVX512BF16,  7_1, EAX, 5,  ZMM)
    TW_FEATURE(AVX10_2,     AVX10, EAX, 2, ZMM)
    TW_FEATURE(AMXTILE,     7,   EDX, 24, TILES)
    TW_FEATURE(AMXINT8,     7,   EDX, 25, TILES)
    TW_FEATURE(AMXBF16,     7,   EDX, 22, TILES)
    // clang-format on
};
#undef TW_FEATURE

// The kind of the core that this thread runs on, where a chip has two.
static tw_core_kind_t tw_core_kind(const tw_x86_64_cpu_t* cpu,
                                   uint32_t max_leaf, const uint32_t* leaf7) {
  const int is_hybrid = leaf7[TW_CPUID_EDX] >> 15 & 1;
  uint32_t leaf[TW_CPUID_REGISTERS];
  if (!is_hybrid || max_leaf < 0x1A) return TW_CORE_KIND_ALL;
  cpu->cpuid(cpu->self, 0x1A, 0, leaf);
  switch (leaf[TW_CPUID_EAX] >> 24) {
    case 0x20:
      return TW_CORE_KIND_EFFICIENCY;
    case 0x40:
      return TW_CORE_KIND_PERFORMANCE;
    default:
      return TW_CORE_KIND_ALL;
  }
}

// EBX of leaf 0: the first four letters of the vendor.
enum { TW_GENU = 0x756E6547, TW_AUTH = 0x68747541 };

// TW_CPU_WORD_CACHES. Intel's leaf 4 and AMD's leaf 8000001DH have one form:
// a subleaf for each cache, until one of no type.
static uint64_t tw_caches_word(const tw_x86_64_cpu_t* cpu,
                               const uint32_t* leaf0) {
  const int kData = 1, kUnified = 3;
  uint32_t leaf = 0, sizes[4] = {0}, r[TW_CPUID_REGISTERS];
  if (leaf0[TW_CPUID_EBX] == TW_GENU && leaf0[TW_CPUID_EAX] >= 4) leaf = 4;
  if (leaf0[TW_CPUID_EBX] == TW_AUTH) {
    cpu->cpuid(cpu->self, 0x80000000, 0, r);
    if (r[TW_CPUID_EAX] < 0x8000001D) return 0;
    cpu->cpuid(cpu->self, 0x80000001, 0, r);
    if (r[TW_CPUID_ECX] >> 22 & 1) leaf = 0x8000001D;
  }
  if (leaf == 0) return 0;
  for (uint32_t subleaf = 0; subleaf < 8; ++subleaf) {
    cpu->cpuid(cpu->self, leaf, subleaf, r);
    const int type = (int)(r[TW_CPUID_EAX] & 0x1F);
    const uint32_t level = r[TW_CPUID_EAX] >> 5 & 7, ebx = r[TW_CPUID_EBX];
    if (type == 0) break;
    const uint64_t bytes = ((uint64_t)(ebx >> 22) + 1) *
                           ((ebx >> 12 & 0x3FF) + 1) * ((ebx & 0xFFF) + 1) *
                           ((uint64_t)r[TW_CPUID_ECX] + 1);
    // A hypervisor may make up anything.
    if ((type == kData || type == kUnified) && level < 4 &&
        bytes <= (uint64_t)1 << 30)
      sizes[level] = (uint32_t)(bytes >> 10);
  }
  const int is_likely = sizes[1] >= 8 && sizes[1] <= 1024 &&
                        sizes[2] >= 2 * sizes[1] && sizes[2] <= 1 << 16;
  return is_likely ? TW_CACHES_WORD(sizes[1], sizes[2]) : 0;
}

// What the CPU says of its features, and what the system saves for processes.
typedef struct tw_x86_64_facts_t {
  uint32_t leaf0[TW_CPUID_REGISTERS];
  uint32_t leaves[TW_LEAF_COUNT][TW_CPUID_REGISTERS];
  uint64_t xcr0;
} tw_x86_64_facts_t;

static tw_x86_64_facts_t tw_x86_64_facts(const tw_x86_64_cpu_t* cpu) {
  tw_x86_64_facts_t f = {{0}, {{0}}, 0};
  cpu->cpuid(cpu->self, 0, 0, f.leaf0);
  const uint32_t max_leaf = f.leaf0[TW_CPUID_EAX];
  if (max_leaf >= 1) cpu->cpuid(cpu->self, 1, 0, f.leaves[TW_LEAF_1]);
  if (max_leaf >= 7) cpu->cpuid(cpu->self, 7, 0, f.leaves[TW_LEAF_7]);
  if (f.leaves[TW_LEAF_7][TW_CPUID_EAX] >= 1)
    cpu->cpuid(cpu->self, 7, 1, f.leaves[TW_LEAF_7_1]);
  const int has_avx10 = f.leaves[TW_LEAF_7_1][TW_CPUID_EDX] >> 19 & 1;
  if (has_avx10 && max_leaf >= 0x24) {
    uint32_t r[TW_CPUID_REGISTERS];
    cpu->cpuid(cpu->self, 0x24, 0, r);
    const uint32_t version = r[TW_CPUID_EBX] & 0xFF;
    f.leaves[TW_LEAF_AVX10][TW_CPUID_EAX] =
        version < 31 ? ((uint32_t)2 << version) - 1 : ~(uint32_t)0;
  }
  const int has_osxsave = f.leaves[TW_LEAF_1][TW_CPUID_ECX] >> 27 & 1;
  f.xcr0 = has_osxsave ? cpu->xcr0(cpu->self) : 0;
  return f;
}

typedef struct tw_core_like_t {
  tw_core_t core;
  tw_core_vendor_t vendor;
  uint32_t family, leaf_7_edx, leaf_7_1_edx;
} tw_core_like_t;

static const tw_core_like_t kLike[] = {
#define TW_CORE_LIKE(ENUM, VENDOR, family, leaf_7_edx, leaf_7_1_edx) \
  {TW_CORE_##ENUM, TW_CORE_VENDOR_##VENDOR, family, leaf_7_edx, leaf_7_1_edx},
#include "tilewright/cores.def"
};

// TW_CPU_WORD_CORE, 0 of other vendors' cores: what the CPU says, or of a model
// that stands nowhere that of the core which it is the most like.
static uint64_t tw_x86_64_core_word(const tw_x86_64_cpu_t* cpu,
                                    const tw_x86_64_facts_t* f) {
  const uint32_t* leaf7 = f->leaves[TW_LEAF_7];
  const uint32_t version = f->leaves[TW_LEAF_1][TW_CPUID_EAX];
  uint32_t family = version >> 8 & 0xF;
  uint32_t model = version >> 4 & 0xF;
  if (family == 6 || family == 0xF) model |= version >> 12 & 0xF0;
  if (family == 0xF) family += version >> 20 & 0xFF;
  tw_core_vendor_t vendor = TW_CORE_VENDOR_AMD;
  tw_core_kind_t kind = TW_CORE_KIND_ALL;
  if (f->leaf0[TW_CPUID_EBX] == TW_GENU) {
    vendor = TW_CORE_VENDOR_INTEL;
    kind = tw_core_kind(cpu, f->leaf0[TW_CPUID_EAX], leaf7);
  } else if (f->leaf0[TW_CPUID_EBX] != TW_AUTH) {
    return 0;
  }
  uint64_t words[TW_CPU_DATA_WORDS] = {0};
  words[TW_CPU_WORD_CORE] = TW_CORE_WORD_X86_64(vendor, family, model, kind);
  if (tw_core_of(words) != TW_CORE_UNKNOWN) return words[TW_CPU_WORD_CORE];
  for (unsigned i = 0; i < sizeof kLike / sizeof kLike[0]; ++i) {
    const tw_core_like_t* like = &kLike[i];
    const uint32_t lacks =
        (like->leaf_7_edx & ~leaf7[TW_CPUID_EDX]) |
        (like->leaf_7_1_edx & ~f->leaves[TW_LEAF_7_1][TW_CPUID_EDX]);
    if (like->vendor == vendor && like->family == family && !lacks)
      return tw_core_word(like->core);
  }
  return words[TW_CPU_WORD_CORE];
}

static int tw_saves_tiles(const tw_x86_64_facts_t* facts) {
  return (facts->xcr0 & TW_XCR0_TILES) == TW_XCR0_TILES;
}

static int tw_has_bit(const tw_x86_64_facts_t* facts,
                      const tw_x86_64_feature_t* feature) {
  return facts->leaves[feature->leaf][feature->from] >> feature->from_bit & 1;
}

void tw_x86_64_set_features(const tw_x86_64_cpu_t* cpu, uint64_t* cpu_data) {
  const tw_x86_64_facts_t facts = tw_x86_64_facts(cpu);
  uint64_t usable = facts.xcr0;
  if (tw_saves_tiles(&facts) &&
      !(cpu->permitted(cpu->self) >> TW_TILE_DATA & 1))
    usable &= ~(uint64_t)TW_XCR0_TILES;
  for (unsigned i = 0; i < sizeof kFeatures / sizeof kFeatures[0]; ++i) {
    const tw_x86_64_feature_t* feature = &kFeatures[i];
    if ((usable & feature->state) == feature->state &&
        tw_has_bit(&facts, feature))
      cpu_data[feature->word] |= (uint64_t)1 << feature->bit;
  }
  if (facts.leaf0[TW_CPUID_EAX] >= 1)
    cpu_data[TW_CPU_WORD_CORE] = tw_x86_64_core_word(cpu, &facts);
  cpu_data[TW_CPU_WORD_CACHES] = tw_caches_word(cpu, facts.leaf0);
}

tw_status_t tw_x86_64_permit_amx(const tw_x86_64_cpu_t* cpu,
                                 const char** why_not, long* error) {
  const tw_x86_64_facts_t facts = tw_x86_64_facts(cpu);
  int has_amx = 0;
  for (unsigned i = 0; i < sizeof kFeatures / sizeof kFeatures[0]; ++i)
    has_amx |= kFeatures[i].word == TW_CPU_WORD_X86_64_AMXTILE &&
               kFeatures[i].bit == TW_CPU_BIT_X86_64_AMXTILE &&
               tw_has_bit(&facts, &kFeatures[i]);
  *why_not = 0;
  *error = 0;
  if (!has_amx) {
    *why_not = "the CPU has none";
  } else if (!tw_saves_tiles(&facts)) {
    *why_not = "the operating system does not save its registers";
  } else if (!(cpu->permitted(cpu->self) >> TW_TILE_DATA & 1)) {
    *error = cpu->request(cpu->self, TW_TILE_DATA);
    if (*error != 0)
      *why_not = "the operating system does not permit it to this process";
  }
  return *why_not ? TW_STATUS_UNSUPPORTED : TW_STATUS_OK;
}

#if defined(__x86_64__) || defined(_M_X64)

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

static void tw_cpuid(const void* self, uint32_t leaf, uint32_t subleaf,
                     uint32_t registers[TW_CPUID_REGISTERS]) {
  (void)self;
#if defined(_MSC_VER) && !defined(__clang__)
  int answers[TW_CPUID_REGISTERS];
  __cpuidex(answers, (int)leaf, (int)subleaf);
  for (int i = 0; i < TW_CPUID_REGISTERS; ++i)
    registers[i] = (uint32_t)answers[i];
#else
  __asm__ volatile(
      "cpuid"
      : "=a"(registers[TW_CPUID_EAX]), "=b"(registers[TW_CPUID_EBX]),
        "=c"(registers[TW_CPUID_ECX]), "=d"(registers[TW_CPUID_EDX])
      : "a"(leaf), "c"(subleaf));
#endif
}

static uint64_t tw_xcr0(const void* self) {
  (void)self;
#if defined(_MSC_VER) && !defined(__clang__)
  return _xgetbv(0);
#else
  uint32_t lo, hi;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  return ((uint64_t)hi << 32) | lo;
#endif
}

#if defined(__linux__)

// Linux, Documentation/arch/x86/xstate.rst: a process may use what it has asked
// for, with all of its threads and those that come. What it answers is negative
// where it refuses.
enum {
  TW_SYS_ARCH_PRCTL = 158,
  TW_ARCH_GET_XCOMP_PERM = 0x1022,
  TW_ARCH_REQ_XCOMP_PERM = 0x1023
};

static long tw_arch_prctl(long operation, uintptr_t argument) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"((long)TW_SYS_ARCH_PRCTL), "D"(operation), "S"(argument)
                   : "rcx", "r11", "memory");
  return result;
}

static uint64_t tw_permitted(const void* self) {
  (void)self;
  uint64_t components = 0;
  const long failed =
      tw_arch_prctl(TW_ARCH_GET_XCOMP_PERM, (uintptr_t)&components);
  return failed ? 0 : components;
}

static long tw_request(const void* self, int number) {
  (void)self;
  return -tw_arch_prctl(TW_ARCH_REQ_XCOMP_PERM, (uintptr_t)number);
}

#else

// How others are asked is not known here.
static uint64_t tw_permitted(const void* self) {
  (void)self;
  return 0;
}

static long tw_request(const void* self, int number) {
  (void)self, (void)number;
  return -1;
}

#endif

static const tw_x86_64_cpu_t kThisCpu = {tw_cpuid, tw_xcr0, tw_permitted,
                                         tw_request, 0};

void tw_cpu_detect_x86_64(uint64_t* cpu_data) {
  tw_x86_64_set_features(&kThisCpu, cpu_data);
}

tw_status_t tw_cpu_permit_amx_x86_64(const char** why_not, long* error) {
  return tw_x86_64_permit_amx(&kThisCpu, why_not, error);
}

#endif  // x86-64
