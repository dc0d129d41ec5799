// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/compiler_client.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "platform/loader/content_hash.h"
#include "platform/loader/program_binary.h"
#include "test_support.h"

namespace conclave {
namespace {

using protocol::Request;
using protocol::Response;
using protocol::Status;
using test::in_child;
using test::TemporaryDirectory;
using Clock = std::chrono::steady_clock;

std::atomic<int> child_signals{0};

Request request_for(std::string source) {
  Request request;
  request.source = std::move(source);
  return request;
}

Response compile_source(std::string source) {
  return compile(request_for(std::move(source)));
}

void expect_success(const Response& response) {
  EXPECT_EQ(response.status, Status::kSuccess) << response.log;
  EXPECT_EQ(response.binary, test::sample_program());
  EXPECT_EQ(response.log, "a warning\n");
}

void expect_failure(const Response& response, const std::string& text) {
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_EQ(response.binary, "");
  EXPECT_NE(response.log.find(text), std::string::npos) << response.log;
}

pid_t server_of(const Response& description) {
  const size_t at = description.log.find("server ");
  return at == std::string::npos ? -1 : atoi(description.log.c_str() + at + 7);
}

// It may stay a zombie where nobody reaps orphans.
bool is_running(pid_t process) {
  const std::string status = test::read_text("/proc/" + std::to_string(process) + "/status");
  return !status.empty() && status.find("State:\tZ") == std::string::npos;
}

// Each test runs in a child with a configuration, a cache and a compile server of its own.
class CompilerClient : public ::testing::Test {
 protected:
  struct Settings {
    int timeout_s = 60;
    bool cache = true;
  };

  void run(const std::function<void()>& body) { run({}, body); }
  void run(const Settings& settings, const std::function<void()>& body) {
    EXPECT_EQ(in_child([&] {
                set_up(settings);
                body();
              }),
              0);
  }

  void set_up(const Settings& settings) {
    signal(SIGCHLD, [](int) { ++child_signals; });
    setenv("CONCLAVE_CLOCL", FAKE_CLOCL, 1);
    setenv("CONCLAVE_CACHE_DIR", directory_.file("cache").c_str(), 1);
    setenv("CONCLAVE_CACHE", settings.cache ? "1" : "0", 1);
    setenv("CONCLAVE_COMPILE_TIMEOUT_S", std::to_string(settings.timeout_s).c_str(), 1);
    setenv("FAKE_BINARY", SAMPLE_PROGRAM, 1);
    setenv("FAKE_COUNT", directory_.file("count").c_str(), 1);
  }

  // How many compilations the server has begun.
  size_t compilations() const { return test::read_text(directory_.file("count")).size(); }

