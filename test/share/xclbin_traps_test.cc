// SPDX-License-Identifier: Apache-2.0
// Xclbins after somebody has prepared files or the segment as traps for those who load them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>

#include "platform/share/meeting_place.h"
#include "xclbin_fixture.h"

namespace conclave::test {
namespace {

// For the answer to a step that must not hang.
constexpr double kSoon = 10;

int step_soon(WorkerProcess& worker, const std::string& line) {
  worker.send(line);
  return std::stoi(worker.receive(kSoon));
}

// Where everybody can make files, somebody makes one in the place of what others look for.
TEST_F(Xclbins, NobodyLooksForThemWhereAllCanWrite) {
  auto loader = start("xcl"), other = start("xcl");
  expect_steps(*loader, {"open", "load X"});
  expect_steps(*other, {"open", "context X 0 shared"});
  const std::string place = "/dev/shm/" + segment_.name() + ".xclbin." + std::to_string(geteuid());
  unlink(place.c_str());
  ASSERT_EQ(mkfifo(place.c_str(), 0666), 0);
  EXPECT_EQ(step_soon(*other, "exec 0"), 0);
  expect_steps(*other, {"wait"});
  unlink(place.c_str());
  struct stat status;
  ASSERT_EQ(stat(kept_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

// What a program of the same user, gone astray, may leave in its own directory.
TEST_F(Xclbins, TrapsInThePlaceOfTheFile) {
  auto loader = start("xcl"), other = start("xcl");
  expect_steps(*loader, {"open", "load X"});
  expect_steps(*other, {"open", "context X 0 shared"});
  const std::string file = kept_file(), xclbin = xclbin_file("X");
  const auto expect_refusal = [&](const std::string& why) {
    EXPECT_EQ(step_soon(*other, "exec 0"), -EINVAL);
    const std::string text = ask(*other, "error");
    EXPECT_NE(text.find(file + ": " + why), std::string::npos) << text;
  };
  ASSERT_EQ(unlink(file.c_str()), 0);
  expect_refusal("No such file or directory");
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  expect_refusal("is a FIFO");
  ASSERT_EQ(unlink(file.c_str()), 0);
  ASSERT_EQ(symlink(xclbin.c_str(), file.c_str()), 0);
  expect_refusal("is a symbolic link");
  ASSERT_EQ(unlink(file.c_str()), 0);
  std::filesystem::copy_file(xclbin, file);
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  expect_refusal("can be written by other users");
  if (geteuid() == 0) {
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
    expect_refusal("belongs to another user (65534)");
  }
  // A process that loads the xclbin needs no file, and makes it again for others.
  ASSERT_EQ(unlink(file.c_str()), 0);
  ASSERT_EQ(mkfifo((file + ".new").c_str(), 0600), 0);
  EXPECT_EQ(step_soon(*other, "load X"), 0);
  EXPECT_EQ(step_soon(*other, "exec 0"), 0);
  expect_steps(*other, {"wait", "uncontext X 0"});
  EXPECT_EQ(step_soon(*loader, "load Y"), 0);
  expect_steps(*other, {"context Y 0 shared", "exec 0", "wait"});
}

// The xclbin on disk has two compute units, whatever the segment says.
TEST_F(Xclbins, SegmentThatPromisesMoreComputeUnits) {
  auto p = start("xcl");
  expect_steps(*p, {"open", "load X", "forge 256", "context X 20 shared"});
  EXPECT_EQ(step_soon(*p, "exec 20"), -EINVAL);
  const std::string text = ask(*p, "error");
  EXPECT_NE(text.find("has 2 compute units; there is no number 20"), std::string::npos) << text;
}

// The writer of a segment may claim that the xclbin has more compute units than it has.
TEST_F(Xclbins, ForgedComputeUnit) {
  const auto client = start("xcl");
  expect_steps(*client, {"open", "load X"});
  const auto segment = share::MeetingPlace(segment_.name()).find();
  ASSERT_TRUE(segment);
  // Above the count of the word's changes.
  reinterpret_cast<std::atomic<uint64_t>&>(segment->layout().header().xclbin_compute_units)
      .store(uint64_t{200} << 24);
  expect_steps(*client, {"context X 0 shared", "context X 20 shared"});
  EXPECT_EQ(step(*client, "exec 20"), -EINVAL);
  expect_steps(*client, {"exec 0", "wait"});
}

}  // namespace
}  // namespace conclave::test
