// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/options.h"

#include <charconv>
#include <optional>
#include <span>

namespace conclave::compiler {
namespace {

using protocol::Action;

// Which actions know an option: a build compiles and links, a rebuild generates code anew.
enum Place : unsigned { kCompiling = 1, kLinking = 2, kBoth = 3 };

// Work-groups of more work-items are not possible anyway; products of three of them are.
constexpr uint64_t kMaxLocalSize = uint64_t{1} << 16;

struct Flag {
  std::string_view name;
  unsigned place;
  void (*apply)(Options&);
};

void apply_unsafe_math(Options& o) {
  o.unsafe_math = true;
  o.no_signed_zeros = true;
  o.mad_enable = true;
}

void apply_fast_relaxed_math(Options& o) {
  apply_unsafe_math(o);
  o.fast_relaxed_math = true;
  o.finite_math_only = true;
}

constexpr Flag kFlags[] = {
    {"-w", kCompiling, [](Options& o) { o.no_warnings = true; }},
    {"-v", kBoth, [](Options& o) { o.verbose = true; }},
    {"-Werror", kCompiling, [](Options& o) { o.warnings_are_errors = true; }},
    {"-g", kCompiling, [](Options& o) { o.debug_info = true; }},
    {"-cl-single-precision-constant", kCompiling,
     [](Options& o) { o.single_precision_constants = true; }},
    {"-cl-denorms-are-zero", kBoth, [](Options& o) { o.denorms_are_zero = true; }},
    {"-cl-fp32-correctly-rounded-divide-sqrt", kCompiling,
     [](Options& o) { o.correctly_rounded_divide_sqrt = true; }},
    {"-cl-conclave-check", kBoth, [](Options& o) { o.check = true; }},
    {"-cl-conclave-first", kBoth, [](Options& o) { o.first = true; }},
    {"-cl-conclave-streams", kBoth, [](Options& o) { o.streams = true; }},
    {"-cl-conclave-zero-private-memory", kBoth, [](Options& o) { o.zero_private_memory = true; }},
    {"-cl-opt-disable", kCompiling, [](Options& o) { o.optimize = false; }},
    {"-cl-strict-aliasing", kCompiling, [](Options& o) { o.strict_aliasing = true; }},
    {"-cl-uniform-work-group-size", kCompiling,
     [](Options& o) { o.uniform_work_group_size = true; }},
    // Sub-groups of this device make no independent forward progress anyway.
    {"-cl-no-subgroup-ifp", kBoth, [](Options&) {}},
    {"-cl-mad-enable", kCompiling, [](Options& o) { o.mad_enable = true; }},
    {"-cl-no-signed-zeros", kBoth, [](Options& o) { o.no_signed_zeros = true; }},
    {"-cl-unsafe-math-optimizations", kBoth, apply_unsafe_math},
    {"-cl-finite-math-only", kBoth, [](Options& o) { o.finite_math_only = true; }},
    {"-cl-fast-relaxed-math", kBoth, apply_fast_relaxed_math},
    // Argument information is always kept, so there is nothing to switch on.
    {"-cl-kernel-arg-info", kCompiling, [](Options&) {}},
};

unsigned place_of(Action action) {
  return action == Action::kLink ? kLinking : kCompiling;
}

std::string_view name_of(Action action) {
  switch (action) {
    case Action::kBuild:
    case Action::kRebuild:
      return "building";
    case Action::kCompile:
      return "compiling";
    case Action::kLink:
      return "linking";
  }
  return "this action";
}

[[noreturn]] void wrong_place(std::string_view option, Action action) {
  throw OptionError("error: option '" + std::string(option) + "' is not allowed when " +
                    std::string(name_of(action)));
}

int parse_language(std::string_view value) {
  constexpr std::pair<std::string_view, int> kLanguages[] = {
      {"CL1.0", 100}, {"CL1.1", 110}, {"CL1.2", 120}, {"CL2.0", 200}, {"CL3.0", 300}};
  for (const auto& [name, version] : kLanguages)
    if (value == name) return version;
  throw OptionError("error: option '-cl-std=" + std::string(value) +
                    "': expected CL1.0, CL1.1, CL1.2, CL2.0 or CL3.0");
}

// The options whose value follows in the same or in the next word: -D and -I.
class WordReader {
 public:
  explicit WordReader(std::span<const std::string> words) : words_(words) {}
  bool done() const { return words_.empty(); }
  const std::string& next() {
    const std::string& word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  std::optional<std::string> value_of(const std::string& word, std::string_view option) {
    if (!word.starts_with(option)) return std::nullopt;
    std::string value = word.substr(option.size());
    if (value.empty() && !done()) value = next();
    if (value.empty()) throw OptionError("error: option '" + word + "' needs a value");
    return value;
  }

 private:
  std::span<const std::string> words_;
};

bool apply_flag(Options& options, const std::string& word, Action action) {
  for (const Flag& flag : kFlags) {
    if (word != flag.name) continue;
    if (!(flag.place & place_of(action))) wrong_place(word, action);
    flag.apply(options);
    return true;
  }
  return false;
}

// -cl-conclave-width=N, N a power of two up to 64; 0 leaves the choice to the compiler.
bool apply_width(Options& options, std::string_view word) {
  constexpr std::string_view kName = "-cl-conclave-width=";
  if (!word.starts_with(kName)) return false;
  const std::string_view value = word.substr(kName.size());
  const auto [end, error] = std::from_chars(value.begin(), value.end(), options.width);
  const bool whole = error == std::errc() && end == value.end();
  if (!whole || options.width > 64 || (options.width & (options.width - 1)) != 0)
    throw OptionError("error: option '" + std::string(word) +
                      "': expected 0, 1, 2, 4, 8, 16, 32 or 64");
  return true;
}

// -cl-conclave-dimension=D
bool apply_dimension(Options& options, std::string_view word) {
  constexpr std::string_view kName = "-cl-conclave-dimension=";
  if (!word.starts_with(kName)) return false;
  const std::string_view value = word.substr(kName.size());
  if (value != "0" && value != "1" && value != "2")
    throw OptionError("error: option '" + std::string(word) + "': expected 0, 1 or 2");
  options.dimension = static_cast<unsigned>(value[0] - '0');
  return true;
}

// -cl-conclave-tune=NAME=VALUE,...
bool apply_tuning(Options& options, std::string_view word) {
  constexpr std::string_view kName = "-cl-conclave-tune=";
  if (!word.starts_with(kName)) return false;
  try {
    options.tuning.apply(word.substr(kName.size()));
  } catch (const TuningError& error) {
    throw OptionError("error: option '-cl-conclave-tune': " + std::string(error.what()));
  }
  return true;
}

// X,Y,Z, each a positive number.
bool parse_sizes(std::string_view text, std::array<uint64_t, 3>& sizes) {
  const char* at = text.begin();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0 && (at == text.end() || *at++ != ',')) return false;
    const auto [end, error] = std::from_chars(at, text.end(), sizes[i]);
    if (error != std::errc() || sizes[i] == 0 || sizes[i] > kMaxLocalSize) return false;
    at = end;
  }
  return at == text.end();
}

// The specialization of the kernel that an option names; one kernel only can have one.
Specialization& specialization_of(Options& options, std::string_view kernel,
                                  std::string_view option) {
  if (!options.specialization) options.specialization = Specialization{std::string(kernel), {}, {}};
  if (options.specialization->kernel != kernel)
    throw OptionError("error: option '" + std::string(option) +
                      "': another option is for kernel '" + options.specialization->kernel + "'");
  return *options.specialization;
}

// -cl-conclave-local-size=KERNEL:X,Y,Z
bool apply_local_size(Options& options, std::string_view word, Action action) {
  constexpr std::string_view kName = "-cl-conclave-local-size=";
  if (!word.starts_with(kName)) return false;
  if (action != Action::kBuild && action != Action::kRebuild) wrong_place(word, action);
  const std::string_view value = word.substr(kName.size());
  const size_t colon = value.find(':');
  std::array<uint64_t, 3> sizes;
  if (colon == value.npos || colon == 0 || !parse_sizes(value.substr(colon + 1), sizes))
    throw OptionError("error: option '" + std::string(word) +
                      "': expected KERNEL:X,Y,Z with sizes from 1 to " +
                      std::to_string(kMaxLocalSize));
  specialization_of(options, value.substr(0, colon), word).local_size = sizes;
  return true;
}

// -cl-conclave-kernel=KERNEL
bool apply_kernel(Options& options, std::string_view word, Action action) {
  constexpr std::string_view kName = "-cl-conclave-kernel=";
  if (!word.starts_with(kName)) return false;
  if (action != Action::kBuild && action != Action::kRebuild) wrong_place(word, action);
  const std::string_view kernel = word.substr(kName.size());
  if (kernel.empty())
    throw OptionError("error: option '" + std::string(word) + "': expected a kernel's name");
  specialization_of(options, kernel, word);
  return true;
}

// ORDER/TYPE, numbers of cl.h; null for "any". Nothing for what is no format.
std::optional<const ImageFormat*> parse_format(std::string_view text) {
  if (text == "any") return nullptr;
  uint32_t order = 0, type = 0;
  const auto [slash, error] = std::from_chars(text.begin(), text.end(), order);
  if (error != std::errc() || slash == text.end() || *slash != '/') return {};
  const auto [end, type_error] = std::from_chars(slash + 1, text.end(), type);
  if (type_error != std::errc() || end != text.end()) return {};
  for (const ImageFormat& format : kImageFormats)
    if (format.order == order && format.data_type == type) return &format;
  return {};
}

// -cl-conclave-image-formats=KERNEL:ORDER/TYPE,ORDER/TYPE,...
bool apply_image_formats(Options& options, std::string_view word, Action action) {
  constexpr std::string_view kName = "-cl-conclave-image-formats=";
  if (!word.starts_with(kName)) return false;
  if (action != Action::kBuild && action != Action::kRebuild) wrong_place(word, action);
  const std::string_view value = word.substr(kName.size());
  const size_t colon = value.find(':');
  std::vector<const ImageFormat*> formats;
  bool is_good = colon != value.npos && colon != 0;
  for (size_t at = colon; is_good && at != value.npos;) {
    const size_t end = value.find(',', at + 1);
    const auto format = parse_format(value.substr(at + 1, end - at - 1));
    is_good = format.has_value();
    formats.push_back(format.value_or(nullptr));
    at = end;
  }
  if (!is_good)
    throw OptionError("error: option '" + std::string(word) +
                      "': expected KERNEL:ORDER/TYPE,... with the numbers of image formats, or "
                      "'any'");
  specialization_of(options, value.substr(0, colon), word).image_formats = std::move(formats);
  return true;
}

bool apply_library_option(Options& options, const std::string& word, Action action) {
  if (word != "-create-library" && word != "-enable-link-options") return false;
  if (action != Action::kLink) wrong_place(word, action);
  (word == "-create-library" ? options.create_library : options.enable_link_options) = true;
  return true;
}

// "ccode.obj": C code to be linked to the program. A binary that is built anew has it already.
bool apply_link_file(Options& options, const std::string& word, Action action) {
  const auto ends_with = [&](const char* suffix) { return word.ends_with(suffix); };
  if (word.starts_with('-') || !(ends_with(".o") || ends_with(".obj") || ends_with(".a")))
    return false;
  if (action == Action::kCompile) wrong_place(word, action);
  if (action != Action::kRebuild) options.link_files.push_back(word);
  return true;
}

}  // namespace

