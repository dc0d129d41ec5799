// SPDX-License-Identifier: Apache-2.0
// clocl: the compiler at the command line, and with --server the one behind clBuildProgram.
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/pipeline.h"
#include "compiler/server.h"
#include "compiler/version.h"

namespace conclave::compiler {
namespace {

constexpr char kHelp[] =
    "usage: clocl [options] file.cl\n"
    "Compiles OpenCL C to a program binary.\n"
    "\n"
    "  -o FILE            output; default: the source's name with .out\n"
    "  --cpu=NAME         LLVM's name of the target CPU; default: this CPU\n"
    "  --emit=llvm|asm|spir  optimised LLVM IR, assembly or the front end's IR instead of a "
    "binary\n"
    "  --compile          an object for linking, like clCompileProgram\n"
    "  --report[=json]    print what the vectorizer made of each kernel instead of a binary\n"
    "  --time             print the milliseconds of each phase to stderr\n"
    "  --server           answer compile requests on file descriptor 3\n"
    "  --version, -h      print and exit\n"
    "  anything else      an option of clBuildProgram (-D, -I, -cl-..., -g, -w, -Werror)\n";

struct CommandLine {
  std::string source_path;
  std::string output_path;
  protocol::Request request;
  Extras extras;
  bool show_times = false;
};

[[noreturn]] void usage_error(const std::string& text) {
  std::fprintf(stderr, "clocl: error: %s\nclocl: try 'clocl -h'\n", text.c_str());
  std::exit(2);
}

// Options travel as one text; quoting keeps a word with blanks one word.
void add_build_option(std::string& options, std::string_view word) {
  if (!options.empty()) options += ' ';
  options += '"';
  for (char c : word) {
    if (c == '"' || c == '\\') options += '\\';
    options += c;
  }
  options += '"';
}

void set_output_kind(CommandLine& line, std::string_view kind) {
  using Output = Extras::Output;
  if (kind == "llvm")
    line.extras.output = Output::kOptimizedIr;
  else if (kind == "asm")
    line.extras.output = Output::kAssembly;
  else if (kind == "spir")
    line.extras.output = Output::kFrontEndIr;
  else
    usage_error("unknown kind of output '" + std::string(kind) + "'");
}

std::string default_output(const std::string& source, Extras::Output output) {
  if (output == Extras::Output::kReport || output == Extras::Output::kJsonReport) return "-";
  size_t folder = source.find_last_of('/');
  std::string name = folder == std::string::npos ? source : source.substr(folder + 1);
  name = name.substr(0, name.find_last_of('.'));
  switch (output) {
    case Extras::Output::kImage:
      return name + ".out";
    case Extras::Output::kAssembly:
      return name + ".s";
    default:
      return name + ".ll";
  }
}

CommandLine parse(const std::vector<std::string>& words) {
  CommandLine line;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    auto value = [&] {
      if (i + 1 == words.size()) usage_error("option '" + word + "' needs a value");
      return words[++i];
    };
    if (word == "-o") {
      line.output_path = value();
    } else if (word == "-D" || word == "-I") {
      add_build_option(line.request.options, word);
      add_build_option(line.request.options, value());
    } else if (word.starts_with("--cpu=")) {
      line.request.target_cpu = word.substr(6);
    } else if (word.starts_with("--emit=")) {
      set_output_kind(line, std::string_view(word).substr(7));
    } else if (word == "--report" || word == "--report=json") {
      line.extras.output =
          word == "--report" ? Extras::Output::kReport : Extras::Output::kJsonReport;
    } else if (word == "--compile") {
      line.request.action = protocol::Action::kCompile;
    } else if (word == "--time") {
      line.show_times = true;
    } else if (word.starts_with("-")) {
      add_build_option(line.request.options, word);
    } else if (line.source_path.empty()) {
      line.source_path = word;
    } else {
      usage_error("more than one source: '" + line.source_path + "' and '" + word + "'");
    }
  }
  if (line.source_path.empty()) usage_error("no source file");
  if (line.output_path.empty())
    line.output_path = default_output(line.source_path, line.extras.output);
  return line;
}

bool read_file(const std::string& path, std::string& text) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (!file || !(content << file.rdbuf())) return false;
  text = content.str();
  return true;
}

bool write_file(const std::string& path, const std::string& content) {
  if (path == "-")
    return static_cast<bool>(
        std::cout.write(content.data(), static_cast<std::streamsize>(content.size())));
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  return static_cast<bool>(file.flush());
}

int compile_file(CommandLine& line) {
  if (!read_file(line.source_path, line.request.source))
    usage_error("cannot read '" + line.source_path + "'");
  line.extras.source_name = line.source_path;
  protocol::Response response = process(line.request, line.extras);
  std::cerr << response.log;
  if (line.show_times)
    for (const auto& [phase, milliseconds] : line.extras.times.phases())
      std::fprintf(stderr, "%-14s %8.2f ms\n", phase.c_str(), milliseconds);
  if (response.status != protocol::Status::kSuccess) return 1;
  if (!write_file(line.output_path, response.image)) {
    std::fprintf(stderr, "clocl: error: cannot write '%s'\n", line.output_path.c_str());
    return 1;
  }
  return 0;
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) usage_error("no source file");
  if (words[0] == "--server") return serve();
  for (const std::string& word : words) {
    if (word == "-h" || word == "--help") return std::fputs(kHelp, stdout) < 0;
    if (word == "--version") return std::printf("clocl: %s\n", compiler_version().c_str()) < 0;
  }
  CommandLine line = parse(words);
  return compile_file(line);
}

}  // namespace
}  // namespace conclave::compiler

int main(int argc, char** argv) {
  return conclave::compiler::run(std::vector<std::string>(argv + 1, argv + argc));
}
