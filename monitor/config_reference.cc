// SPDX-License-Identifier: Apache-2.0
#include "monitor/config_reference.h"

#include <cstdio>
#include <string>

#include "monitor/snapshot_json.h"
#include "platform/base/config_keys.h"

namespace conclave::monitor {
namespace {

using enum KeyText::Part;

constexpr KeyText kTexts[] = {
    {kDevice, "compute-units", "", "CPUs of the process (affinity mask, control group)",
     "number of compute units, 1 to 256"},
    {kDevice, "compute-unit-list", "", "all", "the compute units that this process uses: 0,2,3"},
    {kDevice, "device-type", "", "auto",
     "what the device is: cpu, gpu, accelerator, or a list of types under which it is found, of "
     "which it reports the first of these three. auto: a CPU, or an accelerator in a process that "
     "first asks for one; it is not found under other types then"},
    {kDevice, "scheduler", "", "interleave",
     "interleave, fcfs, or off for no arbitration (docs/sharing.md#compute-units)"},
    {kDevice, "time-slice-us", "", "4000",
     "time after which a kernel lets others have a compute unit"},
    {kDevice, "ddr-heap1-size-MiB", "", "half of memory", "size of the device's first heap"},
    {kDevice, "ddr-heap2-size-MiB", "", "0", "size of the second heap"},
    {kDevice, "msmc-heap-size-KiB", "", "4096", "size of the MSMC heap"},
    {kDevice, "segment", "", "HeapManager", "name under which processes meet"},
    {kDevice, "linux-shmem-size-KB", "", "4096", "size of the shared segment, 64 to 65536"},
    {kDevice, "xclbin-wait-ms", "", "0",
     "time that loading an xclbin, or opening a context, the array or a graph "
     "(docs/access-modes.md), waits for others before it fails"},
    {kDevice, "multiprocess", "", "true",
     "false: this process has the device alone; in section [Runtime] of an xrt.ini"},

    {kCompiler, "compile-timeout-s", "", "600", "seconds after which a compilation fails"},
    {kCompiler, "compile-memory-mib", "", "half of what machine and control group grant",
     "memory that a compilation may take, in all its processes; it fails where that is not enough"},
    {kCompiler, "build-options", "", "none",
     "options for each program that is built from source, before its own, such as -cl-std=CL3.0"},
    {kCompiler, "warm-compiler", "", "0",
     "1: the processes of a user share one compile server where ti-mctd runs "
     "(docs/sharing.md#the-compile-server)"},
    {kCompiler, "cache", "", "1", "keep built programs on disk"},
    {kCompiler, "cache-dir", "", "$XDG_CACHE_HOME/conclave, else ~/.cache/conclave",
     "place of the disk cache; a directory of another user is refused"},
    {kCompiler, "cache-size-mib", "", "512",
     "size of the disk cache; the least recently used programs go first"},
    {kCompiler, "specialize", "", "background",
     "when to build code for frequent local sizes and image formats, and what first builds left "
     "out (docs/vectorizer.md#local-sizes): background, now (the first launch waits) or off"},
    {kCompiler, "specialize-after-ms", "", "100",
     "total time of a kernel's launches with one local size, or one combination of image formats, "
     "after which code for it is built"},
    {kCompiler, "try-forms", "", "background",
     "whether other forms of a kernel's code are tried (docs/vectorizer.md#forms), and the fastest "
     "stays: background, now (without regard to the time that trials take; for tests) or off"},
    {kCompiler, "work-group-size-limit", "", "none",
     "largest work-group, below what the device can do"},
    {kCompiler, "max-mem-alloc-size", "", "none", "largest memory object in bytes"},
    {kCompiler, "watchdog-ms", "", "0",
     "time on a compute unit after which a kernel is ended, 0: never (docs/c-code.md#time-limits)"},
    {kCompiler, "kernel-timeout-ms", "", "0",
     "the same for queues with CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI, for kernels without a "
     "limit of their own"},
    {kCompiler, "printf-core-id", "", "0", "1: output of kernels begins with [core N]"},
    {kCompiler, "check", "", "0",
     "1: build kernels with checks and report mistakes (docs/checking.md); abort: end the process "
     "after the first"},
    {kCompiler, "check-json", "", "none",
     "file to which findings are appended, one line of JSON each"},
    {kCompiler, "perf-map", "", "0",
     "1: write the names of kernels to /tmp/perf-<pid>.map for perf and other profilers"},
    {kCompiler, "", "CONCLAVE_LOG", "off",
     "debug, info, warn or error to standard error; syslog:debug and so on to syslog"},
    {kCompiler, "", "CONCLAVE_CLOCL", "bin/clocl beside the library", "path of the compiler"},
    {kCompiler, "", "CONCLAVE_CONFIG", "/etc/ti-mctd/ti_mctd_config.json",
     "the configuration file"},

    {kDaemon, "segment-mode", "", "0666", "mode of the daemon's socket: who may connect"},
    {kDaemon, "segment-group", "", "none", "group of the daemon's socket"},
    {kDaemon, "metrics-port", "", "0",
     "port of 127.0.0.1 where the daemon answers with metrics (docs/metrics.md), 0: none"},
    {kDaemon, "sharing-groups", "", "none",
     "groups whose members trust each other and share one segment, separated by commas"},
    {kDaemon, "exclude-other-users", "", "false",
     "whether multiprocess=false keeps other users from the device too"},
    {kDaemon, "quotas", "", "none",
     "limits of users, groups and control groups (docs/sharing.md#quotas)"},

    {kIgnored, "cmem-block-offchip", "", "none", "0 to 3"},
    {kIgnored, "cmem-block-onchip", "", "none", "0 to 3"},
    {kIgnored, "eve-devices-disable", "", "none", "an integer"},
};

}  // namespace

std::span<const KeyText> key_texts() {
  return kTexts;
}

const char* title_of(KeyText::Part part) {
  switch (part) {
    case kDevice:
      return "Device and sharing";
    case kCompiler:
      return "Kernels and compiler";
    case kDaemon:
      return "The daemon";
    case kIgnored:
      break;
  }
  return "Keys of TI's boards, which are checked and have no effect";
}

const char* variable_of(const KeyText& text) {
  for (const ConfigKey& key : config_keys())
    if (std::string(text.name) == key.name) return key.variable ? key.variable : "";
  return text.variable;
}

int describe_config(bool json) {
  Json list = Json::array();
  std::string title;
  for (const KeyText& text : key_texts()) {
    const char* variable = variable_of(text);
    if (json) {
      list.push_back({{"part", title_of(text.part)},
                      {"key", text.name},
                      {"variable", variable},
                      {"default", text.standard},
                      {"meaning", text.meaning}});
      continue;
    }
    if (title != title_of(text.part)) {
      printf("%s%s\n", title.empty() ? "" : "\n", title_of(text.part));
      title = title_of(text.part);
    }
    printf("  %s%s%s\n      default: %s\n      %s\n", text.name,
           *text.name && *variable ? ", " : "", variable, text.standard, text.meaning);
  }
  if (json) fputs(to_text(list).c_str(), stdout);
  return 0;
}

}  // namespace conclave::monitor
