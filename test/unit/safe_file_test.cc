// SPDX-License-Identifier: Apache-2.0
// Files that somebody has prepared. Each test has a time limit, since an open() that waits is what
// most of them are about.
#include "platform/base/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/test_support.h"
#include "platform/base/changeable_part.h"
#include "platform/base/config.h"

namespace conclave {
namespace {

constexpr uid_t kNobody = 65534;

class SafeFile : public ::testing::Test {
 protected:
  void SetUp() override { alarm(20); }
  void TearDown() override { alarm(0); }

  std::string make(const std::string& name, mode_t mode = 0600) const {
    test::write_text(directory_.file(name), "text");
    EXPECT_EQ(chmod(directory_.file(name).c_str(), mode), 0);
    return directory_.file(name);
  }
  std::string make_fifo(const std::string& name) const {
    EXPECT_EQ(mkfifo(directory_.file(name).c_str(), 0666), 0);
    return directory_.file(name);
  }

  // Why it is refused; "" if it is not.
  static std::string named(const std::string& path) {
    std::string why;
    const bool opened = static_cast<bool>(open_named_file(path, why));
    EXPECT_EQ(opened, why.empty());
    return why;
  }
  static std::string found(const std::string& path) {
    std::string why;
    const bool opened = static_cast<bool>(open_found_file(path, why));
    EXPECT_EQ(opened, why.empty());
    return why;
  }
  static std::string own(const std::string& path, int flags = O_RDONLY) {
    std::string why;
    const bool opened = static_cast<bool>(open_own_file(AT_FDCWD, path, flags, why));
    EXPECT_EQ(opened, why.empty());
    return why;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(SafeFile, FifosAreRefusedAtOnce) {
  const std::string fifo = make_fifo("fifo");
  EXPECT_EQ(named(fifo), "is a FIFO");
  EXPECT_EQ(found(fifo), "is a FIFO");
  EXPECT_EQ(own(fifo), "is a FIFO");
  EXPECT_EQ(own(fifo, O_RDWR | O_CREAT), "is a FIFO");
  EXPECT_EQ(own(fifo, O_WRONLY | O_CREAT | O_APPEND), "No such device or address");
}

TEST_F(SafeFile, NamedFilesMayBeLinksAndDevices) {
  const std::string file = make("file", 0666), link = directory_.file("link");
  ASSERT_EQ(symlink(file.c_str(), link.c_str()), 0);
  EXPECT_EQ(named(link), "");
  EXPECT_EQ(named("/dev/null"), "");
  EXPECT_EQ(named(directory_.path()), "Is a directory");
  EXPECT_EQ(named(directory_.file("absent")), "No such file or directory");
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(SafeFile, OwnFilesAreNothingElse) {
  const std::string file = make("file"), link = directory_.file("link");
  EXPECT_EQ(own(file), "");
  EXPECT_EQ(own(file, O_WRONLY), "");
  ASSERT_EQ(symlink(file.c_str(), link.c_str()), 0);
  EXPECT_EQ(own(link), "is a symbolic link");
  EXPECT_EQ(own(make("shared", 0620)), "can be written by other users");
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(own("/dev/null"), "is a device");
  // Any file of this user might be behind the name.
  ASSERT_EQ(::link(file.c_str(), directory_.file("second").c_str()), 0);
  EXPECT_EQ(own(file), "");
  EXPECT_EQ(own(file, O_WRONLY), "has another name, too");
}

TEST_F(SafeFile, FilesOfOthersAreNotOwn) {
  if (geteuid() != 0) GTEST_SKIP() << "root alone can make another user's file";
  const std::string file = make("file", 0644);
  ASSERT_EQ(chown(file.c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(own(file), "belongs to another user (65534)");
  EXPECT_EQ(named(file), "");
  EXPECT_EQ(found(file), "");
  ASSERT_EQ(chmod(directory_.path().c_str(), 01777), 0);
  EXPECT_EQ(found(file), "belongs to another user (65534)");
  EXPECT_EQ(found(make("mine")), "");
}

TEST_F(SafeFile, WhatEverybodyCanChangeIsFound) {
  ASSERT_EQ(mkdir(directory_.file("open").c_str(), 0700), 0);
  const std::string file = make("open/file");
  EXPECT_EQ(changeable_part(file, geteuid()), "");
  ASSERT_EQ(chmod(directory_.file("open").c_str(), 0777), 0);
  EXPECT_EQ(changeable_part(file, geteuid()),
            directory_.file("open") + " can be written by everybody");
  // In a sticky directory it is safe.
  ASSERT_EQ(chmod(directory_.file("open").c_str(), 01777), 0);
  EXPECT_EQ(changeable_part(file, geteuid()), "");
  EXPECT_EQ(changeable_part(make("all", 0666), geteuid()),
            directory_.file("all") + " can be written by everybody");
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(directory_.file("open").c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(changeable_part(file, geteuid()), directory_.file("open") + " belongs to user 65534");
  EXPECT_EQ(changeable_part(file, kNobody), "");
}

// What a process with these variables reads; no other configuration of this machine counts.
Config read_config(const std::string& file, const std::string& ini_directory = "/nonexistent") {
  Config::Sources sources;
  sources.getenv = [&](const char* name) {
    return std::string(name) == "CONCLAVE_CONFIG" ? file.c_str() : nullptr;
  };
  sources.ini_directories = {ini_directory};
  return Config::read(sources);
}

TEST_F(SafeFile, ConfigurationThatIsAFifo) {
  const std::string fifo = make_fifo("config.json");
  const Config config = read_config(fifo);
  ASSERT_EQ(config.errors.size(), 1u);
  EXPECT_EQ(config.errors[0], fifo + ": cannot be read: is a FIFO");
}

// In a directory such as /tmp anybody may leave an xrt.ini for those who start programs there.
TEST_F(SafeFile, StrangersIniIsIgnored) {
  if (geteuid() != 0) GTEST_SKIP() << "root alone can make another user's file";
  test::write_text(directory_.file("config.json"), "{}");
  test::write_text(directory_.file("xrt.ini"), "[Runtime]\nmultiprocess=false\n");
  const auto read = [&] { return read_config(directory_.file("config.json"), directory_.path()); };
  ASSERT_EQ(chmod(directory_.path().c_str(), 01777), 0);
  EXPECT_FALSE(read().multiprocess);
  ASSERT_EQ(chown(directory_.file("xrt.ini").c_str(), kNobody, kNobody), 0);
  const Config config = read();
  EXPECT_TRUE(config.multiprocess);
  EXPECT_TRUE(config.errors.empty());
  ASSERT_EQ(config.warnings.size(), 1u);
  EXPECT_EQ(config.warnings[0],
            directory_.file("xrt.ini") + ": belongs to another user (65534); it is ignored");
  // Where its owner alone decides what is in the directory, it counts.
  ASSERT_EQ(chmod(directory_.path().c_str(), 0755), 0);
  EXPECT_FALSE(read().multiprocess);
}

TEST_F(SafeFile, IniThatIsAFifoIsIgnored) {
  test::write_text(directory_.file("config.json"), "{}");
  make_fifo("xrt.ini");
  const Config config = read_config(directory_.file("config.json"), directory_.path());
  EXPECT_TRUE(config.errors.empty());
  ASSERT_EQ(config.warnings.size(), 1u);
  EXPECT_EQ(config.warnings[0], directory_.file("xrt.ini") + ": is a FIFO; it is ignored");
}

}  // namespace
}  // namespace conclave
