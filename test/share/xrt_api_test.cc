// SPDX-License-Identifier: Apache-2.0
// XRT's C++ interface: each class, its errors, and several processes.
#include <CL/cl_ext_conclave.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <future>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "experimental/xrt_bo.h"
#include "experimental/xrt_device.h"
#include "experimental/xrt_ini.h"
#include "experimental/xrt_xclbin.h"
#include "test/common/temporary_directory.h"
#include "test/common/temporary_segment.h"
#include "xrt/xrt_conclave.h"
#include "xrt/xrt_hw_context.h"
#include "xrt/xrt_kernel.h"
#include "xrt_api_roles.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

constexpr int kCount = 1000;
constexpr size_t kHeapMiB = 48;  // of the device's global memory

std::vector<char> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The errno of what `body` throws; 0 where it throws nothing. `text` has to be in the message.
template <class Body>
int error_of(Body body, const std::string& text = "") {
  try {
    body();
  } catch (const xrt::system_error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    return error.get_code();
  }
  return 0;
}

TEST(XrtUuid, TextAndBytes) {
  const std::string text = "8f14e45f-ceea-467a-9575-2a2c9a3a6d11";
  const xrt::uuid uuid(text);
  EXPECT_EQ(uuid.to_string(), text);
  EXPECT_EQ(xrt::uuid(uuid.get()), uuid);
  EXPECT_EQ(uuid.get()[0], 0x8f);
  EXPECT_TRUE(uuid);
  EXPECT_FALSE(xrt::uuid());
  EXPECT_TRUE(xrt::uuid() < uuid);
  EXPECT_EQ(error_of([] { xrt::uuid("8f14"); }), EINVAL);
  EXPECT_EQ(error_of([&] { xrt::uuid(text + "00"); }), EINVAL);
}

TEST(XrtXclbin, WhatIsInIt) {
  const xrt::xclbin image(xrt_image_file("A"));
  EXPECT_EQ(image.get_xsa_name(), "conclave");
  EXPECT_EQ(image.get_kernels().size(), 5u);
  const auto vadd = image.get_kernel("vadd");
  ASSERT_EQ(vadd.get_cus().size(), 2u);
  EXPECT_EQ(vadd.get_cus()[1].get_name(), "vadd:vadd_2");
  EXPECT_EQ(vadd.get_cu("vadd:vadd_2").get_index(), 1u);
  ASSERT_EQ(vadd.get_num_args(), 4u);
  EXPECT_EQ(vadd.get_arg(3).get_name(), "n");
  EXPECT_EQ(vadd.get_arg(3).get_offset(), 0x34u);
  EXPECT_EQ(vadd.get_arg(3).get_host_type(), "int");
  EXPECT_EQ(error_of([&] { vadd.get_arg(4); }), EINVAL);
  EXPECT_EQ(image.get_ips().size(), 6u);
  ASSERT_EQ(image.get_mems().size(), 1u);
  EXPECT_EQ(image.get_mems()[0].get_tag(), "ddr_heap1");
  EXPECT_TRUE(image.get_mems()[0].get_used());
  EXPECT_EQ(error_of([&] { image.get_kernel("vsub"); }, "vsub"), ENOENT);
  EXPECT_EQ(error_of([&] { image.get_ip("vadd:vadd_3"); }), ENOENT);
  EXPECT_EQ(xrt::xclbin(bytes_of(xrt_image_file("A"))).get_uuid(), image.get_uuid());
  EXPECT_NE(xrt::xclbin(xrt_image_file("B")).get_uuid(), image.get_uuid());
  EXPECT_EQ(error_of([] { xrt::xclbin("/nowhere.xclbin"); }, "/nowhere.xclbin"), ENOENT);
  auto cut = bytes_of(xrt_image_file("A"));
  cut.pop_back();
  EXPECT_EQ(error_of([&] { xrt::xclbin{cut}; }), EINVAL);
  EXPECT_EQ(error_of([] { xrt::xclbin{std::vector<char>(4096)}; }), EINVAL);
  EXPECT_EQ(error_of([] { xrt::xclbin().get_uuid(); }), EINVAL);
}

class XrtApi : public testing::Test {
 protected:
  // No context of a test is open any more, so that the next one may load what it likes.
  XrtApi() : device_(0), uuid_(device_.load_xclbin(xrt_image_file("A"))) {}

  xrt::bo ints(int count, int step = 1) {
    xrt::bo bo(device_, static_cast<size_t>(count) * sizeof(int), 0);
    for (int i = 0; i < count; ++i) bo.map<int*>()[i] = i * step;
    return bo;
  }
  xrt::kernel kernel(const std::string& name,
                     xrt::kernel::cu_access_mode mode = xrt::kernel::cu_access_mode::shared) {
    return {device_, uuid_, name, mode};
  }
  static void expect_sums(const xrt::bo& sums, int step) {
    std::vector<int> values(sums.size() / sizeof(int));
    xrt::bo(sums).read(values.data());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], static_cast<int>(i) * step) << "at " << i;
  }

  xrt::device device_;
  xrt::uuid uuid_;
};

