// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

#include "platform/base/config_file.h"
#include "platform/base/host_cpus.h"
#include "platform/base/log.h"

namespace conclave {
namespace {

constexpr char kDefaultFile[] = "/etc/ti-mctd/ti_mctd_config.json";
constexpr uint32_t kMaxComputeUnits = 256;
constexpr uint32_t kMaxTimeout = 7 * 24 * 3600;  // seconds
constexpr uint32_t kMaxCacheSize = 1024 * 1024;  // MiB
constexpr uint32_t kMaxCmemBlock = 3;
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kSeparators = ", \t\r\n";

// The keys of the file, and the variables that override them.
struct Key {
  const char* name;
  const char* variable;  // null: none
};
constexpr Key kKeys[] = {
    {"compute-units", "CONCLAVE_COMPUTE_UNITS"},
    {"compute-unit-list", "TI_OCL_COMPUTE_UNIT_LIST"},
    {"device-type", "CONCLAVE_DEVICE_TYPE"},
    {"compile-timeout-s", "CONCLAVE_COMPILE_TIMEOUT_S"},
    {"cache", "CONCLAVE_CACHE"},
    {"cache-dir", "CONCLAVE_CACHE_DIR"},
    {"cache-size-mib", "CONCLAVE_CACHE_SIZE_MIB"},
    // TI's keys for its boards: checked, so that a typing error shows up here as there.
    {"cmem-block-offchip", nullptr},
    {"cmem-block-onchip", nullptr},
    {"linux-shmem-size-KB", nullptr},
    {"eve-devices-disable", nullptr},
};

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<uint32_t> parse_number(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (size_t at = text.find_first_not_of(kSeparators); at != text.npos;) {
    const size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    tokens.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSeparators, end);
  }
  return tokens;
}

// Turns settings into a Config; what is wrong becomes an error and leaves the default.
class Reader {
 public:
  Reader(Config& config, const std::map<std::string, Setting>& settings)
      : config_(config), settings_(settings) {}

  void read() {
    number("compute-units", config_.compute_units, 1, kMaxComputeUnits);
    config_.compute_unit_list.resize(config_.compute_units);
    std::iota(config_.compute_unit_list.begin(), config_.compute_unit_list.end(), 0u);
    if (const Setting* setting = find("compute-unit-list")) compute_unit_list(*setting);
    if (const Setting* setting = find("device-type")) device_type(*setting);
    number("compile-timeout-s", config_.compile_timeout_s, 1, kMaxTimeout);
    uint32_t cache = config_.cache;
    number("cache", cache, 0, 1);
    config_.cache = cache != 0;
    if (const Setting* setting = find("cache-dir")) cache_dir(*setting);
    number("cache-size-mib", config_.cache_size_mib, 1, kMaxCacheSize);
    read_board_keys();
  }

 private:
  const Setting* find(const std::string& key) const {
    const auto found = settings_.find(key);
    return found == settings_.end() ? nullptr : &found->second;
  }

  void error(const Setting& setting, const std::string& what) {
    config_.errors.push_back(setting.source + ": \"" + setting.value.substr(0, 200) +
                             "\": " + what);
  }

  void number(const char* key, uint32_t& value, uint32_t lowest, uint32_t highest) {
    const Setting* setting = find(key);
    if (!setting) return;
    const auto number = parse_number(trimmed(setting->value));
    if (number && *number >= lowest && *number <= highest)
      value = *number;
    else
      error(*setting, "allowed is an integer from " + std::to_string(lowest) + " to " +
                          std::to_string(highest));
  }

  void compute_unit_list(const Setting& setting) {
    std::vector<uint32_t> list;
    const std::string allowed = "allowed are integers from 0 to " +
                                std::to_string(config_.compute_units - 1) +
                                ", separated by commas or blanks";
    for (std::string_view token : split(setting.value)) {
      const auto id = parse_number(token);
      if (!id || *id >= config_.compute_units)
        return error(setting,
                     "there is no compute unit \"" + std::string(token) + "\"; " + allowed);
      list.push_back(*id);
    }
    if (list.empty()) return error(setting, "names no compute unit; " + allowed);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    config_.compute_unit_list = std::move(list);
  }

