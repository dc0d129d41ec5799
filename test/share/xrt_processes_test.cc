// SPDX-License-Identifier: Apache-2.0
// XRT's C++ interface in several processes: buffer objects and xclbins that they share.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "experimental/xrt_bo.h"
#include "experimental/xrt_device.h"
#include "test/common/temporary_directory.h"
#include "xrt/xrt_conclave.h"
#include "xrt/xrt_kernel.h"
#include "xrt_fixture.h"

namespace conclave::test {
namespace {

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

// The process that makes a buffer object pays for it; those that import it do not.
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

TEST_F(XrtProcesses, ShareTheXclbin) {
  EXPECT_EQ(ask(worker_, "load A"), "0");
  EXPECT_EQ(ask(worker_, "kernel vadd:{vadd_1} exclusive"), "0");
  EXPECT_EQ(ask(worker_, "run"), "0");
  const std::string name = "process " + std::to_string(worker_.pid());
  EXPECT_EQ(error_of([&] { kernel("vadd"); }, name), EBUSY);
  EXPECT_EQ(error_of([&] { device_.load_xclbin(xrt_xclbin_file("B")); }, name), EBUSY);
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

}  // namespace
}  // namespace conclave::test