TEST_F(XrtApi, Device) {
  EXPECT_EQ(device_.get_xclbin_uuid(), uuid_);
  const std::string bdf = device_.get_info<xrt::info::device::bdf>();
  xrt::device named(bdf);
  EXPECT_TRUE(named);
  EXPECT_FALSE(xrt::device());
  char path[256];
  strcpy(path, xrt_image_file("A").c_str());
  EXPECT_EQ(named.load_xclbin(path), uuid_);
  const auto bytes = bytes_of(path);
  EXPECT_EQ(named.load_xclbin(reinterpret_cast<const axlf*>(bytes.data())), uuid_);
  EXPECT_EQ(named.load_xclbin(xrt::xclbin(bytes)), uuid_);
  EXPECT_NE(named.get_info<xrt::info::device::name>().find("Conclave"), std::string::npos);
  EXPECT_FALSE(named.get_info<xrt::info::device::offline>());
  EXPECT_TRUE(named.get_info<xrt::info::device::nodma>());
  EXPECT_EQ(error_of([] { xrt::device(1); }), ENODEV);
  EXPECT_EQ(error_of([] { xrt::device("0000:01:00.1"); }, "0000:01:00.1"), ENODEV);
  EXPECT_EQ(error_of([] { xrt::device().get_xclbin_uuid(); }), ENODEV);
  auto damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_EQ(error_of([&] { named.load_xclbin(xrt::xclbin(damaged)); }, "UUID"), EINVAL);
}

TEST_F(XrtApi, BufferObjects) {
  xrt::bo bo(device_, kCount * sizeof(int), xrt::bo::flags::host_only, 0);
  EXPECT_EQ(bo.size(), kCount * sizeof(int));
  EXPECT_EQ(bo.get_flags(), xrt::bo::flags::host_only);
  EXPECT_EQ(bo.address(), reinterpret_cast<uint64_t>(bo.map()));
  EXPECT_EQ(bo.map<int*>()[kCount - 1], 0);
  std::vector<int> values(kCount);
  std::iota(values.begin(), values.end(), 7);
  bo.write(values.data());
  bo.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  bo.sync(XCL_BO_SYNC_BO_FROM_DEVICE, 40, 80);
  std::vector<int> back(10);
  bo.read(back.data(), 40, 80);
  EXPECT_EQ(back, std::vector<int>(values.begin() + 20, values.begin() + 30));
  bo.write(back.data(), 40, 0);
  EXPECT_EQ(bo.map<int*>()[0], 27);

  xrt::bo part(bo, 400, 80);
  EXPECT_EQ(part.address(), bo.address() + 80);
  EXPECT_EQ(part.map<int*>()[0], 27);
  xrt::bo nested(part, 4, 396);
  EXPECT_EQ(nested.map<int*>()[0], 7 + 119);
  xrt::bo other(device_, 400, 0);
  other.copy(part);
  EXPECT_EQ(other.map<int*>()[99], 7 + 119);
  other.copy(bo, 8, 16, 4);
  EXPECT_EQ(other.map<int*>()[1], values[24]);

  alignas(4096) int mine[16] = {};
  xrt::bo user(device_, mine, sizeof mine, 0);
  EXPECT_EQ(user.map(), mine);
  EXPECT_EQ(error_of([&] { xrt::bo(device_, xcl_buffer_handle{0x7fffff00}); }), ENOENT);
}

TEST_F(XrtApi, BufferObjectErrors) {
  xrt::bo bo(device_, 64, 0);
  EXPECT_EQ(error_of([&] { xrt::bo(device_, 0, 0u); }), EINVAL);
  EXPECT_EQ(error_of([&] { xrt::bo(device_, size_t{1} << 60, 0); }), ENOMEM);
  EXPECT_EQ(error_of([&] { xrt::bo(device_, nullptr, 64, 0); }), EINVAL);
  EXPECT_EQ(error_of([&] { xrt::bo(bo, 32, 40); }, "40"), EINVAL);
  EXPECT_EQ(error_of([&] { xrt::bo(bo, 0, 0); }), EINVAL);
  EXPECT_EQ(error_of([&] { bo.sync(XCL_BO_SYNC_BO_TO_DEVICE, 64, 1); }), EINVAL);
  char bytes[128];
  EXPECT_EQ(error_of([&] { bo.write(bytes, 65, 0); }), EINVAL);
  EXPECT_EQ(error_of([&] { bo.read(bytes, 1, 64); }), EINVAL);
  EXPECT_EQ(error_of([&] { bo.read(bytes, ~size_t{0}, 2); }), EINVAL);
  xrt::bo small(device_, 32, 0);
  EXPECT_EQ(error_of([&] { small.copy(bo); }), EINVAL);
  EXPECT_EQ(error_of([&] { small.copy(bo, 0, 65); }), EINVAL);
  EXPECT_EQ(error_of([] { xrt::bo().size(); }), EINVAL);
  EXPECT_EQ(error_of([] { xrt::bo(xrt::device(), 64, 0); }), ENODEV);
}

TEST_F(XrtApi, KernelsByName) {
  const xrt::kernel all = kernel("vadd"), one = kernel("vadd:{vadd_2}");
  EXPECT_EQ(one.get_name(), "vadd");
  EXPECT_EQ(one.group_id(0), 0);
  EXPECT_EQ(one.offset(3), 0x34u);
  EXPECT_EQ(one.get_xclbin().get_uuid(), uuid_);
  EXPECT_EQ(error_of([&] { one.offset(4); }), EINVAL);
  EXPECT_EQ(error_of([&] { kernel("vsub"); }, "No compute units matching 'vsub'"), ENOENT);
  EXPECT_EQ(error_of([&] { kernel("vadd:{vadd_9}"); }, "vadd_9"), ENOENT);
  EXPECT_EQ(
      error_of([&] { xrt::kernel(device_, xrt::uuid(), "vadd"); }, "failed to open cu context"),
      EINVAL);
  const xrt::xclbin other(xrt_image_file("B"));
  EXPECT_EQ(error_of([&] { xrt::kernel(device_, other.get_uuid(), "vadd"); }), EBUSY);
  EXPECT_EQ(error_of([&] { xrt::kernel().group_id(0); }), EINVAL);
}

