// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/semaphore_commands.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

#include "platform/exec/execution.h"
#include "platform/exec/semaphore_watch.h"

namespace conclave {
namespace {

constexpr uint64_t kEstimateNs = 500;

class SemaphoreWait : public Command, public Waiting {
 public:
  explicit SemaphoreWait(std::vector<Ref<Semaphore>> semaphores)
      : semaphores_(std::move(semaphores)) {}

  uint64_t estimate_ns() const override { return kEstimateNs; }
  void run(ComputeUnit&, uint64_t, uint64_t) override {
    while (!cancelled_.load() && taken_ < semaphores_.size() && semaphores_[taken_]->take())
      ++taken_;
    if (cancelled_.load()) throw execution::context_terminated();
  }
  Waiting* waiting() override { return taken_ < semaphores_.size() ? this : nullptr; }
  bool cancel() override {
    cancelled_.store(true);
    return true;
  }

  void begin_wait() override {}
  bool is_over() override { return cancelled_.load() || semaphores_[taken_]->is_signalled(); }
  bool park(std::function<void()> go_on) override {
    return SemaphoreWatch::get().park(*this, *semaphores_[taken_], std::move(go_on));
  }

 private:
  const std::vector<Ref<Semaphore>> semaphores_;
  size_t taken_ = 0;  // those before are taken
  std::atomic<bool> cancelled_{false};
};

class SemaphoreSignal : public Command {
 public:
  explicit SemaphoreSignal(std::vector<Ref<Semaphore>> semaphores)
      : semaphores_(std::move(semaphores)) {}

  uint64_t estimate_ns() const override { return kEstimateNs; }
  void run(ComputeUnit&, uint64_t, uint64_t) override {
    for (const Ref<Semaphore>& semaphore : semaphores_) semaphore->signal();
  }

 private:
  const std::vector<Ref<Semaphore>> semaphores_;
};

}  // namespace

std::unique_ptr<Command> make_semaphore_wait(std::vector<Ref<Semaphore>> semaphores) {
  return std::make_unique<SemaphoreWait>(std::move(semaphores));
}

std::unique_ptr<Command> make_semaphore_signal(std::vector<Ref<Semaphore>> semaphores) {
  return std::make_unique<SemaphoreSignal>(std::move(semaphores));
}

}  // namespace conclave
