// SPDX-License-Identifier: Apache-2.0
// conclave examine shows who uses the device, and for what.
#include <signal.h>
#include <time.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tool.h"

namespace conclave::test {
namespace {

using nlohmann::json;

class Examine : public ToolTest {
 protected:
  json report(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"examine", "--json"});
    const Result result = run("conclave", arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    return json::parse(result.output);
  }
  std::string text(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), "examine");
    const Result result = run("conclave", arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    return result.output;
  }
  static const json& context_of(const json& report, pid_t pid) {
    for (const json& context : report["contexts"])
      if (context["pid"] == pid) return context;
    throw std::runtime_error("process " + std::to_string(pid) + " is not in " + report.dump());
  }
  // The line of a text that contains all words.
  static std::string line_with(const std::string& text, const std::vector<std::string>& words) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      bool all = true;
      for (const std::string& word : words) all &= line.find(word) != line.npos;
      if (all) return line;
    }
    return "";
  }
};

TEST_F(Examine, NobodyUsesTheDevice) {
  EXPECT_NE(text().find("Nobody uses it"), std::string::npos);
  const json none = report();
  EXPECT_TRUE(none["device"].is_null());
  EXPECT_EQ(none["contexts"].size(), 0u);
  EXPECT_FALSE(segment_exists()) << "looking must not make a segment";
}

