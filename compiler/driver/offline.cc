// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/offline.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <utility>

#include "compiler/base/build_limits.h"
#include "compiler/base/error.h"
#include "compiler/binary/binary_file.h"
#include "compiler/binary/fat_binary.h"
#include "compiler/binary/program_header.h"
#include "compiler/driver/environment_limits.h"
#include "compiler/frontend/make_spirv.h"
#include "compiler/native/c_source.h"
#include "compiler/native/native_code.h"

namespace conclave::compiler {
namespace {

using Output = Extras::Output;
using protocol::Action;
using protocol::Request;
using protocol::Response;

// Diagnostics were printed.
struct Failed {};

// An option that is not right, of those that clBuildProgram knows; `log` is what that would say.
UsageError option_error(std::string_view log) {
  if (log.starts_with("error: ")) log.remove_prefix(strlen("error: "));
  return UsageError(std::string(log.substr(0, log.find_last_not_of('\n') + 1)));
}

std::string read_file(const std::string& path) {
  struct stat status;
  const bool is_folder = stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (is_folder) errno = EISDIR;
  if (is_folder || !file) throw UsageError("cannot read '" + path + "': " + strerror(errno));
  return content.str();
}

void write_file(const std::string& path, const std::string& content) {
  const auto size = static_cast<std::streamsize>(content.size());
  errno = 0;
  if (path == "-") {
    if (std::cout.write(content.data(), size).flush()) return;
  } else {
    std::ofstream file(path, std::ios::binary);
    if (file.write(content.data(), size).flush()) return;
  }
  std::fprintf(stderr, "clocl: error: cannot write '%s': %s\n", path.c_str(), strerror(errno));
  // Who finds a part of the file would take it for the whole.
  std::error_code none;
  if (path != "-" && std::filesystem::is_regular_file(path, none))
    std::filesystem::remove(path, none);
  throw Failed();
}

// An object's place in the command line, for messages, and its bytes.
struct Object {
  std::string name;
  std::string binary;
};

std::vector<NativeObject> members_of(const std::string& path, const std::string& file) {
  try {
    return read_archive(path, file);
  } catch (const BuildError& error) {
    throw UsageError(std::string("archive ") + error.what());
  }
}

// Runs in a process of its own, which prints what the task throws.
class ForkedTask {
 public:
  template <class Function>
  explicit ForkedTask(const Function& function) {
    int ends[2];
    if (pipe(ends) != 0) throw BuildError("no pipe for another process");
    std::cout.flush();
    child_ = fork();
    if (child_ < 0) throw BuildError("no process for another CPU");
    if (child_ == 0) {
      close(ends[0]);
      _exit(run(function, ends[1]));
    }
    close(ends[1]);
    output_ = ends[0];
  }
  ForkedTask(ForkedTask&& other) noexcept
      : child_(std::exchange(other.child_, -1)), output_(std::exchange(other.output_, -1)) {}
  ~ForkedTask() { result(); }

