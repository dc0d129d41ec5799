// SPDX-License-Identifier: Apache-2.0
// Invalid handles: of another kind, or released. The specification calls
// this undefined; this platform promises the error code of a handle that is not valid.
#include "image_shapes.h"

namespace conclave::test {
namespace {

template <typename H>
struct Use {
  const char* name;
  std::function<cl_int(H)> call;
};

class HandleTest : public ApiTest {
 protected:
  void SetUp() override {
    CONCLAVE_ONLY();
    ApiTest::SetUp();
    buffer_ = make_buffer(context_, 64);
    built_ = build(context_, kKernels, "-cl-std=CL3.0");
    kernel_ = make_kernel(built_, "nothing");
    event_ = user_event(context_);
    sampler_ = make_sampler();
  }
  Owned<cl_sampler> make_sampler() {
    return Owned<cl_sampler>(
        clCreateSampler(context_, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, nullptr));
  }
  // One object of every kind.
  std::vector<void*> objects() {
    return {platform(),   device(),      context_.get(), queue_.get(),  buffer_.get(),
            built_.get(), kernel_.get(), event_.get(),   sampler_.get()};
  }
  // Calls every use with every handle that is no H, and with one that was: `make` creates an object
  // and releases it.
  template <typename H>
  void check(cl_int expected, H good, const std::vector<Use<H>>& uses,
             const std::function<H()>& make_released) {
    for (const Use<H>& use : uses) {
      SCOPED_TRACE(use.name);
      EXPECT_CL(expected, use.call(nullptr)) << "null";
      for (void* object : objects()) {
        if (object == good) continue;
        EXPECT_CL(expected, use.call(static_cast<H>(object))) << "another kind of object";
      }
      EXPECT_CL(expected, use.call(make_released())) << "released";
    }
  }

  Buffer buffer_;
  Program built_;
  Kernel kernel_;
  Event event_;
  Owned<cl_sampler> sampler_;
};

void CL_CALLBACK on_context(cl_context, void*) {}
void CL_CALLBACK on_mem(cl_mem, void*) {}
void CL_CALLBACK on_event(cl_event, cl_int, void*) {}

template <typename Create>
cl_int code_of(const Create& create) {
  cl_int err = CL_SUCCESS;
  create(&err);
  return err;
}

TEST_F(HandleTest, Contexts) {
  const char* source = kKernels;
  cl_device_id only = device();
  cl_program input = built_;
  check<cl_context>(
      CL_INVALID_CONTEXT, context_,
      {
          {"clRetainContext", [](cl_context c) { return clRetainContext(c); }},
          {"clReleaseContext", [](cl_context c) { return clReleaseContext(c); }},
          {"clGetContextInfo",
           [](cl_context c) {
             return clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, 0, nullptr, nullptr);
           }},
          {"clSetContextDestructorCallback",
           [](cl_context c) { return clSetContextDestructorCallback(c, on_context, nullptr); }},
          {"clCreateCommandQueue",
           [](cl_context c) {
             return code_of([=](cl_int* e) { return clCreateCommandQueue(c, device(), 0, e); });
           }},
          {"clCreateCommandQueueWithProperties",
           [](cl_context c) {
             return code_of([=](cl_int* e) {
               return clCreateCommandQueueWithProperties(c, device(), nullptr, e);
             });
           }},
          {"clCreateBuffer",
           [](cl_context c) {
             return code_of([=](cl_int* e) { return clCreateBuffer(c, 0, 64, nullptr, e); });
           }},
          {"clCreateBufferWithProperties",
           [](cl_context c) {
             return code_of([=](cl_int* e) {
               return clCreateBufferWithProperties(c, nullptr, 0, 64, nullptr, e);
             });
           }},
          {"clCreateSampler",
           [](cl_context c) {
             return code_of([=](cl_int* e) {
               return clCreateSampler(c, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, e);
             });
           }},
          {"clCreateImage",
           [](cl_context c) {
             return code_of([=](cl_int* e) {
               const cl_image_desc desc = k2d.desc();
               return clCreateImage(c, 0, &kRgba8.format, &desc, nullptr, e);
             });
           }},
          {"clCreateUserEvent",
           [](cl_context c) {
             return code_of([=](cl_int* e) { return clCreateUserEvent(c, e); });
           }},
          {"clCreateProgramWithSource",
           [&](cl_context c) {
             return code_of(
                 [&](cl_int* e) { return clCreateProgramWithSource(c, 1, &source, nullptr, e); });
           }},
          {"clCreateProgramWithBuiltInKernels",
           [&](cl_context c) {
             return code_of(
                 [&](cl_int* e) { return clCreateProgramWithBuiltInKernels(c, 1, &only, "x", e); });
           }},
          {"clLinkProgram",
           [&](cl_context c) {
             return code_of([&](cl_int* e) {
               return clLinkProgram(c, 0, nullptr, "", 1, &input, nullptr, nullptr, e);
             });
           }},
          {"clGetSupportedImageFormats",
           [](cl_context c) {
             cl_uint count = 0;
             return clGetSupportedImageFormats(c, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0,
                                               nullptr, &count);
           }},
      },
      [] { return make_context().get(); });
}

TEST_F(HandleTest, Queues) {
  check<cl_command_queue>(
      CL_INVALID_COMMAND_QUEUE, queue_,
      {
          {"clRetainCommandQueue", [](cl_command_queue q) { return clRetainCommandQueue(q); }},
          {"clReleaseCommandQueue", [](cl_command_queue q) { return clReleaseCommandQueue(q); }},
          {"clGetCommandQueueInfo",
           [](cl_command_queue q) {
             return clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, 0, nullptr, nullptr);
           }},
          {"clFlush", [](cl_command_queue q) { return clFlush(q); }},
          {"clFinish", [](cl_command_queue q) { return clFinish(q); }},
          {"clEnqueueMarkerWithWaitList",
           [](cl_command_queue q) { return clEnqueueMarkerWithWaitList(q, 0, nullptr, nullptr); }},
          {"clEnqueueBarrier", [](cl_command_queue q) { return clEnqueueBarrier(q); }},
          {"clEnqueueTask",
           [this](cl_command_queue q) { return clEnqueueTask(q, kernel_, 0, nullptr, nullptr); }},
      },
      [this] { return make_queue(context_).get(); });
}

