// SPDX-License-Identifier: Apache-2.0
// Xclbins from OpenCL: who shares one, and which compute units kernels run on.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "xclbin_fixture.h"

namespace conclave::test {
namespace {

TEST_F(Xclbins, OpenClProgramsShareOneXclbin) {
  auto p = start("opencl"), q = start("opencl");
  expect_steps(*p, {"load X", "kernel vadd:{vadd_1}", "run"});
  expect_steps(*q, {"load X", "kernel vadd", "run"});
  EXPECT_EQ(step(*p, "count"), 1);
  EXPECT_EQ(step(*q, "count"), 2);
  EXPECT_EQ(step(*q, "kernel vadd:{vadd_1,vadd_2}"), 0);
  EXPECT_EQ(step(*q, "count"), 2);
  expect_steps(*q, {"run"});
  EXPECT_EQ(step(*q, "kernel vadd:{vadd_3}"), CL_INVALID_KERNEL_NAME);
  EXPECT_NE(ask(*q, "told").find("No kernel compute units matching"), std::string::npos);
  EXPECT_EQ(step(*q, "kernel vmul"), CL_INVALID_KERNEL_NAME);
}

TEST_F(Xclbins, OpenClProgramsWithDifferentXclbins) {
  auto p = start("opencl"), q = start("opencl");
  expect_steps(*p, {"load X", "kernel vadd:{vadd_1}"});
  EXPECT_EQ(step(*q, "load Y"), CL_INVALID_PROGRAM);
  const std::string told = ask(*q, "told");
  EXPECT_NE(told.find("Device Busy"), std::string::npos) << told;
  EXPECT_NE(told.find("process " + std::to_string(p->pid()) + " ("), std::string::npos) << told;
  EXPECT_NE(told.find("since 20"), std::string::npos) << told;
  // A second xclbin in the process that has contexts on the first one.
  EXPECT_EQ(step(*p, "load Y"), CL_OUT_OF_RESOURCES);
  expect_steps(*p, {"unkernel"});
  expect_steps(*q, {"load Y", "kernel vmul:{vmul_2}", "run", "unkernel"});
  // Whose turn it is, while nobody has a kernel: the one that makes the next.
  auto r = start("opencl");
  expect_steps(*r, {"load X"});
  expect_steps(*q, {"kernel vmul", "run"});
  EXPECT_EQ(step(*r, "kernel vadd"), CL_INVALID_PROGRAM);
  EXPECT_NE(ask(*r, "log").find("process " + std::to_string(q->pid())), std::string::npos);
  q->signal(SIGKILL);
  q->wait();
  expect_steps(*r, {"kernel vadd", "run"});
}

TEST_F(Xclbins, OpenClProgramIsOneLikeOthers) {
  auto p = start("opencl");
  expect_steps(*p, {"load X", "binary"});
  EXPECT_EQ(ask(*p, "names"), "vadd");
  expect_steps(*p, {"rebuild", "binary", "kernel vadd", "run"});
  EXPECT_EQ(step(*p, "rebuild"), CL_INVALID_OPERATION);  // it has a kernel
}

// A sub-device for each compute unit; a kernel runs on those that it is bound to.
TEST_F(Xclbins, OpenClSubDevices) {
  auto p = start("opencl");
  expect_steps(*p, {"load X", "kernel vadd", "run 0", "run 1", "kernel vadd:{vadd_2}", "run 1"});
  EXPECT_EQ(step(*p, "run 0"), CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(Xclbins, NeedTheirUnits) {
  auto p = start("opencl", {"CONCLAVE_COMPUTE_UNITS=1"});
  EXPECT_EQ(step(*p, "load X"), CL_INVALID_BINARY);
  const std::string told = ask(*p, "told");
  EXPECT_NE(told.find("vadd:vadd_2 is on unit 1 of the device, which has 1"), std::string::npos)
      << told;
  auto q = start("xcl", {"CONCLAVE_COMPUTE_UNITS=1"});
  expect_steps(*q, {"open"});
  EXPECT_EQ(step(*q, "load X"), -EINVAL);
}

// An exclusive context of the C interface counts for OpenCL, too.
TEST_F(Xclbins, OpenClBesideTheCInterface) {
  auto p = start("xcl"), q = start("opencl");
  expect_steps(*p, {"open", "load X", "context X 0 exclusive"});
  expect_steps(*q, {"load X", "kernel vadd:{vadd_2}", "run"});
  EXPECT_EQ(step(*q, "kernel vadd:{vadd_1}"), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(step(*q, "kernel vadd"), CL_OUT_OF_RESOURCES);
  EXPECT_NE(ask(*q, "log").find("process " + std::to_string(p->pid())), std::string::npos);
  expect_steps(*p, {"close"});
  expect_steps(*q, {"kernel vadd", "run"});
}

}  // namespace
}  // namespace conclave::test
