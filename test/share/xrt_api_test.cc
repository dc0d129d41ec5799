// SPDX-License-Identifier: Apache-2.0
// XRT's C++ interface: each class, and its errors.
#include <CL/cl_ext_conclave.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "experimental/xrt_bo.h"
#include "experimental/xrt_device.h"
#include "experimental/xrt_ini.h"
#include "experimental/xrt_xclbin.h"
#include "test/common/worker_tests.h"
#include "xrt/xrt_conclave.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_hw_context.h"
#include "xrt/xrt_kernel.h"
#include "xrt_api_roles.h"
#include "xrt_fixture.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

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
  const xrt::xclbin xclbin(xrt_xclbin_file("A"));
  EXPECT_EQ(xclbin.get_xsa_name(), "conclave");
  EXPECT_EQ(xclbin.get_kernels().size(), 5u);
  const auto vadd = xclbin.get_kernel("vadd");
  ASSERT_EQ(vadd.get_cus().size(), 2u);
  EXPECT_EQ(vadd.get_cus()[1].get_name(), "vadd:vadd_2");
  EXPECT_EQ(vadd.get_cu("vadd:vadd_2").get_index(), 1u);
  ASSERT_EQ(vadd.get_num_args(), 4u);
  EXPECT_EQ(vadd.get_arg(3).get_name(), "n");
  EXPECT_EQ(vadd.get_arg(3).get_offset(), 0x34u);
  EXPECT_EQ(vadd.get_arg(3).get_host_type(), "int");
  EXPECT_EQ(error_of([&] { vadd.get_arg(4); }), EINVAL);
  EXPECT_EQ(xclbin.get_ips().size(), 6u);
  ASSERT_EQ(xclbin.get_mems().size(), 1u);
  EXPECT_EQ(xclbin.get_mems()[0].get_tag(), "ddr_heap1");
  EXPECT_TRUE(xclbin.get_mems()[0].get_used());
  EXPECT_EQ(error_of([&] { xclbin.get_kernel("vsub"); }, "vsub"), ENOENT);
  EXPECT_EQ(error_of([&] { xclbin.get_ip("vadd:vadd_3"); }), ENOENT);
  EXPECT_EQ(xrt::xclbin(bytes_of(xrt_xclbin_file("A"))).get_uuid(), xclbin.get_uuid());
  EXPECT_NE(xrt::xclbin(xrt_xclbin_file("B")).get_uuid(), xclbin.get_uuid());
  EXPECT_EQ(error_of([] { xrt::xclbin("/nowhere.xclbin"); }, "/nowhere.xclbin"), ENOENT);
  auto cut = bytes_of(xrt_xclbin_file("A"));
  cut.pop_back();
  EXPECT_EQ(error_of([&] { xrt::xclbin{cut}; }), EINVAL);
  EXPECT_EQ(error_of([] { xrt::xclbin{std::vector<char>(4096)}; }), EINVAL);
  EXPECT_EQ(error_of([] { xrt::xclbin().get_uuid(); }), EINVAL);
}

TEST_F(XrtApi, Device) {
  EXPECT_EQ(device_.get_xclbin_uuid(), uuid_);
  const std::string bdf = device_.get_info<xrt::info::device::bdf>();
  xrt::device named(bdf);
  EXPECT_TRUE(named);
  EXPECT_FALSE(xrt::device());
  char path[256];
  strcpy(path, xrt_xclbin_file("A").c_str());
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
  const xrt::xclbin other(xrt_xclbin_file("B"));
  EXPECT_EQ(error_of([&] { xrt::kernel(device_, other.get_uuid(), "vadd"); }), EBUSY);
  EXPECT_EQ(error_of([&] { xrt::kernel().group_id(0); }), EINVAL);
}

TEST_F(XrtApi, KernelsHoldTheXclbin) {
  xrt::run run;
  {
    const xrt::kernel vadd = kernel("vadd:{vadd_1}");
    run = xrt::run(vadd);
  }
  const std::string other = xrt_xclbin_file("B");
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
  const std::string other = xrt_xclbin_file("B");
  EXPECT_EQ(error_of([&] { device_.load_xclbin(other); }), EBUSY) << "a command runs on the xclbin";
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
  const xrt::xclbin other(xrt_xclbin_file("B"));
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
    EXPECT_EQ(error_of([&] { device_.load_xclbin(xrt_xclbin_file("A")); }), EBUSY);
  }
  EXPECT_EQ(device_.load_xclbin(xrt_xclbin_file("A")), uuid_);
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

TEST_F(XrtApi, ReportsOfTheXclbin) {
  xrt::bo stop(device_, sizeof(int), 0);
  xrt::run run = kernel("spin")(stop);
  std::string text;
  for (int i = 0; i < 1000 && text.find("(START)") == text.npos; ++i)
    text = examine("-r dynamic-regions");
  const size_t started = text.find("(START)");
  ASSERT_NE(started, text.npos) << text;
  EXPECT_LT(text.rfind('\n', started), text.find("spin:spin_1")) << "another one: " << text;
  EXPECT_EQ(text.find("(START)", started + 1), text.npos) << text;
  const auto line_of = [&](const std::string& name) {
    const size_t at = text.find(name);
    return at == text.npos ? "none" : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_TRUE(line_of("spin:spin_1").ends_with(" 1")) << "contexts: " << text;
  EXPECT_TRUE(line_of("vadd:vadd_1").ends_with(" 0")) << text;
  EXPECT_TRUE(examine("--json -r dynamic-regions").find("\"contexts\": 1") != text.npos);
  stop.map<std::atomic<int>*>()->store(1);
  run.wait2();
  run = {};
  device_.load_xclbin(xrt_xclbin_file("B"));
  EXPECT_NE(examine("-r aie").find("gr[0]"), text.npos);
  {
    const xrt::graph graph(device_, device_.get_xclbin_uuid(), "gr[0]");
    text = examine("-r access-modes");
    EXPECT_NE(text.find("0 gr[0] (primary)"), text.npos) << text;
    EXPECT_NE(examine("--json -r access-modes").find("\"name\": \"gr[0]\""), text.npos);
  }
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
  EXPECT_EQ(error_of([&] { device_.load_xclbin(xrt_xclbin_file("B")); }), EBUSY)
      << "the parent's contexts are its own";
  run(a, b, c, 16);
  run.wait2();
  expect_sums(c, 2);
}

TEST_F(XrtApi, SettingsComeTooLate) {
  EXPECT_EQ(error_of([] { xrt::ini::set("Runtime.multiprocess", "false"); }), EBUSY);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  using namespace conclave::test;
  return run_role_or_tests(argc, argv, xrt_api_roles(), [] {
    const OwnDevice device(".xrt", 6);  // as many units as xclbin A has
    setenv("CONCLAVE_DDR_HEAP1_SIZE_MIB", std::to_string(kHeapMiB).c_str(), 1);
    return RUN_ALL_TESTS();
  });
}
