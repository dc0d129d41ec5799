// SPDX-License-Identifier: Apache-2.0
#include "monitor/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "monitor/background.h"
#include "monitor/kept_segments.h"
#include "monitor/tenant_heaps.h"
#include "platform/base/clock.h"
#include "platform/base/descriptor_message.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/share/daemon_bell.h"
#include "platform/share/daemon_client.h"
#include "platform/share/heap.h"
#include "platform/share/process_identity.h"

namespace conclave::monitor {
namespace {

using share::Heap;
using share::Segment;

constexpr uint64_t kSecond = 1'000'000'000;
// Connections that have not asked for anything: how many a user may have, and how long each may
// take.
constexpr long kMostConnections = 16;
constexpr uint64_t kPatienceNs = kSecond;
// How many users without a process keep their segments, and how many users there may be.
constexpr size_t kMostUnused = 64;
constexpr size_t kMostClients = 512;
// TI's tools and recipes know the daemon by this file.
constexpr char kTiName[] = "/dev/shm/HeapManager";

sigset_t requests() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

// The configured group; -1 if there is none.
gid_t group_of(const Config& config) {
  const group* found =
      config.segment_group.empty() ? nullptr : getgrnam(config.segment_group.c_str());
  return found ? found->gr_gid : static_cast<gid_t>(-1);
}

std::string user_name(uid_t uid) {
  return "user-" + std::to_string(uid);
}

// Beside the daemon's own socket: "/run/conclave/HeapManager.metrics".
std::string metrics_path(const std::string& socket) {
  return socket.substr(0, socket.rfind('.')) + ".metrics";
}

}  // namespace

Config read_daemon_config(const std::string& file) {
  Config config = Config::read(Config::Sources::of_file(file));
  if (!config.segment_group.empty() && group_of(config) == static_cast<gid_t>(-1))
    for (const Config::Entry& entry : config.entries)
      if (entry.key == "segment-group")
        config.errors.push_back(entry.source + ": \"" + entry.value + "\": there is no such group");
  try {
    Quotas check(config.quotas);
  } catch (const std::invalid_argument& error) {
    for (const Config::Entry& entry : config.entries)
      if (entry.key == "quotas") config.errors.push_back(entry.source + ": " + error.what());
  }
  return config;
}

Daemon::Daemon(Config config, std::string file, const std::string& segment)
    : config_(std::move(config)), quotas_(config_.quotas), file_(std::move(file)), name_(segment) {
  if (name_.empty()) name_ = config_.segment;
  if (name_.empty()) name_ = share::kDefaultSegment;
}

Daemon::~Daemon() {
  for (auto& [name, client] : clients_) client->bell.reset();
}

void Daemon::start() {
  const sigset_t set = requests();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  timer_ = Descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  events_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  if (!signals_ || !timer_ || !events_)
    throw Error(CL_OUT_OF_RESOURCES,
                std::string("signals and timers cannot be had: ") + strerror(errno));
  watch_ = std::make_unique<ProcessWatch>();
  bridge_ = std::make_unique<StreamBridge>();
  socket_.emplace(name_, config_.segment_mode, group_of(config_));
  serve_metrics();
  for (const std::string& warning : config_.warnings) log::warn("configuration: " + warning);
  set_permissions();
  show_name();
  adopt_kept();
  for (int descriptor : {signals_.get(), timer_.get(), socket_->descriptor(), watch_->descriptor()})
    listen_to(descriptor);
}

void Daemon::listen_to(int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw Error(CL_OUT_OF_RESOURCES, std::string("cannot wait for events: ") + strerror(errno));
}

// Nobody is kept from the device because there are no metrics.
void Daemon::serve_metrics() {
  try {
    metrics_.emplace(metrics_path(socket_->path()), config_.metrics_port,
                     [this](std::optional<uid_t> user) { return metrics(user); });
  } catch (const Error& error) {
    log::error(error.text());
  }
}

void Daemon::set_permissions() {
  if (!socket_->set_permissions(config_.segment_mode, group_of(config_)))
    log::warn(socket_->path() + ": group and mode cannot be set: " + strerror(errno));
  if (metrics_ && !metrics_->set_permissions(config_.segment_mode, group_of(config_)))
    log::warn("metrics: group and mode cannot be set: " + std::string(strerror(errno)));
}

// The link is only for programs that look whether it exists.
void Daemon::show_name() const {
  if (name_ != share::kDefaultSegment || socket_->path() != share::system_socket(name_)) return;
  unlink(kTiName);
  if (symlink(socket_->path().c_str(), kTiName) != 0)
    log::warn("no link " + std::string(kTiName) + ": " + strerror(errno));
}

void Daemon::adopt_kept() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, file] : kept_by_service_manager()) {
    try {
      add({name, {}}, Segment::adopt(name_, std::move(file)));
      log::info("took back the segment of " + name);
    } catch (const Error& error) {
      log::warn(name + ": " + error.text());
    }
  }
}

