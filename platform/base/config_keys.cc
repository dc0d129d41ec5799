// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config_keys.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "platform/base/text_file.h"

namespace conclave {
namespace {

constexpr uint64_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr uint64_t kMaxHeapMib = uint64_t{1} << 24;  // 16 TiB
constexpr uint32_t kMinSegmentKb = 64, kMaxSegmentKb = 64 * 1024;

std::optional<uint64_t> to_number(std::string_view text, int base = 10) {
  uint64_t number = 0;
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string integer_allowed(uint64_t lowest, uint64_t highest) {
  return "allowed is an integer from " + std::to_string(lowest) + " to " + std::to_string(highest);
}

// Splits values at commas and blanks, as TI does.
std::vector<std::string_view> split(std::string_view text) {
  constexpr std::string_view kSeparators = ", \t\r\n";
  std::vector<std::string_view> tokens;
  for (size_t at = text.find_first_not_of(kSeparators); at != text.npos;) {
    const size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    tokens.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSeparators, end);
  }
  return tokens;
}

// Parses a member that counts in `unit`s.
template <auto member, uint64_t lowest, uint64_t highest, uint64_t unit = 1>
Complaint parse_number(Config& config, const std::string& text) {
  const auto number = to_number(text);
  if (!number || *number < lowest || *number > highest) return {integer_allowed(lowest, highest)};
  config.*member = static_cast<std::remove_reference_t<decltype(config.*member)>>(*number * unit);
  return {};
}
template <auto member, uint64_t unit = 1>
std::string print_number(const Config& config) {
  return std::to_string(config.*member / unit);
}

template <auto member>
std::string print_text(const Config& config) {
  return config.*member;
}

Complaint parse_compute_units(Config& config, const std::string& text) {
  Complaint complaint =
      parse_number<&Config::compute_units, 1, Config::kMaxComputeUnits>(config, text);
  list_all_units(config);
  return complaint;
}

Complaint parse_compute_unit_list(Config& config, const std::string& text) {
  std::vector<uint32_t> list;
  const std::string allowed = "allowed are integers from 0 to " +
                              std::to_string(config.compute_units - 1) +
                              ", separated by commas or blanks";
  for (std::string_view token : split(text)) {
    const auto id = to_number(token);
    if (!id || *id >= config.compute_units)
      return {"there is no compute unit \"" + std::string(token) + "\"; " + allowed};
    list.push_back(static_cast<uint32_t>(*id));
  }
  if (list.empty()) return {"names no compute unit; " + allowed};
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  config.compute_unit_list = std::move(list);
  return {};
}
std::string print_compute_unit_list(const Config& config) {
  std::string text;
  for (uint32_t id : config.compute_unit_list)
    text += (text.empty() ? "" : ",") + std::to_string(id);
  return text;
}

struct DeviceType {
  std::string_view name;
  cl_device_type bit;
};
constexpr DeviceType kDeviceTypes[] = {{"cpu", CL_DEVICE_TYPE_CPU},
                                       {"gpu", CL_DEVICE_TYPE_GPU},
                                       {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}};

constexpr char kAutomaticType[] = "auto";

Complaint parse_device_type(Config& config, const std::string& text) {
  config.device_type = 0;
  if (text == kAutomaticType) return {};
  cl_device_type type = 0;
  constexpr char kAllowed[] = "allowed are auto, or cpu, gpu and accelerator, separated by commas";
  for (std::string_view token : split(text)) {
    const auto known = std::find_if(std::begin(kDeviceTypes), std::end(kDeviceTypes),
                                    [&](const DeviceType& t) { return t.name == token; });
    if (known == std::end(kDeviceTypes))
      return {"there is no device type \"" + std::string(token) + "\"; " + kAllowed};
    type |= known->bit;
  }
  if (type == 0) return {std::string("names no device type; ") + kAllowed};
  config.device_type = type;
  return {};
}
std::string print_device_type(const Config& config) {
  std::string text;
  for (const DeviceType& type : kDeviceTypes)
    if (config.device_type & type.bit) text += (text.empty() ? "" : ",") + std::string(type.name);
  return text.empty() ? kAutomaticType : text;
}

template <auto member>
Complaint parse_switch(Config& config, const std::string& text) {
  const auto number = to_number(text);
  if (!number || *number > 1) return {integer_allowed(0, 1)};
  config.*member = *number != 0;
  return {};
}
template <auto member>
std::string print_switch(const Config& config) {
  return config.*member ? "1" : "0";
}

// A limit that is no number is no limit, as on TI's platform.
template <auto member, uint64_t highest>
Complaint parse_limit(Config& config, const std::string& text) {
  if (!to_number(text)) return {"is no integer, there is no limit", true};
  return parse_number<member, 1, highest>(config, text);
}
template <auto member, uint64_t highest>
std::string print_limit(const Config& config) {
  return config.*member == highest ? "none" : std::to_string(config.*member);
}

template <auto member>
Complaint parse_file(Config& config, const std::string& text) {
  if (text.empty() || text.find('\0') != text.npos) return {"allowed is the name of a file"};
  config.*member = text;
  return {};
}

Complaint parse_build_options(Config& config, const std::string& text) {
  if (text.find('\0') != text.npos) return {"allowed are options of clBuildProgram"};
  config.build_options = text;
  return {};
}

Complaint parse_cache_dir(Config& config, const std::string& text) {
  if (!text.starts_with('/') || text.find('\0') != text.npos)
    return {"allowed is an absolute path"};
  config.cache_dir = text;
  return {};
}

// The words for the values of an enumeration, in its order.
constexpr std::string_view kSchedulers[] = {"interleave", "fcfs", "off"};
constexpr std::string_view kCheck[] = {"0", "1", "abort"};
constexpr std::string_view kSpecialize[] = {"off", "background", "now"};

template <auto member, const auto& words>
Complaint parse_word(Config& config, const std::string& text) {
  const auto* known = std::find(std::begin(words), std::end(words), trimmed(text));
  if (known == std::end(words)) {
    std::string allowed = "allowed are " + std::string(words[0]);
    for (size_t i = 1; i < std::size(words); ++i)
      allowed += (i + 1 < std::size(words) ? ", " : " and ") + std::string(words[i]);
    return {allowed};
  }
  config.*member =
      static_cast<std::remove_reference_t<decltype(config.*member)>>(known - std::begin(words));
  return {};
}
template <auto member, const auto& words>
std::string print_word(const Config& config) {
  return std::string(words[static_cast<size_t>(config.*member)]);
}

Complaint parse_segment(Config& config, const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](unsigned char c) { return c > ' ' && c < 127 && c != '/'; });
  if (!plain || text.starts_with('.') || text.size() > 80)
    return {"allowed is a file name: up to 80 visible ASCII characters, no slash, no dot first"};
  config.segment = text;
  return {};
}

