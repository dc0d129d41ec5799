// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "conclave/compile_protocol.h"
#include "platform/base/log.h"
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

// Makes the directory and those above it; those that exist are left as they are.
void make_directories(const std::string& path) {
  for (size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1))
    mkdir(path.substr(0, end).c_str(), 0777);
  mkdir(path.c_str(), 0700);
}

// Code that others could have put there would be run: only a directory that nobody else can write
// is used. Returns why this one is not; "" where it is.
std::string refuse(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return path + ": " + strerror(errno);
  if (!S_ISDIR(status.st_mode)) return path + " is no directory";
  if (status.st_uid != geteuid())
    return path + " belongs to another user (" + std::to_string(status.st_uid) + ")";
  if ((status.st_mode & 022) != 0) return path + " can be written by other users";
  return "";
}

std::string encode(const DiskCache::Entry& entry) {
  protocol::Writer writer;
  writer.put(uint64_t{entry.dependencies.size()});
  for (const auto& [path, hash] : entry.dependencies) {
    writer.put(path);
    writer.put(hash);
  }
  writer.put(entry.log);
  writer.put(entry.image);
  return writer.body();
}

// Throws std::runtime_error where the body is too short.
DiskCache::Entry decode(std::string_view body) {
  protocol::Reader reader(body);
  DiskCache::Entry entry;
  for (uint64_t n = reader.u64(); n > 0; --n) {
    std::string path = reader.text();
    entry.dependencies.emplace_back(std::move(path), reader.text());
  }
  entry.log = reader.text();
  entry.image = reader.text();
  return entry;
}

// The checksum covers the key, so that an entry under a wrong name is none.
std::string checksum(const std::string& key, std::string_view body) {
  FieldHasher hasher;
  hasher.add(key);
  hasher.add(body);
  return hasher.result();
}

