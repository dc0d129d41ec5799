// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "monitor/doctor/finding.h"
#include "monitor/texts.h"
#include "platform/base/config.h"

namespace conclave::monitor {
namespace {

constexpr uint64_t kGiB = 1 << 30;
constexpr uint64_t kFewDescriptors = 256;
// Besides a worker for each compute unit.
constexpr uint64_t kOtherThreads = 64;

// The limit; RLIM_INFINITY if there is none.
rlim_t limit_of(__rlimit_resource resource) {
  rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(resource, &limit);
  return limit.rlim_cur;
}

void check_memory_files(Findings& findings) {
  const int file = memfd_create("conclave-doctor", MFD_CLOEXEC);
  if (file >= 0) {
    close(file);
    return;
  }
  findings.push_back({"limits", Finding::kProblem, "memory files (memfd_create) are not allowed",
                      "Allow them in the container's seccomp profile."});
}

}  // namespace

void check_limits(Findings& findings) {
  const size_t before = findings.size();
  check_memory_files(findings);
  const uint64_t units = Config::get().compute_units;
  if (const rlim_t threads = limit_of(RLIMIT_NPROC);
      geteuid() != 0 && threads < units + kOtherThreads)
    findings.push_back({"limits", Finding::kWarning,
                        "the user may have " + number(threads) + " threads, and a process uses " +
                            number(units) + " and more",
                        "Raise ulimit -u."});
  if (const rlim_t files = limit_of(RLIMIT_NOFILE); files < kFewDescriptors)
    findings.push_back({"limits", Finding::kWarning,
                        "a process may have " + number(files) + " open files",
                        "Raise ulimit -n to 1024."});
  if (const rlim_t space = limit_of(RLIMIT_AS); space < 4 * kGiB)
    findings.push_back({"limits", Finding::kWarning,
                        "a process may map " + short_bytes(space) + " bytes (ulimit -v)",
                        "The compiler needs 1 GiB, and device memory what programs use."});
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    const auto cpus = static_cast<uint64_t>(CPU_COUNT(&set));
    if (units > cpus)
      findings.push_back({"limits", Finding::kNote,
                          number(units) + " compute units share " + number(cpus) + " CPUs",
                          "This is what compute-units asks for; one per CPU is the fastest."});
  }
  if (findings.size() == before)
    findings.push_back(
        {"limits", Finding::kGood, "memory files, threads, files, address space", ""});
}

}  // namespace conclave::monitor
