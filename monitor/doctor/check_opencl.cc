// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "monitor/doctor/finding.h"
#include "monitor/doctor/own_programs.h"
#include "monitor/doctor/probe.h"
#include "platform/base/printable.h"
#include "platform/base/text_file.h"

namespace conclave::monitor {
namespace {

constexpr char kLoader[] = "libOpenCL.so.1";
constexpr char kSystemVendors[] = "/etc/OpenCL/vendors";

std::string setting(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

// Where the loader looks for vendor files, by ocl-icd's variable or that of Khronos's loader.
std::string vendor_place() {
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"})
    if (const std::string value = setting(name); !value.empty()) return value;
  return kSystemVendors;
}

std::vector<std::string> vendor_files(const std::string& place) {
  struct stat status;
  if (stat(place.c_str(), &status) == 0 && S_ISREG(status.st_mode)) return {place};
  std::vector<std::string> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(place.c_str()), closedir);
  while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name.ends_with(".icd")) files.push_back(place + (place.ends_with("/") ? "" : "/") + name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string how_to_find_ours() {
  const std::string own = own_file({"etc/OpenCL/vendors/conclave.icd"});
  if (own.empty())
    return "Install Conclave's vendor file, conclave.icd, in " + std::string(kSystemVendors) + ".";
  return "Copy " + own + " to " + kSystemVendors +
         ", or set OCL_ICD_VENDORS=" + own.substr(0, own.rfind('/') + 1);
}

// Returns whether the file is Conclave's.
bool check_vendor_file(Findings& findings, const std::string& file) {
  std::string library;
  std::vector<std::string> errors;
  const bool exists = read_text_file(file, library, errors);
  library.erase(std::min(library.find_first_of("\r\n"), library.size()));
  library = printable(library);
  const bool ours = library.find("libconclave") != library.npos;
  Finding finding{"vendor file", Finding::kGood, file + ": " + library, ""};
  if (library.empty()) {
    finding.state = Finding::kWarning;
    finding.what = file + ": " +
                   (!exists          ? "it cannot be read"
                    : errors.empty() ? "it names no library"
                                     : errors[0]);
    finding.advice = "Correct it, or remove it.";
  } else if (const Probe load = probe([&](FILE* output) {
               if (dlopen(library.c_str(), RTLD_NOW)) return 0;
               fprintf(output, "error: %s\n", dlerror());
               return 1;
             });
             !load.succeeded()) {
    const std::string error = printable(value_of(load.output, "error"));
    finding.state = ours ? Finding::kProblem : Finding::kWarning;
    finding.what =
        file + ": " + library + " cannot be loaded: " + (error.empty() ? load.failure() : error);
    finding.advice = ours ? "Correct the path there, or install Conclave again."
                          : "Other platforms work without it. Remove the file if it is a "
                            "left-over.";
  }
  findings.push_back(std::move(finding));
  return ours;
}

void check_vendor_files(Findings& findings) {
  const std::string place = vendor_place();
  const std::vector<std::string> files = vendor_files(place);
  bool has_ours = place.find("libconclave") != place.npos;
  for (const std::string& file : files) has_ours |= check_vendor_file(findings, file);
  if (!has_ours)
    findings.push_back({"vendor file", Finding::kProblem,
                        "no vendor file in " + place + " leads to Conclave", how_to_find_ours()});
}

bool check_loader(Findings& findings) {
  const Probe load = probe([](FILE* output) {
    void* loader = dlopen(kLoader, RTLD_NOW);
    void* function = loader ? dlsym(loader, "clGetPlatformIDs") : nullptr;
    Dl_info info{};
    if (!function || !dladdr(function, &info)) {
      fprintf(output, "error: %s\n", dlerror());
      return 1;
    }
    fprintf(output, "path: %s\n", info.dli_fname);
    return 0;
  });
  if (load.succeeded()) {
    findings.push_back({"loader", Finding::kGood, value_of(load.output, "path"), ""});
    return true;
  }
  const std::string error = printable(value_of(load.output, "error"));
  findings.push_back(
      {"loader", Finding::kProblem,
       std::string(kLoader) + " cannot be loaded: " + (error.empty() ? load.failure() : error),
       "Install a loader: apt install ocl-icd-libopencl1"});
  return false;
}

void check_version(Findings& findings, const std::string& output) {
  const std::string driver = value_of(output, "driver");
  if (driver != CONCLAVE_VERSION)
    findings.push_back({"version", Finding::kWarning,
                        "programs load Conclave " + printable(driver) +
                            ", and these tools are of " CONCLAVE_VERSION,
                        "Use the tools that were installed with the library: versions may not see "
                        "each other's processes."});
  else
    findings.push_back({"version", Finding::kGood, driver, ""});
}

// An ordinary program, through the loader.
void check_kernel(Findings& findings) {
  const std::string program =
      own_file({"bin/conclave-opencl-probe", "libexec/conclave/conclave-opencl-probe"});
  if (program.empty())
    return findings.push_back({"kernel", Finding::kWarning,
                               "conclave-opencl-probe, which would run a kernel, is missing",
                               "Install Conclave's tools again."});
  const Probe run = probe(
      [&](FILE* output) {
        dup2(fileno(output), STDOUT_FILENO);
        execl(program.c_str(), program.c_str(), nullptr);
        return 127;
      },
      120);
  for (size_t at = 0; (at = run.output.find("platform: ", at)) != run.output.npos; ++at)
    findings.push_back(
        {"platform", Finding::kGood, printable(value_of(run.output.substr(at), "platform")), ""});
  if (value_of(run.output, "result") == "42") {
    findings.push_back({"kernel", Finding::kGood,
                        "a kernel ran on " + printable(value_of(run.output, "device")) + " with " +
                            printable(value_of(run.output, "compute-units")) + " compute units",
                        ""});
    return check_version(findings, run.output);
  }
  const std::string error = value_of(run.output, "error");
  if (run.succeeded())
    return findings.push_back(
        {"kernel", Finding::kProblem, "the loader finds no platform Conclave", how_to_find_ours()});
  std::string what = error.empty() ? run.failure() : error;
  if (const std::string log(trimmed(run.log)); !log.empty()) what += ": " + log;
  findings.push_back({"kernel", Finding::kProblem, "no kernel runs: " + printable(what),
                      "Set CONCLAVE_LOG=debug and run a program: the log says more."});
}

}  // namespace

void check_opencl(Findings& findings) {
  const bool has_loader = check_loader(findings);
  check_vendor_files(findings);
  if (has_loader) check_kernel(findings);
}

}  // namespace conclave::monitor
