// SPDX-License-Identifier: Apache-2.0
// Device images and processes: the diagram of seven processes in XRT's documentation, with XRT's C
// interface and with OpenCL, and what becomes of the others when one of them dies.
#include <CL/cl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "image_roles.h"
#include "platform/share/meeting_place.h"
#include "test/common/daemon_process.h"
#include "test/common/temporary_directory.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_tests.h"

namespace conclave::test {
namespace {

using Steps = std::vector<std::string>;

class DeviceImages : public testing::Test {
 protected:
  // This process looks where its workers meet.
  DeviceImages() { setenv("XDG_RUNTIME_DIR", runtime_.path().c_str(), 1); }

  std::vector<std::string> settings(const std::vector<std::string>& more = {}) const {
    // The first of two settings of a variable counts.
    std::vector<std::string> all = more;
    all.insert(all.end(), {segment_.setting(), "CONCLAVE_COMPUTE_UNITS=2",
                           "XDG_RUNTIME_DIR=" + runtime_.path()});
    return all;
  }
  std::unique_ptr<WorkerProcess> start(const std::string& role,
                                       const std::vector<std::string>& more = {}) const {
    return std::make_unique<WorkerProcess>(role, Arguments{}, settings(more));
  }
  static int step(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return std::stoi(worker.receive());
  }
  static std::string ask(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return worker.receive();
  }
  static void expect_steps(WorkerProcess& worker, const Steps& steps) {
    for (const std::string& line : steps) EXPECT_EQ(step(worker, line), 0) << line;
  }

  // The file of the device image that is loaded, which processes have from each other.
  std::string kept_file() const { return runtime_.file("conclave/" + segment_.name() + ".image"); }

