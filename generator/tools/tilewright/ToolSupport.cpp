// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ToolSupport.h"

#include "tilewright/Bench/MeasureTile.h"
#include "tilewright/Devices/TargetCpu.h"
#include "tilewright/Planning/CoreModel.h"
#include "tilewright/Registry/TileNames.h"
#include "tilewright/Support/Messages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace tilewright {
namespace {
std::vector<std::string> responseFiles;

/// The arguments in a file: as a shell has them, with comments.
void tokenize(StringRef text, StringSaver &saver,
              SmallVectorImpl<const char *> &arguments, bool markLineEnds) {
  cl::TokenizeGNUCommandLine(withoutComments(text), saver, arguments,
                             markLineEnds);
}
} // namespace

std::string withoutComments(StringRef text) {
  std::string result;
  char quote = 0;
  bool inWord = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '#' && !quote && !inWord) {
      i = std::min(text.find('\n', i), text.size()) - 1;
      continue;
    }
    if (c == '\\' && quote != '\'' && i + 1 < text.size())
      result += text[i++];
    else if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    inWord = quote || !isSpace(c);
    result += text[i];
  }
  return result;
}

Error expandResponseFiles(SmallVectorImpl<const char *> &arguments,
                          BumpPtrAllocator &allocator) {
  for (StringRef argument : arguments)
    if (argument.consume_front("@"))
      responseFiles.push_back(argument.str());
  return cl::ExpansionContext(allocator, tokenize)
      .expandResponseFiles(arguments);
}

Error addInputs(OutputFiles &outputs, ArrayRef<std::string> paths) {
  for (ArrayRef<std::string> files : {paths, ArrayRef(responseFiles)})
    for (const std::string &path : files)
      if (Error error = outputs.addInput(path))
        return error;
  return Error::success();
}

/// `parseOne`: Expected<Key>(StringRef name, StringRef prefix).
template <typename Key>
static Expected<std::vector<Key>>
parseWith(Expected<Key> (*parseOne)(StringRef, StringRef),
          ArrayRef<std::string> names, StringRef prefix) {
  std::vector<Key> keys;
  Error all = Error::success();
  auto parse = [&](StringRef name) {
    if (Expected<Key> key = parseOne(name, prefix))
      keys.push_back(*key);
    else
      all = joinErrors(std::move(all), key.takeError());
  };
  for (StringRef name : names) {
    if (name == "-") {
      auto input = MemoryBuffer::getSTDIN();
      if (!input) {
        all = joinErrors(std::move(all),
                         createFileError("standard input", input.getError()));
        continue;
      }
      std::string text = withoutComments((*input)->getBuffer());
      for (StringRef rest = text; !rest.empty();) {
        auto [word, after] = getToken(rest);
        if (!word.empty())
          parse(word);
        rest = after;
      }
    } else if (name.starts_with("@")) {
      // A list that can be read has been replaced by what it says.
      all = joinErrors(std::move(all),
                       createStringError("cannot read the list of names '" +
                                         name.drop_front() + "'"));
    } else {
      parse(name);
    }
  }
  if (all)
    return std::move(all);
  if (keys.empty())
    return createStringError("no names given");
  return keys;
}

Expected<std::vector<FunctionKey>>
parseFunctionNames(ArrayRef<std::string> names, StringRef prefix) {
  return parseWith(parseFunctionName, names, prefix);
}

Expected<std::vector<TileKey>> parseNames(ArrayRef<std::string> names,
                                          StringRef prefix) {
  return parseWith(parseTileName, names, prefix);
}

void printWarning(StringRef message) { printWarning("tilewright", message); }

void printNote(StringRef message) { printNote("tilewright", message); }

static constexpr StringLiteral kNoTuning = "none";

TuningFlags::TuningFlags(cl::SubCommand &command)
    : asked(
          "tuning", cl::sub(command), cl::value_desc("file"),
          cl::desc("Choose bodies as 'tilewright tune' has measured them; may "
                   "be given several times. 'none' leaves out what the "
                   "project ships (default: $TILEWRIGHT_TUNING)")) {}

/// `asked`, or the environment's.
static std::vector<std::string> tuningAsked(ArrayRef<std::string> asked) {
  if (!asked.empty())
    return asked.vec();
  const char *variable = std::getenv("TILEWRIGHT_TUNING");
  if (variable && *variable)
    return {variable};
  return {};
}

std::vector<std::string> TuningFlags::files() const {
  std::vector<std::string> files = tuningAsked(asked);
  erase(files, kNoTuning);
  return files;
}

Expected<std::shared_ptr<const Tuning>> TuningFlags::read() const {
  TuningDatabase all, shipped;
  for (const std::string &file : files()) {
    Expected<TuningDatabase> database = readTuning(file);
    if (!database)
      return database.takeError();
    all.merge(std::move(*database));
  }
  if (!is_contained(tuningAsked(asked), kNoTuning))
    if (Error error = shippedTuning().moveInto(shipped))
      return std::move(error);
  auto tuning =
      std::make_shared<const Tuning>(std::move(all), std::move(shipped));
  if (std::string text = tuning->unusable().text(); !text.empty())
    printWarning(text);
  return tuning;
}

