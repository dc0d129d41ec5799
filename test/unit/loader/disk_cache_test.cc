// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "platform/loader/content_hash.h"
#include "test_support.h"

namespace conclave {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TemporaryDirectory;

constexpr uint64_t kLimit = 64 << 20;
const std::string kKey(32, '1');

DiskCache::Entry entry_with(std::string binary) {
  return {std::move(binary), "log", {}};
}

std::string numbered_key(unsigned number) {
  std::string key = std::to_string(number);
  return std::string(32 - key.size(), '0') + key;
}

size_t count_files(const std::string& directory) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

TEST(ContentHash, IsXxh3) {
  // What `xxhsum -H2` prints.
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(content_hash("Conclave"), content_hash(std::string("Conclave")));
  EXPECT_NE(content_hash("a"), content_hash("b"));
}

TEST(DiskCache, KeepsEntries) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.file("a/b"), kLimit);
  EXPECT_FALSE(cache.find(kKey));
  cache.store(kKey, {std::string("im\0age", 6), "a log", {}});
  const auto found = cache.find(kKey);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->binary, std::string("im\0age", 6));
  EXPECT_EQ(found->log, "a log");
  EXPECT_TRUE(DiskCache(directory.file("a/b"), kLimit).find(kKey)) << "another process";
  struct stat status;
  ASSERT_EQ(stat(directory.file("a/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_EQ(count_files(directory.file("a/b")), 1u);
}

TEST(DiskCache, ChangedDependencyMakesTheEntryStale) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.file("c"), kLimit);
  const std::string header = directory.file("inc.h");
  test::write_text(header, "#define A 1\n");
  cache.store(kKey, {"binary", "", {{header, content_hash("#define A 1\n")}}});
  EXPECT_TRUE(cache.find(kKey));
  test::write_text(header, "#define A 2\n");
  EXPECT_FALSE(cache.find(kKey));
  test::write_text(header, "#define A 1\n");
  EXPECT_TRUE(cache.find(kKey));
  unlink(header.c_str());
  EXPECT_FALSE(cache.find(kKey));
}

TEST(DiskCache, AnyDamageIsFoundAndRemoved) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.path(), kLimit);
  const std::string file = directory.file(kKey);
  cache.store(kKey, entry_with("binary"));
  const std::string good = test::read_text(file);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    for (const std::string& content : {bad, good.substr(0, i)}) {
      test::write_text(file, content);
      EXPECT_FALSE(cache.find(kKey)) << i;
      EXPECT_NE(access(file.c_str(), F_OK), 0) << i;
    }
  }
  // Under another's name it is not that one's entry.
  test::write_text(directory.file(std::string(32, '2')), good);
  EXPECT_FALSE(cache.find(std::string(32, '2')));
}

TEST(DiskCache, RefusesDirectoriesThatOthersCanWrite) {
  const TemporaryDirectory directory;
  for (const mode_t mode : {0777, 0770, 0722}) {
    chmod(directory.path().c_str(), mode);
    const DiskCache cache(directory.path(), kLimit);
    cache.store(kKey, entry_with("binary"));
    EXPECT_FALSE(cache.find(kKey));
    EXPECT_FALSE(cache.lock(kKey, seconds(1)));
    EXPECT_EQ(count_files(directory.path()), 0u);
  }
  if (geteuid() != 0) return;
  chmod(directory.path().c_str(), 0700);
  ASSERT_EQ(chown(directory.path().c_str(), 12345, 12345), 0);
  const DiskCache cache(directory.path(), kLimit);
  cache.store(kKey, entry_with("binary"));
  EXPECT_EQ(count_files(directory.path()), 0u);
}

// Somebody who can write above the directory puts another one in its place after it was looked at.
TEST(DiskCache, StaysInTheDirectoryThatItHasLookedAt) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("cache"), aside = directory.file("aside");
  const DiskCache cache(path, kLimit);
  const DiskCache planted(directory.file("planted"), kLimit);
  planted.store(kKey, entry_with("planted"));
  ASSERT_EQ(rename(path.c_str(), aside.c_str()), 0);
  ASSERT_EQ(rename(directory.file("planted").c_str(), path.c_str()), 0);
  EXPECT_FALSE(cache.find(kKey));
  cache.store(kKey, entry_with("binary"));
  EXPECT_EQ(cache.find(kKey)->binary, "binary");
  EXPECT_EQ(planted.find(kKey)->binary, "planted");
  EXPECT_EQ(cache.items().size(), 1u);
  EXPECT_TRUE(cache.lock(numbered_key(2), milliseconds(0)));
  EXPECT_TRUE(cache.remove(kKey));
  EXPECT_TRUE(planted.find(kKey));
  EXPECT_EQ(count_files(aside), 0u) << "the lock is removed where it was made";
}

