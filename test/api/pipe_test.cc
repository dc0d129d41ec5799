// SPDX-License-Identifier: Apache-2.0
// Pipes: what the API says of them, and kernels that fill and empty them.
#include <algorithm>
#include <numeric>

#include "api_test.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  kernel void put(global const int* in, write_only pipe int p, global int* faults) {
    if (write_pipe(p, &in[get_global_id(0)]) != 0) atomic_inc(faults);
  }
  kernel void take(global int* out, read_only pipe int p, global int* faults) {
    if (read_pipe(p, &out[get_global_id(0)]) != 0) atomic_inc(faults);
  }
  kernel void put_reserved(global const int* in, write_only pipe int p, global int* faults) {
    int i = get_global_id(0);
    reserve_id_t ids[2];
    ids[1] = reserve_write_pipe(p, 2);
    ids[0] = CLK_NULL_RESERVE_ID;
    reserve_id_t id = ids[i >= 0];
    if (is_valid_reserve_id(ids[i < 0]) || !is_valid_reserve_id(id)) { atomic_inc(faults); return; }
    if (write_pipe(p, id, 1, &in[2 * i + 1]) || write_pipe(p, id, 0, &in[2 * i]) ||
        write_pipe(p, id, 2, &in[0]) == 0)
      atomic_inc(faults);
    commit_write_pipe(p, id);
  }
  kernel void put_one(global const int* in, write_only pipe int p, global int* faults) {
    reserve_id_t id = reserve_write_pipe(p, 1);
    if (!is_valid_reserve_id(id)) { atomic_inc(faults); return; }
    if (write_pipe(p, id, 0, &in[get_global_id(0)])) atomic_inc(faults);
    commit_write_pipe(p, id);
  }
  kernel void take_one(global int* out, read_only pipe int p, global int* faults) {
    reserve_id_t id = reserve_read_pipe(p, 1);
    if (!is_valid_reserve_id(id)) { atomic_inc(faults); return; }
    if (read_pipe(p, id, 0, &out[get_global_id(0)])) atomic_inc(faults);
    commit_read_pipe(p, id);
  }
  kernel void take_by_groups(global int* out, read_only pipe int p, global int* faults) {
    reserve_id_t id = work_group_reserve_read_pipe(p, get_local_size(0));
    if (!is_valid_reserve_id(id)) { atomic_inc(faults); return; }
    if (read_pipe(p, id, get_local_id(0), &out[get_global_id(0)])) atomic_inc(faults);
    work_group_commit_read_pipe(p, id);
  }
  kernel void put_by_groups(global const int* in, write_only pipe int p, global int* faults) {
    reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0));
    if (!is_valid_reserve_id(id)) { atomic_inc(faults); return; }
    if (write_pipe(p, id, get_local_id(0), &in[get_global_id(0)])) atomic_inc(faults);
    work_group_commit_write_pipe(p, id);
  }
  kernel void take_by_sub_groups(global int* out, read_only pipe int p, global int* faults) {
    reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size());
    if (!is_valid_reserve_id(id)) { atomic_inc(faults); return; }
    if (read_pipe(p, id, get_sub_group_local_id(), &out[get_global_id(0)])) atomic_inc(faults);
    sub_group_commit_read_pipe(p, id);
  }
  kernel void put_by_sub_groups(global const int* in, write_only pipe int p, global int* faults) {
    reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());
    if (!is_valid_reserve_id(id)) { atomic_inc(faults); return; }
    if (write_pipe(p, id, get_sub_group_local_id(), &in[get_global_id(0)])) atomic_inc(faults);
    sub_group_commit_write_pipe(p, id);
  }
  kernel void drain(global int* out, read_only pipe int p, global int* faults) {
    int item, last = 0;
    while (read_pipe(p, &item) == 0) {
      if (out[item - 1] != 0) atomic_inc(faults);
      out[item - 1] = item;
      last = item;
    }
    if (last < 0) atomic_inc(faults);
  }
  kernel void ask(global int* out, read_only pipe int p) {
    out[0] = get_pipe_num_packets(p);
    out[1] = get_pipe_max_packets(p);
  }
  typedef struct { char name[5]; double value; } record;
  kernel void put_records(write_only pipe record p) {
    record r = {{'a', 'b', 'c', 'd', (char)get_global_id(0)}, get_global_id(0) / 3.0};
    write_pipe(p, &r);
  }
  kernel void check_records(read_only pipe record p, global int* sum) {
    record r;
    if (read_pipe(p, &r) == 0 && r.name[3] == 'd' && r.value == r.name[4] / 3.0)
      atomic_add(sum, r.name[4]);
  })";

class PipeTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    if (!info<cl_bool>(clGetDeviceInfo, device(), CL_DEVICE_PIPE_SUPPORT)) GTEST_SKIP();
    program_ = build(context_, kSource, "-cl-std=CL3.0");
    faults_ = make_buffer(context_, std::vector<int>(1, 0));
    std::vector<int> numbers(kItems);
    std::iota(numbers.begin(), numbers.end(), 1);
    in_ = make_buffer(context_, numbers);
    out_ = make_buffer(context_, std::vector<int>(kItems, 0));
  }
  Buffer make_pipe(cl_uint packets, cl_uint bytes = sizeof(int)) {
    cl_int err = 1;
    Buffer made(clCreatePipe(context_, 0, bytes, packets, nullptr, &err));
    EXPECT_OK(err);
    return made;
  }
  void run(const char* name, cl_mem memory, cl_mem pipe, size_t items = kItems,
           size_t most_of_group = 64) {
    Kernel kernel = make_kernel(program_, name);
    const size_t group = std::min(items, most_of_group);
    ASSERT_OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    ASSERT_OK(clSetKernelArg(kernel, 1, sizeof pipe, &pipe));
    if (std::string(name) != "ask") {
      ASSERT_OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), faults_.list()));
    }
    ASSERT_OK(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr));
  }
  int faults() { return contents(queue_, faults_, 1)[0]; }
  // Every number once, in whatever order.
  void expect_all_numbers() {
    std::vector<int> numbers = contents(queue_, out_, kItems);
    std::sort(numbers.begin(), numbers.end());
    for (size_t i = 0; i < kItems; ++i) ASSERT_EQ(static_cast<int>(i) + 1, numbers[i]);
    EXPECT_EQ(0, faults());
  }

  static constexpr size_t kItems = 4096;
  Buffer faults_, in_, out_;
};

TEST_F(PipeTest, WhatIsWrittenIsReadOnce) {
  Buffer pipe = make_pipe(kItems);
  for (int round = 0; round < 3; ++round) {
    run("put", in_, pipe);
    run("take", out_, pipe);
    expect_all_numbers();
  }
}

TEST_F(PipeTest, Reservations) {
  Buffer pipe = make_pipe(kItems + 100);  // no multiple of what is reserved
  for (int round = 0; round < 3; ++round) {
    run("put_reserved", in_, pipe, kItems / 2);
    run("take_by_groups", out_, pipe);
    expect_all_numbers();
    run("put_by_groups", in_, pipe);
    run("take_by_sub_groups", out_, pipe);
    expect_all_numbers();
    run("put_by_sub_groups", in_, pipe);
    run("take", out_, pipe);
    expect_all_numbers();
  }
}

// Many compute units reserve and commit at the same time, in small groups. What another one has just
// taken makes no pipe full or empty.
TEST_F(PipeTest, NobodyIsRefusedWhereThereIsRoom) {
  Buffer pipe = make_pipe(kItems + 3);
  for (int round = 0; round < 50; ++round) {
    run("put_one", in_, pipe, kItems, 8);
    run("take_one", out_, pipe, kItems, 8);
    expect_all_numbers();
  }
}

// Work-items read different numbers of packets.
TEST_F(PipeTest, LanesLeaveLoopsOneByOne) {
  Buffer pipe = make_pipe(kItems);
  run("put", in_, pipe);
  run("drain", out_, pipe, 300, 20);
  expect_all_numbers();
}

// Who finds it full, or empty, is told so.
TEST_F(PipeTest, FullAndEmpty) {
  for (const cl_uint packets : {1u, 7u, 1000u}) {
    Buffer pipe = make_pipe(packets), answer = make_buffer(context_, std::vector<int>(2, -1));
    ASSERT_OK(clFinish(queue_));
    const int before = faults();
    run("put", in_, pipe);
    EXPECT_EQ(static_cast<int>(kItems - packets), faults() - before);
    run("ask", answer, pipe, 1);
    EXPECT_EQ((std::vector<int>{static_cast<int>(packets), static_cast<int>(packets)}),
              contents(queue_, answer, 2));
    run("take", out_, pipe);
    EXPECT_EQ(2 * static_cast<int>(kItems - packets), faults() - before);
    run("ask", answer, pipe, 1);
    EXPECT_EQ(0, contents(queue_, answer, 2)[0]);
    // A group reserves all or nothing.
    run("put_by_groups", in_, pipe, 64);
    EXPECT_EQ(packets < 64 ? 64 : 0, faults() - before - 2 * static_cast<int>(kItems - packets));
  }
}