TEST_F(XrtApi, KernelsHoldTheImage) {
  xrt::run run;
  {
    const xrt::kernel vadd = kernel("vadd:{vadd_1}");
    run = xrt::run(vadd);
  }
  const std::string other = xrt_image_file("B");
  EXPECT_EQ(error_of([&] { device_.load_xclbin(other); }), EBUSY);
  run = {};
  EXPECT_EQ(error_of([&] { device_.load_xclbin(other); }), 0);
}

TEST_F(XrtApi, ExclusiveKernels) {
  using Mode = xrt::kernel::cu_access_mode;
  xrt::device second(0);
  {
    const xrt::kernel mine = kernel("vadd:{vadd_1}", Mode::exclusive);
    EXPECT_EQ(error_of([&] { xrt::kernel(second, uuid_, "vadd"); }, "failed to open cu context"),
              EBUSY);
    EXPECT_EQ(error_of([&] { kernel("vadd"); }), EINVAL);
    EXPECT_TRUE(xrt::kernel(second, uuid_, "vadd:{vadd_2}"));
  }
  const xrt::kernel shared = kernel("vadd");
  EXPECT_EQ(error_of([&] { xrt::kernel(second, uuid_, "vadd:{vadd_2}", true); }), EBUSY);
  // What failed half-way has left nothing open.
  const xrt::kernel again(second, uuid_, "vadd:{vadd_1}", false);
  xrt::kernel none(device_, uuid_, "spin", Mode::none);
  EXPECT_EQ(none.offset(0), 0x10u);
  EXPECT_EQ(error_of([&] { none(nullptr); }, "out of context"), EINVAL);
}

TEST_F(XrtApi, RunsByCall) {
  xrt::kernel vadd = kernel("vadd");
  xrt::bo a = ints(kCount, 1), b = ints(kCount, 2), c = ints(kCount, 0);
  auto run = vadd(a, b, c, kCount);
  EXPECT_EQ(run.wait(), ERT_CMD_STATE_COMPLETED);
  expect_sums(c, 3);
  // nullptr leaves what was set before; the same run starts again.
  run(b, nullptr, nullptr, nullptr);
  EXPECT_EQ(run.wait(10000), ERT_CMD_STATE_COMPLETED);
  expect_sums(c, 4);
  run.set_arg("n", 1L);
  run.set_arg(2, xrt::bo(c, 400, 400));
  run.start();
  run.wait2();
  EXPECT_EQ(c.map<int*>()[100], 0);
  EXPECT_EQ(c.map<int*>()[101], 404);
}

