// SPDX-License-Identifier: Apache-2.0
// The configuration of this process, read once: the JSON file /etc/ti-mctd/ti_mctd_config.json (or
// the one that CONCLAVE_CONFIG names), then xrt.ini, then the environment. Each overrides the one
// before. config_keys.cc says what the keys allow.
#ifndef CONCLAVE_PLATFORM_BASE_CONFIG_H_
#define CONCLAVE_PLATFORM_BASE_CONFIG_H_

#include <CL/cl.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace conclave {

struct Config {
  static constexpr uint32_t kMaxComputeUnits = 256;
  static constexpr uint32_t kLeastCompileMemoryMib = 64, kMostCompileMemoryMib = 1u << 24;

  // Number of compute units of the device, 1 to kMaxComputeUnits. Key "compute-units",
  // CONCLAVE_COMPUTE_UNITS; default: the CPUs this process may run on.
  uint32_t compute_units = 1;
  // The compute units this process may use, ascending, without duplicates. Key "compute-unit-list",
  // TI_OCL_COMPUTE_UNIT_LIST; default: all.
  std::vector<uint32_t> compute_unit_list;
  // Key "device-type", CONCLAVE_DEVICE_TYPE: cpu, gpu, accelerator, or a comma-separated list; 0
  // (auto, the default): a CPU or an accelerator, as the program asks first.
  cl_device_type device_type = 0;
  // Seconds after which a compilation is given up. Key "compile-timeout-s",
  // CONCLAVE_COMPILE_TIMEOUT_S.
  uint32_t compile_timeout_s = 600;
  // Options for each program that is built from source, before its own. Key "build-options",
  // CONCLAVE_BUILD_OPTIONS.
  std::string build_options;
  // Whether the processes of a user have a compile server in common where the daemon runs. Key
  // "warm-compiler", CONCLAVE_WARM_COMPILER.
  bool warm_compiler = false;
  // MiB of memory that a compilation may take. Key "compile-memory-mib",
  // CONCLAVE_COMPILE_MEMORY_MIB; default: half of what machine and control group grant.
  uint32_t compile_memory_mib = 0;
  // Whether built programs are kept on disk, and where. Keys "cache" (0 or 1), "cache-dir";
  // CONCLAVE_CACHE, CONCLAVE_CACHE_DIR; default $XDG_CACHE_HOME/conclave or ~/.cache/conclave.
  bool cache = true;
  std::string cache_dir;
  // Upper bound of the cache's size in MiB; the least recently used entries go first. Key
  // "cache-size-mib", CONCLAVE_CACHE_SIZE_MIB.
  uint32_t cache_size_mib = 512;

  // Whether kernels are compiled again for local sizes and image formats that are used often. Key
  // "specialize", CONCLAVE_SPECIALIZE: "off", "background", or "now" (the first launch of a kind
  // waits for its code: for tests and measurements).
  enum class Specialize { kOff, kBackground, kNow };
  Specialize specialize = Specialize::kBackground;
  // How many ms all launches of one kind must have taken before that. Key "specialize-after-ms",
  // CONCLAVE_SPECIALIZE_AFTER_MS.
  uint32_t specialize_after_ms = 100;
  // Whether other forms of a kernel's code are tried (docs/vectorizer.md, Forms). Key "try-forms",
  // CONCLAVE_TRY_FORMS: the same words; "now" does not keep to what trying may cost.
  Specialize try_forms = Specialize::kBackground;

  // The time in ms on a compute unit after which a kernel is ended; 0: never. Key "watchdog-ms",
  // CONCLAVE_WATCHDOG_MS: for all kernels. Key "kernel-timeout-ms",
  // TI_OCL_KERNEL_TIMEOUT_COMPUTE_UNIT: for kernels of queues with
  // CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI that have no limit of their own.
  uint32_t watchdog_ms = 0;
  uint32_t kernel_timeout_ms = 0;

  // Whether kernels are built with checks and findings are reported (docs/checking.md). Key
  // "check", CONCLAVE_CHECK: 0, 1, or "abort" (the process ends with the first finding). Key
  // "check-json", CONCLAVE_CHECK_JSON: a file to which findings are appended, one line of JSON
  // each.
  enum class Check { kOff, kOn, kAbort };
  Check check = Check::kOff;
  std::string check_json;

  // Whether profilers find the names of kernels (1) in /tmp/perf-<pid>.map. Key "perf-map",
  // CONCLAVE_PERF_MAP.
  uint32_t perf_map = 0;

