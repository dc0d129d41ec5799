// SPDX-License-Identifier: Apache-2.0
// XRT's C++ interface as programs for the array use it, older and newer ones: each way to call it
// compiles, and does what it says. The headers are included as XRT's own examples do.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <future>
#include <sstream>
#include <string>
#include <type_traits>

#include "adf/adf_api/XRTConfig.h"
#include "experimental/xrt_aie.h"
#include "experimental/xrt_graph.h"
#include "experimental/xrt_kernel.h"
#include "graph_roles.h"

using namespace adf;

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

template <class T>
constexpr bool kIsHandle =
    std::is_default_constructible_v<T> && std::is_copy_constructible_v<T> &&
    std::is_copy_assignable_v<T> && std::is_move_constructible_v<T> && std::is_move_assignable_v<T>;
static_assert(kIsHandle<xrt::device> && kIsHandle<xrt::aie::device> && kIsHandle<xrt::graph> &&
              kIsHandle<xrt::bo> && kIsHandle<xrt::aie::bo> && kIsHandle<xrt::kernel> &&
              kIsHandle<xrt::run> && kIsHandle<xrt::uuid> && kIsHandle<xrt::hw_context>);

// The numbers are in programs that were built before.
template <class Mode>
constexpr int number(Mode mode) {
  return static_cast<int>(mode);
}
static_assert(number(xrt::aie::access_mode::exclusive) == 0 &&
              number(xrt::aie::device::access_mode::primary) == 1 &&
              number(xrt::aie::access_mode::shared) == 2 &&
              number(xrt::aie::access_mode::none) == 3);
static_assert(sizeof(xrt::aie::access_mode) == 1);
static_assert(number(xrt::graph::access_mode::exclusive) == 0 &&
              number(xrt::graph::access_mode::primary) == 1 &&
              number(xrt::graph::access_mode::shared) == 2);
static_assert(number(xrt::kernel::cu_access_mode::exclusive) == 0 &&
              number(xrt::kernel::cu_access_mode::shared) == 1 &&
              number(xrt::kernel::cu_access_mode::none) == 2);
static_assert(number(xrt::hw_context::access_mode::exclusive) == 0 &&
              number(xrt::hw_context::access_mode::shared) == 1);
static_assert(XCL_BO_SYNC_BO_TO_DEVICE == 0 && XCL_BO_SYNC_BO_FROM_DEVICE == 1 &&
              XCL_BO_SYNC_BO_GMIO_TO_AIE == 2 && XCL_BO_SYNC_BO_AIE_TO_GMIO == 3);
static_assert(std::is_base_of_v<xrt::device, xrt::aie::device> &&
              std::is_base_of_v<xrt::bo, xrt::aie::bo>);
static_assert(
    std::is_same_v<decltype(std::declval<const xrt::graph&>().get_timestamp()), uint64_t>);
static_assert(std::is_same_v<decltype(xrt::run().wait(0)), ert_cmd_state>);

TEST(XrtSignatures, Devices) {
  {
    xrt::device by_int(0), by_unsigned(0u), by_text("0"), by_string(std::string("0"));
    char text[] = "0";
    xrt::device by_chars(text), copy(by_int), none;
    none = std::move(copy);
    EXPECT_TRUE(by_int && by_unsigned && by_text && by_string && by_chars && none);
  }
  xrt::aie::device primary{0};
  EXPECT_EQ(primary.get_access_mode(), xrt::aie::device::access_mode::primary);
  xrt::aie::device shared{0, xrt::aie::device::access_mode::shared};
  xrt::aie::device by_device(xrt::device(0), xrt::aie::access_mode::shared);
  xrt::aie::device by_text("0", xrt::aie::access_mode::shared), copy(primary);
  EXPECT_EQ(error_of([] { xrt::aie::device{0, xrt::aie::access_mode::exclusive}; }), EBUSY);
  copy.load_xclbin(graph_xclbin_file());
  primary.reset_array();
  copy.close();
  EXPECT_EQ(error_of([&] { primary.reset_array(); }), ENODEV);
  shared = by_device = by_text = {};
  xrt::aie::device{0, xrt::aie::access_mode::exclusive}.reset_array();
}

TEST(XrtSignatures, ClosingTheArray) {
  xrt::aie::device array(0);
  const xrt::graph graph(array, array.load_xclbin(graph_xclbin_file()), "gr[0]");
  EXPECT_EQ(error_of([&] { array.close(); }, "gr[0]"), EBUSY);
  array = {};
  EXPECT_EQ(error_of([] { xrt::aie::device(0, xrt::aie::access_mode::exclusive); }), 0)
      << "an object that ends closes it all the same";
}

