// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .def tables as C++ data.

#include <algorithm>

#include "tilewright/key.h"

namespace tilewright {
namespace {

tw_element_type_t accumulatorFor(tw_element_type_t out) {
  switch (out) {
    case TW_ELEMENT_F64:
    case TW_ELEMENT_S32:
      return out;
    default:
      return TW_ELEMENT_F32;
  }
}

const std::vector<CpuFeatureInfo>& cpuFeatures() {
  static const std::vector<CpuFeatureInfo> table = {
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name) \
  {#ARCH, word, bit, #llvm_name},
#include "tilewright/cpu_features.def"
  };
  return table;
}

const CpuFeatureInfo* featureAt(std::string_view arch, int word, int bit) {
  for (const CpuFeatureInfo& feature : cpuFeatures())
    if (feature.arch == arch && feature.word == word && feature.bit == bit)
      return &feature;
  return nullptr;
}

}  // namespace

const std::vector<ElementTypeInfo>& elementTypes() {
  static const std::vector<ElementTypeInfo> table = {
#define TW_ELEMENT_TYPE(name, ENUM, bits, kind) \
  {TW_ELEMENT_##ENUM, #name, bits, TW_ELEMENT_KIND_##kind},
#include "tilewright/element_types.def"
  };
  return table;
}

const std::vector<FloatFormat>& floatFormats() {
  static const std::vector<FloatFormat> table = {
#define TW_FLOAT_FORMAT(ENUM, exponent_bits, mantissa_bits, bias, specials, \
                        mx)                                                 \
  {TW_ELEMENT_##ENUM,                                                       \
   exponent_bits,                                                           \
   mantissa_bits,                                                           \
   bias,                                                                    \
   TW_FLOAT_SPECIALS_##specials,                                            \
   mx != 0},
#include "tilewright/element_types.def"
  };
  return table;
}

const std::vector<TypeTripleInfo>& typeTriples() {
  static const std::vector<TypeTripleInfo> table = [] {
    struct Row {
      int value;
      std::string_view lhs, rhs, out, name;
    };
    static constexpr Row rows[] = {
#define TW_TYPE_TRIPLE(value, lhs, rhs, out, ENUM) \
  {value, #lhs, #rhs, #out, #lhs #rhs #out},
#include "tilewright/type_triples.def"
    };
    auto typeNamed = [](std::string_view name) {
      for (const ElementTypeInfo& type : elementTypes())
        if (type.name == name) return type.type;
      return TW_ELEMENT_COUNT;
    };
    std::vector<TypeTripleInfo> result;
    for (const Row& row : rows) {
      tw_element_type_t out = typeNamed(row.out);
      result.push_back({static_cast<tw_type_triple_t>(row.value),
                        typeNamed(row.lhs), typeNamed(row.rhs), out, row.name,
                        accumulatorFor(out)});
    }
    return result;
  }();
  return table;
}

const std::vector<ArchitectureInfo>& architectures() {
  static const std::vector<ArchitectureInfo> table = {
#define TW_ARCHITECTURE(ARCH, arch, kind, LLVMTarget, llvm_arch, triple, \
                        march, max_k0, processors)                       \
  {#ARCH, #arch, ArchitectureInfo::Kind::kind, #llvm_arch, #triple},
#include "tilewright/architectures.def"
  };
  return table;
}

static const ArchitectureInfo* architectureNamed(std::string_view name) {
  for (const ArchitectureInfo& architecture : architectures())
    if (architecture.enumName == name) return &architecture;
  return nullptr;
}

const std::vector<IsaInfo>& isas() {
  static const std::vector<IsaInfo> table = {
#define TW_ISA_FEATURE(ARCH, FEATURE)              \
  featureAt(#ARCH, TW_CPU_WORD_##ARCH##_##FEATURE, \
            TW_CPU_BIT_##ARCH##_##FEATURE),
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  {TW_ISA_##ENUM,    #ARCH,                                                  \
   #arch_isa,        vector_bits,                                            \
   vector_registers, TW_SCALING_##scaling,                                   \
   {features},       architectureNamed(#ARCH)},
#include "tilewright/isas.def"
#undef TW_ISA_FEATURE
  };
  return table;
}

const std::vector<ScalingInfo>& scalings() {
  static const std::vector<ScalingInfo> table = {
      {TW_SCALING_NONE, "none", "", "", "", "", 0, false},
#define TW_SCALING(ENUM, name, title, ARCH, feature, prefix, usual_bits, \
                   streaming)                                            \
  {TW_SCALING_##ENUM, #name,  title,      #ARCH,                         \
   feature,           prefix, usual_bits, streaming != 0},
#include "tilewright/scalings.def"
  };
  return table;
}

const std::vector<VariantInfo>& tileVariants() {
  static const std::vector<VariantInfo> table = {
#define TW_VARIANT(name, ENUM, field, excludes, doc) \
  {#name, TW_VARIANT_##ENUM, excludes, doc},
#include "tilewright/variants.def"
  };
  return table;
}

const ElementTypeInfo& info(tw_element_type_t type) {
  return elementTypes().at(type);
}

const FloatFormat& floatFormat(tw_element_type_t type) {
  static const std::vector<const FloatFormat*> byType = [] {
    std::vector<const FloatFormat*> result(TW_ELEMENT_COUNT);
    for (const FloatFormat& format : floatFormats())
      result[format.type] = &format;
    return result;
  }();
  return *byType.at(type);
}

const TypeTripleInfo& info(tw_type_triple_t types) {
  static const std::vector<const TypeTripleInfo*> byValue = [] {
    std::vector<const TypeTripleInfo*> result(256);
    for (const TypeTripleInfo& triple : typeTriples())
      result[triple.value] = &triple;
    return result;
  }();
  return *byValue.at(types);
}

const IsaInfo& info(tw_isa_t isa) { return isas().at(isa); }

const ScalingInfo& info(tw_scaling_t scaling) { return scalings().at(scaling); }

const TypeTripleInfo* findTypeTriple(std::string_view name) {
  for (const TypeTripleInfo& triple : typeTriples())
    if (triple.name == name) return &triple;
  return nullptr;
}

const IsaInfo* findIsa(std::string_view name) {
  for (const IsaInfo& isa : isas())
    if (isa.name == name) return &isa;
  return nullptr;
}

bool IsaInfo::has(std::string_view llvmFeature) const {
  return std::any_of(
      features.begin(), features.end(),
      [&](const CpuFeatureInfo* f) { return f->llvmName == llvmFeature; });
}

std::string IsaInfo::llvmFeatures() const {
  std::string result;
  for (const CpuFeatureInfo* feature : features) {
    if (!result.empty()) result += ',';
    result += '+';
    result += feature->llvmName;
  }
  return result;
}

bool IsaInfo::implies(const IsaInfo& other) const {
  if (other.architecture->kind == ArchitectureInfo::Kind::ANY) return true;
  if (arch != other.arch || isGpu()) return isa == other.isa;
  return std::all_of(other.features.begin(), other.features.end(),
                     [&](const CpuFeatureInfo* f) { return has(f->llvmName); });
}

}  // namespace tilewright
