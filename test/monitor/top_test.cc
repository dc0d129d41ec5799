// SPDX-License-Identifier: Apache-2.0
// conclave top shows who uses the device.
#include <signal.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "terminal_session.h"
#include "tool.h"

namespace conclave::test {
namespace {

using nlohmann::json;

class Top : public ToolTest {
 protected:
  json report(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"top", "--json", "--delay", "0.5"});
    const Result result = run("conclave", arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    return json::parse(result.output);
  }
  static const json* process_of(const json& report, pid_t pid) {
    for (const json& process : report["processes"])
      if (process["pid"] == pid) return &process;
    return nullptr;
  }
  // `arguments`: what starts the program, if it is not to be started directly.
  std::unique_ptr<TerminalSession> terminal(std::vector<std::string> arguments = {},
                                            std::vector<std::string> more_settings = {}) {
    const std::vector<std::string> words = {path_of("conclave"), "top", "--delay", "0.2"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    for (const std::string& setting : settings()) more_settings.push_back(setting);
    return std::make_unique<TerminalSession>(file(""), arguments, more_settings, 80, 24);
  }
};

TEST_F(Top, NobodyUsesTheDevice) {
  const Result result = run("conclave", {"top", "--once"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "Nobody uses the device.\n");
  EXPECT_EQ(report()["processes"], json::array());
  EXPECT_FALSE(segment_exists()) << "looking must not make a segment";
}

TEST_F(Top, SaysWhatHappensPerSecond) {
  const auto worker = client("work");
  const auto idle = client("allocate", {"4096"});
  const json all = report();
  EXPECT_GT(all["seconds"], 0.4);
  ASSERT_EQ(all["processes"].size(), 2u);
  EXPECT_EQ(all["processes"][0]["pid"], worker->pid()) << "the busiest one comes first";
  const json* process = process_of(all, worker->pid());
  ASSERT_TRUE(process);
  const auto near = [](const json& value, double expected) {
    return value > 0.5 * expected && value < 1.5 * expected;
  };
  EXPECT_PRED2(near, (*process)["launches-per-second"], 1000);
  EXPECT_PRED2(near, (*process)["work-groups-per-second"], 4000);
  EXPECT_PRED2(near, (*process)["busy"], 0.5);
  EXPECT_PRED2(near, (*process)["waiting"], 0.25);
  EXPECT_EQ((*process)["heap-bytes"], 3 << 20);
  EXPECT_EQ((*process)["on-compute-units"].size(), 1u);
  EXPECT_EQ((*process)["queued"], 3);
  EXPECT_EQ((*process)["priority"], "high");
  const json* other = process_of(all, idle->pid());
  ASSERT_TRUE(other);
  EXPECT_EQ((*other)["busy"], 0.0);
  EXPECT_EQ((*other)["launches-per-second"], 0.0);
  EXPECT_EQ((*other)["queued"], 0);
  EXPECT_TRUE((*other)["priority"].is_null());
  size_t busy_units = 0;
  for (const json& unit : all["compute-units"]) busy_units += unit["busy"] > 0.0;
  EXPECT_EQ(busy_units, 1u);
  worker->page().stop = 1;
  EXPECT_EQ(worker->wait(), 0);
}

TEST_F(Top, HeldWithoutACharge) {
  const auto holder = client("hold");
  const json all = report();
  const json* process = process_of(all, holder->pid());
  ASSERT_TRUE(process);
  EXPECT_EQ((*process)["busy"], 1.0) << "a long work-group is charged at its end";
}

TEST_F(Top, SortsAndFilters) {
  const auto worker = client("work");
  const auto big = client("allocate", {"524288"});
  EXPECT_EQ(report({"--sort", "heap"})["processes"][0]["pid"], worker->pid());
  const json filtered = report({"--filter", "role=ALLOC"});
  ASSERT_EQ(filtered["processes"].size(), 1u);
  EXPECT_EQ(filtered["processes"][0]["pid"], big->pid());
  const Result text = run("conclave", {"top", "--once", "--delay", "0.2"});
  for (const char* part : {"Compute units", "Processes", "step", "--role=allocate"})
    EXPECT_NE(text.output.find(part), std::string::npos) << text.output;
  EXPECT_EQ(text.output.find('\033'), std::string::npos);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--delay", "0"}, {"--delay", "never"}, {"--sort", "weather"}}) {
    std::vector<std::string> arguments = {"top", "--once"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_NE(run("conclave", arguments).status, 0);
  }
}

TEST_F(Top, WithoutATerminalItSaysWhatElseThereIs) {
  const Result result = run("conclave", {"top"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.errors.find("--once"), std::string::npos) << result.errors;
}

class TopInATerminal : public Top {
 protected:
  void SetUp() override {
    if (!TerminalSession::is_available()) GTEST_SKIP() << "tmux is not installed";
  }
};

TEST_F(TopInATerminal, ShowsProcessesAndLeaves) {
  const auto worker = client("work");
  const auto view = terminal();
  EXPECT_TRUE(view->shows("Conclave  4 CUs")) << view->screen();
  EXPECT_TRUE(view->shows("step")) << view->screen();
  EXPECT_TRUE(view->shows(std::to_string(worker->pid()))) << view->screen();
  EXPECT_TRUE(view->matches("▄|▅|▆")) << "the bar of the last seconds";
  std::istringstream lines(view->screen());
  for (std::string line; std::getline(lines, line);)
    EXPECT_EQ(line.find('\033'), std::string::npos) << line;
  EXPECT_GT(view->pid(), 0);
  view->press("q");
  EXPECT_TRUE(soon([&] { return view->pid() == 0; }));
}

TEST_F(TopInATerminal, KeysSortFilterAndHelp) {
  const auto worker = client("work");
  const auto other = client("allocate", {"4096"});
  const auto view = terminal();
  const std::string worker_pid = std::to_string(worker->pid());
  const std::string other_pid = std::to_string(other->pid());
  ASSERT_TRUE(view->shows(other_pid)) << view->screen();
  EXPECT_TRUE(view->shows("sort: busy"));
  view->press("M");
  EXPECT_TRUE(view->shows("sort: heap"));
  view->press(">");
  EXPECT_TRUE(view->shows("sort: pid"));
  view->press("I");
  EXPECT_TRUE(view->shows("(reversed)"));
  view->press("/");
  EXPECT_TRUE(view->shows("Filter:"));
  view->type("role=alloc");
  EXPECT_TRUE(view->shows("Filter: role=alloc_"));
  view->press("Enter");
  EXPECT_TRUE(soon([&] {
    // The compute unit still shows who has it.
    const std::string screen = view->screen();
    const size_t table = screen.find("BUSY%");
    return table != screen.npos && screen.find(worker_pid, table) == screen.npos &&
           screen.find(other_pid, table) != screen.npos;
  })) << view->screen();
  view->press("?");
  EXPECT_TRUE(view->shows("Any key goes back."));
  view->press("x");
  EXPECT_TRUE(view->hides("Any key goes back."));
}

TEST_F(TopInATerminal, EndsAProcessAfterAQuestion) {
  const auto worker = client("work");
  const auto view = terminal();
  ASSERT_TRUE(view->shows(std::to_string(worker->pid())));
  view->press("k");
  ASSERT_TRUE(view->shows("End process " + std::to_string(worker->pid()))) << view->screen();
  view->press("n");
  EXPECT_TRUE(view->shows("goes on"));
  view->press("k");
  ASSERT_TRUE(view->shows("End process"));
  view->press("y");
  EXPECT_EQ(worker->wait(), 128 + SIGTERM);
}

TEST_F(TopInATerminal, FollowsTheSizeOfTheTerminal) {
  const auto worker = client("work");
  const auto view = terminal();
  ASSERT_TRUE(view->shows("? help")) << view->screen();
  view->resize(132, 40);
  EXPECT_TRUE(view->shows("--role=work")) << view->screen();
  for (const auto& [columns, rows] : {std::pair(20, 5), {1, 1}, {80, 24}}) {
    view->resize(columns, rows);
    usleep(100'000);
    EXPECT_GT(view->pid(), 0) << "in " << columns << " columns";
  }
  EXPECT_TRUE(view->shows("? help")) << view->screen();
}

TEST_F(TopInATerminal, WithoutColorsBarsAreLetters) {
  const auto worker = client("work");
  const auto view = terminal({}, {"NO_COLOR=1"});
  EXPECT_TRUE(view->matches("[aA]{3}")) << view->screen();
}

TEST_F(TopInATerminal, EndsWithItsTerminal) {
  for (const bool ignores_hangup : {false, true}) {
    const auto worker = client("work");
    const auto view =
        ignores_hangup ? terminal({"sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""}) : terminal();
    ASSERT_TRUE(view->shows(std::to_string(worker->pid())));
    const int pid = view->pid();
    ASSERT_GT(pid, 0);
    view->take_away();
    // Without tmux it is a child of this process (ToolTest).
    EXPECT_TRUE(soon([&] { return waitpid(pid, nullptr, WNOHANG) == pid || kill(pid, 0) != 0; }))
        << "it goes on without a terminal";
  }
}

}  // namespace
}  // namespace conclave::test