// No program of the user's makes such files; a lock of this kind would be nobody's or everybody's.
TEST(DiskCache, TrapsAreNoEntriesAndNoLocks) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.path(), kLimit);
  const std::string lock = directory.file(kKey + ".lock");
  alarm(20);
  ASSERT_EQ(mkfifo(lock.c_str(), 0600), 0);
  EXPECT_FALSE(cache.lock(kKey, milliseconds(100)));
  ASSERT_EQ(unlink(lock.c_str()), 0);
  cache.store(kKey, entry_with("binary"));
  EXPECT_TRUE(cache.find(kKey));
  ASSERT_EQ(chmod(directory.file(kKey).c_str(), 0666), 0);
  EXPECT_FALSE(cache.find(kKey));
  ASSERT_EQ(chmod(directory.file(kKey).c_str(), 0600), 0);
  EXPECT_TRUE(cache.find(kKey));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(directory.file(kKey).c_str(), 12345, 12345), 0);
    EXPECT_FALSE(cache.find(kKey));
  }
  alarm(0);
}

TEST(DiskCache, UnusableDirectoryIsNoCache) {
  const TemporaryDirectory directory;
  test::write_text(directory.file("file"), "x");
  for (const std::string& path : {std::string(), directory.file("file"), directory.file("file/sub"),
                                  std::string("/proc/no/such")}) {
    const DiskCache cache(path, kLimit);
    cache.store(kKey, entry_with("binary"));
    EXPECT_FALSE(cache.find(kKey));
    EXPECT_FALSE(cache.lock(kKey, seconds(1)));
    cache.trim();
  }
}

// A file size limit stands for a full disk: writes fail half-way.
TEST(DiskCache, FullDiskLeavesNothing) {
  EXPECT_EQ(test::in_child([] {
              const TemporaryDirectory directory;
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{10000, 10000};
              ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
              const DiskCache cache(directory.path(), kLimit);
              cache.store(kKey, entry_with(std::string(50000, 'x')));
              EXPECT_FALSE(cache.find(kKey));
              EXPECT_EQ(count_files(directory.path()), 0u);
              cache.store(kKey, entry_with("small"));
              EXPECT_TRUE(cache.find(kKey));
            }),
            0);
}

TEST(DiskCache, OldestEntriesGoBeyondTheLimit) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.path(), 1 << 20);
  const std::string binary(100 * 1000, 'x');
  for (unsigned i = 0; i < 40; ++i) {
    cache.store(numbered_key(i), entry_with(binary));
    const timespec used[2] = {{1000 + i, 0}, {1000 + i, 0}};
    utimensat(AT_FDCWD, directory.file(numbered_key(i)).c_str(), used, 0);
  }
  EXPECT_TRUE(cache.find(numbered_key(31)));  // used now
  cache.trim();
  EXPECT_TRUE(cache.find(numbered_key(31)));
  EXPECT_TRUE(cache.find(numbered_key(39)));
  EXPECT_FALSE(cache.find(numbered_key(0)));
  EXPECT_FALSE(cache.find(numbered_key(30)));
  EXPECT_EQ(count_files(directory.path()), 9u);
  cache.store(kKey, entry_with(std::string(2 << 20, 'x')));
  EXPECT_FALSE(cache.find(kKey)) << "larger than the whole cache";
}

TEST(DiskCache, TrimRemovesWhatCrashedWritersLeft) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.path(), kLimit);
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  for (const std::string& name : {kKey + ".abcdef.tmp", kKey + ".lock"}) {
    test::write_text(directory.file(name), "");
    test::write_text(directory.file("0" + name), "");
    utimensat(AT_FDCWD, directory.file(name).c_str(), old, 0);
  }
  test::write_text(directory.file("unrelated"), "");
  cache.trim();
  EXPECT_EQ(count_files(directory.path()), 3u) << "young ones and foreign files stay";
}

TEST(DiskCache, LockExcludesThreads) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.path(), kLimit);
  std::atomic<int> inside{0}, entered{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 10; ++k) {
        const auto lock = cache.lock(kKey, seconds(60));
        EXPECT_TRUE(lock);
        EXPECT_EQ(++inside, 1);
        ++entered;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        --inside;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entered, 80);
  EXPECT_EQ(count_files(directory.path()), 0u) << "lock files are removed";
}

TEST(DiskCache, WaitingForALockEnds) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.path(), kLimit);
  const auto held = cache.lock(kKey, seconds(1));
  ASSERT_TRUE(held);
  EXPECT_FALSE(held.waited());
  EXPECT_FALSE(cache.lock(kKey, milliseconds(50)));
  EXPECT_TRUE(cache.lock(std::string(32, '2'), milliseconds(0))) << "another key";
}

TEST(DiskCache, LockOfADeadProcessIsFree) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.path(), kLimit);
  int ready[2];
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const auto lock = cache.lock(kKey, seconds(1));
    if (write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(cache.lock(kKey, milliseconds(10)));
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_TRUE(cache.lock(kKey, milliseconds(0)));
  close(ready[0]);
  close(ready[1]);
}

// The child of a host that forks while it compiles must not keep the lock.
TEST(DiskCache, LockIsNotKeptByForkedChildren) {
  const TemporaryDirectory directory;
  const DiskCache cache(directory.path(), kLimit);
  auto lock = cache.lock(kKey, seconds(1));
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  lock.release();
  EXPECT_TRUE(cache.lock(kKey, milliseconds(0)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace conclave
