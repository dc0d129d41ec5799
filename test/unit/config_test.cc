// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "loader/test_support.h"
#include "platform/base/host_cpus.h"

namespace conclave {
namespace {

using Variables = std::map<std::string, std::string>;

class ConfigTest : public ::testing::Test {
 protected:
  Config read(Variables variables, uint32_t cpus = 4) {
    variables.try_emplace("HOME", "/home/someone");
    // Keeps the file of the machine out of the test.
    if (!variables.contains("CONCLAVE_CONFIG")) {
      write("{}");
      variables["CONCLAVE_CONFIG"] = file();
    }
    return Config::read(
        [&](const char* name) {
          const auto found = variables.find(name);
          return found == variables.end() ? nullptr : found->second.c_str();
        },
        cpus);
  }

  Config read_text(const std::string& text, Variables variables = {}, uint32_t cpus = 4) {
    write(text);
    variables["CONCLAVE_CONFIG"] = file();
    return read(std::move(variables), cpus);
  }

  std::string file() const { return directory_.file("config.json"); }
  void write(const std::string& text) { test::write_text(file(), text); }

  void expect_error(const Config& config, const std::string& text) {
    ASSERT_EQ(config.errors.size(), 1u) << text;
    EXPECT_NE(config.errors[0].find(text), std::string::npos) << config.errors[0];
  }

  test::TemporaryDirectory directory_;
};

using List = std::vector<uint32_t>;

TEST_F(ConfigTest, Defaults) {
  const Config config = read({}, 3);
  EXPECT_TRUE(config.errors.empty());
  EXPECT_EQ(config.compute_units, 3u);
  EXPECT_EQ(config.compute_unit_list, (List{0, 1, 2}));
  EXPECT_EQ(config.device_type, cl_device_type{CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_ACCELERATOR});
  EXPECT_EQ(config.compile_timeout_s, 600u);
  EXPECT_TRUE(config.cache);
  EXPECT_EQ(config.cache_dir, "/home/someone/.cache/conclave");
  EXPECT_EQ(config.cache_size_mib, 512u);
  EXPECT_EQ(read({}, 0).compute_units, 1u);
  EXPECT_EQ(read({}, 1000).compute_units, 256u);
}

TEST_F(ConfigTest, ReadsTheFile) {
  const Config config = read_text(R"({
    "compute-units": "8",
    "compute-unit-list": "5, 1,1 3",
    "device-type": "gpu",
    "compile-timeout-s": 30,
    "cache": "0",
    "cache-dir": "/var/cache/x",
    "cache-size-mib": 64
  })");
  EXPECT_TRUE(config.errors.empty());
  EXPECT_EQ(config.compute_units, 8u);
  EXPECT_EQ(config.compute_unit_list, (List{1, 3, 5}));
  EXPECT_EQ(config.device_type, cl_device_type{CL_DEVICE_TYPE_GPU});
  EXPECT_EQ(config.compile_timeout_s, 30u);
  EXPECT_FALSE(config.cache);
  EXPECT_EQ(config.cache_dir, "/var/cache/x");
  EXPECT_EQ(config.cache_size_mib, 64u);
}

// As TI ships it: strings, and a comma at the end.
TEST_F(ConfigTest, ReadsTheFileOfTi) {
  const Config config = read_text(R"({
    "cmem-block-offchip" : "0",
    "cmem-block-onchip" : "1",
    "compute-unit-list" : "0,1,2,3,4,5,6,7",
    "linux-shmem-size-KB" : "128",
    "eve-devices-disable" : "0",
  })",
                                  {}, 8);
  EXPECT_TRUE(config.errors.empty());
  EXPECT_EQ(config.compute_unit_list.size(), 8u);
}

TEST_F(ConfigTest, CommasInStringsStay) {
  const Config config = read_text("{\"cache-dir\": \"/a,}\\\",]\"\n,\n}");
  EXPECT_TRUE(config.errors.empty());
  EXPECT_EQ(config.cache_dir, "/a,}\",]");
}

