// SPDX-License-Identifier: Apache-2.0
#include "platform/base/runtime_dir.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/test_support.h"
#include "platform/base/error.h"

namespace conclave {
namespace {

constexpr uid_t kNobody = 65534;

mode_t mode_of(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

// What runtime_dir() says in a process with this $XDG_RUNTIME_DIR, and with `home` as $HOME.
void with_places(const std::string& runtime, const std::string& home,
                 const std::function<void()>& body) {
  EXPECT_EQ(test::in_child([&] {
              setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
              setenv("HOME", home.c_str(), 1);
              unsetenv("XDG_CACHE_HOME");
              alarm(10);
              body();
            }),
            0);
}

void expect_passed_over(const std::string& runtime) {
  const test::TemporaryDirectory home;
  with_places(runtime, home.path(), [&] {
    const std::string found = runtime_dir();
    EXPECT_FALSE(found.starts_with(runtime)) << found;
    EXPECT_EQ(mode_of(found), 0700u) << found;
  });
}

TEST(RuntimeDir, IsMadeForItsUserAlone) {
  const test::TemporaryDirectory runtime;
  const std::string expected = runtime.file("conclave");
  with_places(runtime.path(), "/no/home", [&] { EXPECT_EQ(runtime_dir(), expected); });
  EXPECT_EQ(mode_of(expected), 0700u);
  // Where others may look into it, they may no longer.
  ASSERT_EQ(chmod(expected.c_str(), 0755), 0);
  with_places(runtime.path(), "/no/home", [&] { EXPECT_EQ(runtime_dir(), expected); });
  EXPECT_EQ(mode_of(expected), 0700u);
}

TEST(RuntimeDir, NamesThatSomebodyHasTakenArePassedOver) {
  const test::TemporaryDirectory runtime, elsewhere;
  const std::string name = runtime.file("conclave");
  ASSERT_EQ(symlink(elsewhere.path().c_str(), name.c_str()), 0);
  expect_passed_over(runtime.path());
  ASSERT_EQ(unlink(name.c_str()), 0);
  ASSERT_EQ(mkfifo(name.c_str(), 0666), 0);
  expect_passed_over(runtime.path());
  ASSERT_EQ(unlink(name.c_str()), 0);
  ASSERT_EQ(mkdir(name.c_str(), 0700), 0);
  ASSERT_EQ(chmod(name.c_str(), 0777), 0);
  expect_passed_over(runtime.path());
}

TEST(RuntimeDir, DirectoriesThatOthersCanChangeArePassedOver) {
  const test::TemporaryDirectory runtime;
  ASSERT_EQ(chmod(runtime.path().c_str(), 0777), 0);
  expect_passed_over(runtime.path());
  EXPECT_EQ(mode_of(runtime.file("conclave")), 0u);
  expect_passed_over(".");
  if (geteuid() != 0) GTEST_SKIP() << "root alone can make another user's directory";
  ASSERT_EQ(chmod(runtime.path().c_str(), 0755), 0);
  ASSERT_EQ(chown(runtime.path().c_str(), kNobody, kNobody), 0);
  expect_passed_over(runtime.path());
  EXPECT_EQ(mode_of(runtime.file("conclave")), 0u);
}

TEST(RuntimeDir, IsInTheCacheOfAUserWhoHasNoOther) {
  if (geteuid() != 0) GTEST_SKIP() << "root alone can become another user";
  const test::TemporaryDirectory home;
  ASSERT_EQ(chown(home.path().c_str(), kNobody, kNobody), 0);
  char machine[256] = {};
  ASSERT_EQ(gethostname(machine, sizeof machine - 1), 0);
  const std::string expected = home.file(std::string(".cache/conclave/run-") + machine);
  with_places("", home.path(), [&] {
    ASSERT_EQ(setuid(kNobody), 0);
    EXPECT_EQ(runtime_dir(), expected);
  });
  EXPECT_EQ(mode_of(expected), 0700u);
}

TEST(RuntimeDir, SaysWhyThereIsNone) {
  if (geteuid() != 0) GTEST_SKIP() << "root always has one";
  const test::TemporaryDirectory runtime;
  with_places(runtime.path(), "/proc/no/home", [&] {
    ASSERT_EQ(setuid(kNobody), 0);
    try {
      runtime_dir();
      ADD_FAILURE() << "there is one";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), CL_DEVICE_NOT_AVAILABLE);
      for (const std::string& part : {runtime.path() + ": Permission denied",
                                      std::string("/proc/no/home/.cache/conclave: No such file")})
        EXPECT_NE(error.text().find(part), std::string::npos) << error.text();
    }
  });
}

}  // namespace
}  // namespace conclave
