// SPDX-License-Identifier: Apache-2.0
// conclave cache shows, checks and clears the programs on disk.
#include "platform/loader/disk_cache.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/loader/form_choices.h"
#include "platform/loader/launch_notes.h"
#include "tool.h"

namespace conclave::test {
namespace {

using nlohmann::json;

const std::string kFirst(32, '1'), kSecond(32, '2');

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class Cache : public ToolTest {
 protected:
  Cache() : directory_(file("cache")), cache_(directory_, 64 << 20) {}

  Result cache(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "cache");
    return run("conclave", arguments, {"CONCLAVE_CACHE_DIR=" + directory_});
  }

  std::string compiled(const std::string& source, const std::string& option) {
    write(file("k.cl"), source);
    const Result result = run("clocl", {option, "-o", file("k.out"), file("k.cl")});
    EXPECT_EQ(result.status, 0) << result.errors;
    return read(file("k.out"));
  }

  bool exists(const std::string& key) const {
    return std::filesystem::exists(directory_ + "/" + key);
  }

  std::string directory_;
  DiskCache cache_;
};

TEST_F(Cache, ShowsWhatIsThere) {
  EXPECT_NE(cache({"show"}).output.find("Programs   0, 0 KiB of at most 512 MiB"),
            std::string::npos);
  const std::string binary = compiled(
      "kernel void one(global int* a) { a[0] = 1; }\n"
      "kernel void two(global int* a) { a[0] = 2; }",
      "-DUNUSED=5");
  cache_.store(kFirst, {binary, "", {}});
  cache_.store(kSecond, {binary, "", {{file("k.cl"), "not its hash"}}});
  const Result shown = cache({"show"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_NE(shown.output.find("Directory  " + directory_), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("one, two"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("-DUNUSED=5"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("out of date"), std::string::npos) << shown.output;

  const json report = json::parse(cache({"--json", "show"}).output);
  EXPECT_EQ(report["directory"], directory_);
  ASSERT_EQ(report["programs"].size(), 2U);
  for (const json& program : report["programs"]) {
    EXPECT_EQ(program["kernels"], json({"one", "two"}));
    EXPECT_GT(program["bytes"], binary.size());
    EXPECT_EQ(program["state"], program["key"] == kFirst ? "good" : "out of date");
  }
  EXPECT_EQ(json::parse(cache({"show", "--json"}).output), report);
}

TEST_F(Cache, ShowsWhichFormsAreFast) {
  constexpr uint32_t kSizeClass = 1u << 31 | 11 << 16 | 12 << 8;
  const FormChoices choices{"walk",
                            {{"local size 64,1,1", kSizeClass, 1, {{16, 2.5F}, {8, 1.25F}}}}};
  cache_.store(kFirst, {choices.text(), "", {}});
  const std::string shown = cache({"show"}).output;
  EXPECT_NE(shown.find("Programs   0,"), std::string::npos) << shown;
  EXPECT_NE(shown.find("walk"), std::string::npos) << shown;
  EXPECT_NE(shown.find("local size 64,1,1"), std::string::npos) << shown;
  EXPECT_NE(
      shown.find("1 work-item at a time; 16 lanes take 2.50 times as long, 8 lanes 1.25 times "
                 "(2^20 work-items, 2^22 bytes)"),
      std::string::npos)
      << shown;
  const json report = json::parse(cache({"--json", "show"}).output);
  EXPECT_EQ(report["programs"].size(), 0U);
  EXPECT_EQ(report["forms"][0]["kernel"], "walk");
  EXPECT_EQ(report["forms"][0]["choices"][0]["lanes"], 1);
  EXPECT_EQ(cache({"check"}).status, 0);
}

TEST_F(Cache, NotesOnLaunchesAreNoPrograms) {
  const LaunchNotes notes{{{"walk", 1, LaunchNotes::State::kSought, 5}}};
  cache_.store(kFirst, {notes.text(), "", {}});
  EXPECT_NE(cache({"show"}).output.find("Programs   0,"), std::string::npos);
  EXPECT_EQ(json::parse(cache({"--json", "show"}).output)["programs"].size(), 0U);
  EXPECT_EQ(cache({"check"}).status, 0);
  EXPECT_TRUE(exists(kFirst));
}

TEST_F(Cache, RemovesWhatIsDamaged) {
  const std::string binary = compiled("kernel void k(global int* a) { a[0] = 1; }", "-w");
  cache_.store(kFirst, {binary, "", {}});
  cache_.store(kSecond, {binary, "", {}});
  const std::string third(32, '3');
  cache_.store(third, {"no program", "", {}});
  std::string text = read(directory_ + "/" + kSecond);
  text[text.size() / 2] ^= 1;
  write(directory_ + "/" + kSecond, text);

  const Result checked = cache({"check"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_NE(checked.output.find(kSecond + ": damaged (wrong checksum), removed"), std::string::npos)
      << checked.output;
  EXPECT_NE(checked.output.find(third + ": damaged ("), std::string::npos) << checked.output;
  EXPECT_NE(checked.output.find("1 good, 0 out of date, 2 damaged"), std::string::npos);
  EXPECT_TRUE(exists(kFirst));
  EXPECT_FALSE(exists(kSecond) || exists(third));
  EXPECT_EQ(cache({"check"}).status, 0);
}

TEST_F(Cache, ClearsProgramsAlone) {
  cache_.store(kFirst, {"one", "", {}});
  cache_.store(kSecond, {"two", "", {}});
  write(directory_ + "/README", "somebody's");
  const Result cleared = cache({"clear"});
  EXPECT_EQ(cleared.status, 0);
  EXPECT_NE(cleared.output.find("2 programs removed"), std::string::npos) << cleared.output;
  EXPECT_FALSE(exists(kFirst) || exists(kSecond));
  EXPECT_TRUE(exists("README"));
}

TEST_F(Cache, RefusesADirectoryThatOthersCanWrite) {
  ASSERT_EQ(chmod(directory_.c_str(), 0777), 0);
  for (const char* command : {"show", "check", "clear"}) {
    const Result result = cache({command});
    EXPECT_EQ(result.status, 1) << command;
    EXPECT_NE(result.errors.find(directory_ + " can be written by other users"), std::string::npos)
        << result.errors;
  }
}

}  // namespace
}  // namespace conclave::test
