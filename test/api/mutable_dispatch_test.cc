// SPDX-License-Identifier: Apache-2.0
// Updates of recorded launches.
#include "command_buffer_test.h"

namespace conclave::test {
namespace {

using Config = api::cl_mutable_dispatch_config_khr;

class MutableDispatchTest : public CommandBufferTest {
 protected:
  cl_int update(cl_command_buffer_khr buffer, const std::vector<Config>& configs) {
    const std::vector<cl_uint> types(configs.size(), api::kMutableDispatchConfig);
    std::vector<const void*> list;
    for (const Config& config : configs) list.push_back(&config);
    return f_.update(buffer, static_cast<cl_uint>(configs.size()), types.data(), list.data());
  }
  template <class T>
  static cl_mutable_dispatch_arg_khr argument(cl_uint index, const T& value) {
    return {index, sizeof value, &value};
  }
};

TEST_F(MutableDispatchTest, UpdatesReachLaterReplaysOnly) {
  Buffer first = make_buffer(context_, all(1)), second = make_buffer(context_, all(1));
  Recorded buffer =
      make(out_of_order_, CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
  cl_mutable_command_khr command = nullptr;
  launch(buffer, twice_plus(first, 3), {}, &command);
  ASSERT_NE(nullptr, command);
  finalize(buffer);
  Event gate = user_event(context_);
  ASSERT_OK(f_.enqueue(0, nullptr, buffer, 1, gate.list(), nullptr));

  const int amount = 10;
  const size_t offset = 4, global = 8, local = 2;
  const cl_mem mem = second;
  const cl_mutable_dispatch_arg_khr arguments[] = {argument(0, mem), argument(1, amount)};
  Config config{};
  config.command = command;
  config.num_args = 2;
  config.arg_list = arguments;
  config.work_dim = 1;
  config.global_work_offset = &offset;
  config.global_work_size = &global;
  config.local_work_size = &local;
  ASSERT_OK(update(buffer, {config}));
  ASSERT_OK(f_.enqueue(0, nullptr, buffer, 0, nullptr, nullptr));
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  ASSERT_OK(clFinish(out_of_order_));
  EXPECT_EQ(all(5), contents(queue_, first, 16));
  EXPECT_EQ((std::vector<int>{1, 1, 1, 1, 12, 12, 12, 12, 12, 12, 12, 12, 1, 1, 1, 1}),
            contents(queue_, second, 16));
  const auto sizes = [&](cl_uint name) { return info<size_t>(f_.command_info, command, name); };
  EXPECT_EQ(4u, sizes(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR));
  EXPECT_EQ(8u, sizes(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR));
  EXPECT_EQ(2u, sizes(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR));
}

TEST_F(MutableDispatchTest, SharedMemoryAndExecutionInformation) {
  Buffer mem = zeros();
  auto* shared = static_cast<cl_int*>(clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0));
  ASSERT_NE(nullptr, shared);
  std::fill_n(shared, 16, 2);
  Recorded buffer = make(queue_, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_mutable_command_khr command = nullptr;
  launch(buffer, twice_plus(mem, 3), {}, &command);
  finalize(buffer);
  const cl_mutable_dispatch_arg_khr argument = {0, 0, shared};
  const void* const pointers[] = {shared};
  const cl_mutable_dispatch_exec_info_khr execution = {CL_KERNEL_EXEC_INFO_SVM_PTRS,
                                                       sizeof pointers, pointers};
  Config config{};
  config.command = command;
  config.num_svm_args = 1;
  config.arg_svm_list = &argument;
  config.num_exec_infos = 1;
  config.exec_info_list = &execution;
  ASSERT_OK(update(buffer, {config}));
  replay(buffer);
  ASSERT_OK(clFinish(queue_));
  EXPECT_EQ(all(7), std::vector<int>(shared, shared + 16));
  EXPECT_EQ(all(0), contents(queue_, mem, 16));
  clSVMFree(context_, shared);
}

// Arguments may come with an update; until then the buffer is finalized and not executable.
TEST_F(MutableDispatchTest, ArgumentsMayBeMissingAtFirst) {
  Buffer mem = zeros();
  Recorded buffer = make(queue_, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_mutable_command_khr command = nullptr;
  launch(buffer, kernel("twice_plus"), {}, &command);
  finalize(buffer);
  const auto state = [&] {
    return static_cast<int>(
        info<cl_command_buffer_state_khr>(f_.info, buffer, CL_COMMAND_BUFFER_STATE_KHR));
  };
  EXPECT_EQ(CL_COMMAND_BUFFER_STATE_FINALIZED_KHR, state());
  EXPECT_CL(CL_INVALID_OPERATION, f_.enqueue(0, nullptr, buffer, 0, nullptr, nullptr));
  const int amount = 8;
  const cl_mem handle = mem;
  const cl_mutable_dispatch_arg_khr arguments[] = {argument(0, handle), argument(1, amount)};
  Config config{};
  config.command = command;
  config.num_args = 2;
  config.arg_list = arguments;
  ASSERT_OK(update(buffer, {config}));
  EXPECT_EQ(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR, state());
  replay(buffer);
  EXPECT_EQ(all(8), contents(queue_, mem, 16));
}

TEST_F(MutableDispatchTest, FailedUpdateChangesNothing) {
  Buffer mem = zeros();
  Recorded buffer = make(queue_, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_mutable_command_khr command = nullptr;
  launch(buffer, twice_plus(mem, 3), {}, &command);
  finalize(buffer);
  const int amount = 50;
  const cl_mutable_dispatch_arg_khr good = argument(1, amount), bad = argument(9, amount);
  Config first{}, second{};
  first.command = second.command = command;
  first.num_args = second.num_args = 1;
  first.arg_list = &good;
  second.arg_list = &bad;
  EXPECT_CL(CL_INVALID_ARG_INDEX, update(buffer, {first, second}));
  replay(buffer);
  EXPECT_EQ(all(3), contents(queue_, mem, 16));
}

TEST_F(MutableDispatchTest, Queries) {
  Buffer mem = zeros();
  Kernel step = twice_plus(mem, 1);
  Recorded buffer = make(queue_, CL_COMMAND_BUFFER_MUTABLE_KHR);
  const api::cl_command_properties_khr list[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                                 CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
  cl_mutable_command_khr command = nullptr;
  launch(buffer, step, {}, &command, list);
  EXPECT_EQ(queue_.get(),
            info<cl_command_queue>(f_.command_info, command, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR));
  EXPECT_EQ(buffer.get(), info<cl_command_buffer_khr>(f_.command_info, command,
                                                      CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR));
  EXPECT_EQ(CL_COMMAND_NDRANGE_KERNEL,
            static_cast<int>(info<cl_command_type>(f_.command_info, command,
                                                   CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR)));
  EXPECT_EQ(step.get(), info<cl_kernel>(f_.command_info, command, CL_MUTABLE_DISPATCH_KERNEL_KHR));
  EXPECT_EQ(1u, info<cl_uint>(f_.command_info, command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR));
  EXPECT_EQ(16u, info<size_t>(f_.command_info, command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR));
  EXPECT_EQ(0u, info<size_t>(f_.command_info, command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR));
  EXPECT_EQ(0u, info<size_t>(f_.command_info, command, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR));
  api::cl_command_properties_khr answer[3] = {};
  size_t size = 0;
  ASSERT_OK(f_.command_info(command, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, sizeof answer, answer,
                            &size));
  EXPECT_EQ(sizeof list, size);
  EXPECT_TRUE(std::equal(list, list + 3, answer));
  EXPECT_EQ(
      cl_bitfield{CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR |
                  CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR |
                  CL_MUTABLE_DISPATCH_EXEC_INFO_KHR},
      info<cl_bitfield>(clGetDeviceInfo, device(), CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR));
}

TEST_F(MutableDispatchTest, BadArguments) {
  Buffer mem = zeros();
  Recorded buffer = make(queue_, CL_COMMAND_BUFFER_MUTABLE_KHR),
           other = make(queue_, CL_COMMAND_BUFFER_MUTABLE_KHR),
           recording = make(queue_, CL_COMMAND_BUFFER_MUTABLE_KHR), fixed = make(queue_);
  cl_mutable_command_khr open = nullptr, closed = nullptr, foreign = nullptr, unchanged = nullptr;
  const api::cl_command_properties_khr nothing[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 0, 0};
  Kernel step = twice_plus(mem, 1);
  launch(buffer, step, {}, &open);
  launch(buffer, step, {}, &closed, nothing);
  launch(other, step, {}, &foreign);
  launch(fixed, step, {}, &unchanged);
  for (cl_command_buffer_khr b : {buffer.get(), other.get(), fixed.get()}) finalize(b);

  const size_t size = 16, odd = 3, zero = 0, far = SIZE_MAX - 8;
  const int amount = 1;
  const cl_mutable_dispatch_arg_khr good = argument(1, amount), far_index = argument(7, amount),
                                    wrong_size = {1, 1, &amount};
  const cl_mutable_dispatch_exec_info_khr unknown = {0, 0, nullptr};
  const auto with = [](cl_mutable_command_khr command, const std::function<void(Config&)>& change) {
    Config config{};
    config.command = command;
    change(config);
    return std::vector<Config>{config};
  };
  const auto same = [](Config&) {};
  const auto global = [&](const size_t* value) {
    return [=](Config& c) { c.global_work_size = value; };
  };
  const auto local = [&](const size_t* value) {
    return [=](Config& c) { c.local_work_size = value; };
  };
  const auto offset = [&](const size_t* value) {
    return [=](Config& c) { c.global_work_offset = value; };
  };
  const auto set = [](const cl_mutable_dispatch_arg_khr* value, cl_uint count) {
    return [=](Config& c) { c.arg_list = value, c.num_args = count; };
  };
  const auto set_svm = [](const cl_mutable_dispatch_arg_khr* value, cl_uint count) {
    return [=](Config& c) { c.arg_svm_list = value, c.num_svm_args = count; };
  };
  const auto execution = [](const cl_mutable_dispatch_exec_info_khr* value, cl_uint count) {
    return [=](Config& c) { c.exec_info_list = value, c.num_exec_infos = count; };
  };
  const cl_uint type = api::kMutableDispatchConfig, wrong_type = 77;
  const void* null_config = nullptr;
  Config config{};
  config.command = open;
  const void* list = &config;
  char byte;
  expect_all({
      BAD(CL_INVALID_COMMAND_BUFFER_KHR, f_.update(nullptr, 1, &type, &list)),
      BAD(CL_INVALID_OPERATION, f_.update(recording, 1, &type, &list)),
      BAD(CL_INVALID_OPERATION, update(fixed, with(unchanged, same))),
      BAD(CL_INVALID_VALUE, f_.update(buffer, 1, nullptr, &list)),
      BAD(CL_INVALID_VALUE, f_.update(buffer, 0, &type, nullptr)),
      BAD(CL_INVALID_VALUE, f_.update(buffer, 1, &type, nullptr)),
      BAD(CL_INVALID_VALUE, f_.update(buffer, 1, &wrong_type, &list)),
      BAD(CL_INVALID_VALUE, f_.update(buffer, 1, &type, &null_config)),
      BAD(CL_INVALID_MUTABLE_COMMAND_KHR, update(buffer, with(nullptr, same))),
      BAD(CL_INVALID_MUTABLE_COMMAND_KHR, update(buffer, with(foreign, same))),
      BAD(CL_INVALID_MUTABLE_COMMAND_KHR,
          update(buffer, with(as<cl_mutable_command_khr>(buffer.get()), same))),
      BAD(CL_INVALID_OPERATION, update(buffer, with(open, [](Config& c) { c.work_dim = 2; }))),
      BAD(CL_INVALID_OPERATION, update(buffer, with(closed, global(&size)))),
      BAD(CL_INVALID_OPERATION, update(buffer, with(closed, local(&size)))),
      BAD(CL_INVALID_OPERATION, update(buffer, with(closed, offset(&zero)))),
      BAD(CL_INVALID_OPERATION, update(buffer, with(closed, set(&good, 1)))),
      BAD(CL_INVALID_OPERATION, update(buffer, with(closed, set_svm(&good, 1)))),
      BAD(CL_INVALID_OPERATION, update(buffer, with(closed, execution(&unknown, 1)))),
      BAD(CL_INVALID_OPERATION, update(buffer, with(open, local(&odd)))),
      BAD(CL_INVALID_WORK_GROUP_SIZE, update(buffer, with(open, local(&zero)))),
      BAD(CL_INVALID_GLOBAL_OFFSET, update(buffer, with(open, offset(&far)))),
      BAD(CL_INVALID_VALUE, update(buffer, with(open, set(nullptr, 1)))),
      BAD(CL_INVALID_VALUE, update(buffer, with(open, set(&good, 0)))),
      BAD(CL_INVALID_VALUE, update(buffer, with(open, set_svm(nullptr, 1)))),
      BAD(CL_INVALID_VALUE, update(buffer, with(open, execution(nullptr, 1)))),
      BAD(CL_INVALID_VALUE, update(buffer, with(open, execution(&unknown, 1)))),
      BAD(CL_INVALID_ARG_INDEX, update(buffer, with(open, set(&far_index, 1)))),
      BAD(CL_INVALID_ARG_SIZE, update(buffer, with(open, set(&wrong_size, 1)))),
      BAD(CL_INVALID_ARG_VALUE, update(buffer, with(open, set_svm(&good, 1)))),
      BAD(CL_INVALID_MUTABLE_COMMAND_KHR,
          f_.command_info(nullptr, CL_MUTABLE_DISPATCH_KERNEL_KHR, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, f_.command_info(open, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          f_.command_info(open, CL_MUTABLE_DISPATCH_KERNEL_KHR, 1, &byte, nullptr)),
  });
}

}  // namespace
}  // namespace conclave::test