  TemporarySegment segment_{".image"};
  TemporaryDirectory runtime_;
};

// One process of the diagram: what it does until it holds its context, and what then.
struct Part {
  Steps before, after;
};

// The processes that succeed. `p4`: the compute unit of process 4, of which text and diagram say
// different things.
std::vector<Part> parts(const std::string& p4) {
  const auto part = [](bool loads, const std::string& unit) {
    Part part{{"open"}, {"exec " + unit, "wait", "uncontext X " + unit, "close"}};
    if (loads) part.before.push_back("load X");
    part.before.push_back("context X " + unit + " shared");
    return part;
  };
  return {part(true, "0"), part(false, "0"), part(false, "1"), part(true, "0"), part(true, p4)};
}

enum class Reading { kDiagram, kText };

class SevenProcesses : public DeviceImages, public testing::WithParamInterface<Reading> {
 protected:
  std::string unit_of_p4() const { return GetParam() == Reading::kDiagram ? "1" : "0"; }
  static int rounds() {
    const char* rounds = getenv("CONCLAVE_DIAGRAM_ROUNDS");
    return rounds ? std::stoi(rounds) : 5;
  }
};
INSTANTIATE_TEST_SUITE_P(, SevenProcesses, testing::Values(Reading::kDiagram, Reading::kText),
                         [](const auto& reading) {
                           return reading.param == Reading::kDiagram ? "diagram" : "text";
                         });

TEST_P(SevenProcesses, EndAsTheDocumentationSays) {
  std::vector<std::unique_ptr<WorkerProcess>> p;
  for (int i = 0; i < 7; ++i) p.push_back(start("xcl"));
  const std::vector<Part> parts = test::parts(unit_of_p4());
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    for (size_t i = 0; i < parts.size(); ++i) expect_steps(*p[i], parts[i].before);
    // All at once from here on: these five run their commands, meanwhile the others fail.
    for (size_t i = 0; i < parts.size(); ++i) p[i]->send(parts[i].after[0]);
    expect_steps(*p[5], {"open"});
    p[5]->send("load Y");
    expect_steps(*p[6], {"open"});
    p[6]->send("load X");
    EXPECT_EQ(p[5]->receive(), std::to_string(-EBUSY));
    EXPECT_EQ(p[6]->receive(), "0");
    if (GetParam() == Reading::kDiagram)
      EXPECT_EQ(step(*p[6], "context Y 0 shared"), -EBUSY);
    else
      expect_steps(*p[6], {"context X 0 shared", "exec 0", "wait", "uncontext X 0"});
    expect_steps(*p[5], {"close"});
    expect_steps(*p[6], {"close"});
    for (size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(p[i]->receive(), "0");
    for (size_t i = 0; i < parts.size(); ++i)
      expect_steps(*p[i], {parts[i].after.begin() + 1, parts[i].after.end()});
    // Nobody holds it any more.
    expect_steps(*p[5], {"open", "load Y", "close"});
  }
}

// Each of the five dies after each of its steps; the others notice nothing.
TEST_P(SevenProcesses, DeathAfterEachStep) {
  const std::vector<Part> parts = test::parts(unit_of_p4());
  auto other = start("xcl");
  for (size_t victim = 0; victim < parts.size(); ++victim) {
    const Part& fatal = parts[victim];
    for (size_t last = 0; last < fatal.before.size() + fatal.after.size(); ++last) {
      SCOPED_TRACE("death of process " + std::to_string(victim) + " after step " +
                   std::to_string(last));
      std::vector<std::unique_ptr<WorkerProcess>> p;
      for (size_t i = 0; i < parts.size(); ++i) p.push_back(start("xcl"));
      for (size_t i = 0; i < parts.size(); ++i) {
        if (i != victim) {
          expect_steps(*p[i], parts[i].before);
          continue;
        }
        const size_t steps = std::min(last + 1, fatal.before.size());
        // Somebody has to load the image for those that do not.
        if (i > 0 || last > 0)
          expect_steps(*p[i], {fatal.before.begin(), fatal.before.begin() + long(steps)});
        if (last == 0 && i == 0) expect_steps(*other, {"open", "load X", "close"});
        if (last < fatal.before.size()) p[i]->signal(SIGKILL);
      }
      if (last >= fatal.before.size()) {
        expect_steps(*p[victim], {fatal.after.begin(),
                                  fatal.after.begin() + long(last - fatal.before.size()) + 1});
        p[victim]->signal(SIGKILL);
      }
      p[victim]->wait();
      for (size_t i = 0; i < parts.size(); ++i)
        if (i != victim) expect_steps(*p[i], {parts[i].after.begin(), parts[i].after.end() - 1});
      expect_steps(*other, {"open", "load Y", "close"});
      for (size_t i = 0; i < parts.size(); ++i)
        if (i != victim) p[i]->send("end");
    }
  }
}

TEST_F(DeviceImages, FailuresNameTheHolder) {
  auto holder = start("xcl"), other = start("xcl");
  expect_steps(*holder, {"open", "load X", "context X 0 exclusive"});
  EXPECT_EQ(step(*other, "open"), 0);
  EXPECT_EQ(step(*other, "load Y"), -EBUSY);
  const std::string me = "process " + std::to_string(holder->pid()) + " (";
  std::string text = ask(*other, "error");
  EXPECT_NE(text.find("Device Busy"), std::string::npos) << text;
  EXPECT_NE(text.find(me), std::string::npos) << text;
  EXPECT_NE(text.find("--role=xcl"), std::string::npos) << text;
  EXPECT_NE(text.find("since 20"), std::string::npos) << text;
  EXPECT_EQ(step(*other, "context X 0 shared"), -EBUSY);
  text = ask(*other, "error");
  EXPECT_NE(text.find("vadd:vadd_1"), std::string::npos) << text;
  EXPECT_NE(text.find(me), std::string::npos) << text;
}

TEST_F(DeviceImages, ErrorNumbers) {
  auto p = start("xcl"), other = start("xcl");
  EXPECT_EQ(step(*p, "load X"), -ENODEV);
  expect_steps(*p, {"open"});
  EXPECT_EQ(step(*p, "context X 0 shared"), -EBUSY);  // nothing is loaded
  expect_steps(*p, {"load X"});
  EXPECT_EQ(step(*p, "exec 0"), -EINVAL);  // without any context
  EXPECT_EQ(step(*p, "context Y 0 shared"), -EBUSY);
  EXPECT_EQ(step(*p, "context X 2 shared"), -EINVAL);  // there are two
  EXPECT_EQ(step(*p, "uncontext X 0"), -EINVAL);
  expect_steps(*p, {"context X 0 shared", "context X 0 shared"});
  EXPECT_EQ(step(*p, "context X 0 exclusive"), -EINVAL);
  EXPECT_EQ(step(*p, "exec 1"), -EINVAL);  // not one of its contexts
  EXPECT_EQ(step(*p, "uncontext Y 0"), -EBUSY);
  expect_steps(*p, {"exec 0", "wait", "uncontext X 0", "exec 0", "wait"});
  EXPECT_EQ(step(*p, "load Y"), -EBUSY);  // its own context is still open
  expect_steps(*p, {"uncontext X 0"});
  EXPECT_EQ(step(*p, "exec 0"), -EINVAL);
  expect_steps(*p, {"load Y", "context Y 4294967295 shared"});  // the image alone
  EXPECT_EQ(step(*p, "exec 0"), -EINVAL);
  expect_steps(*other, {"open", "load Y"});
  EXPECT_EQ(step(*other, "load X"), -EBUSY);
  expect_steps(*p, {"uncontext Y 4294967295"});
  expect_steps(*other, {"load X", "context X 1 exclusive"});
  expect_steps(*p, {"context X 0 exclusive"});
  EXPECT_EQ(step(*p, "context X 1 shared"), -EBUSY);
}

TEST_F(DeviceImages, ForkedChildrenHaveNothing) {
  auto p = start("xcl"), other = start("xcl");
  expect_steps(*p, {"open", "load X", "context X 0 shared", "exec 0", "wait"});
  for (const char* line : {"load X", "context X 1 shared", "uncontext X 0", "again", "wait"})
    EXPECT_EQ(step(*p, std::string("fork ") + line), -ENODEV) << line;
  EXPECT_EQ(step(*p, "fork open"), -1);
  expect_steps(*p, {"fork close"});
  // The parent has its context still.
  expect_steps(*other, {"open"});
  EXPECT_EQ(step(*other, "load Y"), -EBUSY);
  expect_steps(*p, {"exec 0", "wait"});
}

TEST_F(DeviceImages, WaitingInsteadOfFailing) {
  auto holder = start("xcl");
  auto waiter = start("xcl", {"CONCLAVE_IMAGE_WAIT_MS=20000"});
  auto hasty = start("xcl", {"CONCLAVE_IMAGE_WAIT_MS=100"});
  expect_steps(*holder, {"open", "load X", "context X 0 shared"});
  expect_steps(*hasty, {"open"});
  const int64_t start_ns = now_ns();
  EXPECT_EQ(step(*hasty, "load Y"), -EBUSY);
  EXPECT_GE(now_ns() - start_ns, 95'000'000);
  EXPECT_NE(ask(*hasty, "error").find("waited"), std::string::npos);
  expect_steps(*waiter, {"open"});
  waiter->send("load Y");
  sleep_until(now_ns() + 50'000'000);
  expect_steps(*holder, {"uncontext X 0"});
  EXPECT_EQ(waiter->receive(), "0");
  // A holder that dies lets go, too.
  expect_steps(*holder, {"context Y 0 exclusive"});
  waiter->send("context Y 0 exclusive");
  sleep_until(now_ns() + 50'000'000);
  holder->signal(SIGKILL);
  EXPECT_EQ(waiter->receive(), "0");
}

// multiprocess=false: EPERM, not EBUSY.
TEST_F(DeviceImages, DeviceHeldAlone) {
  const std::string ini = testing::TempDir() + "conclave-xrt-" + std::to_string(getpid()) + ".ini";
  FILE* file = fopen(ini.c_str(), "w");
  ASSERT_TRUE(file);
  fputs("[Runtime]\nmultiprocess=false\n", file);
  fclose(file);
  {
    auto alone = start("xcl", {"XRT_INI_PATH=" + ini}), other = start("xcl");
    expect_steps(*alone, {"open", "load X", "context X 0 shared"});
    expect_steps(*other, {"open"});
    EXPECT_EQ(step(*other, "load Y"), -EPERM);
    EXPECT_EQ(step(*other, "load X"), -EPERM);
    EXPECT_EQ(step(*other, "context X 0 shared"), -EPERM);
    EXPECT_NE(ask(*other, "error").find(std::to_string(alone->pid())), std::string::npos);
    expect_steps(*alone, {"uncontext X 0", "close"});
    expect_steps(*other, {"load Y", "context Y 0 shared"});
    expect_steps(*alone, {"open"});
    EXPECT_EQ(step(*alone, "load Y"), -EPERM);
  }
  remove(ini.c_str());
}

// --- Several users ---

class DeviceImagesOfUsers : public DeviceImages {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become other users";
    start_daemon();
  }
  void start_daemon(const std::string& json = "{}") {
    daemon_.reset();
    daemon_ = std::make_unique<DaemonProcess>(segment_.name(), json);
  }
  std::unique_ptr<WorkerProcess> start_user(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> settings = more;
    settings.push_back(kEachAnotherUser);
    auto user = start("xcl", settings);
    expect_steps(*user, {"open"});
    return user;
  }
  // Both do it at the same time.
  static std::array<int, 2> both(WorkerProcess& first, const std::string& one,
                                 WorkerProcess& second, const std::string& other) {
    first.send(one);
    second.send(other);
    return {std::stoi(first.receive()), std::stoi(second.receive())};
  }

