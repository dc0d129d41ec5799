// SPDX-License-Identifier: Apache-2.0
// The configuration of this process, read once: the JSON file /etc/ti-mctd/ti_mctd_config.json (or
// what CONCLAVE_CONFIG names), then the environment, each over the one before.
#ifndef CONCLAVE_PLATFORM_BASE_CONFIG_H_
#define CONCLAVE_PLATFORM_BASE_CONFIG_H_

#include <CL/cl.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace conclave {

struct Config {
  // Number of compute units of the device, 1 to 256. Key "compute-units", CONCLAVE_COMPUTE_UNITS;
  // default: the CPUs this process may run on.
  uint32_t compute_units = 1;
  // The compute units this process may use, ascending, without duplicates. Key "compute-unit-list",
  // TI_OCL_COMPUTE_UNIT_LIST; default: all.
  std::vector<uint32_t> compute_unit_list;
  // Key "device-type", CONCLAVE_DEVICE_TYPE: cpu, gpu, accelerator, or a comma-separated list.
  cl_device_type device_type = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_ACCELERATOR;
  // Seconds after which a compilation is given up. Key "compile-timeout-s",
  // CONCLAVE_COMPILE_TIMEOUT_S.
  uint32_t compile_timeout_s = 600;
  // Whether built programs are kept on disk, and where. Keys "cache" (0 or 1), "cache-dir";
  // CONCLAVE_CACHE, CONCLAVE_CACHE_DIR; default $XDG_CACHE_HOME/conclave or ~/.cache/conclave.
  bool cache = true;
  std::string cache_dir;
  // Upper bound of the cache's size in MiB; the least recently used entries go first. Key
  // "cache-size-mib", CONCLAVE_CACHE_SIZE_MIB.
  uint32_t cache_size_mib = 512;

  // What is wrong with the configuration, naming source, key and what is allowed; empty when all is
  // well. With errors the platform still loads, and its device is reported as not available.
  std::vector<std::string> errors;

  // The configuration of this process.
  static const Config& get();

  // Reads a configuration from `path` (a missing default file is fine, a missing file that
  // CONCLAVE_CONFIG names is an error) and from the environment as `getenv` gives it (null: unset).
  // `cpus` is the number of CPUs the process may use.
  using Environment = std::function<const char*(const char*)>;
  static Config read(const Environment& getenv, uint32_t cpus);
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CONFIG_H_