TEST_F(HandleTest, MemObjects) {
  char host[64] = {};
  check<cl_mem>(
      CL_INVALID_MEM_OBJECT, buffer_,
      {
          {"clRetainMemObject", [](cl_mem m) { return clRetainMemObject(m); }},
          {"clReleaseMemObject", [](cl_mem m) { return clReleaseMemObject(m); }},
          {"clGetMemObjectInfo",
           [](cl_mem m) { return clGetMemObjectInfo(m, CL_MEM_SIZE, 0, nullptr, nullptr); }},
          {"clSetMemObjectDestructorCallback",
           [](cl_mem m) { return clSetMemObjectDestructorCallback(m, on_mem, nullptr); }},
          {"clCreateSubBuffer",
           [](cl_mem m) {
             return code_of([=](cl_int* e) {
               cl_buffer_region region{0, 4};
               return clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, e);
             });
           }},
          {"clEnqueueReadBuffer",
           [&](cl_mem m) {
             return clEnqueueReadBuffer(queue_, m, CL_TRUE, 0, 4, host, 0, nullptr, nullptr);
           }},
          {"clEnqueueWriteBuffer",
           [&](cl_mem m) {
             return clEnqueueWriteBuffer(queue_, m, CL_TRUE, 0, 4, host, 0, nullptr, nullptr);
           }},
          {"clEnqueueCopyBuffer, source",
           [&](cl_mem m) {
             return clEnqueueCopyBuffer(queue_, m, buffer_, 0, 0, 4, 0, nullptr, nullptr);
           }},
          {"clEnqueueCopyBuffer, target",
           [&](cl_mem m) {
             return clEnqueueCopyBuffer(queue_, buffer_, m, 0, 0, 4, 0, nullptr, nullptr);
           }},
          {"clEnqueueFillBuffer",
           [&](cl_mem m) {
             return clEnqueueFillBuffer(queue_, m, host, 4, 0, 4, 0, nullptr, nullptr);
           }},
          {"clEnqueueMapBuffer",
           [&](cl_mem m) {
             return code_of([&](cl_int* e) {
               return clEnqueueMapBuffer(queue_, m, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr,
                                         e);
             });
           }},
          {"clEnqueueUnmapMemObject",
           [&](cl_mem m) { return clEnqueueUnmapMemObject(queue_, m, host, 0, nullptr, nullptr); }},
          {"clEnqueueMigrateMemObjects",
           [&](cl_mem m) {
             return clEnqueueMigrateMemObjects(queue_, 1, &m, 0, 0, nullptr, nullptr);
           }},
      },
      [this] { return make_buffer(context_, 64).get(); });
}

