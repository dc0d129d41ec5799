// SPDX-License-Identifier: Apache-2.0
#include "platform/check/findings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "platform/base/config.h"
#include "platform/base/descriptor.h"

namespace conclave::check {
namespace {

// Writes with one call, so that lines of several processes stay whole.
void write_whole(int descriptor, const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(descriptor, text.data(), text.size());
}

// The user has named the file. A FIFO gets as much as somebody reads from it.
void append_line(const std::string& file, const std::string& line) {
  const Descriptor descriptor(
      open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666));
  if (descriptor.get() >= 0) write_whole(descriptor.get(), line + "\n");
}

}  // namespace

Findings& Findings::get() {
  static auto* findings = new Findings;
  return *findings;
}

Findings::Findings() {
  std::atexit(write_counts);
}

bool Findings::is_new(FindingKind kind, const abi::CheckSite& site) {
  std::string where = site.text;
  where += '\0';
  where += site.text + where.size();  // the file behind the kernel
  std::lock_guard lock(mutex_);
  return ++counts_[{kind, where, site.line, site.column}] == 1;
}

void Findings::report(const Finding& finding, const Notify& notify) {
  const std::string text = "conclave: " + to_text(finding) + "\n";
  {
    std::lock_guard lock(mutex_);
    write_whole(STDERR_FILENO, text);
    const std::string& file = Config::get().check_json;
    if (!file.empty()) append_line(file, to_json(finding));
  }
  if (notify) notify(text);
  if (Config::get().check == Config::Check::kAbort) std::abort();
}

void Findings::write_counts() {
  Findings& self = get();
  std::lock_guard lock(self.mutex_);
  uint64_t times = 0;
  for (const auto& [place, count] : self.counts_) times += count;
  if (times == 0) return;
  const auto many = [](uint64_t count, const char* one, const char* several) {
    return count == 1 ? std::string(one) : std::to_string(count) + several;
  };
  write_whole(STDERR_FILENO, "conclave: " + many(self.counts_.size(), "1 finding", " findings") +
                                 ", seen " + many(times, "once", " times") + "\n");
}

}  // namespace conclave::check
