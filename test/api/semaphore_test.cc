// SPDX-License-Identifier: Apache-2.0
// cl_khr_semaphore and cl_khr_external_semaphore in one process. With others: test/share.
#include "semaphore_test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "child_process.h"

namespace conclave::test {
namespace {

constexpr cl_semaphore_properties_khr kType = CL_SEMAPHORE_TYPE_KHR,
                                      kBinary = CL_SEMAPHORE_TYPE_BINARY_KHR,
                                      kOpaque = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                      kExport = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                      kDevices = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR;

TEST_F(SemaphoreTest, EveryQueryHasTheRightSizeAndValue) {
  const auto this_device = reinterpret_cast<cl_semaphore_properties_khr>(device());
  const Properties list = {kDevices, this_device, 0, kExport, kOpaque, 0};
  cl_semaphore_khr semaphore = make(list);
  const auto query = [&](cl_semaphore_info_khr name) {
    return [=, this](size_t size, void* value, size_t* ret) {
      return clGetSemaphoreInfoKHR(semaphore, name, size, value, ret);
    };
  };
  checked_info(query(CL_SEMAPHORE_CONTEXT_KHR), one<cl_context>);
  checked_info(query(CL_SEMAPHORE_REFERENCE_COUNT_KHR), one<cl_uint>);
  checked_info(query(CL_SEMAPHORE_TYPE_KHR), one<cl_semaphore_type_khr>);
  checked_info(query(CL_SEMAPHORE_PAYLOAD_KHR), one<cl_semaphore_payload_khr>);
  checked_info(query(CL_SEMAPHORE_EXPORTABLE_KHR), one<cl_bool>);
  checked_info(query(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR), list_of<cl_device_id>);
  EXPECT_EQ(sizeof(cl_external_semaphore_handle_type_khr),
            checked_info(query(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR),
                         list_of<cl_external_semaphore_handle_type_khr>)
                .size());
  Properties given = {kType, kBinary};
  given.insert(given.end(), list.begin(), list.end());
  given.push_back(0);
  const auto back =
      checked_info(query(CL_SEMAPHORE_PROPERTIES_KHR), list_of<cl_semaphore_properties_khr>);
  ASSERT_EQ(given.size() * sizeof given[0], back.size());
  EXPECT_EQ(0, std::memcmp(given.data(), back.data(), back.size()));
  EXPECT_EQ(device(), info<cl_device_id>(clGetSemaphoreInfoKHR, semaphore,
                                         CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR));
  EXPECT_TRUE(info<cl_bool>(clGetSemaphoreInfoKHR, semaphore, CL_SEMAPHORE_EXPORTABLE_KHR));
  EXPECT_FALSE(info<cl_bool>(clGetSemaphoreInfoKHR, make(), CL_SEMAPHORE_EXPORTABLE_KHR));
  EXPECT_OK(clRetainSemaphoreKHR(semaphore));
  EXPECT_EQ(2u, info<cl_uint>(clGetSemaphoreInfoKHR, semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR));
  EXPECT_OK(clReleaseSemaphoreKHR(semaphore));
}

TEST_F(SemaphoreTest, DeviceAndPlatformSayWhatThereIs) {
  const auto of_device = [](size_t size, void* value, size_t* ret) {
    return clGetDeviceInfo(device(), CL_DEVICE_SEMAPHORE_TYPES_KHR, size, value, ret);
  };
  const auto of_platform = [](size_t size, void* value, size_t* ret) {
    return clGetPlatformInfo(platform(), CL_PLATFORM_SEMAPHORE_TYPES_KHR, size, value, ret);
  };
  EXPECT_EQ(checked_info(of_platform, list_of<cl_semaphore_type_khr>),
            checked_info(of_device, list_of<cl_semaphore_type_khr>));
  for (const auto& [on_device, on_platform] :
       {std::pair{CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                  CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR},
        {CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
         CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR}}) {
    using Type = cl_external_semaphore_handle_type_khr;
    EXPECT_EQ(static_cast<Type>(kOpaque), info<Type>(clGetDeviceInfo, device(), on_device));
    EXPECT_EQ(static_cast<Type>(kOpaque), info<Type>(clGetPlatformInfo, platform(), on_platform));
  }
}

// Nobody waits in a call, and no compute unit waits: four commands wait while others run.
TEST_F(SemaphoreTest, OneQueueWaitsForAnother) {
  cl_semaphore_khr first = make(), second = make();
  std::vector<Queue> queues;
  std::vector<Event> waits;
  for (int i = 0; i < 6; ++i) queues.push_back(make_queue(context_));
  for (int i = 0; i < 5; ++i) waits.push_back(wait_for(queues[i], i ? make() : first));
  Buffer data = make_buffer(context_, std::vector<int>(64, 1));
  const Event behind = launch(queues[0], kernel("add"), data, {2}, 64);
  EXPECT_CL(CL_COMMAND_SEMAPHORE_WAIT_KHR, static_cast<cl_int>(info<cl_command_type>(
                                               clGetEventInfo, waits[0], CL_EVENT_COMMAND_TYPE)));
  launch(queue_, kernel("add"), data, {10}, 64);
  EXPECT_EQ(std::vector<int>(64, 11), contents(queue_, data, 64));
  EXPECT_GT(event_status(behind), CL_COMPLETE);
  EXPECT_EQ(0u, payload(first));
  const Event done = signal(queue_, first);
  EXPECT_CL(CL_COMMAND_SEMAPHORE_SIGNAL_KHR, static_cast<cl_int>(info<cl_command_type>(
                                                 clGetEventInfo, done, CL_EVENT_COMMAND_TYPE)));
  EXPECT_OK(clWaitForEvents(1, behind.list()));
  EXPECT_EQ(std::vector<int>(64, 13), contents(queue_, data, 64));
  EXPECT_EQ(0u, payload(first)) << "the wait takes the signal";
  EXPECT_OK(clWaitForEvents(1, signal(queue_, second).list()));
  EXPECT_EQ(1u, payload(second));
  EXPECT_OK(clWaitForEvents(1, wait_for(queues[5], second).list()));
  EXPECT_EQ(0u, payload(second));
  for (cl_semaphore_khr semaphore : made_) signal(queue_, semaphore);
  for (const Event& wait : waits) EXPECT_OK(clWaitForEvents(1, wait.list()));
}

TEST_F(SemaphoreTest, CommandsKeepTheOrderOfTheirQueue) {
  Event gate = user_event(context_);
  cl_semaphore_khr semaphore = make();
  Queue waiting = make_queue(context_);
  const Event wait = wait_for(waiting, semaphore);
  const Event late = signal(queue_, semaphore, {gate});
  EXPECT_FALSE(eventually([&] { return event_status(wait) == CL_COMPLETE; }, 1));
  EXPECT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  EXPECT_OK(clWaitForEvents(1, wait.list()));
  // A wait behind an event that has not come takes no signal from another.
  Event second_gate = user_event(context_);
  const Event behind_gate = wait_for(waiting, semaphore, {second_gate});
  const Event direct = wait_for(make_queue(context_), semaphore);
  EXPECT_OK(clWaitForEvents(1, signal(queue_, semaphore).list()));
  EXPECT_OK(clWaitForEvents(1, direct.list()));
  EXPECT_GT(event_status(behind_gate), CL_COMPLETE);
  EXPECT_OK(clSetUserEventStatus(second_gate, CL_COMPLETE));
  EXPECT_OK(clWaitForEvents(1, signal(queue_, semaphore).list()));
  EXPECT_OK(clWaitForEvents(1, behind_gate.list()));
}

// "will not return until the binary semaphores in sema_objects are in a state that makes them safe to
// re-signal": a signal may come while the wait before it has not begun.
TEST_F(SemaphoreTest, NoSignalIsLost) {
  cl_semaphore_khr semaphore = make();
  Queue waiting = make_queue(context_);
  Event gate = user_event(context_), last;
  last = wait_for(waiting, semaphore, {gate});
  signal(queue_, semaphore);
  for (int round = 0; round < 100; ++round) {
    signal(queue_, semaphore);
    last = wait_for(waiting, semaphore);
  }
  EXPECT_OK(clFinish(queue_));
  EXPECT_EQ(1u, payload(semaphore));
  EXPECT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  EXPECT_OK(clWaitForEvents(1, last.list()));
  EXPECT_EQ(0u, payload(semaphore));
}

TEST_F(SemaphoreTest, SeveralAtOnce) {
  std::vector<cl_semaphore_khr> all = {make(), make_exportable(), make()};
  Queue waiting = make_queue(context_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Event wait;
  ASSERT_OK(clEnqueueWaitSemaphoresKHR(waiting, 3, all.data(), nullptr, 0, nullptr, wait.out()));
  signal(queue_, all[2]);
  signal(queue_, all[0]);
  EXPECT_FALSE(eventually([&] { return event_status(wait) == CL_COMPLETE; }, 1));
  Event signalled;
  ASSERT_OK(clEnqueueSignalSemaphoresKHR(queue_, 1, &all[1], nullptr, 0, nullptr, signalled.out()));
  EXPECT_OK(clWaitForEvents(1, wait.list()));
  for (cl_semaphore_khr semaphore : all) EXPECT_EQ(0u, payload(semaphore));
  ASSERT_OK(
      clEnqueueSignalSemaphoresKHR(queue_, 3, all.data(), nullptr, 0, nullptr, signalled.out()));
  EXPECT_OK(clWaitForEvents(1, signalled.list()));
  for (cl_semaphore_khr semaphore : all) EXPECT_EQ(1u, payload(semaphore));
}

TEST_F(SemaphoreTest, ImportedOnesAreTheSame) {
  cl_semaphore_khr original = make_exportable();
  const int descriptor = descriptor_of(original);
  EXPECT_EQ(FD_CLOEXEC, fcntl(descriptor, F_GETFD));
  cl_semaphore_khr other = import(descriptor);
  EXPECT_EQ(-1, fcntl(descriptor, F_GETFD)) << "the descriptor was given away";
  Queue waiting = make_queue(context_);
  for (int round = 0; round < 100; ++round) {
    const Event wait = wait_for(waiting, round % 2 ? original : other);
    signal(queue_, round % 2 ? other : original);
    ASSERT_OK(clWaitForEvents(1, wait.list()));
  }
  EXPECT_EQ(0u, payload(original));
  EXPECT_OK(clWaitForEvents(1, signal(queue_, other).list()));
  EXPECT_EQ(1u, payload(original));
}

// More than the system can sleep on at once (128 words).
TEST_F(SemaphoreTest, ManyThatOthersCouldSignal) {
  Queue waiting = make_queue(context_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  std::vector<Event> waits;
  for (int i = 0; i < 200; ++i) {
    cl_semaphore_khr semaphore = make_exportable();
    waits.push_back(wait_for(waiting, i < 100 ? semaphore : import(descriptor_of(semaphore))));
  }
  for (cl_semaphore_khr semaphore : made_) signal(queue_, semaphore);
  for (const Event& wait : waits) ASSERT_OK(clWaitForEvents(1, wait.list()));
}

TEST_F(SemaphoreTest, BadCreationIsRefused) {
  const auto this_device = reinterpret_cast<cl_semaphore_properties_khr>(device());
  const auto create = [&](cl_context context, const Properties& list, cl_int* err) {
    return clCreateSemaphoreWithPropertiesKHR(context, list.empty() ? nullptr : list.data(), err);
  };
  cl_context c = context_;
  const auto no_device = reinterpret_cast<cl_semaphore_properties_khr>(c);
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, create(nullptr, {kType, kBinary, 0}, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(c, {}, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(c, {0}, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(c, {kDevices, this_device, 0, 0}, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, create(c, {kType, 2, 0}, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, create(c, {kType, kBinary, 0x7777, 1, 0}, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, create(c, {kType, kBinary, kType, kBinary, 0}, err)),
      BAD_CREATE(CL_INVALID_DEVICE, create(c, {kType, kBinary, kDevices, 0, 0}, err)),
      BAD_CREATE(CL_INVALID_DEVICE, create(c, {kType, kBinary, kDevices, no_device, 0, 0}, err)),
      BAD_CREATE(CL_INVALID_DEVICE,
                 create(c, {kType, kBinary, kDevices, this_device, this_device, 0, 0}, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 create(c, {kType, kBinary, kExport, kOpaque, kOpaque, 0, 0}, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, create(c, {kType, kBinary, kExport, 0x2058, 0, 0}, err)),
      BAD_CREATE(CL_INVALID_OPERATION,
                 create(c, {kType, kBinary, kOpaque, 0, kExport, kOpaque, 0, 0}, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, create(c, {kType, kBinary, kOpaque, 0, kOpaque, 0, 0}, err)),
  });
}

TEST_F(SemaphoreTest, ForgedDescriptorsAreRefused) {
  int ends[2];
  ASSERT_EQ(0, pipe(ends));
  const int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_EQ(0, ftruncate(file, 4096));
  const auto memory = [](off_t size, int seals) {
    const int descriptor = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    EXPECT_EQ(0, ftruncate(descriptor, size));
    EXPECT_EQ(0, fcntl(descriptor, F_ADD_SEALS, seals));
    return descriptor;
  };
  const int all[] = {-1,
                     9999,
                     ends[0],
                     file,
                     memory(4096, F_SEAL_GROW),
                     memory(4, F_SEAL_SHRINK),
                     memory(0, F_SEAL_SHRINK),
                     memory(4096, F_SEAL_SHRINK),  // all 0: of a buffer perhaps
                     memory(4096, F_SEAL_SHRINK | F_SEAL_WRITE)};
  for (const int descriptor : all) {
    const Properties list = {kType, kBinary, kOpaque,
                             static_cast<cl_semaphore_properties_khr>(descriptor), 0};
    EXPECT_CL(CL_INVALID_PROPERTY, creation_error([&](cl_int* err) {
                return clCreateSemaphoreWithPropertiesKHR(context_, list.data(), err);
              }))
        << descriptor;
    // A descriptor that was not accepted stays the caller's.
    if (descriptor >= 0 && descriptor != 9999) {
      EXPECT_EQ(0, close(descriptor));
    }
  }
  close(ends[1]);
}

TEST_F(SemaphoreTest, BadArgumentsAreRefused) {
  cl_semaphore_khr semaphore = make(), exportable = make_exportable(), none = nullptr;
  Context other_context = make_context();
  Queue other_queue = make_queue(other_context);
  Event failed = user_event(context_);
  ASSERT_OK(clSetUserEventStatus(failed, -5));
  int descriptor = 0;
  const auto handle_of = [&](cl_semaphore_khr s, cl_device_id d, cl_uint type, size_t size) {
    return clGetSemaphoreHandleForTypeKHR(s, d, type, size, &descriptor, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_SEMAPHORE_KHR, clRetainSemaphoreKHR(none)),
      BAD(CL_INVALID_SEMAPHORE_KHR, clReleaseSemaphoreKHR(none)),
      BAD(CL_INVALID_SEMAPHORE_KHR,
          clGetSemaphoreInfoKHR(none, CL_SEMAPHORE_TYPE_KHR, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetSemaphoreInfoKHR(semaphore, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_TYPE_KHR, 1, &descriptor, nullptr)),
      BAD(CL_INVALID_SEMAPHORE_KHR, handle_of(none, device(), kOpaque, sizeof(int))),
      BAD(CL_INVALID_DEVICE, handle_of(exportable, nullptr, kOpaque, sizeof(int))),
      BAD(CL_INVALID_VALUE, handle_of(semaphore, device(), kOpaque, sizeof(int))),
      BAD(CL_INVALID_VALUE, handle_of(exportable, device(), 0x2058, sizeof(int))),
      BAD(CL_INVALID_VALUE, handle_of(exportable, device(), kOpaque, 2)),
  });
  for (const Function function : {clEnqueueWaitSemaphoresKHR, clEnqueueSignalSemaphoresKHR}) {
    const auto call = [&](cl_command_queue q, cl_uint n, const cl_semaphore_khr* s, cl_uint events,
                          const cl_event* list) {
      return function(q, n, s, nullptr, events, list, nullptr);
    };
    expect_all({
        BAD(CL_INVALID_COMMAND_QUEUE, call(nullptr, 1, &semaphore, 0, nullptr)),
        BAD(CL_INVALID_VALUE, call(queue_, 0, &semaphore, 0, nullptr)),
        BAD(CL_INVALID_VALUE, call(queue_, 1, nullptr, 0, nullptr)),
        BAD(CL_INVALID_SEMAPHORE_KHR, call(queue_, 1, &none, 0, nullptr)),
        BAD(CL_INVALID_CONTEXT, call(other_queue, 1, &semaphore, 0, nullptr)),
        BAD(CL_INVALID_EVENT_WAIT_LIST, call(queue_, 1, &semaphore, 1, nullptr)),
        BAD(CL_INVALID_EVENT_WAIT_LIST, call(queue_, 1, &semaphore, 0, failed.list())),
        BAD(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            call(queue_, 1, &semaphore, 1, failed.list())),
    });
  }
  EXPECT_EQ(0u, payload(semaphore));
}

// A semaphore is for one device; in a context of several the program says which.
TEST_F(SemaphoreTest, ContextsOfSeveralDevices) {
  const cl_device_partition_property kHalves[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
  cl_device_id raw[2] = {};
  cl_uint count = 0;
  if (clCreateSubDevices(device(), kHalves, 2, raw, &count) != CL_SUCCESS || count != 2)
    GTEST_SKIP() << "needs four compute units";
  Device first(raw[0]), second(raw[1]);
  cl_int err = 0;
  Context both(clCreateContext(nullptr, 2, raw, nullptr, nullptr, &err));
  ASSERT_OK(err);
  const Properties unknown = {kType, kBinary, 0};
  const Properties other_device = {
      kType, kBinary, kDevices, reinterpret_cast<cl_semaphore_properties_khr>(device()), 0, 0};
  expect_all({
      BAD_CREATE(CL_INVALID_PROPERTY,
                 clCreateSemaphoreWithPropertiesKHR(both, unknown.data(), err)),
      BAD_CREATE(CL_INVALID_DEVICE,
                 clCreateSemaphoreWithPropertiesKHR(both, other_device.data(), err)),
  });
  cl_semaphore_khr semaphore =
      make({kDevices, reinterpret_cast<cl_semaphore_properties_khr>(raw[0]), 0}, both);
  Queue queue_of_first(clCreateCommandQueueWithProperties(both, first, nullptr, &err));
  Queue queue_of_second(clCreateCommandQueueWithProperties(both, second, nullptr, &err));
  for (const Function function : {clEnqueueWaitSemaphoresKHR, clEnqueueSignalSemaphoresKHR})
    EXPECT_CL(CL_INVALID_COMMAND_QUEUE,
              function(queue_of_second, 1, &semaphore, nullptr, 0, nullptr, nullptr));
  signal(queue_of_first, semaphore);
  EXPECT_OK(clWaitForEvents(1, wait_for(queue_of_first, semaphore).list()));
}

// A wait for a signal that never comes does not outlive its context.
TEST_F(SemaphoreTest, TerminatedContextsWaitNoLonger) {
  CONCLAVE_ONLY();
  const cl_context_properties kProperties[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
  cl_device_id only = device();
  cl_int err = 0;
  Context doomed(clCreateContext(kProperties, 1, &only, nullptr, nullptr, &err));
  ASSERT_OK(err);
  cl_semaphore_khr mine = make({}, doomed);
  cl_semaphore_khr shared = make({kExport, kOpaque, 0}, doomed);
  Queue one = make_queue(doomed), two = make_queue(doomed);
  const Event first = wait_for(one, mine), second = wait_for(two, shared);
  const Event behind = wait_for(two, mine);
  ASSERT_TRUE(eventually(
      [&] { return event_status(first) == CL_RUNNING && event_status(second) == CL_RUNNING; }));
  EXPECT_OK(extension_function<clTerminateContextKHR_fn>("clTerminateContextKHR")(doomed));
  for (const Event* event : {&first, &second, &behind}) {
    EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event->list()));
    EXPECT_CL(CL_CONTEXT_TERMINATED_KHR, event_status(*event));
  }
}

}  // namespace
}  // namespace conclave::test