TEST_F(ConfigTest, EnvironmentGoesOverTheFile) {
  const Config config = read_text(R"({"compute-units": 2, "compute-unit-list": "0,9",
                                      "cache": 1, "cache-dir": "relative"})",
                                  {{"CONCLAVE_COMPUTE_UNITS", "16"},
                                   {"TI_OCL_COMPUTE_UNIT_LIST", "15 0"},
                                   {"CONCLAVE_DEVICE_TYPE", "cpu,gpu"},
                                   {"CONCLAVE_COMPILE_TIMEOUT_S", "5"},
                                   {"CONCLAVE_CACHE", "0"},
                                   {"CONCLAVE_CACHE_DIR", "/c"},
                                   {"CONCLAVE_CACHE_SIZE_MIB", "1"}});
  EXPECT_TRUE(config.errors.empty()) << config.errors[0];
  EXPECT_EQ(config.compute_units, 16u);
  EXPECT_EQ(config.compute_unit_list, (List{0, 15}));
  EXPECT_EQ(config.device_type, cl_device_type{CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU});
  EXPECT_EQ(config.compile_timeout_s, 5u);
  EXPECT_FALSE(config.cache);
  EXPECT_EQ(config.cache_dir, "/c");
  EXPECT_EQ(config.cache_size_mib, 1u);
}

TEST_F(ConfigTest, WrongValuesAreErrors) {
  const std::pair<const char*, const char*> cases[] = {
      {"\"compute-units\": \"0\"", "key \"compute-units\": \"0\": allowed is an integer from 1"},
      {"\"compute-units\": 257", "from 1 to 256"},
      {"\"compute-units\": \"8 cores\"", "\"8 cores\""},
      {"\"compute-units\": -1", "\"-1\""},
      {"\"compute-units\": 2.5", "is neither a string nor an integer"},
      {"\"compute-units\": [1]", "value [1] is neither"},
      {"\"compute-unit-list\": \"0,4\"",
       "there is no compute unit \"4\"; allowed are integers from 0 to 3"},
      {"\"compute-unit-list\": \"0-3\"", "\"0-3\""},
      {"\"compute-unit-list\": \"\"", "names no compute unit"},
      {"\"compute-unit-list\": \" , \"", "names no compute unit"},
      {"\"compute-unit-list\": \"1,256,x\"", "\"256\""},
      {"\"device-type\": \"cpu,fpga\"", "there is no device type \"fpga\""},
      {"\"device-type\": \"\"", "names no device type"},
      {"\"compile-timeout-s\": 0", "from 1 to"},
      {"\"cache\": \"yes\"", "from 0 to 1"},
      {"\"cache-dir\": \"here\"", "allowed is an absolute path"},
      {"\"cache-dir\": \"\"", "allowed is an absolute path"},
      {"\"cache-size-mib\": \"1GB\"", "\"1GB\""},
      {"\"cmem-block-offchip\": \"4\"", "from 0 to 3"},
  };
  for (const auto& [entry, message] : cases) {
    const Config config = read_text(std::string("{\n\n  ") + entry + "\n}");
    expect_error(config, message);
    EXPECT_NE(config.errors[0].find("config.json line 3, key "), std::string::npos)
        << config.errors[0];
    EXPECT_EQ(config.compute_units, 4u);
    EXPECT_EQ(config.compute_unit_list.size(), 4u);
  }
}

TEST_F(ConfigTest, WrongVariablesAreErrors) {
  expect_error(read({{"CONCLAVE_COMPUTE_UNITS", "many"}}),
               "environment variable CONCLAVE_COMPUTE_UNITS: \"many\": allowed is an integer");
  expect_error(read({{"TI_OCL_COMPUTE_UNIT_LIST", ""}}), "names no compute unit");
  expect_error(read({{"TI_OCL_COMPUTE_UNIT_LIST", "0,7"}}), "\"7\"");
  expect_error(read({{"CONCLAVE_DEVICE_TYPE", "custom"}}), "\"custom\"");
}

