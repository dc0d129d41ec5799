// SPDX-License-Identifier: Apache-2.0
// A name belongs to one daemon at a time. Files that daemons leave behind are removed, also while others
// start and end.
#include "monitor/daemon_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "platform/base/error.h"
#include "test/common/temporary_segment.h"

namespace conclave::monitor {
namespace {

using test::TemporarySegment;

std::unique_ptr<DaemonSocket> open_socket(const std::string& name) {
  return std::make_unique<DaemonSocket>(name, 0600, static_cast<gid_t>(-1));
}
std::string lock_of(const DaemonSocket& socket) {
  return socket.path() + ".lock";
}

TEST(DaemonSocketFiles, GoWithTheDaemon) {
  const TemporarySegment name;
  std::string path, lock;
  {
    const auto socket = open_socket(name.name());
    path = socket->path();
    lock = lock_of(*socket);
    EXPECT_TRUE(std::filesystem::exists(path));
    EXPECT_TRUE(std::filesystem::exists(lock));
    EXPECT_THROW(open_socket(name.name()), Error);
    EXPECT_TRUE(std::filesystem::exists(lock)) << "it is another daemon's";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(lock));
}

TEST(DaemonSocketFiles, OfKilledDaemonsGoWhenAnotherOneStarts) {
  const TemporarySegment name(".a"), dead(".b"), alive(".c");
  const auto living = open_socket(alive.name());
  const std::string directory = std::filesystem::path(living->path()).parent_path().string() + "/";
  const std::string stem = directory + dead.name();
  for (const char* suffix : {".socket", ".socket.new", ".metrics", ".socket.lock"})
    std::ofstream(stem + suffix) << "12345";
  std::ofstream(stem + ".other") << "not ours";
  const auto socket = open_socket(name.name());
  for (const char* suffix : {".socket", ".socket.new", ".metrics", ".socket.lock"})
    EXPECT_FALSE(std::filesystem::exists(stem + suffix)) << suffix;
  EXPECT_TRUE(std::filesystem::exists(stem + ".other"));
  EXPECT_TRUE(std::filesystem::exists(living->path()));
  EXPECT_TRUE(std::filesystem::exists(lock_of(*living)));
  unlink((stem + ".other").c_str());
}

// A lock whose file has lost its name keeps nobody away, nor does it let two in.
TEST(DaemonSocketFiles, OneAtATimeWhoeverStartsAndEnds) {
  const TemporarySegment name;
  std::atomic<int> inside{0}, opened{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        const TemporarySegment other(".other");
        for (int round = 0; round < 200; ++round) {
          try {
            // The fourth one has a name of its own, and removes what it takes for leavings.
            const auto socket = open_socket(i == 3 ? other.name() : name.name());
            if (i == 3) continue;
            EXPECT_EQ(inside.fetch_add(1), 0);
            EXPECT_TRUE(std::filesystem::exists(socket->path()));
            EXPECT_TRUE(std::filesystem::exists(lock_of(*socket)));
            ++opened;
            inside.fetch_sub(1);
          } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("already runs there"), std::string::npos)
                << error.what();
          }
        }
      });
  }
  EXPECT_GT(opened, 100);
}

}  // namespace
}  // namespace conclave::monitor