  // Nothing where it failed.
  std::optional<std::string> result() {
    if (output_ < 0) return std::nullopt;
    std::string text;
    char buffer[1 << 16];
    for (ssize_t got; (got = read(output_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<size_t>(got));
    close(std::exchange(output_, -1));
    int status = 0;
    waitpid(child_, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    return text;
  }

 private:
  template <class Function>
  static int run(const Function& function, int output) {
    try {
      std::string_view text;
      const std::string result = function();
      for (text = result; !text.empty();) {
        const ssize_t written = write(output, text.data(), text.size());
        if (written < 0) return 1;
        text.remove_prefix(static_cast<size_t>(written));
      }
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "clocl: error: %s\n", error.what());
    } catch (const Failed&) {
    }
    return 1;
  }

  pid_t child_ = -1;
  int output_ = -1;
};

class Job {
 public:
  explicit Job(const CommandLine& line) : line_(line), is_watched_(isatty(STDERR_FILENO)) {}

  void run() {
    std::string result =
        line_.target_cpus.size() > 1 ? make_for_all() : make_for(line_.target_cpus.front());
    if (line_.makes_xclbin) result = xclbin(result);
    write_file(line_.output, result);
    if (line_.write_header)
      write_file(line_.beside(".dsp_h"), program_header(stem_of(line_.output), result));
  }

 private:
  std::string make_for(const std::string& cpu) {
    target_cpu_ = cpu;
    if (line_.action() == Action::kLink) read_objects();
    // Before the binary: linking it leaves nothing that could be compiled again.
    if (line_.keep) {
      write_file(line_.beside(".ll"), make(Output::kOptimizedIr));
      write_file(line_.beside(".s"), make(Output::kAssembly));
    }
    return line_.kind == Output::kSpirV ? spirv() : make(line_.kind);
  }

  // Side by side, in a process for each: linking can be done once a process.
  std::string make_for_all() {
    const SharedMemoryLimit limit(line_.target_cpus.size());
    std::vector<ForkedTask> tasks;
    for (const std::string& cpu : line_.target_cpus)
      tasks.emplace_back([&] { return make_for(cpu); });
    std::vector<std::string> binaries;
    for (ForkedTask& task : tasks)
      if (auto binary = task.result()) binaries.push_back(std::move(*binary));
    if (binaries.size() != tasks.size()) throw Failed();
    return join_binaries(std::move(binaries));
  }

  // All inputs as objects.
  void read_objects() {
    for (const std::string& path : line_.inputs) {
      const std::string file = read_file(path);
      if (is_source(path))
        objects_.push_back({path, compile(path, file, Action::kCompile, Output::kBinary)});
      else if (is_c_source(path))
        native_.push_back({path + ".o", compile_c_source(path)});
      else if (is_archive(file) || path.ends_with(".a"))
        for (NativeObject& member : members_of(path, file))
          add_object(std::move(member.name), std::move(member.code));
      else
        add_object(path, file);
    }
    if (objects_.empty()) throw UsageError("there is no OpenCL C among the inputs");
  }

  void add_object(std::string name, std::string content) {
    if (is_native_object(content)) {
      native_.push_back({std::move(name), std::move(content)});
      return;
    }
    try {
      read_binary(content);
    } catch (const BinaryError& error) {
      throw UsageError("'" + name + "' is neither source (.cl, .clc, .c) nor an object or archive" +
                       " of OpenCL programs or C code: " + error.what());
    }
    objects_.push_back({std::move(name), std::move(content)});
  }

  std::string compile_c_source(const std::string& path) {
    std::string log;
    try {
      const Target target(target_cpu_);
      const Options options = parse_options(line_.build_options, Action::kBuild);
      std::string object = compile_c(path, options, line_.has_openmp, target, log);
      std::cerr << log;
      native_features_ = target.features();
      if (!object.empty()) return object;
    } catch (const BuildError& error) {
      std::cerr << log << "error: " << error.what() << "\n";
    } catch (const OptionError& error) {
      throw option_error(error.what());
    }
    throw Failed();
  }

  std::string make(Output kind) {
    const std::string& first = line_.inputs.front();
    if (line_.action() != Action::kLink)
      return compile(first, read_file(first), line_.action(), kind);
    Request request;
    request.action = Action::kLink;
    request.options = line_.link_options;
    request.target_cpu = target_cpu_;
    for (const Object& object : objects_) request.inputs.push_back(object.binary);
    return answer(request, line_.output, kind);
  }

  std::string spirv() {
    // First this front end, so that errors and warnings are the same as for other kinds of output.
    make(Output::kFrontEndIr);
    try {
      return make_spirv(line_.inputs, parse_options(line_.build_options, Action::kBuild));
    } catch (const BuildError& error) {
      std::fprintf(stderr, "clocl: error: %s\n", error.what());
      throw Failed();
    }
  }

  std::string xclbin(const std::string& program) {
    LayoutRequest layout = line_.layout;
    if (!layout.file.empty()) layout.text = read_file(layout.file);
    try {
      return make_xclbin(program, layout);
    } catch (const BuildError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      throw Failed();
    }
  }

  std::string compile(const std::string& path, std::string source, Action action, Output kind) {
    Request request;
    request.action = action;
    request.options = line_.build_options;
    request.target_cpu = target_cpu_;
    request.source = std::move(source);
    return answer(request, path, kind);
  }

  std::string answer(const Request& request, const std::string& name, Output kind) {
    Extras extras;
    extras.output = kind;
    extras.source_name = name;
    if (request.action == Action::kLink) {
      extras.native = native_;
      extras.native_features = native_features_;
    }
    if (is_watched_) extras.times.show_progress(name);
    Response response = process(request, extras);
    if (response.status == protocol::Status::kInvalidOptions) throw option_error(response.log);
    if (request.action == Action::kLink) name_inputs(response.log);
    std::cerr << response.log;
    if (line_.show_times)
      for (const auto& [phase, milliseconds] : extras.times.phases())
        std::fprintf(stderr, "%-14s %8.2f ms\n", phase.c_str(), milliseconds);
    if (response.status == protocol::Status::kSuccess) return std::move(response.binary);
    throw Failed();
  }

  // The linker counts its inputs.
  void name_inputs(std::string& log) const {
    for (size_t i = 0; i < objects_.size(); ++i) {
      const std::string number = "input " + std::to_string(i) + ":";
      if (const size_t at = log.find(number); at != std::string::npos)
        log.replace(at, number.size(), objects_[i].name + ":");
    }
  }

  const CommandLine& line_;
  bool is_watched_;
  std::string target_cpu_;
  std::vector<Object> objects_;
  std::vector<NativeObject> native_;
  std::vector<std::string> native_features_;  // of the CPU that C sources were compiled for
};

}  // namespace

int run_offline(const CommandLine& line) {
  limit_build(environment_limits(), STDERR_FILENO,
              [](const std::string& reason) { return "clocl: error: " + reason + "\n"; });
  try {
    Job(line).run();
    return 0;
  } catch (const Failed&) {
    return 1;
  }
}

}  // namespace conclave::compiler
