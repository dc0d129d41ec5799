// SPDX-License-Identifier: Apache-2.0
// Which CPUs share what, read from folders as the system has them.
#include "platform/base/cpu_domains.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/common/temporary_directory.h"

namespace conclave {
namespace {

using Groups = std::vector<std::vector<size_t>>;

// Four CPUs: two nodes of two, a cache of the third level per node, one of the first per CPU.
class CpuDomainsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int cpu = 0; cpu < 4; ++cpu) {
      const int first = cpu / 2 * 2;
      const std::string pair = std::to_string(first) + "-" + std::to_string(first + 1);
      add_cache(cpu, 0, "1", "Instruction", "0-3");
      add_cache(cpu, 1, "1", "Data", std::to_string(cpu));
      add_cache(cpu, 3, "3", "Unified", pair);
      std::filesystem::create_directories(folder(cpu) + "/node" + std::to_string(cpu / 2));
    }
  }
  std::string folder(int cpu) const { return root_.path() + "/cpu/cpu" + std::to_string(cpu); }
  void add_cache(int cpu, int index, const char* level, const char* type, const std::string& cpus) {
    const std::string cache = folder(cpu) + "/cache/index" + std::to_string(index);
    std::filesystem::create_directories(cache);
    std::ofstream(cache + "/level") << level << "\n";
    std::ofstream(cache + "/type") << type << "\n";
    std::ofstream(cache + "/shared_cpu_list") << cpus << "\n";
  }
  Groups groups(const std::vector<int>& cpus, CpuDomain domain) const {
    return group_by_domain(cpus, domain, root_.path());
  }
  test::TemporaryDirectory root_;
};

TEST_F(CpuDomainsTest, FindsNodesAndCaches) {
  EXPECT_EQ((Groups{{0, 1}, {2, 3}}), groups({0, 1, 2, 3}, CpuDomain::kNumaNode));
  EXPECT_EQ((Groups{{0, 2}, {1, 3}}), groups({3, 0, 2, 1}, CpuDomain::kL3Cache));
  EXPECT_EQ((Groups{{0}, {1}, {2}}), groups({0, 1, 2}, CpuDomain::kL1Cache));
}

TEST_F(CpuDomainsTest, SaysNothingOfWhatTheSystemDoesNotTell) {
  EXPECT_EQ(Groups(), groups({0, 1}, CpuDomain::kL2Cache));
  EXPECT_EQ(Groups(), groups({0, 9}, CpuDomain::kNumaNode));
  EXPECT_EQ(Groups(), groups({}, CpuDomain::kNumaNode));
}

}  // namespace
}  // namespace conclave
