// SPDX-License-Identifier: Apache-2.0
// conclave trace records what OpenCL programs do, and disturbs none.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CL/opencl.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "platform/base/clock.h"
#include "platform/share/meeting_place.h"
#include "platform/share/trace.h"
#include "test/common/daemon_process.h"
#include "test/common/spin_kernel.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_tests.h"

namespace conclave::test {
namespace {

using nlohmann::json;

constexpr uint32_t kGroups = 8, kSteps = 200'000;
constexpr int kLaunches = 5;

// Runs kernels one after the other until it is told to stop.
void spin(const Arguments&) {
  SpinKernel kernel(kGroups, shared_page().progress);
  tell("ready");
  while (!shared_page().stop) kernel.run({kGroups, kSteps, 1});
}

// Runs a kernel some times, and a copy, and tells what CL_QUEUE_PROFILING says of each.
void profile(const Arguments&) {
  static std::atomic<uint32_t> progress{0};
  SpinKernel kernel(kGroups, progress, {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0});
  const cl::Buffer buffer(kernel.context(), CL_MEM_READ_WRITE, 1 << 20);
  std::vector<cl::Event> events;
  for (int i = 0; i < kLaunches; ++i) events.push_back(kernel.enqueue({kGroups, kSteps, 1}));
  cl::Event fill;
  kernel.queue().enqueueFillBuffer(buffer, cl_uint{1}, 0, 1 << 20, nullptr, &fill);
  events.push_back(fill);
  kernel.queue().finish();
  for (const cl::Event& event : events)
    tell(std::to_string(event.getProfilingInfo<CL_PROFILING_COMMAND_START>()) + " " +
         std::to_string(event.getProfilingInfo<CL_PROFILING_COMMAND_END>()));
  tell("end");
}

const std::map<std::string, Role> kRoles = {{"spin", spin}, {"profile", profile}};

std::string this_program() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return {path, size > 0 ? static_cast<size_t>(size) : 0};
}

class Trace : public testing::Test {
 protected:
  std::vector<std::string> settings() const {
    return {name_.setting(), "CONCLAVE_COMPUTE_UNITS=2", "CONCLAVE_SPECIALIZE=off",
            "CONCLAVE_TRY_FORMS=off"};
  }
  std::string file(const std::string& name) const { return directory_.path() + "/" + name; }
  // Runs the tool; its exit status.
  int trace(const std::string& options, std::string* output = nullptr) const {
    std::string command = "env";
    for (const std::string& setting : settings()) command += " " + setting;
    command += std::string(" ") + CONCLAVE_TOOL + " trace " + options + " 2> " + file("errors");
    if (output) command += " > " + file("output");
    const int status = std::system(command.c_str());
    if (output) *output = content(file("output"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static std::string content(const std::string& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string errors() const { return content(file("errors")); }
  json events(const std::string& name) const {
    return json::parse(content(file(name)))["traceEvents"];
  }
  // Those of a category whose `key` among the arguments is `value`.
  static std::vector<json> of(const json& events, const std::string& category, int64_t pid = -1) {
    std::vector<json> found;
    for (const json& event : events)
      if (event.value("cat", "") == category && (pid < 0 || event["pid"] == pid))
        found.push_back(event);
    return found;
  }

  const TemporarySegment name_;
  const TemporaryDirectory directory_;
};

TEST_F(Trace, ShowsTwoProcessesOnSharedComputeUnits) {
  WorkerProcess first("spin", {}, settings()), second("spin", {}, settings());
  ASSERT_EQ(first.receive(), "ready");
  ASSERT_EQ(second.receive(), "ready");
  ASSERT_EQ(trace("--duration 1 --output " + file("both.json")), 0) << errors();
  const json all = events("both.json");
  std::map<std::string, int> runs;
  for (const json& run : of(all, "run")) ++runs[run["args"]["process"]];
  EXPECT_EQ(runs.size(), 2u) << errors();
  EXPECT_GT(of(all, "command", first.pid()).size(), 0u);
  EXPECT_GT(of(all, "command", second.pid()).size(), 0u);
  const auto waits = of(all, "wait");
  ASSERT_GT(waits.size(), 0u);
  bool waited_for_other = false;
  for (const json& wait : waits) {
    if (wait["args"]["waited-for"].is_null()) continue;
    const std::string whom = wait["args"]["waited-for"];
    waited_for_other |= whom.ends_with(std::to_string(first.pid())) != (wait["pid"] == first.pid());
  }
  EXPECT_TRUE(waited_for_other);
  EXPECT_GT(of(all, "hand-over").size(), 0u);
  // On a compute unit one run ends before the next begins.
  std::map<int64_t, std::vector<std::pair<double, double>>> lanes;
  for (const json& run : of(all, "run")) lanes[run["tid"]].push_back({run["ts"], run["dur"]});
  EXPECT_EQ(lanes.size(), 2u);
  for (auto& [lane, slices] : lanes) {
    std::sort(slices.begin(), slices.end());
    for (size_t i = 1; i < slices.size(); ++i)
      ASSERT_LE(slices[i - 1].first + slices[i - 1].second, slices[i].first + 0.01);
  }
  for (WorkerProcess* worker : {&first, &second}) {
    worker->page().stop = 1;
    EXPECT_EQ(worker->wait(), 0);
  }
}

TEST_F(Trace, AgreesWithTheProfilingOfQueues) {
  std::string output;
  ASSERT_EQ(trace("--output " + file("one.json") + " -- " + this_program() +
                      " --role=profile < /dev/null",
                  &output),
            0)
      << errors();
  const json all = events("one.json");
  std::map<uint64_t, uint64_t> ends;
  for (const json& command : of(all, "command"))
    if (command["args"].contains("started-ns"))
      ends[command["args"]["started-ns"]] = command["args"]["ended-ns"];
  std::istringstream lines(output);
  int found = 0;
  for (uint64_t start, end; lines >> start >> end; ++found) {
    ASSERT_TRUE(ends.contains(start)) << start << "\n" << output;
    EXPECT_EQ(ends[start], end);
  }
  EXPECT_EQ(found, kLaunches + 1);
  int spins = 0;
  for (const json& command : of(all, "command")) {
    if (command["name"] != "spin") continue;
    ++spins;
    EXPECT_EQ(command["args"]["work-groups"], kGroups);
    EXPECT_GT(command["args"]["compute-units"].size(), 0u);
  }
  EXPECT_EQ(spins, kLaunches + 1) << "and the one before the measurement";
  EXPECT_EQ(of(all, "build").size(), 1u) << "the program records from its start";
}

TEST_F(Trace, GivesTheProgramsExitStatus) {
  EXPECT_EQ(trace("--output /dev/null -- sh -c 'exit 7'"), 7);
  EXPECT_EQ(trace("--output /dev/null -- sh -c 'kill -KILL $$'"), 128 + 9);
  EXPECT_EQ(trace("--output /dev/null -- /no/such/program"), 127);
  EXPECT_NE(errors().find("/no/such/program"), std::string::npos);
  EXPECT_EQ(trace("--duration 0.1 --output /no/such/directory/file"), 1);
}

TEST_F(Trace, DrawsAPicture) {
  WorkerProcess worker("spin", {}, settings());
  ASSERT_EQ(worker.receive(), "ready");
  ASSERT_EQ(trace("--duration 0.3 --svg --output " + file("picture.svg")), 0) << errors();
  const std::string picture = content(file("picture.svg"));
  EXPECT_TRUE(picture.starts_with("<svg "));
  EXPECT_NE(picture.find("CU "), std::string::npos);
  EXPECT_NE(picture.find(": spin"), std::string::npos);
  worker.page().stop = 1;
  EXPECT_EQ(worker.wait(), 0);
}

TEST_F(Trace, ARecordingThatWasKilledLeavesNothingOn) {
  WorkerProcess worker("spin", {}, settings());
  ASSERT_EQ(worker.receive(), "ready");
  const auto segment = share::MeetingPlace(name_.name()).find();
  ASSERT_TRUE(segment);
  share::Atomic<uint32_t>& word = segment->layout().header().trace;
  word.store(12345);  // of a tool that is no longer there
  for (int i = 0; i < 1000 && word.load() != 0; ++i) usleep(10'000);
  EXPECT_EQ(word.load(), 0u) << "a process that finds nobody says so";
  EXPECT_EQ(trace("--duration 0.2 --output " + file("again.json")), 0) << errors();
  EXPECT_GT(of(events("again.json"), "command", worker.pid()).size(), 0u);
  EXPECT_EQ(word.load(), 0u);
  worker.page().stop = 1;
  EXPECT_EQ(worker.wait(), 0);
}

TEST_F(Trace, InTheSegmentOfTheDaemon) {
  const DaemonProcess daemon(name_.name());
  WorkerProcess worker("spin", {}, settings());
  ASSERT_EQ(worker.receive(), "ready");
  ASSERT_EQ(trace("--duration 0.3 --output " + file("daemon.json")), 0) << errors();
  EXPECT_GT(of(events("daemon.json"), "command", worker.pid()).size(), 0u);
  worker.page().stop = 1;
  EXPECT_EQ(worker.wait(), 0);
}

TEST_F(Trace, ChildrenOfAProgramRecordToo) {
  std::string output;
  const std::string role = this_program() + " --role=profile";
  ASSERT_EQ(trace("--output " + file("two.json") + " -- sh -c '" + role + " & " + role + "; wait'",
                  &output),
            0)
      << errors();
  std::set<int64_t> processes;
  for (const json& command : of(events("two.json"), "command"))
    processes.insert(command["pid"].get<int64_t>());
  EXPECT_EQ(processes.size(), 2u) << errors();
}

TEST_F(Trace, OneAtATime) {
  WorkerProcess worker("spin", {}, settings());
  ASSERT_EQ(worker.receive(), "ready");
  EXPECT_EQ(trace("--duration 3 --output " + file("long.json") + " & sleep 1; env " +
                  name_.setting() + " " + CONCLAVE_TOOL + " trace --duration 1 --output /dev/null"),
            1);
  EXPECT_NE(errors().find("another conclave trace"), std::string::npos) << errors();
  worker.page().stop = 1;
  EXPECT_EQ(worker.wait(), 0);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  return conclave::test::run_role_or_tests(argc, argv, conclave::test::kRoles);
}
