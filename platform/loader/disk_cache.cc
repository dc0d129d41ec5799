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

// Code that others could have put there would be run: only a directory that nobody else can write.
bool is_private(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    debug(path + ": " + strerror(errno));
    return false;
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 022) != 0) {
    debug(path + ": not used, since it is no directory that only this user can write");
    return false;
  }
  return true;
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

void touch(int fd) {
  struct stat status;
  if (fstat(fd, &status) == 0 && status.st_mtime + kTouchAfter < time(nullptr))
    futimens(fd, nullptr);
}

bool has_suffix(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix);
}

}  // namespace

DiskCache::DiskCache(std::string directory, uint64_t size_limit)
    : directory_(std::move(directory)), size_limit_(size_limit) {
  if (directory_.empty()) return;
  struct stat status;
  if (stat(directory_.c_str(), &status) != 0) make_directories(directory_);
  if (!is_private(directory_)) directory_.clear();
}

std::optional<DiskCache::Entry> DiskCache::find(const std::string& key) const {
  if (directory_.empty()) return std::nullopt;
  const Descriptor file(open(path(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return std::nullopt;
  std::string content;
  if (!read_file(file.get(), kMaxEntry, content)) {
    debug("entry " + key + ": " + strerror(errno));
    return std::nullopt;
  }
  const std::string_view all = content;
  const size_t body_at = kMagic.size() + kHashDigits;
  try {
    if (all.size() < body_at || !all.starts_with(kMagic) ||
        all.substr(kMagic.size(), kHashDigits) != checksum(key, all.substr(body_at)))
      throw std::runtime_error("wrong checksum");
    Entry entry = decode(all.substr(body_at));
    for (const auto& dependency : entry.dependencies) {
      if (is_current(dependency)) continue;
      debug("entry " + key + " is out of date: " + dependency.first + " has changed");
      return std::nullopt;
    }
    touch(file.get());
    return entry;
  } catch (const std::exception& error) {
    debug("entry " + key + " is damaged and removed: " + error.what());
    unlink(path(key).c_str());
    return std::nullopt;
  }
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

void DiskCache::trim() const {
  struct File {
    std::string name;
    uint64_t size;
    timespec used;
  };
  if (directory_.empty()) return;
  DIR* directory = opendir(directory_.c_str());
  if (!directory) return;
  const time_t now = time(nullptr);
  std::vector<File> entries;
  uint64_t total = 0;
  while (const dirent* item = readdir(directory)) {
    const std::string name = item->d_name;
    struct stat status;
    if (fstatat(dirfd(directory), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    const bool is_stale = status.st_mtime + kStaleAfter < now;
    if (has_suffix(name, ".tmp") && is_stale) {
      unlinkat(dirfd(directory), name.c_str(), 0);
    } else if (has_suffix(name, ".lock") && is_stale) {
      // Taking it first makes sure that nobody holds it; releasing it removes it.
      lock(name.substr(0, name.size() - 5), std::chrono::milliseconds(0));
    } else if (name.size() == kHashDigits) {
      entries.push_back({name, static_cast<uint64_t>(status.st_size), status.st_mtim});
      total += entries.back().size;
    }
  }
  closedir(directory);
  if (total <= size_limit_) return;
  std::sort(entries.begin(), entries.end(), [](const File& a, const File& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  // Some room below the limit, so that not every store has to make room again.
  for (const File& entry : entries) {
    if (total <= size_limit_ - size_limit_ / 8) break;
    if (unlink(path(entry.name).c_str()) == 0) total -= entry.size;
  }
}

}  // namespace conclave
