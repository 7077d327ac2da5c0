// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an AMDGPU kernel on the host, checked, in several schedules.

#include "Arguments.h"
#include "tilewright/Emulator/Emulator.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/FatalErrors.h"
#include "tilewright/Support/Messages.h"
#include "tilewright/Support/OutputFiles.h"
#include "tilewright/Support/Supervise.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::emulator;

static cl::OptionCategory category("tw-emulate options");

static cl::opt<std::string>
    inputFile(cl::Positional, cl::Required,
              cl::desc("<bitcode, IR, or code object with bitcode in it>"),
              cl::cat(category));
static cl::opt<std::string> kernelName("kernel", cl::desc("The kernel to run"),
                                       cl::value_desc("name"),
                                       cl::cat(category));
static cl::opt<std::string> functionName(
    "function",
    cl::desc("Instead of a kernel: a device function, which every lane of one "
             "wave calls with the same arguments"),
    cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    gridText("grid", cl::desc("Workgroups: X, X,Y or X,Y,Z (default 1)"),
             cl::value_desc("dims"), cl::init("1"), cl::cat(category));
static cl::opt<std::string>
    blockText("block",
              cl::desc("Threads of a workgroup: X, X,Y or X,Y,Z (default: one "
                       "wave)"),
              cl::value_desc("dims"), cl::cat(category));
static cl::opt<std::string>
    gfx("gfx", cl::desc("The target (default: the one it was compiled for)"),
        cl::value_desc("gfx942"), cl::cat(category));
static cl::opt<unsigned>
    dynamicLds("dynamic-lds", cl::desc("Bytes of dynamic LDS (default 0)"),
               cl::value_desc("bytes"), cl::cat(category));
static cl::opt<unsigned> schedules(
    "schedules",
    cl::desc("How many schedules to run (default 3): in turn; one wave ahead "
             "with lanes reversed; then random ones. Results must be equal"),
    cl::value_desc("n"), cl::init(3), cl::cat(category));
static cl::opt<bool> asJson("json", cl::desc("Print a JSON report"),
                            cl::cat(category));
static cl::opt<bool> listOnly("list",
                              cl::desc("Print the kernels and the bytes of "
                                       "their arguments, and run nothing"),
                              cl::cat(category));

static constexpr char kOverview[] =
    R"(Runs an AMDGPU kernel without a GPU, and checks it

Compile a kernel to bitcode:
  clang -x hip --cuda-device-only -nogpulib -nogpuinc --offload-arch=gfx942 -O3 -g1 -emit-llvm -c k.hip -o k.bc
  clang -x c++ -target amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib -ffreestanding -O3 -g1 -emit-llvm -c k.cpp -o k.bc
and run it:
  tw-emulate k.bc --kernel scale --grid 4 --block 256 --args in:f32x1000:iota out:f32x1000:print f32:2.5 i32:1000

It reports accesses outside the buffers, to the byte, and outside LDS, reads of LDS that nobody wrote, races on LDS
between waves, matrix instructions and barriers that not all lanes reach, and deadlocks, with lanes and source lines.

--args ends the options: what follows are the kernel's arguments, in order, each at its natural alignment.
  TYPE:VALUE          a number; types are i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64
  in:TYPExCOUNT       a read-only buffer of zeros; its address is the argument
  out:TYPExCOUNT      a buffer that may be written (inout: is the same)
  bytes:HEX           a struct's bytes; also bytes:file=PATH
Buffers take options, each behind a colon:
  iota  random[=SEED]  all=VALUE  file=PATH   what is in it at first; random: whole numbers from -8 to 7, or 0 to 15
  print  to=PATH                              show it, write its bytes to a file
  expect=PATH  tolerance=NUMBER               compare with a file's bytes: an error if further apart
Exit code: 0 if every schedule ran and gave what was expected, 1 if not, 2 if nothing could be run.
)";

static Expected<Dim3> parseDims(StringRef name, StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  uint32_t dims[3] = {1, 1, 1};
  bool good = parts.size() <= 3;
  for (size_t i = 0; good && i < parts.size(); ++i)
    good = !parts[i].getAsInteger(10, dims[i]) && dims[i] > 0;
  if (!good)
    return createStringError(formatv("--{0}={1}: expected X, X,Y or X,Y,Z, all "
                                     "positive",
                                     name, text));
  return Dim3{dims[0], dims[1], dims[2]};
}

namespace {

struct ScheduleResult {
  double milliseconds = 0;
  LaunchStatistics statistics;
  std::string failure; ///< empty if it ran
  json::Object report;
};

json::Object reportOf(const EmulationError &error) {
  json::Array lanes, notes;
  for (unsigned lane : error.lanes)
    lanes.push_back(int64_t(lane));
  for (const std::string &note : error.notes)
    notes.push_back(json::fixUTF8(note));
  return json::Object{
      {"kind", faultKindName(error.kind)},
      {"what", json::fixUTF8(error.what)},
      {"function", json::fixUTF8(error.function)},
      {"location", json::fixUTF8(error.location)},
      {"instruction", json::fixUTF8(error.instruction)},
      {"workgroup",
       json::Array{error.workgroup[0], error.workgroup[1], error.workgroup[2]}},
      {"wave", int64_t(error.wave)},
      {"lanes", std::move(lanes)},
      {"notes", std::move(notes)}};
}

class Session {
public:
  Error prepare(ArrayRef<const char *> argumentTexts);
  /// False if anything is not as it should be.
  Expected<bool> run();
  Error list(raw_ostream &os);

private:
  Error addFiles();
  ScheduleResult runOnce(unsigned seed);
  Expected<bool> finishBuffers(json::Array &buffers);

