// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/kernels/differential_run.h"

#include <CL/cl_half.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace conclave::fuzz {

const char* const kReferenceOptions = "-cl-opt-disable";

namespace {

constexpr std::string_view kSpecialize = "-cl-conclave-local-size=";

// On an idle machine a build takes less than a second, and a launch some milliseconds.
constexpr unsigned kSecondsToBuild = 120;
constexpr unsigned kSecondsToRun = 10;
// Shows writes outside of a buffer; a multiple of every type's alignment.
constexpr size_t kMargin = 256;

size_t element_bytes(const Buffer& buffer) {
  size_t size = 0;
  for (Scalar scalar : buffer.element) size += bytes_of(scalar);
  return size;
}

// A buffer's bytes with margins around.
class Memory {
 public:
  explicit Memory(const Buffer& buffer)
      : size_(2 * kMargin + (element_bytes(buffer) * buffer.length + 127) / 128 * 128),
        bytes_(static_cast<unsigned char*>(std::aligned_alloc(128, size_))) {
    std::memset(bytes_.get(), 0x5a, size_);
  }
  Memory(const Memory& other)
      : size_(other.size_), bytes_(static_cast<unsigned char*>(std::aligned_alloc(128, size_))) {
    std::memcpy(bytes_.get(), other.bytes_.get(), size_);
  }
  Memory& operator=(const Memory&) = delete;

  unsigned char* data() const { return bytes_.get() + kMargin; }
  // The offset from data() of the first byte that differs.
  std::optional<std::ptrdiff_t> first_difference(const Memory& other) const {
    if (std::memcmp(bytes_.get(), other.bytes_.get(), size_) == 0) return {};
    size_t at = 0;
    while (bytes_.get()[at] == other.bytes_.get()[at]) ++at;
    return static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(kMargin);
  }

 private:
  struct Free {
    void operator()(unsigned char* bytes) const { std::free(bytes); }
  };
  size_t size_;
  std::unique_ptr<unsigned char, Free> bytes_;
};

using Memories = std::vector<Memory>;

// Integers are small or anything; real numbers are exact, and no larger than expressions expect.
void put_random(Random& random, Scalar scalar, unsigned char* to) {
  int small = static_cast<int>(random.below(64)) - 16;
  if (scalar == Scalar::kHalf) {
    const cl_half value = cl_half_from_float(static_cast<float>(small) * 0.25f, CL_HALF_RTE);
    std::memcpy(to, &value, sizeof value);
  } else if (scalar == Scalar::kFloat) {
    float value = static_cast<float>(small) * (random.chance(20) ? 0.25f : 1.0f);
    std::memcpy(to, &value, sizeof value);
  } else if (scalar == Scalar::kDouble) {
    double value = small * (random.chance(20) ? 0.125 : 1.0);
    std::memcpy(to, &value, sizeof value);
  } else {
    int64_t value = small;
    if (random.chance(40)) {
      uint64_t high = random.bits();
      value = static_cast<int64_t>(high << 32 | random.bits());
    }
    std::memcpy(to, &value, bytes_of(scalar));
  }
}

Memories make_input(const Kernel& kernel, uint32_t seed) {
  Random random(seed * 2 + 1);
  Memories memories;
  for (const Buffer& buffer : kernel.buffers) {
    memories.emplace_back(buffer);
    unsigned char* to = memories.back().data();
    for (size_t i = 0; i < buffer.length; ++i)
      for (Scalar scalar : buffer.element) {
        put_random(random, scalar, to);
        to += bytes_of(scalar);
      }
  }
  return memories;
}

Memories run_launch(test::CompiledProgram& program, const Kernel& kernel, const Launch& launch,
                    const Memories& input) {
  Memories memories = input;
  test::Arguments arguments;
  for (const Memory& memory : memories) arguments.add(memory.data());
  arguments.add(test::LocalBytes{kernel.local_bytes});
  arguments.add(launch.m).add(launch.n).add(launch.q).add(launch.f);
  program.run("k", arguments, launch.range);
  return memories;
}

std::string describe(const test::Size& size) {
  std::ostringstream out;
  out << size[0] << "x" << size[1] << "x" << size[2];
  return out.str();
}

std::string describe(const Launch& launch) {
  std::ostringstream out;
  out << "global " << describe(launch.range.global) << ", local " << describe(launch.range.local)
      << ", offset " << describe(launch.range.offset) << ", m " << launch.m << ", n " << launch.n
      << ", q " << launch.q << ", f " << launch.f;
  return out.str();
}

template <class T>
std::string text_as(const unsigned char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  std::ostringstream out;
  out.precision(17);
  out << +value;
  return out.str();
}

std::string half_text(const unsigned char* data) {
  cl_half value;
  std::memcpy(&value, data, sizeof value);
  std::ostringstream out;
  out << cl_half_to_float(value);
  return out.str();
}

std::string text_of(Scalar scalar, const unsigned char* data) {
  if (scalar == Scalar::kHalf) return half_text(data);
  if (scalar == Scalar::kFloat) return text_as<float>(data);
  if (scalar == Scalar::kDouble) return text_as<double>(data);
  switch (bytes_of(scalar)) {
    case 1:
      return is_signed(scalar) ? text_as<int8_t>(data) : text_as<uint8_t>(data);
    case 2:
      return is_signed(scalar) ? text_as<int16_t>(data) : text_as<uint16_t>(data);
    case 4:
      return is_signed(scalar) ? text_as<int32_t>(data) : text_as<uint32_t>(data);
    default:
      return is_signed(scalar) ? text_as<int64_t>(data) : text_as<uint64_t>(data);
  }
}

std::string describe_difference(const Buffer& buffer, const Memory& expected, const Memory& actual,
                                std::ptrdiff_t offset) {
  auto size = static_cast<std::ptrdiff_t>(element_bytes(buffer));
  auto length = static_cast<std::ptrdiff_t>(buffer.length);
  if (offset < 0 || offset >= size * length)
    return "written outside of " + buffer.name + ", at byte " + std::to_string(offset) + " of " +
           std::to_string(size * length);
  std::ptrdiff_t element = offset / size, at = element * size;
  size_t part = 0;
  while (at + bytes_of(buffer.element[part]) <= offset) at += bytes_of(buffer.element[part++]);
  Scalar scalar = buffer.element[part];
  return buffer.name + "[" + std::to_string(element) + "], part " + std::to_string(part) + " (" +
         name_of(scalar) + "): " + text_of(scalar, actual.data() + at) + " instead of " +
         text_of(scalar, expected.data() + at);
}

// What a child reports to its parent: "at OPTIONS" before each build, "run LAUNCH" before each
// launch, and "build TEXT" or "difference TEXT" if it failed; "done" at the end.
class Reporter {
 public:
  explicit Reporter(int descriptor) : descriptor_(descriptor) {}
  void say(const std::string& what, const std::string& text = "") const {
    std::string line = what + " " + text + '\0';
    if (write(descriptor_, line.data(), line.size()) < 0) _exit(3);
  }