  // How compute units are shared between processes. Key "scheduler", CONCLAVE_SCHEDULER:
  // "interleave", "fcfs", or "off" (no arbitration: for measuring what it costs).
  enum class Scheduler { kInterleave, kFcfs, kOff };
  Scheduler scheduler = Scheduler::kInterleave;
  // The time after which a kernel lets the next process have a compute unit, at the end of a
  // work-group. Key "time-slice-us", CONCLAVE_TIME_SLICE_US.
  uint32_t time_slice_us = 4000;
  // How long loading an xclbin, or opening a context on it, waits for others to let go before
  // it fails, in ms. Key "xclbin-wait-ms", CONCLAVE_XCLBIN_WAIT_MS.
  uint32_t xclbin_wait_ms = 0;
  // Name under which processes meet, instead of the default. Key "segment", CONCLAVE_SEGMENT; "" if
  // it is not given.
  std::string segment;
  // Size of the shared segment in KiB. Key "linux-shmem-size-KB", CONCLAVE_SHMEM_SIZE_KB;
  // 64 to 65536.
  uint32_t shmem_size_kb = 4096;
  // Who may connect to the daemon: octal mode and group of its socket. Keys "segment-mode",
  // "segment-group".
  uint32_t segment_mode = 0666;
  std::string segment_group;
  // Where the daemon also answers with metrics: a port of the loopback interface. 0: none. Key
  // "metrics-port" of the daemon.
  uint16_t metrics_port = 0;
  // Groups whose members trust each other: each shares one segment. Key "sharing-groups", names
  // with commas between them.
  std::vector<std::string> sharing_groups;
  // Whether a process that has the device alone (multiprocess) keeps other users from it too, and
  // not only its own user's processes. Key "exclude-other-users" (true or false) of the daemon.
  bool exclude_other_users = false;
  // What users may have of the device: the daemon's rules (monitor/quotas.h). Key "quotas".
  std::string quotas;
  // Sizes of the device's heaps; 0: no such heap. Keys "ddr-heap1-size-MiB" (default: half of the
  // memory that machine and control group grant), "ddr-heap2-size-MiB", "msmc-heap-size-KiB";
  // CONCLAVE_DDR_HEAP1_SIZE_MIB, CONCLAVE_DDR_HEAP2_SIZE_MIB, CONCLAVE_MSMC_HEAP_SIZE_KIB.
  uint64_t ddr_heap1_bytes = 0;
  uint64_t ddr_heap2_bytes = 0;
  uint64_t msmc_heap_bytes = 4u << 20;
  // Bounds below what the device could do, as programs see it: work-items of a work-group and bytes
  // of a memory object. Keys "work-group-size-limit", "max-mem-alloc-size"; TI_OCL_WG_SIZE_LIMIT,
  // TI_OCL_LIMIT_DEVICE_MAX_MEM_ALLOC_SIZE.
  uint32_t work_group_size_limit = UINT32_MAX;
  uint64_t max_mem_alloc_size = UINT64_MAX;
  // Whether the output of kernels begins with the number of the compute unit. Key "printf-core-id"
  // (0 or 1), TI_OCL_PRINTF_COREID.
  bool printf_core_id = false;
  // False if this process wants the device alone: key "multiprocess" (true or false), usually in
  // [Runtime] of xrt.ini.
  bool multiprocess = true;

  // What is wrong with the configuration, with source, key and what is allowed; empty if all is
  // well. With errors the platform still loads, and reports its device as not available.
  std::vector<std::string> errors;
  // What is odd and harmless: unknown keys, values that TI's platform replaces by a default.
  std::vector<std::string> warnings;

  // Every key with its value and the value's source: "default", "/etc/x.json line 3, key "cache"",
  // "environment variable X".
  struct Entry {
    std::string key, value, source;
  };
  std::vector<Entry> entries;

  // The configuration of this process.
  static const Config& get();
  // Sets a key of xrt.ini, "section.key", for the program, instead of the file. Throws
  // Error{CL_INVALID_OPERATION, EBUSY} once get() has been called, and Error{CL_INVALID_VALUE} if
  // the value is not allowed.
  static void set_ini(const std::string& key, const std::string& value);

  // Where a configuration comes from.
  struct Sources {
    // A variable of the environment; null: unset.
    std::function<const char*(const char*)> getenv;
    // The JSON file, which must exist; "": the one that CONCLAVE_CONFIG names, else the default
    // file, which may be missing.
    std::string file;
    // Where xrt.ini is looked for, in this order, unless XRT_INI_PATH names it.
    std::vector<std::string> ini_directories;
    // Overrides keys in xrt.ini's section [Runtime].
    std::map<std::string, std::string> runtime_keys;
    uint32_t cpus = 1;          // how many this process may use
    uint64_t memory_bytes = 0;  // how much this process may use

    // The environment, the directory of the executable, the current directory. A program with more
    // rights than the user who started it has no environment: that user must not decide what it
    // does.
    static Sources of_this_process();
    // `file` (as above) and nothing else: the source for a daemon that serves everybody.
    static Sources of_file(std::string file);
  };
  static Config read(const Sources& sources);
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CONFIG_H_
