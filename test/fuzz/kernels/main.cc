// SPDX-License-Identifier: Apache-2.0
// Compares builds of random kernels: every width of the vectorizer, code specialised for local
// sizes and no optimisation at all.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "test/fuzz/kernels/reduce.h"

namespace conclave::fuzz {
namespace {

constexpr char kHelp[] =
    "usage: conclave_kernel_fuzz [options]\n"
    "Builds random kernels in several ways and compares what they compute.\n"
    "\n"
    "  --seed=N        the first seed (1)\n"
    "  --count=N       so many kernels (20)\n"
    "  --seconds=N     until the time is over, instead of a number of kernels\n"
    "  --widths=LIST   of the vectorizer (1,2,4,8,16); empty: its own choice alone\n"
    "  --keep=DIR      where sources of failing kernels are written (.)\n"
    "  --reduce=N      seconds to spend on making each of them smaller (60)\n"
    "  --source=FILE   runs this text as if it were the first seed's kernel, with what that one is "
    "given\n"
    "  --print         print each kernel\n"
    "  --clocl=PATH    the compiler; default: the variable CONCLAVE_CLOCL, or the one built along\n"
    "Exit status: 0, 1 where a kernel failed, 2 for wrong usage.\n";

struct Settings {
  uint32_t seed = 1;
  unsigned count = 20;
  unsigned seconds = 0;
  std::string widths = "1,2,4,8,16";
  std::string keep = ".";
  unsigned reduce = 60;
  std::string source;
  bool print = false;
};

[[noreturn]] void usage_error(const std::string& word) {
  std::fprintf(stderr, "conclave_kernel_fuzz: wrong option '%s'\n%s", word.c_str(), kHelp);
  std::exit(2);
}

unsigned number(const std::string& word, const std::string& value) {
  try {
    size_t used = 0;
    unsigned long result = std::stoul(value, &used);
    if (used == value.size() && result <= UINT32_MAX) return static_cast<unsigned>(result);
  } catch (const std::exception&) {
  }
  usage_error(word);
}

Settings parse(int argc, char** argv) {
  Settings settings;
  setenv("CONCLAVE_CLOCL", CONCLAVE_DEFAULT_CLOCL, 0);
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "--seed")
      settings.seed = number(word, value);
    else if (name == "--count")
      settings.count = number(word, value);
    else if (name == "--seconds")
      settings.seconds = number(word, value);
    else if (name == "--widths")
      settings.widths = value;
    else if (name == "--keep")
      settings.keep = value;
    else if (name == "--reduce")
      settings.reduce = number(word, value);
    else if (name == "--source")
      settings.source = value;
    else if (name == "--clocl")
      setenv("CONCLAVE_CLOCL", value.c_str(), 1);
    else if (word == "--print")
      settings.print = true;
    else
      usage_error(word);
  }
  return settings;
}

// What is compared with the reference: the compiler's own choice, then each width, and lanes in
// other dimensions than 0.
std::vector<std::string> options_of(const Settings& settings) {
  std::vector<std::string> options = {""};
  for (size_t at = 0; at < settings.widths.size();) {
    size_t end = std::min(settings.widths.find(',', at), settings.widths.size());
    options.push_back("-cl-conclave-width=" + settings.widths.substr(at, end - at));
    at = end + 1;
  }
  if (!settings.widths.empty()) {
    options.push_back("-cl-conclave-width=4 -cl-conclave-dimension=1");
    options.push_back("-cl-conclave-width=2 -cl-conclave-dimension=2");
  }
  return options;
}

// And code for the local sizes that the kernel is launched with, each once.
std::vector<std::string> options_of(const Settings& settings, const Kernel& kernel) {
  std::vector<std::string> options = options_of(settings);
  for (const Launch& launch : kernel.launches) {
    const std::string specialized = specializing_options(launch);
    if (!specialized.empty() && std::ranges::find(options, specialized) == options.end())
      options.push_back(specialized);
  }
  return options;
}

const char* name_of(Failure::Kind kind) {
  static constexpr const char* kNames[] = {"build failure", "difference", "crash", "timeout"};
  return kNames[static_cast<size_t>(kind)];
}

std::string in_words(uint32_t seed, const Kernel& kernel, const Failure& failure) {
  return "seed " + std::to_string(seed) + ": " + name_of(failure.kind) + " with options '" +
         kernel.options + " " + failure.options + "'\n  " + failure.text + "\n";
}

void write_kernel(const std::string& path, const std::string& report, const Kernel& kernel) {
  std::ofstream file(path);
  file << "/*\n" << report << "*/\n" << kernel.source;
  if (!file.flush()) std::fprintf(stderr, "cannot write '%s'\n", path.c_str());
}

void tell(uint32_t seed, const Kernel& kernel, Failure failure, const Settings& settings) {
  std::string report = in_words(seed, kernel, failure);
  std::filesystem::create_directories(settings.keep);
  std::string stem = settings.keep + "/kernel-" + std::to_string(seed);
  write_kernel(stem + ".cl", report, kernel);
  std::printf("%s  kept as %s.cl\n", report.c_str(), stem.c_str());
  std::fflush(stdout);
  if (settings.reduce == 0) return;
  Kernel smaller = reduce(seed, failure, settings.reduce);
  write_kernel(stem + "-reduced.cl", in_words(seed, smaller, failure), smaller);
  std::printf("  reduced to %zu of %zu characters\n", smaller.source.size(), kernel.source.size());
  std::fflush(stdout);
}

// A kernel that was kept and changed by hand. Throws std::runtime_error if there is no such
// file.
int run_again(const Settings& settings) {
  std::ifstream file(settings.source);
  if (!file) throw std::runtime_error("cannot read '" + settings.source + "'");
  Kernel kernel = make_kernel(settings.seed);
  kernel.source.assign(std::istreambuf_iterator<char>(file), {});
  std::optional<Failure> failure = run_all(kernel, options_of(settings, kernel), settings.seed);
  if (failure) std::printf("%s", in_words(settings.seed, kernel, *failure).c_str());
  return failure ? 1 : 0;
}

int fuzz(const Settings& settings) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(settings.seconds);
  auto more = [&](unsigned done) {
    return settings.seconds > 0 ? std::chrono::steady_clock::now() < end : done < settings.count;
  };
  std::printf("kernels from seed %u on\n", settings.seed);
  std::fflush(stdout);
  unsigned done = 0, failed = 0;
  for (; more(done); ++done) {
    uint32_t seed = settings.seed + done;
    Kernel kernel = make_kernel(seed);
    if (settings.print) std::printf("// seed %u\n%s\n", seed, kernel.source.c_str());
    std::optional<Failure> failure = run_all(kernel, options_of(settings, kernel), seed);
    if (!failure) continue;
    ++failed;
    tell(seed, kernel, *failure, settings);
  }
  std::printf("%u kernels, %u failed\n", done, failed);
  return failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace conclave::fuzz

int main(int argc, char** argv) {
  try {
    const conclave::fuzz::Settings settings = conclave::fuzz::parse(argc, argv);
    return settings.source.empty() ? conclave::fuzz::fuzz(settings)
                                   : conclave::fuzz::run_again(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conclave_kernel_fuzz: %s\n", error.what());
    return 2;
  }
}
