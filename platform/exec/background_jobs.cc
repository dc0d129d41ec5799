// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/background_jobs.h"

#include <unistd.h>

#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "platform/base/background_thread.h"
#include "platform/base/log.h"

namespace conclave {

struct BackgroundJobs::Queue {
  const pid_t pid = getpid();
  std::mutex mutex;
  std::deque<Job> jobs;
  bool is_working = false;

  Job next() {
    const std::lock_guard lock(mutex);
    if (jobs.empty()) {
      is_working = false;
      return {};
    }
    Job job = std::move(jobs.front());
    jobs.pop_front();
    return job;
  }

  void work() {
    while (const Job job = next()) job();
  }
};

BackgroundJobs::Queue& BackgroundJobs::queue() {
  Queue* queue = queue_.load(std::memory_order_acquire);
  while (!queue || queue->pid != getpid()) {
    auto fresh = std::make_unique<Queue>();
    if (queue_.compare_exchange_strong(queue, fresh.get())) return *fresh.release();
  }
  return *queue;
}

void BackgroundJobs::add(Job job) {
  Queue& queue = this->queue();
  const std::lock_guard lock(queue.mutex);
  queue.jobs.push_back(std::move(job));
  if (queue.is_working) return;
  try {
    start_background_thread<&Queue::work>(thread_name_, &queue, {.stack_bytes = 0});
    queue.is_working = true;
  } catch (const std::exception& error) {
    queue.jobs.clear();  // the machine has other problems
    log::debug(error.what());
  }
}

}  // namespace conclave