TEST_F(XrtApi, ArgumentsOfAllKinds) {
  xrt::run run(kernel("mixed"));
  constexpr int kItems = 32;
  xrt::bo out(device_, kItems * sizeof(int64_t), 0);
  EXPECT_EQ(run.get_arg_index("large"), 2);
  run.set_arg(0, out);
  run.set_arg("small", -3);
  run.set_arg("large", -5'000'000'000);
  run.set_arg("real", 2.5f);
  const float four[4] = {0, 0, 0, 7};
  run.set_arg("four", four);
  run.set_arg(5, 8 * sizeof(int));
  run.set_global_size(kItems);
  run.set_local_size(8);
  run.start();
  run.wait2();
  for (int i = 0; i < kItems; ++i)
    EXPECT_EQ(out.map<int64_t*>()[i], -3 - 5'000'000'000 + 5 + 7 + (i / 8 * 8 + 7 - i % 8)) << i;
  EXPECT_EQ(error_of([&] { run.set_arg("real", 2.5); }, "has 4 bytes, not 8"), EINVAL);
  EXPECT_EQ(error_of([&] { run.set_arg("four", 1); }), EINVAL);
  EXPECT_EQ(error_of([&] { run.set_arg("small", out); }), EINVAL);
  EXPECT_EQ(error_of([&] { run.set_arg(6, 1); }), EINVAL);
  EXPECT_EQ(error_of([&] { run.set_arg(-1, 1); }), EINVAL);
  EXPECT_EQ(error_of([&] { run.set_arg("none", 1); }, "none"), EINVAL);
  EXPECT_EQ(error_of([&] { run.set_arg(0, xrt::bo()); }), EINVAL);
  const xrt::device second(0);
  EXPECT_EQ(error_of([&] { run.set_arg(0, xrt::bo(second, 64, 0)); }, "own device"), EINVAL);
  EXPECT_EQ(error_of([&] { xrt::run(kernel("look")).set_arg(0, 1); }, "OpenCL"), EINVAL);
  EXPECT_EQ(error_of([&] { kernel("look")(nullptr, out); }, "OpenCL"), EINVAL);
}

TEST_F(XrtApi, RunsThatTakeLong) {
  xrt::kernel spin = kernel("spin");
  xrt::bo stop(device_, sizeof(int), xrt::bo::flags::p2p, 0);
  auto* flag = stop.map<std::atomic<int>*>();
  xrt::run run(spin);
  EXPECT_EQ(run.state(), ERT_CMD_STATE_NEW);
  EXPECT_EQ(run.abort(), ERT_CMD_STATE_NEW);
  std::promise<ert_cmd_state> told;
  run.add_callback(
      ERT_CMD_STATE_COMPLETED,
      [](const void*, ert_cmd_state state, void* data) {
        static_cast<std::promise<ert_cmd_state>*>(data)->set_value(state);
      },
      &told);
  run.set_arg(0, stop);
  run.start();
  EXPECT_EQ(run.wait(20ms), ERT_CMD_STATE_TIMEOUT);
  EXPECT_EQ(run.wait2(1ms), std::cv_status::timeout);
  EXPECT_EQ(run.state(), ERT_CMD_STATE_RUNNING);
  EXPECT_EQ(error_of([&] { run.start(); }), EBUSY);
  EXPECT_EQ(error_of([&] { run.set_arg(0, stop); }), EBUSY);
  EXPECT_EQ(error_of([&] { run.abort(); }), EBUSY);
  // What is to be shared from the start can be exported at any time, all else only before.
  xrt::bo private_bo(device_, 64, 0);
  EXPECT_EQ(error_of([&] { private_bo.export_buffer(); }, "XCL_BO_FLAGS_P2P"), EBUSY);
  close(stop.export_buffer());
  flag->store(1);
  EXPECT_EQ(run.wait2(10s), std::cv_status::no_timeout);
  EXPECT_EQ(told.get_future().get(), ERT_CMD_STATE_COMPLETED);
  EXPECT_EQ(run.abort(), ERT_CMD_STATE_COMPLETED);
  run.stop();
}

// Nobody has the run any more when it ends.
TEST_F(XrtApi, RunsThatAreLetGo) {
  xrt::bo stop(device_, sizeof(int), 0);
  auto* flag = stop.map<std::atomic<int>*>();
  std::promise<void> told;
  {
    xrt::run run(kernel("spin"));
    run.set_arg(0, stop);
    run.add_callback(
        ERT_CMD_STATE_COMPLETED,
        [](const void*, ert_cmd_state, void* data) {
          static_cast<std::promise<void>*>(data)->set_value();
        },
        &told);
    run.start();
  }
  const std::string other = xrt_image_file("B");
  EXPECT_EQ(error_of([&] { device_.load_xclbin(other); }), EBUSY) << "a command runs on the image";
  flag->store(1);
  told.get_future().get();
  // Its contexts go right after that.
  int error = EBUSY;
  for (int i = 0; i < 1000 && error == EBUSY; ++i) {
    error = error_of([&] { device_.load_xclbin(other); });
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(error, 0);
}

TEST_F(XrtApi, KernelsThatFail) {
  xrt::bo out(device_, 64, 0);
  xrt::run run = kernel("trap")(out);
  EXPECT_EQ(run.wait(), ERT_CMD_STATE_ERROR);
  EXPECT_EQ(run.state(), ERT_CMD_STATE_ERROR);
  try {
    run.wait2();
    FAIL() << "no exception";
  } catch (const xrt::run::command_error& error) {
    EXPECT_EQ(error.get_command_state(), ERT_CMD_STATE_ERROR);
    EXPECT_NE(std::string(error.what()).find("trap"), std::string::npos) << error.what();
  }
  run(nullptr);
  EXPECT_EQ(run.wait(), ERT_CMD_STATE_ERROR);
}

TEST_F(XrtApi, ManyThreads) {
  xrt::kernel vadd = kernel("vadd");
  std::vector<std::future<void>> threads;
  for (int t = 0; t < 4; ++t)
    threads.push_back(std::async(std::launch::async, [&, t] {
      xrt::bo a = ints(kCount, t), b = ints(kCount, 1), c = ints(kCount, 0);
      xrt::run run(vadd);
      for (int round = 0; round < 50; ++round) {
        std::memset(c.map(), 0, c.size());
        run(a, b, c, kCount);
        ASSERT_EQ(run.wait(), ERT_CMD_STATE_COMPLETED);
        expect_sums(c, t + 1);
      }
    }));
  for (auto& thread : threads) thread.get();
}

TEST_F(XrtApi, HardwareContexts) {
  using Mode = xrt::hw_context::access_mode;
  const xrt::xclbin other(xrt_image_file("B"));
  const xrt::uuid id = device_.register_xclbin(other);
  EXPECT_EQ(device_.get_xclbin_uuid(), uuid_) << "it is not loaded yet";
  {
    const xrt::hw_context context(device_, id, Mode::exclusive);
    EXPECT_EQ(device_.get_xclbin_uuid(), id);
    EXPECT_EQ(context.get_xclbin_uuid(), id);
    EXPECT_EQ(context.get_xclbin().get_uuid(), id);
    EXPECT_EQ(context.get_mode(), Mode::exclusive);
    xrt::kernel vadd(context, "vadd:{vadd_1}");
    EXPECT_EQ(error_of([&] { xrt::kernel(xrt::device(0), id, "vadd"); }), EBUSY);
    xrt::bo a(context, 64, 0), b(context, 64, 0), c(context, 64, xrt::bo::flags::normal, 0);
    a.map<int*>()[15] = 5;
    vadd(a, b, c, 16).wait2();
    EXPECT_EQ(c.map<int*>()[15], 5);
    EXPECT_EQ(error_of([&] { device_.load_xclbin(xrt_image_file("A")); }), EBUSY);
  }
  EXPECT_EQ(device_.load_xclbin(xrt_image_file("A")), uuid_);
  EXPECT_EQ(
      error_of([&] { xrt::hw_context(device_, xrt::uuid()); }, "Failed to create hardware context"),
      EINVAL);
  const xrt::hw_context pin(device_, uuid_);
  EXPECT_EQ(error_of([&] { xrt::hw_context(device_, id); }), EBUSY);
}

// What conclave examine says meanwhile.
std::string examine(const std::string& options) {
  FILE* pipe = popen((std::string(CONCLAVE_TOOL) + " examine " + options).c_str(), "r");
  std::string text;
  char block[4096];
  while (const size_t size = fread(block, 1, sizeof block, pipe)) text.append(block, size);
  EXPECT_EQ(pclose(pipe), 0) << text;
  return text;
}

TEST_F(XrtApi, ReportsOfTheImage) {
  xrt::bo stop(device_, sizeof(int), 0);
  xrt::run run = kernel("spin")(stop);
  std::string text;
  for (int i = 0; i < 1000 && text.find("(START)") == text.npos; ++i)
    text = examine("-r dynamic-regions");
  const size_t started = text.find("(START)");
  ASSERT_NE(started, text.npos) << text;
  EXPECT_LT(text.rfind('\n', started), text.find("spin:spin_1")) << "another one: " << text;
  EXPECT_EQ(text.find("(START)", started + 1), text.npos) << text;
  stop.map<std::atomic<int>*>()->store(1);
  run.wait2();
  run = {};
  device_.load_xclbin(xrt_image_file("B"));
  EXPECT_NE(examine("-r aie").find("gr[0]"), text.npos);
  text = examine("-r aie-shim");
  EXPECT_NE(text.find("source_1.out"), text.npos) << text;
  EXPECT_NE(text.find("gr[0].k.in"), text.npos) << text;
}

// A child has nothing of its parent's, and lets go of it without harm.
TEST_F(XrtApi, ForkedChildren) {
  xrt::bo a = ints(16), b = ints(16), c = ints(16, 0);
  xrt::kernel vadd = kernel("vadd");
  xrt::run run = vadd(a, b, c, 16);
  run.wait2();
  const pid_t child = fork();
  if (child == 0) {
    int errors = error_of([] { xrt::device(0); }) != ENODEV;
    errors += error_of([&] { run.start(); }) != ENODEV;
    errors += error_of([&] { kernel("vadd"); }) != ENODEV;
    errors += error_of([&] { xrt::bo(device_, 64, 0); }) != ENODEV;
    run = {};
    vadd = {};
    a = b = c = {};
    device_ = {};
    _exit(errors);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(error_of([&] { device_.load_xclbin(xrt_image_file("B")); }), EBUSY)
      << "the parent's contexts are its own";
  run(a, b, c, 16);
  run.wait2();
  expect_sums(c, 2);
}

TEST_F(XrtApi, SettingsComeTooLate) {
  EXPECT_EQ(error_of([] { xrt::ini::set("Runtime.multiprocess", "false"); }), EBUSY);
}

// --- Packets of the C interface ---

class XrtPackets : public XrtApi {
 protected:
  XrtPackets() : kernel_(kernel("vadd")), packet_(device_, 4096, execbuf(), 0) {}

  static xrt::bo::flags execbuf() { return static_cast<xrt::bo::flags>(XCL_BO_FLAGS_EXECBUF); }
  // A buffer object of the C interface, of `count` ints.
  xclBufferHandle make(int count, int step) {
    const xclBufferHandle bo = xclAllocBO(device_, static_cast<size_t>(count) * sizeof(int), 0, 0);
    for (int i = 0; i < count; ++i) words(bo)[i] = i * step;
    return bo;
  }
  int* words(xclBufferHandle bo) { return static_cast<int*>(xclMapBO(device_, bo, true)); }
  uint64_t address(xclBufferHandle bo) {
    xclBOProperties properties;
    EXPECT_EQ(xclGetBOProperties(device_, bo, &properties), 0);
    return properties.paddr;
  }
  int exec(xclBufferHandle command) {
    if (const int error = xclExecBuf(device_, command)) return error;
    auto* packet = reinterpret_cast<ert_packet*>(words(command));
    while (packet->state < ERT_CMD_STATE_COMPLETED) xclExecWait(device_, 1000);
    return packet->state == ERT_CMD_STATE_COMPLETED ? 0 : -1;
  }

  xrt::kernel kernel_;  // for its contexts
  xrt::bo packet_;
};

TEST_F(XrtPackets, PairsOfOffsetAndValue) {
  const xclBufferHandle a = make(10, 1), b = make(10, 2), c = make(10, 0);
  const xclBufferHandle command = xclAllocBO(device_, 4096, 0, XCL_BO_FLAGS_EXECBUF);
  auto* packet = reinterpret_cast<ert_start_kernel_cmd*>(words(command));
  packet->state = ERT_CMD_STATE_NEW;
  packet->opcode = ERT_START_KEY_VAL;
  packet->cu_mask = 3;
  uint32_t* pair = packet->data;
  const auto set = [&](uint32_t offset, uint64_t value) {
    for (int half = 0; half < 2; ++half, value >>= 32) {
      *pair++ = offset + static_cast<uint32_t>(half) * 4;
      *pair++ = static_cast<uint32_t>(value);
    }
  };
  set(0x34, 10);
  set(0x28, address(c));
  set(0x1c, address(b));
  set(0x10, address(a));
  packet->count = static_cast<uint32_t>(1 + (pair - packet->data));
  EXPECT_EQ(exec(command), 0);
  EXPECT_EQ(words(c)[9], 27);
  packet->count = packet->count - 1;
  EXPECT_EQ(exec(command), -EINVAL);
  packet->count = packet->count + 1;
  packet->data[0] = 0x10000;
  EXPECT_EQ(exec(command), -EINVAL);
}

TEST_F(XrtPackets, Copies) {
  const xclBufferHandle a = make(100, 1), b = make(100, 0);
  const xclBufferHandle command = xclAllocBO(device_, 4096, 0, XCL_BO_FLAGS_EXECBUF);
  auto* packet = reinterpret_cast<ert_start_copybo_cmd*>(words(command));
  packet->opcode = ERT_START_COPYBO;
  packet->count = 16;
  packet->src_bo_hdl = a;
  packet->src_addr_lo = 200;
  packet->dst_bo_hdl = b;
  packet->dst_addr_lo = 40;
  packet->size = 80;
  packet->state = ERT_CMD_STATE_NEW;
  EXPECT_EQ(exec(command), 0);
  EXPECT_EQ(words(b)[9], 0);
  EXPECT_EQ(words(b)[10], 50);
  EXPECT_EQ(words(b)[29], 69);
  EXPECT_EQ(words(b)[30], 0);
  packet->size = 400;
  EXPECT_EQ(exec(command), -EINVAL);
  packet->size = 80;
  packet->size_hi = 1;
  EXPECT_EQ(exec(command), -EINVAL);
  packet->size_hi = 0;
  packet->dst_bo_hdl = a;
  packet->dst_addr_lo = 240;
  EXPECT_EQ(exec(command), -EINVAL) << "the parts overlap";
  packet->dst_bo_hdl = 4711;
  EXPECT_EQ(exec(command), -ENOENT);
  kernel_ = {};
  packet->dst_bo_hdl = b;
  EXPECT_EQ(exec(command), -EINVAL) << "there is no context";
}

TEST_F(XrtPackets, AbortConfigureAndOthers) {
  const xclBufferHandle command = xclAllocBO(device_, 4096, 0, XCL_BO_FLAGS_EXECBUF);
  auto* packet = reinterpret_cast<ert_abort_cmd*>(words(command));
  const auto send = [&](unsigned opcode) {
    packet->header = 0;
    packet->state = ERT_CMD_STATE_NEW;
    packet->opcode = opcode & 31;
    return exec(command);
  };
  EXPECT_EQ(send(ERT_CONFIGURE), 0);
  packet->exec_bo_handle = 4711;
  EXPECT_EQ(send(ERT_ABORT), -ENOENT);
  packet->exec_bo_handle = xclAllocBO(device_, 4096, 0, XCL_BO_FLAGS_EXECBUF);
  EXPECT_EQ(send(ERT_ABORT), 0);
  auto* other = reinterpret_cast<ert_packet*>(words(static_cast<unsigned>(packet->exec_bo_handle)));
  other->state = ERT_CMD_STATE_QUEUED;
  EXPECT_EQ(send(ERT_ABORT), -EBUSY);
  EXPECT_EQ(send(ERT_EXIT), -EINVAL);
  EXPECT_EQ(send(ERT_SK_START), -EINVAL);
  EXPECT_EQ(xclExportBO(device_, command), -EINVAL);
}

// --- Buffer objects of several processes ---

class XrtProcesses : public XrtApi {
 protected:
  static std::string ask(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return worker.receive();
  }
  WorkerProcess worker_{"xrt", {}};
};

TEST_F(XrtProcesses, ShareBufferObjects) {
  const std::string handle = ask(worker_, "buffer 100");
  xrt::bo bo(device_, xrt::pid_type{worker_.pid()}, std::stoi(handle));
  ASSERT_EQ(bo.size(), 100 * sizeof(int));
  EXPECT_EQ(bo.map<int*>()[99], 99);
  // Kernels of one process write what the other one reads.
  xrt::kernel vadd = kernel("vadd");
  vadd(bo, bo, bo, 100).wait2();
  EXPECT_EQ(ask(worker_, "sum"), "9900");
  worker_.signal(SIGKILL);
  worker_.wait();
  EXPECT_EQ(bo.map<int*>()[99], 198) << "memory stays while somebody has it";
  xrt::bo again(device_, bo.export_buffer());
  EXPECT_EQ(again.map<int*>()[99], 198);
}

TEST_F(XrtProcesses, InheritBufferObjects) {
  xrt::bo bo = ints(100);
  const int handle = bo.export_buffer();
  EXPECT_EQ(bo.map<int*>()[99], 99) << "the bytes have moved";
  ASSERT_EQ(fcntl(handle, F_SETFD, 0), 0);
  WorkerProcess child("xrt", {});
  EXPECT_EQ(ask(child, "inherit " + std::to_string(handle)), "0");
  EXPECT_EQ(bo.map<int*>()[99], 198);
  EXPECT_EQ(ask(child, "sum"), "9900");
  close(handle);
  EXPECT_EQ(ask(worker_, "import " + std::to_string(child.pid()) + " 900"), std::to_string(EBADF));
  EXPECT_EQ(ask(worker_, "import " + std::to_string(child.pid()) + " 0"), std::to_string(EINVAL));
}

TEST_F(XrtApi, NoExportOfOthersMemory) {
  alignas(4096) char mine[4096];
  EXPECT_EQ(error_of([&] { xrt::bo(device_, mine, sizeof mine, 0).export_buffer(); }), EINVAL);
  xrt::bo bo(device_, 8192, 0);
  EXPECT_EQ(error_of([&] { xrt::bo(bo, 4096, 0).export_buffer(); }), EINVAL);
}

// What could make accesses fault, or is no memory at all.
TEST_F(XrtApi, NoImportOfForeignFiles) {
  const auto import = [&](int descriptor, const std::string& text) {
    return error_of([&] { xrt::bo(device_, descriptor); }, text);
  };
  EXPECT_EQ(import(-1, "descriptor -1"), EBADF);
  const TemporaryDirectory directory;
  const int file = open(directory.file("x").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(ftruncate(file, 4096), 0);
  EXPECT_EQ(import(file, "seal"), EINVAL);
  close(file);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(import(ends[0], "seal"), EINVAL);
  close(ends[0]);
  close(ends[1]);
  const int memory = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(fcntl(memory, F_ADD_SEALS, F_SEAL_GROW), 0);
  EXPECT_EQ(import(memory, "may shrink"), EINVAL);
  ASSERT_EQ(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_EQ(import(memory, "0 bytes"), EINVAL);
  close(memory);
  const int read_only = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(read_only, 4096), 0);
  ASSERT_EQ(fcntl(read_only, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE), 0);
  EXPECT_EQ(import(read_only, "mapped"), EPERM);
  close(read_only);
}

// Whoever makes a buffer object pays for it, whoever imports it does not.
TEST_F(XrtApi, AccountOfTheHeaps) {
  constexpr size_t kMost = kHeapMiB * 2 / 3 << 20;
  xrt::bo bo(device_, kMost, 0);
  EXPECT_EQ(error_of([&] { xrt::bo(device_, kMost, 0); }), ENOMEM);
  const int handle = bo.export_buffer();
  xrt::bo same(device_, handle);
  close(handle);
  same.map<char*>()[kMost - 1] = 5;
  EXPECT_EQ(bo.map<char*>()[kMost - 1], 5);
  bo = {};
  EXPECT_EQ(same.map<char*>()[kMost - 1], 5);
  EXPECT_EQ(error_of([&] { xrt::bo(device_, kMost, 0); }), 0);
}

TEST_F(XrtApi, NobodyShrinksWhatIsExported) {
  xrt::bo bo = ints(2000);
  const int handle = bo.export_buffer();
  EXPECT_EQ(ftruncate(handle, 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(bo.map<int*>()[1999], 1999);
  close(handle);
}

TEST_F(XrtProcesses, ShareTheImage) {
  EXPECT_EQ(ask(worker_, "load A"), "0");
  EXPECT_EQ(ask(worker_, "kernel vadd:{vadd_1} exclusive"), "0");
  EXPECT_EQ(ask(worker_, "run"), "0");
  const std::string name = "process " + std::to_string(worker_.pid());
  EXPECT_EQ(error_of([&] { kernel("vadd"); }, name), EBUSY);
  EXPECT_EQ(error_of([&] { device_.load_xclbin(xrt_image_file("B")); }, name), EBUSY);
  const xrt::kernel second = kernel("vadd:{vadd_2}");
  EXPECT_EQ(ask(worker_, "load B"), std::to_string(EBUSY));
  EXPECT_EQ(ask(worker_, "drop"), "0");
  EXPECT_TRUE(kernel("vadd"));
}

TEST_F(XrtProcesses, HaveTheDeviceAlone) {
  device_ = {};
  // This process must not use the device: the workers show it among themselves.
  WorkerProcess alone("xrt", {},
                      {"CONCLAVE_SEGMENT=conclave-test-alone." + std::to_string(getpid())});
  WorkerProcess other("xrt", {},
                      {"CONCLAVE_SEGMENT=conclave-test-alone." + std::to_string(getpid())});
  EXPECT_EQ(ask(alone, "ini Runtime.multiprocess maybe"), std::to_string(EINVAL));
  EXPECT_EQ(ask(alone, "ini Runtime.verbosity 4"), "0") << "keys of XRT's hardware are accepted";
  EXPECT_EQ(ask(alone, "alone"), "0");
  EXPECT_EQ(ask(alone, "load A"), "0");
  EXPECT_EQ(ask(other, "load A"), std::to_string(EPERM));
  alone.signal(SIGKILL);
  alone.wait();
  EXPECT_EQ(ask(other, "load A"), "0");
  EXPECT_EQ(ask(other, "alone"), std::to_string(EBUSY));
}

// --- OpenCL beside it ---

class XrtAndOpenCl : public XrtProcesses {
 protected:
  XrtAndOpenCl() {
    cl_platform_id platform = nullptr;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &cl_device_, nullptr);
    context_ = clCreateContext(nullptr, 1, &cl_device_, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueueWithProperties(context_, cl_device_, nullptr, nullptr);
    const std::vector<char> bytes = bytes_of(xrt_image_file("A"));
    const size_t size = bytes.size();
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    program_ = clCreateProgramWithBinary(context_, 1, &cl_device_, &size, &data, nullptr, nullptr);
  }
  ~XrtAndOpenCl() override {
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  // What the caller releases.
  cl_kernel cl_kernel_of(const char* name) { return clCreateKernel(program_, name, nullptr); }
  static void set(cl_kernel kernel, cl_uint index, cl_mem buffer) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof buffer, &buffer), CL_SUCCESS);
  }
  cl_mem shared_buffer(cl_mem_flags flags, std::vector<int>& values) {
    cl_mem_ext_ptr_t extension{XCL_MEM_EXT_P2P_BUFFER, values.data(), nullptr};
    return clCreateBuffer(context_, flags | CL_MEM_EXT_PTR_XILINX, values.size() * sizeof(int),
                          &extension, &code_);
  }
  std::vector<int> read(cl_mem buffer, size_t count) {
    std::vector<int> values(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(int), values.data(), 0,
                                  nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }

  cl_device_id cl_device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_int code_ = CL_SUCCESS;
};

TEST_F(XrtAndOpenCl, KernelsOfBothAtOnce) {
  cl_kernel cl_vadd = cl_kernel_of("vadd:{vadd_1}");
  ASSERT_TRUE(cl_vadd);
  xrt::kernel vadd = kernel("vadd:{vadd_2}");
  EXPECT_EQ(error_of([&] { xrt::kernel(device_, uuid_, "vadd:{vadd_1}", true); }), EBUSY);
  xrt::bo a = ints(kCount, 1), b = ints(kCount, 2), c = ints(kCount, 0);
  std::vector<int> host(kCount);
  std::iota(host.begin(), host.end(), 0);
  cl_mem in =
      clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, kCount * sizeof(int), host.data(), nullptr);
  cl_mem out = clCreateBuffer(context_, 0, kCount * sizeof(int), nullptr, nullptr);
  set(cl_vadd, 0, in);
  set(cl_vadd, 1, in);
  set(cl_vadd, 2, out);
  clSetKernelArg(cl_vadd, 3, sizeof kCount, &kCount);
  for (int round = 0; round < 20; ++round) {
    const size_t global = 100;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, cl_vadd, 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    xrt::run run = vadd(a, b, c, kCount);
    clFlush(queue_);
    EXPECT_EQ(run.wait(), ERT_CMD_STATE_COMPLETED);
  }
  const std::vector<int> sums = read(out, kCount);
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(sums[static_cast<size_t>(i)], 2 * i);
  expect_sums(c, 3);
  clReleaseMemObject(in);
  clReleaseMemObject(out);
  clReleaseKernel(cl_vadd);
}

TEST_F(XrtAndOpenCl, ComputeUnits) {
  cl_kernel vadd = cl_kernel_of("vadd:{vadd_2}");
  char name[64];
  size_t size = 0;
  ASSERT_EQ(xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_NAME, sizeof name, name, &size),
            CL_SUCCESS);
  EXPECT_STREQ(name, "vadd_2");
  EXPECT_EQ(size, sizeof "vadd_2");
  cl_uint index = 7;
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_INDEX, sizeof index, &index, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(index, 1u);
  size_t address = 0;
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_BASE_ADDRESS, sizeof address, &address,
                                  nullptr),
            CL_SUCCESS);
  EXPECT_EQ(address, xrt::xclbin(xrt_image_file("A")).get_ip("vadd:vadd_2").get_base_address());
  cl_ulong banks[4];
  EXPECT_EQ(
      xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_CONNECTIONS, sizeof banks, banks, &size),
      CL_SUCCESS);
  EXPECT_EQ(size, sizeof banks);
  EXPECT_EQ(banks[0], 1u);
  EXPECT_EQ(banks[3], 0u);
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 1, XCL_COMPUTE_UNIT_INDEX, sizeof index, &index, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 0, 0x1319, sizeof index, &index, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_NAME, 3, name, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(xclGetComputeUnitInfo(nullptr, 0, XCL_COMPUTE_UNIT_NAME, 64, name, nullptr),
            CL_INVALID_KERNEL);
  clReleaseKernel(vadd);
  const char* source = "kernel void k() {}";
  cl_program program = clCreateProgramWithSource(context_, 1, &source, nullptr, nullptr);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  cl_kernel plain = clCreateKernel(program, "k", nullptr);
  EXPECT_EQ(xclGetComputeUnitInfo(plain, 0, XCL_COMPUTE_UNIT_INDEX, sizeof index, &index, nullptr),
            CL_INVALID_KERNEL);
  clReleaseKernel(plain);
  clReleaseProgram(program);
  cl_platform_id platform = nullptr;
  clGetPlatformIDs(1, &platform, nullptr);
  EXPECT_TRUE(clGetExtensionFunctionAddressForPlatform(platform, "xclGetComputeUnitInfo"));
  EXPECT_TRUE(clGetExtensionFunctionAddressForPlatform(platform, "xclGetMemObjectFromFd"));
}

TEST_F(XrtAndOpenCl, BuffersOfSeveralProcesses) {
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  cl_mem buffer = shared_buffer(CL_MEM_COPY_HOST_PTR, values);
  ASSERT_EQ(code_, CL_SUCCESS);
  int handle = -1;
  ASSERT_EQ(xclGetMemObjectFd(buffer, &handle), CL_SUCCESS);
  ASSERT_EQ(fcntl(handle, F_SETFD, 0), 0);
  WorkerProcess child("xrt", {});
  EXPECT_EQ(ask(child, "inherit " + std::to_string(handle)), "0");
  EXPECT_EQ(read(buffer, 100)[99], 198);
  cl_mem same = nullptr;
  ASSERT_EQ(xclGetMemObjectFromFd(context_, cl_device_, CL_MEM_READ_WRITE, handle, &same),
            CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
  cl_kernel vadd = cl_kernel_of("vadd");
  for (cl_uint i = 0; i < 3; ++i) set(vadd, i, same);
  const int count = 100;
  clSetKernelArg(vadd, 3, sizeof count, &count);
  const size_t one = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, vadd, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  clFinish(queue_);
  EXPECT_EQ(ask(child, "sum"), "19800");
  xrt::bo bo(device_, handle);
  EXPECT_EQ(bo.map<int*>()[99], 396);
  close(handle);
  clReleaseKernel(vadd);
  clReleaseMemObject(same);

  cl_mem plain = clCreateBuffer(context_, 0, 400, nullptr, nullptr);
  EXPECT_EQ(xclGetMemObjectFd(plain, &handle), CL_INVALID_MEM_OBJECT);
  clReleaseMemObject(plain);
  EXPECT_EQ(xclGetMemObjectFd(nullptr, &handle), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(xclGetMemObjectFromFd(context_, cl_device_, 0, -1, &same), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(xclGetMemObjectFromFd(context_, nullptr, 0, 0, &same), CL_INVALID_DEVICE);
  EXPECT_EQ(xclGetMemObjectFromFd(context_, cl_device_, 0, 0, nullptr), CL_INVALID_VALUE);
  shared_buffer(CL_MEM_USE_HOST_PTR, values);
  EXPECT_EQ(code_, CL_INVALID_VALUE);
  clCreateBuffer(context_, CL_MEM_EXT_PTR_XILINX, 400, nullptr, &code_);
  EXPECT_EQ(code_, CL_INVALID_HOST_PTR);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  using namespace conclave::test;
  if (int status = run_role(argc, argv, xrt_api_roles()); status >= 0) return status;
  std::signal(SIGPIPE, SIG_IGN);  // a worker that died shows otherwise
  testing::InitGoogleTest(&argc, argv);
  const TemporarySegment segment(".xrt");
  const TemporaryDirectory runtime;
  setenv("CONCLAVE_SEGMENT", segment.name().c_str(), 1);
  setenv("CONCLAVE_COMPUTE_UNITS", "6", 1);  // as many as image A has
  setenv("CONCLAVE_DDR_HEAP1_SIZE_MIB", std::to_string(kHeapMiB).c_str(), 1);
  setenv("XDG_RUNTIME_DIR", runtime.path().c_str(), 1);
  return RUN_ALL_TESTS();
}
