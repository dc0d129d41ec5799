// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>

#include <memory>

#include "monitor/doctor/finding.h"
#include "monitor/find_segment.h"
#include "monitor/snapshot.h"
#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/runtime_dir.h"
#include "platform/share/process_identity.h"

namespace conclave::monitor {
namespace {

void check_configuration(Findings& findings) {
  const Config& config = Config::get();
  for (const std::string& warning : config.warnings)
    findings.push_back({"configuration", Finding::kWarning, warning,
                        "conclave check-config shows where each value comes from."});
  for (const std::string& error : config.errors)
    findings.push_back({"configuration", Finding::kProblem, error,
                        "Correct it: until then the device is not available."});
  if (config.errors.empty() && config.warnings.empty())
    findings.push_back({"configuration", Finding::kGood, "valid", ""});
}

// Living processes that meet there; the links are named after them.
size_t living_in(const std::string& path) {
  size_t count = 0;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
  while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) {
    const pid_t pid = atoi(entry->d_name);
    count += pid > 0 && share::liveness({pid, 0}) != share::Liveness::kDead;
  }
  return count;
}

// Processes of another version of Conclave, or of a container, have segments of their own.
void check_other_layouts(Findings& findings, const std::string& place, const std::string& name) {
  const std::string own = name + "." + std::to_string(share::kLayoutVersion);
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(place.c_str()), closedir);
  while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) {
    const std::string other = entry->d_name;
    if (!other.starts_with(name + ".") || other == own || other.starts_with(own + ".")) continue;
    const size_t count = living_in(place + "/" + other);
    if (count == 0) continue;
    findings.push_back({"segment", Finding::kWarning,
                        std::to_string(count) + " processes of another version of Conclave use " +
                            place + "/" + other + ", and do not share with those of this one",
                        "Start them again with the same version."});
  }
}

void check_segment(Findings& findings, const std::string& name) {
  try {
    const auto segment = find_segment(name);
    if (!segment)
      return findings.push_back({"segment", Finding::kGood, "nobody uses the device", ""});
    const Device device = read_device(*segment);
    size_t dead = 0, count = 0;
    for (const ProcessUse& use : read_processes(segment->layout())) {
      ++count;
      dead += !use.alive;
    }
    findings.push_back({"segment", Finding::kGood,
                        device.segment + ", layout " + std::to_string(share::kLayoutVersion) +
                            ", " + std::to_string(count) + " processes",
                        ""});
    findings.push_back({"daemon", Finding::kGood,
                        device.daemon_pid ? "ti-mctd, process " + std::to_string(device.daemon_pid)
                                          : "none runs, and none is needed for one user",
                        ""});
    if (dead)
      findings.push_back(
          {"segment", Finding::kNote,
           std::to_string(dead) + " processes have died and are still listed",
           "conclave reset removes them. So does any process that needs what they had."});
    if (count + 16 > device.process_capacity)
      findings.push_back({"segment", Finding::kWarning,
                          "nearly as many processes as it has room for",
                          "Raise linux-shmem-size-KB in the configuration."});
    if (device.exclusive_pid)
      findings.push_back({"segment", Finding::kNote,
                          "process " + std::to_string(device.exclusive_pid) +
                              " has the device alone (multiprocess=false)",
                          ""});
  } catch (const Error& error) {
    findings.push_back({"segment", Finding::kProblem, error.what(),
                        "Programs do not share the device until this is mended."});
  }
}

}  // namespace

void check_sharing(Findings& findings, const std::string& segment) {
  check_configuration(findings);
  const std::string& configured = Config::get().segment;
  const std::string name = !segment.empty()      ? segment
                           : !configured.empty() ? configured
                                                 : share::kDefaultSegment;
  try {
    const std::string place = runtime_dir();
    findings.push_back({"meeting place", Finding::kGood, place, ""});
    check_other_layouts(findings, place, name);
  } catch (const Error& error) {
    findings.push_back({"meeting place", Finding::kProblem, error.what(),
                        "Set XDG_RUNTIME_DIR to a directory that belongs to you and that nobody "
                        "else can write."});
  }
  check_segment(findings, segment);
}

}  // namespace conclave::monitor