  std::unique_ptr<MemoryBuffer> file;
  std::unique_ptr<Emulator> emulator;
  Arguments arguments;
  tilewright::OutputFiles outputs;
  Dim3 grid, block;
};

Error Session::prepare(ArrayRef<const char *> argumentTexts) {
  auto opened = MemoryBuffer::getFileOrSTDIN(inputFile);
  if (!opened)
    return createStringError("cannot read '" + inputFile +
                             "': " + opened.getError().message());
  file = std::move(*opened);
  EmulatorOptions options;
  options.gfx = gfx;
  ReadingInput reading(inputFile, "bitcode, IR, or a code object with bitcode "
                                  "in it");
  auto created = Emulator::create(file->getMemBufferRef(), options);
  if (!created) {
    // LLVM's own words know no file.
    std::string why = toString(created.takeError());
    bool named = StringRef(why).contains(inputFile);
    return createStringError(named ? why : "'" + inputFile + "': " + why);
  }
  emulator = std::move(*created);
  if (listOnly)
    return Error::success();

  if (kernelName.empty() == functionName.empty()) {
    std::vector<std::string> kernels = emulator->kernels();
    return createStringError("expected either --kernel or --function; kernels "
                             "are: " +
                             join(kernels, ", "));
  }
  auto parsed = parseArguments(argumentTexts);
  if (!parsed)
    return parsed.takeError();
  arguments = std::move(*parsed);
  if (Error failure = addFiles())
    return failure;
  auto wave =
      emulator->waveSize(kernelName.empty() ? functionName : kernelName);
  if (!wave)
    return wave.takeError();
  auto gridDims = parseDims("grid", gridText);
  if (!gridDims)
    return gridDims.takeError();
  auto blockDims =
      parseDims("block", blockText.empty() ? std::to_string(*wave) : blockText);
  if (!blockDims)
    return blockDims.takeError();
  grid = *gridDims;
  block = *blockDims;
  if (!kernelName.empty()) {
    auto bytes = emulator->kernargBytes(kernelName);
    if (!bytes)
      return bytes.takeError();
    if (arguments.segment().size() != *bytes)
      return createStringError(
          formatv("{0} arguments have {1} bytes, but those of {2} have {3}",
                  arguments.list.size(), arguments.segment().size(), kernelName,
                  *bytes));
  }
  for (BufferArgument &buffer : arguments.buffers)
    if (Error failure = emulator->addBuffer(
            buffer.data.data(), buffer.data.size(), buffer.access, buffer.name))
      return failure;
  return Error::success();
}

/// No file is written that is read, or written twice.
Error Session::addFiles() {
  std::vector<StringRef> read = {inputFile};
  for (const emulator::Argument &argument : arguments.list)
    read.push_back(argument.from);
  for (const BufferArgument &buffer : arguments.buffers) {
    read.push_back(buffer.from);
    read.push_back(buffer.expect);
  }
  for (StringRef path : read)
    if (!path.empty())
      if (Error failure = outputs.addInput(path))
        return failure;
  for (const BufferArgument &buffer : arguments.buffers)
    if (!buffer.to.empty())
      if (Error failure = outputs.add(buffer.to))
        return failure;
  return Error::success();
}

ScheduleResult Session::runOnce(unsigned seed) {
  ScheduleResult result;
  arguments.restore();
  LaunchOptions options;
  options.scheduleSeed = seed;
  options.dynamicLds = dynamicLds;
  auto start = std::chrono::steady_clock::now();
  Error failure = Error::success();
  if (!kernelName.empty()) {
    failure =
        emulator->launch(kernelName, grid, block, arguments.segment(), options);
  } else if (auto words = arguments.words()) {
    failure = emulator->callOnWave(functionName, *words, options);
  } else {
    failure = words.takeError();
  }
  result.milliseconds = std::chrono::duration<double, std::milli>(
                            std::chrono::steady_clock::now() - start)
                            .count();
  result.statistics = emulator->statistics();
  handleAllErrors(
      std::move(failure),
      [&](const EmulationError &error) {
        result.failure = error.message();
        result.report = reportOf(error);
      },
      [&](const ErrorInfoBase &error) {
        result.failure = error.message();
        result.report = json::Object{{"what", json::fixUTF8(error.message())}};
      });
  return result;
}

/// Prints, writes and compares what the last schedule left.
Expected<bool> Session::finishBuffers(json::Array &buffers) {
  bool good = true;
  for (const BufferArgument &buffer : arguments.buffers) {
    json::Object entry{{"name", buffer.name},
                       {"type", buffer.type->name},
                       {"count", int64_t(buffer.count())}};
    if (buffer.print) {
      json::Array values;
      std::string text;
      for (size_t i = 0; i < buffer.count(); ++i) {
        std::string value =
            printElement(*buffer.type, &buffer.data[i * buffer.type->bytes]);
        values.push_back(value);
        text += (i % 16 ? " " : i ? "\n  " : "  ") + value;
      }
      entry["values"] = std::move(values);
      if (!asJson)
        outs() << buffer.name << ":\n" << text << "\n";
    }
    if (!buffer.to.empty())
      if (Error failure = outputs.write(buffer.to, toStringRef(buffer.data)))
        return failure;
    if (!buffer.expect.empty()) {
      auto difference = compareWithExpected(buffer);
      if (!difference)
        return difference.takeError();
      entry["difference"] = *difference;
      if (!difference->empty()) {
        good = false;
        if (!asJson)
          errs() << buffer.name << ": " << *difference << "\n";
      }
    }
    buffers.push_back(std::move(entry));
  }
  return good;
}

Expected<bool> Session::run() {
  json::Array runs, buffers;
  std::vector<std::vector<uint8_t>> first;
  bool good = true;
  for (unsigned seed = 0; seed < schedules; ++seed) {
    ScheduleResult result = runOnce(seed);
    if (result.failure.empty()) {
      if (first.empty()) {
        for (const BufferArgument &buffer : arguments.buffers)
          first.push_back(buffer.data);
      }
      for (const auto &[buffer, before] : zip(arguments.buffers, first))
        if (buffer.data != before) {
          result.failure = buffer.name +
                           " depends on the schedule: it is another than in "
                           "the first";
          result.report = json::Object{{"what", result.failure}};
          break;
        }
    }
    bool ran = result.failure.empty();
    good &= ran;
    const LaunchStatistics &statistics = result.statistics;
    if (!asJson) {
      raw_ostream &os = ran ? outs() : errs();
      os << formatv("schedule {0}: ", seed);
      if (ran)
        os << formatv("right; {0} matrix instructions, {1} cross-lane "
                      "operations, {2} barriers, {3:f1} ms\n",
                      statistics.matrixInstructions,
                      statistics.crossLaneOperations, statistics.barriers,
                      result.milliseconds);
      else
        os << result.failure << "\n";
    }
    json::Object run{
        {"seed", int64_t(seed)},
        {"ok", ran},
        {"ms", result.milliseconds},
        {"matrix_instructions", int64_t(statistics.matrixInstructions)},
        {"cross_lane_operations", int64_t(statistics.crossLaneOperations)},
        {"barriers", int64_t(statistics.barriers)},
        {"workgroups", int64_t(statistics.workgroups)}};
    if (!ran)
      run["error"] = std::move(result.report);
    runs.push_back(std::move(run));
  }
  if (good) {
    auto finished = finishBuffers(buffers);
    if (!finished)
      return finished.takeError();
    good = *finished;
  }
  if (asJson)
    outs() << formatv(
        "{0:2}\n",
        json::Value(json::Object{
            {"target", emulator->target()},
            {"function", kernelName.empty() ? functionName : kernelName},
            {"ok", good},
            {"schedules", std::move(runs)},
            {"buffers", std::move(buffers)}}));
  // What was printed first: a report that is lost keeps the files from being
  // replaced.
  if (Error failure = tilewright::flushStandardOutput())
    return failure;
  if (Error failure = outputs.commit())
    return failure;
  return good;
}

Error Session::list(raw_ostream &os) {
  for (const std::string &kernel : emulator->kernels()) {
    auto bytes = emulator->kernargBytes(kernel);
    if (!bytes)
      return bytes.takeError();
    os << kernel << ": " << *bytes << " bytes of arguments, "
       << emulator->target() << "\n";
  }
  return Error::success();
}

} // namespace

int main(int argc, char **argv) {
  guardStandardStreams();
  supervise("tw-emulate", argc, argv);
  InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  installFatalErrorHandler("tw-emulate");
  int options = argc;
  for (int i = 1; i < argc; ++i)
    if (StringRef(argv[i]) == "--args" || StringRef(argv[i]) == "-args") {
      options = i;
      break;
    }
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(options, argv, kOverview);
  auto fail = [](Error failure) {
    errs() << "tw-emulate: "
           << escapeControls(toString(std::move(failure)), Lines::Several)
           << "\n";
    return 2;
  };
  Session session;
  WorkingOnInput working(inputFile, "running it");
  auto texts = ArrayRef<const char *>(argv, argc)
                   .drop_front(std::min(argc, options + 1));
  if (Error failure = session.prepare(texts))
    return fail(std::move(failure));
  if (listOnly) {
    Error failure = session.list(outs());
    if (Error either =
            joinErrors(std::move(failure), tilewright::flushStandardOutput()))
      return fail(std::move(either));
    return 0;
  }
  auto good = session.run();
  if (!good) {
    // What else was printed is lost with it, or arrives.
    consumeError(tilewright::flushStandardOutput());
    return fail(good.takeError());
  }
  return *good ? 0 : 1;
}