Complaint parse_segment_size(Config& config, const std::string& text) {
  const auto number = to_number(text);
  if (!number || *number == 0)
    return {"is no positive integer, " + std::to_string(config.shmem_size_kb) + " is used", true};
  return parse_number<&Config::shmem_size_kb, kMinSegmentKb, kMaxSegmentKb>(config, text);
}

Complaint parse_segment_mode(Config& config, const std::string& text) {
  const auto mode = to_number(text, 8);
  if (!mode || (*mode & 0600) != 0600 || (*mode & ~uint64_t{0666}) != 0)
    return {"allowed is an octal mode from 0600 to 0666 with read and write for the owner"};
  config.segment_mode = static_cast<uint32_t>(*mode);
  return {};
}
std::string print_segment_mode(const Config& config) {
  char text[8];
  snprintf(text, sizeof text, "%04o", config.segment_mode & 07777);
  return text;
}

// The daemon finds out whether such a group exists.
Complaint parse_segment_group(Config& config, const std::string& text) {
  if (text.find_first_of(" \t\r\n:,") != text.npos || text.find('\0') != text.npos)
    return {"allowed is the name of a group"};
  config.segment_group = text;
  return {};
}

Complaint parse_sharing_groups(Config& config, const std::string& text) {
  std::vector<std::string> groups;
  std::istringstream list(text);
  for (std::string name; std::getline(list, name, ',');) {
    const size_t first = name.find_first_not_of(' '), last = name.find_last_not_of(' ');
    if (first == std::string::npos) return {"allowed are names of groups with commas between them"};
    groups.push_back(name.substr(first, last - first + 1));
  }
  config.sharing_groups = std::move(groups);
  return {};
}
// The daemon finds out what the rules say.
Complaint parse_quotas(Config& config, const std::string& text) {
  config.quotas = text;
  return {};
}
std::string print_sharing_groups(const Config& config) {
  std::string text;
  for (const std::string& name : config.sharing_groups) text += (text.empty() ? "" : ",") + name;
  return text;
}

