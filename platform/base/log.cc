// SPDX-License-Identifier: Apache-2.0
#include "platform/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/syslog_sink.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <string>

namespace conclave::log {
namespace {

// Leaked on purpose: commands may still run, and log, while the host's static objects are
// destroyed.
spdlog::logger& logger() {
  static spdlog::logger* instance = [] {
    std::string_view wanted = std::getenv("CONCLAVE_LOG") ? std::getenv("CONCLAVE_LOG") : "off";
    spdlog::sink_ptr sink;
    if (wanted.starts_with("syslog:")) {
      wanted.remove_prefix(7);
      sink = std::make_shared<spdlog::sinks::syslog_sink_mt>("conclave", LOG_PID, LOG_USER, false);
    } else {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    }
    auto* created = new spdlog::logger("conclave", sink);
    created->set_pattern("conclave[%P]: %l: %v");
    created->set_level(spdlog::level::from_str(std::string(wanted)));
    created->flush_on(spdlog::level::debug);
    return created;
  }();
  return *instance;
}

}  // namespace

bool debug_enabled() {
  return logger().should_log(spdlog::level::debug);
}
void debug(std::string_view text) {
  logger().debug(text);
}
void info(std::string_view text) {
  logger().info(text);
}
void warn(std::string_view text) {
  logger().warn(text);
}
void error(std::string_view text) {
  logger().error(text);
}

}  // namespace conclave::log
