// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/command_line.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "compiler/frontend/options.h"
#include "platform/loader/xclbin_layout.h"

namespace conclave::compiler {

const char kHelp[] =
    "usage: clocl [options] file...\n"
    "Compiles OpenCL C (.cl, .clc) and links it with objects, archives of them (.a) and C code\n"
    "(.c, or objects and archives of it) to a program binary. A file called *.out or *.xclbin is\n"
    "the output.\n"
    "\n"
    "  -o FILE            output; default: the first input's name with .out\n"
    "  -t, --txt          also a C header with the binary as an array: *.dsp_h\n"
    "  -l, --lib          compile only: an object (.obj), like clCompileProgram\n"
    "  --create-library   link to a library instead of a program, like clLinkProgram\n"
    "  -k, --keep         also LLVM IR (.ll) and assembly (.s)\n"
    "  -g, --debug        lines for debuggers\n"
    "  -v, --verbose      say what the vectorizer made of each kernel\n"
    "  -fopenmp           obey OpenMP's directives in C sources\n"
    "  --target-cpu=NAME  native (this CPU, the default), portable (any x86-64), or LLVM's name;\n"
    "                     NAME,NAME,...: one binary for all, of which the best is loaded\n"
    "  --emit=llvm|asm|obj|spir|spirv  optimised LLVM IR, assembly, an ELF object, the IR of the\n"
    "                     front end, or SPIR-V (with clang-15, llvm-spirv-15) instead of a binary\n"
    "  --cu KERNEL[:N]    make an xclbin, *.xclbin: N compute units for the kernel, KERNEL_1\n"
    "                     to KERNEL_N; again for other kernels\n"
    "  --layout FILE      make an xclbin with the compute units that a JSON file describes\n"
    "  --report[=json]    what the vectorizer made of each kernel instead of a binary\n"
    "  --time             the milliseconds of each phase, to standard error\n"
    "  --server           answer compile requests on file descriptor 3\n"
    "  --version, -h, --help  print and exit\n"
    "  anything else      an option of clBuildProgram (-D, -I, -cl-..., -w, -Werror)\n"
    "  -a, -b, -d, -s, -z and their long forms, and --export-syms=FILE, are TI's and change\n"
    "  nothing here\n"
    "\n"
    "Examples:\n"
    "  clocl add.cl                         add.out, for clCreateProgramWithBinary\n"
    "  clocl --report add.cl                what became vectors, and why the rest did not\n"
    "  clocl --target-cpu=haswell,skylake-avx512,portable -o add.out add.cl\n"
    "  clocl --cu add:2 add.cl              add.xclbin, with add_1 and add_2\n"
    "\n"
    "Exit status: 0; 1 where something does not compile, or cannot be written; 2 for wrong "
    "usage.\n";

namespace {

using Output = Extras::Output;

bool is_one_of(std::string_view word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Quoting keeps a word with blanks one word.
std::string quoted(std::string_view word) {
  std::string text = "\"";
  for (char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

void append(std::string& options, const std::string& option) {
  if (!options.empty()) options += ' ';
  options += option;
}

bool is_link_option(const std::string& option) {
  try {
    parse_options(option, protocol::Action::kLink);
    return true;
  } catch (const OptionError&) {
    return false;
  }
}

void add_build_option(CommandLine& line, const std::string& option) {
  append(line.build_options, option);
  if (is_link_option(option)) append(line.link_options, option);
}

Output output_kind(const std::string& name) {
  if (name == "llvm") return Output::kOptimizedIr;
  if (name == "asm") return Output::kAssembly;
  if (name == "obj") return Output::kObject;
  if (name == "spir") return Output::kFrontEndIr;
  if (name == "spirv") return Output::kSpirV;
  throw UsageError("unknown kind of output '" + name + "'");
}

std::string cpu_named(const std::string& name) {
  if (name == "native") return "";
  return name == "portable" ? "x86-64" : name;
}

// "vadd:2", "vadd"
void add_compute_units(CommandLine& line, const std::string& value) {
  const size_t colon = value.find(':');
  const std::string kernel = value.substr(0, colon);
  uint64_t count = 1;
  if (colon != std::string::npos) {
    const char* end = value.data() + value.size();
    const auto result = std::from_chars(value.data() + colon + 1, end, count);
    if (result.ec != std::errc() || result.ptr != end) count = 0;
  }
  if (kernel.empty() || count == 0 || count > XclbinLayout::kMaxComputeUnits)
    throw UsageError("--cu '" + value + "': expected KERNEL or KERNEL:N, N from 1 to " +
                     std::to_string(XclbinLayout::kMaxComputeUnits));
  for (const auto& [other, n] : line.layout.compute_units)
    if (other == kernel) throw UsageError("--cu: kernel '" + kernel + "' is named twice");
  line.layout.compute_units.emplace_back(kernel, count);
  line.makes_xclbin = true;
}

void set_layout(CommandLine& line, const std::string& path) {
  if (!line.layout.file.empty()) throw UsageError("--layout is given twice");
  line.layout.file = path;
  line.makes_xclbin = true;
}

std::vector<std::string> cpus_named(const std::string& list) {
  std::vector<std::string> cpus;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (end == at) throw UsageError("option '--target-cpu' lacks a name");
    cpus.push_back(cpu_named(list.substr(at, end - at)));
    at = end + 1;
  }
  return cpus;
}

std::string default_output(const CommandLine& line) {
  const std::string stem = stem_of(line.inputs.front());
  switch (line.kind) {
    case Output::kReport:
    case Output::kJsonReport:
      return "-";
    case Output::kBinary:
      if (line.makes_xclbin) return stem + ".xclbin";
      return stem + (line.compile_only || line.create_library ? ".obj" : ".out");
    case Output::kAssembly:
      return stem + ".s";
    case Output::kObject:
      return stem + ".o";
    case Output::kSpirV:
      return stem + ".spv";
    default:
      return stem + ".ll";
  }
}

// Options without a value that clBuildProgram does not know.
bool set_flag(CommandLine& line, const std::string& word) {
  if (is_one_of(word, {"-t", "--txt"}))
    line.write_header = true;
  else if (is_one_of(word, {"-l", "--lib"}))
    line.compile_only = true;
  else if (is_one_of(word, {"--create-library", "-create-library"}))
    line.create_library = true;
  else if (is_one_of(word, {"-k", "--keep"}))
    line.keep = true;
  else if (word == "--report")
    line.kind = Output::kReport;
  else if (word == "--report=json")
    line.kind = Output::kJsonReport;
  else if (is_one_of(word, {"-fopenmp", "--openmp"}))
    line.has_openmp = true;
  else if (word == "--time")
    line.show_times = true;
  else if (is_one_of(word, {"-g", "--debug"}))
    add_build_option(line, "-g");
  else if (is_one_of(word, {"-v", "--verbose"}))
    add_build_option(line, "-v");
  else if (word == "--enable-link-options")
    append(line.link_options, "-enable-link-options");
  else
    return is_one_of(word, {"-a", "--alias", "-b", "--builtin", "-d", "--tmpdir", "-s", "--symbols",
                            "-z", "--link"});
  return true;
}

// One that is called like an output is it, where no other is named.
void find_output(CommandLine& line) {
  const auto found = std::find_if(line.inputs.begin(), line.inputs.end(), [](const auto& path) {
    return path.ends_with(".out") || path.ends_with(".xclbin");
  });
  if (!line.output.empty() || found == line.inputs.end()) return;
  line.output = *found;
  line.inputs.erase(found);
}

void check_output(const CommandLine& line) {
  struct stat output, input;
  if (stat(line.output.c_str(), &output) != 0) return;
  for (const std::string& path : line.inputs)
    if (stat(path.c_str(), &input) == 0 && input.st_ino == output.st_ino &&
        input.st_dev == output.st_dev)
      throw UsageError("'" + path + "' is both input and output");
}

void check_spirv(const CommandLine& line) {
  if (line.compile_only || line.create_library)
    throw UsageError("--emit=spirv excludes --lib and --create-library");
  for (const std::string& path : line.inputs)
    if (!is_source(path))
      throw UsageError("--emit=spirv takes sources (.cl, .clc) alone, '" + path + "' is none");
  // Its translator makes no valid debug information, and what is about this compiler's code has no
  // place there.
  for (const std::string& option : split_options(line.build_options))
    if (option == "-g" || option.starts_with("-cl-conclave-"))
      throw UsageError("option '" + option + "' is not possible with --emit=spirv");
}

void check(const CommandLine& line) {
  if (line.inputs.empty()) throw UsageError("no input file");
  if (line.makes_xclbin) {
    if (!line.layout.file.empty() && !line.layout.compute_units.empty())
      throw UsageError("--layout and --cu exclude each other");
    if (line.compile_only || line.create_library || line.kind != Output::kBinary)
      throw UsageError("an xclbin is made of a linked program alone");
  }
  if (line.target_cpus.size() > 1 &&
      (line.kind != Output::kBinary || line.keep || line.compile_only || line.create_library))
    throw UsageError("only a program binary can be for several CPUs");
  if (line.kind == Output::kSpirV) check_spirv(line);
  if (!line.compile_only) return;
  if (line.create_library) throw UsageError("--lib and --create-library exclude each other");
  if (line.inputs.size() > 1 || !is_source(line.inputs.front()))
    throw UsageError("--lib takes one source");
}

}  // namespace

protocol::Action CommandLine::action() const {
  if (compile_only) return protocol::Action::kCompile;
  const bool is_one_source = inputs.size() == 1 && is_source(inputs.front());
  return is_one_source && !create_library ? protocol::Action::kBuild : protocol::Action::kLink;
}

std::string CommandLine::beside(const std::string& suffix) const {
  const std::string& main = output == "-" ? inputs.front() : output;
  const size_t folder = main.find_last_of('/');
  return (folder == std::string::npos ? "" : main.substr(0, folder + 1)) + stem_of(main) + suffix;
}

bool is_c_source(const std::string& path) {
  return path.ends_with(".c");
}

bool is_source(const std::string& path) {
  return path.ends_with(".cl") || path.ends_with(".clc");
}

std::string stem_of(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return name.substr(0, name.find_last_of('.'));
}

CommandLine parse_command_line(const std::vector<std::string>& words) {
  CommandLine line;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&] {
      if (i + 1 == words.size()) throw UsageError("option '" + word + "' needs a value");
      return words[++i];
    };
    if (word == "-o")
      line.output = value();
    else if (word == "-D" || word == "-I")
      add_build_option(line, word + " " + quoted(value()));
    else if (word == "--cu")
      add_compute_units(line, value());
    else if (word.starts_with("--cu="))
      add_compute_units(line, word.substr(word.find('=') + 1));
    else if (word == "--layout")
      set_layout(line, value());
    else if (word.starts_with("--layout="))
      set_layout(line, word.substr(word.find('=') + 1));
    else if (word.starts_with("--tune="))
      add_build_option(line, quoted("-cl-conclave-tune=" + word.substr(word.find('=') + 1)));
    else if (word.starts_with("--target-cpu="))
      line.target_cpus = cpus_named(word.substr(word.find('=') + 1));
    else if (word == "--target-cpu")
      line.target_cpus = cpus_named(value());
    else if (word.starts_with("--emit="))
      line.kind = output_kind(word.substr(word.find('=') + 1));
    else if (word == "--emit")
      line.kind = output_kind(value());
    else if (word == "--export-syms")
      value();
    else if (word.starts_with("--export-syms=") || set_flag(line, word))
      continue;
    else if (word.starts_with("-"))
      add_build_option(line, quoted(word));
    else
      line.inputs.push_back(word);
  }
  find_output(line);
  if (line.output.ends_with(".xclbin")) line.makes_xclbin = true;
  if (line.target_cpus.empty()) line.target_cpus.emplace_back();
  check(line);
  if (line.create_library) append(line.link_options, "-create-library");
  if (line.makes_xclbin) {
    append(line.build_options, "-cl-conclave-streams");
    append(line.link_options, "-cl-conclave-streams");
  }
  if (line.output.empty()) line.output = default_output(line);
  check_output(line);
  return line;
}

}  // namespace conclave::compiler
