// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright compile: a model in MLIR -> what a C program links.

#include "Commands.h"
#include "ToolSupport.h"

#include "tilewright/Compile/BuildModel.h"
#include "tilewright/Compile/FollowShapes.h"
#include "tilewright/Support/Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

cl::SubCommand compileOptions("compile",
                              "Compile a model that calls tile functions");

enum class ReportFormat { None, Text, Json, Html };

cl::opt<std::string> input(cl::Positional, cl::sub(compileOptions),
                           cl::desc("<model.mlir>"), cl::Required);
cl::opt<std::string> output("o", cl::sub(compileOptions),
                            cl::value_desc("path"),
                            cl::desc("Output file: .a, .o, .so, .bc, or no "
                                     "extension for an executable; with "
                                     "--emit, any (default: standard output)"));
cl::list<std::string>
    targets("target", cl::sub(compileOptions), cl::value_desc("target"),
            cl::desc("An instruction set, as in tile names: x86_64_avx2_fma, "
                     "arm_64_i8mm; or an architecture with a CPU and features "
                     "by LLVM's names: x86_64:znver4, arm_64:neoverse-n1, "
                     "arm_64:fp16fml+i8mm (default: host, this CPU). A GPU, "
                     "amdgpu:gfx942, computes instead, launched by the CPU; "
                     "give both to say which CPU that is"));
cl::list<std::string> devices(
    "device", cl::sub(compileOptions), cl::value_desc("name=target"),
    cl::desc(
        "The same, with a name, which functions and operations have as "
        "tw.device that run there. Any number of CPUs of one "
        "architecture, the first of which is the host; any number of GPUs; "
        "and none, the host without data tiling"));
cl::list<std::string> others(
    "also", cl::sub(compileOptions), cl::value_desc("path=target"),
    cl::desc(
        "One more output of the same kind and with the same functions, for "
        "another target; may be given several times. With "
        "--parameters-out all of them read the one file"));
cl::list<std::string> parameterPaths(
    "parameters", cl::sub(compileOptions), cl::value_desc("path"),
    cl::desc("A safetensors file with values of the model's parameters; may be "
             "given several times"));
cl::opt<std::string> parametersOut(
    "parameters-out", cl::sub(compileOptions), cl::value_desc("path"),
    cl::desc("Write large constants, packed, into this file (.twp), which the "
             "program maps, and not into the model"));
cl::opt<bool> runOnce(
    "run-once", cl::sub(compileOptions), cl::init(true),
    cl::desc("Of a model with instances, compute what depends on parameters "
             "alone when an instance is made, and keep it (default). "
             "--run-once=false: in each call, which takes less memory"));
cl::opt<std::string> headerPath("emit-header", cl::sub(compileOptions),
                                cl::value_desc("path"),
                                cl::desc("Write a C header too"));
cl::opt<std::string>
    compiler("cc", cl::sub(compileOptions), cl::value_desc("command"),
             cl::desc("The C compiler of the target that makes executables "
                      "(default: cc)"));
cl::opt<ModelStage> stage(
    "emit", cl::sub(compileOptions), cl::init(ModelStage::Object),
    cl::desc("Stop earlier and write, without the tiles:"),
    cl::values(
        clEnumValN(ModelStage::Model, "linalg", "entry points, on tensors"),
        clEnumValN(ModelStage::Encoded, "encoded", "on encoded tensors"),
        clEnumValN(ModelStage::Packed, "packed", "packed for tiles"),
        clEnumValN(ModelStage::Dispatches, "dispatches", "outlined"),
        clEnumValN(ModelStage::Buffers, "buffers", "on buffers"),
        clEnumValN(ModelStage::Calls, "calls", "loops and calls of tiles"),
        clEnumValN(ModelStage::LLVM, "llvm-dialect", "the LLVM dialect"),
        clEnumValN(ModelStage::CodeObject, "hsaco", "a GPU's code object"),
        clEnumValN(ModelStage::LLVMIR, "llvm", "optimised LLVM IR"),
        clEnumValN(ModelStage::Asm, "asm", "assembly"),
        clEnumValN(ModelStage::Bitcode, "bitcode", "optimised bitcode"),
        clEnumValN(ModelStage::Object, "obj", "an object file")));
cl::opt<bool> inlineTiles("inline", cl::sub(compileOptions),
                          cl::desc("Inline tiles into the model (not .a)"));
