// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright link: objects, bitcode and archives -> the tiles they want.

#include "Commands.h"
#include "ToolSupport.h"

#include "tilewright/Link/Link.h"
#include "tilewright/Support/Nearest.h"
#include "tilewright/Support/Progress.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand linkOptions("link", "Link the tile functions that bitcode, "
                                   "objects and archives want");

enum class ReportFormat { None, Text, Json };

cl::list<std::string> inputs(cl::Positional, cl::sub(linkOptions),
                             cl::desc("<input>..."), cl::OneOrMore);
cl::opt<std::string> output("o", cl::sub(linkOptions), cl::Required,
                            cl::value_desc("path"), cl::desc("Output file"));
cl::opt<LinkOutput> emitKind(
    "emit", cl::sub(linkOptions), cl::init(LinkOutput::Archive),
    cl::desc("What to write (default: archive)"),
    cl::values(clEnumValN(LinkOutput::Archive, "archive",
                          "one object per wanted tile"),
               clEnumValN(LinkOutput::Object, "obj",
                          "all bitcode inputs and their tiles as one object"),
               clEnumValN(LinkOutput::Bitcode, "bitcode",
                          "the same as one bitcode module")));
cl::opt<bool> inlineTiles("inline", cl::sub(linkOptions),
                          cl::desc("Inline tiles into their callers (obj, "
                                   "bitcode)"));
cl::opt<bool> withInputs("with-inputs", cl::sub(linkOptions),
                         cl::desc("Put the inputs' objects into the archive "
                                  "too; -o may then be an input"));
cl::list<std::string> providers(
    "provided-by", cl::sub(linkOptions), cl::value_desc("file"),
    cl::desc("An archive or object that the program links anyway: what it "
             "defines is not resolved"));
cl::list<std::string>
    prefixes("prefix", cl::sub(linkOptions), cl::value_desc("prefix"),
             cl::desc("Resolve names with this prefix too, such as iree_uk"));
cl::opt<bool> registryEntries(
    "registry-entry", cl::sub(linkOptions),
    cl::desc("Add entries by which tw_mmt4d and tw_find_tile see the generated "
             "tiles (archive)"));
cl::opt<ReportFormat> reportFormat(
    "report", cl::sub(linkOptions), cl::init(ReportFormat::None),
    cl::desc("Print what was linked and the time of each step"),
    cl::values(clEnumValN(ReportFormat::Text, "text", "as a table"),
               clEnumValN(ReportFormat::Json, "json", "as JSON")));
cl::opt<std::string>
    reportFile("report-file", cl::sub(linkOptions), cl::value_desc("path"),
               cl::init("-"),
               cl::desc("Where the report goes (default: standard output)"));
ResolveFlags resolveFlags(linkOptions, Prefer::HandWritten);

const char linkHelp[] = R"(
Inputs are LLVM bitcode files, ELF relocatable objects, and archives of these.
Their undefined symbols with tile names are resolved, each name once: the
hand-written body where there is one, else from the cache, else generated.
'@file' stands for the arguments in a file.

  archive       holds a weak definition per name; link it after the inputs.
  obj, bitcode  hold the bitcode inputs and their tiles. Every calling function
                must have the features of its tile's instruction set.

Examples:
  tilewright link main.o libmodel.a -o tiles.a --report=text
  tilewright link *.bc -o program.o --emit=obj --inline
  tilewright link uk.o -o tiles.a --prefix=iree_uk
  tilewright link libmodel.a -o libmodel.a --with-inputs
)";

Expected<LinkOptions> optionsAsGiven() {
  LinkOptions options;
  options.output = emitKind;
  options.inlineTiles = inlineTiles;
  options.withInputs = withInputs;
  options.providers = providers;
  options.prefixes.insert(options.prefixes.end(), prefixes.begin(),
                          prefixes.end());
  if (Error error = resolveFlags.get().moveInto(options.resolve))
    return std::move(error);
  options.resolve.generate.registryEntry = registryEntries;
  return options;
}

std::string asText(const LinkReport &report, ReportFormat format) {
  std::string text;
  raw_string_ostream os(text);
  if (format == ReportFormat::Json)
    printReportAsJson(report, os);
  else
    printReportAsText(report, os);
  return text;
}

/// Inputs that want nothing may be meant so; a misspelt prefix never is.
void warnOfPrefixes(const Wanted &wanted, ArrayRef<std::string> asked) {
  bool none = wanted.foundPrefixes.empty();
  std::string looked, meant;
  for (const std::string &prefix : asked) {
    if (wanted.foundPrefixes.count(prefix))
      continue;
    // Where nothing else was found, any prefix may have been meant.
    Nearest near(prefix, /*slips=*/none ? 98 : 2);
    for (const std::string &other : wanted.otherPrefixes)
      if (!other.empty())
        near.look(other);
    if (!near.found().empty())
      meant = near.found().str();
    if (none || !near.found().empty())
      looked += (looked.empty() ? "'" : " or '") + prefix + "'";
  }
  if (looked.empty())
    return;
  printWarning("no tile name in " + std::to_string(wanted.modules) +
               " modules has the prefix " + looked +
               (none ? ", so nothing is wanted" : "") +
               (meant.empty() ? "" : "; did you mean --prefix=" + meant + "?"));
}

Error runLink() {
  if (reportFormat == ReportFormat::None && reportFile.getNumOccurrences())
    return createStringError("--report-file needs --report=text or "
                             "--report=json");
  if (output == "-" && reportFormat != ReportFormat::None && reportFile == "-")
    return createStringError("output and report cannot both go to standard "
                             "output; use --report-file");
  Progress progress("reading the inputs");
  Expected<LinkOptions> given = optionsAsGiven();
  if (!given)
    return given.takeError();
  LinkOptions &options = *given;
  options.resolve.progress = [&](size_t done, size_t total) {
    if (done < total)
      progress.update("resolving tiles", done, total);
    else
      progress.phase("linking");
  };
  OutputFiles outputs;
  if (Error error = addInputs(outputs, resolveFlags.tuning.files()))
    return error;
  if (Error error = addLinkFiles(inputs, output, options, outputs))
    return error;
  if (reportFormat != ReportFormat::None)
    if (Error error = outputs.add(reportFile))
      return error;
  Expected<LinkReport> report = linkTiles(inputs, output, options, outputs);
  if (!report)
    return report.takeError();
  warnOfPrefixes(report->wanted, options.prefixes);
  if (reportFormat != ReportFormat::None)
    if (Error error = outputs.write(reportFile, asText(*report, reportFormat)))
      return error;
  return outputs.commit();
}

} // namespace

const Command linkCommand = {&linkOptions, linkHelp, runLink};

} // namespace tilewright
