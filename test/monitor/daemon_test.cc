// SPDX-License-Identifier: Apache-2.0
// ti-mctd owns the segment, collects the dead, and may come and go while processes run.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/base/config.h"
#include "platform/base/descriptor.h"
#include "platform/share/daemon_bell.h"
#include "platform/share/daemon_client.h"
#include "platform/share/heap.h"
#include "platform/share/leases.h"
#include "platform/share/meeting_place.h"
#include "platform/share/registry.h"
#include "tool.h"

namespace conclave::test {
namespace {

using share::HeapId;
using share::Registry;

class DaemonTest : public ToolTest {
 protected:
  DaemonTest() { configure("\"ddr-heap1-size-MiB\": 2"); }

  // The pids of the processes in the segment's table other than the daemon.
  std::vector<pid_t> entries() const {
    std::vector<pid_t> pids;
    const auto opened = open_segment();
    if (!opened) throw std::runtime_error("there is no segment " + segment());
    const Registry registry(opened->layout());
    for (share::Owner owner : registry.everybody())
      if (!share::is_daemon(opened->layout(), owner)) pids.push_back(registry.identity(owner).pid);
    return pids;
  }
  uint64_t heap_bytes() const { return share::Heap(open_segment()->layout()).size(HeapId::kDdr1); }
  uint64_t available() const {
    return share::Heap(open_segment()->layout()).report(HeapId::kDdr1).available;
  }
  uint32_t socket_mode() const {
    struct stat status = {};
    stat(socket_path().c_str(), &status);
    return status.st_mode & 0777;
  }
  static bool logged(const Tool& tool, const std::string& text) {
    return soon([&] { return tool.errors().find(text) != std::string::npos; });
  }
};

using Pids = std::vector<pid_t>;

TEST_F(DaemonTest, StartsAndStops) {
  const pid_t pid = start_daemon();
  ASSERT_NE(pid, 0);
  EXPECT_EQ(open_segment()->size(), 4096u << 10);
  EXPECT_EQ(heap_bytes(), 2u << 20);
  EXPECT_EQ(stop_daemon(pid, SIGTERM), 0);
  EXPECT_FALSE(segment_exists());
}

TEST_F(DaemonTest, SecondStartIsRefused) {
  const pid_t pid = start_daemon();
  for (const bool foreground : {false, true}) {
    auto arguments = daemon_arguments();
    if (foreground) arguments.push_back("--foreground");
    const Result second = run("ti-mctd", arguments);
    EXPECT_EQ(second.status, 1);
    EXPECT_NE(second.errors.find(socket_path() + ": ti-mctd already runs there: process " +
                                 std::to_string(pid)),
              std::string::npos)
        << second.errors;
  }
  EXPECT_EQ(daemon_pid(), static_cast<uint32_t>(pid));
  EXPECT_EQ(stop_daemon(pid, SIGINT), 0);
}

TEST_F(DaemonTest, LogsWhatItDoes) {
  const auto daemon = foreground_daemon();
  open_segment();
  EXPECT_TRUE(logged(*daemon, "user-" + std::to_string(geteuid()) +
                                  ": heaps created: ddr_heap1 2097152 bytes, ddr_heap2 0 bytes, "
                                  "msmc_heap 4194304 bytes"));
  kill(daemon->pid(), SIGTERM);
  EXPECT_EQ(daemon->wait(), 0);
  EXPECT_NE(daemon->errors().find("Graceful exit"), std::string::npos) << daemon->errors();
}

// More than it keeps connections that say nothing.
TEST_F(DaemonTest, AnswersACrowd) {
  const pid_t pid = start_daemon();
  kill(pid, SIGSTOP);
  std::atomic<int> joined{0};
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < 64; ++i)
      crowd.emplace_back([&] {
        try {
          joined += share::join_daemon(segment()) != nullptr;
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
        }
      });
    usleep(300'000);
    kill(pid, SIGCONT);
  }
  EXPECT_EQ(joined, 64);
}

TEST_F(DaemonTest, CollectsTheDeadUnasked) {
  const auto daemon = foreground_daemon();
  const auto survivor = client("allocate", {"128"});
  const auto victim = client("allocate", {"1024", "2048"});
  EXPECT_EQ(entries(), (Pids{survivor->pid(), victim->pid()}));
  victim->signal(SIGKILL);
  victim->wait();
  EXPECT_TRUE(soon([&] { return entries() == Pids{survivor->pid()}; }, 1));
  EXPECT_EQ(available(), (2u << 20) - 128);
  EXPECT_TRUE(logged(*daemon, "process " + std::to_string(victim->pid()) +
                                  " died; freed 2 blocks with 3072 bytes"))
      << daemon->errors();
}

// A lease goes too, to the process that waits for it.
TEST_F(DaemonTest, HandsOnTheUnitsOfTheDead) {
  start_daemon();
  const auto holder = client("hold");
  const auto waiter = client("request");
  holder->signal(SIGKILL);
  holder->wait();
  const auto opened = open_segment();
  EXPECT_TRUE(soon([&] {
    for (uint32_t unit = 0; unit < share::kCuEntries; ++unit) {
      const auto lease = share::Lease::of(opened->layout().unit(unit).lease.load());
      if (lease.state == share::Lease::kGranted)
        return Registry(opened->layout()).identity(lease.owner).pid == waiter->pid();
    }
    return false;
  }));
}

// Newcomers bring the daemon that was started again the segment that others of their user have.
TEST_F(DaemonTest, AdoptsTheLivingAfterItWasKilled) {
  const pid_t first = start_daemon();
  const auto process = client("allocate", {"4096"});
  const ino_t inode = open_segment()->inode();
  EXPECT_EQ(stop_daemon(first, SIGKILL), 128 + SIGKILL);
  ASSERT_TRUE(segment_exists());

  const auto daemon = foreground_daemon();
  const auto newcomer = client("allocate");
  EXPECT_TRUE(logged(*daemon, "adopted the segment of user-"));
  const auto served = share::MeetingPlace(segment()).find();
  ASSERT_TRUE(served);
  EXPECT_EQ(served->inode(), inode);
  const Registry registry(served->layout());
  const auto in_table = [&](pid_t pid) {
    for (share::Owner owner : registry.everybody())
      if (registry.identity(owner).pid == pid) return true;
    return false;
  };
  EXPECT_TRUE(in_table(process->pid()));
  EXPECT_TRUE(in_table(newcomer->pid()));
  EXPECT_EQ(share::Heap(served->layout()).report(HeapId::kDdr1).available, (2u << 20) - 4096);
  // It watches the processes that were there before.
  process->signal(SIGKILL);
  process->wait();
  EXPECT_TRUE(soon([&] { return !in_table(process->pid()); }, 1));
}

// Without a daemon, those that had one share among themselves, newcomers included.
TEST_F(DaemonTest, LeavesTheSegmentToTheLiving) {
  const pid_t first = start_daemon();
  const auto process = client("allocate", {"4096"});
  EXPECT_EQ(stop_daemon(first, SIGTERM), 0);
  ASSERT_TRUE(segment_exists());
  EXPECT_EQ(daemon_pid(), 0u);
  const auto newcomer = client("allocate");
  EXPECT_EQ(entries(), (Pids{newcomer->pid(), process->pid()}));
  for (const auto& each : {process.get(), newcomer.get()}) {
    each->send("end");
    EXPECT_EQ(each->wait(), 0);
  }
  EXPECT_FALSE(segment_exists());
}

// What is said to do when the segment is too small. TI's recipe removes the file before.
TEST_F(DaemonTest, RestartsWithALargerSegment) {
  for (const char* size : {"128", "256"}) {
    configure("\"linux-shmem-size-KB\": \"" + std::string(size) + "\",");
    const pid_t pid = start_daemon();
    EXPECT_EQ(open_segment()->size(), static_cast<size_t>(atoi(size)) << 10);
    EXPECT_EQ(stop_daemon(pid, SIGTERM), 0);
  }
}

TEST_F(DaemonTest, ReadsTheConfigurationAgain) {
  const auto daemon = foreground_daemon();
  const auto opened = open_segment();
  const share::Header& header = opened->layout().header();
  EXPECT_EQ(header.policy.load(), static_cast<uint32_t>(share::Policy::kInterleave));
  EXPECT_EQ(header.time_slice_us.load(), Config().time_slice_us);
  EXPECT_EQ(socket_mode(), 0666u);
  const auto process = client("allocate");  // without one the segment would be made again

  configure(R"("scheduler": "fcfs", "time-slice-us": 500, "segment-mode": "0660",
               "ddr-heap1-size-MiB": 3)");
  kill(daemon->pid(), SIGHUP);
  EXPECT_TRUE(logged(*daemon, "configuration read again"));
  EXPECT_EQ(header.policy.load(), static_cast<uint32_t>(share::Policy::kFcfs));
  EXPECT_EQ(header.time_slice_us.load(), 500u);
  EXPECT_EQ(socket_mode(), 0660u);
  EXPECT_TRUE(soon([&] { return heap_bytes() == 3u << 20; }));
}

TEST_F(DaemonTest, ReloadKeepsWhatIsInUseOrWrong) {
  const auto daemon = foreground_daemon();
  const auto process = client("allocate", {"128"});
  configure("\"ddr-heap1-size-MiB\": 3, \"linux-shmem-size-KB\": 128, \"segment\": \"other\"");
  kill(daemon->pid(), SIGHUP);
  EXPECT_TRUE(logged(*daemon, "the heaps keep their sizes while there is something in them"));
  EXPECT_TRUE(logged(*daemon, " keeps its 4096 KiB while a process uses it"));
  EXPECT_TRUE(logged(*daemon, "segment: ti-mctd has to be started again"));
  EXPECT_EQ(heap_bytes(), 2u << 20);

  configure("\n\"scheduler\": \"fcfs\",\n\"time-slice-us\": 1");
  kill(daemon->pid(), SIGHUP);
  EXPECT_TRUE(logged(*daemon, config_file() +
                                  " line 3, key \"time-slice-us\": \"1\": allowed is an "
                                  "integer from 100 to 1000000"));
  EXPECT_TRUE(logged(*daemon, "the configuration stays as it was"));
  EXPECT_EQ(open_segment()->layout().header().policy.load(),
            static_cast<uint32_t>(share::Policy::kInterleave));
}

TEST_F(DaemonTest, WrongConfigurationsAreRefused) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"{", " line 1: is no valid JSON"},
      {"{\"cmem-block-offchip\": \"7\"}",
       "key \"cmem-block-offchip\": \"7\": allowed is an integer"},
      {"{\n\"compute-units\": \"none\"}", " line 2, key \"compute-units\": \"none\""},
      {"{\"compute-units\": 2, \"compute-unit-list\": \"0,2\"}", "there is no compute unit \"2\""},
      {"{\"linux-shmem-size-KB\": \"1\"}", "\"1\": allowed is an integer from 64 to 65536"},
      {"{\"segment-mode\": \"rw\"}", "\"rw\": allowed is an octal mode"},
      {"{\n\"segment-group\": \"no-such-group\"}",
       " line 2, key \"segment-group\": \"no-such-group\": there is no such group"},
      {"{\"scheduler\": \"fair\"}", "\"fair\": allowed are interleave, fcfs and off"},
      {"{\"ddr-heap1-size-MiB\": \"half\"}", "\"half\": allowed is an integer"},
  };
  for (const auto& bad : cases) {
    write(config_file(), bad.text);
    const Result result = run("ti-mctd", daemon_arguments());
    EXPECT_EQ(result.status, 1) << bad.text;
    EXPECT_NE(result.errors.find("ti-mctd: " + config_file()), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(bad.error), std::string::npos) << result.errors;
    EXPECT_FALSE(segment_exists()) << bad.text;
  }
  const Result missing = run("ti-mctd", {"--segment", segment(), "--config", "/no/such.json"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.errors.find("/no/such.json: there is no such file"), std::string::npos);
}

