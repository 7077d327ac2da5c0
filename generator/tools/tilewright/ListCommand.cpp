// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright list: the tables.

#include "Commands.h"

#include "tilewright/Registry/Registry.h"
#include "tilewright/Registry/TileNames.h"
#include "tilewright/Target/Amdgpu/AmdgpuTarget.h"
#include "tilewright/Target/Amdgpu/MatrixInstructions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand listOptions("list", "Show the hand-written tiles, the "
                                   "instruction sets, the type triples and "
                                   "the other tables");

cl::opt<std::string> subjectName(
    cl::Positional, cl::sub(listOptions),
    cl::desc("[tiles|isas|types|elements|variants|cores|multiplies]"),
    cl::init("tiles"));
cl::opt<std::string> isaFilter("isa", cl::sub(listOptions),
                               cl::desc("Only tiles of this instruction set"),
                               cl::value_desc("arch_isa"));
cl::opt<std::string> typesFilter("types", cl::sub(listOptions),
                                 cl::desc("Only tiles of this type triple"),
                                 cl::value_desc("lhs rhs out"));
cl::opt<bool> asJson("json", cl::sub(listOptions), cl::desc("Print JSON"));

const char listHelp[] =
    "\nExamples:\n"
    "  tilewright list                                    # all hand-written "
    "tiles\n"
    "  tilewright list --isa=x86_64_avx2_fma --types=s8s8s32\n"
    "  tilewright list isas\n"
    "  tilewright list types --json\n"
    "  tilewright list cores                              # and how quick "
    "their "
    "multiplies are\n"
    "\nAny other valid name can be generated: tilewright gen --help\n";

Error unknownRow(const Twine &what, const std::string &name,
                 const Nearest &nearest, StringRef table) {
  std::string question = nearest.question();
  return createStringError(what + " is called '" + name + "'" + question +
                           (question.empty() ? "; see" : " See") +
                           " 'tilewright list " + table + "'");
}

Error checkFilters() {
  if (!isaFilter.empty() && !findIsa(isaFilter))
    return unknownRow("--isa: no instruction set", isaFilter,
                      nearestIsa(isaFilter), "isas");
  if (!typesFilter.empty() && !findTypeTriple(typesFilter))
    return unknownRow("--types: no type triple", typesFilter,
                      nearestTypes(typesFilter), "types");
  if (subjectName != "tiles" && (!isaFilter.empty() || !typesFilter.empty()))
    return createStringError("--isa and --types filter tiles only");
  return Error::success();
}

json::Value tilesAsJson() {
  json::Array rows;
  for (const HandWrittenTile &tile : handWrittenTiles()) {
    const TileKey &key = tile.key;
    if (!isaFilter.empty() && info(key.isa).name != isaFilter.getValue())
      continue;
    if (!typesFilter.empty() && info(key.types).name != typesFilter.getValue())
      continue;
    const TypeTripleInfo &types = info(key.types);
    rows.push_back(json::Object{{"name", tile.name},
                                {"types", std::string(types.name)},
                                {"lhs", std::string(info(types.lhs).name)},
                                {"rhs", std::string(info(types.rhs).name)},
                                {"out", std::string(info(types.out).name)},
                                {"M0", key.m0},
                                {"N0", key.n0},
                                {"K0", key.k0},
                                {"M0_scalable", key.m0Scalable},
                                {"N0_scalable", key.n0Scalable},
                                {"steprnd", key.rounding == Rounding::kPerStep},
                                {"vnni", key.vnni},
                                {"mx", key.blockScaled},
                                {"isa", std::string(info(key.isa).name)},
                                {"family", tile.family}});
  }
  return rows;
}