TEST_F(PipeTest, PacketsOfAnyType) {
  Buffer pipe = make_pipe(100, 16), sum = make_buffer(context_, std::vector<int>(1, 0));
  Kernel put = make_kernel(program_, "put_records"), check = make_kernel(program_, "check_records");
  const size_t items = 100;
  ASSERT_OK(clSetKernelArg(put, 0, sizeof(cl_mem), pipe.list()));
  ASSERT_OK(clSetKernelArg(check, 0, sizeof(cl_mem), pipe.list()));
  ASSERT_OK(clSetKernelArg(check, 1, sizeof(cl_mem), sum.list()));
  for (cl_kernel kernel : {put.get(), check.get()})
    ASSERT_OK(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(99 * 100 / 2, contents(queue_, sum, 1)[0]);
}

TEST_F(PipeTest, Queries) {
  Buffer pipe = make_pipe(5, 12);
  const auto query = [&](cl_pipe_info name) {
    return [&pipe, name](size_t size, void* value, size_t* ret) {
      return clGetPipeInfo(pipe, name, size, value, ret);
    };
  };
  checked_info(query(CL_PIPE_PACKET_SIZE), one<cl_uint>);
  checked_info(query(CL_PIPE_MAX_PACKETS), one<cl_uint>);
  EXPECT_EQ(12u, info<cl_uint>(clGetPipeInfo, pipe, CL_PIPE_PACKET_SIZE));
  EXPECT_EQ(5u, info<cl_uint>(clGetPipeInfo, pipe, CL_PIPE_MAX_PACKETS));
  EXPECT_EQ(static_cast<cl_mem_object_type>(CL_MEM_OBJECT_PIPE),
            info<cl_mem_object_type>(clGetMemObjectInfo, pipe, CL_MEM_TYPE));
  EXPECT_EQ(static_cast<cl_mem_flags>(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS),
            info<cl_mem_flags>(clGetMemObjectInfo, pipe, CL_MEM_FLAGS));
  EXPECT_GE(info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_PIPE_ARGS), 16u);
  EXPECT_GE(info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS), 1u);
  EXPECT_GE(info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_PIPE_MAX_PACKET_SIZE), 1024u);
  Kernel take = make_kernel(program_, "take");
  const auto bits = [&](cl_kernel_arg_info name) {
    cl_ulong value = 0;
    EXPECT_OK(clGetKernelArgInfo(take, 1, name, sizeof value, &value, nullptr));
    return value;
  };
  EXPECT_TRUE(bits(CL_KERNEL_ARG_TYPE_QUALIFIER) & CL_KERNEL_ARG_TYPE_PIPE);
}

TEST_F(PipeTest, BadArgumentsAreRefused) {
  Buffer pipe = make_pipe(16), buffer = make_buffer(context_, 64);
  const cl_uint most = info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_PIPE_MAX_PACKET_SIZE);
  const cl_pipe_properties properties[] = {1, 2, 0};
  cl_uint value = 0;
  char host[16];
  Kernel take = make_kernel(program_, "take");
  Context other = make_context();
  cl_int err = 0;
  Buffer foreign(clCreatePipe(other, 0, 4, 4, nullptr, &err));
  ASSERT_OK(err);
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, clCreatePipe(nullptr, 0, 4, 16, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreatePipe(context_, CL_MEM_READ_ONLY, 4, 16, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 clCreatePipe(context_, CL_MEM_ALLOC_HOST_PTR, 4, 16, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreatePipe(context_, 0, 4, 16, properties, err)),
      BAD_CREATE(CL_INVALID_PIPE_SIZE, clCreatePipe(context_, 0, 0, 16, nullptr, err)),
      BAD_CREATE(CL_INVALID_PIPE_SIZE, clCreatePipe(context_, 0, 4, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_PIPE_SIZE, clCreatePipe(context_, 0, most + 1, 16, nullptr, err)),
      // It is device memory.
      BAD_CREATE(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                 clCreatePipe(context_, 0, most, CL_UINT_MAX, nullptr, err)),
      BAD(CL_INVALID_MEM_OBJECT, clGetPipeInfo(nullptr, CL_PIPE_MAX_PACKETS, 0, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, clGetPipeInfo(buffer, CL_PIPE_MAX_PACKETS, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetPipeInfo(pipe, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, 1, &value, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT,
          clEnqueueReadBuffer(queue_, pipe, CL_TRUE, 0, 16, host, 0, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, clSetKernelArg(take, 0, sizeof(cl_mem), pipe.list())),
      BAD(CL_INVALID_MEM_OBJECT, clSetKernelArg(take, 1, sizeof(cl_mem), buffer.list())),
      BAD(CL_INVALID_MEM_OBJECT, clSetKernelArg(take, 1, sizeof(cl_mem), foreign.list())),
      BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(take, 1, 4, pipe.list())),
  });
}

}  // namespace
}  // namespace conclave::test