template <bool Config::* member>
Complaint parse_truth(Config& config, const std::string& text) {
  if (text != "true" && text != "false") return {"allowed are true and false"};
  config.*member = text == "true";
  return {};
}
template <bool Config::* member>
std::string print_truth(const Config& config) {
  return config.*member ? "true" : "false";
}

// TI's keys for its boards are checked, so a typing error shows up here as on TI's platform: TI
// ends the process for a bad off-chip block and takes the default for the others.
Complaint check_offchip_block(Config&, const std::string& text) {
  const auto block = to_number(text);
  return block && *block <= 3 ? Complaint{} : Complaint{integer_allowed(0, 3)};
}
Complaint check_onchip_block(Config&, const std::string& text) {
  const auto block = to_number(text);
  return block && *block <= 3 ? Complaint{} : Complaint{integer_allowed(0, 3), true};
}
Complaint check_integer(Config&, const std::string& text) {
  return to_number(text) ? Complaint{} : Complaint{"is no integer, 0 is used", true};
}

constexpr uint64_t kMaxTimeoutMs = 7ull * 24 * 3600 * 1000;

constexpr ConfigKey kKeys[] = {
    {"compute-units", "CONCLAVE_COMPUTE_UNITS", parse_compute_units,
     print_number<&Config::compute_units>},
    {"compute-unit-list", "TI_OCL_COMPUTE_UNIT_LIST", parse_compute_unit_list,
     print_compute_unit_list},
    {"device-type", "CONCLAVE_DEVICE_TYPE", parse_device_type, print_device_type},
    {"specialize", "CONCLAVE_SPECIALIZE", parse_word<&Config::specialize, kSpecialize>,
     print_word<&Config::specialize, kSpecialize>},
    {"specialize-after-ms", "CONCLAVE_SPECIALIZE_AFTER_MS",
     parse_number<&Config::specialize_after_ms, 0, 1'000'000>,
     print_number<&Config::specialize_after_ms>},
    {"try-forms", "CONCLAVE_TRY_FORMS", parse_word<&Config::try_forms, kSpecialize>,
     print_word<&Config::try_forms, kSpecialize>},
    {"scheduler", "CONCLAVE_SCHEDULER", parse_word<&Config::scheduler, kSchedulers>,
     print_word<&Config::scheduler, kSchedulers>},
    {"time-slice-us", "CONCLAVE_TIME_SLICE_US",
     parse_number<&Config::time_slice_us, 100, 1'000'000>, print_number<&Config::time_slice_us>},
    {"watchdog-ms", "CONCLAVE_WATCHDOG_MS", parse_number<&Config::watchdog_ms, 0, kMaxTimeoutMs>,
     print_number<&Config::watchdog_ms>},
    {"kernel-timeout-ms", "TI_OCL_KERNEL_TIMEOUT_COMPUTE_UNIT",
     parse_number<&Config::kernel_timeout_ms, 0, kMaxTimeoutMs>,
     print_number<&Config::kernel_timeout_ms>},
    {"check", "CONCLAVE_CHECK", parse_word<&Config::check, kCheck>,
     print_word<&Config::check, kCheck>},
    {"check-json", "CONCLAVE_CHECK_JSON", parse_file<&Config::check_json>,
     print_text<&Config::check_json>},
    {"perf-map", "CONCLAVE_PERF_MAP", parse_number<&Config::perf_map, 0, 1>,
     print_number<&Config::perf_map>},
    {"multiprocess", nullptr, parse_truth<&Config::multiprocess>,
     print_truth<&Config::multiprocess>},
    {"xclbin-wait-ms", "CONCLAVE_XCLBIN_WAIT_MS",
     parse_number<&Config::xclbin_wait_ms, 0, 86'400'000>, print_number<&Config::xclbin_wait_ms>},
    {"segment", "CONCLAVE_SEGMENT", parse_segment, print_text<&Config::segment>},
    {"linux-shmem-size-KB", "CONCLAVE_SHMEM_SIZE_KB", parse_segment_size,
     print_number<&Config::shmem_size_kb>},
    {"segment-mode", nullptr, parse_segment_mode, print_segment_mode},
    {"segment-group", nullptr, parse_segment_group, print_text<&Config::segment_group>},
    {"metrics-port", nullptr, parse_number<&Config::metrics_port, 0, 65535>,
     print_number<&Config::metrics_port>},
    {"sharing-groups", nullptr, parse_sharing_groups, print_sharing_groups},
    {"exclude-other-users", nullptr, parse_truth<&Config::exclude_other_users>,
     print_truth<&Config::exclude_other_users>},
    {"quotas", nullptr, parse_quotas, print_text<&Config::quotas>},
    {"ddr-heap1-size-MiB", "CONCLAVE_DDR_HEAP1_SIZE_MIB",
     parse_number<&Config::ddr_heap1_bytes, 1, kMaxHeapMib, kMiB>,
     print_number<&Config::ddr_heap1_bytes, kMiB>},
    {"ddr-heap2-size-MiB", "CONCLAVE_DDR_HEAP2_SIZE_MIB",
     parse_number<&Config::ddr_heap2_bytes, 0, kMaxHeapMib, kMiB>,
     print_number<&Config::ddr_heap2_bytes, kMiB>},
    {"msmc-heap-size-KiB", "CONCLAVE_MSMC_HEAP_SIZE_KIB",
     parse_number<&Config::msmc_heap_bytes, 0, kMaxHeapMib * 1024, kKiB>,
     print_number<&Config::msmc_heap_bytes, kKiB>},
    {"compile-timeout-s", "CONCLAVE_COMPILE_TIMEOUT_S",
     parse_number<&Config::compile_timeout_s, 1, 7 * 24 * 3600>,
     print_number<&Config::compile_timeout_s>},
    {"build-options", "CONCLAVE_BUILD_OPTIONS", parse_build_options,
     print_text<&Config::build_options>},
    {"warm-compiler", "CONCLAVE_WARM_COMPILER", parse_switch<&Config::warm_compiler>,
     print_switch<&Config::warm_compiler>},
    {"compile-memory-mib", "CONCLAVE_COMPILE_MEMORY_MIB",
     parse_number<&Config::compile_memory_mib, Config::kLeastCompileMemoryMib,
                  Config::kMostCompileMemoryMib>,
     print_number<&Config::compile_memory_mib>},
    {"work-group-size-limit", "TI_OCL_WG_SIZE_LIMIT",
     parse_limit<&Config::work_group_size_limit, UINT32_MAX>,
     print_limit<&Config::work_group_size_limit, UINT32_MAX>},
    {"max-mem-alloc-size", "TI_OCL_LIMIT_DEVICE_MAX_MEM_ALLOC_SIZE",
     parse_limit<&Config::max_mem_alloc_size, UINT64_MAX>,
     print_limit<&Config::max_mem_alloc_size, UINT64_MAX>},
    {"printf-core-id", "TI_OCL_PRINTF_COREID", parse_switch<&Config::printf_core_id>,
     print_switch<&Config::printf_core_id>},
    {"cache", "CONCLAVE_CACHE", parse_switch<&Config::cache>, print_switch<&Config::cache>},
    {"cache-dir", "CONCLAVE_CACHE_DIR", parse_cache_dir, print_text<&Config::cache_dir>},
    {"cache-size-mib", "CONCLAVE_CACHE_SIZE_MIB",
     parse_number<&Config::cache_size_mib, 1, 1024 * 1024>, print_number<&Config::cache_size_mib>},
    {"cmem-block-offchip", nullptr, check_offchip_block, nullptr},
    {"cmem-block-onchip", nullptr, check_onchip_block, nullptr},
    {"eve-devices-disable", nullptr, check_integer, nullptr},
};

}  // namespace

std::span<const ConfigKey> config_keys() {
  return kKeys;
}

void list_all_units(Config& config) {
  config.compute_unit_list.resize(config.compute_units);
  std::iota(config.compute_unit_list.begin(), config.compute_unit_list.end(), 0u);
}

}  // namespace conclave