  std::unique_ptr<DaemonProcess> daemon_;
};

TEST_F(DeviceImagesOfUsers, ShareTheDevicesImage) {
  auto a = start_user(), b = start_user();
  expect_steps(*a, {"load X", "context X 0 shared"});
  EXPECT_EQ(step(*b, "load Y"), -EBUSY);
  EXPECT_NE(ask(*b, "error").find("another user"), std::string::npos) << ask(*b, "error");
  expect_steps(*b, {"load X", "context X 0 shared", "exec 0", "wait", "context X 1 exclusive"});
  EXPECT_EQ(step(*a, "context X 1 shared"), -EBUSY);
  EXPECT_NE(ask(*a, "error").find("another user"), std::string::npos) << ask(*a, "error");
  expect_steps(*b, {"uncontext X 1"});
  expect_steps(*a, {"exec 0", "wait", "context X 1 shared", "uncontext X 1", "uncontext X 0"});
  EXPECT_EQ(step(*a, "load Y"), -EBUSY);
  expect_steps(*b, {"uncontext X 0", "load Y"});
  EXPECT_EQ(step(*a, "context X 0 shared"), -EBUSY);  // the image has been replaced
  expect_steps(*a, {"load X", "context X 0 shared"});
  EXPECT_EQ(step(*b, "context Y 0 shared"), -EBUSY);
}

TEST_F(DeviceImagesOfUsers, WhoDiesLeavesTheImageToOthers) {
  auto a = start_user(), b = start_user({"CONCLAVE_IMAGE_WAIT_MS=5000"});
  expect_steps(*a, {"load X", "context X 0 exclusive"});
  b->send("load Y");
  sleep_until(now_ns() + 50'000'000);
  a->signal(SIGKILL);
  EXPECT_EQ(b->receive(), "0");
  expect_steps(*b, {"context Y 0 exclusive", "exec 0", "wait"});
}

TEST_F(DeviceImagesOfUsers, OneOfTwoAtTheSameTime) {
  auto a = start_user(), b = start_user();
  expect_steps(*a, {"load X"});
  expect_steps(*b, {"load X"});
  int someone = 0;
  for (int round = 0; round < 200; ++round) {
    const auto [first, second] = both(*a, "context X 0 exclusive", *b, "context X 0 exclusive");
    EXPECT_TRUE(first != 0 || second != 0) << "both have the unit alone";
    someone += first == 0 || second == 0;
    if (first == 0) expect_steps(*a, {"uncontext X 0"});
    if (second == 0) expect_steps(*b, {"uncontext X 0"});
  }
  EXPECT_GT(someone, 100);
  for (int round = 0; round < 100; ++round) {
    both(*a, "load X", *b, "load Y");
    const auto [first, second] = both(*a, "context X 0 shared", *b, "context Y 0 shared");
    EXPECT_TRUE(first != 0 || second != 0) << "two images on one device";
    if (first == 0) expect_steps(*a, {"uncontext X 0"});
    if (second == 0) expect_steps(*b, {"uncontext Y 0"});
  }
}

// The daemon may come, stop and go.
TEST_F(DeviceImagesOfUsers, WithoutAnAnswer) {
  auto a = start_user(), b = start_user();
  expect_steps(*a, {"load X", "context X 0 shared"});
  send_signal(daemon_->pid(), SIGSTOP);
  const uint64_t before = now_ns();
  EXPECT_EQ(step(*b, "load Y"), 0);
  EXPECT_EQ(step(*b, "context Y 0 shared"), 0);
  EXPECT_LT(now_ns() - before, 5'000'000'000u);
  expect_steps(*b, {"exec 0", "wait", "uncontext Y 0"});
  kill(daemon_->pid(), SIGCONT);
  for (int i = 0; i < 100 && step(*b, "load Y") == 0; ++i) sleep_until(now_ns() + 10'000'000);
  EXPECT_EQ(step(*b, "load Y"), -EBUSY);
  kill(daemon_->pid(), SIGKILL);
  EXPECT_EQ(step(*b, "load Y"), 0);
}

TEST_F(DeviceImagesOfUsers, OneHasTheDeviceAlone) {
  const TemporaryDirectory settings;
  const std::string ini = settings.file("xrt.ini");
  std::ofstream(ini) << "[Runtime]\nmultiprocess=false\n";
  std::filesystem::permissions(settings.path(), std::filesystem::perms(0755));
  {
    auto alone = start_user({"XRT_INI_PATH=" + ini}), other = start_user();
    expect_steps(*alone, {"load X", "context X 0 shared"});
    expect_steps(*other, {"load X", "context X 1 shared"});  // as the configuration has it
  }
  start_daemon(R"({"exclude-other-users": "true"})");
  auto alone = start_user({"XRT_INI_PATH=" + ini}), other = start_user();
  expect_steps(*alone, {"load X", "context X 0 shared"});
  EXPECT_EQ(step(*other, "load X"), -EPERM);
  EXPECT_NE(ask(*other, "error").find("another user"), std::string::npos) << ask(*other, "error");
  expect_steps(*alone, {"uncontext X 0", "close"});
  expect_steps(*other, {"load X", "context X 0 shared"});
  expect_steps(*alone, {"open"});
  EXPECT_EQ(step(*alone, "load X"), -EPERM);
  other->signal(SIGKILL);
  for (int i = 0; i < 100 && step(*alone, "load X") != 0; ++i) sleep_until(now_ns() + 10'000'000);
  expect_steps(*alone, {"context X 0 shared"});
}

// --- Traps ---

// For the answer to a step that must not hang.
constexpr double kSoon = 10;

int step_soon(WorkerProcess& worker, const std::string& line) {
  worker.send(line);
  return std::stoi(worker.receive(kSoon));
}

// Where everybody can make files, somebody makes one in the place of what others look for.
TEST_F(DeviceImages, NobodyLooksForThemWhereAllCanWrite) {
  auto loader = start("xcl"), other = start("xcl");
  expect_steps(*loader, {"open", "load X"});
  expect_steps(*other, {"open", "context X 0 shared"});
  const std::string place = "/dev/shm/" + segment_.name() + ".image." + std::to_string(geteuid());
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
TEST_F(DeviceImages, TrapsInThePlaceOfTheFile) {
  auto loader = start("xcl"), other = start("xcl");
  expect_steps(*loader, {"open", "load X"});
  expect_steps(*other, {"open", "context X 0 shared"});
  const std::string file = kept_file(), image = image_file("X");
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
  ASSERT_EQ(symlink(image.c_str(), file.c_str()), 0);
  expect_refusal("is a symbolic link");
  ASSERT_EQ(unlink(file.c_str()), 0);
  std::filesystem::copy_file(image, file);
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  expect_refusal("can be written by other users");
  if (geteuid() == 0) {
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
    expect_refusal("belongs to another user (65534)");
  }
  // Whoever loads the image needs no file, and makes it anew for others.
  ASSERT_EQ(unlink(file.c_str()), 0);
  ASSERT_EQ(mkfifo((file + ".new").c_str(), 0600), 0);
  EXPECT_EQ(step_soon(*other, "load X"), 0);
  EXPECT_EQ(step_soon(*other, "exec 0"), 0);
  expect_steps(*other, {"wait", "uncontext X 0"});
  EXPECT_EQ(step_soon(*loader, "load Y"), 0);
  expect_steps(*other, {"context Y 0 shared", "exec 0", "wait"});
}

// The image on disk has two compute units, whatever the segment says.
TEST_F(DeviceImages, SegmentThatPromisesMoreComputeUnits) {
  auto p = start("xcl");
  expect_steps(*p, {"open", "load X", "forge 256", "context X 20 shared"});
  EXPECT_EQ(step_soon(*p, "exec 20"), -EINVAL);
  const std::string text = ask(*p, "error");
  EXPECT_NE(text.find("has 2 compute units; there is no number 20"), std::string::npos) << text;
}

// --- OpenCL ---

TEST_F(DeviceImages, OpenClProgramsShareOneImage) {
  auto p = start("opencl"), q = start("opencl");
  expect_steps(*p, {"load X", "kernel vadd:{vadd_1}", "run"});
  expect_steps(*q, {"load X", "kernel vadd", "run"});
  EXPECT_EQ(step(*p, "count"), 1);
  EXPECT_EQ(step(*q, "count"), 2);
  EXPECT_EQ(step(*q, "kernel vadd:{vadd_1,vadd_2}"), 0);
  EXPECT_EQ(step(*q, "count"), 2);
  expect_steps(*q, {"run"});
  EXPECT_EQ(step(*q, "kernel vadd:{vadd_3}"), CL_INVALID_KERNEL_NAME);
  EXPECT_NE(ask(*q, "told").find("No kernel compute units matching"), std::string::npos);
  EXPECT_EQ(step(*q, "kernel vmul"), CL_INVALID_KERNEL_NAME);
}

TEST_F(DeviceImages, OpenClProgramsWithDifferentImages) {
  auto p = start("opencl"), q = start("opencl");
  expect_steps(*p, {"load X", "kernel vadd:{vadd_1}"});
  EXPECT_EQ(step(*q, "load Y"), CL_INVALID_PROGRAM);
  const std::string told = ask(*q, "told");
  EXPECT_NE(told.find("Device Busy"), std::string::npos) << told;
  EXPECT_NE(told.find("process " + std::to_string(p->pid()) + " ("), std::string::npos) << told;
  EXPECT_NE(told.find("since 20"), std::string::npos) << told;
  // A second image in the process that has contexts on the first one.
  EXPECT_EQ(step(*p, "load Y"), CL_OUT_OF_RESOURCES);
  expect_steps(*p, {"unkernel"});
  expect_steps(*q, {"load Y", "kernel vmul:{vmul_2}", "run", "unkernel"});
  // Whose turn it is, while nobody has a kernel: the one that makes the next.
  auto r = start("opencl");
  expect_steps(*r, {"load X"});
  expect_steps(*q, {"kernel vmul", "run"});
  EXPECT_EQ(step(*r, "kernel vadd"), CL_INVALID_PROGRAM);
  EXPECT_NE(ask(*r, "log").find("process " + std::to_string(q->pid())), std::string::npos);
  q->signal(SIGKILL);
  q->wait();
  expect_steps(*r, {"kernel vadd", "run"});
}

TEST_F(DeviceImages, OpenClProgramIsOneLikeOthers) {
  auto p = start("opencl");
  expect_steps(*p, {"load X", "binary"});
  EXPECT_EQ(ask(*p, "names"), "vadd");
  expect_steps(*p, {"rebuild", "binary", "kernel vadd", "run"});
  EXPECT_EQ(step(*p, "rebuild"), CL_INVALID_OPERATION);  // it has a kernel
}

// A sub-device for each compute unit; a kernel runs on those that it is bound to.
TEST_F(DeviceImages, OpenClSubDevices) {
  auto p = start("opencl");
  expect_steps(*p, {"load X", "kernel vadd", "run 0", "run 1", "kernel vadd:{vadd_2}", "run 1"});
  EXPECT_EQ(step(*p, "run 0"), CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(DeviceImages, NeedTheirUnits) {
  auto p = start("opencl", {"CONCLAVE_COMPUTE_UNITS=1"});
  EXPECT_EQ(step(*p, "load X"), CL_INVALID_BINARY);
  const std::string told = ask(*p, "told");
  EXPECT_NE(told.find("vadd:vadd_2 is on unit 1 of the device, which has 1"), std::string::npos)
      << told;
  auto q = start("xcl", {"CONCLAVE_COMPUTE_UNITS=1"});
  expect_steps(*q, {"open"});
  EXPECT_EQ(step(*q, "load X"), -EINVAL);
}

// What conclave examine says of the image under XRT's names.
class ExamineImage : public DeviceImages {
 protected:
  std::string examine(const std::string& options) const {
    const std::string command = "XDG_RUNTIME_DIR=" + runtime_.path() + " " +
                                std::string(CONCLAVE_TOOL) + " examine " + options + " --segment " +
                                segment_.name();
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    char block[4096];
    while (const size_t size = fread(block, 1, sizeof block, pipe)) text.append(block, size);
    EXPECT_EQ(pclose(pipe), 0) << text;
    return text;
  }
};

TEST_F(ExamineImage, DynamicRegionsAndTheArray) {
  EXPECT_NE(examine("-r dynamic-regions").find("No device image"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(examine("--json -r aie"))["aie"].is_null());
  auto p = start("xcl");
  expect_steps(*p, {"open", "load X"});
  const auto all = nlohmann::json::parse(examine("--json -r dynamic-regions,aie,aie-shim"));
  EXPECT_EQ(all.size(), 3u) << all;
  const auto& region = all["dynamic-regions"];
  EXPECT_EQ(region["xclbin-uuid"].get<std::string>().size(), 36u);
  ASSERT_EQ(region["compute-units"].size(), 2u);
  EXPECT_EQ(region["compute-units"][1]["name"], "vadd:vadd_2");
  EXPECT_EQ(region["compute-units"][1]["base-address"], "0x1810000");
  EXPECT_EQ(region["compute-units"][1]["status"], "(IDLE)");
  EXPECT_TRUE(all["aie"]["graphs"].empty());
  EXPECT_TRUE(all["aie-shim"]["streams"].empty());
  const std::string text = examine("-r dynamic-regions,aie");
  EXPECT_NE(text.find("Xclbin UUID  " + region["xclbin-uuid"].get<std::string>()),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Base_Address"), std::string::npos) << text;
  EXPECT_NE(text.find("Graphs\n  none"), std::string::npos) << text;
  EXPECT_EQ(examine("").find("Base_Address"), std::string::npos) << "only where it is named";
  ASSERT_EQ(unlink(kept_file().c_str()), 0);
  EXPECT_NE(examine("-r aie-shim").find("cannot be read"), std::string::npos);
}

// Which units have been used, by their leases: nobody else uses this segment.
class UnitsUsed : public DeviceImages, public testing::WithParamInterface<size_t> {
 protected:
  std::vector<bool> used() const {
    const std::string command = std::string(CONCLAVE_TOOL) +
                                " examine --json -r compute-units --segment " + segment_.name();
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    char block[4096];
    while (const size_t size = fread(block, 1, sizeof block, pipe)) text.append(block, size);
    pclose(pipe);
    const auto report = nlohmann::json::parse(text);
    std::vector<bool> used;
    for (const auto& unit : report["compute-units"]) used.push_back(unit["state"] != "free");
    used.resize(2);
    return used;
  }
  std::vector<bool> expected() const { return {GetParam() == 0, GetParam() == 1}; }
};
INSTANTIATE_TEST_SUITE_P(, UnitsUsed, testing::Values(0, 1));

TEST_P(UnitsUsed, ByAnOpenClKernel) {
  auto p = start("opencl");
  expect_steps(*p, {"load X", "kernel vadd:{vadd_" + std::to_string(GetParam() + 1) + "}"});
  for (int i = 0; i < 20; ++i) expect_steps(*p, {"run"});
  EXPECT_EQ(used(), expected());
}

TEST_P(UnitsUsed, ByACommand) {
  auto p = start("xcl");
  const std::string unit = std::to_string(GetParam());
  expect_steps(*p, {"open", "load X", "context X 0 shared", "context X 1 shared"});
  for (int i = 0; i < 20; ++i) expect_steps(*p, {"exec " + unit, "wait"});
  EXPECT_EQ(used(), expected());
}

// An exclusive context of the C interface counts for OpenCL, too.
TEST_F(DeviceImages, OpenClBesideTheCInterface) {
  auto p = start("xcl"), q = start("opencl");
  expect_steps(*p, {"open", "load X", "context X 0 exclusive"});
  expect_steps(*q, {"load X", "kernel vadd:{vadd_2}", "run"});
  EXPECT_EQ(step(*q, "kernel vadd:{vadd_1}"), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(step(*q, "kernel vadd"), CL_OUT_OF_RESOURCES);
  EXPECT_NE(ask(*q, "log").find("process " + std::to_string(p->pid())), std::string::npos);
  expect_steps(*p, {"close"});
  expect_steps(*q, {"kernel vadd", "run"});
}

// Whoever may write the segment may say that the image has more compute units than it has.
TEST_F(DeviceImages, ForgedComputeUnit) {
  const auto client = start("xcl");
  expect_steps(*client, {"open", "load X"});
  const auto segment = share::MeetingPlace(segment_.name()).find();
  ASSERT_TRUE(segment);
  // Above the count of the word's changes.
  reinterpret_cast<std::atomic<uint64_t>&>(segment->layout().header().image_compute_units)
      .store(uint64_t{200} << 24);
  expect_steps(*client, {"context X 0 shared", "context X 20 shared"});
  EXPECT_EQ(step(*client, "exec 20"), -EINVAL);
  expect_steps(*client, {"exec 0", "wait"});
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  return conclave::test::run_role_or_tests(argc, argv, conclave::test::image_roles());
}
