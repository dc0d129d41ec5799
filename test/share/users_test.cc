// SPDX-License-Identifier: Apache-2.0
// Processes of several users on one device, with ti-mctd between them. Only root can become other
// users; elsewhere these tests are skipped.
#include <CL/cl_ext.h>
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hostile_roles.h"
#include "platform/base/error.h"
#include "platform/share/daemon_client.h"
#include "platform/share/daemon_protocol.h"
#include "platform/share/leases.h"
#include "platform/share/process_identity.h"
#include "process_roles.h"
#include "test/common/daemon_process.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_tests.h"

namespace conclave::test {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr double kPatience = 60;

using Worker = std::unique_ptr<WorkerProcess>;

class Users : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become other users";
  }

  // A process of a new user that computes until it is stopped. `groups` and `steps` of each kernel.
  Worker stream(const std::string& groups = "64", const std::string& steps = "2000") {
    auto worker = std::make_unique<WorkerProcess>(
        "stream", Arguments{groups, steps, std::to_string(CL_QUEUE_PRIORITY_MED_KHR)}, settings());
    EXPECT_EQ(worker->receive(kPatience), "ready");
    return worker;
  }
  std::vector<std::string> settings() const {
    return {segment_.setting(), kEachAnotherUser, "CONCLAVE_COMPUTE_UNITS=2", "CONCLAVE_CACHE=0"};
  }
  static uid_t user_of(const WorkerProcess& worker) {
    struct stat process = {};
    EXPECT_EQ(stat(("/proc/" + std::to_string(worker.pid())).c_str(), &process), 0);
    return process.st_uid;
  }
  // Lets them finish, which checks their results.
  static void finish(std::vector<Worker>& workers) {
    for (Worker& worker : workers) worker->page().stop = 1;
    for (Worker& worker : workers) EXPECT_EQ(worker->wait(kPatience), 0);
  }
  // Whether each gets something done within a second.
  static bool all_progress(const std::vector<Worker>& workers) {
    std::vector<uint32_t> before;
    for (const Worker& worker : workers) before.push_back(worker->page().progress);
    for (int i = 0; i < 100; ++i) {
      sleep_until(now_ns() + 20 * kMillisecond);
      size_t moved = 0;
      for (size_t w = 0; w < workers.size(); ++w) moved += workers[w]->page().progress != before[w];
      if (moved == workers.size()) return true;
    }
    return false;
  }
  Descriptor connection() const {
    Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    share::system_socket(segment_.name()).copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval limit = {5, 0};
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return socket;
  }

  TemporarySegment segment_;
};

TEST_F(Users, ComputeAtTheSameTimeWithEqualShares) {
  const DaemonProcess daemon(segment_.name());
  std::vector<Worker> workers;
  for (int i = 0; i < 3; ++i) workers.push_back(stream());
  for (Worker& worker : workers) worker->send("go");
  EXPECT_TRUE(all_progress(workers));
  std::vector<uint32_t> before;
  for (const Worker& worker : workers) before.push_back(worker->page().progress);
  sleep_until(now_ns() + 1500 * kMillisecond);
  double sum = 0, squares = 0;
  for (size_t w = 0; w < workers.size(); ++w) {
    const double done = workers[w]->page().progress - before[w];
    sum += done;
    squares += done * done;
  }
  EXPECT_GT(sum * sum / (3 * squares), 0.7) << "one user has most of the device";
  finish(workers);
}

// The daemon may end and come back while users compute.
TEST_F(Users, GoOnWithoutTheDaemon) {
  auto daemon = std::make_unique<DaemonProcess>(segment_.name());
  std::vector<Worker> workers;
  for (int i = 0; i < 2; ++i) workers.push_back(stream());
  Worker later = stream();
  for (Worker& worker : workers) worker->send("go");
  EXPECT_TRUE(all_progress(workers));
  kill(daemon->pid(), SIGKILL);
  EXPECT_TRUE(all_progress(workers));
  daemon.reset();
  daemon = std::make_unique<DaemonProcess>(segment_.name());
  workers.push_back(std::move(later));
  workers.back()->send("go");
  EXPECT_TRUE(all_progress(workers));
  finish(workers);
}