TEST_F(HandleTest, Programs) {
  check<cl_program>(
      CL_INVALID_PROGRAM, built_,
      {
          {"clRetainProgram", [](cl_program p) { return clRetainProgram(p); }},
          {"clReleaseProgram", [](cl_program p) { return clReleaseProgram(p); }},
          {"clGetProgramInfo",
           [](cl_program p) {
             return clGetProgramInfo(p, CL_PROGRAM_CONTEXT, 0, nullptr, nullptr);
           }},
          {"clGetProgramBuildInfo",
           [](cl_program p) {
             return clGetProgramBuildInfo(p, device(), CL_PROGRAM_BUILD_STATUS, 0, nullptr,
                                          nullptr);
           }},
          {"clBuildProgram",
           [](cl_program p) { return clBuildProgram(p, 0, nullptr, "", nullptr, nullptr); }},
          {"clCompileProgram",
           [](cl_program p) {
             return clCompileProgram(p, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr);
           }},
          {"clLinkProgram",
           [this](cl_program p) {
             return code_of([=, this](cl_int* e) {
               return clLinkProgram(context_, 0, nullptr, "", 1, &p, nullptr, nullptr, e);
             });
           }},
          {"clCreateKernel",
           [](cl_program p) {
             return code_of([=](cl_int* e) { return clCreateKernel(p, "nothing", e); });
           }},
          {"clCreateKernelsInProgram",
           [](cl_program p) { return clCreateKernelsInProgram(p, 0, nullptr, nullptr); }},
      },
      [this] { return make_program(context_, kKernels).get(); });
}

TEST_F(HandleTest, Kernels) {
  int value = 0;
  check<cl_kernel>(
      CL_INVALID_KERNEL, kernel_,
      {
          {"clRetainKernel", [](cl_kernel k) { return clRetainKernel(k); }},
          {"clReleaseKernel", [](cl_kernel k) { return clReleaseKernel(k); }},
          {"clGetKernelInfo",
           [](cl_kernel k) { return clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, 0, nullptr, nullptr); }},
          {"clGetKernelArgInfo",
           [](cl_kernel k) {
             return clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr);
           }},
          {"clGetKernelWorkGroupInfo",
           [](cl_kernel k) {
             return clGetKernelWorkGroupInfo(k, device(), CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr,
                                             nullptr);
           }},
          {"clSetKernelArg",
           [&](cl_kernel k) { return clSetKernelArg(k, 0, sizeof value, &value); }},
          {"clCloneKernel",
           [](cl_kernel k) { return code_of([=](cl_int* e) { return clCloneKernel(k, e); }); }},
          {"clEnqueueTask",
           [this](cl_kernel k) { return clEnqueueTask(queue_, k, 0, nullptr, nullptr); }},
          {"clEnqueueNDRangeKernel",
           [this](cl_kernel k) {
             size_t items = 1;
             return clEnqueueNDRangeKernel(queue_, k, 1, nullptr, &items, nullptr, 0, nullptr,
                                           nullptr);
           }},
      },
      [this] { return make_kernel(built_, "nothing").get(); });
}

TEST_F(HandleTest, Events) {
  cl_ulong time = 0;
  check<cl_event>(
      CL_INVALID_EVENT, event_,
      {
          {"clRetainEvent", [](cl_event e) { return clRetainEvent(e); }},
          {"clReleaseEvent", [](cl_event e) { return clReleaseEvent(e); }},
          {"clGetEventInfo",
           [](cl_event e) { return clGetEventInfo(e, CL_EVENT_CONTEXT, 0, nullptr, nullptr); }},
          {"clGetEventProfilingInfo",
           [&](cl_event e) {
             return clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof time, &time,
                                            nullptr);
           }},
          {"clSetUserEventStatus", [](cl_event e) { return clSetUserEventStatus(e, CL_COMPLETE); }},
          {"clSetEventCallback",
           [](cl_event e) { return clSetEventCallback(e, CL_COMPLETE, on_event, nullptr); }},
          {"clWaitForEvents", [](cl_event e) { return clWaitForEvents(1, &e); }},
      },
      [this] { return user_event(context_).get(); });
}

TEST_F(HandleTest, Samplers) {
  check<cl_sampler>(CL_INVALID_SAMPLER, sampler_,
                    {
                        {"clRetainSampler", [](cl_sampler s) { return clRetainSampler(s); }},
                        {"clReleaseSampler", [](cl_sampler s) { return clReleaseSampler(s); }},
                        {"clGetSamplerInfo",
                         [](cl_sampler s) {
                           return clGetSamplerInfo(s, CL_SAMPLER_CONTEXT, 0, nullptr, nullptr);
                         }},
                    },
                    [this] { return make_sampler().get(); });
}

