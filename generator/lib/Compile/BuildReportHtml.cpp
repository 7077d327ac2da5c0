// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as one page of HTML, which needs nothing beside it.

#include "tilewright/Compile/BuildModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace llvm;

namespace tilewright {
namespace {

const char style[] = R"(
:root { --ink: #1d2733; --soft: #5b6775; --line: #dde3ea; --bar: #4477aa; --back: #f6f8fa; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 24px; color: var(--ink); background: #fff;
       font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; overflow-wrap: anywhere; }
* + h1 { margin-top: 64px; }
h2 { font-size: 18px; margin: 36px 0 8px; }
p { color: var(--soft); margin: 4px 0 12px; max-width: 80ch; }
.cards { display: flex; flex-wrap: wrap; gap: 12px; margin: 20px 0; }
.card { background: var(--back); border: 1px solid var(--line); border-radius: 8px; padding: 10px 16px; min-width: 130px; }
.card b { display: block; font-size: 21px; font-weight: 600; }
.card span { color: var(--soft); font-size: 13px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th { text-align: left; color: var(--soft); font-weight: 600; border-bottom: 2px solid var(--line); }
th, td { padding: 5px 14px 5px 0; vertical-align: top; }
td { border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
td code { overflow-wrap: normal; }
td.whole { white-space: nowrap; }
td.why { min-width: 28ch; }
td.name { min-width: 26ch; }
.rule { display: inline-block; border-radius: 10px; padding: 0 9px; font-size: 12px; background: #e3ebf5; color: #2b4f77; }
.bars td { border: 0; padding: 3px 14px 3px 0; }
.bars .chart { width: 100%; vertical-align: middle; }
.bar { background: var(--bar); border-radius: 2px; height: 14px; min-width: 1px; }
)";

/// Whatever a model calls something.
struct Escaped {
  StringRef text;
};
raw_ostream &operator<<(raw_ostream &os, const Escaped &escaped) {
  printHTMLEscaped(escaped.text, os);
  return os;
}

/// A name that may go on in another line behind each of its parts, which `end`
/// ends.
struct InParts {
  StringRef name;
  char end;
};
raw_ostream &operator<<(raw_ostream &os, const InParts &parts) {
  ListSeparator mayBreak(parts.end == '_' ? "_<wbr>" : "/<wbr>");
  for (StringRef part : split(parts.name, parts.end))
    os << mayBreak << Escaped{part};
  return os;
}
InParts tileName(StringRef name) { return {name, '_'}; }
InParts placeName(StringRef place) { return {place, '/'}; }

std::string number(uint64_t value) {
  std::string digits = std::to_string(value);
  for (int64_t at = int64_t(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(size_t(at), "\xe2\x80\xaf"); // a narrow space
  return digits;
}

/// A number, or an expression of C.
std::string count(const std::string &text) {
  uint64_t value;
  if (text.empty())
    return "unknown";
  return StringRef(text).getAsInteger(10, value) ? text : number(value);
}

class Page {
public:
  Page(const BuildReport &report, raw_ostream &os)
      : report(report), model(report.model), os(os) {}

  void print() {
    summary();
    relayouts();
    sharedWeights();
    parameterWork("Computed once",
                  "When an instance is made, which keeps " +
                      number(model.keptBytes) + " bytes" + onDevices() + ".",
                  model.runOnce);
    parameterWork("Computed by each call",
                  "Though it depends on parameters alone.", model.eachCall);
    dispatches();
    tiles();
    constants();
    arenas();
    remarks();
    times();
  }

private:
  /// Of what an instance keeps.
  std::string onDevices() {
    std::string text;
    for (const KeptOnDevice &its : model.keptOnDevices)
      text += ", and " + number(its.bytes) + " on " + its.device;
    return text;
  }

  void names() {
    ListSeparator comma;
    for (const EntryPoint &entry : model.entries)
      os << comma << Escaped{entry.name};
  }

  void card(const std::string &value, StringRef of) {
    os << "<div class=\"card\"><b>" << value << "</b><span>" << of
       << "</span></div>\n";
  }

  void summary() {
    os << "<h1>";
    names();
    os << "</h1>\n<p>";
    ListSeparator comma;
    for (const ModelDevice &device : report.devices)
      os << comma << Escaped{device.name} << " = <code>"
         << Escaped{device.target} << "</code>";
    os << "</p>\n<div class=\"cards\">\n";
    int64_t calls = 0;
    for (const ModelDispatch &function : model.functions)
      calls += function.calls;
    uint64_t constantBytes = 0;
    for (const LargeConstant &constant : model.largeConstants)
      constantBytes += constant.bytes;
    double ms = 0;
    for (const StepTime &step : stepsOf(report))
      ms += step.ms;
    card(number(uint64_t(calls)), "dispatches");
    card(number(uint64_t(llvm::count_if(
             model.relayouts,
             [](const Relayout &relayout) { return !relayout.fewRows; }))),
         "relayouts");
    card(number(report.link.tiles.size()), "tiles");
    card(number(constantBytes), "bytes of large constants");
    card(number(report.link.outputBytes), "bytes written");
    card(number(uint64_t(ms)), "ms to compile");
    os << "</div>\n";
  }

  void heading(StringRef title, StringRef text = "") {
    os << "<h2>" << title << "</h2>\n";
    if (!text.empty())
      os << "<p>" << text << "</p>\n";
  }

  /// Columns whose title begins with '#' have numbers.
  void begin(ArrayRef<StringRef> columns) {
    os << "<div class=\"wide\"><table>\n<tr>";
    for (StringRef column : columns) {
      bool isNumber = column.consume_front("#");
      os << (isNumber ? "<th class=\"n\">" : "<th>") << column << "</th>";
    }
    os << "</tr>\n";
  }
  void end() { os << "</table></div>\n"; }

  void place(StringRef text) {
    os << "<td class=\"name\"><code>" << placeName(text) << "</code></td>";
  }
  /// Where something of an entry point is.
  static std::string inBody(const std::string &text, bool fewRows) {
    return text + (fewRows ? ", for few rows" : "");
  }
  void placeIn(StringRef function, StringRef place) {
    os << "<td class=\"name\">" << Escaped{function} << "<br><code>"
       << placeName(place) << "</code></td>";
  }
  /// In one line.
  void code(StringRef text) {
    os << "<td class=\"whole\"><code>" << Escaped{text} << "</code></td>";
  }
  void tile(StringRef name) {
    os << "<td class=\"name\"><code>" << tileName(name) << "</code></td>";
  }
  void why(StringRef text) {
    os << "<td class=\"why\">" << Escaped{text} << "</td>";
  }
  void words(StringRef text) { os << "<td>" << Escaped{text} << "</td>"; }
  void amount(StringRef text) {
    os << "<td class=\"n\">" << Escaped{text} << "</td>";
  }

  void relayouts() {
    heading("Relayouts", model.relayouts.empty()
                             ? "No tensor is laid out anew."
                             : "Tensors that are copied because they have to "
                               "lie in another way, each with the rule that "
                               "left it.");
    if (model.relayouts.empty())
      return;
    begin({"what", "in", "from", "to", "#bytes", "why"});
    for (const Relayout &relayout : model.relayouts) {
      os << "<tr>";
      words(relayout.what +
            (report.devices.size() > 1 ? " on " + relayout.device : ""));
      placeIn(inBody(relayout.function, relayout.fewRows), relayout.place);
      code(relayout.from);
      code(relayout.to);
      amount(count(relayout.bytes));
      os << "<td class=\"why\"><span class=\"rule\">" << relayout.rule
         << "</span> " << Escaped{relayout.reason} << "</td></tr>\n";
    }
    end();
  }

  void sharedWeights() {
    if (model.sharedWeights.empty())
      return;
    heading("Shared weights",
            "Several multiplications take these, with other sizes, or C hands "
            "them over packed, so that there is one layout for all. The cost "
            "is an estimate: time with "
            "this tile by that with the tile that the multiplication would "
            "have alone.");
    begin({"weight", "in", "#M", "#N", "#K", "tile", "alone", "#cost"});
    for (const SharedWeight &weight : model.sharedWeights) {
      os << "<tr>";
      code(weight.weight);
      placeIn(inBody(weight.function, weight.fewRows), weight.place);
      for (int64_t size : weight.sizes)
        amount(size < 0 ? "?" : std::to_string(size));
      tile(weight.tile);
      tile(weight.alone);
      std::string cost = "not known";
      if (weight.cost)
        raw_string_ostream(cost = "") << format("%.2f", *weight.cost);
      amount(cost);
      os << "</tr>\n";
    }
    end();
  }

  void parameterWork(StringRef title, const std::string &about,
                     const std::vector<ModelParameterWork> &works) {
    if (works.empty())
      return;
    heading(title, about);
    SmallVector<StringRef> columns = {"tensor", "of", "#bytes read", "#made",
                                      "#operations"};
    bool saysWhy = any_of(works, [](const ModelParameterWork &work) {
      return !work.because.empty();
    });
    if (saysWhy)
      columns.push_back("why");
    begin(columns);
    for (const ModelParameterWork &work : works) {
      os << "<tr>";
      code(work.type);
      placeIn(join(work.functions, ", "), work.place);
      amount(number(work.bytesRead));
      amount(number(work.bytes));
      amount(number(work.operations));
      if (saysWhy)
        why(work.because);
      os << "</tr>\n";
    }
    end();
  }

  void dispatches() {
    if (model.functions.empty())
      return;
    heading("Dispatches", "What is done together, and what one call reads, "
                          "writes and computes.");
    begin(
        {"function", "at", "#calls", "#bytes read", "#written", "#operations"});
    for (const ModelDispatch &function : model.functions) {
      bool isFirst = true;
      for (const DispatchWork &work : function.work) {
        os << "<tr><td class=\"name\">";
        if (isFirst) {
          os << Escaped{function.name};
          if (!function.device.empty())
            os << " on " << Escaped{function.device};
          if (!function.tile.empty())
            os << "<br><code>" << tileName(function.tile) << "</code>";
          if (!function.packs.empty())
            os << "<br>packs " << Escaped{function.packs};
          if (function.percent)
            os << "<br>" << *function.percent << " % of the speed of a copy: "
               << Escaped{function.slowBecause};
        }
        os << "</td>";
        place(isFirst ? function.place : "");
        amount(inBody(std::to_string(work.calls), work.fewRows));
        amount(count(work.bytesRead));
        amount(count(work.bytesWritten));
        amount(count(work.operations));
        os << "</tr>\n";
        isFirst = false;
      }
    }
    end();
  }

  void tiles() {
    if (report.link.tiles.empty())
      return;
    heading("Tiles");
    begin({"tile", "origin", "#ms"});
    for (const ResolvedTile &each : report.link.tiles) {
      os << "<tr>";
      tile(each.name);
      words(originName(each.origin));
      os << "<td class=\"n\">" << format("%.2f", each.ms) << "</td></tr>\n";
    }
    end();
  }

  void constants() {
    if (!model.packedConstants.empty()) {
      heading("Constants packed at compile time");
      list(model.packedConstants);
    }
    if (model.largeConstants.empty())
      return;
    heading("Constants of 4 KiB or more");
    begin({"type", "#bytes", "packed"});
    for (const LargeConstant &constant : model.largeConstants) {
      os << "<tr>";
      code(constant.type);
      amount(number(constant.bytes));
      words(constant.packed ? "for a tile" : "");
      os << "</tr>\n";
    }
    end();
  }

  void arenas() {
    for (const EntryPoint &entry : model.entries) {
      if (!entry.arena)
        continue;
      os << "<h2>Arena of " << Escaped{entry.name} << "</h2>\n<p>"
         << entry.arena->buffers << " buffers: <code>"
         << Escaped{arenaText(*entry.arena)} << "</code></p>\n";
      list(entry.arena->others);
    }
  }

  void remarks() {
    if (model.remarks.empty())
      return;
    heading("Remarks");
    list(model.remarks);
  }

  void list(const std::vector<std::string> &lines) {
    if (lines.empty())
      return;
    os << "<ul>\n";
    for (const std::string &line : lines)
      os << "<li><code>" << Escaped{line} << "</code></li>\n";
    os << "</ul>\n";
  }

  /// A bar for each step.
  void times() {
    std::vector<StepTime> steps = stepsOf(report);
    double longest = 0.01;
    for (const StepTime &step : steps)
      longest = std::max(longest, step.ms);
    heading("Time by step");
    os << "<table class=\"bars\">\n";
    for (const StepTime &step : steps) {
      os << "<tr>";
      words(step.name);
      amount(formatv("{0:f2} ms", step.ms).str());
      os << "<td class=\"chart\"><div class=\"bar\" style=\"width: "
         << format("%.1f", 100 * step.ms / longest) << "%\"></div></td></tr>\n";
    }
    os << "</table>\n";
  }

  const BuildReport &report;
  const CompiledModel &model;
  raw_ostream &os;
};

} // namespace

void printBuildReportsAsHtml(ArrayRef<BuildReport> reports, raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<title>tilewright compile</title>\n<style>"
     << style << "</style>\n</head>\n<body>\n";
  for (const BuildReport &report : reports)
    Page(report, os).print();
  os << "</body>\n</html>\n";
}

} // namespace tilewright
