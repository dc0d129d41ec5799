// SPDX-License-Identifier: Apache-2.0
// Packets of XRT's C interface, ERT's commands.
#include <CL/cl_ext_conclave.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>

#include "experimental/xrt_bo.h"
#include "experimental/xrt_device.h"
#include "xrt/xrt_conclave.h"
#include "xrt/xrt_kernel.h"
#include "xrt_fixture.h"

namespace conclave::test {
namespace {

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
    // The thread that ends the command writes the state.
    const std::atomic_ref<uint32_t> header(reinterpret_cast<ert_packet*>(words(command))->header);
    ert_packet packet{};
    while (packet.header = header.load(), packet.state < ERT_CMD_STATE_COMPLETED)
      xclExecWait(device_, 1000);
    return packet.state == ERT_CMD_STATE_COMPLETED ? 0 : -1;
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

}  // namespace
}  // namespace conclave::test
