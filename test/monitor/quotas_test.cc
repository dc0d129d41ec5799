// SPDX-License-Identifier: Apache-2.0
#include "monitor/quotas.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace conclave::monitor {
namespace {

Peer peer(uid_t uid, std::vector<gid_t> groups = {60'000}) {
  return {getpid(), uid, std::move(groups)};
}

TEST(QuotasTest, TheFirstRuleThatFitsCounts) {
  const Quotas quotas(
      "root: weight=4; @games: compute-units=2 heap-MiB=512; 60001: contexts=3;*: weight=0.5");
  EXPECT_EQ(quotas.match(peer(0)).quota.weight, 4);
  const Quota games = quotas.match(peer(60'001, {60'000, 60})).quota;  // group games of Debian
  EXPECT_EQ(games.compute_units, 2u);
  EXPECT_EQ(games.heap_bytes, uint64_t{512} << 20);
  EXPECT_EQ(games.contexts, 0u);
  EXPECT_EQ(quotas.match(peer(60'001)).quota.contexts, 3u);
  EXPECT_EQ(quotas.match(peer(60'002)).quota.weight, 0.5);
}

TEST(QuotasTest, WithoutRulesThereAreNoLimits) {
  const Quota quota = Quotas().match(peer(60'001)).quota;
  EXPECT_EQ(quota.compute_units, 0u);
  EXPECT_EQ(quota.heap_bytes, 0u);
  EXPECT_EQ(quota.weight, 1);
}

TEST(QuotasTest, ControlGroups) {
  std::string path;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) path = line.substr(3);
  if (path.empty()) GTEST_SKIP() << "no unified hierarchy of control groups";
  const Quotas::Match own = Quotas("cgroup:" + path + ": weight=2").match(peer(60'001));
  EXPECT_EQ(own.control_group, path);
  EXPECT_EQ(own.quota.weight, 2);
  const Quotas::Match other =
      Quotas("cgroup:/no/such/group: weight=2; *: weight=3").match(peer(60'001));
  EXPECT_EQ(other.control_group, "");
  EXPECT_EQ(other.quota.weight, 3);
}

TEST(QuotasTest, WrongRules) {
  for (const char* wrong :
       {"alice", "alice:weight", "alice: weight=0", "alice: weight=100", "alice: weight=nan",
        "alice: compute-units=0", "alice: compute-units=-1", "alice: heap-MiB=9999999999999999999",
        "alice: cpus=3", ": weight=1", "weight=1", "alice: contexts=1x"})
    EXPECT_THROW(Quotas{wrong}, std::invalid_argument) << wrong;
  EXPECT_NO_THROW(Quotas(" ; alice: ; "));
}

}  // namespace
}  // namespace conclave::monitor
