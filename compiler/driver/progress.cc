// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/progress.h"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace conclave::compiler {
namespace {

constexpr std::chrono::milliseconds kQuiet{1000}, kInterval{100};

// Not through a stream: its lock might be held in a process that is forked just then.
void tell(const std::string& text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)), thread_([this] { watch(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

void Progress::watch() {
  const char* told = nullptr;
  std::unique_lock lock(mutex_);
  for (auto pause = kQuiet; !over_.wait_for(lock, pause, [this] { return is_over_; });
       pause = kInterval) {
    const char* phase = phase_;
    if (phase && phase != told) tell("clocl: " + what_ + ": " + phase + "\n");
    told = phase;
  }
}

}  // namespace conclave::compiler