// --- Users ---

Daemon::Holder Daemon::holder_for(const Peer& peer) const {
  const Quotas::Match match = quotas_.match(peer);
  for (const std::string& name : config_.sharing_groups) {
    const group* found = getgrnam(name.c_str());
    if (found && std::count(peer.groups.begin(), peer.groups.end(), found->gr_gid))
      return {"group-" + name, match.quota};
  }
  const std::string name = user_name(peer.uid);
  return {match.control_group.empty() ? name : name + " in " + match.control_group, match.quota};
}

Daemon::Client& Daemon::add(const Holder& holder, std::unique_ptr<Segment> segment) {
  const bool is_new = segment->layout().processes() == 0;
  auto client = std::make_unique<Client>(holder.name, std::move(segment), holder.quota);
  Client& added = *client;
  std::string key = holder.name;
  while (clients_.contains(key)) key += "+";
  clients_.emplace(key, std::move(client));
  apply_config(added);
  if (is_new) {  // nobody knows it yet, so nobody holds a lock
    configure_heaps(added.tenant, heap_sizes(config_, holder.quota));
    added.heaps_are_due = false;
  }
  arbiter_.add(added.tenant, holder.quota.compute_units, holder.quota.weight);
  device_users_.add(added.tenant);
  bridge_->add(added.tenant);
  watch_->look_at(added.tenant);
  look();
  added.bell =
      std::make_unique<Bell>(added.tenant.layout(), [this, &added] { answer_bell(added); });
  keep_with_service_manager(holder.name, added.tenant.segment().file());
  return added;
}

Daemon::Client& Daemon::client_for(const Peer& peer) {
  const Holder holder = holder_for(peer);
  if (const auto found = clients_.find(holder.name); found != clients_.end()) return *found->second;
  if (clients_.size() >= kMostClients) throw Error(CL_OUT_OF_RESOURCES, "too many users at once");
  return add(holder, Segment::make(name_, config_.shmem_size_kb));
}

Daemon::Client* Daemon::find(const Segment& segment) {
  for (auto& [name, client] : clients_)
    if (client->tenant.segment().inode() == segment.inode()) return client.get();
  return nullptr;
}

void Daemon::apply_config(Client& client) {
  share::Header& header = client.tenant.layout().header();
  const auto policy = config_.scheduler == Config::Scheduler::kFcfs ? share::Policy::kFcfs
                                                                    : share::Policy::kInterleave;
  header.daemon_pid.store(static_cast<uint32_t>(getpid()));
  header.policy.store(static_cast<uint32_t>(policy));
  header.time_slice_us.store(config_.time_slice_us);
  header.most_contexts.store(client.quota.contexts);
  arbiter_.set_policy(policy, uint64_t{1000} * config_.time_slice_us);
  device_users_.set_exclusion(config_.exclude_other_users);
  client.heaps_are_due = true;
}

// Runs on the bell's own thread. A client can keep only its own bell waiting.
void Daemon::answer_bell(Client& client) noexcept {
  try {
    std::vector<ProcessWatch::Dead> dead;
    std::optional<Heap::Sizes> sizes;
    {
      const std::lock_guard lock(mutex_);
      const uint32_t registrations = client.tenant.layout().header().registrations.load();
      if (std::exchange(client.registrations, registrations) != registrations)
        watch_->look_at(client.tenant);
      look();
      device_users_.look();
      dead = watch_->take_dead(client.tenant);
      if (std::exchange(client.heaps_are_due, false)) sizes = heap_sizes(config_, client.quota);
    }
    for (const ProcessWatch::Dead& one : dead) free_blocks(client.tenant, one);
    const uint32_t changes = client.tenant.graphs().end_changes.load();
    if (std::exchange(client.end_changes, changes) != changes || !dead.empty()) bridge_->look();
    if (sizes) configure_heaps(client.tenant, *sizes);
  } catch (const std::exception& error) {
    log::error(client.tenant.name() + ": " + error.what());
  }
}

