// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <string>

#include "monitor/doctor/finding.h"
#include "monitor/doctor/own_programs.h"
#include "monitor/doctor/probe.h"
#include "monitor/texts.h"
#include "platform/base/config.h"
#include "platform/base/printable.h"
#include "platform/base/text_file.h"
#include "platform/loader/disk_cache.h"

namespace conclave::monitor {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kLittleRoom = 100 * kMiB;

// Runs a program with one argument; its output, or why there is none.
Probe output_of(const std::string& program, const char* argument) {
  return probe([&](FILE* output) {
    dup2(fileno(output), STDOUT_FILENO);
    execlp(program.c_str(), program.c_str(), argument, nullptr);
    return 127;
  });
}

std::string first_line(const std::string& text) {
  return printable(text.substr(0, text.find('\n')));
}

void check_compiler(Findings& findings) {
  const char* named = getenv("CONCLAVE_CLOCL");
  const std::string program = named && *named ? named : own_file({"bin/clocl"});
  if (program.empty())
    return findings.push_back({"compiler", Finding::kProblem, "there is no clocl beside this tool",
                               "Install the compiler, or set CONCLAVE_CLOCL to its path. Without "
                               "it only program binaries run."});
  const Probe version = output_of(program, "--version");
  const std::string line = first_line(version.output);
  if (!version.succeeded())
    return findings.push_back({"compiler", Finding::kProblem,
                               program + " does not run: " + version.failure() + " " +
                                   printable(std::string(trimmed(version.log))),
                               "Install Conclave again."});
  const bool same = line.find(CONCLAVE_VERSION) != line.npos;
  findings.push_back(
      {"compiler", same ? Finding::kGood : Finding::kWarning, program + ": " + line,
       same ? "" : "These tools are of " CONCLAVE_VERSION ": use what was installed together."});
}

void check_cache(Findings& findings) {
  const Config& config = Config::get();
  if (!config.cache)
    return findings.push_back({"cache", Finding::kNote, "it is turned off (cache)",
                               "Every process compiles every program again."});
  const DiskCache cache(config.cache_dir, uint64_t{config.cache_size_mib} * kMiB);
  const std::string why = config.cache_dir.empty() ? "there is no home directory" : cache.refusal();
  if (!why.empty())
    return findings.push_back({"cache", Finding::kWarning, why,
                               "Set cache-dir or CONCLAVE_CACHE_DIR to a directory that only you "
                               "can write. Until then every process compiles again."});
  findings.push_back({"cache", Finding::kGood, config.cache_dir, ""});
  struct statvfs room;
  if (statvfs(config.cache_dir.c_str(), &room) == 0 &&
      uint64_t{room.f_bavail} * room.f_frsize < kLittleRoom)
    findings.push_back({"cache", Finding::kWarning,
                        "less than 100 MiB are free on the disk of " + config.cache_dir,
                        "Make room, or conclave cache clear."});
}

void check_spirv(Findings& findings) {
  for (const auto& [program, package] :
       {std::pair("llvm-spirv-15", "llvm-spirv-15"), std::pair("spirv-val", "spirv-tools")}) {
    const Probe run = output_of(program, "--version");
    if (run.succeeded())
      findings.push_back({"SPIR-V", Finding::kGood, program, ""});
    else
      findings.push_back(
          {"SPIR-V", Finding::kNote,
           std::string(program) + " is not there: programs in SPIR-V cannot be built",
           "If you have such programs: apt install " + std::string(package)});
  }
}

}  // namespace

void check_building(Findings& findings) {
  check_compiler(findings);
  check_cache(findings);
  check_spirv(findings);
}

}  // namespace conclave::monitor
