// SPDX-License-Identifier: Apache-2.0
// How the process reports: the environment's switch, text, JSON, the count at the end, and the end
// of the process. This program runs itself again for it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test/check/checked_run.h"

namespace conclave::test {
namespace {

constexpr char kBadKernel[] =
    "kernel void NAME(global int* out) {\n  int i = get_global_id(0);\n  out[i + 1] = i;\n}";

struct End {
  int status;
  std::string text;  // of standard error
};

// Runs the disabled test below with variables of the environment.
End run_child(const std::string& variables) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = variables + " '" + program +
                              "' --gtest_also_run_disabled_tests"
                              " --gtest_filter=Outputs.DISABLED_Child 2>&1 >/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  return {pclose(pipe), text};
}

std::string file_name() {
  return "/tmp/conclave-check-" + std::to_string(getpid()) + ".json";
}

// With checks if the environment says so, like any program.
TEST(Outputs, DISABLED_Child) {
  const Outcome outcome = run_unchecked({kBadKernel, "", {256}, {64}, {buffer_of(4 * 256)}});
  EXPECT_EQ(outcome.buffers[0][255], 254);
}

TEST(Outputs, NothingWithoutTheSwitch) {
  const End end = run_child("CONCLAVE_CHECK=0");
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.text, "");
}

TEST(Outputs, Text) {
  const End end = run_child("CONCLAVE_CHECK=1");
  EXPECT_EQ(end.status, 0) << end.text;
  EXPECT_NE(end.text.find("program.cl:3:14: out-of-bounds: write of 4 bytes in argument 'out' at "
                          "offset 1024 (its size: 1024)\n"),
            std::string::npos)
      << end.text;
  EXPECT_NE(end.text.find("work-item (255,0,0) (local (63,0,0), group (3,0,0))"), std::string::npos)
      << end.text;
  EXPECT_NE(end.text.find("conclave: 1 finding, seen once\n"), std::string::npos) << end.text;
}

TEST(Outputs, Json) {
  const std::string file = file_name();
  std::remove(file.c_str());
  const End end = run_child("CONCLAVE_CHECK=1 CONCLAVE_CHECK_JSON=" + file);
  EXPECT_EQ(end.status, 0) << end.text;
  std::ifstream stream(file);
  std::string line;
  ASSERT_TRUE(std::getline(stream, line));
  const nlohmann::json finding = nlohmann::json::parse(line);
  EXPECT_EQ(finding["class"], "out-of-bounds");
  EXPECT_EQ(finding["kernel"], "bad");
  EXPECT_EQ(finding["line"], 3);
  EXPECT_EQ(finding["column"], 14);
  EXPECT_EQ(finding["access"], "write");
  EXPECT_EQ(finding["bytes"], 4);
  EXPECT_EQ(finding["memory"], "argument 'out'");
  EXPECT_EQ(finding["offset"], 1024);
  EXPECT_EQ(finding["size"], 1024);
  EXPECT_EQ(finding["global_id"], (std::vector<int>{255, 0, 0}));
  EXPECT_EQ(finding["local_id"], (std::vector<int>{63, 0, 0}));
  EXPECT_EQ(finding["group_id"], (std::vector<int>{3, 0, 0}));
  EXPECT_FALSE(std::getline(stream, line)) << line;
  std::remove(file.c_str());
}

TEST(Outputs, AbortEndsTheProcess) {
  const End end = run_child("CONCLAVE_CHECK=abort");
  EXPECT_TRUE(WIFSIGNALED(end.status) || WEXITSTATUS(end.status) == 128 + SIGABRT) << end.status;
  EXPECT_NE(end.text.find("out-of-bounds"), std::string::npos) << end.text;
}

}  // namespace
}  // namespace conclave::test