cl::opt<DataTiling> dataTiling(
    "data-tiling", cl::sub(compileOptions), cl::init(DataTiling::Late),
    cl::desc("When to decide how operands of multiplications lie"),
    cl::values(clEnumValN(DataTiling::Late, "late",
                          "when it is known what is done together (default)"),
               clEnumValN(DataTiling::Early, "early", "before"),
               clEnumValN(DataTiling::None, "none",
                          "never: they lie as they come, no tile is called"),
               clEnumValN(DataTiling::Unset, "unset",
                          "as none, but no operand says what it is for")));
cl::list<std::string> packed(
    "packed", cl::sub(compileOptions), cl::value_desc("function:argument"),
    cl::desc("C hands this argument over packed, a number or a name, as the "
             "function <id>_pack of the header writes it; with =<id> behind "
             "it, arguments of one id lie alike (default: "
             "<function>_<argument>). May be given several times"));
cl::opt<unsigned> threads(
    "threads", cl::sub(compileOptions), cl::init(1), cl::value_desc("n"),
    cl::desc("Let calls use up to n threads, by a tw_parallel_for_t that "
             "functions take last (default: the calling thread alone)"));
cl::opt<bool>
    reference("reference", cl::sub(compileOptions),
              cl::desc("Plain loops, no tiles: slow, for comparison"));
cl::opt<std::string> prefix("prefix", cl::sub(compileOptions),
                            cl::init(std::string(kDefaultPrefix)),
                            cl::value_desc("prefix"),
                            cl::desc("Prefix of the tile names"));
cl::opt<ReportFormat> reportFormat(
    "report", cl::sub(compileOptions), cl::init(ReportFormat::None),
    cl::desc("Print tiles, dispatches, relayouts and the rule that left each, "
             "packed constants and the time of each step"),
    cl::values(clEnumValN(ReportFormat::Text, "text", "as a table"),
               clEnumValN(ReportFormat::Json, "json", "as JSON"),
               clEnumValN(ReportFormat::Html, "html",
                          "as one page for a browser")));
cl::opt<bool>
    timing("timing", cl::sub(compileOptions),
           cl::desc("Print the time of each pass, to standard error"));
cl::opt<std::string>
    dumpDir("dump-dir", cl::sub(compileOptions), cl::value_desc("directory"),
            cl::desc("Write what there is after each step into this directory, "
                     "also of a compilation that fails"));
ResolveFlags resolveFlags(compileOptions, Prefer::HandWritten);

const char compileHelp[] = R"(
A model is a module of functions on tensors, of structured linalg operations,
arith and math. Its matrix multiplications are packed for tile functions of the
target, constants at compile time; its public functions become C functions of
pointers and sizes. docs/compile.md says what is accepted and how to call it.

  .a       the model's object and one object per tile
  .o, .bc  model and tiles in one module
  .so      the same as a shared library, without a linker of the system
  none     the same as an executable, with a runner for files of numpy

Examples:
  tilewright compile model.mlir -o model.a --emit-header=model.h --report=text
  tilewright compile model.mlir -o model.o --inline --target=x86_64_avx2_fma
  tilewright compile model.mlir -o model.a --target=arm_64:neoverse-n1
  tilewright compile model.mlir -o model.a --target=amdgpu:gfx942
  tilewright compile model.mlir -o model.a --device a=host --device b=x86_64_avx2_fma
  tilewright compile model.mlir -o model.a --target=x86_64:znver4 --also arm.a=arm_64:neoverse-n1 --parameters=model.safetensors --parameters-out=model.twp
  tilewright compile model.mlir -o model && ./model --help
  tilewright compile model.mlir --emit=packed
)";

/// What `--target` or `--device` name.
Error readDevices(ModelOptions &options) {
  std::vector<std::string> unnamed(targets.begin(), targets.end()),
      named(devices.begin(), devices.end());
  Expected<std::vector<ModelDevice>> all = modelDevices(unnamed, named);
  if (!all)
    return all.takeError();
  options.devices = std::move(*all);
  if (targets.size() < 2)
    return Error::success();
  std::string note = "each --target is a device:";
  for (const ModelDevice &device : options.devices)
    note += " --device " + device.name + "=" + device.target;
  printNote(note + " says the same; tw.device of functions and operations is "
                   "the name of the one that they run on");
  return Error::success();
}