/// What amdgpu_targets.def has of a GPU, by its columns' names.
json::Object targetAsJson(const AmdgpuTarget &target) {
  return json::Object{{"lds", target.ldsBytes},
                      {"processor_lds", target.processorLdsBytes},
                      {"lds_rate", target.ldsBytesPerCycle},
                      {"direct_load", target.directBytes},
                      {"wave_registers", target.registersPerWave},
                      {"accumulators", target.accumulators},
                      {"simd_registers", target.registersPerSimd},
                      {"granule", target.registerGranule},
                      {"simd_waves", target.wavesPerSimd},
                      {"simds", target.simds},
                      {"issue", target.issueCycles},
                      {"flushes_half", target.flushesHalfDenormals}};
}

json::Array namesOf(ArrayRef<tw_element_type_t> types) {
  json::Array names;
  for (tw_element_type_t type : types)
    names.push_back(std::string(info(type).name));
  return names;
}

json::Array matrixInstructionsAsJson(tw_isa_t isa) {
  json::Array rows;
  for (const MatrixInstruction &instruction : matrixInstructions(isa))
    rows.push_back(json::Object{
        {"mnemonic", instruction.mnemonic},
        {"M", instruction.m},
        {"N", instruction.n},
        {"K", instruction.k},
        {"blocks", instruction.blocks},
        {"lhs", namesOf(instruction.lhsTypes)},
        {"rhs", namesOf(instruction.rhsTypes)},
        {"accumulator", std::string(info(instruction.accumulator).name)},
        {"cycles", instruction.cycles}});
  return rows;
}