TEST_F(Examine, ShowsWhoHoldsAndWhoWaits) {
  const auto holder = client("hold");
  const auto waiter = client("request");
  const json all = report();
  EXPECT_EQ(all["device"]["segment"], segment());
  EXPECT_EQ(all["device"]["segment-bytes"], 4096 << 10);
  EXPECT_EQ(all["device"]["scheduler"], "interleave");
  EXPECT_EQ(all["device"]["time-slice-us"], 3000);
  EXPECT_TRUE(all["device"]["daemon"].is_null());
  EXPECT_TRUE(all["device"]["exclusive"].is_null());

  ASSERT_EQ(all["contexts"].size(), 2u);
  const json& context = context_of(all, holder->pid());
  EXPECT_EQ(context["contexts"], 1);
  EXPECT_EQ(context["uid"], getuid());
  EXPECT_EQ(context["launches"], 3);
  EXPECT_EQ(context["work-groups"], 5);
  EXPECT_EQ(context["busy-ms"], 6.0);
  EXPECT_EQ(context["wait-ms"], 1.0);
  EXPECT_EQ(context["kernel"], "spin");
  EXPECT_TRUE(context["alive"]);
  EXPECT_EQ(context["compute-units"].size(), 4u);
  EXPECT_NE(context["command"].get<std::string>().find("--role=hold"), std::string::npos);
  const std::string since = context["since"];
  tm parts = {};
  const char* end = strptime(since.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  EXPECT_TRUE(end && *end == '\0') << since;

  ASSERT_GE(all["compute-units"].size(), 4u);
  const uint32_t held = context["compute-units"][0];
  for (const json& unit : all["compute-units"]) {
    if (unit["unit"] == held) {
      EXPECT_EQ(unit["state"], "active");
      EXPECT_EQ(unit["pid"], holder->pid());
      EXPECT_EQ(unit["kernel"], "spin");
      EXPECT_EQ(unit["waiting"], json::array({waiter->pid()}));
    } else {
      EXPECT_EQ(unit["state"], "free");
      EXPECT_TRUE(unit["pid"].is_null());
      EXPECT_EQ(unit["waiting"].size(), 0u);
    }
  }
}

TEST_F(Examine, TextSaysTheSame) {
  const auto holder = client("hold");
  const auto waiter = client("request");
  const std::string all = text(), pid = std::to_string(holder->pid());
  EXPECT_NE(line_with(all, {"Segment", segment(), "4096 KiB"}), "") << all;
  EXPECT_NE(line_with(all, {"Scheduler", "interleave", "3000 us"}), "") << all;
  EXPECT_NE(line_with(all, {"compute-units", "4", "environment variable CONCLAVE_COMPUTE_UNITS"}),
            "")
      << all;
  EXPECT_NE(line_with(all, {"ddr_heap1", "0xa2000000", "1048576"}), "") << all;
  EXPECT_NE(line_with(all, {pid, " 3 ", " 5 ", "6.000", "1.000", "spin", "--role=hold"}), "")
      << all;
  EXPECT_NE(line_with(all, {"active", pid, "spin", std::to_string(waiter->pid())}), "") << all;
}

TEST_F(Examine, ShowsOnlyWhatIsAskedFor) {
  const auto holder = client("hold");
  const json part = report({"-r", "heaps,contexts"});
  EXPECT_EQ(part.size(), 2u);
  EXPECT_TRUE(part.contains("heaps"));
  const std::string contexts = text({"--report", "contexts"});
  EXPECT_EQ(contexts.find("Compute units"), contexts.npos);
  EXPECT_NE(contexts.find("--role=hold"), contexts.npos);
  EXPECT_NE(run("conclave", {"examine", "-r", "weather"}).status, 0);
}

TEST_F(Examine, TellsTheDeadFromTheLiving) {
  const auto survivor = client("allocate");  // with the last one the segment goes
  const auto victim = client("hold");
  victim->signal(SIGKILL);
  victim->wait();
  EXPECT_FALSE(context_of(report(), victim->pid())["alive"]);
  EXPECT_NE(line_with(text(), {std::to_string(victim->pid()), "(dead)"}), "");
}

TEST_F(Examine, ShowsTheXclbin) {
  {
    const auto nobody = client("hold");
    EXPECT_TRUE(report()["xclbin"].is_null());
    EXPECT_NE(line_with(text({"-r", "xclbin"}), {"None is loaded"}), "");
  }
  const auto user = client("use-xclbin");
  const json xclbin = report({"-r", "xclbin"})["xclbin"];
  EXPECT_EQ(xclbin["uuid"], "5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a");
  EXPECT_EQ(xclbin["loader"], user->pid());
  ASSERT_EQ(xclbin["compute-units"].size(), 2u);
  EXPECT_EQ(xclbin["compute-units"][0]["name"], "vadd:vadd_1");
  EXPECT_EQ(xclbin["compute-units"][1]["units"], json::array({1, 2}));
  EXPECT_EQ(xclbin["compute-units"][0]["contexts"],
            json::parse("[{\"pid\": " + std::to_string(user->pid()) + ", \"exclusive\": false}]"));
  EXPECT_EQ(xclbin["compute-units"][1]["contexts"][0]["exclusive"], true);
  ASSERT_EQ(xclbin["holders"].size(), 1u);
  EXPECT_EQ(xclbin["holders"][0]["contexts"], 2);
  const std::string shown = text({"-r", "xclbin"}), pid = std::to_string(user->pid());
  EXPECT_NE(line_with(shown, {"UUID", "5a5a5a5a-5a5a"}), "") << shown;
  EXPECT_NE(line_with(shown, {"1", "vadd:vadd_2", "1-2", pid + " (exclusive)"}), "") << shown;
  EXPECT_NE(line_with(shown, {pid, " 2 ", "--role=use-xclbin"}), "") << shown;
}

TEST_F(Examine, ShowsAccessModes) {
  {
    const auto nobody = client("hold");
    EXPECT_EQ(report()["access-modes"], json::array());
    EXPECT_NE(line_with(text({"-r", "access-modes"}), {"Nobody has the array or a graph"}), "");
  }
  const auto user = client("use-access-modes");
  const json modes = report({"-r", "access-modes"})["access-modes"];
  ASSERT_EQ(modes.size(), 1u);
  EXPECT_EQ(modes[0]["pid"], user->pid());
  EXPECT_EQ(modes[0]["array"], "primary");
  EXPECT_EQ(modes[0]["graphs"], json::parse(R"([{"graph": 0, "name": null, "mode": "shared"},
                            {"graph": 2, "name": null, "mode": "exclusive"}])"));
  const std::string shown = text({"-r", "access-modes"});
  EXPECT_NE(line_with(shown, {std::to_string(user->pid()), "primary", "0 (shared), 2 (exclusive)",
                              "--role=use-access-modes"}),
            "")
      << shown;
  EXPECT_EQ(report({"-r", "xclbin"})["xclbin"]["holders"][0]["contexts"], 2);  // the graphs pin it
  EXPECT_TRUE(report({"-r", "device"})["access-modes"].is_null());
}

TEST_F(Examine, NamesWhoHasTheDeviceAlone) {
  write(file("xrt.ini"), "[Runtime]\nmultiprocess=false\n");
  const auto holder = client("hold", {}, {"XRT_INI_PATH=" + file("xrt.ini")});
  EXPECT_EQ(report()["device"]["exclusive"], holder->pid());
  EXPECT_NE(text().find("Held alone by process " + std::to_string(holder->pid())),
            std::string::npos);
}

TEST_F(Examine, OptionsAreChecked) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"examine", "--bogus"}, {"no-such-command"}}) {
    const Result result = run("conclave", arguments);
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.errors, "");
  }
  const Result help = run("conclave", {"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* command : {"examine", "check-config"})
    EXPECT_NE(help.output.find(command), std::string::npos);
}

}  // namespace
}  // namespace conclave::test
