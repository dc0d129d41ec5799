// SPDX-License-Identifier: Apache-2.0
#include "platform/share/guardian.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "platform/base/background_thread.h"
#include "platform/base/clock.h"
#include "platform/base/descriptor.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/base/process_fence.h"
#include "platform/share/segment_lock.h"

namespace conclave::share {
namespace {

// How often to look at a process if the system does not let us wait for it.
constexpr useconds_t kLookUs = 100'000;

// Keeps a thread to a tenth of a CPU, however often the segment announces a new process. The tenth
// holds over kMemoryNs: a process that has just come must not wait for its watcher's rest, or its
// death in the meantime is seen late.
class TenthOfCpu {
 public:
  // How long to rest before the next work, after some that took `worked` ns.
  uint64_t rest_ns(uint64_t worked) {
    const uint64_t now = now_ns();
    covered_until_ = std::max(covered_until_, now - std::min(now, kMemoryNs)) + 10 * worked;
    return covered_until_ > now ? covered_until_ - now : 0;
  }

 private:
  static constexpr uint64_t kMemoryNs = 100'000'000;
  uint64_t covered_until_ = 0;  // what was worked so far is a tenth of the time until then
};

// Two threads: one opens a pidfd for each process that enters the table, the other waits for their
// ends. The first one takes the lock before, unless it always watches.
class Watch {
 public:
  Watch(const Layout& layout, bool always, Guardian::Notify notify)
      : layout_(layout),
        registry_(layout),
        always_(always),
        notify_(std::move(notify)),
        has_fence_(register_process_fence_at_once()) {}

  [[noreturn]] void follow_registrations() {
    // By a thread of its own: while it takes its 20 ms, processes end.
    if (!has_fence_)
      until_done([&] { start_background_thread<&Watch::register_fence>("conclave-fence", this); });
    if (!always_) until_done([&] { become_guardian(); });
    until_done([&] { open_epoll(); });
    until_done([&] { start_background_thread<&Watch::wait_for_ends>("conclave-watch", this); });
    Atomic<uint32_t>& registrations = layout_.header().registrations;
    for (;;) {
      const uint32_t seen = registrations.load();
      const uint64_t start = thread_cpu_ns();
      until_done([&] { watch_everybody(); });
      const uint64_t worked = thread_cpu_ns() - start;
      syscall(SYS_futex, &registrations, FUTEX_WAIT, seen, nullptr, nullptr, 0);
      const uint64_t rest = limit_.rest_ns(worked);
      // Even a sleep of no length takes the system's timer slack.
      if (rest > 0) usleep(static_cast<useconds_t>(rest / 1000));
    }
  }

 private:
  // Tries again what fails for lack of memory, descriptors or threads, since nobody else does this
  // work.
  template <class Function>
  static void until_done(Function function) {
    for (;; usleep(kLookUs)) {
      try {
        return function();
      } catch (const std::exception& error) {
        log::error(error.what());
      }
    }
  }

  void register_fence() { register_process_fence(); }

  // The lock is held for ever and protects no data. A process that wants it waits for the holder's
  // end.
  void become_guardian() {
    Atomic<uint64_t>& lock = layout_.header().guardian;
    for (;;) {
      const LockWord seen = LockWord::of(lock.load());
      // A holder with this pid is what this process was before it called execve().
      if (seen.holder && seen.holder != LockWord::self() && wait_for_end(seen)) continue;
      if (SegmentLock::seize(lock, seen)) return;
    }
  }