  void device_type(const Setting& setting) {
    cl_device_type type = 0;
    constexpr char allowed[] = "allowed are cpu, gpu and accelerator, separated by commas";
    for (std::string_view token : split(setting.value)) {
      if (token == "cpu")
        type |= CL_DEVICE_TYPE_CPU;
      else if (token == "gpu")
        type |= CL_DEVICE_TYPE_GPU;
      else if (token == "accelerator")
        type |= CL_DEVICE_TYPE_ACCELERATOR;
      else
        return error(setting, "there is no device type \"" + std::string(token) + "\"; " + allowed);
    }
    if (type == 0) return error(setting, std::string("names no device type; ") + allowed);
    config_.device_type = type;
  }

  void cache_dir(const Setting& setting) {
    if (!setting.value.starts_with('/') || setting.value.find('\0') != std::string::npos)
      return error(setting, "allowed is an absolute path");
    config_.cache_dir = setting.value;
  }

  void warn(const char* key, bool ok, const char* what) {
    const Setting* setting = find(key);
    if (setting && !ok)
      log::warn("configuration: " + setting->source + ": \"" + setting->value + "\": " + what);
  }

  // TI ends the process for a bad off-chip block and takes the default for the others.
  void read_board_keys() {
    uint32_t block = 0;
    number("cmem-block-offchip", block, 0, kMaxCmemBlock);
    const auto value = [&](const char* key) {
      const Setting* setting = find(key);
      return setting ? parse_number(trimmed(setting->value)) : std::nullopt;
    };
    const auto onchip = value("cmem-block-onchip");
    warn("cmem-block-onchip", onchip && *onchip <= kMaxCmemBlock, "allowed is 0 to 3");
    const auto shared = value("linux-shmem-size-KB");
    warn("linux-shmem-size-KB", shared && *shared > 0, "no positive integer, 128 is used");
    warn("eve-devices-disable", value("eve-devices-disable").has_value(), "no integer, 0 is used");
  }

  Config& config_;
  const std::map<std::string, Setting>& settings_;
};

std::string home_directory(const Config::Environment& getenv) {
  if (const char* home = getenv("HOME"); home && *home == '/') return home;
  passwd entry;
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found) == 0 && found && found->pw_dir &&
      *found->pw_dir == '/')
    return found->pw_dir;
  return "";
}

// "" where there is no home: then nothing is kept.
std::string default_cache_dir(const Config::Environment& getenv) {
  // The XDG specification wants relative paths to be ignored.
  if (const char* base = getenv("XDG_CACHE_HOME"); base && *base == '/')
    return std::string(base) + "/conclave";
  const std::string home = home_directory(getenv);
  return home.empty() ? "" : home + "/.cache/conclave";
}

void read_file(const Config::Environment& getenv, std::map<std::string, Setting>& settings,
               std::vector<std::string>& errors) {
  const char* named = getenv("CONCLAVE_CONFIG");
  if (!named || !*named) {
    read_config_file(kDefaultFile, settings, errors);
  } else if (!read_config_file(named, settings, errors)) {
    errors.push_back(std::string("environment variable CONCLAVE_CONFIG: there is no file ") +
                     named);
  }
  for (const auto& [key, setting] : settings)
    if (std::none_of(std::begin(kKeys), std::end(kKeys),
                     [&](const Key& known) { return key == known.name; }))
      log::warn("configuration: " + setting.source + ": is not known and has no effect");
}

}  // namespace

Config Config::read(const Environment& getenv, uint32_t cpus) {
  Config config;
  config.compute_units = std::clamp(cpus, 1u, kMaxComputeUnits);
  config.cache_dir = default_cache_dir(getenv);
  std::map<std::string, Setting> settings;
  read_file(getenv, settings, config.errors);
  for (const Key& key : kKeys)
    if (const char* value = key.variable ? getenv(key.variable) : nullptr)
      settings[key.name] = {value, std::string("environment variable ") + key.variable};
  Reader(config, settings).read();
  return config;
}

const Config& Config::get() {
  // Leaked on purpose: threads may ask while the host's static objects are destroyed.
  static const Config* instance = [] {
    // A privileged program does not take settings from whoever started it.
    auto* config = new Config(
        read([](const char* name) -> const char* { return secure_getenv(name); }, host_cpus()));
    for (const std::string& error : config->errors) log::error("configuration: " + error);
    return config;
  }();
  return *instance;
}

}  // namespace conclave
