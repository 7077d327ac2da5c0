// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright list: the tables.

#include "Commands.h"

#include "tilewright/Registry/Registry.h"
#include "tilewright/Registry/TileNames.h"
#include "tilewright/Target/Amdgpu/AmdgpuTarget.h"
#include "tilewright/Target/Amdgpu/MatrixInstructions.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand listOptions("list", "Show the hand-written tiles, the "
                                   "instruction sets and the type triples");

enum class Subject { Tiles, Isas, Types };

cl::opt<std::string> subjectName(cl::Positional, cl::sub(listOptions),
                                 cl::desc("[tiles|isas|types]"),
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
    "\nAny other valid name can be generated: tilewright gen --help\n";

Expected<Subject> parseSubject() {
  auto subject = StringSwitch<std::optional<Subject>>(subjectName)
                     .Case("tiles", Subject::Tiles)
                     .Case("isas", Subject::Isas)
                     .Case("types", Subject::Types)
                     .Default(std::nullopt);
  if (!subject)
    return createStringError("cannot list '" + subjectName +
                             "'; expected tiles, isas or types");
  return *subject;
}

Error unknownRow(const Twine &what, const std::string &name,
                 const Nearest &nearest, StringRef table) {
  std::string question = nearest.question();
  return createStringError(what + " is called '" + name + "'" + question +
                           (question.empty() ? "; see" : " See") +
                           " 'tilewright list " + table + "'");
}

Error checkFilters(Subject subject) {
  if (!isaFilter.empty() && !findIsa(isaFilter))
    return unknownRow("--isa: no instruction set", isaFilter,
                      nearestIsa(isaFilter), "isas");
  if (!typesFilter.empty() && !findTypeTriple(typesFilter))
    return unknownRow("--types: no type triple", typesFilter,
                      nearestTypes(typesFilter), "types");
  if (subject != Subject::Tiles && (!isaFilter.empty() || !typesFilter.empty()))
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

/// One line per row: the name, then what the name does not say.
void printText(Subject subject, const json::Array &rows) {
  for (const json::Value &value : rows) {
    const json::Object &row = *value.getAsObject();
    StringRef name = *row.getString("name");
    switch (subject) {
    case Subject::Tiles:
      outs() << formatv("{0,-64} {1}\n", name, *row.getString("family"));
      break;
    case Subject::Isas:
      // What <n>vl counts, where sizes may be scalable.
      outs() << formatv("{0,-22} {1,3} x {2} bits  {3,-6} {4}\n", name,
                        *row.getInteger("vector_registers"),
                        *row.getInteger("vector_bits"),
                        *row.getString("scaling") == "none"
                            ? ""
                            : "vl:" + row.getString("scaling")->str(),
                        *row.getString("features"));
      break;
    case Subject::Types:
      outs() << formatv("{0,-26} 0x{1:x-2}  accumulates in {2}\n", name,
                        *row.getInteger("value"),
                        *row.getString("accumulator"));
      break;
    }
  }
}

Error runList() {
  Expected<Subject> subject = parseSubject();
  if (!subject)
    return subject.takeError();
  if (Error error = checkFilters(*subject))
    return error;
  json::Value rows = *subject == Subject::Tiles  ? tilesAsJson()
                     : *subject == Subject::Isas ? isasAsJson()
                                                 : typesAsJson();
  if (asJson)
    outs() << formatv("{0:2}\n", rows);
  else
    printText(*subject, *rows.getAsArray());
  return Error::success();
}

} // namespace

const Command listCommand = {&listOptions, listHelp, runList};

} // namespace tilewright