TEST_F(Users, GoOnBesideAStoppedDaemon) {
  const DaemonProcess daemon(segment_.name());
  std::vector<Worker> workers;
  for (int i = 0; i < 2; ++i) workers.push_back(stream());
  for (Worker& worker : workers) worker->send("go");
  EXPECT_TRUE(all_progress(workers));
  send_signal(daemon.pid(), SIGSTOP);
  EXPECT_TRUE(all_progress(workers));
  EXPECT_TRUE(all_progress(workers));
  kill(daemon.pid(), SIGCONT);
  finish(workers);
}

// It may be stopped at the moment when one user has been asked to leave a unit to another. What is
// handed over to it then goes back.
TEST_F(Users, GoOnBesideADaemonThatIsStoppedWhileItWaits) {
  const DaemonProcess daemon(segment_.name());
  std::vector<Worker> workers;
  std::vector<std::unique_ptr<share::Segment>> segments;
  for (int i = 0; i < 2; ++i) {
    workers.push_back(stream());
    segments.push_back(share::look_at_daemon(segment_.name(), user_of(*workers.back())));
    ASSERT_TRUE(segments.back());
  }
  for (Worker& worker : workers) worker->send("go");
  EXPECT_TRUE(all_progress(workers));
  const auto waits = [](const std::unique_ptr<share::Segment>& segment) {
    const share::Layout& layout = segment->layout();
    const auto self = share::Owner::from_bits(layout.header().daemon.load());
    return self && share::Leases(layout, self).has_request(0);
  };
  for (int stop = 0; stop < 5; ++stop) {
    int tries = 0;
    for (;; ++tries) {
      ASSERT_LT(tries, 2000) << "the daemon never waits for a unit";
      send_signal(daemon.pid(), SIGSTOP);
      if (std::any_of(segments.begin(), segments.end(), waits)) break;
      kill(daemon.pid(), SIGCONT);
      sleep_until(now_ns() + (1 + tries % 7) * kMillisecond);
    }
    EXPECT_TRUE(all_progress(workers)) << "after " << tries << " tries";
    EXPECT_TRUE(all_progress(workers));
    kill(daemon.pid(), SIGCONT);
    EXPECT_TRUE(all_progress(workers)) << "with the daemon again";
  }
  finish(workers);
}

// Users who die, or are stopped, in the midst of computing leave the units to the others.
TEST_F(Users, DieAndStop) {
  const DaemonProcess daemon(segment_.name());
  std::vector<Worker> survivors;
  survivors.push_back(stream());
  survivors.back()->send("go");
  for (const int number : {SIGKILL, SIGSTOP}) {
    for (int i = 0; i < 5; ++i) {
      const Worker victim = stream();
      victim->send("go");
      sleep_until(now_ns() + (20 + 7 * i) * kMillisecond);
      victim->signal(number);
      EXPECT_TRUE(all_progress(survivors)) << "after signal " << number;
    }
  }
  finish(survivors);
}

// A user who writes whatever they like into their own segment, which the daemon reads.
TEST_F(Users, HostileUserBesideOthers) {
  const DaemonProcess daemon(segment_.name());
  std::vector<Worker> honest;
  for (int i = 0; i < 2; ++i) honest.push_back(stream());
  for (Worker& worker : honest) worker->send("go");
  for (int round = 0; round < 4; ++round) {
    WorkerProcess vandal("vandal", {std::to_string(round), segment_.name()}, settings());
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(all_progress(honest)) << "round " << round;
      EXPECT_EQ(kill(daemon.pid(), 0), 0);
      sleep_until(now_ns() + 300 * kMillisecond);
    }
    EXPECT_GT(vandal.page().progress, 0u) << "that is no test of anything";
  }
  honest.push_back(stream());  // a newcomer
  honest.back()->send("go");
  EXPECT_TRUE(all_progress(honest));
  finish(honest);
}

