// SPDX-License-Identifier: Apache-2.0
// conclave check-config shows the values in force, and what is wrong.
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "platform/base/config_keys.h"
#include "tool.h"

namespace conclave::test {
namespace {

using nlohmann::json;

class CheckConfig : public ToolTest {
 protected:
  Result check(const std::string& text, std::vector<std::string> settings = {},
               std::vector<std::string> arguments = {}) {
    write(file("config.json"), text);
    arguments.insert(arguments.begin(), {"check-config", "--config", file("config.json")});
    return run("conclave", arguments, settings);
  }
};

TEST_F(CheckConfig, ShowsValuesAndTheirSources) {
  const Result result = check("{\n  \"scheduler\": \"fcfs\",\n  \"no-such-key\": \"1\",\n}",
                              {"TI_OCL_COMPUTE_UNIT_LIST=3,1", "CONCLAVE_LOG=off"});
  EXPECT_EQ(result.status, 0) << result.output;
  const std::string config = file("config.json");
  const auto has_row = [&](const std::string& key, const std::string& value,
                           const std::string& source) {
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first, second, rest;
      words >> first >> second >> std::ws;
      std::getline(words, rest);
      if (first == key && second == value && rest == source) return true;
    }
    return false;
  };
  EXPECT_TRUE(has_row("scheduler", "fcfs", config + " line 2, key \"scheduler\"")) << result.output;
  EXPECT_TRUE(has_row("compute-unit-list", "1,3", "environment variable TI_OCL_COMPUTE_UNIT_LIST"));
  EXPECT_TRUE(has_row("segment-mode", "0666", "default"));
  EXPECT_NE(result.output.find("Warning: " + config +
                               " line 3, key \"no-such-key\": is not known and has no effect"),
            std::string::npos);
  EXPECT_NE(result.output.find("The configuration is valid."), std::string::npos);
}

TEST_F(CheckConfig, NamesWhatIsWrongAndWhatIsAllowed) {
  const Result list = check("{}", {"TI_OCL_COMPUTE_UNIT_LIST=0,banana"});
  EXPECT_EQ(list.status, 1);
  EXPECT_NE(
      list.output.find("Error: environment variable TI_OCL_COMPUTE_UNIT_LIST: \"0,banana\": "
                       "there is no compute unit \"banana\"; allowed are integers from 0 to 3"),
      std::string::npos)
      << list.output;
  const Result file_error = check("{\n\n\"cache-size-mib\": \"0\"}");
  EXPECT_EQ(file_error.status, 1);
  EXPECT_NE(
      file_error.output.find("config.json line 3, key \"cache-size-mib\": \"0\": allowed is an "
                             "integer from 1 to 1048576"),
      std::string::npos)
      << file_error.output;
  const Result missing = run("conclave", {"check-config", "--config", "/no/such.json"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.output.find("/no/such.json: there is no such file"), std::string::npos);
}

TEST_F(CheckConfig, WritesJson) {
  const Result good = check("{\"cache\": \"0\"}", {}, {"--json"});
  EXPECT_EQ(good.status, 0);
  const json report = json::parse(good.output);
  EXPECT_TRUE(report["valid"]);
  EXPECT_EQ(report["errors"].size(), 0u);
  bool found = false;
  for (const json& entry : report["configuration"])
    if (entry["key"] == "cache") found = entry["value"] == "0" && entry["source"] != "default";
  EXPECT_TRUE(found);

  const Result bad = check("{\"cache\": \"2\"}", {}, {"--json"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_FALSE(json::parse(bad.output)["valid"]);
  EXPECT_EQ(json::parse(bad.output)["errors"].size(), 1u);
}

// What --describe says is of the keys that there are, and their defaults are those in force.
TEST_F(CheckConfig, DescribesEveryKey) {
  const Result described = check("{}", {}, {"--describe", "--json"});
  ASSERT_EQ(described.status, 0) << described.errors;
  const json values = json::parse(check("{}", {}, {"--json"}).output)["configuration"];
  std::set<std::string> keys;
  int compared = 0;
  for (const json& text : json::parse(described.output)) {
    const std::string key = text["key"], standard = text["default"];
    EXPECT_GT(text["meaning"].get<std::string>().size(), 5u) << key;
    EXPECT_NE(key + text["variable"].get<std::string>(), "");
    if (!key.empty()) {
      EXPECT_TRUE(keys.insert(key).second) << key;
    }
    for (const json& entry : values) {
      // Texts of several words depend on the machine.
      if (entry["key"] != key || entry["source"] != "default" || standard == "all" ||
          standard.find(' ') != standard.npos)
        continue;
      EXPECT_EQ(entry["value"], standard == "none" && entry["value"] == "" ? "" : standard) << key;
      ++compared;
    }
  }
  EXPECT_GT(compared, 15);
  std::set<std::string> known;
  for (const ConfigKey& key : config_keys()) known.insert(key.name);
  EXPECT_EQ(keys, known);
  EXPECT_NE(check("{}", {}, {"--describe"}).output.find("scheduler, CONCLAVE_SCHEDULER\n"),
            std::string::npos);
}

}  // namespace
}  // namespace conclave::test
