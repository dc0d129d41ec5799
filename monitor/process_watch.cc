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
#include "platform/share/daemon_bell.h"

namespace conclave::monitor {

using share::Owner;
using share::ProcessIdentity;

ProcessWatch::ProcessWatch() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
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
  // It may have died before, and its number may be another process's.
  if (share::liveness(process) == share::Liveness::kDead) bury(tenant, owner);
}

void ProcessWatch::bury(Tenant& tenant, Owner owner) {
  const ProcessIdentity process = tenant.registry().identity(owner);
  std::erase_if(watched_, [&](const auto& entry) {
    return entry.second.tenant == &tenant && entry.second.owner == owner;
  });
  if (!tenant.registry().find(owner)) return;
  tenant.bury(owner);
  dead_.emplace(&tenant, Dead{owner, process});
}

std::vector<ProcessWatch::Dead> ProcessWatch::take_dead(Tenant& tenant) {
  std::vector<Dead> dead;
  const auto [first, last] = dead_.equal_range(&tenant);
  for (auto entry = first; entry != last; ++entry) dead.push_back(entry->second);
  dead_.erase(first, last);
  return dead;
}

void ProcessWatch::collect() {
  epoll_event events[16];
  const int count = epoll_wait(epoll_.get(), events, 16, 0);
  for (int i = 0; i < count; ++i) {
    const auto found = watched_.find(events[i].data.u64);
    if (found == watched_.end()) continue;
    Tenant& tenant = *found->second.tenant;
    bury(tenant, found->second.owner);
    share::ring_daemon(tenant.layout());
  }
}

void ProcessWatch::forget(Tenant& tenant) {
  dead_.erase(&tenant);
  std::erase_if(watched_, [&](const auto& entry) { return entry.second.tenant == &tenant; });
}

}  // namespace conclave::monitor
