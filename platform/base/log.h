// SPDX-License-Identifier: Apache-2.0
// Logging: silent by default. CONCLAVE_LOG=debug|info|warn|error turns it on, to stderr.
// CONCLAVE_LOG=syslog:debug and so on send it to syslog.
#ifndef CONCLAVE_PLATFORM_BASE_LOG_H_
#define CONCLAVE_PLATFORM_BASE_LOG_H_

#include <string_view>

namespace conclave::log {

// For a daemon, before the first message: everything from `info` on goes to syslog, facility
// DAEMON, as `program`, and with `to_stderr` also to stderr. CONCLAVE_LOG overrides that.
void serve_as(const char* program, bool to_stderr);

// Whether debug messages are wanted; check it before formatting one on a warm path.
bool debug_enabled() noexcept;

// None of these fails: a message that cannot be written, for lack of memory for example, is lost.
void debug(std::string_view text) noexcept;
void info(std::string_view text) noexcept;
void warn(std::string_view text) noexcept;
void error(std::string_view text) noexcept;

}  // namespace conclave::log

#endif  // CONCLAVE_PLATFORM_BASE_LOG_H_