void Daemon::look() {
  const uint64_t wait_ns = arbiter_.look();
  if (std::exchange(timer_ns_, wait_ns) == 0 && wait_ns == 0) return;
  itimerspec time{};
  time.it_value.tv_sec = static_cast<time_t>(wait_ns / kSecond);
  time.it_value.tv_nsec = static_cast<long>(wait_ns % kSecond);
  timerfd_settime(timer_.get(), 0, &time, nullptr);
}

// Reads mappings of its own, since a user may leave meanwhile, and reading may take a while.
std::vector<SegmentMetrics> Daemon::metrics(std::optional<uid_t> user) {
  const bool all = !user || *user == 0 || *user == geteuid();
  std::vector<std::pair<std::string, Descriptor>> files;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, client] : clients_)
      if (all || name == user_name(*user)) {
        const int file = client->tenant.segment().file().get();
        files.emplace_back(name, Descriptor(fcntl(file, F_DUPFD_CLOEXEC, 0)));
      }
  }
  std::vector<SegmentMetrics> metrics;
  for (auto& [name, file] : files) {
    try {
      metrics.emplace_back(name, *Segment::adopt(name, std::move(file)));
    } catch (const Error&) {
      // Its user has overwritten its header, and the others still want to be seen.
    }
  }
  return metrics;
}

std::vector<std::unique_ptr<Daemon::Client>> Daemon::take_unused(size_t keep) {
  std::vector<std::unique_ptr<Client>> unused;
  size_t count =
      static_cast<size_t>(std::count_if(clients_.begin(), clients_.end(), [](const auto& entry) {
        return entry.second->tenant.processes() == 0;
      }));
  for (auto next = clients_.begin(); count > keep && next != clients_.end();) {
    const auto entry = next++;
    Tenant& tenant = entry->second->tenant;
    if (tenant.processes() != 0) continue;
    drop_at_service_manager(tenant.name());
    watch_->forget(tenant);
    arbiter_.remove(tenant);
    device_users_.remove(tenant);
    bridge_->remove(tenant);
    tenant.leave();
    unused.push_back(std::move(entry->second));
    clients_.erase(entry);
    --count;
  }
  return unused;
}

// --- Connections ---

// Most have asked already. A user who connects and says nothing loses the oldest connection, so
// nobody keeps others out.
void Daemon::accept() {
  while (Descriptor socket = socket_->accept()) {
    const std::optional<Peer> peer = Peer::of(socket);
    if (!peer) continue;
    const int descriptor = socket.get();
    Connection connection{std::move(socket), *peer, now_ns()};
    if (answer(connection)) continue;
    drop_oldest_of_too_many(peer->uid);
    listen_to(descriptor);
    connections_[descriptor] = std::move(connection);
  }
}

void Daemon::drop_oldest_of_too_many(uid_t uid) {
  const auto theirs = [&](const auto& entry) { return entry.second.peer.uid == uid; };
  if (std::count_if(connections_.begin(), connections_.end(), theirs) < kMostConnections) return;
  const auto age_rank = [&](const auto& entry) {
    return std::pair(!theirs(entry), entry.second.since);
  };
  connections_.erase(std::ranges::min_element(connections_, {}, age_rank));
}

// False if nothing has been asked yet.
bool Daemon::answer(const Connection& connection) {
  share::DaemonRequest request;
  Descriptor attached;
  const ssize_t size = receive_message(connection.socket.get(), &request, sizeof request, attached);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (size < ssize_t{sizeof request}) return true;
  share::DaemonAnswer answer;
  int file = -1;
  std::vector<std::unique_ptr<Client>> unused;  // ends after the mutex is free
  {
    const std::lock_guard lock(mutex_);
    try {
      if (const Descriptor* granted = grant(connection.peer, request, std::move(attached)))
        file = granted->get();
      answer.granted = 1;
    } catch (const Error& error) {
      error.text().copy(answer.reason, sizeof answer.reason - 1);
    }
    send_message(connection.socket.get(), &answer, sizeof answer, file);
    unused = take_unused(kMostUnused);
  }
  return true;
}

