// SPDX-License-Identifier: Apache-2.0
#include "monitor/process_watch.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/base/log.h"

namespace conclave::monitor {

using share::Owner;
using share::ProcessIdentity;

ProcessWatch::ProcessWatch(Notify notify)
    : notify_(std::move(notify)), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_)
    throw Error(CL_OUT_OF_RESOURCES, std::string("cannot watch processes: ") + strerror(errno));
}

bool ProcessWatch::is_watched(const Tenant& tenant, Owner owner, pid_t pid) const {
  return std::any_of(watched_.begin(), watched_.end(), [&](const auto& entry) {
    const Watched& watched = entry.second;
    return watched.tenant == &tenant && (watched.owner == owner || watched.pid == pid);
  });
}

void ProcessWatch::look_at(Tenant& tenant) {
  std::erase_if(watched_, [&](const auto& entry) {  // those who have left
    return entry.second.tenant == &tenant && !tenant.registry().find(entry.second.owner);
  });
  for (Owner owner : tenant.registry().everybody()) {
    const ProcessIdentity process = tenant.registry().identity(owner);
    if (process.pid == getpid()) continue;
    if (share::liveness(process) == share::Liveness::kDead)
      bury(tenant, owner);
    else if (process.start_time && !is_watched(tenant, owner, process.pid))
      watch(tenant, owner, process);
  }
}

void ProcessWatch::watch(Tenant& tenant, Owner owner, const ProcessIdentity& process) {
  Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = next_;
  if (!pidfd || epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, pidfd.get(), &event) != 0) {
    log::warn("cannot watch process " + std::to_string(process.pid) + ": " + strerror(errno));
    return;
  }
  watched_.emplace(next_++, Watched{&tenant, owner, process.pid, std::move(pidfd)});
  // It may have died before, and its number be another's.
  if (share::liveness(process) == share::Liveness::kDead) bury(tenant, owner);
}

void ProcessWatch::bury(Tenant& tenant, Owner owner) {
  const ProcessIdentity process = tenant.registry().identity(owner);
  std::erase_if(watched_, [&](const auto& entry) {
    return entry.second.tenant == &tenant && entry.second.owner == owner;
  });
  if (!tenant.registry().find(owner)) return;
  notify_(process, tenant.registry().remove(owner));
}

void ProcessWatch::collect() {
  epoll_event events[16];
  const int count = epoll_wait(epoll_.get(), events, 16, 0);
  for (int i = 0; i < count; ++i) {
    const auto found = watched_.find(events[i].data.u64);
    if (found != watched_.end()) bury(*found->second.tenant, found->second.owner);
  }
}

void ProcessWatch::forget(Tenant& tenant) {
  std::erase_if(watched_, [&](const auto& entry) { return entry.second.tenant == &tenant; });
}

size_t ProcessWatch::living(const Tenant& tenant) const {
  return static_cast<size_t>(
      std::count_if(watched_.begin(), watched_.end(),
                    [&](const auto& entry) { return entry.second.tenant == &tenant; }));
}

}  // namespace conclave::monitor
