// SPDX-License-Identifier: Apache-2.0
// `clocl --for-cache` as a process.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "conclave/compile_protocol.h"
#include "platform/base/descriptor.h"
#include "platform/loader/disk_cache.h"
#include "test/common/temporary_directory.h"

namespace conclave::test {
namespace {

constexpr char kKey[] = "0123456789abcdef0123456789abcdef";
constexpr uint64_t kCacheBytes = 1 << 20;

// Returns the exit status.
int run_with_order(const std::string& bytes) {
  const Descriptor file(memfd_create("order", 0));
  EXPECT_TRUE(write_file(file.get(), bytes.data(), bytes.size()));
  const pid_t child = fork();
  if (child == 0) {
    dup2(file.get(), protocol::kControlFd);
    execl(CONCLAVE_CLOCL, CONCLAVE_CLOCL, "--for-cache", nullptr);
    _exit(127);
  }
  int status = 0;
  EXPECT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

class CacheBuild : public testing::Test {
 protected:
  protocol::CacheOrder order(const std::string& source) const {
    protocol::CacheOrder order;
    order.directory = directory_.path();
    order.size_limit = kCacheBytes;
    order.key = kKey;
    order.request.source = source;
    return order;
  }

  TemporaryDirectory directory_;
};

TEST_F(CacheBuild, TheCacheHasTheAnswer) {
  EXPECT_EQ(0, run_with_order(encode(order("kernel void k(global int* a) { a[0] = 1; }"))));
  const DiskCache cache(directory_.path(), kCacheBytes);
  const auto entry = cache.find(kKey);
  ASSERT_TRUE(entry);
  EXPECT_NE(std::string::npos, entry->binary.find("kernel_k"));
}

TEST_F(CacheBuild, WhatIsThereStays) {
  const DiskCache cache(directory_.path(), kCacheBytes);
  cache.store(kKey, {"what was there", "", {}});
  EXPECT_EQ(0, run_with_order(encode(order("kernel void k() {}"))));
  EXPECT_EQ("what was there", cache.find(kKey)->binary);
}

TEST_F(CacheBuild, WhoBuildsAlreadyIsNotDisturbed) {
  const DiskCache cache(directory_.path(), kCacheBytes);
  const DiskCache::Lock lock = cache.lock(order("").lock(), std::chrono::milliseconds(0));
  EXPECT_EQ(0, run_with_order(encode(order("kernel void k() {}"))));
  EXPECT_FALSE(cache.find(kKey));
}

TEST_F(CacheBuild, OrdersWaitForTheirTurn) {
  const DiskCache cache(directory_.path(), kCacheBytes);
  DiskCache::Lock turn = cache.wait_for_turn(protocol::CacheOrder::kTurn);
  ASSERT_TRUE(turn);
  std::thread build(
      [&] { EXPECT_EQ(0, run_with_order(encode(order("kernel void k(global int* a) {}")))); });
  // The process has the lock of the order, which to take here would disturb it.
  const std::string works_on_it = directory_.path() + "/" + order("").lock() + ".lock";
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!std::filesystem::exists(works_on_it) && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(std::filesystem::exists(works_on_it));
  EXPECT_FALSE(cache.find(kKey));
  turn.release();
  build.join();
  EXPECT_TRUE(cache.find(kKey));
}

// Whoever needs the answer now builds it, and has the lock of the answer meanwhile.
TEST_F(CacheBuild, OrdersWaitForThoseWhoBuildTheSame) {
  const DiskCache cache(directory_.path(), kCacheBytes);
  DiskCache::Lock lock = cache.lock(kKey, std::chrono::milliseconds(0));
  ASSERT_TRUE(lock);
  std::thread build(
      [&] { EXPECT_EQ(0, run_with_order(encode(order("kernel void k(global int* a) {}")))); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(cache.find(kKey));
  cache.store(kKey, {"what the other one has built", "", {}});
  lock.release();
  build.join();
  ASSERT_TRUE(cache.find(kKey));
  EXPECT_EQ(cache.find(kKey)->binary, "what the other one has built");
}

TEST_F(CacheBuild, ErrorsAreNotKept) {
  EXPECT_EQ(1, run_with_order(encode(order("kernel void k() { nonsense; }"))));
  EXPECT_FALSE(DiskCache(directory_.path(), kCacheBytes).find(kKey));
}

TEST_F(CacheBuild, BadOrdersAreRefused) {
  const std::string good = encode(order("kernel void k() {}"));
  EXPECT_EQ(2, run_with_order(""));
  EXPECT_EQ(2, run_with_order("nonsense that is no order"));
  for (size_t size = 1; size < good.size(); size += 13)
    EXPECT_EQ(2, run_with_order(good.substr(0, size))) << size;
}

}  // namespace
}  // namespace conclave::test