// A buffer is no image either, so there is no good handle here.
TEST_F(HandleTest, Images) {
  const size_t kZero[] = {0, 0, 0}, kOne[] = {1, 1, 1};
  char host[16] = {};
  size_t pitch = 0;
  check<cl_mem>(
      CL_INVALID_MEM_OBJECT, nullptr,
      {
          {"clGetImageInfo",
           [](cl_mem m) { return clGetImageInfo(m, CL_IMAGE_WIDTH, 0, nullptr, nullptr); }},
          {"clEnqueueReadImage",
           [&](cl_mem m) {
             return clEnqueueReadImage(queue_, m, CL_TRUE, kZero, kOne, 0, 0, host, 0, nullptr,
                                       nullptr);
           }},
          {"clEnqueueWriteImage",
           [&](cl_mem m) {
             return clEnqueueWriteImage(queue_, m, CL_TRUE, kZero, kOne, 0, 0, host, 0, nullptr,
                                        nullptr);
           }},
          {"clEnqueueFillImage",
           [&](cl_mem m) {
             return clEnqueueFillImage(queue_, m, host, kZero, kOne, 0, nullptr, nullptr);
           }},
          {"clEnqueueCopyImage",
           [&](cl_mem m) {
             return clEnqueueCopyImage(queue_, m, m, kZero, kZero, kOne, 0, nullptr, nullptr);
           }},
          {"clEnqueueCopyImageToBuffer",
           [&](cl_mem m) {
             return clEnqueueCopyImageToBuffer(queue_, m, buffer_, kZero, kOne, 0, 0, nullptr,
                                               nullptr);
           }},
          {"clEnqueueCopyBufferToImage",
           [&](cl_mem m) {
             return clEnqueueCopyBufferToImage(queue_, buffer_, m, 0, kZero, kOne, 0, nullptr,
                                               nullptr);
           }},
          {"clEnqueueMapImage",
           [&](cl_mem m) {
             return code_of([&](cl_int* e) {
               return clEnqueueMapImage(queue_, m, CL_TRUE, CL_MAP_READ, kZero, kOne, &pitch,
                                        nullptr, 0, nullptr, nullptr, e);
             });
           }},
      },
      [this] { return make_image(context_, k2d, kRgba8).get(); });
}

TEST_F(HandleTest, Devices) {
  Program unbuilt = make_program(context_, kKernels);
  auto released_sub_device = [] {
    const cl_device_partition_property kProperties[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                        CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    Device sub;
    EXPECT_OK(clCreateSubDevices(device(), kProperties, 1, sub.out(), nullptr));
    return sub.get();
  };
  check<cl_device_id>(
      CL_INVALID_DEVICE, device(),
      {
          {"clGetDeviceInfo",
           [](cl_device_id d) { return clGetDeviceInfo(d, CL_DEVICE_TYPE, 0, nullptr, nullptr); }},
          {"clRetainDevice", [](cl_device_id d) { return clRetainDevice(d); }},
          {"clReleaseDevice", [](cl_device_id d) { return clReleaseDevice(d); }},
          {"clCreateContext",
           [](cl_device_id d) {
             return code_of(
                 [=](cl_int* e) { return clCreateContext(nullptr, 1, &d, nullptr, nullptr, e); });
           }},
          {"clCreateCommandQueue",
           [this](cl_device_id d) {
             return code_of(
                 [=, this](cl_int* e) { return clCreateCommandQueue(context_, d, 0, e); });
           }},
          {"clCreateSubDevices",
           [](cl_device_id d) {
             const cl_device_partition_property kEqually[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
             cl_uint count = 0;
             return clCreateSubDevices(d, kEqually, 0, nullptr, &count);
           }},
          {"clBuildProgram",
           [&](cl_device_id d) { return clBuildProgram(unbuilt, 1, &d, "", nullptr, nullptr); }},
      },
      released_sub_device);
}

// Releasing once too often is noticed, as long as nothing new took the place.
TEST_F(HandleTest, ReleasedTwice) {
  Buffer buffer = make_buffer(context_, 64);
  cl_mem raw = buffer;
  buffer.reset();
  EXPECT_CL(CL_INVALID_MEM_OBJECT, clReleaseMemObject(raw));
  Event event = user_event(context_);
  cl_event raw_event = event;
  event.reset();
  EXPECT_CL(CL_INVALID_EVENT, clReleaseEvent(raw_event));
}

}  // namespace
}  // namespace conclave::test
