// SPDX-License-Identifier: Apache-2.0
// Watches for the commands of this process that wait for semaphores. A signal given in this process
// lets them continue at once. For those of semaphores that other processes can signal, one thread
// sleeps on the words of all of them; while there are none it sleeps on a word of its own.
#ifndef CONCLAVE_PLATFORM_EXEC_SEMAPHORE_WATCH_H_
#define CONCLAVE_PLATFORM_EXEC_SEMAPHORE_WATCH_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "platform/base/object.h"
#include "platform/exec/waiting.h"
#include "platform/model/semaphore.h"

namespace conclave {

class SemaphoreWatch {
 public:
  static SemaphoreWatch& get();

  // Arranges that `go_on`, which throws nothing, is called when `waiting`, a wait for `semaphore`,
  // is over. Returns false and does nothing if it is over already. Throws
  // Error{CL_OUT_OF_RESOURCES} if no thread can be had.
  bool park(Waiting& waiting, Semaphore& semaphore, std::function<void()> go_on);

  // Lets those continue whose wait is over. Called after whatever may end one.
  void look();

 private:
  struct Parked {
    Waiting* waiting;
    Ref<Semaphore> semaphore;
    std::function<void()> go_on;
    bool is_shared() const { return semaphore->sharing() != Semaphore::Sharing::kPrivate; }
  };
  using Semaphores = std::vector<Ref<Semaphore>>;

  void ensure_thread();
  void watch();
  bool has_shared() const;
  std::vector<Parked> take_over();
  void sleep(const Semaphores& semaphores, uint32_t bell);

  std::atomic<uint32_t> bell_{0};
  std::atomic<size_t> waits_{0};  // how many are parked, or about to be
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Parked> parked_;
  bool has_thread_ = false;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_SEMAPHORE_WATCH_H_
