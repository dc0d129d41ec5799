// SPDX-License-Identifier: Apache-2.0
// Work for which nobody waits, one job after the other, on a thread that exists while there are
// jobs.
#ifndef CONCLAVE_PLATFORM_EXEC_BACKGROUND_JOBS_H_
#define CONCLAVE_PLATFORM_EXEC_BACKGROUND_JOBS_H_

#include <atomic>
#include <functional>

namespace conclave {

class BackgroundJobs {
 public:
  // Throws nothing.
  using Job = std::function<void()>;

  // `thread_name`: at most 15 characters.
  constexpr explicit BackgroundJobs(const char* thread_name) : thread_name_(thread_name) {}

  // Without a thread to run it, the job is dropped. Throws std::bad_alloc.
  void add(Job job);

 private:
  struct Queue;
  Queue& queue();

  const char* thread_name_;
  // The one of this process: a forked child does not have the thread, and its mutex may be locked.
  // Never freed: the thread may work while static objects are destroyed.
  std::atomic<Queue*> queue_{nullptr};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_BACKGROUND_JOBS_H_
