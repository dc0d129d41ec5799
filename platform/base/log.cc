// SPDX-License-Identifier: Apache-2.0
#include "platform/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/syslog_sink.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <string>

namespace conclave::log {
namespace {

// Null: not a daemon.
const char* g_daemon = nullptr;
bool g_daemon_to_stderr = false;

// Leaked on purpose: commands may still run, and log, while the host's static objects are
// destroyed.
spdlog::logger& logger() {
  static spdlog::logger* instance = [] {
    std::string_view wanted = g_daemon ? "info" : "off";
    if (const char* given = std::getenv("CONCLAVE_LOG")) wanted = given;
    spdlog::sink_ptr sink;
    if (g_daemon) {
      const int options = LOG_PID | LOG_NDELAY | (g_daemon_to_stderr ? LOG_PERROR : 0);
      if (wanted.starts_with("syslog:")) wanted.remove_prefix(7);
      sink = std::make_shared<spdlog::sinks::syslog_sink_mt>(g_daemon, options, LOG_DAEMON, false);
    } else if (wanted.starts_with("syslog:")) {
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

void write(spdlog::level::level_enum level, std::string_view text) noexcept {
  try {
    logger().log(level, text);
  } catch (const std::exception&) {
  }
}

}  // namespace

void serve_as(const char* program, bool to_stderr) {
  g_daemon = program;
  g_daemon_to_stderr = to_stderr;
}

bool debug_enabled() noexcept {
  try {
    return logger().should_log(spdlog::level::debug);
  } catch (const std::exception&) {
    return false;
  }
}
void debug(std::string_view text) noexcept {
  write(spdlog::level::debug, text);
}
void info(std::string_view text) noexcept {
  write(spdlog::level::info, text);
}
void warn(std::string_view text) noexcept {
  write(spdlog::level::warn, text);
}
void error(std::string_view text) noexcept {
  write(spdlog::level::err, text);
}

}  // namespace conclave::log