TEST(XrtSignatures, Graphs) {
  xrt::aie::device device{0};
  const xrt::uuid uuid = device.load_xclbin(graph_xclbin_file());
  EXPECT_EQ(xrt::uuid(uuid.to_string()), uuid);
  const xrt::hw_context context(device, uuid);
  {
    xrt::graph by_context(context, "gr[0]", xrt::graph::access_mode::shared);
  }
  {
    xrt::graph by_mode(device, uuid, "gr[0]", xrt::graph::access_mode::exclusive);
  }
  xrt::graph graph{device, uuid, "gr[0]"};
  graph.reset();
  EXPECT_GT(graph.get_timestamp(), 0u);
  int step = 3, value = 0;
  graph.update("gr[0].k.step", step);
  graph.update("gr[0].k.n", &value, sizeof value);
  graph.update_nb("gr[0].k.step", 3);
  graph.update_nb("gr[0].k.step", &step, sizeof step);
  graph.run(2);
  graph.wait();
  graph.run(1);
  graph.wait(60s);
  graph.read("gr[0].k.n", value);
  EXPECT_EQ(value, 9);
  int one[1] = {};
  graph.read_nb("gr[0].k.n", one);
  EXPECT_EQ(one[0], 9);
  graph.read("gr[0].k.n", &value, sizeof value);
  graph.read_nb("gr[0].k.n", &value, sizeof value);
  graph.run();
  graph.wait(uint64_t{1000});
  graph.resume();
  graph.suspend();
  graph.resume();
  graph.end();
  graph.reset();
  graph.run(1);
  graph.end(1000);
}

// An array counts with its size.
TEST(XrtSignatures, ArraysAsParameters) {
  xrt::device device(0);
  xrt::graph sizes(device, device.load_xclbin(graph_xclbin_file()), "sizes");
  unsigned char three[3] = {1, 2, 3};
  sizes.update("sizes.k.three[0]", three);
  unsigned char back[3] = {};
  sizes.read("sizes.k.three[0]", back);
  EXPECT_EQ(std::memcmp(three, back, sizeof three), 0);
  unsigned char four[4] = {};
  EXPECT_EQ(error_of([&] { sizes.read("sizes.k.three[0]", four); }, "not 4"), EINVAL);
}

TEST(XrtSignatures, KernelsAndRuns) {
  xrt::device device(0);
  const xrt::uuid uuid = device.load_xclbin(gmio_xclbin_file());
  using Mode = xrt::kernel::cu_access_mode;
  {
    xrt::kernel exclusive(device, uuid, "sink:{sink_1}", Mode::exclusive);
  }
  {
    xrt::kernel legacy(device, uuid, "sink:{sink_1}", true);
  }
  xrt::kernel sink(device, uuid, "sink:{sink_1}"), source(device, uuid, "source:{source_1}");
  EXPECT_EQ(sink.get_name(), "sink");
  xrt::bo to(device, 16, xrt::bo::flags::normal, sink.group_id(1));
  xrt::run reads = sink(nullptr, to, 4);
  xrt::run writes(source);
  writes.set_arg(1, 0);
  writes.set_arg("n", 4);
  writes.update_arg(1, 5);
  EXPECT_EQ(writes.get_arg_index("n"), 2);
  // Host and kernels, in both directions.
  xrt::aie::device array(device);
  xrt::aie::bo given(array, 16, 0);
  std::memcpy(given.map(), "0123456789abcdef", 16);
  given.async("sink", XCL_BO_SYNC_BO_GMIO_TO_AIE).wait();
  std::ostringstream state;
  state << reads.wait(0);
  EXPECT_EQ(state.str(), "4");
  EXPECT_EQ(std::memcmp(to.map<char*>(), "0123456789abcdef", 16), 0);
  writes.start();
  given.sync("source", XCL_BO_SYNC_BO_AIE_TO_GMIO, 16, 0);
  EXPECT_EQ(writes.wait(1000ms), ERT_CMD_STATE_COMPLETED);
  EXPECT_EQ(given.map<int*>()[3], 8);
  EXPECT_EQ(xrtGMIOWait(nullptr, "sink"), -1);
  EXPECT_EQ(errno, EINVAL);
}

// The C interface tells that graphs are open.
TEST(XrtSignatures, FromC) {
  xrtDeviceHandle device = xrtAIEDeviceOpenExclusive(0);
  ASSERT_TRUE(device);
  EXPECT_EQ(xrtDeviceLoadXclbinFile(device, gmio_xclbin_file().c_str()), 0);
  xuid_t uuid{};
  EXPECT_EQ(xrtDeviceGetXclbinUUID(device, uuid), 0);
  EXPECT_EQ(xrtGMIOWait(device, "sink"), 0);
  EXPECT_EQ(xrtGMIOWait(device, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(xrtAIEResetArray(device), 0);
  for (const auto open : {xrtGraphOpen, xrtGraphOpenExclusive, xrtGraphOpenShared}) {
    xrtGraphHandle graph = open(device, uuid, "gr");
    ASSERT_TRUE(graph);
    EXPECT_EQ(xrtDeviceClose(device), -1);
    EXPECT_EQ(errno, EBUSY);
    xrtGraphClose(graph);
  }
  EXPECT_EQ(xrtDeviceClose(device), 0);
  device = xrtAIEDeviceOpenShared(0);
  EXPECT_EQ(xrtGMIOWait(device, "sink"), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(xrtDeviceClose(device), 0);
}

}  // namespace
}  // namespace conclave::test
