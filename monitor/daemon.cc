// SPDX-License-Identifier: Apache-2.0
#include "monitor/daemon.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "monitor/background.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/share/guardian.h"
#include "platform/share/heap.h"
#include "platform/share/leases.h"
#include "platform/share/registry.h"

namespace conclave::monitor {
namespace {

using share::Heap;
using share::Segment;

constexpr uint64_t kKiB = 1024;

sigset_t requests() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

// The configured group, or -1 where there is none.
gid_t group_of(const Config& config) {
  const group* found =
      config.segment_group.empty() ? nullptr : getgrnam(config.segment_group.c_str());
  return found ? found->gr_gid : static_cast<gid_t>(-1);
}

std::string in_words(const share::Registry::Recovered& recovered) {
  return std::to_string(recovered.blocks) + " blocks with " + std::to_string(recovered.bytes) +
         " bytes";
}

void log_collected(const share::ProcessIdentity& process,
                   const share::Registry::Recovered& recovered) {
  log::info("process " + std::to_string(process.pid) + " died; freed " + in_words(recovered));
}

// As the heaps would take them.
uint64_t rounded(uint64_t bytes, const Heap::Range& range) {
  return std::min(bytes, range.most) / Heap::kAlignment * Heap::kAlignment;
}

}  // namespace

Config read_daemon_config(const std::string& file) {
  Config config = Config::read(Config::Sources::of_file(file));
  if (!config.segment_group.empty() && group_of(config) == static_cast<gid_t>(-1))
    for (const Config::Entry& entry : config.entries)
      if (entry.key == "segment-group")
        config.errors.push_back(entry.source + ": \"" + entry.value + "\": there is no such group");
  return config;
}

Daemon::Daemon(Config config, std::string file, const std::string& segment)
    : config_(std::move(config)), file_(std::move(file)), name_(segment) {
  if (name_.empty()) name_ = config_.segment;
  if (name_.empty()) name_ = share::kSystemSegment;
}

void Daemon::start() {
  const sigset_t set = requests();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  removal_ = Descriptor(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!signals_ || !removal_)
    throw Error(CL_OUT_OF_RESOURCES,
                std::string("signals or files cannot be watched: ") + strerror(errno));
  take_segment();
  serve_segment();
}

void Daemon::take_segment() {
  const Segment::Options options = {.size_kb = config_.shmem_size_kb,
                                    .mode = static_cast<mode_t>(config_.segment_mode),
                                    .group = group_of(config_)};
  const auto open = [&] {
    bool made = false;
    std::unique_ptr<Segment> segment = Segment::open_or_create(name_, options, &made);
    auto lock = DaemonLock::take(*segment);
    if (!lock)
      throw Error(CL_DEVICE_NOT_AVAILABLE,
                  "already runs, for /dev/shm/" + name_ + ": process " +
                      std::to_string(segment->layout().header().daemon_pid.load()));
    lock_ = std::move(lock);
    segments_.push_back(std::move(segment));
    return made;
  };
  if (open()) return;
  const size_t users = living();
  if (users == 0 && current().layout().header().size.load() != options.size_kb * kKiB) {
    // Left by a daemon that was killed. A new one has room for as many processes as its size
    // allows.
    segments_.pop_back();
    Segment::remove(name_);
    open();
  } else {
    log::info("adopted /dev/shm/" + name_ + ", which " + std::to_string(users) +
              " living processes use");
  }
}

void Daemon::serve_segment() {
  current().layout().header().daemon_pid.store(static_cast<uint32_t>(getpid()));
  // Its number of names is an attribute of a file.
  const std::string path = "/dev/shm/" + name_;
  if (inotify_add_watch(removal_.get(), path.c_str(), IN_ATTRIB | IN_MOVE_SELF) < 0)
    log::warn(path + " cannot be watched: " + strerror(errno));
  apply_config();
  share::Guardian::start(current().layout(), true, log_collected);
}

void Daemon::apply_config() {
  for (const std::string& warning : config_.warnings) log::warn("configuration: " + warning);
  share::Header& header = current().layout().header();
  header.policy.store(static_cast<uint32_t>(config_.scheduler == Config::Scheduler::kFcfs
                                                ? share::Policy::kFcfs
                                                : share::Policy::kInterleave));
  header.time_slice_us.store(config_.time_slice_us);
  set_permissions();
  grow();
  configure_heaps();
}

void Daemon::set_permissions() {
  struct stat status = {};
  const int file = lock_->descriptor();
  const gid_t group = group_of(config_);
  fstat(file, &status);
  int error = 0;
  if (group != static_cast<gid_t>(-1) && group != status.st_gid)
    error = fchown(file, static_cast<uid_t>(-1), group) == 0 ? error : errno;
  if ((status.st_mode & 07777) != config_.segment_mode)
    error = fchmod(file, config_.segment_mode) == 0 ? error : errno;
  if (error) log::warn("/dev/shm/" + name_ + ": group and mode cannot be set: " + strerror(error));
}

void Daemon::grow() {
  const uint64_t size_kb = current().layout().header().size.load() / kKiB;
  if (config_.shmem_size_kb < size_kb)
    log::warn("linux-shmem-size-KB: /dev/shm/" + name_ + " keeps its " + std::to_string(size_kb) +
              " KiB until ti-mctd is started while no process uses it");
  try {
    current().grow(config_.shmem_size_kb);
  } catch (const Error& error) {
    log::warn(error.text());
  }
}

void Daemon::configure_heaps() {
  const Heap::Sizes sizes = {
      {config_.ddr_heap1_bytes, config_.ddr_heap2_bytes, config_.msmc_heap_bytes}};
  Heap heap(current().layout());
  bool same = true;
  std::string words;
  for (uint32_t i = 0; i < share::kHeapNames.size(); ++i) {
    const uint64_t bytes = rounded(sizes.bytes[i], Heap::kRanges[i]);
    same &= heap.size(static_cast<share::HeapId>(i)) == bytes;
    words +=
        std::string(i ? ", " : "") + share::kHeapNames[i] + " " + std::to_string(bytes) + " bytes";
  }
  if (same) return;
  try {
    if (heap.configure(sizes))
      log::info("heaps created: " + words);
    else
      log::warn(
          "the heaps keep their sizes while there is something in them; SIGHUP after that "
          "makes them: " +
          words);
  } catch (const Error& error) {
    log::warn("the heaps keep their sizes: " + error.text());
  }
}

void Daemon::run() {
  for (;;) {
    replace_removed();  // perhaps before it was watched
    pollfd events[] = {{signals_.get(), POLLIN, 0}, {removal_.get(), POLLIN, 0}};
    if (poll(events, 2, -1) < 0 && errno != EINTR) break;
    signalfd_siginfo request;
    while (read(signals_.get(), &request, sizeof request) == sizeof request) {
      if (request.ssi_signo != SIGHUP) return leave();
      reload();
    }
    alignas(inotify_event) char happened[4096];
    while (read(removal_.get(), happened, sizeof happened) > 0) {
    }
  }
  leave();
}

void Daemon::reload() {
  Config config = read_daemon_config(file_);
  for (const std::string& error : config.errors) log::error("configuration: " + error);
  if (!config.errors.empty()) {
    log::error("the configuration stays as it was");
    return;
  }
  if (config.segment != config_.segment)
    log::warn("segment: ti-mctd has to be started again for this to have an effect");
  config_ = std::move(config);
  apply_config();
  log::info("configuration read again");
}

void Daemon::replace_removed() {
  while (current().removed()) {
    log::warn("somebody removed /dev/shm/" + name_ +
              "; processes that have it go on, and share the device among themselves only");
    try {
      current().layout().header().daemon_pid.store(0);
      take_segment();
      serve_segment();
    } catch (const Error& error) {
      log::error(error.text());
      return;
    }
  }
}

size_t Daemon::living() {
  share::Registry registry(current().layout());
  try {
    const auto recovered = registry.remove_dead();
    if (recovered.blocks) log::info("freed " + in_words(recovered) + " of dead processes");
  } catch (const Error& error) {
    log::warn(error.text());
  }
  const auto everybody = registry.everybody();
  return static_cast<size_t>(
      std::count_if(everybody.begin(), everybody.end(), [&](share::Owner owner) {
        return liveness(registry.identity(owner)) != share::Liveness::kDead;
      }));
}

void Daemon::leave() {
  tell_service_manager("STOPPING=1");
  const size_t users = living();
  current().layout().header().daemon_pid.store(0);
  if (users)
    log::info("/dev/shm/" + name_ + " stays for " + std::to_string(users) + " living processes");
  else if (!current().removed())
    Segment::remove(name_);
  log::info("Graceful exit");
}

}  // namespace conclave::monitor
