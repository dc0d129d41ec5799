// SPDX-License-Identifier: Apache-2.0
// ti-mct-heap-check prints what TI's program prints, to the character.
#include <signal.h>

#include <nlohmann/json.hpp>

#include "platform/share/heap.h"
#include "platform/share/meeting_place.h"
#include "tool.h"

namespace conclave::test {
namespace {

using nlohmann::json;

constexpr char kTool[] = "ti-mct-heap-check";
constexpr uint64_t kHeapBytes = 1 << 20;
constexpr char kEnd[] = "-----------------------------------------\n\n";

class HeapCheck : public ToolTest {
 protected:
  std::string text(const std::vector<std::string>& arguments = {}) {
    const Result result = run(kTool, arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.errors, "");
    return result.output;
  }
  json report(const std::vector<std::string>& arguments = {"--json"}) {
    return json::parse(text(arguments));
  }
};

std::string hex(uint64_t number) {
  char digits[32];
  snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(number));
  return digits;
}

// The first lines of the test's ddr_heap1.
std::string head(uint64_t available) {
  return "-- ddr_heap1 ------------------------------\n"
         "   Addr : 0xa2000000\n"
         "   Size : 0x100000\n"
         "   Avail: " +
         hex(available) +
         "\n"
         "   Align: 0x80\n";
}

TEST_F(HeapCheck, SaysThatThereIsNoHeap) {
  EXPECT_EQ(text(), "TI Multicore Tools Heaps do not exist\n");
  EXPECT_EQ(text({"-c"}), "TI Multicore Tools Heaps do not exist\n");
  EXPECT_EQ(text({"--segment", "no-such-segment"}), "TI Multicore Tools Heaps do not exist\n");
  const json empty = report();
  EXPECT_TRUE(empty["segment"].is_null());
  EXPECT_EQ(empty["heaps"].size(), 0u);
}

// The help does not keep it from showing the heaps, nor does an unknown option.
TEST_F(HeapCheck, OptionsAreTis) {
  const std::string none = "TI Multicore Tools Heaps do not exist\n";
  EXPECT_EQ(text({"-h"}), path_of(kTool) +
                              " [option]\n"
                              "  -h: Print help screen\n"
                              "  -c: Clean heaps of non-existant processes\n" +
                              none);
  const Result unknown = run(kTool, {"-x"});
  EXPECT_EQ(unknown.status, 0);
  EXPECT_EQ(unknown.output, "Unknown option specified: 63\n" + none);
  EXPECT_NE(text({"--help"}).find("--totals"), std::string::npos);
}

TEST_F(HeapCheck, PrintsNothingBeforeHeapsHaveASize) {
  const auto made = share::MeetingPlace(segment()).find_or_make(128);
  EXPECT_EQ(text(), "");
}

TEST_F(HeapCheck, PrintsAnEmptyHeap) {
  const auto process = client("allocate");
  EXPECT_EQ(text(), head(kHeapBytes) + kEnd);
}

TEST_F(HeapCheck, PrintsHeapsInOrder) {
  const auto process =
      client("allocate", {}, {"CONCLAVE_DDR_HEAP2_SIZE_MIB=1", "CONCLAVE_MSMC_HEAP_SIZE_KIB=4"});
  const std::string all = text();
  const size_t first = all.find("-- ddr_heap1 -"), second = all.find("-- ddr_heap2 -"),
               third = all.find("-- msmc_heap -");
  EXPECT_EQ(first, 0u);
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_NE(third, all.npos);
}

TEST_F(HeapCheck, PrintsBlocks) {
  const auto process = client("allocate", {"256", "1", "4096", "free:1"});
  const uint64_t used = 256 + 4096, base = 0xa2000000;
  const std::string pid = std::to_string(process->pid());
  EXPECT_EQ(text(), head(kHeapBytes - used) +
                        "   Free: \n"
                        "        addr: 0xa2000100 size: 0x80\n"
                        "        addr: " +
                        hex(base + used + 128) + " size: " + hex(kHeapBytes - used - 128) +
                        "\n"
                        "   Aloc: \n"
                        "        addr: 0xa2000000 size: 0x100 pid: " +
                        pid +
                        "\n"
                        "        addr: 0xa2000180 size: 0x1000 pid: " +
                        pid + "\n" + kEnd);
}

TEST_F(HeapCheck, AddsTotalsOnRequest) {
  const auto one = client("allocate", {"128", "128"});
  const auto other = client("allocate", {"1024"});
  const std::string with = text({"--totals"}), without = text();
  ASSERT_EQ(with.substr(0, without.size()), without);
  const std::string totals = with.substr(without.size());
  for (const std::string& line :
       {"pid: " + std::to_string(one->pid()) + " blocks: 2 size: 0x100\n",
        "pid: " + std::to_string(other->pid()) + " blocks: 1 size: 0x400\n"})
    EXPECT_NE(totals.find(line), totals.npos) << totals;
}

TEST_F(HeapCheck, CollectsWhatTheDeadHad) {
  const auto survivor = client("allocate", {"512"});
  const auto victim = client("allocate", {"128", "1024", "128"});
  victim->signal(SIGKILL);
  EXPECT_EQ(victim->wait(), 128 + SIGKILL);
  EXPECT_EQ(report()["heaps"][0]["allocated"].size(), 4u);

  const std::string collected = text({"-c"});
  const std::string first = "Freed 3 blocks with 1280 bytes of processes that do not exist\n";
  ASSERT_EQ(collected.substr(0, first.size()), first);
  EXPECT_EQ(collected.substr(first.size()), text());
  const json heap = report()["heaps"][0];
  ASSERT_EQ(heap["allocated"].size(), 1u);
  EXPECT_EQ(heap["allocated"][0]["pid"], survivor->pid());
  EXPECT_EQ(heap["available"], kHeapBytes - 512);
  const json nothing = report({"-c", "--json"});
  EXPECT_EQ(nothing["freed"]["blocks"], 0);
  EXPECT_EQ(nothing["freed"]["bytes"], 0);
}

TEST_F(HeapCheck, SumsHold) {
  const auto one = client("allocate", {"1", "200", "3000", "40000", "free:2", "free:0", "77"});
  const auto other = client("allocate", {"500", "500", "500", "free:1"});
  const json all = report();
  EXPECT_EQ(all["segment"], segment());
  ASSERT_EQ(all["heaps"].size(), 1u);
  const json& heap = all["heaps"][0];
  uint64_t free = 0, allocated = 0;
  for (const json& block : heap["free"]) free += block["size"].get<uint64_t>();
  for (const json& block : heap["allocated"]) allocated += block["size"].get<uint64_t>();
  EXPECT_EQ(heap["size"], kHeapBytes);
  EXPECT_EQ(heap["available"], free);
  EXPECT_EQ(kHeapBytes - free, allocated);
  EXPECT_EQ(allocated, 256u + 40064u + 128u + 512u + 512u);
  EXPECT_GE(heap["free"].size(), 3u);

  uint64_t total = 0, blocks = 0;
  ASSERT_EQ(all["processes"].size(), 2u);
  for (const json& process : all["processes"]) {
    total += process["bytes"].get<uint64_t>();
    blocks += process["blocks"].get<uint64_t>();
  }
  EXPECT_EQ(total, allocated);
  EXPECT_EQ(blocks, heap["allocated"].size());
}

}  // namespace
}  // namespace conclave::test