 private:
  int descriptor_;
};

// Specialised code is for launches of its local size alone.
bool may_run(const std::string& options, const Launch& launch) {
  return !options.starts_with(kSpecialize) || options == specializing_options(launch);
}

void compare_all(const Kernel& kernel, const std::vector<std::string>& options, uint32_t seed,
                 const Reporter& reporter) {
  const Memories input = make_input(kernel, seed);
  std::vector<Memories> expected;
  std::vector<std::string> all = {kReferenceOptions};
  all.insert(all.end(), options.begin(), options.end());
  for (const std::string& each : all) {
    reporter.say("at", each);
    alarm(kSecondsToBuild);
    test::CompiledProgram program(kernel.source, kernel.options + " " + each);
    for (size_t i = 0; i < kernel.launches.size(); ++i) {
      if (!may_run(each, kernel.launches[i])) continue;
      reporter.say("run", describe(kernel.launches[i]));
      alarm(kSecondsToRun);
      Memories actual = run_launch(program, kernel, kernel.launches[i], input);
      if (expected.size() <= i) {
        expected.push_back(actual);
        continue;
      }
      for (size_t b = 0; b < kernel.buffers.size(); ++b) {
        auto offset = expected[i][b].first_difference(actual[b]);
        if (!offset) continue;
        reporter.say("difference",
                     describe_difference(kernel.buffers[b], expected[i][b], actual[b], *offset));
        return;
      }
    }
  }
  reporter.say("done");
}

[[noreturn]] void run_child(const Kernel& kernel, const std::vector<std::string>& options,
                            uint32_t seed, int descriptor) {
  Reporter reporter(descriptor);
  try {
    compare_all(kernel, options, seed, reporter);
  } catch (const std::exception& error) {
    reporter.say("build", error.what());
  }
  _exit(0);
}

std::string read_all(int descriptor) {
  std::string text;
  char part[4096];
  for (ssize_t got; (got = read(descriptor, part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(got));
  return text;
}

std::optional<Failure> judge(const std::string& reports, int status) {
  Failure failure = {Failure::Kind::kCrash, "", ""};
  std::string doing;
  std::istringstream lines(reports);
  for (std::string line; std::getline(lines, line, '\0');) {
    std::string what = line.substr(0, line.find(' '));
    std::string text = line.substr(what.size() + 1);
    if (what == "done") return {};
    if (what == "at") {
      failure.options = text;
      doing = "\n  while it was built";
      continue;
    }
    if (what == "run") {
      doing = "\n  launch: " + text;
      continue;
    }
    failure.kind = what == "build" ? Failure::Kind::kBuild : Failure::Kind::kDifference;
    failure.text = text + doing;
    return failure;
  }
  if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    if (signal == SIGALRM) failure.kind = Failure::Kind::kTimeout;
    failure.text = std::string("ended by signal: ") + strsignal(signal);
  } else {
    failure.text = "ended with status " + std::to_string(WEXITSTATUS(status));
  }
  failure.text += doing;
  return failure;
}

}  // namespace

std::string specializing_options(const Launch& launch) {
  const auto& [global, local, offset] = launch.range;
  std::ostringstream options;
  for (int d = 0; d < 3; ++d) {
    if (global[d] % local[d] != 0) return "";
    options << (d == 0 ? std::string(kSpecialize) + "k:" : ",") << local[d];
  }
  return options.str();
}

std::optional<Failure> run_all(const Kernel& kernel, const std::vector<std::string>& options,
                               uint32_t seed) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    close(ends[0]);
    run_child(kernel, options, seed, ends[1]);
  }
  close(ends[1]);
  std::string reports = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return judge(reports, status);
}

}  // namespace conclave::fuzz
