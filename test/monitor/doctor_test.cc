// SPDX-License-Identifier: Apache-2.0
// conclave doctor finds what is wrong, conclave reset takes what is left behind, and the bash
// completion knows all commands and options.
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "tool.h"

namespace conclave::test {
namespace {

using nlohmann::json;

class Doctor : public ToolTest {
 protected:
  // Looks at this build.
  std::vector<std::string> well() const {
    return {"OCL_ICD_VENDORS=" + std::string(TOOLS_DIRECTORY) + "/../etc/OpenCL/vendors/",
            "CONCLAVE_CACHE_DIR=" + file("cache")};
  }
  json report(const std::vector<std::string>& settings, int status) {
    const Result result = run("conclave", {"doctor", "--json"}, settings);
    EXPECT_EQ(result.status, status) << result.output << result.errors;
    return json::parse(result.output);
  }
  // The first finding of a check that is in that state; null if there is none.
  static json find(const json& report, const std::string& check, const std::string& state) {
    for (const json& finding : report["findings"])
      if (finding["check"] == check && finding["state"] == state) return finding;
    return nullptr;
  }
};

TEST_F(Doctor, AWorkingInstallationIsWell) {
  const json all = report(well(), 0);
  EXPECT_TRUE(all["well"]);
  for (const char* check : {"loader", "vendor file", "platform", "kernel", "version", "compiler",
                            "cache", "configuration", "meeting place", "segment"})
    EXPECT_FALSE(find(all, check, "good").is_null()) << check << "\n" << all.dump(2);
  const Result text = run("conclave", {"doctor"}, well());
  EXPECT_NE(text.output.find("0 problems"), std::string::npos) << text.output;
  EXPECT_EQ(text.output.find('\033'), std::string::npos);
}

TEST_F(Doctor, NoVendorFile) {
  std::filesystem::create_directory(file("empty"));
  const json all = report({"OCL_ICD_VENDORS=" + file("empty") + "/"}, 1);
  const json finding = find(all, "vendor file", "problem");
  ASSERT_FALSE(finding.is_null()) << all.dump(2);
  EXPECT_NE(finding["advice"].get<std::string>().find("OCL_ICD_VENDORS="), std::string::npos);
}

TEST_F(Doctor, ALibraryThatCannotBeLoaded) {
  std::filesystem::create_directory(file("vendors"));
  write(file("vendors/conclave.icd"), "/no/such/libconclave.so\n");
  write(file("vendors/other.icd"), "/no/such/libother.so\n");
  write(file("vendors/empty.icd"), "");
  const json all = report({"OCL_ICD_VENDORS=" + file("vendors") + "/"}, 1);
  const json ours = find(all, "vendor file", "problem");
  ASSERT_FALSE(ours.is_null());
  EXPECT_NE(ours["what"].get<std::string>().find("/no/such/libconclave.so"), std::string::npos);
  EXPECT_FALSE(find(all, "vendor file", "warning").is_null()) << "another platform's";
}

TEST_F(Doctor, AnotherPlatformThatCrashes) {
  // A library whose initialization ends the process.
  write(file("crash.c"),
        "#include <stdlib.h>\n__attribute__((constructor)) void f(void) { abort(); }\n");
  const std::string library = file("libcrash.so");
  if (std::system(("cc -shared -fPIC -o " + library + " " + file("crash.c")).c_str()) != 0)
    GTEST_SKIP() << "there is no C compiler";
  std::filesystem::create_directory(file("vendors"));
  write(file("vendors/crash.icd"), library + "\n");
  const json all = report({"OCL_ICD_VENDORS=" + file("vendors") + "/"}, 1);
  const json finding = find(all, "vendor file", "warning");
  ASSERT_FALSE(finding.is_null()) << all.dump(2);
  EXPECT_NE(finding["what"].get<std::string>().find("signal"), std::string::npos);
}

TEST_F(Doctor, AWrongConfiguration) {
  auto settings = well();
  settings.push_back("CONCLAVE_COMPUTE_UNITS=many");
  const json all = report(settings, 1);
  EXPECT_FALSE(find(all, "configuration", "problem").is_null()) << all.dump(2);
}

TEST_F(Doctor, NoCompiler) {
  auto settings = well();
  settings.push_back("CONCLAVE_CLOCL=/no/such/clocl");
  const json all = report(settings, 1);
  EXPECT_FALSE(find(all, "compiler", "problem").is_null()) << all.dump(2);
  EXPECT_FALSE(find(all, "kernel", "problem").is_null()) << "nothing can be built";
}

TEST_F(Doctor, ACacheThatOthersCanWrite) {
  std::filesystem::create_directory(file("open"));
  chmod(file("open").c_str(), 0777);
  auto settings = well();
  settings.back() = "CONCLAVE_CACHE_DIR=" + file("open");
  const json all = report(settings, 0);
  EXPECT_FALSE(find(all, "cache", "warning").is_null()) << all.dump(2);
}

class Reset : public ToolTest {
 protected:
  json reset(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"reset", "--json"});
    const Result result = run("conclave", arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    return json::parse(result.output);
  }
  json contexts() {
    return json::parse(run("conclave", {"examine", "--json", "-r", "contexts"}).output)["contexts"];
  }
};

TEST_F(Reset, NobodyUsesTheDevice) {
  EXPECT_NE(run("conclave", {"reset"}).output.find("nothing to reset"), std::string::npos);
  EXPECT_EQ(reset()["removed"], json::array());
}

TEST_F(Reset, RemovesTheDeadOnly) {
  const auto survivor = client("allocate", {"4096"});
  const auto victim = client("allocate", {"1024", "2048"});
  victim->signal(SIGKILL);
  victim->wait();
  ASSERT_EQ(contexts().size(), 2u);
  const json result = reset();
  ASSERT_EQ(result["removed"].size(), 1u);
  EXPECT_EQ(result["removed"][0]["pid"], victim->pid());
  EXPECT_FALSE(result["removed"][0]["alive"]);
  EXPECT_EQ(result["freed"]["blocks"], 2);
  EXPECT_EQ(result["freed"]["bytes"], 3072);
  ASSERT_EQ(contexts().size(), 1u);
  EXPECT_EQ(contexts()[0]["pid"], survivor->pid());
}

TEST_F(Reset, AsksBeforeItTakesFromTheLiving) {
  const auto holder = client("hold");
  const Result refused = run("conclave", {"reset", "--all"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.errors.find("--yes"), std::string::npos) << refused.errors;
  ASSERT_EQ(contexts().size(), 1u);
  const json result = reset({"--all", "--yes"});
  ASSERT_EQ(result["removed"].size(), 1u);
  EXPECT_TRUE(result["removed"][0]["alive"]);
  EXPECT_EQ(contexts().size(), 0u);
  const json units =
      json::parse(run("conclave", {"examine", "--json", "-r", "compute-units"}).output);
  for (const json& unit : units["compute-units"]) EXPECT_EQ(unit["state"], "free");
}

TEST_F(Reset, OneProcess) {
  const auto one = client("allocate", {"4096"}), other = client("allocate", {"4096"});
  const json result = reset({"--pid", std::to_string(one->pid()), "--yes"});
  ASSERT_EQ(result["removed"].size(), 1u);
  EXPECT_EQ(result["removed"][0]["pid"], one->pid());
  ASSERT_EQ(contexts().size(), 1u);
  EXPECT_EQ(contexts()[0]["pid"], other->pid());
  EXPECT_EQ(run("conclave", {"reset", "--pid", "1", "--yes"}).status, 1);
  EXPECT_NE(run("conclave", {"reset", "--pid", "1", "--all"}).status, 0);
}

TEST_F(Reset, SparesTheDaemon) {
  configure("");
  const pid_t daemon = start_daemon();
  ASSERT_GT(daemon, 0);
  const auto holder = client("hold");
  const json result = reset({"--all", "--yes"});
  for (const json& process : result["removed"]) EXPECT_NE(process["pid"], daemon);
  EXPECT_EQ(daemon_pid(), static_cast<uint32_t>(daemon));
}

// The figures beside which conclave bench shows this machine's are those of the documentation.
TEST_F(ToolTest, PublishedFiguresAreThoseOfTheDocumentation) {
  std::ifstream source(SELF_TEST), page(PERFORMANCE);
  const std::string text{std::istreambuf_iterator<char>(source), {}};
  const std::string published{std::istreambuf_iterator<char>(page), {}};
  const std::regex figure(
      "\\{\"[a-z0-9_]+\", \"([A-Za-z/]+)\",\\s*\"([^\"]+)\",\\s*\"([0-9.]+)\"\\}");
  int count = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), figure), end; match != end; ++match) {
    const std::string unit = match->str(1), value = match->str(3);
    const std::string cell = "| " + value + (unit == "x" ? "" : " " + unit);
    EXPECT_NE(published.find(cell), std::string::npos) << match->str();
    ++count;
  }
  EXPECT_GE(count, 10);
}

// Everything that --help lists can be completed.
TEST_F(ToolTest, TheCompletionKnowsAllCommandsAndOptions) {
  std::ifstream stream(COMPLETION);
  const std::string completion{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_NE(completion, "");
  std::istringstream help(run("conclave", {"--help"}).output);
  std::vector<std::string> commands;
  bool in_list = false;
  for (std::string line; std::getline(help, line);) {
    if (line.starts_with("Subcommands:")) in_list = true;
    if (in_list && line.starts_with("  ") && line[2] != ' ')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  EXPECT_GE(commands.size(), 8u);
  const std::regex option("--[a-z][a-z-]*");
  for (const std::string& command : commands) {
    EXPECT_NE(completion.find(command), std::string::npos) << command;
    const Result result = run("conclave", {command, "--help"});
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.output.find("Examples:"), std::string::npos) << command;
    const std::string text = result.output.substr(0, result.output.find("Examples:"));
    for (std::sregex_iterator match(text.begin(), text.end(), option), end; match != end; ++match)
      EXPECT_NE(completion.find(match->str()), std::string::npos) << command << " " << match->str();
  }
}

}  // namespace
}  // namespace conclave::test
