// SPDX-License-Identifier: Apache-2.0
// Code and its traces in directories where others can make files.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/base/config.h"
#include "platform/check/findings.h"
#include "platform/loader/program_binary.h"
#include "test_support.h"

namespace conclave {
namespace {

// From now on this process gets no memory files, as on a system that forbids code in them.
void forbid_memory_files() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof *filter, filter};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

// Runs `body` in a process with these variables, which it reads for the first time.
void with_settings(const std::vector<std::pair<std::string, std::string>>& settings,
                   const std::function<void()>& body) {
  EXPECT_EQ(test::in_child([&] {
              for (const auto& [name, value] : settings) setenv(name.c_str(), value.c_str(), 1);
              alarm(20);
              body();
            }),
            0);
}

// Names of files that have been made in a directory since.
class Watch {
 public:
  explicit Watch(const std::string& directory) : descriptor_(inotify_init1(IN_NONBLOCK)) {
    EXPECT_GE(inotify_add_watch(descriptor_, directory.c_str(), IN_CREATE), 0);
  }
  ~Watch() { close(descriptor_); }
  bool has_seen_any() const {
    alignas(inotify_event) char events[4096];
    return read(descriptor_, events, sizeof events) > 0;
  }

 private:
  int descriptor_;
};

TEST(HostilePlaces, NoCodeIsPutIntoARefusedCache) {
  const test::TemporaryDirectory cache, temporary;
  ASSERT_EQ(chmod(cache.path().c_str(), 0777), 0);
  with_settings({{"CONCLAVE_CACHE_DIR", cache.path()}, {"TMPDIR", temporary.path()}}, [&] {
    forbid_memory_files();
    const Watch refused(cache.path()), used(temporary.path());
    const auto code = LoadedCode::load(*ProgramBinary::parse(test::sample_program()));
    ASSERT_EQ(Config::get().cache_dir, cache.path()) << "the configuration was read before";
    EXPECT_FALSE(refused.has_seen_any());
    EXPECT_TRUE(used.has_seen_any());
  });
}

// A writer of the directory could have put another file under the name by now.
TEST(HostilePlaces, CodeIsLoadedFromTheFileThatWasWritten) {
  const test::TemporaryDirectory temporary;
  ASSERT_EQ(chmod(temporary.path().c_str(), 0777), 0);
  with_settings({{"CONCLAVE_CACHE_DIR", "/nonexistent"}, {"TMPDIR", temporary.path()}}, [&] {
    forbid_memory_files();
    const auto code = LoadedCode::load(*ProgramBinary::parse(test::sample_program()));
    Dl_info info{};
    ASSERT_NE(dladdr(reinterpret_cast<void*>(code->function("identify")), &info), 0);
    EXPECT_TRUE(std::string(info.dli_fname).starts_with("/proc/")) << info.dli_fname;
  });
}

TEST(HostilePlaces, PerfMapThatIsAFifo) {
  with_settings({{"CONCLAVE_PERF_MAP", "1"}}, [] {
    const std::string map = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    unlink(map.c_str());
    ASSERT_EQ(mkfifo(map.c_str(), 0666), 0);
    const auto code = LoadedCode::load(*ProgramBinary::parse(test::sample_program()));
    EXPECT_TRUE(Config::get().perf_map) << "the configuration was read before";
    EXPECT_TRUE(code->function("identify"));
    unlink(map.c_str());
  });
}

// The user has named the file; nobody reads it.
TEST(HostilePlaces, FindingsIntoAFifo) {
  const test::TemporaryDirectory directory;
  const std::string fifo = directory.file("findings");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  with_settings({{"CONCLAVE_CHECK_JSON", fifo}}, [&] {
    ASSERT_EQ(Config::get().check_json, fifo) << "the configuration was read before";
    bool told = false;
    check::Findings::get().report({}, [&](const std::string&) { told = true; });
    EXPECT_TRUE(told);
  });
}

}  // namespace
}  // namespace conclave
