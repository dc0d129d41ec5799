// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "loader/test_support.h"
#include "platform/base/host_cpus.h"
#include "platform/base/host_memory.h"

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
    Config::Sources sources;
    sources.getenv = [&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    };
    sources.cpus = cpus;
    sources.memory_bytes = memory_;
    sources.ini_directories = ini_directories_;
    sources.runtime_keys = runtime_keys_;
    return Config::read(sources);
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

  // A value's source, as `conclave check-config` shows it.
  static std::string source(const Config& config, const std::string& key) {
    for (const Config::Entry& entry : config.entries)
      if (entry.key == key) return entry.source;
    return "(no such key)";
  }
  static std::string value(const Config& config, const std::string& key) {
    for (const Config::Entry& entry : config.entries)
      if (entry.key == key) return entry.value;
    return "(no such key)";
  }

  test::TemporaryDirectory directory_;
  uint64_t memory_ = uint64_t{8} << 30;
  std::vector<std::string> ini_directories_;
  std::map<std::string, std::string> runtime_keys_;
};

using List = std::vector<uint32_t>;

TEST_F(ConfigTest, Defaults) {
  const Config config = read({}, 3);
  EXPECT_TRUE(config.errors.empty());
  EXPECT_EQ(config.compute_units, 3u);
  EXPECT_EQ(config.compute_unit_list, (List{0, 1, 2}));
  EXPECT_EQ(config.device_type, cl_device_type{0});
  EXPECT_EQ(config.compile_timeout_s, 600u);
  EXPECT_EQ(config.build_options, "");
  EXPECT_FALSE(config.warm_compiler);
  EXPECT_EQ(config.compile_memory_mib, 4096u);
  EXPECT_TRUE(config.cache);
  EXPECT_EQ(config.cache_dir, "/home/someone/.cache/conclave");
  EXPECT_EQ(config.cache_size_mib, 512u);
  EXPECT_EQ(config.scheduler, Config::Scheduler::kInterleave);
  EXPECT_EQ(config.segment, "");
  EXPECT_EQ(config.shmem_size_kb, 4096u);
  EXPECT_EQ(config.segment_mode, 0666u);
  EXPECT_EQ(config.segment_group, "");
  EXPECT_EQ(config.ddr_heap1_bytes, uint64_t{4} << 30);
  EXPECT_EQ(config.ddr_heap2_bytes, 0u);
  EXPECT_EQ(config.msmc_heap_bytes, uint64_t{4} << 20);
  EXPECT_TRUE(config.multiprocess);
  EXPECT_EQ(read({}, 0).compute_units, 1u);
  EXPECT_EQ(read({}, 1000).compute_units, 256u);
}

