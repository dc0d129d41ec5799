// SPDX-License-Identifier: Apache-2.0
// The options string of clBuildProgram, clCompileProgram and clLinkProgram.
#ifndef CONCLAVE_COMPILER_FRONTEND_OPTIONS_H_
#define CONCLAVE_COMPILER_FRONTEND_OPTIONS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/tuning.h"
#include "conclave/compile_protocol.h"
#include "conclave/image_formats.h"

namespace conclave::compiler {

// An option that is unknown, incomplete or not allowed for the action; the text names it.
class OptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One kernel of a program for work-groups of one size, or images of some formats.
struct Specialization {
  std::string kernel;
  std::array<uint64_t, 3> local_size = {};        // 0: any
  std::vector<const ImageFormat*> image_formats;  // of its image arguments; null: any
};

// The user's wishes, one member for each effect.
struct Options {
  // Preprocessor and diagnostics.
  std::vector<std::string> defines;       // "NAME" or "NAME=value", in order
  std::vector<std::string> include_dirs;  // in order
  bool no_warnings = false;               // -w
  bool warnings_are_errors = false;       // -Werror
  bool verbose = false;                   // -v: remarks in the build log

  // Language.
  int language = 120;  // 100, 110, 120, 200 or 300
  bool single_precision_constants = false;
  bool strict_aliasing = false;
  bool uniform_work_group_size = false;

  // Floating point; the options that imply others have set them.
  bool mad_enable = false;
  bool no_signed_zeros = false;
  bool unsafe_math = false;
  bool finite_math_only = false;
  bool fast_relaxed_math = false;
  bool denorms_are_zero = false;
  bool correctly_rounded_divide_sqrt = false;

  // Code generation.
  bool optimize = true;  // false: -cl-opt-disable
  bool debug_info = false;
  bool check = false;  // -cl-conclave-check: the code looks for mistakes of the program's
  bool zero_private_memory = false;  // -cl-conclave-zero-private-memory: it begins with zeros
  bool streams = false;              // -cl-conclave-streams: pipes are the streams of an xclbin
  unsigned width = 0;  // -cl-conclave-width=N: lanes of the vectorizer, 1: none; 0: it chooses
  // -cl-conclave-dimension=D: that lanes are neighbours in, where groups are large enough; without
  // it, the vectorizer chooses.
  std::optional<unsigned> dimension;
  // -cl-conclave-first: a program waits for this code; kernels that would have much of it get less.
  bool first = false;
  // -cl-conclave-kernel=KERNEL: the program is this kernel alone.
  // -cl-conclave-local-size=KERNEL:X,Y,Z: the program is this kernel, for such work-groups alone.
  // -cl-conclave-image-formats=KERNEL:ORDER/TYPE,...: or for images of these formats.
  std::optional<Specialization> specialization;
  Tuning tuning;  // -cl-conclave-tune=NAME=VALUE,...: other rules of thumb, for experiments

  // Linking.
  std::vector<std::string> link_files;  // objects and archives of C code
  bool create_library = false;
  bool enable_link_options = false;
};

// Splits like a shell does: blanks separate, '...' and "..." group, a backslash escapes outside of
// single quotes. Throws OptionError for a quote that is not closed.
std::vector<std::string> split_options(std::string_view text);

// Parses `text` for the given action. Throws OptionError.
Options parse_options(std::string_view text, protocol::Action action);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_OPTIONS_H_
