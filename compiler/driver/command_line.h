// SPDX-License-Identifier: Apache-2.0
// The command line of clocl: TI's options of that program, and this project's.
#ifndef CONCLAVE_COMPILER_DRIVER_COMMAND_LINE_H_
#define CONCLAVE_COMPILER_DRIVER_COMMAND_LINE_H_

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/binary/make_xclbin.h"
#include "compiler/driver/compilation.h"
#include "conclave/compile_protocol.h"

namespace conclave::compiler {

// The text says what is wrong.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct CommandLine {
  // Files in their order; which are sources, their names tell.
  std::vector<std::string> inputs;
  std::string output;                    // "-": standard output
  std::vector<std::string> target_cpus;  // "": this one
  // The options that clBuildProgram would get, and those among them that clLinkProgram takes.
  std::string build_options;
  std::string link_options;

  Extras::Output kind = Extras::Output::kBinary;
  bool compile_only = false;    // sources become objects
  bool create_library = false;  // objects become a library
  bool write_header = false;    // the binary as a C array, too
  bool keep = false;            // LLVM IR and assembly, too
  bool has_openmp = false;      // OpenMP's directives count in C sources
  bool show_times = false;
  bool makes_xclbin = false;  // an .xclbin, with this layout
  LayoutRequest layout;

  protocol::Action action() const;
  // The path of an output beside the main one.
  std::string beside(const std::string& suffix) const;
};

bool is_source(const std::string& path);
bool is_c_source(const std::string& path);
// The file's name without folders and suffix.
std::string stem_of(const std::string& path);

// Throws UsageError.
CommandLine parse_command_line(const std::vector<std::string>& words);

extern const char kHelp[];

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_COMMAND_LINE_H_