TEST_F(ConfigTest, ReadsTheFile) {
  const Config config = read_text(R"({
    "compute-units": "8",
    "compute-unit-list": "5, 1,1 3",
    "device-type": "gpu",
    "compile-timeout-s": 30,
    "build-options": "-cl-std=CL3.0 -DN=2",
    "warm-compiler": 1,
    "compile-memory-mib": 64,
    "cache": "0",
    "cache-dir": "/var/cache/x",
    "cache-size-mib": 64,
    "scheduler": "fcfs",
    "time-slice-us": "100",
    "segment": "mine",
    "linux-shmem-size-KB": "256",
    "segment-mode": "0640",
    "segment-group": "render",
    "ddr-heap1-size-MiB": "3",
    "ddr-heap2-size-MiB": 16777216,
    "msmc-heap-size-KiB": "0",
    "multiprocess": "false"
  })");
  EXPECT_TRUE(config.errors.empty());
  EXPECT_EQ(config.compute_units, 8u);
  EXPECT_EQ(config.compute_unit_list, (List{1, 3, 5}));
  EXPECT_EQ(config.device_type, cl_device_type{CL_DEVICE_TYPE_GPU});
  EXPECT_EQ(config.compile_timeout_s, 30u);
  EXPECT_EQ(config.build_options, "-cl-std=CL3.0 -DN=2");
  EXPECT_TRUE(config.warm_compiler);
  EXPECT_EQ(config.compile_memory_mib, 64u);
  EXPECT_FALSE(config.cache);
  EXPECT_EQ(config.cache_dir, "/var/cache/x");
  EXPECT_EQ(config.cache_size_mib, 64u);
  EXPECT_EQ(config.scheduler, Config::Scheduler::kFcfs);
  EXPECT_EQ(config.time_slice_us, 100u);
  EXPECT_EQ(config.segment, "mine");
  EXPECT_EQ(config.shmem_size_kb, 256u);
  EXPECT_EQ(config.segment_mode, 0640u);
  EXPECT_EQ(config.segment_group, "render");
  EXPECT_EQ(config.ddr_heap1_bytes, uint64_t{3} << 20);
  EXPECT_EQ(config.ddr_heap2_bytes, uint64_t{1} << 44);
  EXPECT_EQ(config.msmc_heap_bytes, 0u);
  EXPECT_FALSE(config.multiprocess);
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
  EXPECT_TRUE(config.warnings.empty());
  EXPECT_EQ(config.compute_unit_list.size(), 8u);
  EXPECT_EQ(config.shmem_size_kb, 128u);
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
                                   {"CONCLAVE_COMPILE_MEMORY_MIB", "300"},
                                   {"CONCLAVE_CACHE", "0"},
                                   {"CONCLAVE_CACHE_DIR", "/c"},
                                   {"TI_OCL_WG_SIZE_LIMIT", "256"},
                                   {"TI_OCL_LIMIT_DEVICE_MAX_MEM_ALLOC_SIZE", "1073741824"},
                                   {"TI_OCL_PRINTF_COREID", "1"},
                                   {"CONCLAVE_CACHE_SIZE_MIB", "1"},
                                   {"CONCLAVE_SCHEDULER", "off"},
                                   {"CONCLAVE_TIME_SLICE_US", "1000000"},
                                   {"CONCLAVE_SEGMENT", "other"},
                                   {"CONCLAVE_SHMEM_SIZE_KB", "64"},
                                   {"CONCLAVE_DDR_HEAP1_SIZE_MIB", "1"},
                                   {"CONCLAVE_DDR_HEAP2_SIZE_MIB", "2"},
                                   {"CONCLAVE_MSMC_HEAP_SIZE_KIB", "3"}});
  EXPECT_TRUE(config.errors.empty()) << config.errors[0];
  EXPECT_EQ(config.compute_units, 16u);
  EXPECT_EQ(config.compute_unit_list, (List{0, 15}));
  EXPECT_EQ(config.device_type, cl_device_type{CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU});
  EXPECT_EQ(config.compile_timeout_s, 5u);
  EXPECT_EQ(config.compile_memory_mib, 300u);
  EXPECT_FALSE(config.cache);
  EXPECT_EQ(config.cache_dir, "/c");
  EXPECT_EQ(config.work_group_size_limit, 256u);
  EXPECT_EQ(config.max_mem_alloc_size, 1u << 30);
  EXPECT_TRUE(config.printf_core_id);
  EXPECT_EQ(config.cache_size_mib, 1u);
  EXPECT_EQ(config.scheduler, Config::Scheduler::kOff);
  EXPECT_EQ(config.time_slice_us, 1000000u);
  EXPECT_EQ(config.segment, "other");
  EXPECT_EQ(config.shmem_size_kb, 64u);
  EXPECT_EQ(config.ddr_heap1_bytes, 1u << 20);
  EXPECT_EQ(config.ddr_heap2_bytes, 2u << 20);
  EXPECT_EQ(config.msmc_heap_bytes, 3u << 10);
}

