// SPDX-License-Identifier: Apache-2.0
// cl_khr_external_memory in one process: buffers and images in memory files. With other processes:
// test/share.
#include <CL/cl_ext_conclave.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <numeric>

#include "semaphore_test.h"

namespace conclave::test {
namespace {

constexpr cl_mem_properties kOpaque = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                            kDevices = CL_MEM_DEVICE_HANDLE_LIST_KHR;

// A memory file whose size nobody can change.
int memory_file(size_t size, int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) {
  const int descriptor = memfd_create("external", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(0, ftruncate(descriptor, static_cast<off_t>(size)));
  EXPECT_EQ(0, fcntl(descriptor, F_ADD_SEALS, seals));
  return descriptor;
}

cl_mem_properties value(int descriptor) {
  return static_cast<cl_mem_properties>(descriptor);
}

class ExternalMemoryTest : public ApiTest {
 protected:
  using HandOver = clEnqueueAcquireExternalMemObjectsKHR_fn;
  void SetUp() override {
    ApiTest::SetUp();
    if (!acquire_) GTEST_SKIP() << "no external memory";
    data_ = memory_file(kBytes);
    void* place = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, data_, 0);
    ASSERT_NE(MAP_FAILED, place);
    outside_ = static_cast<int*>(place);
    std::iota(outside_, outside_ + kInts, 0);
  }
  Buffer make(int descriptor, size_t size = kBytes, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    const cl_mem_properties list[] = {kOpaque, value(descriptor), 0};
    cl_int err = 1;
    Buffer made(clCreateBufferWithProperties(context_, list, flags, size, nullptr, &err));
    EXPECT_OK(err);
    return made;
  }
  static cl_int hand_over(HandOver function, cl_command_queue queue, cl_mem memory,
                          cl_event* out = nullptr) {
    return function(queue, 1, &memory, 0, nullptr, out);
  }

  static constexpr size_t kInts = 4096, kBytes = kInts * sizeof(int);
  HandOver acquire_ = extension_function<HandOver>("clEnqueueAcquireExternalMemObjectsKHR");
  HandOver release_ = extension_function<HandOver>("clEnqueueReleaseExternalMemObjectsKHR");
  int data_ = -1;
  int* outside_ = nullptr;
};

TEST_F(ExternalMemoryTest, KernelsWorkInIt) {
  const auto heap = [] {
    return info<cl_ulong>(clGetDeviceInfo, device(), CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI);
  };
  const cl_ulong before = heap();
  Buffer buffer = make(data_);
  EXPECT_EQ(-1, fcntl(data_, F_GETFD)) << "the descriptor was given away";
  EXPECT_EQ(before, heap()) << "it is no memory of the device's heaps";
  Event acquired, released;
  ASSERT_OK(hand_over(acquire_, queue_, buffer, acquired.out()));
  launch(queue_, kernel("add"), buffer, {1000}, kInts);
  ASSERT_OK(hand_over(release_, queue_, buffer, released.out()));
  ASSERT_OK(clWaitForEvents(1, released.list()));
  for (size_t i = 0; i < kInts; ++i) ASSERT_EQ(static_cast<int>(i) + 1000, outside_[i]);
  const auto type = [](cl_event event) {
    return info<cl_command_type>(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE);
  };
  EXPECT_EQ(static_cast<cl_command_type>(CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR),
            type(acquired));
  EXPECT_EQ(static_cast<cl_command_type>(CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR),
            type(released));
  outside_[5] = -7;
  EXPECT_EQ(-7, contents(queue_, buffer, kInts)[5]);
}

TEST_F(ExternalMemoryTest, PartsAndSeveralOfTheSame) {
  Buffer again = make(dup(data_)), part = make(data_, 256, CL_MEM_READ_ONLY);
  EXPECT_EQ(256u, info<size_t>(clGetMemObjectInfo, part, CL_MEM_SIZE));
  int nine = 9;
  ASSERT_OK(
      clEnqueueWriteBuffer(queue_, again, CL_TRUE, 4, sizeof nine, &nine, 0, nullptr, nullptr));
  EXPECT_EQ(9, contents(queue_, part, 64)[1]);
  EXPECT_EQ(9, outside_[1]);
}

TEST_F(ExternalMemoryTest, Images) {
  const cl_image_format format = {CL_R, CL_SIGNED_INT32};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = 16;
  desc.image_height = 8;
  desc.image_row_pitch = 32 * sizeof(int);
  const cl_mem_properties list[] = {kOpaque, value(data_), 0};
  cl_int err = 1;
  Buffer image(clCreateImageWithProperties(context_, list, CL_MEM_READ_WRITE, &format, &desc,
                                           nullptr, &err));
  ASSERT_OK(err);
  const size_t origin[] = {3, 2, 0}, one[] = {1, 1, 1};
  int pixel = 0;
  ASSERT_OK(
      clEnqueueReadImage(queue_, image, CL_TRUE, origin, one, 0, 0, &pixel, 0, nullptr, nullptr));
  EXPECT_EQ(2 * 32 + 3, pixel);
  pixel = -4;
  ASSERT_OK(
      clEnqueueWriteImage(queue_, image, CL_TRUE, origin, one, 0, 0, &pixel, 0, nullptr, nullptr));
  EXPECT_EQ(-4, outside_[2 * 32 + 3]);
  EXPECT_OK(hand_over(acquire_, queue_, image));
  desc.image_height = 1000;
  const int small = memory_file(kBytes);
  const cl_mem_properties too_small[] = {kOpaque, value(small), 0};
  EXPECT_CL(CL_INVALID_IMAGE_SIZE, creation_error([&](cl_int* code) {
              return clCreateImageWithProperties(context_, too_small, 0, &format, &desc, nullptr,
                                                 code);
            }));
  EXPECT_EQ(0, close(small));
}

TEST_F(ExternalMemoryTest, DeviceAndPlatformSayWhatThereIs) {
  using Type = cl_external_memory_handle_type_khr;
  EXPECT_EQ(
      static_cast<Type>(kOpaque),
      info<Type>(clGetDeviceInfo, device(), CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR));
  EXPECT_EQ(static_cast<Type>(kOpaque),
            info<Type>(clGetPlatformInfo, platform(),
                       CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR));
  EXPECT_EQ(static_cast<Type>(kOpaque),
            info<Type>(clGetDeviceInfo, device(),
                       CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR));
  const auto this_device = reinterpret_cast<cl_mem_properties>(device());
  const cl_mem_properties list[] = {kOpaque, value(data_), kDevices, this_device, 0, 0};
  cl_int err = 1;
  Buffer buffer(clCreateBufferWithProperties(context_, list, 0, kBytes, nullptr, &err));
  ASSERT_OK(err);
  const auto back = checked_info(
      [&](size_t size, void* place, size_t* ret) {
        return clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, size, place, ret);
      },
      list_of<cl_mem_properties>);
  ASSERT_EQ(sizeof list, back.size());
  EXPECT_EQ(0, std::memcmp(list, back.data(), sizeof list));
  EXPECT_OK(hand_over(acquire_, queue_, buffer));
}

TEST_F(ExternalMemoryTest, ForgedDescriptorsAreRefused) {
  int ends[2];
  ASSERT_EQ(0, pipe(ends));
  const int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_EQ(0, ftruncate(file, kBytes));
  const int all[] = {-1,
                     9999,
                     ends[0],
                     file,
                     memory_file(kBytes, F_SEAL_GROW),  // accesses could fault
                     memory_file(kBytes, F_SEAL_SHRINK | F_SEAL_WRITE),
                     memory_file(0)};
  for (const int descriptor : all) {
    const cl_mem_properties list[] = {kOpaque, value(descriptor), 0};
    EXPECT_CL(CL_INVALID_PROPERTY, creation_error([&](cl_int* err) {
                return clCreateBufferWithProperties(context_, list, 0, 64, nullptr, err);
              }))
        << descriptor;
    if (descriptor >= 0 && descriptor != 9999) {
      EXPECT_EQ(0, close(descriptor)) << "it was not accepted, and is gone";
    }
  }
  close(ends[1]);
}

TEST_F(ExternalMemoryTest, BadArgumentsAreRefused) {
  const auto this_device = reinterpret_cast<cl_mem_properties>(device());
  const auto no_device = reinterpret_cast<cl_mem_properties>(context_.get());
  int host[16];
  const auto create = [&](const std::vector<cl_mem_properties>& list, cl_mem_flags flags,
                          size_t size, void* pointer, cl_int* err) {
    return clCreateBufferWithProperties(context_, list.data(), flags, size, pointer, err);
  };
  const cl_mem_properties fd = value(data_);
  expect_all({
      BAD_CREATE(CL_INVALID_BUFFER_SIZE, create({kOpaque, fd, 0}, 0, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_BUFFER_SIZE, create({kOpaque, fd, 0}, 0, kBytes + 1, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, create({kOpaque, fd, 0}, CL_MEM_COPY_HOST_PTR, 64, host, err)),
      BAD_CREATE(CL_INVALID_VALUE, create({kOpaque, fd, 0}, CL_MEM_USE_HOST_PTR, 64, host, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 create({kOpaque, fd, 0}, CL_MEM_ALLOC_HOST_PTR, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 create({kOpaque, fd, 0}, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR, create({kOpaque, fd, 0}, 0, 64, host, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, create({kOpaque, fd, kOpaque, fd, 0}, 0, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, create({kDevices, this_device, 0, 0}, 0, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, create({0x2061, fd, 0}, 0, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_DEVICE,
                 create({kOpaque, fd, kDevices, no_device, 0, 0}, 0, 64, nullptr, err)),
  });
  Buffer buffer = make(data_), plain = make_buffer(context_, 64);
  Queue other_queue = make_queue(make_context());
  Event failed = user_event(context_);
  ASSERT_OK(clSetUserEventStatus(failed, -5));
  const cl_mem none = nullptr;
  for (const HandOver function : {acquire_, release_}) {
    EXPECT_OK(function(queue_, 0, nullptr, 0, nullptr, nullptr));
    const auto call = [&](cl_command_queue q, cl_uint n, const cl_mem* list, cl_uint events = 0,
                          const cl_event* wait = nullptr) {
      return function(q, n, list, events, wait, nullptr);
    };
    expect_all({
        BAD(CL_INVALID_COMMAND_QUEUE, call(nullptr, 1, buffer.list())),
        BAD(CL_INVALID_VALUE, call(queue_, 0, buffer.list())),
        BAD(CL_INVALID_VALUE, call(queue_, 1, nullptr)),
        BAD(CL_INVALID_MEM_OBJECT, call(queue_, 1, &none)),
        BAD(CL_INVALID_MEM_OBJECT, call(queue_, 1, plain.list())),
        BAD(CL_INVALID_EVENT_WAIT_LIST, call(queue_, 1, buffer.list(), 1)),
        BAD(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            call(queue_, 1, buffer.list(), 1, failed.list())),
    });
  }
}

}  // namespace
}  // namespace conclave::test
