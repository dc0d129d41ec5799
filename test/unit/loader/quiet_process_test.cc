// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/quiet_process.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

#include "platform/base/descriptor.h"
#include "test_support.h"

namespace conclave {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::in_child;

std::atomic<int> child_signals{0};

void count_child_signal(int) {
  ++child_signals;
}

// No child that wait() could find, and no signal.
void expect_unnoticed() {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(child_signals, 0);
}

std::string read_all(const Descriptor& socket) {
  std::string text;
  char buffer[512];
  for (ssize_t count; (count = recv(socket.get(), buffer, sizeof buffer, 0)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  return text;
}

struct Finished {
  std::string output;
  std::string ending;
};

// Runs a shell command whose descriptor 3 is our socket.
Finished run_shell(const std::string& command) {
  auto [ours, theirs] = make_socket_pair();
  QuietProcess process("/bin/sh", {"-c", command}, theirs.get());
  theirs.close();
  expect_unnoticed();
  Finished run{read_all(ours), ""};
  EXPECT_TRUE(process.wait(seconds(20)));
  run.ending = process.ending();
  expect_unnoticed();
  return run;
}

TEST(QuietProcess, HostNoticesNothing) {
  EXPECT_EQ(in_child([] {
              signal(SIGCHLD, count_child_signal);
              EXPECT_EQ(run_shell("echo hello >&3").output, "hello\n");
            }),
            0);
}

// An orphan would become the child of such a host.
TEST(QuietProcess, SubreaperNoticesNothing) {
  EXPECT_EQ(in_child([] {
              signal(SIGCHLD, count_child_signal);
              ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
              EXPECT_EQ(run_shell("echo hello >&3").output, "hello\n");
            }),
            0);
}

TEST(QuietProcess, AnOrphanRunsAtThePaceThatItIsGiven) {
  using Pace = QuietProcess::Pace;
  EXPECT_EQ(in_child([] {
              for (const auto& [pace, policy] :
                   {std::pair(Pace::kUsual, SCHED_OTHER), std::pair(Pace::kWhenIdle, SCHED_IDLE)}) {
                auto [ours, theirs] = make_socket_pair();
                // Field 41 of the file is the scheduling policy.
                QuietProcess::start_orphan("/bin/sh", {"-c", "cut -d' ' -f41 /proc/$$/stat >&3"},
                                           theirs.get(), pace);
                theirs.close();
                EXPECT_EQ(read_all(ours), std::to_string(policy) + "\n");
              }
              expect_unnoticed();
            }),
            0);
}

TEST(QuietProcess, TellsHowItEnded) {
  EXPECT_EQ(in_child([] {
              EXPECT_EQ(run_shell("exit 0").ending, "exit status 0");
              EXPECT_EQ(run_shell("exit 7").ending, "exit status 7");
              EXPECT_EQ(run_shell("kill -SEGV $$").ending, "signal 11");
            }),
            0);
}

TEST(QuietProcess, InheritsNoDescriptorsNorSignalState) {
  EXPECT_EQ(in_child([] {
              ASSERT_GE(dup2(1, 200), 0);  // without close-on-exec
              signal(SIGPIPE, SIG_IGN);
              signal(SIGTERM, SIG_IGN);
              sigset_t blocked;
              sigfillset(&blocked);
              sigprocmask(SIG_BLOCK, &blocked, nullptr);
              // The shell's own descriptors end with the redirection of ls.
              const Finished run = run_shell(
                  "ls -1 /proc/self/fd >&3; grep -E 'Sig(Blk|Ign)' "
                  "/proc/self/status >&3; readlink /proc/self/fd/0 >&3");
              EXPECT_NE(run.output.find("0\n1\n2\n3\n4\nSigBlk:\t0000000000000000\n"
                                        "SigIgn:\t0000000000000000\n/dev/null\n"),
                        std::string::npos)
                  << run.output;
            }),
            0);
}

TEST(QuietProcess, WorksWithoutStandardStreams) {
  EXPECT_EQ(in_child([] {
              for (int fd = 0; fd < 10; ++fd) close(fd);
              EXPECT_EQ(run_shell("echo x; echo hello >&3").output, "hello\n");
              EXPECT_EQ(fcntl(0, F_GETFD), -1);
              EXPECT_EQ(fcntl(1, F_GETFD), -1);
            }),
            0);
}

TEST(QuietProcess, PreloadedLibrariesAndHeapSettingsAreNotPassedOn) {
  EXPECT_EQ(in_child([] {
              setenv("LD_PRELOAD", "libnothing.so", 1);
              setenv("CPATH", "/nowhere", 1);
              setenv("GLIBC_TUNABLES", "glibc.malloc.arena_max=3", 1);
              setenv("CONCLAVE_TEST", "here", 1);
              EXPECT_EQ(run_shell("echo \"<$LD_PRELOAD|$CPATH|$CONCLAVE_TEST>\" >&3").output,
                        "<||here>\n");
              // The shell itself would hide that there are two of them.
              EXPECT_EQ(run_shell("tr '\\0' '\\n' < /proc/$$/environ | grep GLIBC >&3").output,
                        "GLIBC_TUNABLES=glibc.malloc.tcache_count=2000\n");
            }),
            0);
}

TEST(QuietProcess, MissingProgramIsAnError) {
  auto [ours, theirs] = make_socket_pair();
  try {
    QuietProcess process("/no/such/program", {}, theirs.get());
    FAIL() << "started";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot start /no/such/program: No such file or directory");
  }
}

TEST(QuietProcess, DestructorEndsTheProgram) {
  auto [ours, theirs] = make_socket_pair();
  {
    QuietProcess process("/bin/sh", {"-c", "exec sleep 1000"}, theirs.get());
    theirs.close();
    EXPECT_FALSE(process.wait(milliseconds(50)));
  }
  pollfd entry{ours.get(), POLLIN, 0};
  EXPECT_EQ(poll(&entry, 1, 5000), 1) << "the program still has its end of the socket";
}

TEST(QuietProcess, EndsWithItsKilledHost) {
  auto [ours, theirs] = make_socket_pair();
  const pid_t host = fork();
  if (host == 0) {
    ours.close();
    // Ends when the socket is closed, as a compile server does.
    QuietProcess process("/bin/sh", {"-c", "read x <&3"}, theirs.get());
    kill(getpid(), SIGKILL);
  }
  theirs.close();
  EXPECT_EQ(waitpid(host, nullptr, 0), host);
  shutdown(ours.get(), SHUT_WR);
  EXPECT_EQ(read_all(ours), "");
}

// The keeper must not depend on the thread that started it.
TEST(QuietProcess, OutlivesTheThreadThatStartedIt) {
  auto [ours, theirs] = make_socket_pair();
  std::unique_ptr<QuietProcess> process;
  pthread_t thread;
  struct Arguments {
    std::unique_ptr<QuietProcess>* process;
    int socket;
  } arguments{&process, theirs.get()};
  pthread_create(
      &thread, nullptr,
      [](void* data) -> void* {
        auto* a = static_cast<Arguments*>(data);
        *a->process = std::make_unique<QuietProcess>(
            "/bin/sh", std::vector<std::string>{"-c", "read x <&3; echo done >&3"}, a->socket);
        return nullptr;
      },
      &arguments);
  pthread_join(thread, nullptr);
  theirs.close();
  EXPECT_FALSE(process->wait(milliseconds(100)));
  ASSERT_EQ(send(ours.get(), "go\n", 3, 0), 3);
  EXPECT_EQ(read_all(ours), "done\n");
  EXPECT_TRUE(process->wait(seconds(10)));
  EXPECT_TRUE(process->ended_well());
}

}  // namespace
}  // namespace conclave