// What one user has, another one cannot reach.
TEST_F(Users, CannotReachEachOther) {
  const DaemonProcess daemon(segment_.name());
  const Worker worker = stream();
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(10);
    const std::string files = "/proc/" + std::to_string(worker->pid()) + "/fd";
    for (int fd = 0; fd < 64; ++fd)
      if (open((files + "/" + std::to_string(fd)).c_str(), O_RDONLY) >= 0) _exit(11);
    try {
      share::look_at_daemon(segment_.name(), 60'000);
      _exit(12);
    } catch (const Error& error) {
      if (error.text().find("only root") == std::string::npos) _exit(13);
    }
    const auto mine = share::join_daemon(segment_.name());
    const auto same = share::join_daemon(segment_.name());
    _exit(mine && same && mine->inode() == same->inode() ? 0 : 14);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  worker->send("go");
  worker->page().stop = 1;
  EXPECT_EQ(worker->wait(kPatience), 0);
}

// A group whose members trust each other has one segment.
TEST_F(Users, OfASharingGroupHaveOneSegment) {
  const DaemonProcess daemon(segment_.name(), R"({"sharing-groups": "games"})");
  const auto inode_of = [&](uid_t uid, gid_t gid) {
    int result[2];
    EXPECT_EQ(pipe(result), 0);
    const pid_t child = fork();
    if (child == 0) {
      if (setgroups(1, &gid) != 0 || setgid(65534) != 0 || setuid(uid) != 0) _exit(10);
      try {
        const ino_t inode = share::join_daemon(segment_.name())->inode();
        _exit(write(result[1], &inode, sizeof inode) == ssize_t{sizeof inode} ? 0 : 11);
      } catch (const Error& error) {
        fprintf(stderr, "%s\n", error.text().c_str());
        _exit(12);
      }
    }
    close(result[1]);
    ino_t inode = 0;
    EXPECT_EQ(read(result[0], &inode, sizeof inode), ssize_t{sizeof inode});
    int status = 0;
    waitpid(child, &status, 0);
    close(result[0]);
    EXPECT_EQ(status, 0);
    return inode;
  };
  const group* games = getgrnam("games");
  ASSERT_TRUE(games);
  EXPECT_EQ(inode_of(60'001, games->gr_gid), inode_of(60'002, games->gr_gid));
  EXPECT_NE(inode_of(60'001, 65534), inode_of(60'002, 65534));
  EXPECT_NE(inode_of(60'001, games->gr_gid), inode_of(60'001, 65534));
}

// Clients cannot disturb the daemon.
TEST_F(Users, GarbageOnTheSocket) {
  const DaemonProcess daemon(segment_.name());
  const std::vector<Descriptor> silent = [&] {
    std::vector<Descriptor> all;
    for (int i = 0; i < 300; ++i) all.push_back(connection());
    return all;
  }();
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const Descriptor socket = connection();
    std::string bytes(random() % 64, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (round % 2 && bytes.size() >= sizeof(share::DaemonRequest)) {
      share::DaemonRequest request{.kind = static_cast<uint32_t>(random() % 5),
                                   .pid_namespace = share::pid_namespace(),
                                   .uid = static_cast<uint32_t>(random())};
      std::copy_n(reinterpret_cast<const char*>(&request), sizeof request, bytes.begin());
    }
    send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    char answer[512];
    recv(socket.get(), answer, sizeof answer, 0);
  }
  std::vector<Worker> workers;
  workers.push_back(stream());
  workers.back()->send("go");
  EXPECT_TRUE(all_progress(workers));
  finish(workers);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  auto roles = conclave::test::process_roles();
  roles.merge(std::map(conclave::test::hostile_roles()));
  return conclave::test::run_role_or_tests(argc, argv, roles);
}