  TemporaryDirectory directory_;
};

TEST_F(CompilerClient, CompilesAndCaches) {
  run([&] {
    EXPECT_TRUE(compiler_available());
    expect_success(compile_source("ok"));
    expect_success(compile_source("ok"));
    EXPECT_EQ(compilations(), 1u);
    expect_success(compile_source("ok other"));
    Request request = request_for("ok");
    request.options = "-cl-mad-enable";
    expect_success(compile(request));
    request.headers.emplace_back("a.h", "text");
    expect_success(compile(request));
    request.inputs.emplace_back("input");
    expect_success(compile(request));
    EXPECT_EQ(compilations(), 5u);
  });
  run([&] {
    expect_success(compile_source("ok"));
    EXPECT_EQ(compilations(), 5u) << "another process finds it";
  });
}

TEST_F(CompilerClient, NewCompilerMeansNewEntries) {
  const std::string copy = directory_.file("clocl");
  test::write_text(copy, test::read_text(FAKE_CLOCL));
  chmod(copy.c_str(), 0755);
  run([&] {
    expect_success(compile_source("ok"));
    setenv("CONCLAVE_CLOCL", copy.c_str(), 1);
    expect_success(compile_source("ok"));
    EXPECT_EQ(compilations(), 2u);
  });
}

TEST_F(CompilerClient, WithoutCache) {
  run({.cache = false}, [&] {
    expect_success(compile_source("ok"));
    expect_success(compile_source("ok"));
    EXPECT_EQ(compilations(), 2u);
    EXPECT_NE(access(directory_.file("cache").c_str(), F_OK), 0);
  });
}

TEST_F(CompilerClient, WorkingDirectoryCountsWhereFilesAreIncluded) {
  run([&] {
    Request request = request_for("ok\n#include \"x.h\"\n");
    for (const char* directory : {"/", "/tmp", "/"}) {
      request.directory = directory;
      expect_success(compile(request));
    }
    EXPECT_EQ(compilations(), 2u);
    request.source = "ok";
    for (const char* directory : {"/", "/tmp"}) {
      request.directory = directory;
      expect_success(compile(request));
    }
    EXPECT_EQ(compilations(), 3u);
  });
}

TEST_F(CompilerClient, ChangedIncludeFileIsCompiledAgain) {
  const std::string header = directory_.file("inc.h");
  test::write_text(header, "one");
  const std::string binary = directory_.file("binary");
  test::write_text(binary, test::binary_with_metadata(test::replaced(
                               test::sample_metadata(), "\"dependencies\": []",
                               "\"dependencies\": [{\"path\": \"" + header + "\", \"hash\": \"" +
                                   content_hash("one") + "\"}]")));
  run([&] {
    setenv("FAKE_BINARY", binary.c_str(), 1);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(compile_source("ok").status, Status::kSuccess);
    EXPECT_EQ(compilations(), 1u);
    test::write_text(header, "two");
    EXPECT_EQ(compile_source("ok").status, Status::kSuccess);
    EXPECT_EQ(compilations(), 2u);
  });
}

// In an emulator the server sees a larger CPU than this process does.
TEST_F(CompilerClient, CodeThatDoesNotRunHereIsCompiledForLess) {
  const std::string foreign = directory_.file("foreign");
  test::write_text(foreign, test::binary_with_metadata(
                                test::replaced(test::sample_metadata(), "sse2", "quantum")));
  run([&] {
    setenv("FAKE_FOREIGN_BINARY", foreign.c_str(), 1);
    expect_success(compile_source("foreign"));
    expect_success(compile_source("foreign"));
    EXPECT_EQ(compilations(), 2u);
  });
}

TEST_F(CompilerClient, FailuresAreNotCached) {
  run([&] {
    for (int i = 0; i < 2; ++i) {
      const Response response = compile_source("fail");
      EXPECT_EQ(response.status, Status::kFailure);
      EXPECT_EQ(response.log, "program.cl:1:1: error: told to fail\n");
    }
    EXPECT_EQ(compilations(), 2u);
  });
}

TEST_F(CompilerClient, HostNoticesNothing) {
  run([&] {
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    expect_success(compile_source("ok"));
    expect_failure(compile_source("crash"), "crashed or was killed");
    expect_failure(compile_source("kill_server"), "signal 9");
    expect_success(compile_source("ok again"));
    unload_compiler();
    usleep(300000);
    EXPECT_EQ(waitpid(-1, nullptr, 0), -1);
    EXPECT_EQ(errno, ECHILD);
    EXPECT_EQ(child_signals, 0);
  });
}

TEST_F(CompilerClient, ServerIsSealedOff) {
  run([&] {
    ASSERT_GE(dup2(1, 200), 0);
    setenv("LD_PRELOAD", "", 1);
    const Response response = compile_source("describe");
    EXPECT_EQ(response.log.find("env LD_PRELOAD"), std::string::npos);
    EXPECT_EQ(response.log.find("fd 200"), std::string::npos) << response.log;
    EXPECT_NE(response.log.find("SigBlk:\t0000000000000000"), std::string::npos) << response.log;
  });
}

TEST_F(CompilerClient, BadServersAreBuildErrorsAndTheNextBuildWorks) {
  run([&] {
    const std::pair<const char*, const char*> cases[] = {
        {"crash", "the compiler crashed or was killed while compiling"},
        {"kill_server", "the compiler ended unexpectedly (signal 9)"},
        {"long", "makes no sense: it announces 18446744073709551615 bytes"},
        {"noise", "makes no sense: compile protocol: version"},
        {"cut", "the compiler crashed or was killed"},
        {"bad_status", "makes no sense: unknown status 77"},
        {"bad_binary", "makes no sense: program binary: has no section .note.conclave"},
    };
    int number = 0;
    for (const auto& [source, text] : cases) {
      expect_failure(compile_source(source), text);
      expect_success(compile_source("ok " + std::to_string(++number)));
    }
  });
}

TEST_F(CompilerClient, HangingCompilerIsGivenUp) {
  run({.timeout_s = 1}, [&] {
    const auto start = Clock::now();
    expect_failure(compile_source("hang"), "took longer than 1 s");
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
    expect_success(compile_source("ok"));
  });
}

// A stopped server takes requests and never serves them.
TEST_F(CompilerClient, StoppedServerIsReplaced) {
  run({.timeout_s = 1}, [&] {
    const pid_t server = server_of(compile_source("describe"));
    ASSERT_GT(server, 1);
    kill(server, SIGSTOP);
    expect_failure(compile_source("ok"), "took longer than 1 s");
    expect_success(compile_source("ok"));
    EXPECT_FALSE(is_running(server)) << "the stopped server was not ended";
  });
}

TEST_F(CompilerClient, KilledIdleServerIsReplaced) {
  run([&] {
    const pid_t server = server_of(compile_source("describe"));
    ASSERT_GT(server, 1);
    kill(server, SIGKILL);
    usleep(50000);
    expect_success(compile_source("ok"));
  });
}

TEST_F(CompilerClient, ServerThatGoesIdleJustThenIsReplaced) {
  run([&] {
    test::write_text(directory_.file("idle"), "");
    setenv("FAKE_IDLE_ONCE", directory_.file("idle").c_str(), 1);
    expect_success(compile_source("ok"));
  });
}

TEST_F(CompilerClient, UnloadedCompilerStartsAgain) {
  run([&] {
    expect_success(compile_source("ok"));
    unload_compiler();
    unload_compiler();
    expect_success(compile_source("ok 2"));
  });
}

TEST_F(CompilerClient, NoCompiler) {
  run([&] {
    setenv("CONCLAVE_CLOCL", "/no/such/clocl", 1);
    EXPECT_FALSE(compiler_available());
    expect_failure(compile_source("ok"), "there is no compiler");
    setenv("CONCLAVE_CLOCL", "/bin/true", 1);
    expect_failure(compile_source("ok"), "compile server");
    setenv("CONCLAVE_CLOCL", FAKE_CLOCL, 1);
    expect_success(compile_source("ok"));
  });
}

// The host closes all descriptors and opens its own; they must stay as they are.
TEST_F(CompilerClient, HostMayCloseAllDescriptors) {
  run([&] {
    expect_success(compile_source("ok"));
    for (int fd = 3; fd < 256; ++fd) close(fd);
    std::vector<int> files;
    for (int i = 0; i < 20; ++i) files.push_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    expect_success(compile_source("ok 2"));
    expect_failure(compile_source("crash"), "crashed");
    unload_compiler();
    struct stat null, now;
    ASSERT_EQ(stat("/dev/null", &null), 0);
    for (int fd : files) {
      ASSERT_EQ(fstat(fd, &now), 0);
      EXPECT_EQ(now.st_ino, null.st_ino);
    }
  });
}

TEST_F(CompilerClient, HostMayCloseDescriptorsDuringABuild) {
  run([&] {
    std::thread closer([] {
      usleep(200000);
      // The system call itself: a thread sanitizer knows that this is rude.
      for (int fd = 3; fd < 64; ++fd) syscall(SYS_close, fd);
    });
    expect_success(compile_source("sleep 600"));
    closer.join();
  });
}

TEST_F(CompilerClient, HostMayFork) {
  run([&] {
    expect_success(compile_source("ok"));
    EXPECT_EQ(in_child([] {
                expect_success(compile_source("ok in child"));
                EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
              }),
              0);
    expect_success(compile_source("ok in parent"));
  });
}

// A child that lives on has the parent's descriptors; the parent's server must end nevertheless.
TEST_F(CompilerClient, ForkedChildDoesNotKeepTheServer) {
  run([&] {
    const pid_t server = server_of(compile_source("describe"));
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    unload_compiler();
    EXPECT_FALSE(is_running(server));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  });
}

TEST_F(CompilerClient, ServerEndsWithTheHost) {
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t host = fork();
  if (host == 0) {
    set_up({});
    const pid_t server = server_of(compile_source("describe"));
    if (write(report[1], &server, sizeof server) != sizeof server) _exit(1);
    kill(getpid(), SIGKILL);
  }
  pid_t server = 0;
  ASSERT_EQ(read(report[0], &server, sizeof server), ssize_t{sizeof server});
  waitpid(host, nullptr, 0);
  for (int i = 0; i < 500 && is_running(server); ++i) usleep(10000);
  EXPECT_FALSE(is_running(server));
  close(report[0]);
  close(report[1]);
}

// Not even a zombie is left where the host ends in an orderly way.
TEST_F(CompilerClient, ServerEndsBeforeTheHostDoes) {
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t host = fork();
  if (host == 0) {
    set_up({});
    const pid_t server = server_of(compile_source("describe"));
    exit(write(report[1], &server, sizeof server) != sizeof server);
  }
  pid_t server = 0;
  ASSERT_EQ(read(report[0], &server, sizeof server), ssize_t{sizeof server});
  int status = -1;
  waitpid(host, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_NE(kill(server, 0), 0);
  close(report[0]);
  close(report[1]);
}

TEST_F(CompilerClient, SeveralThreadsAtOnce) {
  run([&] {
    std::vector<std::thread> threads;
    const auto start = Clock::now();
    for (int i = 0; i < 8; ++i)
      threads.emplace_back(
          [i] { expect_success(compile_source("sleep 500 " + std::to_string(i))); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_LT(Clock::now() - start, std::chrono::milliseconds(8 * 500)) << "one after the other";
    EXPECT_EQ(compilations(), 8u);
  });
}

// A timeout in one thread leaves the others' compilations alone.
TEST_F(CompilerClient, UnloadDuringABuild) {
  run([&] {
    std::thread builder([] { expect_success(compile_source("sleep 500")); });
    usleep(200000);
    unload_compiler();
    expect_success(compile_source("ok"));
    builder.join();
    EXPECT_EQ(compilations(), 2u);
  });
}

TEST_F(CompilerClient, ManyProcessesCompileOnce) {
  constexpr int kProcesses = 32;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      set_up({.timeout_s = 300});
      expect_success(compile_source("sleep 300"));
      _exit(HasFailure() ? 1 : 0);
    }
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(compilations(), 1u);
}

// Those who waited for a failing build do not go one after the other.
TEST_F(CompilerClient, FailingBuildsRunSideBySide) {
  run([&] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i)
      threads.emplace_back([] { expect_failure(compile_source("fail"), "told to fail"); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(compilations(), 16u);
  });
}

TEST_F(CompilerClient, SignalsDoNotDisturb) {
  run([&] {
    struct sigaction action{};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, nullptr);  // without SA_RESTART
    signal(SIGPIPE, SIG_DFL);
    std::atomic<bool> done{false};
    const pthread_t main_thread = pthread_self();
    std::thread disturber([&] {
      while (!done) {
        pthread_kill(main_thread, SIGUSR1);
        usleep(500);
      }
    });
    expect_success(compile_source("sleep 300"));
    expect_failure(compile_source("kill_server"), "signal 9");
    expect_success(compile_source("ok " + std::string(4 << 20, 'x')));
    done = true;
    disturber.join();
  });
}

TEST_F(CompilerClient, LeavesNoDescriptors) {
  run([&] {
    const auto count = [] {
      int open_fds = 0;
      for (int fd = 0; fd < 256; ++fd) open_fds += fcntl(fd, F_GETFD) >= 0;
      return open_fds;
    };
    const int before = count();
    expect_success(compile_source("ok"));
    EXPECT_EQ(count(), before + 1) << "the connection to the server";
    expect_failure(compile_source("crash"), "crashed");
    unload_compiler();
    EXPECT_EQ(count(), before);
  });
}

// The target is 3 ms for a whole cached build; this is the part of it that happens here.
TEST_F(CompilerClient, CachedBuildIsFast) {
  run([&] { expect_success(compile_source("ok")); });
  run([&] {
    const auto start = Clock::now();
    const Response response = compile_source("ok");
    const auto binary = ProgramBinary::parse(response.binary);
    const auto code = LoadedCode::load(*binary);
    const auto time = std::chrono::duration<double, std::milli>(Clock::now() - start);
    printf("cached build in a new process: %.3f ms\n", time.count());
    EXPECT_LT(time.count(), 100.0) << "far above 3 ms only so that a busy machine passes";
  });
}

}  // namespace
}  // namespace conclave
