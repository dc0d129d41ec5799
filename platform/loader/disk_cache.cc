// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "conclave/compile_protocol.h"
#include "platform/base/log.h"
#include "platform/base/private_directory.h"
#include "platform/base/replace_file.h"
#include "platform/base/safe_file.h"
#include "platform/loader/content_hash.h"

namespace conclave {
namespace {

constexpr std::string_view kMagic = "conclave program cache 1\n";
constexpr size_t kHashDigits = 32;
constexpr size_t kMaxEntry = size_t{1} << 30;       // bytes
constexpr size_t kMaxDependency = size_t{1} << 30;  // bytes
constexpr time_t kTouchAfter = 60;       // seconds; the time of use need not be more exact
constexpr time_t kStaleAfter = 60 * 60;  // seconds; no writer takes that long
constexpr unsigned kTrimInterval = 16;   // stores

void debug(const std::string& text) {
  if (log::debug_enabled()) log::debug("program cache: " + text);
}

// Another descriptor of the directory, with its own position; -1 on failure.
int open_again(int directory) {
  return openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

std::string encode(const DiskCache::Entry& entry) {
  protocol::Writer writer;
  writer.put(uint64_t{entry.dependencies.size()});
  for (const auto& [path, hash] : entry.dependencies) {
    writer.put(path);
    writer.put(hash);
  }
  writer.put(entry.log);
  writer.put(entry.binary);
  return writer.body();
}

// Throws std::runtime_error if the body is too short.
DiskCache::Entry decode(std::string_view body) {
  protocol::Reader reader(body);
  DiskCache::Entry entry;
  for (uint64_t n = reader.u64(); n > 0; --n) {
    std::string path = reader.text();
    entry.dependencies.emplace_back(std::move(path), reader.text());
  }
  entry.log = reader.text();
  entry.binary = reader.text();
  return entry;
}

// The checksum covers the key, so an entry under a wrong name does not count.
std::string checksum(const std::string& key, std::string_view body) {
  FieldHasher hasher;
  hasher.add(key);
  hasher.add(body);
  return hasher.result();
}

bool is_current(const Dependency& dependency) {
  std::string why, content;
  const Descriptor file = open_named_file(dependency.path, why);
  return file && read_file(file.get(), kMaxDependency, content) &&
         content_hash(content) == dependency.hash;
}

void touch(int directory, const std::string& name) {
  struct stat status;
  if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      status.st_mtime + kTouchAfter < time(nullptr))
    utimensat(directory, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

// The name of a new file, which no other writer of this entry uses, whatever container it runs in.
std::string fresh_name(const std::string& key) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
    random = static_cast<uint64_t>(getpid());
  return key + "." + std::to_string(random) + ".tmp";
}

bool is_key(std::string_view name) {
  return name.size() == kHashDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The regular files of a directory with their status.
template <class Visit>
void for_each_file(int descriptor, Visit visit) {
  const int again = open_again(descriptor);
  DIR* directory = again < 0 ? nullptr : fdopendir(again);
  if (!directory) {
    if (again >= 0) close(again);
    return;
  }
  while (const dirent* item = readdir(directory)) {
    struct stat status;
    if (fstatat(dirfd(directory), item->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode))
      visit(std::string(item->d_name), status);
  }
  closedir(directory);
}

}  // namespace

DiskCache::DiskCache(const std::string& path, uint64_t size_limit) : size_limit_(size_limit) {
  if (path.empty()) return;
  if (access(path.c_str(), F_OK) != 0) make_directories(path);
  directory_ = open_private_directory(path, refusal_);
  if (directory_) return;
  // Once is enough: each build opens the cache.
  static std::atomic_flag told;
  if (!told.test_and_set()) log::warn("program cache: not used: " + refusal_);
}

std::optional<DiskCache::Entry> DiskCache::find(const std::string& key) const {
  using State = Finding::State;
  Finding found = inspect(key);
  if (found.state == State::kUsable) {
    touch(directory(), key);
    return std::move(found.entry);
  }
  if (found.state != State::kNone) debug("entry " + key + ": " + found.why);
  if (found.state == State::kDamaged) remove(key);
  return std::nullopt;
}

DiskCache::Finding DiskCache::inspect(const std::string& key) const {
  using State = Finding::State;
  std::string why, content;
  const Descriptor file = open_own_file(directory(), key, O_RDONLY, why);
  if (!file) return {State::kNone, why, {}};
  if (!read_file(file.get(), kMaxEntry, content)) return {State::kNone, strerror(errno), {}};
  const std::string_view all = content;
  const size_t body_at = kMagic.size() + kHashDigits;
  if (all.size() < body_at || !all.starts_with(kMagic) ||
      all.substr(kMagic.size(), kHashDigits) != checksum(key, all.substr(body_at)))
    return {State::kDamaged, "wrong checksum", {}};
  try {
    Finding found{State::kUsable, "", decode(all.substr(body_at))};
    for (const auto& dependency : found.entry.dependencies) {
      if (is_current(dependency)) continue;
      found.state = State::kOutOfDate;
      found.why = dependency.path + " has changed";
      break;
    }
    return found;
  } catch (const std::bad_alloc&) {  // the entry may be fine
    throw;
  } catch (const std::exception& error) {
    return {State::kDamaged, error.what(), {}};
  }
}

bool DiskCache::remove(const std::string& key) const {
  return unlinkat(directory(), key.c_str(), 0) == 0;
}

void DiskCache::store(const std::string& key, const Entry& entry) const {
  if (!directory_) return;
  const std::string body = encode(entry);
  const std::string head = std::string(kMagic) + checksum(key, body);
  if (head.size() + body.size() > std::min<uint64_t>(size_limit_, kMaxEntry)) {
    debug("entry " + key + " is too large: " + std::to_string(body.size()) + " bytes");
    return;
  }
  std::string why;
  if (!replace_file(directory(), key, fresh_name(key), {head, body}, why))
    debug("entry " + key + " cannot be written: " + why);
  static std::atomic<unsigned> stores{0};
  if (stores.fetch_add(1) % kTrimInterval == 0) trim();
}

void DiskCache::Lock::release() {
  if (!file_) return;
  // Only the holder removes the file. A process that waits for it notices that and makes a new one.
  if (directory_.is_ours()) unlinkat(directory_.get(), name_.c_str(), 0);
  // Not left to close(): a child that the host forked meanwhile has the same open file.
  if (file_.is_ours()) flock(file_.get(), LOCK_UN);
  file_.close();
}

DiskCache::Lock DiskCache::lock(const std::string& key, std::chrono::milliseconds limit) const {
  using Clock = std::chrono::steady_clock;
  if (!directory_) return {};
  const std::string name = key + ".lock";
  const auto deadline = Clock::now() + limit;
  auto pause = std::chrono::microseconds(200);
  bool waited = false;
  for (;;) {
    Descriptor file = open_lock(name);
    if (!file) return {};
    while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if ((errno != EWOULDBLOCK && errno != EINTR) || !file.is_ours()) return {};
      waited = true;
      // The entry is there. Nobody needs the lock, and without it all are served sooner.
      if (faccessat(directory(), key.c_str(), F_OK, 0) == 0) return {};
      if (Clock::now() >= deadline) {
        debug("gave up waiting for another process to build " + key);
        return {};
      }
      std::this_thread::sleep_for(pause);
      pause = std::min<std::chrono::microseconds>(pause * 3 / 2, std::chrono::milliseconds(10));
    }
    // The former holder may have removed the file; then this lock means nothing.
    if (is_named(file, name))
      return Lock(Descriptor(open_again(directory())), name, std::move(file), waited);
    if (Clock::now() >= deadline) return {};
  }
}

DiskCache::Lock DiskCache::wait_for_turn(const std::string& turn) const {
  const std::string name = turn + ".lock";
  for (;;) {
    Descriptor file = open_lock(name);
    if (!file) return {};
    while (flock(file.get(), LOCK_EX) != 0)
      if (errno != EINTR) return {};
    if (is_named(file, name))
      return Lock(Descriptor(open_again(directory())), name, std::move(file), true);
  }
}

Descriptor DiskCache::open_lock(const std::string& name) const {
  std::string why;
  Descriptor file = open_own_file(directory(), name, O_RDWR | O_CREAT, why);
  if (!file) debug(name + ": " + why);
  return file;
}

bool DiskCache::is_named(const Descriptor& file, const std::string& name) const {
  struct stat held, named;
  return fstat(file.get(), &held) == 0 &&
         fstatat(directory(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

std::vector<DiskCache::Item> DiskCache::items() const {
  std::vector<Item> items;
  for_each_file(directory(), [&](const std::string& name, const struct stat& status) {
    if (is_key(name))
      items.push_back({name, static_cast<uint64_t>(status.st_size), status.st_mtim});
  });
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  return items;
}

// Removes what writers left that crashed long ago.
void DiskCache::remove_stale_files() const {
  const time_t now = time(nullptr);
  for_each_file(directory(), [&](const std::string& name, const struct stat& status) {
    if (status.st_mtime + kStaleAfter >= now) return;
    if (name.ends_with(".tmp")) unlinkat(directory(), name.c_str(), 0);
    // Taking a lock makes sure that nobody holds it; releasing it removes it.
    if (name.ends_with(".lock"))
      lock(name.substr(0, name.size() - 5), std::chrono::milliseconds(0));
  });
}

void DiskCache::trim() const {
  if (!directory_) return;
  remove_stale_files();
  const std::vector<Item> all = items();
  uint64_t total = 0;
  for (const Item& item : all) total += item.bytes;
  if (total <= size_limit_) return;
  // Makes some room below the limit, so that not every store has to make room again.
  for (const Item& item : all) {
    if (total <= size_limit_ - size_limit_ / 8) break;
    if (remove(item.key)) total -= item.bytes;
  }
}

}  // namespace conclave