Expected<ModelOutput> outputKind(StringRef output) {
  struct Kind {
    StringRef extension;
    ModelOutput output;
  };
  const Kind kinds[] = {{".a", ModelOutput::Archive},
                        {".o", ModelOutput::Object},
                        {".bc", ModelOutput::Bitcode},
                        {".so", ModelOutput::SharedLibrary},
                        {"", ModelOutput::Executable}};
  StringRef extension = sys::path::extension(output);
  if (output.empty())
    return createStringError("give an output file with -o, or a stage with "
                             "--emit");
  for (const Kind &kind : kinds)
    if (extension == kind.extension && output != "-")
      return kind.output;
  return createStringError("cannot tell what to write to '" + output +
                           "'; its name must end in .a, .o, .so or .bc, or "
                           "have no extension, for an executable");
}

/// The one of -o and --device, and those of --also.
Expected<std::vector<ProgramOptions>>
programsOf(const std::vector<ModelDevice> &devices) {
  std::vector<ProgramOptions> programs;
  auto add = [&](StringRef path, const std::vector<ModelDevice> &its) -> Error {
    Expected<ModelOutput> kind = outputKind(path);
    if (!kind)
      return kind.takeError();
    programs.push_back({path.str(), *kind, its});
    return Error::success();
  };
  if (Error error = add(output, devices))
    return std::move(error);
  for (StringRef other : others) {
    auto [path, target] = other.split('=');
    if (path.empty() || target.empty())
      return createStringError("--also '" + other +
                               "' is not <path>=<target>, as in "
                               "arm.a=arm_64:neoverse-n1");
    Expected<std::vector<ModelDevice>> its = modelDevices({target.str()}, {});
    if (!its)
      return its.takeError();
    if (Error error = add(path, *its))
      return std::move(error);
  }
  if (programs.size() > 1 && !dumpDir.empty())
    return createStringError("--dump-dir is for one program, and --also names "
                             "another");
  return programs;
}

/// What the types and functions of instances are called after: the output.
std::string instanceName() {
  std::string name;
  for (char c : sys::path::stem(output))
    name += isAlnum(c) ? c : '_';
  if (name.empty())
    return "model";
  if (isDigit(name[0]))
    name.insert(0, "model_");
  return name;
}

/// A matrix multiplication that became loops is slow: said without being asked.
void warnOf(const CompiledModel &model) {
  for (const std::string &remark : model.remarks)
    printWarning(remark);
}

/// In JSON several are an array.
std::string asText(ArrayRef<BuildReport> reports, ReportFormat format) {
  std::string text;
  raw_string_ostream os(text);
  if (format == ReportFormat::Html) {
    printBuildReportsAsHtml(reports, os);
    return text;
  }
  bool isArray = format == ReportFormat::Json && reports.size() > 1;
  if (isArray)
    os << "[\n";
  for (const BuildReport &report : reports) {
    if (format == ReportFormat::Json) {
      printBuildReportAsJson(report, os);
      os << (isArray && &report != &reports.back() ? ",\n" : "");
      continue;
    }
    if (reports.size() > 1)
      os << (&report == &reports.front() ? "" : "\n") << report.path << '\n';
    printBuildReportAsText(report, os);
  }
  if (isArray)
    os << "]\n";
  return text;
}

/// --emit: one stage of the model alone.
Error writeStage(MemoryBufferRef source, const ModelOptions &options,
                 OutputFiles &outputs) {
  if (!headerPath.empty() || reportFormat != ReportFormat::None ||
      inlineTiles || !parametersOut.empty() || !others.empty())
    return createStringError("--emit writes a stage of the model alone; it "
                             "does not go with --emit-header, --report, "
                             "--inline, --parameters-out or --also");
  std::string path = output.empty() ? "-" : output.getValue();
  if (Error error = outputs.add(path))
    return error;
  Expected<CompiledModel> model = compileModel(source, stage, options);
  if (!model)
    return model.takeError();
  warnOf(*model);
  if (Error error = outputs.write(
          path, StringRef(model->bytes.data(), model->bytes.size())))
    return error;
  return outputs.commit();
}

/// Each step's file by itself: those before a step that fails are there.
Error dump(StringRef directory, StringRef file, StringRef text,
           ArrayRef<std::string> inputs, ArrayRef<std::string> outputPaths) {
  OutputFiles files;
  if (Error error = addInputs(files, inputs))
    return error;
  for (const std::string &other : outputPaths)
    if (!other.empty() && other != "-")
      if (Error error = files.addInput(other))
        return error;
  if (Error error = files.addDirectory(directory))
    return error;
  SmallString<128> path{directory};
  sys::path::append(path, file);
  if (Error error = files.write(path, text))
    return error;
  return files.commit();
}