// The segment for the peer; null: there is none. Throws Error with the reason if the peer must not
// have it.
const Descriptor* Daemon::grant(const Peer& peer, const share::DaemonRequest& request,
                                Descriptor attached) {
  if (request.version != share::kLayoutVersion)
    throw Error(CL_DEVICE_NOT_AVAILABLE,
                "ti-mctd is of another version than this program; start it again");
  if (peer.pid == 0 || request.pid_namespace != share::pid_namespace())
    throw Error(CL_DEVICE_NOT_AVAILABLE,
                "this process is in another pid namespace (container) than ti-mctd, which cannot "
                "watch it");
  switch (request.kind) {
    case share::DaemonRequest::kJoin:
      return &client_for(peer).tenant.segment().file();
    case share::DaemonRequest::kAdopt: {
      std::unique_ptr<Segment> segment = Segment::adopt(name_, std::move(attached));
      // A forged segment could be prepared only for the daemon, but there is no reason to look at
      // it.
      if (segment->maker() != geteuid())
        throw Error(CL_DEVICE_NOT_AVAILABLE, "no ti-mctd of this user has made this segment");
      if (Client* known = find(*segment)) return &known->tenant.segment().file();
      const Holder holder = holder_for(peer);
      log::info("adopted the segment of " + holder.name);
      return &add(holder, std::move(segment)).tenant.segment().file();
    }
    case share::DaemonRequest::kLook: {
      if (peer.uid != 0 && peer.uid != request.uid)
        throw Error(CL_DEVICE_NOT_AVAILABLE, "only root may look at another user's segment");
      const auto found = clients_.find(user_name(request.uid));
      return found == clients_.end() ? nullptr : &found->second->tenant.segment().file();
    }
  }
  throw Error(CL_DEVICE_NOT_AVAILABLE, "ti-mctd does not know this request");
}

void Daemon::drop_silent() {
  const uint64_t now = now_ns();
  std::erase_if(connections_,
                [&](const auto& entry) { return now - entry.second.since > kPatienceNs; });
}

// --- Serving ---

void Daemon::run() {
  for (;;) {
    epoll_event events[32];
    const int count = epoll_wait(events_.get(), events, 32, connections_.empty() ? -1 : 1000);
    if (count < 0 && errno != EINTR) break;
    for (int i = 0; i < count; ++i) {
      const int ready = events[i].data.fd;
      if (ready == signals_.get()) {
        if (!handle_signals()) return leave();
      } else if (ready == socket_->descriptor()) {
        accept();
      } else if (ready == watch_->descriptor()) {
        const std::lock_guard lock(mutex_);
        watch_->collect();
        look();
        device_users_.look(true);
      } else if (ready == timer_.get()) {
        uint64_t times;
        if (read(timer_.get(), &times, sizeof times) < 0) continue;
        const std::lock_guard lock(mutex_);
        look();
      } else if (const auto found = connections_.find(ready); found != connections_.end()) {
        if (answer(found->second)) connections_.erase(found);
      }
    }
    drop_silent();
  }
  leave();
}

// False if the daemon has to end.
bool Daemon::handle_signals() {
  signalfd_siginfo request;
  while (read(signals_.get(), &request, sizeof request) == sizeof request) {
    if (request.ssi_signo != SIGHUP) return false;
    reload();
  }
  return true;
}

void Daemon::reload() {
  Config config = read_daemon_config(file_);
  for (const std::string& error : config.errors) log::error("configuration: " + error);
  if (!config.errors.empty()) {
    log::error("the configuration stays as it was");
    return;
  }
  for (const std::string& warning : config.warnings) log::warn("configuration: " + warning);
  if (config.segment != config_.segment)
    log::warn("segment: ti-mctd has to be started again for this to have an effect");
  if (config.metrics_port != config_.metrics_port)
    log::warn("metrics-port: ti-mctd has to be started again for this to have an effect");
  config_ = std::move(config);
  quotas_ = Quotas(config_.quotas);
  set_permissions();
  std::vector<std::unique_ptr<Client>> unused;
  const std::lock_guard lock(mutex_);
  unused = take_unused(0);
  for (auto& [name, client] : clients_) {
    const uint64_t size_kb = client->tenant.segment().size() >> 10;
    if (size_kb != config_.shmem_size_kb)
      log::warn("linux-shmem-size-KB: the segment of " + name + " keeps its " +
                std::to_string(size_kb) + " KiB while a process uses it");
    apply_config(*client);
    share::ring_daemon(client->tenant.layout());
  }
  log::info("configuration read again");
}

// The segments stay with the processes that have them.
void Daemon::leave() {
  tell_service_manager("STOPPING=1");
  metrics_.reset();
  for (auto& [name, client] : clients_) client->bell.reset();
  bridge_.reset();
  for (auto& [name, client] : clients_) {
    client->tenant.layout().header().daemon_pid.store(0);
    client->tenant.leave();
  }
  clients_.clear();
  char target[256];
  const ssize_t size = readlink(kTiName, target, sizeof target);
  if (size > 0 && socket_->path() == std::string(target, static_cast<size_t>(size)))
    unlink(kTiName);
  socket_.reset();
  log::info("Graceful exit");
}

}  // namespace conclave::monitor