  // False if the holder has ended already.
  static bool wait_for_end(const LockWord& holder) {
    const Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, holder.pid(), 0)));
    // Before the pidfd was open the number may have been another process's.
    if (holder.liveness() == Liveness::kDead) return false;
    pollfd end{pidfd.get(), POLLIN, 0};
    if (pidfd)
      poll(&end, 1, -1);
    else
      usleep(kLookUs);
    return true;
  }

  void open_epoll() {
    std::lock_guard lock(mutex_);
    watched_.clear();
    epoll_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
    if (!epoll_)
      throw Error(CL_OUT_OF_RESOURCES,
                  std::string("cannot watch processes: no epoll descriptor: ") + strerror(errno));
  }

  // Looks at everybody in the table, and makes sure that there is one descriptor for each living
  // process, however many entries name it.
  void watch_everybody() {
    std::set<pid_t> present;
    note_daemon();
    for (Owner owner : registry_.everybody()) {
      const ProcessIdentity process = registry_.identity(owner);
      if (process.pid == getpid()) continue;
      watch(process.pid);
      // It may have died before, or its number may be another process's now.
      if (liveness(process) != Liveness::kDead) {
        present.insert(process.pid);
        continue;
      }
      if (!present.contains(process.pid)) forget(process.pid);
      bury(owner);
    }
    std::lock_guard lock(mutex_);
    std::erase_if(watched_, [&](const auto& watched) { return !present.contains(watched.first); });
  }

  // An entry that names a process of another user is not believed, unless the daemon reads it.
  // Without a daemon no process of that user can have made the entry. The process may be the daemon
  // itself, which has ends of streams.
  bool may_watch(pid_t pid) const {
    struct stat status;
    return always_ || pid == daemon_.load() ||
           (stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0 &&
            status.st_uid == geteuid());
  }

  // There is one daemon at a time, whatever the segment says.
  void note_daemon() {
    const Owner daemon = Owner::from_bits(layout_.header().daemon.load());
    const pid_t pid = registry_.identity(daemon).pid;
    if (const pid_t former = daemon_.exchange(pid); former != pid) forget(former);
  }

  void watch(pid_t pid) {
    std::lock_guard lock(mutex_);
    if (watched_.contains(pid) || !may_watch(pid)) return;
    Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (pidfd.get() < 0) {
      if (errno != ESRCH)
        log::warn("cannot watch process " + std::to_string(pid) + ": " + strerror(errno));
      return;
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = static_cast<uint32_t>(pid);
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, pidfd.get(), &event) != 0)
      log::warn("cannot watch process " + std::to_string(pid) + ": " + strerror(errno));
    const uint64_t start_time = start_time_of(pid, pidfd);
    watched_.emplace(pid, Watched{std::move(pidfd), start_time});
  }

  // 0 if the process has ended: the number may now be another process's.
  static uint64_t start_time_of(pid_t pid, const Descriptor& pidfd) {
    const uint64_t start_time = identity_of(pid).start_time;
    pollfd end{pidfd.get(), POLLIN, 0};
    return poll(&end, 1, 0) == 0 ? start_time : 0;
  }

  void forget(pid_t pid) {
    std::lock_guard lock(mutex_);
    watched_.erase(pid);
  }

  // Process `pid` has ended. Others wait for what it had, so an entry that names the very process
  // that was watched is removed without asking the system again.
  void bury_all_of(pid_t pid) {
    const uint64_t ended = watched_since(pid);
    for (Owner owner : registry_.everybody()) {
      const ProcessIdentity process = registry_.identity(owner);
      if (process.pid != pid) continue;
      const bool is_it = ended != 0 && process.start_time == ended;
      if (is_it || liveness(process) == Liveness::kDead) bury(owner);
    }
    forget(pid);
  }

  // The start time of the process of that number that is watched; 0: not known.
  uint64_t watched_since(pid_t pid) {
    std::lock_guard lock(mutex_);
    const auto found = watched_.find(pid);
    return found == watched_.end() ? 0 : found->second.start_time;
  }

  void bury(Owner owner) {
    const ProcessIdentity process = registry_.identity(owner);
    try {
      if (!registry_.find(owner)) return;
      const Registry::Recovered recovered = registry_.remove(owner);
      if (notify_) notify_(process, recovered);
    } catch (const std::exception& error) {
      log::error(error.what());
    }
  }

  [[noreturn]] void wait_for_ends() {
    for (;;) {
      epoll_event events[16];
      const int count = epoll_wait(epoll_.get(), events, 16, -1);
      if (count < 0 && errno != EINTR) {  // the host has closed our descriptors
        until_done([&] {
          open_epoll();
          watch_everybody();
        });
      }
      for (int i = 0; i < count; ++i) bury_all_of(static_cast<pid_t>(events[i].data.u32));
    }
  }

  const Layout layout_;
  Registry registry_;
  const bool always_;
  const Guardian::Notify notify_;
  const bool has_fence_;
  TenthOfCpu limit_;
  std::mutex mutex_;
  Descriptor epoll_;
  struct Watched {
    Descriptor pidfd;
    uint64_t start_time;  // 0: not known
  };
  std::map<pid_t, Watched> watched_;
  std::atomic<pid_t> daemon_{0};
};

}  // namespace

void Guardian::start(const Layout& layout, bool always, Notify notify) {
  auto watch = std::make_unique<Watch>(layout, always, std::move(notify));
  start_background_thread<&Watch::follow_registrations>("conclave-guard", watch.get());
  (void)watch.release();  // the threads own it from now on
}

void Guardian::start_once(const Layout& layout) noexcept {
  static std::mutex mutex;
  static const void* watched = nullptr;
  static pid_t by = 0;
  const std::lock_guard lock(mutex);
  if (watched == &layout.header() && by == getpid()) return;
  watched = &layout.header();
  by = getpid();
  try {
    start(layout, false);
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

}  // namespace conclave::share