TEST_F(ConfigTest, TolerableValuesAndUnknownKeysAreNoErrors) {
  EXPECT_TRUE(read_text(R"({"cmem-block-onchip": "9", "linux-shmem-size-KB": "-3",
                            "eve-devices-disable": "maybe", "no-such-key": "1"})")
                  .errors.empty());
}

TEST_F(ConfigTest, BadFiles) {
  expect_error(read({{"CONCLAVE_CONFIG", "/no/such/file.json"}}),
               "CONCLAVE_CONFIG: there is no file /no/such/file.json");
  expect_error(read({{"CONCLAVE_CONFIG", "/"}}), "/: cannot be read: Is a directory");
  expect_error(read_text("{\n\"a\": \n\"b"), "line 3: is no valid JSON");
  expect_error(read_text(""), "is no valid JSON");
  expect_error(read_text("[1]"), "is no JSON object");
  expect_error(read_text(std::string(2 << 20, ' ')), "File too large");
  expect_error(read_text("{\"cache-dir\": \"\xff\"}"), "is no valid JSON");
  read_text(std::string(100000, '['));
}

TEST_F(ConfigTest, CacheDirectoryFollowsXdg) {
  EXPECT_EQ(read({{"XDG_CACHE_HOME", "/x"}}).cache_dir, "/x/conclave");
  EXPECT_EQ(read({{"XDG_CACHE_HOME", "x"}}).cache_dir, "/home/someone/.cache/conclave");
  EXPECT_EQ(read({{"XDG_CACHE_HOME", ""}}).cache_dir, "/home/someone/.cache/conclave");
  // Without HOME it is the password database's.
  EXPECT_NE(read({{"HOME", ""}}).cache_dir, "/.cache/conclave");
}

TEST(HostCpus, AtLeastOne) {
  EXPECT_GE(host_cpus(), 1u);
}

class ControlGroup : public ::testing::Test {
 protected:
  void group(const std::string& path, const std::string& file, const std::string& text) {
    for (size_t at = 1; at != path.npos;) {
      at = path.find('/', at + 1);
      mkdir((directory_.path() + path.substr(0, at)).c_str(), 0700);
    }
    test::write_text(directory_.path() + path + "/" + file, text);
  }
  test::TemporaryDirectory directory_;
};

TEST_F(ControlGroup, Version2) {
  const auto cpus = [&](const char* path) {
    return control_group_cpus("0::" + std::string(path) + "\n", directory_.path());
  };
  EXPECT_EQ(cpus("/a/b"), UINT32_MAX);
  group("/a", "cpu.max", "350000 100000\n");
  group("/a/b", "cpu.max", "max 100000\n");
  group("/a/c", "cpu.max", "5000 100000\n");
  group("/d", "cpu.max", "200000 100000\n");
  EXPECT_EQ(cpus("/a/b"), 4u);
  EXPECT_EQ(cpus("/a/c"), 1u);
  EXPECT_EQ(cpus("/d"), 2u);
  EXPECT_EQ(cpus("/"), UINT32_MAX);
  EXPECT_EQ(cpus("/../other"), UINT32_MAX);
}

TEST_F(ControlGroup, Version1) {
  group("/cpu/a", "cpu.cfs_quota_us", "250000\n");
  group("/cpu/a", "cpu.cfs_period_us", "100000\n");
  group("/cpu/b", "cpu.cfs_quota_us", "-1\n");
  group("/cpu/b", "cpu.cfs_period_us", "100000\n");
  const auto cpus = [&](const char* line) { return control_group_cpus(line, directory_.path()); };
  EXPECT_EQ(cpus("4:memory:/a\n3:cpu,cpuacct:/a\n"), 3u);
  EXPECT_EQ(cpus("3:cpu,cpuacct:/b\n"), UINT32_MAX);
  EXPECT_EQ(cpus("3:cpuset:/a\n"), UINT32_MAX);
  EXPECT_EQ(cpus("garbage\n\n::\n"), UINT32_MAX);
}

}  // namespace
}  // namespace conclave