/// Mapped rather than read where it is a file, as most of it may be constants.
Expected<std::unique_ptr<MemoryBuffer>> readModel() {
  auto read = [](bool terminated) {
    return MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/false, terminated);
  };
  ErrorOr<std::unique_ptr<MemoryBuffer>> source = read(/*terminated=*/false);
  // Text needs a zero byte behind it, which only a mapped file may lack.
  if (source && (*source)->getBufferKind() == MemoryBuffer::MemoryBuffer_MMap &&
      !isModelBytecode(**source))
    source = read(/*terminated=*/true);
  if (!source)
    return createFileError(input, source.getError());
  return std::move(*source);
}

/// More would only make workspaces large.
constexpr unsigned kMostThreads = 1024;

Error checkThreads() {
  if (!threads.getNumOccurrences() || (threads > 1 && threads <= kMostThreads))
    return Error::success();
  return createStringError(
      "--threads=" + Twine(threads.getValue()) + " is not from 2 to " +
      Twine(kMostThreads) +
      "; without --threads a model computes in the thread that calls it");
}

Error runCompile() {
  if (Error error = checkThreads())
    return error;
  Progress progress("reading the model");
  BuildOptions options;
  if (Error error = readDevices(options.model))
    return error;
  Expected<std::unique_ptr<MemoryBuffer>> source = readModel();
  if (!source)
    return source.takeError();
  progress.phase("compiling the model");
  options.model.prefix = prefix;
  options.model.instance = instanceName();
  options.model.reference = reference;
  options.model.runOnce = runOnce;
  options.model.dataTiling = dataTiling;
  options.model.packed = packed;
  options.model.threads = threads;
  options.model.timing = timing;
  options.model.triple = resolveFlags.triple;
  auto parameters = std::make_shared<SafeTensors>();
  for (const std::string &path : parameterPaths)
    if (Error error = parameters->add(path))
      return error;
  options.model.parameters = parameters;
  if (Error error = resolveFlags.get().moveInto(options.resolve))
    return error;
  options.model.preferHandWritten = options.resolve.preferHandWritten;
  options.model.bitcodeDir = options.resolve.bitcodeDir;
  options.model.tune = followShapes(options.resolve, options.model.devices);
  if (stage == ModelStage::CodeObject && !options.model.hasGpu())
    return createStringError(
        "--emit=hsaco needs a GPU: --target=amdgpu:gfx942");
  OutputFiles outputs;
  std::vector<std::string> inputs = {input};
  llvm::append_range(inputs, parameterPaths);
  llvm::append_range(inputs, resolveFlags.tuning.files());
  if (Error error = addInputs(outputs, inputs))
    return error;
  if (!dumpDir.empty())
    options.model.dump =
        [inputs, directory = dumpDir.getValue(),
         paths = std::vector<std::string>{output, headerPath, parametersOut}](
            StringRef file, StringRef text) {
          return dump(directory, file, text, inputs, paths);
        };
  if (stage.getNumOccurrences())
    return writeStage((*source)->getMemBufferRef(), options.model, outputs);

  Expected<std::vector<ProgramOptions>> programs =
      programsOf(options.model.devices);
  if (!programs)
    return programs.takeError();
  options.inlineTiles = inlineTiles;
  options.compiler = compiler;
  options.headerPath = headerPath;
  options.resolve.progress = [&](size_t done, size_t total) {
    if (done < total)
      progress.update("resolving tiles", done, total);
    else
      progress.phase("linking");
  };
  options.parametersPath = parametersOut;
  options.model.parametersInFile = !parametersOut.empty();
  for (const ProgramOptions &program : *programs) {
    if (Error error = outputs.add(program.path))
      return error;
    if (program.output == ModelOutput::Executable)
      outputs.makeExecutable(program.path);
  }
  if (!options.headerPath.empty())
    if (Error error = outputs.add(options.headerPath))
      return error;
  if (!options.parametersPath.empty())
    if (Error error = outputs.add(options.parametersPath))
      return error;
  if (reportFormat != ReportFormat::None)
    if (Error error = outputs.add("-"))
      return error;
  Expected<std::vector<BuildReport>> reports =
      buildModel((*source)->getMemBufferRef(), *programs, options, outputs);
  if (!reports)
    return reports.takeError();
  for (const BuildReport &report : *reports)
    warnOf(report.model);
  if (reportFormat != ReportFormat::None)
    if (Error error = outputs.write("-", asText(*reports, reportFormat)))
      return error;
  return outputs.commit();
}

} // namespace

const Command compileCommand = {&compileOptions, compileHelp, runCompile};

} // namespace tilewright