json::Value isasAsJson() {
  json::Array rows;
  for (const IsaInfo &isa : isas()) {
    json::Object row{{"name", std::string(isa.name)},
                     {"arch", std::string(isa.architecture->name)},
                     {"vector_bits", isa.vectorBits},
                     {"vector_registers", isa.vectorRegisters},
                     {"scaling", std::string(info(isa.scaling).name)},
                     {"features", isa.llvmFeatures()}};
    if (isa.isGpu()) {
      json::Object target = targetAsJson(amdgpuTarget(isa.isa));
      target["matrix_instructions"] = matrixInstructionsAsJson(isa.isa);
      row["amdgpu"] = std::move(target);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

json::Value typesAsJson() {
  json::Array rows;
  for (const TypeTripleInfo &types : typeTriples())
    rows.push_back(json::Object{
        {"name", std::string(types.name)},
        {"value", static_cast<int>(types.value)},
        {"lhs", std::string(info(types.lhs).name)},
        {"rhs", std::string(info(types.rhs).name)},
        {"out", std::string(info(types.out).name)},
        {"accumulator", std::string(info(types.accumulator).name)}});
  return rows;
}

StringRef nameOf(tw_element_kind_t kind) {
  switch (kind) {
  case TW_ELEMENT_KIND_SIGNED:
    return "signed";
  case TW_ELEMENT_KIND_UNSIGNED:
    return "unsigned";
  case TW_ELEMENT_KIND_FLOAT:
    return "float";
  }
  llvm_unreachable("no kind of elements");
}

StringRef nameOf(tw_float_specials_t specials) {
  switch (specials) {
  case TW_FLOAT_SPECIALS_IEEE:
    return "ieee";
  case TW_FLOAT_SPECIALS_FN:
    return "fn";
  case TW_FLOAT_SPECIALS_FNUZ:
    return "fnuz";
  case TW_FLOAT_SPECIALS_NONE:
    return "none";
  }
  llvm_unreachable("no kind of special codes");
}

json::Value elementsAsJson() {
  json::Array rows;
  for (const ElementTypeInfo &element : elementTypes()) {
    json::Object row{{"name", std::string(element.name)},
                     {"bits", element.bits},
                     {"kind", nameOf(element.kind)}};
    if (element.kind == TW_ELEMENT_KIND_FLOAT) {
      const FloatFormat &format = floatFormat(element.type);
      row["exponent_bits"] = format.exponentBits;
      row["mantissa_bits"] = format.mantissaBits;
      row["bias"] = format.bias;
      row["specials"] = nameOf(format.specials);
      row["mx"] = format.isMx;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

json::Value variantsAsJson() {
  json::Array rows;
  for (const VariantInfo &variant : tileVariants()) {
    json::Array excludes;
    for (const VariantInfo &other : tileVariants())
      if (variant.excludes & other.bit)
        excludes.push_back(std::string(other.name));
    rows.push_back(json::Object{{"name", std::string(variant.name)},
                                {"excludes", std::move(excludes)},
                                {"doc", std::string(variant.doc)}});
  }
  return rows;
}

/// The rows of core_rates.def of a core, by its enumerator there.
json::Array ratesOf(StringRef core) {
  json::Array rates;
#define TW_CORE_RATE(CORE, INSTRUCTION, rate)                                  \
  if (core == #CORE)                                                           \
    rates.push_back(                                                           \
        json::Object{{"instruction", #INSTRUCTION}, {"per_cycle", rate}});
#include "tilewright/core_rates.def"
  return rates;
}

json::Value coresAsJson() {
  json::Array rows;
  StringMap<size_t> places;
  StringMap<StringRef> architectureNames;
  for (const ArchitectureInfo &architecture : architectures())
    architectureNames[architecture.enumName] = architecture.name;
  auto row = [&](StringRef core) -> json::Object & {
    return *rows[places.at(core)].getAsObject();
  };
#define TW_CORE(ARCH, ENUM, llvm_cpu)                                          \
  places[#ENUM] = rows.size();                                                 \
  rows.push_back(json::Object{{"name", llvm_cpu},                              \
                              {"enumerator", #ENUM},                           \
                              {"arch", architectureNames.at(#ARCH)},           \
                              {"aliases", json::Array()},                      \
                              {"rates", ratesOf(#ENUM)}});
#define TW_CORE_ALIAS(ENUM, llvm_cpu)                                          \
  row(#ENUM)["aliases"].getAsArray()->push_back(llvm_cpu);
#define TW_CORE_CACHES(ENUM, l1, l2)                                           \
  row(#ENUM)["l1_kib"] = l1;                                                   \
  row(#ENUM)["l2_kib"] = l2;
#define TW_CORE_L3(ENUM, kib) row(#ENUM)["l3_kib"] = kib;
#define TW_CORE_STORES_PAST(ENUM) row(#ENUM)["stores_past_caches"] = true;
#define TW_CORE_ASKS_PAGES(ENUM) row(#ENUM)["asks_pages"] = true;
#define TW_CORE_SLOW_L3(ENUM) row(#ENUM)["slow_l3"] = true;
#define TW_CORE_STREAMS(ENUM, panels, rows, tiles, caches)                     \
  row(#ENUM)["streams"] = panels;                                              \
  row(#ENUM)["stream_rows"] = rows;                                            \
  row(#ENUM)["stream_tiles"] = tiles;                                          \
  row(#ENUM)["stream_caches"] = caches;
#define TW_CORE_VECTORS(ENUM, sve, streaming)                                  \
  row(#ENUM)["sve_bits"] = sve;                                                \
  row(#ENUM)["streaming_bits"] = streaming;
#include "tilewright/cores.def"
  return rows;
}

json::Value instructionsAsJson() {
  json::Array rows;
  auto linesOf = [](StringRef product, StringRef accumulate) {
    json::Array lines;
    for (StringRef text : {product, accumulate})
      for (StringRef rest = text; !rest.empty();) {
        auto [line, others] = rest.split(';');
        lines.push_back(line.trim().str());
        rest = others;
      }
    return lines;
  };
#define TW_INSTRUCTION(ENUM, mnemonic, ISA, FORM, OPERANDS, SHAPE, k, latency, \
                       DENORMALS, RATE, product, accumulate)                   \
  rows.push_back(json::Object{{"name", #ENUM},                                 \
                              {"mnemonic", mnemonic},                          \
                              {"isa", StringRef(info(TW_ISA_##ISA).name)},     \
                              {"form", #FORM},                                 \
                              {"operands", #OPERANDS},                         \
                              {"shape", #SHAPE},                               \
                              {"k", k},                                        \
                              {"latency", latency},                            \
                              {"denormals", #DENORMALS},                       \
                              {"rate", #RATE},                                 \
                              {"assembly", linesOf(product, accumulate)}});
#include "tilewright/instructions.def"
  return rows;
}

// One line per row: the name, then what the name does not say.

void printTile(const json::Object &row) {
  outs() << formatv("{0,-64} {1}\n", *row.getString("name"),
                    *row.getString("family"));
}

void printIsa(const json::Object &row) {
  StringRef scaling = *row.getString("scaling");
  // What <n>vl counts, where sizes may be scalable.
  outs() << formatv("{0,-22} {1,3} x {2} bits  {3,-6} {4}\n",
                    *row.getString("name"), *row.getInteger("vector_registers"),
                    *row.getInteger("vector_bits"),
                    scaling == "none" ? "" : "vl:" + scaling.str(),
                    *row.getString("features"));
}

void printTypes(const json::Object &row) {
  outs() << formatv("{0,-26} 0x{1:x-2}  accumulates in {2}\n",
                    *row.getString("name"), *row.getInteger("value"),
                    *row.getString("accumulator"));
}

void printElement(const json::Object &row) {
  outs() << formatv("{0,-12} {1,2} bits  {2}\n", *row.getString("name"),
                    *row.getInteger("bits"), *row.getString("kind"));
}

void printVariant(const json::Object &row) {
  outs() << formatv("{0,-8} {1}", *row.getString("name"),
                    *row.getString("doc"));
  for (const json::Value &other : *row.getArray("excludes"))
    outs() << "; not with " << *other.getAsString();
  outs() << '\n';
}

void printCore(const json::Object &row) {
  outs() << formatv("{0,-16} {1,-8}", *row.getString("name"),
                    *row.getString("arch"));
  for (const json::Value &value : *row.getArray("rates")) {
    const json::Object &rate = *value.getAsObject();
    outs() << ' ' << *rate.getString("instruction") << '='
           << format("%g", *rate.getNumber("per_cycle"));
  }
  outs() << '\n';
}

void printInstruction(const json::Object &row) {
  outs() << formatv("{0,-14} {1,-16} {2}\n", *row.getString("name"),
                    *row.getString("mnemonic"), *row.getString("isa"));
}

/// A table that can be listed.
struct Subject {
  StringLiteral name;
  json::Value (*rows)();
  void (*print)(const json::Object &row);
};

constexpr Subject subjects[] = {
    {"tiles", tilesAsJson, printTile},
    {"isas", isasAsJson, printIsa},
    {"types", typesAsJson, printTypes},
    {"elements", elementsAsJson, printElement},
    {"variants", variantsAsJson, printVariant},
    {"cores", coresAsJson, printCore},
    {"instructions", instructionsAsJson, printInstruction},
};

Expected<const Subject *> findSubject(StringRef name) {
  std::string names;
  for (const Subject &subject : subjects) {
    if (subject.name == name)
      return &subject;
    names += (names.empty()                        ? ""
              : &subject == std::end(subjects) - 1 ? " or "
                                                   : ", ") +
             subject.name.str();
  }
  return createStringError("cannot list '" + name + "'; expected " + names);
}

Error runList() {
  Expected<const Subject *> subject = findSubject(subjectName);
  if (!subject)
    return subject.takeError();
  if (Error error = checkFilters())
    return error;
  json::Value rows = (*subject)->rows();
  if (asJson)
    outs() << formatv("{0:2}\n", rows);
  else
    for (const json::Value &row : *rows.getAsArray())
      (*subject)->print(*row.getAsObject());
  return Error::success();
}

} // namespace

const Command listCommand = {&listOptions, listHelp, runList};

} // namespace tilewright
