// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_BENCH_FRESH_PROCESS_H_
#define CONCLAVE_TEST_BENCH_FRESH_PROCESS_H_

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace bench {

// A new empty directory, removed with everything in it at the end of the object's life.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Runs this program again as `--once=<mode>` with its compiled kernels cached in `cache`, and
// returns the numbers that it printed. With a `begin` the measured part waits until then, so
// that several begin together. Throws std::runtime_error if it failed or printed fewer than
// `expected` numbers.
std::vector<double> run_fresh_process(const std::string& mode, const std::filesystem::path& cache,
                                      size_t expected,
                                      std::chrono::steady_clock::time_point begin = {});

// The other side of `begin`.
void wait_for_begin();

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_FRESH_PROCESS_H_