// The environment of the user who starts it must not affect all users' device.
TEST_F(DaemonTest, TakesNoEnvironment) {
  const Result result = run("ti-mctd", daemon_arguments(),
                            {"CONCLAVE_TIME_SLICE_US=777", "CONCLAVE_SCHEDULER=wrong"});
  EXPECT_EQ(result.status, 0) << result.errors;
  const uint32_t pid = daemon_pid();
  ASSERT_NE(pid, 0u);
  EXPECT_EQ(open_segment()->layout().header().time_slice_us.load(), Config().time_slice_us);
  EXPECT_EQ(stop_daemon(static_cast<pid_t>(pid), SIGTERM), 0);
}

TEST_F(DaemonTest, OptionsAreChecked) {
  const Result unknown = run("ti-mctd", {"--bogus"});
  EXPECT_NE(unknown.status, 0);
  EXPECT_NE(unknown.errors.find("--bogus"), std::string::npos);
  const Result help = run("ti-mctd", {"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* option : {"-h,--help", "--config", "--foreground", "--segment", "--version"})
    EXPECT_NE(help.output.find(option), std::string::npos) << option;
}

TEST_F(DaemonTest, UsesNoTimeWhileNothingHappens) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer has a thread of its own, which does";
#endif
  const pid_t pid = start_daemon();
  const auto process = client("hold");
  usleep(200'000);
  clockid_t clock = 0;
  ASSERT_EQ(clock_getcpuclockid(pid, &clock), 0);
  const auto used_ns = [&] {
    timespec time = {};
    clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  };
  const long before = used_ns();
  usleep(1'000'000);
  EXPECT_EQ(used_ns(), before);
}

// The lock is taken from a process that was stopped while it held it.
TEST_F(DaemonTest, DoesNotWaitForStoppedProcesses) {
  const auto daemon = foreground_daemon();
  const auto stopped = client("stop-with-lock");
  configure("\"ddr-heap1-size-MiB\": 3");
  kill(daemon->pid(), SIGHUP);
  EXPECT_TRUE(logged(*daemon, "heaps created: ddr_heap1 3145728 bytes"));
  kill(daemon->pid(), SIGTERM);
  EXPECT_EQ(daemon->wait(10), 0);
  EXPECT_NE(daemon->errors().find("Graceful exit"), std::string::npos);
}

TEST_F(DaemonTest, TellsTheServiceManager) {
  const Descriptor manager(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = file("notify");
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(manager.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const timeval limit = {10, 0};
  setsockopt(manager.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const auto next = [&] {
    char text[256];
    const ssize_t size = recv(manager.get(), text, sizeof text, 0);
    return std::string(text, size > 0 ? static_cast<size_t>(size) : 0);
  };

  Tool daemon("ti-mctd", daemon_arguments(), {"NOTIFY_SOCKET=" + path});
  EXPECT_EQ(next(), "READY=1\nSTATUS=Serving " + socket_path());
  EXPECT_EQ(daemon_pid(),
            static_cast<uint32_t>(daemon.pid()));  // it has not gone to the background
  kill(daemon.pid(), SIGTERM);
  EXPECT_EQ(next(), "STOPPING=1");
  EXPECT_EQ(daemon.wait(), 0);
}

}  // namespace
}  // namespace conclave::test