bool is_current(const std::pair<std::string, std::string>& dependency) {
  const Descriptor file(open(dependency.first.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string content;
  return file && read_file(file.get(), kMaxDependency, content) &&
         content_hash(content) == dependency.second;
}

void touch(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && status.st_mtime + kTouchAfter < time(nullptr))
    utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

bool is_key(std::string_view name) {
  return name.size() == kHashDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The regular files of a directory with their status.
template <class Visit>
void for_each_file(const std::string& path, Visit visit) {
  DIR* directory = opendir(path.c_str());
  if (!directory) return;
  while (const dirent* item = readdir(directory)) {
    struct stat status;
    if (fstatat(dirfd(directory), item->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode))
      visit(std::string(item->d_name), status);
  }
  closedir(directory);
}

}  // namespace

DiskCache::DiskCache(std::string directory, uint64_t size_limit)
    : directory_(std::move(directory)), size_limit_(size_limit) {
  if (directory_.empty()) return;
  struct stat status;
  if (stat(directory_.c_str(), &status) != 0) make_directories(directory_);
  refusal_ = refuse(directory_);
  if (refusal_.empty()) return;
  // Once is enough: each build opens the cache.
  static std::atomic_flag told;
  if (!told.test_and_set()) log::warn("program cache: not used: " + refusal_);
  directory_.clear();
}

std::optional<DiskCache::Entry> DiskCache::find(const std::string& key) const {
  using State = Finding::State;
  Finding found = inspect(key);
  if (found.state == State::kUsable) {
    touch(path(key));
    return std::move(found.entry);
  }
  if (found.state != State::kNone) debug("entry " + key + ": " + found.why);
  if (found.state == State::kDamaged) remove(key);
  return std::nullopt;
}

DiskCache::Finding DiskCache::inspect(const std::string& key) const {
  using State = Finding::State;
  if (directory_.empty()) return {};
  const Descriptor file(open(path(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return {};
  std::string content;
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
      found.why = dependency.first + " has changed";
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
  return !directory_.empty() && unlink(path(key).c_str()) == 0;
}

void DiskCache::store(const std::string& key, const Entry& entry) const {
  if (directory_.empty()) return;
  const std::string body = encode(entry);
  const std::string head = std::string(kMagic) + checksum(key, body);
  if (head.size() + body.size() > std::min<uint64_t>(size_limit_, kMaxEntry)) {
    debug("entry " + key + " is too large: " + std::to_string(body.size()) + " bytes");
    return;
  }
  std::string temporary = path(key) + ".XXXXXX.tmp";
  const Descriptor file(mkostemps(temporary.data(), 4, O_CLOEXEC));
  if (!file) {
    debug(temporary + ": " + strerror(errno));
    return;
  }
  if (!write_file(file.get(), head.data(), head.size()) ||
      !write_file(file.get(), body.data(), body.size()) ||
      rename(temporary.c_str(), path(key).c_str()) != 0) {
    debug("entry " + key + " cannot be written: " + strerror(errno));
    unlink(temporary.c_str());
  }
  static std::atomic<unsigned> stores{0};
  if (stores.fetch_add(1) % kTrimInterval == 0) trim();
}

void DiskCache::Lock::release() {
  if (!file_) return;
  // Only the holder removes the file; who waits for it finds that out and makes a new one.
  unlink(path_.c_str());
  // Not left to close(): a child that the host forked meanwhile has the same open file.
  if (file_.is_ours()) flock(file_.get(), LOCK_UN);
  file_.close();
}

DiskCache::Lock DiskCache::lock(const std::string& key, std::chrono::milliseconds limit) const {
  using Clock = std::chrono::steady_clock;
  if (directory_.empty()) return {};
  const std::string name = path(key) + ".lock";
  const auto deadline = Clock::now() + limit;
  auto pause = std::chrono::microseconds(200);
  bool waited = false;
  for (;;) {
    Descriptor file(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) {
      debug(name + ": " + strerror(errno));
      return {};
    }
    while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if ((errno != EWOULDBLOCK && errno != EINTR) || !file.is_ours()) return {};
      waited = true;
      // What is waited for is there: nobody needs the lock, and together all are served sooner.
      if (access(path(key).c_str(), F_OK) == 0) return {};
      if (Clock::now() >= deadline) {
        debug("gave up waiting for another process to build " + key);
        return {};
      }
      std::this_thread::sleep_for(pause);
      pause = std::min<std::chrono::microseconds>(pause * 3 / 2, std::chrono::milliseconds(10));
    }
    // The one who had it may have removed the file; then this lock means nothing.
    struct stat held, named;
    if (fstat(file.get(), &held) == 0 && stat(name.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev)
      return Lock(std::move(file), name, waited);
  }
}

std::vector<DiskCache::Item> DiskCache::items() const {
  std::vector<Item> items;
  if (directory_.empty()) return items;
  for_each_file(directory_, [&](const std::string& name, const struct stat& status) {
    if (is_key(name))
      items.push_back({name, static_cast<uint64_t>(status.st_size), status.st_mtim});
  });
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  return items;
}

// What writers left that crashed long ago.
void DiskCache::remove_stale_files() const {
  const time_t now = time(nullptr);
  for_each_file(directory_, [&](const std::string& name, const struct stat& status) {
    if (status.st_mtime + kStaleAfter >= now) return;
    if (name.ends_with(".tmp")) unlink(path(name).c_str());
    // Taking a lock makes sure that nobody holds it; releasing it removes it.
    if (name.ends_with(".lock"))
      lock(name.substr(0, name.size() - 5), std::chrono::milliseconds(0));
  });
}

void DiskCache::trim() const {
  if (directory_.empty()) return;
  remove_stale_files();
  const std::vector<Item> all = items();
  uint64_t total = 0;
  for (const Item& item : all) total += item.bytes;
  if (total <= size_limit_) return;
  // Some room below the limit, so that not every store has to make room again.
  for (const Item& item : all) {
    if (total <= size_limit_ - size_limit_ / 8) break;
    if (remove(item.key)) total -= item.bytes;
  }
}

}  // namespace conclave
