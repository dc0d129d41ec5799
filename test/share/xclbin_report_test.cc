// SPDX-License-Identifier: Apache-2.0
// What conclave examine says of the xclbin, and of the compute units that kernels have used.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "xclbin_fixture.h"

namespace conclave::test {
namespace {

// What conclave examine says of the xclbin under XRT's names.
class ExamineXclbin : public Xclbins {
 protected:
  std::string examine(const std::string& options) const {
    const std::string command = "XDG_RUNTIME_DIR=" + runtime_.path() + " " +
                                std::string(CONCLAVE_TOOL) + " examine " + options + " --segment " +
                                segment_.name();
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    char block[4096];
    while (const size_t size = fread(block, 1, sizeof block, pipe)) text.append(block, size);
    EXPECT_EQ(pclose(pipe), 0) << text;
    return text;
  }
};

TEST_F(ExamineXclbin, DynamicRegionsAndTheArray) {
  EXPECT_NE(examine("-r dynamic-regions").find("No xclbin"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(examine("--json -r aie"))["aie"].is_null());
  auto p = start("xcl");
  expect_steps(*p, {"open", "load X"});
  const auto all = nlohmann::json::parse(examine("--json -r dynamic-regions,aie,aie-shim"));
  EXPECT_EQ(all.size(), 3u) << all;
  const auto& region = all["dynamic-regions"];
  EXPECT_EQ(region["xclbin-uuid"].get<std::string>().size(), 36u);
  ASSERT_EQ(region["compute-units"].size(), 2u);
  EXPECT_EQ(region["compute-units"][1]["name"], "vadd:vadd_2");
  EXPECT_EQ(region["compute-units"][1]["base-address"], "0x1810000");
  EXPECT_EQ(region["compute-units"][1]["status"], "(IDLE)");
  EXPECT_TRUE(all["aie"]["graphs"].empty());
  EXPECT_TRUE(all["aie-shim"]["streams"].empty());
  const std::string text = examine("-r dynamic-regions,aie");
  EXPECT_NE(text.find("Xclbin UUID  " + region["xclbin-uuid"].get<std::string>()),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Base_Address"), std::string::npos) << text;
  EXPECT_NE(text.find("Graphs\n  none"), std::string::npos) << text;
  EXPECT_EQ(examine("").find("Base_Address"), std::string::npos) << "only where it is named";
  ASSERT_EQ(unlink(kept_file().c_str()), 0);
  EXPECT_NE(examine("-r aie-shim").find("cannot be read"), std::string::npos);
}

// Which units have been used, by their leases: nobody else uses this segment.
class UnitsUsed : public ExamineXclbin, public testing::WithParamInterface<size_t> {
 protected:
  std::vector<bool> used() const {
    const auto report = nlohmann::json::parse(examine("--json -r compute-units"));
    std::vector<bool> used;
    for (const auto& unit : report["compute-units"]) used.push_back(unit["state"] != "free");
    used.resize(2);
    return used;
  }
  std::vector<bool> expected() const { return {GetParam() == 0, GetParam() == 1}; }
};
INSTANTIATE_TEST_SUITE_P(, UnitsUsed, testing::Values(0, 1));

TEST_P(UnitsUsed, ByAnOpenClKernel) {
  auto p = start("opencl");
  expect_steps(*p, {"load X", "kernel vadd:{vadd_" + std::to_string(GetParam() + 1) + "}"});
  for (int i = 0; i < 20; ++i) expect_steps(*p, {"run"});
  EXPECT_EQ(used(), expected());
}

TEST_P(UnitsUsed, ByACommand) {
  auto p = start("xcl");
  const std::string unit = std::to_string(GetParam());
  expect_steps(*p, {"open", "load X", "context X 0 shared", "context X 1 shared"});
  for (int i = 0; i < 20; ++i) expect_steps(*p, {"exec " + unit, "wait"});
  EXPECT_EQ(used(), expected());
}

}  // namespace
}  // namespace conclave::test
