// SPDX-License-Identifier: Apache-2.0
#include "fresh_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "test/common/worker_process.h"

namespace bench {

using conclave::test::environment_with;
using conclave::test::pointers;

namespace {

constexpr char kBegin[] = "CONCLAVE_BENCH_BEGIN";

std::string read_all(int descriptor) {
  std::string text;
  char block[4096];
  for (ssize_t size; (size = read(descriptor, block, sizeof block)) > 0;)
    text.append(block, static_cast<size_t>(size));
  return text;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string form = (std::filesystem::temp_directory_path() / "conclave-bench-XXXXXX").string();
  if (!mkdtemp(form.data()))
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + form);
  path_ = form;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<double> run_fresh_process(const std::string& mode, const std::filesystem::path& cache,
                                      size_t expected,
                                      std::chrono::steady_clock::time_point begin) {
  std::vector<std::string> arguments = {"conclave_bench", "--once=" + mode};
  // OpenBLAS is linked but not used there; its threads would spin beside what is measured.
  std::vector<std::string> environment =
      environment_with({"OPENBLAS_NUM_THREADS=1", "XDG_CACHE_HOME=" + cache.string(),
                        "CONCLAVE_CACHE_DIR=" + cache.string(), "POCL_CACHE_DIR=" + cache.string(),
                        kBegin + ("=" + std::to_string(begin.time_since_epoch().count()))});
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr,
                                pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const std::string output = error == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (error != 0) throw std::system_error(error, std::generic_category(), "posix_spawn");
  int status = 0;
  waitpid(pid, &status, 0);

  std::vector<double> numbers;
  std::istringstream words(output);
  for (double number; words >> number;) numbers.push_back(number);
  if (status != 0 || numbers.size() < expected)
    throw std::runtime_error("--once=" + mode + " failed (wait status " + std::to_string(status) +
                             "), output: " + output);
  return numbers;
}

void wait_for_begin() {
  using Clock = std::chrono::steady_clock;
  const char* begin = std::getenv(kBegin);
  if (begin) std::this_thread::sleep_until(Clock::time_point(Clock::duration(std::atoll(begin))));
}

}  // namespace bench
