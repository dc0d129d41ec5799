// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>

#include "platform/base/config_file.h"
#include "platform/base/config_keys.h"
#include "platform/base/error.h"
#include "platform/base/host_cpus.h"
#include "platform/base/host_memory.h"
#include "platform/base/log.h"
#include "platform/base/text_file.h"
#include "platform/base/user_cache_dir.h"
#include "platform/base/xrt_ini.h"

namespace conclave {
namespace {

constexpr char kDefaultFile[] = "/etc/ti-mctd/ti_mctd_config.json";
constexpr uint64_t kMiB = 1024 * 1024;

using Settings = std::map<std::string, Setting>;

// The value of a variable; "" if it is not set.
std::string variable(const Config::Sources& sources, const char* name) {
  const char* value = sources.getenv(name);
  return value ? value : "";
}

void set_defaults(Config& config, const Config::Sources& sources) {
  config.compute_units = std::clamp(sources.cpus, 1u, Config::kMaxComputeUnits);
  list_all_units(config);
  config.ddr_heap1_bytes = std::max(sources.memory_bytes / 2 / kMiB, uint64_t{1}) * kMiB;
  config.compile_memory_mib = static_cast<uint32_t>(
      std::clamp<uint64_t>(sources.memory_bytes / 2 / kMiB, Config::kLeastCompileMemoryMib,
                           Config::kMostCompileMemoryMib));
  config.cache_dir = user_cache_dir(sources.getenv);
}

void read_file(const Config::Sources& sources, Settings& settings, Config& config) {
  const std::string named = variable(sources, "CONCLAVE_CONFIG");
  if (!sources.file.empty()) {
    if (!read_config_file(sources.file, settings, config.errors))
      config.errors.push_back(sources.file + ": there is no such file");
  } else if (!named.empty()) {
    if (!read_config_file(named, settings, config.errors))
      config.errors.push_back("environment variable CONCLAVE_CONFIG: there is no file " + named);
  } else {
    read_config_file(kDefaultFile, settings, config.errors);
  }
  const auto keys = config_keys();
  for (const auto& [name, setting] : settings)
    if (std::none_of(keys.begin(), keys.end(), [&](auto& key) { return name == key.name; }))
      config.warnings.push_back(setting.source + ": is not known and has no effect");
}

void read_ini(const Config::Sources& sources, Settings& settings, Config& config) {
  std::string text;
  if (const std::string named = variable(sources, "XRT_INI_PATH"); !named.empty()) {
    if (!read_text_file(named, text, config.errors))
      config.errors.push_back("environment variable XRT_INI_PATH: there is no file " + named);
    return parse_xrt_ini(named, text, settings);
  }
  for (const std::string& directory : sources.ini_directories) {
    const std::string path = directory + "/xrt.ini";
    // A directory that must not be searched counts as one without the file.
    if (access(path.c_str(), F_OK) == 0 &&
        read_found_text_file(path, text, config.errors, config.warnings))
      return parse_xrt_ini(path, text, settings);
  }
}

void read_runtime_keys(const Config::Sources& sources, Settings& settings) {
  for (const auto& [key, value] : sources.runtime_keys)
    settings[key] = {value, "the program's own setting of key \"" + key + "\""};
}

void read_variables(const Config::Sources& sources, Settings& settings) {
  for (const ConfigKey& key : config_keys())
    if (const char* value = key.variable ? sources.getenv(key.variable) : nullptr)
      settings[key.name] = {value, std::string("environment variable ") + key.variable};
}

// Applies the settings. A wrong one becomes an error and leaves the default.
void take_over(const Settings& settings, Config& config) {
  Settings taken;
  for (const ConfigKey& key : config_keys()) {
    const auto found = settings.find(key.name);
    if (found == settings.end()) continue;
    const auto& [value, source] = found->second;
    const Complaint complaint = key.parse(config, value);
    if (complaint.text.empty())
      taken.insert(*found);
    else
      (complaint.tolerable ? config.warnings : config.errors)
          .push_back(source + ": \"" + value.substr(0, 200) + "\": " + complaint.text);
  }
  for (const ConfigKey& key : config_keys()) {
    const auto found = taken.find(key.name);
    if (found == taken.end() && !key.print) continue;
    config.entries.push_back({key.name, key.print ? key.print(config) : found->second.value,
                              found == taken.end() ? "default" : found->second.source});
  }
}

// What the program has set, and whether it is too late to set more.
struct OwnSettings {
  std::mutex mutex;
  std::map<std::string, std::string> runtime_keys;
  bool taken = false;

  // Leaked on purpose, like the configuration.
  static OwnSettings& get() {
    static auto* settings = new OwnSettings;
    return *settings;
  }
};

// "" if it is unknown.
std::string executable_directory() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return "";
  const std::string executable(path, static_cast<size_t>(length));
  return executable.substr(0, executable.rfind('/'));
}

}  // namespace

Config::Sources Config::Sources::of_this_process() {
  Sources sources;
  sources.getenv = [](const char* name) -> const char* { return secure_getenv(name); };
  if (const std::string directory = executable_directory(); !directory.empty())
    sources.ini_directories.push_back(directory);
  char current[4096];
  if (!getauxval(AT_SECURE) && getcwd(current, sizeof current))
    sources.ini_directories.push_back(current);
  sources.cpus = host_cpus();
  sources.memory_bytes = host_memory();
  return sources;
}

Config::Sources Config::Sources::of_file(std::string file) {
  Sources sources;
  sources.getenv = [](const char*) -> const char* { return nullptr; };
  sources.file = std::move(file);
  sources.cpus = host_cpus();
  sources.memory_bytes = host_memory();
  return sources;
}

Config Config::read(const Sources& sources) {
  Config config;
  set_defaults(config, sources);
  Settings settings;
  read_file(sources, settings, config);
  read_ini(sources, settings, config);
  read_runtime_keys(sources, settings);
  read_variables(sources, settings);
  take_over(settings, config);
  return config;
}

const Config& Config::get() {
  // Leaked on purpose: threads may ask while the host's static objects are destroyed.
  static const Config* instance = [] {
    Sources sources = Sources::of_this_process();
    {
      OwnSettings& own = OwnSettings::get();
      const std::lock_guard lock(own.mutex);
      own.taken = true;
      sources.runtime_keys = own.runtime_keys;
    }
    auto* config = new Config(read(sources));
    for (const std::string& warning : config->warnings) log::warn("configuration: " + warning);
    for (const std::string& error : config->errors) log::error("configuration: " + error);
    return config;
  }();
  return *instance;
}

void Config::set_ini(const std::string& key, const std::string& value) {
  OwnSettings& own = OwnSettings::get();
  const std::lock_guard lock(own.mutex);
  if (own.taken)
    throw Error(CL_INVALID_OPERATION,
                "\"" + key + "\" cannot be set: the configuration has been read", EBUSY);
  // The only key that has a meaning here (xrt_ini.h). XRT takes numbers for truth values.
  if (key != "Runtime.multiprocess") return;
  const std::string truth = value == "0" ? "false" : value == "1" ? "true" : value;
  if (truth != "true" && truth != "false")
    throw Error(CL_INVALID_VALUE,
                "\"" + key + "\": \"" + value.substr(0, 200) + "\": allowed are true and false",
                EINVAL);
  own.runtime_keys["multiprocess"] = truth;
}

}  // namespace conclave