TEST_F(ConfigTest, WrongValuesAreErrors) {
  const std::pair<const char*, const char*> cases[] = {
      {"\"compute-units\": \"0\"", "key \"compute-units\": \"0\": allowed is an integer from 1"},
      {"\"compute-units\": 257", "from 1 to 256"},
      {"\"compute-units\": \"8 cores\"", "\"8 cores\""},
      {"\"compute-units\": -1", "\"-1\""},
      {"\"compute-units\": 2.5", "is neither a string nor an integer"},
      {"\"compute-units\": [1]", "value [1] is neither"},
      {"\"compute-units\": {\"a\": [1,],}", "value {\"a\": [1,],} is neither"},
      {"\"compute-unit-list\": \"0,4\"",
       "there is no compute unit \"4\"; allowed are integers from 0 to 3"},
      {"\"compute-unit-list\": \"0-3\"", "\"0-3\""},
      {"\"compute-unit-list\": \"\"", "names no compute unit"},
      {"\"compute-unit-list\": \" , \"", "names no compute unit"},
      {"\"compute-unit-list\": \"1,256,x\"", "\"256\""},
      {"\"device-type\": \"cpu,fpga\"", "there is no device type \"fpga\""},
      {"\"device-type\": \"\"", "names no device type"},
      {"\"compile-timeout-s\": 0", "from 1 to"},
      {"\"compile-memory-mib\": 63", "from 64 to"},
      {"\"warm-compiler\": 2", "from 0 to 1"},
      {"\"cache\": \"yes\"", "from 0 to 1"},
      {"\"cache-dir\": \"here\"", "allowed is an absolute path"},
      {"\"cache-dir\": \"\"", "allowed is an absolute path"},
      {"\"cache-size-mib\": \"1GB\"", "\"1GB\""},
      {"\"cmem-block-offchip\": \"4\"", "from 0 to 3"},
      {"\"work-group-size-limit\": 0", "from 1 to"},
      {"\"max-mem-alloc-size\": 0", "from 1 to"},
      {"\"printf-core-id\": 2", "from 0 to 1"},
      {"\"scheduler\": \"lottery\"", "\"lottery\": allowed are interleave, fcfs and off"},
      {"\"specialize\": \"always\"", "\"always\": allowed are off, background and now"},
      {"\"try-forms\": \"on\"", "\"on\": allowed are off, background and now"},
      {"\"time-slice-us\": 99", "from 100 to 1000000"},
      {"\"time-slice-us\": 1000001", "from 100 to 1000000"},
      {"\"time-slice-us\": \"4ms\"", "\"4ms\""},
      {"\"segment\": \"a/b\"", "\"a/b\": allowed is a file name"},
      {"\"segment\": \"..\"", "no dot first"},
      {"\"segment\": \"a b\"", "visible ASCII"},
      {"\"linux-shmem-size-KB\": 63", "from 64 to 65536"},
      {"\"linux-shmem-size-KB\": 65537", "from 64 to 65536"},
      {"\"segment-mode\": \"0760\"", "\"0760\": allowed is an octal mode"},
      {"\"segment-mode\": \"0460\"", "read and write for the owner"},
      {"\"segment-mode\": \"0689\"", "octal"},
      {"\"segment-group\": \"a b\"", "name of a group"},
      {"\"ddr-heap1-size-MiB\": 0", "from 1 to 16777216"},
      {"\"ddr-heap2-size-MiB\": \"1 GB\"", "from 0 to 16777216"},
      {"\"msmc-heap-size-KiB\": -1", "from 0 to"},
      {"\"multiprocess\": \"no\"", "allowed are true and false"},
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

TEST_F(ConfigTest, TolerableValuesAndUnknownKeysAreWarnings) {
  const Config config = read_text(R"({"cmem-block-onchip": "9", "linux-shmem-size-KB": "-3",
                            "eve-devices-disable": "maybe", "no-such-key": "1"})");
  EXPECT_TRUE(config.errors.empty());
  EXPECT_EQ(config.shmem_size_kb, 4096u);
  ASSERT_EQ(config.warnings.size(), 4u);
  std::string all;
  for (const std::string& warning : config.warnings) all += warning + "\n";
  for (const char* text :
       {"key \"cmem-block-onchip\": \"9\": allowed is an integer from 0 to 3",
        "\"linux-shmem-size-KB\": \"-3\": is no positive integer, 4096 is used",
        "\"maybe\": is no integer, 0 is used", "key \"no-such-key\": is not known"})
    EXPECT_NE(all.find(text), std::string::npos) << text << " is not in\n" << all;
  for (const char* size : {"\"0\"", "\"many\"", "\"\""})
    EXPECT_EQ(read_text(std::string("{\"linux-shmem-size-KB\": ") + size + "}").shmem_size_kb,
              4096u);
}

TEST_F(ConfigTest, LimitsThatAreNoNumbersAreNone) {
  const Config config =
      read({{"TI_OCL_WG_SIZE_LIMIT", "many"}, {"TI_OCL_LIMIT_DEVICE_MAX_MEM_ALLOC_SIZE", "-1"}});
  EXPECT_TRUE(config.errors.empty());
  EXPECT_EQ(config.warnings.size(), 2u);
  EXPECT_EQ(value(config, "work-group-size-limit"), "none");
  EXPECT_EQ(value(config, "max-mem-alloc-size"), "none");
}

TEST_F(ConfigTest, HeapDefaultsToHalfOfTheMemory) {
  memory_ = (uint64_t{3} << 30) + 4096;
  EXPECT_EQ(read({}).ddr_heap1_bytes, uint64_t{3} << 29);
  memory_ = 0;
  EXPECT_EQ(read({}).ddr_heap1_bytes, 1u << 20);
}

TEST_F(ConfigTest, SaysWhereValuesComeFrom) {
  const Config config =
      read_text("{\n\"compute-units\": 8,\n\"cache\": \"no\", \"cmem-block-offchip\": \"2\"}",
                {{"TI_OCL_COMPUTE_UNIT_LIST", "7 1"}});
  EXPECT_EQ(value(config, "compute-units"), "8");
  EXPECT_EQ(source(config, "compute-units"), file() + " line 2, key \"compute-units\"");
  EXPECT_EQ(value(config, "compute-unit-list"), "1,7");
  EXPECT_EQ(source(config, "compute-unit-list"), "environment variable TI_OCL_COMPUTE_UNIT_LIST");
  // A wrong value leaves the default.
  EXPECT_EQ(value(config, "cache"), "1");
  EXPECT_EQ(source(config, "cache"), "default");
  EXPECT_EQ(value(config, "cmem-block-offchip"), "2");
  EXPECT_EQ(value(config, "device-type"), "auto");
  EXPECT_EQ(value(config, "scheduler"), "interleave");
  EXPECT_EQ(value(config, "segment-mode"), "0666");
  EXPECT_EQ(value(config, "ddr-heap1-size-MiB"), "4096");
  EXPECT_EQ(value(config, "msmc-heap-size-KiB"), "4096");
  EXPECT_EQ(value(config, "multiprocess"), "true");
  EXPECT_EQ(value(config, "cmem-block-onchip"), "(no such key)");
}

class XrtIni : public ConfigTest {
 protected:
  std::string ini(const std::string& directory, const std::string& text) {
    const std::string path = directory_.file(directory);
    mkdir(path.c_str(), 0700);
    test::write_text(path + "/xrt.ini", text);
    return path;
  }
};

TEST_F(XrtIni, MultiprocessOfRuntimeCounts) {
  ini_directories_ = {ini("a",
                          "; a comment\n[Debug]\nmultiprocess=maybe\n[Runtime]\r\n"
                          "verbosity = 7\n  multiprocess =  false \r\nnonsense\n")};
  const Config config = read({});
  EXPECT_TRUE(config.errors.empty());
  EXPECT_TRUE(config.warnings.empty());
  EXPECT_FALSE(config.multiprocess);
  EXPECT_EQ(source(config, "multiprocess"),
            directory_.file("a/xrt.ini") + " line 6, key \"multiprocess\"");
  ini("a", "[Runtime]\nmultiprocess=true\n");
  EXPECT_TRUE(read({}).multiprocess);
  ini("a", "multiprocess=false\n;[Runtime]\n#multiprocess=false\n");
  EXPECT_TRUE(read({}).multiprocess);
  // It goes over the file.
  ini("a", "[Runtime]\nmultiprocess=true\n");
  EXPECT_TRUE(read_text("{\"multiprocess\": \"false\"}").multiprocess);
}

TEST_F(XrtIni, WhatTheProgramSaysGoesOverTheFile) {
  ini_directories_ = {ini("a", "[Runtime]\nmultiprocess=true\n")};
  runtime_keys_["multiprocess"] = "false";
  const Config config = read({});
  EXPECT_FALSE(config.multiprocess);
  EXPECT_NE(source(config, "multiprocess").find("the program's own"), std::string::npos);
}

TEST_F(XrtIni, FirstFileOfTheSearchOrderCounts) {
  const std::string absent = directory_.file("absent");
  const std::string no = ini("no", "[Runtime]\nmultiprocess=false\n");
  const std::string yes = ini("yes", "[Runtime]\nmultiprocess=true\n");
  const std::string silent = ini("silent", "[Emulation]\n");
  ini_directories_ = {absent, yes, no};
  EXPECT_TRUE(read({}).multiprocess);
  ini_directories_ = {absent, no, yes};
  EXPECT_FALSE(read({}).multiprocess);
  ini_directories_ = {silent, no};
  EXPECT_TRUE(read({}).multiprocess);
  ini_directories_ = {yes};
  EXPECT_FALSE(read({{"XRT_INI_PATH", no + "/xrt.ini"}}).multiprocess);
}

TEST_F(XrtIni, WrongValuesNameFileAndLine) {
  ini_directories_ = {ini("a", "\n[Runtime]\nmultiprocess=off\n")};
  const Config config = read({});
  expect_error(config, directory_.file("a/xrt.ini") +
                           " line 3, key \"multiprocess\": \"off\": allowed are true and false");
  EXPECT_TRUE(config.multiprocess);
  expect_error(read({{"XRT_INI_PATH", "/no/such/xrt.ini"}}),
               "XRT_INI_PATH: there is no file /no/such/xrt.ini");
  expect_error(read({{"XRT_INI_PATH", "/"}}), "/: cannot be read: Is a directory");
}

// A daemon reads its file, not the environment of the user who starts it.
TEST_F(ConfigTest, FileAloneOnRequest) {
  write("{\"compute-units\": 5}");
  setenv("CONCLAVE_COMPUTE_UNITS", "7", 1);
  const Config config = Config::read(Config::Sources::of_file(file()));
  unsetenv("CONCLAVE_COMPUTE_UNITS");
  EXPECT_TRUE(config.errors.empty());
  EXPECT_EQ(config.compute_units, 5u);
  expect_error(Config::read(Config::Sources::of_file("/no/such/file.json")),
               "/no/such/file.json: there is no such file");
}

TEST_F(ConfigTest, BadFiles) {
  expect_error(read({{"CONCLAVE_CONFIG", "/no/such/file.json"}}),
               "CONCLAVE_CONFIG: there is no file /no/such/file.json");
  expect_error(read({{"CONCLAVE_CONFIG", "/"}}), "/: cannot be read: Is a directory");
  expect_error(read_text("{\n\"a\": \n\"b"), "line 3: is no valid JSON");
  expect_error(read_text("{\n\"a\": \n\"b"), "(column 3)");
  expect_error(read_text("{\"cache\": 1,\n \"cache\": 0}"),
               "line 2: key \"cache\" is here twice (column 2)");
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

TEST(Host, HasCpusAndMemory) {
  EXPECT_GE(host_cpus(), 1u);
  EXPECT_GT(host_memory(), 1u << 20);
  EXPECT_LT(host_memory(), uint64_t{1} << 60);
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

TEST_F(ControlGroup, Memory) {
  const auto memory = [&](const char* line) {
    return control_group_memory(line, directory_.path());
  };
  EXPECT_EQ(memory("0::/a/b\n"), UINT64_MAX);
  group("/a", "memory.max", "1073741824\n");
  group("/a/b", "memory.max", "max\n");
  group("/a/c", "memory.max", "4096\n");
  EXPECT_EQ(memory("0::/a/b\n"), 1u << 30);
  EXPECT_EQ(memory("0::/a/c\n"), 4096u);
  EXPECT_EQ(memory("0::/\n"), UINT64_MAX);
  group("/memory/x", "memory.limit_in_bytes", "9223372036854771712\n");
  group("/memory/x/y", "memory.limit_in_bytes", "2048\n");
  EXPECT_EQ(memory("4:cpu:/a\n3:memory:/x\n"), 9223372036854771712u);
  EXPECT_EQ(memory("4:memory:/x/y\n0::/\n"), 2048u);
}

}  // namespace
}  // namespace conclave