std::vector<std::string> split_options(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      // As in a shell, a backslash within double quotes escapes only what is special there, so that
      // a path with backslashes survives.
      char next = text[i + 1];
      if (quote == 0 || next == '"' || next == '\\') c = text[++i];
      word += c;
      in_word = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote) throw OptionError(std::string("error: quote ") + quote + " is not closed in options");
  if (in_word) words.push_back(std::move(word));
  return words;
}

Options parse_options(std::string_view text, Action action) {
  Options options;
  std::vector<std::string> words = split_options(text);
  WordReader reader(words);
  while (!reader.done()) {
    const std::string& word = reader.next();
    if (apply_flag(options, word, action) || apply_library_option(options, word, action)) continue;
    if (apply_width(options, word) || apply_dimension(options, word) ||
        apply_tuning(options, word) || apply_kernel(options, word, action) ||
        apply_local_size(options, word, action) || apply_image_formats(options, word, action) ||
        apply_link_file(options, word, action))
      continue;
    bool compiling = place_of(action) == kCompiling;
    if (auto value = reader.value_of(word, "-D")) {
      if (!compiling) wrong_place(word, action);
      options.defines.push_back(std::move(*value));
    } else if (auto dir = reader.value_of(word, "-I")) {
      if (!compiling) wrong_place(word, action);
      options.include_dirs.push_back(std::move(*dir));
    } else if (word.starts_with("-cl-std=")) {
      if (!compiling) wrong_place(word, action);
      options.language = parse_language(std::string_view(word).substr(8));
    } else {
      throw OptionError("error: unknown option '" + word + "'");
    }
  }
  if (options.enable_link_options && !options.create_library)
    throw OptionError("error: option '-enable-link-options' needs '-create-library'");
  return options;
}

}  // namespace conclave::compiler