Expected<std::string> coreOfTarget(StringRef target) {
  if (target.empty() || target == "host")
    return hostCoreName();
  Expected<TargetCpu> cpu = parseTargetCpu(target);
  if (!cpu)
    return cpu.takeError();
  return coreName(*cpu);
}

TuneCpuFlag::TuneCpuFlag(cl::SubCommand &command)
    : cpu("tune-cpu", cl::sub(command), cl::value_desc("cpu"),
          cl::desc("The core that generated tiles are to be quick on, by "
                   "LLVM's name; what they may use is in their names")) {}

Expected<std::string> TuneCpuFlag::get() const {
  if (cpu.getNumOccurrences() == 0)
    return std::string();
  Expected<const CoreModel *> core = findCore(cpu);
  if (!core)
    return createStringError("--tune-cpu: " + toString(core.takeError()));
  return std::string((*core)->name);
}

BitcodeDirFlag::BitcodeDirFlag(cl::SubCommand &command)
    : dir("bitcode-dir", cl::sub(command), cl::value_desc("dir"),
          cl::desc("Where the hand-written tiles' bitcode is (default: "
                   "$TILEWRIGHT_BITCODE_DIR, else beside this tool)")) {}

MeasureFlags::MeasureFlags(cl::SubCommand &command)
    : names(cl::Positional, cl::sub(command), cl::desc("<name>..."),
            cl::ZeroOrMore),
      json("json", cl::sub(command), cl::ValueOptional, cl::value_desc("file"),
           cl::desc("Write JSON into a file beside the table; without a file, "
                    "print it instead")),
      bitcode(command) {}

Error MeasureFlags::addTo(OutputFiles &outputs,
                          std::vector<std::string> paths) const {
  if (is_contained(names, "-"))
    paths.push_back("-");
  if (Error error = addInputs(outputs, paths))
    return error;
  if (!json.empty())
    if (Error error = outputs.add(json))
      return error;
  return outputs.add("-");
}

Error MeasureFlags::write(StringRef table, StringRef text,
                          OutputFiles &outputs) const {
  if (!json.empty())
    if (Error error = outputs.write(json, text))
      return error;
  const bool printJson = json.getNumOccurrences() && json.empty();
  if (Error error = outputs.write("-", printJson ? text : table))
    return error;
  return outputs.commit();
}

Expected<std::vector<TileKey>> runnableKeys(ArrayRef<TileKey> keys,
                                            StringRef prefix) {
  std::vector<TileKey> once;
  Error all = Error::success();
  for (const TileKey &key : keys) {
    if (is_contained(once, key))
      continue;
    all = joinErrors(std::move(all),
                     checkRunnable(key, printTileKey(key, prefix)));
    once.push_back(key);
  }
  if (all)
    return std::move(all);
  return once;
}

ResolveFlags::ResolveFlags(cl::SubCommand &command, Prefer preferByDefault)
    : jobs("j", cl::sub(command), cl::Prefix, cl::init(0), cl::value_desc("n"),
           cl::desc("Worker threads (default: all cores)")),
      noCache("no-cache", cl::sub(command),
              cl::desc("Neither read nor write the cache")),
      cacheDir("cache-dir", cl::sub(command), cl::value_desc("dir"),
               cl::desc("Cache directory (default: $TILEWRIGHT_CACHE_DIR, else "
                        "the user's cache)")),
      bitcode(command),
      triple("triple", cl::sub(command), cl::value_desc("triple"),
             cl::desc("Target triple (default: the names' architecture on this "
                      "machine's system)")),
      prefer("prefer", cl::sub(command), cl::init(preferByDefault),
             cl::desc(preferByDefault == Prefer::Generated
                          ? "Which body to take (default: generated)"
                          : "Which body to take (default: hand-written)"),
             cl::values(clEnumValN(Prefer::HandWritten, "hand-written",
                                   "the hand-written one where there is one"),
                        clEnumValN(Prefer::Generated, "generated",
                                   "always generate"))),
      tuneCpu(command), tuning(command) {}

Expected<ResolveOptions> ResolveFlags::get() const {
  ResolveOptions options;
  if (Error error = tuneCpu.get().moveInto(options.generate.tuneCpu))
    return std::move(error);
  if (Error error = tuning.read().moveInto(options.tuning))
    return std::move(error);
  options.core = options.generate.tuneCpu.empty() ? hostCoreName()
                                                  : options.generate.tuneCpu;
  options.jobs = jobs;
  options.useCache = !noCache;
  options.cacheDir = cacheDir;
  options.bitcodeDir = bitcode.dir;
  options.generate.triple = triple;
  options.preferHandWritten = prefer == Prefer::HandWritten;
  // A run that resolves several times still says once what is wrong.
  options.warn = [said = std::make_shared<StringSet<>>()](StringRef message) {
    if (said->insert(message).second)
      printWarning(message);
  };
  return options;
}

} // namespace tilewright
